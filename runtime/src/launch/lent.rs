//! Views on their way into a kernel that the host part calls.
//!
//! Only views of the caller's current group are lent, for the time of the call. So a view enters a
//! called kernel only through a reborrow that the borrow checker has compared with all other uses.
//! These are types of their own, and not [`Slice`]: the user can make a `Slice` of a buffer that
//! the launch has neither ordered nor compared with its device.

use std::ops::RangeBounds;

use super::views::{ROOT, ReadView, View, ViewMut, WriteView};
use crate::slice::{Slice, SliceMut};
use crate::value::atomic::Atomic;

/// `&x` of a view of the caller.
pub struct Lent<'a, T, const D: usize = 1>(Slice<'a, T, D>);

/// `&mut x` of a view of the caller.
pub struct LentMut<'a, T, const D: usize = 1>(SliceMut<'a, T, D>);

/// `&x`
#[inline(always)]
pub fn lend<const G: usize, V: ReadView<G, D>, const D: usize>(view: &V) -> Lent<'_, V::Elem, D> {
    Lent(view.read())
}

/// What a host part lends for writing as a whole: a view of group `G`, or a struct of them.
#[diagnostic::on_unimplemented(
    message = "this slice cannot be written by the group that lends it",
    label = "it is read-only, or does not belong to the group",
    note = "use the slice by the name that it has in front of `stream_parallel!`, or split or rename it inside the group"
)]
pub trait Whole<const G: usize> {
    /// What a called kernel gets.
    type Lent<'l>
    where
        Self: 'l;
    /// The same of group `INTO`.
    type Forked<'l, const INTO: usize>
    where
        Self: 'l;
    /// For the time of a call.
    fn lend(&mut self) -> Self::Lent<'_>;
    /// A unique reborrow at a fork.
    fn fork<const INTO: usize>(&mut self) -> Self::Forked<'_, INTO>;
}

#[diagnostic::do_not_recommend]
impl<T, const G: usize, const D: usize> Whole<G> for ViewMut<'_, T, G, D> {
    type Lent<'l>
        = LentMut<'l, T, D>
    where
        Self: 'l;
    type Forked<'l, const INTO: usize>
        = ViewMut<'l, T, INTO, D>
    where
        Self: 'l;
    fn lend(&mut self) -> LentMut<'_, T, D> {
        LentMut(self.write())
    }
    fn fork<const INTO: usize>(&mut self) -> ViewMut<'_, T, INTO, D> {
        super::views::write::<G, INTO, _, D>(self)
    }
}

/// `&mut x`
#[inline(always)]
pub fn lend_mut<const G: usize, V: Whole<G>>(view: &mut V) -> V::Lent<'_> {
    view.lend()
}

/// Group `INTO` writes all of a view, or struct of views, of `G`.
#[inline(always)]
pub fn fork_mut<const G: usize, const INTO: usize, V: Whole<G>>(view: &mut V) -> V::Forked<'_, INTO> {
    view.fork()
}

/// `&x[a..b]`
#[inline(always)]
#[track_caller]
pub fn lend_part<const G: usize, V: ReadView<G, 1>>(view: &V, part: impl RangeBounds<usize>) -> Lent<'_, V::Elem> {
    Lent(view.read().rows_for("", part))
}

/// `&mut x[a..b]`
#[inline(always)]
#[track_caller]
pub fn lend_part_mut<const G: usize, V: WriteView<G, 1>>(
    view: &mut V,
    part: impl RangeBounds<usize>,
) -> LentMut<'_, V::Elem> {
    LentMut(view.write().into_rows("", part))
}

/// What a called kernel takes for a parameter `&[T]`; with several dimensions `D`, for a
/// `&Grid<T, D>`.
#[diagnostic::on_unimplemented(
    message = "the called kernel reads a slice or grid of its caller here",
    label = "expected `&x`, or `&x[a..b]` of a slice, where `x` is a slice or grid of this kernel",
    note = "dimensions expected: {D}; a slice has 1, a `Grid<T, 2>` has 2",
    note = "buffers are parameters of the kernel that is launched; it lends them, or parts of them, to the kernels that it calls"
)]
pub trait LentRead<const D: usize> {
    /// The element type.
    type Elem;
    /// The view that the called kernel begins with.
    fn root(&self) -> View<'_, Self::Elem, ROOT, D>;
}

/// What a called kernel takes for a parameter `&mut [T]`; with several dimensions `D`, for a
/// `&mut Grid<T, D>`.
#[diagnostic::on_unimplemented(
    message = "the called kernel writes a slice or grid of its caller here",
    label = "expected `&mut x`, or `&mut x[a..b]` of a slice, where `x` is a slice or grid of this kernel",
    note = "dimensions expected: {D}; a slice has 1, a `Grid<T, 2>` has 2",
    note = "`&x` lends it only for reading"
)]
pub trait LentWrite<const D: usize> {
    /// The element type.
    type Elem;
    /// The view that the called kernel begins with.
    fn root_mut(&mut self) -> ViewMut<'_, Self::Elem, ROOT, D>;
}

/// What a called kernel takes for a parameter `&[A]` of atomics, or a grid of them.
#[diagnostic::on_unimplemented(
    message = "the called kernel shares a slice or grid of atomics here: `{A}`",
    label = "expected `&x` of such atomics of this kernel, or `&mut x` of their values"
)]
pub trait LentAtomic<A: Atomic, const D: usize> {
    /// The view that the called kernel begins with.
    fn root_atomic(&mut self) -> View<'_, A, ROOT, D>;
}

impl<T, const D: usize> LentRead<D> for Lent<'_, T, D> {
    type Elem = T;
    fn root(&self) -> View<'_, T, ROOT, D> {
        super::views::root(self.0)
    }
}
impl<T, const D: usize> LentRead<D> for LentMut<'_, T, D> {
    type Elem = T;
    fn root(&self) -> View<'_, T, ROOT, D> {
        super::views::root(self.0.shared())
    }
}
#[diagnostic::do_not_recommend]
impl<T, const D: usize> LentWrite<D> for LentMut<'_, T, D> {
    type Elem = T;
    fn root_mut(&mut self) -> ViewMut<'_, T, ROOT, D> {
        super::views::root_mut(self.0.reborrow())
    }
}
#[diagnostic::do_not_recommend]
impl<A: Atomic, const D: usize> LentAtomic<A, D> for Lent<'_, A, D> {
    fn root_atomic(&mut self) -> View<'_, A, ROOT, D> {
        super::views::root(self.0)
    }
}
#[diagnostic::do_not_recommend]
impl<A: Atomic, const D: usize> LentAtomic<A, D> for LentMut<'_, A::Value, D> {
    fn root_atomic(&mut self) -> View<'_, A, ROOT, D> {
        super::views::root_atomic(self.0.reborrow())
    }
}
