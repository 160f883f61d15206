//! A device function, wherever it stands: the function for the host, and its twin.
//!
//! The function stays callable on the host, and calls its *twin*, the same code with slots
//! (`cpu::device_function`). rustc infers the types in the twin, and `DeviceFn` of the [type beside
//! the function](super::beside) gets them from there. What differs with the place of a function is
//! data: [`Place`].

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::scope::{closures, renamed};
use crate::analysis::access::{self, FunctionFacts, LoopFacts};
use crate::analysis::lanes;
use crate::generics::Generics;
use crate::ir::{DeviceFn, Header};
use crate::parse::attributes::{cfgs, lints};
use crate::{cpu, names};

/// A device function at its place.
pub(super) struct Item<'f> {
    pub(super) parsed: &'f DeviceFn,
    pub(super) place: Place,
    pub(super) private: TokenStream,
    pub(super) cfgs: Vec<&'f syn::Attribute>,
    /// The names of its parameters.
    pub(super) idents: Vec<&'f Ident>,
    /// Its parameters as they are declared.
    pub(super) inputs: Vec<TokenStream>,
    /// `-> T`
    pub(super) output: Option<TokenStream>,
    /// Its own parameters.
    pub(super) generics: Generics,
    pub(super) facts: FunctionFacts,
    pub(super) lanes: Option<InLanes>,
}

/// What differs with the place of a function.
pub(super) struct Place {
    /// What has the twin: `f::<T>`, `<Self>`, `<Self as Trait>`.
    pub(super) owner: TokenStream,
    /// The name of `Self` outside of the `impl` or trait.
    pub(super) this: TokenStream,
    /// The name of the function in messages: `V::dot`.
    pub(super) shown: String,
    /// The name of the twin.
    pub(super) twin: Ident,
    /// The twin's parameters and its `where …`, and the arguments of its calls.
    pub(super) params: TokenStream,
    pub(super) clause: TokenStream,
    pub(super) args: TokenStream,
    /// Lints that the twin allows in addition to those that each twin allows, with a comma behind
    /// each.
    pub(super) allowed: TokenStream,
    /// The name of the function for all lanes, where functions have one.
    pub(super) lanes: Option<Ident>,
    /// The twin has one more parameter, `Decided`: what the launch has shown.
    pub(super) takes_decided: bool,
    /// The C++ also has a version with indexes of 32 bits.
    pub(super) is_narrow: bool,
    /// The function has a body.
    pub(super) is_defined: bool,
    /// For a function of a trait, an expression: the function that the `impl` has in place of the
    /// default one.
    pub(super) of_impl: Option<TokenStream>,
}

impl Place {
    /// The place of a function in the `impl` of a trait. Those of other functions differ from it in
    /// some fields.
    pub(super) fn new(owner: TokenStream, this: impl ToTokens, shown: String, function: &DeviceFn) -> Self {
        let Header { krate, name, generics, .. } = &function.header;
        let Generics { params, clause, inferred: args, .. } = Generics::of(krate, generics);
        Self {
            owner,
            this: this.into_token_stream(),
            shown,
            twin: Ident::new(&format!("{}_twin_in_device_code", names::plain(name)), name.span()),
            params,
            clause,
            args,
            allowed: TokenStream::new(),
            lanes: None,
            takes_decided: false,
            is_narrow: false,
            is_defined: true,
            of_impl: None,
        }
    }
}

/// A function for the arguments of all lanes at once.
pub(super) struct InLanes {
    /// Its name.
    name: Ident,
    /// Its parameters and its body.
    params: TokenStream,
    block: TokenStream,
    /// What `DeviceFn::has_lanes` returns.
    pub(super) exist: TokenStream,
    /// What `DeviceFn::in_lanes` returns.
    pub(super) run: TokenStream,
    /// What the types must meet so that it exists.
    pub(super) conditions: TokenStream,
}

