//! C++ text with holes.

use anabranch_core::ops::{BinOp, CompareOp, UnOp};
use anabranch_core::template::{self, Binary, Method, Told};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;

use crate::ir::{SiteId, SlotId};
use crate::names::{file_name, place, variant};

/// A part of a text.
pub(crate) type Node = template::Node<String, Text>;

/// A sequence of nodes.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Text(Vec<Node>);

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends literal text.
    pub(crate) fn text(mut self, text: impl AsRef<str>) -> Self {
        match self.0.last_mut() {
            Some(Node::Text(last)) => last.push_str(text.as_ref()),
            _ if text.as_ref().is_empty() => {}
            _ => self.0.push(Node::Text(text.as_ref().to_owned())),
        }
        self
    }

    /// Appends lines of C++ that come from a line of the source.
    pub(super) fn line(mut self, span: Span) -> Self {
        if let Some(Node::Line(..)) = self.0.last() {
            self.0.pop();
        }
        let ((line, _), file) = (place(span), file_name(span));
        self.hole(Node::Line(line, file))
    }

    /// Appends a hole.
    pub(crate) fn hole(mut self, node: Node) -> Self {
        self.0.push(node);
        self
    }

    /// Appends another text.
    pub(crate) fn then(self, other: Text) -> Self {
        other.0.into_iter().fold(self, |all, node| match node {
            Node::Text(text) => all.text(text),
            hole => all.hole(hole),
        })
    }

    /// The texts, separated by `, `.
    pub(crate) fn list(texts: impl IntoIterator<Item = Text>) -> Self {
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

    /// As constant data: `Template(&[Node::Text("…"), …])`.
    pub(crate) fn tokens(&self, private: &TokenStream) -> TokenStream {
        let nodes = self.0.iter().map(|node| {
            let node = one(node, private);
            quote!(#private::data::Node::#node)
        });
        quote!(#private::data::Template(&[#(#nodes),*]))
    }

    #[cfg(test)]
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::new().text(text)
    }
}

fn one(node: &Node, private: &TokenStream) -> TokenStream {
    let number = |number: &u32| Literal::u32_unsuffixed(*number);
    match node {
        Node::Text(text) => quote!(Text(#text)),
        Node::Line(line, file) => {
            let line = number(line);
            quote!(Line(#line, #file))
        }
        Node::Type(slot) => {
            let slot = number(slot);
            quote!(Type(#slot))
        }
        Node::Captured(capture) => {
            let capture = number(capture);
            quote!(Captured(#capture))
        }
        Node::Parameter(capture, name, packed) => {
            let capture = number(capture);
            quote!(Parameter(#capture, #name, #packed))
        }
        Node::Unpack(capture, name, packed) => {
            let capture = number(capture);
            quote!(Unpack(#capture, #name, #packed))
        }
        Node::Narrow(capture, name) => {
            let capture = number(capture);
            quote!(Narrow(#capture, #name))
        }
        Node::Int(slot, digits) => {
            let slot = number(slot);
            quote!(Int(#slot, #digits))
        }
        Node::Float(slot, digits) => {
            let slot = number(slot);
            quote!(Float(#slot, #digits))
        }
        Node::Unary(op, slot, operand) => {
            let (op, slot, operand) = (variant(op.variant()), number(slot), operand.tokens(private));
            quote!(Unary(#private::data::UnOp::#op, #slot, #operand))
        }
        Node::Binary(Binary { op, assigns, slot, site }, lhs, rhs) => {
            let (op, slot) = (variant(op.variant()), number(slot));
            let site = optional(*site, private);
            let (lhs, rhs) = (lhs.tokens(private), rhs.tokens(private));
            quote! {
                Binary(
                    #private::data::Binary { op: #private::data::BinOp::#op, assigns: #assigns, slot: #slot, site: #site },
                    #lhs,
                    #rhs
                )
            }
        }
        Node::Chosen(slot, value) => {
            let (slot, value) = (number(slot), value.tokens(private));
            quote!(Chosen(#slot, #value))
        }
        Node::Compare(op, slot, lhs, rhs) => {
            let (op, slot) = (variant(op.variant()), number(slot));
            let (lhs, rhs) = (lhs.tokens(private), rhs.tokens(private));
            quote!(Compare(#private::data::CompareOp::#op, #slot, #lhs, #rhs))
        }
        Node::Element(slot, site, base, index) => {
            let (slot, site) = (number(slot), number(site));
            let (base, index) = (base.tokens(private), index.tokens(private));
            quote!(Element(#slot, #site, #base, #index))
        }
        Node::Within(slot, site, base, index) => {
            let (slot, site) = (number(slot), number(site));
            let (base, index) = (base.tokens(private), index.tokens(private));
            quote!(Within(#slot, #site, #base, #index))
        }
        Node::Make(slot, base, members) => {
            let (slot, base, members) = (number(slot), base.tokens(private), members.tokens(private));
            quote!(Make(#slot, #base, #members))
        }
        Node::Member(name, value) => {
            let value = value.tokens(private);
            quote!(Member(#name, #value))
        }
        Node::Part(slot, name, place) => {
            let (slot, place) = (number(slot), place.tokens(private));
            quote!(Part(#slot, #name, #place))
        }
        Node::PartFromLast(slot, from_last, place) => {
            let (slot, from_last, place) = (number(slot), number(from_last), place.tokens(private));
            quote!(PartFromLast(#slot, #from_last, #place))
        }
        Node::All(tests) => {
            let tests = tests.tokens(private);
            quote!(All(#tests))
        }
        Node::Test(test) => {
            let test = test.tokens(private);
            quote!(Test(#test))
        }
        Node::Is(slot, place) => {
            let (slot, place) = (number(slot), place.tokens(private));
            quote!(Is(#slot, #place))
        }
        Node::Propagate(slots, name) => {
            let slots = slots.iter().map(number);
            quote!(Propagate([#(#slots),*], #name))
        }
        Node::Answer(slot, name) => {
            let slot = number(slot);
            quote!(Answer(#slot, #name))
        }
        Node::Constant(slot) => {
            let slot = number(slot);
            quote!(Constant(#slot))
        }
        Node::Site(site) => {
            let site = number(site);
            quote!(Site(#site))
        }
        Node::Call(slot) => {
            let slot = number(slot);
            quote!(Call(#slot))
        }
        Node::Told(called) => {
            let called = told(*called, private);
            quote!(Told(#called))
        }
        Node::NarrowArgument(called, param, value) => {
            let (called, param, value) = (told(*called, private), number(param), value.tokens(private));
            quote!(NarrowArgument(#called, #param, #value))
        }
        Node::NarrowResult(slot, args, wide) => {
            let (slot, args, wide) = (number(slot), args.tokens(private), wide.tokens(private));
            quote!(NarrowResult(#slot, #args, #wide))
        }
        Node::Method(called, name, receiver, args) => {
            let called = method(*called, private);
            let (receiver, args) = (receiver.tokens(private), args.tokens(private));
            quote!(Method(#called, #name, #receiver, #args))
        }
        Node::Bind(called) => {
            let called = method(*called, private);
            quote!(Bind(#called))
        }
        Node::At => quote!(At),
        Node::Own => quote!(Own),
        Node::LeaveIfFailed(leave) => {
            let leave = leave.tokens(private);
            quote!(LeaveIfFailed(#leave))
        }
        Node::Either(decided, checked) => {
            let (decided, checked) = (decided.tokens(private), checked.tokens(private));
            quote!(Either(#decided, #checked))
        }
        Node::InOneGrid(whole, part) => {
            let (whole, part) = (whole.tokens(private), part.tokens(private));
            quote!(InOneGrid(#whole, #part))
        }
    }
}

fn told(Told { slot, unlimited }: Told, private: &TokenStream) -> TokenStream {
    let (slot, unlimited) = (Literal::u32_unsuffixed(slot), Literal::u64_unsuffixed(unlimited));
    quote!(#private::data::Told { slot: #slot, unlimited: #unlimited })
}

fn method(Method { slot, site, place, changing }: Method, private: &TokenStream) -> TokenStream {
    let (slot, site) = (Literal::u32_unsuffixed(slot), optional(site, private));
    quote!(#private::data::Method { slot: #slot, site: #site, place: #place, changing: #changing })
}

fn optional(site: Option<u32>, private: &TokenStream) -> TokenStream {
    match site.map(Literal::u32_unsuffixed) {
        Some(site) => quote!(#private::rust::Some(#site)),
        None => quote!(#private::rust::None),
    }
}
