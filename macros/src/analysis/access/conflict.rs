//! The errors of loop-carried dependences: which accesses, an example of two iterations, and what
//! to do.

use anabranch_core::facts::Polynomial;

use super::made::Indexes;
use super::{Access, Atom, Form, LoopFacts, counterexample};
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
    /// An index says nothing that keeps iterations apart.
    Unknown,
    /// A loop variable that the index does not depend on, with an example if there is one.
    Missing(usize, Option<String>),
    /// Two iterations meet, in an example unless an access touches less than it says.
    Meet {
        example: Option<String>,
        /// Elements are such that they do.
        by_data: bool,
    },
}

impl Conflict {
    /// Reports it; `group` are all accesses of the buffer.
    pub(super) fn report(self, par_loop: &ParLoop, facts: &LoopFacts, group: &[usize], report: &mut Report) {
        let Conflict { first, second, why } = self;
        let (a, b) = (&facts.accesses[first], &facts.accesses[second]);
        let view = &par_loop.body[a.view()];
        let (name, noun) = (view.name.to_string(), if view.dims > 0 { "grid" } else { "slice" });
        let var = |at: usize| counterexample::variable(par_loop, at);
        // Nothing of this name exists, or it does not count iterations: the index has to be a
        // variable of the loop.
        let counted = |error: Diagnostic| match par_loop.body.counts_like_cuda {
            true => error
                .first_help("the index of a CUDA thread is the variable of a `par` loop: `for i in par(0..n) { … }`"),
            false => error,
        };
        match why {
            Why::Unknown => report.at(b.span, counted(unknown(&b.access, &name, noun))),
            // `i % 16`: it depends on `i`, but not so that it would differ. What is unknown may
            // depend on `i`, too.
            Why::Missing(at, _)
                if mentions(&a.access.text, &var(at)) || Indexes::of(par_loop, facts).depends_on_data(first) =>
            {
                report.at(a.span, counted(unknown(&a.access, &name, noun)));
            }
            Why::Missing(at, example) => {
                // Of a whole slice, an element would be as good an example as any other.
                let whole = a.access.text == name;
                let error = same_element(&a.access, &name, &var(at), par_loop).example(example.filter(|_| !whole));
                report.at(a.span, counted(error));
            }
            Why::Meet { example, by_data } if a.access.forms().eq(b.access.forms()) => {
                let factors = factors(par_loop, &a.access);
                let is_linear = factors.iter().all(|factors| factors.iter().any(|factor| !factor.is_zero()));
                let pairs = (0..factors.len()).flat_map(|y| (0..y).map(move |x| (x, y)));
                let mut equal = pairs.filter(|&(x, y)| is_linear && factors[x] == factors[y]);
                let error = match equal.next() {
                    _ if by_data => unknown(&a.access, &name, noun),
                    Some((x, y)) => same_factor(&a.access, &var(x), &var(y)),
                    None => same_index(&a.access, &b.access, &name, is_linear),
                };
                report.at(a.span, error.example(example));
            }
            Why::Meet { example, by_data } => {
                let error = dependence(&a.access, &b.access, (&name, noun), by_data, example);
                let running =
                    noun == "slice" && par_loop.dims.len() == 1 && reads_the_one_before(&a.access, facts, group);
                let error = if running { error.help(SCAN) } else { error };
                report.at(b.span, if par_loop.shape.is_some() { error.help(NO_ORDER) } else { error });
            }
        }
    }
}

/// The factors of each loop variable in the components of an index.
fn factors(par_loop: &ParLoop, access: &Access) -> Vec<Vec<Polynomial<Atom>>> {
    let factor = |index: Option<&Form>, var: usize| Some(index?.split(Atom::Var(var))?.0.value);
    let of = |var: usize| access.components().map(|(_, index)| factor(index, var).unwrap_or_default()).collect();
    (0..par_loop.dims.len()).map(of).collect()
}

/// An index that does not depend on a loop variable.
fn same_element(a: &Access, name: &str, var: &str, par_loop: &ParLoop) -> Diagnostic {
    let text = &a.text;
    let whole = a.text == name;
    let message = match whole {
        true => format!("all iterations over `{var}` may write the same elements: each lends all of `{name}`"),
        false => format!("all iterations over `{var}` write the same element: `{text}` does not depend on `{var}`"),
    };
    let error = error(Code::SameElement, message);
    if whole || a.end.is_some() {
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

/// Two accesses with one index, which is equal in two iterations; `a` writes.
fn same_index(a: &Access, b: &Access, name: &str, is_linear: bool) -> Diagnostic {
    let access = if b.write { "write" } else { "read and write" };
    let message = format!("iterations {access} the same element of `{name}`: the indexes in `{}` overlap", a.text);
    let error = error(Code::OverlappingWrites, message);
    match is_linear {
        true => error.help("make the stride of each variable larger than the range that the others cover"),
        false => error
            .help("rewrite the scatter as a gather: let each iteration compute one element")
            .help(format!("use atomics, such as `{name}: &[AtomicU32]`, or `&[AtomicF32]` for floats")),
    }
}

const SCAN: &str =
    "if this is a running sum, write a scan: `for (i, sum) in par(0..n).inclusive_sum(|i| x[i]) { y[i] = sum; }`";

/// Whether an iteration reads, besides its own element, the one that the iteration before it
/// writes, and no other.
fn reads_the_one_before(own: &Access, facts: &LoopFacts, group: &[usize]) -> bool {
    let all = || group.iter().map(|&at| &facts.accesses[at].access);
    let distance = |of: &Access| own.index.as_ref()?.sub(of.index.as_ref()?)?.literal();
    all().any(|of| distance(of) == Some(1))
        && all().all(|of| distance(of) == Some(0) || distance(of) == Some(1) && !of.write)
}

const NO_ORDER: &str = "blocks have no order: to read what another block has written, end the loop and begin another";

/// Two accesses with different indexes, which meet; `a` writes.
fn dependence(
    a: &Access,
    b: &Access,
    (name, noun): (&str, &str),
    by_data: bool,
    example: Option<String>,
) -> Diagnostic {
    let pair = format!("`{}` and `{}`", b.text, a.text);
    let message = match example {
        // The example says which line writes.
        Some(_) => format!("loop-carried dependence between {pair}"),
        None => format!("possible loop-carried dependence between {pair} (line {})", a.line),
    };
    let error = error(Code::OverlappingAccesses, message);
    let whole = [a, b].iter().any(|access| access.text == name);
    let error = match whole {
        true => error
            .help(format!("a reference to all of `{name}` counts as a use of each element: pass an element or a part")),
        false => error,
    };
    let error = match b.write {
        true => error.help("rewrite the scatter as a gather: let each iteration write only its own elements"),
        false => error
            .help(format!("write to another {noun}"))
            .help(format!("split the {noun} into disjoint parts: `let (lo, hi) = {name}.split_at_mut(mid);`")),
    };
    let error = match by_data || example.is_none() {
        true => error.help(format!("if the indexes never overlap, {}", in_unsafe(b))),
        false => error,
    };
    error.example(example)
}

/// Whether a source text mentions a variable.
fn mentions(text: &str, var: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == var)
}
