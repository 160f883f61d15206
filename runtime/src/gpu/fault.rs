//! Panics of device code: how a kernel records them, and how the host finds them.
//!
//! A device has one [`Faults`]. The first thread that fails, in any kernel, sets a word in device
//! memory and writes a record to mapped host memory, with the values of its message. So the host
//! finds the first panic with one load. Later panics are ignored until the host has cleared the
//! word and the record. The record does not identify the launch, so
//! [`reports`](crate::order::reports) reports it to every thread that may have launched it. Each
//! loaded kernel has a [`KernelFault`] that points to the word and the record. Its address
//! identifies the kernel in the record.

#![allow(unsafe_code, reason = "a record in memory that a GPU writes")]

use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use super::Gpu;
use super::context::Context;
use super::driver::{RawHost, RawStream};
use super::print::Ring;
use crate::error::Result;
use crate::value::scalar::{as_bytes, as_bytes_mut};

/// The values of a message that a record has room for, in words: `most_values` in `print.cuh`. With
/// the record they fill a page.
const MOST_VALUES: usize = 508;

/// The C++ `ab::record` in mapped host memory. `site` is stored last; 0 means that there is no
/// panic.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) site: u64,
    pub(super) a: u64,
    pub(super) b: u64,
    /// [`KernelFault::address`] of the kernel.
    pub(super) kernel: u64,
}

/// The record of a device, and the word that the first failing thread sets.
#[derive(Debug)]
pub(super) struct Faults {
    /// Holds a [`Record`] and the words of values.
    record: RawHost,
    record_address: u64,
    word_address: u64,
    context: Arc<Context>,
}

impl Faults {
    /// Allocates and clears both, on a stream that the host then waits for. The context must be
    /// current.
    pub(super) fn new(gpu: &Gpu, stream: RawStream) -> Result<Self> {
        let context = &gpu.context;
        let error = |failure| context.error(failure);
        let driver = context.driver();
        let (record, record_address) =
            driver.allocate_host(size_of::<Record>() + MOST_VALUES * size_of::<u64>(), true).map_err(error)?;
        let word_address = gpu.with_memory(|| driver.allocate(size_of::<u64>())).map_err(|failure| {
            let _ = driver.free_host(record); // the first failure is the one to report
            error(failure)
        })?;
        let new = Self { record, record_address, word_address, context: Arc::clone(context) };
        new.reset(stream)?;
        Ok(new)
    }

    /// The record of a panic, if there is one. Makes no driver call.
    pub(super) fn get(&self) -> Option<Record> {
        let record = self.record.start().cast::<Record>();
        // SAFETY: the pointer is valid and aligned (page-locked memory starts on a page) as long as
        // `self` exists. The device writes through PCIe, so the loads are volatile. The site is
        // stored last, so if it is set, the rest of the record is complete.
        let (site, a, b, kernel) = unsafe {
            let site = (&raw const (*record).site).read_volatile();
            fence(Ordering::Acquire);
            let rest = [&raw const (*record).a, &raw const (*record).b, &raw const (*record).kernel];
            let [a, b, kernel] = rest.map(|word| word.read_volatile());
            (site, a, b, kernel)
        };
        (site != 0).then_some(Record { site, a, b, kernel })
    }

    /// The values of the message of a panic: the words that the record counts, as bytes.
    pub(super) fn values(&self, record: Record) -> Vec<u8> {
        let words = self.record.start().wrapping_add(size_of::<Record>()).cast::<u64>();
        let count = usize::try_from(record.a).unwrap_or(0).min(MOST_VALUES);
        // SAFETY: the memory has so many words after the record. They were stored before the site
        // that `get` has seen, and no kernel stores to them while the word is set.
        let word = |at| unsafe { words.add(at).read_volatile() };
        (0..count).flat_map(|at| word(at).to_le_bytes()).collect()
    }

