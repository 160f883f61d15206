//! The mean of a square around each pixel, of the three channels of a picture at the same time.

use anabranch::prelude::*;

/// Where the elements start and end that lie at most `radius` from `at`, of `len`.
#[device]
fn window(at: usize, radius: usize, len: usize) -> (usize, usize) {
    (at.saturating_sub(radius), len.min(at + radius + 1))
}

/// The sum of the elements around pixel `at` in its row.
#[device]
fn sum_in_row(plane: &[u8], width: usize, at: (usize, usize), radius: usize) -> u32 {
    let (start, end) = window(at.1, radius, width);
    let mut sum = 0;
    for x in start..end {
        sum += plane[at.0 * width + x] as u32;
    }
    sum
}

/// The mean around pixel `at`, rounded, from the sums in rows. At the borders it is the mean of the
/// pixels that exist.
#[device]
fn mean(row_sums: &[u32], width: usize, at: (usize, usize), radius: usize) -> u8 {
    let (left, right) = window(at.1, radius, width);
    let (top, bottom) = window(at.0, radius, row_sums.len() / width);
    let mut sum = 0;
    for y in top..bottom {
        sum += row_sums[y * width + at.1];
    }
    let count = ((right - left) * (bottom - top)) as u32;
    ((sum + count / 2) / count) as u8
}

/// Filters a picture of three planes in place, which lie one after the other in `planes`; `scratch`
/// is as long.
#[kernel]
pub fn box_filter(planes: &mut [u8], scratch: &mut [u32], width: usize, radius: usize) {
    let plane = planes.len() / 3;
    let height = plane / width;
    let (red, rest) = planes.split_at_mut(plane);
    let (green, blue) = rest.split_at_mut(plane);
    let (red_sums, rest) = scratch.split_at_mut(plane);
    let (green_sums, blue_sums) = rest.split_at_mut(plane);
    stream_parallel! {
        'red: {
            for (y, x) in par((0..height, 0..width)) {
                red_sums[y * width + x] = sum_in_row(&red, width, (y, x), radius);
            }
            for (y, x) in par((0..height, 0..width)) {
                red[y * width + x] = mean(&red_sums, width, (y, x), radius);
            }
        }
        'green: {
            for (y, x) in par((0..height, 0..width)) {
                green_sums[y * width + x] = sum_in_row(&green, width, (y, x), radius);
            }
            for (y, x) in par((0..height, 0..width)) {
                green[y * width + x] = mean(&green_sums, width, (y, x), radius);
            }
        }
        'blue: {
            for (y, x) in par((0..height, 0..width)) {
                blue_sums[y * width + x] = sum_in_row(&blue, width, (y, x), radius);
            }
            for (y, x) in par((0..height, 0..width)) {
                blue[y * width + x] = mean(&blue_sums, width, (y, x), radius);
            }
        }
    }
}
