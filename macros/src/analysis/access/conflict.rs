//! The errors of loop-carried dependences: which accesses, an example of two iterations, and what
//! to do.

use super::races::BufferAccesses;
use super::{Access, Found, LoopFacts, counterexample};
use crate::ir::ParLoop;
use crate::report::{Code, Diagnostic, Report, error};

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
    pub(super) fn report(self, par_loop: &ParLoop, facts: &LoopFacts, group: &[usize], report: &mut Report) {
        let Conflict { first, second, ref why } = self;
        let Found { access: a, span, .. } = &facts.accesses[first];
        let view = &par_loop.body[facts.accesses[first].view()];
        let (name, noun) = (view.name.to_string(), if view.dims > 0 { "grid" } else { "slice" });
        let var = |at: usize| counterexample::variable(par_loop, at);
        let example = |first: usize, second: usize| match facts.accesses[first].part || facts.accesses[second].part {
            true => None,
            false => counterexample::find(par_loop, facts, first, second),
        };
        // Nothing of this name exists, or it does not count iterations: the index has to be a
        // variable of the loop.
        let counted = |error: Diagnostic| match par_loop.body.counts_like_cuda {
            true => error
                .first_help("the index of a CUDA thread is the variable of a `par` loop: `for i in par(0..n) { … }`"),
            false => error,
        };
        match *why {
            Why::Opaque => {
                let Found { access, span, .. } = &facts.accesses[second];
                report.at(*span, counted(unknown(access, &name, noun)));
            }
            // `i % 16`: it depends on `i`, but not so that it would differ. What is unknown may
            // depend on `i`, too.
            Why::Missing(at)
                if mentions(&a.text, &var(at))
                    || !(BufferAccesses { par_loop, facts }).misses(first, at)
                    || (BufferAccesses { par_loop, facts }).depends_on_data(first) =>
            {
                report.at(*span, counted(unknown(a, &name, noun)));
            }
            Why::Missing(at) => {
                // Of a whole slice, an element would be as good an example as any other.
                let whole = a.end.is_some() && a.text == name;
                let example = if whole { None } else { example(first, first) };
                report.at(*span, counted(same_element(a, &name, &var(at), par_loop).example(example)));
            }
            Why::SameFactor(x, y) => {
                report.at(*span, same_factor(a, &var(x), &var(y)).example(example(first, first)));
            }
            Why::Factors | Why::Distance => {
                let (first, second) = self.telling(par_loop, facts, group);
                let (a, b, example) = (&facts.accesses[first], &facts.accesses[second], example(first, second));
                if a.access.index == b.access.index && a.access.end == b.access.end {
                    report.at(a.span, same_index(&a.access, &b.access, &name, example));
                } else {
                    let error = dependence(&a.access, &b.access, (&name, noun), example);
                    let running =
                        noun == "slice" && par_loop.dims.len() == 1 && reads_the_one_before(&a.access, facts, group);
                    let error = if running { error.help(SCAN) } else { error };
                    report.at(b.span, if par_loop.shape.is_some() { error.help(NO_ORDER) } else { error });
                }
            }
        }
    }

    /// Two accesses that meet in an example, the judged ones first.
    pub(super) fn meeting(&self, par_loop: &ParLoop, facts: &LoopFacts, group: &[usize]) -> Option<(usize, usize)> {
        self.pairs(facts, group).take(MOST_PAIRS).find(|&(a, b)| counterexample::find(par_loop, facts, a, b).is_some())
    }

    /// The two accesses that show best what is wrong: some that meet in an example, or at least two
    /// whose indexes differ.
    fn telling(&self, par_loop: &ParLoop, facts: &LoopFacts, group: &[usize]) -> (usize, usize) {
        let differ = |&(a, b): &(usize, usize)| facts.accesses[a].access.index != facts.accesses[b].access.index;
        let differing = || self.pairs(facts, group).find(differ);
        self.meeting(par_loop, facts, group).or_else(differing).unwrap_or((self.first, self.second))
    }

    fn pairs<'g>(&self, facts: &'g LoopFacts, group: &'g [usize]) -> impl Iterator<Item = (usize, usize)> + 'g {
        let writes = group.iter().copied().filter(|&at| facts.accesses[at].access.write);
        let pairs = writes.flat_map(move |write| group.iter().map(move |&other| (write, other)));
        std::iter::once((self.first, self.second)).chain(pairs)
    }
}

/// More pairs of accesses are not tried.
const MOST_PAIRS: usize = 64;

/// An index that does not depend on a loop variable.
fn same_element(a: &Access, name: &str, var: &str, par_loop: &ParLoop) -> Diagnostic {
    let text = &a.text;
    let whole = a.end.is_some() && a.text == name;
    let message = match whole {
        true => format!("all iterations over `{var}` may write the same elements: each lends all of `{name}`"),
        false => format!("all iterations over `{var}` write the same element: `{text}` does not depend on `{var}`"),
    };
    let error = error(Code::SameElement, message);
    if a.end.is_some() {
        let error = error.help(format!(
            "give each iteration a part of its own, `&mut {name}[a..b]`, or an element, `&mut {name}[i]`"
        ));
        return match whole {
            true => error.help("if this calls a kernel, call it in the host part, outside of `par` loops"),
            false => error,
        };
    }
    let error = error.help("give each iteration an element of its own");
    let error = match (par_loop.dims.len(), &par_loop.shape) {
        (1, None) => error
            .help("to combine all iterations, write a reduction: `total[0] = par(0..n).map(|i| x[i]).sum();`")
            .help("to know whether something holds in one of them: `found[0] = par(0..n).map(|i| x[i] < 0.0).any();`"),
        (_, None) => {
            error.help(format!("let one iteration run all of the loop over `{var}`, as a plain `for` inside it"))
        }
        (_, Some(_)) => error,
    };
    error.help(format!("use atomics, such as `{name}: &[AtomicU32]`, or `&[AtomicF32]` for floats"))
}

