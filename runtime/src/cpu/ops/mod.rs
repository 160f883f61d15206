//! The operators and methods of numbers as generated code calls them: functions, by path.

mod comparisons;
mod indexing;
mod methods;
mod native;
mod operators;
mod outcomes;
mod question;

pub use crate::value::arithmetic::*;
pub use comparisons::{
    Equal, NoComparison, OrdMethods, Order, Ordered, OrderingMethods, PartialOrdMethods, eq, first_difference, ge, gt,
    le, lt, ne,
};
pub use indexing::{Element, ElementMut, Indexing, IndexingMut, NoElement, NoElementMut};
pub use methods::{
    CheckedMethods, HalfMethods, NoNumberMethods, NoSliceMethods, NumberMethods, OrderedMethods, SliceMethods,
};
pub use native::*;
pub use operators::*;
pub use outcomes::{
    BoolMethods, DefaultMethods, NestedMethods, OptionMethods, ResultMethods, SameMethods, UnwrapMethods,
};
pub use question::{Convert, FromMethods, FromRest, Question, ask, conversion, from_rest};

use crate::model::slots::TypeOf;
use crate::value::number::Num;

/// `a.cast::<U>()`: `as` between types that generic code does not know.
#[inline(always)]
pub fn cast<T: Num, U: Num>(_: TypeOf<U>, a: T) -> U {
    a.ab_as()
}

#[cfg(test)]
mod tests;
