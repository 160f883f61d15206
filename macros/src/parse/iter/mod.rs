//! Iteration without indexes: `for v in &x[a..b]`,
//! `for (i, (a, b)) in x.iter().zip(y).enumerate()`.
//!
//! The elements become a counted loop over a slice right here, so that the analyses and the outputs
//! know nothing of iterators: `{ let items = &x[a..b]; for at in 0..b - a { let v = &items[at]; … }
//! }`. All that the loop may touch of `x` is the part that `items` borrows: this is one access,
//! which the facts hold. What is iterated is decided by rustc: only arrays and slices can be
//! borrowed as `items`.

mod bind;
mod walk;

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::body::{BodyParser, LoopKind, Want};
use super::{single_ident, strip};
use crate::ir::{
    Adaptor, Block, Borrow, Expr, ExprKind, Flow, LocalId, LocalKind, LoopRange, Pat, PatKind, Slot, Stmt,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};

/// What an iterator yields, made of the number of the round.
#[derive(Clone)]
pub(in crate::parse) enum Item {
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
pub(in crate::parse) enum Around {
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
pub(in crate::parse) enum Place {
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
    /// The same where another number is counted, from which this one comes so. `None`: there is no
    /// simple form of this.
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
pub(in crate::parse) struct Walk {
    /// The slices, which are evaluated before the loop.
    pub(in crate::parse) before: Vec<Stmt>,
    /// The first number of the rounds, if they are those of a range; else 0.
    start: Option<Expr>,
    /// Their end.
    end: Expr,
    /// `..=`
    inclusive: bool,
    /// Which of them there are, and in which order.
    adaptors: Vec<Adaptor>,
    /// What a round gets.
    pub(in crate::parse) item: Item,
}

impl BodyParser<'_> {
    /// Whether what a `for` loop runs over is made of references to elements.
    pub(in crate::parse) fn is_iterator(&self, expr: &syn::Expr) -> bool {
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
    pub(in crate::parse) fn for_items(&mut self, par_loop: &syn::ExprForLoop) -> Expr {
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
    pub(in crate::parse) fn evaluated_range(&mut self, range: LoopRange) -> Walk {
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
    pub(in crate::parse) fn rounds(&mut self, walk: Walk, span: Span) -> (Vec<Stmt>, LoopRange) {
        let Walk { mut before, start, end, inclusive, mut adaptors, item: _ } = walk;
        for adaptor in &mut adaptors {
            // What is evaluated after the iterator can change what a step is made of. A literal
            // stays one, which the analyses know.
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
}

pub(in crate::parse) fn is_value(item: &Item) -> bool {
    match item {
        Item::Element { copied, .. } => *copied,
        Item::Counter(_) | Item::Value(_) => true,
        Item::Pair(_) => false,
    }
}

/// Whether it is made of values alone.
pub(in crate::parse) fn is_all_value(item: &Item) -> bool {
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
pub(in crate::parse) fn let_name(local: LocalId, span: Span, init: Expr) -> Stmt {
    Stmt::Let { pat: Pat { span, kind: PatKind::Bind { local, sub: None } }, ty: None, init, otherwise: None }
}

pub(in crate::parse) fn not_an_iterator() -> Diagnostic {
    error(Code::LoopRange, "a `for` loop in device code runs over a range, or over an array, a slice or a part of one")
        .help("write `a..b` or `a..=b`, with `.rev()` or `.step_by(k)`")
        .help(
            "write `&x[a..b]`, `x.iter()` or `x.iter_mut()`, with `zip`, `enumerate`, `rev`, `take`, `skip` or `step_by`",
        )
}
