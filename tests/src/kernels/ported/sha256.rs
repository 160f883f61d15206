//! SHA-256 of many short messages.

use anabranch::prelude::*;

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// The same of the cube roots of the first 64.
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];

/// Byte `at` of a message with its padding, of `blocks` blocks.
#[device]
fn padded(message: &[u8], at: usize, blocks: usize) -> u8 {
    let bits = 8 * message.len() as u64;
    match 64 * blocks - at {
        _ if at < message.len() => message[at],
        _ if at == message.len() => 0x80,
        from_end @ 1..=8 => (bits >> (8 * (from_end - 1))) as u8,
        _ => 0,
    }
}

/// Mixes a block into the state.
#[device]
fn compress(state: &mut [u32; 8], block: &[u32; 16]) {
    let mut words = *block;
    let mut mixed = *state;
    for round in 0..64 {
        let at = round % 16;
        if round >= 16 {
            let (near, far) = (words[(round + 14) % 16], words[(round + 1) % 16]);
            words[at] += (near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10)
                + words[(round + 9) % 16]
                + (far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3);
        }
        let [a, b, c, d, e, f, g, h] = mixed;
        let choice = e & f ^ !e & g;
        let majority = a & b ^ a & c ^ b & c;
        let first =
            h + (e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25)) + choice + ROUNDS[round] + words[at];
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)) + majority;
        mixed = [first + second, a, b, c, d + first, e, f, g];
    }
    for i in 0..8 {
        state[i] += mixed[i];
    }
}

/// The digests of messages, message `m` being `bytes[ends[m - 1]..ends[m]]`, eight words each.
#[kernel]
pub fn sha256(bytes: &[u8], ends: &[usize], digests: &mut [u32]) {
    for m in par(0..ends.len()) {
        let start = if m == 0 { 0 } else { ends[m - 1] };
        let end = ends[m];
        let blocks = (end - start + 9).div_ceil(64);
        let mut state = START;
        for b in 0..blocks {
            let mut block = [0; 16];
            for w in 0..16 {
                let mut word = [0; 4];
                for k in 0..4 {
                    word[k] = padded(&bytes[start..end], 64 * b + 4 * w + k, blocks);
                }
                block[w] = u32::from_be_bytes(word);
            }
            compress(&mut state, &block);
        }
        for w in 0..8 {
            digests[8 * m + w] = state[w];
        }
    }
}
