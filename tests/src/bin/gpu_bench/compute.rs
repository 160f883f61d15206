//! Generated kernels compared with hand-written CUDA C++.

use anabranch_tests::kernels::benchmarks as k;
use anabranch_tests::kernels::ported::nbody::nbody;

use crate::Bench;
use crate::clock::Result;
use crate::peer::{PEER, Peer, ROW, TILE, noise};
use crate::raw::Argument;

pub(crate) const BANDWIDTH: &str = include_str!("cuda/bandwidth.cu");
pub(crate) const ARITHMETIC: &str = include_str!("cuda/arithmetic.cu");

/// Kernels bound by memory, on data several times as large as the last-level cache.
pub(crate) fn bandwidth(bench: &mut Bench) -> Result<()> {
    bench.report.section("kernels bound by memory");
    // Each array has four times the size of the cache.
    let n = bench.size(bench.cache, 1 << 12);
    let side = bench.size(n.isqrt() / 32 * 32, 96);
    let (device, stream) = (bench.device.clone(), bench.stream.clone());

    let (x, y) = (noise(n, 1), noise(n, 2));
    let peer = Peer::new(bench, BANDWIDTH, [&y, &x], |[y, x]| {
        use Argument::*;
        vec![("saxpy", [n, 1], ROW, vec![Memory(y), Memory(x), F32(0.5), I32(n)])]
    })?;
    let (mut dy, dx) = (device.buffer_from(&y)?, device.buffer_from(&x)?);
    drop((x, y));
    k::saxpy(&stream, &mut dy, &dx, 0.5)?;
    bench.check("saxpy", &dy, peer.as_ref(), 0, 1e-6)?;
    let rate = (12.0 * n as f64, "GB/s");
    bench.job("saxpy", rate, peer.as_ref().map(|peer| (PEER, peer)), || k::saxpy(&stream, &mut dy, &dx, 0.5))?;
    drop((peer, dy, dx));

    let plane = noise(side * side, 3);
    let empty = vec![0.0; side * side];
    let peer = Peer::new(bench, BANDWIDTH, [&empty, &plane], |[b, a]| {
        use Argument::*;
        vec![("stencil", [side - 2; 2], TILE, vec![Memory(b), Memory(a), I32(side), I32(side)])]
    })?;
    let (mut out, from) = (device.zeros::<f32>(side * side)?, device.buffer_from(&plane)?);
    k::stencil(&stream, &mut out, &from, side, side)?;
    bench.check("stencil", &out, peer.as_ref(), 0, 1e-6)?;
    let rate = (8.0 * (side * side) as f64, "GB/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("stencil of 5 points", rate, raw, || k::stencil(&stream, &mut out, &from, side, side))?;
    drop(peer);

    let weights: Vec<f32> = (0..13).map(|k| 1.0 / (k as f32 + 13.0)).collect();
    let peer = Peer::new(bench, BANDWIDTH, [&empty, &plane, &weights], |[out, plane, weights]| {
        use Argument::*;
        let arguments = vec![Memory(out), Memory(plane), Memory(weights), I32(13), I32(side), I32(side)];
        vec![("blur", [side; 2], TILE, arguments)]
    })?;
    let weights = device.buffer_from(&weights)?;
    k::blur(&stream, &mut out, &from, &weights, side, side)?;
    bench.check("blur", &out, peer.as_ref(), 0, 1e-6)?;
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("blur of 13 points", rate, raw, || k::blur(&stream, &mut out, &from, &weights, side, side))
}

/// Kernels bound by arithmetic or by the caches.
pub(crate) fn arithmetic(bench: &mut Bench) -> Result<()> {
    bench.report.section("kernels bound by arithmetic");
    let (device, stream) = (bench.device.clone(), bench.stream.clone());

    let side = bench.size(2048, 32);
    let (a, b, empty) = (noise(side * side, 4), noise(side * side, 5), vec![0.0; side * side]);
    let peer = Peer::new(bench, ARITHMETIC, [&empty, &a, &b], |[c, a, b]| {
        use Argument::*;
        let arguments = vec![Memory(c), Memory(a), Memory(b), I32(side), I32(side), I32(side)];
        vec![("matmul", [side; 2], TILE, arguments)]
    })?;
    let (mut c, da, db) = (device.zeros::<f32>(side * side)?, device.buffer_from(&a)?, device.buffer_from(&b)?);
    k::matmul(&stream, &mut c, &da, &db, side, side)?;
    bench.check("matmul", &c, peer.as_ref(), 0, 1e-5)?;
    let rate = (2.0 * (side * side * side) as f64, "Gflop/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("matmul", rate, raw, || k::matmul(&stream, &mut c, &da, &db, side, side))?;
    drop(peer);

    let n = bench.size(32_768, 100);
    let (pos, vel, mass) = (noise(3 * n, 6), vec![0.0; 3 * n], vec![1.0 / n as f32; n]);
    let (softening, dt) = (0.1, 0.01);
    let peer = Peer::new(bench, ARITHMETIC, [&pos, &vel, &mass], |[pos, vel, mass]| {
        use Argument::*;
        let attract = vec![Memory(pos), Memory(vel), Memory(mass), F32(softening), F32(dt), I32(n)];
        let drift = vec![Memory(pos), Memory(vel), F32(dt), I32(3 * n)];
        vec![("attract", [n, 1], ROW, attract), ("drift", [3 * n, 1], ROW, drift)]
    })?;
    let (mut pos, mut vel, mass) = (device.buffer_from(&pos)?, device.buffer_from(&vel)?, device.buffer_from(&mass)?);
    nbody(&stream, &mut pos, &mut vel, &mass, softening, dt, 1)?;
    bench.check("n-body", &vel, peer.as_ref(), 1, 1e-4)?;
    let rate = ((n * n) as f64, "G pairs/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("n-body", rate, raw, || nbody(&stream, &mut pos, &mut vel, &mass, softening, dt, 1))
}
