//! Facts as bytes: generated code holds those of a loop as one literal, which the launch decodes
//! once.
//!
//! Bytes that nobody has encoded are no facts, or some facts; they never cost more memory than a
//! fixed number of times their length, nor more stack than
//! [`MAX_NESTING`](crate::limits::MAX_NESTING) steps in each other.

use super::{
    Access, Argument, Call, Cast, Component, Condition, Facts, Form, Member, Part, Phase, Polynomial, Source, Step,
    Summary, Term, Value,
};
use crate::ops::{Comparison, Operation};
use crate::wire::{Decode, Decoder, Encode, Encoder, fields, wire};

/// The bytes of facts.
pub fn encode(facts: &Facts) -> Vec<u8> {
    let mut to = Encoder::default();
    facts.encode(&mut to);
    to.bytes
}

/// The facts that these bytes are. `None`: they are none, or are nested too deep.
pub fn decode(bytes: &[u8]) -> Option<Facts> {
    Decoder::all(bytes, Facts::decode)
}

/// The bytes of a function's summary.
pub fn encode_summary(summary: &Summary) -> Vec<u8> {
    let mut to = Encoder::default();
    summary.encode(&mut to);
    to.bytes
}

/// The summary that these bytes are, as [`decode`].
pub fn decode_summary(bytes: &[u8]) -> Option<Summary> {
    Decoder::all(bytes, Summary::decode)
}

impl Encode for Form {
    /// Where nothing has cancelled, the size follows from the value.
    fn encode(&self, to: &mut Encoder) {
        let Self { value, size, casts } = self;
        value.encode(to);
        Some(size).filter(|size| **size != value.clone().magnitudes()).cloned().encode(to);
        casts.encode(to);
    }
}

impl Decode for Form {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        let value = Polynomial::decode(from)?;
        let size = Option::decode(from)?.unwrap_or_else(|| value.clone().magnitudes());
        Some(Self { value, size, casts: Vec::decode(from)? })
    }
}

/// Facts in facts, of which nobody writes more than one level.
impl Encode for Phase {
    fn encode(&self, to: &mut Encoder) {
        let Self { trips, facts, line } = self;
        trips.encode(to);
        facts.encode(to);
        line.encode(to);
    }
}

impl Decode for Phase {
    fn decode(from: &mut Decoder<'_>) -> Option<Self> {
        from.inside(|from| {
            Some(Self { trips: Decode::decode(from)?, facts: Decode::decode(from)?, line: Decode::decode(from)? })
        })
    }
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
    use crate::limits::MAX_NESTING;

    /// Random numbers below an end: a linear congruential generator.
    fn random(mut seed: u64) -> impl FnMut(u64) -> u64 {
        move |end| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        }
    }

    /// The facts that random bytes begin with, if they do. Most bytes are 0 or 1, as most tags and
    /// lengths are.
    fn facts(seed: u64) -> Option<Facts> {
        let mut below = random(seed);
        const ENDS: [u64; 12] = [2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 7, 256];
        let bytes: Vec<u8> = (0..500)
            .map(|_| {
                let at = below(12) as usize;
                below(ENDS[at]) as u8
            })
            .collect();
        Facts::decode(&mut Decoder { bytes: &bytes, levels: 0, exprs: 0 })
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
