//! Loops over blocks of threads: phases, shared arrays, values of each thread.

use anabranch::prelude::*;

/// A product of square matrices, by tiles.
#[kernel]
pub fn tiled_product(c: &mut [f32], a: &[f32], b: &[f32], n: usize) {
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

/// A weighted mean of 3 times 3 elements, edges clamped, by tiles of 16 with what is around them.
#[kernel]
pub fn smoothed(to: &mut [f32], from: &[f32], h: usize, w: usize) {
    for block in par_blocks((0..h.div_ceil(16), 0..w.div_ceil(16))).threads((16, 16)) {
        let (by, bx) = block.index();
        let mut tile = block.shared([[0.0; 18]; 18]);
        for (y, x) in block.par((0..18, 0..18)) {
            let row = (by * 16 + y).saturating_sub(1).min(h - 1);
            let column = (bx * 16 + x).saturating_sub(1).min(w - 1);
            tile[y][x] = from[row * w + column];
        }
        for (y, x) in block.threads() {
            if by * 16 + y < h && bx * 16 + x < w {
                let mut sum = 0.0;
                for i in 0..3 {
                    for j in 0..3 {
                        let weight = if i == 1 && j == 1 {
                            0.4
                        } else if i == 1 || j == 1 {
                            0.1
                        } else {
                            0.05
                        };
                        sum += weight * tile[y + i][x + j];
                    }
                }
                to[(by * 16 + y) * w + bx * 16 + x] = sum;
            }
        }
    }
}

/// Sums of parts: each thread adds up every 64th element, then one adds up those of all.
#[kernel]
pub fn sums_of_parts(parts: &mut [i64], x: &[i64], size: usize) {
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

/// Three dimensions of threads, values of each of them that last from phase to phase, and rounds
/// that read what other threads wrote.
#[kernel]
pub fn rotated(x: &mut [u32], rounds: usize) {
    for block in par_blocks(0..x.len() / 24).threads((2, 3, 4)) {
        let b = block.index();
        let mut ring = block.shared([0u32; 24]);
        let mut own = block.each(0u32);
        for (k, j, i) in block.threads() {
            own = x[b * 24 + (k * 3 + j) * 4 + i];
        }
        for round in 0..rounds {
            for (k, j, i) in block.threads() {
                ring[(k * 3 + j) * 4 + i] = own + round as u32;
            }
            for (k, j, i) in block.threads() {
                own = ring[((k * 3 + j) * 4 + i + 1) % 24];
            }
        }
        for (k, j, i) in block.threads() {
            x[b * 24 + (k * 3 + j) * 4 + i] = own;
        }
    }
}

/// Code outside of phases: branches, loops, variables, an early end, and statements that change
/// memory once a block.
#[kernel]
pub fn walks(x: &mut [i32], marks: &mut [i32], n: usize) {
    for block in par_blocks(0..n).threads(7) {
        let b = block.index();
        let mut line = block.shared([1; 40]);
        if b % 3 == 2 {
            marks[b] = -1;
            continue;
        }
        let (mut first, mut last) = (0, 40);
        while last - first > 4 {
            let len = last - first;
            for i in block.par(first..last) {
                line[i] += len as i32 * (i as i32 + b as i32);
            }
            if line[first] % 2 == 0 {
                first += 3;
            } else {
                last -= 2;
            }
        }
        line[first] = 1000;
        marks[b] = line[first] + first as i32;
        for i in block.par(0..40) {
            x[b * 40 + i] = line[i];
        }
    }
}

/// The greatest of each 64 elements, by halves: threads above the half do nothing. And the sum, by
/// halves that a loop counts.
#[kernel]
pub fn greatest(x: &[u32], most: &mut [u32], sums: &mut [u32]) {
    for block in par_blocks(0..most.len()).threads(32) {
        let b = block.index();
        let mut red = block.shared([0u32; 64]);
        let mut all = block.shared([0u32; 64]);
        for i in block.par(0..64) {
            red[i] = x[b * 64 + i];
            all[i] = x[b * 64 + i];
        }
        let mut half = 32;
        while half > 0 {
            for t in block.threads() {
                if t < half {
                    red[t] = red[t].max(red[t + half]);
                }
            }
            half /= 2;
        }
        for level in 0..6 {
            let half = 32usize >> level;
            for t in block.par(0..half) {
                all[t] += all[half + t];
            }
        }
        most[b] = red[0];
        sums[b] = all[0];
    }
}

/// Halves that overlap by one element.
#[kernel]
pub fn overlapping_halves(most: &mut [u32]) {
    for block in par_blocks(0..most.len()).threads(32) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(most.len() > 1);
        let mut red = block.shared([0u32; 64]);
        let mut half = 31;
        while half > 0 {
            for t in block.par(0..half + 1) {
                red[t] = red[t + half];
            }
            half /= 2;
        }
        most[block.index()] = red[0];
    }
}

/// Threads of one phase write what others read.
#[kernel]
pub fn shifted_in_place(x: &mut [u32], by: usize) {
    for block in par_blocks(0..x.len() / 32).threads(32) {
        let b = block.index();
        let mut line = block.shared([0u32; 33]);
        for t in block.threads() {
            line[t] = x[b * 32 + t];
        }
        for t in block.threads() {
            line[t] = line[t + by];
        }
        for t in block.threads() {
            x[b * 32 + t] = line[t];
        }
    }
}

/// Two threads write one element of a buffer.
#[kernel]
pub fn halved(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 16).threads(32) {
        let b = block.index();
        for t in block.threads() {
            x[b * 16 + t / 2] = t as u32;
        }
    }
}

