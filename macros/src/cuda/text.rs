//! C++ text with holes. Mirrors `anabranch::private::kernel::Piece`, which documents the variants.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};

use crate::ir::{BinOp, CaptureId, SiteId, SlotId, UnOp};

/// A piece of a template.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Piece {
    Text(String),
    Type(SlotId),
    Captured(CaptureId),
    Parameter(CaptureId, String, String),
    Unpack(CaptureId, String, String),
    Int(SlotId, String),
    Float(SlotId, String),
    Open(BinOp, SlotId, Option<SiteId>),
    Mid(BinOp, SlotId),
    Close(BinOp, SlotId),
    OpenAssign(BinOp, SlotId, Option<SiteId>),
    MidAssign(BinOp, SlotId),
    CloseAssign(BinOp, SlotId),
    OpenUnary(UnOp, SlotId),
    CloseUnary(UnOp, SlotId),
    Constant(SlotId),
    Site(SiteId),
    Call(SlotId),
    Own,
    Either(Text, Text),
    InOneGrid(Text, Text),
}

/// A sequence of pieces.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Text(Vec<Piece>);

impl Text {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Appends literal text.
    pub(crate) fn text(mut self, text: impl AsRef<str>) -> Self {
        match self.0.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text.as_ref()),
            _ if text.as_ref().is_empty() => {}
            _ => self.0.push(Piece::Text(text.as_ref().to_owned())),
        }
        self
    }

    /// Appends a hole.
    pub(crate) fn hole(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }

    /// Appends another text.
    pub(crate) fn then(self, other: Text) -> Self {
        other.0.into_iter().fold(self, |all, piece| match piece {
            Piece::Text(text) => all.text(text),
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

    /// As constant data: `&[Piece::Text("…"), …]`.
    pub(crate) fn tokens(&self, private: &TokenStream) -> TokenStream {
        let pieces = self.0.iter().map(|piece| {
            let piece = one(piece, private);
            quote!(#private::Piece::#piece)
        });
        quote!(&[#(#pieces),*])
    }

    #[cfg(test)]
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text::new().text(text)
    }
}

fn one(piece: &Piece, private: &TokenStream) -> TokenStream {
    let bin = |op: &BinOp| {
        let op = format_ident!("{op:?}");
        quote!(#private::BinOp::#op)
    };
    let un = |op: &UnOp| {
        let op = format_ident!("{op:?}");
        quote!(#private::UnOp::#op)
    };
    match piece {
        Piece::Text(text) => quote!(Text(#text)),
        Piece::Type(slot) => quote!(Type(#slot)),
        Piece::Parameter(capture, name, packed) => quote!(Parameter(#capture, #name, #packed)),
        Piece::Unpack(capture, name, packed) => quote!(Unpack(#capture, #name, #packed)),
        Piece::Captured(capture) => quote!(Captured(#capture)),
        Piece::Int(slot, digits) => quote!(Int(#slot, #digits)),
        Piece::Float(slot, digits) => quote!(Float(#slot, #digits)),
        Piece::Open(op, slot, None) => {
            let op = bin(op);
            quote!(Open(#op, #slot))
        }
        Piece::Open(op, slot, Some(site)) => {
            let op = bin(op);
            quote!(OpenChecked(#op, #slot, #site))
        }
        Piece::Mid(op, slot) => {
            let op = bin(op);
            quote!(Mid(#op, #slot))
        }
        Piece::Close(op, slot) => {
            let op = bin(op);
            quote!(Close(#op, #slot))
        }
        Piece::OpenAssign(op, slot, None) => {
            let op = bin(op);
            quote!(OpenAssign(#op, #slot))
        }
        Piece::OpenAssign(op, slot, Some(site)) => {
            let op = bin(op);
            quote!(OpenAssignChecked(#op, #slot, #site))
        }
        Piece::MidAssign(op, slot) => {
            let op = bin(op);
            quote!(MidAssign(#op, #slot))
        }
        Piece::CloseAssign(op, slot) => {
            let op = bin(op);
            quote!(CloseAssign(#op, #slot))
        }
        Piece::OpenUnary(op, slot) => {
            let op = un(op);
            quote!(OpenUnary(#op, #slot))
        }
        Piece::CloseUnary(op, slot) => {
            let op = un(op);
            quote!(CloseUnary(#op, #slot))
        }
        Piece::Constant(slot) => quote!(Constant(#slot)),
        Piece::Site(site) => quote!(Site(#site)),
        Piece::Call(slot) => quote!(Call(#slot)),
        Piece::Own => quote!(Own),
        Piece::Either(decided, checked) => {
            let (decided, checked) = (decided.tokens(private), checked.tokens(private));
            quote!(Either(#decided, #checked))
        }
        Piece::InOneGrid(whole, part) => {
            let (whole, part) = (whole.tokens(private), part.tokens(private));
            quote!(InOneGrid(#whole, #part))
        }
    }
}

macro_rules! numbers {
    ($($id:ident + $first:literal),*) => { $(
        impl ToTokens for $id {
            fn to_tokens(&self, tokens: &mut TokenStream) {
                proc_macro2::Literal::usize_unsuffixed(self.0 + $first).to_tokens(tokens);
            }
        }
    )* };
}
// Sites are counted from 1: 0 means that nothing failed.
numbers!(SlotId + 0, CaptureId + 0, SiteId + 1);
