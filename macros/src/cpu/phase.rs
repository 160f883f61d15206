//! Phases of the twin: loops in each other, in which an iteration may ask for the number of its
//! thread.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::lanes::asked;
use super::{Twin, slot};
use crate::analysis::lanes::Lanes;
use crate::ir::{Block, Expr, ExprKind, Flow, LocalId, LoopRange, Phase, Space, Stmt};
use crate::names::local;

impl Twin<'_> {
    pub(super) fn phase(&self, phase: &Phase, body: &Block, span: Span) -> TokenStream {
        let Some((Stmt::Expr(nest), ends)) = body.stmts.split_last() else { return TokenStream::new() };
        let ends = ends.iter().map(|end| self.stmt(end));
        let Some(thread) = phase.thread else {
            let nest = self.nest(phase, phase.vars.len(), nest, &TokenStream::new(), span);
            return quote_spanned!(span=> { #(#ends)* #nest });
        };
        let nest = match &nest.kind {
            ExprKind::Flow { flow: Flow::For { label, var, range, body, .. }, .. }
                if phase.vars.len() == 1 && !phase.of_threads =>
            {
                self.by_rounds(phase, thread, (label.as_ref(), *var, range, body), span)
            }
            _ => self.numbered(phase, thread, nest, span),
        };
        quote_spanned!(span=> { #(#ends)* #nest })
    }

    /// The number of a thread, in the innermost loop.
    fn thread(&self, thread: LocalId, value: TokenStream, span: Span) -> TokenStream {
        let (p, name, slot) = (self.private_at(span), self.local(thread, span), slot(self.body[thread].slot));
        quote_spanned!(span=> let #name = #value; #p::slot::same(#slot, &#name);)
    }

    /// One range: rounds of as many iterations as there are threads. The compiler makes vectors of
    /// the inner loop, since its number is the thread.
    fn by_rounds(
        &self,
        phase: &Phase,
        thread: LocalId,
        (label, var, range, body): (Option<&syn::Label>, LocalId, &LoopRange, &Block),
        span: Span,
    ) -> TokenStream {
        let (p, threads) = (self.private_at(span), Literal::u32_unsuffixed(phase.shape.iter().product()));
        let [first, count, at] = ["first", "count", "at"].map(local);
        let (name, s) = (self.local(var, self.body[var].name.span()), slot(self.body[var].slot));
        let number = self.thread(thread, quote_spanned!(span=> #at), span);
        let range = self.loop_range(range, span);
        let round = quote_spanned!(span=> (#first..#p::block::nth(#first, #count)));
        let (before, body) = self.clipped(var, body, &round, span);
        let one = quote_spanned! {span=>
            let #name = #p::block::nth(#first, #at);
            #p::slot::same(#s, &#name);
            #number
            #body
        };
        let [first, count] = [&first, &count].map(ToTokens::to_token_stream);
        let all = match self.in_lanes.and_then(|lanes| lanes.get(&phase.id)) {
            Some(lanes) => self.in_lanes_too(phase, lanes, label, [&first, &count], &one, span),
            None => quote_spanned!(span=> #label for #at in 0..#count { #one }),
        };
        quote_spanned! {span=>
            for (#first, #count) in #p::block::rounds::<#threads, _>(#range) {
                #before
                #all
            }
        }
    }

    /// The innermost loop of a phase, several threads at a time. `one` is what an iteration does,
    /// the number `__at`.
    fn in_lanes_too(
        &self,
        phase: &Phase,
        lanes: &Lanes<'_>,
        label: Option<&syn::Label>,
        [first, count]: [&TokenStream; 2],
        one: &TokenStream,
        span: Span,
    ) -> TokenStream {
        let (Some((lane, outer)), p) = (phase.vars.split_last(), self.private_at(span)) else {
            return TokenStream::new();
        };
        let ([at, blocks, rest, l], asked) = (["at", "blocks", "rest", "l"].map(local), asked(lanes));
        // What is bound in the phase has other names in the second form, and so has the value that
        // each thread has of a variable.
        let is_outside = |id: &LocalId| {
            id < phase.vars.first().unwrap_or(lane)
                && phase.thread != Some(*id)
                && !matches!(self.body[*id].space, Space::Each(_))
        };
        let names = (0..self.body.locals.len()).map(LocalId).filter(is_outside).chain(outer.iter().copied());
        let around = self.outside.replace(names.collect());
        let here = quote_spanned!(span=> (#at + #l));
        let mut variables = vec![(*lane, quote_spanned!(span=> #p::block::nth(#first, #here)))];
        variables.extend(phase.thread.map(|thread| match phase.of_threads {
            true => (thread, self.number_of_thread(phase, Some(here.clone()), span)),
            false => (thread, here.clone()),
        }));
        let in_lanes = self.lanes(lanes, variables, [&at, &blocks]);
        self.outside.replace(around);
        let decided = local("decided");
        quote_spanned! {span=>
            let (#blocks, #rest) = #p::lanes::split(&(0..#count), #decided, #asked);
            #label for #at in #rest { #one }
            #p::lanes::within(#asked, #[inline(always)] || { #in_lanes });
        }
    }

    /// A phase, and the scan of a variable that its iterations set: `for i in block.par(…) { own =
    /// x[i]; } let before = block.exclusive_sum(own);`. The scan runs the iterations, each when it
    /// comes to its value, so values need not be stored before they are added up. Nothing can tell:
    /// an iteration sees no sum, no other thread changes the variable of a thread, and the order is
    /// that of the threads.
    pub(super) fn phase_and_scan(&self, phase: &Stmt, scan: &Stmt) -> Option<TokenStream> {
        let Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Phase { phase, body }, .. }, span, .. }) = phase
        else {
            return None;
        };
        let Stmt::Let { pat, init: Expr { kind: ExprKind::Collective(scan), span: at_scan, .. }, .. } = scan else {
            return None;
        };
        if self.in_lanes.is_some_and(|lanes| lanes.contains_key(&phase.id)) {
            return None;
        }
        let (Stmt::Expr(nest), ends) = body.stmts.split_last()? else { return None };
        let ExprKind::Flow { flow: Flow::For { var, range, body, .. }, .. } = &nest.kind else { return None };
        let ExprKind::Own { .. } = &scan.own.kind else { return None };
        let (all, thread, span) = (pat.name()?, phase.thread?, *span);
        if scan.of_warps || !scan.op.is_scan() || phase.of_threads || phase.vars.len() != 1 || body.jumps() {
            return None;
        }
        let (before, body) = self.clipped(*var, body, &TokenStream::new(), span);
        if !before.is_empty() {
            return None;
        }
        let p = self.private_at(span);
        let [first, count, at] = ["first", "count", "at"].map(local);
        let (name, s) = (self.local(*var, self.body[*var].name.span()), slot(self.body[*var].slot));
        let (number, range) = (self.thread(thread, quote_spanned!(span=> #at), span), self.loop_range(range, span));
        let ends = ends.iter().map(|end| self.stmt(end));
        let (own, own_thread) = (self.expr(&scan.own), self.thread(scan.thread, quote_spanned!(span=> #at), span));
        let iteration = quote_spanned! {span=>
            if #at < #count {
                let #name = #p::block::nth(#first, #at);
                #p::slot::same(#s, &#name);
                #number
                #body
            }
        };
        // What is wrong with the values is told at the scan.
        let (p, function) = (self.private_at(*at_scan), Ident::new(&format!("phase_and_{}", scan.op.name()), *at_scan));
        let (threads, of) = (Literal::u32_unsuffixed(scan.threads), slot(scan.slot));
        let run = quote_spanned! {*at_scan=>
            #[inline(always)]
            |#first, #count, #at| { #iteration #own_thread #own }
        };
        let init = quote_spanned! {*at_scan=>
            #p::collective::#function::<#threads, _, _>({ #(#ends)* #range }, #run, #of)
        };
        Some(self.all(all, &init))
    }

    /// Loops in each other. What counts the iterations is not the user's to see.
    fn numbered(&self, phase: &Phase, thread: LocalId, nest: &Expr, span: Span) -> TokenStream {
        if phase.of_threads {
            let number = self.number_of_thread(phase, None, span);
            return self.nest(phase, phase.vars.len(), nest, &self.thread(thread, number, span), span);
        }
        let (next, threads) = (local("next"), Literal::u32_unsuffixed(phase.shape.iter().product()));
        let number = self.thread(thread, quote_spanned!(span=> #next % #threads), span);
        let nest = self.nest(phase, phase.vars.len(), nest, &quote_spanned!(span=> #number #next += 1;), span);
        quote_spanned!(span=> let mut #next = 0usize; #nest)
    }

    /// The number of the thread in `block.threads()`, with another place in its row than that of
    /// the phase.
    fn number_of_thread(&self, phase: &Phase, place: Option<TokenStream>, span: Span) -> TokenStream {
        let mut vars: Vec<_> = phase.vars.iter().map(|var| self.local(*var, span).into_token_stream()).collect();
        if let (Some(last), Some(place)) = (vars.last_mut(), place) {
            *last = place;
        }
        let number = vars.into_iter().zip(&phase.shape).fold(None, |outer, (var, count)| {
            let count = Literal::u32_unsuffixed(*count);
            Some(match outer {
                None => var,
                Some(outer) => quote_spanned!(span=> (#outer) * #count + #var),
            })
        });
        number.unwrap_or_default()
    }

    /// So many loops in each other, and what stands at the beginning of the innermost one.
    fn nest(&self, phase: &Phase, loops: usize, nest: &Expr, first: &TokenStream, span: Span) -> TokenStream {
        let ExprKind::Flow { flow: Flow::For { label, var, range, body, .. }, .. } = &nest.kind else {
            return TokenStream::new();
        };
        let (p, s, name) =
            (self.private_at(span), slot(self.body[*var].slot), self.local(*var, self.body[*var].name.span()));
        let over = self.loop_range(range, span);
        if let ([Stmt::Expr(inner)], 2..) = (body.stmts.as_slice(), loops) {
            let inner = self.nest(phase, loops - 1, inner, first, span);
            return quote_spanned!(span=> #label for #name in #over { #p::slot::same(#s, &#name); #inner });
        }
        if range.inclusive || !range.adaptors.is_empty() {
            let body = self.block(body);
            return quote_spanned!(span=> #label for #name in #over { #p::slot::same(#s, &#name); #first #body });
        }
        let along = local("along");
        let (before, body) = self.clipped(*var, body, &quote!(#along), span);
        if let Some(lanes) = self.in_lanes.and_then(|lanes| lanes.get(&phase.id)) {
            let at = local("at");
            let (start, count) = (quote!(#along.start), quote_spanned!(span=> #p::block::count(&#along)));
            let one = quote_spanned! {span=>
                let #name = #p::block::nth(#start, #at);
                #p::slot::same(#s, &#name);
                #first
                #body
            };
            let all = self.in_lanes_too(phase, lanes, label.as_ref(), [&start, &count], &one, span);
            return quote_spanned! {span=>
                let #along = #over;
                #before
                #all
            };
        }
        quote_spanned! {span=>
            let #along = #over;
            #before
            #label for #name in #along { #p::slot::same(#s, &#name); #first #body }
        }
    }
}
