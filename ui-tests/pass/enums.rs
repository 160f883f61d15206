//! Enums with names that mean something else, and what is about enums in strict crates.
#![deny(warnings)]

use anabranch::prelude::*;

/// Variants called like those of std, and like types.
mod own {
    use anabranch::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    #[non_exhaustive]
    pub enum Option {
        Some(f32),
        None,
        #[allow(non_camel_case_types)]
        f32(f32),
        #[non_exhaustive]
        Rest { tag: f32, types: Result },
    }

    #[device]
    #[derive(Clone, Copy)]
    #[allow(clippy::upper_case_acronyms)]
    pub enum Result {
        Ok,
        #[allow(dead_code)]
        Err { ab_tag: u8 },
        NAN,
    }
}

mod inner {
    pub use super::own::Option::*;
    pub use super::own::Result::{self, *};
}

#[kernel]
fn names(x: &mut [f32], maybe: own::Option) {
    use inner::{NAN, None, Ok, Rest, Some};
    for i in par(0..x.len()) {
        let made = if i % 2 == 0 { Some(x[i]) } else { None };
        let made = match (made, maybe) {
            (Some(a), Some(b)) => Some(a + b),
            (None, Rest { tag, types: NAN | Ok, .. }) => Rest { tag: tag + 1.0, types: inner::Result::Err { ab_tag: 3 } },
            (other, _) => other,
        };
        x[i] = match made {
            Some(x) | inner::f32(x) => x,
            Rest { types: inner::Result::Err { ab_tag }, .. } => ab_tag as f32,
            _ => 0.0,
        };
    }
}

/// Constants and variants in one pattern, and parameters that are taken apart.
#[device]
fn taken_apart((a, b): (Option<u32>, Result<u32, u8>)) -> Option<u32> {
    const LIMIT: Option<u32> = Some(7);
    match (a, b) {
        (LIMIT, _) => None,
        (None, Ok(x @ 1..=u32::MAX)) | (Some(x), Err(u8::MAX)) => Some(x),
        (Some(x), Ok(0) | Err(_)) if x > 2 => LIMIT,
        (Some(_) | None, Ok(_) | Err(_)) => None,
    }
}

/// A generic enum with const parameters, whose one variant is never told apart.
#[device]
#[derive(Clone, Copy)]
#[repr(u16)]
enum Level<const N: usize> {
    Low = 3,
    High = 3 + 4,
}

#[kernel]
fn levels(x: &mut [Level<2>], y: &mut [u32]) {
    for i in par(0..x.len()) {
        if let Level::Low = x[i] {
            x[i] = Level::<2>::High;
        }
        y[i] = match taken_apart((Some(i as u32), Ok(3))) {
            Some(n) => n,
            None => Level::<5>::Low as u32,
        };
    }
}

fn main() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.filled(4, 1.0).unwrap();
    names(&stream, &mut x, own::Option::Some(2.0)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [3.0, 0.0, 3.0, 0.0]);
    let (mut x, mut y) = (device.filled(8, Level::Low).unwrap(), device.zeros(8).unwrap());
    levels(&stream, &mut x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3, 3, 3, 3, 3, 3, 3, 3]);
}
