//! From a body to its facts.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::constants::{array_len, items};
use super::ends::is_fixed;
use super::kept::Kept;
use super::leaves::{diverges, leaves, parts_leave};
use super::quotients::Division;
use super::truth::Truth;
use super::{Access, Atom, Bounded, Cast, Condition, Facts, Form, InnerLoop, Interval, Step, Symbol};
use crate::ir::{
    Adaptor, BinOp, Block, Body, Borrow, CaptureId, CaptureKind, Dim, Expr, ExprKind, List, LocalId, LocalKind,
    ParLoop, Part, PatKind, SiteId, SlotId, Stmt, UnOp,
};

/// What the launch can hold: `anabranch::private::facts::{MOST_ATOMS, MOST_RACING}`.
const MOST_ATOMS: usize = 64;

/// The facts of a loop.
pub(crate) fn of(looped: &ParLoop) -> Facts {
    let mut walk = Walk {
        body: &looped.body,
        facts: Facts::default(),
        locals: BTreeMap::new(),
        counters: looped.dims.iter().map(|dim| dim.var).collect(),
        inits: BTreeMap::new(),
        divisions: Vec::new(),
        arrays: BTreeMap::new(),
        truths: BTreeMap::new(),
        steps: Vec::new(),
        loops: Vec::new(),
        conditions: Vec::new(),
        sometimes: 0,
        trusted: 0,
        left: false,
        items: items(&looped.body.block),
    };
    for (at, dim) in looped.dims.iter().enumerate() {
        walk.locals.insert(dim.var, Form::atom(Atom::Var(at)));
        walk.facts.plain.insert(dim.var);
        let range = walk.range(dim);
        walk.facts.ranges.push(range);
    }
    walk.block(&looped.body.block);
    let Walk { mut facts, steps, .. } = walk;
    let mut kept = Kept::of(&facts);
    facts.steps = kept.useful(steps);
    let atoms = looped.dims.len() + facts.symbols.len() + facts.others;
    if atoms > MOST_ATOMS {
        // Everything is checked on the device.
        facts.steps.clear();
        facts.decided.clear();
    }
    facts
}

pub(super) struct Walk<'b> {
    body: &'b Body,
    facts: Facts,
    /// Values of immutable variables.
    locals: BTreeMap<LocalId, Form>,
    /// Those of them that count loops.
    counters: BTreeSet<LocalId>,
    /// What immutable variables were bound to.
    pub(super) inits: BTreeMap<LocalId, &'b Expr>,
    /// Quotients and remainders.
    pub(super) divisions: Vec<Division>,
    /// Lengths of arrays in variables.
    arrays: BTreeMap<LocalId, i64>,
    /// What follows from immutable variables of type `bool`.
    pub(super) truths: BTreeMap<LocalId, Truth>,
    /// The steps of the innermost loop or branch.
    steps: Vec<Step>,
    loops: Vec<InnerLoop>,
    conditions: Vec<Condition>,
    /// Number of branches around.
    sometimes: usize,
    /// Number of `unsafe` blocks around.
    trusted: usize,
    /// Some iterations may have ended before.
    left: bool,
    /// The names of the body's own items, with the values of constants.
    items: BTreeMap<String, Option<i64>>,
}

impl<'b> Walk<'b> {
    /// A symbol by its name.
    fn symbol(&mut self, name: &str, tokens: Option<TokenStream>) -> Form {
        let at = self.facts.symbols.iter().position(|symbol| symbol.name == name).unwrap_or_else(|| {
            self.facts.symbols.push(Symbol { name: name.to_owned(), tokens: None });
            self.facts.symbols.len() - 1
        });
        if let Some(tokens) = tokens {
            self.facts.symbols[at].tokens.get_or_insert(tokens);
        }
        Form::atom(Atom::Symbol(at))
    }

