//! Raw pointers to memory of a GPU.

use anabranch::cudarc::driver::{CudaContext, result};
use anabranch_interop_suite::affine;

use super::*;

/// Memory of `cuMemAlloc`, which is freed at once: work in progress that uses it is an error.
struct Raw(u64, Arc<CudaContext>);

impl Raw {
    fn new(device: &Device, values: &[u32]) -> Self {
        let context = device.cudarc().unwrap();
        context.bind_to_thread().unwrap();
        // SAFETY: the memory is freed once, below.
        let address = unsafe { result::malloc_sync(size_of_val(values)) }.unwrap();
        // SAFETY: the memory has these bytes.
        unsafe { result::memcpy_htod_sync(address, values) }.unwrap();
        Self(address, context)
    }

    fn start(&self) -> *mut u32 {
        std::ptr::without_provenance_mut(self.0 as usize)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.1.bind_to_thread().unwrap();
        // SAFETY: the memory comes from `malloc_sync`.
        unsafe { result::free_sync(self.0) }.unwrap();
    }
}

fn adopt(device: &Device, raw: Raw, len: usize, count: &Count) -> Buffer<u32> {
    // SAFETY: the memory belongs to the owner, and nothing uses it.
    unsafe { Buffer::from_raw(device, raw.start(), len, Owner::new(raw, count)) }.unwrap()
}

#[test]
fn the_memory_is_used_in_place() {
    let Some((_one, device)) = gpu() else { return };
    let (raw, count) = (Raw::new(&device, &[1; N]), Count::default());
    let start = raw.start();
    let mut x = adopt(&device, raw, N, &count);
    assert_eq!(x.as_ptr(), start.cast_const());
    affine(&device.default_stream(), &mut x, 2, 1, 2).unwrap();
    assert_eq!((x.to_vec().unwrap(), count.get()), (vec![7; N], 0));
}

/// The owner frees at once, so that the host must have waited for both streams.
#[test]
fn the_owner_goes_after_the_work() {
    let Some((_one, device)) = gpu() else { return };
    let (raw, count) = (Raw::new(&device, &[1; N]), Count::default());
    let mut x = adopt(&device, raw, N, &count);
    let streams = [device.new_stream().unwrap(), device.new_stream().unwrap()];
    {
        let (mut left, mut right) = x.split_at_mut(N / 2);
        affine(&streams[0], &mut left, 2, 1, SLOW).unwrap();
        affine(&streams[1], &mut right, 2, 1, SLOW).unwrap();
    }
    drop(streams);
    drop(x);
    assert_eq!(count.get(), 1);
}

#[test]
fn the_owner_goes_after_the_graph() {
    let Some((_one, device)) = gpu() else { return };
    let (raw, count) = (Raw::new(&device, &[1; N]), Count::default());
    let stream = device.new_stream().unwrap();
    let mut x = adopt(&device, raw, N, &count);
    let graph = stream.capture(|stream| affine(stream, &mut x, 2, 1, SLOW)).unwrap();
    drop(x);
    graph.launch(&stream).unwrap();
    drop(graph);
    assert_eq!(count.get(), 1);
}

/// A copy on a stream of another device reads the memory last.
#[test]
fn the_owner_goes_after_the_work_of_another_device() {
    let Some((_one, device)) = gpu() else { return };
    let Some(other) = second() else { return };
    let (raw, count) = (Raw::new(&device, &[1; N]), Count::default());
    let mut x = adopt(&device, raw, N, &count);
    let mut copy = other.zeros::<u32>(N).unwrap();
    affine(&device.new_stream().unwrap(), &mut x, 2, 1, SLOW).unwrap();
    copy.copy_from_buffer_async(&other.new_stream().unwrap(), &x).unwrap();
    drop(x);
    assert_eq!(count.get(), 1);
    assert_ne!(copy.get(0).unwrap(), 0);
}

/// What the owner's destructor has made current is not what the caller finds.
#[test]
fn the_current_context_stays() {
    let Some((_one, device)) = gpu() else { return };
    struct Unbind(#[expect(dead_code, reason = "dropped behind the destructor")] Raw);
    impl Drop for Unbind {
        fn drop(&mut self) {
            // SAFETY: no context is one that can be current.
            unsafe { result::ctx::set_current(std::ptr::null_mut()) }.unwrap();
        }
    }
    let raw = Raw::new(&device, &[1; N]);
    let ours = device.cudarc().unwrap().cu_ctx();
    let mut values = device.buffer_from(&[1u32; N]).unwrap();
    // SAFETY: as above.
    let x = unsafe { Buffer::from_raw(&device, raw.start(), N, (raw, ())) }.unwrap();
    let y = adopt(&device, Raw::new(&device, &[1; N]), N, &Count::default());
    // SAFETY: there are no elements.
    let z = unsafe { Buffer::<u32>::from_raw(&device, std::ptr::null_mut(), 0, Unbind(Raw::new(&device, &[1; N]))) }
        .unwrap();
    drop((x, y, z));
    assert_eq!(result::ctx::get_current().unwrap(), Some(ours));
    affine(&device.default_stream(), &mut values, 2, 0, 1).unwrap();
    assert_eq!(values.get(0).unwrap(), 2);
}

#[test]
fn memory_of_others_is_refused() {
    let Some((_one, device)) = gpu() else { return };
    let mut host = [1u32; 4];
    // SAFETY: the pointer is refused.
    let result = unsafe { Buffer::from_raw(&device, host.as_mut_ptr(), 4, ()) };
    refused(result, "is not in the memory of a GPU; pass memory of CUDA device 0");
    let Some(other) = second() else { return };
    let raw = Raw::new(&other, &[1; 4]);
    // SAFETY: the pointer is refused.
    let result = unsafe { Buffer::from_raw(&device, raw.start(), 4, ()) };
    refused(result, "is in the memory of device 1");
}
