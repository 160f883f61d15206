//! How the numbers of a loop change from one iteration to the next, as far as they can be computed
//! before the loop, too.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};

use super::{Twin, slot};
use crate::ir::{
    Access, BinOp, Body, CaptureKind, Expr, ExprKind, LocalId, LocalKind, Pat, PatKind, SlotId, Space, Stmt,
};
use crate::names;

/// How a number changes from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slope {
    /// It does not.
    Zero,
    /// It grows by 1, or wraps.
    One,
    /// It does so in one type of integers, and is converted to another one.
    Converted,
}

/// The variables of an iteration. It learns of them statement by statement.
pub(super) struct Slopes<'b> {
    body: &'b Body,
    var: LocalId,
    /// Slopes of what it binds; `None` if unknown.
    slopes: BTreeMap<LocalId, Option<Slope>>,
    /// The values of what it binds, where the slopes are known.
    values: BTreeMap<LocalId, &'b Expr>,
    /// Whether the iterations change no variable that is bound outside of them.
    closed: bool,
}

impl<'b> Slopes<'b> {
    /// Of a phase: it changes nothing that is bound outside of it, but for what is shared and what
    /// each thread has.
    pub(super) fn of_phase(body: &'b Body, var: LocalId) -> Self {
        Self { body, var, slopes: BTreeMap::from([(var, Some(Slope::One))]), values: BTreeMap::new(), closed: true }
    }

    /// Of a `for` loop, which may change variables around it, and its own if that is `mut`.
    pub(super) fn of_loop(body: &'b Body, var: LocalId) -> Self {
        let slope = (!body[var].mutable).then_some(Slope::One);
        Self { slopes: BTreeMap::from([(var, slope)]), closed: false, ..Self::of_phase(body, var) }
    }

    /// Learns of what a statement binds.
    pub(super) fn stmt(&mut self, stmt: &'b Stmt) {
        match stmt {
            Stmt::Let { pat, init, otherwise, ty: _ } => {
                self.unknown(pat);
                if otherwise.is_none() {
                    self.bind(&pat.kind, init);
                }
            }
            Stmt::Declare { local, .. } => self.slopes.extend([(*local, None)]),
            Stmt::Expr(_) | Stmt::Item(_) => {}
        }
    }

    fn unknown(&mut self, pat: &Pat) {
        self.slopes.extend(pat.locals().into_iter().map(|local| (local, None)));
    }

    /// The slopes of what a pattern binds.
    fn bind(&mut self, pat: &PatKind, init: &'b Expr) {
        match (pat, &init.kind) {
            (PatKind::Bind { local, sub: None }, _) => {
                let declared = &self.body[*local];
                let is_number = !declared.mutable && declared.kind == LocalKind::Value && declared.space == Space::Own;
                if let Some(slope) = self.slope(init).filter(|_| is_number) {
                    self.slopes.insert(*local, Some(slope));
                    self.values.insert(*local, init);
                }
            }
            (PatKind::Tuple(list), ExprKind::Tuple { elems, .. })
                if list.back.is_none() && list.front.len() == elems.len() =>
            {
                list.front.iter().zip(elems).for_each(|(pat, init)| self.bind(&pat.kind, init));
            }
            _ => {}
        }
    }

    /// What the iteration binds and a number with a slope is computed of, and the slots of what is
    /// converted on the way. If these slots are of integers, and the number is an integer, then
    /// everything on the way is one, because no operator of a user type returns an integer.
    fn needs(&self, expr: &Expr, locals: &mut BTreeSet<LocalId>, converted: &mut BTreeSet<SlotId>) {
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some(value) = self.values.get(local).filter(|_| locals.insert(*local)) {
                    self.needs(value, locals, converted);
                }
            }
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Compare { lhs, rhs, .. } => {
                self.needs(lhs, locals, converted);
                self.needs(rhs, locals, converted);
            }
            ExprKind::Cast { operand, ty: Some(_), .. } => {
                converted.extend(match &operand.kind {
                    ExprKind::Local(local) => Some(self.body[*local].slot),
                    ExprKind::Binary { slot, .. } => Some(*slot),
                    _ => None,
                });
                self.needs(operand, locals, converted);
            }
            _ => {}
        }
    }

    /// The slope of what integers are computed with, if it can be computed without any effect.
    pub(super) fn slope(&self, expr: &Expr) -> Option<Slope> {
        use Slope::{Converted, One, Zero};
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Constant { .. } => Some(Zero),
            // Before a loop, a variable may still hold a reference to an element of a view that is
            // written.
            ExprKind::Len(id) => {
                let is_written = matches!(self.body[*id].kind, CaptureKind::View(_, Access::Write));
                (self.closed || !is_written).then_some(Zero)
            }
            ExprKind::Captured(id) => (self.body[*id].kind == CaptureKind::Value).then_some(Zero),
            ExprKind::Local(id) => match self.slopes.get(id) {
                Some(slope) => *slope,
                None => self.is_fixed(*id).then_some(Zero),
            },
            ExprKind::Binary { op, lhs, rhs, .. } => match (op, self.slope(lhs)?, self.slope(rhs)?) {
                (BinOp::Add | BinOp::Sub | BinOp::Mul, Zero, Zero) => Some(Zero),
                (BinOp::Add | BinOp::Sub, slope, Zero) | (BinOp::Add, Zero, slope) => Some(slope),
                _ => None,
            },
            ExprKind::Cast { operand, ty: Some(_), .. } => match self.slope(operand)? {
                Zero => Some(Zero),
                One => Some(Converted),
                // Two wraps could make up for each other.
                Converted => None,
            },
            _ => None,
        }
    }

    /// Whether a variable that is bound outside is a number that stays what it is.
    fn is_fixed(&self, id: LocalId) -> bool {
        let local = &self.body[id];
        let stays = self.closed || (id < self.var && !local.mutable && !local.late);
        stays && local.kind == LocalKind::Value && local.space == Space::Own
    }
}

impl Twin<'_> {
    /// Generates code that runs before a loop: numbers with slopes, once more. What the iteration
    /// binds has names of its own there, so that it hides nothing.
    pub(super) fn before_loop<R>(&self, slopes: &Slopes<'_>, generate: impl FnOnce() -> R) -> R {
        let all = (0..self.body.locals.len()).map(LocalId);
        let names = self.outside.replace(all.filter(|local| !slopes.values.contains_key(local)).collect());
        self.again.set(true);
        let generated = generate();
        self.again.set(false);
        self.outside.replace(names);
        generated
    }

    /// What numbers with slopes are computed of, [before the loop](Self::before_loop); and the
    /// slots of what must be an integer on the way.
    pub(super) fn bound_before<'e>(
        &self,
        slopes: &Slopes<'_>,
        numbers: impl Iterator<Item = &'e Expr>,
        slots: impl IntoIterator<Item = SlotId>,
    ) -> (TokenStream, TokenStream) {
        let (mut needs, mut slots) = (BTreeSet::new(), slots.into_iter().collect());
        numbers.for_each(|number| slopes.needs(number, &mut needs, &mut slots));
        let lets = slopes.values.iter().filter(|(local, _)| needs.contains(local)).map(|(local, value)| {
            let span = self.body[*local].name.span();
            let (name, value) = (self.local(*local, span), self.expr(value));
            quote_spanned!(span=> let #name = #value;)
        });
        (lets.collect(), names::tree(slots.into_iter().map(|id| slot(id).into_token_stream()).collect()))
    }
}