    /// Clears both for the next panic. Blocks for a copy of 8 bytes. No kernel of the device should
    /// be running, because its panic would count as reported. On failure, the record remains. The
    /// context must be current.
    pub(super) fn reset(&self, stream: RawStream) -> Result<()> {
        let record = self.record.start().cast::<Record>();
        // SAFETY: as in `get`; no kernel stores to the record while the word is set.
        let before = unsafe { record.read_volatile() };
        // The record is cleared before the word. In the other order, this could clear the record of
        // the next panic, and then its word would never be cleared again. SAFETY: as above; one
        // thread resets at a time.
        unsafe { record.write_volatile(Record { site: 0, a: 0, b: 0, kernel: 0 }) };
        self.context.driver().write_blocking(self.word_address, &[MaybeUninit::new(0); 8], stream, None).map_err(
            |failure| {
                // SAFETY: as above.
                unsafe { record.write_volatile(before) };
                self.context.error(failure)
            },
        )
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = self.context.driver().free(self.word_address);
        let _ = self.context.driver().free_host(self.record);
    }
}

/// The C++ `ab::fault` of one loaded kernel, in device memory: the addresses of the device's word
/// and record, and for a kernel that prints, what it must know of the ring.
#[derive(Debug)]
pub(super) struct KernelFault {
    address: u64,
    /// Of a kernel that prints.
    lost: Option<LostLines>,
    faults: Arc<Faults>,
}

/// The lines that a kernel could not print.
#[derive(Debug)]
struct LostLines {
    /// Of their number, in device memory.
    address: u64,
    /// How many of them the user has been told of.
    told: AtomicU64,
}

impl KernelFault {
    /// Allocates and writes it, on a stream that the host then waits for. The context must be
    /// current.
    pub(super) fn new(gpu: &Gpu, faults: &Arc<Faults>, ring: Option<&Ring>, stream: RawStream) -> Result<Self> {
        let error = |failure| faults.context.error(failure);
        let allocate = |bytes| gpu.with_memory(|| gpu.driver().allocate(bytes)).map_err(error);
        let mut words = [faults.word_address, faults.record_address, 0, 0, 0, 0];
        let mut new = Self { address: allocate(size_of_val(&words))?, lost: None, faults: Arc::clone(faults) };
        if let Some(ring) = ring {
            let address = allocate(size_of::<u64>())?;
            new.lost = Some(LostLines { address, told: AtomicU64::new(0) });
            gpu.driver().write_blocking(address, as_bytes(&[0u64]), stream, None).map_err(error)?;
            let [head, ring, room] = ring.addresses();
            words[2..].copy_from_slice(&[head, ring, room, address]);
        }
        gpu.driver().write_blocking(new.address, as_bytes(&words), stream, None).map_err(error)?;
        Ok(new)
    }

    /// The number of lines that were lost since the last call. Blocks for a copy of 8 bytes, if the
    /// kernel prints. The context must be current.
    pub(super) fn lost_lines(&self, gpu: &Gpu) -> Result<u64> {
        let Some(LostLines { address, told }) = &self.lost else { return Ok(0) };
        let mut count = [MaybeUninit::new(0u64)];
        let stream = gpu.service()?;
        gpu.driver()
            .read_blocking(as_bytes_mut(&mut count), *address, stream.core().raw(), None)
            .map_err(|failure| self.faults.context.error(failure))?;
        // SAFETY: it was initialized, and all bytes that the copy has written are a number.
        let count = unsafe { count[0].assume_init() };
        Ok(count - told.fetch_max(count, Ordering::Relaxed).min(count))
    }

    /// The last parameter of the kernel.
    pub(super) fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for KernelFault {
    fn drop(&mut self) {
        self.faults.context.bind_to_destroy();
        let _ = self.faults.context.driver().free(self.address);
        if let Some(LostLines { address, .. }) = self.lost {
            let _ = self.faults.context.driver().free(address);
        }
    }
}
