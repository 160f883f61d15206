//! What device code prints: a ring of lines that all kernels of a device write, and that the host reads.
//!
//! The ring is mapped host memory, so the host finds a line with one load, and needs no driver call. Kernels in progress, of any stream,
//! graph or thread, write to it at the same time: a thread reserves room with an exchange in device memory, writes its values there, and
//! stores the line's head last (`print_words` in `print.cuh`). The host takes lines in the order of their reservations, up to the first
//! one that is not complete. It puts zeros in the place of a line before it gives the room back, so that no word there looks like a head.
//!
//! So reading needs no order with kernels: a call that has waited for a kernel finds all lines of that kernel, unless a kernel that is
//! still running has begun a line before them. It takes the rest in its next wait.
//!
//! A line for which there is no room is lost. Its kernel counts it in device memory, and tells the host by a word of the ring.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::Gpu;
use super::context::Context;
use super::driver::{RawHost, RawStream};
use super::module::Loaded;
use crate::codegen::ResolvedSite;
use crate::error::{Error, Result};
use crate::output::{self, Output, Place};
use crate::settings::setting;
use crate::value::format::caught;

/// The bytes of a ring, unless `ANABRANCH_PRINT_BUFFER` is set.
const SIZE: usize = 1 << 20;
/// Words before the ring's own: the number of words taken, and whether lines were lost.
const HEADER: usize = 2;

/// The ring of a device.
#[derive(Debug)]
pub(super) struct Ring {
    memory: RawHost,
    address: u64,
    /// Without the header.
    words: usize,
    /// In device memory: the number of words that kernels have reserved.
    head_address: u64,
    /// The number of words that the host has taken. Whoever takes lines holds it until they are written, so that after its wait each thread
    /// finds the lines of its kernels written. Before that it locks the stream that they go to: the user's code may hold it while it waits.
    taken: Mutex<u64>,
    context: Arc<Context>,
}

thread_local! {
    /// Whether this thread takes lines: the user's `Display` may call what waits for the device.
    static PRINTING: Cell<bool> = const { Cell::new(false) };
}

/// A line as a kernel has written it.
struct Line {
    /// The address of its kernel's fault.
    kernel: u64,
    site: u32,
    output: u8,
    values: Vec<u8>,
}

impl Line {
    fn is_error(&self) -> bool {
        matches!(Output::of_number(self.output), Some(Output::Error | Output::ErrorLine | Output::Debug))
    }
}

impl Ring {
    /// Allocates and clears it, on a stream that the host then waits for. The context must be current.
    pub(super) fn new(gpu: &Gpu, stream: RawStream) -> Result<Self> {
        let context = &gpu.context;
        let error = |failure| context.error(failure);
        let driver = context.driver();
        let words = (gpu.print_buffer / size_of::<u64>()).saturating_sub(HEADER);
        let bytes = (words + HEADER) * size_of::<u64>();
        let (memory, address) = driver.allocate_host(bytes, true).map_err(error)?;
        let head_address = gpu.with_memory(|| driver.allocate(size_of::<u64>())).map_err(|failure| {
            let _ = driver.free_host(memory); // the first failure is the one to report
            error(failure)
        })?;
        let new = Self { memory, address, words, head_address, taken: Mutex::new(0), context: Arc::clone(context) };
        (0..words + HEADER).for_each(|at| new.word(at).store(0, Ordering::Relaxed));
        driver.write_blocking(head_address, &[std::mem::MaybeUninit::new(0); 8], stream, None).map_err(error)?;
        Ok(new)
    }

    /// What a kernel that prints must know: where words are reserved, the ring, and its size.
    pub(super) fn addresses(&self) -> [u64; 3] {
        [self.head_address, self.address, self.words as u64]
    }

    /// The bytes that a user has asked for.
    fn bytes(&self) -> usize {
        (self.words + HEADER) * size_of::<u64>()
    }

