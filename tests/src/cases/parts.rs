use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch::Error;
use anabranch::prelude::*;

use super::{close, noise};
use crate::kernels::grids::host::Grid;
use crate::kernels::parts as k;

fn grid<const D: usize>(shape: [usize; D], of: impl Fn(u64) -> f32) -> Grid<f32, D> {
    let values: Vec<f32> = noise(shape.iter().product()).map(of).collect();
    Grid::from_fn(shape, |i| values[i])
}

/// The three programs with which somebody begins: a frame that stays, a crop in halves, a volume in
/// planes.
pub fn programs(device: &Device, stream: &Stream) {
    let mut a = grid([21, 34], |n| (n % 32) as f32);
    let mut a_d = device.grid_from(&a.values, a.shape()).unwrap();
    let mut b_d = a_d.try_clone().unwrap();
    k::heat_with_halo(stream, &mut a_d, &mut b_d, 0.125, 3).unwrap();
    for _ in 0..3 {
        let from = a.clone();
        for y in 1..20 {
            for x in 1..33 {
                let near = from[[y - 1, x]] + from[[y + 1, x]] + from[[y, x - 1]] + from[[y, x + 1]];
                a[[y, x]] = from[[y, x]] + 0.125 * (near - 4.0 * from[[y, x]]);
            }
        }
    }
    close(device, &a_d.to_vec().unwrap(), &a.values, |_| 40.0);

    let image: Vec<u8> = noise(40 * 50).map(|n| n as u8).collect();
    let image_d = device.grid_from(&image, [40, 50]).unwrap();
    for (at, [h, w]) in [([3, 7], [20, 31]), ([0, 0], [40, 50]), ([39, 49], [1, 1]), ([5, 5], [0, 9])] {
        let mut out = device.grid_zeros::<u8, 2>([h, w]).unwrap();
        k::crop_and_blur(stream, &image_d, at, &mut out).unwrap();
        let around = |i: usize, len: usize| i.saturating_sub(1)..(i + 2).min(len);
        let blurred = |y, x| {
            let near = || around(y, h).flat_map(|v| around(x, w).map(move |u| (v, u)));
            let sum: u32 = near().map(|(v, u)| u32::from(image[(at[0] + v) * 50 + at[1] + u])).sum();
            (sum / near().count() as u32) as u8
        };
        let expected: Vec<u8> = (0..h).flat_map(|y| (0..w).map(move |x| (y, x))).map(|(y, x)| blurred(y, x)).collect();
        assert_eq!(out.to_vec().unwrap(), expected, "{at:?}");
    }

    let from = grid([9, 7, 12], |n| (n % 16) as f32);
    let (from_d, mut to_d) =
        (device.grid_from(&from.values, [9, 7, 12]).unwrap(), device.grid_zeros([9, 7, 12]).unwrap());
    k::seven_points(stream, &from_d, &mut to_d).unwrap();
    let mut to = Grid::from_fn([9, 7, 12], |_| 0.0);
    for (z, y, x) in (1..8).flat_map(|z| (1..6).flat_map(move |y| (1..11).map(move |x| (z, y, x)))) {
        let sides = from[[z, y - 1, x]] + from[[z, y + 1, x]] + from[[z, y, x - 1]];
        let ends = from[[z, y, x + 1]] + from[[z - 1, y, x]] + from[[z + 1, y, x]];
        to[[z, y, x]] = sides + ends - 6.0 * from[[z, y, x]];
    }
    close(device, &to_d.to_vec().unwrap(), &to.values, |_| 200.0);
}

