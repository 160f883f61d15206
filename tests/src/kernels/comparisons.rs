//! Comparisons of user types. [`plain`] has the same types and functions without attributes, as
//! ordinary Rust.
#![allow(clippy::partialeq_to_none, clippy::nonminimal_bool, clippy::bool_comparison, reason = "what is compared here")]

use std::cmp::Ordering;
use std::marker::PhantomData;

use anabranch::prelude::*;

super::both! {
    use { use std::cmp::Ordering; use std::marker::PhantomData; }
    [device] {
        /// In an order that is not that of the declaration.
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        #[repr(i8)]
        pub enum Kind { Last = 7, First = -3, Middle = 2 }
    }
    [device] {
        /// Fields in an order that rustc changes, and one without a size.
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct Key { pub kind: Kind, pub weight: f32, pub nothing: Nothing, pub number: i16, pub parts: [u8; 2] }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct Nothing;
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub struct Pair<T, U>(pub T, pub U);
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
        pub enum Figure { Empty, Disc(f32), Rect { w: f32, h: f32 }, Named(Pair<Kind, i16>) }
    }
    [device] {
        /// Equal if they are close: compared by a device function, which can fail.
        #[derive(Clone, Copy, Debug)]
        pub struct Near(pub i32);
    }
    [device] {
        impl PartialEq for Near {
            fn eq(&self, other: &Self) -> bool { (self.0 - other.0).abs() / 2 == 0 }
        }
    }
    [device] {
        impl PartialOrd for Near {
            fn partial_cmp(&self, other: &Near) -> Option<Ordering> {
                if self.0 == -1 || other.0 == -1 { return None; }
                if *self == *other { return Some(Ordering::Equal); }
                Some(self.0.cmp(&other.0).reverse())
            }
        }
    }
    [device] {
        impl PartialEq<i32> for Near {
            fn eq(&self, other: &i32) -> bool { self.0 == *other }
        }
    }
    [device] {
        impl<T: Num> PartialOrd<T> for Distance<T> {
            fn partial_cmp(&self, other: &T) -> Option<Ordering> { self.0.partial_cmp(other) }
        }
    }
    [device] {
        impl<T: Num> PartialEq<T> for Distance<T> {
            fn eq(&self, other: &T) -> bool { self.0 == *other }
        }
    }
    [device] {
        #[derive(Clone, Copy, Debug)]
        pub struct Distance<T>(pub T);
    }
    [device] {
        /// All six, as bits.
        pub fn of_keys(a: Key, b: Key) -> u32 {
            (a == b) as u32 | ((a != b) as u32) << 1 | ((a < b) as u32) << 2 | ((a <= b) as u32) << 3 | ((a > b) as u32) << 4 | ((a >= b) as u32) << 5
        }
    }
    [device] {
        pub fn of_figures(a: Figure, b: Figure) -> u32 {
            (a == b) as u32 | ((a != b) as u32) << 1 | ((a < b) as u32) << 2 | ((a <= b) as u32) << 3 | ((a > b) as u32) << 4 | ((a >= b) as u32) << 5
        }
    }
    [device] {
        pub fn of_near(a: Near, b: Near) -> u32 {
            (a == b) as u32 | ((a != b) as u32) << 1 | ((a < b) as u32) << 2 | ((a <= b) as u32) << 3 | ((a > b) as u32) << 4 | ((a >= b) as u32) << 5
        }
    }
    [device] {
        pub fn figure(k: Key) -> Figure {
            match k.number % 4 {
                0 => Figure::Empty,
                1 => Figure::Disc(k.weight),
                2 => Figure::Rect { w: 1.0, h: k.weight },
                _ => Figure::Named(Pair(k.kind, k.number)),
            }
        }
    }
    [device] {
        pub fn code(o: Option<Ordering>) -> u32 {
            match o {
                None => 9,
                Some(Ordering::Less) => 1,
                Some(Ordering::Equal) => 2,
                Some(o) => if o.is_gt() { 3 } else { 4 },
            }
        }
    }
    [kernel] {
        /// Each pair of keys.
        pub fn every_pair(keys: &[Key], y: &mut [[u32; 4]], z: &mut [[u32; 4]]) {
            for i in par(0..y.len()) {
                let (a, b) = (keys[i % keys.len()], keys[i / keys.len()]);
                let (n, m) = (Near(a.number as i32), Near(b.number as i32));
                y[i] = [of_keys(a, b), of_figures(figure(a), figure(b)), of_near(n, m), (n == b.number as i32) as u32];
                let some = if a.number > 2 { Some(a) } else { None };
                let both = (a.kind, Some(b.weight)) < (b.kind, if b.number > 0 { Some(a.weight) } else { None });
                z[i] = [
                    (some == Some(b)) as u32 + 2 * (some == None) as u32 + 4 * (some <= Some(b)) as u32 + 8 * both as u32,
                    code(a.weight.partial_cmp(&b.weight)) + 10 * code(a.partial_cmp(&b)) + 100 * code(n.partial_cmp(&m)),
                    (Distance(a.weight) < b.weight) as u32 + 2 * (Distance(1) == 1) as u32 + 4 * ([a, b] == [b, a]) as u32,
                    code(Some(a.number.cmp(&b.number).then(Ordering::Less)))
                        + 100 * code(Some(a.weight.total_cmp(&b.weight)))
                        + 10000 * (a.weight.total_cmp(&b.weight) == Ordering::Less) as u32 + 20000 * a.weight.total_cmp(&b.weight).is_le() as u32
                        + 10 * (Distance(2.0).partial_cmp(&1.0) == Some(Ordering::Greater)) as u32,
                ];
            }
        }
    }
    [device] {
        /// Two types with a field that has no size; one has the name of a parameter of ours.
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        pub struct Id<T>(pub u32, pub PhantomData<T>);
    }
    [device] {
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        #[allow(non_camel_case_types)]
        pub struct a { pub id: Id<f32>, pub none: Option<PhantomData<u8>> }
    }
    [kernel] {
        /// Only by `partial_cmp`.
        pub fn order_alone(x: &[u32], y: &mut [u32]) {
            for i in par(0..y.len()) {
                let p = a { id: Id(x[i], PhantomData), none: Some(PhantomData) };
                let q = a { id: Id(5, PhantomData), none: if i % 2 == 0 { None } else { Some(PhantomData) } };
                y[i] = match p.partial_cmp(&q) { Some(Ordering::Less) => 1, Some(Ordering::Equal) => 2, Some(_) => 3, None => 4 };
            }
        }
    }
    [kernel] {
        /// Literals and casts on both sides.
        pub fn of_literals(x: &[f32], y: &mut [u32]) {
            for i in par(0..y.len()) {
                let n = i as u8;
                let mut bits = 0;
                if 3 < n { bits |= 1; }
                if n >= 5 && !(n == 7) { bits |= 2; }
                if x[i] > 0.5 || 0.25 == x[i] { bits |= 4; }
                if -1.0 < x[i] { bits |= 8; }
                if (n, 1.0) <= (3, x[i]) { bits |= 16; }
                if [n; 2] == [4; 2] { bits |= 32; }
                if 1 < 2 { bits |= 64; }
                if true > (n == 2) { bits |= 128; }
                if (i as i32 - 10) < -3 { bits |= 256; }
                y[i] = bits;
            }
        }
    }
}

super::sources! { every_pair, order_alone, of_literals }
