//! Loops over blocks: what threads share, and phases.
//!
//! All threads of a block run the code outside of phases, with the same values. What that code does
//! to memory, thread 0 does alone. Where threads have to wait for each other, `analysis::barriers`
//! says.

use std::collections::BTreeSet;

use super::nodes::{
    Block, Expr, ExprKind, Flow, Local, LocalId, LocalKind, LoopRange, Phase, SlotId, Space, Stmt, changes_memory,
};
use super::writer::{Dest, Writer};
use crate::limits::WARP;

/// Rounds of a phase that are written one after the other.
const MOST_UNROLLED: u32 = 64;

/// The thread of the block.
pub(super) const THREAD: &str = "ab_t";

impl Writer<'_> {
    /// What stands before everything else: which thread it is, and the contexts of phases and of
    /// what stands around them.
    pub(super) fn begin_block(&mut self) {
        if self.threads.is_none() {
            return;
        }
        self.line(format!("const u32 {THREAD} = threadIdx.x;"));
        if self.has_context() {
            self.line("volatile u32* const ab_over = ab::over();");
            self.line("const ab::thread ab_own{ab_fault, ab_over};");
            self.line(format!("const ab::thread ab_all{{ab_own, {THREAD} != 0u}};"));
            self.line("const ab::cx& ab_cx = ab_all;");
        }
    }

    /// Where a thread is in rows of the threads. It is computed first, so that phases need not
    /// compute it again.
    pub(super) fn places_in_rows(&mut self) {
        for (row, [column, number]) in self.rows.clone() {
            self.line(format!("const u32 {column} = {THREAD} % {row}u, {number} = {THREAD} / {row}u;"));
        }
    }

    pub(super) fn shared_arrays(&mut self) {
        let body = self.body;
        for (at, local) in body.locals.iter().enumerate().filter(|(_, local)| local.space == Space::Shared) {
            // As room: what is shared must have no constructor.
            let name = self.local(LocalId(at)).to_owned();
            let room = self.namer.name(&format!("{name}_room"));
            let ty = self.types.ty(local.slot);
            self.line(format!("alignas({ty}) __shared__ unsigned char {room}[sizeof({ty})];"));
            let ty = if local.atomics == 0 { ty } else { format!("ab::atomics<{ty}>") };
            self.line(format!("{ty}& {name} = *reinterpret_cast<{ty}*>({room});"));
        }
    }

    /// Before some steps of a block its threads wait for each other.
    pub(super) fn wait_before(&mut self, step: &Expr) {
        if self.waits_before(step) {
            self.waited.insert(step.id);
            self.barrier();
        }
    }

    /// Whether there is a barrier before a step that is not written yet.
    pub(super) fn waits_before(&self, step: &Expr) -> bool {
        let is_before = self.info.is_some_and(|info| info.barriers.contains(&step.id));
        is_before && !self.waited.contains(&step.id)
    }

    /// The threads of a warp wait for each other in less time than those of a block.
    pub(super) fn barrier(&mut self) {
        let one_warp = self.threads.is_some_and(|threads| threads <= WARP);
        self.line(match (self.has_context(), one_warp) {
            (true, false) => "ab::meet(ab_own);",
            (true, true) => "ab::meet_warp(ab_own);",
            (false, false) => "__syncthreads();",
            (false, true) => "__syncwarp();",
        });
    }

    /// From here to the end of the braces, a thread runs what it alone runs.
    pub(super) fn alone(&mut self) {
        self.in_phase = true;
        if self.has_context() {
            self.line("const ab::cx& ab_cx = ab::enter(ab_own, ab_all);");
        }
    }

    /// A shared array gets its first values.
    pub(super) fn shared(&mut self, local: LocalId, init: &Expr) {
        self.wait_before(init);
        let mut value = init;
        while let ExprKind::Repeat { value: inner, .. } = &value.kind {
            value = inner;
        }
        let is_number = matches!(value.kind, ExprKind::Int { .. } | ExprKind::Float { .. });
        let filled = self.info.is_some_and(|info| info.filled.contains(&local));
        let compared = self.info.map(|info| &info.compared);
        let shown = |of: &BTreeSet<SlotId>| of.iter().all(|of| compared.is_some_and(|all| all.contains_key(of)));
        let unless_wrapped = self.info.and_then(|info| info.filled_unless_wrapped.get(&local)).is_some_and(shown);
        // No thread reads the first values.
        let is_unread = filled || self.decided() && unless_wrapped;
        if is_unread && is_number {
            return;
        }
        let value = self.value(value);
        let (name, threads) = (self.local(local).to_owned(), self.threads.unwrap_or(1));
        match is_unread {
            true => self.line(format!("(void)({value});")),
            false => self.line(format!("ab::fill({name}, {value}, {THREAD}, {threads}u);")),
        }
    }

    /// A value of each thread is a variable.
    pub(super) fn each(&mut self, local: LocalId, first: LocalId) {
        let (value, slot) = (self.local(first).to_owned(), self.body[first].slot);
        let name = self.local(local).to_owned();
        self.line(format!("{} {name} = {value};", self.types.ty(slot)));
    }

    /// Whether a statement outside of phases changes more than variables.
    pub(super) fn by_one_thread(&self, expr: &Expr) -> bool {
        let is_flow = matches!(expr.kind, ExprKind::Flow { .. });
        self.threads.is_some() && !self.in_phase && !is_flow && changes_memory(expr, self.body)
    }

    /// A statement that one thread runs.
    pub(super) fn once(&mut self, expr: &Expr) {
        self.braced(&format!("if ({THREAD} == 0u)"), |w| {
            w.alone();
            // A closure of the block's program has the context of all threads. Here, what fails in
            // it has failed in this thread.
            let is_closure = |local: &Local| local.kind == LocalKind::Closure;
            let lends = w.has_context() && w.body.locals.iter().any(is_closure);
            if lends {
                w.line("ab::lend(ab_own, ab_all);");
            }
            w.lower(expr, &Dest::Discard);
            if lends {
                w.line("ab::give_back(ab_all);");
            }
            w.in_phase = false;
        });
        self.line("}");
    }

    pub(super) fn phase(&mut self, phase: &Phase, body: &Block) {
        let threads = self.threads.unwrap_or(1);
        let (before, nest) = match body.stmts.split_last() {
            Some((Stmt::Expr(nest), before)) => (before, nest),
            _ => return,
        };
        let (mut ranges, mut inner) = (Vec::new(), nest);
        let body = loop {
            let ExprKind::Flow { flow: Flow::For { range, body, .. }, .. } = &inner.kind else { return };
            ranges.push(&**range);
            match body.stmts.as_slice() {
                [Stmt::Expr(next)] if ranges.len() < phase.vars.len() => inner = next,
                _ => break body,
            }
        };
        self.line("{");
        self.indent += 1;
        for stmt in before {
            // The ends of ranges; which thread runs an iteration, the thread knows.
            if let Stmt::Let { pat, init, .. } = stmt
                && let Some(local) = pat.name()
                && !self.body[local].mutable
            {
                self.let_value(local, init);
                if self.is_of_launch(init) {
                    self.of_launch.insert(local);
                }
            }
        }
        self.wait_before(nest);
        self.alone();
        if ranges.iter().all(|range| range.operands().iter().all(|end| self.is_of_launch(end))) {
            self.of_launch.extend(phase.vars.iter().filter(|var| !self.body[**var].mutable));
        }
        match (phase.literal.as_deref().and_then(|literal| Some((literal, count(literal)?))), ranges.as_slice()) {
            (Some((literal, all)), _) => self.literal_phase(phase, literal, all, threads, body),
            (None, [range]) if self.counts_in_32_bits(phase.vars[0]) => {
                self.short_phase(phase, range, threads, body);
            }
            (None, _) => self.counted_phase(phase, &ranges, threads, body),
        }
        self.in_phase = false;
        self.indent -= 1;
        self.line("}");
    }

    /// Rounds in each of which every thread makes an iteration; in the last, maybe not every.
    fn literal_phase(&mut self, phase: &Phase, literal: &[(u64, u64)], all: u32, threads: u32, body: &Block) {
        let round = self.namer.name("ab_r");
        let rounds = all.div_ceil(threads);
        if rounds <= MOST_UNROLLED {
            self.line("#pragma unroll");
        }
        let head = format!("for (u32 {round} = 0u; {round} < {rounds}u; ++{round})");
        let own = self.numbers(literal, threads, &round);
        let vars = phase.vars.clone();
        let first = move |w: &mut Self| {
            if !all.is_multiple_of(threads) {
                let beyond =
                    format!("if ({round} + 1u == {rounds}u && {round} * {threads}u + {THREAD} >= {all}u) break;");
                w.line(beyond);
            }
            for (var, (own, (first, _))) in vars.iter().zip(own.iter().zip(literal)) {
                let own = if *first == 0 { own.clone() } else { format!("({own} + {first}u)") };
                let value = format!("({}){own}", w.types.ty(w.body[*var].slot));
                w.define(*var, &value);
                if w.decided() && w.indexes(*var) {
                    w.define_narrow(*var, &format!("(i32){own}"));
                }
            }
        };
        self.iterations(phase, &head, first, body);
    }

    /// A phase that counts in 32 bits. The variable itself goes from thread to thread and from
    /// round to round, as far as there are any.
    fn short_phase(&mut self, phase: &Phase, range: &LoopRange, threads: u32, body: &Block) {
        let var = phase.vars[0];
        let (first, past) = (self.decided_index(&range.start), self.decided_index(&range.end));
        let ty = self.types.ty(self.body[var].slot);
        self.local(var);
        let short = self.narrow_name(var);
        let last = self.namer.name("ab_end");
        self.line(format!("const i32 {last} = {past};"));
        // Of one round nothing is left but its condition.
        let one_round = self.info.is_some_and(|info| info.one_round.contains(&var));
        let next = if one_round { format!("{short} = {last}") } else { format!("{short} += {threads}") };
        let head = format!("for (i32 {short} = {first} + (i32){THREAD}; {short} < {last}; {next})");
        let of_launch = range.operands().into_iter().all(|end| self.is_of_launch(end));
        let before = move |w: &mut Self| {
            w.poll_if_long(of_launch);
            w.define(var, &format!("({ty}){short}"));
        };
        self.iterations(phase, &head, before, body);
    }

    /// The ends of a phase may be what a thread should have written that has failed.
    fn poll_if_long(&mut self, of_launch: bool) {
        if !of_launch && self.has_context() {
            self.poll();
        }
    }

    /// The numbers of an iteration along the ranges of a literal phase, as functions of the thread
    /// and the round. Where rows and threads divide each other, that of the round is the same in
    /// all threads, and nothing but it changes from round to round.
    fn numbers(&mut self, literal: &[(u64, u64)], threads: u32, round: &str) -> Vec<String> {
        let count = |at: usize| u32::try_from(literal[at].1).unwrap_or(u32::MAX).max(1);
        let all = format!("({THREAD} + {round} * {threads}u)");
        let Some(last) = literal.len().checked_sub(1).filter(|last| *last > 0) else { return vec![all] };
        let row = count(last);
        let (own, mut rows) = if threads.is_multiple_of(row) {
            let namer = &mut self.namer;
            let names = self.rows.entry(row).or_insert_with(|| ["ab_x", "ab_y"].map(|name| namer.name(name)));
            (names[0].clone(), format!("({} + {round} * {}u)", names[1], threads / row))
        } else if row.is_multiple_of(threads) {
            let rounds = row / threads;
            (format!("({THREAD} + {round} % {rounds}u * {threads}u)"), format!("({round} / {rounds}u)"))
        } else {
            (format!("({all} % {row}u)"), format!("({all} / {row}u)"))
        };
        let mut numbers = vec![own];
        for at in (1..last).rev() {
            numbers.push(format!("({rows} % {}u)", count(at)));
            rows = format!("({rows} / {}u)", count(at));
        }
        numbers.push(rows);
        numbers.reverse();
        numbers
    }

    fn counted_phase(&mut self, phase: &Phase, ranges: &[&LoopRange], threads: u32, body: &Block) {
        let mut counts = Vec::new();
        for range in ranges {
            let (start, end) = (self.value(&range.start), self.value(&range.end));
            let count = self.namer.name("ab_n");
            self.line(format!("const u64 {count} = ab::trips({start}, {end});"));
            counts.push((start, count));
        }
        let at = self.namer.name("ab_i");
        let all: Vec<&str> = counts.iter().map(|(_, count)| count.as_str()).collect();
        let head = format!("for (u64 {at} = {THREAD}; {at} < {}; {at} += {threads}u)", all.join(" * "));
        let vars = phase.vars.clone();
        let of_launch = ranges.iter().flat_map(|range| range.operands()).all(|end| self.is_of_launch(end));
        let first = move |w: &mut Self| {
            w.poll_if_long(of_launch);
            for (dim, (var, (start, count))) in vars.iter().zip(&counts).enumerate() {
                let inner: Vec<&str> = counts[dim + 1..].iter().map(|(_, count)| count.as_str()).collect();
                let mut own = at.clone();
                if !inner.is_empty() {
                    own = format!("{own} / ({})", inner.join(" * "));
                }
                if dim > 0 {
                    own = format!("{own} % {count}");
                }
                let ty = w.types.ty(w.body[*var].slot);
                w.define(*var, &format!("({ty})({start} + ({ty})({own}))"));
                if w.decided() && w.indexes(*var) {
                    let low = format!("(i32){}", w.local(*var));
                    w.define_narrow(*var, &low);
                }
            }
        };
        self.iterations(phase, &head, first, body);
    }

    fn iterations(&mut self, phase: &Phase, head: &str, first: impl FnOnce(&mut Self), body: &Block) {
        let body = match body.stmts.last() {
            // Which thread it is, needs no number.
            Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Block(own), .. }, .. }))
                if phase.thread.is_some() =>
            {
                own
            }
            _ => body,
        };
        self.cpp_loop(phase.id, head, &Dest::Discard, first, body);
    }
}

/// The iterations of a literal phase, if 32 bits are enough to count them, and for all values of
/// the variables.
fn count(literal: &[(u64, u64)]) -> Option<u32> {
    const MOST: u64 = 1 << 31;
    let fits = |(first, count): &(u64, u64)| first.checked_add(*count).is_some_and(|end| end <= MOST);
    let all = literal.iter().try_fold(1u64, |all, (_, count)| all.checked_mul(*count))?;
    u32::try_from(all).ok().filter(|_| all <= MOST && literal.iter().all(fits))
}
