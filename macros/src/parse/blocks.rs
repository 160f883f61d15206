//! Loops over blocks of threads: phases, and the variables that threads share or have one each.
//!
//! The body of such a loop is a program that runs once a block. A phase in it is a parallel loop
//! over the block's threads. Here it becomes loops in each other, as the CPU runs them: a shared
//! array is an array, and a value of each thread is an element of an array, by the number of the
//! thread. So nothing but the C++ has to know more of phases than that.

use proc_macro2::{Ident, Literal, Span};

use super::body::{BodyParser, InPhase, Leaves, LoopKind, Team, Want};
use super::{collectives, strip, strip_pat};
use crate::ir::{
    Block, Dim, Expr, ExprKind, Flow, LocalId, LocalKind, LoopId, LoopRange, Pat, PatKind, Phase, Slot, Space, Stmt,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};

/// A range of a phase.
struct Range {
    start: Expr,
    end: Expr,
    literal: Option<(u64, u64)>,
}

impl BodyParser<'_> {
    /// Begins the body of a loop over blocks.
    pub(super) fn begin_team(&mut self, name: Ident, shape: Vec<u32>, dims: &[Dim]) {
        self.declare_team(&name);
        let vars = dims.iter().map(|dim| dim.var).collect();
        self.team = Some(Team { shape, vars, depth: 0, phase: None });
    }

    /// Goes into a block of code, or out of it.
    pub(super) fn deeper(&mut self, by: isize) {
        if let Some(team) = &mut self.team {
            team.depth += by;
        }
    }

    pub(super) fn threads(&self) -> u32 {
        self.team.as_ref().map_or(1, |team| team.shape.iter().product())
    }

    pub(super) fn in_phase(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.phase.is_some())
    }

    /// Whether all threads of a block run what is here, with the same values.
    pub(super) fn is_uniform(&self) -> bool {
        self.team.as_ref().is_some_and(|team| team.phase.is_none())
    }

    /// Parses what each thread evaluates.
    pub(super) fn by_each_thread<T>(&mut self, thread: LocalId, inside: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(team) = &mut self.team {
            team.phase = Some(InPhase { thread, first: LocalId(self.body.locals.len()), asked: false });
        }
        let value = inside(self);
        if let Some(team) = &mut self.team {
            team.phase = None;
        }
        value
    }

    /// A method of the block, with its arguments.
    fn of_team<'e>(&self, expr: &'e syn::Expr) -> Option<&'e syn::ExprMethodCall> {
        match strip(expr) {
            syn::Expr::MethodCall(call) if self.is_team(&call.receiver) => Some(call),
            _ => None,
        }
    }

    /// A variable where it is used: of each thread, in a phase, the value of the thread.
    pub(super) fn use_of(&mut self, local: LocalId, span: Span) -> Expr {
        let all = Expr::new(span, ExprKind::Local(local));
        let Space::Each(_) = self.body[local].space else { return all };
        let Some(InPhase { thread, asked, .. }) = self.team.as_mut().and_then(|team| team.phase.as_mut()) else {
            let name = self.body[local].name.clone();
            let message = format!("`{name}` is a value of each thread, and here is no thread");
            let error = error(Code::BlockValue, message).help("use it in a phase: `for t in block.threads() { … }`");
            let all = format!("to combine the values of all threads, write `block.sum({name})`");
            self.report.at(span, error.help(format!("{all}; for that of one, `block.broadcast({name}, 0)`")));
            return self.refused(span);
        };
        *asked = true;
        Expr::new(span, ExprKind::Own { all: local, thread: *thread })
    }

    /// Whether methods can only read a place: an array that threads share, and in a phase a
    /// variable of the block.
    pub(super) fn is_lent(&self, place: &Expr) -> bool {
        let phase = self.team.as_ref().and_then(|team| team.phase.as_ref());
        place.root().is_some_and(|local| match self.body[local].space {
            Space::Shared => true,
            Space::Own => phase.is_some_and(|phase| local.0 < phase.first.0),
            Space::Each(_) => false,
        })
    }

    /// `block.index()`, or a method of the block where it cannot be.
    pub(super) fn block_method(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if let Some(refused) = self.of_warps(call) {
            return Some(refused);
        }
        if !self.is_team(&call.receiver) {
            return None;
        }
        if let Some(value) = self.collective(call) {
            return Some(value);
        }
        let span = call.method.span();
        let vars = self.team.as_ref().map(|team| team.vars.clone()).unwrap_or_default();
        let wrong = match call.method.to_string().as_str() {
            "index" if call.args.is_empty() => {
                let mut all: Vec<Expr> = vars.iter().map(|var| Expr::new(span, ExprKind::Local(*var))).collect();
                return Some(match all.pop() {
                    Some(one) if all.is_empty() => one,
                    last => {
                        let elems = all.into_iter().chain(last).collect();
                        Expr::new(span, ExprKind::Tuple { elems, slot: self.slot() })
                    }
                });
            }
            name @ ("threads" | "par") => {
                let error = error(
                    Code::PhasePlace,
                    format!("`{name}` of a block is only supported in the head of a `for` loop"),
                );
                error.help("write `for t in block.threads() { … }`, or `for i in block.par(0..n) { … }`")
            }
            "reduce" => collectives::not_a_let(&call.method, "value"),
            "warps" => {
                let error = error(Code::BlockVariable, "`warps` is not a value of its own");
                error.help("write `let sum = block.warps().sum(own);`")
            }
            name @ ("shared" | "each") => {
                let error = error(Code::BlockVariable, format!("`{name}` of a block only makes variables"));
                error.help("write `let mut tile = block.shared([0.0; 256]);`, or `let mut sum = block.each(0.0);`")
            }
            name => {
                let mut error = error(Code::BlockVariable, format!("a block has no `{name}`"));
                if name.contains("sync") || name.contains("barrier") {
                    error = error.help("end the phase, and begin another: it begins when the first one has ended");
                }
                if name.contains("thread") {
                    error = error.help("the thread is the variable of a phase: `for t in block.threads() { … }`");
                }
                error
                    .help("it has `index()`, `threads()`, `par(ranges)`, `shared(array)` and `each(value)`")
                    .help(
                        "of values of all threads: `sum`, `product`, `min`, `max`, `any`, `all`, `count` and `reduce`",
                    )
                    .help("the value of one thread is `broadcast`; `inclusive_sum` and `exclusive_sum` are scans")
                    .help("the same of each 32 threads: `block.warps().sum(own)`")
            }
        };
        Some(self.unsupported(&call.method, wrong))
    }

    /// `let mut tile = block.shared([[0.0; 16]; 16]);`, `let mut sum = block.each(0.0);`
    pub(super) fn block_variable(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        if let Some(stmts) = self.each_of_warps(local) {
            return Some(stmts);
        }
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let call = self.of_team(&init.expr)?;
        let shared = match call.method.to_string().as_str() {
            "shared" => true,
            "each" => false,
            "reduce" => return Some(self.reduced(local, call)),
            _ => return self.scan(local, call),
        };
        let errors = self.report.len();
        let depth = self.team.as_ref().map_or(0, |team| team.depth);
        let generated = matches!(strip_pat(&local.pat), syn::Pat::Ident(pat) if names::is_generated(&pat.ident));
        if self.in_phase() || shared && depth != 1 && !generated || self.leaves != Leaves::Body(None) {
            let (what, place) = if shared {
                ("an array that threads share", "at the beginning of the block's body, outside of loops and branches")
            } else {
                ("a value of each thread", "outside of phases")
            };
            let error = error(Code::BlockVariable, format!("{what} cannot be made here"));
            self.report.on(&call.method, error.help(format!("make it {place}")));
        }
        let name = match strip_pat(&local.pat) {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, subpat: None, ident, mutability, .. }) => {
                Some((ident, mutability.is_some()))
            }
            _ => None,
        };
        let (Some((name, mutable)), Some(value), 1) = (name, call.args.first(), call.args.len()) else {
            let error = error(
                Code::BlockVariable,
                "a variable of a block has a name of its own, one value and no written type",
            );
            self.report.on(&local.pat, error.help("write `let mut tile = block.shared([0.0; 256]);`"));
            self.bind_anyway(&local.pat);
            return Some(Vec::new());
        };
        if shared && let Some((len, variable)) = self.variable_length(value) {
            let message = format!("the length of a shared array is a constant, and `{variable}` is a variable");
            let error = error(Code::BlockVariable, message)
                .help(format!("make it as large as it ever is, `const MOST: usize = 1024;`, and use the first `{variable}` elements"))
                .help(format!("or make the length a parameter of the kernel that the compiler knows: `fn kernel<const {}: usize>(…)`", variable.to_uppercase()));
            self.report.on(len, error);
        }
        let atomics = if shared { self.first_atomics(value) } else { None };
        let (value, atomics) = match atomics {
            Some((value, dims)) => (value, dims),
            None => (self.expr(value, Want::Value), 0),
        };
        if shared && !matches!(value.kind, ExprKind::Repeat { .. }) && self.report.len() == errors {
            let error = error(Code::BlockVariable, "a shared array is written as its first value and its length");
            self.report
                .on(&call.args, error.help("write `block.shared([0.0; 256])`, or `block.shared([[0.0; 16]; 16])`"));
        }
        if self.report.len() > errors {
            let array = self.bind(name, mutable, Slot::Inferred);
            if shared {
                self.body.locals[array.0].space = Space::Shared;
                self.body.locals[array.0].atomics = atomics;
            }
            return Some(Vec::new());
        }
        let span = name.span();
        let bound = |local, init| {
            let pat = Pat { span, kind: PatKind::Bind { local, sub: None } };
            Stmt::Let { pat, ty: None, init, otherwise: None }
        };
        if shared {
            let array = self.bind(name, mutable, Slot::Inferred);
            self.body.locals[array.0].space = Space::Shared;
            self.body.locals[array.0].atomics = atomics;
            return Some(vec![bound(array, value)]);
        }
        let first = self.generated("each", span, Slot::Inferred, LocalKind::Value);
        let all = self.bind(name, mutable, Slot::Inferred);
        self.body.locals[all.0].space = Space::Each(first);
        let one = Box::new(Expr::new(span, ExprKind::Local(first)));
        let threads = Literal::usize_unsuffixed(self.threads() as usize);
        let kind = ExprKind::Repeat { value: one, len: syn::parse_quote!(#threads), slot: self.slot() };
        Some(vec![bound(first, value), bound(all, Expr::new(span, kind))])
    }

    /// A length of an array that is not a constant, and the variable that it mentions.
    fn variable_length<'e>(&self, array: &'e syn::Expr) -> Option<(&'e syn::Expr, String)> {
        struct Variables<'v, 'p>(&'v BodyParser<'p>, Option<String>);
        impl<'ast> syn::visit::Visit<'ast> for Variables<'_, '_> {
            fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
                let name =
                    path.path.get_ident().filter(|name| self.0.local(name).is_some() || self.0.host(name).is_some());
                self.1 = self.1.take().or_else(|| name.map(names::plain));
            }
        }
        let syn::Expr::Repeat(repeat) = strip(array) else { return None };
        let mut found = Variables(self, None);
        syn::visit::Visit::visit_expr(&mut found, &repeat.len);
        match found.1 {
            Some(variable) => Some((&repeat.len, variable)),
            None => self.variable_length(&repeat.expr),
        }
    }

    /// `[const { AtomicU32::new(0) }; 256]`, with its dimensions. Other values are `Copy`, and need
    /// no `const`. What type the value has, and so whether it is an atomic, only rustc knows.
    ///
    /// In Rust an array of arrays is `[const { [const { … }; 16] }; 16]`; the outer `const` may be
    /// left out, as where there are no atomics.
    fn first_atomics(&mut self, array: &syn::Expr) -> Option<(Expr, usize)> {
        let (mut lens, mut inner) = (Vec::new(), strip(array));
        let first = loop {
            match inner {
                syn::Expr::Repeat(repeat) => {
                    lens.push(&*repeat.len);
                    inner = strip(&repeat.expr);
                }
                syn::Expr::Const(of) if !lens.is_empty() => match of.block.stmts.as_slice() {
                    [syn::Stmt::Expr(row, None)] if matches!(strip(row), syn::Expr::Repeat(_)) => inner = strip(row),
                    _ => break of,
                },
                _ => return None,
            }
        };
        let (span, dims) = (first.const_token.span, lens.len());
        let kind = ExprKind::FirstAtomic { value: Box::new(first.clone()), slot: self.body.slots(Slot::Atomic) };
        let mut value = Expr::new(span, kind);
        for len in lens.into_iter().rev() {
            // The variable says what type the whole has, and nobody asks for those of the parts.
            let slot = self.body.slots(Slot::Written(Box::new(syn::parse_quote!(()))));
            let kind = ExprKind::Repeat { value: Box::new(value), len: self.length(len), slot };
            value = Expr::new(span, kind);
        }
        Some((value, dims))
    }

    /// A phase, if a loop is one.
    pub(super) fn phase(&mut self, phase: &syn::ExprForLoop) -> Option<Expr> {
        if let syn::Expr::MethodCall(after) = strip(&phase.expr)
            && let Some(call) = self.of_team(&after.receiver)
            && (call.method == "threads" || call.method == "par")
        {
            let name = &after.method;
            let error = error(Code::PhaseRange, format!("a phase does not support `.{name}(…)`: it is no iterator"));
            return Some(self.unsupported(name, error.help("compute the index in the phase: `let j = n - 1 - i;`")));
        }
        let call = self.of_team(&phase.expr)?;
        let (span, label) = (phase.for_token.span, phase.label.as_ref());
        if self.in_phase() {
            let error = error(Code::PhasePlace, "a phase cannot be in another one");
            return Some(self.unsupported(
                &call.method,
                error.help("end the first one, and begin another").help("use a plain `for`"),
            ));
        }
        if self.leaves != Leaves::Body(None) {
            let error = error(Code::PhasePlace, "a phase cannot be in a closure");
            return Some(self.unsupported(&call.method, error.help("write it outside of the closure")));
        }
        let mut stmts = Vec::new();
        let of_threads = call.method == "threads";
        let ranges = match (call.method.to_string().as_str(), call.args.first(), call.args.len()) {
            ("threads", None, _) => self.ranges_of_threads(span),
            ("par", Some(ranges), 1) => match self.ranges_of_phase(ranges, &mut stmts) {
                Some(ranges) => ranges,
                None => return Some(self.refused(span)),
            },
            ("par", ..) => {
                let error = error(Code::PhaseRange, "`par` of a block takes one range, or a tuple of two or three");
                return Some(self.unsupported(&call.method, error.help("write `block.par((0..18, 0..18))`")));
            }
            (name, ..) => {
                let error = error(Code::PhaseRange, format!("`{name}` of a block is no phase"));
                let error = error.help("write `for t in block.threads() { … }`, or `for i in block.par(0..n) { … }`");
                return Some(self.unsupported(&call.method, error));
            }
        };
        if ranges.is_empty() {
            // Nothing says how many threads there are.
            return Some(self.refused(span));
        }
        let names = super::host::par_loop::loop_variables(&phase.pat, ranges.len(), "phase", self.report);
        let ids: Vec<LoopId> = ranges.iter().skip(1).map(|_| self.next_loop()).collect();
        let id = self.enter_loop(label, LoopKind::Phase, Want::Nothing);
        let thread = self.generated("thread", span, Slot::Inferred, LocalKind::Value);
        if let Some(team) = &mut self.team {
            team.phase = Some(InPhase { thread, first: LocalId(self.body.locals.len()), asked: false });
        }
        let first = (self.body.sites.len(), self.body.slots.len());
        let (vars, mut body) = self.scoped(|this| {
            let vars: Vec<LocalId> = names.iter().map(|name| this.bind_counter(name, false)).collect();
            (vars, this.block(&phase.body, Want::Nothing))
        });
        let (sites, slots) = (first.0..self.body.sites.len(), first.1..self.body.slots.len());
        self.leave_loop();
        let asked = self.team.as_mut().and_then(|team| team.phase.take()).is_some_and(|phase| phase.asked);
        if asked {
            let own = Expr::flow(span, None, Flow::Block(body));
            body = Block { stmts: vec![Stmt::Expr(own)], value: None };
        } else {
            // Nothing says what type it has.
            let slot = self.body[thread].slot;
            self.body.slots[slot.0] = Slot::Written(Box::new(syn::parse_quote!(())));
        }
        let literal: Option<Vec<(u64, u64)>> = ranges.iter().map(|range| range.literal).collect();
        let ids = ids.into_iter().map(|id| (id, None)).chain([(id, phase.label.clone())]);
        let mut nest: Vec<_> = vars.iter().zip(ranges).zip(ids).collect();
        while let Some(((var, Range { start, end, .. }), (id, label))) = nest.pop() {
            let range = Box::new(LoopRange { start, end, inclusive: false, adaptors: Vec::new() });
            let nested = Expr::flow(span, None, Flow::For { id, label, var: *var, range, body });
            body = Block { stmts: vec![Stmt::Expr(nested)], value: None };
        }
        stmts.append(&mut body.stmts);
        let shape = self.team.as_ref().map(|team| team.shape.clone()).unwrap_or_default();
        let phase = Phase { vars, literal, thread: asked.then_some(thread), shape, of_threads, id, sites, slots };
        Some(Expr::flow(span, None, Flow::Phase { phase, body: Block { stmts, value: None } }))
    }

    /// The ranges of `block.threads()`.
    fn ranges_of_threads(&mut self, span: Span) -> Vec<Range> {
        let shape = self.team.as_ref().map(|team| team.shape.clone()).unwrap_or_default();
        let range = |count: u32| {
            let (start, end) = (self.count(0, span), self.count(count.into(), span));
            Range { start, end, literal: Some((0, count.into())) }
        };
        shape.into_iter().map(range).collect()
    }

    /// The ranges of `block.par(…)`. What is no literal is evaluated before the loops. `None` after
    /// an error.
    fn ranges_of_phase(&mut self, ranges: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<Vec<Range>> {
        let all: Vec<&syn::Expr> = match strip(ranges) {
            syn::Expr::Tuple(tuple) if (1..=3).contains(&tuple.elems.len()) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        let mut parsed = Vec::new();
        for range in all {
            let syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) = strip(range)
            else {
                self.report.on(range, no_range());
                return None;
            };
            if let syn::RangeLimits::Closed(dots) = limits {
                let error = error(Code::PhaseRange, "a range of a phase does not contain its end");
                self.report.on(dots, error.help("write `a..b + 1`"));
            }
            let literal = |expr: &Expr| match &expr.kind {
                ExprKind::Int { digits, .. } => digits.parse::<u64>().ok(),
                _ => None,
            };
            let (start, end) = (self.expr(start, Want::Value), self.expr(end, Want::Value));
            let known = literal(&start).zip(literal(&end)).map(|(first, end)| (first, end.saturating_sub(first)));
            let mut named = |expr: Expr| {
                if known.is_some() {
                    return expr;
                }
                let span = expr.span;
                let local = self.generated("end", span, Slot::Inferred, LocalKind::Value);
                let pat = Pat { span, kind: PatKind::Bind { local, sub: None } };
                stmts.push(Stmt::Let { pat, ty: None, init: expr, otherwise: None });
                Expr::new(span, ExprKind::Local(local))
            };
            parsed.push(Range { start: named(start), end: named(end), literal: known });
        }
        Some(parsed)
    }

    /// A number as a `usize`.
    fn count(&mut self, number: u64, span: Span) -> Expr {
        let mut token = Literal::usize_suffixed(usize::try_from(number).unwrap_or(usize::MAX));
        token.set_span(span);
        Expr::new(span, ExprKind::Int { token, digits: number.to_string(), slot: self.slot() })
    }
}

/// A jump that would leave a phase.
pub(super) fn leaves_phase(what: &str) -> Diagnostic {
    error(Code::LeavesPar, format!("`{what}` cannot leave a phase: its iterations run in parallel"))
        .help("to end this iteration, write `continue`")
}

fn no_range() -> Diagnostic {
    error(Code::PhaseRange, "a phase requires a range with both ends")
        .help("write `block.par(0..n)` or `block.par((0..18, 0..18))`")
}
