//! C++ text with holes.

use super::nodes::{SiteId, SlotId};
use super::{Binary, Node};
use crate::ops::{BinOp, CompareOp, UnOp};

/// A sequence of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text(Vec<Node>);

impl Text {
    /// No text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends literal text.
    pub fn text(mut self, text: impl AsRef<str>) -> Self {
        match self.0.last_mut() {
            Some(Node::Text(last)) => last.push_str(text.as_ref()),
            _ if text.as_ref().is_empty() => {}
            _ => self.0.push(Node::Text(text.as_ref().to_owned())),
        }
        self
    }

    /// Appends lines of C++ that come from a line of the source.
    pub(super) fn line(mut self, line: u32, file: String) -> Self {
        if let Some(Node::Line(..)) = self.0.last() {
            self.0.pop();
        }
        self.hole(Node::Line(line, file))
    }

    /// Appends a hole.
    pub fn hole(mut self, node: Node) -> Self {
        self.0.push(node);
        self
    }

    /// Appends another text.
    pub fn then(self, other: Text) -> Self {
        other.0.into_iter().fold(self, |all, node| match node {
            Node::Text(text) => all.text(text),
            hole => all.hole(hole),
        })
    }

    /// The texts, separated by `, `.
    pub fn list(texts: impl IntoIterator<Item = Text>) -> Self {
        texts.into_iter().enumerate().fold(
            Text::new(),
            |all, (at, text)| {
                if at > 0 { all.text(", ").then(text) } else { all.then(text) }
            },
        )
    }

    /// An operation on one value, which the runtime spells by its type.
    pub(super) fn unary(op: UnOp, slot: SlotId, operand: Text) -> Self {
        Text::new().hole(Node::Unary(op, slot.number(), operand))
    }

    /// An operation on two values of one type, which can fail where there is a site.
    pub(super) fn binary(op: BinOp, slot: SlotId, site: Option<SiteId>, lhs: Text, rhs: Text) -> Self {
        Self::operation(op, false, slot, site, lhs, rhs)
    }

    /// The same as a compound assignment to a place.
    pub(super) fn assignment(op: BinOp, slot: SlotId, site: Option<SiteId>, place: Text, value: Text) -> Self {
        Self::operation(op, true, slot, site, place, value)
    }

    /// A comparison.
    pub(super) fn comparison(op: CompareOp, slot: SlotId, lhs: Text, rhs: Text) -> Self {
        Text::new().hole(Node::Compare(op, slot.number(), lhs, rhs))
    }

    fn operation(op: BinOp, assigns: bool, slot: SlotId, site: Option<SiteId>, lhs: Text, rhs: Text) -> Self {
        let binary = Binary { op, assigns, slot: slot.number(), site: site.map(SiteId::number) };
        Text::new().hole(Node::Binary(binary, lhs, rhs))
    }

    /// Whether it has parts that depend on what the launch has decided.
    pub fn can_be_told(&self) -> bool {
        self.has(|node| matches!(node, Node::Either(..) | Node::Told(_) | Node::At))
    }

    /// Whether it has parts that depend on where the launch begins.
    pub fn begins(&self) -> bool {
        self.has(|node| matches!(node, Node::InOneGrid(..)))
    }

    /// Whether it, or a text in it, has a node for which `is_it` is true.
    fn has(&self, is_it: fn(&Node) -> bool) -> bool {
        self.0.iter().any(|node| is_it(node) || node.texts().into_iter().flatten().any(|inner| inner.has(is_it)))
    }

    /// Its nodes, in order.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::new().text(text)
    }
}
