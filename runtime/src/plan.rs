//! Plans: a readable description of what a kernel does.

use std::fmt;

use crate::model::kernel::{CaptureKind, Kernel, Loop, PlanGroup, PlanNode};
use anabranch_core::facts::Access;

/// The structure of a kernel: its loops, its groups, and the host control flow around them.
///
/// `Display` prints it as a tree; the alternate form `{:#}` adds the accesses of each loop.
#[derive(Clone, Copy)]
pub struct Plan {
    kernel: &'static Kernel,
}

impl Plan {
    pub(crate) fn new(kernel: &'static Kernel) -> Self {
        Self { kernel }
    }

    /// Returns the kernel's name.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name
    }

    /// Returns the number of `par` loops.
    pub fn loops(&self) -> usize {
        self.kernel.loops.len()
    }

    /// Returns the accesses to buffer elements, loop by loop, in source order.
    pub fn accesses(&self) -> impl Iterator<Item = PlanAccess> {
        self.kernel.loops.iter().flat_map(accesses)
    }

    /// Returns the maximum number of groups that can run at the same time. A launch uses at most as many pooled streams.
    pub fn streams(&self) -> usize {
        streams(self.kernel.plan)
    }
}

/// An access of a `par` loop to elements of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanAccess {
    /// The access as written in the source, such as `x[i + 1]`.
    pub access: &'static str,
    /// Whether the access writes. Atomic operations count as writes.
    pub writes: bool,
    /// Where the access is checked to be in bounds.
    pub bounds: Bounds,
    /// The head of the loop.
    pub header: &'static str,
    /// Line in the kernel's file, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// Where an access is checked to be in bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// At compile time: the access is proven to be in bounds.
    Proved,
    /// At the launch, once for the whole loop, from lengths and host values. If the launch cannot decide, the loop runs with checks.
    Launch,
    /// On the device, at every use, because nothing limits the index before the loop runs. This does not affect the other accesses
    /// of the loop.
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

fn accesses(par_loop: &'static Loop) -> impl Iterator<Item = PlanAccess> {
    par_loop.judge.facts().into_iter().flat_map(|facts| &facts.accesses).map(|access| PlanAccess {
        access: &access.text,
        writes: access.write || par_loop.captures.get(access.view).is_some_and(|c| c.kind == CaptureKind::Atomic),
        bounds: match access {
            Access { proved: true, .. } => Bounds::Proved,
            Access { decided: true, .. } => Bounds::Launch,
            Access { .. } => Bounds::Device,
        },
        header: par_loop.header,
        line: access.line,
        column: access.column,
    })
}

fn streams(nodes: &[PlanNode]) -> usize {
    let of = |node: &PlanNode| match node {
        PlanNode::Loop(_) => 0,
        // A group that forks holds its own stream during the fork.
        PlanNode::Parallel { groups, .. } => groups.iter().map(|group| 1 + streams(group.nodes)).sum(),
        PlanNode::Host { nodes, .. } => streams(nodes),
    };
    nodes.iter().map(of).max().unwrap_or(0)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kernel { name, file, line, plan, .. } = self.kernel;
        writeln!(f, "kernel {name}  {file}:{line}")?;
        self.nodes(f, plan, "")
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("kernel", &self.kernel()).field("loops", &self.loops()).finish_non_exhaustive()
    }
}

impl Plan {
    fn nodes(&self, f: &mut fmt::Formatter<'_>, nodes: &[PlanNode], indent: &str) -> fmt::Result {
        for (at, node) in nodes.iter().enumerate() {
            let (branch, below) = branches(indent, at + 1 == nodes.len());
            match node {
                PlanNode::Loop(index) => {
                    let Some(par_loop) = self.kernel.loops.get(*index) else { continue };
                    let uses = |wanted: CaptureKind, verb: &str| {
                        let names: Vec<&str> =
                            par_loop.captures.iter().filter(|c| c.kind == wanted).map(|c| c.name).collect();
                        if names.is_empty() { String::new() } else { format!("  {verb} {}", names.join(", ")) }
                    };
                    let (reads, writes) = (uses(CaptureKind::Read, "reads"), uses(CaptureKind::Write, "writes"));
                    let atomics = uses(CaptureKind::Atomic, "shares");
                    writeln!(
                        f,
                        "{branch}{}  line {}, {} threads a block{reads}{writes}{atomics}",
                        par_loop.header, par_loop.line, par_loop.block
                    )?;
                    let listed = f.alternate();
                    for PlanAccess { access, writes, bounds, .. } in accesses(par_loop).filter(|_| listed) {
                        writeln!(f, "{below}{access}  {}, {bounds}", if writes { "written" } else { "read" })?;
                    }
                }
                PlanNode::Parallel { line, groups } => {
                    let groups_word = if groups.len() == 1 { "group" } else { "groups" };
                    writeln!(f, "{branch}stream_parallel  line {line}, {} {groups_word}", groups.len())?;
                    self.groups(f, groups, &below)?;
                }
                PlanNode::Host { what, line, nodes } => {
                    writeln!(f, "{branch}{what}  line {line}")?;
                    self.nodes(f, nodes, &below)?;
                }
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
            self.nodes(f, nodes, &below)?;
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
