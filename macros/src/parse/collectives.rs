//! Collectives: what all threads of a block compute together, such as `block.sum(own)`, or those of
//! each warp, such as `block.warps().sum(own)`.
//!
//! They stand in the code outside of phases, which all threads run alike: so no thread can miss
//! one. What is given to them, every thread evaluates for itself, as in a phase. Only a statement
//! that one thread runs, because it changes memory, must not contain one. Where such a statement
//! has a collective in a value that is evaluated before it changes anything, that value becomes a
//! statement of its own, before it.

use anabranch_core::limits::WARP;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::body::{BodyParser, Leaves, Want};
use super::host::reductions::{Combining, nothing_leaves};
use super::{strip, strip_pat, types};
use crate::ir::{
    Block, Callee, Check, Collective, CollectiveOp, Expr, ExprKind, Flow, Local, LocalKind, Pat, PatKind, Site, Slot,
    Space, Stmt, changes_memory,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};

/// Whose threads compute together.
#[derive(Clone, Copy)]
enum Level {
    Block,
    Warps,
}

impl Level {
    /// As it stands in front of a collective.
    fn shown(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warps => "block.warps()",
        }
    }

    /// The collective of a name.
    fn op(self, name: &Ident) -> Option<CollectiveOp> {
        let (name, of_warps) = (names::plain(name), matches!(self, Self::Warps));
        CollectiveOp::ALL.iter().copied().find(|op| op.name() == name && op.exists(of_warps))
    }
}

