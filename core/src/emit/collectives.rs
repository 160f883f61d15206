//! Collectives: each is a function of `prelude/collectives.cuh`, which all threads call.
//!
//! The call is a statement of its own, with a name for its result. So it is where control flow is the same for all threads, whatever the expression
//! around it becomes: an operand of `&&`, say, is then in an `if`.

use super::nodes::{Collective, CollectiveOp, Expr, LocalId, SlotId};
use super::writer::Writer;
use super::{Node, Text};
use crate::ir::code::Room;

impl Writer<'_> {
    /// The name of a collective's result.
    pub(super) fn collective(&mut self, collective: &Collective) -> Text {
        let call = self.called_collective(collective);
        self.temporary(call)
    }

    /// A value that each thread gets is a variable.
    pub(super) fn scan(&mut self, local: LocalId, collective: &Collective) {
        let call = self.called_collective(collective);
        let name = self.local(local).to_owned();
        let line = Text::from("const ").hole(Node::Type(collective.slot.number())).text(format!(" {name} = "));
        self.line(line.then(call).text(";"));
    }

    fn called_collective(&mut self, collective: &Collective) -> Text {
        let Collective { op, own, threads, slot, of, .. } = collective;
        let own = self.own(own, *slot);
        let (name, thread) = (op.name(), super::phase::THREAD);
        // Its barrier also tells which threads have failed.
        let context = if self.has_context() { ", ab_own" } else { "" };
        if let CollectiveOp::Any | CollectiveOp::All | CollectiveOp::Count = op {
            return Text::new().text(format!("ab::block_{name}({own}{context})"));
        }
        let room = self.info.and_then(|info| info.rooms.get(&collective.own.id)).copied();
        let Room { number, waits } = room.unwrap_or_default();
        let of = of.as_ref().map(|(thread, site)| {
            let thread = self.value(thread);
            Text::from(", ab_cx, ").hole(Node::Site(site.number())).text(", ").then(thread)
        });
        if waits {
            self.barrier();
        }
        let head = Text::new().text(format!("ab::block_{name}<{threads}u, {number}u>({thread}, {own}"));
        head.then(of.unwrap_or_default()).text(context).text(")")
    }

    /// The name of what each thread evaluates, as in a phase.
    fn own(&mut self, own: &Expr, slot: SlotId) -> String {
        let name = self.namer.name("ab_v");
        self.line(Text::new().hole(Node::Type(slot.number())).text(format!(" {name};")));
        self.line("{".into());
        self.indent += 1;
        self.alone();
        let value = self.value(own);
        self.line(Text::new().text(format!("{name} = ")).then(value).text(";"));
        self.in_phase = false;
        self.indent -= 1;
        self.line("}".into());
        name
    }
}
