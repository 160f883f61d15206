//! Structs of slices on their way into a kernel: `struct Planes<'a> { red: &'a mut [f32] }`.
//!
//! The attribute makes a [`SliceMut`] of such a field, and beside the struct one with the same
//! fields that holds views. The macro of a kernel does not see the fields: it moves those that the
//! host part names out of the views.

use smallvec::SmallVec;

use super::views::{ROOT, View, ViewMut, read, root, root_atomic, root_mut, write};
use crate::backend::Use;
use crate::slice::{Slice, SliceMut};
use crate::value::atomic::Atomic;

/// What a launch with structs of slices uses. As many as a kernel of usual size has need no memory
/// of the heap.
pub type Uses<'s> = SmallVec<[Use<'s>; 16]>;

/// Those of the parameters that are slices. [`Slices::uses`] adds the others.
pub fn uses<'s>(of_parameters: impl IntoIterator<Item = Use<'s>>) -> Uses<'s> {
    of_parameters.into_iter().collect()
}

/// A struct of slices, or one of its slices, of any lifetime: `Planes<'static>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a struct of slices",
    label = "it has no slices for kernels",
    note = "a struct of slices has `#[device]`, and a field such as `red: &'a mut [f32]`",
    note = "a value of device code has no lifetime"
)]
pub trait Slices: 'static {
    /// What the caller of a kernel makes of slices.
    type Of<'s>;
    /// What a host part has: views of group `G`.
    type Views<'v, const G: usize>;

    /// The slices of an argument.
    fn of<'s>(argument: &'s mut impl SlicesArg<Self>) -> Self::Of<'s>
    where
        Self: Sized,
    {
        argument.slices()
    }

    /// The same slices for a shorter time.
    fn reborrow<'s>(of: &'s mut Self::Of<'_>) -> Self::Of<'s>;

    /// Adds what a launch does with each slice. A slice has the name of its field.
    fn uses<'s>(of: &Self::Of<'s>, name: &'static str, uses: &mut Uses<'s>);

    /// The views that the host part begins with.
    fn roots<'s>(of: Self::Of<'s>) -> Self::Views<'s, ROOT>;

    /// A reborrow of all views, for group `INTO`.
    fn fork<'v, const G: usize, const INTO: usize>(views: &'v mut Self::Views<'_, G>) -> Self::Views<'v, INTO>;
}

impl<T: 'static, const D: usize> Slices for Slice<'static, T, D> {
    type Of<'s> = Slice<'s, T, D>;
    type Views<'v, const G: usize> = View<'v, T, G, D>;

    fn reborrow<'s>(of: &'s mut Self::Of<'_>) -> Slice<'s, T, D> {
        *of
    }
    fn uses<'s>(of: &Slice<'s, T, D>, name: &'static str, uses: &mut Uses<'s>) {
        uses.push(of.usage(name));
    }
    fn roots<'s>(of: Self::Of<'s>) -> Self::Views<'s, ROOT> {
        root(of)
    }
    fn fork<'v, const G: usize, const INTO: usize>(views: &'v mut Self::Views<'_, G>) -> Self::Views<'v, INTO> {
        read::<G, INTO, _, D>(views)
    }
}

impl<T: 'static, const D: usize> Slices for SliceMut<'static, T, D> {
    type Of<'s> = SliceMut<'s, T, D>;
    type Views<'v, const G: usize> = ViewMut<'v, T, G, D>;

    fn reborrow<'s>(of: &'s mut Self::Of<'_>) -> SliceMut<'s, T, D> {
        of.reborrow()
    }
    fn uses<'s>(of: &SliceMut<'s, T, D>, name: &'static str, uses: &mut Uses<'s>) {
        uses.push(of.usage(name));
    }
    fn roots<'s>(of: Self::Of<'s>) -> Self::Views<'s, ROOT> {
        root_mut(of)
    }
    fn fork<'v, const G: usize, const INTO: usize>(views: &'v mut Self::Views<'_, G>) -> Self::Views<'v, INTO> {
        write::<G, INTO, _, D>(views)
    }
}

