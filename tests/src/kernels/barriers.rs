//! Kernels of other projects in which a barrier was missing, written as loops over blocks. Where
//! the barriers stand is not the user's business here.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

/// supranational/sppark, in which several barriers were missing (#85). That of its radix sort, #24:
/// some warps change the counts of the digits, while another one still reads those of the step
/// before.
///
/// Here each round counts, reads the counts, and moves the keys, in three phases. The counts of the
/// next round cannot be written before.
#[kernel]
pub fn sorted_by_digits(keys: &mut [u32]) {
    for block in par_blocks(0..keys.len() / 64).threads(64) {
        let b = block.index();
        let mut line = block.shared([0u32; 64]);
        let mut counts = block.shared([0usize; 16]);
        let mut places = block.shared([0usize; 64]);
        let mut own = block.each(0u32);
        for t in block.threads() {
            line[t] = keys[b * 64 + t];
        }
        for round in 0..8 {
            for digit in block.par(0..16) {
                let mut count = 0;
                for i in 0..64 {
                    if (line[i] >> (4 * round)) % 16 == digit as u32 {
                        count += 1;
                    }
                }
                counts[digit] = count;
            }
            for t in block.threads() {
                let digit = (line[t] >> (4 * round)) % 16;
                let mut place = 0;
                for smaller in 0..digit as usize {
                    place += counts[smaller];
                }
                for i in 0..t {
                    if (line[i] >> (4 * round)) % 16 == digit {
                        place += 1;
                    }
                }
                places[t] = place;
            }
            for t in block.threads() {
                for i in 0..64 {
                    if places[i] == t {
                        own = line[i];
                    }
                }
            }
            for t in block.threads() {
                line[t] = own;
            }
        }
        for t in block.threads() {
            keys[b * 64 + t] = line[t];
        }
    }
}

/// ggml-org/llama.cpp#28376: the threads of an expert write the tokens that they have found to
/// shared memory, and then read those that others have found, without a barrier between.
///
/// Here what is found is written in one phase and read in the next one, and the list is made
/// between them.
#[kernel]
pub fn tokens_of_experts(lists: &mut [u32], lens: &mut [u32], experts: &[u32]) {
    for block in par_blocks(0..lens.len()).threads(32) {
        let e = block.index();
        let mut uses = block.shared([false; 128]);
        let mut found = block.shared([0u32; 128]);
        for token in block.par(0..128) {
            uses[token] = experts[2 * token] == e as u32 || experts[2 * token + 1] == e as u32;
        }
        let mut len = 0;
        for token in 0..128 {
            if uses[token] {
                found[len] = token as u32;
                len += 1;
            }
        }
        for i in block.par(0..128) {
            lists[e * 128 + i] = if i < len { found[i] } else { u32::MAX };
        }
        lens[e] = len as u32;
    }
}

/// JustVugg/colibri#1098: a softmax finds a maximum and then a sum in the same shared array.
/// Threads that were late read the maximum where others had written the beginnings of the sum.
///
/// Here the maximum is a value of the block, and the first phase of the sum begins when all of it
/// is done.
#[kernel]
pub fn softmax_of_rows(x: &mut [f32], n: usize) {
    for block in par_blocks(0..x.len() / n).threads(64) {
        let row = block.index();
        let mut red = block.shared([0.0f32; 64]);
        let mut own = block.each(f32::NEG_INFINITY);
        let mut other = block.each(0.0f32);
        for i in block.par(0..n) {
            own = own.max(x[row * n + i]);
        }
        for t in block.threads() {
            red[t] = own;
        }
        for level in 0..6 {
            let half = 32 >> level;
            for t in block.par(0..half) {
                other = red[t + half];
            }
            for t in block.par(0..half) {
                red[t] = red[t].max(other);
            }
        }
        let most = red[0];
        for t in block.threads() {
            own = 0.0;
        }
        for i in block.par(0..n) {
            own += (x[row * n + i] - most).exp();
        }
        for t in block.threads() {
            red[t] = own;
        }
        for level in 0..6 {
            let half = 32 >> level;
            for t in block.par(0..half) {
                other = red[t + half];
            }
            for t in block.par(0..half) {
                red[t] += other;
            }
        }
        let sum = red[0];
        for i in block.par(0..n) {
            x[row * n + i] = (x[row * n + i] - most).exp() / sum;
        }
    }
}

/// warpfront/hipfire#575: all threads read a sum of squares in the first element of a shared array,
/// which then takes the normalized values for the rotation of pairs. Threads that were late took a
/// normalized value, sometimes a negative one, for the sum of squares: the root of it is no number.
///
/// Here the sum is a value of the block. Nothing that is written later changes it.
#[kernel]
pub fn normalized_and_turned(y: &mut [f32], x: &[f32], angles: &[f32]) {
    for block in par_blocks(0..y.len() / 64).threads(64) {
        let head = block.index();
        let mut data = block.shared([0.0f32; 64]);
        let mut own = block.each(0.0f32);
        for t in block.threads() {
            own = x[head * 64 + t];
            data[t] = own * own;
        }
        let mut sum = 0.0;
        for t in 0..64 {
            sum += data[t];
        }
        let scale = (sum / 64.0 + 1e-6).sqrt();
        for t in block.threads() {
            data[t] = own / scale;
        }
        for t in block.par(0..32) {
            let (sin, cos) = (angles[t].sin(), angles[t].cos());
            y[head * 64 + t] = data[t] * cos - data[t + 32] * sin;
            y[head * 64 + t + 32] = data[t] * sin + data[t + 32] * cos;
        }
    }
}

