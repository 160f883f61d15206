//! The launcher: the function that the user calls, the host part, and the constant data beside it.
//!
//! The host part runs once a launch, as a closure over the views. At a `stream_parallel!` the views
//! of *all* groups are reborrowed before the first group begins, each `&mut` where its group writes
//! and `&` where it reads. rustc's borrow checker so rejects groups that are not independent,
//! through renames, splits, conditionals and nesting. Views carry the number of their group in
//! their type (their *brand*) and a loop takes only views of its own, so that no name, whatever
//! macros and attributes make of it, leads around the reborrow.
//!
//! | file | contents |
//! |---|---|
//! | `host` | the host part: its loops and groups |
//! | `nested` | calls of kernels, and what a kernel provides for its callers |
//! | `library` | kernels whose body hands work to a library |
//! | `data` | what is known at compile time, as constant data |

mod data;
mod host;
mod library;
pub(crate) mod nested;

#[cfg(test)]
pub(crate) use data::code;
pub(crate) use data::sites;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::analysis::Analyses;
use crate::generics::Generics;
use crate::ir::{Borrow, Call, Fork, Fused, GridType, Header, Kernel, ParLoop, Param, ParamKind, Struct};
use crate::names::{self, local};
use crate::parse::attributes::{cfgs, lints};