/// A field `&'a [A]` of atomics, of `D` dimensions: a slice that the launch borrows uniquely.
#[derive(Debug)]
pub struct Atomics<A, const D: usize>(A);

impl<A: Atomic + 'static, const D: usize> Slices for Atomics<A, D> {
    type Of<'s> = SliceMut<'s, A::Value, D>;
    type Views<'v, const G: usize> = View<'v, A, G, D>;

    fn reborrow<'s>(of: &'s mut Self::Of<'_>) -> SliceMut<'s, A::Value, D> {
        of.reborrow()
    }
    fn uses<'s>(of: &SliceMut<'s, A::Value, D>, name: &'static str, uses: &mut Uses<'s>) {
        uses.push(of.usage(name));
    }
    fn roots<'s>(of: Self::Of<'s>) -> Self::Views<'s, ROOT> {
        root_atomic(of)
    }
    fn fork<'v, const G: usize, const INTO: usize>(views: &'v mut Self::Views<'_, G>) -> Self::Views<'v, INTO> {
        read::<G, INTO, _, D>(views)
    }
}

/// What a host part takes out of a struct of slices as a value.
#[diagnostic::on_unimplemented(
    message = "this field of a struct of slices is no value",
    label = "used as a value: it is not indexed, lent, and has no length",
    note = "to give a slice another name, write `let red = &mut p.red;`"
)]
pub trait IsValue {
    /// The same type.
    type Same;
    /// The same value.
    fn same(self) -> Self::Same;
}
impl<T: Copy + 'static> IsValue for T {
    type Same = T;
    fn same(self) -> T {
        self
    }
}

/// The value of a field. It is no view: those have a lifetime.
#[inline(always)]
pub fn taken_value<V: IsValue>(value: V) -> V::Same {
    value.same()
}

/// A field that is a value.
pub fn value<T: Copy>(value: &T) -> T {
    *value
}

/// Reports a type that is no struct of slices.
pub const fn must_be_slices<S: Slices>() {}

/// What a host part takes out of a struct of slices: a view, or a struct of views.
#[diagnostic::on_unimplemented(
    message = "this field of a struct of slices is not a slice",
    label = "used as a slice: it is indexed, lent, or has a length",
    note = "give a value of the struct, such as an array, a name: `let table = p.table;`"
)]
pub trait IsView {
    /// The same type. If it is no view, rustc has no type, and says nothing of the uses.
    type Same;
    /// The same view.
    fn same(self) -> Self::Same;
}
impl<T, const G: usize, const D: usize> IsView for View<'_, T, G, D> {
    type Same = Self;
    fn same(self) -> Self {
        self
    }
}
impl<T, const G: usize, const D: usize> IsView for ViewMut<'_, T, G, D> {
    type Same = Self;
    fn same(self) -> Self {
        self
    }
}

/// The view of a field, out of its struct.
#[inline(always)]
pub fn taken<V: IsView>(view: V) -> V::Same {
    view.same()
}

/// An argument for a kernel parameter `p: Planes<'_>`: a `Planes`, or a `&mut Planes`.
#[diagnostic::on_unimplemented(
    message = "the kernel takes another struct of slices here",
    label = "expected a `{S}`, with any lifetime, or `&mut` of one"
)]
pub trait SlicesArg<S: Slices> {
    /// All slices, for the time of a launch.
    fn slices(&mut self) -> S::Of<'_>;
}

impl<S: Slices, A: SlicesArg<S> + ?Sized> SlicesArg<S> for &mut A {
    fn slices(&mut self) -> S::Of<'_> {
        (**self).slices()
    }
}

/// `&mut p` of a struct of slices of the caller: views that a called kernel begins with.
pub struct LentSlices<V>(V);

impl<V> LentSlices<V> {
    /// The struct of slices `S`, of views of group `G`.
    #[inline(always)]
    pub fn new<'v, S: Slices<Views<'v, ROOT> = V>, const G: usize>(views: &'v mut S::Views<'_, G>) -> Self {
        Self(S::fork::<G, ROOT>(views))
    }

    /// The views.
    #[inline(always)]
    pub fn roots(self) -> V {
        self.0
    }
}
