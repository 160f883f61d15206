//! Names and traits that mislead: a launch knows what rustc knows, and refuses what is out of
//! bounds or overlaps.

use anabranch::prelude::*;

use crate::kernels::hostile as k;

#[track_caller]
fn is_outside(result: anabranch::Result<()>) {
    assert!(matches!(result, Err(Error::OutOfBounds { .. })), "{result:?}");
}

#[track_caller]
fn overlaps(result: anabranch::Result<()>) {
    assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
}

pub fn lengths_are_those_of_the_buffers(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<f32>(16).unwrap();
    is_outside(k::past_the_end(stream, &mut y, 8));
    is_outside(k::past_the_end(stream, &mut y, 100_000_000));
    assert_eq!(y.to_vec().unwrap(), [0.0; 16]);
    let mut long = device.zeros::<f32>(1008).unwrap();
    k::past_the_end(stream, &mut long, 8).unwrap();
    assert_eq!(long.to_vec().unwrap().iter().sum::<f32>(), 8.0);

    let (mut few, mut enough) = (device.zeros::<u8>(8).unwrap(), device.zeros::<u8>(16).unwrap());
    is_outside(k::sixteen_bytes(stream, &mut few));
    k::sixteen_bytes(stream, &mut enough).unwrap();
    assert_eq!((few.to_vec().unwrap(), enough.to_vec().unwrap()), (vec![0; 8], vec![1; 16]));

    let x = device.buffer_from(&[1, 2, 3, 4]).unwrap();
    let mut y = device.zeros::<u32>(5).unwrap();
    k::with_lengths_by_reference(stream, &x, &mut y, 4).unwrap();
    assert_eq!(y.to_vec().unwrap(), [9, 8, 7, 6, 0]);
}

pub fn numbers_have_their_own_types(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u32>(10).unwrap();
    let result = k::power(stream, &mut y, -1_000_000).and_then(|()| stream.synchronize());
    assert!(matches!(result, Err(Error::KernelPanic { .. } | Error::OutOfBounds { .. })), "{result:?}");
    k::power(stream, &mut y, 1).unwrap();
    assert_eq!(y.to_vec().unwrap()[..3], [0, 77, 0]);

    let mut y = device.zeros::<u32>(8 * 100 + 300).unwrap();
    overlaps(k::wrapped_counter(stream, &mut y, 100, 256));
    k::wrapped_counter(stream, &mut y, 100, 4).unwrap();
    assert_eq!(y.to_vec().unwrap()[..9], [0, 0, 0, 0, 2, 1, 1, 1, 0]);
}

pub fn too_many_numbers_are_no_proof(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1; 64]).unwrap();
    let mut y = device.zeros::<u32>(64).unwrap();
    overlaps(k::many_numbers(stream, &mut y, &x, 0, 64, 0));
    assert_eq!(y.to_vec().unwrap(), [0; 64]);
}

pub fn arrays_have_their_own_lengths(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u32>(40).unwrap();
    k::elements_of_an_array(stream, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..40).map(|i| u32::from(i % 4 == 0)).collect::<Vec<_>>());
}

pub fn a_launch_says_itself_what_it_uses(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1.0, 0.0, 2.0]).unwrap();
    let mut out = device.zeros::<u32>(1).unwrap();
    k::counted(stream, &x, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [2]);
}

pub fn constants_of_inner_blocks(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<usize>(16).unwrap();
    is_outside(k::inner_constant(stream, &mut y));
    assert_eq!(y.to_vec().unwrap(), [0; 16]);
    k::inner_constant_behind(stream, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [k::N; 16]);
    let (mut y, mut z) = (device.zeros::<u32>(400).unwrap(), device.zeros::<u32>(100).unwrap());
    overlaps(k::inner_stride(stream, &mut y, &mut z));
    assert_eq!(y.to_vec().unwrap(), [0; 400]);
}

pub fn constants_by_an_alias(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<f32>(1000).unwrap();
    is_outside(k::by_an_alias(stream, &mut y));
    is_outside(k::by_an_alias_of_a_module(stream, &mut y));
    is_outside(k::largest_of_an_alias(stream, &mut y));
    assert_eq!(y.to_vec().unwrap(), [0.0; 1000]);
    let mut y = device.zeros::<u32>(400).unwrap();
    overlaps(k::by_an_alias_of_a_trait(stream, &mut y));
    assert_eq!(y.to_vec().unwrap(), [0; 400]);
}

/// Two host expressions that are spelled alike need not have the same value.
pub fn ranges_that_read_as_short_ones(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u32>(10_000).unwrap();
    k::impure::CALLS.set(0);
    overlaps(k::two_starts(stream, &mut y));
    assert_eq!(k::impure::CALLS.get(), 2, "each end is evaluated once");
    overlaps(k::twins(stream, &mut y, 0, 1000));
    overlaps(k::odd_sizes(stream, &mut y, k::operators::Size));
    assert_eq!(y.to_vec().unwrap(), [0; 10_000]);
    k::twins(stream, &mut y, 7, 7).unwrap();
    assert_eq!(y.to_vec().unwrap().iter().sum::<u32>(), 4000);
}

