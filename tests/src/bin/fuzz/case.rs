//! A program as text: for the harness to compile, and to save a failing program.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anabranch_programs::print::{self, Form};
use anabranch_programs::program::Program;

const BODY: &str = "// The body of the loop:\n";
const BLOCKS: &str = "// The loop over blocks:\n";
const HOST: &str = "// The host part:\n";
const PLAIN: &str = "// The same in plain Rust:\n";

/// A program as text.
#[derive(Clone)]
pub(crate) struct Case {
    /// The number of the program in the run, which names its module.
    pub(crate) number: usize,
    /// The seed of its inputs.
    pub(crate) seed: u64,
    /// A module with its constants and `#[device]` functions.
    pub(crate) items: String,
    pub(crate) what: What,
    /// The body of the loop, or the whole of other programs.
    pub(crate) body: String,
    /// The same in plain Rust, line by line, if it is different.
    pub(crate) plain: Option<String>,
}

/// The kind of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The body of a `par` loop.
    Loop,
    /// A loop over blocks.
    Blocks,
    /// A host part, which runs once.
    Host,
}

impl What {
    const ALL: [Self; 3] = [Self::Loop, Self::Blocks, Self::Host];

    /// The comment above it in a file.
    fn head(self) -> &'static str {
        match self {
            Self::Loop => BODY,
            Self::Blocks => BLOCKS,
            Self::Host => HOST,
        }
    }
}

impl Case {
    pub(crate) fn of(program: &Program) -> Self {
        let Program { number, seed, .. } = *program;
        let items = print::items(program);
        let both = |print: &dyn Fn(Form) -> String| (print(Form::Kernel), Some(print(Form::Plain)));
        let (what, (body, plain)) = match program.loops().first() {
            None => (What::Host, both(&|form| print::with_reductions(program, form))),
            Some(of_loop) if of_loop.threads.is_some() => {
                (What::Blocks, both(&|form| print::over_blocks(program, of_loop, form)))
            }
            Some(of_loop) => (What::Loop, (print::body(program, &of_loop.body), None)),
        };
        Self { number, seed, items, what, body, plain }
    }

    /// The same under another number.
    pub(crate) fn renumbered(self, number: usize) -> Self {
        let rename = |text: &str| {
            text.replace(&format!("p{}::", self.number), &format!("p{number}::"))
                .replace(&format!("mod p{} ", self.number), &format!("mod p{number} "))
        };
        let plain = self.plain.as_deref().map(rename);
        Self { number, items: rename(&self.items), body: rename(&self.body), plain, ..self }
    }

    /// The closures that the kernel gets, each with its types: `f_passed`, `(u32, i8)`, `f32`.
    pub(crate) fn passed(&self) -> Vec<[&str; 3]> {
        let of_line = |line| {
            let (name, rest) = str::strip_prefix(str::trim_start(line), "passed!(")?.split_once(", ")?;
            let (types, rest) = rest.strip_prefix('(')?.split_once(") => ")?;
            let (output, _) = rest.split_once(", |")?;
            Some([name, types, output])
        };
        self.items.lines().filter_map(of_line).collect()
    }

    /// Its items without the library, with the same lines.
    pub(crate) fn plain_items(&self) -> String {
        let items = self.items.replace("#[device]\n    impl", "\n    impl");
        items.replace("#[device]\n    pub trait", "\n    pub trait").replace("#[device]", "#[inline(never)]")
    }

    /// The text of a file that begins with `remarks` as comments.
    pub(crate) fn to_file(&self, remarks: &str) -> String {
        let mut text = String::new();
        remarks.lines().for_each(|line| {
            let _ = writeln!(text, "// {line}");
        });
        let Self { number, seed, items, what, body, plain } = self.clone().renumbered(0);
        let head = what.head();
        let _ = write!(text, "// number: {number}\n// seed: {seed}\n{items}{head}{body}");
        plain.iter().for_each(|plain| text.extend([PLAIN, plain]));
        text
    }

    fn from_file(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("// number: 0\n// seed: ")?;
        let (seed, rest) = rest.split_once('\n')?;
        let parts = |what: What| rest.split_once(what.head()).map(|(items, rest)| (what, items, rest));
        let (what, items, rest) = What::ALL.into_iter().find_map(parts)?;
        let (body, plain) = match rest.split_once(PLAIN) {
            Some((body, plain)) => (body, Some(plain.to_owned())),
            None => (rest, None),
        };
        let seed = seed.parse().ok()?;
        Some(Self { number: 0, seed, items: items.to_owned(), what, body: body.to_owned(), plain })
    }

    /// The cases of a folder, with their names, numbered from 0.
    pub(crate) fn load(folder: &Path) -> io::Result<Vec<(String, Self)>> {
        let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        paths.sort();
        let load = |(number, path): (usize, &std::path::PathBuf)| {
            let text = fs::read_to_string(path)?;
            let case =
                Self::from_file(&text).ok_or_else(|| io::Error::other(format!("{} is no case", path.display())))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, case.renumbered(number)))
        };
        paths.iter().enumerate().map(load).collect()
    }
}
