//! Reductions and scans of the host part.
//!
//! The range is divided into parts, as `reduce::Division` of the runtime says: a loop over blocks
//! reduces each part in one block, and another loop of one block the results of the parts, which
//! are in memory that belongs to the place. Here these loops become tokens, as a user would write
//! them, and are parsed like loops over blocks. So no later stage knows of reductions.

mod closures;
mod reduction;
mod scan;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use closures::Closure;
pub(in crate::parse) use closures::{Combining, nothing_leaves};
pub(super) use reduction::Assignment;

use super::HostWalk;
use crate::ir::{Access, Body, Borrow, Callee, CaptureKind, Expr, ExprKind};
use crate::names;
use crate::parse::{ViewType, par, strip};
use crate::report::{Code, Diagnostic, error};

const BEFORE: &str = "write a `par` loop before the reduction";

/// Whether a value is a reduction, or something like it.
pub(super) fn is_one(value: &syn::Expr) -> bool {
    matches!(strip(value), syn::Expr::MethodCall(_)) && par::is_par(value)
}

/// Whether a chain ends as a reduction does.
pub(super) fn is_reduction(value: &syn::Expr) -> bool {
    const OPERATIONS: [&str; 10] =
        ["sum", "product", "min", "max", "count", "any", "all", "argmin", "argmax", "reduce"];
    matches!(strip(value), syn::Expr::MethodCall(call)
        if OPERATIONS.iter().any(|name| call.method == name) && par::is_par(&call.receiver))
}

/// Whether a reduction is a part of a value.
pub(super) fn is_within(value: &syn::Expr) -> bool {
    match strip(value) {
        value if is_reduction(value) => true,
        syn::Expr::Binary(binary) => is_within(&binary.left) || is_within(&binary.right),
        syn::Expr::Cast(cast) => is_within(&cast.expr),
        syn::Expr::Unary(unary) => is_within(&unary.expr),
        syn::Expr::MethodCall(call) => is_within(&call.receiver),
        _ => false,
    }
}

/// A reduction that is no statement.
pub(super) fn misplaced() -> Diagnostic {
    error(Code::Reduction, "the result of a reduction is on the device, where the host part does not wait for it")
        .help("assign it, and nothing else, to an element of a slice: `total[0] = par(0..n).map(|i| x[i]).sum();`")
        .help("in later loops, read that element, as in `for i in par(0..1) { mean[i] = total[i] / n as f32; }`")
}

/// Whether the head of a `for` is a scan.
pub(super) fn is_scan(head: &syn::Expr) -> bool {
    matches!(strip(head), syn::Expr::MethodCall(call)
        if (call.method == "inclusive_sum" || call.method == "exclusive_sum") && par::is_par(&call.receiver))
}

/// Generated names. They are in the scopes of the parser like those of users, so they are long.
#[derive(Clone, Copy)]
struct Names(Span);

impl Names {
    fn of(self, name: &str) -> Ident {
        names::generated(name, self.0)
    }
}

/// The ranges of a reduction, and what an iteration does.
struct Input {
    names: Names,
    /// The statement, as errors tell it.
    what: String,
    /// The ranges, as the user wrote them.
    head: syn::Expr,
    ranges: Vec<par::Range>,
    /// The names of the indexes in the closure.
    indexes: Vec<Ident>,
    /// The value of an iteration.
    value: TokenStream,
}

impl Input {
    /// One name for each range.
    fn each(&self, name: &str) -> Vec<Ident> {
        (0..self.ranges.len()).map(|dim| self.names.of(&format!("{name}{dim}"))).collect()
    }

