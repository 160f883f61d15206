//! Panics of device code: where a kernel leaves the news, and how the host finds it.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use super::context::Context;
use super::driver::{self, RawStream};
use crate::error::Result;

/// The C++ `ab::record` in mapped host memory. `site` is stored last; 0 means that nothing happened.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) site: u64,
    pub(super) a: u64,
    pub(super) b: u64,
}

/// The C++ `ab::fault` in device memory: the word that the first failing thread wins, and the record's device address.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Fault {
    word: u64,
    host: u64,
}

/// The two of one loaded kernel.
#[derive(Debug)]
pub(super) struct FaultRecord {
    record: NonNull<Record>,
    record_address: u64,
    fault_address: u64,
    context: Arc<Context>,
}

// SAFETY: `record` points to page-locked memory that this value owns until it is dropped; it is accessed by volatile
// loads and stores of whole words only, which the device and any host thread may make at any time.
unsafe impl Send for FaultRecord {}
// SAFETY: as above.
unsafe impl Sync for FaultRecord {}

impl FaultRecord {
    /// Allocates and clears both, on a stream that the host then waits for. The context must be current.
    pub(super) fn new(context: &Arc<Context>, stream: RawStream) -> Result<Self> {
        let error = |failure| context.error(failure);
        let (host, record_address) = driver::allocate_mapped(size_of::<Record>()).map_err(error)?;
        let Some(record) = NonNull::new(host.cast::<Record>()) else {
            let _ = driver::free_mapped(host);
            return Err(error(driver::Failure { call: "cuMemHostAlloc", code: driver::ERROR_OUT_OF_MEMORY }));
        };
        let fault_address = driver::allocate(size_of::<Fault>()).map_err(|failure| {
            let _ = driver::free_mapped(host);
            error(failure)
        })?;
        let new = Self { record, record_address, fault_address, context: Arc::clone(context) };
        new.reset(stream)?;
        Ok(new)
    }

    /// What kernels get as their last parameter.
    pub(super) fn address(&self) -> u64 {
        self.fault_address
    }

    /// What a kernel has left, if anything. Makes no driver call.
    pub(super) fn get(&self) -> Option<Record> {
        let record = self.record.as_ptr();
        // SAFETY: the pointer is valid and aligned (page-locked memory starts on a page) while `self` lives. The device
        // writes through PCIe, so the loads are volatile; the site is stored last, so once it is there the rest is.
        let (site, a, b) = unsafe {
            let site = (&raw const (*record).site).read_volatile();
            std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
            (site, (&raw const (*record).a).read_volatile(), (&raw const (*record).b).read_volatile())
        };
        (site != 0).then_some(Record { site, a, b })
    }

    /// Makes both ready for the next panic; blocks for a copy of 16 bytes. No kernel that uses them should be running: a
    /// failing one would only be reported again. The context must be current.
    pub(super) fn reset(&self, stream: RawStream) -> Result<()> {
        // SAFETY: as in `get`; no kernel stores to the record while the word is taken, and it is freed after this.
        unsafe { self.record.as_ptr().write_volatile(Record { site: 0, a: 0, b: 0 }) };
        let mut bytes = [0; size_of::<Fault>()];
        let fault = Fault { word: 0, host: self.record_address };
        bytes[..8].copy_from_slice(&fault.word.to_ne_bytes());
        bytes[8..].copy_from_slice(&fault.host.to_ne_bytes());
        driver::write_blocking(self.fault_address, &bytes, stream).map_err(|failure| self.context.error(failure))
    }
}

impl Drop for FaultRecord {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = driver::free(self.fault_address);
        let _ = driver::free_mapped(self.record.as_ptr().cast::<c_void>());
    }
}