/// A method says what it is by its slot, and not by its name.
pub fn methods_that_are_not_those_of_integers(device: &Device, stream: &Stream) {
    let far = k::not_integers::Far { by: 1000 };
    let x = device.filled(10, 7u32).unwrap();
    for reads in [k::minimum, k::minimum_of_parameters, k::of_a_field, k::difference] {
        let mut y = device.zeros::<u32>(10).unwrap();
        let result = reads(stream, &x, &mut y, far).and_then(|()| stream.synchronize());
        let Err(Error::KernelPanic { message, .. }) = &result else { panic!("{result:?}") };
        assert!(message.starts_with("index out of bounds"), "{message}");
    }
    let mut y = device.zeros::<u32>(80).unwrap();
    let result = k::remainder(stream, &mut y, far).and_then(|()| stream.synchronize());
    assert!(result.is_err(), "{result:?}");
    let mut grid = device.grid_zeros::<u32, 2>([4, 4]).unwrap();
    let result = k::one_place(stream, &mut grid, far);
    assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
    let changed = [k::there_and_back, k::there_and_back_by_rounds, k::product, k::stepped_on];
    let rows = [k::rows_of_a_range, k::rows_of_a_condition, k::rows_of_a_method];
    for writes in [k::not_itself, k::less_and_equal].into_iter().chain(changed).chain(rows) {
        let result = writes(stream, &mut y, far);
        assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
    }
}

pub fn expressions_of_a_macros_caller(device: &Device, stream: &Stream) {
    for a in [3, 4, 5] {
        let (mut y, mut parts) = (device.zeros::<usize>(10).unwrap(), device.zeros::<usize>(13).unwrap());
        k::torn(stream, &mut y, &mut parts, a).unwrap();
        assert_eq!(y.to_vec().unwrap()[..8], k::plainly_torn(a));
        assert_eq!(parts.to_vec().unwrap(), [1, 1, 1, 1, 1, 1, 2, 0, 0, 2, 0, 0, 2]);
    }
}

pub fn types_of_inner_items(device: &Device, stream: &Stream) {
    let (mut y, mut z) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(2).unwrap());
    k::types_of_inner_items(stream, &mut y, &mut z).unwrap();
    let [expected_y, expected_z] = k::inner_types::plainly();
    assert_eq!(y.to_vec().unwrap(), [expected_y; 2]);
    assert_eq!(z.to_vec().unwrap(), [expected_z; 2]);
}

pub fn functions_that_hide_variables(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u32>(2).unwrap();
    k::functions_that_hide_variables(stream, &mut y, 100).unwrap();
    assert_eq!(y.to_vec().unwrap(), [107; 2]);
}

pub fn giant_steps(device: &Device, stream: &Stream) {
    let (mut counts, mut last) = (device.zeros::<u32>(34).unwrap(), device.zeros::<u64>(2).unwrap());
    k::giant_steps(stream, &mut counts, &mut last).unwrap();
    assert_eq!(counts.to_vec().unwrap()[..2], [2, 2]);
    assert_eq!(counts.to_vec().unwrap()[2..], [1; 32]);
    assert_eq!(last.to_vec().unwrap(), [0, u64::MAX]);
}

pub fn constants_of_bodies(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u32>(2).unwrap();
    k::constants_of_bodies(stream, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1; 2]);
}

pub fn starts_come_first(device: &Device, stream: &Stream) {
    let (mut y, x) = (device.zeros(3).unwrap(), device.buffer_from(&[1.0, 2.0, 3.0]).unwrap());
    k::starts_come_first(stream, &mut y, &x, 1, 2).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5.0; 3]);
    for (from, says) in [(5, "the start is small"), (1, "up to maximum usize")] {
        let result = k::starts_come_first(stream, &mut y, &x, from, usize::MAX).and_then(|()| stream.synchronize());
        let error = result.unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// What seems to cancel does not, so elements are checked where they are used, or the launch is
/// refused.
pub fn what_seems_to_cancel(device: &Device, stream: &Stream) {
    let (mut y, x) = (device.zeros::<f32>(64).unwrap(), device.zeros::<f32>(1000).unwrap());
    let fails = |result: Result<(), Error>| {
        let result = result.and_then(|()| stream.synchronize());
        assert!(matches!(result, Err(Error::KernelPanic { .. })), "{result:?}");
    };
    fails(k::behind_a_part(stream, &mut y, &x, 300));
    let of = k::Float { f: -1000.0 };
    fails(k::two_routes_in_a_function(stream, &mut y, &x, of, false));
    fails(k::two_routes_in_a_function(stream, &mut y, &x, of, true));
    let few = device.zeros::<f32>(256).unwrap();
    fails(k::shifted_by_digits(stream, &mut y, &few, 16_777_219, true));
    fails(k::shifted_by_digits(stream, &mut y, &few.slice(0..64), 16_777_217, false));
    let overlaps = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
    overlaps(k::two_routes(stream, &mut y, -1000.0));
    overlaps(k::two_operators(stream, &mut y, k::Two { a: 1 << 20, b: 0 }));
    overlaps(k::two_routes_of_a_factor(stream, &mut y, -1.0));
    let w = k::Two { a: 0, b: 1 };
    overlaps(k::two_operators_of_a_factor(stream, &mut y, w));
    let mut words = device.zeros::<u32>(3).unwrap();
    overlaps(k::two_operators_in_a_block(stream, &mut words, w, false));
    overlaps(k::two_operators_in_a_block(stream, &mut words, k::Two { a: 0, b: 60 }, true));
}
