//! Scratch crates: each batch of programs becomes a library of plain Rust, built with the semantics
//! of releases, and a binary of kernels, built with overflow checks, which runs both and compares
//! them.

use std::fmt::Write as _;
use std::io;

use anabranch_programs::generate::{ENVIRONMENT, Env};
use anabranch_programs::scratch::Scratch;

use crate::case::{Case, What};

const SUPPORT: &str = include_str!("scratch/support.rs");
const TEAM: &str = include_str!("scratch/team.rs");
const RANGES: &str = include_str!("scratch/ranges.rs");
const HELPERS: &str = include_str!("scratch/helpers.rs");
const ALLOW: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals)]\n";

/// The loops of a kernel are a list of types.
const MANY_LOOPS: &str = "#![recursion_limit = \"1024\"]\n";

/// Scratch crates.
#[derive(Clone)]
pub(crate) struct Crates {
    pub(crate) scratch: Scratch,
    /// Whether the kernels are optimized as in a release. Plain Rust never is, so its loops are not
    /// vectorized.
    pub(crate) optimized: bool,
}

/// Where each program is in the files of its batch: `[plain, kernels]`.
pub(crate) type Parts = [Vec<[[usize; 2]; 2]>; 2];

impl Crates {
    /// Writes all crates, with `loops` programs in a kernel.
    pub(crate) fn write(&self, batches: &[Vec<Case>], loops: usize) -> io::Result<Vec<Parts>> {
        let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [");
        for batch in 0..batches.len() {
            let _ = write!(manifest, "\"plain{batch}\", \"twin{batch}\", ");
        }
        manifest.push_str("]\n\n[profile.dev]\ndebug = 0\nincremental = false\noverflow-checks = true\n");
        manifest.push_str("\n[profile.dev.build-override]\nopt-level = 2\n");
        for batch in 0..batches.len() {
            let _ = write!(
                manifest,
                "\n[profile.dev.package.plain{batch}]\noverflow-checks = false\ndebug-assertions = false\n"
            );
            if self.optimized {
                let _ = write!(manifest, "\n[profile.dev.package.twin{batch}]\nopt-level = 3\n");
            }
        }
        self.scratch.root(&manifest)?;
        batches.iter().enumerate().map(|(batch, programs)| self.batch(batch, programs, loops)).collect()
    }

    fn batch(&self, batch: usize, programs: &[Case], loops: usize) -> io::Result<Parts> {
        let (plain, twin) = (plain(programs), twin(programs, loops));
        let scratch = &self.scratch;
        scratch.put(&format!("plain{batch}/Cargo.toml"), &scratch.package(&format!("plain{batch}")))?;
        scratch.put(&format!("plain{batch}/src/lib.rs"), &plain.text)?;
        let twin_too = format!("plain{batch} = {{ path = \"../plain{batch}\" }}\n");
        scratch.put(&format!("twin{batch}/Cargo.toml"), &(scratch.package(&format!("twin{batch}")) + &twin_too))?;
        scratch.put(&format!("twin{batch}/src/support.rs"), SUPPORT)?;
        scratch.put(&format!("twin{batch}/src/main.rs"), &twin.text)?;
        let parts = [plain.parts, twin.parts];
        scratch.put(&format!("twin{batch}/src/table.rs"), &table(batch, programs, &parts, loops))?;
        Ok(parts)
    }
}

/// A file, and where the parts of each program are in it.
#[derive(Default)]
struct Source {
    text: String,
    /// For each program its items and its body: first line and number of lines.
    parts: Vec<[[usize; 2]; 2]>,
}

impl Source {
    /// Adds a part of a program and returns its location.
    fn part(&mut self, text: &str) -> [usize; 2] {
        let at = [1 + self.text.matches('\n').count(), text.matches('\n').count()];
        self.text.push_str(text);
        at
    }
}

/// Records what plain Rust prints, to compare it.
const PRINTED: &str =
    "thread_local! { static PRINTED: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) }; }
pub fn printed() -> Vec<String> { PRINTED.take() }
macro_rules! println {
    ($($format:tt)*) => {{ let line = format!($($format)*); PRINTED.with_borrow_mut(|all| all.push(line + \"\\n\")); }};
}
";

/// A function as a closure that the kernel gets.
const PASSED: &str = "macro_rules! passed {
    ($name:ident, ($($ty:ty),*) => $output:ty, $($closure:tt)*) => {
        pub fn $name() -> impl anabranch::DeviceClosure<($($ty,)*), Output = $output> { closure!($($closure)*) }
    };
}
";

/// The grid and such closures of plain Rust.
const GRID: &str = "macro_rules! passed {
    ($name:ident, ($($ty:ty),*) => $output:ty, $($closure:tt)*) => {
        pub fn $name() -> impl Fn($($ty),*) -> $output + Copy { $($closure)* }
    };
}
pub struct Grid<T, const D: usize> { pub values: Vec<T>, shape: [usize; D] }
impl<T: Copy, const D: usize> Grid<T, D> {
    fn new(values: &[T], shape: [usize; D]) -> Self { Self { values: values.to_vec(), shape } }
    pub fn shape(&self) -> [usize; D] { self.shape }
    pub fn len(&self) -> usize { self.values.len() }
    #[track_caller]
    fn place(&self, index: [usize; D]) -> usize {
        (0..D).fold(0, |place, dim| {
            let (index, len) = (index[dim], self.shape[dim]);
            place * len + index
        })
    }
    #[track_caller]
    fn check(&self, index: [usize; D]) {
        for dim in 0..D {
            let (index, len) = (index[dim], self.shape[dim]);
            assert!(index < len, \"index out of bounds: the len of dimension {dim} is {len} but the index is {index}\");
        }
    }
}
impl<T: Copy, const D: usize> std::ops::Index<[usize; D]> for Grid<T, D> {
    type Output = T;
    #[track_caller]
    fn index(&self, index: [usize; D]) -> &T { self.check(index); &self.values[self.place(index)] }
}
impl<T: Copy, const D: usize> std::ops::IndexMut<[usize; D]> for Grid<T, D> {
    #[track_caller]
    fn index_mut(&mut self, index: [usize; D]) -> &mut T { self.check(index); let at = self.place(index); &mut self.values[at] }
}
";

fn plain(programs: &[Case]) -> Source {
    let mut source = Source { text: ALLOW.to_owned(), parts: Vec::new() };
    source.text.push_str(
        "use anabranch::{Float, Int, Num, half::{bf16, f16}};\nuse std::cmp::Ordering;\nuse std::sync::atomic::{AtomicI64, Ordering::Relaxed};\npub trait DeviceValue: Copy {}\nimpl<T: Copy> DeviceValue for T {}\n",
    );
    source.text.push_str(PRINTED);
    source.text.push_str(GRID);
    source.text.push_str(&HELPERS.replace("#[device]\n", ""));
    source.text.push_str(TEAM);
    source.text.push_str(RANGES);
    for program in programs {
        let items = source.part(&program.plain_items());
        let number = program.number;
        let _ = writeln!(source.text, "pub fn run{number}(first: usize, end: usize, {}) {{", signature(true));
        source.text.push_str("    let (grid, volume) = (&Grid::new(grid, [4, 6]), &Grid::new(volume, [2, 3, 4]));\n");
        source.text.push_str(
            "    let mut grid_of_rows = Grid::new(rows, [n, 4]);\n    let (kept, rows) = (rows, &mut grid_of_rows);\n",
        );
        source.text.push_str(
            "    let mut all_pairs: Vec<_> = pairs.iter().map(|(x, float)| Two { x: *x, float: *float }).collect();\n    \
             let (kept_pairs, pairs) = (pairs, &mut all_pairs[..]);\n",
        );
        for [name, ..] in program.passed() {
            let _ = writeln!(source.text, "    let p{number}_{name} = p{number}::{name}();");
        }
        let body = match &program.plain {
            Some(plain) => source.part(plain),
            None => {
                source.text.push_str("    'each: for i in first..end {\n");
                let body = source.part(&program.body);
                source.text.push_str("    }\n");
                body
            }
        };
        source.text.push_str(
            "    kept.copy_from_slice(&rows.values);\n    \
             kept_pairs.iter_mut().zip(pairs).for_each(|(kept, pair)| *kept = (pair.x, pair.float));\n}\n",
        );
        source.parts.push([items, body]);
    }
    source
}

fn twin(programs: &[Case], loops: usize) -> Source {
    let mut source = Source { text: ALLOW.to_owned(), parts: Vec::new() };
    let _ = writeln!(
        source.text,
        "{MANY_LOOPS}mod support;\nmod table;\nuse anabranch::{{half::{{bf16, f16}}, prelude::*}};\nuse std::cmp::Ordering;\nuse std::sync::atomic::{{AtomicI64, Ordering::Relaxed}};\nfn main() {{\n    support::main(table::PROGRAMS, table::PLANS);\n}}"
    );
    source.text.push_str(HELPERS);
    source.text.push_str(PASSED);
    source.text.push_str(&environment());
    for (kernel, programs) in programs.chunks(loops).enumerate() {
        let items: Vec<_> = programs.iter().map(|program| source.part(&program.items)).collect();
        let passed: String = programs
            .iter()
            .flat_map(|program| {
                let number = program.number;
                program
                    .passed()
                    .into_iter()
                    .map(move |[name, types, output]| format!(", p{number}_{name}: impl Fn({types}) -> {output}"))
            })
            .collect();
        let _ = writeln!(
            source.text,
            "#[kernel]\npub fn k{kernel}(which: u32, first: usize, end: usize, {}{passed}) {{\n    match which {{",
            if in_struct(kernel, programs) {
                "environment: Environment<'_>, out: &mut [u64]".to_owned()
            } else {
                signature(false)
            }
        );
        for (which, (program, items)) in programs.iter().zip(items).enumerate() {
            let head = if program.plain.is_some() { "{" } else { "'each: for i in par(first..end) {" };
            let _ = writeln!(source.text, "    {which} => {head}");
            let body = if in_struct(kernel, programs) { of_struct(&program.body) } else { program.body.clone() };
            let body = source.part(&body);
            source.text.push_str("    }\n");
            source.parts.push([items, body]);
        }
        source.text.push_str("    _ => {}\n    }\n}\n");
    }
    source
}

/// The table of programs for the scratch binary.
fn table(batch: usize, programs: &[Case], [plain, twin]: &Parts, loops: usize) -> String {
    let mut text = String::from("pub const PROGRAMS: &[crate::support::Program] = &[\n");
    let passed = |at: usize| {
        let kernel = programs.chunks(loops).nth(at / loops).unwrap_or_default();
        let of = |program: &Case| {
            let number = program.number;
            program.passed().iter().map(|[name, ..]| format!(", crate::p{number}::{name}()")).collect::<String>()
        };
        kernel.iter().map(of).collect::<String>()
    };
    for (at, program) in programs.iter().enumerate() {
        let (Case { number, seed, .. }, kernel, which) = (program, at / loops, at % loops);
        let parts = [0, 1].map(|part| {
            assert_eq!(plain[at][part][1], twin[at][part][1], "both forms have the same lines");
            [plain[at][part][0], twin[at][part][0], twin[at][part][1]]
        });
        let _ = writeln!(
            text,
            "    crate::support::Program {{ number: {number}, seed: {seed}, blocks: {}, whole: {}, parts: {parts:?},\n        \
             plain: |first, end, d, o| plain{batch}::run{number}(first, end, {}),\n        \
             printed: plain{batch}::printed,\n        \
             launch: |stream, first, end, d| crate::k{kernel}(stream, {which}, first, end, {}{}) }},",
            program.what == What::Blocks,
            program.what == What::Host,
            arguments(true),
            match in_struct(kernel, programs.chunks(loops).nth(kernel).unwrap_or_default()) {
                true => format!("crate::Environment {{ {} }}, &mut d.out", fields()),
                false => arguments(false),
            },
            passed(at),
        );
    }
    text.push_str("];\n");
    let kernels: String = programs.chunks(loops).enumerate().map(|(kernel, programs)| plan(kernel, programs)).collect();
    text + &format!("pub const PLANS: &[fn() -> anabranch::Plan] = &[{kernels}];\n")
}

/// A function that returns the plan of a kernel. Only a function knows the types of closures.
fn plan(kernel: usize, programs: &[Case]) -> String {
    let (mut bounds, mut types, mut values) = (String::new(), String::new(), String::new());
    let of =
        |program: &Case| program.passed().iter().map(|of| (program.number, of.map(str::to_owned))).collect::<Vec<_>>();
    for (at, (number, [name, of, output])) in programs.iter().flat_map(of).enumerate() {
        let separator = if of.is_empty() { "" } else { "," };
        let _ = write!(bounds, "F{at}: anabranch::DeviceClosure<({of}{separator}), Output = {output}>, ");
        let _ = write!(types, "F{at}, ");
        let _ = write!(values, "crate::p{number}::{name}(), ");
    }
    let params: String = types.split_terminator(", ").map(|ty| format!("_: {ty}, ")).collect();
    format!(
        "|| {{ use crate::*; fn plan<{bounds}>({params}) -> anabranch::Plan {{ crate::k{kernel}::plan::<{types}>() }} plan({values}) }}, "
    )
}

/// Whether a kernel has the environment as a struct of slices: each second one, unless a text that
/// it prints names a variable of the environment, or it has a variable of that name.
fn in_struct(kernel: usize, programs: &[Case]) -> bool {
    let names = || ENVIRONMENT[1..].iter().map(|(name, _)| *name);
    let prints = |program: &Case| names().any(|name| program.body.contains(&format!("{{{name}")));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let binds = |program: &Case| {
        let heads = program.body.split("for ").skip(1).filter_map(|rest| Some(rest.split_once(" in ")?.0));
        let is_one = |word: &str| names().any(|name| name == word);
        heads.flat_map(|head| head.split(|c| !is_word(c))).any(is_one)
            || ["let ", " mut "]
                .iter()
                .flat_map(|before| program.body.split(before).skip(1))
                .any(|rest| is_one(rest.split(|c| !is_word(c)).next().unwrap_or_default()))
    };
    kernel % 2 == 1 && !programs.iter().any(|program| prints(program) || binds(program))
}

/// The struct.
fn environment() -> String {
    let mut text = String::from("#[device]\npub struct Environment<'a> {\n");
    for (name, env) in &ENVIRONMENT[1..] {
        let _ = match env {
            Env::Value(scalar) => writeln!(text, "pub {name}: {},", scalar.name()),
            Env::Slice(scalar) => writeln!(text, "pub {name}: &'a [{}],", scalar.name()),
            Env::Own | Env::Lanes => writeln!(text, "pub {name}: &'a mut [i64],"),
            Env::Results(scalar) => writeln!(text, "pub {name}: &'a mut [{}],", scalar.name()),
            Env::Pairs => writeln!(text, "pub {name}: &'a mut [Two<i64, f32>],"),
            Env::Cells => writeln!(text, "pub {name}: &'a [AtomicI64],"),
            Env::Grid(scalar, dims) => writeln!(text, "pub {name}: &'a Grid<{}, {dims}>,", scalar.name()),
            Env::Rows => writeln!(text, "pub {name}: &'a mut Grid<i64, 2>,"),
        };
    }
    text + "}\n"
}

/// Its fields at a launch.
fn fields() -> String {
    let field = |(name, env): &(&str, Env)| match env {
        Env::Value(_) => format!("{name}: d.{name}, "),
        Env::Slice(_) | Env::Grid(_, 3..) => format!("{name}: (&d.{name}).into(), "),
        Env::Own | Env::Lanes | Env::Results(_) | Env::Pairs | Env::Cells => {
            format!("{name}: (&mut d.{name}).into(), ")
        }
        Env::Grid(..) => format!("{name}: d.{name}.part(crate::support::GRID), "),
        Env::Rows => format!("{name}: d.{name}.part_mut(crate::support::ROWS), "),
    };
    ENVIRONMENT[1..].iter().map(field).collect()
}

/// A body that has the environment in the struct.
fn of_struct(body: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut text, mut rest, mut quoted) = (String::new(), body, false);
    while let Some(first) = rest.chars().next() {
        let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(len);
        quoted ^= first == '"' && !text.ends_with('\\');
        let is_one = ENVIRONMENT[1..].iter().any(|(name, _)| *name == word);
        let is_field = text.ends_with('.') && !text.ends_with("..");
        let is_label = text.ends_with('\'');
        if is_one && !quoted && !is_field && !is_label {
            text.push_str("environment.");
        }
        text.push_str(word);
        rest = behind;
    }
    text
}

/// The environment as parameters; `plain`: the elements of grids.
fn signature(plain: bool) -> String {
    let mut text = String::new();
    for (name, env) in &ENVIRONMENT[1..] {
        let _ = match env {
            Env::Value(scalar) => write!(text, "{name}: {}, ", scalar.name()),
            Env::Slice(scalar) => write!(text, "{name}: &[{}], ", scalar.name()),
            Env::Own | Env::Lanes => write!(text, "{name}: &mut [i64], "),
            Env::Results(scalar) => write!(text, "{name}: &mut [{}], ", scalar.name()),
            Env::Pairs if plain => write!(text, "{name}: &mut [(i64, f32)], "),
            Env::Pairs => write!(text, "{name}: &mut [Two<i64, f32>], "),
            Env::Cells => write!(text, "{name}: &[AtomicI64], "),
            Env::Grid(scalar, _) if plain => write!(text, "{name}: &[{}], ", scalar.name()),
            Env::Grid(scalar, dims) => write!(text, "{name}: &Grid<{}, {dims}>, ", scalar.name()),
            Env::Rows if plain => write!(text, "{name}: &mut [i64], "),
            Env::Rows => write!(text, "{name}: &mut Grid<i64, 2>, "),
        };
    }
    text + "out: &mut [u64]"
}

fn arguments(plain: bool) -> String {
    let mut text = String::new();
    for (name, env) in &ENVIRONMENT[1..] {
        let _ = match env {
            Env::Value(_) => write!(text, "d.{name}, "),
            Env::Slice(_) => write!(text, "&d.{name}, "),
            Env::Grid(..) if plain => write!(text, "&d.{name}, "),
            Env::Own | Env::Rows | Env::Lanes | Env::Results(_) | Env::Pairs if plain => {
                write!(text, "&mut o.{name}, ")
            }
            Env::Cells if plain => write!(text, "&o.{name}, "),
            Env::Own | Env::Lanes | Env::Results(_) | Env::Pairs | Env::Cells => write!(text, "&mut d.{name}, "),
            // Some are parts of larger grids.
            Env::Grid(_, 2) => write!(text, "&d.{name}.part(crate::support::GRID), "),
            Env::Grid(..) => write!(text, "&d.{name}, "),
            Env::Rows => write!(text, "&mut d.{name}.part_mut(crate::support::ROWS), "),
        };
    }
    text + if plain { "&mut o.out" } else { "&mut d.out" }
}
