//! What happens in a block of threads, as constant data for plans.

use proc_macro2::TokenStream;
use quote::quote;

use crate::analysis::barriers;
use crate::ir::{Collective, CollectiveOp, ExprKind, ParLoop, Space};
use crate::launch::line;
use crate::names::shown;

/// `Option<Blocks>`: of a loop over blocks.
pub(crate) fn data(par_loop: &ParLoop, private: &TokenStream) -> TokenStream {
    if par_loop.shape.is_none() {
        return quote!(#private::rust::None);
    }
    let body = &par_loop.body;
    let shared = body.locals.iter().filter(|local| local.space == Space::Shared).map(|local| {
        let (name, slot) = (shown(&local.name), local.slot.number());
        quote!((#name, #slot))
    });
    let mut told = Vec::new();
    body.block.any(&mut |expr| {
        if let ExprKind::Collective(Collective { op: CollectiveOp::Broadcast, slot, .. }) = &expr.kind {
            told.push(slot.number());
        }
        false
    });
    let steps = barriers::of(par_loop).steps.into_iter().map(|barriers::Step { span, phase, behind }| {
        let line = line(span);
        quote!(#private::data::Step { line: #line, phase: #phase, behind: &[#(#behind),*] })
    });
    quote! {
        #private::rust::Some(#private::data::Blocks { shared: &[#(#shared),*], told: &[#(#told),*], steps: &[#(#steps),*] })
    }
}
