//! What the macros accept, rustc gets: it compiles, or rustc says at a token of the user what is
//! wrong. An error that only points at the attribute, or speaks of a generated name, is one of
//! ours.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use proc_macro2::{TokenStream, TokenTree};

use super::{DEVICES, KERNELS, Random, inputs, is_refusal, mutate, pool_of, without_attribute};
use crate::expand;

/// What the functions of [`super::KERNELS`] and [`super::DEVICES`] mention.
const AROUND: &str = "#![allow(warnings)]
use anabranch::prelude::*;
const TABLE: [f32; 3] = [0.5, 1.0, 0.5];
const LIMIT: i32 = 5;
pub struct Config;
impl Config { fn find(&self, f: impl Fn(usize) -> bool) -> Option<usize> { (0..9).find(|&n| f(n)) } }
#[device] fn wave(x: f32) -> f32 { x.sin() }
#[device] fn sum(x: &[f32], flags: &[bool]) -> f32 { if flags[0] { x[0] } else { 0.0 } }
#[device] fn set(x: &mut f32, table: &[f32; 3]) { *x = table[0]; }
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[device] fn bump(cell: &AtomicU32, by: u32) { cell.fetch_add(by, Relaxed); }
#[device] fn count(cells: &[AtomicU32], at: usize) { cells[at].fetch_add(1, Relaxed); }
#[device] fn apply(f: impl Fn(f32, usize) -> f32, v: f32) -> f32 { f(v, 1) }
#[device] struct Planes<'a> { red: &'a mut [f32], green: &'a mut [f32], mask: &'a [u8], by: f32 }
#[device] struct Both<'a, T: Scalar> { inner: Planes<'a>, image: &'a mut Grid<T, 2>, counts: &'a [AtomicU32], table: [T; 3] }
#[kernel] fn other(p: Planes<'_>, x: &mut [f32]) { for i in par(0..x.len()) { x[i] = p.red[0] + p.by; } }
fn main() {}
";
/// The line of the attribute in a file that begins with [`AROUND`].
const ATTRIBUTE: usize = 18;

/// The functions themselves, and mutants that the macro of their attribute accepts, in turn from
/// each.
fn accepted(mutants: usize) -> Vec<String> {
    type Expand = fn(TokenStream, TokenStream) -> TokenStream;
    let kernels = KERNELS.iter().map(|source| ("#[kernel]", expand::kernel as Expand, source));
    let devices = DEVICES.iter().map(|source| ("#[device]", expand::device as Expand, source));
    let sources: Vec<_> = kernels
        .chain(devices)
        .map(|(attribute, expand, source)| (attribute, expand, without_attribute(source)))
        .collect();
    let file = |attribute: &str, item: &TokenStream| format!("{AROUND}{attribute}\n{item}\n");
    let mut files = Vec::new();
    for (attribute, expand, source) in &sources {
        let answer = expand(TokenStream::new(), source.clone());
        assert!(!is_refusal(&answer), "{source}\n{answer}");
        files.push(file(attribute, source));
    }
    let mut random = Random::new();
    let pools: Vec<_> = sources.iter().map(|(.., source)| pool_of(source.clone())).collect();
    while files.len() < sources.len() + mutants {
        let at = files.len() % sources.len();
        let (attribute, expand, source) = &sources[at];
        let mutant = mutate(source.clone(), &mut random, &pools[at]);
        let text = file(attribute, &mutant);
        if is_function(&mutant) && !is_refusal(&expand(TokenStream::new(), mutant)) && !files.contains(&text) {
            files.push(text);
        }
    }
    files
}

/// Whether the whole is still one item, and its name one that nothing else has.
fn is_function(item: &TokenStream) -> bool {
    let trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let named = trees.windows(2).any(|pair| {
        matches!(pair, [TokenTree::Ident(token), TokenTree::Ident(name)] if token == "fn" && (name == "k" || name == "f"))
    });
    named && matches!(trees.last(), Some(TokenTree::Group(_)))
}

#[test]
fn what_is_accepted_compiles_or_is_wrong_at_a_token() {
    let sample = if inputs() > 20_000 { 400 } else { 30 };
    let files = accepted(sample);
    let errors = check(&files);
    let wrong: Vec<String> = files
        .iter()
        .enumerate()
        .filter_map(|(at, file)| {
            let errors = errors.get(&at)?;
            let original = at < KERNELS.len() + DEVICES.len();
            let unplaced = errors.iter().all(|error| error.starts_with(&format!("{ATTRIBUTE}:")));
            (original || unplaced || errors.iter().any(|error| is_ours(error, file))).then(|| {
                let source: Vec<&str> = file.lines().skip(ATTRIBUTE - 1).collect();
                format!("{}\n{}", source.join("\n"), errors.join("\n"))
            })
        })
        .collect();
    eprintln!("accepted and compiled: {} of {}", files.len() - errors.len(), files.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(files.len() - errors.len() > files.len() / 6, "too many are wrong to say much");
}

/// Whether an error speaks of what the user cannot see:
/// `line:column: error[E0308]: mismatched types`.
fn is_ours(error: &str, file: &str) -> bool {
    let message = error.splitn(3, ':').nth(2).unwrap_or_default();
    let mut names = message.split('`').skip(1).step_by(2);
    let generated = names.any(|name| name.starts_with("__") && !file.contains(name));
    let parsing = message.starts_with(" error: expected") || message.starts_with(" error: unexpected");
    generated || (parsing && !is_syntax_error(file))
}

/// Whether rustc's parser refuses the function as it was written.
fn is_syntax_error(file: &str) -> bool {
    let folder = folder();
    let source = folder.join("syntax.rs");
    let item: Vec<&str> = file.lines().skip(ATTRIBUTE).collect();
    fs::write(&source, format!("#[cfg(any())]\n{}\n", item.join("\n"))).expect("the folder can be written");
    let out = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-o"])
        .arg(folder.join("syntax.rmeta"))
        .arg(source)
        .output()
        .expect("rustc runs");
    !out.status.success()
}

/// The errors of each file, by its place.
fn check(files: &[String]) -> BTreeMap<usize, Vec<String>> {
    let folder = folder();
    let bins = folder.join("src/bin");
    let _ = fs::remove_dir_all(&bins);
    fs::create_dir_all(&bins).expect("the target folder can be written");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
    let manifest = format!(
        "[package]\nname = \"mutants\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nanabranch = {{ path = {:?} }}\n",
        root.join("runtime")
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("as above");
    let _ = fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"));
    for (at, file) in files.iter().enumerate() {
        fs::write(bins.join(format!("m{at}.rs")), file).expect("as above");
    }
    let out: Output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--bins", "--keep-going", "--quiet", "--message-format=short", "--color=never"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .current_dir(&folder)
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stderr);
    let mut errors: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        // `src/bin/m3.rs:12:5: error…`
        let Some((at, rest)) = line.strip_prefix("src/bin/m").and_then(|rest| rest.split_once(".rs:")) else {
            continue;
        };
        if let (Ok(at), true) = (at.parse(), rest.contains(": error")) {
            errors.entry(at).or_default().push(rest.to_owned());
        }
    }
    assert!(out.status.success() || !errors.is_empty(), "nothing was checked: {text}");
    errors
}

/// Beside the test's own executable: `target/debug/deps/…`.
fn folder() -> PathBuf {
    let executable = env::current_exe().expect("a test has an executable");
    executable.ancestors().nth(3).expect("it is below the target folder").join("tests/mutants")
}
