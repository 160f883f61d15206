//! Slices and grids of the host part that change places: `std::mem::swap(&mut a, &mut b)` and
//! `(a, b) = (b, a)`.
//!
//! The tokens stay as they are. A view is a value with the number of its group in its type, so that
//! a swap leaves each part of memory with one name, and rustc refuses what is not a swap. It does
//! not see two mistakes: in a group, a name from outside of it is a variable of the group, and a
//! swap of such variables would be lost at the join; and a swap whose names nobody uses afterwards
//! does nothing, because the caller's buffers keep their places.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;

use super::{Bound, HostWalk, misplaced, views};
use crate::ir::{BindingId, Borrow};
use crate::names;
use crate::parse::{HostName, ViewType, single_ident, strip};
use crate::report::{Code, error};

/// The names in `path::mem::swap(&mut a, &mut b)`, if both are views. Any function may have this
/// path: it is called as it is.
pub(super) fn swapped(walk: &HostWalk<'_>, call: &syn::ExprCall) -> Option<[Ident; 2]> {
    let syn::Expr::Path(callee) = strip(&call.func) else { return None };
    let mut segments = callee.path.segments.iter().rev();
    if segments.next()?.ident != "swap" || segments.next()?.ident != "mem" || call.args.len() != 2 {
        return None;
    }
    let name = |arg: &syn::Expr| match strip(arg) {
        syn::Expr::Reference(syn::ExprReference { mutability: Some(_), expr, .. }) => {
            single_ident(expr).filter(|name| views::view(walk, name).is_some()).cloned()
        }
        _ => None,
    };
    Some([name(call.args.first()?)?, name(call.args.last()?)?])
}

/// Whether the left side of an assignment has a view.
pub(super) fn assigns_views(walk: &HostWalk<'_>, assign: &syn::ExprAssign) -> bool {
    let is_view = |expr: &syn::Expr| single_ident(expr).is_some_and(|name| views::view(walk, name).is_some());
    match strip(&assign.left) {
        syn::Expr::Tuple(tuple) => tuple.elems.iter().any(is_view),
        one => is_view(one),
    }
}

impl HostWalk<'_> {
    /// `(a, b) = (b, a)`, or an error.
    pub(super) fn assignment(&mut self, assign: &syn::ExprAssign) {
        let mut names = [&assign.left, &assign.right].map(|side| match strip(side) {
            syn::Expr::Tuple(tuple) => tuple.elems.iter().map(|elem| self.binding_of(elem)).collect::<Option<Vec<_>>>(),
            _ => None,
        });
        let sorted = names.each_mut().map(|side| {
            let mut bindings: Vec<usize> = side.iter().flatten().map(|(_, BindingId(number))| *number).collect();
            bindings.sort_unstable();
            bindings
        });
        match names {
            [Some(left), Some(_)] if sorted[0] == sorted[1] => {
                let left: Vec<Ident> = left.into_iter().map(|(name, _)| name).collect();
                self.swap(assign, &left);
            }
            _ => self.report.on(
                assign,
                error(Code::Swap, "slices can be swapped, but not assigned: each part of memory keeps one name")
                    .help("write `(a, b) = (b, a)` or `std::mem::swap(&mut a, &mut b)`")
                    .help("to rename a slice, use `let`"),
            ),
        }
    }

    fn binding_of(&self, expr: &syn::Expr) -> Option<(Ident, BindingId)> {
        let name = single_ident(expr)?;
        match self.lookup(&names::plain(name)) {
            Some(Bound { name: HostName::View { binding, .. }, .. }) => Some((name.clone(), binding)),
            _ => None,
        }
    }

    /// Checks a swap of views.
    pub(super) fn swap(&mut self, tokens: impl ToTokens, names: &[Ident]) {
        if let Some(why) = self.forbidden {
            self.report.on(&tokens, misplaced(Code::Swap, "a swap of slices", why));
            return;
        }
        let depth = self.groups.len();
        if let Some(outer) =
            names.iter().find(|name| self.lookup(&names::plain(name)).is_some_and(|b| b.depth != depth))
        {
            let list = |list: Vec<String>| list.join(", ");
            let own = list(names.iter().map(|name| format!("my_{name}")).collect());
            let outside = list(names.iter().map(Ident::to_string).collect());
            let message = format!("`{outer}` comes from outside of this group, where it would keep its place");
            let error = error(Code::Swap, message)
                .help(format!("give the slices names of the group, and swap these: `let ({own}) = ({outside});`"))
                .help("move the swap out of the group");
            self.report.on(outer, error);
            return;
        }
        self.mixed(names);
        let kinds: Vec<ViewType> = names.iter().filter_map(|name| views::view(self, name)).collect();
        let Some(first) = kinds.first() else { return };
        let Some((name, other)) = names.iter().zip(&kinds).find(|(_, kind)| *kind != first) else {
            self.used_later(tokens, names);
            return;
        };
        let message =
            format!("`{}` is {}, but `{name}` is {}", names.first().unwrap_or(name), spelled(*first), spelled(*other));
        self.report.on(name, error(Code::Swap, message).help("both must have the same type"));
    }
}

impl HostWalk<'_> {
    /// Refuses a swap if none of the names is in the rest of the body. In a loop, the next round
    /// may use them.
    fn used_later(&mut self, tokens: impl ToTokens, names: &[Ident]) {
        let mut swap = Vec::new();
        words(tokens.to_token_stream(), &mut swap);
        let before = self.swaps.iter().filter(|earlier| **earlier == swap).count();
        // What the walk has not seen, such as the argument of another macro, may hold the same
        // words: then a place further ahead is found, and more is taken for a use.
        let places = self.words.windows(swap.len().max(1)).enumerate();
        let place = places.filter(|(_, words)| **words == swap[..]).nth(before).map(|(place, _)| place + swap.len());
        self.swaps.push(swap);
        let Some(rest) = place.and_then(|place| self.words.get(place..)) else { return };
        if !self.loop_labels.is_empty() || names.iter().any(|name| rest.iter().any(|word| name == word)) {
            return;
        }
        let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        let error = error(Code::Swap, format!("this swap has no effect: nothing uses {list} after it"))
            .help("a swap exchanges names of this kernel; the buffers of the caller keep their places")
            .help("to exchange the buffers, swap them where the kernel is launched, after the launch");
        self.report.on(tokens, error);
    }
}

/// The identifiers of tokens, in order.
pub(in crate::parse) fn words(tokens: TokenStream, into: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => into.push(ident.to_string()),
            TokenTree::Group(group) => words(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The type of the parameter that such a view comes from.
pub(super) fn spelled(view: ViewType) -> String {
    let (unique, atomic) = (view.borrow == Borrow::Unique, view.borrow == Borrow::Atomic);
    let borrow = if unique { "&mut " } else { "&" };
    let elem = if atomic { "Atomic…" } else { "T" };
    match view.dims {
        0 => format!("`{borrow}[{elem}]`"),
        dims => format!("`{borrow}Grid<{elem}, {dims}>`"),
    }
}