impl<'f> Item<'f> {
    pub(super) fn new(parsed: &'f DeviceFn, place: Place) -> Self {
        let DeviceFn { header, receiver, params, output, body, projects: _ } = parsed;
        let idents: Vec<_> = params.iter().map(|(local, _)| &body[*local].name).collect();
        let mut this = *receiver;
        let inputs = params.iter().zip(&idents).map(|((_, ty), name)| match this.take() {
            Some(this) => names::receiver(this, &quote!(#name)),
            None => quote!(#name: #ty),
        });
        let inputs = inputs.collect();
        let mut item = Self {
            parsed,
            private: names::private(&header.krate),
            cfgs: cfgs(&header.attrs).collect(),
            idents,
            inputs,
            output: output.as_ref().map(|(_, ty)| quote!(-> #ty)),
            generics: Generics::of(&header.krate, &header.generics),
            facts: access::of_function(parsed, place.takes_decided),
            lanes: None,
            place,
        };
        item.lanes = item.in_lanes();
        item
    }

    /// The function for all lanes, if there is one.
    fn in_lanes(&self) -> Option<InLanes> {
        let (name, private) = (self.place.lanes.clone()?, &self.private);
        let lanes = lanes::of_arguments(self.parsed).ok()?;
        let (params, block) = cpu::lanes::of_arguments(self.parsed, &lanes);
        let (conditions, twin_of) = (lanes.conditions(&self.parsed.body, private), self.twin_of());
        let exist = quote!(#private::slot::total_of(&#twin_of, &#conditions));
        let run = cpu::lanes::called(self.parsed, &self.path(&name));
        Some(InLanes { name, params, block: quote!({ #block }), exist, run, conditions })
    }

    /// The function as the user declared it, for the host.
    pub(super) fn host(&self) -> TokenStream {
        let Self { parsed: DeviceFn { header, .. }, inputs, output, .. } = self;
        let Header { attrs, vis, name, .. } = header;
        let Generics { params, clause, .. } = &self.generics;
        let call = self.call(self.undecided().as_ref());
        let (inline, body) = match self.place.is_defined {
            true => (Some(quote!(#[inline])), quote!({ #call })),
            false => (None, quote!(;)),
        };
        quote! {
            #(#attrs)*
            #inline
            #vis fn #name #params(#(#inputs),*) #output #clause #body
        }
    }

    /// The method that device code calls in place of this one. It has one more parameter, a slot
    /// with the type beside the function.
    pub(super) fn entry(&self, vis: &TokenStream, name: &Ident, ty: &TokenStream, call: &TokenStream) -> TokenStream {
        let Self { private, cfgs, inputs, output, .. } = self;
        let Generics { params, clause, .. } = &self.generics;
        let slot = slot();
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[inline(always)]
            #[allow(dead_code)] // called by device code alone
            #vis fn #name #params(#(#inputs,)* #slot: #private::slot::Callee<#ty>) #output #clause { #call }
        }
    }

    /// The twin, and the function for all lanes.
    pub(super) fn twin(&self) -> TokenStream {
        let Self { parsed: DeviceFn { header, body, .. }, place, private, cfgs, .. } = self;
        let Place { twin, params, clause, allowed, .. } = place;
        let (signature, mut block) = cpu::device_function(self.parsed, self.facts_of_body());
        if !place.is_defined {
            block = quote!({ (#private::rust::unreachable!("each `#[device] impl` has one of its own"), ()) });
        }
        let (lints, inner): (Vec<_>, _) = (lints(&header.attrs).collect(), &body.lints);
        // If the trait of an `impl` is not for the device, rustc's error is here: it has no such
        // function.
        let declared = quote_spanned!(twin.span()=> fn #twin);
        let of_lanes = self.lanes.as_ref().map(|InLanes { name, params: of_lanes, block, .. }| {
            quote! {
                #(#cfgs)*
                #[doc(hidden)]
                #[inline(always)]
                #(#lints)*
                #[allow(unused, clippy::all)] // they are reported for the function
                #(#inner)*
                fn #name #params #of_lanes #clause #block
            }
        });
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[inline(always)]
            #(#lints)*
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, #allowed clippy::all)]
            #(#inner)*
            #[deny(overflowing_literals)] // rustc's error is better than that of the check of each literal
            #declared #params #signature #clause #block

            #of_lanes
        }
    }

    /// A closure that calls the twin. It is never called: it has the twin's types.
    pub(super) fn twin_of(&self) -> TokenStream {
        let values: Vec<_> = (0..self.idents.len()).map(|at| names::local(&format!("value{at}"))).collect();
        let closures = closures(self.parsed);
        let types = closures.into_iter().map(|closure| closure.map_or_else(|| quote!(_), |closure| closure.plain));
        let (path, undecided) = (self.path(&self.place.twin), self.undecided());
        quote!(|(#(#values,)*): (#(#types,)*)| #path(#(#values,)* #undecided))
    }

    /// A call of the twin with the function's arguments, for its value. `decided` is the last
    /// argument.
    pub(super) fn call(&self, decided: Option<&TokenStream>) -> TokenStream {
        let (path, idents) = (self.path(&self.place.twin), &self.idents);
        quote!(#path(#(#idents,)* #decided).0)
    }

    /// The same in a function with a slot, which holds what the launch has shown.
    pub(super) fn call_with_slot(&self) -> TokenStream {
        let (private, slot) = (&self.private, slot());
        self.call(Some(&quote!(#private::slot::Callee::decided(#slot))))
    }

    /// A call of the function itself.
    pub(super) fn call_of_host(&self) -> TokenStream {
        let (path, idents) = (self.path(&self.parsed.header.name), &self.idents);
        quote!(#path(#(#idents),*))
    }

    /// The path of a function that is where the twin is.
    fn path(&self, name: &Ident) -> TokenStream {
        let Place { owner, args, .. } = &self.place;
        quote!(#owner::#name #args)
    }

    /// The facts of the body, if they depend on what the launch has shown.
    pub(super) fn facts_of_body(&self) -> Option<&LoopFacts> {
        self.place.takes_decided.then_some(&self.facts.facts)
    }

    /// The last argument of the twin where no launch has shown anything.
    fn undecided(&self) -> Option<TokenStream> {
        let private = &self.private;
        self.place.takes_decided.then(|| quote!(#private::view::Decided::NO))
    }

    /// The tokens with the name that `Self` has outside of the `impl` or trait.
    pub(super) fn outside(&self, tokens: TokenStream) -> TokenStream {
        renamed(tokens, "Self", &self.place.this)
    }
}

/// The parameter of generated functions that is a slot.
pub(super) fn slot() -> Ident {
    names::local("slot")
}
