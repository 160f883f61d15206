//! The launcher: the function that the user calls, the host part, and the constant data beside it.
//!
//! The host part runs once a launch, as a closure over the views. At a `stream_parallel!` the views of *all* groups are
//! reborrowed before the first group begins, each `&mut` where its group writes and `&` where it reads. rustc's borrow
//! checker so rejects groups that are not independent, through renames, splits, conditionals and nesting. Views carry the
//! number of their group in their type (their *brand*) and a loop takes only views of its own, so that no name, whatever
//! macros and attributes make of it, leads around the reborrow.

use anabranch_core::facts::wire::encode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use syn::spanned::Spanned;

use crate::analysis::access::LoopFacts;
use crate::analysis::cost;
use crate::analysis::lanes::{self, InLanes};
use crate::generics::Generics;
use crate::ir::{
    Access, Body, Borrow, Call, CaptureKind, Check, Dim, Fork, GridType, Group, Header, Kernel, ParLoop, Param,
    ParamKind, PlanNode,
    marker::{self, Marker},
};
use crate::names::{self, extent, local, place, stride};
use crate::{blocks, cpu, cuda, library, nested};

/// The function, the uninhabited type beside it, and its data.
pub(crate) fn kernel(kernel: &Kernel, facts: &[LoopFacts]) -> TokenStream {
    let Kernel { header, params, host, loops, forks, calls, plan: _, lanes, library } = kernel;
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, turbofish, .. } = Generics::of_kernel(krate, generics);
    let private = names::private(krate);
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
        ParamKind::Value(_) => None,
    });
    let uses = params.iter().filter_map(|p| {
        let (name, text) = (&p.name, p.name.to_string());
        match &p.kind {
            ParamKind::Slice { borrow: Borrow::Shared, .. } => Some(quote!(#krate::Slice::usage(&#name, #text))),
            ParamKind::Slice { .. } => Some(quote!(#krate::SliceMut::usage(&#name, #text))),
            ParamKind::Value(_) => None,
        }
    });
    let values = params.iter().map(|Param { name, kind, .. }| match kind {
        ParamKind::Slice { borrow: Borrow::Unique, .. } => quote!(#private::view::root_mut(#name)),
        ParamKind::Slice { borrow: Borrow::Atomic, .. } => quote!(#private::view::root_atomic(#name)),
        ParamKind::Slice { borrow: Borrow::Shared, .. } => quote!(#private::view::root(#name)),
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
        ParamKind::Value(ty) => quote!(#ty),
    });
    let types: Vec<TokenStream> = types.collect();
    let patterns = params.iter().map(|p| {
        let name = &p.name;
        match (&p.kind, &p.mutability) {
            // The whole pattern at the user's name, so that rustc's errors call it by that.
            (ParamKind::Slice { .. }, _) => quote_spanned!(name.span()=> mut #name),
            (ParamKind::Value(_), _) if library.is_some() => quote!(#name),
            (ParamKind::Value(_), mutability) => quote!(#mutability #name),
        }
    });
    let (stream, ctx, uses_name, call) = (local("stream"), local("ctx"), local("uses"), local("call"));
    let views_name = local("views");
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
        facts,
        in_lanes: *lanes,
        forks,
        calls,
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
    quote! {
        #declaration {
            #(#views)*
            let #uses_name = [#(#uses),*];
            #name::host_part #turbofish(#private::launch::Call::Run {
                stream: #stream,
                instance: #name::__instance #turbofish(),
                uses: &#uses_name,
                values: (#(#values,)*),
            })
        }

        #(#cfgs)*
        #[allow(non_camel_case_types)] // called as the function
        #[doc(hidden)]
        #vis enum #name {}

        #(#cfgs)*
        #[doc(hidden)]
        // Documented at `#[kernel]`; not everyone calls all four; the type of all parameters is one tuple.
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

/// The launcher's declaration, without a body; also what is left of a kernel with errors.
pub(crate) fn declaration(header: &Header, params: &[Param]) -> TokenStream {
    let Header { krate, attrs, vis, name, generics, .. } = header;
    let Generics { params: generics, clause, .. } = Generics::of_kernel(krate, generics);
    let stream = local("stream");
    let params = params.iter().map(|Param { attrs, mutability: _, name, kind }| match kind {
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
        ParamKind::Value(ty) => quote!(#(#attrs)* #name: #ty),
    });
    quote! {
        #(#attrs)*
        #[allow(clippy::too_many_arguments)] // one is ours
        #vis fn #name #generics(#stream: &#krate::Stream, #(#params),*) -> #krate::Result<()> #clause
    }
}

/// Attributes that are meant for the body, which moves into a function of its own.
pub(crate) fn lints(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    const LEVELS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];
    attrs.iter().filter(|a| LEVELS.iter().any(|level| a.path().is_ident(level)))
}

/// The attributes that decide whether the function exists: they must decide the same for the items beside it.
pub(crate) fn cfgs(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attrs.iter().filter(|a| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr"))
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
    loops: &'k [ParLoop],
    /// Of each loop.
    facts: &'k [LoopFacts],
    /// The CPU may run several iterations in lock step.
    in_lanes: bool,
    forks: &'k [Fork],
    calls: &'k [Call],
}

impl Launcher<'_> {
    /// The brand of a group: a number that no other group of the kernel has.
    fn brand(&self, fork: usize, group: usize) -> usize {
        self.forks.iter().take(fork).map(|f| f.groups.len()).sum::<usize>() + group + 1
    }

    /// Host code of the group with this brand, with its markers replaced.
    fn host(&self, tokens: TokenStream, brand: usize) -> TokenStream {
        marker::replace(tokens, &mut |marker| match marker {
            Marker::Loop(index) => self.loops.get(index).map(|l| self.par_loop(index, l, brand)).unwrap_or_default(),
            Marker::Fork(index) => self.forks.get(index).map(|f| self.fork(index, f, brand)).unwrap_or_default(),
            Marker::Call(index) => {
                self.calls.get(index).map(|c| nested::call(index, c, brand, self.private)).unwrap_or_default()
            }
        })
    }

    fn par_loop(&self, index: usize, par_loop: &ParLoop, brand: usize) -> TokenStream {
        let (private, brand) = (self.private, Literal::usize_unsuffixed(brand));
        let (ctx, dims, args) = (local("ctx"), local("dims"), local("args"));
        let ranges = par_loop.dims.iter().map(|Dim { start, end, inclusive, step, var: _, text: _ }| {
            let span = start.clone().into_iter().next().map_or(par_loop.span, |first| first.span());
            let private = names::private_at(private, span);
            let (start, end) = (host_end(start, &private), host_end(end, &private));
            let range = if *inclusive {
                quote_spanned!(span=> #private::launch::dim_inclusive(#start, #end))
            } else {
                quote_spanned!(span=> #private::launch::dim(#start, #end))
            };
            match step {
                Some(step) => quote_spanned!(span=> #private::launch::stepped(#range, #step)),
                None => range,
            }
        });
        let ranges: Vec<TokenStream> = ranges.collect();
        let ranges = match ranges.as_slice() {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        };
        // All views are borrowed before the first of them loses its lifetime, so that two names of one buffer, of which one is
        // written, are an error of the borrow checker.
        let (mut extents, mut borrows) = (Vec::new(), Vec::new());
        let shown = local("launching");
        let captures = par_loop.body.captures.iter().enumerate().map(|(at, capture)| {
            let (name, span, mut view) = (&capture.name, capture.name.span(), local(&format!("v{at}")));
            // "first borrow later used here" points at its use.
            view.set_span(view.span().located_at(span));
            let mut launching = shown.clone();
            launching.set_span(shown.span().located_at(span));
            let private = names::private_at(private, span);
            // The element type of scratch memory is known from its uses alone.
            let of = if self.generic || names::is_generated(name) { "_of" } else { "" };
            let [raw_ref, raw_mut] = ["raw_ref", "raw_mut"].map(|name| Ident::new(&format!("{name}{of}"), span));
            // In braces, which have the span of the use: of two errors there rustc shows one.
            let (borrow, pattern, argument) = match capture.kind {
                CaptureKind::Value => return quote_spanned!(span=> #private::slot::to_device(&#name)),
                CaptureKind::View(_, Access::Shape) => return quote_spanned!(span=> #private::view::len(&#name)),
                CaptureKind::Extent(of, dim) => {
                    // Before the grid is borrowed for writing.
                    let (of, dim) = (&par_loop.body[of].name, Literal::usize_unsuffixed(dim));
                    let span = of.span();
                    extents.push(quote_spanned!(span=> let #name = #private::view::extent(&#of, #dim);));
                    return name.to_token_stream();
                }
                CaptureKind::Stride(of, dim) => {
                    let (of, dim) = (&par_loop.body[of].name, Literal::usize_unsuffixed(dim));
                    let span = of.span();
                    extents.push(quote_spanned!(span=> let #name = #private::view::stride(&#of, #dim);));
                    return name.to_token_stream();
                }
                CaptureKind::View(_, Access::Read) => (
                    quote_spanned!(span=> #private::view::read::<#brand, #brand, _, _>(&#name)),
                    quote!(#view),
                    quote_spanned!(span=> #private::view::#raw_ref::<#brand, _, _>(#launching, { &#view })),
                ),
                CaptureKind::View(_, Access::Atomic) => (
                    quote_spanned!(span=> #private::view::read::<#brand, #brand, _, _>(&#name)),
                    quote!(#view),
                    quote_spanned!(span=> #private::view::raw_atomic::<#brand, _, _>(#launching, &#view)),
                ),
                CaptureKind::View(_, Access::Write) => (
                    quote_spanned!(span=> #private::view::write::<#brand, #brand, _, _>(&mut #name)),
                    quote!(mut #view),
                    quote_spanned!(span=> #private::view::#raw_mut::<#brand, _, _>(#launching, { &mut #view })),
                ),
            };
            borrows.push(quote_spanned!(span=> let #pattern = #borrow;));
            argument
        });
        let captures = captures.collect::<Vec<_>>();
        let captures = names::cons(captures.into_iter());
        let Some(facts) = self.facts.get(index) else { return TokenStream::new() };
        let (ty, index) = (type_of_loop(index), Literal::usize_unsuffixed(index));
        let lanes = self.lanes(par_loop, facts).unwrap_or_default();
        let (body, lints) = (cpu::par_loop(par_loop, facts, &lanes, self.krate), &par_loop.body.lints);
        // What is wrong with the loop as a whole is said at its `for`.
        let par = names::private_at(private, par_loop.span);
        // The body takes the instruction set of the function that calls it.
        let body = quote!(#[inline(always)] #body);
        let call = quote_spanned!(par_loop.span=> #par::launch::Ctx::par(#ctx, #ty, #index, #dims, #args, #body););
        quote! {{
            let #dims = #ranges;
            #(#extents)*
            #(#borrows)*
            let #shown = #private::launch::Ctx::launching(&*#ctx);
            let #args = #captures;
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#lints)*
            #[deny(overflowing_literals)] // rustc has better words for it than the check of each literal
            #call
        }}
    }

    fn fork(&self, index: usize, fork: &Fork, outer: usize) -> TokenStream {
        let (private, outer) = (self.private, Literal::usize_unsuffixed(outer));
        let brand = |group| self.brand(index, group);
        let (ctx, guard) = (local("ctx"), local("fork"));
        let count = Literal::usize_unsuffixed(fork.groups.len());
        // Lengths first: they are copies, and the reborrows after them lock the views.
        let shapes = fork.groups.iter().enumerate().map(|(at, group)| {
            let shapes = names::cons(group.views.iter().filter(|v| v.access == Access::Shape).map(|v| {
                let (name, private) = (&v.name, names::private_at(private, v.span));
                quote_spanned!(v.span=> #private::view::shape(&#name))
            }));
            let name = local(&format!("s{at}"));
            quote!(let #name = #shapes;)
        });
        let reborrows = fork.groups.iter().enumerate().map(|(at, group)| {
            let brand = Literal::usize_unsuffixed(brand(at));
            let views = names::cons(group.views.iter().filter(|v| v.access != Access::Shape).map(|v| {
                let (name, private) = (&v.name, names::private_at(private, v.span));
                match v.access {
                    Access::Write => quote_spanned!(v.span=> #private::view::write::<#outer, #brand, _, _>(&mut #name)),
                    Access::Read | Access::Atomic | Access::Shape => {
                        quote_spanned!(v.span=> #private::view::read::<#outer, #brand, _, _>(&#name))
                    }
                }
            }));
            let name = local(&format!("g{at}"));
            quote!(let #name = #views;)
        });
        let groups = fork.groups.iter().enumerate().map(|(at, Group { host, views, label: _, span })| {
            let (shape_list, mut view_list) = (local(&format!("s{at}")), local(&format!("g{at}")));
            // "first borrow later used here" points at the group.
            view_list.set_span(view_list.span().located_at(*span));
            let shapes = names::cons(views.iter().filter(|v| v.access == Access::Shape).map(|v| &v.name));
            let reborrowed = names::cons(views.iter().filter(|v| v.access != Access::Shape).map(|v| {
                let name = &v.name;
                if v.access == Access::Write { quote!(mut #name) } else { quote!(#name) }
            }));
            let index = Literal::usize_unsuffixed(at);
            let host = self.host(host.clone(), brand(at));
            quote! {{
                let #ctx = &mut #private::launch::Fork::group(&mut #guard, #index);
                let #shapes = #shape_list;
                #[allow(unused_mut)] // what is only split here
                let #reborrowed = #view_list;
                #host
            }}
        });
        let (line, labels) = (line(fork.span), fork.groups.iter().map(|group| self.label(group)));
        let described = quote!(&#private::data::Groups { line: #line, labels: &[#(#labels),*] });
        quote_spanned! {fork.span=> {
            #(#shapes)*
            #(#reborrows)*
            let mut #guard = #private::launch::Ctx::fork::<#count>(#ctx, #described);
            #(#groups)*
            // The guard goes here, and joins.
        }}
    }

    /// `__kernel()`: everything that is known at compile time.
    fn data(&self, kernel: &Kernel) -> TokenStream {
        let private = self.private;
        let Header { krate, name, place, generics, .. } = &kernel.header;
        let Generics { params: generics, clause, turbofish, of_instance, .. } = Generics::of_kernel(krate, generics);
        let (instance, describe) = (nested::instance(name), local("out"));
        let kernel_name = self.kernel_name;
        let loops = self.loops.iter().enumerate().map(|(index, par_loop)| self.loop_data(index, par_loop));
        let count = Literal::usize_unsuffixed(self.loops.len());
        let plan = match kernel.library {
            Some(_) => library::plan(&kernel.header, &kernel.params),
            None => self.plan(&kernel.plan),
        };
        let (file, line) = (file(*place, private), line(*place));
        quote! {
            fn __kernel() -> &'static #private::data::Kernel {
                static LOOPS: [#private::data::Loop; #count] = [#(#loops),*];
                static KERNEL: #private::data::Kernel = #private::data::Kernel {
                    number: #private::data::Number::new(),
                    name: #kernel_name,
                    module: #private::rust::module_path!(),
                    file: #file,
                    line: #line,
                    loops: &LOOPS,
                    plan: #plan,
                };
                &KERNEL
            }
            fn __instance #generics() -> #private::data::Instance #clause {
                #private::data::Instance {
                    kernel: Self::__kernel(),
                    id: || #private::rust::TypeId::of::<#instance #of_instance>(),
                    describe: |#describe| {
                        let _ = #name::host_part #turbofish(#private::launch::Call::Describe(#describe));
                    },
                }
            }
        }
    }

    fn loop_data(&self, index: usize, par_loop: &ParLoop) -> TokenStream {
        let private = self.private;
        let ParLoop { span, header, group, dims, block, shape, body, label: _, counters: _ } = par_loop;
        let blocks = blocks::data(par_loop, private);
        let name = self.loop_name(index, group.as_deref());
        let group = match group {
            Some(label) => quote!(#private::rust::Some(#label)),
            None => quote!(#private::rust::None),
        };
        let captures = body.captures.iter().map(|capture| {
            let name = match capture.kind {
                CaptureKind::Extent(of, dim) => extent(&body[of].name, dim),
                CaptureKind::Stride(of, dim) => stride(&body[of].name, dim),
                CaptureKind::View(..) | CaptureKind::Value => names::shown(&capture.name),
            };
            let kind = match capture.kind {
                CaptureKind::Value
                | CaptureKind::Extent(..)
                | CaptureKind::Stride(..)
                | CaptureKind::View(_, Access::Shape) => quote!(Value),
                CaptureKind::View(_, Access::Read) => quote!(Read),
                CaptureKind::View(_, Access::Atomic) => quote!(Atomic),
                CaptureKind::View(_, Access::Write) => quote!(Write),
            };
            quote!(#private::data::Capture { name: #name, kind: #private::data::CaptureKind::#kind })
        });
        let Some(facts) = self.facts.get(index) else { return TokenStream::new() };
        let of_loop = facts;
        let (sites, template) = (sites(body, private), cuda::par_loop(par_loop, facts).tokens(private));
        let facts = Literal::byte_string(&encode(&facts.told));
        let cost::Cost { operations, unbounded } = cost::of_block(&body.block);
        let (line, column) = (line(*span), column(*span));
        let ranges = dims.iter().map(|dim| {
            let (variable, text) = (names::shown(&body[dim.var].name), &dim.text);
            let variable = if shape.is_some() { String::new() } else { variable };
            quote!(#private::data::LoopRange { variable: #variable, text: #text })
        });
        let dims = Literal::usize_unsuffixed(dims.len());
        let lanes = match self.lanes(par_loop, of_loop) {
            Ok(all) => {
                let conditions = all.values().map(|lanes| lanes.conditions(body, private));
                quote!(#private::rust::Ok(&[#(#conditions),*]))
            }
            Err(why) => quote!(#private::rust::Err(#why)),
        };
        quote! {
            #private::data::Loop {
                name: #name,
                header: #header,
                group: #group,
                line: #line,
                column: #column,
                block: #block,
                blocks: #blocks,
                dims: #dims,
                ranges: &[#(#ranges),*],
                captures: &[#(#captures),*],
                sites: #sites,
                template: #template,
                cost: #private::data::Cost::new(#operations, #unbounded),
                lanes: #lanes,
                judge: #private::data::Judge::new(#facts),
            }
        }
    }

    /// What of the loop runs in lanes on the CPU, or why nothing does.
    fn lanes<'p>(&self, par_loop: &'p ParLoop, facts: &LoopFacts) -> Result<InLanes<'p>, &'static str> {
        if self.in_lanes { lanes::of(par_loop, facts) } else { Err("of `lanes = false`") }
    }

    /// Readable in profilers: the kernel, the place of the loop in it, the group.
    fn loop_name(&self, index: usize, group: Option<&str>) -> String {
        let group = group.map(|g| format!("_{g}")).unwrap_or_default();
        anabranch_core::names::identifier(&format!("{}_{index}{group}", self.kernel_name))
    }

    /// The label of a group, as constant data.
    fn label(&self, group: &Group) -> TokenStream {
        let private = self.private;
        match &group.label {
            Some(label) => quote!(#private::rust::Some(#label)),
            None => quote!(#private::rust::None),
        }
    }

    fn plan(&self, nodes: &[PlanNode]) -> TokenStream {
        let private = self.private;
        let nodes = nodes.iter().map(|node| match node {
            PlanNode::Loop(index) => {
                let index = Literal::usize_unsuffixed(*index);
                quote!(Loop(#index))
            }
            PlanNode::Fork(index, plans) => {
                let Some(fork) = self.forks.get(*index) else { return quote!(Loop(0)) };
                let line_of_fork = line(fork.span);
                let groups = fork.groups.iter().zip(plans).map(|(group, plan)| {
                    let (label, line, nodes) = (self.label(group), line(group.span), self.plan(plan));
                    quote!(#private::data::PlanGroup { label: #label, line: #line, nodes: #nodes })
                });
                quote!(Parallel { line: #line_of_fork, groups: &[#(#groups),*] })
            }
            PlanNode::Call(index) => {
                let Some(call) = self.calls.get(*index) else { return quote!(Loop(0)) };
                let (index, line, what) = (Literal::usize_unsuffixed(*index), line(call.span), &call.what);
                quote!(Call { index: #index, what: #what, line: #line })
            }
            PlanNode::Host { what, span, nodes } => {
                let (line, nodes) = (line(*span), self.plan(nodes));
                quote!(Host { what: #what, line: #line, nodes: #nodes })
            }
        });
        quote!(&[#(#private::data::PlanNode::#nodes),*])
    }
}

/// An end of a range. Where it is a literal it is what the analysis takes it for, or an error.
fn host_end(end: &TokenStream, private: &TokenStream) -> TokenStream {
    match Dim::literal(end) {
        Some(digits) => {
            let (digits, span) = (Literal::u128_unsuffixed(digits), end.span());
            quote_spanned!(span=> #private::slot::end::<#digits, _>(#end))
        }
        None => end.clone(),
    }
}

/// The places of a body that can fail, as constant data.
pub(crate) fn sites(body: &Body, private: &TokenStream) -> TokenStream {
    let sites = body.sites.iter().map(|site| {
        let (file, line, column) = (names::file(site.span), line(site.span), column(site.span));
        let check = match &site.check {
            Check::Message(message) => quote!(Message(#message)),
            Check::Formatted(slot) => {
                let slot = Literal::u32_unsuffixed(*slot);
                quote!(Formatted(#slot))
            }
            Check::Dimension(dimension) => {
                let dimension = Literal::u32_unsuffixed(*dimension);
                quote!(Dimension(#dimension))
            }
            check => names::variant(check.variant()).into_token_stream(),
        };
        quote!(#private::data::Site { file: #file, line: #line, column: #column, check: #private::data::Check::#check })
    });
    quote!(&[#(#sites),*])
}

/// The file that [`line`] is about.
pub(crate) fn file(span: proc_macro2::Span, private: &TokenStream) -> TokenStream {
    let file = names::file(span);
    if file.is_empty() { quote!(#private::rust::file!()) } else { quote!(#file) }
}

pub(crate) fn line(span: proc_macro2::Span) -> TokenStream {
    Literal::u32_unsuffixed(place(span).0).into_token_stream()
}

pub(crate) fn column(span: proc_macro2::Span) -> TokenStream {
    Literal::u32_unsuffixed(place(span).1).into_token_stream()
}
