//! Loops of well-known programs, as they are written there. All but two are accepted as they stand.

use anabranch::prelude::*;

super::both! {
    use { }

    // Fourier transforms after Stockham: a pass of radix 2 (Bainville, "OpenCL Fast Fourier
    // Transform").
    [kernel] { pub fn stockham(y: &mut [f32], x: &[f32], p: usize) {
        let half = x.len() / 2;
        for i in par(0..half) {
            let k = i % p;
            let j = (i - k) * 2 + k;
            let (a, b) = (x[i], x[i + half]);
            y[j] = a + b;
            y[j + p] = a - b;
        }
    } }
    // An anti-diagonal of a table (Needleman and Wunsch, in Rodinia).
    [kernel] { pub fn anti_diagonal(score: &mut [i32], reference: &[i32], w: usize, d: usize, penalty: i32) {
        for i in par(1..d) {
            let (y, x) = (i, d - i);
            let up = score[(y - 1) * w + x] - penalty;
            let left = score[y * w + x - 1] - penalty;
            let both = score[(y - 1) * w + x - 1] + reference[y * w + x];
            score[y * w + x] = up.max(left).max(both);
        }
    } }
    // Heat on a chip, with clamped neighbours (HotSpot, in Rodinia).
    [kernel] { pub fn hot_spot(out: &mut [f32], temp: &[f32], power: &[f32], rows: usize, cols: usize) {
        for (r, c) in par((0..rows, 0..cols)) {
            let (n, s) = (r.saturating_sub(1), (r + 1).min(rows - 1));
            let (w, e) = (c.saturating_sub(1), (c + 1).min(cols - 1));
            let at = temp[r * cols + c];
            let sum = temp[n * cols + c] + temp[s * cols + c] + temp[r * cols + w] + temp[r * cols + e];
            out[r * cols + c] = at + 0.125 * (power[r * cols + c] + sum - 4.0 * at);
        }
    } }
    // A column of a Cholesky decomposition: what is below the diagonal.
    [kernel] { pub fn cholesky_column(a: &mut [f32], n: usize, k: usize) {
        for i in par(k + 1..n) {
            a[i * n + k] /= a[k * n + k];
        }
        for i in par(k + 1..n) {
            for j in k + 1..i + 1 {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
    } }
    // A sparse matrix in the format ELLPACK: a column of entries after the other.
    [kernel] { pub fn ellpack(y: &mut [f32], vals: &[f32], cols: &[u32], x: &[f32], rows: usize, width: usize) {
        for r in par(0..rows) {
            let mut sum = 0.0;
            for k in 0..width {
                sum += vals[k * rows + r] * x[cols[k * rows + r] as usize];
            }
            y[r] = sum;
        }
    } }
    // A batch of small matrix products.
    [kernel] { pub fn batched(c: &mut [f32], a: &[f32], b: &[f32], size: (usize, usize, usize)) {
        let (m, k, n) = size;
        for (batch, i, j) in par((0..c.len() / (m * n), 0..m, 0..n)) {
            let mut sum = 0.0;
            for l in 0..k {
                sum += a[(batch * m + i) * k + l] * b[(batch * k + l) * n + j];
            }
            c[(batch * m + i) * n + j] = sum;
        }
    } }
    // Windows of an image as columns of a matrix, with a running place (`im2col`, in Caffe).
    [kernel] { pub fn windows_to_columns(cols: &mut [f32], image: &[f32], h: usize, w: usize, k: usize) {
        let (rows, columns) = (h - k + 1, w - k + 1);
        for (y, x) in par((0..rows, 0..columns)) {
            for dy in 0..k {
                let mut at = (dy * k * rows + y) * columns + x;
                for dx in 0..k {
                    cols[at] = image[(y + dy) * w + x + dx];
                    at += rows * columns;
                }
            }
        }
    } }
    // The greatest of each window, over a flat index that is taken apart (in Caffe).
    [kernel] { pub fn max_pooling(top: &mut [f32], bottom: &[f32], w: usize, h: usize) {
        let (pw, ph) = (w / 2, h / 2);
        for i in par(0..top.len()) {
            let (x, y, c) = (i % pw, (i / pw) % ph, i / pw / ph);
            let start = (c * h + 2 * y) * w + 2 * x;
            top[i] = bottom[start].max(bottom[start + 1]).max(bottom[start + w]).max(bottom[start + w + 1]);
        }
    } }
    // From planes to pixels of channels: flat index in, place out.
    [kernel] { pub fn planes_to_pixels(out: &mut [f32], x: &[f32], c: usize, h: usize, w: usize) {
        for i in par(0..x.len()) {
            let (column, row, channel) = (i % w, (i / w) % h, i / (w * h));
            out[(row * w + column) * c + channel] = x[i];
        }
    } }
    // Blocks of pixels from channels ("pixel shuffle", of super-resolution).
    [kernel] { pub fn depth_to_space(out: &mut [f32], x: &[f32], w: usize, h: usize, r: usize) {
        for (y, x0, k) in par((0..h, 0..w, 0..r * r)) {
            let (dy, dx) = (k / r, k % r);
            out[(y * r + dy) * (w * r) + x0 * r + dx] = x[(k * h + y) * w + x0];
        }
    } }
    // Twice the size.
    [kernel] { pub fn upsampled(out: &mut [f32], x: &[f32], w: usize) {
        for i in par(0..out.len()) {
            let (row, column) = (i / (2 * w), i % (2 * w));
            out[i] = x[(row / 2) * w + column / 2];
        }
    } }
    // A torus: the neighbours of the last column are those of the first.
    [kernel] { pub fn torus(next: &mut [u8], cells: &[u8], w: usize, h: usize) {
        for (y, x) in par((0..h, 0..w)) {
            let mut alive = 0;
            for dy in 0..3 {
                for dx in 0..3 {
                    alive += cells[(y + h + dy - 1) % h * w + (x + w + dx - 1) % w];
                }
            }
            let own = cells[y * w + x];
            next[y * w + x] = if alive == 3 || (alive == 4 && own == 1) { 1 } else { 0 };
        }
    } }
    // Means and differences of pairs: a step of Haar's wavelets.
    [kernel] { pub fn wavelets(out: &mut [f32], x: &[f32]) {
        let half = x.len() / 2;
        for i in par(0..half) {
            out[i] = 0.5 * (x[2 * i] + x[2 * i + 1]);
            out[half + i] = 0.5 * (x[2 * i] - x[2 * i + 1]);
        }
    } }
    // A quadrant of a matrix (Strassen).
    [kernel] { pub fn quadrant(c: &mut [f32], a: &[f32], n: usize) {
        let h = n / 2;
        for (i, j) in par((0..h, 0..h)) {
            c[(i + h) * n + j + h] = a[i * n + j] + a[(i + h) * n + j];
            c[i * n + j + h] = a[i * n + j] - a[(i + h) * n + j];
        }
    } }
    // A step of parallel cyclic reduction, in place: every second equation of those that are left.
    [kernel] { pub fn cyclic_reduction(b: &mut [f32], n: usize, s: usize) {
        for t in par(0..n / (2 * s)) {
            let i = (t + 1) * 2 * s - 1;
            b[i] -= 0.5 * b[i - s];
        }
    } }
    // All shortest paths over one node, which keeps its own row and column (Floyd and Warshall).
    [kernel] { pub fn shortest_paths(d: &mut [f32], n: usize, k: usize) {
        for (i, j) in par((0..n, 0..n)) {
            if i != k && j != k {
                d[i * n + j] = d[i * n + j].min(d[i * n + k] + d[k * n + j]);
            }
        }
    } }
    // A running sum along each column (a box filter).
    [kernel] { pub fn sums_of_columns(out: &mut [f32], x: &[f32], w: usize, h: usize) {
        for c in par(0..w) {
            let (mut sum, mut at) = (0.0, c);
            for _ in 0..h {
                sum += x[at];
                out[at] = sum;
                at += w;
            }
        }
    } }
    // Each thread takes every so many elements (a "grid-stride loop", NVIDIA).
    [kernel] { pub fn grid_stride(y: &mut [f32], x: &[f32], threads: usize) {
        let n = y.len();
        for t in par(0..threads) {
            for i in (t..n).step_by(threads) {
                y[i] = 2.0 * x[i];
            }
        }
    } }
    // The lower triangle of a matrix, packed by rows (BLAS): a place is a square of the row.
    [kernel] { pub fn packed(a: &mut [f32], x: &[f32], n: usize) {
        for i in par(0..n) {
            for j in 0..i + 1 {
                a[i * (i + 1) / 2 + j] += x[i] * x[j];
            }
        }
    } }
    // The upper triangle, packed by rows.
    [kernel] { pub fn packed_above(a: &mut [f32], x: &[f32], n: usize) {
        for i in par(0..n) {
            for j in i..n {
                a[i * n - i * (i + 1) / 2 + j] += x[i] * x[j];
            }
        }
    } }
    // The distances of all pairs (SciPy's `pdist`).
    [kernel] { pub fn distances(d: &mut [f32], x: &[i32], n: usize) {
        for i in par(0..n) {
            for j in i + 1..n {
                d[n * i + j - i * (i + 1) / 2 - i - 1] = (x[i] - x[j]).abs() as f32;
            }
        }
    } }
    // Elements of three coordinates, from arrays of one to one of all.
    [kernel] { pub fn interleaved(out: &mut [f32], x: &[f32], y: &[f32], z: &[f32]) {
        for i in par(0..x.len()) {
            out[3 * i] = x[i];
            out[3 * i + 1] = y[i];
            out[3 * i + 2] = z[i];
        }
    } }
    // Gauss: a row is taken from all others.
    [kernel] { pub fn gauss(a: &mut [f32], n: usize, k: usize) {
        for (i, j) in par((0..n, k + 1..n)) {
            if i != k {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    } }
    // Every second cell of a board (successive over-relaxation).
    [kernel] { pub fn board(a: &mut [f32], w: usize, h: usize, color: usize) {
        for (y, x) in par((1..h - 1, 1..w - 1)) {
            if (x + y) % 2 == color {
                a[y * w + x] = 0.25 * (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]);
            }
        }
    } }
    // The same with both colors, one after the other, by what an element is not.
    [kernel] { pub fn sweeps(a: &mut [f32], w: usize, h: usize) {
        for color in 0..2 {
            for (y, x) in par((1..h - 1, 1..w - 1)) {
                if (x + y) % 2 != color {
                    let at = y * w + x;
                    a[at] = 0.25 * (a[at - 1] + a[at + 1] + a[at - w] + a[at + w]);
                }
            }
        }
    } }
    // The same without iterations for elements of the other color.
    [kernel] { pub fn compressed_sweeps(a: &mut [f32], w: usize, h: usize) {
        for color in 0..2 {
            for (y, k) in par((1..h - 1, 0..w / 2)) {
                let x = 1 + 2 * k + (y + color) % 2;
                if x < w - 1 {
                    let at = y * w + x;
                    a[at] = 0.25 * (a[at - 1] + a[at + 1] + a[at - w] + a[at + w]);
                }
            }
        }
    } }
    // Partners of a sorting network (Batcher).
    [kernel] { pub fn partners(x: &mut [i32], j: usize, k: usize) {
        for i in par(0..x.len()) {
            let l = i ^ j;
            if l > i && ((i & k == 0) == (x[i] > x[l])) {
                (x[i], x[l]) = (x[l], x[i]);
            }
        }
    } }
    // Trees of segments: the inner nodes of a level.
    [kernel] { pub fn level(tree: &mut [i32], first: usize) {
        for i in par(first..2 * first) {
            tree[i] = tree[2 * i] + tree[2 * i + 1];
        }
    } }
    // Into a ring buffer (audio, logs).
    [kernel] { pub fn pushed(ring: &mut [f32], x: &[f32], head: usize) {
        let cap = ring.len();
        for i in par(0..x.len().min(cap)) {
            ring[(head + i) % cap] = x[i];
        }
    } }
    // A grid-stride loop as CUDA writes it.
    [kernel] { pub fn strided(y: &mut [f32], x: &[f32], threads: usize) {
        let n = y.len();
        for t in par(0..threads) {
            let mut i = t;
            while i < n {
                y[i] = 2.0 * x[i];
                i += threads;
            }
        }
    } }
    // Tiles, of which the last ones are clipped (transposition, after NVIDIA), by ranges.
    [kernel] { pub fn transposed_by_tiles(out: &mut [f32], x: &[f32], w: usize, h: usize, tile: usize) {
        for (ty, tx) in par((0..h.div_ceil(tile), 0..w.div_ceil(tile))) {
            for y in ty * tile..(ty * tile + tile).min(h) {
                for x0 in tx * tile..(tx * tile + tile).min(w) {
                    out[x0 * h + y] = x[y * w + x0];
                }
            }
        }
    } }
    // The same by conditions.
    [kernel] { pub fn tiles(out: &mut [f32], w: usize, h: usize, tile: usize) {
        for (ty, tx) in par((0..h.div_ceil(tile), 0..w.div_ceil(tile))) {
            for dy in 0..tile {
                for dx in 0..tile {
                    let (y, x) = (ty * tile + dy, tx * tile + dx);
                    if y < h && x < w {
                        out[y * w + x] *= 2.0;
                    }
                }
            }
        }
    } }
    // From one row to another.
    [kernel] { pub fn row_added(a: &mut [f32], w: usize, from: usize, to: usize) {
        for x in par(0..w) {
            a[to * w + x] += a[from * w + x];
        }
    } }
    // Partners by parity (odd-even transposition): only the launch's numbers are followed, and not
    // which way was taken.
    [kernel] { pub fn exchanged(y: &mut [f32], x: &[f32]) {
        for i in par(0..y.len()) {
            let j = if i % 2 == 0 { i + 1 } else { i - 1 };
            y[j] = x[i];
        }
    } }
    // Histograms of parts of an image (equalization).
    [kernel] { pub fn histograms_of_tiles(bins: &mut [u32], image: &[u8], w: usize, tile: usize) {
        for (ty, tx) in par((0..image.len() / w / tile, 0..w / tile)) {
            let own = (ty * (w / tile) + tx) * 256;
            for y in ty * tile..(ty + 1) * tile {
                for x in tx * tile..(tx + 1) * tile {
                    bins[own + image[y * w + x] as usize] += 1;
                }
            }
        }
    } }
}

super::sources! {
    stockham, anti_diagonal, hot_spot, cholesky_column, ellpack, batched, windows_to_columns, max_pooling, planes_to_pixels,
    depth_to_space, upsampled, torus, wavelets, quadrant, cyclic_reduction, shortest_paths, sums_of_columns, grid_stride,
    packed, packed_above, distances, sweeps, compressed_sweeps, interleaved, gauss, board, partners, level, histograms_of_tiles,
    pushed, strided, row_added, tiles, transposed_by_tiles, exchanged,
}
