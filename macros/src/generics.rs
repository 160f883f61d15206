//! Type and const parameters of kernels and device functions, in the forms in which generated code
//! needs them.

use proc_macro2::TokenStream;
use quote::quote;

/// The parameters of a function. A type parameter that is a closure (`F: Fn(f32) -> f32`) is one of
/// the function alone: nothing that has a name can depend on the type of a closure.
pub(crate) struct Generics {
    /// With bounds, for a function: `<'a, F: Fn(T) -> T, T: Float + 'static, const N: usize>`.
    pub(crate) params: TokenStream,
    /// `where …`.
    pub(crate) clause: TokenStream,
    /// Without closures, for an `impl`: `<'a, T: Float + 'static, const N: usize>`.
    pub(crate) outer: TokenStream,
    /// Its `where …`.
    pub(crate) outer_clause: TokenStream,
    /// The closures alone, for a function in such an `impl`, which come after these.
    pub(crate) own: Vec<TokenStream>,
    /// What a `where` says of them.
    pub(crate) own_clause: TokenStream,
    /// Without bounds and lifetimes, for a type: `<F, T, const N: usize>`.
    pub(crate) declared: TokenStream,
    /// As arguments of a type, in which nothing is in the place of a closure: `<(), T, N>`.
    pub(crate) args: TokenStream,
    /// The same in an expression: `::<(), T, N>`.
    pub(crate) of_type: TokenStream,
    /// As arguments in an expression: `::<F, T, N>`.
    pub(crate) turbofish: TokenStream,
    /// The same where closures are inferred: `::<_, T, N>`.
    pub(crate) inferred: TokenStream,
    /// Uses each type parameter: `(PhantomData<T>,)`.
    pub(crate) phantom: TokenStream,
    /// The value of that type.
    pub(crate) phantom_value: TokenStream,
    /// As `declared`, behind a lifetime: `<'call, T, const N: usize>`.
    pub(crate) borrowing: TokenStream,
    /// As `args` for a type that is declared so: `<'_, T, N>`, `<'static, T, N>`.
    pub(crate) of_call: TokenStream,
    pub(crate) of_instance: TokenStream,
    /// There is one that is no closure.
    pub(crate) any: bool,
}

impl Generics {
    pub(crate) fn of(krate: &syn::Path, generics: &syn::Generics) -> Self {
        Self::new(krate, generics, |name| Signature::of_parameter(name, generics).is_some())
    }

    /// Those of a kernel: a closure is a host value like others.
    pub(crate) fn of_kernel(krate: &syn::Path, generics: &syn::Generics) -> Self {
        Self::new(krate, generics, |_| false)
    }

