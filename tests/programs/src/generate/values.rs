//! Bodies of loops that are heavy in values, and the functions that they call.

use super::Generator;
use super::features::Feature;
use super::profile::{Profile, VALUES};
use super::scope::{Frame, FrameKind};
use crate::program::{Const, Dim, Expr, Host, Loop, Program, Range, Stmt, Style, VarId};
use crate::types::{Scalar, Ty};

/// What the body of the loop finds around itself, as in the signature that the harness gives the
/// kernel. The slices have `n` elements, but `own` has four an iteration, which no other iteration
/// touches.
pub const ENVIRONMENT: [(&str, Env); 33] = [
    ("i", Env::Value(Scalar::Usize)),
    ("n", Env::Value(Scalar::Usize)),
    ("int", Env::Value(Scalar::I32)),
    ("real", Env::Value(Scalar::F32)),
    ("own", Env::Own),
    ("bools", Env::Slice(Scalar::Bool)),
    ("i8s", Env::Slice(Scalar::I8)),
    ("i16s", Env::Slice(Scalar::I16)),
    ("i32s", Env::Slice(Scalar::I32)),
    ("i64s", Env::Slice(Scalar::I64)),
    ("i128s", Env::Slice(Scalar::I128)),
    ("isizes", Env::Slice(Scalar::Isize)),
    ("u8s", Env::Slice(Scalar::U8)),
    ("u16s", Env::Slice(Scalar::U16)),
    ("u32s", Env::Slice(Scalar::U32)),
    ("u64s", Env::Slice(Scalar::U64)),
    ("u128s", Env::Slice(Scalar::U128)),
    ("usizes", Env::Slice(Scalar::Usize)),
    ("f32s", Env::Slice(Scalar::F32)),
    ("f64s", Env::Slice(Scalar::F64)),
    ("grid", Env::Grid(Scalar::F32, 2)),
    ("volume", Env::Grid(Scalar::I32, 3)),
    ("rows", Env::Rows),
    ("lanes", Env::Lanes),
    ("flags", Env::Results(Scalar::Bool)),
    ("bytes", Env::Results(Scalar::U8)),
    ("ints", Env::Results(Scalar::I32)),
    ("counts", Env::Results(Scalar::Usize)),
    ("wide", Env::Results(Scalar::I128)),
    ("reals", Env::Results(Scalar::F32)),
    ("doubles", Env::Results(Scalar::F64)),
    ("pairs", Env::Pairs),
    ("cells", Env::Cells),
];

/// The loop variable, the number of iterations, and the slice that the iteration writes, in
/// [`ENVIRONMENT`].
pub(super) const I: VarId = VarId(0);
pub(super) const N: VarId = VarId(1);
pub(super) const OWN: VarId = VarId(4);
/// The grid of which the iteration writes a row.
pub(super) const ROWS: VarId = VarId(22);
/// The slice of which only loops over blocks write, [`ROOM`] elements an iteration.
pub(super) const LANES: VarId = VarId(23);
/// Elements of `lanes` for each value of `i`.
pub const ROOM: usize = 512;
/// The atomics, which have operations and no elements.
pub(super) const CELLS: VarId = VarId(32);

/// What an environment variable is.
#[derive(Clone, Copy)]
pub enum Env {
    Value(Scalar),
    /// A read-only slice.
    Slice(Scalar),
    /// `&mut [i64]`, four elements an iteration.
    Own,
    /// A read-only grid with so many dimensions.
    Grid(Scalar, usize),
    /// `&mut Grid<i64, 2>`, a row of four an iteration.
    Rows,
    /// `&mut [i64]`, [`ROOM`] elements an iteration.
    Lanes,
    /// `&mut [T]`, for reductions.
    Results(Scalar),
    /// `&mut [Two<i64, f32>]`, for reductions.
    Pairs,
    /// `&[AtomicI64]`, one element an iteration.
    Cells,
}

/// What [`Env::Pairs`] has elements of.
pub(super) fn pair() -> Ty {
    Ty::Struct(vec![Scalar::I64.into(), Scalar::F32.into()])
}