/// What a kernel lends its loops and groups.
pub fn in_host_parts(device: &Device, stream: &Stream) {
    let numbers: Vec<u32> = (0..24).collect();
    let (mut a, b) = (device.grid_zeros([2, 3, 4]).unwrap(), device.grid_from(&numbers, [2, 3, 4]).unwrap());
    k::whole_as_slice(stream, &mut a, &b).unwrap();
    assert_eq!(a.to_vec().unwrap(), (0..24).rev().collect::<Vec<u32>>());

    let mut a = device.grid_from(&numbers, [6, 4]).unwrap();
    k::rows_as_slice(stream, &mut a, 5).unwrap();
    let expected = |i: u32| if i < 4 { i + (20 + i) + 4 + (4 + i) } else { i };
    assert_eq!(a.to_vec().unwrap(), (0..24).map(expected).collect::<Vec<_>>());

    for mid in [[1, 2, 3], [0, 4, 2], [3, 0, 5]] {
        let mut a = device.grid_zeros::<u32, 3>([3, 4, 5]).unwrap();
        k::eighths(stream, &mut a, mid).unwrap();
        let part = |i: usize| {
            4 * u32::from(i / 20 >= mid[0]) + 2 * u32::from(i / 5 % 4 >= mid[1]) + u32::from(i % 5 >= mid[2])
        };
        assert_eq!(a.to_vec().unwrap(), (0..60).map(|i| 1 + part(i)).collect::<Vec<_>>(), "{mid:?}");
    }

    let mut count = device.grid_zeros::<u32, 2>([3, 3]).unwrap();
    k::counted_in_parts(stream, &mut count).unwrap();
    assert_eq!(count.to_vec().unwrap(), [1, 1, 0, 1, 11, 10, 0, 10, 10]);

    let mut a = device.grid_filled([5, 6], -1).unwrap();
    k::nested(stream, &mut a).unwrap();
    let mut expected = [-1; 30];
    (expected[15], expected[16], expected[21], expected[22]) = (4, 5, 14, 15);
    assert_eq!(a.to_vec().unwrap(), expected);

    let (mut a, by) = (device.grid_filled([2, 3], 5u16).unwrap(), device.buffer_from(&[10, 20]).unwrap());
    k::raised_by_row(stream, &mut a, &by, 2).unwrap();
    assert_eq!(a.to_vec().unwrap(), [15, 15, 5, 25, 25, 5]);

    let mut a = device.grid_zeros([3, 2]).unwrap();
    k::chosen(stream, &mut a, true).unwrap();
    k::chosen(stream, &mut a, false).unwrap();
    k::chosen(stream, &mut a, false).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 1, 2, 2, 2, 2]);

    let (a, mut sums) = (device.grid_from(&numbers, [4, 6]).unwrap(), device.grid_zeros([2, 3]).unwrap());
    k::sums_of_blocks(stream, &a, &mut sums, 2).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [14, 22, 30, 62, 70, 78]);

    let mut a = device.grid_from(&numbers, [4, 6]).unwrap();
    k::halves_of_columns(stream, &mut a, 3).unwrap();
    assert_eq!(a.to_vec().unwrap()[..6], [5, 5, 5, 3, 4, 5]);
}

/// What is lent outside of kernels: to launches, and to copies.
pub fn in_arguments(device: &Device, stream: &Stream) {
    let mut a = device.grid_filled([4, 5], 9u32).unwrap();
    k::ramp(stream, &mut a.part_mut((1..3, 2..5))).unwrap();
    let rows = [[9; 5].as_slice(), &[9, 9, 0, 1, 2], &[9, 9, 100, 101, 102], &[9; 5]].concat();
    assert_eq!(a.to_vec().unwrap(), rows);
    assert_eq!(a.part((1..3, 1..=2)).to_vec().unwrap(), [9, 0, 9, 100]);
    assert_eq!(a.part([1..3, 2..5]).part((1.., ..2)).to_vec().unwrap(), [100, 101]);
    assert_eq!((a.part((1.., 2..)).shape(), a.part((.., 2..)).len()), ([3, 3], 12));
    assert!(
        a.rows(1..3).is_contiguous() && a.part((1..2, 2..4)).is_contiguous() && !a.part((1..3, 2..4)).is_contiguous()
    );

    // What another stream does with the other columns is ordered, or apart.
    let other = device.new_stream().unwrap();
    let (mut left, mut right) = a.split_dim_at_mut(1, 2);
    k::ramp(stream, &mut left).unwrap();
    k::ramp(&other, &mut right).unwrap();
    left.fill_async(stream, 7).unwrap();
    right.part_mut((..2, 1..)).copy_from(&[1, 2, 3, 4]).unwrap();
    assert!(left.part_mut((.., ..1)).copy_from(&[1; 3]).is_err());
    let mut seen = [0; 12];
    right.copy_to(&mut seen).unwrap();
    assert_eq!(seen, [0, 1, 2, 100, 3, 4, 200, 201, 202, 300, 301, 302]);
    assert_eq!(left.to_vec().unwrap(), [7; 8]);

    // Elements in one dimension.
    let rows = a.rows(1..3);
    assert_eq!(rows.as_slice().to_vec().unwrap(), [7, 7, 100, 3, 4, 7, 7, 200, 201, 202]);
    assert_eq!((a.as_slice().len(), a.as_mut_slice().split_at_mut(3).1.len()), (20, 17));
    a.rows_mut(3..).as_mut_slice().fill_async(stream, 5).unwrap();
    assert_eq!(a.as_slice().rows(14..17).to_vec().unwrap(), [202, 5, 5]);

    let mut volume = device.grid_zeros::<u32, 3>([3, 4, 5]).unwrap();
    k::ramp_of_volume(stream, &mut volume.part_mut((1..3, 1..3, 2..4))).unwrap();
    assert_eq!(volume.part((1.., ..3, 2..)).to_vec().unwrap()[..9], [0, 0, 0, 0, 1, 0, 100, 101, 0]);
    assert_eq!(volume.to_vec().unwrap().iter().filter(|n| **n != 0).count(), 7);
    volume.part_mut((.., 1..2, ..)).fill_async(stream, 3).unwrap();
    assert_eq!(volume.part((2.., .., 3..)).to_vec().unwrap(), [0, 0, 3, 3, 10101, 0, 0, 0]);
    assert_eq!(volume.part((.., 4.., ..)).to_vec().unwrap(), []);
}

