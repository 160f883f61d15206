//! Atomics that the threads of a block share, by names that say something else.
use anabranch::prelude::*;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering, Ordering::Relaxed};

type Count = AtomicU32;

mod other {
    /// Not what it is called.
    pub type AtomicU32 = std::sync::atomic::AtomicI64;
    pub const ZERO: i64 = 4;
}

/// A user's type with such a name is a value like any other.
#[device]
#[derive(Clone, Copy)]
pub struct AtomicPair {
    a: u32,
    b: u32,
}

/// Methods with the names of operations do not get in, whatever they are for.
#[allow(dead_code)]
trait Operations<T> {
    fn fetch_add(&self, value: T, order: Ordering) -> T;
    fn fetch_add_in_device_code(&self, value: T) -> T;
    fn change(&self, value: T) -> T;
    fn ab_value(&self) -> T;
    fn same(self) -> Self;
}
impl<A, T> Operations<T> for A {
    fn fetch_add(&self, _: T, _: Ordering) -> T {
        unreachable!()
    }
    fn fetch_add_in_device_code(&self, _: T) -> T {
        unreachable!()
    }
    fn change(&self, _: T) -> T {
        unreachable!()
    }
    fn ab_value(&self) -> T {
        unreachable!()
    }
    fn same(self) -> Self {
        unreachable!()
    }
}

const fn start(n: u32) -> u32 {
    n + 1
}

#[device]
fn add(cells: &[AtomicU32], at: usize) -> u32 {
    cells[at].fetch_add(1, Relaxed)
}

#[kernel]
fn names<const N: usize>(x: &mut [u32], y: &mut [i64]) {
    const FIRST: u32 = 3;
    for block in par_blocks(0..1).threads(4) {
        let counts = block.shared([const { Count::new(start(FIRST)) }; 4]);
        let others = block.shared([const { other::AtomicU32::new(-other::ZERO) }; N]);
        let rows = block.shared([const { [const { std::sync::atomic::AtomicU32::new(N as u32) }; 2] }; N]);
        let mut pairs = block.shared([AtomicPair { a: 1, b: 2 }; 4]);
        // An array of which nobody knows anything.
        let _unused = block.shared([[[const { AtomicI64::new(0) }; 1]; 2]; 3]);
        for t in block.threads() {
            let AtomicU32 = t;
            counts[AtomicU32].fetch_add(pairs[t].a, r#Relaxed);
            (others)[0].fetch_sub((t as i64), std::sync::atomic::Ordering::Relaxed);
            pairs[t].b = add(&rows[0], 1) + add(&(counts), t);
            let counts = [t as u32, pairs[t].b];
            pairs[t].a = counts[0];
        }
        for t in block.threads() {
            x[t] = counts[3 - t].load(Relaxed) * 100 + rows[0][1].load(Relaxed) * 10 + pairs[t].a;
        }
        y[0] = others[0].load(Relaxed);
    }
}

/// In the tokens of a macro.
macro_rules! counting {
    ($name:ident, $atomic:ident, $first:expr, $len:expr) => {
        #[kernel]
        fn $name(x: &mut [u32]) {
            for block in par_blocks(0..1).threads(4) {
                let own = block.shared([const { $atomic::new($first) }; $len]);
                for t in block.threads() {
                    own[t % $len].fetch_add(2, Relaxed);
                }
                for t in block.threads() {
                    x[t] = own[t % $len].load(Relaxed);
                }
            }
        }
    };
}
counting!(by_two, AtomicU32, 1 + 1, 2);

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (mut x, mut y) = (device.zeros::<u32>(4)?, device.zeros::<i64>(1)?);
    names::<3>(&stream, &mut x, &mut y)?;
    assert_eq!((x.to_vec()?, y.to_vec()?), (vec![670, 671, 672, 673], vec![-10]));
    by_two(&stream, &mut x)?;
    assert_eq!(x.to_vec()?, [6; 4]);
    Ok(())
}
