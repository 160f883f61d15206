use anabranch::Error;
use anabranch::prelude::*;

use super::{close, noise};
use crate::kernels::grids::host::Grid;
use crate::kernels::grids::{self as k, plain};

/// Shapes with edges of all kinds: one element, one row, one column, none.
const SHAPES: [[usize; 2]; 7] = [[1, 1], [1, 9], [9, 1], [4, 4], [33, 70], [0, 5], [5, 0]];

fn floats<const D: usize>(shape: [usize; D]) -> Grid<f32, D> {
    let values: Vec<f32> = noise(shape.iter().product()).map(|n| (n % 64) as f32 / 8.0).collect();
    Grid::from_fn(shape, |i| values[i])
}

fn ints<T: TryFrom<usize, Error: std::fmt::Debug>, const D: usize>(shape: [usize; D]) -> Grid<T, D> {
    Grid::from_fn(shape, |i| T::try_from(i * i % 101).unwrap())
}

fn on<T: DeviceCopy, const D: usize>(device: &Device, grid: &Grid<T, D>) -> Buffer<T, D> {
    device.grid_from(&grid.values, grid.shape()).unwrap()
}

pub fn planes(device: &Device, stream: &Stream) {
    for shape @ [h, w] in SHAPES {
        let (from, mut to) = (floats(shape), floats(shape));
        let (from_d, mut to_d) = (on(device, &from), on(device, &to));
        k::heat(stream, &from_d, &mut to_d, 0.125).unwrap();
        plain::heat(&from, &mut to, 0.125);
        close(device, &to_d.to_vec().unwrap(), &to.values, |_| 40.0);
        k::neighbours(stream, &from_d, &mut to_d).unwrap();
        plain::neighbours(&from, &mut to);
        close(device, &to_d.to_vec().unwrap(), &to.values, |_| 100.0);

        let (from, mut to) = (ints(shape), ints([w, h]));
        let (from_d, mut to_d) = (on(device, &from), on(device, &to));
        k::transpose(stream, &from_d, &mut to_d).unwrap();
        plain::transpose(&from, &mut to);
        assert_eq!(to_d.to_vec().unwrap(), to.values);
        let mut to = ints(shape);
        let mut to_d = on(device, &to);
        k::other_integers(stream, &from_d, &mut to_d, w as u32).unwrap();
        plain::other_integers(&from, &mut to, w as u32);
        assert_eq!(to_d.to_vec().unwrap(), to.values);
    }
}

pub fn in_place(device: &Device, stream: &Stream) {
    let mut a = ints([37, 37]);
    let mut a_d = on(device, &a);
    k::transpose_in_place(stream, &mut a_d).unwrap();
    plain::transpose_in_place(&mut a);
    assert_eq!(a_d.to_vec().unwrap(), a.values);

    let mut a = ints([12, 90]);
    let mut a_d = on(device, &a);
    k::along_rows(stream, &mut a_d).unwrap();
    plain::along_rows(&mut a);
    k::along_columns(stream, &mut a_d).unwrap();
    plain::along_columns(&mut a);
    assert_eq!(a_d.to_vec().unwrap(), a.values);

    let mut a = ints([5, 40, 7]);
    let mut a_d = on(device, &a);
    k::along_planes(stream, &mut a_d).unwrap();
    plain::along_planes(&mut a);
    assert_eq!(a_d.to_vec().unwrap(), a.values);

    let mut a = floats([21, 51]);
    let mut a_d = on(device, &a);
    k::red_and_black(stream, &mut a_d).unwrap();
    plain::red_and_black(&mut a);
    assert_eq!(a_d.to_vec().unwrap(), a.values);

    let mut a_d = device.grid_filled([8, 9], 3i64).unwrap();
    k::scaled(stream, &mut a_d, -2).unwrap();
    assert_eq!(a_d.to_vec().unwrap(), [-6; 72]);
}

