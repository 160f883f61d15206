//! Conjugate gradients for Poisson's equation.

use anabranch::prelude::*;

/// Steps for `A u = f`, where `A` is the five-point formula with zeros around. `r` is the residual,
/// `p` the direction, and `rr` is `r · r`. Sums go row by row, and then over the rows.
#[kernel]
pub fn steps(
    u: &mut Grid<f64, 2>,
    r: &mut Grid<f64, 2>,
    p: &mut Grid<f64, 2>,
    ap: &mut Grid<f64, 2>,
    row_sums: &mut [f64],
    rr: &mut [f64],
    factor: &mut [f64],
    count: usize,
) {
    let [rows, columns] = u.shape();
    for _ in 0..count {
        for y in par(1..rows - 1) {
            let mut sum = 0.0;
            for x in 1..columns - 1 {
                let near = p[[y - 1, x]] + p[[y, x - 1]] + p[[y, x + 1]] + p[[y + 1, x]];
                let here = 4.0 * p[[y, x]] - near;
                ap[[y, x]] = here;
                sum += p[[y, x]] * here;
            }
            row_sums[y] = sum;
        }
        for i in par(0..1) {
            let sum = row_sums.iter().sum::<f64>();
            factor[i] = if sum > 0.0 { rr[i] / sum } else { 0.0 };
        }
        for y in par(1..rows - 1) {
            let mut sum = 0.0;
            for x in 1..columns - 1 {
                u[[y, x]] += factor[0] * p[[y, x]];
                r[[y, x]] -= factor[0] * ap[[y, x]];
                sum += r[[y, x]] * r[[y, x]];
            }
            row_sums[y] = sum;
        }
        for i in par(0..1) {
            let sum = row_sums.iter().sum::<f64>();
            factor[i] = if rr[i] > 0.0 { sum / rr[i] } else { 0.0 };
            rr[i] = sum;
        }
        for (y, x) in par((1..rows - 1, 1..columns - 1)) {
            p[[y, x]] = r[[y, x]] + factor[0] * p[[y, x]];
        }
    }
}

/// The same by hand, with `rayon`.
#[derive(Debug)]
pub struct ByHand {
    /// The solution.
    pub u: Vec<f64>,
    /// The product of the residual with itself.
    pub rr: f64,
    r: Vec<f64>,
    p: Vec<f64>,
    ap: Vec<f64>,
    row_sums: Vec<f64>,
    side: usize,
}

impl ByHand {
    /// Begins with zeros.
    pub fn new(f: &[f64], side: usize) -> Self {
        let (r, p, zeros) = (f.to_vec(), f.to_vec(), vec![0.0; side * side]);
        Self { u: zeros.clone(), rr: f.iter().map(|f| f * f).sum(), r, p, ap: zeros, row_sums: vec![0.0; side], side }
    }

    /// Does some steps.
    pub fn steps(&mut self, count: usize) {
        use rayon::prelude::*;
        let Self { u, rr, r, p, ap, row_sums, side } = self;
        let side = *side;
        for _ in 0..count {
            let rows = ap.par_chunks_mut(side).zip(row_sums.par_iter_mut()).enumerate().skip(1).take(side - 2);
            rows.for_each(|(y, (ap, sum))| {
                let [up, p, down] = [y - 1, y, y + 1].map(|y| &p[y * side..][..side]);
                let (ap, mut of_row) = (&mut ap[..side], 0.0);
                for x in 1..side - 1 {
                    ap[x] = 4.0 * p[x] - (up[x] + p[x - 1] + p[x + 1] + down[x]);
                    of_row += p[x] * ap[x];
                }
                *sum = of_row;
            });
            let sum = row_sums.iter().sum::<f64>();
            let alpha = if sum > 0.0 { *rr / sum } else { 0.0 };
            let rows =
                u.par_chunks_mut(side).zip(r.par_chunks_mut(side)).zip(p.par_chunks(side)).zip(ap.par_chunks(side));
            rows.zip(row_sums.par_iter_mut()).skip(1).take(side - 2).for_each(|((((u, r), p), ap), sum)| {
                // Of one length, so that the loop needs no checks.
                let (u, r, p, ap) = (&mut u[..side], &mut r[..side], &p[..side], &ap[..side]);
                let mut of_row = 0.0;
                for x in 1..side - 1 {
                    u[x] += alpha * p[x];
                    r[x] -= alpha * ap[x];
                    of_row += r[x] * r[x];
                }
                *sum = of_row;
            });
            let sum = row_sums.iter().sum::<f64>();
            let beta = if *rr > 0.0 { sum / *rr } else { 0.0 };
            *rr = sum;
            p.par_chunks_mut(side).zip(r.par_chunks(side)).skip(1).take(side - 2).for_each(|(p, r)| {
                let (p, r) = (&mut p[..side], &r[..side]);
                for x in 1..side - 1 {
                    p[x] = r[x] + beta * p[x];
                }
            });
        }
    }
}
