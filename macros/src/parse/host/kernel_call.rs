//! Calls of kernels in the host part: `blur(&red, &mut rows[..n], n)`.
//!
//! A call with a slice or grid of the host part among its arguments is a call of a kernel. Whether
//! the path is a kernel, rustc finds out. The macro cannot see the called kernel either, so the
//! call says what is read and what is written.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;

use super::{Bound, HostWalk, misplaced, views};
use crate::ir::{Access, Arg, BindingId, Borrow, Call, Lend, PlanNode, marker::Marker};
use crate::names;
use crate::parse::attributes::is_cfg;
use crate::parse::{HostName, ViewType, single_ident, strip, text};
use crate::report::{Code, Diagnostic, error};

/// A view that the call which is being walked lends for writing. The lengths that its arguments ask
/// for are copied before the call, because the view is borrowed then.
pub(super) struct Written {
    binding: BindingId,
    name: Ident,
    /// An argument has asked.
    copied: bool,
}

/// `&x`, `&mut x`, `&x[part]` or `&mut x[part]` of a view.
struct Argument<'e> {
    name: &'e Ident,
    view: ViewType,
    writes: bool,
    part: Option<&'e syn::Expr>,
}

fn argument<'e>(walk: &HostWalk<'_>, arg: &'e syn::Expr) -> Option<Argument<'e>> {
    let syn::Expr::Reference(reference) = strip(arg) else { return None };
    let (whole, part) = match strip(&reference.expr) {
        syn::Expr::Index(index) => (&*index.expr, Some(&*index.index)),
        whole => (whole, None),
    };
    let name = single_ident(whole)?;
    Some(Argument { name, view: views::view(walk, name)?, writes: reference.mutability.is_some(), part })
}

/// `p`, `&p` or `&mut p` of a struct of slices, and whether it is `&mut p`.
fn slices<'e>(walk: &HostWalk<'_>, arg: &'e syn::Expr) -> Option<(&'e Ident, bool)> {
    let (of, lends) = match strip(arg) {
        syn::Expr::Reference(reference) => (&*reference.expr, reference.mutability.is_some()),
        of => (of, false),
    };
    single_ident(of).filter(|name| walk.slices(name).is_some()).map(|name| (name, lends))
}

fn bare<'e>(walk: &HostWalk<'_>, arg: &'e syn::Expr) -> Option<&'e Ident> {
    single_ident(arg).filter(|name| views::view(walk, name).is_some())
}

/// Whether this is a call with a view among its arguments.
pub(super) fn is_kernel_call(walk: &HostWalk<'_>, call: &syn::ExprCall) -> bool {
    matches!(strip(&call.func), syn::Expr::Path(_))
        && call
            .args
            .iter()
            .any(|arg| argument(walk, arg).is_some() || bare(walk, arg).is_some() || slices(walk, arg).is_some())
}