    /// A word of the memory; `at` must be inside.
    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the memory is page-locked, so aligned, and lives as long as `self`; each caller stays below `words + HEADER`. Kernels write
        // through PCIe what the host reads; both sides access whole words, and the host does so by atomic operations alone.
        unsafe { AtomicU64::from_ptr(self.memory.start().cast::<u64>().add(at)) }
    }

    fn at(&self, position: u64) -> &AtomicU64 {
        self.word(HEADER + (position % self.words as u64) as usize)
    }

    /// The next line, if it is complete.
    fn next(&self, taken: u64) -> Option<(Line, u64)> {
        let head = self.at(taken).load(Ordering::Acquire);
        if head == 0 {
            return None;
        }
        let count = (head >> 32) & 0xff_ffff;
        let values = (0..count).flat_map(|word| self.at(taken + 2 + word).load(Ordering::Relaxed).to_le_bytes());
        let (kernel, values) = (self.at(taken + 1).load(Ordering::Relaxed), values.collect());
        Some((Line { kernel, site: head as u32, output: (head >> 56) as u8, values }, count + 2))
    }

    fn taken(&self) -> MutexGuard<'_, u64> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next line goes to standard error; `None` if none is complete, or if it lies behind `end`.
    fn next_is_error(&self, end: u64) -> Option<bool> {
        let taken = self.taken();
        self.next(*taken).filter(|_| *taken < end).map(|(line, _)| line.is_error())
    }

    /// Gives the room of a line back.
    fn give_back(&self, taken: &mut u64, words: u64) {
        (*taken..*taken + words).for_each(|position| self.at(position).store(0, Ordering::Relaxed));
        *taken += words;
        self.word(0).store(*taken, Ordering::Release);
    }

    /// Whether lines were lost since the last call. Their counts in device memory are complete then.
    fn lost(&self) -> bool {
        let lost = self.word(1).swap(0, Ordering::Acquire) != 0;
        fence(Ordering::SeqCst);
        lost
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = self.context.driver().free(self.head_address);
        let _ = self.context.driver().free_host(self.memory);
    }
}

impl Gpu {
    /// Writes the lines that kernels have printed so far. To be called by each wait. Fails with the first panic of a `Display` or `Debug` of
    /// the user, after the other lines.
    ///
    /// On a device whose kernels do not print, this costs one load.
    pub(super) fn print_lines(&self) -> Result<()> {
        match self.ring.get() {
            Some(ring) if !PRINTING.replace(true) => {
                let printed = caught(|| self.print_lines_of(ring));
                PRINTING.set(false);
                printed.unwrap_or(Ok(())) // a stream that cannot be written is caught for each line
            }
            _ => Ok(()),
        }
    }

    fn print_lines_of(&self, ring: &Ring) -> Result<()> {
        let mut result = Ok(());
        let mut last: Option<Arc<Loaded>> = None;
        // What has been waited for is in the ring now. A kernel that prints forever must not keep the host here.
        let end = *ring.taken() + ring.words as u64;
        while let Some(error) = ring.next_is_error(end) {
            let _stream = output::lock(error);
            // Who holds a stream does not wait for the ring: the user's `Display` may run there, and wait for that stream.
            let mut taken = match ring.taken.try_lock() {
                Ok(taken) => taken,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            while let Some((line, words)) =
                ring.next(*taken).filter(|(line, _)| *taken < end && line.is_error() == error)
            {
                ring.give_back(&mut taken, words);
                let known = last.take().filter(|loaded| loaded.fault_address() == line.kernel);
                last = known.or_else(|| self.kernel_of(line.kernel));
                if let Some(loaded) = &last {
                    result = result.and(print(loaded, &line));
                }
            }
        }
        if ring.lost() {
            self.context.bind()?; // the user's `Display` may have used another device
            for loaded in self.all_loaded() {
                if let lost @ 1.. = loaded.lost_lines(self)? {
                    let (kernel, bytes) = (loaded.kernel_name(), ring.bytes());
                    let (lines, were) = if lost == 1 { ("line", "was") } else { ("lines", "were") };
                    output::lost(&format!(
                        "anabranch: {lost} {lines} of `{kernel}` {were} lost: the buffer holds {bytes} bytes; ANABRANCH_PRINT_BUFFER sets its size"
                    ));
                }
            }
        }
        result
    }
}

/// Formats and writes a line. What the user's code panics with is the error.
fn print(loaded: &Loaded, line: &Line) -> Result<()> {
    // Only device memory that is corrupted names another site.
    let Some((site, (_, format))) = loaded.site(u64::from(line.site)).and_then(|site| Some((site, site.format?)))
    else {
        return Ok(());
    };
    let Some(output) = Output::of_number(line.output) else { return Ok(()) };
    let ResolvedSite { file, line: at, column, .. } = *site;
    let written =
        format(&line.values).and_then(|text| caught(|| output::write(output, Place { file, line: at, column }, &text)));
    written.map_err(|message| Error::KernelPanic { kernel: loaded.kernel_name(), file, line: at, column, message })
}

/// The size of the ring in bytes.
pub(super) fn buffer_size() -> Result<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1 << 10..=1 << 30).contains(number));
    Ok(setting("ANABRANCH_PRINT_BUFFER", "a number of bytes from 1024 to 1073741824", number)?.unwrap_or(SIZE))
}