pub fn volumes(device: &Device, stream: &Stream) {
    for shape in [[3, 4, 5], [1, 1, 1], [2, 0, 3], [7, 20, 33]] {
        let (from, mut to) = (ints(shape), ints(shape));
        let (from_d, mut to_d) = (on(device, &from), on(device, &to));
        k::volume(stream, &from_d, &mut to_d).unwrap();
        plain::volume(&from, &mut to);
        assert_eq!(to_d.to_vec().unwrap(), to.values);
    }
    let (a, b, mut c, mut d) = (ints([6, 5]), ints([2, 6, 5]), vec![0; 30], ints([5, 6]));
    let (a_d, b_d, mut c_d, mut d_d) =
        (on(device, &a), on(device, &b), device.buffer_from(&c).unwrap(), on(device, &d));
    k::several(stream, &a_d, &b_d, &mut c_d, &mut d_d).unwrap();
    plain::several(&a, &b, &mut c, &mut d);
    assert_eq!((c_d.to_vec().unwrap(), d_d.to_vec().unwrap()), (c, d.values));

    let mut a_d = device.grid_zeros([2, 3, 4]).unwrap();
    k::raised(stream, &mut a_d).unwrap();
    assert_eq!(a_d.to_vec().unwrap(), [[48].as_slice(), &[1; 23]].concat());
}

pub fn indexes_from_data(device: &Device, stream: &Stream) {
    let (from, mut to) = (floats([20, 40]), floats([20, 40]));
    let columns: Vec<u32> = noise(40).map(|n| (n % 40) as u32).collect();
    let (from_d, mut to_d, columns_d) = (on(device, &from), on(device, &to), device.buffer_from(&columns).unwrap());
    k::gather(stream, &from_d, &columns_d, &mut to_d).unwrap();
    plain::gather(&from, &columns, &mut to);
    assert_eq!(to_d.to_vec().unwrap(), to.values);

    let mut to = ints([30, 40]);
    let mut to_d = on(device, &to);
    k::scatter_in_rows(stream, &columns_d, &mut to_d).unwrap();
    plain::scatter_in_rows(&columns, &mut to);
    assert_eq!(to_d.to_vec().unwrap(), to.values);

    let pairs: Vec<[u32; 2]> = noise(2000).map(|n| [(n % 3) as u32, (n / 3 % 4) as u32]).collect();
    let (pairs_d, mut count_d) = (device.buffer_from(&pairs).unwrap(), device.grid_zeros([3, 4]).unwrap());
    k::counted(stream, &pairs_d, &mut count_d).unwrap();
    let mut count = Grid::from_fn([3, 4], |_| 0);
    pairs.iter().for_each(|pair| count[pair.map(|at| at as usize)] += 1);
    count[[0, 0]] += 2000;
    assert_eq!(count_d.to_vec().unwrap(), count.values);
}

pub fn parts_of_elements(device: &Device, stream: &Stream) {
    let mut a = Grid::from_fn([6, 7], |i| crate::kernels::structs::Particle { float: i as u16, ..Default::default() });
    let b = Grid::from_fn([6, 7], |i| [i as f32, 1.0, -1.0]);
    let (mut a_d, b_d) = (on(device, &a), on(device, &b));
    k::fields(stream, &mut a_d, &b_d).unwrap();
    plain::fields(&mut a, &b);
    assert_eq!(a_d.to_vec().unwrap(), a.values);
}

pub fn rows_of_grids(device: &Device, stream: &Stream) {
    let a: Grid<u32, 2> = ints([10, 4]);
    let mut a_d = on(device, &a);
    let other = device.grid_filled([10, 4], 100u32).unwrap();
    k::halves(stream, &mut a_d, 3, &other).unwrap();
    let expected = |i: usize| if i < 12 { a.values[i] + 107 } else { 7 * a.values[i] };
    assert_eq!(a_d.to_vec().unwrap(), (0..40).map(expected).collect::<Vec<_>>());

    // Some rows are a grid of their own.
    let mut a_d = device.grid_filled([6, 2], 9u32).unwrap();
    k::of_rows(stream, &mut a_d.rows_mut(2..5)).unwrap();
    assert_eq!(a_d.to_vec().unwrap(), [9, 9, 9, 9, 0, 0, 1, 1, 2, 2, 9, 9]);
    let mut to = device.grid_zeros([2, 2]).unwrap();
    k::transpose(stream, &a_d.rows(3..=4), &mut to).unwrap();
    assert_eq!(to.to_vec().unwrap(), [1, 2, 1, 2]);
    assert_eq!((a_d.rows(2..5).shape(), a_d.rows(..0).len()), ([3, 2], 0));

    let mut out = device.zeros::<u32>(1).unwrap();
    k::shapes_of_others(stream, &a_d, 1000, 3, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1 + 1000 + 62]);
}

