//! What the statement of a reduction needs besides its loops: the place of the result, and memory for the results of parts.

use super::host::Ctx;
use super::views::{ViewMut, WriteView};
use crate::backend::Memory;
use crate::error::Error;
use crate::layout::{ElementIndex, Layout};
use crate::slice::SliceMut;
use crate::value::Zeroed;

/// Elements that only the work of one statement uses. The guard is a local of generated code, and is dropped before its place is left.
///
/// A check that fails leaves elements unwritten, and what reads them then runs on: `Zeroed` says that any memory of the CPU device is a value.
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
        let memory = match self.failed.is_set() {
            true => None,
            false => self.failed.note(self.place.scratch(len.saturating_mul(size_of::<T>()))),
        };
        let memory = memory.unwrap_or_else(|| Memory::empty(&self.stream.backend));
        Scratch { memory, len, elements: std::marker::PhantomData }
    }

    /// The element of a view that a statement assigns to, as a view of its own. If there is none, the launch has failed, and the view is empty.
    pub fn element<'v, const G: usize, const D: usize, V: WriteView<G, D>>(
        &mut self,
        view: &'v mut V,
        index: impl ElementIndex<D>,
        statement: Statement,
    ) -> ViewMut<'v, V::Elem, G> {
        let (view, index) = (view.write(), index.indexes());
        let shape = view.shape();
        let wrong = index.into_iter().zip(shape).find(|(index, len)| index >= len);
        if let Some((index, len)) = wrong {
            let Statement { text, access, buffer, line, column } = statement;
            self.failed.set(Error::OutOfBounds {
                kernel: self.kernel.name,
                header: text,
                access,
                call: None,
                buffer,
                index: i64::try_from(index).unwrap_or(i64::MAX),
                len,
                file: self.kernel.file,
                line,
                column,
            });
            return ViewMut::of(view.at((0, Layout::whole([0]))));
        }
        let place = index.into_iter().zip(view.layout().strides()).map(|(index, stride)| index * stride).sum();
        ViewMut::of(view.at((place, Layout::whole([1]))))
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
