//! What stands in place of a device function with errors.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::generics::Generics;
use crate::ir::Header;
use crate::launch;
use crate::parse::attributes;

/// What callers of a device function need to see, so that a wrong body is one error and not ten.
pub(crate) fn device_stub(header: &Header, sig: &syn::Signature) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params, clause, declared, args, phantom, .. } = Generics::of(krate, generics);
    // What is wrong with it has been said.
    let (mut sig, safety) = (sig.clone(), syn::Safety::Default);
    (sig.constness, sig.asyncness, sig.safety, sig.abi, sig.variadic) = (None, None, safety, None, None);
    // Types that no value of device code has become type parameters, so that no call is an error, too.
    let mut refused = Refused(Vec::new());
    let mut stand_in = |ty: &mut syn::Type| match ty {
        syn::Type::Slice(_) => refused.replace(ty),
        ty => syn::visit_mut::VisitMut::visit_type_mut(&mut refused, ty),
    };
    if let syn::ReturnType::Type(_, ty) = &mut sig.output {
        stand_in(ty);
    }
    let mut types = Vec::new();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            stand_in(&mut typed.ty);
            types.push(typed.ty.clone());
        }
    }
    let Refused(any) = refused;
    sig.generics.params.extend(any.iter().map(|name| -> syn::GenericParam { syn::parse_quote!(#name) }));
    let output = &sig.output;
    let value = crate::names::local("V");
    let function_type = quote!(#krate::private::rust::Fn(#(#types),*) #output);
    let named_any = quote!(<#(#any,)* #value: #function_type>);
    let any = (!any.is_empty()).then(|| quote!(<#(#any),*>));
    let beside = sig.receiver().is_none().then(|| {
        let cfgs: Vec<_> = attributes::cfgs(attrs).collect();
        let no_kernel = launch::nested::no_kernel(vis, &crate::names::private(krate));
        quote! {
            #(#cfgs)*
            #[allow(non_camel_case_types)] // called as the function
            #[doc(hidden)]
            #vis enum #name #declared { #[doc(hidden)] __Never(#krate::private::rust::Infallible, #phantom) }

            #(#cfgs)*
            impl #params #name #args #clause {
                #[doc(hidden)]
                #vis fn called_in_device_code #any(_: #krate::private::slot::Callee<Self>) -> impl #function_type {
                    #name
                }

                #[doc(hidden)]
                #vis fn named_in_device_code #named_any(_: #krate::private::slot::Callee<Self>, _: #value) -> impl #function_type {
                    #name
                }

                #no_kernel
            }

            #(#cfgs)*
            impl #params #krate::private::slot::DeviceFn for #name #args #clause {
                const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: #krate::private::rust::usize = 1;
                fn called() -> #krate::private::data::SlotValue {
                    #krate::private::rust::unreachable!("this function has errors")
                }
            }
        }
    });
    quote! {
        #(#attrs)*
        #[allow(unused_variables)] // there is no body that uses them
        #vis #sig { #krate::private::rust::unreachable!("this function has errors") }
        #beside
    }
}

/// The names of type parameters in place of what a signature cannot have.
struct Refused(Vec<Ident>);

impl Refused {
    fn replace(&mut self, ty: &mut syn::Type) {
        let name = format_ident!("__T{}", self.0.len());
        *ty = syn::parse_quote!(#name);
        self.0.push(name);
    }
}

impl syn::visit_mut::VisitMut for Refused {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => self.replace(ty),
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }
}
