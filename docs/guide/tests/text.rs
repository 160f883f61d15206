//! The text of the repository. Each link between its files names a file that exists, and a heading
//! that this file has; comments are narrow enough to read.
//!
//! rustdoc checks paths such as `crate::Buffer`, but not the headings after `#`.

use std::collections::HashMap;
use std::fs::{read_dir, read_to_string};
use std::path::{Component, Path, PathBuf};

/// What stands before a path of this repository in links that must work elsewhere.
const HERE: [&str; 2] =
    ["https://github.com/anabranch/anabranch/tree/main/", "https://github.com/anabranch/anabranch/blob/main/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository exists")
}

/// All files below a folder with an extension, but for build outputs and hidden folders.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let skipped = name == "target" || name.starts_with('.') && name != ".github";
        if path.is_dir() && !skipped {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// The text without blocks of code and without code in lines.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if !inside {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// The destinations of `[text](destination)` and `![text](destination)`.
fn destinations(text: &str) -> Vec<String> {
    let prose = prose(text);
    let after = prose.split("](").skip(1);
    after.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

/// The anchors of the headings, by GitHub's rule.
fn anchors(text: &str) -> Vec<String> {
    let mut seen = HashMap::new();
    let mut inside = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        inside ^= line.trim_start().starts_with("```");
        let Some(heading) = line.trim_start_matches('#').strip_prefix(' ').filter(|_| !inside && line.starts_with('#'))
        else {
            continue;
        };
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let slug: String = kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let times: &mut u32 = seen.entry(slug.clone()).or_default();
        anchors.push(if *times == 0 { slug } else { format!("{slug}-{times}") });
        *times += 1;
    }
    anchors
}

/// `a/b/../c` is `a/c`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// What is wrong with a link, if anything.
fn broken(root: &Path, from: &Path, text: &str, destination: &str) -> Option<String> {
    let here = HERE.iter().find_map(|prefix| destination.strip_prefix(prefix));
    let elsewhere = destination.contains("://") || destination.starts_with("mailto:");
    let rustdoc = destination.contains("::") || destination.contains('@');
    if here.is_none() && (elsewhere || rustdoc) {
        return None;
    }
    let (path, anchor) = here.unwrap_or(destination).split_once('#').unwrap_or((here.unwrap_or(destination), ""));
    let folder = if here.is_some() { root } else { from.parent().unwrap_or(root) };
    let target = normal(&folder.join(path));
    let of_target = match path {
        "" if here.is_none() => Some(text.to_owned()),
        // In the documentation of the crate, names are links to items.
        _ if !target.exists() && from.starts_with(root.join("runtime/src")) && !path.contains(['/', '.']) => {
            return None;
        }
        _ if !target.exists() => return Some(format!("{} does not exist", target.display())),
        _ => read_to_string(&target).ok(),
    };
    let has = of_target.is_some_and(|text| anchors(&text).iter().any(|found| found == anchor));
    (!anchor.is_empty() && !has).then(|| format!("there is no heading `#{anchor}`"))
}

#[test]
fn links_between_files() {
    let root = root();
    let mut pages = Vec::new();
    files(&root, "md", &mut pages);
    let mut wrong = Vec::new();
    let mut checked = 0;
    for page in &pages {
        let text = read_to_string(page).expect("a page is text");
        for destination in destinations(&text) {
            checked += 1;
            if let Some(why) = broken(&root, page, &text, &destination) {
                wrong.push(format!("{}: ({destination}): {why}", page.display()));
            }
        }
    }
    assert!(pages.len() > 100 && checked > 200, "{} pages with {checked} links: too few to be all", pages.len());
    assert!(wrong.is_empty(), "broken links:\n{}", wrong.join("\n"));
}

/// `reference::races#atomics` in the documentation of the crate: a heading of
/// `runtime/src/reference/races.md`.
#[test]
fn links_into_the_reference() {
    let runtime = root().join("runtime/src");
    let mut sources = Vec::new();
    files(&runtime, "rs", &mut sources);
    files(&runtime, "md", &mut sources);
    let mut wrong = Vec::new();
    let mut checked = 0;
    for source in &sources {
        let text = read_to_string(source).expect("a source is text");
        for rest in text.split("reference::").skip(1) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let Some(rest) = rest[name.len()..].strip_prefix('#') else { continue };
            let anchor: String = rest.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
            checked += 1;
            let page = read_to_string(runtime.join(format!("reference/{name}.md"))).unwrap_or_default();
            if !anchors(&page).contains(&anchor) {
                wrong.push(format!("{}: reference::{name}#{anchor}", source.display()));
            }
        }
    }
    assert!(checked > 10, "{checked} links: too few to be all");
    assert!(wrong.is_empty(), "links to headings that do not exist:\n{}", wrong.join("\n"));
}

/// The most columns of a comment's line. Tables, code and a word that is longer may be wider.
const COMMENT: usize = 100;

#[test]
fn comments_are_narrow() {
    let root = root();
    let mut sources = Vec::new();
    for extension in ["rs", "cuh", "cu", "cc", "c", "h"] {
        files(&root, extension, &mut sources);
    }
    let mut wrong = Vec::new();
    let mut checked = 0;
    for source in &sources {
        let mut in_code = false;
        for (line, number) in read_to_string(source).expect("a source is text").lines().zip(1..) {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                in_code = false;
                continue;
            };
            let text = comment.trim_start_matches(['/', '!']).trim_start();
            in_code ^= text.starts_with("```");
            checked += 1;
            let width = line.chars().count();
            if width > COMMENT && !in_code && !text.starts_with('|') && text.contains(' ') {
                wrong.push(format!("{}:{number}: {width} columns", source.display()));
            }
        }
    }
    assert!(checked > 10_000, "{checked} lines: too few to be all");
    assert!(wrong.is_empty(), "comments of more than {COMMENT} columns:\n{}", wrong.join("\n"));
}
