//! Loops over blocks: code that all threads of a block run alike, around phases and collectives.
//!
//! Whatever a program does is the same on all devices. So the elements that a phase writes are
//! found by the number of its iteration, and what it writes it reads nowhere else. The block's part
//! of `lanes` begins with what was observed: in the code of the block, then in each thread. Behind
//! it are the elements of phases, and at its end those of the block's code.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Generator;
use super::features::Feature;
use super::scope::{Frame, FrameKind};
use super::teams::{LAST, Place, Team, bare, bytes, first_lane, lens, range};
use super::values::{I, LANES, N, OWN, ROOM, ROWS, surrounded};
use crate::program::{Arm, Block, Dim, Expr, Host, Kind, Loop, Pattern, Program, Stmt, Style, VarId};
use crate::rng::Rng;
use crate::types::{Scalar, Ty};

/// Threads of blocks.
const SHAPES: [&[usize]; 16] = [
    &[1],
    &[7],
    &[31],
    &[32],
    &[33],
    &[64],
    &[96],
    &[100],
    &[8, 4],
    &[5, 7],
    &[1, 33],
    &[16, 4],
    &[2, 3, 4],
    &[4, 4, 4],
    &[3, 1, 5],
    &[2, 2, 16],
];
/// The program of a seed: one loop over blocks, of which those with the same `i` stand for an
/// iteration.
pub fn blocks(seed: u64, number: usize, features: &[Feature]) -> Program {
    // With so many threads, what may fail anywhere fails in nearly every block.
    let fails = Rng::new(!seed).chance(30);
    let without = [Feature::Spellings].into_iter().chain((!fails).then_some(Feature::Panics));
    let without: Vec<Feature> = without.collect();
    let features: Vec<Feature> = features.iter().copied().filter(|feature| !without.contains(feature)).collect();
    let mut generator = surrounded(Program { number, seed, style: Style::Device, ..Program::default() }, &features);
    generator.over_blocks();
    generator.program
}

