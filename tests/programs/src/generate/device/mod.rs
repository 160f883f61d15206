//! Random well-typed bodies of loops, heavy in values, and the functions that they call.
//!
//! The generator goes top down: it is asked for an expression of a type or for a block, and chooses among what gives one. It
//! knows the scopes, so that every variable it uses is there, initialised, and may be assigned; the loops around, so that
//! every jump lands; and which variables rustc's borrow checker keeps it from touching at this place.

mod call;
mod expr;
mod flow;
mod generic;
mod literal;
mod method;
mod pattern;
mod place;
mod stmt;

use crate::generate::features::Feature;
use crate::program::{Const, Dim, Expr, Host, Loop, Program, Range, Stmt, Style, VarId};
use crate::rng::Rng;
use crate::types::{Bound, Scalar, Ty};

/// Nodes of a body, roughly.
const BODY: i64 = 220;
/// Nodes of a function, roughly.
const FUNCTION: i64 = 60;
/// How deep expressions nest.
const DEPTH: usize = 5;

/// What the body of the loop finds around itself, as in the signature that the harness gives the kernel. The slices have
/// `n` elements, but `own` has four an iteration, which no other iteration touches.
pub const ENVIRONMENT: [(&str, Env); 20] = [
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
];

/// The loop variable, the number of iterations, and the slice that the iteration writes, in [`ENVIRONMENT`].
const I: VarId = VarId(0);
const N: VarId = VarId(1);
const OWN: VarId = VarId(4);

/// What an environment variable is.
#[derive(Clone, Copy)]
pub enum Env {
    Value(Scalar),
    /// A read-only slice.
    Slice(Scalar),
    /// `&mut [i64]`, four elements an iteration.
    Own,
}

/// The program of a seed: one loop over `0..n`.
pub fn program(seed: u64, number: usize, features: &[Feature]) -> Program {
    let mut program = Program { number, seed, style: Style::Device, ..Program::default() };
    for (name, env) in ENVIRONMENT {
        let (ty, mutable) = match env {
            Env::Value(scalar) => (Ty::Scalar(scalar), false),
            Env::Slice(scalar) => (Ty::Slice(Box::new(scalar.into())), false),
            Env::Own => (Ty::Slice(Box::new(Scalar::I64.into())), true),
        };
        let var = program.declare(name, ty, mutable);
        program.params.extend((var != I).then_some(var));
    }
    let mut generator = Generator {
        rng: Rng::new(seed),
        features,
        program,
        scopes: Vec::new(),
        frames: Vec::new(),
        output: None,
        generic: None,
        scalars: Vec::new(),
        frozen: Vec::new(),
        banned: Vec::new(),
        recent: None,
        budget: 0,
        depth: 0,
    };
    generator.palette();
    if generator.on(Feature::Constants) {
        generator.constants();
    }
    if generator.on(Feature::Calls) {
        for _ in 0..generator.rng.below(4) {
            generator.function();
        }
    }
    generator.par_body();
    generator.program
}

struct Generator<'a> {
    rng: Rng,
    features: &'a [Feature],
    program: Program,
    /// Variables in scope, innermost last.
    scopes: Vec<Vec<VarId>>,
    /// What `break` and `continue` can reach, innermost last.
    frames: Vec<Frame>,
    /// Of the function that is being generated.
    output: Option<Ty>,
    /// The bound of its type parameter.
    generic: Option<Bound>,
    /// The few scalar types that this program mostly uses, so that its variables meet.
    scalars: Vec<Scalar>,
    /// Not to be assigned here.
    frozen: Vec<VarId>,
    /// Not to be touched here.
    banned: Vec<VarId>,
    /// What was read last.
    recent: Option<VarId>,
    budget: i64,
    depth: usize,
}

/// A loop or a labelled block.
struct Frame {
    label: Option<String>,
    kind: FrameKind,
}

#[derive(Clone, PartialEq)]
enum FrameKind {
    /// The `par` loop.
    Par,
    /// `while`, `for`, `loop` without a value.
    Loop,
    /// `loop` with a value.
    Valued(Ty),
    /// A labelled block.
    Block(Ty),
    /// The condition of a `while`, in which only labels can be jumped to.
    Head,
}

