//! A step of k-means.

use anabranch::prelude::*;

/// The square of the distance of two points.
#[device]
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for d in 0..a.len() {
        let difference = a[d] - b[d];
        sum += difference * difference;
    }
    sum
}

/// Assigns every point its nearest centre, then moves each centre to the mean of its points. The
/// points are cut into parts of equal length, `losses.len()` of them; for each part and centre one
/// thread sums, so that no two threads write one sum. A centre without points stays where it is.
/// `losses` gets the sum of the squared distances of each part.
#[kernel]
pub fn kmeans<const D: usize>(
    points: &[f32],
    centres: &mut [f32],
    labels: &mut [u32],
    distances: &mut [f32],
    sums: &mut [f32],
    counts: &mut [u32],
    losses: &mut [f32],
) {
    let n = points.len() / D;
    let k = centres.len() / D;
    let parts = losses.len();
    let part_len = n.div_ceil(parts);
    for i in par(0..n) {
        let mut nearest = (f32::INFINITY, 0);
        for c in 0..k {
            let d = distance(&points[i * D..(i + 1) * D], &centres[c * D..(c + 1) * D]);
            if d < nearest.0 {
                nearest = (d, c);
            }
        }
        distances[i] = nearest.0;
        labels[i] = nearest.1 as u32;
    }
    stream_parallel! {
        'centres: {
            for (part, c) in par((0..parts, 0..k)) {
                let mut sum = [0.0; D];
                let mut count = 0;
                for i in part * part_len..n.min((part + 1) * part_len) {
                    if labels[i] == c as u32 {
                        count += 1;
                        for d in 0..D {
                            sum[d] += points[i * D + d];
                        }
                    }
                }
                for d in 0..D {
                    sums[(part * k + c) * D + d] = sum[d];
                }
                counts[part * k + c] = count;
            }
            for c in par(0..k) {
                let mut sum = [0.0; D];
                let mut count = 0;
                for part in 0..parts {
                    count += counts[part * k + c];
                    for d in 0..D {
                        sum[d] += sums[(part * k + c) * D + d];
                    }
                }
                if count > 0 {
                    for d in 0..D {
                        centres[c * D + d] = sum[d] / count as f32;
                    }
                }
            }
        }
        'losses: {
            for part in par(0..parts) {
                let mut sum = 0.0;
                for i in part * part_len..n.min((part + 1) * part_len) {
                    sum += distances[i];
                }
                losses[part] = sum;
            }
        }
    }
}
