//! Cooperating threads: tiles in shared memory, sums, scans, and a sort, compared with hand-written
//! code.

use anabranch::algorithms::{self, Order, sort_scratch, sort_with_scratch};
use anabranch_tests::kernels::benchmarks as k;
use anabranch_tests::kernels::blocks::tiled_product;
use anabranch_tests::kernels::reductions::dot;

use crate::Bench;
use crate::clock::Result;
use crate::peer::{PEER, Peer, ROW, TILE, noise};
use crate::raw::Argument::*;

pub(crate) const TILES: &str = include_str!("cuda/tiles.cu");
pub(crate) const REDUCTIONS: &str = include_str!("cuda/reductions.cu");
pub(crate) const SCAN: &str = include_str!("cuda/scan.cu");

/// The elements per block of the scan, and of the sort.
const SCANNED: usize = 4096;
const SORTED: usize = 2048;

/// The source of the sort, including the scan of its counts.
pub(crate) fn radix() -> String {
    [SCAN, include_str!("cuda/radix.cu")].concat()
}

/// Tiles in shared memory.
pub(crate) fn tiles(bench: &mut Bench) -> Result<()> {
    bench.report.section("tiles in shared memory");
    let (device, stream) = (bench.device.clone(), bench.stream.clone());

    let side = bench.size(2048, 64);
    let (a, b, empty) = (noise(side * side, 4), noise(side * side, 5), vec![0.0; side * side]);
    let rate = (2.0 * (side * side * side) as f64, "Gflop/s");
    let (da, db) = (device.buffer_from(&a)?, device.buffer_from(&b)?);
    let mut c = device.zeros::<f32>(side * side)?;
    let peer = Peer::new(bench, TILES, [&empty, &a, &b], |[c, a, b]| {
        vec![("matmul_16", [side; 2], [16, 16], vec![Memory(c), Memory(a), Memory(b), I32(side)])]
    })?;
    tiled_product(&stream, &mut c, &da, &db, side)?;
    bench.check("matmul by tiles of 16", &c, peer.as_ref(), 0, 1e-5)?;
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("matmul by tiles of 16", rate, raw, || tiled_product(&stream, &mut c, &da, &db, side))?;
    drop((peer, c, da, db));

    let [da, db] = [&a, &b].map(|data| device.grid_from(data, [side, side]));
    let (da, db, mut c) = (da?, db?, device.grid_zeros::<f32, 2>([side, side])?);
    let peer = Peer::new(bench, TILES, [&empty, &a, &b], |[c, a, b]| {
        // Blocks of 16 x 8 for tiles of 64 x 64.
        vec![("matmul_64", [side / 4, side / 8], [16, 8], vec![Memory(c), Memory(a), Memory(b), I32(side)])]
    })?;
    algorithms::matmul(&stream, &da, &db, &mut c)?;
    bench.check("matmul by tiles of 64", &c, peer.as_ref(), 0, 1e-5)?;
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("matmul by tiles of 64", rate, raw, || algorithms::matmul(&stream, &da, &db, &mut c))?;
    drop((peer, c, da, db, a, b, empty));

    // Four times the cache.
    let side = bench.size(bench.cache.isqrt() / 32 * 32, 64);
    let (plane, empty) = (noise(side * side, 3), vec![0.0; side * side]);
    let rate = (8.0 * (side * side) as f64, "GB/s");
    let (from, mut to) = (device.grid_from(&plane, [side, side])?, device.grid_zeros::<f32, 2>([side, side])?);
    let peer = Peer::new(bench, TILES, [&empty, &plane], |[to, from]| {
        // Blocks of 32 x 8 for tiles of 32 x 32.
        vec![("transpose", [side, side / 4], TILE, vec![Memory(to), Memory(from), I32(side)])]
    })?;
    algorithms::transpose(&stream, &from, &mut to)?;
    bench.check("transpose", &to, peer.as_ref(), 0, 0.0)?;
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("transpose", rate, raw, || algorithms::transpose(&stream, &from, &mut to))?;
    drop((peer, from, to));

    let (from, mut to) = (device.buffer_from(&plane)?, device.zeros::<f32>(side * side)?);
    let peer = Peer::new(bench, TILES, [&empty, &plane], |[to, from]| {
        let tiles = (side - 2).div_ceil(32);
        vec![("mean_3x3", [32 * tiles, 8 * tiles], TILE, vec![Memory(to), Memory(from), I32(side), I32(side)])]
    })?;
    k::mean_by_tiles(&stream, &mut to, &from, side, side)?;
    bench.check("stencil of 9 points", &to, peer.as_ref(), 0, 1e-6)?;
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("stencil of 9 points", rate, raw, || k::mean_by_tiles(&stream, &mut to, &from, side, side))
}

