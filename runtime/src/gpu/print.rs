//! What device code prints: a ring of lines that all kernels of a device write, and that the host
//! reads.
//!
//! The ring is mapped host memory, so the host finds a line with one load, and needs no driver
//! call. Kernels in progress, of any stream, graph or thread, write to it at the same time: a
//! thread reserves room with an exchange in device memory, writes its values there, and stores the
//! line's head last (`print_words` in `print.cuh`). The host takes lines in the order of their
//! reservations, up to the first one that is not complete. It puts zeros in the place of a line
//! before it gives the room back, so that no word there looks like a head.
//!
//! So reading needs no order with kernels: a call that has waited for a kernel finds all lines of
//! that kernel, unless a kernel that is still running has begun a line before them. It takes the
//! rest in its next wait.
//!
//! Code of the user formats a line: it may wait, launch, and let another thread do so. So a line
//! leaves the ring first, then it is formatted without a lock, and then it is ready to be written.
//! One thread formats at a time, so that lines stay in order. Every thread that waits writes what
//! is ready, also one that holds the lock of the stream. It waits for the thread that formats, so
//! that it finds its own lines written, but not for long: that thread may wait for this one.
//!
//! A line for which there is no room is lost. Its kernel counts it in device memory, and tells the
//! host by a word of the ring.

#![allow(unsafe_code, reason = "a ring in memory that a GPU writes")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::Gpu;
use super::context::Context;
use super::driver::{RawHost, RawStream};
use super::module::Loaded;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::output::{self, Output, Place};
use crate::settings::setting;
use crate::value::format::caught;

/// The bytes of a ring, unless `ANABRANCH_PRINT_BUFFER` is set.
const SIZE: usize = 1 << 20;
/// Words before the ring's own: the number of words taken, and whether lines were lost.
const HEADER: usize = 2;
/// How long a thread waits for another one that formats a line.
const PATIENCE: Duration = Duration::from_millis(100);

/// The ring of a device.
#[derive(Debug)]
pub(super) struct Ring {
    memory: RawHost,
    address: u64,
    /// Without the header.
    words: usize,
    /// In device memory: the number of words that kernels have reserved.
    head_address: u64,
    lines: Lock<Lines>,
    /// A line has been formatted.
    formatted: Condvar,
    context: Arc<Context>,
}

/// What the host has taken from a ring. No code of the user runs while it is locked.
#[derive(Debug, Default)]
struct Lines {
    /// The number of words.
    taken: u64,
    /// Whether a thread formats a line.
    formatting: bool,
    /// The lines that are to be written, in order.
    ready: VecDeque<Ready>,
    /// The threads that format or write lines. What the user's code waits for there leaves them to
    /// it.
    inside: Vec<ThreadId>,
}

/// A line as a kernel has written it.
struct Line {
    /// The address of its kernel's fault.
    kernel: u64,
    site: u32,
    output: u8,
    values: Vec<u8>,
}

/// The text of a line.
#[derive(Debug)]
struct Ready {
    output: Output,
    kernel: &'static str,
    place: Place<'static>,
    text: String,
}

impl Ready {
    fn is_error(&self) -> bool {
        matches!(self.output, Output::Error | Output::ErrorLine | Output::Debug)
    }

    /// Writes it. What std panics with, if the stream cannot be written, is the error.
    fn write(self) -> Result<()> {
        let Self { output, kernel, place, text } = self;
        caught(|| output::write(output, place, &text)).map_err(|message| failed(kernel, place, message))
    }
}

fn failed(kernel: &'static str, Place { file, line, column }: Place<'static>, message: String) -> Error {
    Error::KernelPanic { kernel, file, line, column, message }
}

/// As long as this exists, the thread formats or writes lines.
struct Inside<'a>(&'a Ring, ThreadId);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.lines().inside.retain(|thread| *thread != self.1);
    }
}

