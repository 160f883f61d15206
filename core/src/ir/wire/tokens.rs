//! How a token is written: a line, a name, a member, or that there is one.

use super::Written;
use crate::ir::Expr;
use crate::ir::code::{Bare, Line};
use crate::wire::{Decode, Decoder, Encode, Encoder};

pub(super) mod span {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(span: &S::Span, to: &mut Encoder) {
        let (file, line) = S::line(*span);
        let at = to.files.iter().position(|known| *known == file).unwrap_or_else(|| {
            to.files.push(file);
            to.files.len() - 1
        });
        at.encode(to);
        line.encode(to);
    }

    pub(in crate::ir::wire) fn decode(from: &mut Decoder<'_>) -> Option<Line> {
        Some(Line { file: usize::decode(from)?, line: u32::decode(from)? })
    }
}

pub(super) mod name {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(name: &S::Name, to: &mut Encoder) {
        S::name(name).encode(to);
    }

    pub(in crate::ir::wire) fn decode(from: &mut Decoder<'_>) -> Option<String> {
        String::decode(from)
    }
}

pub(super) mod member {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(member: &S::Member, to: &mut Encoder) {
        S::member(member).encode(to);
    }

    pub(in crate::ir::wire) fn decode(from: &mut Decoder<'_>) -> Option<String> {
        String::decode(from)
    }
}

/// Values by their members.
pub(super) mod members {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(members: &[(S::Member, impl Encode)], to: &mut Encoder) {
        members.len().encode(to);
        for (member, value) in members {
            member::encode::<S>(member, to);
            value.encode(to);
        }
    }

    pub(in crate::ir::wire) fn decode<T: Decode>(from: &mut Decoder<'_>) -> Option<Vec<(String, T)>> {
        Vec::decode(from)
    }
}

/// Values that have names, which C++ does not need.
pub(super) mod named {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(values: &[(S::Name, Expr<S>)], to: &mut Encoder) {
        values.len().encode(to);
        values.iter().for_each(|(_, value)| value.encode(to));
    }

    pub(in crate::ir::wire) fn decode(from: &mut Decoder<'_>) -> Option<Vec<(String, Expr<Bare>)>> {
        Some(Vec::decode(from)?.into_iter().map(|value| (String::new(), value)).collect())
    }
}

/// Whether there is a type.
pub(super) mod present {
    use super::*;

    pub(in crate::ir::wire) fn encode<S: Written>(ty: &Option<Box<S::Type>>, to: &mut Encoder) {
        ty.is_some().encode(to);
    }

    pub(in crate::ir::wire) fn decode(from: &mut Decoder<'_>) -> Option<Option<Box<()>>> {
        bool::decode(from).map(|there| there.then(Box::default))
    }
}
