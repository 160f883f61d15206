//! Iteration without indexes: `for v in &x[a..b]`, `for (i, (a, b)) in x.iter().zip(y).enumerate()`.
//!
//! The elements become a counted loop over a slice right here, so that the analyses and the outputs know nothing of iterators:
//! `{ let items = &x[a..b]; for at in 0..b - a { let v = &items[at]; … } }`. All that the loop may touch of `x` is the part that `items`
//! borrows: this is one access, which the facts hold. What is iterated is decided by rustc: only arrays and slices can be borrowed as `items`.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::body::{BodyParser, LoopKind, Want};
use super::{HostName, single_ident, strip};
use crate::ir::{
    Adaptor, BinOp, Block, Borrow, Callee, Check, ElementOf, Expr, ExprKind, Flow, List, LocalId, LocalKind, LoopRange,
    Measure, Pat, PatKind, Site, Slot, Stmt,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};
use anabranch_core::{check::message, methods};

/// What an iterator yields, made of the number of the round.
#[derive(Clone)]
pub(super) enum Item {
    /// A reference to an element, or its value.
    Element { items: LocalId, borrow: Borrow, copied: bool, at: Place },
    /// The number of the round.
    Counter(Place),
    /// The value of a variable.
    Value(LocalId),
    /// A tuple of two.
    Pair(Box<[Item; 2]>),
}

/// The references that a closure or a pattern puts around an item.
#[derive(Clone, Copy)]
pub(super) enum Around {
    /// So many, which the pattern can take away: `|&v|`.
    References(usize),
    /// One, which comes from the pattern around: `(k, v)` of a `&(usize, f32)`.
    Inherited,
}

impl Around {
    fn depth(self) -> usize {
        match self {
            Around::References(depth) => depth,
            Around::Inherited => 1,
        }
    }
}

/// A number, of that which the loop counts.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// The same.
    Same,
    /// Counted from the value of this variable on.
    After(LocalId),
    /// Counted down from before it.
    Before(LocalId),
    /// So much more.
    Plus(LocalId),
}

impl Item {
    /// The same where another number is counted, from which this one comes so. `None`: there is no simple form of this.
    fn moved(self, by: Place) -> Option<Item> {
        let then = |at| match (at, by) {
            (Place::Same, at) | (at, Place::Same) => Some(at),
            _ => None,
        };
        Some(match self {
            Item::Element { items, borrow, copied, at } => Item::Element { items, borrow, copied, at: then(at)? },
            Item::Counter(at) => Item::Counter(then(at)?),
            Item::Value(local) => Item::Value(local),
            Item::Pair(parts) => {
                let [a, b] = *parts;
                Item::Pair(Box::new([a.moved(by)?, b.moved(by)?]))
            }
        })
    }
}

/// A loop over items.
pub(super) struct Walk {
    /// The slices, which are evaluated before the loop.
    pub(super) before: Vec<Stmt>,
    /// The first number of the rounds, if they are those of a range; else 0.
    start: Option<Expr>,
    /// Their end.
    end: Expr,
    /// `..=`
    inclusive: bool,
    /// Which of them there are, and in which order.
    adaptors: Vec<Adaptor>,
    /// What a round gets.
    pub(super) item: Item,
}

