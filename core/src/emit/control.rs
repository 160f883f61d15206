//! Control flow: C++ statements, with `goto` where C++ has no labels for loops.

use super::narrow::narrowed;
use super::nodes::{Adaptor, Block, Callee, Expr, ExprKind, Flow, LocalId, LoopId, LoopRange, Part, Pat};
use super::writer::{Dest, OpenLoop, Writer};
use crate::ir::jumps;

impl Writer<'_> {
    /// Control flow as statements.
    pub(super) fn flow(&mut self, flow: &Flow, expr: &Expr, dest: &Dest) {
        match flow {
            Flow::Block(block) | Flow::Unsafe(block) => match dest {
                Dest::Return => self.block(block, dest),
                Dest::Discard | Dest::Assign(_) => {
                    self.line("{");
                    self.indent += 1;
                    self.block(block, dest);
                    self.indent -= 1;
                    self.line("}");
                }
            },
            Flow::Phase { phase, body } => self.phase(phase, body),
            Flow::Labelled { id, body, label: _ } => self.labelled(*id, dest, body),
            // `c ? a : b`
            Flow::If { .. } if !matches!(dest, Dest::Discard) && self.inline(expr) => self.inlined(expr, dest),
            Flow::If { cond, then, otherwise } => {
                let cond = self.condition(cond);
                self.if_else(&format!("if {cond}"), then, otherwise.as_deref(), dest);
            }
            Flow::Match { scrutinee, arms, form: _ } => self.match_(scrutinee, arms, dest),
            Flow::While { id, cond, body, label: _ } => self.while_(*id, cond, body),
            Flow::WhileLet { id, pat, scrutinee, body, label: _ } => {
                let head = |w: &mut Self| w.while_let_head(pat, scrutinee);
                self.endless(*id, "for (;;)", &Dest::Discard, head, body);
            }
            Flow::Loop { id, body, label: _ } => self.endless(*id, "for (;;)", dest, |_| {}, body),
            Flow::For { id, var, range, body, label: _ } => self.for_(*id, *var, range, body),
            Flow::ForEach { id, pat, array, body, label: _ } => self.for_each(*id, pat, array, body),
            Flow::Break { id, value, label: _ } => self.break_(*id, value.as_deref()),
            Flow::Continue { id, label: _ } => self.continue_(*id),
            Flow::Question { .. } => self.inlined(expr, dest),
            Flow::Return { value: Some(value), .. } => self.returned(value),
            Flow::Return { value: None, .. } => self.line("return {};"),
        }
    }

    fn if_else(&mut self, head: &str, then: &Block, otherwise: Option<&Expr>, dest: &Dest) {
        self.braced(head, |w| w.block(then, dest));
        match otherwise {
            None => self.line("}"),
            Some(Expr { kind: ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. }, .. })
                if self.inline(cond) =>
            {
                let cond = self.condition(cond);
                self.if_else(&format!("}} else if {cond}"), then, otherwise.as_deref(), dest);
            }
            Some(expr) => {
                self.braced("} else", |w| w.nested(expr, dest));
                self.line("}");
            }
        }
    }

    fn while_(&mut self, id: LoopId, cond: &Expr, body: &Block) {
        if self.inline(cond) {
            let cond = self.condition(cond);
            return self.endless(id, &format!("while {cond}"), &Dest::Discard, |_| {}, body);
        }
        let test = |w: &mut Self| {
            let cond = w.value(cond);
            w.line(format!("if (!{cond}) break;"));
        };
        self.endless(id, "for (;;)", &Dest::Discard, test, body);
    }

    /// Whether a number is one of the launch, of the block's index, or of the source: no thread
    /// writes it.
    pub(super) fn is_of_launch(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int { .. } | ExprKind::Captured(_) | ExprKind::Len(_) | ExprKind::Constant { .. } => true,
            ExprKind::Local(local) => self.of_launch.contains(local),
            ExprKind::Binary { .. }
            | ExprKind::Call { callee: Callee::Number { .. } | Callee::Method { known: Some(_), .. }, .. }
            | ExprKind::Receiver { .. }
            | ExprKind::Cast { ty: Some(_), .. }
            | ExprKind::Tuple { .. } => {
                expr.parts().into_iter().all(|part| matches!(part, Part::Expr(part) if self.is_of_launch(part)))
            }
            _ => false,
        }
    }

    /// Polls in each round whether a thread of the block has failed, if that thread decides when
    /// the loop ends: its end depends on memory, or a jump leaves it.
    fn long(&mut self, range: &LoopRange, body: &Block) {
        let of_launch = range.operands().into_iter().all(|end| self.is_of_launch(end));
        if (self.threads.is_some() || self.is_function)
            && self.has_context()
            && (!of_launch || jumps::leaves_loop(body))
        {
            self.poll();
        }
    }

    /// Ends a loop that may have too many rounds because a thread of its block has failed.
    pub(super) fn poll(&mut self) {
        self.uses.polls = true;
        self.line("ab::may_be_long(ab_cx);");
    }

    fn for_(&mut self, id: LoopId, var: LocalId, range: &LoopRange, body: &Block) {
        let LoopRange { inclusive, adaptors, .. } = range;
        let slot = self.body[var].slot;
        let mut texts = self.operands(&range.operands()).into_iter();
        let (start, end) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
        let name = self.local(var).to_owned();
        if self.threads.is_some()
            && !self.body[var].mutable
            && range.operands().iter().all(|end| self.is_of_launch(end))
        {
            self.of_launch.insert(var);
        }
        let ty = self.types.ty(slot);
        if !adaptors.is_empty() || self.body[var].mutable {
            // Counts trips: the values of a range with steps may end anywhere.
            let [steps, trip, go] = ["steps", "t", "go"].map(|what| self.namer.name(&format!("{name}_{what}")));
            let mut made = format!("const auto {steps} = ab::steps_up<{ty}>({start}, {end}, {inclusive})");
            for adaptor in adaptors {
                made += &match adaptor {
                    Adaptor::Rev => ".rev()".to_owned(),
                    Adaptor::StepBy { site, .. } => {
                        format!(".by(ab_cx, {}, {})", self.site(*site), texts.next().unwrap_or_default())
                    }
                };
            }
            self.line(made + ";");
            self.line(format!("ab::wide<{ty}> {trip} = 0;"));
            let head = format!("for (bool {go} = {steps}.any; {go}; {go} = {trip}++ != {steps}.last)");
            let first = |w: &mut Self| {
                w.long(range, body);
                w.define(var, &format!("{steps}.at({trip})"));
            };
            return self.cpp_loop(id, &head, &Dest::Discard, first, body);
        }
        let last = self.namer.name(&format!("{name}_end"));
        let decl = format!("{ty} {name} = {start}, {last} = {end}");
        if *inclusive {
            // Counts with a flag: `last` may be the largest value of its type.
            let go = self.namer.name(&format!("{name}_go"));
            self.line("{");
            self.indent += 1;
            self.line(decl + ";");
            let head = format!("for (bool {go} = {name} <= {last}; {go}; {go} = {name} != {last}, {name} += {go})");
            self.cpp_loop(id, &head, &Dest::Discard, |w| w.long(range, body), body);
            self.indent -= 1;
            self.line("}");
        } else if self.counts_in_32_bits(var) {
            let count = self.narrow_name(var);
            let (start, end) = (narrowed(&start), narrowed(&end));
            let head = format!("for (i32 {count} = {start}, {last} = {end}; {count} < {last}; ++{count})");
            let first = |w: &mut Self| {
                w.long(range, body);
                w.line(format!("const {ty} {name} = ({ty}){count};"));
            };
            self.cpp_loop(id, &head, &Dest::Discard, first, body);
        } else {
            let head = format!("for ({decl}; {name} < {last}; ++{name})");
            self.cpp_loop(id, &head, &Dest::Discard, |w| w.long(range, body), body);
        }
    }

    fn for_each(&mut self, id: LoopId, pat: &Pat, array: &Expr, body: &Block) {
        let value = self.value(array);
        let array = self.temporary(&value);
        let at = self.namer.temporary();
        let head = format!("for (usize {at} = 0; {at} < {array}.len(); {at}++)");
        let element = format!("{array}.e[{at}]");
        self.cpp_loop(id, &head, &Dest::Discard, |w| w.bind(pat, &element), body);
    }

    /// A labelled block: `break` jumps to its end.
    fn labelled(&mut self, id: LoopId, dest: &Dest, body: &Block) {
        self.loops.push(OpenLoop { id, dest: dest.clone(), block: true, break_label: None, continue_label: None });
        self.line("{");
        self.indent += 1;
        self.block(body, dest);
        self.indent -= 1;
        self.line("}");
        if let Some(label) = self.loops.pop().and_then(|l| l.break_label) {
            self.line(format!("{label}:;"));
        }
    }

    /// A loop that Rust does not say to end. Those over ranges and arrays end: nothing but their
    /// heads changes what they count.
    fn endless(&mut self, id: LoopId, head: &str, dest: &Dest, before: impl FnOnce(&mut Self), body: &Block) {
        let first = |w: &mut Self| {
            w.uses.polls |= w.has_context();
            w.line(if w.has_context() { "ab::may_not_end(ab_cx);" } else { "ab::may_not_end();" });
            before(w);
        };
        self.cpp_loop(id, head, dest, first, body);
    }

    /// A C++ loop; labels for `goto` are written only if some `break` or `continue` needs them.
    pub(super) fn cpp_loop(
        &mut self,
        id: LoopId,
        head: &str,
        dest: &Dest,
        before: impl FnOnce(&mut Self),
        body: &Block,
    ) {
        self.loops.push(OpenLoop { id, dest: dest.clone(), block: false, break_label: None, continue_label: None });
        let outer = std::mem::take(&mut self.out);
        self.indent += 1;
        before(self);
        let prologue = std::mem::take(&mut self.out);
        self.block(body, &Dest::Discard);
        self.indent -= 1;
        let inner = std::mem::replace(&mut self.out, outer);
        let closed = self.loops.pop();
        let (break_label, continue_label) = closed.map_or((None, None), |l| (l.break_label, l.continue_label));
        // After a loop whose value the function returns there is no other value.
        let leave = if matches!(dest, Dest::Return) { self.return_anything() } else { "break;".to_owned() };
        self.line(match self.has_context() && self.form.goes_on {
            true => format!("{head} {{ if (ab_cx.failed()) {leave}"),
            false => format!("{head} {{"),
        });
        let inner = prologue + &inner;
        if let Some(label) = continue_label {
            // Braces: a jump must not pass the initialization of a variable in the same scope.
            self.line("{");
            self.out += &inner;
            self.line("}");
            self.line(format!("{label}:;"));
        } else {
            self.out += &inner;
        }
        self.line("}");
        if let Some(label) = break_label {
            self.line(format!("{label}:;"));
        }
    }

    fn break_(&mut self, id: LoopId, value: Option<&Expr>) {
        let Some(at) = self.loops.iter().position(|l| l.id == id) else { return };
        let dest = self.loops[at].dest.clone();
        match (value, &dest) {
            (Some(value), Dest::Return) => return self.returned(value),
            (None, Dest::Return) => return self.line(self.return_anything()),
            (Some(value), Dest::Discard | Dest::Assign(_)) => self.lower(value, &dest),
            (None, Dest::Discard | Dest::Assign(_)) => {}
        }
        if self.innermost(at) && !self.loops[at].block {
            return self.line("break;");
        }
        let label = match &self.loops[at].break_label {
            Some(label) => label.clone(),
            None => self.namer.name("break_out"),
        };
        self.line(format!("goto {label};"));
        self.loops[at].break_label = Some(label);
    }

    /// Whether only labelled blocks are inside an open loop, which `break` and `continue` of C++ do
    /// not see.
    fn innermost(&self, at: usize) -> bool {
        self.loops[at + 1..].iter().all(|l| l.block)
    }

    fn continue_(&mut self, id: LoopId) {
        // The `par` loop itself: one thread, one iteration.
        let Some(at) = self.loops.iter().position(|l| l.id == id) else { return self.line("return;") };
        if self.innermost(at) {
            return self.line("continue;");
        }
        let label = match &self.loops[at].continue_label {
            Some(label) => label.clone(),
            None => self.namer.name("continue_with"),
        };
        self.line(format!("goto {label};"));
        self.loops[at].continue_label = Some(label);
    }
}