impl HostWalk<'_> {
    /// Takes a call out of the host part; the marker for its place.
    pub(super) fn kernel_call(&mut self, call: &mut syn::ExprCall) -> syn::Expr {
        let what = text(&*call);
        let marker = Marker::Call(self.calls.len()).expr();
        if let Some(why) = self.forbidden {
            self.report.on(&*call, misplaced(Code::CallPlace, "a call of a kernel", why));
        }
        self.no_attributes(&call.attrs, "calls of kernels");
        let syn::Expr::Path(callee) = strip(&call.func).clone() else { return marker };
        if self.is_no_function(&callee) {
            let message = format!("`{}` cannot be called with slices: only kernels can, in a host part", text(&callee));
            self.report.on(&callee, error(Code::HostSlice, message).help("write a function with `#[kernel]`"));
            return marker;
        }
        let mut written = Vec::new();
        for (name, _) in call.args.iter().filter_map(|arg| slices(self, arg)) {
            let fields = self.fields_of(name);
            let written_here = fields.into_iter().map(|(binding, name)| Written { binding, name, copied: false });
            written.extend(written_here);
        }
        for lent in call.args.iter().filter_map(|arg| argument(self, arg)).filter(|lent| lent.writes) {
            if let Some(Bound { name: HostName::View { binding, .. }, .. }) = self.lookup(&names::plain(lent.name)) {
                written.push(Written { binding, name: lent.name.clone(), copied: false });
            }
        }
        let outer = std::mem::replace(&mut self.written, written);
        let mut lent = Vec::new();
        let args = call.args.iter_mut().filter_map(|arg| self.kernel_argument(&callee, arg, &mut lent)).collect();
        let written = std::mem::replace(&mut self.written, outer);
        let lengths = written.into_iter().filter(|view| view.copied).map(|view| view.name).collect();
        let span = callee.path.segments.last().map_or_else(proc_macro2::Span::call_site, |last| last.ident.span());
        self.plan.push(PlanNode::Call(self.calls.len()));
        let parens = call.paren_token.span.join();
        self.calls.push(Call { span, what, path: callee.path, parens, args, lengths });
        marker
    }

    fn no_attributes(&mut self, attrs: &[syn::Attribute], place: &str) {
        self.no_cfg(attrs);
        if let Some(attr) = attrs.iter().find(|attr| !is_cfg(attr)) {
            let message = format!("attributes are not supported on {place}");
            self.report.on(attr, error(Code::AttributeInside, message).help("put it on the whole kernel"));
        }
    }

    /// The attributes of what is lent would be lost, because only its name and its part are taken
    /// out of it.
    fn no_attributes_inside(&mut self, arg: &syn::Expr) {
        let (attrs, inner) = match arg {
            syn::Expr::Paren(of) => (&of.attrs, Some(&of.expr)),
            syn::Expr::Group(of) => (&of.attrs, Some(&of.expr)),
            syn::Expr::Reference(of) => (&of.attrs, Some(&of.expr)),
            syn::Expr::Index(of) => (&of.attrs, Some(&of.expr)),
            syn::Expr::Path(of) => (&of.attrs, None),
            _ => return,
        };
        self.no_attributes(attrs, "what a call of a kernel lends");
        if let Some(inner) = inner {
            self.no_attributes_inside(inner);
        }
    }

    /// A variable, a function of a type, or a variant that every program has.
    fn is_no_function(&self, callee: &syn::ExprPath) -> bool {
        let first = callee.path.segments.first().map(|first| names::plain(&first.ident)).unwrap_or_default();
        callee.qself.is_some()
            || first == "Self"
            || self.type_params.contains(&first)
            || callee.path.get_ident().is_some_and(|name| {
                ["Some", "Ok", "Err"].iter().any(|variant| name == variant)
                    || self.lookup(&names::plain(name)).is_some()
            })
    }

    /// `lent` are the views that the call has lent so far, and whether for writing.
    fn kernel_argument(
        &mut self,
        callee: &syn::ExprPath,
        arg: &mut syn::Expr,
        lent: &mut Vec<(BindingId, bool)>,
    ) -> Option<Arg> {
        if let Some(name) = bare(self, arg) {
            let message = format!("does `{}` read the slice `{name}`, or write it?", text(callee));
            let error = error(Code::SliceArgument, message)
                .help(format!("write `&{name}` to lend it for reading"))
                .help(format!("write `&mut {name}` to lend it for writing"));
            self.report.on(name, error);
            return None;
        }
        if let Some((name, lends)) = slices(self, arg) {
            let name = name.clone();
            self.no_attributes_inside(arg);
            if !lends {
                let error = error(Code::SliceArgument, format!("a struct of slices is lent for writing: `{name}`"));
                self.report.on(&*arg, error.help(format!("write `&mut {name}`")));
                return None;
            }
            let binding = self.slices(&name)?;
            for (part, other) in [(binding, name.clone())].into_iter().chain(self.fields_of(&name)) {
                if lent.iter().any(|(known, _)| *known == part) {
                    self.report.on(&name, lent_twice(&other));
                }
                lent.push((part, true));
                self.use_view(&other, Access::Write, name.span());
            }
            let span = name.span();
            return Some(Arg::Lend(Lend { name, writes: true, part: None, span }));
        }
        let Some(Argument { name, view, writes, part }) = argument(self, arg) else {
            self.without_loops("the arguments of a call", |this| this.visit_expr_mut(arg));
            return Some(Arg::Value(arg.to_token_stream()));
        };
        let (name, mut part) = (name.clone(), part.cloned());
        self.no_attributes_inside(arg);
        let binding = match self.lookup(&names::plain(&name)) {
            Some(Bound { name: HostName::View { binding, .. }, .. }) => binding,
            _ => return None,
        };
        if lent.iter().any(|(other, written)| *other == binding && (*written || writes)) {
            self.report.on(&name, lent_twice(&name));
        }
        lent.push((binding, writes));
        let access = self.lent_as(&name, view, writes);
        self.use_view(&name, access, name.span());
        if let Some(part) = &mut part {
            if view.dims > 0 {
                self.report.on(
                    &*part,
                    error(Code::Lend, format!("a part of the grid `{name}` cannot be lent like this"))
                        .help(format!("split it by rows: `let (top, rest) = {name}.split_at(rows);`")),
                );
            }
            self.without_loops("the arguments of a call", |this| this.visit_expr_mut(part));
        }
        let span = name.span();
        Some(Arg::Lend(Lend { name, writes, part: part.map(ToTokens::into_token_stream), span }))
    }

    /// The views of a struct of slices that have variables.
    fn fields_of(&self, name: &Ident) -> Vec<(BindingId, Ident)> {
        let of = self.structs.iter().filter(|of| of.name == *name).flat_map(|of| &of.views);
        of.filter_map(|(name, _)| match self.lookup(&names::plain(name))?.name {
            HostName::View { binding, .. } | HostName::Slices(binding) => Some((binding, name.clone())),
            HostName::Closure(_) | HostName::Value => None,
        })
        .collect()
    }

    /// The use of a view that is lent by `&` or `&mut`.
    pub(super) fn lent_as(&mut self, name: &Ident, view: ViewType, writes: bool) -> Access {
        let noun = view.noun();
        match (view.borrow, writes) {
            (Borrow::Unique, true) => Access::Write,
            (Borrow::Unique | Borrow::Shared, false) => Access::Read,
            (Borrow::Atomic, false) => Access::Atomic,
            (Borrow::Shared, true) => {
                self.report.on(
                    name,
                    error(Code::Lend, format!("cannot lend `{name}` for writing: it is a read-only {noun}"))
                        .help(format!("if it is only read there, write `&{name}`"))
                        .help(format!("to write it, declare the parameter as `{}`", view.unique())),
                );
                Access::Read
            }
            (Borrow::Atomic, true) => {
                self.report.on(
                    name,
                    error(Code::Lend, format!("cannot lend `{name}` for writing: it is a {noun} of atomics"))
                        .help(format!("atomics are shared: write `&{name}`")),
                );
                Access::Atomic
            }
        }
    }

    /// The name under which a length of a view is asked for here: another one in the arguments of a
    /// call that lends the view for writing.
    pub(super) fn length_of(&mut self, name: &Ident) -> Option<Ident> {
        let Some(Bound { name: HostName::View { binding, .. }, .. }) = self.lookup(&names::plain(name)) else {
            return None;
        };
        let view = self.written.iter_mut().find(|view| view.binding == binding)?;
        view.copied = true;
        Some(names::length_of(name))
    }

    /// The same in the arguments of a macro, which have been checked.
    pub(super) fn lengths_in(&mut self, tokens: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let mut out = TokenStream::new();
        for (at, tree) in trees.iter().enumerate() {
            let before_dot = matches!(trees.get(at + 1), Some(TokenTree::Punct(dot)) if dot.as_char() == '.');
            let next = match tree {
                TokenTree::Group(group) => {
                    let mut inner = proc_macro2::Group::new(group.delimiter(), self.lengths_in(group.stream()));
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                TokenTree::Ident(name) if before_dot && !views::is_member(&trees, at) => {
                    self.length_of(name).map_or_else(|| tree.clone(), TokenTree::Ident)
                }
                _ => tree.clone(),
            };
            out.extend([next]);
        }
        out
    }
}

fn lent_twice(name: &Ident) -> Diagnostic {
    error(Code::Lend, format!("this call lends `{name}` twice, once for writing"))
        .help(format!("lend two parts: `let (lo, hi) = {name}.split_at_mut(mid);`"))
}
