//! The uninhabited type beside a device function. rustc resolves it like the function, and its
//! `DeviceFn` describes the function.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::item::{InLanes, Item};
use super::source;
use crate::generics::Generics;
use crate::names;

/// That type.
pub(super) struct Beside<'f> {
    pub(super) private: &'f TokenStream,
    /// The `cfg`s of the function, and of what it is in.
    pub(super) cfgs: Vec<&'f syn::Attribute>,
    /// Lints that its declaration allows, with a comma behind each.
    pub(super) allowed: TokenStream,
    pub(super) vis: TokenStream,
    pub(super) name: &'f Ident,
    /// The parameters of the function and of what it is in.
    pub(super) generics: &'f Generics,
}

impl Beside<'_> {
    /// The type with its arguments.
    pub(super) fn ty(&self) -> TokenStream {
        let (name, args) = (self.name, &self.generics.args);
        quote!(#name #args)
    }

    /// The type's declaration.
    pub(super) fn declaration(&self) -> TokenStream {
        let Self { private, cfgs, allowed, vis, name, generics: Generics { declared, phantom, .. } } = self;
        let variant =
            (!declared.is_empty()).then(|| quote!(#[doc(hidden)] __Never(#private::rust::Infallible, #phantom)));
        quote! {
            #(#cfgs)*
            #[allow(#allowed non_camel_case_types)] // it has the name of a function
            #[doc(hidden)]
            #vis enum #name #declared { #variant }
        }
    }

    /// `DeviceFn` with the depth of the function's calls, an expression for its `DeviceFunction`,
    /// and members that have defaults.
    pub(super) fn implementation(
        &self,
        depth: &TokenStream,
        source: &TokenStream,
        others: &TokenStream,
    ) -> TokenStream {
        let Self { private, cfgs, generics: Generics { outer, outer_clause, .. }, .. } = self;
        let ty = self.ty();
        quote! {
            #(#cfgs)*
            impl #outer #private::slot::DeviceFn for #ty #outer_clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #private::rust::usize = #depth;
                fn called() -> #private::data::SlotValue {
                    #private::data::SlotValue::Function(|| #source)
                }
                #others
            }
        }
    }

    /// The depth of the function's calls, which rustc cannot compute if the function calls itself.
    pub(super) fn depth(&self) -> TokenStream {
        let device_fn = self.device_fn();
        quote!(#device_fn::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF)
    }

    /// Its `DeviceFn`, in a path.
    pub(super) fn device_fn(&self) -> TokenStream {
        let (private, ty) = (self.private, self.ty());
        quote!(<#ty as #private::slot::DeviceFn>)
    }

    /// Makes rustc compute the depth. It does so by itself for each instance of a generic function.
    fn acyclic(&self) -> Option<TokenStream> {
        (!self.generics.any).then(|| computed(&self.cfgs, &self.depth()))
    }
}

/// Makes rustc compute a constant. The item has the type `()`, because rustc proposes constants of
/// the same type for unused variables.
pub(super) fn computed(cfgs: &[&syn::Attribute], constant: &TokenStream) -> TokenStream {
    quote! {
        #(#cfgs)*
        const _: () = { let _ = #constant; };
    }
}

impl Item<'_> {
    /// The type beside the function, where the function is private.
    pub(super) fn beside<'i>(&'i self, name: &'i Ident, generics: &'i Generics) -> Beside<'i> {
        let (allowed, vis) = (TokenStream::new(), TokenStream::new());
        Beside { private: &self.private, cfgs: self.cfgs.clone(), allowed, vis, name, generics }
    }

    /// That type with its `DeviceFn`.
    pub(super) fn described(&self, beside: &Beside<'_>) -> TokenStream {
        let (private, out) = (&self.private, names::local("out"));
        let twin_of = self.outside(self.twin_of());
        let (id, describe) =
            (quote!(#private::rust::TypeId::of::<Self>()), quote!(|#out| #private::slot::slots_of(#twin_of, #out)));
        let source = match &self.place.of_impl {
            None => self.source(&id, &describe, &quote!(<Self as #private::slot::DeviceFn>::needs)),
            Some(of_impl) => {
                let of_impl = self.outside(of_impl.clone());
                let default = match self.place.is_defined {
                    true => {
                        let source = self.source_for_trait();
                        quote!(#private::rust::Some(#source))
                    }
                    false => quote!(#private::rust::None),
                };
                quote!(#private::slot::of_trait(#of_impl, #id, #describe, #default))
            }
        };
        let (declaration, acyclic) = (beside.declaration(), beside.acyclic());
        let implementation = beside.implementation(&self.depth(), &source, &self.outside(self.known()));
        quote!(#declaration #implementation #acyclic)
    }

    /// The depth of its calls, outside of the `impl` or trait.
    pub(super) fn depth(&self) -> TokenStream {
        let (private, twin_of) = (&self.private, self.outside(self.twin_of()));
        quote!(#private::slot::depth_of(&#twin_of))
    }

    /// Members of `DeviceFn`: what callers can use without a call.
    fn known(&self) -> TokenStream {
        let (private, twin_of) = (&self.private, self.twin_of());
        let (total, needs, keeps) =
            (self.total(), source::needs(&self.facts, private, &twin_of), source::keeps(self.parsed, private));
        let (total, is_default) = match &self.place.of_impl {
            None => (total, None),
            Some(of_impl) => (
                quote! {
                    match #of_impl {
                        #private::rust::Some(own) => (own.total)(),
                        #private::rust::None => #total,
                    }
                },
                Some(quote!(#private::rust::matches!(#of_impl, #private::rust::None) &&)),
            ),
        };
        let [args, results] = ["args", "results"].map(names::local);
        let lanes = self.lanes.as_ref().map(|InLanes { exist, run, .. }| {
            quote! {
                #[inline(always)]
                fn has_lanes() -> #private::rust::bool { #is_default #exist }
                #[inline(always)]
                fn in_lanes(#args: &dyn #private::rust::Any, #results: &mut dyn #private::rust::Any) -> #private::rust::bool { #run }
            }
        });
        let of_lanes = match &self.lanes {
            Some(InLanes { conditions, .. }) => quote!(#private::rust::Some(&#conditions)),
            None => quote!(#private::rust::None),
        };
        quote! {
            #needs
            #[inline(always)]
            fn total() -> #private::rust::bool { #total }
            #keeps
            #[inline(always)]
            fn room() -> #private::rust::usize { #private::slot::room_of(&#twin_of, #of_lanes) }
            #lanes
        }
    }

    /// The function's `DeviceFunction`, with expressions for what depends on types.
    fn source(&self, id: &TokenStream, describe: &TokenStream, needs: &TokenStream) -> TokenStream {
        let of_body = self.facts_of_body().filter(|_| self.place.is_narrow);
        source::source(self.parsed, &self.facts, &self.place.shown, of_body, [id, describe, needs])
    }

    /// A function that makes it of what only the trait knows.
    pub(super) fn source_for_trait(&self) -> TokenStream {
        let [id, describe] = ["id", "describe"].map(names::local);
        let source = self.source(&quote!(#id), &quote!(#describe), &quote!(|| 0));
        quote!(|#id, #describe| #source)
    }

    /// What `DeviceFn::total` returns.
    pub(super) fn total(&self) -> TokenStream {
        match self.place.is_defined {
            true => source::total(&self.parsed.body, &self.private, &self.twin_of()),
            false => quote!(false),
        }
    }
}
