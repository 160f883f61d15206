//! Views of buffers and of their [parts](crate::parts), and the traits of launch arguments.

#![allow(unsafe_code, reason = "parts of buffers are unique or shared as references are")]

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use crate::backend::{Memory, Use};
use crate::layout::Layout;
use crate::order::hazard::AccessMode;
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;

/// A shared view of a part of a buffer.
///
/// Pass it for a kernel parameter `&[T]`; with several dimensions `D`, for a `&Grid<T, D>`. In the
/// host part of the kernel the parameter is a view like this one. The host can get the length of a
/// view, but not its elements, which are in device memory.
///
/// `G` is a number that a host part gives to the views of each of its groups. Leave it out
/// elsewhere: its default is no group's number.
pub struct Slice<'a, T, const D: usize = 1, const G: usize = 4_294_967_295> {
    start: *mut T,
    layout: Layout<D>,
    memory: &'a Memory,
    elements: PhantomData<&'a [T]>,
}

/// A unique view of a part of a buffer.
///
/// Pass it for a kernel parameter `&mut [T]`; with several dimensions `D`, for a `&mut Grid<T, D>`.
/// In the host part of the kernel the parameter is a view like this one.
///
/// `G` is as in [`Slice`].
pub struct SliceMut<'a, T, const D: usize = 1, const G: usize = 4_294_967_295> {
    start: *mut T,
    layout: Layout<D>,
    memory: &'a Memory,
    elements: PhantomData<&'a mut [T]>,
}

// SAFETY: a view is a borrow of device memory; the streams order what is done with it.
unsafe impl<T: DeviceCopy, const D: usize, const G: usize> Send for Slice<'_, T, D, G> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize, const G: usize> Sync for Slice<'_, T, D, G> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize, const G: usize> Send for SliceMut<'_, T, D, G> {}
// SAFETY: as above.
unsafe impl<T: DeviceCopy, const D: usize, const G: usize> Sync for SliceMut<'_, T, D, G> {}

impl<T, const D: usize, const G: usize> Clone for Slice<'_, T, D, G> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const D: usize, const G: usize> Copy for Slice<'_, T, D, G> {}

/// What shared and unique views can be asked for.
macro_rules! sizes {
    ($($view:ident)*) => { $(
        impl<T, const D: usize, const G: usize> $view<'_, T, D, G> {
            /// Returns the number of elements.
            pub fn len(&self) -> usize {
                self.layout.len()
            }

            /// Returns `true` if there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the number of elements along each dimension.
            pub fn shape(&self) -> [usize; D] {
                self.layout.shape()
            }

            /// Returns `true` if the elements lie next to each other in memory. The elements of a
            /// slice do, and so do those of a whole grid and of some of its rows. The elements of
            /// another [`part`](Self::part) may not.
            pub fn is_contiguous(&self) -> bool {
                self.layout.is_contiguous()
            }

            pub(crate) fn layout(&self) -> Layout<D> {
                self.layout
            }

            /// All elements in one dimension, for this function.
            #[track_caller]
            pub(crate) fn flat(&self, function: &'static str) -> Layout<1> {
                let shape = self.shape();
                assert!(
                    self.is_contiguous(),
                    "`{function}`: the elements of a part of shape {shape:?} do not lie next to each other"
                );
                Layout::whole([self.len()])
            }
        }
    )* };
}
sizes! { Slice SliceMut }

impl<'a, T, const D: usize, const G: usize> Slice<'a, T, D, G> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, layout: Layout<D>) -> Self {
        Self { start, layout, memory, elements: PhantomData }
    }

    pub(crate) fn at<const E: usize>(&self, (first, layout): (usize, Layout<E>)) -> Slice<'a, T, E, G> {
        Slice::new(self.memory, self.start.wrapping_add(first), layout)
    }

    /// The same in a group.
    pub(crate) fn in_group<const INTO: usize>(self) -> Slice<'a, T, D, INTO> {
        Slice::new(self.memory, self.start, self.layout)
    }

    /// All elements.
    pub(crate) fn whole(&self) -> Self {
        *self
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.start
    }
}

impl<'a, T, const D: usize> Slice<'a, T, D> {
    /// The element at a place, counted from the first.
    pub(crate) fn element(&self, place: usize) -> Slice<'a, T> {
        self.at((place, Layout::whole([1])))
    }

    /// What it is, for an error: a whole buffer, or which elements of one.
    pub(crate) fn described(&self) -> String {
        let (Use { memory, bytes, .. }, name) = (self.usage(""), type_name::<T>());
        let size = size_of::<T>().max(1);
        let (first, of) = (bytes.start / size, memory.len() / size);
        match self.is_contiguous() {
            true if self.len() == of => format!("a buffer of {of} `{name}`"),
            true => format!("elements {first}..{} of a buffer of {of} `{name}`", first + self.len()),
            false => format!("a part of shape {:?} of a buffer of {of} `{name}`", self.shape()),
        }
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.layout, AccessMode::Read)
    }
}