impl BodyParser<'_> {
    /// Whether what a `for` loop runs over is made of references to elements.
    pub(super) fn is_iterator(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::Reference(_) => true,
            syn::Expr::MethodCall(call) => match names::plain(&call.method).as_str() {
                "iter" | "iter_mut" => call.args.is_empty(),
                "rev" | "step_by" | "enumerate" | "zip" | "copied" | "cloned" | "take" | "skip" => {
                    self.is_iterator(&call.receiver)
                }
                _ => false,
            },
            other => {
                let local = single_ident(other).and_then(|name| self.local(name));
                self.view_name(other).is_some()
                    || local.is_some_and(|local| {
                        matches!(self.body[local].kind, LocalKind::Slice(_) | LocalKind::Reference(_))
                    })
            }
        }
    }

    /// `for pattern in items { … }`
    pub(super) fn for_items(&mut self, par_loop: &syn::ExprForLoop) -> Expr {
        let span = par_loop.for_token.span;
        let walk = self.walk(&par_loop.expr);
        let id = self.enter_loop(par_loop.label.as_ref(), LoopKind::Other, Want::Nothing);
        let (var, body) = self.scoped(|this| {
            let var = this.generated_counter(par_loop.expr.span());
            let mut stmts = Vec::new();
            match &walk {
                Some(walk) => this.bind_item(&walk.item, Around::References(0), var, &par_loop.pat, &mut stmts),
                None => this.bind_anyway(&par_loop.pat),
            }
            let body = this.block(&par_loop.body, Want::Nothing);
            stmts.push(Stmt::Expr(Expr::flow(par_loop.body.span(), None, Flow::Block(body))));
            (var, Block { stmts, value: None })
        });
        self.leave_loop();
        let Some(walk) = walk else { return self.refused(span) };
        let (mut stmts, range) = self.rounds(walk, span);
        let label = par_loop.label.clone();
        stmts.push(Stmt::Expr(Expr::flow(span, None, Flow::For { id, label, var, range: Box::new(range), body })));
        Expr::flow(span, None, Flow::Block(Block { stmts, value: None }))
    }

    /// The numbers of a range whose ends are evaluated before all else.
    pub(super) fn evaluated_range(&mut self, range: LoopRange) -> Walk {
        let LoopRange { start, end, inclusive, adaptors } = range;
        let mut before = Vec::new();
        let mut named = |this: &mut Self, init: Expr| {
            let span = init.span;
            let local = this.generated("end", span, Slot::Inferred, LocalKind::Value);
            before.push(let_name(local, span, init));
            Expr::new(span, ExprKind::Local(local))
        };
        let start = Some(named(self, start));
        let end = named(self, end);
        Walk { before, start, end, inclusive, adaptors, item: Item::Counter(Place::Same) }
    }

    /// What comes before the loop, and the numbers that it counts.
    pub(super) fn rounds(&mut self, walk: Walk, span: Span) -> (Vec<Stmt>, LoopRange) {
        let Walk { mut before, start, end, inclusive, mut adaptors, item: _ } = walk;
        for adaptor in &mut adaptors {
            // What is evaluated after the iterator can change what a step is made of. A literal stays one, which the analyses know.
            if let Adaptor::StepBy { step, .. } = adaptor
                && !matches!(step.kind, ExprKind::Int { .. })
            {
                let value = std::mem::replace(&mut **step, nothing(span));
                **step = self.fixed(value, &mut before);
            }
        }
        let start = start.unwrap_or_else(|| {
            let token = proc_macro2::Literal::usize_suffixed(0);
            Expr::new(span, ExprKind::Int { token, digits: "0".to_owned(), slot: self.slot() })
        });
        (before, LoopRange { start, end, inclusive, adaptors })
    }

    /// An iterator. `None`: it was refused.
    pub(super) fn walk(&mut self, expr: &syn::Expr) -> Option<Walk> {
        let syn::Expr::MethodCall(call) = strip(expr) else { return self.source(expr) };
        let (name, span) = (names::plain(&call.method), call.method.span());
        match (name.as_str(), call.args.len()) {
            ("iter" | "iter_mut", 0) => self.source(expr),
            ("rev", 0) => {
                let mut walk = self.walk(&call.receiver)?;
                walk.adaptors.push(Adaptor::Rev);
                Some(walk)
            }
            ("step_by", 1) => {
                let mut walk = self.walk(&call.receiver)?;
                let step = Box::new(self.expr(call.args.first()?, Want::Value));
                let check = Check::Message(message::STEP.into());
                let site = self.body.sites(Site { span, check, text: String::new() });
                walk.adaptors.push(Adaptor::StepBy { step, site });
                Some(walk)
            }
            ("enumerate", 0) => {
                let mut walk = self.walk(&call.receiver)?;
                let at = self.counter(&mut walk, &call.method)?;
                Some(Walk { item: Item::Pair(Box::new([Item::Counter(at), walk.item])), ..walk })
            }
            ("zip", 1) => {
                let mut first = self.walk(&call.receiver)?;
                let mut second = self.walk(call.args.first()?)?;
                let counter = self.counter(&mut first, &call.method)?;
                let at = self.counted(&mut second, &call.method)?;
                first.before.append(&mut second.before);
                let rounds = match second.start {
                    None => second.end,
                    Some(start) => self.sum(span, BinOp::Sub, second.end, start),
                };
                let first = self.limited(first, rounds, span, false)?;
                let Some(item) = second.item.moved(at).and_then(|item| item.moved(counter)) else {
                    return self.in_this_order(&call.method);
                };
                Some(Walk { item: Item::Pair(Box::new([first.item, item])), ..first })
            }
            ("take" | "skip", 1) => {
                let mut walk = self.walk(&call.receiver)?;
                let number = self.expr(call.args.first()?, Want::Value);
                self.counter(&mut walk, &call.method)?;
                let number = self.fixed(number, &mut walk.before);
                self.limited(walk, number, span, name == "skip")
            }
            ("copied" | "cloned", 0) => {
                let walk = self.walk(&call.receiver)?;
                let Item::Element { items, borrow: Borrow::Shared, copied: false, at } = walk.item else {
                    self.report.on(
                        &call.method,
                        error(Code::LoopRange, format!("`{name}` needs an iterator over references"))
                            .help(format!("write it right after `iter()`: `x.iter().{name}()`")),
                    );
                    return None;
                };
                Some(Walk { item: Item::Element { items, borrow: Borrow::Shared, copied: true, at }, ..walk })
            }
            _ => {
                self.report.on(&call.method, not_an_iterator());
                None
            }
        }
    }

    /// How the number of a round, from 0 on, comes from the one that the loop counts.
    fn counter(&mut self, walk: &mut Walk, method: &Ident) -> Option<Place> {
        match (walk.adaptors.as_slice(), walk.start.take()) {
            ([], None) => Some(Place::Same),
            ([], Some(start)) => {
                let start = self.fixed(start, &mut walk.before);
                let at = Place::After(local_of(&start)?);
                walk.start = Some(start);
                Some(at)
            }
            ([Adaptor::Rev], start) => {
                walk.start = start;
                let end = std::mem::replace(&mut walk.end, nothing(method.span()));
                walk.end = self.fixed(end, &mut walk.before);
                Some(Place::Before(local_of(&walk.end)?))
            }
            _ => self.in_this_order(method),
        }
    }

    /// The other way round: how what the loop would count comes from the number of a round.
    fn counted(&mut self, walk: &mut Walk, method: &Ident) -> Option<Place> {
        Some(match self.counter(walk, method)? {
            Place::After(start) => Place::Plus(start),
            at @ (Place::Same | Place::Before(_) | Place::Plus(_)) => at,
        })
    }

    fn in_this_order<T>(&mut self, method: &Ident) -> Option<T> {
        self.report.on(
            method,
            error(Code::LoopRange, format!("`{method}` cannot come after these methods in device code"))
                .help("write `step_by(k)` last, and `rev()` at most once")
                .help("loop over the indexes: `for i in 0..x.len() { … }`"),
        );
        None
    }

    /// The first so many rounds, or those after them.
    fn limited(&mut self, mut walk: Walk, number: Expr, span: Span, rest: bool) -> Option<Walk> {
        let reversed = !walk.adaptors.is_empty();
        if let (None, false, false) = (&walk.start, reversed, rest) {
            walk.end = self.smaller(span, walk.end, number)?;
            return Some(walk);
        }
        let end = self.fixed(walk.end, &mut walk.before);
        let again = || local_of(&end).map(|id| Expr::new(span, ExprKind::Local(id)));
        let all = match &walk.start {
            None => again()?,
            Some(start) => {
                let start = Expr::new(span, ExprKind::Local(local_of(start)?));
                self.sum(span, BinOp::Sub, again()?, start)
            }
        };
        let least = self.smaller(span, all, number)?;
        let border = match (reversed, walk.start.take()) {
            (true, start) => {
                walk.start = start;
                self.sum(span, BinOp::Sub, again()?, least)
            }
            (false, None) => least,
            (false, Some(start)) => {
                let first = Expr::new(span, ExprKind::Local(local_of(&start)?));
                walk.start = Some(start);
                self.sum(span, BinOp::Add, first, least)
            }
        };
        let border = self.fixed(border, &mut walk.before);
        // What is left out is behind the border or before it.
        if reversed == rest {
            walk.end = border;
        } else {
            (walk.start, walk.end) = (Some(border), end);
        }
        Some(walk)
    }

    /// A variable with the value of an expression.
    fn fixed(&mut self, value: Expr, before: &mut Vec<Stmt>) -> Expr {
        if local_of(&value).is_some_and(|local| !self.body[local].mutable) {
            return value;
        }
        let span = value.span;
        let local = self.generated("end", span, Slot::Inferred, LocalKind::Value);
        before.push(let_name(local, span, value));
        Expr::new(span, ExprKind::Local(local))
    }

    fn sum(&mut self, span: Span, op: BinOp, lhs: Expr, rhs: Expr) -> Expr {
        let slot = self.body.slots(Slot::Binary);
        let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
        Expr::new(span, ExprKind::Binary { op, lhs, rhs, slot, site: None })
    }

    fn smaller(&mut self, span: Span, a: Expr, b: Expr) -> Option<Expr> {
        let callee = Callee::Number { method: methods::find("min")?, owner: None, site: None };
        Some(Expr::new(span, ExprKind::Call { callee, args: vec![a, b] }))
    }

    /// `&x[a..b]`, `x.iter()`, `x.iter_mut()`, `row`.
    fn source(&mut self, expr: &syn::Expr) -> Option<Walk> {
        match strip(expr) {
            syn::Expr::Reference(reference) => {
                let borrow = if reference.mutability.is_some() { Borrow::Unique } else { Borrow::Shared };
                self.elements(&reference.expr, borrow)
            }
            syn::Expr::MethodCall(call) => {
                let borrow = if call.method == "iter_mut" { Borrow::Unique } else { Borrow::Shared };
                self.elements(&call.receiver, borrow)
            }
            other => {
                let name = single_ident(other);
                let local = name.and_then(|name| self.local(name)).map(|local| self.body[local].kind);
                let host = self.view_name(other).and_then(|name| self.host(name));
                let borrow = match (local, host) {
                    (Some(LocalKind::Slice(borrow) | LocalKind::Reference(borrow)), _) => borrow,
                    (_, Some(HostName::View { view, .. })) => view.borrow,
                    _ => {
                        self.report.on(other.to_token_stream(), not_an_iterator());
                        return None;
                    }
                };
                if let (Borrow::Unique, Some(name)) = (borrow, name) {
                    self.report.on(
                        name,
                        error(Code::LoopRange, format!("it does not show whether the loop writes `{name}`"))
                            .help(format!("to read the elements, write `{name}.iter()`"))
                            .help(format!("to change them, write `{name}.iter_mut()`")),
                    );
                    return None;
                }
                self.elements(other, borrow)
            }
        }
    }

    /// The elements of an array or slice, borrowed as a slice.
    fn elements(&mut self, base: &syn::Expr, borrow: Borrow) -> Option<Walk> {
        let (errors, span) = (self.report.len(), base.span());
        if self.is_atomic(base) {
            self.report.on(
                base,
                error(Code::AtomicUse, "a loop cannot visit atomics")
                    .help("loop over the indexes: `for i in 0..x.len() { … }`"),
            );
            return None;
        }
        let mut before = Vec::new();
        let (place, end) = match strip(self.through(base)) {
            syn::Expr::Index(index) if matches!(strip(&index.index), syn::Expr::Range(_)) => {
                let mut part = self.range(index, borrow.access());
                let end = self.ends(&mut part, &mut before);
                (part, end)
            }
            inner if let Some(name) = self.view_name(inner).cloned() => {
                let capture = self.capture_view(&name, borrow.access())?;
                if self.body[capture].dims > 0 {
                    self.report.on(
                        &name,
                        error(Code::LoopRange, format!("a loop cannot visit the elements of the grid `{name}`"))
                            .help("loop over the indexes: `for y in 0..g.shape()[0] { … }`"),
                    );
                    return None;
                }
                (Expr::new(span, ExprKind::View { view: capture }), Some(self.len(capture, span)))
            }
            inner if super::call::is_place(inner) => {
                let place = if borrow == Borrow::Unique { self.place(inner) } else { self.read_place(inner) };
                if self.report.len() > errors || self.is_unknown(inner) {
                    return None;
                }
                // What is borrowed must outlive the loop.
                let place = if let ExprKind::Constant { .. } = place.kind {
                    let local = self.generated("constant", span, Slot::Inferred, LocalKind::Value);
                    before.push(let_name(local, span, place));
                    Expr::new(span, ExprKind::Local(local))
                } else {
                    place
                };
                let site = self.body.sites(Site { span, check: Check::Range, text: super::text(base) });
                let kind = ExprKind::Range { base: Box::new(place), start: None, end: None, inclusive: false, site };
                (Expr::new(span, kind), None)
            }
            other => {
                self.report.on(
                    other.to_token_stream(),
                    error(Code::LoopRange, "a loop in device code visits the elements of a variable or a part of one")
                        .help("bind the array to a variable: `let array = …;`"),
                );
                return None;
            }
        };
        if self.report.len() > errors {
            return None;
        }
        // What is borrowed for writing is asked for its length before.
        let end = end.map(|end| {
            let local = self.generated("length", span, Slot::Inferred, LocalKind::Value);
            before.push(let_name(local, span, end));
            Expr::new(span, ExprKind::Local(local))
        });
        let items = self.generated("items", span, Slot::Inferred, LocalKind::Slice(borrow));
        let init = Expr::new(span, ExprKind::Reference { borrow, place: Box::new(place) });
        before.push(let_name(items, span, init));
        let end = end.unwrap_or_else(|| {
            let base = Box::new(Expr::new(span, ExprKind::Local(items)));
            Expr::new(span, ExprKind::Measure { base, what: Measure::Len })
        });
        let item = Item::Element { items, borrow, copied: false, at: Place::Same };
        Some(Walk { before, start: None, end, inclusive: false, adaptors: Vec::new(), item })
    }

    /// Binds the ends of a part of a kernel's slice to variables. Their difference is the number of elements, of which the launch knows more
    /// than of a length.
    fn ends(&mut self, part: &mut Expr, before: &mut Vec<Stmt>) -> Option<Expr> {
        let span = part.span;
        let ExprKind::Range { base, start, end, inclusive: false, .. } = &mut part.kind else { return None };
        let ExprKind::View { view } = base.kind else { return None };
        let mut named = |this: &mut Self, end: &mut Option<Box<Expr>>| {
            let end = end.as_mut()?;
            let local = this.generated("end", end.span, Slot::Inferred, LocalKind::Value);
            let name = Expr::new(end.span, ExprKind::Local(local));
            let init = std::mem::replace(&mut **end, name);
            before.push(let_name(local, init.span, init));
            Some(local)
        };
        let first = named(self, start);
        let past = named(self, end);
        let past = match past {
            Some(local) => Expr::new(span, ExprKind::Local(local)),
            None => self.len(view, span),
        };
        let Some(first) = first else { return Some(past) };
        let first = Box::new(Expr::new(span, ExprKind::Local(first)));
        let slot = self.body.slots(Slot::Binary);
        Some(Expr::new(span, ExprKind::Binary { op: BinOp::Sub, lhs: Box::new(past), rhs: first, slot, site: None }))
    }

    /// Binds the names of a pattern to parts of an item, as a closure or loop of std does.
    pub(super) fn bind_item(
        &mut self,
        item: &Item,
        around: Around,
        at: LocalId,
        pat: &syn::Pat,
        stmts: &mut Vec<Stmt>,
    ) {
        let depth = around.depth() + usize::from(!is_value(item));
        match (pat, item) {
            (syn::Pat::Paren(inner), _) => self.bind_item(item, around, at, &inner.pat, stmts),
            (syn::Pat::Wild(_), _) => {}
            (syn::Pat::Tuple(tuple), Item::Pair(parts)) if tuple.elems.len() == 2 => {
                let around = if around.depth() > 0 { Around::Inherited } else { around };
                for (pat, item) in tuple.elems.iter().zip(&**parts) {
                    self.bind_item(item, around, at, pat, stmts);
                }
            }
            (syn::Pat::Reference(reference), _)
                if reference.mutability.is_none()
                    && let Around::References(more @ 1..) = around =>
            {
                self.bind_item(item, Around::References(more - 1), at, &reference.pat, stmts);
            }
            (_, Item::Pair(_)) if !is_all_value(item) => {
                self.bind_anyway(pat);
                self.report.on(
                    pat,
                    error(Code::Pattern, "the items of this iterator are pairs").help("take them apart: `(a, b)`"),
                );
            }
            (
                syn::Pat::Reference(reference),
                Item::Element { items, borrow: borrow @ (Borrow::Shared | Borrow::Unique), copied: false, at: place },
            ) if reference.mutability.is_some() == (*borrow == Borrow::Unique) => {
                let copied = Item::Element { items: *items, borrow: *borrow, copied: true, at: *place };
                self.bind_item(&copied, Around::References(0), at, &reference.pat, stmts);
            }
            _ if depth == 0 => {
                let init = self.item_place(item, at, pat.span());
                let (pat, ty) = match pat {
                    syn::Pat::Type(typed) => (&*typed.pat, Some(typed.ty.clone())),
                    pat => (pat, None),
                };
                if let Some(pat) = self.pattern(pat, false) {
                    stmts.push(Stmt::Let { pat, ty, init, otherwise: None });
                }
            }
            _ => {
                let unique = depth == 1 && matches!(item, Item::Element { borrow: Borrow::Unique, copied: false, .. });
                if !self.bind_reference(item, (depth, unique), at, pat, stmts) {
                    self.bind_anyway(pat);
                    let ands = "&".repeat(depth);
                    let message = "this pattern does not fit the items of the iterator, which are references";
                    self.report
                        .on(pat, error(Code::Pattern, message).help(format!("to copy each item, write `{ands}v`")));
                }
            }
        }
    }

    /// Binds a name to a reference, or the names of a tuple or struct to references to its parts. `false`: the pattern does neither.
    fn bind_reference(
        &mut self,
        item: &Item,
        (depth, unique): (usize, bool),
        at: LocalId,
        pat: &syn::Pat,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let (pat, ty) = match pat {
            syn::Pat::Type(typed) => match (&*typed.pat, unwrapped(&typed.ty, depth - 1)) {
                (pat @ syn::Pat::Ident(_), Some(ty)) => (pat, Some(ty)),
                _ => return false,
            },
            pat => (pat, None),
        };
        match pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let borrow = if unique { Borrow::Unique } else { Borrow::Shared };
                let place = self.item_place(item, at, pat.span());
                let stmt = self.let_reference(ident, borrow, place, ty);
                // The twin has one reference, whose value is the same.
                if let Stmt::Let { pat, .. } = &stmt {
                    self.deep.extend(pat.name().map(|local| (local, depth)));
                }
                stmts.push(stmt);
                true
            }
            _ if unique => false,
            _ => self.bind_parts(&|this, span| this.item_place(item, at, span), pat, stmts),
        }
    }

    /// `let name = &place;`
    fn let_reference(&mut self, name: &Ident, borrow: Borrow, place: Expr, ty: Option<Box<syn::Type>>) -> Stmt {
        let span = place.span;
        let local = self.bind_kind(name, false, Slot::Inferred, LocalKind::Reference(borrow));
        let init = Expr::new(span, ExprKind::Reference { borrow, place: Box::new(place) });
        let pat = Pat { span: name.span(), kind: PatKind::Bind { local, sub: None } };
        Stmt::Let { pat, ty, init, otherwise: None }
    }

    /// The pattern of a tuple or struct that a reference refers to: its names are references to the parts of a place.
    fn bind_parts(&mut self, place: &dyn Fn(&mut Self, Span) -> Expr, pat: &syn::Pat, stmts: &mut Vec<Stmt>) -> bool {
        let span = pat.span();
        let (kind, parts) = match pat {
            syn::Pat::Paren(inner) => return self.bind_parts(place, &inner.pat, stmts),
            syn::Pat::Wild(_) => return true,
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                let place = place(self, span);
                let stmt = self.let_reference(ident, Borrow::Shared, place, None);
                stmts.push(stmt);
                return true;
            }
            syn::Pat::Tuple(tuple) if let Some((list, parts)) = in_order(&tuple.elems) => (PatKind::Tuple(list), parts),
            syn::Pat::TupleStruct(of) if let Some((list, parts)) = in_order(&of.elems) => {
                let (path, slot) = (super::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                (PatKind::TupleStruct { path, list, slot }, parts)
            }
            syn::Pat::Struct(of) => {
                let (path, slot) = (super::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                let fields = of.fields.iter().map(|field| (field.member.clone(), any(field.pat.span()))).collect();
                let parts = of.fields.iter().map(|field| (field.member.clone(), &*field.pat)).collect();
                (PatKind::Struct { path, fields, rest: of.rest.is_some(), slot }, parts)
            }
            _ => return false,
        };
        // rustc sees whether the value has these parts, and no others.
        stmts.push(Stmt::Let { pat: Pat { span, kind }, ty: None, init: place(self, span), otherwise: None });
        parts.into_iter().all(|(member, pat)| {
            let part = |this: &mut Self, span| {
                let base = Box::new(place(this, span));
                Expr::new(span, ExprKind::Field { base, member: member.clone() })
            };
            self.bind_parts(&part, pat, stmts)
        })
    }

    /// A number of what the loop counts.
    fn counted_number(&mut self, place: Place, at: LocalId, span: Span) -> Expr {
        let local = |id| Expr::new(span, ExprKind::Local(id));
        match place {
            Place::Same => local(at),
            Place::After(start) => self.sum(span, BinOp::Sub, local(at), local(start)),
            Place::Plus(start) => self.sum(span, BinOp::Add, local(start), local(at)),
            Place::Before(end) => {
                let token = proc_macro2::Literal::usize_suffixed(1);
                let one = ExprKind::Int { token, digits: "1".to_owned(), slot: self.slot() };
                let last = self.sum(span, BinOp::Sub, local(end), Expr::new(span, one));
                self.sum(span, BinOp::Sub, last, local(at))
            }
        }
    }

    /// The place of an item without its reference.
    pub(super) fn item_place(&mut self, item: &Item, at: LocalId, span: Span) -> Expr {
        let local = |id| Expr::new(span, ExprKind::Local(id));
        match item {
            Item::Element { items, at: place, .. } => {
                let index = self.counted_number(*place, at, span);
                let site = self.body.sites(Site { span, check: Check::Index, text: String::new() });
                let (base, index) = (Box::new(local(*items)), Box::new(index));
                Expr::new(span, ExprKind::Element { base, index, of: ElementOf::Slice, site })
            }
            Item::Counter(place) => self.counted_number(*place, at, span),
            Item::Value(id) => local(*id),
            Item::Pair(parts) => {
                let elems = parts.iter().map(|part| self.item_place(part, at, span)).collect();
                Expr::new(span, ExprKind::Tuple { elems, slot: self.slot() })
            }
        }
    }
}

