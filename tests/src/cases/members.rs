use anabranch::Bounds;
use anabranch::prelude::*;

use crate::kernels::members::{self as k, Inside, NEIGHBOURS, Size, Swapped, WEIGHTED};

#[track_caller]
fn is_one_everywhere(y: &Buffer<f32>) {
    assert!(y.to_vec().unwrap().iter().all(|v| *v == 1.0), "{:?}", y.to_vec());
}

/// The launch knows them: what does not fit is refused, and nothing has been written.
#[track_caller]
fn is_refused(result: anabranch::Result<()>, y: &Buffer<f32>) {
    assert!(matches!(result, Err(Error::OutOfBounds { .. })), "{result:?}");
    assert!(y.to_vec().unwrap().iter().all(|v| *v == 0.0), "{:?}", y.to_vec());
}

pub fn parts_of_host_values(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<f32>(70).unwrap();
    is_refused(k::of_a_tuple(stream, &mut y, (10, 8)), &y);
    k::of_a_tuple(stream, &mut y, (10, 7)).unwrap();
    is_one_everywhere(&y);

    let mut y = device.zeros::<f32>(60).unwrap();
    is_refused(k::of_an_array(stream, &mut y, [3, 5, 5]), &y);
    k::of_an_array(stream, &mut y, [3, 4, 5]).unwrap();
    is_one_everywhere(&y);

    let mut y = device.zeros::<f32>(70).unwrap();
    let inside = |x0, y0| Inside { size: Size { w: 10, r#in: 7, first: [x0, y0] }, scale: 1.0 };
    is_refused(k::of_a_struct(stream, &mut y, inside(1, 0)), &y);
    is_refused(k::of_a_struct(stream, &mut y, inside(0, -1)), &y);
    k::of_a_struct(stream, &mut y, inside(0, 0)).unwrap();
    is_one_everywhere(&y);

    let x: Vec<f32> = (0..30).map(|i| i as f32).collect();
    let (mut y, read) = (device.zeros::<f32>(30).unwrap(), device.buffer_from(&x).unwrap());
    is_refused(k::of_variables(stream, &mut y, &read, 10, 4), &y);
    k::of_variables(stream, &mut y, &read, 10, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), [&[0.0; 10], &x[..20]].concat());

    let mut y = device.zeros::<f32>(6).unwrap();
    // No launch runs an operator of the user's.
    let ran = k::of_an_index_operator(stream, &mut y, Swapped([2, 3]));
    assert!(matches!(ran, Err(Error::Overlap { .. })), "{ran:?}");
}

pub fn numbers_of_tables(device: &Device, stream: &Stream) {
    let (w, h) = (9, 7);
    let x: Vec<f32> = (0..w * h).map(|i| ((i * 7) % 31) as f32).collect();
    let read = device.buffer_from(&x).unwrap();
    let mut y = device.zeros::<f32>(w * h).unwrap();
    let at = |row: usize, column: usize, [dy, dx]: [i32; 2]| {
        x[(row as i32 + dy) as usize * w + (column as i32 + dx) as usize]
    };
    let inner = |row: usize, column: usize| row > 0 && row < h - 1 && column > 0 && column < w - 1;
    let all = |value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
        (0..w * h).map(|i| (i / w, i % w)).map(|(r, c)| if inner(r, c) { value(r, c) } else { 0.0 }).collect()
    };
    k::of_a_table(stream, &mut y, &read, w, h).unwrap();
    assert_eq!(y.to_vec().unwrap(), all(&|r, c| NEIGHBOURS.iter().fold(0.0, |sum, d| sum + at(r, c, *d))));
    k::of_a_list(stream, &mut y, &read, w, h).unwrap();
    let weighted = |r, c| WEIGHTED.iter().fold(0.0, |sum, (dy, dx, by)| sum + by * at(r, c, [*dy, *dx]));
    assert_eq!(y.to_vec().unwrap(), all(&weighted));

    let which = device.buffer_from(&[0u8, 1, 2, 3, 0]).unwrap();
    let mut y = device.zeros::<f32>(5).unwrap();
    k::of_a_table_of_the_host(stream, &mut y, &read, &which, [0, 10, 20, 30]).unwrap();
    assert_eq!(y.to_vec().unwrap(), [x[0], x[11], x[22], x[33], x[4]]);
    // Not every number of a table is used by every iteration: so it is for the device to say.
    let last = (w * h) as u32;
    let ran =
        k::of_a_table_of_the_host(stream, &mut y, &read, &which, [0, 10, 20, last]).and_then(|()| stream.synchronize());
    assert!(matches!(ran, Err(Error::KernelPanic { .. })), "{ran:?}");

    // No access of these is left to the device, but the index of a table.
    let plans =
        [k::of_variables::plan(), k::of_a_table::plan(), k::of_a_list::plan(), k::of_a_table_of_the_host::plan()];
    for plan in plans.into_iter().chain([crate::kernels::own_types::flow::plan()]) {
        assert!(plan.accesses().all(|access| access.bounds != Bounds::Device), "{plan:#}");
    }
}