impl Generator<'_> {
    pub(super) fn over_blocks(&mut self) {
        let shape: Vec<usize> = self.pick(&SHAPES).to_vec();
        let threads: usize = shape.iter().product();
        let mut dims = vec![Dim { var: I, range: range(bare(0), self.var(N)) }];
        let counts: &[usize] = match self.rng.which([50, 35, 15]) {
            1 if threads <= 64 => self.pick(&[&[2][..], &[3]]),
            2 if threads <= 33 => self.pick(&[&[2, 3][..], &[1, 4]]),
            _ => &[],
        };
        for (name, count) in ["j", "k"].into_iter().zip(counts) {
            let var = self.program.declare(name, Scalar::Usize, false);
            let at = self.rng.below(dims.len() + 1);
            dims.insert(at, Dim { var, range: range(bare(0), bare(*count)) });
        }
        let first = first_lane(&self.program, &dims);
        let room = ROOM / counts.iter().product::<usize>();
        let (each, shared, alone) = (Vec::new(), Vec::new(), counts.is_empty());
        self.team = Some(Team { shape: shape.clone(), at: Place::Uniform, each, shared, first, room, alone });
        self.output = None;
        self.scopes =
            vec![(0..LANES.0).map(VarId).collect(), dims.iter().map(|dim| dim.var).filter(|var| *var != I).collect()];
        self.frames = vec![Frame { label: Some("each".to_owned()), kind: FrameKind::Par }];
        // One thread changes what is around: only statements that do nothing else.
        self.frozen = vec![OWN, ROWS];
        if !self.team().alone {
            self.banned = vec![OWN, ROWS];
        }
        let body = self.scoped(|this| {
            let mut stmts = Vec::new();
            for _ in 0..1 + this.rng.below(3) {
                this.shared(&mut stmts);
            }
            for _ in 0..1 + this.rng.below(2) {
                this.each(&mut stmts);
            }
            if this.on(Feature::Floats) && this.rng.chance(60) {
                this.rounding(&mut stmts);
            }
            for array in this.team().shared.clone() {
                if this.rng.chance(35) {
                    let phase = this.filling(array);
                    stmts.push(phase);
                }
            }
            for _ in 0..4 + this.rng.below(5) {
                this.of_block(&mut stmts, 0);
            }
            this.all_that_is_left(&mut stmts);
            stmts
        });
        self.program.host =
            vec![Host::Loop(Loop { number: 0, dims, block: None, threads: Some(shape), body: body.into() })];
    }

    /// A statement of the block's code.
    fn of_block(&mut self, stmts: &mut Vec<Stmt>, depth: usize) {
        self.budget = 15 + self.rng.below(45) as i64;
        let nested = if depth < 2 { 1 } else { 0 };
        match self.rng.which([20, 40, 14, 6, 6, 14, 8, 10 * nested, 10 * nested, 5 * nested, 6, 4]) {
            0 => stmts.extend(self.statements(1)),
            1 => stmts.push(self.phase()),
            2 => {
                let ty = self.ty_of_threads().unwrap_or_else(|| self.ty());
                let mutable = self.rng.chance(40);
                if let Some(value) = self.collective(&ty) {
                    let var = self.fresh(ty, mutable);
                    stmts.push(Stmt::bind(var, value));
                    self.bind(var);
                }
            }
            3 => self.scan(stmts),
            4 => self.each(stmts),
            5 => self.stored(stmts),
            6 => self.looked_up(stmts),
            7 => {
                let cond = Box::new(self.bool());
                let then = self.steps(depth);
                let otherwise = self.rng.chance(50).then(|| self.steps(depth));
                stmts.push(Stmt::unit(Kind::If { cond, then, otherwise }));
            }
            8 => self.rounds(stmts, depth),
            9 => {
                let scrutinee =
                    Box::new(Expr::bin(BinOp::Rem, self.expr(&Scalar::U8.into()), Expr::int(3, Scalar::U8)));
                let value = |value| Pattern::Value(Box::new(Expr::bare(value, Scalar::U8)));
                let patterns = [value(0), Pattern::Or(vec![value(1), value(7)]), Pattern::Wild];
                let arms = patterns.into_iter().map(|pattern| {
                    let guard = None;
                    Arm { pattern, guard, body: Expr::block(Ty::unit(), self.steps(depth)) }
                });
                let arms = arms.collect();
                stmts.push(Stmt::unit(Kind::Match { scrutinee, arms }));
            }
            10 => self.halved(stmts),
            _ => {
                // One thread prints, and does nothing else.
                let (message, args) = self.message("a block has");
                let args = args.into_iter().map(|value| self.one(value, stmts)).collect();
                if self.on(Feature::Prints) {
                    stmts.push(Stmt::unit(Kind::Macro { name: "println", args, message: Some(message) }));
                }
            }
        }
    }

    /// `{ … }` with phases.
    fn steps(&mut self, depth: usize) -> Block {
        let each = self.team().each.len();
        let block = self.scoped(|this| {
            let mut stmts = Vec::new();
            for _ in 0..1 + this.rng.below(3) {
                this.of_block(&mut stmts, depth + 1);
            }
            stmts.into()
        });
        self.team.iter_mut().for_each(|team| team.each.truncate(each));
        block
    }

    /// A loop around phases.
    fn rounds(&mut self, stmts: &mut Vec<Stmt>, depth: usize) {
        let label = self.maybe_label();
        if self.rng.chance(50) {
            let var = self.fresh(Scalar::Usize, false);
            let end = match self.rng.chance(60) {
                true => bare(1 + self.rng.below(4)),
                false => Expr::bin(BinOp::Rem, self.expr(&Scalar::Usize.into()), bare(4)),
            };
            let range = range(bare(0), end);
            let body = self.framed(label.clone(), FrameKind::Loop, |this| {
                this.scoped(|this| {
                    this.bind(var);
                    this.steps(depth)
                })
            });
            stmts.push(Stmt::unit(Kind::For { label, var, range, body }));
            return;
        }
        let rounds = self.named("rounds", Scalar::U32, true);
        stmts.push(Stmt::bind(rounds, Expr::int(0, Scalar::U32)));
        let few = Expr::compare(CompareOp::Lt, self.var(rounds), Expr::int(1 + self.rng.below(4) as i128, Scalar::U32));
        let also = self.framed(None, FrameKind::Head, |this| this.rng.chance(40).then(|| this.bool()));
        let cond = Box::new(match also {
            Some(also) => Expr::and(few, also),
            None => few,
        });
        let mut body = self.framed(label.clone(), FrameKind::Loop, |this| this.steps(depth));
        body.stmts.insert(0, Stmt::assign_op(BinOp::Add, self.var(rounds), Expr::int(1, Scalar::U32)));
        stmts.push(Stmt::unit(Kind::While { label, cond, body }));
    }

    /// A variable whose name no other has.
    pub(super) fn named(&mut self, name: &str, ty: impl Into<Ty>, mutable: bool) -> VarId {
        let name = format!("{name}_{}", self.program.vars.len());
        self.program.declare(name, ty, mutable)
    }

    /// `let mut tile = block.shared([value; n]);`
    fn shared(&mut self, stmts: &mut Vec<Stmt>) {
        let element = match self.ty() {
            ty if bytes(&ty) <= 32 && ty != Ty::unit() => ty,
            _ => self.scalar().into(),
        };
        let shape = self.team().shape.clone();
        let threads = self.team().threads();
        let (h, w) = if let [h, w] = shape[..] { (h, w) } else { (2 + self.rng.below(3), threads.min(64)) };
        let lens = match self.rng.which([65, 35]) {
            0 => vec![self.pick(&[threads, threads, threads + 1, threads + 3, 2 * threads, 33, 64])],
            _ => self.pick(&[vec![h, w], vec![h, w + 1], vec![w, h]]),
        };
        self.budget = 12;
        // Of literals the first values are left out where nothing reads them.
        let value = match element.scalar() {
            Some(scalar) if scalar != Scalar::Bool && self.rng.chance(50) => self.literal(scalar),
            _ => self.expr(&element),
        };
        let array = lens.iter().rev().fold(value, |value, len| {
            Expr::new(Ty::Array(Box::new(value.ty.clone()), *len), Kind::Repeat(Box::new(value)))
        });
        let ty = array.ty.clone();
        let var = self.named("tile", ty.clone(), true);
        stmts.push(Stmt::bind(var, Expr::new(ty, Kind::Shared(Box::new(array)))));
        self.bind(var);
        self.frozen.push(var);
        self.team.iter_mut().for_each(|team| team.shared.push(var));
    }

    /// `let mut own = block.each(value);`
    fn each(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = match self.ty() {
            ty if ty != Ty::unit() => ty,
            _ => self.scalar().into(),
        };
        self.budget = 12;
        let value = self.expr(&ty);
        let init = Expr::new(ty.clone(), Kind::Each(Box::new(value)));
        self.of_each(ty, true, init, stmts);
    }

    /// A new variable of the threads.
    pub(super) fn of_each(&mut self, ty: Ty, mutable: bool, init: Expr, stmts: &mut Vec<Stmt>) {
        let var = self.named("own", ty, mutable);
        self.program.vars[var.0].each = true;
        stmts.push(Stmt::bind(var, init));
        self.team.iter_mut().for_each(|team| team.each.push(var));
    }

    /// A statement that one thread runs: it writes an element, and does nothing else.
    fn stored(&mut self, stmts: &mut Vec<Stmt>) {
        let shared = self.team().shared.clone();
        let place = match self.rng.below(10) {
            0..6 => {
                let array = self.pick(&shared);
                let mut place = self.var(array);
                while let Ty::Array(_, len) = place.ty {
                    let index = match self.rng.chance(50) {
                        true => bare(self.rng.below(len)),
                        false => {
                            let index = self.expr(&Scalar::Usize.into());
                            let index = self.one(Expr::bin(BinOp::Rem, index, bare(len)), stmts);
                            // What the variable holds is less, which only its value says.
                            Expr::bin(BinOp::Rem, index, bare(len))
                        }
                    };
                    place = Expr::element(place, index);
                }
                place
            }
            6 | 7 if self.team().alone => match self.rng.chance(50) {
                true => Expr::element(self.var(OWN), self.var(I) * bare(4) + bare(self.rng.below(4))),
                false => {
                    let index = vec![self.var(I), bare(self.rng.below(4))];
                    Expr::element(
                        self.var(ROWS),
                        Expr::new(Ty::Array(Box::new(Scalar::Usize.into()), 2), Kind::Array(index)),
                    )
                }
            },
            _ => {
                let at = self.team().room - 1 - self.rng.below(LAST);
                Expr::element(self.var(LANES), self.team().first.clone() + bare(at))
            }
        };
        let value = match self.collective(&place.ty) {
            Some(value) if self.rng.chance(35) => value,
            _ => {
                let value = self.expr(&place.ty.clone());
                self.one(value, stmts)
            }
        };
        stmts.push(match place.ty.scalar() {
            Some(scalar) if scalar.is_int() && self.rng.chance(40) => {
                Stmt::assign_op(self.pick(&[BinOp::Add, BinOp::Xor, BinOp::Mul]), place, value)
            }
            _ => Stmt::assign(place, value),
        });
    }

    /// A value under a name of its own.
    fn one(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let var = self.named("one", value.ty.clone(), false);
        stmts.push(Stmt::bind(var, value));
        self.bind(var);
        self.var(var)
    }

    /// Reads what some thread has written.
    fn looked_up(&mut self, stmts: &mut Vec<Stmt>) {
        let index = Expr::bin(BinOp::Rem, self.expr(&Scalar::Usize.into()), bare(self.team().room));
        let value = Expr::element(self.var(LANES), self.team().first.clone() + index);
        let read = self.one(value, stmts);
        stmts.push(Stmt::Observe(read));
    }

    /// At the end everything counts.
    fn all_that_is_left(&mut self, stmts: &mut Vec<Stmt>) {
        let (each, shared) = (self.team().each.clone(), self.team().shared.clone());
        for array in shared {
            let lens = lens(self.program.ty(array)).0;
            let vars: Vec<VarId> = lens.iter().map(|_| self.named("at", Scalar::Usize, false)).collect();
            let place = vars.iter().fold(self.var(array), |place, var| Expr::element(place, self.var(*var)));
            let ranges = lens.iter().map(|len| range(bare(0), bare(*len))).collect();
            let element = self.named("element", place.ty.clone(), false);
            let body = vec![Stmt::bind(element, place), Stmt::Observe(self.var(element))].into();
            stmts.push(Stmt::unit(Kind::Phase { label: "last".to_owned(), vars, ranges: Some(ranges), body }));
        }
        let vars: Vec<VarId> =
            self.team().shape.clone().iter().map(|_| self.named("at", Scalar::Usize, false)).collect();
        let body: Vec<Stmt> = each.iter().map(|var| Stmt::Observe(self.var(*var))).collect();
        let (ranges, label) = (None, "last".to_owned());
        stmts.push(Stmt::unit(Kind::Phase { label, vars, ranges, body: body.into() }));
        let visible = self.visible();
        let last: Vec<VarId> =
            self.scopes[2].iter().copied().filter(|var| visible.contains(var) && !self.is_long(*var)).collect();
        stmts.extend(last.into_iter().map(|var| Stmt::Observe(self.var(var))));
    }
}
