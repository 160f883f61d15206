//! Tables of lines: with them the machine code is the same, and they name the lines of the Rust
//! source.

use anabranch::prelude::*;
use anabranch::private::offline::{
    nvrtc_compile, nvrtc_compile_for_debuggers, nvrtc_compile_with_lines, source_with_lines,
};

use super::machine_code::{instructions, lines, section};

const HERE: &str = file!();
const TEXT: &str = include_str!("source_lines.rs");
/// Where the macro and the function are that the last kernel calls.
const ELSEWHERE: &str = crate::FILE;
const TEXT_ELSEWHERE: &str = include_str!("main.rs");

#[device]
fn damped(x: f32) -> f32 {
    let more = x + 0.5;
    x / more // damped
}

#[kernel]
fn relax(x: &mut [f32], y: &[f32], rounds: u32) {
    for i in par(0..x.len()) {
        let mut sum = 0.0;
        for k in 0..rounds {
            if k % 3 == 1 {
                continue;
            }
            let scale; // declaration
            if k > 7 {
                scale = 2.0;
            } else {
                scale = 0.5;
            }
            sum += scale * damped(y[i]); // sum
        }
        x[i] = sum; // store
    }
    for i in par(0..x.len()) {
        let scale = |v: f32| {
            let twice = v + v;
            twice * twice.abs()
        };
        x[i] = match rounds {
            0 => scale(y[i]),
            _ => y[i % 7] / 3.0,
        };
    }
}

#[kernel]
fn turned(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        let first = 64 * block.index();
        let mut tile = block.shared([0.0; 64]);
        for t in block.threads() {
            tile[t] = x[first + t];
        }
        for t in block.threads() {
            x[first + t] = tile[63 - t]; // turn
        }
    }
}

kernel_of!(expanded, {
    let a = y[0].abs().sqrt(); // of the caller
    a + 1.0
});

