//! Kernels that are heavy in indexes: what they are, how their loops begin, and what they are
//! launched with.
//!
//! Elements of buffers are `u32`; indexes are made of integers of all types.

use super::profile::INDEXES;
use super::scope::{Frame, FrameKind};
use super::{Generator, slice};
use crate::machine::Numbers;
use crate::program::{Adaptor, Dim, Expr, Host, Kind, Loop, Program, Range, VarId};
use crate::resolve;
use crate::rng::Rng;
use crate::types::Scalar;
use crate::visit::{self, Node};

/// Names of host values.
const VALUES: [&str; 6] = ["n", "w", "s", "h", "e", "z"];
const BUFFERS: [&str; 3] = ["x", "y", "out"];

/// The program of a seed.
pub fn kernel(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    loop {
        let mut program =
            Generator { rng: rng.clone(), ..Generator::new(0, &INDEXES, INDEXES.features, Program::default()) }
                .kernel();
        for _ in 0..[0, 0, 1, 2][rng.below(4)] {
            disturb(&mut program, &mut rng);
        }
        // An index that was used twice may stand where a name means something else.
        if resolve::is_sound(&program) {
            return program;
        }
        rng.bits();
    }
}

/// Changes one number somewhere.
fn disturb(program: &mut Program, rng: &mut Rng) {
    fn number<'e>(node: &'e mut Node<'_>) -> Option<&'e mut Expr> {
        let Node::Expr(expr) = node else { return None };
        let changes = !matches!(expr.kind, Kind::Seen | Kind::Borrow { .. });
        Some(&mut **expr).filter(|expr| changes && expr.ty.scalar().is_some_and(Scalar::is_int))
    }
    let mut count = 0;
    visit::look(program, &mut |mut node| count += usize::from(number(&mut node).is_some()));
    let mut left = rng.below(count);
    visit::all(program, &mut |mut node| {
        let Some(expr) = number(&mut node) else { return };
        if left == 0 {
            let ty = expr.scalar();
            use Scalar::*;
            let through = *rng.pick(&[U8, U8, I8, U16, I16, U32, I32, U64, Isize]);
            let by = Expr::int(1 + rng.below(3) as i128, ty);
            let power = Expr::int(1 << rng.below(ty.bits() as usize - 1), ty);
            let old = std::mem::replace(expr, Expr::int(0, ty));
            *expr = match rng.which([5, 2, 2, 1, 1]) {
                0 => old.to(through).to(ty),
                1 => old + by,
                2 => old - by,
                3 => old * power,
                _ => by,
            };
        }
        left = left.wrapping_sub(1);
    });
}