impl<'a, T, const D: usize, const G: usize> SliceMut<'a, T, D, G> {
    pub(crate) fn new(memory: &'a Memory, start: *mut T, layout: Layout<D>) -> Self {
        Self { start, layout, memory, elements: PhantomData }
    }

    /// A part, for as long as this view. Those that one view is taken apart into must not have
    /// elements in common.
    pub(crate) fn at<const E: usize>(&self, (first, layout): (usize, Layout<E>)) -> SliceMut<'a, T, E, G> {
        SliceMut::new(self.memory, self.start.wrapping_add(first), layout)
    }

    /// The same in a group.
    pub(crate) fn in_group<const INTO: usize>(self) -> SliceMut<'a, T, D, INTO> {
        SliceMut::new(self.memory, self.start, self.layout)
    }

    /// All elements.
    pub(crate) fn whole(&self) -> Slice<'_, T, D, G> {
        self.shared()
    }

    /// All elements.
    pub(crate) fn whole_mut(&mut self) -> SliceMut<'_, T, D, G> {
        self.reborrow()
    }

    /// A shared view of the same elements.
    pub(crate) fn shared(&self) -> Slice<'_, T, D, G> {
        Slice::new(self.memory, self.start, self.layout)
    }

    /// Returns a unique view of the same elements with a shorter lifetime.
    pub fn reborrow(&mut self) -> SliceMut<'_, T, D, G> {
        SliceMut::new(self.memory, self.start, self.layout)
    }

    /// First element on the device.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.start
    }
}

impl<'a, T, const D: usize> SliceMut<'a, T, D> {
    /// The same elements as atomics, which may be shared.
    pub(crate) fn into_atomic<A: Atomic<Value = T>>(self) -> Slice<'a, A, D> {
        Slice::new(self.memory, self.start.cast(), self.layout)
    }

    /// For generated code: what a launch does with this argument.
    #[doc(hidden)]
    pub fn usage(&self, name: &'static str) -> Use<'a> {
        used(name, self.memory, self.start, self.layout, AccessMode::Write)
    }
}

/// All bytes from the first element to the last one. What other streams do with bytes between them
/// waits, although it need not.
fn used<'a, T, const D: usize>(
    name: &'static str,
    memory: &'a Memory,
    start: *mut T,
    layout: Layout<D>,
    access: AccessMode,
) -> Use<'a> {
    let offset = start as usize - memory.start() as usize;
    let bytes = offset..offset + layout.span() * size_of::<T>();
    Use { name, memory, bytes, gaps: !layout.is_contiguous(), access }
}

impl<T, const D: usize, const G: usize> fmt::Debug for Slice<'_, T, D, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slice({} elements at {:p})", self.len(), self.start)
    }
}

impl<T, const D: usize, const G: usize> fmt::Debug for SliceMut<'_, T, D, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SliceMut({} elements at {:p})", self.len(), self.start)
    }
}

/// An argument for a kernel parameter `&[T]`: a [`Buffer`](crate::Buffer), a [`Slice`], or a type
/// that wraps one (a reference, a `Box`, an `Arc`, the guard of a lock).
///
/// # Safety
/// The view must belong to a buffer that stays borrowed as long as the view exists. You should not
/// need to implement this trait: wrap the types that implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory",
    label = "expected a `Buffer`, or a `Slice` of one",
    note = "a kernel parameter `&[T]` takes `&buffer` or `&buffer.slice(a..b)`; make a buffer with `device.buffer_from(&data)?`"
)]
pub unsafe trait SliceArg {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a view of the elements.
    fn view(&self) -> Slice<'_, Self::Elem>;
}

/// An argument for a kernel parameter `&mut [T]`: a [`Buffer`](crate::Buffer), a [`SliceMut`], or a
/// type that wraps one.
///
/// # Safety
/// The requirements of [`SliceArg`] apply, and the borrow must be unique.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that a kernel can write",
    label = "expected a `Buffer`, or a `SliceMut` of one",
    note = "a kernel parameter `&mut [T]` takes `&mut buffer` or `&mut buffer.slice_mut(a..b)`; make a buffer with `device.buffer_from(&data)?`"
)]
pub unsafe trait SliceMutArg {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a unique view of the elements.
    fn view_mut(&mut self) -> SliceMut<'_, Self::Elem>;
}

