//! Plans: a readable description of what a kernel does.

mod drawing;
mod resources;

use std::fmt;

use crate::model::description::{Description, Inferred, Instance, SlotValue};
use crate::model::kernel::{Blocks, Capture, CaptureKind, Kernel, Loop, PlanGroup, PlanNode, Step};
use anabranch_core::decide::{Inlined, Origin};
use anabranch_core::facts::Access;

pub use resources::ThreadResources;

/// The structure of a kernel: its loops, its groups, the kernels that it calls, and the host
/// control flow around them.
///
/// `Display` prints it as a tree, with the phases and barriers of loops over blocks; the alternate
/// form `{:#}` adds the accesses of each loop, and whether the CPU runs it in [lanes](Self::lanes).
/// [`resources`](Self::resources) asks a GPU for the registers. [`to_dot`](Self::to_dot) and
/// [`to_mermaid`](Self::to_mermaid) draw it.
#[derive(Clone, Copy)]
pub struct Plan {
    instance: Instance,
}

impl Plan {
    pub(crate) fn new(instance: Instance) -> Self {
        Self { instance }
    }

    /// Returns the kernel's name.
    pub fn kernel(&self) -> &'static str {
        self.instance.kernel.name
    }

    /// Returns the number of `par` loops. Those of the kernels that it [calls](Self::calls) do not
    /// count.
    pub fn loops(&self) -> usize {
        self.instance.kernel.own_loops()
    }

    /// Returns the accesses to buffer elements, loop by loop, in source order. After those of a
    /// loop come the ones in device functions that the launch decides. Accesses of the kernels that
    /// it [calls](Self::calls) are not included.
    pub fn accesses(&self) -> impl Iterator<Item = PlanAccess> {
        (0..self.loops()).flat_map(|index| accesses(self.instance, index))
    }

    /// Returns whether the CPU runs several iterations in lock step, loop by loop, in source order;
    /// where it does not, the reason. Of a loop over blocks: whether it runs several threads in
    /// lock step, in at least one phase. The CPU device uses lanes only where no access needs a
    /// check. In debug builds, it uses them only with `ANABRANCH_LANES=on`.
    pub fn lanes(&self) -> impl Iterator<Item = Result<(), &'static str>> {
        (0..self.loops()).map(|index| lanes(self.instance, index))
    }

    /// Returns the plans of the kernels that the host part calls, call by call, in source order.
    pub fn calls(&self) -> impl Iterator<Item = Plan> {
        Description::of(self.instance).calls.into_iter().map(|called| Plan::new(called()))
    }

    /// Returns the maximum number of groups that can run at the same time. A launch uses at most as
    /// many pooled streams, unless kernels call each other recursively: the plan follows each cycle
    /// once.
    pub fn streams(&self) -> usize {
        Place { instance: self.instance, outer: None }.streams(self.instance.kernel.plan)
    }
}

/// A kernel of a plan, and the kernels whose calls led to it.
#[derive(Clone, Copy)]
struct Place<'p> {
    instance: Instance,
    outer: Option<&'p Place<'p>>,
}

impl<'p> Place<'p> {
    /// The called kernel.
    fn called(&'p self, call: usize) -> Option<Place<'p>> {
        let called = Description::of(self.instance).calls.into_iter().nth(call)?;
        Some(Place { instance: called(), outer: Some(self) })
    }

    /// Whether the kernel is around itself.
    fn is_above(&self) -> bool {
        let id = (self.instance.id)();
        std::iter::successors(self.outer, |place| place.outer).any(|place| (place.instance.id)() == id)
    }

    fn streams(&self, nodes: &[PlanNode]) -> usize {
        let of = |node: &PlanNode| match node {
            PlanNode::Loop(_) | PlanNode::Library { .. } => 0,
            // A group that forks holds its own stream during the fork.
            PlanNode::Parallel { groups, .. } => groups.iter().map(|group| 1 + self.streams(group.nodes)).sum(),
            PlanNode::Host { nodes, .. } => self.streams(nodes),
            PlanNode::Call { index, .. } => {
                let called = self.called(*index).filter(|called| !called.is_above());
                called.map_or(0, |called| called.streams(called.instance.kernel.plan))
            }
        };
        nodes.iter().map(of).max().unwrap_or(0)
    }
}

/// An access of a `par` loop to elements of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanAccess {
    /// The access as written in the source, such as `x[i + 1]`.
    pub access: &'static str,
    /// If a device function makes the access: the call in the loop that leads to it, `laplace(…)`.
    pub call: Option<&'static str>,
    /// Whether the access writes. Atomic operations count as writes.
    pub writes: bool,
    /// Where the access is checked to be in bounds.
    pub bounds: Bounds,
    /// The head of the loop.
    pub header: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Where an access is checked to be in bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// At compile time: the access is proven to be in bounds.
    Proved,
    /// At the launch, once for the whole loop, from lengths and host values. If the launch cannot
    /// decide, the loop runs with checks.
    Launch,
    /// On the device, at every use, because nothing limits the index before the loop runs. This
    /// does not affect the other accesses of the loop.
    Device,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bounds::Proved => "proved",
            Bounds::Launch => "decided at the launch",
            Bounds::Device => "checked on the device",
        })
    }
}

