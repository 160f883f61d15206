//! Variables that change: what they are at a place in the program.
//!
//! A mutable variable has a form from one assignment to the next. Where ways meet, only what both
//! say of it remains. A loop may come again with another value, so nothing is known of what it
//! assigns, unless each round adds the same number. Then the variable is `first + by * round`
//! (induction variable substitution: Wolfe, "High Performance Compilers for Parallel Computing",
//! 1996).
//!
//! Variables are followed only if every assignment is a statement of its own, outside of closures,
//! and nothing borrows them uniquely.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Atom, Form};
use super::Extractor;
use crate::ir::{
    AssignOp, BinOp, Block, Body, Borrow, Expr, ExprKind, Flow, LocalId, LocalKind, Part, Shape, SlotId, Stmt,
};

/// The variables that can be followed.
pub(super) fn followed(body: &Body) -> BTreeSet<LocalId> {
    let mut all = Assigned::default();
    all.block(&body.block, true);
    let Assigned { assigned, otherwise } = all;
    let is_plain = |local: &LocalId| {
        let local = &body[*local];
        local.mutable && !local.late && !local.loose && local.kind == LocalKind::Value
    };
    assigned.difference(&otherwise).copied().filter(is_plain).collect()
}

/// The variables that a block assigns.
fn assigned_in(block: &Block) -> BTreeSet<LocalId> {
    let mut all = Assigned::default();
    all.block(block, true);
    all.assigned
}

/// What is assigned, and what changes otherwise or where no order is certain.
#[derive(Default)]
struct Assigned {
    assigned: BTreeSet<LocalId>,
    otherwise: BTreeSet<LocalId>,
}

impl Assigned {
    /// `plainly`: the block is reached by statements alone.
    fn block(&mut self, block: &Block, plainly: bool) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { init, otherwise, .. } => {
                    self.expr(init, false);
                    otherwise.iter().for_each(|otherwise| self.block(otherwise, plainly));
                }
                Stmt::Expr(expr) => self.expr(expr, plainly),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value, plainly));
    }

    fn expr(&mut self, expr: &Expr, plainly: bool) {
        match &expr.kind {
            ExprKind::Assign { place, value, .. } => {
                self.expr(value, false);
                self.expr(place, false);
                if let Some(local) = place.root() {
                    self.assigned.insert(local);
                    if !plainly || !matches!(place.kind, ExprKind::Local(_)) {
                        self.otherwise.insert(local);
                    }
                }
            }
            ExprKind::Reference { borrow: Borrow::Unique, place } => {
                self.otherwise.extend(place.root());
                self.expr(place, false);
            }
            ExprKind::Receiver { place, std_name, .. } => {
                self.otherwise.extend(place.root().filter(|_| !std_name));
                self.expr(place, false);
            }
            ExprKind::Flow { flow, .. } => self.flow(flow.shape(), plainly),
            _ => self.parts(expr.parts()),
        }
    }

    fn flow(&mut self, shape: Shape<'_>, plainly: bool) {
        match shape {
            Shape::Straight { body, .. } | Shape::Phase(body) | Shape::Labelled(body) => self.block(body, plainly),
            Shape::If { cond, then, otherwise } => {
                self.expr(cond, false);
                self.block(then, plainly);
                otherwise.iter().for_each(|otherwise| self.expr(otherwise, plainly));
            }
            Shape::Match { scrutinee, arms } => {
                self.expr(scrutinee, false);
                for arm in arms {
                    arm.guard.iter().for_each(|guard| self.expr(guard, false));
                    self.expr(&arm.body, plainly);
                }
            }
            Shape::Counted { body, .. } | Shape::Round { body, .. } => {
                let heads = shape.parts().into_iter().filter(|part| matches!(part, Part::Expr(_)));
                self.parts(heads.collect());
                self.block(body, plainly);
            }
            Shape::Jump(_) | Shape::Question(_) => self.parts(shape.parts()),
        }
    }

    fn parts(&mut self, parts: Vec<Part<'_>>) {
        for part in parts {
            match part {
                Part::Expr(expr) => self.expr(expr, false),
                Part::Block(block) => self.block(block, false),
            }
        }
    }
}

/// Whether a block has a `continue`, for whichever loop.
fn continues(block: &Block) -> bool {
    fn within(part: Part<'_>) -> bool {
        match part {
            Part::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Continue { .. }, .. }, .. }) => true,
            Part::Expr(expr) => expr.parts().into_iter().any(within),
            Part::Block(block) => continues(block),
        }
    }
    block.parts().into_iter().any(within)
}

/// The forms of the followed variables at a place.
pub(super) type Running = BTreeMap<LocalId, Form>;

impl<'b> Extractor<'b> {
    /// What is known of the variables that change.
    pub(super) fn running(&self) -> Running {
        let known =
            self.known.followed.iter().filter_map(|local| Some((*local, self.known.locals.get(local)?.clone())));
        known.collect()
    }

    /// Forgets what a branch has changed, which has ended.
    pub(super) fn meet(&mut self, before: &Running) {
        let changed = self.running().into_iter().filter(|(local, form)| before.get(local) != Some(form));
        for (local, _) in changed.collect::<Vec<_>>() {
            self.known.locals.remove(&local);
        }
    }