/// The type without so many `&`, if it is then still that of a reference.
fn unwrapped(ty: &syn::Type, refs: usize) -> Option<Box<syn::Type>> {
    let syn::Type::Reference(reference) = ty else { return None };
    match refs {
        0 => Some(Box::new(ty.clone())),
        _ => unwrapped(&reference.elem, refs - 1),
    }
}

/// The parts of a tuple by their numbers, and a pattern with as many. `None`: some are counted from the last one.
fn in_order(elems: &Punctuated<syn::Pat, syn::Token![,]>) -> Option<(List, Vec<(syn::Member, &syn::Pat)>)> {
    let is_rest = |pat: &&syn::Pat| matches!(pat, syn::Pat::Rest(_));
    let rest = elems.last().filter(is_rest).map(|_| Vec::new());
    let parts: Vec<&syn::Pat> = elems.iter().take(elems.len() - usize::from(rest.is_some())).collect();
    if parts.iter().any(is_rest) {
        return None;
    }
    let front = parts.iter().map(|pat| any(pat.span())).collect();
    let member = |at, span| syn::Member::Unnamed(syn::Index { index: at, span });
    let parts = (0..).zip(parts).map(|(at, pat)| (member(at, pat.span()), pat)).collect();
    Some((List { front, back: rest }, parts))
}