/// The names of buffers by what is done with them.
fn uses(captures: &[Capture]) -> String {
    let verbs = [(CaptureKind::Read, "reads"), (CaptureKind::Write, "writes"), (CaptureKind::Atomic, "shares")];
    let of = |(kind, verb): (CaptureKind, &str)| {
        let names: Vec<&str> = captures.iter().filter(|c| c.kind == kind).map(|c| c.name).collect();
        if names.is_empty() { String::new() } else { format!("  {verb} {}", names.join(", ")) }
    };
    verbs.map(of).concat()
}

fn lanes(instance: Instance, index: usize) -> Result<(), &'static str> {
    let par_loop = instance.kernel.loops.get(index).ok_or("there is no such loop")?;
    let conditions = par_loop.lanes?;
    let types = Description::of(instance).loops.into_iter().nth(index).unwrap_or_default();
    let broken = conditions.iter().map(|conditions| conditions.broken(&types.lanes)).reduce(Option::and).flatten();
    broken.map_or(Ok(()), Err)
}

fn accesses(instance: Instance, index: usize) -> impl Iterator<Item = PlanAccess> {
    let of_loop = instance.kernel.loops.get(index).and_then(|par_loop| Some((par_loop, par_loop.judge.facts()?)));
    of_loop.into_iter().flat_map(move |(par_loop, facts)| {
        let inlined = facts.has_calls().then(|| {
            let slots = || Description::of(instance).loops.into_iter().nth(index).unwrap_or_default().slots;
            par_loop.judge.inlined((instance.id)(), || Inlined::of(facts, par_loop.dims, &Inferred(slots())))
        });
        let of_functions = inlined.into_iter().flat_map(Inlined::of_functions);
        let own = facts.accesses.iter().map(move |access| told(instance, par_loop, access, None));
        own.chain(of_functions.map(move |(access, origin)| told(instance, par_loop, access, Some(origin))))
    })
}

fn told(
    instance: Instance,
    par_loop: &'static Loop,
    access: &'static Access,
    origin: Option<&'static Origin>,
) -> PlanAccess {
    PlanAccess {
        access: &access.text,
        call: origin.map(|origin| origin.call.as_str()),
        writes: access.write || par_loop.captures.get(access.view).is_some_and(|c| c.kind == CaptureKind::Atomic),
        bounds: match access {
            Access { proved: true, .. } => Bounds::Proved,
            Access { decided: true, .. } => Bounds::Launch,
            Access { .. } => Bounds::Device,
        },
        header: par_loop.header,
        file: origin.map_or(instance.kernel.file, |origin| origin.file),
        line: access.line,
        column: access.column,
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kernel { name, file, line, plan, .. } = self.instance.kernel;
        writeln!(f, "kernel {name}  {file}:{line}")?;
        Place { instance: self.instance, outer: None }.nodes(f, plan, "", "")
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("kernel", &self.kernel()).field("loops", &self.loops()).finish_non_exhaustive()
    }
}