/// The kernels with and without lines in their CUDA C++.
fn sources() -> [(&'static str, String, String); 3] {
    [
        ("relax", relax::cuda_source(), source_with_lines(relax::__instance())),
        ("turned", turned::cuda_source(), source_with_lines(turned::__instance())),
        ("expanded", expanded::cuda_source(), source_with_lines(expanded::__instance())),
    ]
}

/// The file and the number of the only line with this comment.
fn line_of(comment: &str) -> (&'static str, u64) {
    let comment = format!("// {comment}");
    let lines = |file, text: &'static str| text.lines().zip(1..).map(move |(line, number)| (file, line, number));
    let mut all = lines(HERE, TEXT).chain(lines(ELSEWHERE, TEXT_ELSEWHERE));
    let mut found = all.by_ref().filter(|(_, line, _)| line.ends_with(&comment));
    let (file, _, line) = found.next().unwrap();
    assert!(found.next().is_none(), "{comment}");
    (file, line)
}

/// Checks that the line of the source with this comment is in the line tables of some machine code.
#[track_caller]
fn check_line(comment: &str, cubin: &[u8], context: &str) {
    check_place(line_of(comment), cubin, context);
}

#[track_caller]
fn check_place((expected, line): (&str, u64), cubin: &[u8], context: &str) {
    let table = lines(section(cubin, ".debug_line").unwrap());
    let is_there = table.iter().any(|(file, of)| file.ends_with(expected) && *of == line);
    assert!(is_there, "line {line} of {expected} is not among {table:?}\n{context}");
}

#[test]
fn lines_change_no_instruction() {
    let architectures = super::architectures();
    for (name, plain, with_lines) in sources() {
        assert!(!plain.contains("#line"), "{name}: a source that is read has no directives");
        for &at in &architectures {
            let (plain, _) = nvrtc_compile(&plain, at).unwrap();
            let (with_lines, log) = nvrtc_compile_with_lines(&with_lines, at).unwrap();
            assert_eq!(log, "", "{name}, sm_{at}");
            let code = instructions(&plain);
            assert!(!code.is_empty());
            assert!(code == instructions(&with_lines), "{name}, sm_{at}");
        }
    }
}

#[test]
fn each_line_of_the_source_is_in_the_table() {
    for at in super::architectures() {
        for (name, plain, with_lines) in sources() {
            let (cubin, _) = nvrtc_compile(&plain, at).unwrap();
            assert!(section(&cubin, ".debug_line").is_none(), "{name}, sm_{at}: no tables unless they are asked for");
            let (cubin, _) = nvrtc_compile_with_lines(&with_lines, at).unwrap();
            let expected: &[&str] = match name {
                "relax" => &["damped", "sum", "store"],
                "turned" => &["turn"],
                _ => &["in the macro", "store of the macro", "in another file", "of the caller"],
            };
            for comment in expected {
                check_line(comment, &cubin, &format!("{name}, sm_{at}:\n{with_lines}"));
            }
            if name == "expanded" {
                // The loop itself is in the macro, too, one line above.
                let (file, line) = line_of("in the macro");
                check_place((file, line - 1), &cubin, &with_lines);
            }
            // No line is one that the source does not have, and helpers have lines of the program.
            for (file, line) in lines(section(&cubin, ".debug_line").unwrap()) {
                let of_program = [format!("/{name}.cu"), "/source.cu".to_owned()].iter().any(|end| file.ends_with(end));
                let of_source = [(HERE, TEXT), (ELSEWHERE, TEXT_ELSEWHERE)].into_iter();
                let of_source =
                    of_source.filter(|(of, _)| file.ends_with(of)).map(|(_, text)| text.lines().count() as u64);
                assert!(of_program || of_source.max() >= Some(line), "{name}, sm_{at}: {file}, line {line}");
            }
        }
    }
}

/// The variables of the source, and code that has not been optimized, even where an optimizer would
/// leave nothing.
#[test]
fn a_debugger_finds_the_variables() {
    for at in super::architectures() {
        for (name, _, with_lines) in sources() {
            let (lines, _) = nvrtc_compile_with_lines(&with_lines, at).unwrap();
            let (full, log) = nvrtc_compile_for_debuggers(&with_lines, at).unwrap();
            assert_eq!(log, "", "{name}, sm_{at}");
            let (variables, comments): (&[&str], &[&str]) = match name {
                "relax" => (&["sum", "more", "twice"], &["damped", "declaration", "sum", "store"]),
                "turned" => (&["first"], &["turn"]),
                _ => (&["element", "more", "a"], &["in the macro", "in another file", "of the caller"]),
            };
            for variable in variables {
                let name = format!("{variable}\0");
                let has = |cubin: &[u8]| {
                    let mut parts = [".debug_info", ".debug_str"].into_iter().filter_map(|part| section(cubin, part));
                    let names = |part: &[u8]| {
                        // Not the end of a longer name.
                        let begins = |at: &usize| *at == 0 || !part[*at - 1].is_ascii_graphic();
                        (0..part.len()).filter(|at| part[*at..].starts_with(name.as_bytes())).any(|at| begins(&at))
                    };
                    parts.any(names)
                };
                assert!(has(&full), "{name}, sm_{at}: a debugger finds no `{variable}`");
                assert!(!has(&lines), "{name}, sm_{at}: lines come without `{variable}`");
            }
            for comment in comments {
                check_line(comment, &full, &format!("{name}, sm_{at}:\n{with_lines}"));
            }
            assert!(instructions(&full) != instructions(&lines), "{name}, sm_{at}: optimized code");
        }
    }
}

#[test]
fn an_error_of_the_compiler_names_the_line_of_the_source() {
    for at in super::architectures() {
        let source = source_with_lines(relax::__instance());
        let wrong = source.replace("sum = (sum +", "sum = (undeclared +").replace("sum += ", "undeclared += ");
        assert_ne!(source, wrong);
        let error = nvrtc_compile(&wrong, at).unwrap_err().to_string();
        let place = format!("{HERE}({})", line_of("sum").1);
        assert!(error.contains(&place), "{place} is not in:\n{error}");
    }
}