/// NVlabs/cuda-oxide#1066: one warp writes the place of the next tile into a mailbox in shared
/// memory, as soon as it may, and the others read the mailbox. Nothing told the writer that all of
/// them had read the last place.
///
/// Here the mailbox is written by the code of the block, and read in a phase: the next round cannot
/// write it before that has ended.
#[kernel]
pub fn tiles_in_turn(out: &mut [u32], blocks: usize, wide: usize) {
    for block in par_blocks(0..blocks).threads(64) {
        let b = block.index();
        let mut mailbox = block.shared([0u32; 2]);
        for round in 0..out.len() / 64 / blocks {
            let tile = round * blocks + b;
            mailbox[0] = (tile / wide) as u32;
            mailbox[1] = (tile % wide) as u32;
            for t in block.threads() {
                out[(round * blocks + b) * 64 + t] = mailbox[0] * 10000 + mailbox[1] * 100 + t as u32;
            }
        }
    }
}

/// The same with tiles that the blocks take from a counter, as many as each of them can.
#[kernel]
pub fn tiles_taken(next: &[AtomicU32], taken: &[AtomicU32], tiles: u32) {
    for block in par_blocks(0..8).threads(32) {
        let mut mailbox = block.shared([0u32; 1]);
        loop {
            mailbox[0] = next[0].fetch_add(1, Relaxed);
            if mailbox[0] >= tiles {
                break;
            }
            for t in block.threads() {
                taken[mailbox[0] as usize].fetch_add(t as u32 + 1, Relaxed);
            }
        }
    }
}

/// The same as the bug was: no order is between the thread that writes the mailbox and those that
/// read it. The launch refuses it.
#[kernel]
pub fn mailbox_in_one_phase(out: &mut [u32]) {
    for block in par_blocks(0..out.len() / 64).threads(64) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(out.len() > 1);
        let b = block.index();
        let mut mailbox = block.shared([0u32; 2]);
        for t in block.threads() {
            if t == 0 {
                mailbox[0] = b as u32;
            }
            out[b * 64 + t] = mailbox[0];
        }
    }
}

/// The reduction of a sum without the order of its steps: a thread reads what another one has yet
/// to add up. The launch refuses it.
#[kernel]
pub fn sum_in_one_phase(x: &mut [f32]) {
    for block in par_blocks(0..x.len() / 64).threads(64) {
        // Behind a check, the compiler leaves it to the launch.
        assert!(x.len() > 1);
        let b = block.index();
        let mut red = block.shared([0.0f32; 64]);
        for t in block.threads() {
            red[t] = x[b * 64 + t];
        }
        for t in block.par(0..32) {
            for step in 0..6 {
                let half = 32 >> step;
                if t < half {
                    red[t] += red[t + half];
                }
            }
        }
        x[b * 64] = red[0];
    }
}

/// Ways on which a barrier is easily lost: each ends with what thread 0 has written.
#[kernel]
pub fn lost_on_ways(x: &mut [u32], n: u32, m: u32, way: u32) {
    for block in par_blocks(0..x.len() / 8).threads(8) {
        let b = block.index();
        let mut line = block.shared([0u32; 8]);
        let mut sum = line[0];
        line[3] = 5;
        if way == 0 {
            // A guard that is not asked.
            match n {
                1 if line[3] == 5 => sum += 1,
                _ => sum += line[3],
            }
        } else if way == 1 {
            // A guard that is a block.
            match n {
                2 if {
                    let v = line[3];
                    v == 5
                } =>
                {
                    sum += 5;
                }
                _ => sum += 2,
            }
        } else if way == 2 {
            // A guard that is asked on one way of two.
            match (n, m) {
                (1, k) | (k, 3) if line[k as usize + 1] == 5 => sum += 5,
                _ => sum += 2,
            }
        } else if way == 3 {
            // A jump in a value.
            let mut k = 0;
            while k < n {
                line[3] = 4 + k;
                let v = if k == 1 { break } else { k };
                for t in block.threads() {
                    x[b * 8 + t] = line[t] + v;
                }
                k += 1;
            }
            sum += line[3];
        } else {
            // A way on in a value.
            for k in 0..n {
                line[3] = 4 + k;
                sum += match m {
                    3 => continue,
                    m => m,
                };
                for t in block.threads() {
                    x[b * 8 + t] = line[t];
                }
            }
            sum += line[3];
        }
        for t in block.threads() {
            x[b * 8 + t] = sum;
        }
    }
}

crate::kernels::sources! {
    lost_on_ways, sorted_by_digits, tokens_of_experts, softmax_of_rows, normalized_and_turned, tiles_in_turn, tiles_taken, mailbox_in_one_phase, sum_in_one_phase
}