impl Ring {
    /// Allocates and clears it, on a stream that the host then waits for. The context must be
    /// current.
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
        let new = Self {
            memory,
            address,
            words,
            head_address,
            lines: Lock::default(),
            formatted: Condvar::new(),
            context: Arc::clone(context),
        };
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
        // SAFETY: the memory is page-locked, so aligned, and lives as long as `self`; each caller
        // stays below `words + HEADER`. Kernels write through PCIe what the host reads; both sides
        // access whole words, and the host does so by atomic operations alone.
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

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock()
    }

    /// Whether there is nothing to format, to write or to wait for.
    fn is_empty(&self, lines: &Lines) -> bool {
        !lines.formatting && lines.ready.is_empty() && self.next(lines.taken).is_none()
    }

    /// `None`: this thread is already inside, or there is nothing to do.
    fn enter(&self) -> Option<Inside<'_>> {
        let (mut lines, me) = (self.lines(), thread::current().id());
        if self.is_empty(&lines) || lines.inside.contains(&me) {
            return None;
        }
        lines.inside.push(me);
        Some(Inside(self, me))
    }

    /// Takes the next line, if it is complete and before `end`, and gives its room back. Waits for
    /// a thread that formats, but not for long. [`ready`](Self::ready) must follow.
    fn take(&self, end: u64) -> Option<Line> {
        let waited = self.formatted.wait_timeout_while(self.lines(), PATIENCE, |lines| lines.formatting);
        let (mut lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if lines.formatting || lines.taken >= end {
            return None;
        }
        let (line, words) = self.next(lines.taken)?;
        (lines.taken..lines.taken + words).for_each(|position| self.at(position).store(0, Ordering::Relaxed));
        lines.taken += words;
        self.word(0).store(lines.taken, Ordering::Release);
        lines.formatting = true;
        Some(line)
    }

    /// The line that this thread has taken is formatted; `None` if there is nothing to write.
    fn ready(&self, line: Option<Ready>) {
        let mut lines = self.lines();
        lines.formatting = false;
        lines.ready.extend(line);
        drop(lines);
        self.formatted.notify_all();
    }

    /// Writes the lines that are ready. A line leaves the list under the lock of its stream, so
    /// that lines of one stream stay in order.
    fn write_ready(&self) -> Result<()> {
        let mut result = Ok(());
        loop {
            let Some(error) = self.lines().ready.front().map(Ready::is_error) else { return result };
            let _stream = output::lock(error);
            let next = self.lines().ready.pop_front_if(|line| line.is_error() == error);
            if let Some(line) = next {
                result = result.and(line.write());
            }
        }
    }

    /// Whether lines were lost since the last call. Their counts in device memory are complete
    /// then.
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
    /// Writes the lines that kernels have printed so far. To be called by each wait, without a
    /// lock, because this runs code of the user. Fails with the first panic of a `Display` or
    /// `Debug` of the user, after the other lines.
    ///
    /// On a device whose kernels do not print, this costs one load.
    pub(super) fn print_lines(&self) -> Result<()> {
        let Some(ring) = self.ring.get() else { return Ok(()) };
        let printed = match ring.enter() {
            Some(_inside) => self.print_lines_of(ring),
            None => Ok(()),
        };
        printed.and(self.report_lost(ring))
    }

    fn print_lines_of(&self, ring: &Ring) -> Result<()> {
        let mut last: Option<&Loaded> = None;
        // What has been waited for is in the ring now. A kernel that prints forever must not keep
        // the host here.
        let end = ring.lines().taken + ring.words as u64;
        let mut result = ring.write_ready();
        while let Some(line) = ring.take(end) {
            let known = last.filter(|loaded| loaded.fault_address() == line.kernel);
            last = known.or_else(|| self.kernel_of(line.kernel));
            let formatted = last.and_then(|loaded| format(loaded, &line)).transpose();
            let (line, failure) = formatted.map_or_else(|error| (None, Err(error)), |line| (line, Ok(())));
            ring.ready(line);
            result = result.and(failure).and(ring.write_ready());
        }
        result.and(ring.write_ready())
    }

    fn report_lost(&self, ring: &Ring) -> Result<()> {
        if ring.lost() {
            self.context.bind()?; // the user's `Display` may have used another device
            for loaded in self.kernels.all() {
                if let lost @ 1.. = loaded.lost_lines(self)? {
                    let (kernel, bytes) = (loaded.kernel_name(), ring.bytes());
                    let (lines, were) = if lost == 1 { ("line", "was") } else { ("lines", "were") };
                    output::lost(&format!(
                        "anabranch: {lost} {lines} of `{kernel}` {were} lost: the buffer holds {bytes} bytes; ANABRANCH_PRINT_BUFFER sets its size"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Formats a line. What the user's code panics with is the error.
fn format(loaded: &Loaded, line: &Line) -> Option<Result<Ready>> {
    // Only device memory that is corrupted names another site.
    let site = loaded.site(u64::from(line.site))?;
    let (output, (_, format)) = (Output::of_number(line.output)?, site.format?);
    let (kernel, place) = (loaded.kernel_name(), Place { file: site.file, line: site.line, column: site.column });
    let text = format(&line.values).map_err(|message| failed(kernel, place, message));
    Some(text.map(|text| Ready { output, kernel, place, text }))
}

/// The size of the ring in bytes.
pub(super) fn buffer_size() -> Result<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1 << 10..=1 << 30).contains(number));
    Ok(setting("ANABRANCH_PRINT_BUFFER", "a number of bytes from 1024 to 1073741824", number)?.unwrap_or(SIZE))
}