    /// Host code: the ranges, as a value, behind their division.
    fn all_ranges(&self) -> TokenStream {
        match self.each("dim").as_slice() {
            [one] => quote!(#one),
            many => quote!((#(#many),*)),
        }
    }

    /// Host code: how many iterations there are, and how they are divided.
    fn division(&self, private: &TokenStream) -> TokenStream {
        let [lengths, starts, steps, dims] = ["length", "start", "step", "dim"].map(|name| self.each(name));
        let all = self.all_ranges();
        let (ctx, what) = (names::local("ctx"), &self.what);
        let along = self.ranges.iter().enumerate().map(|(at, par::Range { start, end, inclusive, step, text: _ })| {
            let (length, first, by, dim, span) = (&lengths[at], &starts[at], &steps[at], &dims[at], start.span());
            let private = names::private_at(private, span);
            let range = match inclusive {
                false => quote_spanned!(span=> #private::reduce::along((#start)..(#end))),
                true => quote_spanned!(span=> #private::reduce::along_inclusive((#start)..=(#end))),
            };
            let range = match step {
                Some(step) => quote_spanned!(span=> #private::launch::stepped(#range, #step)),
                None => range,
            };
            quote_spanned! {span=>
                let #dim = #range;
                let (#length, #first, #by) = #private::reduce::parts_of(#dim);
            }
        });
        let (line, _) = names::place(self.names.0);
        let texts = self.ranges.iter().map(|range| &range.text);
        let [count, chunk, parts] = ["count", "chunk", "parts"].map(|name| self.names.of(name));
        quote_spanned! {self.names.0=>
            #(#along)*
            let #count = #private::launch::Ctx::count(#ctx, #all, &[#(#texts),*], #what, #line);
            let #private::reduce::Division { chunk: #chunk, parts: #parts } = #private::reduce::Division::of(#count);
        }
    }

    /// Device code: the indexes of the iteration with this number, under these names.
    fn indexes_of(&self, number: &Ident, indexes: &[Ident]) -> TokenStream {
        let mut lets = TokenStream::new();
        let mut rest = quote!(#number);
        let [lengths, starts, steps] = ["length", "start", "step"].map(|name| self.each(name));
        for (dim, range) in self.ranges.iter().enumerate().rev() {
            let (index, length, start, step) = (&indexes[dim], &lengths[dim], &starts[dim], &steps[dim]);
            let mut along = if dim == 0 { rest.clone() } else { quote_spanned!(self.names.0=> (#rest) % #length) };
            if range.step.is_some() {
                along = quote_spanned!(self.names.0=> (#along) * #step);
            }
            lets.extend(match crate::ir::Dim::literal(&range.start) == Some(0) {
                true => quote_spanned!(self.names.0=> let #index = #along;),
                false => quote_spanned!(self.names.0=> let #index = #start + #along;),
            });
            rest = quote_spanned!(self.names.0=> #rest / #length);
        }
        lets
    }
}

impl HostWalk<'_> {
    /// The ranges and the closure. `None` after an error.
    fn input(&mut self, names: Names, what: String, head: &syn::Expr, closure: &syn::Expr) -> Option<Input> {
        let (written, mut head) = (head.clone(), head.clone());
        if let syn::Expr::MethodCall(call) = strip(&head)
            && call.method != "step_by"
        {
            let message = format!("a reduction does not support `.{}(…)` on its ranges", call.method);
            let error = error(Code::Reduction, message);
            self.report.on(
                &call.method,
                error.help("write `par(0..n).map(|i| …)`, and compute the index in the closure: `x[2 * i]`"),
            );
            return None;
        }
        self.without_loops("the range of a reduction", |this| this.par_head(&mut head));
        let head = par::parse(&head, self.report)?;
        if head.blocks.is_some() {
            self.report.at(names.0, error(Code::Reduction, "blocks have no reduction: write `par`"));
            return None;
        }
        let (indexes, value) = self.closure(closure, head.ranges.len())?;
        Some(Input { names, what, head: written, ranges: head.ranges, indexes, value })
    }

    /// The parameters of a closure, as many as there are ranges, and its body.
    fn closure(&mut self, closure: &syn::Expr, ranges: usize) -> Option<(Vec<Ident>, TokenStream)> {
        let Closure { params, body } = Closure::of(closure, "|i| x[i]", self.report)?;
        let [pat] = params.as_slice() else {
            let error = error(Code::Reduction, "the closure has one parameter, the index of the iteration");
            self.report.on(closure, error.help("write `|i| x[i]`, or `|(y, x)| g[[y, x]]`"));
            return None;
        };
        Some((super::par_loop::loop_variables(pat, ranges, "`par` loop", self.report), body))
    }

    /// Parses a generated loop over blocks. Its place in the host part; `None` after an error.
    fn generated_loop(&mut self, tokens: TokenStream, of: &Input) -> Option<syn::Expr> {
        let (what, span) = (&of.what, of.names.0);
        let errors = self.report.len();
        let mut par_loop: syn::ExprForLoop = match syn::parse2(tokens) {
            Ok(par_loop) => par_loop,
            Err(wrong) => {
                self.report.at(span, error(Code::Reduction, wrong.to_string()));
                return None;
            }
        };
        let marker = self.par_loop(&mut par_loop);
        if let Some(made) = self.loops.last_mut() {
            what.clone_into(&mut made.header);
        }
        (self.report.len() == errors).then_some(marker)
    }

    /// Refuses changes of memory in the closure of the last loop; `result` is what the statement
    /// itself changes. A reduction may load atomics; a scan may not, because its closure runs twice
    /// for each iteration, and both times must give one value.
    fn only_reads(&mut self, result: &Ident, may_load: bool) {
        let Some(made) = self.loops.last() else { return };
        let loads = !changes_atomics(&made.body);
        let captures = made.body.captures.iter().filter(|capture| capture.name != *result);
        let wrong = captures.filter_map(|capture| {
            let name = &capture.name;
            let (words, help) = match capture.kind {
                CaptureKind::View(_, Access::Write) => (format!("only reads, but this changes `{name}`"), BEFORE),
                CaptureKind::View(_, Access::Atomic) if !loads => {
                    (format!("may only load atomics, but this changes some, or lends `{name}`"), BEFORE)
                }
                CaptureKind::View(_, Access::Atomic) if !may_load => (
                    format!("cannot load atomics, as this does of `{name}`: they may change while it runs"),
                    "make it a `&mut [u32]`, and change it in a kernel of its own, which takes it as `&[AtomicU32]`",
                ),
                _ => return None,
            };
            Some((name.clone(), words, help))
        });
        let what = if may_load { "reduction" } else { "scan" };
        for (name, words, help) in wrong.collect::<Vec<_>>() {
            self.report.on(&name, error(Code::Reduction, format!("the closure of a {what} {words}")).help(help));
        }
    }

    /// Binds what the loops of a statement use of its host code: numbers, and views of elements for
    /// results.
    fn bind_generated(&mut self, input: &Input, views: &[&Ident]) {
        let view = ViewType { borrow: Borrow::Unique, dims: 0 };
        views.iter().for_each(|name| self.bind(name, Some(view)));
        let more = ["count", "chunk", "parts"].map(|name| input.names.of(name));
        for name in ["length", "start", "step"].into_iter().flat_map(|name| input.each(name)).chain(more) {
            self.bind(&name, None);
        }
    }
}

/// Whether a loop does more with atomics than to load them.
fn changes_atomics(body: &Body) -> bool {
    body.block.any(&mut |expr| match &expr.kind {
        ExprKind::Call { callee: Callee::Atomic { op, .. }, args } => {
            op.name != "load" || !args.first().is_some_and(is_lent)
        }
        // Of one that is not loaded: a function gets it.
        ExprKind::Call { args, .. } => args.iter().any(is_lent),
        _ => false,
    })
}

fn is_lent(arg: &Expr) -> bool {
    matches!(arg.kind, ExprKind::Reference { borrow: Borrow::Atomic, .. })
}
