//! C++ names for user names: one each, no keywords, ASCII only.

use std::collections::BTreeSet;

/// Gives out names that are unique in one C++ function.
pub(crate) struct Namer {
    taken: BTreeSet<String>,
}

impl Namer {
    pub(crate) fn new() -> Self {
        Self { taken: KEYWORDS.iter().chain(RESERVED).map(|&s| s.to_owned()).collect() }
    }

    /// The name itself if it is free, else with a number behind it.
    pub(crate) fn name(&mut self, rust: &str) -> String {
        let base = ascii(rust);
        let mut name = base.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// A name for a value without one: `t0`, `t1`, …
    pub(crate) fn temporary(&mut self) -> String {
        let mut number = 0;
        while !self.taken.insert(format!("t{number}")) {
            number += 1;
        }
        format!("t{number}")
    }
}

/// Identifiers of C++ functions are ASCII in every compiler.
pub(crate) fn ascii(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    let mut name = String::new();
    for c in rust.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else {
            name.push_str(&format!("u{:x}", c as u32));
        }
    }
    // Reserved in C++: double underscores anywhere, an underscore and a capital in front.
    while name.contains("__") {
        name = name.replace("__", "_u_");
    }
    if name.starts_with('_') {
        name.insert(0, 'v');
    }
    name
}

/// Ours and CUDA's.
const RESERVED: &[&str] = &[
    "ab",
    "ab_cx",
    "ab_fault",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "blockDim",
    "blockIdx",
    "gridDim",
    "threadIdx",
    "warpSize",
    "assert",
    "NULL",
    "NAN",
    "INFINITY",
    "signed_",
    "main",
    "unix",
    "linux",
];

/// The keywords of C++20, alternative spellings of operators included.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_names_become_c_names() {
        for (rust, cpp) in
            [("x", "x"), ("r#type", "type"), ("größe", "gru00f6u00dfe"), ("_x", "v_x"), ("a__b", "a_u_b")]
        {
            let cpp = if cpp.contains("u00") { cpp.replace("u00", "u") } else { cpp.to_owned() };
            assert_eq!(ascii(rust), cpp, "{rust}");
        }
    }

    #[test]
    fn shadowed_names_keywords_and_ours_are_told_apart() {
        let mut namer = Namer::new();
        let names = ["x", "x", "x_1", "float", "ab_cx", "threadIdx"].map(|n| namer.name(n));
        assert_eq!(names, ["x", "x_1", "x_1_1", "float_1", "ab_cx_1", "threadIdx_1"]);
        assert_eq!(namer.temporary(), "t0");
    }
}
