//! Groups that look as if they raced and do not.
use anabranch::prelude::*;

/// All groups may read one slice.
#[kernel]
fn both_read(x: &[f32], sum: &mut [f32], product: &mut [f32]) {
    stream_parallel! {
        'sum: {
            for _ in par(0..1) {
                for i in 0..x.len() {
                    sum[0] += x[i];
                }
            }
        }
        'product: {
            for _ in par(0..1) {
                product[0] = 1.0;
                for i in 0..x.len() {
                    product[0] *= x[i];
                }
            }
        }
    }
}

/// Halves by a split.
#[kernel]
fn halves(x: &mut [f32]) {
    let (lo, hi) = x.split_at_mut(x.len() / 2);
    stream_parallel! {
        'lower: {
            for i in par(0..lo.len()) {
                lo[i] = 1.0;
            }
        }
        'upper: {
            for i in par(0..hi.len()) {
                hi[i] = 2.0;
            }
        }
    }
}

/// Quarters by repeated splits, two of them in one group.
#[kernel]
fn quarters(x: &mut [f32]) {
    let n = x.len();
    let (lo, hi) = x.split_at_mut(n / 2);
    let (a, b) = lo.split_at_mut(n / 4);
    let (c, d) = hi.split_at_mut(n / 4);
    stream_parallel! {
        'outer: {
            for i in par(0..n / 4) {
                a[i] = 1.0;
                d[i] = 4.0;
            }
        }
        'second: {
            for i in par(0..n / 4) {
                b[i] = 2.0;
            }
        }
        'third: {
            for i in par(0..n / 4) {
                c[i] = 3.0;
            }
        }
    }
}

/// The cells of one result, each in a group of its own.
#[kernel]
fn cells_of_one_result(x: &[f32], y: &[f32], sums: &mut [f32]) {
    let (of_x, of_y) = sums.split_at_mut(1);
    stream_parallel! {
        'x: {
            for k in par(0..1) {
                for i in 0..x.len() {
                    of_x[k] += x[i];
                }
            }
        }
        'y: {
            for k in par(0..1) {
                for i in 0..y.len() {
                    of_y[k] += y[i];
                }
            }
        }
    }
}

/// What one group writes, another one may read behind the join.
#[kernel]
fn behind_the_join(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) {
                x[i] = 3.0;
            }
        }
        'y: {
            for i in par(0..y.len()) {
                y[i] = 4.0;
            }
        }
    }
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) {
                x[i] += 1.0;
            }
        }
    }
    for i in par(0..y.len()) {
        y[i] += x[i];
    }
}

/// Loops of one group are in order: the second reads what the first wrote.
#[kernel]
fn pipeline_in_one_group(x: &[f32], y: &mut [f32], z: &mut [f32], other: &mut [f32]) {
    stream_parallel! {
        'pipeline: {
            for i in par(0..y.len()) {
                y[i] = 2.0 * x[i];
            }
            for i in par(0..z.len()) {
                z[i] = y[y.len() - 1 - i] + 1.0;
            }
        }
        'other: {
            for i in par(0..other.len()) {
                other[i] = x[i];
            }
        }
    }
}

/// The length of what another group writes.
#[kernel]
fn length_of_the_sibling(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) {
                x[i] = 1.0;
            }
        }
        'y: {
            for i in par(0..y.len()) {
                y[i] = x.len() as f32;
            }
        }
    }
}

/// Groups in a group, of halves.
#[kernel]
fn nested(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'outer: {
            let (lo, hi) = x.split_at_mut(1);
            stream_parallel! {
                'lower: {
                    for i in par(0..1) {
                        lo[i] = 1.0;
                    }
                }
                'upper: {
                    for i in par(0..hi.len()) {
                        hi[i] = 2.0;
                    }
                }
            }
            for i in par(0..x.len()) {
                x[i] += 10.0;
            }
        }
        'sibling: {
            for i in par(0..y.len()) {
                y[i] = 3.0;
            }
        }
    }
}