    fn len(&mut self, view: CaptureId) -> usize {
        let name = &self.body[view].name;
        let tokens = match self.body[view].kind {
            // Captured as its length.
            CaptureKind::View(_, crate::ir::Access::Shape) => name.to_token_stream(),
            _ => quote!(#name.len()),
        };
        let form = self.symbol(&format!("{name}.len()"), Some(tokens));
        match form.atoms().next() {
            Some(Atom::Symbol(at)) => at,
            _ => 0,
        }
    }

    fn fresh(&mut self) -> usize {
        self.facts.others += 1;
        self.facts.others - 1
    }

    /// The result of an operation of which only an interval is known.
    fn operation(&mut self, operation: &'static str, operands: Vec<Form>, ty: SlotId) -> Form {
        self.narrow_operation(operation, operands, ty, false)
    }

    fn narrow_operation(&mut self, operation: &'static str, operands: Vec<Form>, ty: SlotId, narrow: bool) -> Form {
        let atom = self.fresh();
        // Indexes are not negative; if the operand is, the launch will know.
        let (by, last) = match (operation, operands.as_slice()) {
            ("Rem" | "RemEuclid", [_, divisor]) => (Some(divisor), divisor.sub(&Form::constant(1))),
            ("And" | "Min", [a, b]) => {
                let by = [b, a].into_iter().find(|bound| is_fixed(bound));
                (by, by.cloned())
            }
            _ => (None, None),
        };
        // A number below 0 is one that has wrapped.
        if let Some(by) = by.filter(|by| is_fixed(by) && by.literal().is_none_or(|number| number >= 0)) {
            let values =
                Interval { first: Some(Form::constant(0)), last, plain: by.casts.is_empty(), ..Interval::default() };
            self.facts.bounded.insert(atom, Bounded { values, by: by.clone() });
        }
        if matches!(operation, "Min" | "Max") {
            self.facts.chosen.insert(atom, (operation, operands.clone()));
        }
        self.steps.push(Step::Let { atom, operation, operands, ty, narrow });
        Form::atom(Atom::Other(atom))
    }

    /// The range of a dimension, where its ends are plain.
    fn range(&mut self, dim: &Dim) -> Interval {
        let mut host = |tokens: &TokenStream| self.host(&syn::parse2(tokens.clone()).ok()?);
        let (first, end) = (host(&dim.start), host(&dim.end));
        let step = dim.step.as_ref().and_then(host);
        let last = if dim.inclusive { end.clone() } else { end.as_ref().and_then(|end| end.sub(&Form::constant(1))) };
        Interval { first, last, end, step, plain: !has_cast(&dim.start) && !has_cast(&dim.end) }
    }

    /// Host code whose value may be compared with what the body uses.
    fn host(&mut self, expr: &syn::Expr) -> Option<Form> {
        match expr {
            syn::Expr::Paren(inner) => self.host(&inner.expr),
            syn::Expr::Group(inner) => self.host(&inner.expr),
            // Whatever it does to the value, the launch decides with the numbers.
            syn::Expr::Cast(cast) => self.host(&cast.expr),
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
                Some(Form::constant(int.base10_parse().ok()?))
            }
            syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
                let (left, right) = (self.host(left)?, self.host(right)?);
                match op {
                    syn::BinOp::Add(_) => left.add(&right),
                    syn::BinOp::Sub(_) => left.sub(&right),
                    syn::BinOp::Mul(_) => left.mul(&right),
                    syn::BinOp::Div(_) => {
                        let by = right.literal().filter(|by| *by > 0)?;
                        let number = self.symbol(&crate::parse::text(expr), None);
                        self.facts.quotients.extend(number.atoms().next().map(|symbol| (symbol, (left, by))));
                        Some(number)
                    }
                    _ => None,
                }
            }
            other => Some(self.symbol(&crate::parse::text(other), None)),
        }
    }

    /// What stands in a branch, with what holds there.
    pub(super) fn branch<T>(
        &mut self,
        conditions: Vec<Condition>,
        always: bool,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::take(&mut self.steps);
        let known = self.conditions.len();
        self.conditions.extend(conditions.iter().cloned());
        self.sometimes += usize::from(!always);
        let value = inside(self);
        self.sometimes -= usize::from(!always);
        self.conditions.truncate(known);
        let body = std::mem::replace(&mut self.steps, outer);
        self.steps.push(Step::When { conditions, body });
        value
    }

    fn block(&mut self, block: &'b Block) -> Option<Form> {
        self.statements(&block.stmts, block.value.as_deref())
    }

    fn statements(&mut self, stmts: &'b [Stmt], value: Option<&'b Expr>) -> Option<Form> {
        let Some((stmt, rest)) = stmts.split_first() else { return value.and_then(|value| self.expr(value)) };
        match stmt {
            Stmt::Let { pat, init, otherwise, ty: _ } => {
                let truth = self.truth_of(init);
                let mut parts = None;
                let form = match (&truth, &init.kind) {
                    (Some(_), _) => None,
                    (None, ExprKind::Tuple { elems, .. }) => {
                        parts = Some(elems.iter().map(|elem| self.expr(elem)).collect::<Vec<_>>());
                        None
                    }
                    (None, _) => self.expr(init),
                };
                if let Some(local) = pat.name() {
                    self.inits.insert(local, init);
                }
                if let (Some(local), Some(len)) = (pat.name(), array_len(init)) {
                    self.arrays.insert(local, len);
                }
                if let Some(otherwise) = otherwise {
                    self.branch(Vec::new(), false, |this| this.block(otherwise));
                    self.left = true;
                }
                if let (PatKind::Tuple(List { front, back: None }), Some(parts)) = (&pat.kind, &parts)
                    && front.len() == parts.len()
                {
                    for (pat, form) in front.iter().zip(parts) {
                        match pat.name() {
                            Some(local) => self.bind(local, form.clone()),
                            None => pat.locals().into_iter().for_each(|local| self.bind(local, None)),
                        }
                    }
                } else if let (Some(local), None) = (pat.name(), otherwise) {
                    self.bind(local, form);
                    if let Some(truth) = truth.filter(|_| !self.body[local].mutable) {
                        self.truths.insert(local, truth);
                    }
                } else {
                    pat.locals().into_iter().for_each(|local| self.bind(local, None));
                }
            }
            Stmt::Expr(Expr { kind: ExprKind::If { cond, then, otherwise: None, .. }, .. }) if diverges(then) => {
                let truth = self.truth(cond);
                self.branch(truth.holds, false, |this| this.block(then));
                self.left = true;
                return self.branch(truth.fails, true, |this| this.statements(rest, value));
            }
            Stmt::Expr(Expr { kind: ExprKind::Assert { cond, check: Some(_) }, .. }) => {
                let truth = self.truth(cond);
                return self.branch(truth.holds, true, |this| this.statements(rest, value));
            }
            Stmt::Expr(expr) => {
                self.expr(expr);
            }
            Stmt::Declare { local, .. } => self.bind(*local, None),
            Stmt::Item(_) => {}
        }
        self.statements(rest, value)
    }

    /// A new variable. Where nothing is known of an immutable one it still is one number.
    fn bind(&mut self, local: LocalId, form: Option<Form>) {
        let new = &self.body[local];
        if new.mutable || new.late || new.kind != LocalKind::Value {
            return;
        }
        if form.is_some() {
            self.facts.plain.insert(local);
        }
        let form = form.unwrap_or_else(|| self.operation("Any", Vec::new(), self.body[local].slot));
        self.locals.insert(local, form);
    }

    /// The slot of an expression's type, where there is one.
    pub(super) fn ty(&self, expr: &Expr) -> Option<SlotId> {
        match &expr.kind {
            ExprKind::Int { slot, .. }
            | ExprKind::Constant { slot, .. }
            | ExprKind::Binary { slot, .. }
            | ExprKind::Unary { slot, .. }
            | ExprKind::Cast { slot, .. }
            | ExprKind::GenericCast { slot, .. }
            | ExprKind::Associated { slot, .. }
            | ExprKind::Call { slot, .. } => Some(*slot),
            ExprKind::If { slot, .. } | ExprKind::Match { slot, .. } | ExprKind::Loop { slot, .. } => *slot,
            ExprKind::Local(local) => (self.body[*local].kind == LocalKind::Value).then_some(self.body[*local].slot),
            ExprKind::Method { method, args, .. } if OF_ONE_TYPE.contains(&method.name) => {
                args.iter().find_map(|arg| self.ty(arg))
            }
            ExprKind::Block(block) => block.value.as_ref().and_then(|value| self.ty(value)),
            _ => None,
        }
    }

    /// Walks an expression; its value, if that is a number of which something is known.
    pub(super) fn expr(&mut self, expr: &'b Expr) -> Option<Form> {
        match &expr.kind {
            ExprKind::Int { digits, .. } => digits.parse().ok().map(Form::constant),
            ExprKind::Local(local) => self.locals.get(local).cloned(),
            ExprKind::Captured(id) => {
                let name = &self.body[*id].name;
                Some(self.symbol(&name.to_string(), Some(name.to_token_stream())))
            }
            // The launch makes its numbers where the body's own constants are not known.
            ExprKind::Constant { path, .. }
                if let Some(name) = path.path.get_ident()
                    && self.items.contains_key(&name.to_string()) =>
            {
                self.items.get(&name.to_string()).copied().flatten().map(Form::constant)
            }
            ExprKind::Constant { path, .. } => {
                Some(self.symbol(&crate::parse::text(path), Some(path.to_token_stream())))
            }
            ExprKind::Len(view) => {
                let at = self.len(*view);
                Some(Form::atom(Atom::Symbol(at)))
            }
            ExprKind::Length { base, empty: false } if let ExprKind::Local(local) = base.kind => {
                self.arrays.get(&local).copied().map(Form::constant)
            }
            ExprKind::Unary { op: UnOp::Neg, operand, .. } => self.expr(operand)?.neg(),
            ExprKind::Binary { op, lhs, rhs, slot, .. } => {
                let (a, b) = (self.expr(lhs), self.expr(rhs));
                let known = |this: &mut Self, form: Option<Form>| {
                    form.unwrap_or_else(|| this.operation("Any", Vec::new(), *slot))
                };
                match op {
                    BinOp::Add => a?.add(&b?),
                    BinOp::Sub => a?.sub(&b?),
                    BinOp::Mul => self.product(&a?, &b?, *slot),
                    // A power of two, and fewer bits than any type has.
                    BinOp::Shl => {
                        let by = b?.literal().filter(|by| (0..8).contains(by))?;
                        a?.mul(&Form::constant(1 << by))
                    }
                    BinOp::Div | BinOp::Rem => {
                        let (a, b) = (known(self, a), b?);
                        let name = if *op == BinOp::Div { "Div" } else { "Rem" };
                        let result = self.operation(name, vec![a.clone(), b.clone()], *slot);
                        self.divided(*op, lhs, rhs, (a, b), &result);
                        Some(result)
                    }
                    BinOp::And if a.is_some() || b.is_some() => {
                        let (a, b) = (known(self, a), known(self, b));
                        Some(self.operation("And", vec![a, b], *slot))
                    }
                    BinOp::Shr => {
                        let a = known(self, a);
                        // The right side may be of another type.
                        let by = Form::constant(b?.literal()?);
                        Some(self.operation("Shr", vec![a, by], *slot))
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor => None,
                }
            }
            ExprKind::Cast { operand, slot, .. } | ExprKind::GenericCast { operand, slot } => {
                let mut form = self.expr(operand)?;
                if !self.is_exact(operand) {
                    let cast = Cast { value: form.clone(), from: self.ty(operand)?, to: *slot };
                    form.casts.push(cast);
                }
                Some(form)
            }
            ExprKind::Method { method, args, .. } => {
                let ty = args.iter().find_map(|arg| self.ty(arg));
                let forms: Vec<Option<Form>> = args.iter().map(|arg| self.expr(arg)).collect();
                let narrow = self.facts.is_plain(expr);
                self.method(method.name, forms, ty?, narrow)
            }
            ExprKind::If { cond, then, otherwise, slot } => self.choice(cond, then, otherwise.as_deref(), *slot),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labelled { body, .. } => {
                // Whatever leaves it does so before its end.
                let left = self.left;
                self.left |= leaves(body);
                self.block(body);
                self.left |= left;
                None
            }
            ExprKind::Logic { .. } | ExprKind::Compare { .. } | ExprKind::Unary { op: UnOp::Not, .. } => {
                self.truth(expr);
                None
            }
            ExprKind::Index { view, index, site } => {
                let form = self.index(index);
                self.access(*view, form, None, false, Some(*site), expr.span);
                None
            }
            ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
                self.expr(value);
                if let ExprKind::Index { view, index, site } = &place.kind {
                    let form = self.index(index);
                    self.access(*view, form, None, true, Some(*site), place.span);
                } else {
                    self.expr(place);
                }
                None
            }
            ExprKind::Reference { borrow, place } => {
                self.reference(*borrow == Borrow::Unique, place);
                None
            }
            ExprKind::For { range, var, body, .. } => {
                let (start, end) = (self.expr(&range.start), self.expr(&range.end));
                let mut steps = Vec::new();
                for adaptor in &range.adaptors {
                    if let Adaptor::StepBy { step, .. } = adaptor {
                        steps.push(self.expr(step));
                    }
                }
                self.inner(*var, start, end, range.inclusive, &range.adaptors, steps, body);
                None
            }
            ExprKind::While { cond, body, .. } => {
                let truth = self.branch(Vec::new(), false, |this| this.truth(cond));
                self.branch(truth.holds, false, |this| this.block(body));
                self.left |= leaves(body);
                None
            }
            ExprKind::Match { scrutinee, arms, .. } => {
                self.expr(scrutinee);
                for arm in arms {
                    self.branch(Vec::new(), false, |this| {
                        arm.pat.locals().into_iter().for_each(|local| this.bind(local, None));
                        let truth = arm.guard.as_ref().map(|guard| this.truth(guard)).unwrap_or_default();
                        this.branch(truth.holds, false, |this| this.expr(&arm.body));
                    });
                    self.left |= parts_leave(&arm.body);
                }
                None
            }
            ExprKind::WhileLet { pat, scrutinee, body, .. } | ExprKind::ForEach { pat, array: scrutinee, body, .. } => {
                self.branch(Vec::new(), false, |this| {
                    this.expr(scrutinee);
                    pat.locals().into_iter().for_each(|local| this.bind(local, None));
                    this.block(body);
                });
                self.left |= leaves(body);
                None
            }
            ExprKind::Loop { body, .. } => {
                self.branch(Vec::new(), false, |this| this.block(body));
                self.left |= leaves(body);
                None
            }
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. } => {
                self.parts(expr);
                self.left = true;
                None
            }
            ExprKind::Unsafe(block) => {
                self.trusted += 1;
                let value = self.block(block);
                self.trusted -= 1;
                value
            }
            ExprKind::Float { .. }
            | ExprKind::Bool(_)
            | ExprKind::Tuple { .. }
            | ExprKind::Array { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Element { .. }
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::View { .. }
            | ExprKind::Range { .. }
            | ExprKind::Length { .. }
            | ExprKind::Associated { .. }
            | ExprKind::Call { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Assert { .. } => {
                self.parts(expr);
                None
            }
        }
    }

    fn index(&mut self, index: &'b Expr) -> Option<Form> {
        let form = self.expr(index)?;
        self.indexes(index);
        Some(self.rejoined(form))
    }

    /// The variables that an index is made of.
    fn indexes(&mut self, expr: &'b Expr) {
        match &expr.kind {
            ExprKind::Local(local) => {
                if self.locals.contains_key(local)
                    && self.facts.indexing.insert(*local)
                    && let Some(init) = self.inits.get(local).copied()
                {
                    self.indexes(init);
                }
            }
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.indexes(lhs);
                self.indexes(rhs);
            }
            ExprKind::Cast { operand, .. } | ExprKind::GenericCast { operand, .. } => self.indexes(operand),
            ExprKind::Method { args, .. } if self.facts.is_plain(expr) => args.iter().for_each(|arg| self.indexes(arg)),
            _ => {}
        }
    }

    fn parts(&mut self, expr: &'b Expr) {
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => {
                    self.expr(expr);
                }
                Part::Block(block) => {
                    self.block(block);
                }
            }
        }
    }

    /// Whether the form of an expression is a value of its type, because no arithmetic has made it. That of other variables
    /// is what has been bound to them, before it wrapped.
    pub(super) fn is_exact(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.counters.contains(local),
            kind => matches!(
                kind,
                ExprKind::Captured(_) | ExprKind::Constant { .. } | ExprKind::Len(_) | ExprKind::Int { .. }
            ),
        }
    }

    /// A product, as a form where at most one factor of each term depends on the iteration.
    fn product(&mut self, a: &Form, b: &Form, ty: SlotId) -> Option<Form> {
        let moves = |atoms: &[Atom]| atoms.iter().filter(|atom| !matches!(atom, Atom::Symbol(_))).count();
        match a.mul(b) {
            Some(product) if product.terms.keys().chain(product.size.keys()).all(|atoms| moves(atoms) <= 1) => {
                Some(product)
            }
            _ => Some(self.narrow_operation("Mul", vec![a.clone(), b.clone()], ty, true)),
        }
    }

    fn method(&mut self, name: &str, args: Vec<Option<Form>>, ty: SlotId, narrow: bool) -> Option<Form> {
        let operation = match name {
            "wrapping_add" => return args[0].as_ref()?.add(args.get(1)?.as_ref()?),
            "wrapping_sub" => return args[0].as_ref()?.sub(args.get(1)?.as_ref()?),
            "wrapping_mul" => {
                let (a, b) = (args[0].clone()?, args.get(1)?.clone()?);
                return self.product(&a, &b, ty);
            }
            "min" => "Min",
            "max" => "Max",
            "clamp" => "Clamp",
            "saturating_sub" => "SaturatingSub",
            "saturating_add" => "SaturatingAdd",
            "abs_diff" => "AbsDiff",
            "rem_euclid" => "RemEuclid",
            _ => return None,
        };
        if args.iter().all(Option::is_none) {
            return None;
        }
        let mut operands = Vec::new();
        for arg in args {
            operands.push(arg.unwrap_or_else(|| self.operation("Any", Vec::new(), ty)));
        }
        Some(self.narrow_operation(operation, operands, ty, narrow))
    }

    fn choice(
        &mut self,
        cond: &'b Expr,
        then: &'b Block,
        otherwise: Option<&'b Expr>,
        slot: Option<SlotId>,
    ) -> Option<Form> {
        let truth = self.truth(cond);
        let joined = slot.filter(|_| otherwise.is_some()).map(|ty| (self.fresh(), ty));
        if let Some((atom, _)) = joined {
            self.steps.push(Step::Declare { atom });
        }
        let mut known = joined.is_some();
        let mut way = |this: &mut Self, conditions, inside: &mut dyn FnMut(&mut Self) -> Option<Form>| {
            this.branch(conditions, false, |this| match (inside(this), joined) {
                (Some(value), Some((atom, ty))) => this.steps.push(Step::Join { atom, value, ty }),
                _ => known = false,
            });
        };
        way(self, truth.holds, &mut |this| this.block(then));
        if let Some(otherwise) = otherwise {
            way(self, truth.fails, &mut |this| this.expr(otherwise));
        }
        self.left |= leaves(then) || otherwise.is_some_and(parts_leave);
        joined.filter(|_| known).map(|(atom, _)| Form::atom(Atom::Other(atom)))
    }

    #[allow(clippy::too_many_arguments)] // what a `for` is made of
    fn inner(
        &mut self,
        var: LocalId,
        start: Option<Form>,
        end: Option<Form>,
        inclusive: bool,
        adaptors: &[Adaptor],
        steps: Vec<Option<Form>>,
        body: &'b Block,
    ) {
        // `.rev().step_by(k)` visits others than `.step_by(k)`: then nothing is known of the distances.
        let reversed = matches!(adaptors, [Adaptor::Rev, _, ..]);
        let step = match steps.as_slice() {
            [Some(step)] if !reversed => Some(step.clone()),
            _ => None,
        };
        let skips = steps.len() > usize::from(step.is_some());
        let sometimes = usize::from(leaves(body) || skips);
        self.sometimes += sometimes;
        match (start, end) {
            (Some(start), Some(end)) => {
                let atom = self.fresh();
                let last = if inclusive { Some(end.clone()) } else { end.sub(&Form::constant(1)) };
                let plain = start.casts.is_empty() && end.casts.is_empty();
                let values = Interval { first: Some(start.clone()), last, end: Some(end.clone()), step: None, plain };
                self.loops.push(InnerLoop { atom, values });
                if !self.body[var].mutable {
                    self.locals.insert(var, Form::atom(Atom::Other(atom)));
                    self.counters.insert(var);
                    self.facts.plain.insert(var);
                }
                let outer = std::mem::take(&mut self.steps);
                self.block(body);
                let body_steps = std::mem::replace(&mut self.steps, outer);
                self.loops.pop();
                let ty = self.body[var].slot;
                let plain = adaptors.is_empty() && !inclusive && !self.body[var].mutable;
                let narrow = plain && self.facts.indexing.contains(&var);
                if narrow {
                    self.facts.counted.insert(var);
                }
                self.steps.push(Step::For { atom, start, end, inclusive, step, ty, narrow, body: body_steps });
            }
            _ => self.branch(Vec::new(), false, |this| {
                this.bind(var, None);
                this.block(body);
            }),
        }
        self.sometimes -= sometimes;
        self.left |= leaves(body);
    }

    /// `&x`, `&mut x[a..b]`: elements that a device function may touch.
    fn reference(&mut self, mutable: bool, place: &'b Expr) {
        match &place.kind {
            ExprKind::View { view } => {
                let len = self.len(*view);
                let end = Some(Some(Form::atom(Atom::Symbol(len))));
                self.access(*view, Some(Form::constant(0)), end, mutable, None, place.span);
            }
            ExprKind::Index { view, index, site } => {
                let form = self.index(index);
                self.access(*view, form, None, mutable, Some(*site), place.span);
            }
            ExprKind::Range { base, start, end, inclusive, site } => {
                let ExprKind::View { view } = base.kind else { return self.parts(place) };
                let first = match start {
                    Some(start) => self.expr(start),
                    None => Some(Form::constant(0)),
                };
                let past = match end {
                    Some(end) if *inclusive => self.expr(end).and_then(|end| end.add(&Form::constant(1))),
                    Some(end) => self.expr(end),
                    None => {
                        let len = self.len(view);
                        Some(Form::atom(Atom::Symbol(len)))
                    }
                };
                self.access(view, first, Some(past), mutable, Some(*site), place.span);
            }
            _ => {
                self.expr(place);
            }
        }
    }

    fn access(
        &mut self,
        view: CaptureId,
        index: Option<Form>,
        end: Option<Option<Form>>,
        write: bool,
        site: Option<SiteId>,
        span: Span,
    ) {
        let len = self.len(view);
        let number = self.facts.accesses.len();
        // Ranges are checked where they are made.
        if let (Some(site), Some(_), None) = (site, &index, &end) {
            self.facts.decided.insert(site, number);
        }
        self.steps.push(Step::Access(number));
        let always = self.sometimes == 0 && !self.left;
        self.facts.accesses.push(Access {
            view,
            len,
            index,
            end,
            write,
            always,
            trusted: self.trusted > 0,
            site,
            span,
            text: match site {
                Some(site) => self.body[site].text.clone(),
                None => self.body[view].name.to_string(),
            },
            loops: self.loops.clone(),
            conditions: self.conditions.clone(),
        });
    }
}

/// Methods whose result has the type of their arguments.
const OF_ONE_TYPE: [&str; 12] = [
    "min",
    "max",
    "clamp",
    "saturating_sub",
    "saturating_add",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "rem_euclid",
    "div_euclid",
    "pow",
    "wrapping_neg",
];

/// Whether `as` stands in host code.
fn has_cast(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Group(group) => has_cast(&group.stream()),
        TokenTree::Ident(name) => name == "as",
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
