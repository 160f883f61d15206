//! What the threads of a loop need on a GPU.

use std::fmt;

use super::Plan;
use crate::device::Device;
use crate::error::Result;

/// What each thread of a loop needs on a GPU, as the driver reports it. The fewer registers a
/// thread needs, the more threads can run at the same time: a multiprocessor has 65536.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThreadResources {
    /// The head of the loop.
    pub header: &'static str,
    /// The number of its registers, of 32 bits each.
    pub registers: usize,
    /// The bytes of its local memory, which is slow: arrays with indexes that are not constant, and
    /// what does not fit into the registers.
    pub local_bytes: usize,
}

impl fmt::Display for ThreadResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, registers, local_bytes } = self;
        write!(f, "{header}: {registers} registers and {local_bytes} bytes of local memory a thread")
    }
}

impl Plan {
    /// Returns what the threads of each loop need on a GPU, loop by loop, in source order. On a CPU
    /// device there is nothing to tell, and the list is empty. Loops of the kernels that it
    /// [calls](Self::calls) are not included.
    ///
    /// The numbers are those of the code that runs if the launch proves that all accesses are in
    /// bounds. The kernel is compiled if it has not been launched on the device.
    ///
    /// ```
    /// use anabranch::prelude::*;
    ///
    /// #[kernel]
    /// fn doubled(x: &mut [f32]) {
    ///     for i in par(0..x.len()) {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    ///
    /// # fn main() -> anabranch::Result<()> {
    /// let device = Device::auto()?;
    /// for needs in doubled::plan().resources(&device)? {
    ///     println!("{needs}"); // for i in par(0..x.len()): 12 registers and 0 bytes of local memory a thread
    /// #   assert!(needs.registers > 0);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The kernel does not compile, or the driver fails.
    #[doc(alias("cudaFuncGetAttributes", "cuFuncGetAttribute", "occupancy"))]
    pub fn resources(&self, device: &Device) -> Result<Vec<ThreadResources>> {
        let needs = device.backend().thread_resources(self.instance)?;
        let headers = self.instance.kernel.loops.iter().map(|par_loop| par_loop.header);
        let of_loop =
            |(header, [registers, local_bytes]): (_, [usize; 2])| ThreadResources { header, registers, local_bytes };
        Ok(headers.zip(needs).map(of_loop).collect())
    }
}
