//! C++ names for user names: one each, ASCII only, and none that means something else.

use std::collections::BTreeSet;

/// Gives out names that are unique in one C++ function.
#[derive(Default)]
pub struct Namer {
    taken: BTreeSet<String>,
}

impl Namer {
    /// The name itself if it is free, else the name with a number appended.
    pub fn name(&mut self, rust: &str) -> String {
        let base = identifier(rust);
        let mut name = base.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }

    /// A name for a value without one: `t0`, `t1`, …
    pub fn temporary(&mut self) -> String {
        let mut number = 0;
        while !self.taken.insert(format!("t{number}")) {
            number += 1;
        }
        format!("t{number}")
    }
}

/// The name in C++, whose identifiers are ASCII in every compiler; with a `v` in front where it
/// would mean something else.
pub fn identifier(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust);
    let mut name = String::new();
    for c in rust.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else if c == '·' {
            // Of a field: `p·red`.
            name.push('_');
        } else {
            name.push_str(&format!("u{:x}", c as u32));
        }
    }
    // Reserved in C++: double underscores anywhere, an underscore in front. The macros of compilers
    // have both.
    while name.contains("__") {
        name = name.replace("__", "_u_");
    }
    if name.starts_with('_') || may_be_macro(&name) || RESERVED.contains(&name.as_str()) {
        name.insert(0, 'v');
    }
    name
}

/// Whether the prelude, NVRTC or the C library may define it as a macro. All but a few of those are
/// written like constants, which Rust has no variables and functions for, or begin with `cuda`.
/// NVRTC gets new ones with each version, so this is a rule, not a list.
fn may_be_macro(name: &str) -> bool {
    let like_a_constant = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    like_a_constant || name.starts_with("cuda") || MACROS.contains(&name)
}

/// The other macros.
const MACROS: &[&str] = &["assert", "linux", "unix", "va_arg", "va_copy", "va_end", "va_start"];

/// The names of the prelude and of CUDA that generated C++ mentions, and the keywords of C++20,
/// alternative spellings of operators and GNU's `typeof` included.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "ab", "ab_all", "ab_cx", "ab_fault", "ab_over", "ab_over_room", "ab_own", "ab_t", "ab_tag", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
    "f64", "blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize",
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr",
    "constinit", "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete",
    "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for",
    "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
    "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
    "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "typeof",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_names_become_c_names() {
        for (rust, cpp) in [
            ("x", "x"),
            ("N", "N"),
            ("r#type", "type"),
            ("größe", "gruf6udfe"),
            ("_x", "v_x"),
            ("a__b", "a_u_b"),
            ("r#try", "vtry"),
            ("f32", "vf32"),
            ("unix", "vunix"),
            ("AB_FN", "vAB_FN"),
            ("cudaStreamDefault", "vcudaStreamDefault"),
        ] {
            assert_eq!(identifier(rust), cpp, "{rust}");
            assert_eq!(identifier(cpp), cpp, "a name of ours is as it is");
        }
    }

    #[test]
    fn shadowed_names_keywords_and_ours_are_told_apart() {
        let mut namer = Namer::default();
        let names = ["x", "x", "x_1", "float", "vfloat", "ab_cx", "threadIdx"].map(|n| namer.name(n));
        assert_eq!(names, ["x", "x_1", "x_1_1", "vfloat", "vfloat_1", "vab_cx", "vthreadIdx"]);
        assert_eq!(namer.temporary(), "t0");
    }

    /// The prelude's own text says what its macros and types are called.
    #[test]
    fn no_name_is_one_of_the_prelude() {
        let prelude: &str = include!("../../runtime/src/codegen/prelude/text.rs");
        let global = prelude.split("namespace ab {").next().unwrap_or_default();
        let defined = |line: &'static str| line.trim().strip_prefix("#define ")?.split([' ', '(']).next();
        let macros: Vec<_> = prelude.lines().filter_map(defined).collect();
        let types: Vec<_> =
            global.split("typedef ").skip(1).filter_map(|t| t.split(';').next()?.split(' ').next_back()).collect();
        assert!(macros.contains(&"AB_FN") && macros.contains(&"AB_EXIT"), "{macros:?}");
        assert!(types.contains(&"usize") && types.len() >= 14, "{types:?}");
        for name in macros.into_iter().chain(types) {
            assert_ne!(identifier(name), name, "a variable of this name would not compile");
        }
    }
}
