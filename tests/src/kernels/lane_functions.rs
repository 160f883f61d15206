//! Device functions with loops, which the CPU runs for the arguments of all lanes at once.

use anabranch::prelude::*;

use super::sources;

/// After how many rounds a point is far away.
#[device]
pub fn escape(mut at: [f32; 2], limit: u32) -> Option<u32> {
    if limit == 7 {
        return None;
    }
    let from = at;
    for n in 0..limit {
        let square = at[0] * at[0] + at[1] * at[1];
        if square > 4.0 {
            return Some(n);
        }
        at = [at[0] * at[0] - at[1] * at[1] + from[0], 2.0 * at[0] * at[1] + from[1]];
    }
    None
}

/// Loops that calls leave at different times, in several ways, with results of two kinds.
#[device]
pub fn walk(n: u64, most: usize) -> (u32, u64) {
    let (mut a, mut count) = (n, 0u32);
    if a == 0 {
        return (0, 0);
    }
    let mut peak = a;
    'outer: while a != 1 {
        count += 1;
        for k in 0..(a & 3) as usize {
            if k == 2 && a & 16 != 0 {
                a ^= 4;
                continue 'outer;
            }
            if k > most {
                return (count, u64::MAX);
            }
            a = a.wrapping_add(k as u64);
        }
        if count as usize > most {
            break;
        }
        a = if a & 1 == 0 { a >> 1 } else { a.wrapping_mul(3).wrapping_add(1) };
        peak = peak.max(a);
    }
    (count, peak)
}

/// A ray of light.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub from: f32,
    /// How much of it is left.
    pub light: f64,
}

/// What happens to a ray.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// It is too dark to see.
    Dark(u8),
    /// It goes on from here.
    Bright {
        /// Where.
        at: f32,
    },
}

#[device]
impl Ray {
    /// A method with a loop, by reference, which calls another one in it.
    pub fn end(&self, rounds: u8) -> End {
        let mut ray = *self;
        for n in 0..rounds {
            if ray.left() < 0.125 {
                return End::Dark(n);
            }
            ray.from += 0.5;
            ray.light *= 0.75;
        }
        End::Bright { at: ray.from }
    }

    /// Its name and that of the method above must not give two generated functions one name.
    pub fn end_in(&self, rounds: u8) -> u8 {
        let mut n = 0u8;
        while n < rounds && self.light * (n as f64) < 4.0 {
            n += 1;
        }
        n
    }

    /// How much is left.
    pub fn left(&self) -> f64 {
        self.light - 0.01
    }

    /// It changes the ray, so no lanes may call it all at once.
    pub fn halve(&mut self) -> f64 {
        self.light *= 0.5;
        self.light
    }
}

/// A number that goes on.
#[device]
pub trait Growth {
    /// The next one.
    fn next_after(&self, x: f32) -> f32;

    /// How many it takes to `limit`.
    fn count(&self, from: f32, limit: f32) -> u16 {
        let (mut x, mut count) = (from, 0u16);
        while x < limit && count < 100 {
            x = self.next_after(x);
            count += 1;
        }
        count
    }
}

/// It adds a number.
#[device]
#[derive(Clone, Copy)]
pub struct Adds(pub f32);

#[device]
impl Growth for Adds {
    fn next_after(&self, x: f32) -> f32 {
        x + self.0
    }
}

/// It doubles, with a count of its own, which runs one by one.
#[device]
#[derive(Clone, Copy)]
pub struct Doubles;

#[device]
impl Growth for Doubles {
    fn next_after(&self, x: f32) -> f32 {
        if x < 1.0 { 1.0 } else { x + x }
    }

    fn count(&self, from: f32, limit: f32) -> u16 {
        let mut x = from;
        for count in 0..100 {
            if x >= limit {
                return count;
            }
            x = self.next_after(x);
        }
        100
    }
}

/// Results in patterns, in conditions and in sums, and functions of results of others.
#[kernel]
pub fn functions(out: &mut [u32], peaks: &mut [u64], ends: &mut [f64], x: &[f32], n: &[u64], limit: u32) {
    for i in par(0..out.len()) {
        if let Some(n) = escape([x[i], 0.25], limit + (i % 5) as u32) {
            out[i] = n;
        }
        match walk(n[i], 20) {
            (0, _) => peaks[i] = 1,
            (count, peak) if count > 3 => peaks[i] = peak,
            (count, _) => peaks[i] = u64::from(count),
        }
        let (again, _) = walk(walk(n[i], 1).1 & 0xff, 9);
        peaks[i] = peaks[i].wrapping_add(u64::from(again) << 8);
        let rounds = Ray { from: 0.0, light: x[i] as f64 }.end_in((i % 9) as u8);
        peaks[i] = peaks[i].wrapping_add(rounds as u64);
        ends[i] = match (Ray { from: x[i], light: x[i] as f64 * 2.0 }).end((i % 9) as u8) {
            End::Dark(n) => n as f64,
            End::Bright { at } => at as f64 - 1000.0,
        };
    }
}

