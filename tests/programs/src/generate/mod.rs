//! Random well-typed programs from seeds: one generator, and profiles of what a program may hold.
//!
//! The generator goes top down: it is asked for an expression of a type or for a block, and chooses
//! among what gives one. It knows the scopes, so that every variable it uses is there, initialised,
//! and may be assigned; the loops around, so that every jump lands; and which variables rustc's
//! borrow checker keeps it from touching at this place.
//!
//! | profile | program | judged by |
//! |---|---|---|
//! | `VALUES` | `values.rs`: one loop, heavy in values, and the functions that it calls | the fuzzer |
//! | `VALUES` | `blocks.rs`, `teams.rs`, `phases.rs`, `collectives.rs`: the same as a loop over blocks | the fuzzer |
//! | `ALONG` | `along.rs`: the same with inner loops over ranges that data decide | the fuzzer |
//! | `LANES` | `lanes.rs`: the same with loops in the loop or in phases, in which nothing can fail | the fuzzer |
//! | `VALUES` | `reductions.rs`, `scans.rs`: a host part with reductions and scans | the fuzzer |
//! | `INDEXES` | `kernel.rs`, `host.rs`: a kernel whose loops are heavy in indexes of all integers | the soundness tests |
//! | `STRIDES` | `strides.rs`: a loop that only accesses elements, with the numbers of a launch | the tests of decisions |

mod access;
pub mod accesses;
mod along;
mod blocks;
mod call;
mod chain;
mod collectives;
mod count;
mod exchange;
mod expr;
mod features;
mod flow;
mod generic;
pub mod grids;
mod host;
mod index;
mod kernel;
mod lanes;
mod literal;
mod method;
mod pattern;
mod phases;
mod place;
mod profile;
mod reductions;
mod scans;
mod scope;
mod shapes;
mod stmt;
mod strides;
mod teams;
mod values;

pub use along::along;
pub use blocks::blocks;
pub use features::Feature;
pub use kernel::{kernel, numbers};
pub use lanes::{blocks_in_lanes, lanes};
pub use reductions::reductions;
pub use teams::first_lane;
pub use values::{ENVIRONMENT, Env, ROOM, program};

use crate::program::{Dim, Expr, Program, Style, VarId};
use crate::rng::Rng;
use crate::types::{Bound, ENUMS, Scalar, Ty, WITH_FIELDS};
use exchange::exchanged;
use profile::{Profile, Weights};
use scope::Frame;

/// How deep expressions nest.
const DEPTH: usize = 5;

struct Generator<'a> {
    rng: Rng,
    profile: &'static Profile,
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
    /// The scalar types that this program mostly uses, so that its variables meet.
    scalars: Vec<Scalar>,
    /// Not to be assigned here.
    frozen: Vec<VarId>,
    /// Not to be touched here.
    banned: Vec<VarId>,
    /// What was read last.
    recent: Option<VarId>,
    budget: i64,
    depth: usize,
    host: Surroundings,
    /// In a loop over blocks.
    team: Option<teams::Team>,
    /// In a program with reductions: something below `n`, which is different in most iterations.
    row: Option<Expr>,
    /// In a closure, which runs as often as it likes: it prints nothing.
    quiet: bool,
}

/// What is around the loops of a kernel, and what its iterations have.
#[derive(Default)]
struct Surroundings {
    /// Host values and views that can be used here.
    values: Vec<VarId>,
    views: Vec<VarId>,
    dims: Vec<Dim>,
    /// The variables of inner loops around, with their ends.
    inner: Vec<(VarId, Expr)>,
    owned: Vec<Owned>,
    /// Variables that were made of loop variables, and of which.
    derived: Vec<(VarId, usize)>,
    /// Views that cannot be written, and those that the loop does not write.
    shared: Vec<VarId>,
    read_only: Vec<VarId>,
    /// How many values are bound in the host part, and how many views are split.
    bound: usize,
    split: usize,
    /// Its loops have about as many numbers as a launch reckons with.
    many: bool,
}

/// A layout: what the iterations of the loop own of a view.
struct Owned {
    view: VarId,
    index: Expr,
    /// How many inner loops were around where it was made.
    loops: usize,
}

