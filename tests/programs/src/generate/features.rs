//! Parts of the language that can be switched off.

use crate::choices::choices;

choices! {
    /// A part of the language beyond variables, arithmetic, `if`, blocks and loops.
    pub enum Feature {
        /// `f32` and `f64`
        Floats,
        /// `i128` and `u128`
        Wide,
        /// `as` and `T::from`
        Casts,
        /// Numeric methods
        Methods,
        /// `#[device]` functions
        Calls,
        /// What may panic: unguarded divisors and indexes
        Panics,
        /// `assert!`, `panic!` and their like
        Asserts,
        /// `println!`, and values in messages
        Prints,
        /// Operands that assign
        Effects,
        /// Tuples
        Tuples,
        /// Structs
        Structs,
        /// Enums, `Option` and `Result`
        Enums,
        /// Methods and functions of structs
        Impls,
        /// Functions of traits, for any type
        Traits,
        /// Index operators of structs
        Indexing,
        /// Chains of iterators
        Chains,
        /// The old value of `compare_exchange`
        Atomics,
        /// Arrays
        Arrays,
        /// `match`, `if let`, `while let`, patterns in `let`
        Patterns,
        /// `if let … && …`
        LetChains,
        /// `let … else`
        LetElse,
        /// `let x;`
        LateInit,
        /// Labelled blocks
        LabelledBlocks,
        /// Constants
        Constants,
        /// `.rev()` and `.step_by(k)`
        Steps,
        /// `f32::max(a, b)`
        Paths,
        /// `&x` and `&mut x` as arguments
        References,
        /// Generic device functions
        Generics,
        /// Closures, methods of `Option`, `?`, operators of structs and traits in the place of
        /// plain operations
        Spellings,
    }
}

impl std::str::FromStr for Feature {
    type Err = String;

    /// `late-init` is [`Feature::LateInit`].
    fn from_str(text: &str) -> Result<Self, String> {
        let name = |feature: &Feature| format!("{feature:?}").to_lowercase();
        let found = Feature::ALL.iter().copied().find(|feature| name(feature) == text.replace('-', ""));
        found.ok_or_else(|| format!("features are {}", Feature::ALL.iter().map(name).collect::<Vec<_>>().join(", ")))
    }
}
