//! Tensors of DLPack.

use anabranch::dlpack::dlpark::ffi::{DLDataType, DLDevice, DLManagedTensorVersioned};
use anabranch::dlpack::dlpark::metadata::Fixed;
use anabranch::dlpack::dlpark::versioned::Dlpack;
use anabranch::dlpack::dlpark::{DlpackFlags, TryFromDlpack};
use anabranch_interop_suite::{affine, double, fail};
use ndarray::ArrayViewD;

use super::*;

/// A tensor of two dimensions over memory of its owner.
fn tensor<O: Send>(data: *mut u32, shape: [usize; 2], strides: [usize; 2], device: DLDevice, owner: O) -> Dlpack {
    let metadata = Fixed::new(shape, strides).prepare_as::<DLManagedTensorVersioned>().unwrap();
    let mut tensor = metadata.initialize(Box::new(owner));
    tensor.set_data(data.cast()).set_dtype(DLDataType::U32).set_device(device);
    // SAFETY: the callers own memory of this shape, or the tensor is refused.
    unsafe { tensor.finish() }
}

fn tensor_of(values: Vec<u32>, shape: [usize; 2], count: &Count) -> Dlpack {
    let mut values = values;
    tensor(values.as_mut_ptr(), shape, [shape[1], 1], DLDevice::CPU, Owner::new(values, count))
}

#[test]
fn a_buffer_becomes_a_tensor_and_a_tensor_a_buffer() {
    let device = Device::cpu();
    let mut x = device.grid_from(&[1u32, 2, 3, 4, 5, 6], [2, 3]).unwrap();
    affine(&device.default_stream(), &mut x, 10, 0, 1).unwrap();
    let start = x.as_ptr();
    let exported = x.into_dlpack().unwrap();
    {
        // SAFETY: the tensor owns the buffer, and no work uses it.
        let view: ArrayViewD<'_, u32> = unsafe { TryFromDlpack::try_from_dlpack(&exported, ()) }.unwrap();
        assert_eq!((view.as_ptr(), view.shape(), view[[1, 2]]), (start, &[2, 3][..], 60));
    }
    // SAFETY: nobody else has the tensor.
    let mut back = unsafe { Buffer::<u32, 2>::from_dlpack(&device, exported) }.unwrap();
    assert_eq!((back.as_ptr(), back.shape()), (start, [2, 3]));
    affine(&device.default_stream(), &mut back, 1, 1, 1).unwrap();
    assert_eq!(back.to_vec().unwrap(), [11, 21, 31, 41, 51, 61]);
}

#[test]
fn the_tensor_goes_once_and_after_the_graph() {
    let (device, count) = (Device::cpu(), Count::default());
    let stream = device.default_stream();
    // SAFETY: nobody else has the tensor.
    let mut x = unsafe { Buffer::<u32, 2>::from_dlpack(&device, tensor_of(vec![1; 6], [2, 3], &count)) }.unwrap();
    let graph = stream.capture(|stream| affine(stream, &mut x, 2, 0, 1)).unwrap();
    let (error, x) = x.into_dlpack().err().unwrap().into_parts();
    assert!(error.to_string().contains("a graph uses the memory, too"), "{error}");
    graph.launch(&stream).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2; 6]);
    drop(x);
    assert_eq!(count.get(), 0);
    drop(graph);
    assert_eq!(count.get(), 1);
}

