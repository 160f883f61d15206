//! Traits of device code. [`plain`] has the same types, traits and functions without attributes, as
//! ordinary Rust.

use std::fmt::Debug;

use anabranch::prelude::*;

/// Each item for the device here, and as it is in `plain`.
macro_rules! both {
    ($([$attribute:ident] { $($item:tt)* })*) => {
        $(#[$attribute] #[allow(missing_docs)] $($item)*)*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, clippy::needless_borrow, reason = "they read as the kernels do")]
        #[allow(missing_docs)]
        pub mod plain {
            use super::super::patterns::par::par;
            use anabranch::prelude::*;
            use std::fmt::Debug;
            /// Takes the place of the bound that the memory of a device needs.
            pub trait DeviceCopy {}
            impl<T> DeviceCopy for T {}
            $($($item)*)*
        }
    };
}

both! {
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Circle { pub r: f32 }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Box3<T> { pub size: [T; 3], pub count: u32 }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Figure { Nothing, Disc(f32), Rect { w: f32, h: f32 } }
    }
    [device] {
        /// Constants, types, functions with and without a default, by value, by reference, without
        /// `self`, generic.
        pub trait Shape: Copy + Debug {
            const SIDES: usize;
            const NAME: u8 = b'?';
            type Scale;
            fn new(r: f32) -> Self;
            fn area(&self) -> f32;
            fn scaled(self, k: Self::Scale) -> Self;
            fn scale(&self) -> Self::Scale;
            fn grow(&mut self, by: f32) -> f32;
            fn twice(&self) -> f32 { 2.0 * self.area() }
            fn grown(mut self) -> Self {
                self.grow(0.5);
                self.scaled(self.scale())
            }
            fn unit() -> Self { Self::new(Self::SIDES as f32) }
            /// Called like a method of numbers.
            fn max(self, other: Self) -> Self { if other.area() > self.area() { other } else { self } }
            fn choose<T: Num>(&self, [a, b]: [T; 2], least: f32) -> T where Self: Sized {
                if self.area() < least { a } else { b + (Self::NAME as u32).cast() }
            }
            fn sum<const N: usize>(of: &[f32]) -> f32 {
                let mut sum = 0.0;
                for k in 0..N { sum += of[k % of.len()]; }
                sum + Self::unit().area()
            }
        }
    }
    [device] {
        impl Shape for Circle {
            const SIDES: usize = 1;
            const NAME: u8 = b'c';
            type Scale = f32;
            fn new(r: f32) -> Self { Circle { r } }
            fn area(&self) -> f32 { 3.0 * self.r * self.r }
            fn scaled(mut self, k: f32) -> Self { self.r *= k; self }
            fn scale(&self) -> Self::Scale { 1.0 / (self.r + 1.0) }
            fn grow(&mut self, by: f32) -> f32 { self.r += by; self.r }
        }
    }
    [device] {
        /// Of a generic struct; two defaults are overridden.
        impl<T: Float> Shape for Box3<T> {
            const SIDES: usize = 6;
            type Scale = u32;
            fn new(r: f32) -> Self { Self { size: [r.cast(), 1.0.cast(), 2.0.cast()], count: 0 } }
            fn area(&self) -> f32 { (self.size[0] * self.size[1] + self.size[2]).cast() }
            fn scaled(self, k: u32) -> Self { Box3 { size: [self.size[0] * k.cast(), self.size[1], self.size[2]], ..self } }
            fn scale(&self) -> u32 { self.count + 1 }
            fn grow(&mut self, by: f32) -> f32 {
                self.count += 1;
                self.size[1] += by.cast();
                by
            }
            fn twice(&self) -> f32 { self.area() + self.area() + 0.25 }
            fn choose<T2: Num>(&self, of: [T2; 2], _: f32) -> T2 { of[self.count as usize % 2] }
        }
    }
    [device] {
        /// Of a number, whose functions are found by its name.
        impl Shape for f32 {
            const SIDES: usize = 2;
            type Scale = (u8, u8);
            fn new(r: f32) -> Self { r }
            fn area(&self) -> f32 { *self }
            fn scaled(self, k: (u8, u8)) -> f32 { self * (k.0 + k.1) as f32 }
            fn scale(&self) -> (u8, u8) { (self.abs() as u8 % 4, 2) }
            fn grow(&mut self, by: f32) -> f32 { *self += by; by * *self }
        }
    }
    [device] {
        impl Shape for Figure {
            const SIDES: usize = 4;
            type Scale = Option<f32>;
            fn new(r: f32) -> Self { if r > 2.0 { Figure::Rect { w: r, h: 1.0 } } else { Figure::Disc(r) } }
            fn area(&self) -> f32 {
                match *self {
                    Figure::Nothing => 0.0,
                    Figure::Disc(r) => r * r,
                    Figure::Rect { w, h } => w * h,
                }
            }
            fn scaled(self, k: Option<f32>) -> Self {
                match (self, k) {
                    (Figure::Disc(r), Some(k)) => Figure::Disc(r * k),
                    (Figure::Disc(_), None) => Figure::Nothing,
                    (other, _) => other,
                }
            }
            fn scale(&self) -> Option<f32> { if self.area() > 1.0 { Some(0.5) } else { None } }
            fn grow(&mut self, by: f32) -> f32 {
                *self = Figure::new(self.area() + by);
                self.twice()
            }
        }
    }
    [device] {
        /// A supertrait, for all that have it.
        pub trait Solid: Shape {
            fn volume(&self, height: f32) -> f32 { self.area() * height + Self::SIDES as f32 }
        }
    }
    [device] { impl<S: Shape> Solid for S {} }
    [device] {
        /// A generic trait for types of other crates.
        pub trait Ext<R = Self, const N: usize = 3> {
            fn norm(self) -> f32 where Self: Sized;
            fn mixed(self, r: R) -> f32;
            fn of_n() -> usize { N }
        }
    }
    [device] {
        impl Ext for [f32; 3] {
            fn norm(self) -> f32 { (self[0] * self[0] + self[1] * self[1] + self[2] * self[2]).sqrt() }
            fn mixed(self, r: Self) -> f32 { <Self as Ext>::norm(self) + Ext::<Self>::norm(r) }
        }
    }
    [device] {
        impl Ext<f32, 5> for [f32; 3] {
            fn norm(self) -> f32 { self[0].abs() }
            fn mixed(self, r: f32) -> f32 { self[1] * r }
        }
    }
    [device] {
        impl Ext<u8> for (f32, i32) {
            fn norm(self) -> f32 { self.0.abs() + self.1.abs() as f32 }
            fn mixed(self, r: u8) -> f32 { self.norm() * r as f32 }
        }
    }
    [device] {
        pub fn total<S: Shape>(s: S) -> f32 {
            s.area() + S::new(1.0).twice() + <S as Shape>::area(&s) + Shape::area(&s) + S::max(s, S::new(1.0)).area()
        }
    }
    [device] {
        pub fn changed<S>(s: &mut S, of: &[f32]) -> f32 where S: Solid {
            let by = s.grow(0.25);
            s.volume(by) + S::sum::<3>(of) + S::NAME as f32
        }
    }
    [kernel] {
        /// A generic kernel: elements, variables, functions of the trait by every path.
        pub fn shapes<S: Solid + DeviceCopy>(s: &mut [S], k: &[f32], y: &mut [f32]) {
            for i in par(0..s.len()) {
                let mut t = s[i];
                let by = (&mut s[i]).grow(k[i]) + changed(&mut t, &[k[i], 1.5]);
                y[i] = by + total(t) + s[i].volume(2.0) + t.choose([1.0, k[i]], 3.0) + t.choose([7u8, 8], 20.0) as f32;
                s[i] = t.grown();
                y[i] += s[i].twice() + S::unit().area();
            }
        }
    }
    [kernel] {
        /// Types without memory of their own, and foreign types.
        pub fn foreign(k: &[f32], y: &mut [f32]) {
            for i in par(0..y.len()) {
                let f = Figure::new(k[i]).grown();
                let a = [k[i], 1.0, -2.0];
                let mut x = f32::new(k[i]).grown();
                let mixed = a.mixed(a) + a.mixed(2.0) + <[f32; 3] as Ext>::norm(a) + Ext::<f32, 5>::norm(a) + (k[i], -3).mixed(2);
                let n = <[f32; 3] as Ext>::of_n() + <[f32; 3] as Ext<f32, 5>>::of_n();
                y[i] = f.twice() + total(f) + x.grow(1.0) + x.volume(3.0) + mixed + n as f32 + changed(&mut x, &[0.5]);
            }
        }
    }
    [kernel] {
        /// Constants in indexes: which elements they touch is another set for each type.
        pub fn spread<S: Shape>(x: &mut [u32], n: usize) {
            for i in par(0..n) {
                x[i * S::SIDES] = i as u32 + 1;
                if i * S::SIDES + S::SIDES <= x.len() { x[i * S::SIDES + <S as Shape>::SIDES - 1] += 100; }
            }
        }
    }
    [device] {
        /// Functions that compute indexes.
        pub trait Place {
            fn place(self, n: usize) -> usize;
            fn min(&self, n: usize) -> usize;
        }
    }
    [device] {
        impl Place for Circle {
            fn place(self, n: usize) -> usize { self.r as usize % n }
            fn min(&self, n: usize) -> usize { n / 2 }
        }
    }
    [kernel] {
        /// An index that a function of a trait computes is checked where it is used.
        pub fn places(s: &[Circle], x: &[u32], y: &mut [u32]) {
            for i in par(0..y.len()) {
                y[i] = x[s[i].place(x.len())] + x[s[i].min(x.len())];
            }
        }
    }
}

#[device]
#[allow(missing_docs)]
pub trait Long {
    fn len(self) -> usize;
}

/// By value, so that Rust finds it before the `len` of slices.
#[device]
impl Long for [u32; 3] {
    fn len(self) -> usize {
        1000
    }
}

/// The length that the array has is not the one that this computes with.
#[kernel]
pub fn lengths_of_a_trait(x: &[u32], y: &mut [u32]) {
    for i in par(0..y.len()) {
        let a = [1u32, 2, 3];
        y[i] = x[i + a.len()];
    }
}

/// The kernels of this file, with an instance for each type.
pub const SOURCES: &[super::Source] = &[
    source!("foreign", foreign),
    source!("lengths_of_a_trait", lengths_of_a_trait),
    source!("places", places),
    source!("shapes_circle", shapes, Circle),
    source!("shapes_box", shapes, Box3<f64>),
    source!("shapes_f32", shapes, f32),
    source!("spread", spread, Figure),
];