/// Numbers to launch it with.
pub fn numbers(program: &Program, rng: &mut Rng) -> Numbers {
    // Most programs stay far below; where a `u8` wraps there is more to see.
    let wide = rng.chance(15);
    let value = |rng: &mut Rng, ty: Scalar| {
        let number = match rng.which([58, 21, if ty.is_signed() { 15 } else { 5 }, 3, 3, if wide { 40 } else { 5 }, 3])
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
    let values = program.values().map(|var| value(rng, program.var(var).scalar())).collect();
    let len = if wide { 600 } else { 60 };
    Numbers { values, lens: vec![len; program.buffers().count()] }
}

impl Generator<'_> {
    fn kernel(mut self) -> Program {
        let buffers = 1 + self.rng.below(BUFFERS.len());
        self.host.views = BUFFERS[..buffers].iter().map(|name| self.program.declare(*name, slice(), true)).collect();
        let few = 1 + self.rng.below(4);
        self.host.many = self.rng.chance(3);
        let more = if self.host.many && self.rng.chance(30) { 30 + self.rng.below(41) } else { 0 };
        for name in VALUES[..few].iter().map(|name| (*name).to_owned()).chain((0..more).map(|at| format!("v{at}"))) {
            let ty = self.int();
            let value = self.program.declare(name, ty, false);
            self.host.values.push(value);
        }
        self.program.params = [&*self.host.views, &*self.host.values].concat();
        let scratch = self.rng.chance(6).then(|| self.scratch());
        self.program.host = match self.rng.which([80, 6, 5, 5, 4]) {
            0 => vec![self.par(2)],
            1 => vec![self.par(1), self.par(1)],
            2 => {
                let value = self.bound();
                let par_loop = self.par(2);
                vec![value, par_loop]
            }
            3 => self.splits(),
            _ => self.nested(),
        };
        if self.rng.chance(8) {
            let groups = self.groups();
            self.program.host.push(groups);
        }
        self.program.host.splice(0..0, scratch);
        self.program.renumber();
        self.program
    }

    /// A `par` loop, over up to three ranges.
    pub(super) fn par(&mut self, size: usize) -> Host {
        let count = 1 + self.rng.which([60, 30, 10]);
        self.scopes = vec![Vec::new()];
        self.frames = vec![Frame { label: None, kind: FrameKind::Par }];
        self.host.owned.clear();
        self.host.derived.clear();
        self.host.inner.clear();
        self.host.dims = Vec::new();
        let dims: Vec<Dim> = ["i", "j", "k"][..count].iter().map(|name| self.dim(name)).collect();
        self.scopes[0].extend(dims.iter().map(|dim| dim.var));
        self.host.dims = dims.clone();
        let (shared, mut own): (Vec<VarId>, Vec<VarId>) =
            self.host.views.iter().partition(|view| self.host.shared.contains(view));
        self.host.read_only = shared;
        if own.len() > 1 && self.rng.chance(70) {
            self.host.read_only.push(own.swap_remove(self.rng.below(own.len())));
        }
        let body = if self.host.many { [self.rows(), self.body(0)].concat() } else { self.body(size) };
        let block = self.rng.chance(5).then_some(32);
        Host::Loop(Loop { number: 0, dims, block, threads: None, body: body.into() })
    }

    fn dim(&mut self, name: &str) -> Dim {
        let ty = self.int();
        let var = self.program.declare(name, ty, false);
        let dim = |start: Expr, end: Expr, inclusive: bool, step: Option<Expr>| {
            let adaptors = step.map(Adaptor::StepBy).into_iter().collect();
            Dim { var, range: Range { start: Box::new(start), end: Box::new(end), inclusive, adaptors } }
        };
        if self.rng.chance(2) {
            // A few steps through all of the type.
            let step = Expr::int(1 << (ty.bits() - 2 - self.rng.below(3) as u32), Scalar::Usize);
            let (start, end) = (Expr::int(ty.min(), ty), Expr::int(ty.max(), ty));
            return dim(start, end, self.rng.chance(50), Some(step));
        }
        let small = |this: &mut Self| Expr::int(this.rng.below(4) as i128, ty);
        let start = match self.rng.which([66, 10, 10, 12, 3]) {
            0 => Expr::int(0, ty),
            1 => small(self),
            2 if ty.is_signed() => Expr::int(-(self.rng.below(4) as i128), ty),
            3 => {
                let start = self.host_expr(ty, 1);
                self.again(start, ty)
            }
            4 => Expr::int(ty.max() - self.rng.below(6) as i128, ty),
            _ => small(self),
        };
        let windows = if start.literal().is_some() { 6 } else { 90 };
        let end = match self.rng.which([35, 38, 18, windows]) {
            0 => Expr::int(2 + self.rng.below(6) as i128, ty),
            1 => {
                let value = *self.rng.pick(&self.host.values.clone());
                self.var(value).to(ty)
            }
            2 => self.host_expr(ty, 2),
            _ => match start.literal() {
                // A few from wherever it starts.
                Some(start) => Expr::int((start + 4).min(ty.max()), ty),
                None => {
                    let again = self.again(start.clone(), ty);
                    again + Expr::int(1 + self.rng.below(3) as i128, ty)
                }
            },
        };
        let step = match self.rng.which([80, 12, 5, 3]) {
            0 => None,
            1 => Some(Expr::usize(1 + self.rng.below(4))),
            2 => Some(self.host_expr(Scalar::Usize, 1)),
            _ if self.rng.chance(30) => Some(Expr::int(Scalar::Usize.max() - self.rng.below(3) as i128, Scalar::Usize)),
            _ => Some(Expr::int(1 << (self.rng.below(ty.bits() as usize)), Scalar::Usize)),
        };
        dim(start, end, self.rng.chance(15), step)
    }

    /// The same number, or what is left of it in another type.
    pub(super) fn again(&mut self, expr: Expr, ty: Scalar) -> Expr {
        if self.rng.chance(50) {
            return expr;
        }
        let through = if self.rng.chance(60) { Scalar::U8 } else { *self.rng.pick(&Scalar::WORDS) };
        expr.to(through).to(ty)
    }
}
