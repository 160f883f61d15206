//! Random programs: the host part.

mod expr;
mod index;
mod stmt;

use super::program::{Cond, Dim, Expr, Host, Local, Loop, Method, Numbers, Op, Program, Ty};
use super::resolve;
use super::visit::Node;

/// Names of host values.
const VALUES: [&str; 6] = ["n", "w", "s", "h", "e", "z"];
/// Names of values that are bound in the host part.
const BOUND: [&str; 4] = ["n2", "w2", "s2", "h2"];
const BUFFERS: [&str; 3] = ["x", "y", "out"];
const HALVES: [(&str, &str); 2] = [("lo", "hi"), ("left", "right")];

/// SplitMix64: a seed gives the same program everywhere.
#[derive(Clone)]
pub(super) struct Rng(pub(super) u64);

impl Rng {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end - 1`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// The place of a weight, each as often as it says.
    pub(super) fn weighted<const N: usize>(&mut self, weights: [usize; N]) -> usize {
        let mut at = self.below(weights.iter().sum());
        for (place, weight) in weights.into_iter().enumerate() {
            if at < weight {
                return place;
            }
            at -= weight;
        }
        0
    }
}

/// The program of a seed.
pub(super) fn program(seed: u64) -> Program {
    let mut rng = Rng(seed);
    loop {
        let mut program = Gen::new(rng.clone()).program();
        for _ in 0..[0, 0, 1, 2][rng.below(4)] {
            disturb(&mut program, &mut rng);
        }
        // An index that was used twice may stand where a name means something else.
        if resolve::is_sound(&program) {
            return program;
        }
        rng.next();
    }
}

/// Changes one number somewhere.
fn disturb(program: &mut Program, rng: &mut Rng) {
    let mut count = 0;
    program.visit(&mut |node| count += usize::from(matches!(node, Node::Expr(_))));
    let (types, mut left) = (program.clone(), rng.below(count));
    program.visit(&mut |node| {
        let Node::Expr(expr) = node else { return };
        if left == 0 {
            let ty = expr.ty(&types);
            let through = *rng.pick(&[Ty::U8, Ty::U8, Ty::I8, Ty::U16, Ty::I16, Ty::U32, Ty::I32, Ty::U64, Ty::Isize]);
            let by = Expr::Lit(1 + rng.below(3) as i128, ty);
            let power = Expr::Lit(1 << rng.below(ty.bits() as usize - 1), ty);
            let old = std::mem::replace(expr, Expr::Lit(0, ty));
            *expr = match rng.weighted([5, 2, 2, 1, 1]) {
                0 => old.cast(&types, through).cast(&types, ty),
                1 => Expr::bin(Op::Add, ty, old, by),
                2 => Expr::bin(Op::Sub, ty, old, by),
                3 => Expr::bin(Op::Mul, ty, old, power),
                _ => by,
            };
        }
        left = left.wrapping_sub(1);
    });
    program.renumber();
}

/// Numbers to launch it with.
pub(super) fn numbers(program: &Program, rng: &mut Rng) -> Numbers {
    let value = |rng: &mut Rng, ty: Ty| {
        let number = match rng.weighted([58, 21, 5, 3, 3, 7, 3]) {
            0 => 2 + rng.below(5) as i128,
            1 => rng.below(12) as i128,
            2 => -(rng.below(5) as i128),
            3 => ty.max() - rng.below(3) as i128,
            4 => ty.min() + rng.below(3) as i128,
            // Where the values of a small type end.
            5 => (if rng.chance(50) { 256 } else { 128 }) - 3 + rng.below(6) as i128,
            _ => 1 << rng.below(ty.bits() as usize),
        };
        ty.wrap(number)
    };
    let values = program.values[..program.params].iter().map(|(_, ty)| value(rng, *ty)).collect();
    // Most programs stay far below; where a `u8` wraps there is more to see.
    let len = if rng.chance(15) { 300 } else { 60 };
    Numbers { values, lens: vec![len; program.buffers] }
}

/// A layout: what the iterations of the loop own of a view.
struct Owned {
    view: usize,
    index: Expr,
    /// How many inner loops were around where it was made.
    loops: usize,
}

struct Gen {
    rng: Rng,
    program: Program,
    /// Host values, views that can be used here.
    values: Vec<usize>,
    views: Vec<usize>,
    /// Variables of device code, innermost last: numbers, arrays, truths.
    scope: Vec<(usize, Kind)>,
    dims: Vec<Dim>,
    /// The variables of inner loops around.
    inner: Vec<(usize, Expr)>,
    owned: Vec<Owned>,
    /// Variables that were made of loop variables, and of which.
    derived: Vec<(usize, usize)>,
    /// Views that the loop does not write.
    read_only: Vec<usize>,
    places: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Array,
    Truth,
}

impl Gen {
    fn new(rng: Rng) -> Self {
        Self {
            rng,
            program: Program::default(),
            values: Vec::new(),
            views: Vec::new(),
            scope: Vec::new(),
            dims: Vec::new(),
            inner: Vec::new(),
            owned: Vec::new(),
            derived: Vec::new(),
            read_only: Vec::new(),
            places: 0,
        }
    }

    fn program(mut self) -> Program {
        let buffers = 1 + self.rng.below(BUFFERS.len());
        self.program.views = BUFFERS[..buffers].to_vec();
        self.program.buffers = buffers;
        self.views = (0..buffers).collect();
        let params = 1 + self.rng.below(4);
        for name in &VALUES[..params] {
            let ty = self.index_type();
            self.program.values.push((name, ty));
        }
        self.program.params = params;
        self.values = (0..params).collect();
        self.program.host = match self.rng.weighted([80, 6, 5, 5, 4]) {
            0 => vec![self.par(2)],
            1 => vec![self.par(1), self.par(1)],
            2 => {
                let value = self.bound();
                let looped = self.par(2);
                vec![value, looped]
            }
            3 => self.split(),
            _ => self.nested(),
        };
        if self.rng.chance(8) {
            let groups = self.groups();
            self.program.host.push(groups);
        }
        self.program.renumber();
        self.program
    }

    /// Mostly what indexes are made of.
    fn index_type(&mut self) -> Ty {
        if self.rng.chance(60) { Ty::Usize } else { *self.rng.pick(&Ty::ALL) }
    }

    /// `let n2 = …;`
    fn bound(&mut self) -> Host {
        let ty = self.index_type();
        let expr = self.host_expr(ty, 2);
        let value = self.program.values.len();
        self.program.values.push((BOUND[value - self.program.params], ty));
        self.values.push(value);
        Host::Let(value, expr)
    }

    fn split(&mut self) -> Vec<Host> {
        let view = *self.rng.pick(&self.views.clone());
        let at = match self.rng.below(3) {
            0 => Expr::bin(Op::Div, Ty::Usize, Expr::Len(view), Expr::usize(2)),
            1 => Expr::usize(self.rng.below(6)),
            _ => {
                let some = self.host_expr(Ty::Usize, 1);
                Expr::Call(Method::Min, Ty::Usize, vec![some, Expr::Len(view)])
            }
        };
        let (low, high) = (self.program.views.len(), self.program.views.len() + 1);
        let names = HALVES[(low - self.program.buffers) / 2];
        self.program.views.extend([names.0, names.1]);
        if !self.rng.chance(15) {
            self.views.retain(|other| *other != view);
        }
        self.views.extend([low, high]);
        let rest = if self.rng.chance(60) { self.groups() } else { self.par(2) };
        vec![Host::Split { view, at, low, high }, rest]
    }

    /// A loop in control flow of the host.
    fn nested(&mut self) -> Vec<Host> {
        if self.rng.chance(50) {
            let value = self.program.values.len();
            self.program.values.push((BOUND[value - self.program.params], Ty::Usize));
            self.values.push(value);
            let body = vec![self.par(2)];
            self.values.retain(|other| *other != value);
            vec![Host::For(value, 1 + self.rng.below(3) as u8, body)]
        } else {
            let (a, b) = (self.host_expr(Ty::Usize, 1), self.host_expr(Ty::Usize, 1));
            vec![Host::If(Cond::Compare("<", Box::new(a), Box::new(b)), vec![self.par(2)]), self.par(1)]
        }
    }

    /// Groups, of which each mostly has views of its own.
    fn groups(&mut self) -> Host {
        let all = self.views.clone();
        let count = 2 + self.rng.below(2);
        let groups = (0..count).map(|at| {
            let own: Vec<usize> =
                all.iter().copied().enumerate().filter(|(k, _)| k % count == at).map(|(_, v)| v).collect();
            self.views = if own.is_empty() || self.rng.chance(25) { all.clone() } else { own };
            let loops = 1 + self.rng.below(2);
            // Small: one that is refused hides what the others do.
            (0..loops).map(|_| if self.rng.chance(70) { self.par(0) } else { self.par(1) }).collect()
        });
        let groups = groups.collect();
        self.views = all;
        Host::Groups(groups)
    }

    /// Host code that has a number.
    fn host_expr(&mut self, ty: Ty, depth: usize) -> Expr {
        if depth == 0 || self.rng.chance(50) {
            return match self.rng.weighted([4, 5, 1]) {
                0 => Expr::Lit(self.rng.below(6) as i128, ty),
                1 if !self.values.is_empty() => {
                    let value = *self.rng.pick(&self.values.clone());
                    Expr::Value(value).cast(&self.program, ty)
                }
                _ => {
                    let view = *self.rng.pick(&self.views.clone());
                    Expr::Len(view).cast(&self.program, ty)
                }
            };
        }
        let op = [Op::Add, Op::Sub, Op::Mul][self.rng.weighted([5, 3, 2])];
        let (a, b) = (self.host_expr(ty, depth - 1), self.host_expr(ty, depth - 1));
        match self.rng.below(10) {
            0 => {
                let other = *self.rng.pick(&Ty::ALL);
                a.cast(&self.program, other).cast(&self.program, ty)
            }
            1 => Expr::Call(Method::Min, ty, vec![a, b]),
            _ => Expr::bin(op, ty, a, b),
        }
    }

    /// A `par` loop, over up to three ranges.
    fn par(&mut self, size: usize) -> Host {
        let count = 1 + self.rng.weighted([60, 30, 10]);
        self.scope.clear();
        self.owned.clear();
        self.derived.clear();
        self.inner.clear();
        self.dims = Vec::new();
        let dims: Vec<Dim> = ["i", "j", "k"][..count].iter().map(|name| self.dim(name)).collect();
        for dim in &dims {
            self.scope.push((dim.var, Kind::Number));
        }
        self.dims = dims.clone();
        self.read_only.clear();
        if self.views.len() > 1 && self.rng.chance(70) {
            let views = self.views.clone();
            self.read_only.push(*self.rng.pick(&views));
        }
        let body = self.body(size);
        let block = self.rng.chance(5).then_some(32);
        Host::Loop(Loop { number: 0, dims, block, body })
    }

    fn dim(&mut self, name: &'static str) -> Dim {
        let ty = self.index_type();
        let var = self.local(name, ty, false);
        if self.rng.chance(2) {
            // A few steps through all of the type.
            let step = Expr::Lit(1 << (ty.bits() - 2 - self.rng.below(3) as u32), Ty::Usize);
            let (start, end) = (Expr::Lit(ty.min(), ty), Expr::Lit(ty.max(), ty));
            return Dim { var, start, end, inclusive: self.rng.chance(50), step: Some(step) };
        }
        let small = |this: &mut Self| Expr::Lit(this.rng.below(4) as i128, ty);
        let start = match self.rng.weighted([66, 10, 10, 12, 3]) {
            0 => Expr::Lit(0, ty),
            1 => small(self),
            2 if ty.signed() => Expr::Lit(-(self.rng.below(4) as i128), ty),
            3 => {
                let start = self.host_expr(ty, 1);
                self.again(start, ty)
            }
            4 => Expr::Lit(ty.max() - self.rng.below(6) as i128, ty),
            _ => small(self),
        };
        let windows = if matches!(start, Expr::Lit(..)) { 6 } else { 90 };
        let end = match self.rng.weighted([35, 38, 18, windows]) {
            0 => Expr::Lit(2 + self.rng.below(6) as i128, ty),
            1 => {
                let value = *self.rng.pick(&self.values.clone());
                Expr::Value(value).cast(&self.program, ty)
            }
            2 => self.host_expr(ty, 2),
            _ => match start.clone() {
                // A few from wherever it starts.
                Expr::Lit(start, ty) => Expr::Lit((start + 4).min(ty.max()), ty),
                start => {
                    let again = self.again(start, ty);
                    Expr::bin(Op::Add, ty, again, Expr::Lit(1 + self.rng.below(3) as i128, ty))
                }
            },
        };
        let step = match self.rng.weighted([80, 12, 5, 3]) {
            0 => None,
            1 => Some(Expr::usize(1 + self.rng.below(4))),
            2 => Some(self.host_expr(Ty::Usize, 1)),
            _ if self.rng.chance(30) => Some(Expr::Lit(Ty::Usize.max() - self.rng.below(3) as i128, Ty::Usize)),
            _ => Some(Expr::Lit(1 << (self.rng.below(ty.bits() as usize)), Ty::Usize)),
        };
        Dim { var, start, end, inclusive: self.rng.chance(15), step }
    }

    /// The same number, or what is left of it in another type.
    fn again(&mut self, expr: Expr, ty: Ty) -> Expr {
        if self.rng.chance(50) {
            return expr;
        }
        let through = if self.rng.chance(60) { Ty::U8 } else { *self.rng.pick(&Ty::ALL) };
        expr.cast(&self.program, through).cast(&self.program, ty)
    }

    fn local(&mut self, name: &'static str, ty: Ty, mutable: bool) -> usize {
        self.program.locals.push(Local { name, ty, mutable });
        self.program.locals.len() - 1
    }

    /// Variables that can be named here.
    fn visible(&self, kind: Kind) -> Vec<usize> {
        let name = |local: usize| self.program.locals[local].name;
        let shown = |at: usize| self.scope[at + 1..].iter().all(|(other, _)| name(*other) != name(self.scope[at].0));
        (0..self.scope.len()).filter(|at| self.scope[*at].1 == kind && shown(*at)).map(|at| self.scope[at].0).collect()
    }

    /// Host values that no variable hides.
    fn visible_values(&self) -> Vec<usize> {
        let hidden = |value: usize| {
            self.scope.iter().any(|(local, _)| self.program.locals[*local].name == self.program.values[value].0)
        };
        self.values.iter().copied().filter(|value| !hidden(*value)).collect()
    }
}
