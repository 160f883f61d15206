//! What the macro knows of the elements that a `par` loop touches, as constant data. The launch decides with the numbers.
//!
//! An index is a [`Form`]: a polynomial, exact over the integers, in *atoms*. Atoms are the loop variables, the host values
//! that the body uses, variables of inner loops, and whatever the macro knows only an interval of (`a.min(b)`, `a % n`, an
//! element that was loaded). [`Step`]s follow the body in program order: they bound atoms, narrow them under conditions, and
//! name the accesses. [`Facts::decide`] walks them once a launch, in checked 128-bit arithmetic:
//!
//! - **Bounds.** `0 <= index < len` for every access. Where that does not hold of an access that every iteration makes,
//!   the launch is refused; elsewhere the loop runs with checks. Accesses that no launch can decide are not asked: the device
//!   checks them, and what they do is no matter to the others.
//! - **Races.** No two iterations touch one element of a written buffer, unless both read ([`Facts::races`]).
//! - **Width.** Whether index arithmetic fits 32 bits, and the lengths that the device compares with.
//!
//! Machine arithmetic wraps, and a form does not. Both agree modulo 2^64 as long as no value is widened that has wrapped
//! before ([`Cast`]), and an index whose exact value is at least 0 and below a length is therefore the index of the machine.
//!
//! | file | what it knows |
//! |---|---|
//! | `walk` | one walk over the facts of a loop: bounds, and which accesses to compare |
//! | `races` | whether two iterations touch one element |
//! | `linear`, `interval` | index expressions with numbers, and intervals of integers |
//! | `narrow`, `operations` | what conditions and operations say of a value |
//! | `last` | the last verdict of a loop |

mod interval;
mod last;
mod linear;
mod narrow;
mod operations;
mod races;
#[cfg(test)]
mod tests;
mod walk;

pub use anabranch_core::ops::{Comparison, Operation};
pub use last::LastVerdict;
pub use walk::{Axis, Numbers, Refusal, Verdict};

/// Whether the launch has shown that the accesses of a loop whose check it decides are in bounds.
///
/// Generated code passes it to those accesses, and to no others. That they are in bounds is then a fact of arithmetic,
/// which [`Facts::decide`] explains; that facts and accesses belong together is on the macro.
#[derive(Debug, Clone, Copy)]
pub struct Decided(bool);

impl Decided {
    /// Every access checks for itself.
    pub const NO: Decided = Decided(false);

    /// Whether the checks can be left out.
    #[inline(always)]
    pub(crate) fn is_proved(self) -> bool {
        self.0
    }

    /// What a verdict says; the only way to another value.
    pub(crate) fn by(verdict: Verdict) -> Self {
        Self(matches!(verdict, Verdict::Proved { .. }))
    }
}

/// The skeleton of a loop body.
#[derive(Debug)]
pub struct Facts {
    /// Number of atoms. The first are the loop variables, slowest first, then come the symbols, in
    /// order, then what the steps define.
    pub atoms: usize,
    /// The numbers that are the same for all iterations, in that order: captures and constants.
    pub symbols: &'static [Symbol],
    /// What happens, in program order.
    pub steps: &'static [Step],
    /// The accesses that the steps name.
    pub accesses: &'static [Access],
    /// For each buffer that the loop writes: the accesses that must not meet. Others do what one of these does.
    pub races: &'static [&'static [usize]],
}

#[cfg(test)]
impl Facts {
    /// Of a loop that touches nothing.
    pub(crate) const NONE: Facts = Facts { atoms: 0, symbols: &[], steps: &[], accesses: &[], races: &[] };
}

/// A number that is the same for all iterations, by the place where rustc has put it: no name is looked up outside of the body.
#[derive(Debug, Clone, Copy)]
pub enum Symbol {
    /// A capture: its value; of a view, its length.
    Capture(usize),
    /// A constant, by the slots of its mentions.
    Constant(&'static [usize]),
}

impl Symbol {
    /// Its number, if it is an integer; by what is known of captures and of slots.
    ///
    /// Names of one spelling are one symbol to the macro, but maybe not to rustc: one may be of a `macro_rules!` and the other of its
    /// caller. `Err`: the mentions of this one differ.
    #[inline]
    pub fn number(
        &self,
        capture: impl Fn(usize) -> Option<i128>,
        constant: impl Fn(usize) -> Option<i128>,
    ) -> Result<Option<i128>, Differ> {
        match self {
            Symbol::Capture(number) => Ok(capture(*number)),
            Symbol::Constant(slots) => {
                let mut numbers = slots.iter().map(|slot| constant(*slot));
                let first = numbers.next().flatten();
                if numbers.all(|number| number == first) { Ok(first) } else { Err(Differ) }
            }
        }
    }
}

/// The mentions of a symbol are different numbers.
#[derive(Debug, Clone, Copy)]
pub struct Differ;

/// A number, exact over the integers: `constant + Σ term`.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// What does not depend on atoms.
    pub constant: i64,
    /// No two with the same atoms, no factor 0.
    pub terms: &'static [Term],
    /// What must hold for the machine's value to be this one, modulo 2^width of its type.
    pub casts: &'static [Cast],
}