impl Place<'_> {
    /// The nodes of a piece of host code, whose text is `within`. The loops of a reduction have the
    /// same text, and get numbers instead.
    fn nodes(&self, f: &mut fmt::Formatter<'_>, nodes: &[PlanNode], within: &str, indent: &str) -> fmt::Result {
        for (at, node) in nodes.iter().enumerate() {
            let (branch, below) = branches(indent, at + 1 == nodes.len());
            match node {
                PlanNode::Loop(index) => {
                    let Some(par_loop) = self.instance.kernel.loops.get(*index) else { continue };
                    let Loop { header, line, block, captures, .. } = par_loop;
                    let listed = f.alternate();
                    let on_cpu = match lanes(self.instance, *index) {
                        _ if !listed => String::new(),
                        Ok(()) => "  on the CPU in SIMD lanes".to_owned(),
                        Err(why) => format!("  on the CPU without SIMD lanes: {why}"),
                    };
                    let header = match *header == within {
                        true => format!("loop {}", at + 1),
                        false => format!("{header}  line {line}"),
                    };
                    writeln!(f, "{branch}{header}, {block} threads a block{}{on_cpu}", uses(captures))?;
                    if let Some(blocks) = par_loop.blocks {
                        self.blocks(f, *index, blocks, &below)?;
                    }
                    for told in accesses(self.instance, *index).filter(|_| listed) {
                        let PlanAccess { access, call, writes, bounds, .. } = told;
                        let within = call.map_or(String::new(), |call| format!(" in {call}"));
                        writeln!(f, "{below}{access}{within}  {}, {bounds}", if writes { "written" } else { "read" })?;
                    }
                }
                PlanNode::Library { line, uses: of } => writeln!(f, "{branch}library  line {line}{}", uses(of))?,
                PlanNode::Parallel { line, groups } => {
                    let groups_word = if groups.len() == 1 { "group" } else { "groups" };
                    writeln!(f, "{branch}stream_parallel  line {line}, {} {groups_word}", groups.len())?;
                    self.groups(f, groups, &below)?;
                }
                PlanNode::Call { index, what, line } => {
                    let called = self.called(*index);
                    let again = called.is_some_and(|called| called.is_above());
                    writeln!(f, "{branch}{what}  line {line}{}", if again { " (as above)" } else { "" })?;
                    if let Some(called) = called.filter(|_| !again) {
                        called.nodes(f, called.instance.kernel.plan, "", &below)?;
                    }
                }
                PlanNode::Host { what, line, nodes } => {
                    writeln!(f, "{branch}{what}  line {line}")?;
                    self.nodes(f, nodes, what, &below)?;
                }
            }
        }
        Ok(())
    }

    /// What the threads of a block share, their phases, and where they wait for each other.
    fn blocks(&self, f: &mut fmt::Formatter<'_>, index: usize, blocks: Blocks, indent: &str) -> fmt::Result {
        let slots = Description::of(self.instance).loops.into_iter().nth(index).unwrap_or_default().slots;
        let bytes = |slot: u32| match slots.get(slot as usize) {
            Some(SlotValue::Type(ty)) => ty.layout().0,
            _ => 0,
        };
        let shared: Vec<_> =
            blocks.shared.iter().map(|(name, slot)| format!("{name} {} bytes", bytes(*slot))).collect();
        if !shared.is_empty() {
            writeln!(f, "{indent}shared  {}", shared.join(", "))?;
        }
        for Step { line, phase, behind } in blocks.steps {
            let what = if *phase { "phase" } else { "between phases" };
            write!(f, "{indent}{what}  line {line}")?;
            match behind {
                [] => writeln!(f)?,
                behind => writeln!(f, ", behind a barrier for {}", behind.join(", "))?,
            }
        }
        Ok(())
    }

    fn groups(&self, f: &mut fmt::Formatter<'_>, groups: &[PlanGroup], indent: &str) -> fmt::Result {
        for (at, PlanGroup { label, line, nodes }) in groups.iter().enumerate() {
            let (branch, below) = branches(indent, at + 1 == groups.len());
            match label {
                Some(label) => writeln!(f, "{branch}'{label}  line {line}")?,
                None => writeln!(f, "{branch}group {}  line {line}", at + 1)?,
            }
            self.nodes(f, nodes, "", &below)?;
        }
        Ok(())
    }
}

/// The text in front of an entry, and in front of everything below it.
fn branches(indent: &str, last: bool) -> (String, String) {
    if last {
        (format!("{indent}└─ "), format!("{indent}   "))
    } else {
        (format!("{indent}├─ "), format!("{indent}│  "))
    }
}
