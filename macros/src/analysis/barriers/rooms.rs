//! The rooms of collectives.
//!
//! A collective leaves something in shared memory, has a barrier, and reads what all threads have
//! left. So a barrier must stand between it and the last collective that has used the same room,
//! and that can be the barrier inside of another one. There are two rooms, which collectives use in
//! turns: of two that follow each other, none waits.

use anabranch_core::ir::code::Room;

use super::accesses::{Access, By, Memory};
use super::{Touch, Walk};
use crate::ir::{Arm, Collective, Expr, ExprKind, Flow, Part};

/// How many rooms there are. Their accesses are the first ones.
const ROOMS: usize = 2;

/// The accesses to the rooms.
pub(super) fn accesses() -> Vec<Access> {
    let of = |room| Access {
        memory: Memory::Room(room),
        write: true,
        by: By::All,
        index: None,
        inner: Vec::new(),
        always: true,
    };
    (0..ROOMS).map(of).collect()
}

/// Where a collective is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Wherever its step is.
    Always,
    /// Something decides whether it is.
    Maybe,
    /// It may be called again in the same step.
    Again,
}

fn is_asked_again(arm: &Arm) -> bool {
    arm.guard.is_some() && arm.pat.has_alternatives()
}

impl Walk<'_> {
    /// The collectives in a step, in the order in which they are called.
    pub(super) fn collectives(&mut self, step: &Expr) {
        // A jump may leave out some of them.
        self.collectives_in(step, if step.jumps() { Way::Maybe } else { Way::Always });
    }

    /// The guard of alternatives: each one that matches asks it.
    pub(super) fn asked_again(&mut self, guard: &Expr) {
        self.collectives_in(guard, Way::Again);
    }

    fn collectives_in(&mut self, expr: &Expr, way: Way) {
        let inside = match &expr.kind {
            ExprKind::Flow { flow: Flow::Block(_) | Flow::Unsafe(_), .. } => way,
            ExprKind::Flow { flow: Flow::Match { arms, .. }, .. } if arms.iter().any(is_asked_again) => Way::Again,
            ExprKind::Flow { flow: Flow::If { .. } | Flow::Match { .. }, .. } | ExprKind::Logic { .. } => {
                way.max(Way::Maybe)
            }
            ExprKind::Flow { .. } | ExprKind::Closure { .. } => Way::Again,
            _ => way,
        };
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.collectives_in(expr, inside),
                Part::Block(block) => block.parts().into_iter().for_each(|part| self.collectives_in_part(part, inside)),
            }
        }
        if let ExprKind::Collective(collective) = &expr.kind {
            self.collective(collective, way);
        }
    }

    fn collectives_in_part(&mut self, part: Part<'_>, way: Way) {
        match part {
            Part::Expr(expr) => self.collectives_in(expr, way),
            Part::Block(block) => block.parts().into_iter().for_each(|part| self.collectives_in_part(part, way)),
        }
    }

    fn collective(&mut self, collective: &Collective, way: Way) {
        let is_room = |touch: &Touch| touch.access < ROOMS;
        if collective.of_warps {
            return; // it has no barrier
        }
        let next = self.rooms.len() % ROOMS;
        let mut used = None;
        if collective.uses_room() {
            let room = self.rooms.entry(collective.own.id).or_insert(Room { number: next, waits: false });
            room.waits |= way == Way::Again || self.pending.iter().any(|touch| touch.access == room.number);
            used = Some(room.number);
        }
        // After its barrier, no thread reads in another room.
        if way == Way::Always {
            self.pending.retain(|touch| !is_room(touch));
        }
        self.pending.extend(used.map(|room| Touch { access: room, ages: Default::default() }));
    }
}