/// A part has bounds of its own, and a range that is not inside of a grid says which.
pub fn bounds_of_parts(device: &Device, stream: &Stream) {
    let a = device.grid_from(&(0..20).collect::<Vec<u32>>(), [4, 5]).unwrap();
    let mut out = device.filled(4, 77u32).unwrap();
    let mut read = |y, x| {
        let launched = k::reads_in_part(stream, &a, y, x, &mut out).and_then(|()| stream.synchronize());
        launched.map(|()| out.to_vec().unwrap()[1]).map_err(|error| error.to_string())
    };
    assert_eq!((read(0, 0), read(1, 1)), (Ok(6), Ok(12)));
    for (y, x, dim) in [(0, 2, 1), (2, 0, 0), (usize::MAX, 1, 0)] {
        let error = read(y, x).unwrap_err();
        let index = if dim == 0 { y } else { x };
        let expected = format!("index out of bounds: the len of dimension {dim} is 2 but the index is {index}");
        assert!(error.contains(&expected), "{y} {x}: {error}");
    }
    // What every iteration does is refused before the loop.
    let mut to = device.grid_zeros::<f32, 2>([4, 4]).unwrap();
    let mut from = device.grid_zeros::<f32, 2>([4, 5]).unwrap();
    let refused = k::heat_with_halo(stream, &mut from.part_mut((.., ..4)), &mut to, 1.0, 1);
    assert!(refused.is_ok(), "{refused:?}");
    let refused = k::sums_of_blocks(stream, &a.part((.., 1..)), &mut device.grid_zeros([2, 3]).unwrap(), 2);
    assert!(matches!(refused, Err(Error::OutOfBounds { index: 5, len: 4, .. })), "{refused:?}");

    let mut b = device.grid_zeros::<u32, 2>([3, 4]).unwrap();
    let mut failed = |expected: &str, what: &mut dyn FnMut(&mut Buffer<u32, 2>)| {
        let payload = catch_unwind(AssertUnwindSafe(|| what(&mut b))).expect_err(expected);
        let message = payload.downcast_ref::<String>().map_or("", String::as_str);
        assert_eq!(message, expected);
    };
    let of_1 = "`part`: range 1..9 is not inside dimension 1 of the grid, which has 4 indexes of `u32`";
    failed(of_1, &mut |b| {
        let _ = b.part((.., 1..9));
    });
    failed(&of_1.replace("part", "part_mut"), &mut |b| k::beyond(stream, b, 9).unwrap());
    failed("`part_mut`: range 3..2 is not inside dimension 0 of the grid, which has 3 indexes of `u32`", &mut |b| {
        #[allow(clippy::reversed_empty_ranges)]
        let _ = b.part_mut((3..2, ..));
    });
    failed("`rows_mut`: range 2..4 is not inside dimension 0 of the grid, which has 3 indexes of `u32`", &mut |b| {
        let _ = b.rows_mut(2..4);
    });
    failed("`split_dim_at_mut`: cannot split dimension 1 of length 4 at 5", &mut |b| {
        let _ = b.split_dim_at_mut(1, 5);
    });
    failed("`split_dim_at_mut`: a grid of 2 dimensions has no dimension 2: they are counted from 0", &mut |b| {
        let _ = b.split_dim_at_mut(2, 0);
    });
    failed("`as_slice`: the elements of a part of shape [3, 2] do not lie next to each other", &mut |b| {
        let _ = b.part((.., ..2)).as_slice();
    });
    failed("`slice_mut`: range 7..13 is not inside 12 `u32`", &mut |b| {
        let _ = b.slice_mut(7..13);
    });
    failed("`split_at`: cannot split 3 rows of `u32` at 4", &mut |b| {
        let _ = b.split_at(4);
    });
    failed("`chunks_mut`: the size of a chunk is 0", &mut |b| {
        let _ = b.chunks_mut(0);
    });
}
