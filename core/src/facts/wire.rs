//! Facts as bytes: generated code holds those of a loop as one literal, which the launch decodes once.
//!
//! A number is written seven bits at a time, a choice as a byte, a list after its length. There is no version: both sides are of
//! one version of this crate. Bytes that nobody has encoded are no facts, or some facts; they never cost more memory than a
//! fixed number of times their length, nor more stack than [`MAX_NESTING`] steps in each other.

use super::{Access, Cast, Condition, Facts, Form, Polynomial, Source, Step, Term, Value};
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
    struct Facts { atoms, sources, steps, accesses, races }
    struct Access { view, len, index, end, write, always, decided, proved, text, line, column }
    struct Value { operation, operands, ty, narrow }
    struct Condition { lhs, comparison, rhs, ty }
    struct Cast { value, from, to }
    struct Polynomial { constant, terms }
    struct Term { atoms, factor }
}

wire! {
    enum Source {
        0 => Capture(number)
        1 => Constant(slots)
    }
    enum Step {
        0 => Let { atom, value }
        1 => Declare { atom }
        2 => Join { atom, value, ty }
        3 => For { atom, start, end, inclusive, step, ty, narrow, body }
        4 => When { conditions, body }
        5 => Access(number)
    }
}

wire! {
    plain Comparison
    plain Operation
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small random numbers: a linear congruential generator.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        fn coin(&mut self) -> bool {
            self.below(2) == 0
        }

        fn index(&mut self) -> usize {
            let end = if self.coin() { 4 } else { 1 << 20 };
            self.below(end) as usize
        }

        fn number(&mut self) -> i64 {
            const ENDS: [i64; 6] = [i64::MIN, i64::MAX, -1, 0, 63, -65];
            if self.coin() { self.below(200) as i64 - 100 } else { ENDS[self.below(6) as usize] }
        }

        fn list<T>(&mut self, most: u64, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
            (0..self.below(most + 1)).map(|_| item(self)).collect()
        }

        fn maybe<T>(&mut self, item: impl FnOnce(&mut Self) -> T) -> Option<T> {
            self.coin().then(|| item(self))
        }

        fn polynomial(&mut self) -> Polynomial {
            let term = |random: &mut Self| Term { atoms: random.list(3, Self::index), factor: random.number() };
            Polynomial { constant: self.number(), terms: self.list(3, term) }
        }

        fn form(&mut self) -> Form {
            let value = self.polynomial();
            let size = self.maybe(Self::polynomial).unwrap_or_else(|| value.clone().magnitudes());
            let cast =
                |random: &mut Self| Cast { value: random.polynomial(), from: random.index(), to: random.index() };
            Form { value, size, casts: self.list(2, cast) }
        }

        fn step(&mut self, levels: u64) -> Step {
            let (atom, ty) = (self.index(), self.index());
            match self.below(if levels == 0 { 4 } else { 6 }) {
                0 => {
                    let operation = Operation::ALL[self.below(Operation::ALL.len() as u64) as usize];
                    let value = Value { operation, operands: self.list(3, Self::form), ty, narrow: self.coin() };
                    Step::Let { atom, value }
                }
                1 => Step::Declare { atom },
                2 => Step::Join { atom, value: self.form(), ty },
                3 => Step::Access(atom),
                4 => Step::For {
                    atom,
                    start: self.form(),
                    end: self.form(),
                    inclusive: self.coin(),
                    step: self.maybe(Self::form),
                    ty,
                    narrow: self.coin(),
                    body: self.list(3, |random| random.step(levels - 1)),
                },
                _ => {
                    let condition = |random: &mut Self| Condition {
                        lhs: random.form(),
                        comparison: Comparison::ALL[random.below(Comparison::ALL.len() as u64) as usize],
                        rhs: random.form(),
                        ty,
                    };
                    let conditions = self.list(2, condition);
                    Step::When { conditions, body: self.list(3, |random| random.step(levels - 1)) }
                }
            }
        }

        fn access(&mut self) -> Access {
            Access {
                view: self.index(),
                len: self.index(),
                index: self.maybe(Self::form),
                end: self.maybe(|random| random.maybe(Self::form)),
                write: self.coin(),
                always: self.coin(),
                decided: self.coin(),
                proved: self.coin(),
                text: ["", "x[i]", "größe[i + 1]"][self.below(3) as usize].to_owned(),
                line: self.below(1 << 32) as u32,
                column: self.below(200) as u32,
            }
        }

        fn facts(&mut self) -> Facts {
            let source = |random: &mut Self| {
                if random.coin() {
                    Source::Capture(random.index())
                } else {
                    Source::Constant(random.list(3, Self::index))
                }
            };
            Facts {
                atoms: self.index(),
                sources: self.list(3, source),
                steps: self.list(3, |random| random.step(3)),
                accesses: self.list(3, Self::access),
                races: self.list(2, |random| random.list(3, Self::index)),
            }
        }
    }

    #[test]
    fn facts_come_back() {
        for seed in 0..2_000 {
            let facts = Random(seed).facts();
            assert_eq!(decode(&encode(&facts)).as_ref(), Some(&facts), "seed {seed}");
        }
    }

    #[test]
    fn what_nothing_encodes_is_refused_or_facts_of_its_size() {
        for seed in 0..100 {
            let mut random = Random(seed);
            let bytes = encode(&random.facts());
            let longer = [bytes.as_slice(), &[0]].concat();
            assert_eq!(decode(&longer), None, "seed {seed}");
            for end in 0..bytes.len() {
                assert_eq!(decode(&bytes[..end]), None, "seed {seed}, {end} bytes");
            }
            for _ in 0..50 {
                let (mut other, at) = (bytes.clone(), random.below(bytes.len() as u64) as usize);
                other[at] = random.below(256) as u8;
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
            let value = Value { operation: Operation::Any, operands: vec![Form::atom(0)], ty: 0, narrow: false };
            let step = (0..levels).fold(Step::Let { atom: 0, value }, |body, _| around(body));
            Facts { steps: vec![step], ..Facts::default() }
        };
        assert_eq!(Step::depth(&nested(MAX_NESTING).steps), MAX_NESTING);
        assert_eq!(decode(&encode(&nested(MAX_NESTING))), Some(nested(MAX_NESTING)));
        assert_eq!(decode(&encode(&nested(MAX_NESTING + 1))), None);
        let endless = [[0, 0, 1].as_slice(), &[4, 0, 1].repeat(1_000_000)].concat();
        assert_eq!(decode(&endless), None);
    }
}
