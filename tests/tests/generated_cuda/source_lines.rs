//! Tables of lines: with them the machine code is the same, and they name the lines of the Rust source.

use anabranch::prelude::*;
use anabranch::private::offline::{nvrtc_compile, nvrtc_compile_with_lines, source_with_lines};

use super::machine_code::{instructions, lines, section};

const HERE: &str = file!();

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
            sum += damped(y[i]); // sum
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

macro_rules! kernel_of {
    ($name:ident, $value:expr) => {
        #[kernel]
        fn $name(x: &mut [f32], y: &[f32]) {
            for i in par(0..x.len()) {
                let element = y[i]; // in the macro
                x[i] = element * $value;
            }
        }
    };
}

kernel_of!(expanded, {
    let a = 2.0;
    a * 3.0
});

/// The kernels with and without lines in their CUDA C++.
fn sources() -> [(&'static str, String, String); 3] {
    [
        ("relax", relax::cuda_source(), source_with_lines(relax::__instance())),
        ("turned", turned::cuda_source(), source_with_lines(turned::__instance())),
        ("expanded", expanded::cuda_source(), source_with_lines(expanded::__instance())),
    ]
}

/// The number of the only line of this file with a comment.
fn line_of(comment: &str) -> u64 {
    let comment = format!("// {comment}");
    let mut found = include_str!("source_lines.rs").lines().zip(1..).filter(|(line, _)| line.ends_with(&comment));
    let (_, line) = found.next().unwrap();
    assert!(found.next().is_none(), "{comment}");
    line
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
            let table = lines(section(&cubin, ".debug_line").unwrap());
            let expected: &[&str] = match name {
                "relax" => &["damped", "sum", "store"],
                "turned" => &["turn"],
                _ => &["in the macro"],
            };
            for comment in expected {
                let line = line_of(comment);
                let is_there = table.iter().any(|(file, of)| file.ends_with(HERE) && *of == line);
                assert!(is_there, "{name}, sm_{at}: line {line} is not among {table:?}\n{with_lines}");
            }
            // No line is one that the source does not have, and helpers have lines of the program.
            let most = include_str!("source_lines.rs").lines().count() as u64;
            for (file, line) in &table {
                let of_program = [format!("/{name}.cu"), "/source.cu".to_owned()].iter().any(|end| file.ends_with(end));
                assert!(of_program || file.ends_with(HERE) && *line <= most, "{name}, sm_{at}: {file}, line {line}");
            }
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
        let place = format!("{HERE}({})", line_of("sum"));
        assert!(error.contains(&place), "{place} is not in:\n{error}");
    }
}
