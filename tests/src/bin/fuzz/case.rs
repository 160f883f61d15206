//! A program as text: what the harness compiles, and what is kept of a program that was found to differ.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anabranch_programs::print;
use anabranch_programs::program::Program;

const BODY: &str = "// The body of the loop:\n";

/// A program as text.
#[derive(Clone)]
pub(crate) struct Case {
    /// Its number in the run, which is the name of its module.
    pub(crate) number: usize,
    /// Of its inputs.
    pub(crate) seed: u64,
    /// A module with its constants and `#[device]` functions.
    pub(crate) items: String,
    /// What the loop does.
    pub(crate) body: String,
}

impl Case {
    pub(crate) fn of(program: &Program) -> Self {
        let Program { number, seed, .. } = *program;
        Self { number, seed, items: print::items(program), body: print::body(program, &program.loops()[0].body) }
    }

    /// The same under another number.
    pub(crate) fn renumbered(self, number: usize) -> Self {
        let rename = |text: &str| {
            text.replace(&format!("p{}::", self.number), &format!("p{number}::"))
                .replace(&format!("mod p{} ", self.number), &format!("mod p{number} "))
        };
        Self { number, seed: self.seed, items: rename(&self.items), body: rename(&self.body) }
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
        let Self { number, seed, items, body } = self.clone().renumbered(0);
        let _ = write!(text, "// number: {number}\n// seed: {seed}\n{items}{BODY}{body}");
        text
    }

    fn from_file(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("// number: 0\n// seed: ")?;
        let (seed, rest) = rest.split_once('\n')?;
        let (items, body) = rest.split_once(BODY)?;
        Some(Self { number: 0, seed: seed.parse().ok()?, items: items.to_owned(), body: body.to_owned() })
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
