//! Collectives: each is a function of `prelude/collectives.cuh`, which all threads call.
//!
//! The call is a statement of its own, with a name for its result. So it is where control flow is the same for all threads, whatever the expression
//! around it becomes: an operand of `&&`, say, is then in an `if`.

use super::text::{Node, Text};
use super::writer::Writer;
use crate::ir::{Collective, CollectiveOp, LocalId};

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

    fn called_collective(&mut self, Collective { op, own, threads, of, .. }: &Collective) -> Text {
        self.in_phase = true;
        let own = self.value(own);
        self.in_phase = false;
        let name = op.name();
        let thread = super::phase::THREAD;
        if let CollectiveOp::Any | CollectiveOp::All | CollectiveOp::Count = op {
            return Text::new().text(format!("ab::block_{name}(")).then(own).text(")");
        }
        // A place of another type is not converted to.
        let own = self.temporary(own);
        let head = Text::new().text(format!("ab::block_{name}<{threads}u>("));
        let of = of.as_ref().map(|(thread, site)| {
            let thread = self.value(thread);
            Text::from(", ab_cx, ").hole(Node::Site(site.number())).text(", ").then(thread)
        });
        // Some threads may still read what the last collective left.
        self.barrier();
        head.text(format!("{thread}, ")).then(own).then(of.unwrap_or_default()).text(")")
    }
}
