//! Numbers, texts, lists, and what consists of them, as bytes: generated code holds the facts and
//! the tree of a loop as literals.
//!
//! A number is written seven bits at a time, a choice as a byte, a list after its length. There is
//! no version: both sides are of one version of this crate. What is read never costs more memory
//! than a fixed number of times the length of the bytes.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits::MAX_NESTING;

/// Bytes that are written.
#[derive(Default)]
pub(crate) struct Encoder {
    pub(crate) bytes: Vec<u8>,
    /// The files of spans, by their numbers.
    pub(crate) files: Vec<String>,
    /// The expressions so far, with their numbers in the order in which they are written.
    pub(crate) exprs: BTreeMap<u64, u64>,
}

/// Bytes that are read.
pub(crate) struct Decoder<'b> {
    /// What is left.
    pub(crate) bytes: &'b [u8],
    /// Enums around, of those that can be in each other.
    pub(crate) levels: usize,
    /// How many expressions there were.
    pub(crate) exprs: u64,
}

impl<'b> Decoder<'b> {
    /// Reads all of the bytes.
    pub(crate) fn all<T>(bytes: &'b [u8], read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut from = Self { bytes, levels: 0, exprs: 0 };
        read(&mut from).filter(|_| from.bytes.is_empty())
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    /// Reads something that can be in another one of its kind: nested too deep, it is refused.
    pub(crate) fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.levels > MAX_NESTING {
            return None;
        }
        self.levels += 1;
        let value = read(self);
        self.levels -= 1;
        value
    }
}

/// What can be written as bytes: one at least, so that a list has no more items than there are
/// bytes.
pub(crate) trait Encode {
    fn encode(&self, to: &mut Encoder);
}

/// What can be read from the bytes of an [`Encode`].
pub(crate) trait Decode: Sized {
    fn decode(from: &mut Decoder<'_>) -> Option<Self>;
}

impl Encode for u64 {
    fn encode(&self, to: &mut Encoder) {
        let mut rest = *self;
        while rest >= 0x80 {
            to.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        to.bytes.push(rest as u8);
    }
}

impl Decode for u64 {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = from.byte()?;
            let bits = u64::from(byte & 0x7f);
            number |= bits << shift;
            if byte < 0x80 {
                return (number >> shift == bits).then_some(number);
            }
        }
        None
    }
}

/// Numbers that are written as a `u64`.
macro_rules! numbers {
    ($($Number:ty),*) => { $(
        impl Encode for $Number {
            fn encode(&self, to: &mut Encoder) {
                (*self as u64).encode(to);
            }
        }

        impl Decode for $Number {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                Self::try_from(u64::decode(from)?).ok()
            }
        }
    )* };
}
numbers!(usize, u32);

impl Encode for i64 {
    /// Small ones of both signs are short: 0, -1, 1, -2, …
    fn encode(&self, to: &mut Encoder) {
        ((self << 1) ^ (self >> 63)).cast_unsigned().encode(to);
    }
}

impl Decode for i64 {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let number = u64::decode(from)?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

impl Encode for bool {
    fn encode(&self, to: &mut Encoder) {
        to.bytes.push(u8::from(*self));
    }
}

impl Decode for bool {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, to: &mut Encoder) {
        self.is_some().encode(to);
        self.iter().for_each(|value| value.encode(to));
    }
}

impl<T: Decode> Decode for Option<T> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(if bool::decode(from)? { Some(T::decode(from)?) } else { None })
    }
}

impl<T: Encode> Encode for [T] {
    fn encode(&self, to: &mut Encoder) {
        self.len().encode(to);
        self.iter().for_each(|item| item.encode(to));
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, to: &mut Encoder) {
        self.as_slice().encode(to);
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let count = usize::decode(from)?;
        // Memory comes with what is read, not with what the length promises.
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(T::decode(from)?);
        }
        Some(items)
    }
}

impl Encode for String {
    fn encode(&self, to: &mut Encoder) {
        self.len().encode(to);
        to.bytes.extend_from_slice(self.as_bytes());
    }
}

impl Decode for String {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let count = usize::decode(from)?;
        let (text, rest) = from.bytes.split_at_checked(count)?;
        from.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, to: &mut Encoder) {
        T::encode(self, to);
    }
}

impl<T: Decode> Decode for Box<T> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        T::decode(from).map(Box::new)
    }
}

impl<A: Encode, B: Encode> Encode for (A, B) {
    fn encode(&self, to: &mut Encoder) {
        self.0.encode(to);
        self.1.encode(to);
    }
}

impl<A: Decode, B: Decode> Decode for (A, B) {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some((A::decode(from)?, B::decode(from)?))
    }
}

impl<T: Encode> Encode for BTreeSet<T> {
    fn encode(&self, to: &mut Encoder) {
        self.len().encode(to);
        self.iter().for_each(|item| item.encode(to));
    }
}

impl<T: Decode + Ord> Decode for BTreeSet<T> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(Vec::decode(from)?.into_iter().collect())
    }
}

impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    fn encode(&self, to: &mut Encoder) {
        self.len().encode(to);
        for (key, value) in self {
            key.encode(to);
            value.encode(to);
        }
    }
}

impl<K: Decode + Ord, V: Decode> Decode for BTreeMap<K, V> {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        Some(Vec::decode(from)?.into_iter().collect())
    }
}

/// Structures by their fields, and enums by the numbers and fields of their variants.
macro_rules! wire {
    ($(struct $Name:ident $fields:tt)*) => { $(
        impl Encode for $Name {
            fn encode(&self, to: &mut Encoder) {
                let Self $fields = self;
                fields!(encode to, $fields);
            }
        }

        impl Decode for $Name {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                fields!(decode from, $fields);
                Some(Self $fields)
            }
        }
    )* };
    ($(enum $Name:ident { $($number:literal => $Variant:ident $fields:tt)* })*) => { $(
        impl Encode for $Name {
            fn encode(&self, to: &mut Encoder) {
                match self {
                    $(Self::$Variant $fields => {
                        to.bytes.push($number);
                        fields!(encode to, $fields);
                    })*
                }
            }
        }

        impl Decode for $Name {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                from.inside(|from| match from.byte()? {
                    $($number => {
                        fields!(decode from, $fields);
                        Some(Self::$Variant $fields)
                    })*
                    _ => None,
                })
            }
        }
    )* };
    ($(plain $Name:ident)*) => { $(
        impl Encode for $Name {
            fn encode(&self, to: &mut Encoder) {
                to.bytes.push(*self as u8);
            }
        }

        impl Decode for $Name {
            fn decode(from: &mut Decoder<'_>) -> Option<Self> {
                Self::ALL.get(usize::from(from.byte()?)).copied()
            }
        }
    )* };
}

/// What a variant or a structure holds, in order.
macro_rules! fields {
    (encode $to:ident, { $($field:ident),* }) => { $($field.encode($to);)* };
    (encode $to:ident, ($($field:ident),*)) => { $($field.encode($to);)* };
    (decode $from:ident, { $($field:ident),* }) => { $(let $field = Decode::decode($from)?;)* };
    (decode $from:ident, ($($field:ident),*)) => { $(let $field = Decode::decode($from)?;)* };
}

pub(crate) use {fields, wire};
