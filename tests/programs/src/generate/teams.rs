//! What a loop over blocks is made of, for whoever generates its parts: its threads, its places,
//! its part of `lanes`.

use super::Generator;
use super::values::{I, ROOM};
use crate::program::{Dim, Expr, Program, Range, VarId};
use crate::types::{Scalar, Ty};

/// Elements of `lanes` that the code of a block writes, at the end of the block's part.
pub(super) const LAST: usize = 4;

/// What is around in a loop over blocks.
pub(super) struct Team {
    pub(super) shape: Vec<usize>,
    pub(super) at: Place,
    /// Variables of the threads, and arrays that they share.
    pub(super) each: Vec<VarId>,
    pub(super) shared: Vec<VarId>,
    /// The first element of `lanes` that is the block's, and how many are.
    pub(super) first: Expr,
    pub(super) room: usize,
    /// The block is the only one with its `i`.
    pub(super) alone: bool,
}

/// Where in a loop over blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the code of the block.
    Uniform,
    Phase,
    /// In what each thread evaluates for a collective.
    Argument,
}

impl Team {
    pub(super) fn threads(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The first element of `lanes` that belongs to the block with these indexes.
pub fn first_lane(program: &Program, dims: &[Dim]) -> Expr {
    let count = |dim: &Dim| dim.range.end.literal().map_or(1, |end| end as usize);
    let others: Vec<&Dim> = dims.iter().filter(|dim| dim.var != I).collect();
    let room = ROOM / others.iter().map(|dim| count(dim)).product::<usize>();
    let number = others.iter().fold(None, |outer: Option<Expr>, dim| {
        let inner = program.var(dim.var);
        Some(outer.map_or(inner.clone(), |outer| outer * bare(count(dim)) + inner))
    });
    let row = program.var(I) * bare(ROOM);
    number.map_or(row.clone(), |number| row + number * bare(room))
}

pub(super) fn bare(value: usize) -> Expr {
    Expr::bare(value as i128, Scalar::Usize)
}

pub(super) fn range(start: Expr, end: Expr) -> Range {
    Range { start: Box::new(start), end: Box::new(end), inclusive: false, adaptors: Vec::new() }
}

impl Generator<'_> {
    pub(super) fn team(&self) -> &Team {
        self.team.as_ref().expect("it is in a loop over blocks")
    }

    pub(super) fn is_at(&self, place: Place) -> bool {
        self.team.as_ref().is_some_and(|team| team.at == place)
    }

    /// An array that threads share is not observed as a whole.
    pub(super) fn is_long(&self, var: VarId) -> bool {
        self.team.as_ref().is_some_and(|team| team.shared.contains(&var))
    }
}

/// The lengths of a shared array, and the type of its elements.
pub(super) fn lens(array: &Ty) -> (Vec<usize>, Ty) {
    match array {
        Ty::Array(row, len) => match &**row {
            Ty::Array(element, width) => (vec![*len, *width], (**element).clone()),
            element => (vec![*len], element.clone()),
        },
        other => unreachable!("{other} is no shared array"),
    }
}

/// At most so many bytes.
pub(super) fn bytes(ty: &Ty) -> usize {
    match ty {
        Ty::Scalar(scalar) => scalar.bits() as usize / 8,
        Ty::Tuple(parts) | Ty::Struct(parts) => parts.iter().map(bytes).sum(),
        Ty::Enum(_, parts) => 8 + parts.iter().map(bytes).sum::<usize>(),
        // It would be a dimension of the shared array.
        Ty::Array(..) => usize::MAX / 1024,
        Ty::Slice(_) | Ty::Grid(..) | Ty::Param(_) | Ty::Never => 0,
    }
}
