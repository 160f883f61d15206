//! The codes of compile errors. Each has a page in `docs/errors`, with the line here as its title.

/// Declares the codes, and for the tests a list of them.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $number:literal,)+) => {
        /// What a user did wrong: one code a mistake that one would look up. A number is never
        /// given to another mistake.
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
    /// invalid Rust syntax
    Syntax = 101,
    /// attribute on an item that cannot have it
    NotAFunction = 102,
    /// two attributes on one function
    TwoAttributes = 103,
    /// unknown attribute argument
    AttributeArgument = 104,
    /// reserved name
    ReservedName = 105,
    /// function is `const`, `async`, `unsafe`, `extern` or variadic
    Qualifier = 106,
    /// kernel with a return value
    KernelResult = 107,
    /// device function that returns a reference or an `impl Trait`
    DeviceResult = 108,
    /// kernel without a `par` loop
    NoParLoop = 109,
    /// parameter that is not a single name
    ParameterName = 110,
    /// slice passed by value
    SliceByValue = 111,
    /// scalar passed by reference
    ValueByReference = 112,
    /// buffer as a kernel parameter
    BufferParameter = 113,
    /// element type that device memory cannot hold
    ElementType = 114,
    /// unbounded type parameter
    TypeParameter = 115,
    /// `impl Trait` as a parameter type
    ImplTrait = 116,
    /// unnecessary lifetime
    Lifetime = 117,
    /// library kernel without a stream
    LibraryStream = 118,
    /// value that a library kernel borrows
    LibraryBorrow = 119,

    // The host part.
    /// misplaced `par`
    ParPlace = 201,
    /// `par` over something other than a range
    ParRange = 202,
    /// unknown `par` method
    ParMethod = 203,
    /// invalid block size
    BlockSize = 204,
    /// loop variables that do not match the ranges
    LoopVariables = 205,
    /// slice indexed in host code
    HostElement = 206,
    /// unsupported use of a slice in host code
    HostSlice = 207,
    /// unnamed parts of a slice
    SplitNames = 208,
    /// mutable parts of a read-only slice
    SplitReadOnly = 209,
    /// `?` in a kernel
    QuestionMark = 210,
    /// `async` in a kernel
    Async = 211,
    /// unsupported attribute inside a kernel
    AttributeInside = 212,
    /// misplaced call of a kernel
    CallPlace = 213,
    /// slice that cannot be lent to a kernel
    Lend = 214,
    /// slices that cannot be swapped
    Swap = 215,
    /// loop over blocks without their threads
    BlockThreads = 216,
    /// wrong reduction or scan
    Reduction = 217,

    // Groups.
    /// invalid group syntax
    GroupSyntax = 301,
    /// group that launches nothing
    EmptyGroup = 302,
    /// duplicate group label
    LabelTwice = 303,
    /// misplaced `stream_parallel!`
    ForkPlace = 304,
    /// jump out of a group
    LeavesGroup = 305,

    // Blocks.
    /// misplaced phase of a block
    PhasePlace = 311,
    /// phase over something other than threads or a range
    PhaseRange = 312,
    /// misplaced variable of a block
    BlockVariable = 313,
    /// wrong use of a variable of a block
    BlockValue = 314,
    /// assignment to a variable of the block in a phase
    PhaseAssigns = 315,
    /// misplaced collective of a block
    CollectivePlace = 316,
    /// value of each thread that changes something
    CollectiveValue = 317,

    // Device code: control flow and calls.
    /// `par` loop in device code
    NestedPar = 401,
    /// jump out of a `par` loop
    LeavesPar = 402,
    /// `break` or `continue` outside a loop
    LeavesNothing = 403,
    /// loop over something other than a range or elements
    LoopRange = 404,
    /// `let` that is no condition of an `if` or `while`
    LetChain = 405,
    /// missing value
    MissingValue = 406,
    /// assignment used as a value
    AssignmentValue = 407,
    /// assignment to something that is not a place
    AssignTarget = 408,
    /// assignment to a host value
    AssignHostValue = 409,
    /// write to a read-only slice
    ReadOnly = 410,
    /// call of a function that is not a device function
    Call = 411,
    /// recursive device function
    Recursion = 412,
    /// closure in device code
    Closure = 413,
    /// unsupported item in device code
    Item = 414,
    /// unsupported macro in device code
    Macro = 415,
    /// formatting in device code
    Formatting = 416,
    /// invalid arguments of `assert!` or `panic!`
    MacroArguments = 417,
    /// unsupported expression
    Unsupported = 418,
    /// glob import in device code
    Glob = 419,

    // Device code: values, types and methods.
    /// unsupported type in device code
    DeviceType = 501,
    /// reference used as a value
    Reference = 502,
    /// missing or extra dereference
    Dereference = 503,
    /// whole slice used as a value
    WholeSlice = 504,
    /// slice argument without `&` or `&mut`
    SliceArgument = 505,
    /// range or part of a slice used as a value
    Range = 506,
    /// text in device code
    Text = 507,
    // 508 was: struct in device code.
    // 509 was: enum in device code. 510 was: `Option` or `Result` in device code.
    /// unsupported pattern
    Pattern = 511,
    /// unsupported method
    Method = 512,
    /// `as` with a type parameter
    CastToParameter = 513,
    /// unsupported use of an atomic
    AtomicUse = 514,
    /// struct or enum that a device cannot have
    DeviceData = 515,

    // Races.
    /// groups race with each other
    GroupsRace = 601,
    /// all iterations write the same element
    SameElement = 602,
    /// two loop variables with the same coefficient
    SameFactor = 603,
    /// overlapping writes
    OverlappingWrites = 604,
    /// loop-carried dependence
    OverlappingAccesses = 605,
    /// index may be the same in several iterations
    UnknownIndex = 606,
    // 607 was: too many accesses to compare.
    /// `unsafe` without effect
    UnsafeInDevice = 608,
    /// access checked on the device
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