/// `_`
fn any(span: Span) -> Pat {
    Pat { span, kind: PatKind::Wild }
}

pub(super) fn is_value(item: &Item) -> bool {
    match item {
        Item::Element { copied, .. } => *copied,
        Item::Counter(_) | Item::Value(_) => true,
        Item::Pair(_) => false,
    }
}

/// Whether it is made of values alone.
pub(super) fn is_all_value(item: &Item) -> bool {
    match item {
        Item::Pair(parts) => parts.iter().all(is_all_value),
        item => is_value(item),
    }
}

fn local_of(expr: &Expr) -> Option<LocalId> {
    match expr.kind {
        ExprKind::Local(local) => Some(local),
        _ => None,
    }
}

/// Stands where an expression was for a moment.
fn nothing(span: Span) -> Expr {
    Expr::new(span, ExprKind::Bool(false))
}

/// `let name = init;`
pub(super) fn let_name(local: LocalId, span: Span, init: Expr) -> Stmt {
    Stmt::Let { pat: Pat { span, kind: PatKind::Bind { local, sub: None } }, ty: None, init, otherwise: None }
}

pub(super) fn not_an_iterator() -> Diagnostic {
    error(Code::LoopRange, "a `for` loop in device code runs over a range, or over an array, a slice or a part of one")
        .help("write `a..b` or `a..=b`, with `.rev()` or `.step_by(k)`")
        .help(
            "write `&x[a..b]`, `x.iter()` or `x.iter_mut()`, with `zip`, `enumerate`, `rev`, `take`, `skip` or `step_by`",
        )
}
