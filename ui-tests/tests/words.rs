//! How the macros' messages are written, in what `wrong_programs` and `pages` compare with the
//! compiler.

use std::path::{Path, PathBuf};

/// As long as a line may be, in a terminal with the indentation of rustc.
const WIDTH: usize = 120;

/// Words of which there are plainer ones.
const STILTED: [&str; 8] = ["stand in", "stands", "behind", "nobody", "somebody", "of which", "such a ", "is told"];

/// Parts of names of generated code and of the runtime's inner types, which no user has written. A
/// user may write what CUDA calls so.
const GENERATED: [&str; 7] = ["_on_device", "DevRef", "DevMut", "DevAtomic", "KernelArg", "PhantomData", "private::"];
const OF_CUDA: [&str; 4] = ["__syncthreads", "__shared__", "__global__", "__anabranch"];

/// The texts of the compiler: the files here, and the pages' blocks.
fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    let mut folders = vec![root.to_owned(), root.join("../docs/errors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                None if path.is_dir() => folders.push(path),
                Some("stderr" | "md") => texts.push((path.clone(), std::fs::read_to_string(path).expect("a text"))),
                _ => {}
            }
        }
    }
    texts
}

/// The messages of the macros in what the compiler says, without where they point.
fn messages(text: &str) -> Vec<Vec<&str>> {
    let mut messages = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("error: [AB") {
            let rest = lines.by_ref().take_while(|line| !line.trim_start().starts_with("--> "));
            messages.push(std::iter::once(line).chain(rest).collect());
        }
    }
    messages
}

#[test]
fn messages_are_short_lines() {
    let mut seen = 0;
    for (path, text) in texts() {
        for message in messages(&text) {
            seen += 1;
            for line in &message {
                let path = path.display();
                assert!(line.chars().count() <= WIDTH, "{path}: a line is longer than {WIDTH} characters:\n{line}");
                assert!(!line.ends_with(['.', ' ']), "{path}: a line ends with a period or a space:\n{line}");
            }
            let twice = (1..message.len()).find(|at| message[..*at].contains(&message[*at]));
            assert_eq!(twice, None, "{}: a line is there twice: {message:#?}", path.display());
            let link = message[0]
                .get(8..14)
                .map(|code| format!("       help: see docs/errors/{code}.md in the repository of anabranch"));
            assert_eq!(
                message.last().copied(),
                link.as_deref(),
                "{}: the link to the page of the code",
                path.display()
            );
            let stilted = STILTED.iter().find(|words| message.iter().any(|line| line.contains(**words)));
            assert_eq!(stilted, None, "{}: {message:#?}", path.display());
            let begins = |line: &&&str| line.starts_with("       example: ") || line.starts_with("       help: ");
            let unlabelled = message[1..].iter().find(|line| !begins(line));
            assert_eq!(unlabelled, None, "{}: a line is neither an example nor a help", path.display());
        }
    }
    assert!(seen > 200, "{seen} messages");
}

#[test]
fn no_generated_names() {
    let mut seen = 0;
    for (path, text) in texts() {
        for (at, line) in text.lines().enumerate() {
            seen += 1;
            // The lines of the source that the compiler quotes; what it says of them comes after a
            // `^` or a `-`.
            let quoted = line.trim_start().starts_with(|first: char| first.is_ascii_digit());
            let plain = OF_CUDA.iter().fold(line.to_owned(), |line, name| line.replace(name, ""));
            let inner =
                plain.match_indices("__").find(|(at, _)| plain[at + 2..].starts_with(|c: char| c.is_alphabetic()));
            let generated = GENERATED.iter().find(|name| plain.contains(**name)).or(inner.map(|_| &"__"));
            let generated = generated.filter(|_| !quoted);
            assert_eq!(generated, None, "{}:{}: {line}", path.display(), at + 1);
        }
    }
    assert!(seen > 5000, "{seen} lines");
}