/// The function, the uninhabited type beside it, and its data.
pub(crate) fn kernel(kernel: &Kernel, analyses: &[Analyses<'_>]) -> TokenStream {
    let (aliases, params) = with_aliases(kernel);
    let Kernel { header, params: _, host, loops: _, fused, forks, calls, structs, plan: _, lanes: _, library } = kernel;
    let loops: Vec<&ParLoop> = kernel.all_loops().collect();
    let loops = loops.as_slice();
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, turbofish, .. } = Generics::of_kernel(krate, generics);
    let private = names::private(krate);
    let params = params.as_slice();
    let declaration = declaration(header, params);
    let views = params.iter().filter_map(|p| match &p.kind {
        ParamKind::Slice { borrow, grid, elem: _ } => {
            let name = &p.name;
            let (read, write) = match grid {
                Some(_) => (quote!(GridArg::grid), quote!(GridMutArg::grid_mut)),
                None => (quote!(SliceArg::view), quote!(SliceMutArg::view_mut)),
            };
            Some(match borrow {
                Borrow::Unique => quote!(let mut #name = #krate::#write(#name);),
                Borrow::Atomic => quote!(let #name = #krate::#write(#name);),
                Borrow::Shared => quote!(let #name = #krate::#read(#name);),
            })
        }
        ParamKind::Slices(ty) => {
            let (name, of) = (&p.name, nested::slices(ty, &private, "of"));
            Some(quote!(let #name = #of(&mut #name);))
        }
        ParamKind::Value(_) => None,
    });
    let of_slices = params.iter().filter_map(|p| match &p.kind {
        ParamKind::Slices(ty) => Some((&p.name, ty)),
        ParamKind::Slice { .. } | ParamKind::Value(_) => None,
    });
    let of_slices: Vec<_> = of_slices.collect();
    let uses = params.iter().filter_map(|p| {
        let (name, text) = (&p.name, p.name.to_string());
        match &p.kind {
            ParamKind::Slice { borrow: Borrow::Shared, .. } => Some(quote!(#krate::Slice::usage(&#name, #text))),
            ParamKind::Slice { .. } => Some(quote!(#krate::SliceMut::usage(&#name, #text))),
            ParamKind::Slices(_) | ParamKind::Value(_) => None,
        }
    });
    let uses = quote!([#(#uses),*]);
    let values = params.iter().map(|Param { name, kind, .. }| match kind {
        ParamKind::Slice { borrow: Borrow::Unique, .. } => quote!(#private::view::root_mut(#name)),
        ParamKind::Slice { borrow: Borrow::Atomic, .. } => quote!(#private::view::root_atomic(#name)),
        ParamKind::Slice { borrow: Borrow::Shared, .. } => quote!(#private::view::root(#name)),
        ParamKind::Slices(ty) => {
            let roots = nested::slices(ty, &private, "roots");
            quote!(#roots(#name))
        }
        ParamKind::Value(_) => quote!(#name),
    });
    let root = Literal::usize_unsuffixed(ROOT);
    let types = params.iter().map(|p| match &p.kind {
        ParamKind::Slice { borrow, elem, grid } => {
            let view = match borrow {
                Borrow::Unique => quote!(ViewMut),
                Borrow::Shared | Borrow::Atomic => quote!(View),
            };
            match grid {
                // The user's own type of this name has no such elements.
                Some(GridType { ty, dims }) => {
                    let (dims, span) = (Literal::usize_unsuffixed(*dims), ty.span());
                    let elem = quote_spanned!(span=> <#ty as #private::view::GridType>::Elem);
                    quote!(#private::view::#view<'_, #elem, #root, #dims>)
                }
                None => quote!(#private::view::#view<'_, #elem, #root>),
            }
        }
        ParamKind::Slices(ty) => {
            let views = nested::slices(ty, &private, "Views");
            quote!(#views<'_, #root>)
        }
        ParamKind::Value(ty) => quote!(#ty),
    });
    let types: Vec<TokenStream> = types.collect();
    let patterns = params.iter().map(|p| {
        let name = &p.name;
        match (&p.kind, &p.mutability) {
            // The whole pattern at the user's name, so that rustc's errors call it by that.
            (ParamKind::Slice { .. } | ParamKind::Slices(_), _) => quote_spanned!(name.span()=> mut #name),
            (ParamKind::Value(_), _) if library.is_some() => quote!(#name),
            (ParamKind::Value(_), mutability) => quote!(#mutability #name),
        }
    });
    let (stream, ctx, uses_name, call) = (local("stream"), local("ctx"), local("uses"), local("call"));
    let views_name = local("views");
    let uses = match of_slices.as_slice() {
        [] => quote!(let #uses_name = #uses;),
        of_slices => {
            let of_slices = of_slices.iter().map(|(name, ty)| {
                let (of, text) = (nested::slices(ty, &private, "uses"), names::plain(name));
                quote!(#of(&#name, #text, &mut #uses_name);)
            });
            quote! {
                let mut #uses_name = #private::slices::uses(#uses);
                #(#of_slices)*
            }
        }
    };
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let lints = lints(attrs);
    let kernel_name = name.to_string();
    let generic = header.generics.type_params().next().is_some();
    let emitter = Launcher {
        kernel_name: &kernel_name,
        generic,
        krate,
        private: &private,
        loops,
        analyses,
        fused,
        forks,
        calls,
        structs,
    };
    let types_of_loops = loops.iter().map(|_| quote!(#private::launch::Ty<_, _>));
    let types_of_calls = calls.iter().map(|_| quote!(#private::launch::Called<_>));
    let inferred_types = names::cons(types_of_loops.chain(types_of_calls));
    let inferred = names::cons((0..loops.len()).map(type_of_loop).chain((0..calls.len()).map(nested::type_of_call)));
    let (beside, entries) = (nested::beside(header, params, true), nested::entries(header));
    let (host, body) = match library {
        Some(library) => (library::host(header, params, library), Some(library::body(header, params, library))),
        None => (emitter.host(host.clone(), ROOT), None),
    };
    let data = emitter.data(kernel);
    let run = quote! {
        #name::host_part #turbofish(#private::launch::Call::Run {
            stream: #stream,
            instance: #name::__instance #turbofish(),
            uses: &#uses_name,
            values: (#(#values,)*),
        })
    };
    let run = at_caller(header, &private, run);
    quote! {
        #aliases
        #declaration {
            #(#views)*
            #uses
            #run
        }

        #(#cfgs)*
        #[allow(non_camel_case_types)] // called as the function
        #[doc(hidden)]
        #vis enum #name {}

        #(#cfgs)*
        #[doc(hidden)]
        // Documented at `#[kernel]`; not everyone calls all four; the type of all parameters is one
        // tuple.
        #[allow(missing_docs, dead_code, clippy::type_complexity)]
        impl #name {
            /// The CUDA C++ that this kernel becomes.
            pub fn cuda_source #generics() -> #private::rust::String #clause {
                #private::cuda_source(Self::__instance #turbofish())
            }
            /// The HIP C++ that it becomes on AMD GPUs.
            pub fn hip_source #generics() -> #private::rust::String #clause {
                #private::hip_source(Self::__instance #turbofish())
            }
            /// Its loops, groups, calls and control flow.
            pub fn plan #generics() -> #krate::Plan #clause {
                #private::plan(Self::__instance #turbofish())
            }
            /// Compiles the kernel for a device now instead of at its first launch.
            pub fn prepare #generics(device: &#krate::Device) -> #krate::Result<()> #clause {
                #private::prepare(Self::__instance #turbofish(), device)
            }
            #entries
            #data
            #(#lints)*
            fn host_part #generics(#call: #private::launch::Call<'_, (#(#types,)*)>) -> #krate::Result<()> #clause {
                #private::launch::Call::enter(#call, |#ctx, #inferred: #inferred_types, #views_name| {
                    #[allow(unused_mut)] // a view that no loop writes and no swap moves
                    let (#(#patterns,)*) = #views_name;
                    #host
                })
            }
            #body
        }

        #beside
    }
}

/// The parameters, with aliases for structs of slices. What is no struct of slices is an error of
/// its alias. rustc then has no type for the alias, so it says nothing of its uses. A generic
/// kernel has none, because a constant cannot depend on parameters.
fn with_aliases(kernel: &Kernel) -> (TokenStream, Vec<Param>) {
    let Header { krate, attrs, name, generics, .. } = &kernel.header;
    let (private, mut aliases) = (names::private(krate), TokenStream::new());
    let cfgs: Vec<_> = cfgs(attrs).collect();
    let mut params = kernel.params.clone();
    if !generics.params.is_empty() {
        return (aliases, params);
    }
    for param in &mut params {
        let ParamKind::Slices(ty) = &mut param.kind else { continue };
        let (span, private) = (ty.span(), names::private_at(&private, ty.span()));
        let alias = names::field(&[name.clone(), param.name.clone()], span.resolved_at(Span::mixed_site()));
        let is_slices = names::slices_alias(&private, span, ty);
        aliases.extend(quote_spanned! {span=>
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            type #alias = #is_slices;
        });
        *ty = syn::parse_quote!(#alias);
    }
    (aliases, params)
}

/// The launcher's declaration, without a body; also what is left of a kernel with errors.
pub(crate) fn declaration(header: &Header, params: &[Param]) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, .. } = Generics::of_kernel(krate, generics);
    let stream = local("stream");
    let params = params.iter().map(|Param { attrs, mutability: _, name, kind, closure: _ }| match kind {
        ParamKind::Slice { borrow, elem, grid } => {
            let elem = match borrow {
                Borrow::Atomic => quote!(<#elem as #krate::atomic::Atomic>::Value),
                Borrow::Shared | Borrow::Unique => quote!(#elem),
            };
            let dims = grid.iter().map(|grid| Literal::usize_unsuffixed(grid.dims));
            let (mutability, argument) = match (borrow, grid) {
                (Borrow::Shared, None) => (None, quote!(SliceArg<Elem = #elem>)),
                (Borrow::Shared, Some(_)) => (None, quote!(GridArg<#(#dims)*, Elem = #elem>)),
                (Borrow::Unique | Borrow::Atomic, None) => (Some(quote!(mut)), quote!(SliceMutArg<Elem = #elem>)),
                (Borrow::Unique | Borrow::Atomic, Some(_)) => {
                    (Some(quote!(mut)), quote!(GridMutArg<#(#dims)*, Elem = #elem>))
                }
            };
            quote!(#(#attrs)* #name: &#mutability (impl #krate::#argument + ?#krate::private::rust::Sized))
        }
        ParamKind::Slices(ty) => {
            let (span, private) = (ty.span(), names::private_at(&names::private(krate), ty.span()));
            let argument = quote_spanned!(span=> impl #private::slices::SlicesArg<#ty>);
            quote!(#(#attrs)* mut #name: #argument)
        }
        ParamKind::Value(ty) => quote!(#(#attrs)* #name: #ty),
    });
    quote! {
        #(#attrs)*
        #[allow(clippy::too_many_arguments)] // one is ours
        #vis fn #name #generics(#stream: &#krate::Stream, #(#params),*) -> #krate::Result<()> #clause
    }
}

/// The call of a host part, from a function that has the attributes of the kernel.
fn at_caller(header: &Header, private: &TokenStream, run: TokenStream) -> TokenStream {
    match tracks_caller(header) {
        true => quote!(#private::launch::at_caller(|| #run)),
        false => run,
    }
}

/// The kernel has `#[track_caller]`.
fn tracks_caller(header: &Header) -> bool {
    header.attrs.iter().any(|attr| attr.path().is_ident("track_caller"))
}

fn type_of_loop(index: usize) -> Ident {
    local(&format!("ty{index}"))
}

/// The brand of views outside of groups.
const ROOT: usize = 0;

struct Launcher<'k> {
    kernel_name: &'k str,
    /// The kernel has type parameters.
    generic: bool,
    krate: &'k syn::Path,
    private: &'k TokenStream,
    /// Those that are made of several come last.
    loops: &'k [&'k ParLoop],
    /// Of each loop.
    analyses: &'k [Analyses<'k>],
    fused: &'k [Fused],
    forks: &'k [Fork],
    calls: &'k [Call],
    structs: &'k [Struct],
}
