//! Adjacent `par` loops that may be one kernel: `#[kernel(fuse = true)]`.
//!
//! Two loops are one loop with both bodies if no iteration of that loop conflicts with another one.
//! That is what the launch decides about every loop, so a run of loops is parsed once more as one:
//! a body is a block, and `continue` in it leaves the block. Whether the ranges are equal, the
//! launch finds out. Here a run ends where the loop with all bodies would mean something else for a
//! reason that no launch sees, or where no launch could accept it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};

use super::reductions::Assignment;
use super::{Bound, HostWalk, views};
use crate::ir::{Access, BindingId, CaptureKind, Fused, ParLoop, PlanNode, marker::Marker};
use crate::names;
use crate::parse::{HostName, par, single_ident, spelling, strip, text};
use crate::report::Report;

/// The most loops of a run. Each of them is parsed with those in front of it.
const MOST: usize = 16;

/// The loops of a run so far, whose statements are the last ones.
#[derive(Default)]
pub(super) struct Run {
    /// The number of the first one.
    first: usize,
    loops: Vec<syn::ExprForLoop>,
    /// All of them as one, if there are several.
    fused: Option<ParLoop>,
}

/// A run in front of a reduction, whose loops may go into the loop of the reduction's parts.
#[derive(Default)]
pub(super) struct InFront {
    first: usize,
    loops: Vec<syn::ExprForLoop>,
    /// What runs it. It moves into the reduction if that is possible.
    stmt: Option<syn::Stmt>,
    /// Why that is not possible.
    why: Option<String>,
}