impl BodyParser<'_> {
    /// `block.sum(own)`, as a value that is the same for all threads. `None`: the method is no
    /// collective.
    pub(super) fn collective(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let op = Level::Block.op(&call.method)?;
        if op.is_scan() {
            return Some(self.unsupported(&call.method, not_a_let(&call.method, "at")));
        }
        Some(self.collective_of(op, Level::Block, call, None))
    }

    /// `block.warps().sum(own)`, where it is no variable.
    pub(super) fn of_warps(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if !self.are_warps(&call.receiver) {
            return None;
        }
        let error = match Level::Warps.op(&call.method) {
            Some(op) => {
                let error = error(
                    Code::CollectivePlace,
                    format!("`{}` of warps is more than a value: it is one for each thread", op.name()),
                );
                error.help(format!("write `let of_warp = block.warps().{}(…);`", op.name()))
            }
            None => no_such(&call.method),
        };
        Some(self.unsupported(&call.method, error))
    }

    /// Whether an expression is `block.warps()`.
    fn are_warps(&self, expr: &syn::Expr) -> bool {
        matches!(strip(expr), syn::Expr::MethodCall(call)
            if names::plain(&call.method) == "warps" && call.args.is_empty() && self.is_team(&call.receiver))
    }

    /// `let sum = block.warps().sum(own);`
    pub(super) fn each_of_warps(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let syn::Expr::MethodCall(call) = strip(&init.expr) else { return None };
        if !self.are_warps(&call.receiver) {
            return None;
        }
        let op = Level::Warps.op(&call.method)?;
        Some(self.value_of_each(op, Level::Warps, local, call))
    }

    /// `let at = block.inclusive_sum(own);`
    pub(super) fn scan(&mut self, local: &syn::Local, call: &syn::ExprMethodCall) -> Option<Vec<Stmt>> {
        let op = Level::Block.op(&call.method).filter(|op| op.is_scan())?;
        Some(self.value_of_each(op, Level::Block, local, call))
    }

    /// A variable of each thread.
    fn value_of_each(
        &mut self,
        op: CollectiveOp,
        level: Level,
        local: &syn::Local,
        call: &syn::ExprMethodCall,
    ) -> Vec<Stmt> {
        let errors = self.report.len();
        let (pat, ty) = match strip_pat(&local.pat) {
            syn::Pat::Type(typed) => (strip_pat(&typed.pat), Some(&*typed.ty)),
            pat => (pat, None),
        };
        let syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, mutability: None, ident, .. }) = pat else {
            let (name, of) = (op.name(), level.shown());
            let error = error(Code::CollectivePlace, format!("what `{name}` returns has a name and no `mut`"));
            let error = error.help(format!("write `let at = {of}.{name}(…);`"));
            self.report.on(
                &local.pat,
                error.help("to change it, copy it to a variable of each thread: `let mut own = block.each(0);`"),
            );
            self.bind_anyway(&local.pat);
            return Vec::new();
        };
        let value = self.collective_of(op, level, call, ty);
        let ExprKind::Collective(Collective { result, .. }) = &value.kind else {
            self.bind_anyway(&local.pat);
            return Vec::new();
        };
        if self.report.len() > errors {
            self.bind_anyway(&local.pat);
            return Vec::new();
        }
        let (span, slot) = (ident.span(), *result);
        // What has the type of a thread's value.
        let (name, kind) = (ident.clone(), LocalKind::Value);
        let first = self.body.locals(Local::new(name, slot, kind));
        let all = self.bind(ident, false, Slot::Inferred);
        self.body.locals[all.0].space = Space::Each(first);
        let pat = Pat { span, kind: PatKind::Bind { local: all, sub: None } };
        vec![Stmt::Let { pat, ty: None, init: value, otherwise: None }]
    }

    /// `let total = block.reduce(first, own, |a, b| …);`: the values of the threads fold by halves,
    /// in an array that they share.
    ///
    /// It becomes the phases that a user would write.
    pub(super) fn reduced(&mut self, local: &syn::Local, call: &syn::ExprMethodCall) -> Vec<Stmt> {
        let (span, args) = (call.method.span(), call.args.iter().collect::<Vec<_>>());
        let combining = match args.as_slice() {
            _ if !self.is_collective_place(&call.method, Level::Block) => None,
            [first, own, closure] => {
                for value in [first, own] {
                    nothing_leaves(value, "a value of a reduction", self.report);
                }
                Combining::of(closure, self.report).map(|combining| (first, own, combining))
            }
            _ => {
                let error = error(
                    Code::CollectivePlace,
                    "`reduce` takes a first value, the value of each thread and a closure",
                );
                self.report.on(&call.method, error.help("write `let total = block.reduce(0.0, own, |a, b| a + b);`"));
                None
            }
        };
        let Some((first, own, combining)) = combining else {
            self.bind_anyway(&local.pat);
            return Vec::new();
        };
        let [room, thread] = ["room", "thread"].map(|name| names::generated(name, span));
        let (block, pat, count) = (&call.receiver, &local.pat, self.threads());
        let threads = Literal::u32_unsuffixed(count);
        let halves = phases_of_halves(&quote!(#block), &room, &thread, count, |a, b| combining.call(a, b, span));
        let stmts = quote_spanned! {span=> {
            let mut #room = #block.shared([#first; #threads]);
            for #thread in #block.par(0..#threads) { #room[#thread] = #own; }
            #halves
            let #pat = #room[0];
        }};
        match syn::parse2::<syn::Block>(stmts) {
            Ok(block) => {
                let stmts = self.statements(&block.stmts, Want::Nothing).stmts;
                self.values_change_nothing(&stmts, call);
                stmts
            }
            Err(wrong) => {
                self.report.at(span, error(Code::CollectivePlace, wrong.to_string()));
                self.bind_anyway(&local.pat);
                Vec::new()
            }
        }
    }

    /// Reports a value that changes something, in the phases of a `reduce`.
    fn values_change_nothing(&mut self, stmts: &[Stmt], call: &syn::ExprMethodCall) {
        let Some(Stmt::Let { pat, .. }) = stmts.first() else { return };
        let room = pat.name();
        let changes = |expr: &Expr| match &expr.kind {
            ExprKind::Assign { place, value, op: None } => place.root() == room && changes_memory(value, &self.body),
            _ => false,
        };
        if stmts.iter().any(|stmt| matches!(stmt, Stmt::Expr(phase) if phase.any(&mut |expr| changes(expr)))) {
            self.report.on(&call.method, changing_value("reduce"));
        }
    }

    /// Whether all threads come here; an error otherwise.
    fn is_collective_place(&mut self, name: &Ident, level: Level) -> bool {
        let place = match self.leaves {
            _ if self.in_phase() => "phase",
            Leaves::Body(None) => return true,
            _ => "closure",
        };
        let error =
            error(Code::CollectivePlace, format!("`{name}` is for the whole block, and cannot be in a {place}"));
        let of = level.shown();
        self.report.on(name, error.help(format!("write `let value = {of}.{name}(…);` before the {place}")));
        false
    }

    /// `ty` is the type of what comes out, if it is written.
    fn collective_of(
        &mut self,
        op: CollectiveOp,
        level: Level,
        call: &syn::ExprMethodCall,
        ty: Option<&syn::Type>,
    ) -> Expr {
        let (span, name, shown) = (call.method.span(), op.name(), level.shown());
        if !self.is_collective_place(&call.method, level) {
            return self.refused(span);
        }
        let of_receiver = match strip(&call.receiver) {
            syn::Expr::MethodCall(warps) => warps.turbofish.as_ref(),
            _ => None,
        };
        if let Some(turbofish) = call.turbofish.as_ref().or(of_receiver) {
            let error = error(Code::CollectivePlace, "a collective takes no type arguments");
            return self.unsupported(turbofish, error.help("remove them: it has the type of its values"));
        }
        let (of_warps, threads) = (matches!(level, Level::Warps), self.threads());
        // Where the number of threads is missing, that is the only error.
        if of_warps && threads == 1 && !self.report.is_empty() {
            return self.refused(span);
        }
        if of_warps && !threads.is_multiple_of(WARP) {
            let message = format!("a block of {threads} threads is not made of whole warps");
            let whole = threads.next_multiple_of(WARP);
            let error = error(Code::CollectivePlace, message);
            let error = error.help(format!("a warp has {WARP} threads: write `.threads({whole})`"));
            return self.unsupported(&call.method, error);
        }
        let pair;
        let (own, thread) = match (op, call.args.first(), call.args.get(1), call.args.len()) {
            (CollectiveOp::Broadcast, Some(own), Some(thread), 2) => (own, Some(thread)),
            (CollectiveOp::Broadcast, ..) => {
                let error = error(Code::CollectivePlace, "`broadcast` takes a value and the number of a thread");
                return self.unsupported(&call.method, error.help("write `block.broadcast(own, 0)`"));
            }
            (CollectiveOp::Shuffle, Some(own), Some(lane), 2) => {
                pair = syn::Expr::Tuple(syn::parse_quote_spanned!(span=> (#own, #lane)));
                (&pair, None)
            }
            (CollectiveOp::Shuffle, ..) => {
                let message = "`shuffle` takes a value and the number of a thread in its warp";
                let error = error(Code::CollectivePlace, message);
                return self.unsupported(&call.method, error.help("write `block.warps().shuffle(own, 0)`"));
            }
            (_, Some(own), None, 1) => (own, None),
            _ => {
                let error =
                    error(Code::CollectivePlace, format!("`{name}` takes one value, which each thread evaluates"));
                return self.unsupported(&call.method, error.help(format!("write `{shown}.{name}(own)`")));
            }
        };
        let id = self.generated("thread", span, Slot::Inferred, LocalKind::Value);
        let loops = std::mem::take(&mut self.loops);
        let own = self.by_each_thread(id, |this| this.expr(own, Want::Value));
        self.loops = loops;
        let of = thread.map(|thread| {
            let site = self.body.sites(Site { span, check: Check::Index, text: String::new() });
            (Box::new(self.expr(thread, Want::Value)), site)
        });
        let own = Box::new(own);
        let result = match ty {
            Some(ty) => {
                types::device_value(ty, self.report);
                self.body.slots(Slot::Written(Box::new(ty.clone())))
            }
            None => self.slot(),
        };
        // What a block computes has the type of its values.
        let slot = if of_warps { self.slot() } else { result };
        Expr::new(span, ExprKind::Collective(Collective { op, of_warps, own, thread: id, threads, slot, result, of }))
    }

    /// A statement of one thread, after the values in it that are not its alone.
    ///
    /// Their evaluation comes first, so what is hoisted sees what it would have seen: an assignment
    /// evaluates its value first, and an atomic operation its arguments. What stays changes nothing
    /// before that.
    pub(super) fn hoisted(&mut self, mut expr: Expr) -> Expr {
        if !self.is_uniform() {
            return expr;
        }
        let span = expr.span;
        let values: Vec<&mut Expr> = match &mut expr.kind {
            ExprKind::Assign { value, .. } => vec![value],
            ExprKind::Call { callee: Callee::Atomic { .. }, args } => args.iter_mut().skip(1).collect(),
            _ => Vec::new(),
        };
        let mut stmts = Vec::new();
        for value in values.into_iter().filter(|value| has_collective(value)) {
            let local = self.generated("value", span, Slot::Inferred, LocalKind::Value);
            let init = std::mem::replace(value, Expr::new(value.span, ExprKind::Local(local)));
            let pat = Pat { span, kind: PatKind::Bind { local, sub: None } };
            stmts.push(Stmt::Let { pat, ty: None, init, otherwise: None });
        }
        if stmts.is_empty() {
            return expr;
        }
        stmts.push(Stmt::Expr(expr));
        Expr::flow(span, None, Flow::Block(Block { stmts, value: None }))
    }
}

/// Phases that fold the elements of a shared array by halves, into the first one. Their ranges are
/// literal, so nothing is checked.
pub(super) fn phases_of_halves(
    block: &TokenStream,
    room: &Ident,
    thread: &Ident,
    count: u32,
    combine: impl Fn(&TokenStream, &TokenStream) -> TokenStream,
) -> TokenStream {
    let mut phases = TokenStream::new();
    let mut left = count;
    while left > 1 {
        let half = left.next_power_of_two() / 2;
        let [pairs, distance] = [left - half, half].map(Literal::u32_unsuffixed);
        let value = combine(&quote!(#room[#thread]), &quote!(#room[#thread + #distance]));
        let span = room.span();
        phases.extend(quote_spanned!(span=> for #thread in #block.par(0..#pairs) { #room[#thread] = #value; }));
        left = half;
    }
    phases
}

/// What is a collective only where it is the value of a variable.
pub(super) fn not_a_let(name: &Ident, variable: &str) -> Diagnostic {
    let error = error(Code::CollectivePlace, format!("`{name}` is more than a value: it is a statement of its own"));
    error.help(format!("write `let {variable} = block.{name}(…);`"))
}

/// Whether an expression is or contains a collective.
fn has_collective(expr: &Expr) -> bool {
    expr.any(&mut |expr| matches!(expr.kind, ExprKind::Collective(_)))
}

/// A method that warps do not have.
fn no_such(name: &Ident) -> Diagnostic {
    let error = error(Code::BlockVariable, format!("the warps of a block have no `{name}`"));
    let error = match CollectiveOp::ALL.iter().find(|op| names::plain(name) == op.name()) {
        Some(CollectiveOp::Broadcast) => error.help("write `let first = block.warps().shuffle(own, 0);`"),
        _ => error,
    };
    error
        .help("each thread gets what its warp computes: `sum`, `product`, `min`, `max`, `any`, `all`, `count`")
        .help("or the bits of all its threads: `ballot` of conditions, `matching` of equal values")
        .help("or a value of another thread: `shuffle(own, lane)`; `inclusive_sum` and `exclusive_sum` are scans")
}

/// The error of a value that changes something when it is evaluated.
pub(crate) fn changing_value(name: &str) -> Diagnostic {
    let error = error(Code::CollectiveValue, format!("what the threads evaluate for `{name}` changes something"));
    error
        .help("change it in a phase before: `for t in block.threads() { … }`")
        .help("what a thread finds there, it can keep in a `block.each(…)`")
}
