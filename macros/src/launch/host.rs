//! The host part: its loops and groups in the place of their markers.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Launcher, nested, type_of_loop};
use crate::cpu;
use crate::ir::marker::{self, Marker};
use crate::ir::{Access, CaptureKind, Dim, Fork, Fused, Group, ParLoop, Struct, ViewUse};
use crate::names::{self, line, local};

impl Launcher<'_> {
    /// The brand of a group: a number that no other group of the kernel has.
    fn brand(&self, fork: usize, group: usize) -> usize {
        self.forks.iter().take(fork).map(|f| f.groups.len()).sum::<usize>() + group + 1
    }

    /// Host code of the group with this brand, with its markers replaced.
    pub(super) fn host(&self, tokens: TokenStream, brand: usize) -> TokenStream {
        marker::replace(tokens, &mut |marker| match marker {
            Marker::Loop(index) => self.par_loop(index, brand),
            Marker::Fused(index) => self.fused.get(index).map(|f| self.fused(index, f, brand)).unwrap_or_default(),
            Marker::Fork(index) => self.forks.get(index).map(|f| self.fork(index, f, brand)).unwrap_or_default(),
            Marker::Brand => Literal::usize_unsuffixed(brand).into_token_stream(),
            Marker::Call(index) => self.calls.get(index).map(|c| self.call(index, c, brand)).unwrap_or_default(),
        })
    }

    fn par_loop(&self, index: usize, brand: usize) -> TokenStream {
        let Some(par_loop) = self.loops.get(index) else { return TokenStream::new() };
        let is_in_run = self.fused.iter().any(|of| of.alike.contains(&index));
        let ranges = if is_in_run { ranges_of_part(index) } else { self.ranges(par_loop) };
        self.launch(index, par_loop, &ranges, brand, None)
    }

    /// Loops as one, or one by one. Their ranges are evaluated once, in front of both.
    fn fused(&self, index: usize, of: &Fused, brand: usize) -> TokenStream {
        let Fused { par_loop, alike, reduced, apart } = of;
        let number = self.loops.len() - self.fused.len() + index;
        let parts = self.loops.get(alike.clone()).unwrap_or_default();
        let names: Vec<TokenStream> = alike.clone().map(ranges_of_part).collect();
        let ranges = parts.iter().map(|part| self.ranges(part));
        let of_one = match (reduced, names.first()) {
            (None, Some(first)) => first.clone(),
            _ => self.ranges(par_loop),
        };
        let same: Vec<TokenStream> = names.iter().chain(reduced).cloned().collect();
        let as_one = self.launch(number, par_loop, &of_one, brand, Some((index, &same)));
        let apart = self.host(quote!(#(#apart)*), brand);
        quote!({
            #(let #names = #ranges;)*
            if !#as_one { #apart }
        })
    }

    /// The ranges of a loop, as a value.
    fn ranges(&self, par_loop: &ParLoop) -> TokenStream {
        let private = self.private;
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
        match ranges.as_slice() {
            [one] => one.clone(),
            many => quote!((#(#many),*)),
        }
    }

    /// The launch of a loop. With the number of a run, and ranges that must be equal, it is a
    /// condition: whether the run has been launched as one loop.
    fn launch(
        &self,
        index: usize,
        par_loop: &ParLoop,
        ranges: &TokenStream,
        brand: usize,
        as_one: Option<(usize, &[TokenStream])>,
    ) -> TokenStream {
        let (private, brand) = (self.private, Literal::usize_unsuffixed(brand));
        let (ctx, dims, args) = (local("ctx"), local("dims"), local("args"));
        // All views are borrowed before the first of them loses its lifetime, so that two names of
        // one buffer, of which one is written, are an error of the borrow checker.
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
        let Some(analyses) = self.analyses.get(index) else { return TokenStream::new() };
        let (ty, index) = (type_of_loop(index), Literal::usize_unsuffixed(index));
        let (body, lints) = (cpu::par_loop(par_loop, analyses, self.krate), &par_loop.body.lints);
        // What is wrong with the loop as a whole is said at its `for`.
        let par = names::private_at(private, par_loop.span);
        // The body takes the instruction set of the function that calls it.
        let body = quote!(#[inline(always)] #body);
        let call = match as_one {
            None => quote_spanned!(par_loop.span=> #par::launch::Ctx::par(#ctx, #ty, #index, #dims, #args, #body);),
            Some((number, alike)) => {
                let alike = quote!(&[#(&#alike),*]);
                let number = Literal::usize_unsuffixed(number);
                quote_spanned!(par_loop.span=> #par::launch::Ctx::fused(#ctx, #ty, #number, #dims, #alike, #args, #body))
            }
        };
        quote! {{
            let #dims = #ranges;
            #(#extents)*
            #(#borrows)*
            let #shown = #private::launch::Ctx::launching(&*#ctx);
            let #args = #captures;
            // Parentheses, braces and statements that the user has not written.
            #[allow(unused_parens, unused_braces, unreachable_code, clippy::all)]
            #(#lints)*
            #[deny(overflowing_literals)] // rustc's error is better than that of the check of each literal
            #call
        }}
    }

    /// Whether a group has what is in a variable as a part of a whole struct of slices.
    fn is_in_whole(&self, group: &Group, name: &Ident) -> bool {
        self.structs.iter().any(|of| group.uses(&of.name) && of.has(name))
    }

    /// The whole structs of slices of a group, without those in others.
    fn whole(&self, group: &Group) -> Vec<&Struct> {
        let is_whole = |of: &&Struct| group.uses(&of.name) && !self.is_in_whole(group, &of.name);
        self.structs.iter().filter(is_whole).collect()
    }

    /// The views of a group beside these.
    fn views<'g>(&self, group: &'g Group) -> Vec<&'g ViewUse> {
        group.views.iter().filter(|view| !self.is_in_whole(group, &view.name)).collect()
    }

    fn fork(&self, index: usize, fork: &Fork, outer: usize) -> TokenStream {
        let (private, outer) = (self.private, Literal::usize_unsuffixed(outer));
        let brand = |group| self.brand(index, group);
        let (ctx, guard) = (local("ctx"), local("fork"));
        let count = Literal::usize_unsuffixed(fork.groups.len());
        let (put, take): (TokenStream, TokenStream) =
            fork.groups.iter().flat_map(|group| self.whole(group)).map(nested::whole).unzip();
        // Lengths first: they are copies, and the reborrows after them lock the views.
        let shapes = fork.groups.iter().enumerate().map(|(at, group)| {
            let shapes = names::cons(self.views(group).into_iter().filter(|v| v.access == Access::Shape).map(|v| {
                let (name, private) = (&v.name, names::private_at(private, v.span));
                quote_spanned!(v.span=> #private::view::shape(&#name))
            }));
            let name = local(&format!("s{at}"));
            quote!(let #name = #shapes;)
        });
        let reborrows = fork.groups.iter().enumerate().map(|(at, group)| {
            let brand = Literal::usize_unsuffixed(brand(at));
            let views = names::cons(self.views(group).into_iter().filter(|v| v.access != Access::Shape).map(|v| {
                let (name, private) = (&v.name, names::private_at(private, v.span));
                match v.access {
                    Access::Write => quote_spanned!(v.span=> #private::view::fork_mut::<#outer, #brand, _>(&mut #name)),
                    Access::Read | Access::Atomic | Access::Shape => {
                        quote_spanned!(v.span=> #private::view::read::<#outer, #brand, _, _>(&#name))
                    }
                }
            }));
            let name = local(&format!("g{at}"));
            quote!(let #name = #views;)
        });
        let groups = fork.groups.iter().enumerate().map(|(at, group)| {
            let (Group { host, views: _, label: _, span }, views) = (group, self.views(group));
            let fields = self
                .whole(group)
                .into_iter()
                .flat_map(|of| &of.views)
                .map(|(name, place)| quote!(#[allow(unused_mut)] let mut #name = #place;));
            let fields: TokenStream = fields.collect();
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
                #fields
                #host
            }}
        });
        let (line, labels) = (line(fork.span), fork.groups.iter().map(|group| self.label(group)));
        let described = quote!(&#private::data::Groups { line: #line, labels: &[#(#labels),*] });
        let forked = quote_spanned! {fork.span=> {
            #(#shapes)*
            #put
            #(#reborrows)*
            let mut #guard = #private::launch::Ctx::fork::<#count>(#ctx, #described);
            #(#groups)*
            // The guard goes here, and joins.
        }};
        if take.is_empty() { forked } else { quote!({ #forked #take }) }
    }
}

/// The ranges of a loop of a run, which are evaluated in front of it.
fn ranges_of_part(index: usize) -> TokenStream {
    local(&format!("ranges{index}")).to_token_stream()
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
