//! Expressions without control flow.

use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::features::Feature;
use super::profile::{Leaves, Operator};
use super::{DEPTH, Generator};
use crate::program::{Block, Expr, Kind, VarId};
use crate::types::{ENUMS, ORDERING, Scalar, Ty, WITH_FIELDS};

impl Generator<'_> {
    /// An expression that has this type wherever it stands.
    pub(super) fn expr(&mut self, ty: &Ty) -> Expr {
        self.budget -= 1;
        if self.depth >= DEPTH || self.budget <= 0 {
            return self.leaf(ty);
        }
        self.depth += 1;
        let expr = self.perhaps_collective(ty).unwrap_or_else(|| self.inner(ty));
        self.depth -= 1;
        expr
    }

    /// A number that nests so deep.
    pub(super) fn number(&mut self, ty: Scalar, depth: usize) -> Expr {
        let outside = std::mem::replace(&mut self.depth, DEPTH - depth);
        let expr = self.expr(&ty.into());
        self.depth = outside;
        expr
    }

    /// An expression of this type where the place says the type.
    pub(super) fn pinned(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Scalar(scalar) if self.rng.chance(self.profile.inferred) => self.pinned_literal(*scalar),
            // Here the operand before this one may have been read, and not be computed with yet.
            _ if self.on(Feature::Effects) && self.budget > 0 && self.rng.chance(10) => {
                let stmts = self.assign_what_was_read().into_iter().collect();
                let value = Some(Box::new(self.expr(ty)));
                Expr::block(ty.clone(), Block { stmts, value })
            }
            _ => self.expr(ty),
        }
    }

    pub(super) fn bool(&mut self) -> Expr {
        self.expr(&Scalar::Bool.into())
    }

    pub(super) fn leaf(&mut self, ty: &Ty) -> Expr {
        // An index of an element is an expression too: not without end.
        self.depth += 1;
        let expr = match (self.profile.leaves, ty) {
            (Leaves::Cast(weights), Ty::Scalar(scalar)) => self.cast_leaf(*scalar, weights),
            (Leaves::Cast(_), _) => self.composite(ty),
            (Leaves::Typed, _) => self.typed_leaf(ty),
        };
        self.depth -= 1;
        expr
    }

    fn typed_leaf(&mut self, ty: &Ty) -> Expr {
        let named = self.depth < DEPTH + 3 && self.rng.chance(80);
        let constant = self.on(Feature::Constants) && self.rng.chance(8);
        let place = match ty {
            Ty::Scalar(scalar) if constant => self.std_constant(*scalar),
            _ if named => self.place(ty, false),
            _ => None,
        };
        place.unwrap_or_else(|| match ty {
            Ty::Scalar(scalar) => self.literal(*scalar),
            Ty::Param(_) => self.generic_constant(ty),
            _ => self.composite(ty),
        })
    }

    /// A number of any type, as one of this type.
    fn cast_leaf(&mut self, ty: Scalar, weights: [usize; 6]) -> Expr {
        if ty == Scalar::Bool {
            let truths = self.visible_as(|ty| *ty == Ty::Scalar(Scalar::Bool));
            return if truths.is_empty() { self.bounded() } else { self.one_of(&truths) };
        }
        let found = match self.rng.which(weights) {
            0 => None,
            1 => {
                let all = self.numbers();
                let same: Vec<VarId> = all.iter().copied().filter(|var| self.var(*var).scalar() == ty).collect();
                let any = same.is_empty() || self.rng.chance(20);
                Some(self.one_of(if any { &all } else { &same }))
            }
            2 => {
                let values = self.visible_values();
                (!values.is_empty()).then(|| self.one_of(&values))
            }
            3 => {
                let view = self.pick(&self.host.views.clone());
                Some(self.len(view))
            }
            4 => self.any_place(),
            _ => {
                let arrays = self.visible_as(|ty| matches!(ty, Ty::Array(..)));
                (!arrays.is_empty()).then(|| {
                    let array = self.pick(&arrays);
                    let index = if self.rng.chance(60) {
                        Expr::usize(self.rng.below(3))
                    } else {
                        self.number(Scalar::Usize, 0)
                    };
                    Expr::element(self.var(array), Expr::bin(BinOp::Rem, index, self.len(array)))
                })
            }
        };
        found.unwrap_or_else(|| self.literal(ty)).to(ty)
    }

    pub(super) fn one_of(&mut self, vars: &[VarId]) -> Expr {
        let var = self.pick(vars);
        self.var(var)
    }

    /// A tuple or an array from its parts.
    fn composite(&mut self, ty: &Ty) -> Expr {
        let kind = match ty {
            Ty::Tuple(parts) | Ty::Struct(parts) => Kind::Tuple(parts.iter().map(|part| self.expr(part)).collect()),
            Ty::Enum(of, parts) => self.variant((*of, parts), &mut |this, part| this.expr(part)),
            Ty::Array(element, _) if self.is_device() && self.rng.chance(30) => {
                Kind::Repeat(Box::new(self.expr(element)))
            }
            Ty::Array(element, len) => {
                let first = self.expr(element);
                Kind::Array(std::iter::once(first).chain((1..*len).map(|_| self.pinned(element))).collect())
            }
            Ty::Scalar(_) | Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => unreachable!("no composite"),
        };
        Expr::new(ty.clone(), kind)
    }

    /// Some variant of an enum.
    pub(super) fn variant(
        &mut self,
        (of, parts): (usize, &[Ty]),
        field: &mut dyn FnMut(&mut Self, &Ty) -> Expr,
    ) -> Kind {
        let at = self.rng.below(ENUMS[of].1.len());
        Kind::Variant(at, parts.get(at).map(|part| Box::new(field(self, part))))
    }

    fn inner(&mut self, ty: &Ty) -> Expr {
        use Operator::*;
        let (scalar, bound) = (ty.scalar(), if let Ty::Param(bound) = ty { Some(*bound) } else { None });
        let all = if scalar == Some(Scalar::Bool) { self.profile.bools } else { self.profile.ints };
        // Of what a type does not have, there is nothing.
        let choice = self.choose_from(all, |this, operator| match operator {
            Leaf | Flow => true,
            Call => this.on(Feature::Calls),
            Cast => (scalar.is_some() || bound.is_some()) && this.on(Feature::Casts),
            Method => (scalar.is_some() || bound.is_some()) && this.on(Feature::Methods),
            Arithmetic => scalar.is_some() || bound.is_some(),
            From => scalar.is_some() && this.on(Feature::Casts),
            Shift => scalar.is_some_and(Scalar::is_int),
            Unary | Compare | Logic => scalar.is_some(),
        });
        if let Some(value) = self.exchange(ty).or_else(|| self.chain(ty)).or_else(|| self.order(ty)) {
            return value;
        }
        match (choice, scalar, bound) {
            // The machine makes arrays of their elements.
            (_, None, None) if !self.is_device() => self.composite(ty),
            (Flow, ..) => self.flow(ty),
            (Call, ..) => self.call(ty).unwrap_or_else(|| self.leaf(ty)),
            (Arithmetic, Some(scalar), _) => self.arithmetic(scalar),
            (Shift, Some(scalar), _) => self.shift(scalar),
            (Unary, Some(scalar), _) => self.unary(scalar),
            (Cast, Some(scalar), _) => self.cast(scalar),
            (From, Some(scalar), _) => self.from(scalar),
            (Method, Some(scalar), _) => self.method(scalar),
            (Compare, ..) if !self.numbers().is_empty() && self.rng.chance(5) => self.contained(),
            (Compare, ..) => self.compare(),
            (Logic, ..) => self.logic(),
            (Arithmetic, _, Some(bound)) => self.generic_arithmetic(bound),
            (Method, _, Some(bound)) => self.generic_method(bound),
            (Cast, _, Some(_)) => self.generic_cast(ty),
            (_, None, None) if self.rng.chance(40) => self.composite(ty),
            _ => self.leaf(ty),
        }
    }

    fn arithmetic(&mut self, scalar: Scalar) -> Expr {
        let ty = scalar.into();
        use BinOp::*;
        let op = if scalar.is_float() {
            self.rng.weighted(&[(10, Add), (10, Sub), (10, Mul), (6, Div), (2, Rem)])
        } else {
            self.rng.weighted(self.profile.arithmetic)
        };
        let lhs = self.expr(&ty);
        let rhs = match op {
            Div | Rem if scalar.is_int() => self.divisor(scalar),
            _ => self.pinned(&ty),
        };
        Expr::bin(op, lhs, rhs)
    }

    /// Something that is mostly not zero.
    pub(super) fn divisor(&mut self, scalar: Scalar) -> Expr {
        let ty: Ty = scalar.into();
        let ([literal, or, raw], most) = self.profile.divisors;
        let (or, raw) = if self.on(Feature::Panics) { (or, raw) } else { (0, 0) };
        match self.rng.which([literal, or, raw]) {
            0 => {
                let (value, suffix) = (1 + self.rng.below(most) as i128, self.profile.inferred == 0);
                Expr::new(scalar, Kind::Int { value, suffix })
            }
            1 => Expr::bin(BinOp::Or, self.expr(&ty), Expr::int(1, scalar)),
            _ => self.expr(&ty),
        }
    }

    fn shift(&mut self, scalar: Scalar) -> Expr {
        let op = self.pick(&[BinOp::Shl, BinOp::Shr]);
        let lhs = self.expr(&scalar.into());
        let rhs = self.distance(scalar);
        Expr::bin(op, lhs, rhs)
    }

    /// How far to shift, of any int type: not always less than the bits of a type.
    pub(super) fn distance(&mut self, of: Scalar) -> Expr {
        let (ty, bits) = (self.int(), of.bits() as usize);
        let value = match self.rng.which(self.profile.distances) {
            0 => self.rng.below(4),
            1 => bits + self.rng.below(5),
            2 => self.rng.below(bits),
            _ => return self.expr(&ty.into()),
        };
        Expr::int((value as u128).min(ty.greatest()) as i128, ty)
    }

    fn unary(&mut self, scalar: Scalar) -> Expr {
        let op = match (scalar.is_float(), scalar.is_signed()) {
            (true, _) => UnOp::Neg,
            (_, true) => self.pick(&[UnOp::Neg, UnOp::Not]),
            _ => UnOp::Not,
        };
        // `--5` would be a literal's own minus twice, which rustc wants to see in parentheses.
        Expr::unary(op, self.expr(&scalar.into()))
    }

    fn cast(&mut self, scalar: Scalar) -> Expr {
        if let Some(bound) = self.generic.filter(|_| self.rng.chance(40)) {
            let operand = self.expr(&Ty::Param(bound));
            return Expr::new(scalar, Kind::GenericCast(Box::new(operand)));
        }
        let mut from = self.scalar();
        if self.rng.chance(self.profile.any_cast) {
            from = self.any_scalar();
        }
        if scalar.is_int() && self.on(Feature::Enums) && self.rng.chance(20) {
            let of = WITH_FIELDS + self.rng.below(ENUMS.len() - WITH_FIELDS);
            let operand = self.expr(&Ty::Enum(of, Vec::new()));
            return Expr::new(scalar, Kind::Cast(Box::new(operand)));
        }
        if from == Scalar::Bool && scalar.is_float() {
            from = Scalar::I32;
        }
        let operand = self.expr(&from.into());
        Expr::new(scalar, Kind::Cast(Box::new(operand)))
    }

    fn from(&mut self, scalar: Scalar) -> Expr {
        let from = self.pick(&scalar.lossless_sources());
        let operand = self.expr(&from.into());
        Expr::new(scalar, Kind::From(Box::new(operand)))
    }

    /// `a.total_cmp(&b)`, mostly, if the type fits.
    fn order(&mut self, ty: &Ty) -> Option<Expr> {
        if *ty != ORDERING || !self.on(Feature::Methods) || self.rng.chance(20) {
            return None;
        }
        let of = match self.on(Feature::Floats) && self.rng.chance(70) {
            true => self.pick(&[Scalar::F32, Scalar::F64]),
            false => self.int(),
        };
        let by = if of.is_float() { self.pick(&[of.name(), of.name(), "f16", "bf16"]) } else { of.name() };
        let lhs = self.expr(&of.into());
        let rhs = self.freezing(lhs.root(), |this| this.expr(&of.into()));
        Some(Expr::new(ORDERING, Kind::Order(by, lhs.into(), rhs.into())))
    }

    pub(super) fn compare(&mut self) -> Expr {
        if self.rng.chance(self.profile.guards) {
            return self.bounded();
        }
        if self.on(Feature::Enums) && self.rng.chance(5) {
            let (op, order) = (self.pick(&[CompareOp::Eq, CompareOp::Ne]), self.expr(&ORDERING));
            return Expr::compare(op, order, self.constant(&ORDERING));
        }
        let ty = if self.rng.chance(25) { self.composite_ty() } else { self.ty() };
        let ty = if ty.is_comparable() { ty } else { self.scalar().into() };
        let op = self.pick(CompareOp::ALL);
        let lhs = self.expr(&ty);
        // Of what is no scalar, the sides are borrowed.
        let borrowed = lhs.root().filter(|_| ty.scalar().is_none());
        let rhs = self.freezing(borrowed, |this| this.pinned(&ty));
        Expr::compare(op, lhs, rhs)
    }

    /// A comparison of a variable, mostly, with what may be an end of its values.
    pub(super) fn bounded(&mut self) -> Expr {
        use CompareOp::*;
        let op = [Lt, Le, Gt, Ge, Eq, Ne][self.rng.which([6, 3, 5, 3, 3, 4])];
        let local = self.pick(&self.numbers());
        let ty = self.var(local).scalar();
        let side = |this: &mut Self| {
            let depth = usize::from(!this.rng.chance(75));
            this.number(ty, depth)
        };
        let offset = Expr::int(1 + self.rng.below(3) as i128, ty);
        let a = match self.rng.which([60, 15, 5, 20]) {
            0 => self.var(local),
            1 => self.var(local) + offset,
            2 => self.var(local) - offset,
            _ => side(self),
        };
        let b = side(self);
        let (a, b) = if self.rng.chance(85) { (a, b) } else { (b, a) };
        Expr::compare(op, a, b)
    }

    /// Printed as `(low..high).contains(&local)`. That evaluates both ends, so nothing may tell
    /// whether the second one is.
    fn contained(&mut self) -> Expr {
        use CompareOp::*;
        let local = self.pick(&self.numbers());
        let ty = self.var(local).scalar();
        let (low, high) = (self.number(ty, 0), self.number(ty, 0));
        let below = Expr::compare(if self.rng.chance(50) { Lt } else { Le }, self.var(local), high);
        Expr::and(Expr::compare(Le, low, self.var(local)), below)
    }

    fn logic(&mut self) -> Expr {
        let (lhs, rhs) = (self.bool(), self.bool());
        match self.rng.which(self.profile.logic) {
            0 => Expr::and(lhs, rhs),
            1 => Expr::or(lhs, rhs),
            way => Expr::bin([BinOp::And, BinOp::Or, BinOp::Xor][way - 2], lhs, rhs),
        }
    }
}
