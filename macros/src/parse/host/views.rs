//! Views in host code: the few things that may be done with them, so that no use of device memory
//! escapes the checks between groups.

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};

use super::swap::spelled;
use super::{Bound, HostWalk, misplaced};
use crate::ir::{Access, Borrow};
use crate::names;
use crate::parse::{HostName, ViewType, single_ident, struct_of_slices};
use crate::report::{Code, Diagnostic, error};

/// What an expression that is made of views yields: one view, or a tuple of them.
pub(super) enum ViewValue {
    One(ViewType),
    Many(Vec<ViewValue>),
}

/// A method that lends parts of a view.
#[derive(Clone, Copy)]
struct Method {
    name: &'static str,
    /// The one for reading.
    shared: &'static str,
    /// It lends for writing.
    unique: bool,
    /// It lends two parts.
    pair: bool,
    /// What it lends is a slice.
    flat: bool,
    /// Only grids have it.
    grid: bool,
}

impl Method {
    const ALL: [Method; 10] = {
        const fn method(name: &'static str, shared: &'static str, unique: bool) -> Method {
            Method { name, shared, unique, pair: false, flat: false, grid: true }
        }
        const fn pair(method: Method, grid: bool) -> Method {
            Method { pair: true, grid, ..method }
        }
        const fn flat(method: Method) -> Method {
            Method { flat: true, ..method }
        }
        [
            pair(method("split_at", "split_at", false), false),
            pair(method("split_at_mut", "split_at", true), false),
            pair(method("split_dim_at", "split_dim_at", false), true),
            pair(method("split_dim_at_mut", "split_dim_at", true), true),
            method("rows", "rows", false),
            method("rows_mut", "rows", true),
            method("part", "part", false),
            method("part_mut", "part", true),
            flat(method("as_slice", "as_slice", false)),
            flat(method("as_mut_slice", "as_slice", true)),
        ]
    };

    fn of(name: &Ident, view: ViewType) -> Option<Self> {
        Self::ALL.into_iter().find(|method| name == method.name && (view.dims > 0 || !method.grid))
    }

    /// Whether this call can only mean the number of rows, as in other libraries.
    fn counts(self, call: &syn::ExprMethodCall) -> bool {
        self.shared == "rows" && call.args.is_empty()
    }
}

