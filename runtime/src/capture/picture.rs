//! What a graph consists of, and what comes after what.

use std::fmt::Write as _;

use crate::model::kernel::{Kernel, Loop};

/// Numbers about a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphStats {
    /// Pieces of work: loops, fills and copies. A loop of no iterations is none.
    pub nodes: usize,
    /// Pairs of nodes of which one starts behind the other, without those that follow from others.
    pub edges: usize,
    /// The nodes that are `par` loops.
    pub sub_kernels: usize,
}

/// A piece of work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// A `par` loop.
    Loop(&'static Kernel, &'static Loop),
    /// So many bytes set to a value.
    Fill(usize),
    /// So many bytes copied on the device.
    Copy(usize),
}

#[derive(Debug)]
struct Node {
    work: Work,
    after: Vec<usize>,
}

/// Follows a capture: for each lane (the stream, and each group that is open) the nodes that its next one comes after.
#[derive(Debug)]
pub(crate) struct Picture {
    nodes: Vec<Node>,
    lanes: Vec<Lane>,
}

/// A stream. Threads may launch side by side, and host parts launch, so that forks need not be closed in the order of their opening.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// What its next node comes after.
    ends: Vec<usize>,
    /// What they were where it was forked.
    begin: Vec<usize>,
}

impl Picture {
    /// Nothing yet; lane 0 is the stream.
    pub(crate) fn new() -> Self {
        Self { nodes: Vec::new(), lanes: vec![Lane::default()] }
    }

    pub(crate) fn add(&mut self, lane: usize, work: Work) {
        let number = self.nodes.len();
        if let Some(lane) = self.lanes.get_mut(lane) {
            self.nodes.push(Node { work, after: std::mem::replace(&mut lane.ends, vec![number]) });
        }
    }

    /// Opens so many groups behind a lane; the number of the first.
    pub(crate) fn fork(&mut self, parent: usize, groups: usize) -> usize {
        let ends = self.lanes.get(parent).map(|lane| lane.ends.clone()).unwrap_or_default();
        let first = self.lanes.len();
        self.lanes.extend(std::iter::repeat_n(Lane { begin: ends.clone(), ends }, groups));
        first
    }

    /// Closes the groups: the lane goes on behind all of them.
    pub(crate) fn join(&mut self, parent: usize, first: usize, groups: usize) {
        // A group without work ends where it began, and the others are behind that; so is the parent, if something was added to it.
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

    /// In the language of Graphviz.
    pub(crate) fn dot(&self) -> String {
        let mut text = String::from("digraph {\n    node [shape=box fontname=monospace]\n");
        for (number, node) in self.nodes.iter().enumerate() {
            let label = match node.work {
                Work::Loop(kernel, looped) => {
                    let group = looped.group.map(|group| format!("in group '{group}, ")).unwrap_or_default();
                    format!("{}\n{}\n{group}line {}", kernel.name, looped.header, looped.line)
                }
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
