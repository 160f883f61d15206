//! The codes of compile errors. Each has a page in `docs/errors`, whose title is the line that stands here.

/// Declares the codes, and for the tests a list of them.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $number:literal,)+) => {
        /// What a user did wrong: one code a mistake that one would look up. A number is never given to another mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $($(#[doc = $meaning])+ $name = $number,)+
        }

        #[cfg(test)]
        impl Code {
            /// Every code with its meaning.
            const ALL: &[(Code, &str)] = &[$((Code::$name, concat!($($meaning),+)),)+];
        }
    };
}

codes! {
    // Declarations.
    /// tokens that are no Rust
    Syntax = 101,
    /// an attribute on something that is not a function
    NotAFunction = 102,
    /// a function with two attributes
    TwoAttributes = 103,
    /// an argument that the attribute does not have
    AttributeArgument = 104,
    /// a name that belongs to the expansion
    ReservedName = 105,
    /// a function that is `const`, `async`, `unsafe`, `extern` or variadic
    Qualifier = 106,
    /// a kernel that returns something
    KernelResult = 107,
    /// a device function that returns no value
    DeviceResult = 108,
    /// a kernel without a `par` loop
    NoParLoop = 109,
    /// a parameter that is not one name
    ParameterName = 110,
    /// a slice that is passed by value
    SliceByValue = 111,
    /// a single value that is passed by reference
    ValueByReference = 112,
    /// a buffer as the parameter of a kernel
    BufferParameter = 113,
    /// elements that device memory cannot hold
    ElementType = 114,
    /// a type parameter that may be any type
    TypeParameter = 115,
    /// `impl Trait` as the type of a parameter
    ImplTrait = 116,
    /// a lifetime that nothing needs
    Lifetime = 117,

    // The host part.
    /// `par` where no parallel loop can stand
    ParPlace = 201,
    /// `par` over something that is not a range
    ParRange = 202,
    /// a method that `par` does not have
    ParMethod = 203,
    /// a number of threads that no block has
    BlockSize = 204,
    /// variables that do not fit the ranges of the loop
    LoopVariables = 205,
    /// an element in the host part
    HostElement = 206,
    /// a slice in the host part
    HostSlice = 207,
    /// parts of a slice without names
    SplitNames = 208,
    /// a read-only slice split for writing
    SplitReadOnly = 209,
    /// `?` in a kernel
    QuestionMark = 210,
    /// `async` in a kernel
    Async = 211,
    /// an attribute inside a kernel
    AttributeInside = 212,

    // Groups.
    /// groups that are not written as groups
    GroupSyntax = 301,
    /// groups that launch nothing
    EmptyGroup = 302,
    /// two groups of one label
    LabelTwice = 303,
    /// `stream_parallel!` where no groups can stand
    ForkPlace = 304,
    /// a jump out of a group
    LeavesGroup = 305,

    // Device code: control flow and calls.
    /// a `par` loop in device code
    NestedPar = 401,
    /// a jump out of a `par` loop
    LeavesPar = 402,
    /// a jump out of nothing
    LeavesNothing = 403,
    /// a loop over something that is not a range
    LoopRange = 404,
    /// `let` in the middle of a condition
    LetChain = 405,
    /// a value that is missing
    MissingValue = 406,
    /// an assignment used as a value
    AssignmentValue = 407,
    /// an assignment to something that is not a place
    AssignTarget = 408,
    /// an assignment to a host value
    AssignHostValue = 409,
    /// a write to a read-only slice
    ReadOnly = 410,
    /// a call of something that is not a device function
    Call = 411,
    /// a device function that calls itself
    Recursion = 412,
    /// a closure in device code
    Closure = 413,
    /// an item in device code
    Item = 414,
    /// a macro that device code does not have
    Macro = 415,
    /// values to be printed or formatted
    Formatting = 416,
    /// wrong arguments of `assert!` or `panic!`
    MacroArguments = 417,
    /// an expression that device code does not have
    Unsupported = 418,
    /// a glob import in device code
    Glob = 419,

    // Device code: values, types and methods.
    /// a type that device code does not have
    DeviceType = 501,
    /// a reference that is not an argument
    Reference = 502,
    /// a `*` too few or too many
    Dereference = 503,
    /// a whole slice as a value
    WholeSlice = 504,
    /// a slice as an argument without `&` or `&mut`
    SliceArgument = 505,
    /// a range or a part of a slice as a value
    Range = 506,
    /// text or a character
    Text = 507,
    /// a struct
    NoStructs = 508,
    /// an enum
    NoEnums = 509,
    /// an `Option` or a `Result`
    NoOption = 510,
    /// a pattern that device code does not have
    Pattern = 511,
    /// a method that device code does not have
    Method = 512,
    /// `as` with a type parameter
    CastToParameter = 513,
    /// an atomic that is not used as one
    AtomicUse = 514,

    // Races.
    /// groups that race with each other
    GroupsRace = 601,
    /// all iterations write one element
    SameElement = 602,
    /// two variables of the same factor in an index
    SameFactor = 603,
    /// iterations whose writes overlap
    OverlappingWrites = 604,
    /// an iteration touches what another one writes
    OverlappingAccesses = 605,
    /// an index that may be the same in several iterations
    UnknownIndex = 606,
    /// more accesses than can be compared
    TooManyAccesses = 607,
    /// `unsafe` with nothing to take over
    UnsafeInDevice = 608,
    /// an access that only the device can check
    CheckedOnDevice = 609,
}

/// As users look it up: `AB0601`.
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AB{:04}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Code;

    /// A page has its code for a name, and its meaning for a title; the index lists all of them.
    #[test]
    fn every_code_has_a_page_and_every_page_a_code() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
        let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        let index = read("README.md");
        for (code, meaning) in Code::ALL {
            let meaning = meaning.trim();
            let title = read(&format!("{code}.md")).lines().next().unwrap_or_default().to_owned();
            assert_eq!(title, format!("# {code}: {meaning}"), "the title of the page of {code}");
            let line = format!("- [{code}]({code}.md): {meaning}\n");
            assert!(index.contains(&line), "the index of the pages has a line: {line}");
        }
        // The index is a page, too.
        let pages = std::fs::read_dir(&folder).expect("the folder of pages").count();
        assert_eq!(pages, Code::ALL.len() + 1, "pages without a code");
        assert_eq!(index.matches("\n- [").count(), Code::ALL.len(), "lines of the index without a code");
    }
}
