//! What people wrote at first who had read the guide alone, and what did not compile then.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anabranch::prelude::*;

/// How many keys are in each bin.
#[kernel]
pub fn counts_of_keys(keys: &[u32], count: &[AtomicU32], most: &mut [u32]) {
    for i in par(0..keys.len()) {
        count[keys[i] as usize % count.len()].fetch_add(1, Relaxed);
    }
    most[0] = par(0..count.len()).map(|c| count[c].load(Relaxed)).max();
}

/// Where the keys of each bin begin: the same counts as numbers.
#[kernel]
pub fn places_of_keys(keys: &[u32], count: &mut [u32], first: &mut [u32], most: &mut [u32]) {
    counts_of_keys(&keys, &mut count, &mut most);
    for (c, at) in par(0..count.len()).exclusive_sum(|c| count[c]) {
        first[c] = at;
    }
}

/// `contains` of ranges of each form and type; a bit of the result for each.
#[kernel]
pub fn in_ranges(x: &[i32], f: &[f32], bits: &mut [u32], w: i32) {
    for i in par(0..bits.len()) {
        let (mut bit, mut all, mut k) = (1, 0, x[i]);
        for holds in [
            (0..w).contains(&x[i]),
            (1..=w - 1).contains(&(x[i] + 1)),
            (..5).contains(&x[i]),
            (-3..).contains(&x[i]),
            (..=f[0]).contains(&f[i]),
            (0.0..1.0).contains(&f[i]),
            (2..9).contains(&i),
            (7..9).contains(&(x[i] as u8)),
            (k..{
                k += 10;
                k
            })
                .contains(&x[i]),
            (k..=x[i] + 11).contains(&{
                k += 1;
                k
            }),
        ] {
            all |= if holds { bit } else { 0 };
            bit *= 2;
        }
        bits[i] = all;
    }
}

/// Such indexes are known to be in bounds, and apart.
#[kernel(bounds = "proved")]
pub fn neighbours(x: &[f32], y: &mut [f32], which: &[u32]) {
    for i in par(0..y.len()) {
        let k = which[i] as usize;
        y[i] = if (1..x.len()).contains(&i) { x[i - 1] } else { 0.0 };
        if (1..x.len()).contains(&k) {
            y[i] += x[k];
        }
    }
    let half = y.len() / 2;
    for i in par(0..y.len()) {
        if (1..half).contains(&i) {
            y[i] = y[half];
        }
    }
}

/// A number with methods.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge(pub f32);

/// Methods that std has, too, of other types.
#[device]
impl Charge {
    /// `+`
    pub fn add(self, other: Charge) -> Charge {
        Charge(self.0 + other.0)
    }

    /// The number.
    pub fn first(&self) -> f32 {
        self.0
    }

    /// The other sign.
    pub fn sort(&mut self) {
        self.0 = -self.0;
    }

    /// `+=`
    pub fn fill(&mut self, with: f32) {
        self.0 += with;
    }

    /// Two values in one.
    pub fn set(&mut self, a: f32, b: f32) {
        self.0 = 10.0 * a + b;
    }

    /// Two values in one.
    pub fn set_by(&mut self, a: &f32, b: f32) {
        self.0 = 10.0 * *a + b;
    }

    /// `+=`
    pub fn plus(&mut self, other: &f32) {
        self.0 += *other;
    }

    /// `*=`, and what it gives.
    pub fn classify(&mut self, by: f32) -> f32 {
        self.0 *= by;
        self.0
    }
}

/// Some of them.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// For itself.
    pub one: Charge,
    /// In an array.
    pub more: [Charge; 2],
}

#[device]
fn filled(all: &mut [Charge], with: f32) {
    for k in 0..all.len() {
        all[k].fill(with);
    }
}

/// Methods that change the element that they are called on: of a slice, of a grid, of a part of an
/// element, with arguments that read it.
#[kernel]
pub fn changed_in_place(v: &mut [Charge], pairs: &mut Grid<Pair, 2>) {
    for i in par(0..v.len()) {
        v[i].classify(v[i].add(v[i]).first());
        if i == 1 {
            v[i].sort()
        }
    }
    for (y, x) in par((0..pairs.shape()[0], 0..pairs.shape()[1])) {
        pairs[[y, x]].one.fill(y as f32);
        pairs[[y, x]].more[x % 2].fill(pairs[[y, x]].one.0);
    }
    for part in par(0..v.len() / 2) {
        filled(&mut v[2 * part..2 * part + 2], 0.5);
    }
}

/// What is evaluated when: places before arguments, and arguments from left to right.
#[kernel]
pub fn order_of_arguments(v: &mut [[f32; 6]], next: &mut [u32]) {
    for i in par(0..v.len()) {
        let (mut k, mut own) = (1, [Charge(1.0); 6]);
        own[k].set(k as f32, {
            k += 1;
            k as f32
        });
        own[k].set(
            {
                k = 0;
                5.0
            },
            k as f32,
        );
        own[next[i] as usize].set(
            {
                next[i] = 0;
                7.0
            },
            (k + 1) as f32,
        );
        own[k].plus(&(own[k].0 + 1.0));
        match next[i] {
            0 => own[4].plus(&{ own[0].0 }),
            _ => (),
        }
        let values = [3.0, 4.0, 5.0];
        own[5].set_by(
            &values[{
                k = 1;
                k
            }],
            k as f32,
        );
        for j in 0..6 {
            v[i][j] = own[j].0;
        }
    }
}

/// Frames that overlap where `hop` is less than `len`, and where `at` is not 0 a frame that reads
/// what another one writes.
#[kernel]
pub fn frames(out: &mut [f32], hop: usize, len: usize, at: usize, m: &mut Grid<f32, 2>) {
    for frame in par(0..4) {
        for k in 0..len {
            out[frame * hop + k] += 1.0;
        }
    }
    for frame in par(0..4) {
        out[frame * 8] += out[frame * 8 + at];
    }
    for (y, x) in par((0..2, 0..4)) {
        m[[y, x]] += 1.0;
    }
}

super::sources! {
    counts_of_keys, places_of_keys, in_ranges, neighbours, changed_in_place, order_of_arguments, frames,
}