/// A second name in each group, of different slices.
#[kernel]
fn one_name_for_two(x: &mut [f32], y: &mut [f32]) {
    stream_parallel! {
        'x: {
            let out = x;
            for i in par(0..out.len()) {
                out[i] = 1.0;
            }
        }
        'y: {
            let out = y;
            for i in par(0..out.len()) {
                out[i] = 2.0;
            }
        }
    }
}

/// Halves that change roles from round to round, borrowed anew in each.
#[kernel]
fn rounds(x: &mut [f32], count: usize) {
    for round in 0..count {
        let (lo, hi) = x.split_at_mut(x.len() / 2);
        let (first, second) = if round % 2 == 0 { (lo, hi) } else { (hi, lo) };
        stream_parallel! {
            'first: {
                for i in par(0..first.len()) {
                    first[i] += 1.0;
                }
            }
            'second: {
                for i in par(0..second.len()) {
                    second[i] *= 2.0;
                }
            }
        }
    }
}

#[device]
fn raise(x: &mut f32, by: &f32) {
    *x += *by;
}

/// Device functions that write what their group owns, and read what all may read.
#[kernel]
fn functions(x: &mut [f32], y: &mut [f32], by: &[f32]) {
    stream_parallel! {
        'x: {
            for i in par(0..x.len()) {
                raise(&mut x[i], &by[i]);
            }
        }
        'y: {
            for i in par(0..y.len()) {
                raise(&mut y[i], &by[0]);
            }
        }
    }
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let x = device.buffer_from(&[1.0f32, 2.0, 3.0, 4.0])?;
    let zeros = |n| device.zeros::<f32>(n);

    let (mut a, mut b) = (zeros(1)?, zeros(1)?);
    both_read(&stream, &x, &mut a, &mut b)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![10.0], vec![24.0]));

    let mut a = zeros(4)?;
    halves(&stream, &mut a)?;
    assert_eq!(a.to_vec()?, [1.0, 1.0, 2.0, 2.0]);

    let mut a = zeros(4)?;
    quarters(&stream, &mut a)?;
    assert_eq!(a.to_vec()?, [1.0, 2.0, 3.0, 4.0]);

    let mut a = zeros(2)?;
    cells_of_one_result(&stream, &x, &x, &mut a)?;
    assert_eq!(a.to_vec()?, [10.0, 10.0]);

    let (mut a, mut b) = (zeros(2)?, zeros(2)?);
    behind_the_join(&stream, &mut a, &mut b)?;
    assert_eq!(b.to_vec()?, [8.0, 8.0]);

    let (mut a, mut b, mut c) = (zeros(4)?, zeros(4)?, zeros(4)?);
    pipeline_in_one_group(&stream, &x, &mut a, &mut b, &mut c)?;
    assert_eq!((b.to_vec()?, c.to_vec()?), (vec![9.0, 7.0, 5.0, 3.0], x.to_vec()?));

    let (mut a, mut b) = (zeros(3)?, zeros(2)?);
    length_of_the_sibling(&stream, &mut a, &mut b)?;
    assert_eq!(b.to_vec()?, [3.0, 3.0]);

    let (mut a, mut b) = (zeros(3)?, zeros(1)?);
    nested(&stream, &mut a, &mut b)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![11.0, 12.0, 12.0], vec![3.0]));

    let (mut a, mut b) = (zeros(1)?, zeros(1)?);
    one_name_for_two(&stream, &mut a, &mut b)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![1.0], vec![2.0]));

    let mut a = device.buffer_from(&[1.0f32, 1.0])?;
    rounds(&stream, &mut a, 2)?;
    assert_eq!(a.to_vec()?, [4.0, 3.0]);

    let (mut a, mut b) = (zeros(4)?, zeros(2)?);
    functions(&stream, &mut a, &mut b, &x)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (x.to_vec()?, vec![1.0, 1.0]));
    Ok(())
}
