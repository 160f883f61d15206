//! Iterators that end in a value: `x.iter().map(|v| v * v).sum()`,
//! `(a..b).filter(|i| i % 3 == 0).count()`.
//!
//! They become the loop that they mean, and the bodies of their closures parts of it. Only what
//! begins with a range or with `iter()` of a place is such a chain, so a method `map` or `sum` of
//! the user's is none; and if the place is no array or slice, rustc says so.

use proc_macro2::{Ident, Literal, Span};
use syn::spanned::Spanned;

use super::body::{BodyParser, Leaves, LoopKind, Want};
use super::iter::{Around, Item, Walk, is_all_value, let_name};
use super::strip;
use crate::ir::{AssignOp, BinOp, Block, Callee, Expr, ExprKind, Flow, LocalId, LocalKind, LoopId, Slot, Stmt, UnOp};
use crate::names;
use crate::report::{Code, Diagnostic, error};
use anabranch_core::methods;

/// What leaves some items out, or changes them.
const STAGES: [&str; 5] = ["map", "filter", "inspect", "take_while", "skip_while"];
/// What else an iterator has.
const ADAPTORS: [&str; 8] = ["rev", "step_by", "enumerate", "zip", "copied", "cloned", "take", "skip"];
/// What makes a value of an iterator.
const ENDS: [&str; 14] = [
    "sum", "product", "min", "max", "min_by", "max_by", "reduce", "count", "fold", "any", "all", "position", "find",
    "for_each",
];

/// Those that take one of the items as it is.
const SELECTS: [&str; 5] = ["min", "max", "min_by", "max_by", "find"];

/// A method with a closure, on the way to the end.
struct Stage<'e> {
    name: String,
    closure: &'e syn::ExprClosure,
    /// Of `skip_while`, whether it still skips.
    skips: Option<LocalId>,
}

/// The end of a chain.
struct End<'e> {
    span: Span,
    id: LoopId,
    var: LocalId,
    kind: EndKind<'e>,
    /// What comes after it and copies the item.
    copied: Option<Ident>,
}

