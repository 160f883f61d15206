//! Variables, their parts, and elements.

use super::Generator;
use crate::features::Feature;
use crate::program::{ENVIRONMENT, Expr, I, Kind, N, OWN, VarId};
use crate::types::{Scalar, Ty};

/// A step from a value to a part of it.
#[derive(Clone, Copy)]
enum Step {
    Field(usize),
    Element,
}

impl Generator<'_> {
    /// Something of this type that has a name, or `None` if there is nothing.
    pub(super) fn place(&mut self, ty: &Ty, write: bool) -> Option<Expr> {
        let mut paths = Vec::new();
        for var in self.visible() {
            let info = &self.program.vars[var.0];
            if write && (!info.mutable || self.frozen.contains(&var)) {
                continue;
            }
            // Variables of the body more often than what is around it.
            let weight = if var.0 < ENVIRONMENT.len() { 2 } else { 8 };
            add_paths(weight, &self.var(var), ty, &mut paths);
        }
        if *ty == Ty::Scalar(Scalar::Usize) && !write && self.rng.chance(10) {
            return self.length();
        }
        if !write {
            for constant in &self.program.consts {
                let path = format!("p{}::{}", self.program.number, constant.name);
                add_paths(1, &Expr::new(constant.value.ty.clone(), Kind::Const(path)), ty, &mut paths);
            }
        }
        // What was just read, so that an operand changes what its neighbour has read.
        if write && self.rng.chance(50) {
            let recent = |path: &Path| path.1.root().is_some() && path.1.root() == self.recent;
            if paths.iter().any(recent) {
                paths.retain(recent);
            }
        }
        if paths.is_empty() {
            return None;
        }
        let choices: Vec<(usize, usize)> = paths.iter().enumerate().map(|(at, (weight, ..))| (*weight, at)).collect();
        let (_, root, path) = paths.swap_remove(self.rng.weighted(&choices));
        let var = if let Kind::Var(var) = root.kind { Some(var) } else { None };
        let mut place = root;
        for step in path {
            place = match (step, place.ty.clone()) {
                (Step::Field(at), Ty::Tuple(parts)) => Expr::new(parts[at].clone(), Kind::Field(Box::new(place), at)),
                (Step::Element, Ty::Array(element, len)) => {
                    let index = self.array_index(len, var);
                    Expr::new(*element, Kind::Index(Box::new(place), Box::new(index)))
                }
                (Step::Element, Ty::Slice(element)) => {
                    let index = match var {
                        Some(OWN) => self.own_index(),
                        Some(var) if var.0 < ENVIRONMENT.len() => self.row_index(var),
                        _ => self.slice_index(&place),
                    };
                    Expr::new(*element, Kind::Index(Box::new(place), Box::new(index)))
                }
                _ => unreachable!("a path follows its type"),
            };
        }
        if !write {
            self.recent = place.root();
        }
        Some(place)
    }

    /// `x.len()` of an array or a slice.
    fn length(&mut self) -> Option<Expr> {
        let long = |var: &VarId| matches!(self.program.vars[var.0].ty, Ty::Array(..) | Ty::Slice(_));
        let vars: Vec<VarId> = self.visible().into_iter().filter(long).collect();
        let var = if vars.is_empty() { return None } else { *self.rng.pick(&vars) };
        let args = vec![self.var(var)];
        Some(Expr::new(Scalar::Usize, Kind::Method { name: "len", args, path: false }))
    }

    /// rustc does not let an index assign what it indexes.
    pub(super) fn freezing<T>(&mut self, var: impl Into<Option<VarId>>, inside: impl FnOnce(&mut Self) -> T) -> T {
        let frozen = self.frozen.len();
        self.frozen.extend(var.into());
        let value = inside(self);
        self.frozen.truncate(frozen);
        value
    }

    fn array_index(&mut self, len: usize, var: Option<VarId>) -> Expr {
        self.freezing(var, |this| {
            let raw = if this.on(Feature::Panics) { 3 } else { 0 };
            match this.rng.weighted(&[(50, 0), (45, 1), (raw, 2)]) {
                0 => {
                    let text = this.rng.below(len).to_string();
                    let suffix = this.rng.chance(20);
                    Expr::new(Scalar::Usize, Kind::Literal { text, suffix })
                }
                1 => {
                    let index = this.expr(&Scalar::Usize.into());
                    let len = Expr::new(Scalar::Usize, Kind::Literal { text: len.to_string(), suffix: false });
                    Expr::new(Scalar::Usize, Kind::Binary("%", Box::new(index), Box::new(len)))
                }
                2 if this.rng.chance(50) => this.expr(&Scalar::Usize.into()),
                _ => {
                    // One too many: the first index that is wrong.
                    let index = this.expr(&Scalar::Usize.into());
                    let end = Expr::new(Scalar::Usize, Kind::Literal { text: (len + 1).to_string(), suffix: false });
                    Expr::new(Scalar::Usize, Kind::Binary("%", Box::new(index), Box::new(end)))
                }
            }
        })
    }

    /// Of a slice with `n` elements.
    fn row_index(&mut self, var: VarId) -> Expr {
        let panics = usize::from(self.on(Feature::Panics));
        let usize_expr = |kind| Expr::new(Scalar::Usize, kind);
        self.freezing(var, |this| match this.rng.weighted(&[(60, 0), (35, 1), (2 * panics, 2), (panics, 3)]) {
            0 => this.var(I),
            1 => {
                let index = this.expr(&Scalar::Usize.into());
                usize_expr(Kind::Binary("%", Box::new(index), Box::new(this.var(N))))
            }
            2 => {
                let far = this.small(Scalar::Usize, 4);
                let op = *this.rng.pick(&["+", "-"]);
                usize_expr(Kind::Binary(op, Box::new(this.var(I)), Box::new(far)))
            }
            _ => this.expr(&Scalar::Usize.into()),
        })
    }

    /// Of a slice parameter of a function, whose length nobody knows.
    fn slice_index(&mut self, slice: &Expr) -> Expr {
        let usize_expr = |kind| Expr::new(Scalar::Usize, kind);
        let Kind::Var(var) = slice.kind else { unreachable!("slices are parameters") };
        let length = usize_expr(Kind::Method { name: "len", args: vec![slice.clone()], path: false });
        let panics = usize::from(self.on(Feature::Panics));
        self.freezing(var, |this| match this.rng.weighted(&[(90, 0), (10 * panics, 1)]) {
            0 => {
                let index = this.expr(&Scalar::Usize.into());
                usize_expr(Kind::Binary("%", Box::new(index), Box::new(length)))
            }
            _ => this.small(Scalar::Usize, 4),
        })
    }

    /// One of the iteration's own four.
    fn own_index(&mut self) -> Expr {
        let four = || Box::new(Expr::new(Scalar::Usize, Kind::Literal { text: "4".to_owned(), suffix: false }));
        let usize_expr = |kind| Expr::new(Scalar::Usize, kind);
        let first = usize_expr(Kind::Binary("*", Box::new(self.var(I)), four()));
        let within = self.freezing(OWN, |this| match this.rng.chance(60) {
            true => this.small(Scalar::Usize, 4),
            false => {
                let index = this.expr(&Scalar::Usize.into());
                usize_expr(Kind::Binary("%", Box::new(index), four()))
            }
        });
        usize_expr(Kind::Binary("+", Box::new(first), Box::new(within)))
    }
}

type Path = (usize, Expr, Vec<Step>);

fn add_paths(weight: usize, root: &Expr, to: &Ty, paths: &mut Vec<Path>) {
    let mut found = Vec::new();
    paths_to(&root.ty, to, &mut Vec::new(), &mut found);
    paths.extend(found.into_iter().map(|path| (weight, root.clone(), path)));
}

/// Every way from a type to another that is in it.
fn paths_to(from: &Ty, to: &Ty, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    if from == to {
        found.push(path.clone());
        return;
    }
    let mut through = |step, part: &Ty| {
        path.push(step);
        paths_to(part, to, path, found);
        path.pop();
    };
    match from {
        Ty::Tuple(parts) => parts.iter().enumerate().for_each(|(at, part)| through(Step::Field(at), part)),
        Ty::Array(element, _) | Ty::Slice(element) => through(Step::Element, element),
        Ty::Scalar(_) | Ty::Param(_) | Ty::Never => {}
    }
}
