//! A formula for each element, and a sparse matrix.

use anabranch::prelude::*;
use rayon::prelude::*;

use super::noise;
use crate::families::Family;
use crate::kernels::spmv::spmv;
use crate::kernels::{black_scholes, call};
use crate::measure::{Bench, Failure};

pub(super) fn run(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    calls(bench, stream)?;
    sparse(bench, stream)
}

fn calls(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, n) = (stream.device(), 1 << 20);
    let x = noise(3 * n);
    let prices: Vec<f32> = x[..n].iter().map(|x| 50.0 + 100.0 * x).collect();
    let strikes: Vec<f32> = x[n..2 * n].iter().map(|x| 50.0 + 100.0 * x).collect();
    let years: Vec<f32> = x[2 * n..].iter().map(|x| 0.1 + 2.0 * x).collect();
    let mut by_hand = vec![0.0f32; n];
    let [p, s, y] = [device.buffer_from(&prices)?, device.buffer_from(&strikes)?, device.buffer_from(&years)?];
    let mut calls = device.zeros::<f32>(n)?;
    let kernel = &mut || black_scholes(stream, &mut calls, &p, &s, &y);
    let job = ("Black-Scholes, 1M calls", &*format!("calls {n}"));
    bench.with_peers(Family::Formulas, job, stream, kernel, &mut || {
        by_hand.par_iter_mut().enumerate().for_each(|(i, out)| *out = call(prices[i], strikes[i], years[i]));
    })?;
    bench.same(&calls.to_vec()?, &by_hand)
}

/// Rows of 1 to 31 elements, in pseudorandom columns.
fn sparse(bench: &mut Bench, stream: &Stream) -> Result<(), Failure> {
    let (device, rows) = (stream.device(), 1 << 18);
    let mut starts = vec![0u32];
    for row in 0..rows as u32 {
        starts.push(starts[row as usize] + 1 + row.wrapping_mul(2_654_435_761) % 31);
    }
    let count = starts[rows];
    let columns: Vec<u32> = (0..count).map(|i| (i.wrapping_mul(2_246_822_519) >> 4) % rows as u32).collect();
    let (values, x, mut by_hand) = (noise(count as usize), noise(rows), vec![0.0f32; rows]);
    let (dstarts, dcolumns) = (device.buffer_from(&starts)?, device.buffer_from(&columns)?);
    let (dvalues, dx) = (device.buffer_from(&values)?, device.buffer_from(&x)?);
    let mut y = device.zeros::<f32>(rows)?;
    let kernel = &mut || spmv(stream, &dstarts, &dcolumns, &dvalues, &dx, &mut y);
    let job = ("sparse matrix, 256k rows", &*format!("spmv {rows}"));
    bench.with_peers(Family::Formulas, job, stream, kernel, &mut || {
        by_hand.par_iter_mut().enumerate().for_each(|(row, out)| {
            let range = starts[row] as usize..starts[row + 1] as usize;
            *out = 0.0;
            for (value, column) in values[range.clone()].iter().zip(&columns[range]) {
                *out += value * x[*column as usize];
            }
        });
    })?;
    bench.same(&y.to_vec()?, &by_hand)
}