/// Sums of all elements, and prefix sums.
pub(crate) fn reductions(bench: &mut Bench) -> Result<()> {
    bench.report.section("sums and scans");
    let n = bench.size(bench.cache, 3 * SCANNED);
    let (device, stream) = (bench.device.clone(), bench.stream.clone());
    // Several blocks per multiprocessor.
    let blocks = bench.size(1024, 2);
    let (x, y, parts, empty) = (noise(n, 1), noise(n, 2), vec![0.0; blocks], vec![0.0]);
    let (dx, dy, mut total) = (device.buffer_from(&x)?, device.buffer_from(&y)?, device.zeros::<f32>(1)?);

    let peer = Peer::new(bench, REDUCTIONS, [&empty, &parts, &x], |[total, parts, x]| {
        let of_blocks = ("sum_of_blocks", [256 * blocks, 1], ROW, vec![Memory(parts), Memory(x), I32(n)]);
        vec![of_blocks, ("sum_of_parts", [256, 1], ROW, vec![Memory(total), Memory(parts), I32(blocks)])]
    })?;
    k::total(&stream, &mut total, &dx)?;
    bench.check("sum", &total, peer.as_ref(), 0, 1e-5)?;
    let rate = (4.0 * n as f64, "GB/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("sum", rate, raw, || k::total(&stream, &mut total, &dx))?;
    drop(peer);

    let peer = Peer::new(bench, REDUCTIONS, [&empty, &parts, &x, &y], |[total, parts, x, y]| {
        let of_blocks = ("dot_of_blocks", [256 * blocks, 1], ROW, vec![Memory(parts), Memory(x), Memory(y), I32(n)]);
        vec![of_blocks, ("sum_of_parts", [256, 1], ROW, vec![Memory(total), Memory(parts), I32(blocks)])]
    })?;
    dot(&stream, &dx, &dy, &mut total, 0)?;
    bench.check("dot product", &total, peer.as_ref(), 0, 1e-5)?;
    let rate = (8.0 * n as f64, "GB/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("dot product", rate, raw, || dot(&stream, &dx, &dy, &mut total, 0))?;
    drop((peer, dx, dy, x, y));

    let n = n / SCANNED * SCANNED;
    let numbers: Vec<u32> = whole_numbers(n);
    let (empty, sums) = (vec![0; n], vec![0; n / SCANNED]);
    let (dx, mut out) = (device.buffer_from(&numbers)?, device.zeros::<u32>(n)?);
    let peer = Peer::new(bench, SCAN, [&empty, &sums, &numbers], |[out, sums, x]| {
        let tiles = [n / SCANNED * 256, 1];
        vec![
            ("sum_of_tiles", tiles, ROW, vec![Memory(sums), Memory(x)]),
            ("scan_sums", [1024, 1], [1024, 1], vec![Memory(sums), I32(n / SCANNED)]),
            ("scan_tiles", tiles, ROW, vec![Memory(out), Memory(x), Memory(sums)]),
        ]
    })?;
    k::sums_up_to(&stream, &mut out, &dx)?;
    bench.check_exactly("scan", &out, peer.as_ref(), 0)?;
    let rate = (8.0 * n as f64, "GB/s");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("scan", rate, raw, || k::sums_up_to(&stream, &mut out, &dx))
}

/// A radix sort. The cost of its passes does not depend on the keys.
pub(crate) fn sorting(bench: &mut Bench) -> Result<()> {
    bench.report.section("a radix sort");
    let n = bench.size(1 << 24, 3 * SORTED);
    let (device, stream) = (bench.device.clone(), bench.stream.clone());
    let numbers = whole_numbers(n);
    let tiles = n / SORTED;
    // Zeros at the end do not change the sums.
    let scanned = (16 * tiles).div_ceil(SCANNED);
    let (counts, sums) = (vec![0; scanned * SCANNED], vec![0; scanned]);
    let peer = Peer::new(bench, &radix(), [&numbers, &numbers, &counts, &counts, &sums], |memory| {
        let [keys, spare, counts, up_to, sums] = memory.map(Memory);
        let pass = |pass: usize| {
            let (from, to) = if pass.is_multiple_of(2) { (keys, spare) } else { (spare, keys) };
            let shift = I32(4 * pass);
            [
                ("count_digits", [256 * tiles, 1], ROW, vec![counts, from, shift]),
                ("sum_of_tiles", [256 * scanned, 1], ROW, vec![sums, counts]),
                ("scan_sums", [1024, 1], [1024, 1], vec![sums, I32(scanned)]),
                ("scan_tiles", [256 * scanned, 1], ROW, vec![up_to, counts, sums]),
                ("move_keys", [256 * tiles, 1], ROW, vec![to, from, up_to, counts, shift]),
            ]
        };
        (0..8).flat_map(pass).collect()
    })?;
    let (mut keys, mut spare) = (device.buffer_from(&numbers)?, device.zeros::<u32>(n)?);
    let mut scratch = device.zeros::<u32>(sort_scratch(n))?;
    sort_with_scratch(&stream, &mut keys, Order::Ascending, &mut spare, &mut scratch)?;
    bench.check_exactly("sort", &keys, peer.as_ref(), 0)?;
    // From the second run on, both sort sorted keys.
    let rate = (8.0 * n as f64, "G keys/s in passes");
    let raw = peer.as_ref().map(|peer| (PEER, peer));
    bench.job("8 passes of a radix sort", rate, raw, || {
        sort_with_scratch(&stream, &mut keys, Order::Ascending, &mut spare, &mut scratch)
    })
}

/// Pseudorandom numbers.
fn whole_numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i % 7)).collect()
}
