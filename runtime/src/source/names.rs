//! C++ names of device functions. They live in a namespace of their own and are always called by their qualified name, so
//! neither CUDA's functions (`max`, `sinf`) nor a local variable of the same name can come between.

/// The names given so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: Vec<String>,
}

impl Names {
    /// The user's name if it is free in C++; else with the module path in front, else with a number behind.
    pub(super) fn claim(&mut self, name: &str, module: &str) -> String {
        let plain = identifier(name);
        let long = identifier(&format!("{module}::{name}"));
        let numbered = (2u32..).map(|n| format!("{plain}_{n}"));
        let mut candidates = [plain.clone(), long].into_iter().chain(numbered);
        let free = candidates.find(|candidate| !self.taken.contains(candidate)).unwrap_or(plain);
        self.taken.push(free.clone());
        free
    }
}

/// A C++ identifier that reads like the Rust path. Underscores are kept from doubling, since C++ reserves those names.
fn identifier(path: &str) -> String {
    let mut out = String::new();
    for c in path.replace("r#", "").replace("::", "_").chars() {
        match c {
            '_' if out.ends_with('_') => {}
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            c => out.push_str(&format!("u{:x}", u32::from(c))),
        }
    }
    if out.starts_with('_') {
        out.insert_str(0, "fn");
    }
    if RESERVED.contains(&out.as_str()) {
        out.push('_');
    }
    out
}

/// Words that mean something else in C++17 or CUDA, or in the prelude.
const RESERVED: &[&str] = &[
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
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "const",
    "const_cast",
    "constexpr",
    "continue",
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
    "typeof",
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
    "NULL",
    "AB_FN",
    "AB_EXIT",
    "ab",
    "device",
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
    "ab_cx",
    "ab_fault",
    "warpSize",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_like_the_users_and_are_unique() {
        let mut names = Names::default();
        let mut check = |name, module, expected: &str| assert_eq!(names.claim(name, module), expected);
        check("wave", "app::math", "wave");
        check("wave", "app::sound", "app_sound_wave");
        check("wave", "app::sound", "wave_2");
        check("wave", "app::sound", "wave_3");
        check("double", "app", "double_");
        check("r#try", "app", "try_");
        check("f32", "app", "f32_");
        check("_f", "app", "fn_f");
        check("a__b", "app", "a_b");
        check("höhe", "app", "huf6he");
        check("max", "app", "max");
    }
}
