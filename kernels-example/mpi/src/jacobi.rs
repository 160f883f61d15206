//! Jacobi's method on one strip.

use anabranch::prelude::*;

use crate::halo::exchange;

/// The new value of a point: the mean of its neighbours plus the source.
#[device]
fn relaxed(up: f64, left: f64, right: f64, down: f64, f: f64) -> f64 {
    0.25 * (up + left + right + down + f)
}

/// One sweep from `u` to `next`, both strips of at least three rows of `w` points. `above` and
/// `below` are the rows next to the strip, which neighbours send, or the boundary. The first and
/// the last column are the boundary. The rows of the neighbours are in transit while the interior
/// is computed.
#[kernel]
pub fn sweep(u: &[f64], next: &mut [f64], above: &mut [f64], below: &mut [f64], f: &[f64], w: usize) {
    let n = u.len() / w;
    let (first, rest) = next.split_at_mut(w);
    let (interior, last) = rest.split_at_mut((n - 2) * w);
    stream_parallel! {
        'halo: {
            exchange(&u[..w], &u[(n - 1) * w..], &mut above, &mut below);
            for x in par(1..w - 1) {
                first[x] = relaxed(above[x], u[x - 1], u[x + 1], u[w + x], f[x]);
            }
            for x in par(1..w - 1) {
                let i = (n - 1) * w + x;
                last[x] = relaxed(u[i - w], u[i - 1], u[i + 1], below[x], f[i]);
            }
        }
        'interior: {
            for (y, x) in par((1..n - 1, 1..w - 1)) {
                let i = y * w + x;
                interior[(y - 1) * w + x] = relaxed(u[i - w], u[i - 1], u[i + 1], u[i + w], f[i]);
            }
        }
    }
}

/// Runs two sweeps, so the newest values are in `u` again.
#[kernel]
pub fn sweeps(
    u: &mut [f64],
    next: &mut [f64],
    above: &mut [f64],
    below: &mut [f64],
    f: &[f64],
    w: usize,
    pairs: usize,
) {
    for _ in 0..pairs {
        sweep(&u, &mut next, &mut above, &mut below, &f, w);
        sweep(&next, &mut u, &mut above, &mut below, &f, w);
    }
}
