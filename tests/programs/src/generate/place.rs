//! Variables, their parts, and elements.

use anabranch_core::ops::BinOp;

use super::Generator;
use super::accesses::at;
use super::features::Feature;
use super::values::{ENVIRONMENT, N, OWN, ROWS};
use crate::program::{Expr, Kind, VarId};
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
            if write && (!info.mutable || self.frozen.contains(&var)) || self.is_around(var) && !self.reaches(var) {
                continue;
            }
            // Variables of the body more often than what is around it.
            let weight = if self.is_around(var) { 2 } else { 8 };
            self.add_paths(weight, &self.var(var), ty, &mut paths);
        }
        if *ty == Ty::Scalar(Scalar::Usize) && !write && self.rng.chance(10) {
            return self.length();
        }
        if !write {
            for constant in &self.program.consts {
                let path = format!("p{}::{}", self.program.number, constant.name);
                self.add_paths(1, &Expr::constant(path, constant.value.ty.clone()), ty, &mut paths);
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
                (Step::Field(at), Ty::Tuple(parts) | Ty::Struct(parts)) => {
                    Expr::new(parts[at].clone(), Kind::Field(Box::new(place), at))
                }
                (Step::Element, Ty::Struct(parts)) => {
                    let (index, element) = self.own_operator(&parts, var);
                    Expr::new(element, Kind::Index(Box::new(place), Box::new(index)))
                }
                (Step::Element, Ty::Array(element, len)) => {
                    let index = self.array_index(len, var);
                    Expr::new(*element, Kind::Index(Box::new(place), Box::new(index)))
                }
                (Step::Element, Ty::Slice(element)) => {
                    let index = match var {
                        Some(OWN) => self.own_index(),
                        Some(var) if self.program.in_lanes && self.is_around(var) => self.lane_index(var),
                        Some(var) if self.is_around(var) => self.row_index(var),
                        _ => self.slice_index(&place),
                    };
                    Expr::new(*element, Kind::Index(Box::new(place), Box::new(index)))
                }
                (Step::Element, Ty::Grid(element, dims)) => {
                    let index = self.grid_index(&place, dims);
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

    /// Whether a variable is around the loop of a device program.
    pub(super) fn is_around(&self, var: VarId) -> bool {
        self.is_device() && var.0 < ENVIRONMENT.len()
    }

    /// `x.len()` of an array or a slice.
    fn length(&mut self) -> Option<Expr> {
        let long = |var: &VarId| matches!(self.program.vars[var.0].ty, Ty::Array(..) | Ty::Slice(_) | Ty::Grid(..));
        let vars: Vec<VarId> = self.visible().into_iter().filter(long).collect();
        let var = if vars.is_empty() { return None } else { *self.rng.pick(&vars) };
        Some(match self.program.vars[var.0].ty {
            Ty::Grid(_, dims) if self.rng.chance(70) => Expr::extent(self.var(var), self.rng.below(dims)),
            _ => Expr::length(self.var(var)),
        })
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
            let any = if this.program.in_lanes { 10 } else { 45 };
            match this.rng.weighted(&[(50, 0), (any, 1), (raw, 2)]) {
                0 => {
                    let value = this.rng.below(len) as i128;
                    let suffix = this.rng.chance(20);
                    Expr::new(Scalar::Usize, Kind::Int { value, suffix })
                }
                1 => {
                    let index = this.expr(&Scalar::Usize.into());
                    Expr::bin(BinOp::Rem, index, Expr::bare(len as i128, Scalar::Usize))
                }
                2 if this.rng.chance(50) => this.expr(&Scalar::Usize.into()),
                _ => {
                    // One too many: the first index that is wrong.
                    let index = this.expr(&Scalar::Usize.into());
                    Expr::bin(BinOp::Rem, index, Expr::bare(len as i128 + 1, Scalar::Usize))
                }
            }
        })
    }

    /// Of a slice with `n` elements.
    fn row_index(&mut self, var: VarId) -> Expr {
        let panics = usize::from(self.on(Feature::Panics));
        self.freezing(var, |this| match this.rng.weighted(&[(60, 0), (35, 1), (2 * panics, 2), (panics, 3)]) {
            0 => this.this_row(),
            1 => {
                let index = this.expr(&Scalar::Usize.into());
                Expr::bin(BinOp::Rem, index, this.var(N))
            }
            2 => {
                let far = this.small(Scalar::Usize, 4);
                let op = *this.rng.pick(&[BinOp::Add, BinOp::Sub]);
                Expr::bin(op, this.this_row(), far)
            }
            _ => this.expr(&Scalar::Usize.into()),
        })
    }

    /// Of a slice parameter of a function, whose length nobody knows.
    fn slice_index(&mut self, slice: &Expr) -> Expr {
        let Kind::Var(var) = slice.kind else { unreachable!("slices are parameters") };
        let length = Expr::length(slice.clone());
        let panics = usize::from(self.on(Feature::Panics));
        self.freezing(var, |this| match this.rng.weighted(&[(90, 0), (10 * panics, 1)]) {
            0 => {
                let index = this.expr(&Scalar::Usize.into());
                Expr::bin(BinOp::Rem, index, length)
            }
            _ => this.small(Scalar::Usize, 4),
        })
    }

    /// Of a grid: an array of components, or one that a variable holds.
    fn grid_index(&mut self, grid: &Expr, dims: usize) -> Expr {
        let Kind::Var(var) = grid.kind else { unreachable!("grids are parameters") };
        // In plain Rust the index of a grid is an operator, which borrows the grid before its index
        // is evaluated.
        let banned = self.banned.len();
        self.banned.extend((var == ROWS).then_some(var));
        let index = self.freezing(var, |this| {
            let panics = usize::from(this.on(Feature::Panics));
            let indexes = Ty::Array(Box::new(Scalar::Usize.into()), dims);
            if var != ROWS
                && panics > 0
                && this.rng.chance(5)
                && let Some(place) = this.place(&indexes, false)
            {
                return place;
            }
            let any = if this.program.in_lanes { 5 } else { 45 };
            let component = |dim: usize| match this.rng.weighted(&[(45, 0), (any, 1), (3 * panics, 2), (panics, 3)]) {
                _ if var == ROWS && dim == 0 => this.this_row(),
                0 => this.small(Scalar::Usize, if var == ROWS { 4 } else { 2 }),
                1 => {
                    let index = this.expr(&Scalar::Usize.into());
                    let len = if var == ROWS { Expr::bare(4, Scalar::Usize) } else { Expr::extent(grid.clone(), dim) };
                    Expr::bin(BinOp::Rem, index, len)
                }
                2 => this.small(Scalar::Usize, 6),
                _ => this.expr(&Scalar::Usize.into()),
            };
            at((0..dims).map(component).collect())
        });
        self.banned.truncate(banned);
        index
    }

    /// One of the iteration's own four.
    fn own_index(&mut self) -> Expr {
        let four = || Expr::bare(4, Scalar::Usize);
        let first = Expr::bin(BinOp::Mul, self.this_row(), four());
        let within = self.freezing(OWN, |this| match this.program.in_lanes || this.rng.chance(60) {
            true => this.small(Scalar::Usize, 4),
            false => {
                let index = this.expr(&Scalar::Usize.into());
                Expr::bin(BinOp::Rem, index, four())
            }
        });
        Expr::bin(BinOp::Add, first, within)
    }
}

