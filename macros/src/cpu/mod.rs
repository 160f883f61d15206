//! The CPU twin: the same device code as Rust.
//!
//! Every user expression is emitted once, with the user's spans, so rustc checks it, infers its
//! types and reports its errors at the user's tokens. Next to each value whose type C++ must spell
//! stands a *slot*, a `TypeOf<_>` that `typed` unifies with the value; the slots leave through the
//! return type, and the runtime reads the inferred types from there without running anything.
//!
//! Where the launch has shown an access to be in bounds (`analysis::access`), it is not checked
//! again.
//!
//! Plain operators would overflow-check in debug builds; arithmetic goes through helpers that mean
//! the same in every build and fail with the location of the user's token.

mod calls;
mod collectives;
mod constants;
mod expr;
mod flow;
mod guards;
mod inside;
pub(crate) mod lanes;
mod pattern;
mod phase;
mod place;
mod slopes;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::analysis::Analyses;
use crate::analysis::access::LoopFacts;
use crate::analysis::lanes::{InLanes, Lanes, WHOLE, unrolls_much};
use crate::ir::{
    Access, Body, Capture, CaptureId, CaptureKind, DeviceFn, Expr, ExprId, Local, LocalId, LoopId, ParLoop, SiteId,
    Slot, SlotId,
};
use crate::names;

