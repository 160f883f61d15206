//! A plan as a drawing: loops and library kernels as boxes, groups, calls and host control flow as
//! frames around them, the order as arrows.

use std::fmt::Write as _;

use super::{Place, Plan, uses};
use crate::model::kernel::{Loop, PlanGroup, PlanNode};

impl Plan {
    /// Returns the plan in the DOT language of [Graphviz](https://graphviz.org); draw it with
    /// `dot -Tsvg`. Groups are clusters.
    pub fn to_dot(&self) -> String {
        self.draw(&Dot)
    }

    /// Returns the plan as a [Mermaid](https://mermaid.js.org) flowchart, which GitHub draws in a
    /// code block `mermaid`. Groups are subgraphs.
    pub fn to_mermaid(&self) -> String {
        self.draw(&Mermaid)
    }

    fn draw(&self, syntax: &dyn Syntax) -> String {
        let mut drawing = Drawing { syntax, text: String::new(), edges: Vec::new(), boxes: 0, frames: 0, depth: 1 };
        let place = Place { instance: self.instance, outer: None };
        drawing.nodes(place, self.instance.kernel.plan, Vec::new());
        let Drawing { mut text, edges, .. } = drawing;
        for (from, to) in edges {
            text.push_str(&syntax.edge(from, to));
        }
        syntax.whole(self.kernel(), &text)
    }
}

/// A language of drawings. Each function returns whole lines.
trait Syntax {
    fn whole(&self, title: &str, body: &str) -> String;
    fn node(&self, number: usize, lines: &[&str]) -> String;
    fn edge(&self, from: usize, to: usize) -> String;
    fn open(&self, number: usize, title: &str) -> String;
    fn close(&self) -> &'static str;
}

struct Dot;

impl Syntax for Dot {
    fn whole(&self, title: &str, body: &str) -> String {
        format!(
            "digraph {{\n    label=\"kernel {}\"\n    labelloc=t\n    fontname=monospace\n    node [shape=box fontname=monospace]\n{body}}}\n",
            quoted(title)
        )
    }
    fn node(&self, number: usize, lines: &[&str]) -> String {
        let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
        format!("n{number} [label=\"{}\"]\n", lines.join("\\n"))
    }
    fn edge(&self, from: usize, to: usize) -> String {
        format!("    n{from} -> n{to}\n")
    }
    fn open(&self, number: usize, title: &str) -> String {
        format!("subgraph cluster_{number} {{ label=\"{}\"\n", quoted(title))
    }
    fn close(&self) -> &'static str {
        "}\n"
    }
}

/// The text between quotation marks.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}

struct Mermaid;

impl Syntax for Mermaid {
    fn whole(&self, title: &str, body: &str) -> String {
        // A title is YAML, in which a name of Rust needs no quotation marks.
        format!("---\ntitle: kernel {title}\n---\nflowchart TD\n{body}")
    }
    fn node(&self, number: usize, lines: &[&str]) -> String {
        let lines: Vec<String> = lines.iter().map(|line| entities(line)).collect();
        format!("n{number}[\"{}\"]\n", lines.join("<br>"))
    }
    fn edge(&self, from: usize, to: usize) -> String {
        format!("    n{from} --> n{to}\n")
    }
    fn open(&self, number: usize, title: &str) -> String {
        format!("subgraph g{number}[\"{}\"]\n", entities(title))
    }
    fn close(&self) -> &'static str {
        "end\n"
    }
}

/// Letters, digits and harmless signs as they are, all others by their numbers.
fn entities(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match c {
            '\n' => out.push(' '),
            c if c.is_alphanumeric() || " _.,:()[]'+-=*/".contains(c) => out.push(c),
            c => {
                let _ = write!(out, "#{};", u32::from(c)); // writing to a string does not fail
            }
        }
        out
    })
}

struct Drawing<'s> {
    syntax: &'s dyn Syntax,
    text: String,
    edges: Vec<(usize, usize)>,
    boxes: usize,
    frames: usize,
    depth: usize,
}

impl Drawing<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.depth));
        self.text.push_str(line);
    }

    /// Draws nodes that run after the boxes `before`. Returns the boxes that end last.
    fn nodes(&mut self, place: Place<'_>, nodes: &[PlanNode], mut before: Vec<usize>) -> Vec<usize> {
        for node in nodes {
            before = self.node(place, node, before);
        }
        before
    }

    fn node(&mut self, place: Place<'_>, node: &PlanNode, before: Vec<usize>) -> Vec<usize> {
        let kernel = place.instance.kernel;
        match node {
            PlanNode::Loop(index) => {
                let Some(Loop { header, line, captures, .. }) = kernel.loops.get(*index) else { return before };
                let (name, place) = (format!("{}.par#{}", kernel.name, index + 1), format!("line {line}"));
                self.node_box(&[&name, header, uses(captures).trim_start(), &place], &before)
            }
            PlanNode::Library { line, uses: of } => {
                let place = format!("library, line {line}");
                self.node_box(&[kernel.name, uses(of).trim_start(), &place], &before)
            }
            PlanNode::Parallel { groups, .. } => {
                let mut ends = Vec::new();
                for (number, PlanGroup { label, nodes, .. }) in groups.iter().enumerate() {
                    let title = label.map_or_else(|| format!("group {}", number + 1), |label| format!("'{label}"));
                    let of_group = self.frame(&title, |drawing| drawing.nodes(place, nodes, before.clone()));
                    ends.extend(of_group.into_iter().filter(|end| !ends.contains(end)).collect::<Vec<_>>());
                }
                // A group without work ends where it began, which other groups come after anyway.
                let worked: Vec<usize> = ends.iter().copied().filter(|end| !before.contains(end)).collect();
                if worked.is_empty() { before } else { worked }
            }
            PlanNode::Call { index, what, .. } => match place.called(*index) {
                Some(called) if !called.is_above() => {
                    self.frame(what, |drawing| drawing.nodes(called, called.instance.kernel.plan, before))
                }
                _ => self.node_box(&[what, "(as above)"], &before),
            },
            PlanNode::Host { what, nodes, .. } => self.frame(what, |drawing| drawing.nodes(place, nodes, before)),
        }
    }

    fn node_box(&mut self, lines: &[&str], before: &[usize]) -> Vec<usize> {
        let number = self.boxes;
        self.boxes += 1;
        let lines: Vec<&str> = lines.iter().copied().filter(|line| !line.is_empty()).collect();
        self.line(&self.syntax.node(number, &lines));
        self.edges.extend(before.iter().map(|&from| (from, number)));
        vec![number]
    }

    fn frame(&mut self, title: &str, inside: impl FnOnce(&mut Self) -> Vec<usize>) -> Vec<usize> {
        self.frames += 1;
        self.line(&self.syntax.open(self.frames, title));
        self.depth += 1;
        let ends = inside(self);
        self.depth -= 1;
        self.line(self.syntax.close());
        ends
    }
}
