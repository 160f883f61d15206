//! Host parts with reductions and scans: what they reduce, over which ranges, where the results go,
//! and who reads them later.
//!
//! Host code calls `turn`, which gives another number at each call: an index or a range that is
//! evaluated at another time differs.

use anabranch_core::ops::{BinOp, CompareOp};

use super::features::Feature;
use super::teams::{bare, range};
use super::values::{LANES, N, OWN, ROOM, ROWS, surrounded};
use super::{DEPTH, Generator};
use crate::program::{
    Around, Block, Callee, Collective, Dim, Expr, Host, Kind, Operation, Program, Reduction, Stmt, Style, VarId,
};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

/// Elements of the smallest slices, which is also the value of `n`.
pub(super) const FEW: usize = 24;
/// Numbers of iterations around those at which the division into parts changes.
const MANY: [usize; 8] = [8191, 8192, 8193, 8448, 9999, 12_288, 16_385, 20_001];

/// The program of a seed.
pub fn reductions(seed: u64, number: usize, features: &[Feature]) -> Program {
    // What may fail somewhere fails in most programs.
    let fails = seed % 7 == 3;
    let without = [Feature::Spellings].into_iter().chain((!fails).then_some(Feature::Panics));
    let without: Vec<Feature> = without.collect();
    let features: Vec<Feature> = features.iter().copied().filter(|feature| !without.contains(feature)).collect();
    let mut generator = surrounded(Program { number, seed, style: Style::Device, ..Program::default() }, &features);
    generator.host_part();
    generator.program
}

