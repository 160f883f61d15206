//! Collectives of the twin: functions of what each thread evaluates.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Twin, slot};
use crate::ir::Collective;

impl Twin<'_> {
    pub(super) fn collective(&self, collective: &Collective, span: Span) -> TokenStream {
        let Collective { op, of_warps, own, thread, threads, slot: s, result, of } = collective;
        let (p, s, own) = (self.private_at(span), slot(*s), self.expr(own));
        let (threads, name) = (Literal::u32_unsuffixed(*threads), proc_macro2::Ident::new(op.name(), span));
        let (thread, number) = (self.local(*thread, span), slot(self.body[*thread].slot));
        let own = quote_spanned!(span=> { #p::slot::same(#number, &#thread); #own });
        if *of_warps {
            let result = slot(*result);
            return quote_spanned!(span=> #p::warps::#name([(); #threads], |#thread| #own, #s, #result));
        }
        let of = of.as_ref().map(|(thread, _)| {
            let thread = self.expr(thread);
            quote!(, #thread)
        });
        let of_type = (!op.is_of_conditions()).then(|| quote_spanned!(span=> , _));
        quote_spanned!(span=> #p::collective::#name::<#threads #of_type>(|#thread| #own, #s #of))
    }
}