    fn new(krate: &syn::Path, generics: &syn::Generics, is_closure: impl Fn(&syn::Ident) -> bool) -> Self {
        let mut generics = generics.clone();
        make_static(&mut generics, &is_closure);
        let (params, _, clause) = generics.split_for_impl();
        let types: Vec<_> = generics.type_params().map(|p| &p.ident).collect();
        let mut outer = generics.clone();
        let (mut own, mut own_clause) = (Vec::new(), Vec::new());
        outer.params = std::mem::take(&mut outer.params)
            .into_iter()
            .filter(|param| match param {
                syn::GenericParam::Type(of) if is_closure(&of.ident) => {
                    own.push(quote!(#param));
                    false
                }
                _ => true,
            })
            .collect();
        if let Some(clause) = &mut outer.where_clause {
            clause.predicates = std::mem::take(&mut clause.predicates)
                .into_iter()
                .filter(|predicate| match predicate {
                    syn::WherePredicate::Type(bound) if names(&bound.bounded_ty, &is_closure) => {
                        own_clause.push(quote!(#predicate));
                        false
                    }
                    _ => true,
                })
                .collect();
        }
        let (outer_params, _, outer_clause) = outer.split_for_impl();
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
        let declared = in_order
            .iter()
            .map(|(name, ty)| if ty.is_empty() { quote!(#name) } else { quote!(const #name #ty) })
            .collect::<Vec<_>>();
        let with = |closure: Option<TokenStream>| {
            let arguments = in_order.iter().filter_map(|(name, _)| match is_closure(name) {
                true => closure.clone(),
                false => Some(quote!(#name)),
            });
            arguments.collect::<Vec<_>>()
        };
        let names = in_order.iter().map(|(name, _)| quote!(#name)).collect::<Vec<_>>();
        let args = with(Some(quote!(())));
        Self {
            any: !with(None).is_empty(),
            declared: listed(quote!(), &declared),
            of_type: listed(quote!(::), &args),
            args: listed(quote!(), &args),
            turbofish: listed(quote!(::), &names),
            inferred: listed(quote!(::), &with(Some(quote!(_)))),
            phantom: quote!((#(#krate::private::rust::PhantomData<#types>,)*)),
            phantom_value: quote!((#(#krate::private::rust::PhantomData::<#types>,)*)),
            borrowing: quote!(<'call, #(#declared),*>),
            of_call: quote!(<'_, #(#args),*>),
            of_instance: quote!(<'static, #(#args),*>),
            params: quote!(#params),
            clause: quote!(#clause),
            outer: quote!(#outer_params),
            outer_clause: quote!(#outer_clause),
            own,
            own_clause: if own_clause.is_empty() { quote!() } else { quote!(where #(#own_clause),*) },
        }
    }
}

/// In `<…>`, if there are any.
fn listed(before: TokenStream, arguments: &[TokenStream]) -> TokenStream {
    if arguments.is_empty() { TokenStream::new() } else { quote!(#before <#(#arguments),*>) }
}

/// Whether a type is a name for which something holds.
fn names(ty: &syn::Type, holds: impl Fn(&syn::Ident) -> bool) -> bool {
    matches!(ty, syn::Type::Path(path) if path.qself.is_none() && path.path.get_ident().is_some_and(holds))
}

/// The parameters and the result of `impl Fn(f32) -> f32`.
pub(crate) struct Signature<'t> {
    pub(crate) path: &'t syn::Path,
    pub(crate) inputs: Vec<&'t syn::Type>,
    pub(crate) output: Option<&'t syn::Type>,
    /// Its other bounds.
    pub(crate) others: Vec<&'t syn::TypeParamBound>,
}

impl<'t> Signature<'t> {
    /// Of a parameter: `impl Fn(f32) -> f32`, or `F` with such a bound.
    pub(crate) fn of(ty: &'t syn::Type, generics: &'t syn::Generics) -> Option<Self> {
        match ty {
            syn::Type::ImplTrait(ty) => Self::of_bounds(ty.bounds.iter()),
            syn::Type::Path(path) if path.qself.is_none() => Self::of_parameter(path.path.get_ident()?, generics),
            _ => None,
        }
    }

    /// Of a type parameter.
    pub(crate) fn of_parameter(name: &'t syn::Ident, generics: &'t syn::Generics) -> Option<Self> {
        Self::of_bounds(bounds_of(name, generics))
    }

    /// Only std's traits of closures are written with parentheses.
    pub(crate) fn of_bounds(bounds: impl Iterator<Item = &'t syn::TypeParamBound>) -> Option<Self> {
        let (mut found, mut others) = (None, Vec::new());
        for bound in bounds {
            match bound {
                syn::TypeParamBound::Trait(syn::TraitBound { path, .. })
                    if let Some(last) = path.segments.last()
                        && let syn::PathArguments::Parenthesized(args) = &last.arguments
                        && found.is_none() =>
                {
                    found = Some((path, args));
                }
                other => others.push(other),
            }
        }
        let (path, args) = found?;
        let output = match &args.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => Some(&**ty),
        };
        Some(Self { path, inputs: args.inputs.iter().map(|arg| &arg.ty).collect(), output, others })
    }
}

/// The bounds of a type parameter, wherever they stand.
pub(crate) fn bounds_of<'g>(
    name: &'g syn::Ident,
    generics: &'g syn::Generics,
) -> impl Iterator<Item = &'g syn::TypeParamBound> {
    let inline = generics.type_params().filter(move |param| param.ident == *name).flat_map(|param| &param.bounds);
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let in_clauses = clauses.filter_map(move |predicate| match predicate {
        syn::WherePredicate::Type(bound) if names(&bound.bounded_ty, |of| of == name) => Some(&bound.bounds),
        _ => None,
    });
    inline.chain(in_clauses.flatten())
}

/// Bounds each type parameter by `'static`, but for closures: an instance of a kernel or function
/// is known by the `TypeId` of its arguments.
pub(crate) fn make_static(generics: &mut syn::Generics, is_closure: impl Fn(&syn::Ident) -> bool) {
    let is_static =
        |bound: &syn::TypeParamBound| matches!(bound, syn::TypeParamBound::Lifetime(of) if of.ident == "static");
    // Where its other bounds are: lints object to two places.
    let mut clause = generics.where_clause.take();
    for param in generics.type_params_mut() {
        if is_closure(&param.ident) {
            continue;
        }
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
