//! Memory of the device and of the host, copies and fills.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys;

use super::{ERROR_OUT_OF_MEMORY, Failure, HOST_MAPPED, HOST_PORTABLE, RawHost, RawStream, Result, settle};
use crate::gpu::wait::Wait;

pub(in crate::gpu) fn free_async(address: u64, stream: RawStream) -> Result<()> {
    call!("cuMemFreeAsync", cuMemFreeAsync(address, stream.0))
}

pub(in crate::gpu) fn allocate(bytes: usize) -> Result<u64> {
    let mut address = 0;
    call!("cuMemAlloc", cuMemAlloc_v2(&mut address, bytes)).map(|()| address)
}

/// May block until the device is idle.
pub(in crate::gpu) fn free(address: u64) -> Result<()> {
    call!("cuMemFree", cuMemFree_v2(address))
}

/// Free and total bytes of the current device.
pub(in crate::gpu) fn memory_info() -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    call!("cuMemGetInfo", cuMemGetInfo_v2(&mut free, &mut total)).map(|()| (free, total))
}

/// Page-locked host memory that the device can write: the pointer for the host, and the one for the device.
pub(in crate::gpu) fn allocate_mapped(bytes: usize) -> Result<(*mut c_void, u64)> {
    let mut host = ptr::null_mut();
    call!("cuMemHostAlloc", cuMemHostAlloc(&mut host, bytes, HOST_MAPPED))?;
    let mut address = 0;
    match call!("cuMemHostGetDevicePointer", cuMemHostGetDevicePointer_v2(&mut address, host, 0)) {
        Ok(()) => Ok((host, address)),
        Err(failure) => {
            let _ = free_mapped(host); // the first failure is the one to report
            Err(failure)
        }
    }
}

pub(in crate::gpu) fn free_mapped(host: *mut c_void) -> Result<()> {
    call!("cuMemFreeHost", cuMemFreeHost(host))
}

/// Page-locked host memory for copies, uninitialized.
pub(in crate::gpu) fn allocate_host(bytes: usize) -> Result<RawHost> {
    let mut host = ptr::null_mut();
    call!("cuMemHostAlloc", cuMemHostAlloc(&mut host, bytes, HOST_PORTABLE))?;
    ptr::NonNull::new(host.cast()).map(RawHost).ok_or(Failure::new("cuMemHostAlloc", ERROR_OUT_OF_MEMORY))
}

/// May block until the device is idle.
pub(in crate::gpu) fn free_host(memory: RawHost) -> Result<()> {
    call!("cuMemFreeHost", cuMemFreeHost(memory.0.as_ptr().cast()))
}

/// Copies to the device and waits until the copy, and all work before it on `stream`, is complete.
pub(in crate::gpu) fn write_blocking(address: u64, bytes: &[u8], stream: RawStream) -> Result<()> {
    // The driver may still read `bytes` after the first call; they are borrowed until the copy has come to an end.
    call!("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream.0))?;
    settle(stream, Wait::Write)
}

/// Copies from the device and waits until the copy, and all work before it on `stream`, is complete.
pub(in crate::gpu) fn read_blocking(bytes: &mut [u8], address: u64, stream: RawStream) -> Result<()> {
    call!("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), address, bytes.len(), stream.0))?;
    settle(stream, Wait::Read)
}

/// Queues a copy to the device.
///
/// # Safety
/// Until the copy is complete, the `bytes` at `from` stay allocated and are not written.
pub(in crate::gpu) unsafe fn copy_to_device(
    address: u64,
    from: *const c_void,
    bytes: usize,
    stream: RawStream,
) -> Result<()> {
    call!("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync_v2(address, from, bytes, stream.0))
}

/// Queues a copy from the device.
///
/// # Safety
/// Until the copy is complete, the `bytes` at `to` stay allocated, and nobody else reads or writes them.
pub(in crate::gpu) unsafe fn copy_to_host(
    to: *mut c_void,
    address: u64,
    bytes: usize,
    stream: RawStream,
) -> Result<()> {
    call!("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2(to, address, bytes, stream.0))
}

pub(in crate::gpu) fn copy_async(to: u64, from: u64, bytes: usize, stream: RawStream) -> Result<()> {
    call!("cuMemcpyDtoDAsync", cuMemcpyDtoDAsync_v2(to, from, bytes, stream.0))
}

pub(in crate::gpu) fn set_8(address: u64, value: u8, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD8Async", cuMemsetD8Async(address, value, count, stream.0))
}

pub(in crate::gpu) fn set_16(address: u64, value: u16, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD16Async", cuMemsetD16Async(address, value, count, stream.0))
}

pub(in crate::gpu) fn set_32(address: u64, value: u32, count: usize, stream: RawStream) -> Result<()> {
    call!("cuMemsetD32Async", cuMemsetD32Async(address, value, count, stream.0))
}

/// Sets one 32-bit word in each of `count` rows that lie `pitch` bytes apart.
pub(in crate::gpu) fn set_column_32(
    address: u64,
    pitch: usize,
    value: u32,
    count: usize,
    stream: RawStream,
) -> Result<()> {
    call!("cuMemsetD2D32Async", cuMemsetD2D32Async(address, pitch, value, 1, count, stream.0))
}
