//! Variables of a loop, taken apart into digits (delinearization, mixed radix).
//!
//! Where a body asks for `v / d` and `v % d` of a variable, with a number `d` of the launch, `v`
//! stands for the sum `d
//! * q + r` of two new ones, of which `0 <= r <
//!   d`. Two iterations differ in `v` if and only if they differ in `q` or
//! `r`. So these take the place of `v` among the variables that iterations differ in. They may have
//! more values together than `v` has: this only compares more iterations than there are. What `v`
//! is at most and at least are facts. `v ^ 4` asks for the bit: `v / 4`, and `v / 8`.
//!
//! Divisors of one variable make a chain, in which each divides the next one. `(v / a) / b` is
//! `v / (a * b)`, and `(v % (a * b)) / a` is `(v / a) % b`, for what is not negative. Where a
//! divisor does not fit, it is left alone.
//!
//! A variable with a step is `first + step * u`. So `v / 2` is `u`, where the step is 2.

use crate::facts::{Facts, Form, Step, Value};
use crate::limits::MAX_ATOMS;
use crate::ops::Operation;

use super::linear::Linear;
use super::numbers::{AXES, Axis, Numbers};

/// The most divisors of all variables.
const CUTS: usize = 16;
/// The most variables of a loop as it is written.
const WRITTEN: usize = 3;

const ONE: Axis = Axis { lo: 0, step: 1, trips: 1 };

/// What iterations differ in: variables as they are written, or their digits.
#[derive(Clone, Copy)]
pub(super) struct Vars<'a> {
    atoms: &'a [usize],
    axes: &'a [Axis],
    /// By variables as they are written: the sum of digits that one is.
    sums: &'a [Option<Linear>],
    /// The first atom, where they are as they are written.
    first: usize,
    /// Behind the last atom of a digit.
    pub(super) end: usize,
    /// Whether results may stand for sums.
    pub(super) aliases: bool,
}

impl<'a> Vars<'a> {
    /// The variables as they are written.
    pub(super) fn of(numbers: &Numbers<'a>) -> Self {
        // After the indexes of a block come three at most.
        const ATOMS: [usize; 2 * WRITTEN + 1] = [0, 1, 2, 3, 4, 5, 6];
        let (first, count) = (numbers.blocks.len(), numbers.axes.len().min(AXES));
        let atoms = ATOMS.get(first..first + count).unwrap_or_default();
        let axes = numbers.axes.get(..atoms.len()).unwrap_or_default();
        Self { atoms, axes, sums: &[], first, end: 0, aliases: true }
    }

    pub(super) fn atoms(&self) -> &'a [usize] {
        self.atoms
    }

    pub(super) fn axes(&self) -> &'a [Axis] {
        self.axes
    }

    /// The number of a variable among them.
    #[inline]
    pub(super) fn place(&self, atom: usize) -> Option<usize> {
        match self.is_split() {
            false => atom.checked_sub(self.first).filter(|at| *at < self.atoms.len()),
            true => self.atoms.iter().position(|of| *of == atom),
        }
    }

    #[inline]
    pub(super) fn is_split(&self) -> bool {
        !self.sums.is_empty()
    }

    /// The sum that a variable stands for.
    pub(super) fn sum_of(&self, variable: usize) -> Option<Linear> {
        self.sums.get(variable).copied().flatten()
    }
}

/// The variables of a loop by their digits.
pub(super) struct Digits {
    atoms: [usize; AXES],
    axes: [Axis; AXES],
    count: usize,
    sums: [Option<Linear>; WRITTEN],
    /// The atom of the first variable as it is written.
    first: usize,
    end: usize,
}

impl Digits {
    /// `None`: the body asks for none.
    pub(super) fn of(facts: &Facts, numbers: &Numbers<'_>) -> Option<Self> {
        let mut cuts = Cuts { numbers, digits: [None; MAX_ATOMS], found: [(0, 0); CUTS], count: 0, rings: false };
        cuts.steps(&facts.steps);
        let found = cuts.found.get_mut(..cuts.count)?;
        found.sort_unstable();
        let first = numbers.blocks.len();
        let mut all =
            Self { atoms: [0; AXES], axes: [ONE; AXES], count: 0, sums: [None; WRITTEN], first, end: facts.atoms };
        for (variable, axis) in numbers.axes.iter().enumerate() {
            let of = found.iter().filter(|(of, _)| *of == variable).map(|(_, by)| *by);
            // The others need room, too.
            let room = AXES.checked_sub(all.count + numbers.axes.len() - variable)?;
            match all.digits_of(axis, of, room) {
                Some(sum) => *all.sums.get_mut(variable)? = Some(sum),
                None => all.push(first + variable, *axis)?,
            }
        }
        let asked = cuts.rings || all.sums.iter().any(Option::is_some);
        (asked && all.end <= MAX_ATOMS).then_some(all)
    }

