//! Places of a text that read differently where the kernel stands in a macro: `$a` there, what the
//! caller passes elsewhere.

use std::borrow::Cow;

/// Begins, divides and ends such a place; no program has these characters.
const MARKS: [char; 3] = ['\u{1}', '\u{2}', '\u{3}'];

/// Around the number of a constant, whose path follows.
const CONSTANT: [char; 2] = ['\u{4}', '\u{5}'];

/// In front of the path of a constant.
pub(super) fn constant(number: usize) -> String {
    let [begin, end] = CONSTANT;
    format!("{begin}{number}{end}")
}

/// The constants of a text, and where they stand in it.
pub fn constants(text: &str) -> Vec<(usize, usize)> {
    let [begin, end] = CONSTANT;
    let starts = text.match_indices(begin).map(|(at, _)| at);
    starts.filter_map(|at| Some((at, text[at + 1..].split(end).next()?.parse().ok()?))).collect()
}

/// A place that is `inside` in the macro, and `outside` otherwise.
pub(super) fn place(inside: &str, outside: &str) -> String {
    let [begin, divide, end] = MARKS;
    format!("{begin}{inside}{divide}{outside}{end}")
}

/// The text without a macro around.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.contains([MARKS[0], CONSTANT[0]]) { Cow::Owned(choose(text, false)) } else { Cow::Borrowed(text) }
}

/// The text in its macro.
pub fn wrapped(text: &str) -> String {
    choose(text, true)
}

fn choose(text: &str, inside: bool) -> String {
    let [begin, divide, end] = MARKS;
    let mut out = String::new();
    let (mut keep, mut number) = (true, false);
    for c in text.chars() {
        match c {
            c if c == begin => keep = inside,
            c if c == divide => keep = !inside,
            c if c == end => keep = true,
            c if c == CONSTANT[0] => number = true,
            c if c == CONSTANT[1] => number = false,
            _ if number => {}
            c if keep => out.push(c),
            _ => {}
        }
    }
    out
}
