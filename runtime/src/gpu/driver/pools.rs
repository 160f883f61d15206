//! Pools of device memory that is allocated in the order of streams.

use std::ffi::c_int;
use std::ptr;

use cudarc::driver::sys;

use super::{RawPool, RawStream, Result};

/// An empty pool of memory on one device.
pub(in crate::gpu) fn create_pool(device: c_int) -> Result<RawPool> {
    let properties = sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType_enum::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType_enum::CU_MEM_HANDLE_TYPE_NONE,
        location: sys::CUmemLocation { type_: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE, id: device },
        win32SecurityAttributes: ptr::null_mut(),
        reserved: [0; 64],
    };
    let mut pool = ptr::null_mut();
    call!("cuMemPoolCreate", cuMemPoolCreate(&mut pool, &properties)).map(|()| RawPool(pool))
}

/// Lets a pool keep what is freed, until it is trimmed. As created, it gives everything back whenever somebody synchronizes.
pub(in crate::gpu) fn keep_freed(pool: RawPool) -> Result<()> {
    let mut threshold = u64::MAX;
    let attribute = sys::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    call!("cuMemPoolSetAttribute", cuMemPoolSetAttribute(pool.0, attribute, (&raw mut threshold).cast()))
}

/// Gives back all memory of which the host knows that it is free.
pub(in crate::gpu) fn trim_pool(pool: RawPool) -> Result<()> {
    call!("cuMemPoolTrimTo", cuMemPoolTrimTo(pool.0, 0))
}

/// What is under way with its memory goes on.
pub(in crate::gpu) fn destroy_pool(pool: RawPool) -> Result<()> {
    call!("cuMemPoolDestroy", cuMemPoolDestroy(pool.0))
}

/// Memory in the order of a stream.
pub(in crate::gpu) fn allocate_async(bytes: usize, pool: RawPool, stream: RawStream) -> Result<u64> {
    let mut address = 0;
    call!("cuMemAllocFromPoolAsync", cuMemAllocFromPoolAsync(&mut address, bytes, pool.0, stream.0)).map(|()| address)
}
