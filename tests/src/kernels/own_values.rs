//! Values of their own: `{ a }` is a copy of `a`, wherever it stands. And values whose layout in
//! C++ is not that in Rust.
#![allow(
    clippy::all,
    const_item_mutation,
    unused_braces,
    unused_mut,
    unreachable_code,
    reason = "the forms that are tested"
)]

use anabranch::prelude::*;

use super::{both, sources};

both! {
    use { use super::{Cell, Kind, Probe, Tag}; }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Counter { pub steps: u32, pub ends: [u32; 2] }
    }
    [device] {
        impl Counter {
            /// Changes its receiver.
            pub fn next(&mut self) -> u32 { self.steps += 1; self.ends[1] += self.steps; self.steps }
            /// Reads it.
            pub fn seen(&self, more: u32) -> u32 { self.steps * 100 + more }
            /// Changes another one.
            pub fn after(&self, other: &mut Counter) -> u32 { other.steps += 5; self.steps * 7 + other.steps }
        }
    }
    [device] {
        /// Reads one after it has changed the other.
        pub fn bump(old: &u32, new: &mut u32) -> u32 { *new += 1; *old }
    }
    [device] {
        pub fn bump_all(old: &[u32], new: &mut [u32; 2]) -> u32 { new[0] += 3; new[1] += 4; old[0] * 10 + old[1] }
    }
    [device] {
        pub fn made(of: u32) -> Option<Counter> { if of % 3 == 0 { None } else { Some(Counter { steps: of, ends: [1, of] }) } }
    }
    [device] {
        pub fn of_made(of: u32) -> Option<u32> { let first = made(of)?.next(); Some(first + made(of + 1)?.seen(3)) }
    }
    [kernel] {
        pub fn copies(x: &[u32], y: &mut [u32]) {
            const SEED: Counter = Counter { steps: 7, ends: [0, 1] };
            const SOME: Option<u32> = Some(3);
            for i in par(0..y.len()) {
                let (mut a, mut b) = (x[i], x[i] + 1);
                let mut sum = bump(&{ a }, &mut a) + a * 3;
                sum = (sum * 31 + bump(&{ let c = a; c }, &mut a) + bump(&if x[i] > 4 { a } else { b }, &mut a)) % 1_000_003;
                let mut counter = Counter { steps: x[i], ends: [x[i], 2] };
                sum = (sum * 31 + { counter }.next() + counter.steps) % 1_000_003;
                sum = (sum * 31 + { let c = counter; c }.next() + counter.ends[1]) % 1_000_003;
                sum = (sum * 31 + (if x[i] > 4 { counter } else { SEED }).next() + counter.steps) % 1_000_003;
                sum = (sum * 31 + { counter }.after(&mut counter) + counter.steps) % 1_000_003;
                sum = (sum * 31 + { counter }.seen(counter.next()) + counter.steps) % 1_000_003;
                sum = (sum * 31 + bump(&{ counter.steps }, &mut counter.steps) + bump(&{ counter }.steps, &mut counter.steps)) % 1_000_003;
                sum = (sum * 31 + bump_all(&{ counter.ends }, &mut counter.ends) + counter.ends[0]) % 1_000_003;
                sum = (sum * 31 + SEED.next() + of_made(x[i]).unwrap_or(1)) % 1_000_003;
                let mut o = if x[i] > 3 { Some(x[i]) } else { None };
                let taken = { o }.take();
                let old = { o }.replace(9);
                sum = (sum * 31 + taken.unwrap_or(5) + old.unwrap_or(6) + o.unwrap_or(7) + SOME.take().unwrap_or(2)) % 1_000_003;
                y[i] = sum;
            }
        }
    }
    [kernel] {
        pub fn narrow(y: &mut [u32], cell: Cell, probe: Probe, pair: (Probe, u8), tag: Tag) {
            for i in par(0..y.len()) {
                let empty: [Tag; 0] = [];
                let all = [cell, Cell { kind: Kind::Dry, on: !cell.on }];
                let Tag::Tag(of) = tag;
                y[i] = u32::from(all[i % 2].on) + 2 * (all[i % 2].kind == Kind::Wet) as u32 + 4 * probe.hit.unwrap_or(9) as u32
                    + 1000 * pair.1 as u32 + 100_000 * pair.0.hit.unwrap_or(3) as u32 + empty.len() as u32 + of;
            }
        }
    }
    [kernel] {
        pub fn panics(x: &[u32], y: &mut [u32], limit: u32) {
            for i in par(0..y.len()) {
                let within = if x[i] > limit { panic!("{} is too much", x[i]); } else { true };
                let value = match x[i] { 0 => { panic!("nothing"); } v => v + within as u32 };
                y[i] = value;
            }
        }
    }
}

/// An enum whose number has no type.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The first one.
    Dry,
    /// The second one.
    Wet,
}

/// Aligned to a byte in Rust.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// What it is.
    pub kind: Kind,
    /// Whether it is on.
    pub on: bool,
}

/// Aligned to a byte in Rust.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// What it has hit.
    pub hit: Option<u8>,
}

/// A variant with the name of its enum.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tag {
    /// The only one.
    Tag(u32),
}

sources! { copies, narrow, panics }
