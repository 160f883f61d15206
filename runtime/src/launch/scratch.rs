//! What the statement of a reduction needs besides its loops: the place of the result, and memory
//! for the results of parts.

use super::host::{Ctx, too_long};
use super::views::{ViewMut, WriteView};
use crate::backend::Memory;
use crate::error::Error;
use crate::layout::{ElementIndex, Layout};
use crate::model::ranges::Dims;
use crate::slice::SliceMut;
use crate::value::Zeroed;

/// Elements that only the work of one statement uses. The guard is a local of generated code, and
/// is dropped before its place is left.
///
/// A check that fails leaves elements unwritten, and what reads them then runs on. So elements of
/// which not all bits are a value are zero at first, and `Zeroed` says that this is a value.
#[derive(Debug)]
pub struct Scratch<T> {
    /// Empty if the launch has failed: then nothing will use it.
    memory: Memory,
    len: usize,
    elements: std::marker::PhantomData<T>,
}

impl<T: Zeroed> Scratch<T> {
    /// The elements, for loops of group `G`.
    pub fn view<const G: usize>(&mut self) -> ViewMut<'_, T, G> {
        ViewMut::of(SliceMut::new(&self.memory, self.memory.start().cast(), Layout::whole([self.len])))
    }
}

impl Ctx<'_> {
    /// `len` elements without values.
    pub fn scratch<T: Zeroed>(&mut self, len: usize) -> Scratch<T> {
        let bytes = len.saturating_mul(size_of::<T>());
        let memory = match self.failed.is_set() {
            true => None,
            false => self.failed.note(self.place.scratch(bytes, T::TYPE.is_of_numbers())),
        };
        let memory = memory.unwrap_or_else(|| Memory::empty(&self.stream.backend));
        Scratch { memory, len, elements: std::marker::PhantomData }
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
        ViewMut::of(view.write().at(part))
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
