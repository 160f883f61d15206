//! The nodes and edges of a graph, for its statistics and its drawing.

use std::fmt::Write as _;

use crate::model::kernel::{Kernel, Loop};

/// The size of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphStats {
    /// Number of nodes: loops, fills, copies and library kernels, however much work a library
    /// queues. A loop without iterations is not a node.
    pub nodes: usize,
    /// Number of edges. An edge means that one node starts after another. Edges that follow from
    /// other edges are not counted.
    pub edges: usize,
    /// Number of nodes that are `par` loops.
    pub sub_kernels: usize,
}

/// The work of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// A `par` loop.
    Loop(&'static Kernel, &'static Loop),
    /// What the body of a library kernel queues.
    Library(&'static Kernel),
    /// A fill of this many bytes.
    Fill(usize),
    /// A copy of this many bytes on the device.
    Copy(usize),
}

#[derive(Debug)]
struct Node {
    work: Work,
    after: Vec<usize>,
}

/// Builds the graph during a capture. For each lane (the stream, and each open group) it keeps the
/// nodes that precede the next node.
#[derive(Debug)]
pub(crate) struct Picture {
    nodes: Vec<Node>,
    lanes: Vec<Lane>,
}

/// A stream. Several threads may launch at the same time, and host parts may launch too, so forks
/// can end in any order.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// The nodes that precede its next node.
    ends: Vec<usize>,
    /// The value of `ends` at the fork.
    begin: Vec<usize>,
}

impl Picture {
    /// An empty graph; lane 0 is the stream.
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), lanes: vec![Lane::default()] }
    }

    pub(crate) fn add(&mut self, lane: usize, work: Work) {
        let number = self.nodes.len();
        if let Some(lane) = self.lanes.get_mut(lane) {
            self.nodes.push(Node { work, after: std::mem::replace(&mut lane.ends, vec![number]) });
        }
    }

    /// Forks a lane into `groups` lanes and returns the number of the first.
    pub(crate) fn fork(&mut self, parent: usize, groups: usize) -> usize {
        let ends = self.lanes.get(parent).map(|lane| lane.ends.clone()).unwrap_or_default();
        let first = self.lanes.len();
        self.lanes.extend(std::iter::repeat_n(Lane { begin: ends.clone(), ends }, groups));
        first
    }

    /// Joins the groups: the next node of the parent lane comes after all of them.
    pub(crate) fn join(&mut self, parent: usize, first: usize, groups: usize) {
        // A group without work ends where it began. The other groups come after that point, and so
        // does work that was added to the parent.
        let worked = |lane: &&Lane| lane.ends != lane.begin;
        let mut ends: Vec<usize> =
            self.lanes.iter().skip(first).take(groups).filter(worked).flat_map(|lane| lane.ends.clone()).collect();
        let begin = self.lanes.get(first).map(|lane| lane.begin.clone());
        if let (Some(parent), Some(begin), false) = (self.lanes.get_mut(parent), begin, ends.is_empty()) {
            ends.extend(parent.ends.iter().filter(|end| !begin.contains(end)));
            parent.ends = ends;
        }
    }

    pub(crate) fn stats(&self) -> GraphStats {
        GraphStats {
            nodes: self.nodes.len(),
            edges: self.nodes.iter().map(|node| node.after.len()).sum(),
            sub_kernels: self.nodes.iter().filter(|node| matches!(node.work, Work::Loop(..))).count(),
        }
    }

    /// The number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The graph in the DOT language of Graphviz.
    pub(crate) fn dot(&self) -> String {
        let mut text = String::from("digraph {\n    node [shape=box fontname=monospace]\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let label = match node.work {
                Work::Loop(kernel, par_loop) => {
                    let group = par_loop.group.map(|group| format!("in group '{group}, ")).unwrap_or_default();
                    format!("{}\n{}\n{group}line {}", kernel.name, par_loop.header, par_loop.line)
                }
                Work::Library(kernel) => format!("{}\nlibrary, line {}", kernel.name, kernel.line),
                Work::Fill(bytes) => format!("fill {bytes} bytes"),
                Work::Copy(bytes) => format!("copy {bytes} bytes"),
            };
            let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = writeln!(text, "    n{number} [label=\"{label}\"]");
        }
        for (number, node) in self.nodes.iter().enumerate() {
            for earlier in &node.after {
                let _ = writeln!(text, "    n{earlier} -> n{number}");
            }
        }
        text + "}\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_between_what_stands_around_them() {
        let mut picture = Picture::new();
        picture.add(0, Work::Fill(1));
        let first = picture.fork(0, 3);
        picture.add(first, Work::Fill(2));
        picture.add(first, Work::Fill(3));
        let nested = picture.fork(first + 1, 2);
        picture.add(nested, Work::Fill(4));
        picture.add(nested + 1, Work::Fill(5));
        picture.join(first + 1, nested, 2);
        // The third group is empty.
        picture.join(0, first, 3);
        picture.add(0, Work::Fill(6));
        let dot = picture.dot();
        let edges: Vec<&str> = dot.lines().filter(|line| line.contains("->")).map(str::trim).collect();
        assert_eq!(edges, ["n0 -> n1", "n1 -> n2", "n0 -> n3", "n0 -> n4", "n2 -> n5", "n3 -> n5", "n4 -> n5"]);
        assert_eq!(picture.stats(), GraphStats { nodes: 6, edges: 7, sub_kernels: 0 });
    }

    #[test]
    fn forks_of_two_threads_interleave() {
        let mut picture = Picture::new();
        let one = picture.fork(0, 1);
        let two = picture.fork(0, 1);
        picture.join(0, one, 1);
        picture.add(two, Work::Fill(1));
        picture.add(0, Work::Fill(2));
        picture.join(0, two, 1);
        picture.add(0, Work::Fill(3));
        assert_eq!(picture.stats(), GraphStats { nodes: 3, edges: 2, sub_kernels: 0 }, "{}", picture.dot());
    }

    #[test]
    fn empty_groups_order_nothing() {
        let mut picture = Picture::new();
        picture.add(0, Work::Fill(1));
        let first = picture.fork(0, 2);
        picture.join(0, first, 2);
        picture.add(0, Work::Fill(2));
        assert!(picture.dot().contains("n0 -> n1\n}"), "{}", picture.dot());
    }
}
