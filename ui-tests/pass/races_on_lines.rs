//! Loops over one range that look like races and are none: what `races/` refuses, done right.
use anabranch::prelude::*;

/// A mirror image into another slice.
#[kernel]
fn reversed(x: &[f32], y: &mut [f32]) {
    let n = y.len();
    for i in par(0..n) {
        y[n - 1 - i] = x[i];
    }
}

/// A stencil with a second slice.
#[kernel]
fn stencil(x: &[f32], y: &mut [f32]) {
    for i in par(1..y.len() - 1) {
        y[i] = x[i - 1] + x[i] + x[i + 1];
    }
}

/// A stencil that takes turns with two slices.
#[kernel]
fn ping_pong(x: &mut [f32], y: &mut [f32], rounds: usize) {
    let n = x.len();
    for _ in 0..rounds {
        for i in par(1..n - 1) {
            y[i] = x[i - 1] + x[i + 1];
        }
        for i in par(1..n - 1) {
            x[i] = y[i];
        }
    }
}

/// Each iteration reads and writes its own element, several times.
#[kernel]
fn own_element(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] += 1.0;
        let t = x[i];
        x[i] = t * x[i];
    }
}

/// Pairs: a swap of two neighbours.
#[kernel]
fn swapped_pairs(x: &mut [f32]) {
    for i in par(0..x.len() / 2) {
        (x[2 * i], x[2 * i + 1]) = (x[2 * i + 1], x[2 * i]);
    }
}

/// Sorting by odd and even pairs.
#[kernel]
fn odd_even_sort(x: &mut [f32]) {
    let n = x.len();
    for round in 0..n {
        let first = round % 2;
        for i in par(0..(n - first) / 2) {
            if x[2 * i + first] > x[2 * i + first + 1] {
                let t = x[2 * i + first];
                x[2 * i + first] = x[2 * i + first + 1];
                x[2 * i + first + 1] = t;
            }
        }
    }
}

/// The lower half adds the upper half, round by round.
#[kernel]
fn tree_reduction(x: &mut [f32]) {
    let mut half = x.len() / 2;
    while half > 0 {
        for i in par(0..half) {
            x[i] += x[i + half];
        }
        half /= 2;
    }
}

/// The same with a guard instead of a shorter loop.
#[kernel]
fn guarded_reduction(x: &mut [f32], half: usize) {
    for i in par(0..x.len()) {
        if i < half {
            x[i] += x[i + half];
        }
    }
}

/// The scan of Hillis and Steele, with two slices.
#[kernel]
fn scan(x: &mut [f32], y: &mut [f32]) {
    let n = x.len();
    let mut distance = 1;
    while distance < n {
        for i in par(0..n) {
            y[i] = if i >= distance { x[i] + x[i - distance] } else { x[i] };
        }
        for i in par(0..n) {
            x[i] = y[i];
        }
        distance *= 2;
    }
}

/// One iteration sums.
#[kernel]
fn sum_by_one(x: &[f32], sum: &mut [f32]) {
    for _ in par(0..1) {
        for i in 0..x.len() {
            sum[0] += x[i];
        }
    }
}

/// Each iteration sums a part.
#[kernel]
fn sums_of_parts(x: &[f32], parts: &mut [f32], width: usize) {
    for k in par(0..parts.len()) {
        for i in k * width..(k + 1) * width {
            parts[k] += x[i];
        }
    }
}

/// Bins that look for their own: a histogram without atomics.
#[kernel]
fn histogram(x: &[u8], bins: &mut [u32]) {
    for bin in par(0..bins.len()) {
        for i in 0..x.len() {
            if x[i] as usize == bin {
                bins[bin] += 1;
            }
        }
    }
}

/// Cells gather from the edges at their sides.
#[kernel]
fn fluxes(flux: &[f32], cell: &mut [f32]) {
    for i in par(0..cell.len()) {
        cell[i] += flux[i] - flux[i + 1];
    }
}

