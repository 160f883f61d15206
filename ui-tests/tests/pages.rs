//! The pages of `docs/errors`: each wrong example gives the error that its page shows, each right
//! one compiles.
//!
//! A page has three blocks: a wrong program, what the compiler says to it, a right program. The
//! programs go without their import and `main`, so that a line of the block is a line of the
//! program. `TRYBUILD=overwrite` writes what the compiler says into the pages.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Behind the example, where it moves no line.
const REST: &str = "\nuse anabranch::prelude::*;\nfn main() {}\n";
/// Where the program would be the reader's.
const PLACE: &str = "src/main.rs";

struct Page {
    path: PathBuf,
    code: String,
    wrong: String,
    says: String,
    right: String,
}

/// All pages, in the order of their codes.
fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors");
    let entries = std::fs::read_dir(folder).expect("the folder of pages").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| !path.ends_with("README.md")).collect();
    paths.sort();
    paths.into_iter().map(page).collect()
}

fn page(path: PathBuf) -> Page {
    let text = std::fs::read_to_string(&path).expect("a page is text");
    let code = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut blocks = text.split("```").skip(1).step_by(2);
    let mut block = |language: &str| {
        let block = blocks.next().and_then(|block| block.strip_prefix(language)?.strip_prefix('\n'));
        block.unwrap_or_else(|| panic!("{code}: expected a block of {language}")).to_owned()
    };
    let (wrong, says, right) = (block("rust"), block("text"), block("rust"));
    assert_eq!(blocks.next(), None, "{code} has three blocks");
    Page { path, code, wrong, says, right }
}

/// A file for the compiler; trybuild keeps line numbers only of what lies in the package.
fn generated(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pages");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    folder.join(name)
}

fn write(name: &str, text: &str) {
    std::fs::write(generated(name), text).expect("a program is written");
}

#[test]
fn wrong_examples() {
    let pages = pages();
    assert!(!pages.is_empty());
    let cases = trybuild::TestCases::new();
    for Page { code, wrong, says, .. } in &pages {
        write(&format!("{code}.rs"), &format!("{wrong}{REST}"));
        write(&format!("{code}.stderr"), &says.replace(PLACE, &format!("pages/{code}.rs")));
        cases.compile_fail(format!("pages/{code}.rs"));
    }
    // It compiles here, and panics if a text is not that of the page.
    drop(cases);
    for Page { path, code, says, .. } in &pages {
        let written = std::fs::read_to_string(generated(&format!("{code}.stderr"))).expect("what the compiler says");
        let now = written.replace(&format!("pages/{code}.rs"), PLACE);
        if now != *says {
            let text = std::fs::read_to_string(path).expect("a page is text");
            let text = text.replacen(&format!("```text\n{says}```"), &format!("```text\n{now}```"), 1);
            std::fs::write(path, text).expect("a page is written");
        }
        // rustc may have something to say, too.
        assert!(now.contains(&format!("error: [{code}] ")), "{code} shows an error of its own:\n{now}");
        assert!(!now.replace(&format!(" [{code}] "), "").contains(" [AB"), "{code} shows no other code:\n{now}");
    }
}

#[test]
fn right_examples() {
    let mut program = String::from("#![allow(unused)]\n");
    for Page { code, right, .. } in pages() {
        writeln!(program, "mod {} {{\nuse anabranch::prelude::*;\n{right}}}", code.to_lowercase()).expect("text");
    }
    program += "fn main() {}\n";
    write("right.rs", &program);
    trybuild::TestCases::new().pass("pages/right.rs");
}
