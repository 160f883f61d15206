//! The steps of lanes as tokens.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::{array, part, results};
use crate::analysis::lanes::{Lanes, Left, Line, Step, Test, element, mentions};
use crate::cpu::Twin;
use crate::cpu::slot;
use crate::ir::{Expr, ExprKind, LocalId, LocalKind, LoopId, LoopRange, Part, SlotId, Space, Stmt};
use crate::names::{cons, local};

/// A mask, and the jumps that end the part of lanes in it.
struct Level {
    mask: Ident,
    /// Those out of this loop.
    live: Option<LoopId>,
    /// Those to the next round of this loop.
    round: Option<LoopId>,
}

pub(super) struct Emitter<'e, 'b> {
    twin: &'e Twin<'b>,
    lanes: &'e Lanes<'e>,
    /// The variable of the iteration, and perhaps that of the thread, with their values.
    lane: Vec<(LocalId, TokenStream)>,
    levels: Vec<Level>,
    /// The number of masks so far.
    masks: usize,
}

impl<'e, 'b> Emitter<'e, 'b> {
    pub(super) fn new(twin: &'e Twin<'b>, lanes: &'e Lanes<'e>, lane: Vec<(LocalId, TokenStream)>) -> Self {
        Self { twin, lanes, lane, levels: Vec::new(), masks: 0 }
    }
}