impl Generator<'_> {
    fn add_paths(&self, weight: usize, root: &Expr, to: &Ty, paths: &mut Vec<Path>) {
        let mut found = Vec::new();
        paths_to(&root.ty, to, self.on(Feature::Indexing), &mut Vec::new(), &mut found);
        paths.extend(found.into_iter().map(|path| (weight, root.clone(), path)));
    }

    /// The index of a struct, and what its operator gives. The operator borrows the struct before
    /// its index is evaluated.
    fn own_operator(&mut self, parts: &[Ty], var: Option<VarId>) -> (Expr, Ty) {
        let Some((scalar, len, element)) = operator(parts) else { unreachable!("a path follows its type") };
        let banned = self.banned.len();
        self.banned.extend(var);
        let panics = self.on(Feature::Panics) && self.rng.chance(10);
        let (literal, any) = (self.rng.chance(50), Ty::from(scalar));
        let index = match literal && !panics {
            true => self.small(scalar, len),
            false if panics => Expr::bin(BinOp::Rem, self.expr(&any), Expr::int(len as i128 + 1, scalar)),
            false => Expr::bin(BinOp::Rem, self.expr(&any), Expr::int(len as i128, scalar)),
        };
        self.banned.truncate(banned);
        (index, element)
    }
}

type Path = (usize, Expr, Vec<Step>);

/// The type of the index of a struct with such fields, the number of its elements, and their type,
/// if it has an operator.
fn operator(parts: &[Ty]) -> Option<(Scalar, usize, Ty)> {
    match parts {
        [Ty::Array(element, len)] => Some((Scalar::U64, *len, (**element).clone())),
        [a, b] if a == b => Some((Scalar::Usize, 2, a.clone())),
        [a, b, c] if a == b && b == c => Some((Scalar::U8, 3, a.clone())),
        _ => None,
    }
}

/// Every way from a type to another that is in it.
fn paths_to(from: &Ty, to: &Ty, operators: bool, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    if from == to {
        found.push(path.clone());
        return;
    }
    let mut through = |step, part: &Ty| {
        path.push(step);
        paths_to(part, to, operators, path, found);
        path.pop();
    };
    match from {
        Ty::Tuple(parts) | Ty::Struct(parts) => {
            parts.iter().enumerate().for_each(|(at, part)| through(Step::Field(at), part));
            if let (true, Ty::Struct(_), Some((.., element))) = (operators, from, operator(parts)) {
                // As often as by the fields.
                (0..parts.len()).for_each(|_| through(Step::Element, &element));
            }
        }
        Ty::Array(element, _) | Ty::Slice(element) | Ty::Grid(element, _) => through(Step::Element, element),
        Ty::Scalar(_) | Ty::Enum(..) | Ty::Param(_) | Ty::Never => {}
    }
}
