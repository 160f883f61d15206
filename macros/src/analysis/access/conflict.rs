//! What is said of iterations that may meet: which accesses, an example of two iterations, and the way out.

use proc_macro2::Span;

use super::{Access, Facts, example};
use crate::ir::ParLoop;
use crate::report::{Code, Report};

/// Two accesses that may meet (the second may be the first, in another iteration), and why.
pub(super) struct Conflict {
    /// Writes.
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// An index is no form.
    Opaque,
    /// A loop variable that the index does not depend on.
    Missing(usize),
    /// Factors of a loop variable differ.
    Factors,
    /// Two loop variables have the same coefficient.
    SameFactor(usize, usize),
    /// The distance is too large, or not known to be small enough.
    Distance,
}

impl Conflict {
    /// Reports it; `group` are all accesses of the buffer.
    pub(super) fn report(self, looped: &ParLoop, facts: &Facts, group: &[usize], report: &mut Report) {
        let Conflict { first, second, ref why } = self;
        let a = &facts.accesses[first];
        let name = &looped.body[a.view].name;
        let var = |at: usize| example::variable(looped, at);
        let example = |first, second| {
            let found = example::find(looped, facts, first, second);
            found.map(|found| format!(" ({found})")).unwrap_or_default()
        };
        let (span, code, message) = match why {
            Why::Opaque => unknown(&facts.accesses[second], &name.to_string()),
            // `i % 16`: it depends on `i`, but not so that it would differ.
            &Why::Missing(at) if mentions(&a.text, &var(at)) => unknown(a, &name.to_string()),
            &Why::Missing(at) => {
                let (var, example) = (var(at), example(first, first));
                let instead = match a.end {
                    None => "give each iteration an element of its own, let one iteration do it with an inner loop, or make it an atomic (`&[AtomicU32]`)"
                        .to_owned(),
                    Some(_) => format!("give each iteration a part of its own: `&mut {name}[a..b]`"),
                };
                let message = format!(
                    "all iterations over `{var}` write the same element: `{}` does not depend on `{var}`{example}; {instead}",
                    a.text
                );
                (a.span, Code::SameElement, message)
            }
            &Why::SameFactor(x, y) => {
                let example = example(first, first);
                let message = format!(
                    "iterations may write the same element of `{name}`: in `{}` the variables `{}` and `{}` have the same coefficient{example}; \
                     multiply one of them by the extent of the other: `[y * width + x]`",
                    a.text,
                    var(x),
                    var(y)
                );
                (a.span, Code::SameFactor, message)
            }
            Why::Factors | Why::Distance => {
                let (first, second) = self.telling(looped, facts, group);
                apart(&facts.accesses[first], &facts.accesses[second], &name.to_string(), &example(first, second))
            }
        };
        report.at(span, code, message);
    }

    /// Two accesses that meet in an example, the judged ones first.
    pub(super) fn meeting(&self, looped: &ParLoop, facts: &Facts, group: &[usize]) -> Option<(usize, usize)> {
        self.pairs(facts, group).take(MOST_PAIRS).find(|&(a, b)| example::find(looped, facts, a, b).is_some())
    }

    /// The two accesses that show best what is wrong: some that meet in an example, or at least two whose indexes differ.
    fn telling(&self, looped: &ParLoop, facts: &Facts, group: &[usize]) -> (usize, usize) {
        let differ = |&(a, b): &(usize, usize)| facts.accesses[a].index != facts.accesses[b].index;
        let differing = || self.pairs(facts, group).find(differ);
        self.meeting(looped, facts, group).or_else(differing).unwrap_or((self.first, self.second))
    }

    fn pairs<'g>(&self, facts: &'g Facts, group: &'g [usize]) -> impl Iterator<Item = (usize, usize)> + 'g {
        let writes = group.iter().copied().filter(|&at| facts.accesses[at].write);
        let pairs = writes.flat_map(move |write| group.iter().map(move |&other| (write, other)));
        std::iter::once((self.first, self.second)).chain(pairs)
    }
}

/// More pairs of accesses are not tried.
const MOST_PAIRS: usize = 64;

/// An access whose index says nothing that would keep iterations apart.
fn unknown(access: &Access, name: &str) -> (Span, Code, String) {
    let text = &access.text;
    let message = if access.write {
        format!(
            "iterations may write the same element of `{name}`: the index in `{text}` may be the same in several iterations; \
             rewrite the scatter as a gather, use atomics (`{name}: &[AtomicU32]`), or, if you know that all indexes differ, write `unsafe {{ {text} = … }}`"
        )
    } else {
        format!(
            "an iteration may read an element of `{name}` that another iteration writes: the index in `{text}` may be any; \
             read from another buffer (or use `split_at_mut`), or, if you know that they never overlap, write `unsafe {{ {text} }}`"
        )
    };
    (access.span, Code::UnknownIndex, message)
}

/// Two accesses that are not shown to be apart; `a` writes.
fn apart(a: &Access, b: &Access, name: &str, example: &str) -> (Span, Code, String) {
    let line = a.span.start().line;
    let (a_text, b_text) = (&a.text, &b.text);
    if a.index == b.index && a.end == b.end {
        let why = if example.is_empty() {
            format!(
                "it cannot be proven that the index in `{a_text}` differs between iterations, although no two were found that share one"
            )
        } else {
            format!("`{a_text}` has the same index in several of them{example}")
        };
        let message = format!(
            "iterations may write the same element of `{name}`: {why}; \
             each variable's coefficient must be larger than the range covered by the others; or, if you know that they never overlap, write `unsafe {{ … }}`"
        );
        return (a.span, Code::OverlappingWrites, message);
    }
    let (verb, instead) = if b.write {
        let gather = "rewrite the scatter as a gather, so that each iteration writes only its own elements";
        ("write", gather.to_owned())
    } else {
        let split = "write to another buffer, or split the slice into disjoint parts";
        ("read", format!("{split}: `let (lo, hi) = {name}.split_at_mut(mid);`"))
    };
    let (example, unless) = if example.is_empty() {
        (
            ": no overlap was found, but it cannot be proven that the indexes differ",
            format!("; if you know that they never overlap, write `unsafe {{ {b_text} }}`"),
        )
    } else {
        (example, String::new())
    };
    let message = format!(
        "loop-carried dependence: `{b_text}` may {verb} the element that another iteration writes as `{a_text}` (line {line}){example}; {instead}{unless}"
    );
    (b.span, Code::OverlappingAccesses, message)
}

/// Whether a variable stands in a source text.
fn mentions(text: &str, var: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == var)
}