impl Emitter<'_, '_> {
    /// The arrays of variables.
    pub(super) fn kept(&self) -> TokenStream {
        let private = &self.twin.private;
        let kept = self.lanes.kept.keys().map(|id| {
            let (name, s) = (array(*id), slot(self.twin.body.value_slot(*id)));
            quote!(let mut #name = #private::lanes::lanes(#s);)
        });
        kept.collect()
    }

    /// What takes the values that the threads of the lanes have of variables; with `back`, what
    /// gives them back.
    pub(super) fn values_of_threads(&self, back: bool) -> TokenStream {
        let (twin, private, l) = (self.twin, &self.twin.private, local("l"));
        // The last one is that of the thread.
        let Some((thread, _)) = self.lane.last() else { return TokenStream::new() };
        let of_threads = self.lanes.kept.keys().filter(|id| matches!(twin.body[**id].space, Space::Each(_)));
        let values = of_threads.filter(|id| !back || twin.body[**id].mutable).map(|id| {
            let (all, array, s) = (twin.first_name(*id), array(*id), slot(twin.body.value_slot(*id)));
            let thread = twin.local(*thread, twin.body[*thread].name.span());
            match back {
                false => quote!(#private::lanes::put(#s, &mut #array, #l, #all[#thread]);),
                true => quote!(#all[#thread] = #private::lanes::get(#s, &#array, #l);),
            }
        });
        let values: TokenStream = values.collect();
        if values.is_empty() {
            return values;
        }
        let head = self.heads(&BTreeSet::from([*thread]));
        quote!(for #l in 0..#private::lanes::WIDTH { #head #values })
    }

    fn mask(&self) -> Option<&Ident> {
        self.levels.last().map(|level| &level.mask)
    }

    fn new_mask(&mut self) -> Ident {
        self.masks += 1;
        local(&format!("m{}", self.masks))
    }

    /// Begins a mask that is a copy of the one around.
    pub(super) fn begin(&mut self, live: Option<LoopId>, round: Option<LoopId>) -> TokenStream {
        let private = &self.twin.private;
        let around = self.mask().map_or_else(|| quote!(#private::lanes::ALL), |mask| mask.to_token_stream());
        let mask = self.new_mask();
        let tokens = quote!(let mut #mask = #around;);
        self.levels.push(Level { mask, live, round });
        tokens
    }

    pub(super) fn steps(&mut self, steps: &[Step<'_>]) -> TokenStream {
        let Some((step, rest)) = steps.split_first() else { return TokenStream::new() };
        let (tokens, rest_tokens) = (self.step(step), self.steps(rest));
        match self.mask() {
            // There is always a lane that takes part.
            Some(mask) if step.jumps() && !rest.is_empty() => {
                let private = &self.twin.private;
                quote!(#tokens if #private::lanes::any(&#mask) { #rest_tokens })
            }
            _ => quote!(#tokens #rest_tokens),
        }
    }

    fn step(&mut self, step: &Step<'_>) -> TokenStream {
        match step {
            Step::Region { lines, total } => self.region(lines, *total),
            Step::Window { access, sums } => self.window(access, sums),
            Step::Own(read) => self.own(read),
            Step::Call { call, slot, args } => self.call(call, *slot, args),
            Step::Result(value) => self.result(value),
            Step::Ranged { id, left, var, range, body } => self.ranged(*id, *left, *var, range, body),
            Step::Uniform(stmt) => self.twin.stmt(stmt),
            Step::Scope(steps) => {
                let steps = self.steps(steps);
                quote!({ #steps })
            }
            Step::If { cond, test: Test::Uniform, then, otherwise } => {
                let (cond, then) = (self.twin.expr(cond), self.steps(then));
                let otherwise = otherwise.as_ref().map(|steps| {
                    let steps = self.steps(steps);
                    quote!(else { #steps })
                });
                quote!(if #cond { #then } #otherwise)
            }
            Step::If { cond, test, then, otherwise } => {
                self.branches((cond, matches!(test, Test::Total)), then, otherwise.as_deref())
            }
            Step::Counted { id, left, var, range, body } => self.counted(*id, *left, *var, range, body),
            Step::While { id, left, cond, body } => self.round(*id, *left, *cond, body),
            Step::Jump { to, leaves } => self.jump(*to, *leaves),
        }
    }

    /// What each lane does, with the values that its variables have.
    fn region(&self, lines: &[Line<'_>], total: bool) -> TokenStream {
        let private = &self.twin.private;
        let (mut used, mut own) = (BTreeSet::new(), BTreeSet::new());
        for line in lines {
            used.extend(mentions(line));
            if let Line::Let(Stmt::Let { pat, .. }) = line {
                own.extend(pat.locals());
            }
        }
        used.retain(|id| !own.contains(id));
        let heads = self.heads(&used);
        self.twin.total.set(total);
        let (mask, l) = (self.mask().filter(|_| total), local("l"));
        let lines: TokenStream = lines.iter().map(|line| self.line(line, mask)).collect();
        self.twin.total.set(false);
        let lines = match self.mask() {
            Some(mask) if !total => quote!(if #mask[#l] != 0 { #lines }),
            _ => lines,
        };
        quote!(for #l in 0..#private::lanes::WIDTH { #heads #lines })
    }

    /// The elements of an access, of which the next region then takes those of its lanes.
    fn window(&self, access: &Expr, sums: &[&Expr]) -> TokenStream {
        let ExprKind::Index { view, index, site } = &access.kind else { return TokenStream::new() };
        let (twin, span, l) = (self.twin, access.span, local("l"));
        let (p, elements) = (twin.private_at(span), local(&format!("e{}", site.0)));
        let heads = self.heads(&mentions(&Line::Expr(index)));
        let (place, decided) = (twin.index(*view, index, *site, span), twin.decided(*site, &p));
        let view = twin.capture(*view, span);
        let values = cons(sums.iter().map(|sum| twin.expr(sum)).collect::<Vec<_>>().into_iter());
        let [lows, highs] = ["low", "high"].map(|which| {
            let names = (0..sums.len()).map(|at| local(&format!("{which}{at}")));
            names.collect::<Vec<_>>()
        });
        let [low, high] = [&lows, &highs].map(|names| cons(names.iter()));
        twin.gathered.borrow_mut().insert(*site);
        quote_spanned! {span=>
            let #elements = #p::lanes::window(
                #[inline(always)] |#l: #p::rust::usize| { #heads (#place, #values) },
                #[inline(always)] |#low, #high| true #(&& #p::lanes::ascends(#lows, #highs))*,
                #decided,
                &#view,
            );
        }
    }

    /// The elements of the lanes, which the loop behind it uses.
    fn own(&self, read: &Expr) -> TokenStream {
        let Some((view, index)) = element(read) else { return TokenStream::new() };
        let (twin, span, [l, of]) = (self.twin, read.span, ["l", "of"].map(local));
        let own = local(&format!("own{}", twin.own.borrow().len()));
        let heads = self.heads(&mentions(&Line::Expr(index)));
        let (p, index, view) = (twin.private_at(span), twin.expr(index), twin.capture(view, span));
        let part = part(read, &of);
        twin.own.borrow_mut().insert(read.id, own.clone());
        quote_spanned! {span=>
            let #own = #p::lanes::own(
                &#view,
                #[inline(always)] #[allow(unused_mut)] |#l: #p::rust::usize| { #heads #p::view::index(#index) },
                #[inline(always)] |#of| #part,
            );
        }
    }

    /// The results of a call, of which the next region then takes those of its lanes.
    fn call(&self, call: &Expr, s: SlotId, args: &[&Expr]) -> TokenStream {
        let (twin, span, l) = (self.twin, call.span, local("l"));
        let p = twin.private_at(span);
        let mentioned = args.iter().flat_map(|arg| mentions(&Line::Expr(arg))).collect();
        let heads = self.heads(&mentioned);
        let one = twin.expr(call);
        let (args, of_call) = (args.iter().map(|arg| twin.expr(arg)), slot(s));
        twin.called.borrow_mut().insert(s);
        let results = results(s);
        quote_spanned! {span=>
            let #results = #p::lanes::call(
                #of_call,
                #[inline(always)] #[allow(unused_mut)] |#l: #p::rust::usize| { #heads #one },
                #[inline(always)] #[allow(unused_mut)] |#l: #p::rust::usize| { #heads (#(#args,)*) },
            );
        }
    }

    /// What a function returns, to the lanes that take part.
    fn result(&self, value: &Expr) -> TokenStream {
        let (private, l, results) = (&self.twin.private, local("l"), local("results"));
        let heads = self.heads(&mentions(&Line::Expr(value)));
        let value = self.twin.expr(value);
        let result = quote!(#heads #results[#l] = #value;);
        let result = match self.mask() {
            Some(mask) => quote!(if #mask[#l] != 0 { #result }),
            None => result,
        };
        quote!(for #l in 0..#private::lanes::WIDTH { #result })
    }

    /// The values of variables in a lane.
    fn heads(&self, used: &BTreeSet<LocalId>) -> TokenStream {
        let (mut tokens, mut made) = (TokenStream::new(), BTreeSet::new());
        used.iter().for_each(|id| self.head(*id, &mut made, &mut tokens));
        tokens
    }

    fn head(&self, id: LocalId, made: &mut BTreeSet<LocalId>, tokens: &mut TokenStream) {
        if !made.insert(id) {
            return;
        }
        let (twin, l) = (self.twin, local("l"));
        let private = &twin.private;
        let (name, s) = (twin.local(id, twin.body[id].name.span()), slot(twin.body.value_slot(id)));
        let of_lane = self.lane.iter().find(|(lane, _)| id == *lane);
        let head = if let Some((_, value)) = of_lane {
            quote!(let #name = #value; #private::slot::same(#s, &#name);)
        } else if let Some(init) = self.lanes.recomputed.get(&id) {
            mentions(&Line::Expr(init)).into_iter().for_each(|id| self.head(id, made, tokens));
            let init = twin.expr(init);
            quote!(let #name = #private::slot::typed(#s, #init);)
        } else if self.lanes.kept.contains_key(&id) {
            let array = array(id);
            let lent = matches!(twin.body[id].kind, LocalKind::Reference(_)).then(|| quote!(&));
            quote!(let mut #name = #lent #private::lanes::get(#s, &#array, #l);)
        } else {
            TokenStream::new()
        };
        tokens.extend(head);
    }

    /// A line, and the values that it gives to variables. `mask`: some lanes do it for nothing.
    fn line(&self, line: &Line<'_>, mask: Option<&Ident>) -> TokenStream {
        let (twin, l) = (self.twin, local("l"));
        let private = &twin.private;
        let (tokens, changed) = match line {
            Line::Let(stmt) => {
                let Stmt::Let { pat, .. } = stmt else { return TokenStream::new() };
                (twin.stmt(stmt), pat.locals().into_iter().collect())
            }
            Line::Expr(expr) => {
                let tokens = twin.expr(expr);
                (quote!(#tokens;), Part::Expr(expr).assigned())
            }
        };
        let is_new = matches!(line, Line::Let(_));
        let values = changed.iter().filter_map(|id| Some((id, self.lanes.kept.get(id)?))).map(|(id, masks)| {
            let (name, array) = (twin.local(*id, twin.body[*id].name.span()), array(*id));
            let s = slot(twin.body.value_slot(*id));
            match mask {
                // Lanes that take no part go on later with the value that they had. With less masks
                // around there is no later.
                Some(mask) if !is_new && *masks < self.levels.len() => {
                    quote!(#private::lanes::put_if(#mask[#l], #s, &mut #array, #l, #name);)
                }
                _ => quote!(#private::lanes::put(#s, &mut #array, #l, #name);),
            }
        });
        let values: TokenStream = values.collect();
        quote!(#tokens #values)
    }

    /// What a condition is in each lane: `then` makes something of its mask. Only a `total` one is
    /// asked for lanes that take no part.
    fn test(&self, (cond, total): (&Expr, bool), then: TokenStream) -> TokenStream {
        let (private, l, set) = (&self.twin.private, local("l"), local("set"));
        let heads = self.heads(&mentions(&Line::Expr(cond)));
        self.twin.total.set(total);
        let cond = self.twin.expr(cond);
        self.twin.total.set(false);
        let asked = self.mask().filter(|_| !total).map(|mask| quote!(#mask[#l] != 0 &&));
        quote! {
            for #l in 0..#private::lanes::WIDTH {
                #heads
                let #set = #private::lanes::mask(#asked if #cond { true } else { false });
                #then
            }
        }
    }

    fn branches(&mut self, cond: (&Expr, bool), then: &[Step<'_>], otherwise: Option<&[Step<'_>]>) -> TokenStream {
        let (l, set) = (local("l"), local("set"));
        let private = self.twin.private.clone();
        let around = self.mask().map(|mask| quote!(& #mask[#l]));
        let (yes, no) = (self.new_mask(), otherwise.map(|_| self.new_mask()));
        let mut sides = quote!(#yes[#l] = #set #around;);
        if let Some(no) = &no {
            sides.extend(quote!(#no[#l] = !#set #around;));
        }
        let test = self.test(cond, sides);
        let mut side = |mask: Ident, steps: &[Step<'_>]| {
            self.levels.push(Level { mask: mask.clone(), live: None, round: None });
            let only_jumps = matches!(steps, [Step::Jump { .. }]);
            let steps = self.steps(steps);
            self.levels.pop();
            // A jump of no lanes does nothing.
            if only_jumps { steps } else { quote!(if #private::lanes::any(&#mask) { #steps }) }
        };
        let masks = std::iter::once(&yes).chain(&no).map(|mask| quote!(let mut #mask = #private::lanes::ALL;));
        let masks: TokenStream = masks.collect();
        let then = side(yes, then);
        let otherwise = no.zip(otherwise).map(|(mask, steps)| side(mask, steps));
        quote!({ #masks #test #then #otherwise })
    }

    fn counted(&mut self, id: LoopId, left: Left, var: LocalId, range: &LoopRange, body: &[Step<'_>]) -> TokenStream {
        let twin = self.twin;
        let private = &twin.private;
        let (name, s) = (twin.local(var, twin.body[var].name.span()), slot(twin.body[var].slot));
        let range = twin.loop_range(range, name.span());
        let (before, round, body) = self.inside(id, left, body);
        quote!({ #before for #name in #range { #private::slot::same(#s, &#name); #round #body } })
    }

    /// The range of each lane, whose variable goes on in all lanes at the end of a round.
    fn ranged(&mut self, id: LoopId, left: Left, var: LocalId, range: &LoopRange, body: &[Step<'_>]) -> TokenStream {
        let (twin, [l, set, next]) = (self.twin, ["l", "set", "next"].map(local));
        let p = twin.private_at(twin.body[var].name.span());
        let (s, [vars, ends]) = (slot(twin.body[var].slot), [array(var), local(&format!("end{}", var.0))]);
        let end = local("end");
        let [start, end_of_lane] = [&range.start, &range.end].map(|end| {
            let heads = self.heads(&mentions(&Line::Expr(end)));
            let end = twin.expr(end);
            quote!({ #heads #end })
        });
        // The mask of the loop comes next.
        let live = local(&format!("m{}", self.masks + 1));
        let [var, end_of] = [&vars, &ends].map(|array| quote!(#p::lanes::get(#s, &#array, #l)));
        let (before, round, body) = self.inside(id, left, body);
        quote! {{
            let mut #ends = #p::lanes::lanes(#s);
            for #l in 0..#p::lanes::WIDTH {
                let (#next, #end) = (#start, #end_of_lane);
                #p::lanes::put(#s, &mut #vars, #l, #next);
                #p::lanes::put(#s, &mut #ends, #l, #end);
            }
            #before
            loop {
                for #l in 0..#p::lanes::WIDTH {
                    let #set = #p::lanes::mask(#p::lanes::before(#var, #end_of));
                    #live[#l] &= #set;
                }
                #round
                #body
                for #l in 0..#p::lanes::WIDTH {
                    let #next = #p::block::nth(#var, 1);
                    #p::lanes::put(#s, &mut #vars, #l, #next);
                }
            }
        }}
    }

    fn round(&mut self, id: LoopId, left: Left, cond: Option<&Expr>, body: &[Step<'_>]) -> TokenStream {
        let (l, set) = (local("l"), local("set"));
        // The mask of the loop comes next.
        let live = local(&format!("m{}", self.masks + 1));
        let test = cond.map(|cond| self.test((cond, true), quote!(#live[#l] &= #set;)));
        let (before, round, body) = self.inside(id, left, body);
        quote!({ #before loop { #test #round #body } })
    }

    /// What comes before a loop, what begins a round of it, and its body.
    fn inside(&mut self, id: LoopId, left: Left, body: &[Step<'_>]) -> (TokenStream, TokenStream, TokenStream) {
        if !left.early {
            return (TokenStream::new(), TokenStream::new(), self.steps(body));
        }
        let known = self.levels.len();
        let before = self.begin(Some(id), (!left.rounds).then_some(id));
        let (private, live) = (&self.twin.private, self.mask().cloned());
        let mut round = quote!(if !#private::lanes::any(&#live) { break; });
        if left.rounds {
            round.extend(self.begin(None, Some(id)));
        }
        let body = self.steps(body);
        self.levels.truncate(known);
        (before, round, body)
    }

    /// Ends the part of the lanes that come here, in all masks up to that of the loop.
    fn jump(&self, to: LoopId, leaves: bool) -> TokenStream {
        let (private, now) = (&self.twin.private, local("now"));
        let ends = |level: &&Level| if leaves { level.live == Some(to) } else { level.round == Some(to) };
        let Some(first) = self.levels.iter().rposition(|level| ends(&level)) else { return TokenStream::new() };
        let (masks, mask) = (self.levels[first..].iter().map(|level| &level.mask), self.mask());
        quote!({ let #now = #mask; #(#private::lanes::clear(&mut #masks, &#now);)* })
    }
}
