//! `for (i, at) in par(0..n).exclusive_sum(|i| x[i]) { … }`: a loop in which each iteration has the
//! sum of the values before its own.
//!
//! Reduce, then scan: one block adds up each part, a block of 1024 threads scans these sums (there
//! are at most so many), and then each block goes through its part again, 256 iterations at a time,
//! with the sum of what is before them.

use proc_macro2::Ident;
use quote::quote_spanned;

use super::closures::of_conditions;
use super::{Input, Names};
use crate::names;
use crate::parse::attributes::is_cfg;
use crate::parse::host::{HostWalk, misplaced};
use crate::parse::{strip, text};
use crate::report::{Code, error};

/// The loops of a scan: of the parts, of their sums, of the iterations.
type Loops = [syn::Expr; 3];

impl HostWalk<'_> {
    /// Takes a scan out of the host part. What stands in its place.
    pub(in crate::parse) fn scan(&mut self, scan: &syn::ExprForLoop) -> syn::Expr {
        self.scanned(scan).unwrap_or_else(|| syn::parse_quote!(()))
    }

    /// `None` after an error.
    fn scanned(&mut self, scan: &syn::ExprForLoop) -> Option<syn::Expr> {
        if let Some(why) = self.forbidden {
            self.report.on(&scan.expr, misplaced(Code::ParPlace, "a scan", why));
            return None;
        }
        if let Some(attr) = scan.attrs.iter().find(|attr| !is_cfg(attr)) {
            let error = error(Code::AttributeInside, "attributes are not supported on scans");
            self.report.on(attr, error.help("put it on the whole kernel"));
        }
        let syn::Expr::MethodCall(call) = strip(&scan.expr) else { return None };
        let names = Names(call.method.span());
        let [closure] = call.args.iter().collect::<Vec<_>>()[..] else {
            let error = error(Code::Reduction, "a scan takes a closure, the value of each iteration");
            self.report.on(&call.method, error.help(format!("write `par(0..n).{}(|i| x[i])`", call.method)));
            return None;
        };
        if let Some(error) = of_conditions(&call.method, closure) {
            self.report.on(&call.method, error);
            return None;
        }
        let what = format!("for {} in {}", text(&scan.pat), text(&scan.expr));
        let input = self.input(names, what, &call.receiver, closure)?;
        if input.ranges.len() != 1 {
            let error = error(Code::Reduction, "a scan has one range: which iteration is before which is their order");
            self.report
                .on(&call.receiver, error.help("write `par(0..h * w)`, and in it `let (y, x) = (i / w, i % w);`"));
            return None;
        }
        let variables = match crate::parse::strip_pat(&scan.pat) {
            pair @ syn::Pat::Tuple(of) if of.elems.len() == 2 => pair,
            other => {
                let error = error(Code::LoopVariables, "a scan has two variables, the index and the sum");
                self.report.on(other, error.help(format!("write `for (i, at) in par(0..n).{}(…)`", call.method)));
                return None;
            }
        };
        let names_of_both = crate::parse::host::par_loop::loop_variables(variables, 2, "`par` loop", self.report);
        let [index, sum]: [Ident; 2] = names_of_both.try_into().ok()?;
        let mut loops = None;
        self.host_flow(input.what.clone(), names.0, |this| {
            this.scoped(|this| {
                this.bind_generated(&input, &[&names.of("results")]);
                loops = this.loops_of_scan(&input, &call.method, (&index, &sum), scan);
            });
        });
        let [parts, sums, all] = loops?;
        let (private, ctx) = (names::private_at(&self.private, names.0), names::local("ctx"));
        let [scratch, results, count, parts_of, chunk, judged] =
            ["scratch", "results", "count", "parts", "chunk", "judged"].map(|name| names.of(name));
        let division = input.division(&self.private);
        // The rounds of a block follow each other, so nothing in them races. But what they find
        // must not depend on how iterations are divided. So first the launch decides as if each
        // round were a block.
        Some(syn::Expr::Verbatim(quote_spanned! {names.0=> {
            #division
            let mut #scratch = #private::launch::Ctx::scratch(#ctx, #parts_of);
            let mut #results = #private::reduce::Scratch::view(&mut #scratch);
            if #parts_of > 1 {
                #parts;
                #sums;
            }
            for #judged in [true, false] {
                let #private::reduce::Division { chunk: #chunk, parts: #parts_of } = if #judged {
                    #private::reduce::Division::in_rounds(#count)
                } else {
                    #private::reduce::Division { chunk: #chunk, parts: #parts_of }
                };
                #private::launch::Ctx::only_decides(#ctx, #judged);
                #all;
            }
        }}))
    }

    fn loops_of_scan(
        &mut self,
        input: &Input,
        method: &Ident,
        (index, sum): (&Ident, &Ident),
        scan: &syn::ExprForLoop,
    ) -> Option<Loops> {
        let names = input.names;
        let span = names.0;
        let private = names::private_at(&self.private, span);
        let [block, number, own, b, results, count, chunk, parts, carry, round, first, end, before] = [
            "block", "number", "own", "b", "results", "count", "chunk", "parts", "carry", "round", "first", "end",
            "before",
        ]
        .map(|name| names.of(name));
        let (lets, value) = (input.indexes_of(&number, &input.indexes), &input.value);
        let [no_sum, add] = ["no_sum", "sum"].map(|name| {
            let name = Ident::new(name, span);
            quote_spanned!(span=> #private::reduce::#name)
        });
        let of_parts = quote_spanned! {span=>
            for #block in par_blocks(0..#parts).threads(256) {
                let #b = #block.index();
                let mut #own = #block.each(#no_sum());
                for #number in #block.par(#b * #chunk..(#b * #chunk + #chunk).min(#count)) {
                    #lets
                    #own = #add(#own, #value);
                }
                #results[#b] = #block.sum(#own);
            }
        };
        let of_parts = self.generated_loop(of_parts, input)?;
        self.only_reads(&results, false);
        let of_sums = quote_spanned! {span=>
            for #block in par_blocks(0..1).threads(1024) {
                let mut #own = #block.each(#no_sum());
                for #number in #block.par(0..#parts) {
                    #own = #results[#number];
                }
                let #before = #block.exclusive_sum(#own);
                for #number in #block.par(0..#parts) {
                    #results[#number] = #before;
                }
            }
        };
        let of_sums = self.generated_loop(of_sums, input)?;
        let (lets_again, body, label) =
            (input.indexes_of(&number, std::slice::from_ref(index)), &scan.body, &scan.label);
        // The last thread has the sum of the round. In the last round, which may have fewer
        // iterations, nothing needs it.
        let up_to = match method == "inclusive_sum" {
            true => quote_spanned!(span=> #before),
            false => quote_spanned!(span=> #add(#before, #own)),
        };
        let all = quote_spanned! {span=>
            for #block in par_blocks(0..#parts).threads(256) {
                let #b = #block.index();
                let mut #carry = #no_sum();
                if #parts > 1 && #b < #results.len() {
                    #carry = #results[#b];
                }
                let mut #own = #block.each(#no_sum());
                for #round in 0..#chunk / 256 {
                    let #first = #b * #chunk + #round * 256;
                    let #end = (#first + 256).min(#count);
                    for #number in #block.par(#first..#end) {
                        #lets
                        #own = #value;
                    }
                    let #before = #block.#method(#own);
                    #label for #number in #block.par(#first..#end) {
                        #lets_again
                        let #sum = #add(#carry, #before);
                        #body
                    }
                    #carry = #add(#carry, #block.broadcast(#up_to, 255));
                }
            }
        };
        Some([of_parts, of_sums, self.generated_loop(all, input)?])
    }
}
