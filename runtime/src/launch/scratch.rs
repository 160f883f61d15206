//! Memory that belongs to a place of the host part, and the places of the results of reductions.

use std::any::type_name;

use super::host::{Ctx, too_long};
use super::views::{ViewMut, WriteView};
use crate::backend::Memory;
use crate::error::Error;
use crate::layout::{ElementIndex, Layout, bytes_of};
use crate::model::ranges::Dims;
use crate::slice::SliceMut;
use crate::value::Zeroed;

/// Elements that only the work of this place uses, until the guard is dropped. The guard is a local
/// of generated code, and is dropped before its place is left.
#[derive(Debug)]
pub struct Scratch<T, const D: usize = 1> {
    /// Empty if the launch has failed: then nothing will use it.
    memory: Memory,
    shape: [usize; D],
    elements: std::marker::PhantomData<T>,
}

impl<T, const D: usize> Scratch<T, D> {
    /// The elements, for loops of group `G`.
    pub fn view<const G: usize>(&mut self) -> ViewMut<'_, T, G, D> {
        SliceMut::new(&self.memory, self.memory.start().cast(), Layout::whole(self.shape))
    }
}

/// A shape that nothing has.
#[derive(Debug)]
pub enum NoShape {}

/// The bound of [`scratch`](crate::scratch()). A number is no such thing, so the function cannot be
/// called.
#[diagnostic::on_unimplemented(
    message = "`scratch` makes elements for the host part of a `#[kernel]` function",
    label = "this is not the value of a `let` in the host part of a kernel",
    note = "write `let mut sums = scratch::<f32>(n);` in the host part of a kernel",
    note = "elsewhere, make a buffer: `device.zeros::<f32>(n)?`"
)]
pub trait AfterLet {
    /// Whatever is needed: there is no value to call it with.
    fn never<R>(self) -> R;
}

#[diagnostic::do_not_recommend]
impl AfterLet for NoShape {
    fn never<R>(self) -> R {
        match self {}
    }
}

impl Ctx<'_> {
    /// Elements that are zero. The function is [`scratch`](crate::scratch()) if its name means what
    /// the macro takes it for, and says which type they have.
    pub fn zeroed_scratch<T, const D: usize>(
        &mut self,
        shape: impl ElementIndex<D>,
        _: fn(NoShape) -> Scratch<T>,
    ) -> Scratch<T, D> {
        self.scratch_of(shape.indexes(), false)
    }

    /// `len` elements for the results of parts, which are written before they are read.
    ///
    /// A check that fails leaves elements unwritten, and what reads them then runs on. So elements
    /// of which not all bits are a value are zero at first, and `Zeroed` says that this is a value.
    pub fn scratch<T: Zeroed>(&mut self, len: usize) -> Scratch<T> {
        self.scratch_of([len], T::TYPE.is_of_numbers())
    }

    fn scratch_of<T, const D: usize>(&mut self, shape: [usize; D], any_bits: bool) -> Scratch<T, D> {
        let bytes = bytes_of::<T, D>(shape).unwrap_or(usize::MAX);
        let memory = match self.failed.is_set() {
            true => None,
            false => self.failed.note(self.place.scratch(bytes, any_bits).map_err(|error| {
                let of = || format!("{shape:?} `{}` in kernel `{}`", type_name::<T>(), self.kernel.name);
                error.in_operation("scratch", of)
            })),
        };
        let memory = memory.unwrap_or_else(|| Memory::empty(&self.stream.backend));
        // After a failure the host part goes on with the shape, if its strides are numbers at all.
        let has_strides = shape.iter().try_fold(1usize, |stride, &len| stride.checked_mul(len.max(1))).is_some();
        let shape = if has_strides { shape } else { [0; D] };
        Scratch { memory, shape, elements: std::marker::PhantomData }
    }

    /// Where the element of a view is to which a statement assigns. `None`: there is none, so the
    /// launch has failed.
    pub fn result<const G: usize, const D: usize, V: WriteView<G, D>>(
        &mut self,
        view: &mut V,
        index: impl ElementIndex<D>,
        statement: Statement,
    ) -> Option<usize> {
        let (view, index) = (view.write(), index.indexes());
        let mut ends = index.into_iter().zip(view.shape()).enumerate();
        let Some((dim, (index, len))) = ends.find(|(_, (index, len))| index >= len) else {
            return Some(index.into_iter().zip(view.layout().strides()).map(|(index, stride)| index * stride).sum());
        };
        let Statement { text, access, buffer, line, column } = statement;
        self.failed.set(Error::OutOfBounds {
            kernel: self.kernel.name,
            header: text,
            access,
            call: None,
            buffer,
            index: i64::try_from(index).unwrap_or(i64::MAX),
            dim: u8::try_from(dim).ok().filter(|_| D > 1),
            len,
            file: self.kernel.file,
            line,
            column,
        });
        None
    }

    /// The element at a [place](Self::result), as a view of its own; empty if there is none.
    pub fn element<'v, const G: usize, const D: usize, V: WriteView<G, D>>(
        &mut self,
        view: &'v mut V,
        place: Option<usize>,
    ) -> ViewMut<'v, V::Elem, G> {
        let part = place.map_or((0, Layout::whole([0])), |place| (place, Layout::whole([1])));
        view.write().at(part).in_group()
    }

    /// How many iterations a statement has. A step of 0 fails the launch, and so do too many
    /// iterations.
    pub fn count<D: Dims>(&mut self, dims: D, ranges: &[&'static str], header: &'static str, line: u32) -> usize {
        if dims.stands_still() {
            self.failed.set(Error::ZeroStep { kernel: self.kernel.name, header, file: self.kernel.file, line });
        } else if dims.is_too_long() {
            let longest = dims.longest();
            let range = ranges.get(longest.dim).copied().unwrap_or(header);
            self.failed.set(too_long(self.kernel, longest, range, header, line));
        }
        dims.count()
    }
}

/// An assignment, for errors.
#[derive(Debug, Clone, Copy)]
pub struct Statement {
    /// As the user wrote it.
    pub text: &'static str,
    /// Its left side.
    pub access: &'static str,
    /// The slice.
    pub buffer: &'static str,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}
