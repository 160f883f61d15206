//! Hostile spellings of programs.
//!
//! A program means what its tree says, and [the machine](crate::machine) runs that. Its text may
//! say the same in ways that mislead whoever reads names and spellings instead of asking rustc: a
//! number is called as something else outside, a range reads as if it were short, traits of the
//! user's have methods called as those of generated code. [`Dress`] chooses such spellings while a
//! program is printed, from a seed.

mod constants;
mod flow;
mod heads;
mod markers;
mod refused;
mod surroundings;
mod twins;

use std::collections::{BTreeMap, BTreeSet};

pub use heads::Window;
pub use markers::{constants, plain, wrapped};
pub use refused::{Refused, refuse};

use crate::choices::choices;
use crate::program::Program;
use crate::rng::Rng;
use crate::types::{Scalar, Ty};

choices! {
    /// A kind of hostile spelling.
    pub enum Class {
        /// `const` of inner blocks, before and behind their uses, called as others outside.
        Items,
        /// `use path::NAME`, `use … as NAME`, `use path as m`.
        Uses,
        /// `type S = …; S::N`, `type u32 = u64; u32::MAX`.
        Aliases,
        /// `S::N`, `<S as Trait>::N`.
        Associated,
        /// `const N: usize` and `C::N` of a generic kernel.
        Generics,
        /// Radices, underscores, leading zeros.
        Literals,
        /// Literals of host code that are other numbers than their digits say.
        Overflow,
        /// Labels that hide labels.
        Labels,
        /// `r#name`.
        Raw,
        /// Blanket traits whose methods are called as those of generated code.
        Traits,
        /// `#![no_implicit_prelude]`, and modules `core` and `std`.
        Prelude,
        /// Ranges that read as short ones; host expressions that must be evaluated once.
        Heads,
        /// The kernel in a `macro_rules!`, with numbers from its caller.
        Macros,
        /// Two variables or labels of one spelling.
        Hygiene,
        /// Lints and documentation on statements and items.
        Attributes,
    }
}

impl Class {
    /// Whether only rustc sees all that such a kernel means: what stands around it, or which of two
    /// names that read alike is meant.
    pub fn needs_rustc(self) -> bool {
        use Class::*;
        matches!(self, Raw | Traits | Prelude | Macros | Hygiene | Attributes)
    }

    /// Whether the macro reads it as a plain spelling, and accepts as much. Not of [`Class::Raw`]:
    /// that `n` and `r#n` in the head of a loop are one number it does not know, and then it may
    /// ask for more than there is.
    pub fn is_harmless(self) -> bool {
        use Class::*;
        matches!(self, Literals | Labels | Traits | Prelude | Macros | Attributes)
    }
}

/// A number and its type.
pub type Number = (i128, Scalar);

/// Where something stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Host code, also in the head of a `par` loop.
    Host,
    /// What is an end of a range of `par` as a whole.
    End,
    Body,
}

/// How a program is to be spelled: a seed for each choice in these classes. Without classes it is
/// plain.
#[derive(Clone, Default)]
pub struct Spelling {
    pub classes: Vec<Class>,
    pub seed: u64,
}

impl Spelling {
    pub fn dress(&self, program: &Program) -> Dress {
        match self.classes.as_slice() {
            [] => Dress::plain(),
            classes => Dress::of(program, classes.iter().copied(), self.seed),
        }
    }
}

/// How one program is spelled.
#[derive(Default)]
pub struct Dress {
    rng: Option<Rng>,
    pub classes: BTreeSet<Class>,
    /// How often each has been used.
    pub used: BTreeMap<Class, usize>,
    /// Numbers of the program, for items that its blocks declare.
    pool: Vec<Number>,
    /// Names of its variables and values, and of its views.
    names: Vec<String>,
    views: Vec<String>,
    /// What names of constants mean, in the module and in the blocks around, innermost last.
    frames: Vec<BTreeMap<String, Number>>,
    /// Loops and labelled blocks around.
    labels: Vec<flow::Frame>,
    /// Items of the module.
    pub around: String,
    /// Numbers that make names unique.
    made: usize,
    /// Generic parameters of the kernel, with what its caller says.
    pub generics: Vec<(String, String)>,
    /// What the caller of the macro around the kernel passes: the parameter with its fragment, and
    /// the argument.
    pub passed: Vec<(String, String)>,
    /// Host expressions of each loop's head that count how often they are evaluated.
    pub counted: BTreeMap<usize, usize>,
    /// What the constants of the text stand for, in its order.
    pub numbers: Vec<Number>,
    /// Buffers that are nowhere split, for traits to be asked for their lengths.
    whole: Vec<String>,
    /// What the next body says of two variables of one spelling.
    mentioned: Option<String>,
    intrusion: Option<refused::Intrusion>,
    /// Blocks, and literals that stand in device code or heads, so far.
    blocks: usize,
    literals: usize,
}

impl Dress {
    /// As a reader would write it.
    pub fn plain() -> Dress {
        Dress::default()
    }

    /// These classes, in ways that a seed chooses.
    pub fn of(program: &Program, classes: impl IntoIterator<Item = Class>, seed: u64) -> Dress {
        let of = |views: bool| {
            let vars = program.vars.iter().filter(move |var| matches!(var.ty, Ty::Slice(_)) == views);
            vars.map(|var| var.name.clone()).collect()
        };
        let (rng, classes) = (Some(Rng::new(seed)), classes.into_iter().collect());
        let mut dress =
            Dress { rng, classes, pool: program.literals(), names: of(false), views: of(true), ..Dress::default() };
        dress.surround(program);
        dress
    }

    /// Whether a way of a class is taken here, in so many of a hundred cases.
    fn take(&mut self, class: Class, percent: usize) -> bool {
        let taken = self.classes.contains(&class) && self.chance(percent);
        if taken {
            *self.used.entry(class).or_default() += 1;
        }
        taken
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.rng.as_mut().is_some_and(|rng| rng.chance(percent))
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.as_mut().map_or(0, |rng| rng.below(end))
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// The path of a constant, with what it stands for.
    fn constant(&mut self, path: impl std::fmt::Display, number: Number) -> String {
        self.numbers.push(number);
        format!("{}{path}", markers::constant(self.numbers.len() - 1))
    }

    /// A number that no other name of this program ends in.
    fn unique(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// A name, maybe as `r#name`.
    pub fn name(&mut self, name: &str) -> String {
        if self.take(Class::Raw, 15) { format!("r#{name}") } else { name.to_owned() }
    }
}