/// An index that is out of bounds in one dimension fails, even where it names memory of the grid.
pub fn every_dimension_has_its_bounds(device: &Device, stream: &Stream) {
    let a = device.grid_from(&(0..12).collect::<Vec<u32>>(), [3, 4]).unwrap();
    let mut out = device.filled(4, 77u32).unwrap();
    let mut read = |y, x| {
        let launched = k::reads_at(stream, &a, y, x, &mut out).and_then(|()| stream.synchronize());
        launched.map(|()| out.to_vec().unwrap()[1]).map_err(|error| error.to_string())
    };
    assert_eq!(read(2, 3), Ok(11));
    // The second of these sums wraps to an element that there is.
    for (y, x, dim, len) in [
        (0, 4, 1, 4),
        (1 << 62, 2, 0, 3),
        (3, 0, 0, 3),
        (usize::MAX, 4, 0, 3),
        (0, usize::MAX, 1, 4),
        (1, usize::MAX, 1, 4),
    ] {
        let index = if dim == 0 { y } else { x };
        let error = read(y, x).unwrap_err();
        let expected = format!("index out of bounds: the len of dimension {dim} is {len} but the index is {index}");
        assert!(error.contains(&expected), "{y} {x}: {error}");
    }
    for (shape, at, dim) in [
        ([2, 3, 4], [1, 2, 4], 2),
        ([2, 3, 4], [0, 3, 0], 1),
        ([2, 3, 4], [2, 0, 0], 0),
        ([2, 0, 4], [0, 0, 0], 1),
        ([0, 3, 4], [0, 9, 9], 0),
    ] {
        let (mut a, at_d) = (device.grid_zeros::<u32, 3>(shape).unwrap(), device.buffer_from(&at).unwrap());
        let launched = k::writes_at(stream, &mut a, &at_d).and_then(|()| stream.synchronize());
        let expected = format!("the len of dimension {dim} is {} but the index is {}", shape[dim], at[dim]);
        assert!(launched.unwrap_err().to_string().contains(&expected), "{shape:?} {at:?}");
        assert_eq!(a.to_vec().unwrap(), vec![0; shape.iter().product()]);
    }
    // What every iteration does is refused before the loop.
    let (from, mut to) = (device.grid_zeros::<u32, 2>([3, 4]).unwrap(), device.grid_zeros([3, 4]).unwrap());
    let refused = k::transpose(stream, &from, &mut to);
    assert!(matches!(refused, Err(Error::OutOfBounds { index: 3, len: 3, .. })), "{refused:?}");
    for shape in [[usize::MAX, 2], [1 << 32, 1 << 32], [usize::MAX, 0], [0, usize::MAX]] {
        assert!(device.grid_zeros::<u16, 2>(shape).is_err(), "{shape:?}");
    }
}

pub fn many_grids(device: &Device, stream: &Stream) {
    let shape = [3, 4, 5];
    let of: Vec<Grid<f32, 3>> = (0..19).map(|k| Grid::from_fn(shape, |i| (i * (k + 1)) as f32)).collect();
    let on: Vec<Buffer<f32, 3>> = of.iter().map(|grid| on(device, grid)).collect();
    let [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] = &on[..] else {
        unreachable!()
    };
    let mut sum = device.grid_zeros(shape).unwrap();
    k::many(stream, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, &mut sum)
        .unwrap();
    assert_eq!(sum.to_vec().unwrap(), (0..60).map(|i| (i * 190) as f32).collect::<Vec<_>>());
}

pub fn rows_with_bins_from_data(device: &Device, stream: &Stream) {
    let values = ints::<u32, 2>([30, 50]);
    let mut counts = device.grid_zeros([30, 5]).unwrap();
    k::counts(stream, &on(device, &values), &mut counts).unwrap();
    let mut expected = vec![0; 150];
    for y in 0..30 {
        (0..50).for_each(|x| expected[5 * y + k::bin_of(values[[y, x]])] += 1);
        expected[5 * y + 4] = expected[5 * y] + values[[y, 0]] % 2;
    }
    assert_eq!(counts.to_vec().unwrap(), expected);
}
