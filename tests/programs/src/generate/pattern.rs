//! Patterns, and what matches them.

use anabranch_core::ops::BinOp;

use super::Generator;
use super::exchange::exchanged;
use super::features::Feature;
use super::scope::FrameKind;
use crate::program::{Arm, Block, Expr, Kind, Pattern, Stmt, VarId};
use crate::types::{ENUMS, Scalar, Ty};
use crate::visit::{self, Node};

impl Generator<'_> {
    /// A pattern that every value of the type matches. Its variables come into scope with
    /// [`Self::bind_all`].
    pub(super) fn irrefutable(&mut self, ty: &Ty, vars: &mut Vec<VarId>) -> Pattern {
        match ty {
            Ty::Tuple(parts) if self.rng.chance(75) => {
                Pattern::Tuple(parts.iter().map(|part| self.irrefutable(part, vars)).collect())
            }
            Ty::Struct(parts) if self.rng.chance(75) => {
                Pattern::Struct(parts.iter().map(|part| self.irrefutable(part, vars)).collect())
            }
            Ty::Array(element, len) if self.rng.chance(75) => {
                Pattern::Array((0..*len).map(|_| self.irrefutable(element, vars)).collect())
            }
            _ if self.rng.chance(25) => Pattern::Wild,
            _ => self.binding(ty, None, vars),
        }
    }

    /// A pattern that may not match.
    pub(super) fn refutable(&mut self, ty: &Ty, vars: &mut Vec<VarId>) -> Pattern {
        match self.rng.weighted(&[(60, 0), (12, 1), (16, 2), (12, 3)]) {
            0 => self.test(ty, vars, true),
            1 => {
                let inner = self.test(ty, vars, false);
                self.binding(ty, Some(Box::new(inner)), vars)
            }
            2 => Pattern::Or((0..2 + self.rng.below(2)).map(|_| self.test(ty, vars, false)).collect()),
            _ => self.either(ty, vars),
        }
    }

    fn binding(&mut self, ty: &Ty, inner: Option<Box<Pattern>>, vars: &mut Vec<VarId>) -> Pattern {
        let mutable = self.rng.chance(20);
        let var = self.fresh(ty.clone(), mutable);
        // The names of a pattern are different.
        self.program.vars[var.0].name.push_str(&format!("_{}", var.0));
        vars.push(var);
        Pattern::Bind { var, inner }
    }

    /// `(x, 0) | (0, x)`: a variable in two places.
    fn either(&mut self, ty: &Ty, vars: &mut Vec<VarId>) -> Pattern {
        let parts: Vec<Ty> = match ty {
            Ty::Tuple(parts) | Ty::Struct(parts) => parts.clone(),
            Ty::Array(element, len) => vec![(**element).clone(); *len],
            Ty::Scalar(_) | Ty::Enum(..) | Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => {
                return self.test(ty, vars, true);
            }
        };
        let pairs: Vec<(usize, usize)> =
            (0..parts.len()).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| parts[a] == parts[b]).collect();
        if pairs.is_empty() {
            return self.test(ty, vars, true);
        }
        let &(a, b) = self.rng.pick(&pairs);
        let bound = self.binding(&parts[a], None, vars);
        let alternatives = [a, b].map(|place| {
            let patterns = parts.iter().enumerate().map(|(at, part)| match at == place {
                true => bound.clone(),
                false if self.rng.chance(50) => Pattern::Wild,
                false => self.test(part, vars, false),
            });
            let patterns = patterns.collect();
            match ty {
                Ty::Tuple(_) => Pattern::Tuple(patterns),
                Ty::Struct(_) => Pattern::Struct(patterns),
                _ => Pattern::Array(patterns),
            }
        });
        Pattern::Or(alternatives.into())
    }

    /// A pattern of one alternative. Inside of several nothing is `bound`.
    fn test(&mut self, ty: &Ty, vars: &mut Vec<VarId>, bound: bool) -> Pattern {
        match ty {
            Ty::Scalar(scalar) => self.scalar_test(*scalar),
            Ty::Tuple(parts) => Pattern::Tuple(parts.iter().map(|ty| self.part_test(ty, vars, bound)).collect()),
            Ty::Struct(parts) => Pattern::Struct(parts.iter().map(|ty| self.part_test(ty, vars, bound)).collect()),
            Ty::Enum(of, parts) => {
                let at = self.rng.below(ENUMS[*of].1.len());
                let field = parts.get(at).map(|part| Box::new(self.part_test(part, vars, bound)));
                Pattern::Variant(*of, at, field)
            }
            Ty::Array(element, len) => {
                Pattern::Array((0..*len).map(|_| self.part_test(element, vars, bound)).collect())
            }
            Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => Pattern::Wild,
        }
    }

    fn part_test(&mut self, ty: &Ty, vars: &mut Vec<VarId>, bound: bool) -> Pattern {
        match self.rng.weighted(&[(40, 0), (if bound { 25 } else { 0 }, 1), (8, 2), (27, 3)]) {
            0 => self.test(ty, vars, bound),
            1 => self.irrefutable(ty, vars),
            2 => Pattern::Or((0..2).map(|_| self.test(ty, vars, false)).collect()),
            _ => Pattern::Wild,
        }
    }

    fn scalar_test(&mut self, scalar: Scalar) -> Pattern {
        if scalar == Scalar::Bool {
            return Pattern::Value(Box::new(self.pinned_literal(scalar)));
        }
        let choices = [(45, 0), (20, 1), (10, 2), (10, 3), (8, 4)];
        let low = self.rng.below(20) as i64 - if scalar.is_signed() || scalar.is_float() { 8 } else { 0 };
        let high = low + 1 + self.rng.below(40) as i64;
        let number = |value: i64| {
            let float = || Kind::Float { text: format!("{value}.0"), suffix: false };
            let bare = Expr::bare(value.into(), scalar);
            Box::new(if scalar.is_float() { Expr::new(scalar, float()) } else { bare })
        };
        let max = || Box::new(Expr::constant(format!("{}::MAX", scalar.name()), scalar));
        let constants = self.on(Feature::Constants) && self.rng.chance(30);
        match self.rng.weighted(&choices) {
            0 if self.profile.inferred > 0 && self.rng.chance(30) => {
                Pattern::Value(Box::new(self.pinned_literal(scalar)))
            }
            0 if constants => Pattern::Value(max()),
            0 => Pattern::Value(number(low)),
            1 => Pattern::Range { start: Some(number(low)), end: Some(number(high)), inclusive: true },
            2 => Pattern::Range { start: Some(number(low)), end: Some(number(high)), inclusive: false },
            3 if constants => Pattern::Range { start: Some(number(low)), end: Some(max()), inclusive: true },
            3 => Pattern::Range { start: Some(number(low)), end: None, inclusive: false },
            _ => Pattern::Range { start: None, end: Some(number(high)), inclusive: true },
        }
    }

    pub(super) fn bind_all(&mut self, vars: &[VarId]) {
        vars.iter().for_each(|&var| self.bind(var));
    }

    /// What is matched: often a small number, so that it meets the ends of ranges.
    fn matched(&mut self, ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Scalar(scalar) if scalar.is_int() && self.rng.chance(60) => {
                let end = Expr::bare(5 + self.rng.below(30) as i128, *scalar);
                return Expr::bin(BinOp::Rem, self.expr(ty), end);
            }
            Ty::Tuple(parts) | Ty::Struct(parts) if self.rng.chance(60) => {
                Kind::Tuple(parts.iter().map(|part| self.matched(part)).collect())
            }
            Ty::Enum(of, parts) if self.rng.chance(60) => {
                self.variant((*of, parts), &mut |this, part| this.matched(part))
            }
            _ => return self.expr(ty),
        };
        Expr::new(ty.clone(), kind)
    }

    /// A type to be matched; kernels match only numbers.
    fn matchable(&mut self) -> Ty {
        match self.on(Feature::Tuples) {
            true if self.has_cells() && self.rng.chance(10) => exchanged(),
            true => self.ty(),
            false => self.int().into(),
        }
    }

    /// `match`, each arm made by `arm`.
    pub(super) fn matching(&mut self, arm: &mut dyn FnMut(&mut Self, bool) -> Expr) -> Kind {
        let ty = self.matchable();
        let scrutinee = self.matched(&ty);
        let mut roots = Vec::new();
        visit::deep(Node::Expr(&mut scrutinee.clone()), &mut |node| {
            if let Node::Expr(Expr { kind: Kind::Var(var), .. }) | Node::Place(Expr { kind: Kind::Var(var), .. }) = node
            {
                roots.push(*var);
            }
        });
        let count = 1 + self.rng.below(3);
        let mut arms: Vec<Arm> = (0..count)
            .map(|_| {
                self.scoped(|this| {
                    let mut vars = Vec::new();
                    let pattern = this.refutable(&ty, &mut vars);
                    this.bind_all(&vars);
                    let guard = this.rng.chance(30).then(|| this.guard(&roots, &vars));
                    Arm { pattern, guard, body: arm(this, false) }
                })
            })
            .collect();
        arms.push(self.scoped(|this| {
            let mut vars = Vec::new();
            let pattern = this.irrefutable(&ty, &mut vars);
            this.bind_all(&vars);
            Arm { pattern, guard: None, body: arm(this, true) }
        }));
        Kind::Match { scrutinee: Box::new(scrutinee), arms }
    }

    /// A guard assigns neither what is matched nor what the pattern binds.
    fn guard(&mut self, roots: &[VarId], vars: &[VarId]) -> Expr {
        let frozen = self.frozen.len();
        self.frozen.extend(roots.iter().chain(vars));
        let guard = self.bool();
        self.frozen.truncate(frozen);
        guard
    }

    /// `match` with a value.
    pub(super) fn match_value(&mut self, ty: &Ty) -> Expr {
        let kind = self.matching(&mut |this, last| {
            if !last
                && this.rng.chance(8)
                && let Some(jump) = this.jump()
            {
                return jump;
            }
            match this.rng.chance(70) {
                true => this.expr(ty),
                false => {
                    let block = this.value_block(ty);
                    Expr::block(ty.clone(), block)
                }
            }
        });
        Expr::new(ty.clone(), kind)
    }

    /// `if let` with or without a value.
    pub(super) fn if_let(&mut self, block: &mut dyn FnMut(&mut Self) -> Block, otherwise: bool) -> Kind {
        let (cond, then) = self.scoped(|this| (this.binding_condition(), block(this)));
        let otherwise = otherwise.then(|| block(self));
        Kind::If { cond: Box::new(cond), then, otherwise }
    }

    /// `let 1..=5 = a && b > 3 && let (x, 2) = c`. Its variables are in scope afterwards.
    fn binding_condition(&mut self) -> Expr {
        let first = if self.on(Feature::LetChains) && self.rng.chance(15) { self.bool() } else { self.let_condition() };
        let mut cond = first;
        while !cond.has_let() || self.on(Feature::LetChains) && self.rng.chance(35) {
            let next = if cond.has_let() && self.rng.chance(50) { self.bool() } else { self.let_condition() };
            cond = Expr::and(cond, next);
        }
        cond
    }

    fn let_condition(&mut self) -> Expr {
        let ty = self.matchable();
        let scrutinee = self.matched(&ty);
        let mut vars = Vec::new();
        let pattern = self.refutable(&ty, &mut vars);
        self.bind_all(&vars);
        Expr::matches(pattern, scrutinee)
    }

    pub(super) fn while_let(&mut self) -> Kind {
        let label = self.maybe_label();
        let (cond, body) = self.scoped(|this| {
            let cond = this.framed(None, FrameKind::Head, Self::binding_condition);
            (cond, this.framed(label.clone(), FrameKind::Loop, Self::unit_block))
        });
        Kind::While { label, cond: Box::new(cond), body }
    }

    /// `let (a, _) = …;`
    pub(super) fn destructuring(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.composite_ty();
        let init = self.expr(&ty);
        let mut vars = Vec::new();
        let pattern = self.irrefutable(&ty, &mut vars);
        stmts.push(Stmt::destructure(pattern, init));
        self.bind_all(&vars);
    }

    /// `let 1..=5 = … else { … };`
    pub(super) fn let_else(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.ty();
        let init = Some(self.expr(&ty));
        let Some(otherwise) = self.jumping_block() else { return };
        let mut vars = Vec::new();
        let pattern = self.refutable(&ty, &mut vars);
        stmts.push(Stmt::Let { pattern, ty: None, init, otherwise: Some(otherwise) });
        self.bind_all(&vars);
    }
}
