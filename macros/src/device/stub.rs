//! What callers of a device function need to see if it has errors, so that a wrong body is one
//! error and not ten.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::{VisitMut, visit_type_mut};

use super::beside::Beside;
use super::function::entries;
use crate::generics::Generics;
use crate::ir::Header;
use crate::launch::nested;
use crate::names;
use crate::parse::attributes::cfgs;

/// The function without its body, and the type beside it without a source.
pub(crate) fn stub(header: &Header, sig: &syn::Signature) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    // The errors of these are reported.
    let (mut sig, safety) = (sig.clone(), syn::Safety::Default);
    (sig.constness, sig.asyncness, sig.safety, sig.abi, sig.variadic) = (None, None, safety, None, None);
    // Types that no value of device code has become type parameters, so that no call is an error,
    // too.
    let mut refused = Refused(Vec::new());
    if let syn::ReturnType::Type(_, ty) = &mut sig.output {
        refused.stand_in(ty);
    }
    let mut types = Vec::new();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            refused.stand_in(&mut typed.ty);
            types.push(typed.ty.clone());
        }
    }
    sig.generics.params.extend(refused.0.iter().map(|name| -> syn::GenericParam { syn::parse_quote!(#name) }));
    let (private, cfgs): (_, Vec<_>) = (names::private(krate), cfgs(attrs).collect());
    let never = quote!(#private::rust::unreachable!("this function has errors"));
    let next_to_it = sig.receiver().is_none().then(|| {
        let generics = Generics::of(krate, generics);
        let allowed = TokenStream::new();
        let beside =
            Beside { private: &private, cfgs: cfgs.clone(), allowed, vis: quote!(#vis), name, generics: &generics };
        let (ty, declaration, no_kernel) = (beside.ty(), beside.declaration(), nested::no_kernel(vis, &private));
        let Generics { outer, outer_clause, own, own_clause, .. } = &generics;
        let own: Vec<_> = own.iter().cloned().chain(refused.0.iter().map(|name| quote!(#name))).collect();
        let output = &sig.output;
        let function = quote!(#private::rust::Fn(#(#types),*) #output);
        let entries = entries(vis, &private, &own, &function, &quote!(-> impl #function #own_clause { #name }));
        let implementation = beside.implementation(&quote!(1), &never, &TokenStream::new());
        quote! {
            #declaration

            #(#cfgs)*
            impl #outer #ty #outer_clause {
                #entries
                #no_kernel
            }

            #implementation
        }
    });
    quote! {
        #(#attrs)*
        #[allow(unused_variables)] // there is no body that uses them
        #vis #sig { #never }
        #next_to_it
    }
}

/// The names of type parameters in place of what a signature cannot have.
struct Refused(Vec<Ident>);

impl Refused {
    fn stand_in(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Slice(_) => self.replace(ty),
            ty => self.visit_type_mut(ty),
        }
    }

    fn replace(&mut self, ty: &mut syn::Type) {
        let name = format_ident!("__T{}", self.0.len());
        *ty = syn::parse_quote!(#name);
        self.0.push(name);
    }
}

impl VisitMut for Refused {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => self.replace(ty),
            ty => visit_type_mut(self, ty),
        }
    }
}