/// Two variables whose exchange leaves the index as it is.
fn same_factor(a: &Access, x: &str, y: &str) -> Diagnostic {
    let message = format!("iterations overlap: `{x}` and `{y}` have the same coefficient in `{}`", a.text);
    error(Code::SameFactor, message).help("multiply one of the variables by the extent of the other: `[y * width + x]`")
}

/// An access whose index says nothing that would keep iterations apart.
fn unknown(access: &Access, name: &str, noun: &str) -> Diagnostic {
    let text = &access.text;
    if access.write {
        error(Code::UnknownIndex, format!("the index in `{text}` may be the same in several iterations"))
            .help("rewrite the scatter as a gather: let each iteration compute one element")
            .help("to keep some elements, next to each other, call `anabranch::algorithms::compact`")
            .help(format!("use atomics, such as `{name}: &[AtomicU32]`, or `&[AtomicF32]` for floats"))
            .help(format!("if all indexes differ, {}", in_unsafe(access)))
    } else {
        error(Code::UnknownIndex, format!("the index in `{text}` may be one that another iteration writes"))
            .help(format!("read from another {noun}"))
            .help(format!("split the {noun} into disjoint parts: `let (lo, hi) = {name}.split_at_mut(mid);`"))
            .help(format!("if the indexes never overlap, {}", in_unsafe(access)))
    }
}

/// How to assert that an access conflicts with no other.
fn in_unsafe(Access { text, write, end, .. }: &Access) -> String {
    match (end, write) {
        (Some(_), _) => "put `unsafe { … }` around the call".to_owned(),
        (None, true) => format!("write `unsafe {{ {text} = … }}`"),
        (None, false) => format!("write `unsafe {{ {text} }}`"),
    }
}

/// Two accesses with one index, which is not shown to differ between iterations; `a` writes.
fn same_index(a: &Access, b: &Access, name: &str, example: Option<String>) -> Diagnostic {
    let (text, stride) = (&a.text, "make the stride of each variable larger than the range that the others cover");
    match example {
        Some(_) => {
            let access = if b.write { "write" } else { "read and write" };
            let message = format!("iterations {access} the same element of `{name}`: the indexes in `{text}` overlap");
            error(Code::OverlappingWrites, message).example(example).help(stride)
        }
        None => error(
            Code::OverlappingWrites,
            format!("cannot prove that the index in `{text}` differs between iterations"),
        )
        .help(stride)
        .help(format!("if it always differs, {}", in_unsafe(a))),
    }
}

const SCAN: &str =
    "if this is a running sum, write a scan: `for (i, sum) in par(0..n).inclusive_sum(|i| x[i]) { y[i] = sum; }`";

/// Whether an iteration reads, besides its own element, the one that the iteration before it
/// writes, and no other.
fn reads_the_one_before(own: &Access, facts: &LoopFacts, group: &[usize]) -> bool {
    let distance = |&at: &usize| own.index.as_ref()?.sub(facts.accesses[at].access.index.as_ref()?)?.literal();
    let distances: Vec<Option<i64>> = group.iter().map(distance).collect();
    distances.contains(&Some(1)) && distances.iter().all(|distance| matches!(distance, Some(0 | 1)))
}

const NO_ORDER: &str = "blocks have no order: to read what another block has written, end the loop and begin another";

/// Two accesses with different indexes, which are not shown to be disjoint; `a` writes.
fn dependence(a: &Access, b: &Access, (name, noun): (&str, &str), example: Option<String>) -> Diagnostic {
    let pair = format!("`{}` and `{}`", b.text, a.text);
    let message = match example {
        // The example says which line writes.
        Some(_) => format!("loop-carried dependence between {pair}"),
        None => format!("possible loop-carried dependence between {pair} (line {})", a.line),
    };
    let error = error(Code::OverlappingAccesses, message);
    let whole = [a, b].iter().any(|access| access.end.is_some() && access.text == name);
    let error = match whole {
        true => error
            .help(format!("a reference to all of `{name}` counts as a use of each element: pass an element or a part")),
        false => error,
    };
    let error = if b.write {
        error.help("rewrite the scatter as a gather: let each iteration write only its own elements")
    } else {
        error
            .help(format!("write to another {noun}"))
            .help(format!("split the {noun} into disjoint parts: `let (lo, hi) = {name}.split_at_mut(mid);`"))
    };
    match example {
        Some(_) => error.example(example),
        None => error.help(format!("if the indexes never overlap, {}", in_unsafe(b))),
    }
}

/// Whether a source text mentions a variable.
fn mentions(text: &str, var: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == var)
}
