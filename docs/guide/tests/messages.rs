//! What the compiler says to the listings of the guide that must not compile, and the picture of it
//! in the README.
//!
//! `TRYBUILD=overwrite` writes what the compiler says into the chapters, and draws the picture.

use std::fmt::Write;
use std::fs::{create_dir_all, read_dir, read_to_string, write};
use std::path::{Path, PathBuf};

/// After the listing, where it moves no line.
const REST: &str = "\nfn main() {}\n";
/// The place of the program, for its author.
const PLACE: &str = "src/main.rs";

struct Refused {
    chapter: PathBuf,
    name: String,
    listing: String,
    says: String,
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn overwrite() -> bool {
    std::env::var_os("TRYBUILD").is_some_and(|value| value == "overwrite")
}

/// The listings that must not compile, in the order of chapters, each with the text after it.
fn refused() -> Vec<Refused> {
    let entries = read_dir(folder().join("src")).expect("the folder of chapters");
    let mut chapters: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    chapters.sort();
    let mut refused = Vec::new();
    for chapter in chapters {
        let text = read_to_string(&chapter).expect("a chapter is text");
        let stem = chapter.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let blocks: Vec<&str> = text.split("```").skip(1).step_by(2).collect();
        for (at, block) in blocks.iter().enumerate() {
            let Some(listing) = block.strip_prefix("rust,compile_fail\n") else { continue };
            let says = blocks.get(at + 1).and_then(|next| next.strip_prefix("text\n"));
            let says = says.unwrap_or_else(|| panic!("{stem}: a block of text must follow\n{listing}")).to_owned();
            refused.push(Refused {
                chapter: chapter.clone(),
                name: format!("{stem}-{at}"),
                listing: listing.to_owned(),
                says,
            });
        }
    }
    refused
}

#[test]
fn refused_listings() {
    let refused = refused();
    assert!(!refused.is_empty());
    // trybuild keeps the line numbers of programs in the package alone.
    let programs = folder().join("refused");
    create_dir_all(&programs).expect("a folder for the programs");
    let cases = trybuild::TestCases::new();
    for Refused { name, listing, says, .. } in &refused {
        write(programs.join(format!("{name}.rs")), format!("{listing}{REST}")).expect("a program is written");
        let says = says.replace(PLACE, &format!("refused/{name}.rs"));
        write(programs.join(format!("{name}.stderr")), says).expect("a text is written");
        cases.compile_fail(format!("refused/{name}.rs"));
    }
    // It compiles here, and panics if a text is not that of the chapter.
    drop(cases);
    for Refused { chapter, name, listing, says } in &refused {
        let now = read_to_string(programs.join(format!("{name}.stderr"))).expect("what the compiler says");
        let now = now.replace(&format!("refused/{name}.rs"), PLACE);
        assert!(now.contains("error: [AB"), "{name} shows an error of anabranch:\n{now}");
        if now != *says {
            let text = read_to_string(chapter).expect("a chapter is text");
            let (old, new) =
                (format!("{listing}```\n\n```text\n{says}```"), format!("{listing}```\n\n```text\n{now}```"));
            write(chapter, text.replacen(&old, &new, 1)).expect("a chapter is written");
        }
    }
    if overwrite() {
        write(picture(), drawn()).expect("the picture is written");
    }
}

/// The README shows the first of them as a picture of a terminal.
#[test]
fn picture_of_the_readme() {
    // Otherwise the test above writes it, when the text is there.
    if !overwrite() {
        let committed = read_to_string(picture()).unwrap_or_default();
        let path = picture();
        assert!(committed == drawn(), "{} is not the picture of the first message: TRYBUILD=overwrite", path.display());
    }
}

fn picture() -> PathBuf {
    folder().join("../images/race.svg")
}

fn drawn() -> String {
    let refused = refused();
    let first = refused.iter().find(|refused| refused.name.starts_with("races-")).expect("a refused loop");
    terminal(&first.says)
}

/// A picture of a terminal in which `cargo build` says this.
fn terminal(says: &str) -> String {
    const LINE: usize = 19;
    let lines: Vec<&str> = std::iter::once("$ cargo build").chain(says.trim_end().lines()).collect();
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (width, height) = (columns * 8 + 40, lines.len() * LINE + 56);
    let mut svg = String::new();
    let mut put = |text: String| writeln!(svg, "{text}").expect("a String grows");
    put(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
    ));
    put(format!(r##"<rect width="{width}" height="{height}" rx="8" fill="#1d2129"/>"##));
    for (x, colour) in [(20, "#ff5f57"), (38, "#febc2e"), (56, "#28c840")] {
        put(format!(r#"<circle cx="{x}" cy="18" r="5.5" fill="{colour}"/>"#));
    }
    put(r##"<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13" fill="#d8dee9" xml:space="preserve">"##.to_owned());
    for (at, line) in lines.iter().enumerate() {
        put(format!(
            r#"<text x="20" y="{}" textLength="{}" lengthAdjust="spacingAndGlyphs">{}</text>"#,
            52 + at * LINE,
            line.chars().count() * 8,
            coloured(line)
        ));
    }
    put("</g>\n</svg>".to_owned());
    svg
}

/// The colours of rustc: errors and carets red, the frame of the source blue, commands grey.
fn coloured(line: &str) -> String {
    let escaped = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let span = |colour: &str, text: &str| format!(r#"<tspan fill="{colour}" font-weight="bold">{text}</tspan>"#);
    if let Some(rest) = escaped.strip_prefix("error") {
        return span("#ff6b6b", "error") + &span("#ffffff", rest);
    }
    if let Some(rest) = escaped.strip_prefix('$') {
        return span("#8fbc8f", "$") + rest;
    }
    if let Some((before, place)) = escaped.split_once("--&gt;") {
        return before.to_owned() + &span("#6cb6ff", "--&gt;") + place;
    }
    for word in ["example:", "help:"] {
        if let Some((before, rest)) = escaped.split_once(word).filter(|(before, _)| before.trim().is_empty()) {
            return before.to_owned() + &span(if word == "help:" { "#7ee787" } else { "#f2cc60" }, word) + rest;
        }
    }
    match escaped.split_once('|') {
        Some((number, rest)) if number.trim().chars().all(|c| c.is_ascii_digit()) => {
            let rest = if rest.trim().chars().all(|c| c == '^') { span("#ff6b6b", rest) } else { rest.to_owned() };
            span("#6cb6ff", &format!("{number}|")) + &rest
        }
        _ => escaped,
    }
}