impl Generator<'_> {
    fn host_part(&mut self) {
        self.scopes = vec![self.program.params.clone(), Vec::new()];
        let written = self.written_views();
        // Only statements of the host part write them.
        self.frozen = written.clone();
        self.host.views = written;
        let mut host: Vec<Host> = (0..1 + self.rng.below(2)).map(|_| self.sum_that_rounds()).collect();
        for _ in 0..3 + self.rng.below(4) {
            host.extend(self.of_host(0));
        }
        // Somebody reads what is left.
        host.push(self.pass(false));
        self.program.host = host;
    }

    /// The slices and grids that the kernel writes.
    fn written_views(&self) -> Vec<VarId> {
        self.program.params.iter().copied().filter(|var| self.program.vars[var.0].mutable).collect()
    }

    fn of_host(&mut self, depth: usize) -> Vec<Host> {
        let nested = if depth < 2 { 1 } else { 0 };
        // Of groups that fail, which one is told depends on the device.
        let groups = if self.on(Feature::Panics) || self.host.views.len() < 3 { 0 } else { 9 * nested };
        match self.rng.which([50, 22, 8, 10, 8 * nested, 5 * nested, groups]) {
            0 => vec![self.reduction()],
            1 => vec![self.pass(true)],
            2 => vec![self.pass(false)],
            3 => {
                let value = self.host_number(30);
                vec![self.let_host(value)]
            }
            4 => {
                let round = self.named("round", Scalar::Usize, false);
                let count = 1 + self.rng.below(3) as u8;
                let body = self.hosts_within(depth, |this| this.bind(round));
                vec![Host::For(round, count, body)]
            }
            5 => {
                let (a, b) = (self.host_number(4), self.host_number(4));
                let cond = Expr::compare(self.rng.pick(&[CompareOp::Lt, CompareOp::Ne]).to_owned(), a, b);
                vec![Host::If(cond, self.hosts_within(depth, |_| ()))]
            }
            _ => vec![self.groups_with_reductions(depth)],
        }
    }

    fn let_host(&mut self, value: Expr) -> Host {
        let var = self.named("size", Scalar::Usize, false);
        self.bind(var);
        Host::Let(var, value)
    }

    fn hosts_within(&mut self, depth: usize, begin: impl FnOnce(&mut Self)) -> Vec<Host> {
        self.scoped(|this| {
            begin(this);
            (0..1 + this.rng.below(2)).flat_map(|_| this.of_host(depth + 1)).collect()
        })
    }

    /// Groups, each with views of its own.
    fn groups_with_reductions(&mut self, depth: usize) -> Host {
        let all = self.host.views.clone();
        let (count, first) = (2 + self.rng.below(2), self.rng.below(3));
        let groups = (0..count).map(|at| {
            let its = |place: usize| (place + first) % count == at;
            self.host.views = all.iter().enumerate().filter(|(place, _)| its(*place)).map(|(_, view)| *view).collect();
            let banned = self.banned.len();
            self.banned.extend(all.iter().enumerate().filter(|(place, _)| !its(*place)).map(|(_, view)| *view));
            // A group launches something.
            let mut group = vec![self.reduction()];
            group.extend(self.hosts_within(depth, |_| ()));
            self.banned.truncate(banned);
            group
        });
        let groups = groups.collect();
        self.host.views = all;
        Host::Groups(groups)
    }

    /// A number of the host part up to the last, or a little more.
    pub(super) fn host_number(&mut self, last: usize) -> Expr {
        let values: Vec<VarId> =
            self.scopes[1..].iter().flatten().copied().filter(|var| self.is_host_value(*var)).collect();
        let below = |value: Expr| Expr::bin(BinOp::Rem, value, bare(last + 1));
        match self.rng.which([35, 30, 15, if values.is_empty() { 0 } else { 30 }]) {
            0 => Expr::usize(self.rng.below(last + 1)),
            1 => self.turn(last),
            2 if last >= FEW => self.var(N),
            2 => below(self.var(N)),
            _ => below(self.one_of(&values)),
        }
    }

    fn is_host_value(&self, var: VarId) -> bool {
        *self.program.ty(var) == Ty::Scalar(Scalar::Usize)
    }

    /// `turn(last + 1)`
    fn turn(&mut self, last: usize) -> Expr {
        Expr::call(Callee::Around(Around::Turn), vec![Expr::usize(last + 1)], Scalar::Usize)
    }

    /// A range whose end is at most this.
    pub(super) fn host_range(&mut self, last: usize) -> crate::program::Range {
        let start = match self.rng.which([65, 20, 15]) {
            0 => bare(0),
            1 => bare(self.rng.below(last.min(6) + 1)),
            _ => self.turn(last.min(6)),
        };
        range(start, self.host_number(last))
    }

    /// One to three ranges; mostly few iterations.
    fn host_ranges(&mut self, many: bool) -> Vec<Dim> {
        let count = 1 + self.rng.which([55, 30, 15]);
        let lasts: &[usize] = match (many, count) {
            (false, 1) => &[70],
            (false, 2) => &[17, 30],
            (false, _) => &[7, 6, 9],
            (true, 1) => &[0],
            (true, 2) => &[97, 103],
            (true, _) => &[21, 20, 22],
        };
        let dims = ["i", "j", "k"].into_iter().zip(lasts).map(|(name, last)| {
            let range = match many {
                false => self.host_range(*last),
                true if count == 1 => self.many(usize::MAX),
                true => {
                    let start = self.rng.below(2);
                    range(bare(start), bare(start + last))
                }
            };
            (name, range)
        });
        let dims: Vec<_> = dims.collect();
        let dim = |(name, range)| Dim { var: self.program.declare(name, Scalar::Usize, false), range };
        dims.into_iter().map(dim).collect()
    }

    /// A range of many iterations, whose end is at most this.
    pub(super) fn many(&mut self, last: usize) -> crate::program::Range {
        let all: Vec<usize> = MANY.into_iter().filter(|many| many + 2 <= last).collect();
        let (start, many) = (self.rng.below(3), self.pick(&all));
        range(bare(start), bare(start + many))
    }

    pub(super) fn reduction(&mut self) -> Host {
        let views = self.host.views.clone();
        let view = self.pick(&views);
        let many = self.rng.chance(10);
        let dims = self.host_ranges(many);
        let place = self.place_of_result(view);
        let (operation, ty) = self.operation_of(&place.ty.clone());
        let ends: Vec<Expr> = dims.iter().map(|dim| (*dim.range.end).clone()).collect();
        let vars: Vec<VarId> = dims.iter().map(|dim| dim.var).collect();
        let value = self.value_of(&vars, &ends, &ty, many, &operation);
        Host::Reduction(Box::new(Reduction { place, dims, value, operation }))
    }

    /// A sum of floats, of which the last bits say in which order they were added.
    fn sum_that_rounds(&mut self) -> Host {
        let is_float = |view: &VarId| matches!(self.program.ty(*view), Ty::Slice(element) if element.scalar().is_some_and(Scalar::is_float));
        let floats: Vec<VarId> = self.host.views.iter().copied().filter(is_float).collect();
        let view = self.pick(&floats);
        let place = self.place_of_result(view);
        let many = self.rng.chance(40);
        let dims = self.host_ranges(many);
        let vars: Vec<VarId> = dims.iter().map(|dim| dim.var).collect();
        let value = Block::of(self.rounded(&vars, place.scalar()));
        Host::Reduction(Box::new(Reduction { place, dims, value, operation: Operation::Named(Collective::Sum) }))
    }

    /// An element of a view, by an index of the host part.
    fn place_of_result(&mut self, view: VarId) -> Expr {
        let far = if self.on(Feature::Panics) && self.rng.chance(4) { FEW } else { 0 };
        let len = match view {
            ROWS => {
                let index = vec![self.host_number(FEW - 1), self.host_number(3)];
                return Expr::element(self.var(view), super::accesses::at(index));
            }
            OWN => 4 * FEW,
            LANES => ROOM * FEW,
            _ => FEW,
        };
        let index = self.host_number(len - 1 + far);
        Expr::element(self.var(view), index)
    }

    /// What a place of this type can hold, and the type of the values.
    fn operation_of(&mut self, ty: &Ty) -> (Operation, Ty) {
        use Collective::*;
        let Some(scalar) = ty.scalar() else { return (self.reduce(ty), ty.clone()) };
        let named: &[Collective] = match scalar {
            Scalar::Bool => &[Any, All],
            Scalar::Usize => &[Sum, Product, Min, Max, Count, Count, Count],
            _ => &[Sum, Sum, Sum, Product, Min, Max],
        };
        if self.rng.chance(20) {
            return (self.reduce(ty), ty.clone());
        }
        let op = self.pick(named);
        (Operation::Named(op), if op == Count { Scalar::Bool.into() } else { ty.clone() })
    }

    /// `reduce` with a closure for which the order does not matter.
    fn reduce(&mut self, ty: &Ty) -> Operation {
        let pair = ["a", "b"].map(|name| self.program.declare(name, ty.clone(), false));
        let [a, b] = pair.map(|var| self.var(var));
        let (first, value) = self.combined(a, b);
        let (first, value) = (Box::new(first), Box::new(value));
        Operation::Reduce { first, pair, value }
    }

    fn combined(&mut self, a: Expr, b: Expr) -> (Expr, Expr) {
        let ty = a.ty.clone();
        let limit = |name: &str| Expr::constant(format!("{ty}::{name}"), ty.clone());
        match &ty {
            Ty::Tuple(parts) | Ty::Struct(parts) => {
                let part = |of: &Expr, at: usize| Expr::new(parts[at].clone(), Kind::Field(Box::new(of.clone()), at));
                let (firsts, values) = (0..parts.len())
                    .map(|at| self.combined(part(&a, at), part(&b, at)))
                    .unzip::<_, _, Vec<_>, Vec<_>>();
                (Expr::new(ty.clone(), Kind::Tuple(firsts)), Expr::new(ty.clone(), Kind::Tuple(values)))
            }
            Ty::Scalar(Scalar::Bool) => match self.rng.below(3) {
                0 => (Expr::bool(true), Expr::bin(BinOp::And, a, b)),
                1 => (Expr::bool(false), Expr::bin(BinOp::Xor, a, b)),
                _ => (Expr::bool(false), Expr::or(a, b)),
            },
            Ty::Scalar(scalar) if scalar.is_float() => {
                let (a, b) = (without_sign(a), without_sign(b));
                match self.rng.chance(50) {
                    true => (limit("INFINITY"), Expr::method("min", vec![a, b])),
                    false => (limit("NEG_INFINITY"), Expr::method("max", vec![b, a])),
                }
            }
            Ty::Scalar(scalar) => {
                let number = |value| Expr::int(value, *scalar);
                match self.rng.below(6) {
                    0 => (number(0), Expr::bin(BinOp::Add, a, b)),
                    1 => (number(1), Expr::bin(BinOp::Mul, a, b)),
                    2 => (number(0), Expr::bin(BinOp::Xor, b, a)),
                    3 => (limit("MAX"), Expr::method("min", vec![a, b])),
                    4 => {
                        let less = Expr::compare(CompareOp::Lt, a.clone(), b.clone());
                        (limit("MIN"), Expr::choose(less, b, a))
                    }
                    _ => (number(0), Expr::bin(BinOp::Or, a, b)),
                }
            }
            _ => unreachable!("there are no results of type {ty}"),
        }
    }

    /// The body of the closure of a reduction.
    fn value_of(&mut self, vars: &[VarId], ends: &[Expr], ty: &Ty, many: bool, operation: &Operation) -> Block {
        let Block { stmts, value } = self.closure(vars, ends, ty, many);
        let extreme = matches!(operation, Operation::Named(Collective::Min | Collective::Max));
        let value = value.map(|value| if extreme { Box::new(without_sign(*value)) } else { value });
        Block { stmts, value }
    }

    /// What an iteration with these indexes computes: it changes nothing, and nothing leaves it.
    pub(super) fn closure(&mut self, vars: &[VarId], ends: &[Expr], ty: &Ty, many: bool) -> Block {
        let frames = std::mem::take(&mut self.frames);
        let frozen = self.frozen.len();
        let visible = self.visible();
        self.frozen.extend(visible);
        let mut block = self.iteration(vars, ends, |this| {
            this.quiet = true;
            this.budget = if many { 10 } else { 15 + this.rng.below(30) as i64 };
            let most = if many { 0 } else { this.rng.below(3) };
            let stmts = this.statements(most);
            let outside = std::mem::replace(&mut this.depth, DEPTH - 3);
            let value = match ty.scalar() {
                Some(scalar) if scalar.is_float() && this.rng.chance(60) => this.rounded(vars, scalar),
                Some(Scalar::Bool) if this.rng.chance(40) => this.now_and_then(vars),
                _ => this.expr(ty),
            };
            this.depth = outside;
            this.quiet = false;
            Block { stmts, value: Some(Box::new(value)) }
        });
        self.frozen.truncate(frozen);
        self.frames = frames;
        visit::deep(Node::Block(&mut block), &mut |node| {
            if let Node::Block(block) = node {
                block.stmts.retain(|stmt| !matches!(stmt, Stmt::Observe(_)));
            }
        });
        block
    }

    /// Within an iteration with these indexes, of which the first says which row it reads.
    pub(super) fn iteration<T>(&mut self, vars: &[VarId], ends: &[Expr], inside: impl FnOnce(&mut Self) -> T) -> T {
        let at = self.rng.below(vars.len());
        let few = ends[at].literal().is_some_and(|end| end <= FEW as i128);
        let row = if few { self.var(vars[at]) } else { Expr::bin(BinOp::Rem, self.var(vars[at]), self.var(N)) };
        self.row = Some(row);
        let value = self.scoped(|this| {
            vars.iter().for_each(|var| this.bind(*var));
            inside(this)
        });
        self.row = None;
        value
    }

    /// The number of an iteration, in no order.
    fn mixed(&mut self, vars: &[VarId]) -> Expr {
        let number = vars.iter().skip(1).fold(self.var(vars[0]), |number, var| number * bare(7) + self.var(*var));
        Expr::bin(BinOp::Rem, number * bare(37), bare(101))
    }

    /// Values whose sums and products round: their order shows. Some are zeros with a sign.
    fn rounded(&mut self, vars: &[VarId], scalar: Scalar) -> Expr {
        if self.rng.chance(8) {
            return Expr::float("-0.0", scalar);
        }
        let below = self.mixed(vars).to(scalar) + Expr::float("0.3", scalar);
        let over = self.pick(&["1000.0", "16.0", "-3.0"]);
        Expr::bin(BinOp::Div, Expr::float(over, scalar), below)
    }

    fn now_and_then(&mut self, vars: &[VarId]) -> Expr {
        let some = Expr::usize(self.rng.below(101));
        Expr::compare(self.rng.pick(&[CompareOp::Lt, CompareOp::Ne]).to_owned(), self.mixed(vars), some)
    }
}

/// The same, but of zeros none has a sign: which of two zeros is the greatest is not the same
/// everywhere.
fn without_sign(value: Expr) -> Expr {
    match value.ty.scalar() {
        Some(scalar) if scalar.is_float() => Expr::bin(BinOp::Add, value, Expr::float("0.0", scalar)),
        _ => value,
    }
}
