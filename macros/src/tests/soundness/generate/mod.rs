//! Random programs: kernels, and the heads of their loops.

mod expr;
mod host;
mod index;
mod stmt;

use std::sync::LazyLock;

use super::program::{Dim, Expr, Host, Local, Loop, Numbers, Op, Program, Ty};
use super::resolve;
use super::visit::Node;

/// Names of host values.
const VALUES: [&str; 6] = ["n", "w", "s", "h", "e", "z"];
const BUFFERS: [&str; 3] = ["x", "y", "out"];

/// Names of the values of a kernel that has many.
static MANY: LazyLock<Vec<String>> = LazyLock::new(|| (0..70).map(|at| format!("v{at}")).collect());

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
    // Most programs stay far below; where a `u8` wraps there is more to see.
    let wide = rng.chance(15);
    let value = |rng: &mut Rng, ty: Ty| {
        let number = match rng.weighted([58, 21, if ty.signed() { 15 } else { 5 }, 3, 3, if wide { 40 } else { 5 }, 3])
        {
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
    let len = if wide { 600 } else { 60 };
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
    /// Views that cannot be written, and those that the loop does not write.
    shared: Vec<usize>,
    read_only: Vec<usize>,
    /// Its loops have about as many numbers as a launch reckons with.
    many: bool,
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
            shared: Vec::new(),
            read_only: Vec::new(),
            many: false,
            places: 0,
        }
    }

    fn program(mut self) -> Program {
        let buffers = 1 + self.rng.below(BUFFERS.len());
        self.program.views = BUFFERS[..buffers].to_vec();
        self.program.buffers = buffers;
        self.views = (0..buffers).collect();
        let few = 1 + self.rng.below(4);
        self.many = self.rng.chance(3);
        let more = if self.many && self.rng.chance(30) { 30 + self.rng.below(41) } else { 0 };
        let params = few + more;
        for name in VALUES[..few].iter().copied().chain(MANY[..more].iter().map(|name| &**name)) {
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
        let (shared, mut own): (Vec<usize>, Vec<usize>) =
            self.views.iter().partition(|view| self.shared.contains(view));
        self.read_only = shared;
        if own.len() > 1 && self.rng.chance(70) {
            self.read_only.push(own.swap_remove(self.rng.below(own.len())));
        }
        let body = if self.many { [self.numbers(), self.body(0)].concat() } else { self.body(size) };
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
