//! `#[device]` functions and their calls.

use super::Generator;
use super::features::Feature;
use super::values::{ENVIRONMENT, N, OWN};
use anabranch_core::ops::BinOp;

use crate::program::{Block, Callee, Expr, Function, InTrait, Mode, Param, Part};
use crate::types::{Bound, Scalar, Ty};

/// Nodes of a function, roughly.
const FUNCTION: i64 = 60;

impl Generator<'_> {
    /// A function that later ones and the loop may call.
    pub(super) fn function(&mut self) {
        self.budget = FUNCTION / 2 + self.rng.below(FUNCTION as usize) as i64;
        self.frames.clear();
        self.generic = match self.on(Feature::Generics) && self.rng.chance(35) {
            true => Some(*self.rng.pick(&[Bound::Num, Bound::Int, Bound::Float])),
            false => None,
        };
        let output = self.ty();
        self.output = Some(output.clone());
        self.scopes = vec![Vec::new()];
        let mut params: Vec<Param> = (0..self.rng.below(4)).map(|at| self.param(at)).collect();
        if let Some(bound) = self.generic {
            // One that tells the type.
            let var = self.fresh(Ty::Param(bound), false);
            self.program.vars[var.0].name.push_str("_generic");
            params.push(Param { var, mode: Mode::Value });
        }
        let (owner, of_trait) = self.owner(&params).unzip();
        let of_trait = of_trait.flatten();
        params.iter().for_each(|param| self.bind(param.var));
        let body = self.scoped(|this| {
            let mut stmts = this.statements(4);
            if this.program.in_lanes && this.rng.chance(60) {
                stmts.push(this.for_loop());
                stmts.extend(this.statements(2));
            }
            let value = Some(Box::new(this.expr(&output)));
            Block { stmts, value }
        });
        let name = format!("f{}", self.program.functions.len());
        let generic = self.generic.take();
        self.program.functions.push(Function { name, generic, owner, of_trait, params, output, body });
        self.output = None;
    }

    /// The type that a function becomes one of; its first parameter, if that is of the type,
    /// becomes `self`. Only a trait has functions for what is no struct.
    fn owner(&mut self, params: &[Param]) -> Option<(Ty, Option<InTrait>)> {
        if self.generic.is_some() {
            return None;
        }
        let of_trait = self.on(Feature::Traits) && self.rng.chance(40);
        if !of_trait && (!self.on(Feature::Impls) || self.rng.chance(30)) {
            return None;
        }
        let fits = |ty: &Ty| matches!(ty, Ty::Struct(_)) || of_trait && !matches!(ty, Ty::Slice(_) | Ty::Grid(..));
        let in_trait = *self.rng.pick(&[InTrait::Declared, InTrait::Overridden, InTrait::Default]);
        let this = params.first().map(|param| &mut self.program.vars[param.var.0]);
        if let Some(this) = this.filter(|this| fits(&this.ty)) {
            this.name = "self".to_owned();
            // A default body would not know what `self` is.
            let in_trait = if in_trait == InTrait::Default { InTrait::Declared } else { in_trait };
            return Some((this.ty.clone(), of_trait.then_some(in_trait)));
        }
        self.output.clone().filter(fits).map(|output| (output, of_trait.then_some(in_trait)))
    }

    fn param(&mut self, at: usize) -> Param {
        let references = if self.on(Feature::References) { 20 } else { 0 };
        let mode = self.rng.weighted(&[(60, Mode::Value), (references, Mode::Ref), (references, Mode::RefMut)]);
        let slice = mode != Mode::Value && self.rng.chance(50);
        let grid = slice && mode == Mode::Ref && self.rng.chance(30);
        let ty = match slice {
            true if grid => {
                let (element, dims) = *self.rng.pick(&[(Scalar::F32, 2), (Scalar::I32, 3)]);
                Ty::Grid(Box::new(element.into()), dims)
            }
            true => Ty::Slice(Box::new(self.scalar().into())),
            false => self.ty(),
        };
        let mutable = match mode {
            Mode::Value => self.rng.chance(40),
            Mode::Ref => false,
            Mode::RefMut => true,
        };
        let var = self.fresh(ty, mutable);
        let info = &mut self.program.vars[var.0];
        // Parameters have different names.
        info.name.push_str(&format!("_{at}"));
        info.references = usize::from(mode != Mode::Value && !slice);
        Param { var, mode }
    }

    /// A call of a function with this result, if there is one and all its references find
    /// something.
    pub(super) fn call(&mut self, ty: &Ty) -> Option<Expr> {
        let functions: Vec<usize> = (0..self.program.functions.len()).filter(|&at| self.gives(at, ty)).collect();
        if functions.is_empty() {
            return None;
        }
        let function = *self.rng.pick(&functions);
        let Function { generic, output, .. } = &self.program.functions[function];
        let instance = match *generic {
            Some(_) if matches!(output, Ty::Param(_)) => ty.clone(),
            Some(bound) => self.instance(bound)?,
            None => Ty::unit(),
        };
        let params: Vec<(Mode, Ty)> = self.program.functions[function]
            .params
            .iter()
            .map(|param| (param.mode, self.program.vars[param.var.0].ty.substitute(&instance)))
            .collect();
        let generic = instance != Ty::unit();
        // What a reference lends, later arguments must leave alone.
        let (banned, frozen) = (self.banned.len(), self.frozen.len());
        let args = params
            .iter()
            .map(|(mode, ty)| match mode {
                Mode::Value if generic => Some(self.expr(ty)),
                Mode::Value => Some(self.pinned(ty)),
                Mode::Ref => self.borrow(ty, false),
                Mode::RefMut => self.borrow(ty, true),
            })
            .collect::<Option<Vec<Expr>>>();
        self.banned.truncate(banned);
        self.frozen.truncate(frozen);
        Some(Expr::call(Callee::Own(function), args?, ty.clone()))
    }

    /// Whether a function has, in an instance, this result.
    fn gives(&self, function: usize, ty: &Ty) -> bool {
        let Function { generic, output, .. } = &self.program.functions[function];
        match (generic, output) {
            (Some(bound), Ty::Param(_)) => match ty {
                Ty::Scalar(scalar) => bound.allows(*scalar),
                other => *other == Ty::Param(*bound),
            },
            (Some(_), output) => output.param().is_none() && output == ty,
            (None, output) => output == ty,
        }
    }

    /// A type of the program that a bound allows.
    fn instance(&mut self, bound: Bound) -> Option<Ty> {
        let types: Vec<Scalar> = self.scalars.iter().copied().filter(|&scalar| bound.allows(scalar)).collect();
        (!types.is_empty()).then(|| (*self.rng.pick(&types)).into())
    }

    fn borrow(&mut self, ty: &Ty, mutable: bool) -> Option<Expr> {
        let (place, parts) = match ty {
            Ty::Slice(element) => self.stretch(element, mutable)?,
            _ => (self.place(ty, mutable)?, Vec::new()),
        };
        if let Some(root) = place.root() {
            if mutable {
                self.banned.push(root);
            } else {
                self.frozen.push(root);
            }
        }
        Some(Expr { ty: ty.clone(), ..Expr::borrow(mutable, place, parts) })
    }

    /// An array or a slice, and which part of it, or of that.
    pub(super) fn stretch(&mut self, element: &Ty, mutable: bool) -> Option<(Expr, Vec<Part>)> {
        let lens = (1..5).map(|len| Ty::Array(Box::new(element.clone()), len));
        let types: Vec<Ty> = lens.chain([Ty::Slice(Box::new(element.clone())); 1]).collect();
        let mut places: Vec<Expr> = types.iter().filter_map(|ty| self.place(ty, mutable)).collect();
        if places.is_empty() {
            return None;
        }
        let place = places.swap_remove(self.rng.below(places.len()));
        let number = |value: usize| Expr::bare(value as i128, Scalar::Usize);
        let part = self.on(Feature::Panics) && self.rng.chance(10);
        // With the number of elements that it has at least.
        let first = match (&place.ty, place.root()) {
            (_, Some(OWN)) => {
                let first = || Expr::bin(BinOp::Mul, self.this_row(), number(4));
                let end = Expr::bin(BinOp::Add, first(), number(4));
                Some((first(), end, 4))
            }
            (_, Some(var)) if part && var.0 >= ENVIRONMENT.len() => {
                Some((self.small(Scalar::Usize, 4), self.small(Scalar::Usize, 6), 0))
            }
            (Ty::Array(_, len), _) => {
                let start = self.rng.below(*len);
                let more = self.rng.below(len + 1 - start);
                self.rng.chance(50).then(|| (number(start), number(start + more), more))
            }
            (_, Some(var)) if var.0 < ENVIRONMENT.len() => {
                let start = if self.rng.chance(50) { self.this_row() } else { number(0) };
                let end = match part {
                    true => Expr::bin(BinOp::Add, self.this_row(), number(3)),
                    false => self.var(N),
                };
                Some((start, end, usize::from(!part)))
            }
            // A slice that was a parameter is passed on.
            _ => None,
        };
        let mut parts = Vec::new();
        if let Some((start, end, mut least)) = first {
            let part = |start, end| Part { start: Some(start), end: Some(end), inclusive: false };
            parts.push(part(start, end));
            while self.rng.chance(30) {
                let start = self.rng.below(least + 1);
                let more = self.rng.below(least + 1 - start);
                parts.push(part(number(start), number(start + more)));
                least = more;
            }
        }
        Some((place, parts))
    }
}