/// The program of a seed: one loop over `0..n`.
pub fn program(seed: u64, number: usize, features: &[Feature]) -> Program {
    let spelled = features.contains(&Feature::Spellings);
    let mut generator =
        surrounded(Program { number, seed, style: Style::Device, spelled, ..Program::default() }, features);
    generator.par_body();
    generator.program
}

/// A generator of a program in [`ENVIRONMENT`], which has its constants and functions.
pub(super) fn surrounded(program: Program, features: &[Feature]) -> Generator<'_> {
    surrounded_as(program, &VALUES, features)
}

/// The same of another profile.
pub(super) fn surrounded_as<'a>(
    mut program: Program,
    profile: &'static Profile,
    features: &'a [Feature],
) -> Generator<'a> {
    for (name, env) in ENVIRONMENT {
        let (ty, mutable) = match env {
            Env::Value(scalar) => (Ty::Scalar(scalar), false),
            Env::Slice(scalar) => (Ty::Slice(Box::new(scalar.into())), false),
            Env::Own | Env::Lanes => (Ty::Slice(Box::new(Scalar::I64.into())), true),
            // Only as atomics.
            Env::Cells => (Ty::unit(), false),
            Env::Grid(scalar, dims) => (Ty::Grid(Box::new(scalar.into()), dims), false),
            Env::Rows => (Ty::Grid(Box::new(Scalar::I64.into()), 2), true),
            Env::Results(scalar) => (Ty::Slice(Box::new(scalar.into())), true),
            Env::Pairs => (Ty::Slice(Box::new(pair())), true),
        };
        let var = program.declare(name, ty, mutable);
        program.params.extend((var != I && var != CELLS).then_some(var));
    }
    let mut generator = Generator::new(program.seed, profile, features, program);
    generator.palette();
    if generator.on(Feature::Constants) {
        generator.constants();
    }
    if generator.on(Feature::Calls) {
        for _ in 0..generator.rng.below(4) {
            generator.function();
        }
    }
    generator
}

impl Generator<'_> {
    /// Chooses the types of the program.
    fn palette(&mut self) {
        self.scalars = vec![Scalar::I32, Scalar::Bool];
        for _ in 0..3 {
            let scalar = self.any_scalar();
            self.scalars.push(scalar);
        }
        if self.on(Feature::Floats) {
            self.scalars.push(*self.rng.pick(&[Scalar::F32, Scalar::F64]));
        }
    }

    /// Constants of the program, from literals.
    fn constants(&mut self) {
        for at in 0..self.rng.below(4) {
            let ty = self.constant_ty();
            let value = self.constant(&ty);
            self.program.consts.push(Const { name: format!("LIMIT_{at}"), value });
        }
    }

    pub(super) fn par_body(&mut self) {
        let budget = self.profile.budget;
        self.budget = budget / 2 + self.rng.below(budget as usize) as i64;
        self.output = None;
        self.scopes = vec![(0..LANES.0).map(VarId).collect()];
        self.frames = vec![Frame { label: Some("each".to_owned()), kind: FrameKind::Par }];
        let mut body = self.scoped(|this| {
            let mut stmts = this.statements(6);
            if this.program.in_lanes {
                let results = this.results();
                // Without a loop of its own, it is in lanes only for the loops of functions.
                let loops = results.is_empty() || this.rng.chance(50);
                stmts.extend(results);
                if loops {
                    stmts.push(this.for_loop());
                }
            }
            stmts.extend(this.statements(6));
            // Whatever is left at the end counts.
            let last: Vec<VarId> = this.scopes[1].clone();
            let visible = this.visible();
            stmts.extend(last.into_iter().filter(|var| visible.contains(var)).map(|var| Stmt::Observe(this.var(var))));
            stmts
        });
        // An unreachable rest is no harm, but says nothing.
        body.truncate(400);
        let (start, end) = (Box::new(Expr::usize(0)), Box::new(self.var(N)));
        let range = Range { start, end, inclusive: false, adaptors: Vec::new() };
        let dims = vec![Dim { var: I, range }];
        self.program.host = vec![Host::Loop(Loop { number: 0, dims, block: None, threads: None, body: body.into() })];
    }
}
