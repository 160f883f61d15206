//! What happens in a block of threads, as constant data for plans.

use anabranch_core::banks::Op;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::analysis::{banks, barriers};
use crate::ir::{Collective, CollectiveOp, ExprKind, LocalId, ParLoop, Space};
use crate::launch::{column, line};
use crate::names::{shown, variant};

/// `Option<Blocks>`: of a loop over blocks.
pub(crate) fn data(par_loop: &ParLoop, private: &TokenStream) -> TokenStream {
    if par_loop.shape.is_none() {
        return quote!(#private::rust::None);
    }
    let body = &par_loop.body;
    let arrays = body.locals.iter().enumerate().filter(|(_, local)| local.space == Space::Shared);
    let arrays: Vec<LocalId> = arrays.map(|(at, _)| LocalId(at)).collect();
    let shared = arrays.iter().map(|array| {
        let (name, slot) = (shown(&body[*array].name), body[*array].slot.number());
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
    let phases = banks::of(par_loop).into_iter().map(|banks::Touches { counts, common, touches }| {
        let (counts, common) = (numbers(&counts, private), numbers(&common, private));
        let touches = touches.iter().map(|touched| touch(touched, &arrays, private));
        quote!(#private::data::Touches { counts: #counts, common: #common, touches: &[#(#touches),*] })
    });
    quote! {
        #private::rust::Some(#private::data::Blocks {
            shared: &[#(#shared),*],
            told: &[#(#told),*],
            steps: &[#(#steps),*],
            phases: &[#(#phases),*],
        })
    }
}

fn touch(touch: &banks::Touch, arrays: &[LocalId], private: &TokenStream) -> TokenStream {
    let banks::Touch { array, span, text, write, path, conditions } = touch;
    let array = Literal::usize_unsuffixed(arrays.iter().position(|known| known == array).unwrap_or_default());
    let (line, column, conditions) = (line(*span), column(*span), numbers(conditions, private));
    let path = path.as_ref().map(|path| {
        let steps = path.iter().map(|step| match step {
            banks::Step::Element(index) => {
                let index = number(index, private);
                quote!(#private::data::PathStep::Element(#index))
            }
            banks::Step::Field(name) => quote!(#private::data::PathStep::Field(#name)),
        });
        quote!(&[#(#steps),*])
    });
    let path = match path {
        Some(path) => quote!(#private::rust::Some(#path)),
        None => quote!(#private::rust::None),
    };
    quote! {
        #private::data::Touch {
            array: #array,
            access: #text,
            line: #line,
            column: #column,
            write: #write,
            path: #path,
            conditions: #conditions,
        }
    }
}

fn numbers(all: &[banks::Number], private: &TokenStream) -> TokenStream {
    let all = all.iter().map(|of| number(of, private));
    quote!(&[#(#all),*])
}

fn number(number: &[Op], private: &TokenStream) -> TokenStream {
    let u32 = Literal::u32_unsuffixed;
    let ops = number.iter().map(|op| match op {
        Op::Int(value) => {
            let value = Literal::u64_unsuffixed(*value);
            quote!(Int(#value))
        }
        Op::Constant(slot) => {
            let slot = u32(*slot);
            quote!(Constant(#slot))
        }
        Op::Place(dim) => {
            let dim = u32(*dim);
            quote!(Place(#dim))
        }
        Op::Common(at) => {
            let at = u32(*at);
            quote!(Common(#at))
        }
        Op::Binary(op) => {
            let op = variant(op.variant());
            quote!(Binary(#private::data::BinOp::#op))
        }
        Op::Compare(op) => {
            let op = variant(op.variant());
            quote!(Compare(#private::data::CompareOp::#op))
        }
        Op::Cast(slot) => {
            let slot = u32(*slot);
            quote!(Cast(#slot))
        }
    });
    quote!(&[#(#private::data::Op::#ops),*])
}