/// The closure that runs a chunk of a `par` loop.
pub(crate) fn par_loop(par_loop: &ParLoop, analyses: &Analyses<'_>, krate: &syn::Path) -> TokenStream {
    let ParLoop { body, label, .. } = par_loop;
    let facts = &analyses.facts;
    let mut twin = Twin::new(body, krate, false, Some(facts));
    twin.in_lanes = analyses.lanes.as_ref().ok();
    let lanes = twin.in_lanes.and_then(|lanes| lanes.get(&WHOLE));
    let (chunk, trip, row) = (names::local("chunk"), names::local("t"), names::local("row"));
    let trips = names::local("trips");
    let twice = !facts.decided.is_empty();
    let is_written = |capture: &&Capture| matches!(capture.kind, CaptureKind::View(_, Access::Write));
    let captures = names::cons(body.captures.iter().map(|capture| {
        let Capture { name, kind, dims } = capture;
        if let (CaptureKind::View(_, Access::Shape), 1..) = (kind, dims) {
            // Its extents are captures of their own.
            return quote!(_);
        }
        let mutability = (is_written(&capture) && !twice).then(|| quote!(mut));
        quote!(#mutability #name)
    }));
    let (private, slots, out) = (&twin.private, twin.declare_slots(), twin.slots());
    let var = |id: LocalId| {
        let (name, ty) = (twin.local(id, body[id].name.span()), slot(body[id].slot));
        (name, ty)
    };
    let same = |id: LocalId| {
        let (name, ty) = var(id);
        quote!(#private::slot::same(#ty, &#name);)
    };
    let mut statements = twin.block(&body.block);
    if par_loop.shape.is_some() {
        let room = names::local("room");
        statements = quote!(#[allow(unused_variables)] let #room = #private::block::Empty; #statements);
    }
    let vars: Vec<LocalId> = par_loop.dims.iter().map(|d| d.var).collect();
    let inner = vars.last().map(|&id| {
        let (name, same) = (var(id).0, same(id));
        quote!(let #name = #private::launch::nth(&#chunk, #trip); #same #statements)
    });
    let (decided, methods, constants) = (names::local("decided"), twin.methods(), twin.constants());
    // Iterations one by one, behind the blocks of lanes if there are any, but in front of them in
    // the text.
    let run = |of_trips: TokenStream| match (lanes, vars.last()) {
        (Some(lanes), Some(lane)) => {
            let [blocks, rest, part, l] = ["blocks", "rest", "part", "l"].map(names::local);
            let nth = quote!(#private::launch::nth(#part, #trip + #l));
            let asked = lanes::asked(lanes);
            let in_lanes = twin.lanes(lanes, vec![(*lane, nth)], [&trip, &blocks]);
            quote! {
                let (#blocks, #rest) = #private::lanes::split(&#of_trips, #decided, #asked);
                #label for #trip in #rest { #inner }
                let #part = &#chunk;
                #private::lanes::apart(#asked, #[inline(always)] #[allow(unused_mut)] move || { #in_lanes });
            }
        }
        _ => quote! {
            let #trips = #of_trips;
            #label for #trip in #trips { #inner }
        },
    };
    twin.outside.borrow_mut().extend(vars.split_last().into_iter().flat_map(|(_, outer)| outer));
    let in_lanes = || twin.in_lanes.into_iter().flatten();
    let questions: TokenStream = in_lanes().map(|(_, lanes)| twin.asked(lanes)).collect();
    let loops = match vars.as_slice() {
        [] | [_] => run(quote!(#private::launch::trips_of(&#chunk))),
        [outer @ .., _] => {
            let outer_names = outer.iter().map(|&id| var(id).0);
            let outer_sames = outer.iter().map(|&id| same(id));
            let pattern = match outer {
                [one] => var(*one).0.into_token_stream(),
                _ => quote!((#(#outer_names),*)),
            };
            let run = run(quote!(#private::launch::cols(&#chunk, #row)));
            quote! {
                for #row in #private::launch::rows(&#chunk) {
                    let #pattern = #private::launch::outer(&#chunk, #row);
                    #(#outer_sames)*
                    #run
                }
            }
        }
    };
    let loops = match twice {
        true => {
            let written: Vec<_> = body.captures.iter().filter(is_written).map(|capture| &capture.name).collect();
            let (wide, by_verdict) = match wide(par_loop, in_lanes()) {
                Some(wide) => (quote!(#wide,), quote!(by_verdict_wide)),
                None => (TokenStream::new(), quote!(by_verdict)),
            };
            // Of a variable that a closure takes with it, rustc would say that nobody reads it
            // where no control comes to its use.
            quote! {
                #private::view::#by_verdict(#wide #decided, #[inline(always)] move |#decided| {
                    #[allow(unused)]
                    let (#(mut #written,)*) = (#(#written,)*);
                    #loops
                });
            }
        }
        false => loops,
    };
    quote! {
        |#chunk, #[allow(unused_variables)] #captures| {
            #[allow(unused_variables)] // nothing asks where no access is decided at the launch
            let #decided = #private::view::decided(&#chunk);
            #constants #methods #slots #questions #loops #out
        }
    }
}

/// The condition on which blocks of threads gain by wide vectors. None if they never do.
fn wide<'l>(par_loop: &ParLoop, in_lanes: impl Iterator<Item = (&'l LoopId, &'l Lanes<'l>)>) -> Option<TokenStream> {
    let phases: Vec<Ident> = in_lanes.filter(|(id, _)| **id != WHOLE).map(|(_, of)| lanes::asked(of)).collect();
    match unrolls_much(par_loop) {
        true => Some(quote!(true)),
        false => (!phases.is_empty()).then(|| quote!(#(#phases)||*)),
    }
}

/// The function that holds a device function's code: parameters and return type, and body. If there
/// are facts, its last parameter says what the launch has shown.
pub(crate) fn device_function(function: &DeviceFn, facts: Option<&LoopFacts>) -> (TokenStream, TokenStream) {
    let private = names::private(&function.header.krate);
    let decided = facts.map(|_| {
        let decided = names::local("decided");
        quote!(#[allow(unused_variables)] #decided: #private::view::Decided)
    });
    let (params, output, body) = function_parts(function, facts, 0);
    (quote!((#(#params,)* #decided) -> (#output, impl #private::slot::Slots)), body)
}

/// The same as a closure. Behind its first parameter, so many variables are those that it captures.
pub(crate) fn closure(function: &DeviceFn, captured: usize) -> TokenStream {
    let (params, _, body) = function_parts(function, None, captured);
    quote!(move |#(#params),*| #body)
}

/// The parameters of the function, the type of its result, and its body.
fn function_parts(
    function: &DeviceFn,
    facts: Option<&LoopFacts>,
    captured: usize,
) -> (Vec<TokenStream>, TokenStream, TokenStream) {
    let DeviceFn { header, output, body, .. } = function;
    let twin = Twin { captured, ..Twin::new(body, &header.krate, true, facts) };
    let (params, values) = (twin.params(function), twin.parameters(function));
    let output_span = output.as_ref().map_or_else(Span::call_site, |(_, ty)| ty.span());
    let output = output.as_ref().map_or_else(|| quote!(()), |(_, ty)| ty.to_token_stream());
    let (slots, out, result) = (twin.declare_slots(), twin.slots(), names::local("result"));
    let (statements, methods) = (twin.block(&body.block), twin.methods());
    // A body without a value is an error at the type that it should have.
    let mut statements = quote_spanned!(output_span=> { #statements });
    if let Some((id, syn::Type::Infer(_))) = function.output {
        let (private, id) = (&twin.private, slot(id));
        statements = quote_spanned!(output_span=> #private::slot::typed(#id, #statements));
    }
    let body = quote! {{
        #methods
        #slots
        #values
        let #result: #output = #statements;
        (#result, #out)
    }};
    (params, output, body)
}

struct Twin<'b> {
    body: &'b Body,
    private: TokenStream,
    device: bool,
    /// How many variables of a closure of the host stand for what it captures, from number 1.
    captured: usize,
    /// What the launch may have shown.
    facts: Option<&'b LoopFacts>,
    /// What runs in lanes.
    in_lanes: Option<&'b InLanes<'b>>,
    /// Whether the expression is in `unsafe`.
    in_unsafe: Cell<bool>,
    /// Whether this is the second form: the slots of constants are filled, and variables have names
    /// of their own.
    again: Cell<bool>,
    /// Variables that both forms share.
    outside: RefCell<BTreeSet<LocalId>>,
    /// Whether what may not happen may be computed all the same.
    total: Cell<bool>,
    /// The accesses whose elements of all lanes have been read.
    gathered: RefCell<BTreeSet<SiteId>>,
    /// The calls whose results for all lanes are there.
    called: RefCell<BTreeSet<SlotId>>,
    /// Elements of the lanes, or parts of them, that are read already, and where they are.
    own: RefCell<BTreeMap<ExprId, Ident>>,
    /// Comparisons that are not made if they hold in all iterations.
    guards: RefCell<BTreeSet<ExprId>>,
    /// Accesses that are not checked if the loop around them has asked before that they are in
    /// bounds.
    inside: RefCell<BTreeSet<SiteId>>,
}

impl<'b> Twin<'b> {
    fn new(body: &'b Body, krate: &syn::Path, device: bool, facts: Option<&'b LoopFacts>) -> Self {
        let private = names::private(krate);
        Self {
            body,
            private,
            device,
            captured: 0,
            facts,
            in_lanes: None,
            in_unsafe: Cell::new(false),
            again: Cell::new(false),
            outside: RefCell::default(),
            total: Cell::new(false),
            gathered: RefCell::default(),
            called: RefCell::default(),
            own: RefCell::default(),
            guards: RefCell::default(),
            inside: RefCell::default(),
        }
    }

    /// The parameters of a device function, with their types.
    fn params(&self, function: &DeviceFn) -> Vec<TokenStream> {
        let mut this = function.receiver;
        let params = function.params.iter().map(|(id, ty)| {
            let name = self.local(*id, self.body[*id].name.span());
            let mutability = self.body[*id].mutable.then(|| quote!(mut));
            match this.take() {
                Some(this) => names::receiver(this, &quote!(#mutability #name)),
                None => quote!(#mutability #name: #ty),
            }
        });
        params.collect()
    }

    /// Parameters become values of device code: rustc has one error for a type that is none, at
    /// that type. A parameter has the type in its slot, even if the two mentions of its type
    /// differ, as those of a macro may.
    fn parameters(&self, function: &DeviceFn) -> TokenStream {
        let values = function.params.iter().skip(usize::from(function.receiver.is_some())).filter_map(|(id, ty)| {
            let Local { name, slot: SlotId(slot), .. } = &self.body[*id];
            // A reference or a closure is none.
            let is_value = match &self.body.slots[*slot] {
                Slot::Written(of) => **of == *ty,
                other => matches!(other, Slot::Inferred),
            };
            is_value.then(|| {
                let (span, name_span) = (ty.span(), name.span());
                let (private, mutability) = (self.private_at(span), self.mutability(*id));
                let (local, value) = (self.local(*id, name_span), self.local(*id, name_span.located_at(span)));
                let slot = self::slot(SlotId(*slot));
                quote_spanned!(span=> let #mutability #local = #private::slot::typed(#slot, #private::slot::parameter(#value));)
            })
        });
        values.collect()
    }

    /// `mut` of a variable. In the second form all have it: if one lacks it, that is said of the
    /// first form.
    fn mutability(&self, id: LocalId) -> Option<TokenStream> {
        (self.body[id].mutable || self.again.get()).then(|| quote!(mut))
    }

    /// What has been read already.
    fn read_before(&self, expr: &Expr) -> Option<TokenStream> {
        let own = self.own.borrow().get(&expr.id).cloned()?;
        let (p, l) = (self.private_at(expr.span), names::local("l"));
        Some(quote_spanned!(expr.span=> (#p::lanes::own_of(&#own, #l))))
    }

    /// The methods of std as device code calls them, and those that stand for operators that are
    /// not there.
    fn methods(&self) -> TokenStream {
        let private = &self.private;
        quote! {
            #[allow(unused_imports)]
            use #private::op::{
                BoolMethods as _, CheckedMethods as _, DefaultMethods as _, FromMethods as _, HalfMethods as _, NestedMethods as _, NoAssign as _, NoLoop as _, NoNumberMethods as _, NoSliceMethods as _, NoAtomic as _, NoBinary as _,
                NoComparison as _, NoElement as _, NoElementMut as _, NoUnary as _, NumberMethods as _, OptionMethods as _, OrdMethods as _,
                OrderedMethods as _, OrderingMethods as _, PartialOrdMethods as _, ResultMethods as _, SameMethods as _, SliceMethods as _, StdConversion as _,
                UnwrapMethods as _,
            };
        }
    }

    fn declare_slots(&self) -> TokenStream {
        let private = &self.private;
        let slots = self.body.slots.iter().enumerate().map(|(at, kind)| {
            let name = slot(SlotId(at));
            match kind {
                Slot::Inferred | Slot::WrittenInside(_) => quote!(let #name = #private::slot::slot();),
                Slot::Written(ty) => {
                    let span = ty.span();
                    let private = self.private_at(span);
                    quote_spanned!(span=> let #name = #private::slot::written::<#ty, _>();)
                }
                Slot::Function | Slot::Method => quote!(let #name = #private::slot::callee();),
                Slot::Binary => quote!(let #name = #private::op::binary();),
                Slot::Index => quote!(let #name = #private::op::index_slot();),
                Slot::IndexMut => quote!(let #name = #private::op::index_mut_slot();),
                Slot::Order => quote!(let #name = #private::op::order();),
                Slot::Assign => quote!(let #name = #private::op::assignment();),
                Slot::Unary => quote!(let #name = #private::op::unary();),
                Slot::Constant => quote!(let #name = #private::slot::constant_slot();),
                Slot::Atomic => quote!(let #name = #private::slot::atomic_slot();),
                Slot::Format => quote!(let #name = #private::slot::format_slot();),
                Slot::Conversion => quote!(let #name = #private::op::conversion();),
                Slot::Variant => quote!(let #name = #private::slot::variant_slot();),
            }
        });
        quote!(#(#slots)*)
    }

    /// A slot where its type may be written.
    fn tied(&self, id: SlotId) -> TokenStream {
        let name = slot(id);
        match &self.body[id] {
            Slot::WrittenInside(ty) => {
                let p = self.private_at(ty.span());
                quote_spanned!(ty.span()=> #p::slot::given::<#ty>(#name))
            }
            Slot::Inferred
            | Slot::Written(_)
            | Slot::Function
            | Slot::Method
            | Slot::Binary
            | Slot::Order
            | Slot::Index
            | Slot::IndexMut
            | Slot::Assign
            | Slot::Unary
            | Slot::Constant
            | Slot::Atomic
            | Slot::Variant
            | Slot::Conversion
            | Slot::Format => name.into_token_stream(),
        }
    }

    fn slots(&self) -> TokenStream {
        names::tree((0..self.body.slots.len()).map(|at| slot(SlotId(at)).into_token_stream()).collect())
    }

    /// Who checks an access: the launch, the loop around it, or the access itself.
    fn decided(&self, site: SiteId, p: &TokenStream) -> TokenStream {
        match self.facts {
            Some(facts) if facts.decided.contains_key(&site) => names::local("decided").into_token_stream(),
            _ if self.inside.borrow().contains(&site) => names::local("inside").into_token_stream(),
            _ => quote!(#p::view::Decided::NO),
        }
    }

    /// The slot of a called function, with what it is told.
    fn told(&self, slot: SlotId, span: Span) -> TokenStream {
        let name = self::slot(slot);
        match self.facts.and_then(|facts| facts.info.calls.get(&slot)) {
            Some(unlimited) => {
                let (p, decided) = (self.private_at(span), names::local("decided"));
                let unlimited = Literal::u64_unsuffixed(*unlimited);
                quote_spanned!(span=> #p::slot::told(#name, #decided, #unlimited))
            }
            None => {
                let mut name = name;
                name.set_span(name.span().located_at(span));
                name.into_token_stream()
            }
        }
    }

    /// An index, of a grid the place of its element. Where the user has to answer for races, only
    /// `unsafe` makes one: so rustc sees an `unsafe` that is missing, and one that nothing needs.
    fn index(&self, view: CaptureId, index: &Expr, site: SiteId, span: Span) -> TokenStream {
        let (p, tokens) = (self.private_at(span), self.expr(index));
        let dims = self.body[view].dims;
        let place = if dims > 0 {
            let (layout, decided) = (self.layout(view, span), self.decided(site, &p));
            let (at, dims) = (self.private_at(index.span), Literal::usize_unsuffixed(dims));
            let tokens = quote_spanned!(index.span=> #at::view::indexes::<#dims, _>(#tokens));
            quote_spanned!(span=> #p::view::in_grid(#layout, #tokens, #decided))
        } else {
            quote_spanned!(span=> #p::view::index(#tokens))
        };
        self.answered(place, site, index.span)
    }

    /// An index for which the user has to answer, if it is one.
    fn answered(&self, index: TokenStream, site: SiteId, span: Span) -> TokenStream {
        match self.facts {
            Some(facts) if facts.unsafe_sites.contains(&site) => {
                let p = self.private_at(span);
                quote_spanned!(span=> #p::view::assume_disjoint(#index))
            }
            _ => index,
        }
    }

    /// The shape and the strides of a captured grid.
    fn layout(&self, view: CaptureId, span: Span) -> TokenStream {
        let extents = self.body.extents(view).map(|extent| self.capture(extent, span));
        let strides = self.body.strides(view).map(|stride| self.capture(stride, span));
        quote_spanned!(span=> [#(#extents),*], [#(#strides,)* 1])
    }

    fn private_at(&self, span: Span) -> TokenStream {
        names::private_at(&self.private, span)
    }

    /// The user's name at this use, resolved as where it was bound: in the tokens of a
    /// `macro_rules!` two names of one spelling may be different variables to rustc, but not to the
    /// parser, and what it has shown must be of the variable that is used.
    ///
    /// What a closure of the host captures is what rustc takes its name for. Where that is another
    /// variable, the twin captures it, and does not compile.
    fn local(&self, id: LocalId, span: Span) -> Ident {
        let Local { name, .. } = &self.body[id];
        let is_captured = (1..=self.captured).contains(&id.0);
        let span = if is_captured { span } else { span.resolved_at(name.span()) };
        if self.again.get() && !self.outside.borrow().contains(&id) {
            // What is done there in another order must not hide anything.
            return names::again(id.0, span);
        }
        at(name, span)
    }

    /// The name of a variable in the first form.
    fn first_name(&self, id: LocalId) -> &Ident {
        &self.body[id].name
    }

    /// The same of what the body uses of the host part.
    fn capture(&self, id: CaptureId, span: Span) -> Ident {
        let Capture { name, .. } = &self.body[id];
        at(name, span.resolved_at(name.span()))
    }
}

fn at(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(span);
    name
}

/// The variable of a slot.
fn slot(slot: SlotId) -> Ident {
    names::local(&format!("w{}", slot.0))
}