#[test]
fn other_tensors_are_refused_and_given_back() {
    let device = Device::cpu();
    let make = |change: fn(&mut Dlpack), strides, on| {
        let count = Count::default();
        let mut values = vec![1u32; 6];
        let start = values.as_mut_ptr();
        let mut made = tensor(start, [2, 3], strides, on, Owner::new(values, &count));
        change(&mut made);
        (made, count)
    };
    let read_only = |tensor: &mut Dlpack| {
        // SAFETY: less is allowed than before.
        *unsafe { tensor.flags_mut() } |= DlpackFlags::READ_ONLY;
    };
    type Case = (fn(&mut Dlpack), [usize; 2], DLDevice, &'static str);
    let cases: [Case; 3] = [
        (read_only, [3, 1], DLDevice::CPU, "it is read-only"),
        (|_| {}, [1, 2], DLDevice::CPU, "do not lie next to each other in row-major order"),
        (|_| {}, [3, 1], DLDevice::cuda(1), "it is on CUDA device 1, not on "),
    ];
    for (change, strides, on, text) in cases {
        let (made, count) = make(change, strides, on);
        // SAFETY: the tensor is refused.
        let (error, made) = unsafe { Buffer::<u32, 2>::from_dlpack(&device, made) }.unwrap_err().into_parts();
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(count.get(), 0);
        drop(made);
        assert_eq!(count.get(), 1);
    }
    let whole = || tensor_of(vec![1; 6], [2, 3], &Count::default());
    // SAFETY: the tensors are refused.
    refused(unsafe { Buffer::<f32, 2>::from_dlpack(&device, whole()) }, "DLPack's type 1 with 32 bits in 1 lanes");
    // SAFETY: as above.
    refused(unsafe { Buffer::<u32, 3>::from_dlpack(&device, whole()) }, "it has 2 dimensions, and not 3");
}

/// Libraries write what they like as the stride of an axis with one element.
#[test]
fn strides_of_axes_with_one_element() {
    let device = Device::cpu();
    for (shape, strides) in [([1, 6], [1, 1]), ([6, 1], [1, 9]), ([1, 6], [0, 1]), ([0, 3], [7, 7])] {
        let (count, mut values) = (Count::default(), vec![1u32, 2, 3, 4, 5, 6]);
        let start = values.as_mut_ptr();
        let made = tensor(start, shape, strides, DLDevice::CPU, Owner::new(values, &count));
        // SAFETY: nobody else has the tensor.
        let x = unsafe { Buffer::<u32, 2>::from_dlpack(&device, made) }.unwrap();
        let all: usize = shape.iter().product();
        assert_eq!((x.shape(), x.to_vec().unwrap()), (shape, (1..=6).take(all).collect()));
    }
}

#[test]
fn a_panic_of_device_code_keeps_the_buffer() {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(3).unwrap();
    fail(&device.default_stream(), &mut x, 0).unwrap();
    let (error, x) = x.into_dlpack().err().unwrap().into_parts();
    assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
    x.into_dlpack().unwrap();
}

/// The host has waited for two readers and a writer, so that the other library may do with the
/// memory what it likes.
#[test]
fn all_work_of_a_gpu_is_complete() {
    let Some((_one, device)) = gpu() else { return };
    let theirs = device.cudarc().unwrap().new_stream().unwrap(); // waits for the device
    let streams: [Stream; 3] = std::array::from_fn(|_| device.new_stream().unwrap());
    let mut x = device.zeros::<u32>(N).unwrap();
    let (mut a, mut b) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    affine(&streams[0], &mut x, 2, 1, SLOW).unwrap();
    double(&streams[1], &x, &mut a).unwrap();
    b.copy_from_buffer_async(&streams[2], &x).unwrap();
    let start = x.as_ptr();
    let exported = x.into_dlpack().unwrap();
    // SAFETY: the tensor has these elements, and is dropped after the work.
    let mut slice = std::mem::ManuallyDrop::new(unsafe { theirs.upgrade_device_ptr::<u32>(start.addr() as u64, N) });
    theirs.memset_zeros(&mut *slice).unwrap();
    theirs.synchronize().unwrap();
    std::mem::ManuallyDrop::into_inner(slice).leak();
    // SAFETY: nobody else has the tensor, and the host has waited.
    let x = unsafe { Buffer::<u32, 1>::from_dlpack(&device, exported) }.unwrap();
    assert_eq!((x.as_ptr(), x.to_vec().unwrap()), (start, vec![0; N]));
    assert_eq!(a.get(0).unwrap(), b.get(0).unwrap().wrapping_mul(2));
}
