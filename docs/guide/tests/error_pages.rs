//! The pages of `docs/errors` in the documentation of the crate: `runtime/src/reference/errors.md` has all of them, because a package cannot
//! contain files from outside of its folder.
//!
//! `TRYBUILD=overwrite` writes it, after the pages themselves.

use std::fmt::Write;
use std::fs::{read_dir, read_to_string, write};
use std::path::Path;

/// The titles and the texts of the pages, in the order of their codes.
fn pages(folder: &Path) -> Vec<(String, String)> {
    let entries = read_dir(folder).expect("the folder of pages").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = entries.filter(|path| !path.ends_with("README.md")).collect();
    paths.sort();
    let page = |path: &Path| {
        let text = read_to_string(path).expect("a page is text");
        let (title, text) = text.split_once('\n').expect("a page begins with its title");
        (title.trim_start_matches("# ").to_owned(), text.trim().to_owned())
    };
    paths.iter().map(|path| page(path)).collect()
}

#[test]
fn one_page_of_the_documentation_has_all() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages(&root.join("docs/errors"));
    assert!(pages.len() > 80, "{} pages: too few to be all", pages.len());
    let mut all = String::from(
        "Each error of `#[kernel]` and `#[device]` begins with a code. Here is a program with the error, the compiler's message, the reason, and what to\n\
         write instead. Errors of rustc have rustc's own codes, such as E0277.\n",
    );
    for (title, text) in &pages {
        // The messages link here. rustdoc's own anchor has the whole title in it.
        let code = title.split(':').next().unwrap_or_default();
        writeln!(all, "\n<a id=\"{code}\"></a>\n\n# {title}\n\n{text}").expect("a String grows");
    }
    let path = root.join("runtime/src/reference/errors.md");
    if std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite") {
        write(&path, &all).expect("the page is written");
    }
    let committed = read_to_string(&path).unwrap_or_default();
    assert!(committed == all, "{} differs from docs/errors: TRYBUILD=overwrite writes it", path.display());
}

#[test]
fn a_search_for_a_code_finds_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let module = read_to_string(root.join("runtime/src/reference/mod.rs")).expect("the module is text");
    for (title, _) in pages(&root.join("docs/errors")) {
        let code = title.split(':').next().unwrap_or_default();
        assert!(
            module.contains(&format!("\"{code}\"")),
            "add `{code}` to the aliases of `errors` in runtime/src/reference/mod.rs"
        );
    }
}