    /// The value of a variable after an assignment.
    pub(super) fn assign(&mut self, local: LocalId, form: Option<Form>) {
        if self.known.followed.contains(&local) {
            match form {
                Some(form) => self.known.locals.insert(local, form),
                None => self.known.locals.remove(&local),
            };
        }
    }

    /// The same of `local op= value`.
    pub(super) fn assign_op(&mut self, local: LocalId, op: BinOp, value: Option<Form>, slot: SlotId) {
        let sum = self.known.locals.get(&local).cloned().zip(value).filter(|_| self.known.followed.contains(&local));
        let result = sum.and_then(|(old, value)| match op {
            BinOp::Add => old.add(&value),
            BinOp::Sub => old.sub(&value),
            BinOp::Mul => self.product(&old, &value, slot),
            _ => None,
        });
        // A user's operator makes any number of it, whatever the forms say: its slot has no
        // integers.
        self.assign(local, result.map(|result| result.cast(slot.0, slot.0)));
    }

    /// Forgets the variables that a block assigns, which may run again, or not to its end.
    pub(super) fn forget(&mut self, block: &Block) {
        for local in assigned_in(block).intersection(&self.known.followed) {
            self.known.locals.remove(local);
        }
    }

    /// What the variables that each round of a loop steps on are at the beginning of a round. The
    /// loop's variable, of the type in `slot`, counts the rounds from `start` by 1.
    pub(super) fn induced(&mut self, body: &'b Block, atom: Atom, start: &Form, slot: SlotId) -> Running {
        stepped_on(body)
            .into_iter()
            .filter_map(|step| Some((step.local, self.stepped(step, atom, start, slot)?)))
            .collect()
    }

    /// What each round of a loop adds to a variable.
    pub(super) fn step_of(&mut self, var: LocalId, body: &'b Block) -> Option<Form> {
        let Assignment { by, slot, .. } =
            stepped_on(body).into_iter().find(|step| step.local == var && step.op == BinOp::Add)?;
        self.fixed(by).filter(|_| self.known.followed.contains(&var)).map(|by| by.cast(slot.0, slot.0))
    }

    fn stepped(&mut self, step: Assignment<'b>, atom: Atom, start: &Form, counter: SlotId) -> Option<Form> {
        let Assignment { local, op, by, slot } = step;
        let first = self.known.locals.get(&local).filter(|_| self.known.followed.contains(&local)).cloned()?;
        let by = self.fixed(by)?;
        let by = match op {
            BinOp::Add => by,
            BinOp::Sub => by.neg()?,
            _ => return None,
        };
        // The machine counts from what `start` is in its type.
        let start = start.clone().cast(counter.0, self.body[local].slot.0);
        let way = Form::atom(atom).sub(&start)?.mul(&by)?;
        let varies = |atoms: &[Atom]| atoms.iter().filter(|atom| !matches!(atom, Atom::Symbol(_))).count() > 1;
        let is_linear = !way.value.terms.iter().chain(&way.size.terms).any(|term| varies(&term.atoms));
        first.add(&way).filter(|_| is_linear).map(|value| value.cast(slot.0, slot.0))
    }

    /// A value that is the same in all rounds of a loop that begins here.
    pub(super) fn fixed(&mut self, expr: &'b Expr) -> Option<Form> {
        match &expr.kind {
            ExprKind::Int { digits, .. } => digits.parse().ok().map(Form::constant),
            ExprKind::Local(local) if !self.body[*local].mutable => self.known.locals.get(local).cloned(),
            ExprKind::Captured(_) | ExprKind::Len(_) => self.expr(expr),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                let (a, b) = (self.fixed(lhs)?, self.fixed(rhs)?);
                match op {
                    BinOp::Add => a.add(&b),
                    BinOp::Sub => a.sub(&b),
                    BinOp::Mul => a.mul(&b),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// `local op= by`, where the slot is that of the operator.
struct Assignment<'b> {
    local: LocalId,
    op: BinOp,
    by: &'b Expr,
    slot: SlotId,
}

/// The variables that each round of a loop changes by one operation.
fn stepped_on(body: &Block) -> Vec<Assignment<'_>> {
    if continues(body) {
        return Vec::new();
    }
    let mut counts = BTreeMap::new();
    count(body, &mut counts);
    let step = |stmt| match stmt {
        &Stmt::Expr(Expr {
            kind: ExprKind::Assign { ref place, value: ref by, op: Some(AssignOp { op, slot, .. }) },
            ..
        }) => match place.kind {
            ExprKind::Local(local) if counts.get(&local) == Some(&1) => Some(Assignment { local, op, by, slot }),
            _ => None,
        },
        _ => None,
    };
    body.stmts.iter().filter_map(step).collect()
}

/// How often a block assigns a variable, as it is written.
fn count(block: &Block, counts: &mut BTreeMap<LocalId, usize>) {
    fn within(part: Part<'_>, counts: &mut BTreeMap<LocalId, usize>) {
        match part {
            Part::Block(block) => count(block, counts),
            Part::Expr(expr) => {
                if let ExprKind::Assign { place, .. } = &expr.kind
                    && let ExprKind::Local(local) = place.kind
                {
                    *counts.entry(local).or_default() += 1;
                }
                expr.parts().into_iter().for_each(|inner| within(inner, counts));
            }
        }
    }
    block.parts().into_iter().for_each(|inner| within(inner, counts));
}