/// A block reads in its second phase what the next block writes in its first one.
#[kernel]
pub fn across_blocks(x: &mut [u32], y: &mut [u32]) {
    for block in par_blocks(0..y.len() / 16 - 1).threads(16) {
        let b = block.index();
        for t in block.threads() {
            x[b * 16 + t] = t as u32;
        }
        for t in block.threads() {
            y[b * 16 + t] = x[b * 16 + 16 + t];
        }
    }
}

/// Each block writes one element of all.
#[kernel]
pub fn last_one(x: &mut [u32], n: usize, stride: usize) {
    for block in par_blocks(0..n).threads(16) {
        x[block.index() * stride] = 1;
    }
}

/// A thread of some blocks leaves the array.
#[kernel]
pub fn beyond(x: &mut [u32], from: &[u32]) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut line = block.shared([0u32; 8]);
        for t in block.threads() {
            line[t] = from[b * 8 + t];
        }
        for t in block.threads() {
            x[b * 8 + t] = line[line[t] as usize];
        }
    }
}

/// The number of looks until an element is there.
#[device]
fn looks(line: &[u32; 8], at: usize) -> u32 {
    let mut looks = 1;
    while line[at] == 0 {
        looks += 1;
    }
    looks
}

/// Loops wait for what a thread writes, which may fail before.
#[kernel]
pub fn waits(x: &mut [u32], from: &[u32], way: u32) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut line = block.shared([0u32; 8]);
        let mut own = block.each(0u32);
        let mut turns = 0;
        match way {
            0 => {
                while line[0] < 3 {
                    for t in block.threads() {
                        line[t] += from[from[b * 8 + t] as usize];
                    }
                    turns += 1;
                }
            }
            1 => loop {
                line[0] += from[from[b * 8] as usize];
                turns += 1;
                if line[0] >= 3 {
                    break;
                }
            },
            2 => {
                for t in block.threads() {
                    line[t] += from[from[b * 8 + t] as usize];
                }
                for t in block.threads() {
                    while line[(t + 1) % 8] == 0 {
                        own += 1;
                    }
                }
                turns = 3;
            }
            3 => {
                let step = |at: usize| from[at];
                loop {
                    line[0] += step(from[b * 8] as usize);
                    turns += 1;
                    if line[0] >= 3 {
                        break;
                    }
                }
            }
            _ => {
                for t in block.threads() {
                    line[t] += from[from[b * 8 + t] as usize];
                }
                turns = 2 + looks(&line, 0);
                for t in block.threads() {
                    own = looks(&line, (t + 1) % 8) - 1;
                }
            }
        }
        for t in block.threads() {
            x[b * 8 + t] = turns + own;
        }
    }
}

/// A value that is told where it is made.
#[device]
fn told(value: u32) -> u32 {
    println!("{value}");
    value
}

/// What is printed outside of phases is printed once a block.
#[kernel]
pub fn tells(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 4).threads(4) {
        let b = block.index();
        println!("block {b}");
        let first = told(b as u32 * 100);
        for t in block.threads() {
            x[b * 4 + t] = told(first + 1 + t as u32);
        }
    }
}

/// A value of a type of the user.
#[device]
#[derive(Clone, Copy)]
pub struct Pair {
    a: u32,
    b: u32,
}

#[device]
impl Pair {
    fn sum(&self) -> u32 {
        self.a + self.b
    }

    fn dot(self, other: Self) -> u32 {
        self.a * other.a + self.b * other.b
    }

    fn grow(&mut self, more: u32) {
        self.a += more;
        self.b += 1;
    }
}

/// Methods read what threads share and what the block has, and change what each thread has.
#[kernel]
pub fn methods(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut tile = block.shared([Pair { a: 0, b: 7 }; 8]);
        let mut own = block.each(Pair { a: 1, b: 1 });
        let mut base = Pair { a: 1, b: 2 };
        base.grow(3);
        let first = tile[0].sum();
        for t in block.threads() {
            tile[t] = Pair { a: x[b * 8 + t], b: t as u32 };
            own.grow(tile[t].sum());
        }
        for t in block.threads() {
            for j in 0..tile.len() {
                own.grow(tile[j].dot(own));
            }
            own.grow(base.sum() + own.sum());
        }
        let second = tile[1].sum() + tile.len() as u32;
        for t in block.threads() {
            x[b * 8 + t] = own.dot(own) + first + second;
        }
    }
}