/// A call that does not always happen, so that there is nothing to do in lanes.
#[kernel]
pub fn sometimes(out: &mut [u32], n: &[u64]) {
    for i in par(0..out.len()) {
        if n[i] & 1 == 0 {
            out[i] = walk(n[i] & 0xff, 30).0;
        }
    }
}

/// The order in which things change.
#[kernel]
pub fn in_their_order(out: &mut [u64], n: &[u64]) {
    for i in par(0..out.len()) {
        let mut a = n[i];
        out[i] = {
            a += 1;
            a
        } + walk(a, 9).1;
        out[i] += walk(out[i] & 0xff, 4).1;
        a += 2;
        out[i] = out[i].wrapping_mul(walk(a, 9).1 | 1);
    }
}

/// A method that changes a ray in a loop in lanes.
#[kernel]
pub fn halves(out: &mut [f64], x: &[f32], rounds: usize) {
    for i in par(0..out.len()) {
        let mut ray = Ray { from: 0.0, light: x[i] as f64 };
        let mut sum = 0.0;
        for _ in 0..rounds {
            sum += ray.halve();
        }
        out[i] = sum + ray.light;
    }
}

/// A method that changes nothing, of a variable that changes.
#[kernel]
pub fn lefts(out: &mut [f64], x: &[f32], rounds: usize) {
    for i in par(0..out.len()) {
        let mut ray = Ray { from: 0.0, light: x[i] as f64 };
        let mut sum = 0.0;
        for r in 0..rounds {
            sum += ray.left();
            ray.light -= r as f64;
        }
        out[i] = sum;
    }
}

/// A function of a trait, by its default and by its own.
#[kernel]
pub fn counts<G: Growth>(out: &mut [u16], growth: G, x: &[f32], limit: f32) {
    for i in par(0..out.len()) {
        out[i] = growth.count(x[i], limit);
    }
}

/// The ray of an iteration, and the one behind it, again and again; perhaps never.
#[kernel]
pub fn own_rays(out: &mut [f64], rays: &[Ray], x: &[f64], rounds: usize) {
    for i in par(0..out.len()) {
        let at = i + 1;
        let mut sum = 0.0;
        for r in 0..rounds {
            if x[r] > rays[at].light {
                continue;
            }
            sum += rays[i].left() * x[r] + rays[at].from as f64;
            if sum > 40.0 {
                break;
            }
        }
        out[i] = sum;
    }
}

/// So large that those of all lanes would take much of a stack.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Large {
    /// Many numbers.
    pub values: [f32; 600],
    /// One.
    pub scale: f32,
}

/// A function with a loop, of a large value.
#[device]
pub fn scaled(mut large: Large, rounds: u32) -> Large {
    for r in 0..rounds {
        large.scale += r as f32;
    }
    large
}

/// Large values, as arguments and as elements that a loop reads again and again.
#[kernel]
pub fn larges(out: &mut [f32], sums: &mut [f32], larges: &[Large], rounds: usize) {
    for i in par(0..out.len()) {
        out[i] = scaled(larges[i], 5).scale;
    }
    for i in par(0..sums.len()) {
        let mut sum = 0.0;
        for r in 0..rounds {
            sum += larges[i].values[3] * r as f32 + larges[i].scale;
            let all = larges[i];
            sum += all.values[7];
        }
        sums[i] = sum;
    }
}

/// Inner loops whose ends differ, in each other.
#[kernel]
pub fn triangles(out: &mut [u32], n: &[u64]) {
    for i in par(0..out.len()) {
        let (own, mut sum) = (n[i], 0u32);
        for a in 0..(own % 7) as u32 {
            for b in a..(own % 5) as u32 {
                if a + b == 6 {
                    continue;
                }
                if b > 3 {
                    break;
                }
                sum = sum * 3 + a + b;
            }
        }
        out[i] = sum;
    }
}

sources! { functions, sometimes, in_their_order, halves, lefts, counts::<Adds>, counts::<Doubles>, own_rays, larges, triangles }