impl Generator<'_> {
    fn on(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Chooses the types of the program.
    fn palette(&mut self) {
        let (floats, wide) = (self.on(Feature::Floats), self.on(Feature::Wide));
        let all: Vec<Scalar> =
            Scalar::ALL.into_iter().filter(|s| (floats || !s.is_float()) && (wide || s.bits() < 128)).collect();
        self.scalars = vec![Scalar::I32, Scalar::Bool];
        for _ in 0..3 {
            self.scalars.push(*self.rng.pick(&all));
        }
        if floats {
            self.scalars.push(*self.rng.pick(&[Scalar::F32, Scalar::F64]));
        }
    }

    fn scalar(&mut self) -> Scalar {
        *self.rng.pick(&self.scalars)
    }

    fn int(&mut self) -> Scalar {
        let ints: Vec<Scalar> = self.scalars.iter().copied().filter(|s| s.is_int()).collect();
        *self.rng.pick(&ints)
    }

    /// A type for a variable.
    fn ty(&mut self) -> Ty {
        let composite = if self.depth > 2 { 0 } else { 12 };
        let tuples = if self.on(Feature::Tuples) { composite } else { 0 };
        let arrays = if self.on(Feature::Arrays) { composite } else { 0 };
        match self.rng.weighted(&[(70, 0), (tuples, 1), (arrays, 2)]) {
            0 if let Some(bound) = self.generic.filter(|_| self.rng.chance(50)) => Ty::Param(bound),
            0 => self.scalar().into(),
            1 if self.rng.chance(4) => Ty::unit(),
            1 => {
                let parts = (0..1 + self.rng.below(3)).map(|_| self.part()).collect();
                Ty::Tuple(parts)
            }
            _ => Ty::Array(Box::new(self.part()), 1 + self.rng.below(4)),
        }
    }

    /// A tuple or an array, where the language has one.
    fn composite_ty(&mut self) -> Ty {
        match (self.on(Feature::Tuples), self.on(Feature::Arrays)) {
            (true, arrays) if !arrays || self.rng.chance(60) => {
                Ty::Tuple((0..1 + self.rng.below(3)).map(|_| self.part()).collect())
            }
            (_, true) => Ty::Array(Box::new(self.part()), 1 + self.rng.below(4)),
            _ => self.ty(),
        }
    }

    /// A type inside another.
    fn part(&mut self) -> Ty {
        self.depth += 2;
        let ty = self.ty();
        self.depth -= 2;
        ty
    }

    /// A type without the type parameter.
    fn constant_ty(&mut self) -> Ty {
        let generic = self.generic.take();
        let ty = self.ty();
        self.generic = generic;
        ty
    }

    /// Constants of the program, from literals.
    fn constants(&mut self) {
        for at in 0..self.rng.below(4) {
            let ty = self.constant_ty();
            let value = self.constant(&ty);
            self.program.consts.push(Const { name: format!("LIMIT_{at}"), value });
        }
    }

    /// A new variable, which is not in scope yet.
    fn fresh(&mut self, ty: Ty, mutable: bool) -> VarId {
        // Few names, so that they shadow each other.
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "x", "y", "z", "t", "u", "v", "w", "count", "float"];
        let mut name = (*self.rng.pick(&names)).to_owned();
        if self.rng.chance(60) {
            name.push_str(&self.program.vars.len().to_string());
        }
        self.program.declare(name, ty, mutable)
    }

    fn bind(&mut self, var: VarId) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(var);
        }
    }

    fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let value = inside(self);
        self.scopes.pop();
        value
    }

    fn var(&self, var: VarId) -> Expr {
        self.program.var(var)
    }

    /// What can be named here, innermost first.
    fn visible(&self) -> Vec<VarId> {
        let mut seen: Vec<&str> = Vec::new();
        let mut visible = Vec::new();
        for &var in self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()) {
            let name = self.program.vars[var.0].name.as_str();
            if !seen.contains(&name) {
                seen.push(name);
                visible.push(var);
            }
        }
        visible.retain(|var| !self.banned.contains(var));
        visible
    }

    fn par_body(&mut self) {
        self.budget = BODY / 2 + self.rng.below(BODY as usize) as i64;
        self.output = None;
        self.scopes = vec![(0..ENVIRONMENT.len()).map(VarId).collect()];
        self.frames = vec![Frame { label: Some("each".to_owned()), kind: FrameKind::Par }];
        let mut body = self.scoped(|this| {
            let mut stmts = this.statements(12);
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
        self.program.host = vec![Host::Loop(Loop { number: 0, dims, block: None, body: body.into() })];
    }
}
