//! The views of device code on the CPU: an address and a length.

#![allow(unsafe_code, reason = "elements of views")]

use anabranch_core::facts::Member;

use crate::model::args::KernelArg;
use crate::model::judge::Decided;
use crate::model::params::Params;
use crate::value::atomic::Atomic;
use crate::value::check::out_of_bounds;
use crate::value::{DeviceType, DeviceValue};

/// A readable view without its lifetime, as the body of a loop gets it.
///
/// It is safe to use, although it erases a lifetime. The only way to get one is `raw_ref`, which
/// requires the `Launching` of a running host part. Generated code passes it directly to
/// `Ctx::par`. The launcher holds the borrow, and everything that runs there returns before the
/// launcher does: loops run at once, loops of groups when the `Fork` guard is dropped. The jobs of
/// a capture live on in its graph, which co-owns the memory and is launched only while no other
/// code uses it (`graph`, `order::graph_lock`).
pub struct DevRef<T> {
    start: *const T,
    len: usize,
}

/// A writable view without its lifetime; see [`DevRef`], which it contains for reading.
///
/// Functions that write an element take the view by `&mut`, so that the borrow checker sees
/// conflicts with references that a `#[device]` function holds.
pub struct DevMut<T>(DevRef<T>);

impl<T> Clone for DevRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DevRef<T> {}
impl<T> Clone for DevMut<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DevMut<T> {}
// SAFETY: the views point to values that may be used on any thread (`DeviceValue: Send + Sync`). A
// `par` loop guarantees that two iterations access the same element only if both read it.
unsafe impl<T: DeviceValue> Send for DevRef<T> {}
// SAFETY: as above.
unsafe impl<T: DeviceValue> Sync for DevRef<T> {}

/// A view of atomics without its lifetime; see [`DevRef`].
pub struct DevAtomic<A: Atomic>(DevRef<A::Value>);

impl<A: Atomic> Clone for DevAtomic<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A: Atomic> Copy for DevAtomic<A> {}

impl<T> DevRef<T> {
    /// # Safety
    /// As long as the view or a copy of it is used, the `len` elements at `start` on the device are
    /// borrowed.
    #[inline(always)]
    pub(crate) unsafe fn new(start: *const T, len: usize) -> Self {
        Self { start, len }
    }

    /// Number of elements.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.len
    }

    /// Address on the device.
    pub(super) fn address(self) -> u64 {
        self.start as u64
    }

    /// The first element.
    #[inline(always)]
    pub(crate) fn start(self) -> *const T {
        self.start
    }

    /// A pointer to element `index`. An index out of bounds fails the iteration.
    #[inline(always)]
    #[track_caller]
    pub(super) fn pointer(self, index: usize, decided: Decided) -> *const T {
        if !decided.is_proved() && index >= self.len {
            out_of_bounds(index, self.len)
        }
        // SAFETY: the index is below the length of the borrow that the view was made from. If the
        // check is left out, `decide` has proven this for every index that this access can have in
        // this launch, or `loops::along` for every one that it can have in the loop around it.
        unsafe { self.start.add(index) }
    }
}

impl<T> DevMut<T> {
    /// # Safety
    /// As for [`DevRef::new`], and the borrow is unique.
    #[inline(always)]
    pub(crate) unsafe fn new(start: *mut T, len: usize) -> Self {
        Self(DevRef { start, len })
    }

    /// For reading.
    #[inline(always)]
    pub(crate) fn read(&self) -> DevRef<T> {
        self.0
    }
}

impl<A: Atomic> DevAtomic<A> {
    /// # Safety
    /// As for [`DevRef::new`], and only atomic operations use the elements.
    #[inline(always)]
    pub(crate) unsafe fn new(start: *const A::Value, len: usize) -> Self {
        Self(DevRef { start, len })
    }

    /// The values of the atomics.
    #[inline(always)]
    pub(crate) fn values(&self) -> DevRef<A::Value> {
        self.0
    }
}

/// A view is passed to a kernel as its address and its length. What device memory can hold is
/// checked where the view is made.
macro_rules! views {
    ($($view:ident<$T:ident: $bound:ident> of $value:ty, |$this:ident| $elements:expr;)*) => { $(
        impl<$T: $bound> KernelArg for $view<$T> {
            const TYPE: &'static DeviceType = <$value as DeviceValue>::TYPE;
            const BYTES: usize = 16;
            #[inline]
            fn push(&self, params: &mut Params<'_>) {
                let $this = self;
                let view: DevRef<$value> = $elements;
                params.push_int(view.address().into(), 8);
                params.push_int(view.len() as u128, 8);
            }
            #[inline]
            fn number(&self, _: &Member) -> Option<i128> {
                let $this = self;
                i128::try_from($elements.len()).ok()
            }
        }
    )* };
}
views! {
    DevRef<T: DeviceValue> of T, |view| *view;
    DevMut<T: DeviceValue> of T, |view| view.read();
    DevAtomic<A: Atomic> of A::Value, |view| view.values();
}

/// Something with a length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "only slices and arrays have `len()` and `is_empty()` in device code"
)]
pub trait Length {
    /// Number of elements.
    fn length(&self) -> usize;
}
impl<T> Length for DevRef<T> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.len
    }
}
impl<T> Length for DevMut<T> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.0.len
    }
}
impl<A: Atomic> Length for DevAtomic<A> {
    #[inline(always)]
    fn length(&self) -> usize {
        self.0.len
    }
}
impl<T> Length for [T] {
    #[inline(always)]
    fn length(&self) -> usize {
        self.len()
    }
}
impl<T, const N: usize> Length for [T; N] {
    #[inline(always)]
    fn length(&self) -> usize {
        N
    }
}
#[diagnostic::do_not_recommend]
impl<T: Length + ?Sized> Length for &T {
    #[inline(always)]
    fn length(&self) -> usize {
        T::length(self)
    }
}
#[diagnostic::do_not_recommend]
impl<T: Length + ?Sized> Length for &mut T {
    #[inline(always)]
    fn length(&self) -> usize {
        T::length(self)
    }
}

/// `x.len()`.
#[inline(always)]
pub fn len<V: Length + ?Sized>(of: &V) -> usize {
    of.length()
}

/// `x.is_empty()`.
#[inline(always)]
pub fn is_empty<V: Length + ?Sized>(of: &V) -> bool {
    of.length() == 0
}
