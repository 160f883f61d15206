//! Arrays of ndarray.

use anabranch_interop_suite::mark;
use ndarray::{Array2, Array3, ShapeBuilder, array, s};

use super::*;

/// The CPU device, and the first GPU if there is one.
fn devices(test: impl Fn(&Device)) {
    test(&Device::cpu());
    if let Some((_one, device)) = gpu() {
        test(&device);
    }
}

#[test]
fn arrays_of_any_layout_go_in_and_out() {
    devices(|device| {
        let rows = Array3::from_shape_fn((4, 5, 6), |(x, y, z)| (100 * x + 10 * y + z) as u32);
        let columns = Array3::from_shape_fn((4, 5, 6).f(), |(x, y, z)| (100 * x + 10 * y + z) as u32);
        let views = [
            rows.view(),
            columns.view(),
            rows.slice(s![..;-1, 1..4, ..;2]),
            rows.view().permuted_axes([2, 0, 1]),
            rows.slice(s![.., 2..2, ..]),
            rows.slice(s![0..1, .., ..]),
        ];
        for view in views {
            let buffer = device.buffer_from_array(&view).unwrap();
            assert_eq!(buffer.shape().as_slice(), view.shape());
            assert_eq!(buffer.to_array().unwrap(), view);
            assert_eq!(Buffer::from_array(device, view.to_owned()).unwrap().into_array().unwrap(), view);
        }
        let broadcast = array![1u32, 2, 3];
        let buffer = device.buffer_from_array(&broadcast.broadcast((2, 3)).unwrap()).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3, 1, 2, 3]);
        assert_eq!(Buffer::from_array(device, columns.clone()).unwrap().into_array().unwrap(), rows);
    });
}

#[test]
fn an_array_is_used_in_place_and_comes_back() {
    let device = Device::cpu();
    let mut from = Array2::<u32>::zeros((3, 4));
    let start = from.as_mut_ptr().cast_const();
    let mut x = Buffer::from_array(&device, from).unwrap();
    assert_eq!((x.as_ptr(), x.shape()), (start, [3, 4]));
    mark(&device.default_stream(), &mut x).unwrap();
    let back = x.into_array().unwrap();
    assert_eq!(back.as_ptr(), start);
    assert_eq!(back[[2, 3]], 32);
    // In column-major order, the elements are not those of a row-major buffer.
    let columns = Array2::<u32>::zeros((3, 4).f());
    let start = columns.as_ptr();
    assert_ne!(Buffer::from_array(&device, columns).unwrap().as_ptr(), start);
}

/// A graph may write the memory later, so that the array is copied.
#[test]
fn a_graph_keeps_the_array() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = Buffer::from_array(&device, Array2::<u32>::zeros((3, 4))).unwrap();
    let start = x.as_ptr();
    let graph = stream.capture(|stream| mark(stream, &mut x)).unwrap();
    graph.launch(&stream).unwrap();
    let copy = x.into_array().unwrap();
    assert_ne!(copy.as_ptr(), start);
    graph.launch(&stream).unwrap();
    assert_eq!(copy[[2, 3]], 32);
}

/// An owner that happens to be an array: nobody has said that it is the memory of the buffer.
#[test]
fn only_what_was_taken_over_is_given_back() {
    let device = Device::cpu();
    let mut values = [1u32, 2, 3];
    // SAFETY: the elements live longer than the buffer.
    let x = unsafe { Buffer::from_raw(&device, values.as_mut_ptr(), 3, array![7u32, 8, 9]) }.unwrap();
    assert_eq!(x.into_array().unwrap(), array![1, 2, 3]);
    assert_eq!(device.zeros::<u32>(2).unwrap().into_array().unwrap(), array![0, 0]);
}

/// The result of a failed launch is not given back as if nothing had happened.
#[test]
fn a_panic_of_device_code_is_reported() {
    devices(|device| {
        let mut x = Buffer::from_array(device, array![1u32, 2, 3]).unwrap();
        anabranch_interop_suite::fail(&device.default_stream(), &mut x, 0).unwrap();
        let (error, x) = x.into_array().unwrap_err().into_parts();
        assert!(matches!(error, Error::KernelPanic { .. }), "{error}");
        assert_eq!(x.into_array().unwrap().len(), 3);
    });
}
