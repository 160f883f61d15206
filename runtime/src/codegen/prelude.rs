//! The files of `prelude/`, divided into parts. A program gets the parts that it uses.

use std::sync::LazyLock;

/// What comes before all parts in a program for HIP: the functions of CUDA that HIP lacks, or has
/// under another meaning.
pub(super) static HIP: &str = include_str!("prelude/hip.cuh");

static TEXT: &str = include!("prelude/text.rs");

/// The text between two `//@` lines.
struct PreludePart {
    /// The names that `ab::name` may use. For the first and the last part, which every program has,
    /// this is only their keyword.
    names: Vec<&'static str>,
    text: &'static str,
    /// The parts that this part mentions.
    needs: Vec<usize>,
}

static PARTS: LazyLock<Vec<PreludePart>> = LazyLock::new(|| {
    let cut = |part: &'static str| part.split_once('\n').unwrap_or((part, ""));
    let mut parts: Vec<PreludePart> = TEXT
        .split("\n//@ ")
        .skip(1)
        .map(|part| PreludePart {
            names: cut(part).0.split_whitespace().collect(),
            text: cut(part).1,
            needs: Vec::new(),
        })
        .collect();
    for i in 0..parts.len() {
        parts[i].needs = mentioned(&parts, parts[i].text);
    }
    parts
});

/// The prelude for a program: the parts that its text names, and the parts that these need, in the
/// prelude's order.
pub(super) fn used_by(program: &str) -> String {
    let parts = &*PARTS;
    let mut used = vec![false; parts.len()];
    let mut open = mentioned(parts, program);
    open.extend([0, parts.len() - 1]);
    while let Some(i) = open.pop() {
        if !std::mem::replace(&mut used[i], true) {
            open.extend(&parts[i].needs);
        }
    }
    parts.iter().zip(used).filter(|(_, used)| *used).flat_map(|(part, _)| [part.text.trim_end(), "\n"]).collect()
}

/// The parts that define the `ab::name`s of a text.
fn mentioned(parts: &[PreludePart], text: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in text.match_indices("ab::") {
        let name = text[at + 4..].split(|c| !is_word(c)).next().unwrap_or_default();
        let qualified = !text[..at].ends_with(is_word);
        found.extend(parts.iter().position(|part| qualified && part.names.contains(&name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the helpers that a program gets, without the first and the last part.
    fn helpers(program: &str) -> Vec<&'static str> {
        let text = used_by(program);
        PARTS[1..PARTS.len() - 1].iter().filter(|part| text.contains(part.text)).map(|part| part.names[0]).collect()
    }

    #[test]
    fn a_program_gets_what_it_names_and_what_that_pulls_in() {
        assert_eq!(helpers("x + y"), [""; 0]);
        assert_eq!(helpers("ab::sqrt(x)"), ["sqrt"]);
        assert_eq!(helpers("ab::slice<f32> x"), ["record", "slice"]);
        assert_eq!(helpers("ab::recip(ab::sqrt(x))"), ["sqrt", "recip"]);
        assert_eq!(helpers("ab::add_to(x, ab::recip(y))"), ["same", "kind", "add", "add_to", "recip"]);
        assert_eq!(helpers("lab::sqrt(x), ab::sqrt_of_mine(x)"), [""; 0]);
    }

    #[test]
    fn the_order_is_the_preludes_and_each_part_comes_once() {
        assert_eq!(used_by("ab::trunc(x) ab::sqrt(x)"), used_by("ab::sqrt(x) ab::trunc(x) ab::sqrt(x)"));
    }

    #[test]
    fn every_name_that_a_part_mentions_is_defined_before_it() {
        for (i, part) in PARTS.iter().enumerate() {
            assert!(part.needs.iter().all(|&need| need <= i), "{:?} comes before a part that it needs", part.names);
            let names =
                part.text.lines().filter(|line| !line.starts_with("//")).flat_map(|line| line.split("ab::").skip(1));
            for name in names.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap()) {
                assert!(PARTS.iter().any(|part| part.names.contains(&name)), "ab::{name} is not defined");
            }
        }
    }

    /// Each part compiles in a separate namespace with the parts that it needs, so no part depends
    /// on a part that it does not name.
    #[test]
    fn every_part_stands_alone() {
        let mut code = include_str!("../../tests/prelude/host.h").to_owned();
        for (i, part) in PARTS[1..PARTS.len() - 1].iter().enumerate() {
            code.push_str(&format!("namespace part_{i} {{\n{}}}\n", used_by(&format!("ab::{}", part.names[0]))));
        }
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("parts.cpp");
        std::fs::write(&source, code).unwrap();
        let checked = std::process::Command::new("c++").args(["-std=c++17", "-fsyntax-only"]).arg(&source).output();
        let Ok(checked) = checked else {
            assert!(std::env::var_os("CI").is_none(), "CI has to bring a C++ compiler");
            eprintln!("skipped: no C++ compiler on this machine");
            return;
        };
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}
