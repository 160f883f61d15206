//! Device memory.

use std::rc::Rc;

use super::{Context, Result, call};

/// Elements on the device, freed with this value.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(super) address: u64,
    len: usize,
    _context: Rc<Context>,
}

/// A type that can be copied byte by byte.
pub(crate) trait Element: Copy + Default {}
impl Element for f32 {}
impl Element for u32 {}

impl Memory {
    /// Copies values to the device. There must be at least one.
    pub(crate) fn from_slice<T: Element>(context: &Rc<Context>, values: &[T]) -> Result<Self> {
        let mut address = 0;
        call!(cuMemAlloc_v2(&mut address, size_of_val(values)))?;
        let memory = Self { address, len: values.len(), _context: Rc::clone(context) };
        memory.write(values)?;
        Ok(memory)
    }

    /// Copies as many values as it has to the device. No work may use it.
    pub(crate) fn write<T: Element>(&self, values: &[T]) -> Result<()> {
        assert_eq!(values.len(), self.len);
        call!(cuMemcpyHtoD_v2(self.address, values.as_ptr().cast(), size_of_val(values)))
    }

    /// Copies the contents to the host. All work that writes them must be complete, and `T` must be
    /// the original type.
    pub(crate) fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let mut values = vec![T::default(); self.len];
        call!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), self.address, size_of_val(&values[..])))?;
        Ok(values)
    }
}

impl Drop for Memory {
    /// Frees the memory after all work that may use it.
    fn drop(&mut self) {
        let _ = call!(cuCtxSynchronize()); // a failure is one of earlier work
        let _ = call!(cuMemFree_v2(self.address));
    }
}