enum EndKind<'e> {
    /// `sum`, `product`: an operator and a variable.
    Add(BinOp, LocalId),
    Count(LocalId),
    /// What is there, and the best of it.
    Best {
        by: By<'e>,
        found: LocalId,
        best: LocalId,
    },
    Fold(LocalId, &'e syn::ExprClosure),
    /// Sets the variable and leaves the loop where the closure says `stops_at`.
    Find {
        found: LocalId,
        stops_at: bool,
        at: Option<LocalId>,
        closure: &'e syn::ExprClosure,
    },
    /// The same with the item, in a variable for an `Option`.
    FindItem(LocalId, &'e syn::ExprClosure),
    Each(&'e syn::ExprClosure),
}

/// Which of two items is the better one.
enum By<'e> {
    /// `min`, `max`
    Order { greatest: bool },
    /// `min_by`, `max_by`
    Closure { greatest: bool, closure: &'e syn::ExprClosure },
    /// Neither: what a closure makes of both.
    Reduced(&'e syn::ExprClosure),
}

impl BodyParser<'_> {
    /// A chain that ends in a call of a method; `None`: it is none.
    pub(super) fn chain(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let name = names::plain(&call.method);
        if let ("copied" | "cloned", 0, syn::Expr::MethodCall(end)) =
            (name.as_str(), call.args.len(), strip(&call.receiver))
            && SELECTS.iter().any(|select| end.method == select)
            && is_chain(&end.receiver)
        {
            let ended = self.scoped(|this| this.ended(end, &names::plain(&end.method), Some(&call.method)));
            return Some(ended.unwrap_or_else(|| self.refused(call.method.span())));
        }
        if !is_chain(&call.receiver) {
            return None;
        }
        if STAGES.iter().chain(&ADAPTORS).any(|adaptor| *adaptor == name) {
            let message = format!("this iterator ends in `{name}`, and device code has no variables for iterators");
            return Some(self.unsupported(&call.method, ends(message)));
        }
        let span = call.method.span();
        if !ENDS.contains(&name.as_str()) {
            let message = format!("the method `{name}` of iterators is not supported in device code");
            return Some(self.unsupported(&call.method, ends(message)));
        }
        Some(self.scoped(|this| this.ended(call, &name, None)).unwrap_or_else(|| self.refused(span)))
    }

    /// `copied`: the method after it that makes a value of the reference in its `Option`.
    fn ended(&mut self, call: &syn::ExprMethodCall, name: &str, copied: Option<&Ident>) -> Option<Expr> {
        let (errors, span) = (self.report.len(), call.method.span());
        let takes = match name {
            "fold" => 2,
            "any" | "all" | "position" | "for_each" | "find" | "min_by" | "max_by" | "reduce" => 1,
            _ => 0,
        };
        if call.args.len() != takes {
            let takes = super::call::arguments(takes);
            let message = format!("`{name}` takes {takes}, but got {}", call.args.len());
            self.report.on(&call.method, error(Code::Method, message));
            return None;
        }
        let (mut stages, root) = self.stages(&call.receiver)?;
        let walk = self.root(root)?;
        let Walk { item, .. } = &walk;
        let item = item.clone();
        let (mut stmts, range) = self.rounds(walk, span);
        for stage in stages.iter_mut().filter(|stage| stage.name == "skip_while") {
            stage.skips = Some(self.variable("skips", truth(span, true), &mut stmts));
        }

        let kind = match name {
            "sum" | "product" => {
                let op = if name == "sum" { BinOp::Add } else { BinOp::Mul };
                let ty = call.turbofish.as_ref().and_then(|turbofish| turbofish.args.first());
                let ty = match ty {
                    Some(syn::GenericArgument::Type(ty)) if !matches!(ty, syn::Type::Infer(_)) => {
                        Slot::WrittenInside(Box::new(ty.clone()))
                    }
                    _ => Slot::Inferred,
                };
                // As in std, the sum of no floats is -0.0.
                let zero = self.float(span, if op == BinOp::Add { "0.0" } else { "1.0" });
                let operand = if op == BinOp::Add {
                    let slot = self.slot();
                    Expr::new(span, ExprKind::Unary { op: UnOp::Neg, operand: Box::new(zero), slot })
                } else {
                    zero
                };
                let kind = ExprKind::Cast { operand: Box::new(operand), ty: None, slot: self.body.slots(ty) };
                EndKind::Add(op, self.variable("sum", Expr::new(span, kind), &mut stmts))
            }
            "count" => {
                let none = self.integer(span, 0);
                EndKind::Count(self.variable("count", none, &mut stmts))
            }
            "min" | "max" | "min_by" | "max_by" | "reduce" => {
                let greatest = name.starts_with("max");
                let by = match name {
                    "reduce" => By::Reduced(self.closure(call.args.first()?, 2)?),
                    "min_by" | "max_by" => By::Closure { greatest, closure: self.closure(call.args.first()?, 2)? },
                    _ => By::Order { greatest },
                };
                let none = self.float(span, "0.0");
                let kind = ExprKind::Cast { operand: Box::new(none), ty: None, slot: self.slot() };
                let found = self.variable("found", truth(span, false), &mut stmts);
                let best = self.variable("best", Expr::new(span, kind), &mut stmts);
                EndKind::Best { by, found, best }
            }
            "fold" => {
                let init = self.expr(call.args.first()?, Want::Value);
                let folded = self.variable("folded", init, &mut stmts);
                EndKind::Fold(folded, self.closure(call.args.get(1)?, 2)?)
            }
            "find" => {
                let none = self.option(span, "nothing", Vec::new());
                EndKind::FindItem(self.variable("found", none, &mut stmts), self.closure(call.args.first()?, 1)?)
            }
            "for_each" => EndKind::Each(self.closure(call.args.first()?, 1)?),
            _ => {
                let stops_at = name != "all";
                let at = (name == "position").then(|| {
                    let first = self.integer(span, 0);
                    self.variable("place", first, &mut stmts)
                });
                let found = self.variable("found", truth(span, !stops_at), &mut stmts);
                EndKind::Find { found, stops_at, at, closure: self.closure(call.args.first()?, 1)? }
            }
        };
        let id = self.enter_loop(None, LoopKind::Other, Want::Nothing);
        let var = self.generated_counter(span);
        let end = End { span, id, var, kind, copied: copied.cloned() };
        let body = self.round(&stages, item, &end);
        self.leave_loop();
        let body = body.filter(|_| self.report.len() == errors)?;
        stmts.push(Stmt::Expr(Expr::flow(
            span,
            None,
            Flow::For { id, label: None, var, range: Box::new(range), body },
        )));

        let local = |id| Expr::new(span, ExprKind::Local(id));
        let value = match end.kind {
            EndKind::Add(_, value) | EndKind::Count(value) | EndKind::Fold(value, _) => Some(local(value)),
            EndKind::Best { by: By::Order { .. }, found, best } => {
                Some(self.option(span, "best", vec![local(found), local(best)]))
            }
            EndKind::Best { found, best, .. } => Some(self.option(span, "found", vec![local(found), local(best)])),
            EndKind::Find { found, at: Some(at), .. } => {
                Some(self.option(span, "found", vec![local(found), local(at)]))
            }
            EndKind::Find { found, at: None, .. } | EndKind::FindItem(found, _) => Some(local(found)),
            EndKind::Each(_) => None,
        };
        let value = value.map(Box::new);
        Some(Expr::flow(span, None, Flow::Block(Block { stmts, value })))
    }

    /// An `Option`, made of some values.
    pub(super) fn option(&mut self, span: Span, name: &str, elems: Vec<Expr>) -> Expr {
        let args = vec![Expr::new(span, ExprKind::Tuple { elems, slot: self.slot() })];
        let callee = Callee::Conversion { name: Ident::new(name, span), slot: self.slot() };
        Expr::new(span, ExprKind::Call { callee, args })
    }

    /// The methods with closures before the end, and what is before them.
    fn stages<'e>(&mut self, expr: &'e syn::Expr) -> Option<(Vec<Stage<'e>>, &'e syn::Expr)> {
        match strip(expr) {
            syn::Expr::MethodCall(call) if STAGES.iter().any(|stage| call.method == stage) && call.args.len() == 1 => {
                let (mut stages, root) = self.stages(&call.receiver)?;
                let closure = self.closure(call.args.first()?, 1)?;
                stages.push(Stage { name: names::plain(&call.method), closure, skips: None });
                Some((stages, root))
            }
            root => Some((Vec::new(), root)),
        }
    }

    fn root(&mut self, root: &syn::Expr) -> Option<Walk> {
        if is_range(root) {
            let range = self.loop_range(root)?;
            return Some(self.evaluated_range(range));
        }
        self.walk(root)
    }

    /// What a round does with its item.
    fn round(&mut self, stages: &[Stage<'_>], item: Item, end: &End<'_>) -> Option<Block> {
        let Some((Stage { name, closure, skips }, rest)) = stages.split_first() else { return self.last(&item, end) };
        let span = closure.span();
        let pat = closure.inputs.first()?;
        let (refs, want) = match name.as_str() {
            "map" => (0, Want::Value),
            "inspect" => (1, Want::Nothing),
            _ => (1, Want::Value),
        };
        let value = self.called(&[(&item, refs, pat)], end.var, &closure.body, want);
        let before = match name.as_str() {
            "filter" => {
                let then = self.round(rest, item, end)?;
                let flow = Flow::If { cond: Box::new(value), then, otherwise: None };
                return Some(statement(Expr::flow(span, None, flow)));
            }
            "take_while" => {
                let leave = Expr::flow(span, None, Flow::Break { id: end.id, label: None, value: None });
                let otherwise = Some(Box::new(Expr::flow(span, None, Flow::Block(statement(leave)))));
                let flow = Flow::If { cond: Box::new(value), then: Block::default(), otherwise };
                Stmt::Expr(Expr::flow(span, None, flow))
            }
            "inspect" => Stmt::Expr(value),
            _ if let Some(skips) = *skips => {
                let local = || Box::new(Expr::new(span, ExprKind::Local(skips)));
                let still = ExprKind::Logic { and: true, lhs: local(), rhs: Box::new(value) };
                let still = Box::new(Expr::new(span, still));
                let set = Stmt::Expr(Expr::new(span, ExprKind::Assign { place: local(), value: still, op: None }));
                let slot = self.body.slots(Slot::Unary);
                let cond = Expr::new(span, ExprKind::Unary { op: UnOp::Not, operand: local(), slot });
                let then = self.round(rest, item, end)?;
                let flow = Flow::If { cond: Box::new(cond), then, otherwise: None };
                return Some(Block { stmts: vec![set, Stmt::Expr(Expr::flow(span, None, flow))], value: None });
            }
            _ => {
                let local = self.generated("item", span, Slot::Inferred, LocalKind::Value);
                let mut block = self.round(rest, Item::Value(local), end)?;
                block.stmts.insert(0, let_name(local, span, value));
                return Some(block);
            }
        };
        let mut block = self.round(rest, item, end)?;
        block.stmts.insert(0, before);
        Some(block)
    }

    fn last(&mut self, item: &Item, end: &End<'_>) -> Option<Block> {
        let End { span, id, var, kind, copied } = end;
        let (span, var) = (*span, *var);
        let local = |id| Box::new(Expr::new(span, ExprKind::Local(id)));
        let mut values = || {
            let value = self.item_place(item, var, span);
            if matches!(item, Item::Pair(_)) {
                self.report.at(span, ends("the items of this iterator are pairs".to_owned()));
            }
            value
        };
        let one = |this: &mut Self, to| {
            let value = Box::new(this.integer(span, 1));
            let slot = this.body.slots(Slot::Assign);
            Stmt::Expr(Expr::new(
                span,
                ExprKind::Assign { place: local(to), value, op: Some(AssignOp { op: BinOp::Add, slot, site: None }) },
            ))
        };
        match kind {
            EndKind::Add(op, sum) => {
                let rhs = Box::new(values());
                let slot = self.body.slots(Slot::Binary);
                let kind = ExprKind::Binary { op: *op, lhs: local(*sum), rhs, slot, site: None };
                let value = Box::new(Expr::new(span, kind));
                Some(statement(Expr::new(span, ExprKind::Assign { place: local(*sum), value, op: None })))
            }
            EndKind::Count(count) => Some(Block { stmts: vec![one(self, *count)], value: None }),
            EndKind::Best { by, found, best } => {
                let value = self.whole(item, copied.as_ref(), var, span)?;
                // They have one type, and a closure is checked before the first is assigned.
                let new = self.generated_like("new", span, *best);
                let so_far = [Item::Value(*best), Item::Value(new)];
                let better = match by {
                    By::Order { greatest } => {
                        let name = if *greatest { "max" } else { "min" };
                        let args = vec![*local(*best), *local(new)];
                        let callee = Callee::Number { method: methods::find(name)?, owner: None, site: None };
                        Expr::new(span, ExprKind::Call { callee, args })
                    }
                    By::Reduced(closure) => {
                        let pats = [(&so_far[0], 0, closure.inputs.first()?), (&so_far[1], 0, closure.inputs.get(1)?)];
                        self.called(&pats, var, &closure.body, Want::Value)
                    }
                    By::Closure { greatest, closure } => {
                        let refs = 1 + usize::from(copied.is_some());
                        let [a, b] = &so_far;
                        let pats = [(a, refs, closure.inputs.first()?), (b, refs, closure.inputs.get(1)?)];
                        let order = self.called(&pats, var, &closure.body, Want::Value);
                        let (of, slot) = (closure.body.span(), self.slot());
                        let callee = Callee::Conversion { name: Ident::new("exceeds", of), slot };
                        let cond = Box::new(Expr::new(of, ExprKind::Call { callee, args: vec![order] }));
                        // Of equal ones, `max_by` takes the last and `min_by` the first.
                        let (then, otherwise) = if *greatest { (*best, new) } else { (new, *best) };
                        let then = Block { stmts: Vec::new(), value: Some(local(then)) };
                        let slot = Some(self.slot());
                        Expr::flow(span, slot, Flow::If { cond, then, otherwise: Some(local(otherwise)) })
                    }
                };
                let then = Block { stmts: Vec::new(), value: Some(Box::new(better)) };
                let otherwise = Some(local(new));
                let slot = Some(self.slot());
                let value_now = Expr::flow(span, slot, Flow::If { cond: local(*found), then, otherwise });
                let set = |place, value| {
                    Stmt::Expr(Expr::new(
                        span,
                        ExprKind::Assign { place: local(place), value: Box::new(value), op: None },
                    ))
                };
                let stmts = vec![let_name(new, span, value), set(*best, value_now), set(*found, truth(span, true))];
                Some(Block { stmts, value: None })
            }
            EndKind::FindItem(found, closure) => {
                let cond = self.called(&[(item, 1, closure.inputs.first()?)], var, &closure.body, Want::Value);
                let value = self.whole(item, copied.as_ref(), var, span)?;
                let value = Box::new(self.option(span, "just", vec![value]));
                let set = Stmt::Expr(Expr::new(span, ExprKind::Assign { place: local(*found), value, op: None }));
                let leave = Stmt::Expr(Expr::flow(span, None, Flow::Break { id: *id, label: None, value: None }));
                let then = Block { stmts: vec![set, leave], value: None };
                let test = Flow::If { cond: Box::new(cond), then, otherwise: None };
                Some(statement(Expr::flow(span, None, test)))
            }
            EndKind::Fold(folded, closure) => {
                let so_far = Item::Value(*folded);
                let pats = [(&so_far, 0, closure.inputs.first()?), (item, 0, closure.inputs.get(1)?)];
                let value = Box::new(self.called(&pats, var, &closure.body, Want::Value));
                Some(statement(Expr::new(span, ExprKind::Assign { place: local(*folded), value, op: None })))
            }
            EndKind::Each(closure) => {
                let pats = [(item, 0, closure.inputs.first()?)];
                Some(statement(self.called(&pats, var, &closure.body, Want::Nothing)))
            }
            EndKind::Find { found, stops_at, at, closure } => {
                let value = self.called(&[(item, 0, closure.inputs.first()?)], var, &closure.body, Want::Value);
                let cond = if *stops_at {
                    value
                } else {
                    let slot = self.body.slots(Slot::Unary);
                    Expr::new(span, ExprKind::Unary { op: UnOp::Not, operand: Box::new(value), slot })
                };
                let value = Box::new(truth(span, *stops_at));
                let set = Stmt::Expr(Expr::new(span, ExprKind::Assign { place: local(*found), value, op: None }));
                let leave = Stmt::Expr(Expr::flow(span, None, Flow::Break { id: *id, label: None, value: None }));
                let then = Block { stmts: vec![set, leave], value: None };
                let test = Flow::If { cond: Box::new(cond), then, otherwise: None };
                let mut block = statement(Expr::flow(span, None, test));
                block.stmts.extend(at.map(|at| one(self, at)));
                Some(block)
            }
        }
    }

    /// An item that is a value, or a reference that is `copied`.
    fn whole(&mut self, item: &Item, copied: Option<&Ident>, at: LocalId, span: Span) -> Option<Expr> {
        if let Some(copied) = copied {
            if let Item::Element { copied: false, .. } = item {
                return Some(self.item_place(item, at, span));
            }
            let message = format!("`{copied}` needs an `Option` of a reference, and the items are none");
            let help = "write `copied` right after `iter()`: `x.iter().copied()`";
            self.report.on(copied, error(Code::Method, message).help(help));
            return None;
        }
        if !is_all_value(item) {
            self.report.at(
                span,
                error(Code::Reference, "this would be a reference to an element, which cannot be used as a value")
                    .help("copy the elements: `x.iter().copied()`"),
            );
            return None;
        }
        Some(self.item_place(item, at, span))
    }

    /// The value of a closure, with the items that its patterns match.
    fn called(&mut self, pats: &[(&Item, usize, &syn::Pat)], at: LocalId, body: &syn::Expr, want: Want) -> Expr {
        let loops = std::mem::take(&mut self.loops);
        let around = std::mem::replace(&mut self.leaves, Leaves::Nothing);
        let block = self.scoped(|this| {
            let mut stmts = Vec::new();
            for (item, refs, pat) in pats {
                this.bind_item(item, Around::References(*refs), at, pat, &mut stmts);
            }
            let value = this.expr(body, want);
            match want {
                Want::Value | Want::Reference => Block { stmts, value: Some(Box::new(value)) },
                Want::Nothing => {
                    stmts.push(Stmt::Expr(value));
                    Block { stmts, value: None }
                }
            }
        });
        (self.loops, self.leaves) = (loops, around);
        Expr::flow(body.span(), None, Flow::Block(block))
    }

    /// A closure with so many parameters. `None`: it is none, which is reported.
    fn closure<'e>(&mut self, expr: &'e syn::Expr, params: usize) -> Option<&'e syn::ExprClosure> {
        let wrong = match strip(expr) {
            syn::Expr::Closure(closure) => {
                if !self.is_plain(closure) {
                    return None;
                }
                if let syn::ReturnType::Type(arrow, _) = &closure.output {
                    let message = "the closure of an iterator has no written result type in device code";
                    self.report.on(arrow, error(Code::Closure, message).help("write `|v| …`"));
                    return None;
                }
                if closure.inputs.len() == params {
                    return Some(closure);
                }
                error(Code::Closure, format!("this closure must take {}", super::call::arguments(params)))
            }
            other => error(Code::Closure, "this must be a closure in device code").help(match params {
                2 => format!("write `|a, b| {}(a, b)`", super::text(other)),
                _ => format!("write `|v| {}(v)`", super::text(other)),
            }),
        };
        self.report.on(expr, wrong);
        None
    }

    fn variable(&mut self, name: &str, init: Expr, stmts: &mut Vec<Stmt>) -> LocalId {
        let local = self.generated(name, init.span, Slot::Inferred, LocalKind::Value);
        self.body.locals[local.0].mutable = true;
        stmts.push(let_name(local, init.span, init));
        local
    }

    fn integer(&mut self, span: Span, number: usize) -> Expr {
        let token = Literal::usize_suffixed(number);
        Expr::new(span, ExprKind::Int { token, digits: number.to_string(), slot: self.slot() })
    }

    fn float(&mut self, span: Span, digits: &str) -> Expr {
        let token = Literal::f64_suffixed(if digits == "0.0" { 0.0 } else { 1.0 });
        Expr::new(span, ExprKind::Float { token, digits: digits.to_owned(), slot: self.slot() })
    }
}

