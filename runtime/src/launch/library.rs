//! The body of a library kernel: it runs where the kernel stands, with the stream of that place.

#![allow(unsafe_code, reason = "views of library kernels")]

use super::host::Ctx;
use super::views::{Launching, ReadView, WriteView};
use crate::backend::{Measured, Turn};
use crate::capture::Work;
use crate::cpu::views::{DevAtomic, DevMut, DevRef};
use crate::device::Device;
use crate::error::Error;
use crate::layout::Layout;
use crate::library::{Input, LibraryValue, Outcome, Output};
use crate::model::kernel::Kernel;
use crate::stream::Stream;
use crate::value::DeviceCopy;
use crate::value::atomic::Atomic;
use crate::value::format::dropped;

/// A view of a buffer on its way into a body: without its lifetime, for a job that is recorded.
#[derive(Clone, Copy)]
pub struct Lend<P, const D: usize> {
    elements: P,
    layout: Layout<D>,
}

/// The slices and grids of a body, `(Lend, (Lend, ()))`.
pub trait Lends: Copy + Send + Sync + 'static {
    /// What the body gets.
    type Views<'a>;
    /// Makes the views.
    ///
    /// # Safety
    /// For `'a`, the elements are borrowed, the written ones uniquely; `in_host_memory` says
    /// whether they are the host's.
    unsafe fn views<'a>(self, in_host_memory: bool) -> Self::Views<'a>;
}

impl Lends for () {
    type Views<'a> = ();
    unsafe fn views<'a>(self, _: bool) -> Self::Views<'a> {}
}

macro_rules! lends {
    ($([$($of:tt)*] $elements:ident<$arg:ident> => $view:ident, |$view_of:ident| $start:expr;)*) => { $(
        impl<$($of)*, const D: usize, R: Lends> Lends for (Lend<$elements<$arg>, D>, R) {
            type Views<'a> = ($view<'a, $arg, D>, R::Views<'a>);
            unsafe fn views<'a>(self, in_host_memory: bool) -> Self::Views<'a> {
                let (Lend { elements: $view_of, layout }, rest) = self;
                // SAFETY: the caller's promise.
                unsafe { ($view::new($start, layout, in_host_memory), rest.views(in_host_memory)) }
            }
        }
    )* };
}
lends! {
    [T: DeviceCopy] DevRef<T> => Input, |view| view.start();
    [T: DeviceCopy] DevMut<T> => Output, |view| view.read().start().cast_mut();
    [A: Atomic] DevAtomic<A> => Input, |view| view.values().start().cast();
}

/// `&[T]`
#[inline]
pub fn input<const G: usize, V: ReadView<G, D, Elem: DeviceCopy>, const D: usize>(
    _: Launching<'_>,
    view: &V,
) -> Lend<DevRef<V::Elem>, D> {
    let view = view.read();
    // SAFETY: as for `views::raw_ref`.
    let elements = unsafe { DevRef::new(view.as_ptr(), view.layout().span()) };
    Lend { elements, layout: view.layout() }
}

/// `&mut [T]`
#[inline]
pub fn output<const G: usize, V: WriteView<G, D, Elem: DeviceCopy>, const D: usize>(
    _: Launching<'_>,
    view: &mut V,
) -> Lend<DevMut<V::Elem>, D> {
    let view = view.write();
    // SAFETY: as for `views::raw_mut`.
    let elements = unsafe { DevMut::new(view.as_ptr(), view.layout().span()) };
    Lend { elements, layout: view.layout() }
}

/// `&[AtomicU32]`
#[inline]
pub fn shared<const G: usize, V: ReadView<G, D, Elem: Atomic>, const D: usize>(
    _: Launching<'_>,
    view: &V,
) -> Lend<DevAtomic<V::Elem>, D> {
    let view = view.read();
    // SAFETY: as for `views::raw_atomic`.
    let elements = unsafe { DevAtomic::new(view.as_ptr().cast(), view.layout().span()) };
    Lend { elements, layout: view.layout() }
}

/// A value of a body, with the way to clone it. It has no bounds, so that rustc reports a wrong
/// type once: at [`value`].
pub struct Given<T> {
    value: T,
    clone: fn(&T) -> T,
}