/// A convolution that gathers.
#[kernel]
fn convolution(x: &[f32], weights: &[f32], y: &mut [f32]) {
    for i in par(0..y.len()) {
        for k in 0..weights.len() {
            y[i] += weights[k] * x[i + k];
        }
    }
}

/// Three channels, three apart.
#[kernel]
fn channels(x: &mut [f32]) {
    for i in par(0..x.len() / 3) {
        for channel in 0..3 {
            x[3 * i + channel] += (10 * channel) as f32;
        }
    }
}

/// One iteration writes the element that all would.
#[kernel]
fn first_only(x: &mut [f32], y: &[f32]) {
    for i in par(0..y.len()) {
        if i == 0 {
            x[0] = y[i];
        }
    }
}

/// A permutation that gathers.
#[kernel]
fn gathered(x: &[f32], from: &[usize], y: &mut [f32]) {
    for i in par(0..y.len()) {
        y[i] = x[from[i]];
    }
}

/// A block of its own for each iteration.
#[kernel]
fn blocks(x: &mut [f32]) {
    for block in par(0..x.len() / 4) {
        for k in 1..4 {
            x[4 * block + k] += x[4 * block + k - 1];
        }
    }
}

/// Bodies move by forces that were computed before.
#[kernel]
fn bodies(at: &mut [f32], force: &mut [f32]) {
    let n = at.len();
    for i in par(0..n) {
        force[i] = 0.0;
        for j in 0..n {
            force[i] += at[j] - at[i];
        }
    }
    for i in par(0..n) {
        at[i] += 0.5 * force[i];
    }
}

#[device]
fn running_sum(x: &mut [f32]) {
    for k in 1..x.len() {
        x[k] += x[k - 1];
    }
}

/// A device function gets the part that the iteration owns.
#[kernel]
fn running_sums(x: &mut [f32]) {
    for i in par(0..x.len() / 4) {
        running_sum(&mut x[4 * i..4 * i + 4]);
    }
}

/// Parts of different slices by a split: the upper half reads the lower one.
#[kernel]
fn upper_from_lower(x: &mut [f32]) {
    let (lo, hi) = x.split_at_mut(x.len() / 2);
    for i in par(0..hi.len()) {
        hi[i] += lo[hi.len() - 1 - i];
    }
}

/// An index with an offset that the host knows.
#[kernel]
fn shifted(x: &[f32], y: &mut [f32], by: usize) {
    for i in par(0..x.len()) {
        y[i + by] = x[i];
    }
}