impl<'a> Generator<'a> {
    fn new(seed: u64, profile: &'static Profile, features: &'a [Feature], program: Program) -> Self {
        Self {
            rng: Rng::new(seed),
            profile,
            features,
            program,
            scopes: vec![Vec::new()],
            frames: Vec::new(),
            output: None,
            generic: None,
            scalars: profile.types.to_vec(),
            frozen: Vec::new(),
            banned: Vec::new(),
            recent: None,
            budget: profile.budget,
            depth: 0,
            host: Surroundings::default(),
            team: None,
            row: None,
            quiet: false,
        }
    }

    fn on(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    fn is_device(&self) -> bool {
        self.program.style == Style::Device
    }

    /// One of those that there can be here.
    fn choose_from<T: Copy>(&mut self, all: Weights<T>, has: impl Fn(&Self, T) -> bool) -> T {
        let here: Vec<(usize, T)> = all.iter().copied().filter(|(_, choice)| has(self, *choice)).collect();
        self.rng.weighted(&here)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.rng.pick(from).clone()
    }

    fn scalar(&mut self) -> Scalar {
        *self.rng.pick(&self.scalars)
    }

    fn int(&mut self) -> Scalar {
        let ints: Vec<Scalar> = self.scalars.iter().copied().filter(|s| s.is_int()).collect();
        *self.rng.pick(&ints)
    }

    /// Any type that a program may have.
    fn any_scalar(&mut self) -> Scalar {
        let (floats, wide) = (self.on(Feature::Floats), self.on(Feature::Wide));
        let has = |s: &Scalar| (floats || !s.is_float()) && (wide || s.bits() < 128);
        let all: Vec<Scalar> = self.profile.all.iter().copied().filter(has).collect();
        self.pick(&all)
    }

    /// A type for a variable.
    fn ty(&mut self) -> Ty {
        let composite = if self.depth > 2 { 0 } else { 12 };
        let tuples = if self.on(Feature::Tuples) { composite } else { 0 };
        let arrays = if self.on(Feature::Arrays) { composite } else { 0 };
        match self.rng.which([70, tuples, arrays]) {
            0 if let Some(bound) = self.generic.filter(|_| self.rng.chance(50)) => Ty::Param(bound),
            0 => self.scalar().into(),
            1 if self.rng.chance(4) => Ty::unit(),
            1 => {
                let parts = (0..1 + self.rng.below(3)).map(|_| self.part()).collect();
                self.tuple_or_struct(parts)
            }
            _ => Ty::Array(Box::new(self.part()), 1 + self.rng.below(4)),
        }
    }

    /// A tuple or an array, where the language has one.
    fn composite_ty(&mut self) -> Ty {
        match (self.on(Feature::Tuples), self.on(Feature::Arrays)) {
            (true, arrays) if !arrays || self.rng.chance(60) => {
                let parts = (0..1 + self.rng.below(3)).map(|_| self.part()).collect();
                self.tuple_or_struct(parts)
            }
            (_, true) => Ty::Array(Box::new(self.part()), 1 + self.rng.below(4)),
            _ => self.ty(),
        }
    }

    /// What is made of such parts.
    fn tuple_or_struct(&mut self, parts: Vec<Ty>) -> Ty {
        if self.on(Feature::Enums) && self.rng.chance(35) {
            return match self.rng.which([70, 30, if self.on(Feature::Atomics) { 12 } else { 0 }]) {
                0 => Ty::Enum(parts.len() - 1, parts),
                1 => Ty::Enum(WITH_FIELDS + self.rng.below(ENUMS.len() - WITH_FIELDS), Vec::new()),
                _ => exchanged(),
            };
        }
        if !self.on(Feature::Structs) || self.rng.chance(50) {
            return Ty::Tuple(parts);
        }
        // Of one type, it has an index operator.
        let alike = self.on(Feature::Indexing) && self.rng.chance(60);
        Ty::Struct(if alike { vec![parts[0].clone(); parts.len()] } else { parts })
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
}

/// The type of a view.
fn slice() -> Ty {
    Ty::Slice(Box::new(Scalar::U32.into()))
}