/// An argument for a kernel parameter `&Grid<T, D>`: a [`Buffer`](crate::Buffer) or [`Slice`] of
/// `D` dimensions, or a type that wraps one.
///
/// # Safety
/// The requirements of [`SliceArg`] apply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid of {D} dimensions",
    label = "expected a `Buffer` with {D} dimensions, or a part of one",
    note = "a kernel parameter `&Grid<T, {D}>` takes `&buffer`, `&buffer.rows(a..b)` or `&buffer.part((a..b, c..d))`; make a buffer with `device.grid_from(&data, shape)?`"
)]
pub unsafe trait GridArg<const D: usize> {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a view of the grid.
    fn grid(&self) -> Slice<'_, Self::Elem, D>;
}

/// An argument for a kernel parameter `&mut Grid<T, D>`: a [`Buffer`](crate::Buffer) or
/// [`SliceMut`] of `D` dimensions, or a type that wraps one.
///
/// # Safety
/// The requirements of [`SliceMutArg`] apply.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a grid of {D} dimensions that a kernel can write",
    label = "expected a `Buffer` with {D} dimensions, or a part of one",
    note = "a kernel parameter `&mut Grid<T, {D}>` takes `&mut buffer`, `&mut buffer.rows_mut(a..b)` or `&mut buffer.part_mut((a..b, c..d))`; make a buffer with `device.grid_from(&data, shape)?`"
)]
pub unsafe trait GridMutArg<const D: usize> {
    /// The element type.
    type Elem: DeviceCopy;
    /// Returns a unique view of the grid.
    fn grid_mut(&mut self) -> SliceMut<'_, Self::Elem, D>;
}

// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for Slice<'_, T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        *self
    }
}
// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy, const D: usize> GridArg<D> for SliceMut<'_, T, D> {
    type Elem = T;
    fn grid(&self) -> Slice<'_, T, D> {
        self.shared()
    }
}
// SAFETY: the view reborrows uniquely.
unsafe impl<T: DeviceCopy, const D: usize> GridMutArg<D> for SliceMut<'_, T, D> {
    type Elem = T;
    fn grid_mut(&mut self) -> SliceMut<'_, T, D> {
        self.reborrow()
    }
}

// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy> SliceArg for Slice<'_, T> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        *self
    }
}
// SAFETY: the view reborrows.
unsafe impl<T: DeviceCopy> SliceArg for SliceMut<'_, T> {
    type Elem = T;
    fn view(&self) -> Slice<'_, T> {
        self.shared()
    }
}
// SAFETY: the view reborrows uniquely.
unsafe impl<T: DeviceCopy> SliceMutArg for SliceMut<'_, T> {
    type Elem = T;
    fn view_mut(&mut self) -> SliceMut<'_, T> {
        self.reborrow()
    }
}

macro_rules! wrappers {
    (read: $($reader:ty),*; write: $($writer:ty),* $(,)?) => {
        $(
            // SAFETY: the wrapper lends the value inside for as long as it is borrowed itself.
            unsafe impl<S: SliceArg + ?Sized> SliceArg for $reader {
                type Elem = S::Elem;
                fn view(&self) -> Slice<'_, S::Elem> { (**self).view() }
            }
            // SAFETY: as above.
            unsafe impl<S: GridArg<D> + ?Sized, const D: usize> GridArg<D> for $reader {
                type Elem = S::Elem;
                fn grid(&self) -> Slice<'_, S::Elem, D> { (**self).grid() }
            }
        )*
        $(
            // SAFETY: as above; it is borrowed uniquely.
            unsafe impl<S: SliceMutArg + ?Sized> SliceMutArg for $writer {
                type Elem = S::Elem;
                fn view_mut(&mut self) -> SliceMut<'_, S::Elem> { (**self).view_mut() }
            }
            // SAFETY: as above.
            unsafe impl<S: GridMutArg<D> + ?Sized, const D: usize> GridMutArg<D> for $writer {
                type Elem = S::Elem;
                fn grid_mut(&mut self) -> SliceMut<'_, S::Elem, D> { (**self).grid_mut() }
            }
        )*
    };
}
wrappers! {
    read: &S, &mut S, Box<S>, Arc<S>, MutexGuard<'_, S>, RwLockReadGuard<'_, S>, RwLockWriteGuard<'_, S>;
    write: &mut S, Box<S>, MutexGuard<'_, S>, RwLockWriteGuard<'_, S>
}