fn check(name: &str, got: Vec<f32>, expected: &[f32]) {
    assert_eq!(got, expected, "{name}");
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let line = [1.0f32, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    let x = device.buffer_from(&line)?;
    let zeros = || device.zeros::<f32>(8);
    let line_again = || device.buffer_from(&line);

    let mut y = zeros()?;
    reversed(&stream, &x, &mut y)?;
    check("reversed", y.to_vec()?, &[128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0]);

    let mut y = zeros()?;
    stencil(&stream, &x, &mut y)?;
    check("stencil", y.to_vec()?, &[0.0, 7.0, 14.0, 28.0, 56.0, 112.0, 224.0, 0.0]);

    let (mut a, mut b) = (line_again()?, zeros()?);
    ping_pong(&stream, &mut a, &mut b, 2)?;
    check("ping_pong", a.to_vec()?, &[1.0, 11.0, 25.0, 50.0, 100.0, 200.0, 208.0, 128.0]);

    let mut a = line_again()?;
    own_element(&stream, &mut a)?;
    check("own_element", a.to_vec()?, &line.map(|v| (v + 1.0) * (v + 1.0)));

    let mut a = line_again()?;
    swapped_pairs(&stream, &mut a)?;
    check("swapped_pairs", a.to_vec()?, &[2.0, 1.0, 8.0, 4.0, 32.0, 16.0, 128.0, 64.0]);

    let mut a = device.buffer_from(&[5.0f32, 3.0, 9.0, 1.0, 7.0, 2.0, 8.0])?;
    odd_even_sort(&stream, &mut a)?;
    check("odd_even_sort", a.to_vec()?, &[1.0, 2.0, 3.0, 5.0, 7.0, 8.0, 9.0]);

    let mut a = line_again()?;
    tree_reduction(&stream, &mut a)?;
    check("tree_reduction", a.to_vec()?[..1].to_vec(), &[255.0]);

    let mut a = line_again()?;
    guarded_reduction(&stream, &mut a, 4)?;
    check("guarded_reduction", a.to_vec()?, &[17.0, 34.0, 68.0, 136.0, 16.0, 32.0, 64.0, 128.0]);

    let (mut a, mut b) = (line_again()?, zeros()?);
    scan(&stream, &mut a, &mut b)?;
    check("scan", a.to_vec()?, &[1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0, 255.0]);

    let mut sum = device.zeros::<f32>(1)?;
    sum_by_one(&stream, &x, &mut sum)?;
    check("sum_by_one", sum.to_vec()?, &[255.0]);

    let mut parts = device.zeros::<f32>(4)?;
    sums_of_parts(&stream, &x, &mut parts, 2)?;
    check("sums_of_parts", parts.to_vec()?, &[3.0, 12.0, 48.0, 192.0]);

    let (shades, mut bins) = (device.buffer_from(&[1u8, 3, 1, 0, 3, 3])?, device.zeros::<u32>(4)?);
    histogram(&stream, &shades, &mut bins)?;
    assert_eq!(bins.to_vec()?, [1, 2, 0, 3], "histogram");

    let mut cells = device.zeros::<f32>(7)?;
    fluxes(&stream, &x, &mut cells)?;
    check("fluxes", cells.to_vec()?, &[-1.0, -2.0, -4.0, -8.0, -16.0, -32.0, -64.0]);

    let (weights, mut y) = (device.buffer_from(&[1.0f32, 10.0])?, device.zeros::<f32>(7)?);
    convolution(&stream, &x, &weights, &mut y)?;
    check("convolution", y.to_vec()?, &[21.0, 42.0, 84.0, 168.0, 336.0, 672.0, 1344.0]);

    let mut a = device.zeros::<f32>(6)?;
    channels(&stream, &mut a)?;
    check("channels", a.to_vec()?, &[0.0, 10.0, 20.0, 0.0, 10.0, 20.0]);

    let mut one = device.zeros::<f32>(1)?;
    first_only(&stream, &mut one, &x)?;
    check("first_only", one.to_vec()?, &[1.0]);

    let (from, mut y) = (device.buffer_from(&[3usize, 3, 0])?, device.zeros::<f32>(3)?);
    gathered(&stream, &x, &from, &mut y)?;
    check("gathered", y.to_vec()?, &[8.0, 8.0, 1.0]);

    let mut a = line_again()?;
    blocks(&stream, &mut a)?;
    check("blocks", a.to_vec()?, &[1.0, 3.0, 7.0, 15.0, 16.0, 48.0, 112.0, 240.0]);

    let (mut at, mut force) = (device.buffer_from(&[0.0f32, 2.0])?, device.zeros::<f32>(2)?);
    bodies(&stream, &mut at, &mut force)?;
    check("bodies", at.to_vec()?, &[1.0, 1.0]);

    let mut a = line_again()?;
    running_sums(&stream, &mut a)?;
    check("running_sums", a.to_vec()?, &[1.0, 3.0, 7.0, 15.0, 16.0, 48.0, 112.0, 240.0]);

    let mut a = line_again()?;
    upper_from_lower(&stream, &mut a)?;
    check("upper_from_lower", a.to_vec()?, &[1.0, 2.0, 4.0, 8.0, 24.0, 36.0, 66.0, 129.0]);

    let mut y = device.zeros::<f32>(10)?;
    shifted(&stream, &x, &mut y, 2)?;
    check("shifted", y.to_vec()?, &[0.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
    Ok(())
}