// SAFETY: only `value` makes one, of a type that is `Send`.
unsafe impl<T> Send for Given<T> {}
// SAFETY: as above; the type is `Sync`.
unsafe impl<T> Sync for Given<T> {}

/// A parameter that is neither a slice nor a grid.
#[inline(always)]
pub fn value<T: LibraryValue>(value: T) -> Given<T> {
    Given { value, clone: T::clone }
}

/// The values of a body, `(Given, (Given, ()))`.
pub trait Values: Send + Sync + 'static {
    /// What the body gets.
    type Plain;
    /// For a body that runs once.
    fn into_plain(self) -> Self::Plain;
    /// For a body that may run again.
    fn plain(&self) -> Self::Plain;
}

impl Values for () {
    type Plain = ();
    fn into_plain(self) {}
    fn plain(&self) {}
}

impl<T: 'static, R: Values> Values for (Given<T>, R) {
    type Plain = (T, R::Plain);
    fn into_plain(self) -> Self::Plain {
        (self.0.value, self.1.into_plain())
    }
    fn plain(&self) -> Self::Plain {
        let (Given { value, clone }, rest) = self;
        (clone(value), rest.plain())
    }
}

/// What the body has returned.
#[inline(always)]
pub fn outcome<R: Outcome>(outcome: R) -> Returned {
    Returned(outcome.outcome())
}

/// See [`outcome`].
#[derive(Debug)]
pub struct Returned(Result<(), Box<dyn std::error::Error + Send + Sync>>);

impl Returned {
    fn of(self, kernel: &'static Kernel) -> Result<(), Error> {
        self.0.map_err(|source| Error::Library { kernel: kernel.name, source: source.into() })
    }
}

/// The body of a library kernel.
type Body<A, V> = for<'a> fn(&'a Stream, <A as Lends>::Views<'a>, <V as Values>::Plain) -> Returned;

impl Ctx<'_> {
    /// Runs the body at once, or records it as a job.
    #[inline]
    pub fn library<A: Lends, V: Values>(&mut self, measured: &'static Measured, lends: A, values: V, body: Body<A, V>) {
        if self.failed.is_set() {
            return;
        }
        let (kernel, failed) = (self.kernel, self.failed);
        let Some(turn) = failed.note(self.place.turn(kernel)) else { return };
        if let Some(recorder) = self.recorder {
            recorder.add(Work::Library(kernel));
        }
        match turn {
            Turn::Never => {}
            Turn::Now(now) => {
                let stream = self.stream.lend(now.stream(), self.recorder.is_some());
                // SAFETY: the launch has borrowed the elements and ordered their uses. Until the
                // body returns, nothing else of the launch runs on the host; what is queued on the
                // stream is in its order.
                let views = unsafe { lends.views(now.is_in_host_memory()) };
                let returned = body(&stream, views, values.into_plain()).of(kernel);
                let ended = now.end();
                failed.note(returned.and(ended));
            }
            Turn::Later(queue) => {
                let (device, kept) = (self.stream.device().clone(), Kept(Some(values)));
                let run = move || kept.0.as_ref().map_or(Ok(()), |values| run(kernel, &device, lends, values, body));
                queue.library(kernel, measured, failed.callers(), run);
            }
        }
    }
}

/// The values that a job keeps. A panic of their destructors ends here, because a fork joins, and a
/// graph goes, in a destructor.
struct Kept<V>(Option<V>);

impl<V> Drop for Kept<V> {
    fn drop(&mut self) {
        dropped(self.0.take());
    }
}

/// Runs a recorded body.
fn run<A: Lends, V: Values>(
    kernel: &'static Kernel,
    device: &Device,
    lends: A,
    values: &V,
    body: Body<A, V>,
) -> Result<(), Error> {
    let stream = device.default_stream();
    let stream = stream.lend(stream.backend.clone(), false);
    // SAFETY: only the CPU records bodies. The job runs when it is its turn: in its launch, which
    // borrows the elements, or in the launch of a graph, which co-owns them and excludes all other
    // uses; after the jobs before it in its group, and beside groups that the borrow checker has
    // kept apart from this one.
    body(&stream, unsafe { lends.views(true) }, values.plain()).of(kernel)
}
