//! What a step of a random program touches, and the text of it.

use super::{ARRAYS, LEN, THREADS};

/// The threads that touch an element, and which.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    pub(super) array: usize,
    /// The array is one of atomics, which several iterations of a phase may change.
    pub(super) atomic: bool,
    pub(super) write: bool,
    pub(super) who: Who,
    pub(super) index: Index,
}

#[derive(Clone, Copy)]
pub(super) enum Who {
    /// Iterations from a number on, so many, or as many as the launch says.
    Line(Along, Option<usize>),
    /// So many rows of so many.
    Rows(usize, usize),
    All,
    One,
}

/// An element: of iteration `t`, or `(u, v)`.
#[derive(Clone, Copy)]
pub(super) struct Index {
    pub(super) own: Own,
    pub(super) plus: Along,
    pub(super) add: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Own {
    /// Nothing of the iteration.
    No,
    Same,
    Mirrored,
    /// Each second one.
    Double,
    /// `t % 4`, which only the iterations below 4 touch if they write.
    Rest,
    /// The same, where an inner loop has no round for the others.
    Skipped,
    /// `u * n + v`, `v * n + u`.
    Row(usize),
    Column(usize),
}

/// What is added of a variable of the block's program, by its number.
#[derive(Clone, Copy)]
pub(super) enum Along {
    No,
    /// `(k + 1) % 2 * 8`.
    Parity(usize, usize, usize),
    /// `k * 8`.
    Rounds(usize),
}

/// Variables of the block's program at one moment, and what the launch says.
pub(super) struct Now {
    pub(super) values: Vec<usize>,
    pub(super) end: usize,
    /// Where loops that run backwards begin.
    pub(super) most: usize,
}

impl Along {
    fn value(self, now: &Now) -> usize {
        match self {
            Along::No => 0,
            Along::Parity(k, add, by) => now.values[k].wrapping_add(add) % by * 8,
            Along::Rounds(k) => now.values[k].wrapping_mul(8),
        }
    }

    pub(super) fn text(self) -> String {
        match self {
            Along::No => "0".to_owned(),
            Along::Parity(k, add, by) => format!("(k{k} + {add}) % {by} * 8"),
            Along::Rounds(k) => format!("k{k} * 8"),
        }
    }
}

impl Touch {
    pub(super) fn threads_and_elements(self, now: &Now) -> Vec<(usize, usize)> {
        let Touch { who, index, write, atomic, .. } = self;
        let more = index.plus.value(now).wrapping_add(index.add);
        let element = |t: usize, (u, v): (usize, usize)| match index.own {
            Own::No => Some(more),
            Own::Same => Some(more.wrapping_add(t)),
            Own::Mirrored => Some(more.wrapping_add(23).wrapping_sub(t)),
            Own::Double => Some(more.wrapping_add(2 * t)),
            Own::Rest | Own::Skipped => (!write || atomic || t < 4).then(|| more.wrapping_add(t % 4)),
            Own::Row(wide) => Some(more.wrapping_add(u * wide + v)),
            Own::Column(wide) => Some(more.wrapping_add(v * wide + u)),
        };
        let all: Vec<(usize, Option<usize>)> = match who {
            Who::All => (0..THREADS).map(|thread| (thread, Some(more))).collect(),
            Who::One => vec![(0, Some(more))],
            Who::Line(first, count) => {
                let first = first.value(now);
                (0..count.unwrap_or(now.end)).map(|i| (i % THREADS, element(first.wrapping_add(i), (0, 0)))).collect()
            }
            Who::Rows(rows, wide) => {
                (0..rows * wide).map(|i| (i % THREADS, element(i, (i / wide, i % wide)))).collect()
            }
        };
        // Out of bounds nothing is touched.
        let inside = |at: &usize| ARRAYS[self.array] == "x" || *at < LEN;
        all.into_iter().filter_map(|(thread, at)| Some((thread, at.filter(inside)?))).collect()
    }

    pub(super) fn text(self) -> String {
        let Index { own, plus, add } = self.index;
        let own = match own {
            Own::No => "0".to_owned(),
            Own::Same => "t".to_owned(),
            Own::Mirrored => "23 - t".to_owned(),
            Own::Double => "2 * t".to_owned(),
            Own::Rest | Own::Skipped => "t % 4".to_owned(),
            Own::Row(wide) => format!("u * {wide} + v"),
            Own::Column(wide) => format!("v * {wide} + u"),
        };
        let base = if ARRAYS[self.array] == "x" { "base + " } else { "" };
        let plus = if let Along::No = plus { String::new() } else { format!(" + {}", plus.text()) };
        let add = if add == 0 { String::new() } else { format!(" + {add}") };
        let load = if self.atomic && !self.write { ".load(Relaxed)" } else { "" };
        format!("{}[{base}{own}{plus}{add}]{load}", ARRAYS[self.array])
    }

    /// What each iteration does, with its value.
    pub(super) fn assigned(self, value: &str) -> String {
        match self.index.own {
            _ if self.atomic => format!("{}.fetch_add({value}, Relaxed);", self.text()),
            Own::Rest => format!("if t < 4 {{ {} = {value}; }}", self.text()),
            Own::Skipped => format!("for _ in t..4 {{ {} = {value}; }}", self.text()),
            _ => format!("{} = {value};", self.text()),
        }
    }
}