    pub(super) fn vars(&self) -> Vars<'_> {
        let (atoms, axes) = (self.atoms.get(..self.count), self.axes.get(..self.count));
        let (atoms, axes) = (atoms.unwrap_or_default(), axes.unwrap_or_default());
        Vars { atoms, axes, sums: &self.sums, first: self.first, end: self.end, aliases: true }
    }

    fn push(&mut self, atom: usize, axis: Axis) -> Option<()> {
        *self.atoms.get_mut(self.count)? = atom;
        *self.axes.get_mut(self.count)? = axis;
        self.count += 1;
        Some(())
    }

    /// The digits of a variable by its divisors, which ascend, as new variables; `room` more than
    /// one. `None`: it stays as it is.
    fn digits_of(&mut self, axis: &Axis, divisors: impl Iterator<Item = i64>, room: usize) -> Option<Linear> {
        let all = axis.values().filter(|all| all.lo > -(1 << 62) && all.hi < 1 << 62)?;
        let step = i64::try_from(axis.step).ok()?;
        // The variable is `least + step * u`, where `0 <= least < step`.
        let least = all.lo.rem_euclid(axis.step);
        let mut left = (all.lo.div_euclid(axis.step), all.hi.div_euclid(axis.step));
        let mut chain = [1i64; AXES];
        let mut count = 0usize;
        for by in divisors.filter(|_| left.0 >= 0) {
            // `least + step * (by / step * q + r) = least + by * q + step * r`, and
            // `least + step * r < by`.
            let Some(by) = (by % step == 0).then(|| by / step) else { continue };
            let last = count.checked_sub(1).map_or(1, |last| chain[last]);
            if by > last && by % last == 0 && i128::from(by) <= left.1 && count < room {
                chain[count] = by;
                count += 1;
            }
        }
        if step == 1 && count == 0 {
            return None;
        }
        let mut sum = Linear::constant(least);
        // From the top. The first has all that is left.
        for by in chain.get(..count)?.iter().rev().copied().chain([1]) {
            let (lo, hi) = (left.0.div_euclid(by.into()), left.1.div_euclid(by.into()));
            let stride = by.checked_mul(step)?;
            if lo == hi {
                // No more than a number: what is below it has the ends of the whole.
                let own = lo.checked_mul(by.into())?;
                sum = sum.plus_constant(own.checked_mul(axis.step)?)?;
                left = (left.0 - own, left.1 - own);
                continue;
            }
            sum = sum.plus(stride, &Linear::atom(self.end))?;
            self.push(self.end, Axis { lo, step: 1, trips: u64::try_from(hi - lo + 1).ok()? })?;
            self.end += 1;
            left = (0, i128::from(by) - 1);
        }
        Some(sum)
    }
}

/// The divisors that a body asks for.
struct Cuts<'a> {
    numbers: &'a Numbers<'a>,
    /// By atoms: the variable of which one is `v / d` or a remainder of that, and `d`.
    digits: [Option<(usize, i64)>; MAX_ATOMS],
    /// Variables and divisors.
    found: [(usize, i64); CUTS],
    count: usize,
    /// There are remainders of other sums.
    rings: bool,
}

impl Cuts<'_> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Let { atom, value } => {
                    let digit = self.divided(value);
                    self.rings |= digit.is_none() && matches!(value.operation, Operation::Rem | Operation::RemEuclid);
                    if let Some(at) = self.digits.get_mut(*atom) {
                        *at = digit;
                    }
                }
                Step::For { body, .. } | Step::When { body, .. } => self.steps(body),
                Step::Declare { .. } | Step::Join { .. } | Step::Access(_) | Step::Call(_) => {}
            }
        }
    }

    /// The digit that a result is, if it is one.
    fn divided(&mut self, value: &Value) -> Option<(usize, i64)> {
        let (a, b) = (value.operands.first()?, value.operands.get(1)?);
        let swapped = matches!(value.operation, Operation::And | Operation::Xor) && self.digit(a).is_none();
        let (of, by) = if swapped { (b, a) } else { (a, b) };
        let (variable, divisor) = self.digit(of)?;
        let by = self.number(by)?;
        let power = |by: i64| u32::try_from(by).ok().filter(|by| *by < 62).map(|by| 1i64 << by);
        let mut cut = |by: i64| {
            let whole = divisor.checked_mul(by)?;
            if whole > 1 && !self.found.get(..self.count)?.contains(&(variable, whole)) {
                *self.found.get_mut(self.count)? = (variable, whole);
                self.count += 1;
            }
            Some(whole)
        };
        match value.operation {
            Operation::Div if by > 0 => Some((variable, cut(by)?)),
            Operation::Shr => Some((variable, cut(power(by)?)?)),
            Operation::Rem | Operation::RemEuclid if by > 0 => cut(by).map(|_| (variable, divisor)),
            Operation::And if by >= 0 && by.checked_add(1)?.count_ones() == 1 => {
                cut(by + 1).map(|_| (variable, divisor))
            }
            Operation::Xor if by > 0 => {
                let mut left = by.cast_unsigned();
                while left != 0 {
                    let (low, ones) = (left.trailing_zeros(), (left >> left.trailing_zeros()).trailing_ones());
                    cut(power(low.into())?)?;
                    cut(power((low + ones).into())?)?;
                    left &= u64::MAX.checked_shl(low + ones)?;
                }
                None
            }
            _ => None,
        }
    }

    /// A variable, or a digit of one. That nothing has wrapped, the walk finds out.
    fn digit(&self, form: &Form) -> Option<(usize, i64)> {
        let [term] = form.value.terms.as_slice() else { return None };
        let (&[atom], 1) = (term.atoms.as_slice(), term.factor) else { return None };
        match atom.checked_sub(self.numbers.blocks.len()).filter(|at| *at < self.numbers.axes.len()) {
            Some(variable) => Some((variable, 1)),
            None => self.digits.get(atom).copied().flatten(),
        }
    }

    /// A number that is the same for all iterations.
    fn number(&self, form: &Form) -> Option<i64> {
        form.number(&|atom| {
            let before = self.numbers.blocks.len() + self.numbers.axes.len();
            let symbol = self.numbers.symbols.get(atom.checked_sub(before)?)?;
            i64::try_from((*symbol)?).ok()
        })
    }
}
