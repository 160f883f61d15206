//! Huge pages for new host memory.

#![allow(unsafe_code, reason = "advice to the system")]

use std::mem::MaybeUninit;

/// The size of Linux's huge pages with x86-64, and with Arm where pages have 4 KiB.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Advises Linux to use huge pages for memory that has not been written yet. Each replaces 512
/// entries of the processor's table of addresses, and is cleared at once. A system without them, or
/// with a setting against them, gives small pages, so its answer does not matter.
pub(crate) fn prefer_huge(bytes: &mut [MaybeUninit<u8>]) {
    let begin = bytes.as_ptr().align_offset(HUGE_PAGE).min(bytes.len());
    let whole = (bytes.len() - begin) / HUGE_PAGE * HUGE_PAGE;
    #[cfg(target_os = "linux")]
    if whole > 0 {
        let start = bytes[begin..][..whole].as_mut_ptr();
        // SAFETY: the bytes are borrowed uniquely, the advice changes none of them, and they begin
        // at a page.
        let _ = unsafe { rustix::mm::madvise(start.cast(), whole, rustix::mm::Advice::LinuxHugepage) };
    }
}