impl HostWalk<'_> {
    /// Walks a statement. With `fuse = true`, a `par` loop goes on with the run in front of it if
    /// that is possible.
    pub(super) fn visit_in_run(&mut self, mut stmt: syn::Stmt, run: &mut Run, done: &mut Vec<syn::Stmt>) {
        if let syn::Stmt::Expr(expr, _) = &stmt
            && !run.loops.is_empty()
            && Assignment::of(expr).is_some_and(|assign| self.has_quiet_place(&assign))
            && !has_odd_words(expr.to_token_stream(), false)
        {
            self.visit_behind_run(stmt, run, done);
            return;
        }
        let next = match &stmt {
            syn::Stmt::Expr(syn::Expr::ForLoop(next), _) if self.fusible.is_some() && is_plain_loop(next) => {
                Some(next.clone())
            }
            _ => None,
        };
        let (number, nodes, errors) = (self.loops.len(), self.plan.len(), self.report.len());
        self.visit_stmt_mut(&mut stmt);
        let (nodes, before) = (self.plan.split_off(nodes), std::mem::take(&mut self.before));
        let is_loop = self.loops.len() == number + 1 && self.report.len() == errors && before.is_empty();
        let joined = match next {
            Some(next) if is_loop => match self.joined(run, &next) {
                Ok(fused) => Ok((next, fused)),
                Err(why) => Err((Some(next), why)),
            },
            _ => Err((None, None)),
        };
        match joined {
            Ok((next, fused)) => {
                run.fused = Some(fused);
                run.loops.push(next);
            }
            Err((next, why)) => {
                self.end_run(run, done);
                if let (Some(next), Some(why)) = (&next, why) {
                    self.plan.push(apart(&why, next.for_token.span));
                }
                *run = Run { first: number, loops: next.into_iter().collect(), fused: None };
            }
        }
        self.plan.extend(nodes);
        done.extend(before);
        done.push(stmt);
    }

    /// Ends a run. If it has several loops, one marker stands for all of them.
    pub(super) fn end_run(&mut self, run: &mut Run, done: &mut Vec<syn::Stmt>) {
        let Run { first, loops, fused } = std::mem::take(run);
        let Some(par_loop) = fused else { return };
        let count = loops.len();
        let apart = done.split_off(done.len() - count);
        done.push(syn::Stmt::Expr(Marker::Fused(self.fused.len()).expr(), None));
        let nodes = self.plan.split_off(self.plan.len() - count);
        self.plan.push(as_one(count, par_loop.span, nodes));
        self.fused.push(Fused { par_loop, alike: first..first + count, reduced: None, apart });
    }

    /// Walks a reduction behind a run, and ends the run.
    fn visit_behind_run(&mut self, mut stmt: syn::Stmt, run: &mut Run, done: &mut Vec<syn::Stmt>) {
        let (first, loops) = (run.first, run.loops.clone());
        self.end_run(run, done);
        let (span, count) = (stmt.span(), loops.len() + 1);
        // One statement and one node are what is left of the run.
        let (before, node) = (done.pop(), self.plan.pop());
        let nodes = self.plan.len();
        self.in_front = Some(InFront { first, loops, stmt: before, why: None });
        self.visit_stmt_mut(&mut stmt);
        let nodes = self.plan.split_off(nodes);
        let InFront { stmt: before, why, .. } = self.in_front.take().unwrap_or_default();
        if before.is_none() {
            self.plan.push(as_one(count, span, node.into_iter().chain(nodes).collect()));
        } else {
            self.plan.extend(node);
            self.plan.extend(why.map(|why| apart(&why, span)));
            self.plan.extend(nodes);
        }
        done.extend(before);
        done.push(stmt);
    }

    /// The loop of a reduction's parts, `alone`, which is the last one: with the loops in front of
    /// the reduction, if they can go into it. Returns what runs it, and whether there are loops in
    /// it. `head` and `reduced` are the reduction's ranges, as the user wrote them and as values;
    /// `with` puts device code in front of an iteration, whose indexes have these names. The slice
    /// of the result is `place`.
    pub(in crate::parse) fn behind_loops(
        &mut self,
        alone: syn::Expr,
        (head, reduced, indexes): (&syn::Expr, TokenStream, &[Ident]),
        place: &Ident,
        with: impl FnOnce(TokenStream) -> TokenStream,
    ) -> (syn::Expr, bool) {
        let Some(mut in_front) = self.in_front.take() else { return (alone, false) };
        let marker = match self.in_reduction(&in_front, (head, indexes), place, with) {
            Ok(par_loop) => {
                let last = syn::Stmt::Expr(alone, Some(syn::token::Semi::default()));
                let apart = in_front.stmt.take().into_iter().chain([last]).collect();
                let alike = in_front.first..in_front.first + in_front.loops.len();
                self.fused.push(Fused { par_loop, alike, reduced: Some(reduced), apart });
                Marker::Fused(self.fused.len() - 1).expr()
            }
            Err(why) => {
                in_front.why = why;
                alone
            }
        };
        let joined = in_front.stmt.is_none();
        self.in_front = Some(in_front);
        (marker, joined)
    }

    fn in_reduction(
        &mut self,
        in_front: &InFront,
        (head, indexes): (&syn::Expr, &[Ident]),
        place: &Ident,
        with: impl FnOnce(TokenStream) -> TokenStream,
    ) -> Result<ParLoop, Option<String>> {
        let InFront { first, loops, .. } = in_front;
        let [of_first, ..] = loops.as_slice() else { return Err(None) };
        if !self.same_head(&of_first.expr, head) {
            return Err(Some("their ranges may differ".to_owned()));
        }
        // The ranges of the reduction are evaluated before those of the loops in front of it.
        if !loops.iter().map(|part| &*part.expr).chain([head]).all(|head| self.has_quiet_ranges(head)) {
            return Err(Some("its ranges are more than names and lengths".to_owned()));
        }
        self.unrelated(&self.loops[*first..], Some(place)).map_err(|why| Some(why.to_owned()))?;
        let bodies = loops.iter().enumerate().map(|(at, part)| body(at, indexes, part)).collect();
        let mut all = syn::parse2(with(bodies)).map_err(|_| None)?;
        let mut fused = self.as_one_loop(&mut all)?;
        let count = loops.len();
        let alone = self.loops.last().map_or("", |alone| alone.header.as_str());
        fused.header = format!("{alone}, with {count} loop{} in front", if count > 1 { "s" } else { "" });
        Ok(fused)
    }

    /// The loops of a run and the next one, which has been parsed, as one. Without a run there is
    /// nothing to say.
    fn joined(&mut self, run: &Run, next: &syn::ExprForLoop) -> Result<ParLoop, Option<String>> {
        let Some(first) = run.loops.first() else { return Err(None) };
        self.can_follow(run.loops.len(), first, next).map_err(|why| Some(why.to_owned()))?;
        // Names that no body uses: a body that does not have the variables of another one may have
        // names from outside that are equal.
        let name = |at: usize| names::generated(&format!("index{at}"), first.for_token.span);
        let from: Vec<Ident> = (0..variables(&first.pat).len()).map(name).collect();
        let bodies = run.loops.iter().chain([next]).enumerate();
        let bodies: TokenStream = bodies.map(|(at, part)| body(at, &from, part)).collect();
        let mut all = first.clone();
        (all.label, all.body) = (None, syn::parse_quote_spanned!(first.body.span()=> { #bodies }));
        *all.pat = match from.as_slice() {
            [one] => syn::parse_quote!(#one),
            several => syn::parse_quote!((#(#several),*)),
        };
        let mut fused = self.as_one_loop(&mut all)?;
        let (pat, ranges) = (text(&first.pat), text(&first.expr));
        fused.header = format!("for {pat} in {ranges}, {} loops as one", run.loops.len() + 1);
        Ok(fused)
    }

    /// Parses a loop that is made of several, which has no other effect.
    fn as_one_loop(&mut self, all: &mut syn::ExprForLoop) -> Result<ParLoop, Option<String>> {
        let fusible = self.fusible.ok_or(None)?;
        let (loops, nodes) = (self.loops.len(), self.plan.len());
        let outer = std::mem::take(self.report);
        self.par_loop(all);
        let errors = std::mem::replace(self.report, outer).first();
        let fused = self.loops.split_off(loops).pop();
        self.plan.truncate(nodes);
        let (None, Some(fused)) = (errors, fused) else { return Err(Some("they are not one loop".to_owned())) };
        fusible(&fused).map_err(Some)?;
        Ok(fused)
    }

    /// Whether the last loop can be one with `count` loops in front of it, apart from conflicts.
    fn can_follow(&self, count: usize, first: &syn::ExprForLoop, next: &syn::ExprForLoop) -> Result<(), &'static str> {
        let parts = &self.loops[self.loops.len() - count - 1..];
        let [before @ .., last] = parts else { return Err("it is alone") };
        if parts.len() > MOST {
            return Err("no loop is made of more than 16");
        }
        if parts.iter().any(|part| part.shape.is_some()) {
            return Err("one of them is over blocks");
        }
        if !self.same_head(&first.expr, &next.expr) || before.iter().any(|part| part.block != last.block) {
            return Err("their ranges may differ");
        }
        self.unrelated(parts, None)
    }

    /// Whether no loop has atomics, and none uses a part of a slice that another one writes, which
    /// would lend both at once. `written` is written by one of them, too.
    fn unrelated(&self, parts: &[ParLoop], written: Option<&Ident>) -> Result<(), &'static str> {
        let mut used = Vec::new();
        if let Some(Bound { name: HostName::View { binding, .. }, .. }) =
            written.and_then(|name| self.lookup(&names::plain(name)))
        {
            used.push((binding, Access::Write));
        }
        for capture in parts.iter().flat_map(|part| &part.body.captures) {
            let CaptureKind::View(_, access) = capture.kind else { continue };
            if access == Access::Atomic {
                return Err("one of them has atomics");
            }
            let Some(Bound { name: HostName::View { binding, .. }, .. }) = self.lookup(&names::plain(&capture.name))
            else {
                continue;
            };
            used.push((binding, access));
        }
        let pairs = used.iter().flat_map(|one| used.iter().map(move |other| (one, other)));
        for ((part, access), (whole, other)) in pairs {
            if self.made_from(*part).contains(whole) && [access, other].contains(&&Access::Write) {
                return Err("one uses a part of a slice that the other one uses");
            }
        }
        Ok(())
    }

    /// Whether the ranges of two loops have the same types, so that one variable does for both.
    fn same_head(&self, one: &syn::Expr, other: &syn::Expr) -> bool {
        let mut report = Report::default();
        let heads = [one, other].map(|of| par::parse(of, &mut report));
        let _ = report.check();
        let [Some(one), Some(other)] = heads else { return false };
        one.ranges.len() == other.ranges.len()
            && one.ranges.iter().zip(&other.ranges).all(|(one, other)| {
                let ends = [(&one.start, &other.start), (&one.end, &other.end)];
                let same = |a: &Option<TokenStream>, b: &Option<TokenStream>| match (a, b) {
                    (Some(a), Some(b)) => spelling(a) == spelling(b) && self.has_one_type(a),
                    (None, None) => true,
                    _ => false,
                };
                let spelled = ends.iter().all(|(a, b)| spelling(a) == spelling(b) && self.has_one_type(a));
                let has_name = ends.iter().any(|(a, _)| names_something((*a).clone()));
                let lengths = ends.iter().all(|(a, b)| [a, b].into_iter().all(|end| self.is_length_or_literal(end)));
                let of_usize = |of: &TokenStream| self.is_length(of);
                let usizes = lengths && [one, other].iter().all(|of| of_usize(&of.start) || of_usize(&of.end));
                same(&one.step, &other.step) && one.inclusive == other.inclusive && ((spelled && has_name) || usizes)
            })
    }

    /// Whether nothing happens where the place of a reduction's result is evaluated, which is in
    /// front of all loops.
    fn has_quiet_place(&self, assign: &Assignment<'_>) -> bool {
        matches!(strip(assign.left), syn::Expr::Index(of) if self.is_quiet(&of.index.to_token_stream()))
    }

    fn has_quiet_ranges(&self, head: &syn::Expr) -> bool {
        let head = par::parse(head, &mut Report::default());
        head.is_some_and(|head| {
            let numbers = |of: &par::Range| [&of.start, &of.end].into_iter().chain(&of.step).all(|n| self.is_quiet(n));
            head.ranges.iter().all(numbers)
        })
    }

    /// Whether a number of the host part is a name, a literal or a length: nothing happens where it
    /// is evaluated.
    fn is_quiet(&self, tokens: &TokenStream) -> bool {
        let name = |expr: &syn::Expr| single_ident(expr).is_some();
        syn::parse2::<syn::Expr>(tokens.clone())
            .is_ok_and(|expr| matches!(strip(&expr), syn::Expr::Lit(_)) || name(strip(&expr)) || self.is_length(tokens))
    }

    /// Whether two numbers of the host part that are spelled like this have one type. `1 << n` and
    /// `n as _` have any.
    fn has_one_type(&self, tokens: &TokenStream) -> bool {
        fn is(expr: &syn::Expr, length: &dyn Fn(&syn::ExprMethodCall) -> bool) -> bool {
            match strip(expr) {
                syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
                syn::Expr::Unary(unary) => is(&unary.expr, length),
                syn::Expr::Binary(syn::ExprBinary { op: syn::BinOp::Shl(_) | syn::BinOp::Shr(_), .. }) => false,
                syn::Expr::Binary(binary) => is(&binary.left, length) && is(&binary.right, length),
                syn::Expr::Cast(cast) => !matches!(*cast.ty, syn::Type::Infer(_)) && is(&cast.expr, length),
                syn::Expr::Field(field) => is(&field.base, length),
                syn::Expr::Index(index) => is(&index.expr, length) && is(&index.index, length),
                syn::Expr::MethodCall(call) => call.args.is_empty() && length(call),
                _ => false,
            }
        }
        syn::parse2::<syn::Expr>(tokens.clone()).is_ok_and(|expr| is(&expr, &|call| self.is_of_view(call)))
    }

    /// `x.len()`, `g.shape()`: the runtime's method, because `x` is a slice of the kernel.
    fn is_of_view(&self, call: &syn::ExprMethodCall) -> bool {
        (call.method == "len" || call.method == "shape")
            && single_ident(&call.receiver).is_some_and(|name| views::view(self, name).is_some())
    }

    /// A number of elements, which is a `usize`: `x.len()`, `g.shape()[0]`.
    fn is_length(&self, tokens: &TokenStream) -> bool {
        let Ok(expr) = syn::parse2::<syn::Expr>(tokens.clone()) else { return false };
        match strip(&expr) {
            syn::Expr::MethodCall(call) => call.method == "len" && self.is_of_view(call),
            syn::Expr::Index(index) => {
                matches!(strip(&index.index), syn::Expr::Lit(_))
                    && matches!(strip(&index.expr), syn::Expr::MethodCall(call) if call.method == "shape" && self.is_of_view(call))
            }
            _ => false,
        }
    }

    fn is_length_or_literal(&self, tokens: &TokenStream) -> bool {
        self.is_length(tokens) || syn::parse2::<syn::LitInt>(tokens.clone()).is_ok_and(|int| int.suffix().is_empty())
    }

    /// The views that a view is a part of, or has changed places with.
    fn made_from(&self, binding: BindingId) -> &[BindingId] {
        self.parents.get(&binding.0).map_or(&[], Vec::as_slice)
    }

    /// Views change places: each is now made from what any of them was made from.
    pub(super) fn mixed(&mut self, names: &[Ident]) {
        let binding = |name: &Ident| match self.lookup(&names::plain(name)) {
            Some(Bound { name: HostName::View { binding, .. }, .. }) => Some(binding),
            _ => None,
        };
        let views: Vec<BindingId> = names.iter().filter_map(binding).collect();
        let made_from: Vec<BindingId> = views.iter().flat_map(|view| self.made_from(*view)).copied().collect();
        self.parents.extend(views.into_iter().map(|view| (view.0, made_from.clone())));
    }

    /// The views that tokens name, and those that these are made from.
    pub(super) fn views_in(&self, tokens: TokenStream) -> Vec<BindingId> {
        let mut all = Vec::new();
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => all.extend(self.views_in(group.stream())),
                TokenTree::Ident(name) => {
                    if let Some(Bound { name: HostName::View { binding, .. }, .. }) = self.lookup(&names::plain(&name))
                    {
                        all.push(binding);
                        all.extend(self.made_from(binding));
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
        all
    }
}

/// A `par` loop whose body holds nothing that would mean something else in a block.
fn is_plain_loop(par_loop: &syn::ExprForLoop) -> bool {
    let mut labels = Labels { of: par_loop.label.as_ref(), found: false };
    labels.visit_block(&par_loop.body);
    par_loop.attrs.is_empty()
        && par::is_par(&par_loop.expr)
        && !labels.found
        && !has_odd_words(par_loop.body.to_token_stream(), false)
}

/// Finds a second label with the name of a loop's own. Which of them a jump means, only rustc sees.
struct Labels<'l> {
    of: Option<&'l syn::Label>,
    found: bool,
}

impl<'ast> Visit<'ast> for Labels<'_> {
    fn visit_label(&mut self, label: &'ast syn::Label) {
        self.found |= self.of.is_some_and(|of| of.name.ident == label.name.ident);
    }
}

/// Whether tokens have `unsafe`, for which the user has answered in one loop, or `return`; or
/// `continue` where it is not known what it means.
fn has_odd_words(tokens: TokenStream, in_macro: bool) -> bool {
    let mut bang = false;
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => has_odd_words(group.stream(), in_macro || std::mem::take(&mut bang)),
        TokenTree::Ident(name) => {
            bang = false;
            name == "unsafe" || name == "return" || (in_macro && name == "continue")
        }
        TokenTree::Punct(punct) => {
            bang = punct.as_char() == '!';
            false
        }
        TokenTree::Literal(_) => false,
    })
}

fn names_something(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(_) => true,
        TokenTree::Group(group) => names_something(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// A node of the plan for several loops that may be one.
fn as_one(count: usize, span: Span, nodes: Vec<PlanNode>) -> PlanNode {
    PlanNode::Host { what: format!("{count} loops as one where their ranges are equal"), span, nodes }
}

/// A node of the plan that says why a loop is not one with what is in front of it.
fn apart(why: &str, span: Span) -> PlanNode {
    PlanNode::Host { what: format!("apart from the loop above: {why}"), span, nodes: Vec::new() }
}

/// The body of a loop as a block of a loop with these variables in the place of its own.
fn body(at: usize, from: &[Ident], part: &syn::ExprForLoop) -> TokenStream {
    let name = format!("'_anabranch_part{at}");
    let label = syn::Lifetime::new(&name, part.for_token.span);
    let mut block = part.body.clone();
    let mut leaves =
        Leaves { of: part.label.as_ref().map(|label| label.name.ident.clone()), label, inner: 0, found: false };
    leaves.visit_block_mut(&mut block);
    let lets = from.iter().zip(variables(&part.pat)).filter_map(|(from, to)| Some((from, to?)));
    let variables: TokenStream = lets.map(|(from, to)| quote!(#[allow(unused_variables)] let #to = #from;)).collect();
    let label = leaves.found.then(|| {
        let label = &leaves.label;
        quote!(#label:)
    });
    let statements = &block.stmts;
    quote!(#label { #variables #(#statements)* })
}

/// The names of loop variables; `None` for `_`.
fn variables(pat: &syn::Pat) -> Vec<Option<Ident>> {
    match crate::parse::strip_pat(pat) {
        syn::Pat::Tuple(tuple) => tuple.elems.iter().flat_map(variables).collect(),
        syn::Pat::Ident(name) => vec![Some(name.ident.clone())],
        _ => vec![None],
    }
}

/// Makes of each `continue` of a loop a `break` of a block.
struct Leaves {
    /// The loop's own label.
    of: Option<Ident>,
    label: syn::Lifetime,
    /// Loops around the place, inside of the loop.
    inner: usize,
    found: bool,
}

impl VisitMut for Leaves {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        match expr {
            syn::Expr::Continue(jump) => {
                let leaves = match &jump.label {
                    None => self.inner == 0,
                    Some(label) => self.of.as_ref() == Some(&label.ident),
                };
                if leaves {
                    self.found = true;
                    let label = syn::Lifetime { apostrophe: jump.continue_token.span, ..self.label.clone() };
                    *expr = syn::parse_quote_spanned!(jump.continue_token.span=> break #label);
                }
            }
            // What is in its head belongs to the loop around it.
            syn::Expr::ForLoop(inner) => {
                self.visit_expr_mut(&mut inner.expr);
                self.inner += 1;
                self.visit_block_mut(&mut inner.body);
                self.inner -= 1;
            }
            syn::Expr::While(_) | syn::Expr::Loop(_) => {
                self.inner += 1;
                visit_mut::visit_expr_mut(self, expr);
                self.inner -= 1;
            }
            syn::Expr::Closure(_) => {}
            other => visit_mut::visit_expr_mut(self, other),
        }
    }
}
