//! A program as text: what the harness compiles, and what is kept of a program that was found to differ.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anabranch_programs::print::{self, Form};
use anabranch_programs::program::Program;

const BODY: &str = "// The body of the loop:\n";
const BLOCKS: &str = "// The loop over blocks:\n";
const PLAIN: &str = "// The same in plain Rust:\n";

/// A program as text.
#[derive(Clone)]
pub(crate) struct Case {
    /// Its number in the run, which is the name of its module.
    pub(crate) number: usize,
    /// Of its inputs.
    pub(crate) seed: u64,
    /// A module with its constants and `#[device]` functions.
    pub(crate) items: String,
    /// What the loop does; of a loop over blocks, all of it.
    pub(crate) body: String,
    /// A loop over blocks in plain Rust, line by line the same.
    pub(crate) plain: Option<String>,
}

impl Case {
    pub(crate) fn of(program: &Program) -> Self {
        let Program { number, seed, .. } = *program;
        let (items, of_loop) = (print::items(program), program.loops()[0]);
        let (body, plain) = match of_loop.threads {
            None => (print::body(program, &of_loop.body), None),
            Some(_) => {
                let [kernel, plain] =
                    [Form::Kernel, Form::Plain].map(|form| print::over_blocks(program, of_loop, form));
                (kernel, Some(plain))
            }
        };
        Self { number, seed, items, body, plain }
    }

    /// The same under another number.
    pub(crate) fn renumbered(self, number: usize) -> Self {
        let rename = |text: &str| {
            text.replace(&format!("p{}::", self.number), &format!("p{number}::"))
                .replace(&format!("mod p{} ", self.number), &format!("mod p{number} "))
        };
        let plain = self.plain.as_deref().map(rename);
        Self { number, seed: self.seed, items: rename(&self.items), body: rename(&self.body), plain }
    }

    /// Its items without the library, line by line the same.
    pub(crate) fn plain_items(&self) -> String {
        let items = self.items.replace("#[device]\n    impl", "\n    impl");
        items.replace("#[device]\n    pub trait", "\n    pub trait").replace("#[device]", "#[inline(never)]")
    }

    /// The text of a file, with what is to be said of it as comments on top.
    pub(crate) fn to_file(&self, remarks: &str) -> String {
        let mut text = String::new();
        remarks.lines().for_each(|line| {
            let _ = writeln!(text, "// {line}");
        });
        let Self { number, seed, items, body, plain } = self.clone().renumbered(0);
        let head = if plain.is_some() { BLOCKS } else { BODY };
        let _ = write!(text, "// number: {number}\n// seed: {seed}\n{items}{head}{body}");
        plain.iter().for_each(|plain| text.extend([PLAIN, plain]));
        text
    }

    fn from_file(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("// number: 0\n// seed: ")?;
        let (seed, rest) = rest.split_once('\n')?;
        let (items, body, plain) = match rest.split_once(BODY) {
            Some((items, body)) => (items, body, None),
            None => {
                let (items, rest) = rest.split_once(BLOCKS)?;
                let (body, plain) = rest.split_once(PLAIN)?;
                (items, body, Some(plain.to_owned()))
            }
        };
        Some(Self { number: 0, seed: seed.parse().ok()?, items: items.to_owned(), body: body.to_owned(), plain })
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
