//! Facts as bytes: generated code holds those of a loop as one literal, which the launch decodes once.
//!
//! A number is written seven bits at a time, a choice as a byte, a list after its length. There is no version: both sides are of
//! one version of this crate. Bytes that nobody has encoded are no facts, or some facts; they never cost more memory than a
//! fixed number of times their length, nor more stack than [`MAX_NESTING`] steps in each other.

use super::{
    Access, Argument, Call, Cast, Component, Condition, Facts, Form, Member, Part, Phase, Polynomial, Source, Step,
    Summary, Term, Value,
};
use crate::limits::MAX_NESTING;
use crate::ops::{Comparison, Operation};

/// The bytes of facts.
pub fn encode(facts: &Facts) -> Vec<u8> {
    let mut bytes = Vec::new();
    facts.write(&mut bytes);
    bytes
}

/// The facts that these bytes are. `None`: they are none, or are nested too deep.
pub fn decode(bytes: &[u8]) -> Option<Facts> {
    let mut from = Reader { bytes, levels: 0 };
    Facts::read(&mut from).filter(|_| from.bytes.is_empty())
}

/// The bytes of a function's summary.
pub fn encode_summary(summary: &Summary) -> Vec<u8> {
    let mut bytes = Vec::new();
    summary.write(&mut bytes);
    bytes
}

/// The summary that these bytes are, as [`decode`].
pub fn decode_summary(bytes: &[u8]) -> Option<Summary> {
    let mut from = Reader { bytes, levels: 0 };
    Summary::read(&mut from).filter(|_| from.bytes.is_empty())
}

struct Reader<'b> {
    /// What is left.
    bytes: &'b [u8],
    /// Enums around: only steps can be in each other.
    levels: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.levels > MAX_NESTING {
            return None;
        }
        self.levels += 1;
        let value = read(self);
        self.levels -= 1;
        value
    }
}

/// What can be written as bytes: one at least, so that a list has no more items than there are bytes.
trait Wire: Sized {
    fn write(&self, to: &mut Vec<u8>);
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

impl Wire for u64 {
    fn write(&self, to: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            to.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        to.push(rest as u8);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
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
        impl Wire for $Number {
            fn write(&self, to: &mut Vec<u8>) {
                (*self as u64).write(to);
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                Self::try_from(u64::read(from)?).ok()
            }
        }
    )* };
}
numbers!(usize, u32);

impl Wire for i64 {
    /// Small ones of both signs are short: 0, -1, 1, -2, …
    fn write(&self, to: &mut Vec<u8>) {
        ((self << 1) ^ (self >> 63)).cast_unsigned().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let number = u64::read(from)?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }
}

impl Wire for bool {
    fn write(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.is_some().write(to);
        self.iter().for_each(|value| value.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(if bool::read(from)? { Some(T::read(from)?) } else { None })
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let count = usize::read(from)?;
        // Memory comes with what is read, not with what the length promises.
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(T::read(from)?);
        }
        Some(items)
    }
}

impl Wire for String {
    fn write(&self, to: &mut Vec<u8>) {
        self.len().write(to);
        to.extend_from_slice(self.as_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let count = usize::read(from)?;
        let (text, rest) = from.bytes.split_at_checked(count)?;
        from.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }
}

impl Wire for Form {
    /// Where nothing has cancelled, the size follows from the value.
    fn write(&self, to: &mut Vec<u8>) {
        let Self { value, size, casts } = self;
        value.write(to);
        Some(size).filter(|size| **size != value.clone().magnitudes()).cloned().write(to);
        casts.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let value = Polynomial::read(from)?;
        let size = Option::read(from)?.unwrap_or_else(|| value.clone().magnitudes());
        Some(Self { value, size, casts: Vec::read(from)? })
    }
}

/// Facts in facts, of which nobody writes more than one level.
impl Wire for Phase {
    fn write(&self, to: &mut Vec<u8>) {
        let Self { trips, facts, line } = self;
        trips.write(to);
        facts.write(to);
        line.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.inside(|from| Some(Self { trips: Wire::read(from)?, facts: Wire::read(from)?, line: Wire::read(from)? }))
    }
}

/// What a variant or a structure holds, in order.
macro_rules! fields {
    (write $to:ident, { $($field:ident),* }) => { $($field.write($to);)* };
    (write $to:ident, ($($field:ident),*)) => { $($field.write($to);)* };
    (read $from:ident, { $($field:ident),* }) => { $(let $field = Wire::read($from)?;)* };
    (read $from:ident, ($($field:ident),*)) => { $(let $field = Wire::read($from)?;)* };
}

/// Structures by their fields, and enums by the numbers and fields of their variants.
macro_rules! wire {
    ($(struct $Name:ident $fields:tt)*) => { $(
        impl Wire for $Name {
            fn write(&self, to: &mut Vec<u8>) {
                let Self $fields = self;
                fields!(write to, $fields);
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                fields!(read from, $fields);
                Some(Self $fields)
            }
        }
    )* };
    ($(enum $Name:ident { $($number:literal => $Variant:ident $fields:tt)* })*) => { $(
        impl Wire for $Name {
            fn write(&self, to: &mut Vec<u8>) {
                match self {
                    $(Self::$Variant $fields => {
                        to.push($number);
                        fields!(write to, $fields);
                    })*
                }
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                from.inside(|from| match from.byte()? {
                    $($number => {
                        fields!(read from, $fields);
                        Some(Self::$Variant $fields)
                    })*
                    _ => None,
                })
            }
        }
    )* };
    ($(plain $Name:ident)*) => { $(
        impl Wire for $Name {
            fn write(&self, to: &mut Vec<u8>) {
                to.push(*self as u8);
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                Self::ALL.get(usize::from(from.byte()?)).copied()
            }
        }
    )* };
}

wire! {
    struct Facts { atoms, sources, steps, accesses, races, phases }
    struct Summary { facts, params, result, ty }
    struct Call { callee, args, result, ty, always, decides, unlimited, text, line }
    struct Access { view, len, index, more, strides, end, write, always, known, decided, proved, text, line, column }
    struct Component { len, index }
    struct Member { path, greatest }
    struct Value { operation, operands, ty, narrow }
    struct Condition { lhs, comparison, rhs, ty }
    struct Cast { value, from, to }
    struct Polynomial { terms }
    struct Term { atoms, factor }
}

wire! {
    enum Source {
        0 => Capture(number, member)
        1 => Constant(slots, member)
    }
    enum Part {
        0 => Field(name)
        1 => Element(number)
        2 => AnyElement {}
    }
    enum Step {
        0 => Let { atom, value }
        1 => Declare { atom }
        2 => Join { atom, value, ty }
        3 => For { atom, start, end, inclusive, step, ty, narrow, wraps, body }
        4 => When { conditions, body }
        5 => Access(number)
        6 => Call(call)
    }
    enum Argument {
        0 => Value(form)
        1 => Elements(access)
        2 => Other {}
    }
}

wire! {
    plain Comparison
    plain Operation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random numbers below an end: a linear congruential generator.
    fn random(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |end| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        }
    }

