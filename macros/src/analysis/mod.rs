//! What the emitters need to know beyond the tree. Each analysis is one file with its rule at the
//! top; none changes the IR. All of them run before anything is emitted: [`Analyses`] has their
//! results.

pub(crate) mod access;
pub(crate) mod barriers;
pub(crate) mod blocks;
pub(crate) mod collectives;
pub(crate) mod conflicts;
pub(crate) mod cost;

mod fills;
pub(crate) mod fused;
pub(crate) mod jumps;
pub(crate) mod lanes;
pub(crate) mod within;

use anabranch_core::ir::code::Info;

use crate::ir::ParLoop;
use barriers::Barriers;

/// What is known of a `par` loop.
pub(crate) struct Analyses<'b> {
    /// What the launch decides, and what the loop means to it.
    pub(crate) facts: access::LoopFacts,
    /// What C++ depends on.
    pub(crate) info: Info,
    /// The phases of a loop over blocks, and what else is behind a barrier.
    pub(crate) steps: Vec<barriers::Step>,
    /// What runs in lanes on the CPU, or why nothing does.
    pub(crate) lanes: Result<lanes::InLanes<'b>, &'static str>,
    /// The cost of an iteration on the CPU.
    pub(crate) cost: cost::Cost,
}

impl<'b> Analyses<'b> {
    /// Those of a loop without errors; `in_lanes`: the user allows lanes.
    pub(crate) fn of(par_loop: &'b ParLoop, facts: access::LoopFacts, in_lanes: bool) -> Self {
        let within = within::of(par_loop);
        let lanes = if in_lanes { lanes::of(par_loop, &facts, &within) } else { Err("of `lanes = false`") };
        let Barriers { before: barriers, filled, filled_unless_wrapped, rooms, steps } = barriers::of(par_loop);
        let info = Info { within, barriers, filled, filled_unless_wrapped, rooms, ..facts.info() };
        Self { facts, info, steps, lanes, cost: cost::of_block(&par_loop.body.block) }
    }
}