/// The bits to shift by wrap, so that the index is beyond.
#[kernel]
pub fn wraps(x: &mut [u32]) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut line = block.shared([0u32; 4]);
        let mut sum = 0;
        for k in 0..4u8 {
            sum += line[8 >> ((k + 254) / 127)];
        }
        line[0] = sum;
        for t in block.threads() {
            x[b * 8 + t] = sum;
        }
    }
}

/// The number of rounds is what another thread writes, which may fail before.
#[kernel]
pub fn rounds_of_others(x: &mut [u64], from: &[u64]) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut lens = block.shared([0u64; 8]);
        let mut own = block.each(0u64);
        for t in block.threads() {
            lens[t] = from[from[b * 8 + t] as usize];
        }
        for t in block.threads() {
            for i in 0..lens[(t + 1) % 8] {
                own = own * 31 + i + x[b * 8 + t];
            }
        }
        // Which the next block finds.
        for t in block.threads() {
            lens[t] = u64::MAX;
        }
        for t in block.threads() {
            x[b * 8 + t] = own + lens[(t + 1) % 8];
        }
    }
}

/// Variables of the threads that are made in a branch and in the rounds of a loop, before others.
#[kernel]
pub fn made_in_rounds(x: &mut [u32], rounds: u32) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut sum = block.each(b as u32);
        if b % 2 == 0 {
            let mut twice = block.each(2);
            for t in block.threads() {
                twice *= t as u32;
                sum += twice;
            }
        }
        for k in 0..rounds {
            let mut own = block.each(k);
            for t in block.threads() {
                own += t as u32;
                sum = sum * 3 + own;
            }
            let before = block.exclusive_sum(own);
            for t in block.threads() {
                sum += before;
            }
        }
        let last = block.each(1);
        for t in block.threads() {
            x[b * 8 + t] = sum + last;
        }
    }
}

/// The end of a phase is in the array that the phase writes: it is read before.
#[kernel]
pub fn ends_in_what_is_written(x: &mut [usize]) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut line = block.shared([0usize; 8]);
        for t in block.threads() {
            line[t] = x[b * 8 + t];
        }
        for t in block.par(0..line[0] % 9) {
            line[t] = t * 10;
        }
        for t in block.par(0..block.max(line[t_of(b)]) % 9) {
            line[t] += 1;
        }
        for t in block.threads() {
            x[b * 8 + t] = line[t];
        }
    }
}

#[device]
fn t_of(b: usize) -> usize {
    b % 8
}

/// Conditions with sides that grow from one iteration to the next, and that wrap: what holds at
/// both ends may not hold between them.
#[kernel]
pub fn clipped(marks: &mut [u32], from: usize, to: usize, byte: u8, top: u8, low: i32, high: i32) {
    for block in par_blocks(0..marks.len() / 64).threads(64) {
        let b = block.index();
        for (y, x) in block.par((0..4, 0..16)) {
            let at = from + x;
            let (before, after) = (at - 1, at + y);
            let mark = if at < to { 1 } else { 0 };
            if b < 5 && before < to && to >= after {
                marks[b * 64 + y * 16 + x] = mark + 2;
            } else {
                marks[b * 64 + y * 16 + x] = mark;
            }
        }
        let mut own = block.each(0u32);
        for t in block.par(0..64) {
            let inside = from + t <= to;
            if inside {
                own += 4;
            }
            let limit = to - 1;
            let to = from + t;
            if to < limit {
                own += 32;
            }
            let (from, sum) = (0, from + t);
            if from + sum < limit {
                own += 64;
            }
        }
        for k in block.par(0..64u8) {
            if byte + k < top {
                own += 8;
            }
        }
        for (y, x) in block.par((0..8, -4..4)) {
            if high <= low + x && y != 3 {
                own += 16;
            }
        }
        for t in block.threads() {
            marks[b * 64 + t] += own;
        }
    }
}

#[device]
fn doubled(x: usize) -> usize {
    x * 2
}

/// Conditions that divide by a number that may be 0, after a condition that it is not.
#[kernel]
pub fn divided(marks: &mut [u32], n: usize) {
    for block in par_blocks(0..marks.len() / 32).threads(32) {
        let b = block.index();
        let plain = if b != 0 && 8 / b < n { 1 } else { 2 };
        let cast = if b != 0 && n > (8 / b as u32) as usize { 16 } else { 32 };
        let called = if b != 0 && doubled(8 / b) < n { 64 } else { 128 };
        for t in block.threads() {
            let of_thread = if t != 0 && 9 % t < n { 4 } else { 8 };
            marks[b * 32 + t] = plain + cast + called + of_thread;
        }
    }
}

/// Both sides of a comparison may fail: the left one does so first.
#[kernel]
pub fn divides_twice(marks: &mut [u32]) {
    for block in par_blocks(0..marks.len()).threads(32) {
        let b = block.index();
        marks[b] = if 8 / b < 8 % b { 1 } else { 2 };
    }
}

crate::kernels::sources! {
    divided, divides_twice, made_in_rounds, ends_in_what_is_written, wraps, rounds_of_others, greatest, overlapping_halves, methods, tiled_product, transposed, smoothed, sums_of_parts, rotated, walks, shifted_in_place, halved, across_blocks, last_one, beyond,
    waits, tells, clipped
}
