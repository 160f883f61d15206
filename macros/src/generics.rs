//! Type and const parameters of kernels and device functions, in the forms in which generated code needs them.

use proc_macro2::TokenStream;
use quote::quote;

/// The parameters of a function.
pub(crate) struct Generics {
    /// With bounds, for a function or an `impl`: `<'a, T: Float + 'static, const N: usize>`.
    pub(crate) params: TokenStream,
    /// `where …`.
    pub(crate) clause: TokenStream,
    /// Without bounds and lifetimes, for a type: `<T, const N: usize>`.
    pub(crate) declared: TokenStream,
    /// As arguments of a type: `<T, N>`.
    pub(crate) args: TokenStream,
    /// As arguments in an expression: `::<T, N>`.
    pub(crate) turbofish: TokenStream,
    /// Uses each type parameter: `(PhantomData<T>,)`.
    pub(crate) phantom: TokenStream,
    /// The value of that type.
    pub(crate) phantom_value: TokenStream,
    /// As `declared`, behind a lifetime: `<'call, T, const N: usize>`.
    pub(crate) borrowing: TokenStream,
    /// As `args` for a type that is declared so: `<'_, T, N>`, `<'static, T, N>`.
    pub(crate) of_call: TokenStream,
    pub(crate) of_instance: TokenStream,
    /// There is one.
    pub(crate) any: bool,
}

impl Generics {
    pub(crate) fn of(krate: &syn::Path, generics: &syn::Generics) -> Self {
        let mut generics = generics.clone();
        make_static(&mut generics);
        let (params, _, clause) = generics.split_for_impl();
        let types: Vec<_> = generics.type_params().map(|p| &p.ident).collect();
        let in_order: Vec<_> = generics
            .params
            .iter()
            .filter_map(|p| match p {
                syn::GenericParam::Type(p) => Some((&p.ident, quote!())),
                syn::GenericParam::Const(p) => {
                    let ty = &p.ty;
                    Some((&p.ident, quote!(: #ty)))
                }
                syn::GenericParam::Lifetime(_) => None,
            })
            .collect();
        let any = !in_order.is_empty();
        let declared: Vec<_> = in_order
            .iter()
            .map(|(name, ty)| if ty.is_empty() { quote!(#name) } else { quote!(const #name #ty) })
            .collect();
        let args = in_order.iter().map(|(name, _)| name).collect::<Vec<_>>();
        Self {
            declared: if any { quote!(<#(#declared),*>) } else { TokenStream::new() },
            args: if any { quote!(<#(#args),*>) } else { TokenStream::new() },
            turbofish: if any { quote!(::<#(#args),*>) } else { TokenStream::new() },
            phantom: quote!((#(#krate::private::rust::PhantomData<#types>,)*)),
            phantom_value: quote!((#(#krate::private::rust::PhantomData::<#types>,)*)),
            borrowing: quote!(<'call, #(#declared),*>),
            of_call: quote!(<'_, #(#args),*>),
            of_instance: quote!(<'static, #(#args),*>),
            params: quote!(#params),
            clause: quote!(#clause),
            any,
        }
    }
}

/// Bounds each type parameter by `'static`: an instance of a kernel or function is known by the `TypeId` of its arguments.
pub(crate) fn make_static(generics: &mut syn::Generics) {
    let is_static =
        |bound: &syn::TypeParamBound| matches!(bound, syn::TypeParamBound::Lifetime(of) if of.ident == "static");
    // Where its other bounds are: lints object to two places.
    let mut clause = generics.where_clause.take();
    for param in generics.type_params_mut() {
        let predicate = clause.iter_mut().flat_map(|c| &mut c.predicates).find_map(|predicate| match predicate {
            syn::WherePredicate::Type(bound) => match &bound.bounded_ty {
                syn::Type::Path(path) if path.path.is_ident(&param.ident) => Some(&mut bound.bounds),
                _ => None,
            },
            _ => None,
        });
        let bounds = predicate.unwrap_or(&mut param.bounds);
        if !bounds.iter().any(is_static) {
            bounds.push(syn::parse_quote!('static));
        }
    }
    generics.where_clause = clause;
}