/// `factor * Π atoms`. At most one of the atoms depends on the iteration.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// Not 0.
    pub factor: i64,
    /// At least one; sorted; an atom may occur twice.
    pub atoms: &'static [usize],
}

/// `value as to` where `value` is a `from`. If `to` is wider, the exact value must be one of `from`.
#[derive(Debug, Clone, Copy)]
pub struct Cast {
    /// The operand.
    pub value: &'static Form,
    /// Slot of the operand's type.
    pub from: usize,
    /// Slot of the target type.
    pub to: usize,
}

/// What happens in an iteration.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// `atom` is bound to a value.
    Let {
        /// The atom.
        atom: usize,
        /// What is known of it.
        value: Value,
    },
    /// `atom` will be one of the values that are [joined](Step::Join) to it; none yet.
    Declare {
        /// The atom.
        atom: usize,
    },
    /// A way on which `atom` gets this value.
    Join {
        /// The atom.
        atom: usize,
        /// Its value there.
        value: Form,
        /// Slot of its type: a value that may have wrapped can be anything of it.
        ty: usize,
    },
    /// An inner loop: `for atom in (start..end).step_by(step)`, or the other way round.
    For {
        /// The variable.
        atom: usize,
        /// First value.
        start: Form,
        /// Where it ends.
        end: Form,
        /// `..=`.
        inclusive: bool,
        /// The step: `None` is 1.
        step: Option<Form>,
        /// Slot of the variable's type.
        ty: usize,
        /// Whether an index that could be computed in 32 bits mentions the variable.
        narrow: bool,
        /// What happens in it.
        body: &'static [Step],
    },
    /// What happens only where all the conditions hold.
    When {
        /// The conditions.
        conditions: &'static [Condition],
        /// What happens.
        body: &'static [Step],
    },
    /// The access with this number happens.
    Access(usize),
}

/// What is known of an atom: it is the result of an operation of type `ty`, on operands of that type.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// The operation.
    pub operation: Operation,
    /// Its operands.
    pub operands: &'static [Form],
    /// Slot of the type.
    pub ty: usize,
    /// Not empty where index arithmetic in 32 bits does the operation, too: upper bounds as [`Access::size`]. The operands
    /// must be exact then.
    pub narrow: &'static [Form],
}

/// `lhs op rhs`, of type `ty`. It says nothing where a side may have wrapped.
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// Left side.
    pub lhs: Form,
    /// How they compare.
    pub comparison: Comparison,
    /// Right side.
    pub rhs: Form,
    /// Slot of the type of both.
    pub ty: usize,
}

/// An access of elements of a buffer.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// Number of the buffer among the captures.
    pub view: usize,
    /// Its length: an atom.
    pub len: usize,
    /// The element, or the first of a range.
    pub index: Form,
    /// End of a range of elements (exclusive); `None`: one element.
    pub end: Option<Form>,
    /// Whether it writes.
    pub write: bool,
    /// Whether every iteration makes it, if the inner loops around it run at all.
    pub always: bool,
    /// Whether the generated code leaves its check out where the launch has shown that it is in bounds. Others are
    /// checked on the device in any case, and [`decide`](Facts::decide) asks them for nothing.
    pub decided: bool,
    /// Whether it is in bounds by its looks, as `x[i]` is where `i` is below `x.len()`: for plans.
    pub proved: bool,
    /// An upper bound of every partial result of the index, in absolute value: its terms are positive, and hold with
    /// `max(1, |atom|)` for each atom.
    pub size: Form,
    /// The access as the user wrote it: `x[i + 1]`.
    pub text: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A type of integers, for [`Numbers::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    /// 8 to 128.
    pub bits: u32,
    /// Whether it has negative values.
    pub signed: bool,
}
