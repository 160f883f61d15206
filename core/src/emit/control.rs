//! Control flow: C++ statements, with `goto` where C++ has no labels for loops.

use super::nodes::{Adaptor, Block, Callee, Expr, ExprKind, Flow, LocalId, LoopId, LoopRange, Part, Pat};
use super::place::narrowed;
use super::writer::{Dest, OpenLoop, Writer};
use super::{Node, Text};
use crate::ir::jumps;

impl Writer<'_> {
    /// Control flow as statements.
    pub(super) fn flow(&mut self, flow: &Flow, expr: &Expr, dest: &Dest) {
        match flow {
            Flow::Block(block) | Flow::Unsafe(block) => match dest {
                Dest::Return => self.block(block, dest),
                Dest::Discard | Dest::Assign(_) => {
                    self.line("{".into());
                    self.indent += 1;
                    self.block(block, dest);
                    self.indent -= 1;
                    self.line("}".into());
                }
            },
            Flow::Phase { phase, body } => self.phase(phase, body),
            Flow::Labelled { id, body, label: _ } => self.labelled(*id, dest, body),
            // `c ? a : b`
            Flow::If { .. } if !matches!(dest, Dest::Discard) && self.inline(expr) => self.inlined(expr, dest),
            Flow::If { cond, then, otherwise } => {
                let cond = self.condition(cond);
                self.if_else(Text::from("if ").then(cond), then, otherwise.as_deref(), dest);
            }
            Flow::Match { scrutinee, arms, form: _ } => self.match_(scrutinee, arms, dest),
            Flow::While { id, cond, body, label: _ } => self.while_(*id, cond, body),
            Flow::WhileLet { id, pat, scrutinee, body, label: _ } => {
                let head = |w: &mut Self| w.while_let_head(pat, scrutinee);
                self.endless(*id, "for (;;)".into(), &Dest::Discard, head, body);
            }
            Flow::Loop { id, body, label: _ } => self.endless(*id, "for (;;)".into(), dest, |_| {}, body),
            Flow::For { id, var, range, body, label: _ } => self.for_(*id, *var, range, body),
            Flow::ForEach { id, pat, array, body, label: _ } => self.for_each(*id, pat, array, body),
            Flow::Break { id, value, label: _ } => self.break_(*id, value.as_deref()),
            Flow::Continue { id, label: _ } => self.continue_(*id),
            Flow::Question { .. } => self.inlined(expr, dest),
            Flow::Return { value: Some(value), .. } => self.returned(value),
            Flow::Return { value: None, .. } => self.line("return {};".into()),
        }
    }

    fn if_else(&mut self, head: Text, then: &Block, otherwise: Option<&Expr>, dest: &Dest) {
        self.braced(head, |w| w.block(then, dest));
        match otherwise {
            None => self.line("}".into()),
            Some(Expr { kind: ExprKind::Flow { flow: Flow::If { cond, then, otherwise }, .. }, .. })
                if self.inline(cond) =>
            {
                let cond = self.condition(cond);
                self.if_else(Text::from("} else if ").then(cond), then, otherwise.as_deref(), dest);
            }
            Some(expr) => {
                self.braced("} else".into(), |w| w.nested(expr, dest));
                self.line("}".into());
            }
        }
    }

    fn while_(&mut self, id: LoopId, cond: &Expr, body: &Block) {
        if self.inline(cond) {
            let cond = self.condition(cond);
            return self.endless(id, Text::from("while ").then(cond), &Dest::Discard, |_| {}, body);
        }
        let test = |w: &mut Self| {
            let cond = w.value(cond);
            w.line(Text::from("if (!").then(cond).text(") break;"));
        };
        self.endless(id, "for (;;)".into(), &Dest::Discard, test, body);
    }

    /// Whether a number is one of the launch, of the block's index, or of the source: no thread writes it.
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

    /// Asks in each round whether a thread of the block has failed, if the end of a loop may be what the thread should have written, or a jump.
    fn long(&mut self, range: &LoopRange, body: &Block) {
        let of_launch = range.operands().into_iter().all(|end| self.is_of_launch(end));
        if (self.threads.is_some() || self.is_function)
            && self.has_context()
            && (!of_launch || jumps::leaves_loop(body))
        {
            self.line("ab::may_be_long(ab_cx);".into());
        }
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
        if !adaptors.is_empty() || self.body[var].mutable {
            // Counts trips: the values of a range with steps may end anywhere.
            let (steps, trip, go) = (
                self.namer.name(&format!("{name}_steps")),
                self.namer.name(&format!("{name}_t")),
                self.namer.name(&format!("{name}_go")),
            );
            let mut made =
                Text::new().text(format!("const auto {steps} = ab::steps_up<")).hole(Node::Type(slot.number()));
            made =
                made.text(">(").then(start).text(", ").then(end).text(if *inclusive { ", true)" } else { ", false)" });
            for adaptor in adaptors {
                made = match adaptor {
                    Adaptor::Rev => made.text(".rev()"),
                    Adaptor::StepBy { site, .. } => {
                        let made = made.text(".by(ab_cx, ").hole(Node::Site(site.number())).text(", ");
                        made.then(texts.next().unwrap_or_default()).text(")")
                    }
                };
            }
            self.line(made.text(";"));
            self.line(Text::from("ab::wide<").hole(Node::Type(slot.number())).text(format!("> {trip} = 0;")));
            let head = format!("for (bool {go} = {steps}.any; {go}; {go} = {trip}++ != {steps}.last)");
            let first = |w: &mut Self| {
                w.long(range, body);
                w.define(var, Text::new().text(format!("{steps}.at({trip})")));
            };
            return self.cpp_loop(id, Text::new().text(head), &Dest::Discard, first, body);
        }
        let last = self.namer.name(&format!("{name}_end"));
        let (first, beyond) = (start.clone(), end.clone());
        let decl = Text::new()
            .hole(Node::Type(slot.number()))
            .text(format!(" {name} = "))
            .then(start)
            .text(format!(", {last} = "))
            .then(end);
        if *inclusive {
            // Counts with a flag: `last` may be the largest value of its type.
            let go = self.namer.name(&format!("{name}_go"));
            self.line("{".into());
            self.indent += 1;
            self.line(decl.text(";"));
            let head = format!("for (bool {go} = {name} <= {last}; {go}; {go} = {name} != {last}, {name} += {go})");
            self.cpp_loop(id, Text::new().text(head), &Dest::Discard, |w| w.long(range, body), body);
            self.indent -= 1;
            self.line("}".into());
        } else {
            let head = Text::from("for (").then(decl).text(format!("; {name} < {last}; ++{name})"));
            if !self.info.is_some_and(|info| info.counted.contains(&var)) {
                return self.cpp_loop(id, head, &Dest::Discard, |w| w.long(range, body), body);
            }
            let count = self.narrow_name(var);
            let narrow = Text::new()
                .text(format!("for (i32 {count} = "))
                .then(narrowed(first))
                .text(format!(", {last} = "))
                .then(narrowed(beyond))
                .text(format!("; {count} < {last}; ++{count})"));
            let wide = |w: &mut Self| {
                w.long(range, body);
                let indent = "    ".repeat(w.indent);
                let line = Text::from(indent.as_str()).text("const ").hole(Node::Type(slot.number()));
                let line =
                    line.text(format!(" {name} = (")).hole(Node::Type(slot.number())).text(format!("){count};\n"));
                w.out = std::mem::take(&mut w.out).hole(Node::Either(line, Text::new()));
            };
            let head = Text::new().hole(Node::Either(narrow, head));
            self.cpp_loop(id, head, &Dest::Discard, wide, body);
        }
    }

    fn for_each(&mut self, id: LoopId, pat: &Pat, array: &Expr, body: &Block) {
        let value = self.value(array);
        let array = self.temporary(value);
        let at = self.namer.temporary();
        let head = Text::new().text(format!("for (usize {at} = 0; {at} < ")).then(array.clone());
        let element = array.text(format!(".e[{at}]"));
        let names = |w: &mut Self| w.bind(pat, &element);
        self.cpp_loop(id, head.text(format!(".len(); {at}++)")), &Dest::Discard, names, body);
    }

    /// A labelled block: `break` jumps to its end.
    fn labelled(&mut self, id: LoopId, dest: &Dest, body: &Block) {
        self.loops.push(OpenLoop { id, dest: dest.clone(), block: true, break_label: None, continue_label: None });
        self.line("{".into());
        self.indent += 1;
        self.block(body, dest);
        self.indent -= 1;
        self.line("}".into());
        if let Some(label) = self.loops.pop().and_then(|l| l.break_label) {
            self.line(Text::new().text(format!("{label}:;")));
        }
    }

    /// A loop that Rust does not say to end. Those over ranges and arrays end: nothing but their heads changes what they count.
    fn endless(&mut self, id: LoopId, head: Text, dest: &Dest, before: impl FnOnce(&mut Self), body: &Block) {
        let first = |w: &mut Self| {
            w.line(if w.has_context() { "ab::may_not_end(ab_cx);" } else { "ab::may_not_end();" }.into());
            before(w);
        };
        self.cpp_loop(id, head, dest, first, body);
    }

    /// A C++ loop; labels for `goto` are written only if some `break` or `continue` needs them.
    pub(super) fn cpp_loop(
        &mut self,
        id: LoopId,
        head: Text,
        dest: &Dest,
        before: impl FnOnce(&mut Self),
        body: &Block,
    ) {
        self.loops.push(OpenLoop { id, dest: dest.clone(), block: false, break_label: None, continue_label: None });
        let outer = std::mem::take(&mut self.out);
        self.indent += 1;
        before(self);
        let prologue = std::mem::replace(&mut self.out, Text::new());
        self.block(body, &Dest::Discard);
        self.indent -= 1;
        let inner = std::mem::replace(&mut self.out, outer);
        let closed = self.loops.pop();
        let (break_label, continue_label) = closed.map_or((None, None), |l| (l.break_label, l.continue_label));
        let head = head.text(" {");
        // Behind a loop whose value the function returns there is no other value.
        let leave = if matches!(dest, Dest::Return) { self.return_anything() } else { "break;".into() };
        self.line(if self.has_context() { head.hole(Node::LeaveIfFailed(leave)) } else { head });
        let inner = prologue.then(inner);
        if let Some(label) = continue_label {
            // Braces: a jump must not pass the initialization of a variable in the same scope.
            self.line("{".into());
            self.out = std::mem::take(&mut self.out).then(inner);
            self.line("}".into());
            self.line(Text::new().text(format!("{label}:;")));
        } else {
            self.out = std::mem::take(&mut self.out).then(inner);
        }
        self.line("}".into());
        if let Some(label) = break_label {
            self.line(Text::new().text(format!("{label}:;")));
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
            return self.line("break;".into());
        }
        let label = match &self.loops[at].break_label {
            Some(label) => label.clone(),
            None => self.namer.name("break_out"),
        };
        self.line(Text::new().text(format!("goto {label};")));
        self.loops[at].break_label = Some(label);
    }

    /// Whether only labelled blocks are inside an open loop, which `break` and `continue` of C++ do not see.
    fn innermost(&self, at: usize) -> bool {
        self.loops[at + 1..].iter().all(|l| l.block)
    }

    fn continue_(&mut self, id: LoopId) {
        // The `par` loop itself: one thread, one iteration.
        let Some(at) = self.loops.iter().position(|l| l.id == id) else { return self.line("return;".into()) };
        if self.innermost(at) {
            return self.line("continue;".into());
        }
        let label = match &self.loops[at].continue_label {
            Some(label) => label.clone(),
            None => self.namer.name("continue_with"),
        };
        self.line(Text::new().text(format!("goto {label};")));
        self.loops[at].continue_label = Some(label);
    }
}