fn statement(expr: Expr) -> Block {
    Block { stmts: vec![Stmt::Expr(expr)], value: None }
}

fn truth(span: Span, value: bool) -> Expr {
    Expr::new(span, ExprKind::Bool(value))
}

/// Whether an expression is an iterator: it begins with a range or with `iter()`.
fn is_chain(expr: &syn::Expr) -> bool {
    match strip(expr) {
        syn::Expr::Range(range) => range.start.is_some() && range.end.is_some(),
        syn::Expr::MethodCall(call) => match names::plain(&call.method).as_str() {
            "iter" | "iter_mut" => call.args.is_empty(),
            name => STAGES.iter().chain(&ADAPTORS).any(|adaptor| *adaptor == name) && is_chain(&call.receiver),
        },
        _ => false,
    }
}

/// Whether it is a range, maybe in another order.
fn is_range(expr: &syn::Expr) -> bool {
    match strip(expr) {
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => (call.method == "rev" || call.method == "step_by") && is_range(&call.receiver),
        _ => false,
    }
}

fn ends(message: String) -> Diagnostic {
    error(Code::Method, message)
        .help(
            "end it with `sum`, `product`, `min`, `max`, `min_by`, `max_by`, `reduce`, `count`, `fold`, `any` or `all`",
        )
        .help("end it with `find`, `position` or `for_each`")
        .help("before that, write `map`, `filter`, `inspect`, `take_while` or `skip_while`")
        .help("at first, write `copied`, `zip`, `enumerate`, `rev`, `take`, `skip` or `step_by`")
        .help("write a `for` loop")
}
