//! Loops over blocks of threads: phases, shared arrays, values of each thread.

use anabranch::prelude::*;

/// A product of square matrices, by tiles.
#[kernel]
pub fn product(c: &mut [f32], a: &[f32], b: &[f32], n: usize) {
    for block in par_blocks((0..n / 16, 0..n / 16)).threads((16, 16)) {
        let (by, bx) = block.index();
        let mut ta = block.shared([[0.0; 16]; 16]);
        let mut tb = block.shared([[0.0; 16]; 16]);
        let mut sum = block.each(0.0);
        for k in 0..n / 16 {
            for (y, x) in block.threads() {
                ta[y][x] = a[(by * 16 + y) * n + k * 16 + x];
                tb[y][x] = b[(k * 16 + y) * n + bx * 16 + x];
            }
            for (y, x) in block.threads() {
                for j in 0..16 {
                    sum += ta[y][j] * tb[j][x];
                }
            }
        }
        for (y, x) in block.threads() {
            c[(by * 16 + y) * n + bx * 16 + x] = sum;
        }
    }
}

/// A transposition by tiles of 32, clipped, with 256 threads.
#[kernel]
pub fn transposed(to: &mut [u32], from: &[u32], h: usize, w: usize) {
    for block in par_blocks((0..h.div_ceil(32), 0..w.div_ceil(32))).threads(256) {
        let (by, bx) = block.index();
        let mut tile = block.shared([[0; 33]; 32]);
        for (y, x) in block.par((0..32, 0..32)) {
            if by * 32 + y < h && bx * 32 + x < w {
                tile[y][x] = from[(by * 32 + y) * w + bx * 32 + x];
            }
        }
        for (x, y) in block.par((0..32, 0..32)) {
            if by * 32 + y < h && bx * 32 + x < w {
                to[(bx * 32 + x) * h + by * 32 + y] = tile[y][x];
            }
        }
    }
}

/// Sums of parts: each thread adds up every 64th element, then one adds up those of all.
#[kernel]
pub fn sums(parts: &mut [i64], x: &[i64], size: usize) {
    for block in par_blocks(0..parts.len()).threads(64) {
        let b = block.index();
        let mut all = block.shared([0; 64]);
        let mut own = block.each(0);
        for i in block.par(b * size..((b + 1) * size).min(x.len())) {
            own += x[i];
        }
        for t in block.threads() {
            all[t] = own;
        }
        let mut sum = 0;
        for t in 0..64 {
            sum += all[t];
        }
        parts[b] = sum;
    }
}

crate::kernels::sources! { product, transposed, sums }
