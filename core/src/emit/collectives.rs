//! Collectives: each is a function of `prelude/collectives.cuh`, which all threads call.
//!
//! The call is a statement of its own, with a name for its result. So it is where control flow is
//! the same for all threads, whatever the expression around it becomes: an operand of `&&`, say, is
//! then in an `if`.

use super::nodes::{Collective, Expr, LocalId, SlotId};
use super::writer::Writer;
use crate::ir::code::Room;

impl Writer<'_> {
    /// The name of a collective's result.
    pub(super) fn collective(&mut self, collective: &Collective) -> String {
        let call = self.called_collective(collective);
        self.temporary(&call)
    }

    /// A value that each thread gets is a variable.
    pub(super) fn scan(&mut self, local: LocalId, collective: &Collective) {
        let call = self.called_collective(collective);
        let name = self.local(local).to_owned();
        self.line(format!("const {} {name} = {call};", self.types.ty(collective.result)));
    }

    fn called_collective(&mut self, collective: &Collective) -> String {
        let Collective { op, of_warps, own, threads, slot, of, .. } = collective;
        let own = self.own(own, *slot);
        let (name, thread) = (op.name(), super::phase::THREAD);
        // A warp needs no barrier, and so no room and no news of failed threads.
        if *of_warps {
            let thread = if op.is_scan() { format!("{thread}, ") } else { String::new() };
            return format!("ab::warp_{name}({thread}{own})");
        }
        // Its barrier also shares which threads have failed.
        let context = if self.has_context() { ", ab_own" } else { "" };
        if op.is_of_conditions() {
            return format!("ab::block_{name}({own}{context})");
        }
        let room = self.info.and_then(|info| info.rooms.get(&collective.own.id)).copied();
        let Room { number, waits } = room.unwrap_or_default();
        let of = of.as_ref().map(|(thread, site)| {
            let thread = self.value(thread);
            format!(", ab_cx, {}, {thread}", self.site(*site))
        });
        if waits {
            self.barrier();
        }
        format!("ab::block_{name}<{threads}u, {number}u>({thread}, {own}{}{context})", of.unwrap_or_default())
    }

    /// The name of what each thread evaluates, as in a phase.
    fn own(&mut self, own: &Expr, slot: SlotId) -> String {
        let name = self.namer.name("ab_v");
        self.line(format!("{} {name};", self.types.ty(slot)));
        self.line("{");
        self.indent += 1;
        self.alone();
        let value = self.value(own);
        self.line(format!("{name} = {value};"));
        self.in_phase = false;
        self.indent -= 1;
        self.line("}");
        name
    }
}