/// Whether an initializer is a view, a part or a split of one, or a choice between them; its inner
/// host code is walked. `None`: it is not, and nothing was walked.
pub(super) fn view_value(walk: &mut HostWalk<'_>, expr: &mut syn::Expr) -> Option<ViewValue> {
    if !is_view_value(walk, expr) {
        return None;
    }
    Some(match expr {
        syn::Expr::Paren(inner) => view_value(walk, &mut inner.expr)?,
        syn::Expr::Group(inner) => view_value(walk, &mut inner.expr)?,
        syn::Expr::Path(_) => {
            let name = single_ident(expr)?.clone();
            let view = view(walk, &name)?;
            walk.use_view(&name, view.borrow.access(), name.span());
            ViewValue::One(view)
        }
        syn::Expr::MethodCall(call) => {
            let name = single_ident(&call.receiver)?.clone();
            let whole = view(walk, &name)?;
            let method = Method::of(&call.method, whole)?;
            let borrow = match (method.unique, whole.borrow) {
                (_, Borrow::Atomic) => Borrow::Atomic,
                (true, _) => Borrow::Unique,
                (false, Borrow::Shared | Borrow::Unique) => Borrow::Shared,
            };
            if method.unique && whole.borrow != Borrow::Unique {
                let (noun, unique, called) = (whole.noun(), whole.unique(), &call.method);
                let what = if whole.borrow == Borrow::Atomic {
                    format!("{noun} of atomics")
                } else {
                    format!("read-only {noun}")
                };
                let verb = if method.pair { "split" } else { "lend parts of" };
                let message = format!("cannot {verb} `{name}` with `{called}`: it is a {what}");
                let mut error = error(Code::SplitReadOnly, message).help(format!("use `{}`", method.shared));
                if whole.borrow != Borrow::Atomic {
                    error = error.help(format!("to write to the parts, declare the parameter as `{unique}`"));
                }
                walk.report.on(&call.method, error);
            }
            let part = ViewType { borrow, dims: if method.flat { 0 } else { whole.dims } };
            walk.use_view(&name, part.borrow.access(), name.span());
            call.args.iter_mut().for_each(|a| walk.visit_expr_mut(a));
            match method.pair {
                true => ViewValue::Many(vec![ViewValue::One(part), ViewValue::One(part)]),
                false => ViewValue::One(part),
            }
        }
        syn::Expr::Reference(reference) => {
            let name = single_ident(&reference.expr)?.clone();
            let (whole, writes) = (view(walk, &name)?, reference.mutability.is_some());
            let access = walk.lent_as(&name, whole, writes);
            walk.use_view(&name, access, name.span());
            let borrow = match access {
                Access::Write => Borrow::Unique,
                Access::Atomic => Borrow::Atomic,
                Access::Read | Access::Shape => Borrow::Shared,
            };
            let private = names::private_at(&walk.private, name.span());
            *expr = match writes {
                true => syn::parse_quote_spanned!(name.span()=> #private::view::reborrow(&mut #name)),
                false => syn::parse_quote_spanned!(name.span()=> #private::view::share(&#name)),
            };
            ViewValue::One(ViewType { borrow, ..whole })
        }
        syn::Expr::Tuple(tuple) => {
            ViewValue::Many(tuple.elems.iter_mut().map(|e| view_value(walk, e)).collect::<Option<_>>()?)
        }
        syn::Expr::Block(block) => tail(walk, &mut block.block)?,
        syn::Expr::If(branch) => {
            walk.visit_expr_mut(&mut branch.cond);
            let then = tail(walk, &mut branch.then_branch)?;
            let (_, otherwise) = branch.else_branch.as_mut()?;
            let tokens = otherwise.clone();
            let otherwise = view_value(walk, otherwise)?;
            if let Some([one, other]) = difference(&then, &otherwise) {
                let message = format!("this branch yields {}, but the other one {}", spelled(other), spelled(one));
                walk.report.on(tokens, error(Code::Swap, message).help("lend in the same way in both branches"));
            }
            then
        }
        _ => return None,
    })
}

fn is_view_value(walk: &HostWalk<'_>, expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Paren(inner) => is_view_value(walk, &inner.expr),
        syn::Expr::Group(inner) => is_view_value(walk, &inner.expr),
        syn::Expr::Path(_) => single_ident(expr).is_some_and(|n| view(walk, n).is_some()),
        syn::Expr::MethodCall(call) => {
            let of = single_ident(&call.receiver).and_then(|name| view(walk, name));
            of.and_then(|of| Method::of(&call.method, of)).is_some_and(|method| !method.counts(call))
        }
        syn::Expr::Reference(reference) => single_ident(&reference.expr).is_some_and(|n| view(walk, n).is_some()),
        syn::Expr::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(|e| is_view_value(walk, e)),
        syn::Expr::Block(block) => block.label.is_none() && is_view_tail(walk, &block.block),
        syn::Expr::If(branch) => {
            is_view_tail(walk, &branch.then_branch)
                && branch.else_branch.as_ref().is_some_and(|(_, e)| is_view_value(walk, e))
        }
        _ => false,
    }
}

/// Only blocks that are nothing but their value: names bound inside would need scopes of their own.
fn is_view_tail(walk: &HostWalk<'_>, block: &syn::Block) -> bool {
    matches!(block.stmts.as_slice(), [syn::Stmt::Expr(value, None)] if is_view_value(walk, value))
}

fn tail(walk: &mut HostWalk<'_>, block: &mut syn::Block) -> Option<ViewValue> {
    match block.stmts.as_mut_slice() {
        [syn::Stmt::Expr(value, None)] => view_value(walk, value),
        _ => None,
    }
}

/// The first views of two values that are of different kinds. Where the values have different
/// shapes, rustc says so.
fn difference(a: &ViewValue, b: &ViewValue) -> Option<[ViewType; 2]> {
    match (a, b) {
        (ViewValue::Many(a), ViewValue::Many(b)) => a.iter().zip(b).find_map(|(a, b)| difference(a, b)),
        (ViewValue::One(a), ViewValue::One(b)) => (a != b).then_some([*a, *b]),
        _ => None,
    }
}

/// Binds the names of a pattern to views, and adds the `mut` that loops and swaps need.
pub(super) fn bind_views(walk: &mut HostWalk<'_>, pat: &mut syn::Pat, value: &ViewValue) {
    match (pat, value) {
        (syn::Pat::Paren(inner), value) => bind_views(walk, &mut inner.pat, value),
        (syn::Pat::Type(typed), value) => bind_views(walk, &mut typed.pat, value),
        (syn::Pat::Ident(ident), ViewValue::One(view)) if ident.by_ref.is_none() && ident.subpat.is_none() => {
            if ident.mutability.is_none() {
                ident.mutability = Some(syn::token::Mut(ident.ident.span()));
            }
            walk.bind(&ident.ident, Some(*view));
        }
        (syn::Pat::Tuple(tuple), ViewValue::Many(values)) if tuple.elems.len() == values.len() => {
            tuple.elems.iter_mut().zip(values).for_each(|(p, v)| bind_views(walk, p, v));
        }
        (syn::Pat::Wild(_), _) => {}
        (other, _) => {
            walk.report.on(
                &*other,
                error(Code::SplitNames, "a slice, or each of its parts, must be bound to a plain name")
                    .help("write `let (lo, hi) = x.split_at_mut(mid);`"),
            );
            bind_anyway(walk, other);
        }
    }
}

/// Binds the names of a refused pattern, so that their uses are not reported too.
fn bind_anyway(walk: &mut HostWalk<'_>, pat: &syn::Pat) {
    let mut bound = Vec::new();
    crate::parse::names_of(pat, &mut bound);
    let view = ViewType { borrow: Borrow::Unique, dims: 0 };
    bound.iter().for_each(|name| walk.bind(name, Some(view)));
}

/// The part of the walk that looks for views in places where they are not allowed.
pub(super) fn visit_expr(walk: &mut HostWalk<'_>, expr: &mut syn::Expr) {
    match expr {
        syn::Expr::MethodCall(call) => {
            if let Some((name, of)) = single_ident(&call.receiver).and_then(|n| Some((n.clone(), view(walk, n)?))) {
                let noun = of.noun();
                match call.method.to_string().as_str() {
                    "len" | "is_empty" | "shape" if call.method != "shape" || of.dims > 0 => {
                        walk.use_view(&name, Access::Shape, name.span());
                        if let Some(copy) = walk.length_of(&name) {
                            // In parentheses of the user's, so that an expression that begins here
                            // is at the user's place.
                            call.receiver = syn::parse_quote_spanned!(name.span()=> (#copy));
                        }
                    }
                    other => {
                        let error = match Method::of(&call.method, of) {
                            Some(Method { pair: true, .. }) => {
                                error(Code::SplitNames, format!("the parts of the {noun} `{name}` have no names"))
                                    .help(format!("write `let (lo, hi) = {name}.{other}(…);`"))
                            }
                            Some(method) if method.counts(call) => {
                                let extents = if of.dims == 2 { "[h, w]" } else { "[d, h, w]" };
                                error(Code::HostSlice, format!("`{other}` of a grid takes a range: `{other}(a..b)`"))
                                    .help(format!("the numbers of rows and columns: `let {extents} = {name}.shape();`"))
                            }
                            Some(_) => error(Code::SplitNames, format!("this part of the {noun} `{name}` has no name"))
                                .help(format!("write `let part = {name}.{other}(…);`")),
                            None => no_method(&name, of, other),
                        };
                        walk.report.on(&call.method, error);
                    }
                }
                call.args.iter_mut().for_each(|a| walk.visit_expr_mut(a));
            } else {
                visit_mut::visit_expr_method_call_mut(walk, call);
            }
        }
        syn::Expr::Index(index) => {
            if let Some((name, of)) = single_ident(&index.expr).and_then(|n| Some((n, view(walk, n)?)))
                && let syn::Expr::Range(_) = crate::parse::strip(&index.index)
            {
                let split = if of.borrow == Borrow::Unique { "split_at_mut" } else { "split_at" };
                walk.report.on(
                    &*index,
                    error(Code::HostElement, format!("host code cannot take a part of `{name}` by a range"))
                        .help(format!("divide it: `let (lo, hi) = {name}.{split}(mid);`"))
                        .help("or let the loop run over the range: `for i in par(a..b) { … }`"),
                );
                walk.visit_expr_mut(&mut index.index);
            } else if let Some(name) = single_ident(&index.expr).filter(|n| view(walk, n).is_some()) {
                let message = format!("host code cannot access elements of `{name}`: they are in device memory");
                walk.report.on(
                    &index.expr,
                    error(Code::HostElement, message)
                        .help(format!("use them in a `par` loop: `for i in par(0..{name}.len()) {{ … }}`"))
                        .help("pass the value as a parameter")
                        .help(format!(
                            "to decide by it on the host, end the kernel, read `{name}.get(0)?`, and launch again"
                        )),
                );
                walk.visit_expr_mut(&mut index.index);
            } else {
                visit_mut::visit_expr_index_mut(walk, index);
            }
        }
        syn::Expr::Path(path) if path.path.get_ident().is_some_and(|name| walk.slices(name).is_some()) => {
            let error = path.path.get_ident().map(struct_of_slices);
            error.into_iter().for_each(|error| walk.report.on(&path.path, error));
        }
        syn::Expr::Path(path) => {
            if let Some((name, of)) = path.path.get_ident().and_then(|n| Some((n, view(walk, n)?))) {
                let noun = of.noun();
                walk.report.on(
                    &path.path,
                    error(Code::HostSlice, format!("the {noun} `{name}` cannot be used as a value in host code"))
                        .help(format!("to get the length, write `{name}.len()`"))
                        .help("to rename or split it, use `let`")
                        .help("use it in a `par` loop")
                        .help(format!("to hand it to a kernel, write `kernel(&{name})` or `kernel(&mut {name})`")),
                );
            }
        }
        other => visit_mut::visit_expr_mut(walk, other),
    }
}

fn no_method(name: &Ident, of: ViewType, method: &str) -> Diagnostic {
    let (noun, shape) = (of.noun(), of.shape_method());
    let error = error(Code::HostSlice, format!("the {noun} `{name}` has no method `{method}` in host code"))
        .help(format!("use {shape}`len()`, `is_empty()`, `split_at(mid)` or `split_at_mut(mid)`"));
    let error = match of.dims {
        0 => error,
        _ => error
            .help(
                "for a part, use `rows(a..b)`, `part((a..b, c..d))`, `split_dim_at(dim, mid)`, or the same with `_mut`",
            )
            .help("for all elements in one dimension, use `as_slice()` or `as_mut_slice()`"),
    };
    match method {
        "clone" | "to_vec" | "to_owned" => error
            .help(format!("for a copy on the way, make elements: `let mut copy = scratch::<f32>({name}.len());`"))
            .help(format!("to copy, write `for i in par(0..{name}.len()) {{ copy[i] = {name}[i]; }}`")),
        "iter" => error.help("compute with elements in a `par` loop: they are in device memory").help(format!(
            "to combine them, write a reduction: `total[0] = par(0..{name}.len()).map(|i| {name}[i]).sum();`"
        )),
        _ => error.help("compute with elements in a `par` loop: they are in device memory"),
    }
}

/// Inside a macro we only see tokens: `x.len()` and `x.is_empty()` are fine, any other mention of a
/// view is not.
pub(super) fn check_macro(walk: &mut HostWalk<'_>, tokens: TokenStream) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => check_macro(walk, group.stream()),
            TokenTree::Ident(ident) if ident == "par" && is_head(&trees, at) => {
                walk.report.at(ident.span(), misplaced(Code::ParPlace, "a `par` loop", "the arguments of a macro"));
                return;
            }
            TokenTree::Ident(ident) if view(walk, ident).is_some() && !is_member(&trees, at) => {
                let length = matches!(
                    (trees.get(at + 1), trees.get(at + 2)),
                    (Some(TokenTree::Punct(dot)), Some(TokenTree::Ident(method)))
                        if dot.as_char() == '.' && ["len", "is_empty", "shape"].iter().any(|name| method == name)
                );
                if length {
                    walk.use_view(ident, Access::Shape, ident.span());
                } else {
                    let message = format!("the slice `{ident}` cannot be used in the arguments of a macro");
                    walk.report.at(
                        ident.span(),
                        error(Code::HostSlice, message)
                            .help(format!("use its length, `{ident}.len()`"))
                            .help("use elements in a `par` loop, which can print, too: they are in device memory"),
                    );
                }
            }
            TokenTree::Ident(ident) if walk.slices(ident).is_some() && !is_member(&trees, at) => {
                walk.report.at(ident.span(), struct_of_slices(ident));
            }
            _ => {}
        }
    }
}

/// `field` of `value.field`: not the variable of that name. What follows `..` is one.
pub(super) fn is_member(trees: &[TokenTree], at: usize) -> bool {
    let dot = |before: usize| match at.checked_sub(before).and_then(|place| trees.get(place)) {
        Some(TokenTree::Punct(dot)) if dot.as_char() == '.' => Some(dot.spacing()),
        _ => None,
    };
    dot(1).is_some() && dot(2) != Some(Spacing::Joint)
}

/// `in par(…)`.
fn is_head(trees: &[TokenTree], at: usize) -> bool {
    matches!(at.checked_sub(1).and_then(|before| trees.get(before)), Some(TokenTree::Ident(i)) if i == "in")
        && matches!(trees.get(at + 1), Some(TokenTree::Group(_)))
}

/// The kind of view that a name is here, if it is one.
pub(super) fn view(walk: &HostWalk<'_>, name: &Ident) -> Option<ViewType> {
    match walk.lookup(&names::plain(name)) {
        Some(Bound { name: HostName::View { view, .. }, .. }) => Some(view),
        _ => None,
    }
}