    /// The facts that random bytes begin with, if they do. Most bytes are 0 or 1, as most tags and lengths are.
    fn facts(seed: u64) -> Option<Facts> {
        let mut below = random(seed);
        const ENDS: [u64; 12] = [2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 7, 256];
        let bytes: Vec<u8> = (0..500)
            .map(|_| {
                let at = below(12) as usize;
                below(ENDS[at]) as u8
            })
            .collect();
        Facts::read(&mut Reader { bytes: &bytes, levels: 0 })
    }

    #[test]
    fn facts_come_back() {
        let mut told = String::new();
        for (seed, facts) in (0..150_000).filter_map(|seed| Some((seed, facts(seed)?))) {
            assert_eq!(decode(&encode(&facts)).as_ref(), Some(&facts), "seed {seed}");
            let summary = Summary { facts: facts.clone(), params: vec![3; seed as usize % 3], ..Summary::default() };
            assert_eq!(decode_summary(&encode_summary(&summary)), Some(summary), "seed {seed}");
            told += &format!("{facts:?}");
        }
        let steps = ["Let {", "Declare {", "Join {", "For {", "When {", "Access(", "Call(Call {"];
        let parts = [
            "Capture(",
            "Constant([",
            "Field(",
            "Element(",
            "AnyElement",
            "step: Some",
            "end: Some(Some",
            "Cast {",
            "Condition {",
            "Access {",
            "factor: -",
            "Elements(",
            "Other",
        ];
        for part in steps.into_iter().chain(parts) {
            assert!(told.contains(part), "no facts with {part}");
        }
        for number in [0, 1, -1, 63, 64, -65, i64::MAX, i64::MIN] {
            let facts = Facts {
                steps: vec![Step::Join { atom: 0, value: Form::constant(number), ty: 300 }],
                ..Facts::default()
            };
            assert_eq!(decode(&encode(&facts)), Some(facts), "{number}");
        }
    }

    #[test]
    fn what_nothing_encodes_is_refused_or_facts_of_its_size() {
        for (seed, facts) in (0..500).filter_map(|seed| Some((seed, facts(seed)?))) {
            let (bytes, mut below) = (encode(&facts), random(seed));
            assert_eq!(decode(&[bytes.as_slice(), &[0]].concat()), None, "seed {seed}");
            for end in 0..bytes.len() {
                assert_eq!(decode(&bytes[..end]), None, "seed {seed}, {end} bytes");
            }
            for _ in 0..50 {
                let (mut other, at) = (bytes.clone(), below(bytes.len() as u64) as usize);
                other[at] = below(256) as u8;
                // Nothing that is read is longer than what it is read from.
                assert!(decode(&other).is_none_or(|facts| encode(&facts).len() <= other.len()), "seed {seed}");
            }
        }
        // A list that is longer than any memory.
        for most in [[0xff; 9].as_slice(), &[0xff, 0xff, 0xff, 0xff, 0x07]] {
            assert_eq!(decode(&[&[0], most, &[1]].concat()), None);
        }
    }

    #[test]
    fn steps_are_nested_so_deep() {
        let nested = |levels: usize| {
            let around = |body: Step| Step::When { conditions: Vec::new(), body: vec![body] };
            Facts { steps: vec![(0..levels).fold(Step::Access(0), |body, _| around(body))], ..Facts::default() }
        };
        assert_eq!(nested(MAX_NESTING).depth(), MAX_NESTING);
        assert_eq!(decode(&encode(&nested(MAX_NESTING))), Some(nested(MAX_NESTING)));
        assert_eq!(decode(&encode(&nested(MAX_NESTING + 1))), None);
        let endless = [[0, 0, 1].as_slice(), &[4, 0, 1].repeat(1_000_000)].concat();
        assert_eq!(decode(&endless), None);
    }
}
