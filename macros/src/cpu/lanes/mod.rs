//! The second form of a loop: several iterations in lock step. `analysis::lanes` says what is done
//! in it, and `anabranch::private::lanes` has the helpers.
//!
//! The user's expressions are what they are in the first form, with the same slots, so that both
//! forms agree by construction. The first form stands in front: what there is to say of tokens that
//! are there twice, rustc says once.

mod emitter;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::Twin;
use crate::analysis::lanes::{Asked, FUNCTION, Lanes, declared};
use crate::cpu::slot;
use crate::ir::{Block, DeviceFn, Expr, ExprKind, LocalId, Part, Receiver, SlotId};
use crate::names::{self, cons, local};
use emitter::Emitter;

impl Twin<'_> {
    /// A loop over trips, each the first one of so many lanes. `lane` has the variable of the
    /// iteration with its value in lane `__l`, and in a phase the number of its thread.
    pub(super) fn lanes(
        &self,
        lanes: &Lanes<'_>,
        lane: Vec<(LocalId, TokenStream)>,
        [trip, blocks]: [&Ident; 2],
    ) -> TokenStream {
        let private = &self.private;
        self.again.set(true);
        let mut emitter = Emitter::new(self, lanes, lane);
        let kept = emitter.kept();
        let [first_values, last_values] = [false, true].map(|last| emitter.values_of_threads(last));
        let all = lanes.ends.then(|| emitter.begin(None, Some(lanes.whole)));
        let steps = emitter.steps(&lanes.steps);
        self.again.set(false);
        self.gathered.take();
        self.called.take();
        self.own.take();
        let (decided, asked) = (local("decided"), asked(lanes));
        // Only inside is it seen that nothing is checked.
        quote! {
            if let #private::rust::Some(#decided) = #private::lanes::proved(#decided, #asked) {
                for #trip in #blocks {
                    #kept
                    #first_values
                    #all
                    #steps
                    #last_values
                }
            }
        }
    }

    /// What a function does with the arguments of all lanes. Its code for one call stands in front,
    /// and is not called: the types come from there.
    fn of_arguments(&self, function: &DeviceFn, lanes: &Lanes<'_>) -> TokenStream {
        let (private, body) = (&self.private, &function.body);
        let (methods, slots, out) = (self.methods(), self.declare_slots(), self.slots());
        let [args, result, l] = ["args", "result", "l"].map(local);
        let output = function.output.iter().map(|(_, ty)| ty);
        let one = self.block(&body.block);
        self.again.set(true);
        let mut emitter = Emitter::new(self, lanes, Vec::new());
        let kept = emitter.kept();
        let values = function.params.iter().enumerate().filter(|(_, (id, _))| lanes.kept.contains_key(id));
        let values = values.map(|(at, (id, _))| {
            let (array, s, at) = (array(*id), slot(body[*id].slot), Literal::usize_unsuffixed(at));
            quote!(#private::lanes::put(#s, &mut #array, #l, #args[#l].#at);)
        });
        let values: TokenStream = values.collect();
        let all = lanes.ends.then(|| emitter.begin(Some(FUNCTION), None));
        let steps = emitter.steps(&lanes.steps);
        self.again.set(false);
        self.called.take();
        self.own.take();
        quote! {
            #methods
            #slots
            let _ = || {
                let #result: #(#output)* = { #one };
                (#result, #out)
            };
            #kept
            for #l in 0..#private::lanes::WIDTH { #values }
            #all
            #steps
        }
    }

    /// Whether the checks hold that are asked before.
    pub(super) fn asked(&self, lanes: &Lanes<'_>) -> TokenStream {
        let checks = &lanes.checks;
        let (private, asked) = (&self.private, asked(lanes));
        self.again.set(true);
        let variables = checks.variables.iter().map(|(id, init)| {
            let (name, s) = (self.local(*id, self.body[*id].name.span()), slot(self.body[*id].slot));
            let init = self.expr(init);
            quote!(let #name = #private::slot::typed(#s, #init);)
        });
        let variables: TokenStream = variables.collect();
        let questions = checks.asked.iter().map(|asked| match asked {
            Asked::Divisor(by) => {
                let by = self.expr(by);
                quote!(#private::lanes::divides(#by))
            }
            Asked::Ends(low, high) => {
                let (low, high) = (self.expr(low), self.expr(high));
                quote!(#private::lanes::in_order(#low, #high))
            }
        });
        let questions: Vec<_> = questions.collect();
        self.again.set(false);
        let (out, conditions) = (self.slots(), lanes.conditions(self.body, private));
        let questions = quote!({ #variables true #(&& #questions)* });
        // Only with numbers is it known that the questions have no effect. So the types come first.
        quote!(let #asked = #private::lanes::hold(#out, &#conditions) && #questions;)
    }

    /// An `if` without a branch: both sides, and then the choice between their values, and between
    /// what they assign to variables.
    pub(super) fn chosen(&self, cond: &Expr, then: &Block, otherwise: Option<&Expr>, span: Span) -> TokenStream {
        let p = self.private_at(span);
        let sides = [Some(Part::Block(then)), otherwise.map(Part::Expr)];
        let of_sides = sides.into_iter().flatten();
        let own: BTreeSet<_> = of_sides.clone().flat_map(declared).collect();
        let vars: BTreeSet<_> = of_sides.flat_map(Part::assigned).filter(|var| !own.contains(var)).collect();
        let names: Vec<Ident> = vars.iter().map(|id| self.local(*id, self.body[*id].name.span())).collect();
        let side = |which: &str, value: TokenStream| {
            let (result, of) = (local(which), |id: &LocalId| local(&format!("{which}{}", id.0)));
            let results: Vec<Ident> = vars.iter().map(of).collect();
            let outer = cons(std::iter::once(&result).chain(&results).collect::<Vec<_>>().into_iter());
            let inner = cons(std::iter::once(&result).chain(&names).collect::<Vec<_>>().into_iter());
            let tokens = quote_spanned! {span=>
                let #outer = { #(let mut #names = #names;)* let #result = { #value }; #inner };
            };
            (result, results, tokens)
        };
        let (cond, set) = (self.expr(cond), local("set"));
        let (then, thens, of_then) = side("then", self.block(then));
        let value = otherwise.map_or_else(|| quote!(()), |other| self.expr(other));
        let (other, others, of_other) = side("other", value);
        quote_spanned! {span=> {
            let #set = #p::lanes::mask(if #cond { true } else { false });
            #of_then
            #of_other
            #(#names = #p::lanes::select(#set, #thens, #others);)*
            #p::lanes::select(#set, #then, #other)
        } }
    }
}

/// The function that computes the results of a device function for the arguments of all lanes: its
/// parameters and its body, which are those of one call, tuples of the arguments of all, and the
/// results.
pub(crate) fn of_arguments(function: &DeviceFn, lanes: &Lanes<'_>) -> (TokenStream, TokenStream) {
    let twin = Twin::new(&function.body, &function.header.krate, true, None);
    let (private, [args, results]) = (&twin.private, ["args", "results"].map(local));
    let (params, types, output) = (twin.params(function), types(function), function.output.iter().map(|(_, ty)| ty));
    let width = quote!(#private::lanes::WIDTH);
    let params = quote!((#(#params,)* #args: &[(#(#types,)*); #width], #results: &mut [#(#output)*; #width]));
    (params, twin.of_arguments(function, lanes))
}

/// What `in_lanes` of a function returns: `path` is that of its function for all lanes. Its
/// parameters are called `__args` and `__results`.
pub(crate) fn called(function: &DeviceFn, path: &TokenStream) -> TokenStream {
    let private = names::private(&function.header.krate);
    let [args, results] = ["args", "results"].map(local);
    let (types, output) = (types(function), function.output.iter().map(|(_, ty)| ty));
    let one = function.params.iter().enumerate().map(|(at, _)| {
        let lent = (at == 0 && function.receiver == Some(Receiver::Shared)).then(|| quote!(&));
        let at = Literal::usize_unsuffixed(at);
        quote!(#lent #args[0].#at)
    });
    let width = quote!(#private::lanes::WIDTH);
    quote! {
        #private::lanes::called(
            #args,
            #results,
            #[inline(always)]
            |#args: &[(#(#types,)*); #width], #results: &mut [#(#output)*; #width]| #path(#(#one,)* #args, #results),
        )
    }
}

/// The types of the parameters as values.
fn types(function: &DeviceFn) -> Vec<TokenStream> {
    let of = |(at, (_, ty)): (usize, &(LocalId, syn::Type))| match (at, function.receiver) {
        (0, Some(_)) => quote!(Self),
        _ => quote!(#ty),
    };
    function.params.iter().enumerate().map(of).collect()
}

/// Whether there are lanes.
pub(super) fn asked(lanes: &Lanes<'_>) -> Ident {
    local(&format!("asked{}", lanes.whole.0))
}

/// The array of a variable of all lanes.
fn array(id: LocalId) -> Ident {
    local(&format!("v{}", id.0))
}

/// An element, or a field of it.
fn part(read: &Expr, element: &Ident) -> TokenStream {
    match &read.kind {
        ExprKind::Field { base, member } => {
            let base = part(base, element);
            quote_spanned!(read.span=> #base.#member)
        }
        _ => quote_spanned!(read.span=> (*#element)),
    }
}

/// The results of a function for all lanes.
pub(super) fn results(of_call: SlotId) -> Ident {
    local(&format!("c{}", of_call.0))
}
