//! Elements that belong to the launch: `let mut sums = scratch::<f32>(n);`.
//!
//! The memory is a local of its own, in front of the user's statement, so Rust frees it at the end
//! of the block. The view of it is like that of any other slice.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;

use super::views::ViewValue;
use super::{HostWalk, misplaced};
use crate::ir::{Borrow, marker::Marker};
use crate::names;
use crate::parse::{ViewType, strip};
use crate::report::Code;

impl HostWalk<'_> {
    /// The view that the value of a `let` is, if the value is a call of `scratch`. Whether the name
    /// means the function of the runtime, rustc decides.
    pub(super) fn scratch(&mut self, value: &mut syn::Expr) -> Option<ViewValue> {
        let syn::Expr::Call(call) = strip(value) else { return None };
        let (syn::Expr::Path(path), 1) = (strip(&call.func), call.args.len()) else { return None };
        let name = path.path.segments.last()?.ident.clone();
        let is_local = path.path.get_ident().is_some_and(|name| self.lookup(&names::plain(name)).is_some());
        if name != "scratch" || is_local {
            return None;
        }
        if let Some(why) = self.forbidden {
            self.report.on(&name, misplaced(Code::ParPlace, "`scratch`", why));
        }
        let (function, mut shape) = (path.clone(), call.args.first()?.clone());
        self.visit_expr_mut(&mut shape);
        // A grid has an array of numbers; rustc compares them with its dimensions.
        let dims = if let syn::Expr::Array(array) = strip(&shape) { array.elems.len() } else { 0 };
        let (memory, ctx) = (names::local("scratch"), names::local("ctx"));
        let private = names::private_at(&self.private, name.span());
        self.before.push(syn::parse_quote_spanned! {call.span()=>
            let mut #memory = #private::launch::Ctx::zeroed_scratch(#ctx, #shape, #function);
        });
        let brand = Marker::Brand.expr();
        *value = syn::Expr::Verbatim(
            quote_spanned!(name.span()=> #private::reduce::Scratch::view::<{ #brand }>(&mut #memory)),
        );
        Some(ViewValue::One(ViewType { borrow: Borrow::Unique, dims }))
    }
}
