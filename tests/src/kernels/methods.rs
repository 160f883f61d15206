//! Methods and associated functions. [`plain`] has the same types, methods and functions without
//! attributes, as ordinary Rust.

use std::ops::{AddAssign, Mul, MulAssign, Neg, Not, Shl, Sub};

use anabranch::prelude::*;

super::both! {
    use { use std::ops::{AddAssign, Mul, MulAssign, Neg, Not, Shl, Sub}; }
    [device] {
        /// Three numbers.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Vec3<T> { pub x: T, pub y: T, pub z: T }
    }
    [device] {
        /// A number and how often it was changed.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Counter { pub value: i32, pub changes: u32 }
    }
    [device] {
        /// Two vectors.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Body { pub pos: Vec3<f32>, pub vel: Vec3<f32>, pub hits: [Counter; 2] }
    }
    [device] {
        #[allow(clippy::should_implement_trait)]
        impl Vec3<f32> {
            /// A constant.
            pub const UP: Self = Self { x: 0.0, y: 0.0, z: 1.0 };
            /// Names that numbers have, too.
            pub fn abs(self) -> Self { Self::new(self.x.abs(), self.y.abs(), self.z.abs()) }
            pub fn min(&self, other: Self) -> Self { Vec3 { x: self.x.min(other.x), y: self.y.min(other.y), z: self.z.min(other.z) } }
            pub fn sqrt(self) -> Self { self.map_with(2.0, 0.5).abs() }
            pub fn len(&self) -> f32 { self.dot(*self).sqrt() }
            pub fn map_with(&self, k: f32, add: f32) -> Self { Self::new(self.x * k + add, self.y * k + add, self.z * k + add) }
            pub fn normalized(self) -> Self {
                let len = self.len();
                if len == 0.0 { return Self::UP; }
                self.scaled(1.0 / len)
            }
        }
    }
    [device] {
        impl<T: Num> Vec3<T> {
            /// An associated function.
            pub fn new(x: T, y: T, z: T) -> Self { Self { x, y, z } }
            pub fn splat(k: T) -> Self { Self::new(k, k, k) }
            pub fn dot(self, other: Self) -> T { self.x * other.x + self.y * other.y + self.z * other.z }
            pub fn cross(self, Vec3 { x, y, z }: Self) -> Self {
                Vec3::new(self.y * z - self.z * y, self.z * x - self.x * z, self.x * y - self.y * x)
            }
            pub fn scaled(mut self, k: T) -> Self {
                self.scale(k);
                self
            }
            pub fn scale(&mut self, k: T) {
                self.x *= k;
                self.y *= k;
                self.z *= k;
            }
            pub fn add_to(&self, sum: &mut Self) {
                sum.x += self.x;
                sum.y += self.y;
                sum.z += self.z;
            }
        }
    }
    [device] {
        impl Counter {
            pub fn new(value: i32) -> Self { Counter { value, changes: 0 } }
            fn changed(&mut self) -> u32 { self.changes += 1; self.changes }
            pub fn bump(&mut self, by: i32) -> i32 {
                self.value += by;
                self.changed();
                self.value
            }
            pub fn get(self) -> i32 { self.value }
            pub fn plus(self, other: i32) -> i32 { self.value + other }
            pub fn reset(&mut self) { *self = Self::new(0); }
            pub fn r#match(&self, of: &[Counter]) -> bool {
                let mut found = false;
                for k in 0..of.len() { found = found || of[k].value == self.value; }
                found
            }
            pub fn sum<const N: usize>(of: [i32; N]) -> i32 {
                let mut sum = 0;
                for k in 0..N { sum += of[k]; }
                sum
            }
            pub fn apply<T: Int>(&self, x: T) -> T { x + self.value.cast() }
        }
    }
    [device] {
        impl Body {
            pub fn step(&mut self, dt: f32) {
                self.vel.scaled(dt).add_to(&mut self.pos);
                self.hits[1].value += 1;
            }
        }
    }
    [kernel] {
        /// Methods by value, by reference, by path, in chains; literals that infer.
        pub fn values(x: &mut [Vec3<f32>], by: Vec3<f32>) {
            for i in par(0..x.len()) {
                let v = x[i];
                let k = v.dot(by) + x[i].dot(Vec3::UP) + Vec3::<f32>::dot(v, Vec3::splat(2.0));
                let w = v.cross(by).normalized().scaled(3.0).abs().min(Vec3::new(2.0, k, 1.0));
                x[i] = w.sqrt();
                x[i].y = w.len().max(1.5) + <Vec3<f32>>::UP.len();
            }
        }
    }
    [kernel] {
        /// Receivers that change: locals, fields, elements by a reference, temporaries; and in
        /// which order.
        pub fn changes(x: &mut [Body], y: &mut [i32]) {
            for i in par(0..x.len()) {
                let mut b = x[i];
                b.step(0.5);
                b.pos.scale(2.0);
                (&mut b.hits[0]).bump(3);
                (&mut x[i].vel).scale(0.5);
                (&mut x[i]).step(0.25);
                x[i].pos = b.pos;
                x[i].hits = b.hits;
                let mut c = Counter::new(i as i32);
                // The receiver by value is read before the argument writes it.
                let before = c.plus(c.value + { c.value = 7; 1 });
                let two = c.bump(1) + c.bump(2) * c.get();
                let gone = Counter::new(4).bump(5);
                let ordered = Counter::new(c.bump(1)).bump(c.bump(1));
                y[i] = before + two * 1000 + gone * 100_000 + ordered;
                c.reset();
                y[i] += c.get() + c.changes as i32 + b.hits[0].r#match(&b.hits) as i32;
            }
        }
    }
    [kernel] {
        /// Const parameters and type parameters of methods.
        pub fn generics(y: &mut [i32], z: &mut [u64]) {
            for i in par(0..y.len()) {
                let c = Counter::new(5);
                y[i] = Counter::sum([1, 2, i as i32]) + Counter::sum::<2>([3, c.get()]) + c.apply(2) + c.apply::<i32>(3);
                z[i] = c.apply(1 << 40);
            }
        }
    }
    [device] {
        impl<T: Num> std::ops::Add for Vec3<T> {
            type Output = Self;
            fn add(self, other: Self) -> Self { Vec3::new(self.x + other.x, self.y + other.y, self.z + other.z) }
        }
    }
    [device] {
        impl<T: Num> Sub for Vec3<T> {
            type Output = Vec3<T>;
            fn sub(self, other: Vec3<T>) -> Self::Output { Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z } }
        }
    }
    [device] {
        impl<T: Num> Mul<T> for Vec3<T> {
            type Output = Self;
            fn mul(self, k: T) -> Self { self.scaled(k) }
        }
    }
    [device] {
        impl Mul<Vec3<f32>> for f32 {
            type Output = Vec3<f32>;
            fn mul(self, v: Vec3<f32>) -> Vec3<f32> { v * self }
        }
    }
    [device] {
        impl Neg for Vec3<f32> {
            type Output = Self;
            fn neg(self) -> Self { Vec3::new(-self.x, -self.y, -self.z) }
        }
    }
    [device] {
        impl<T: Num> AddAssign for Vec3<T> {
            fn add_assign(&mut self, other: Self) { *self = *self + other; }
        }
    }
    [device] {
        impl MulAssign<f32> for Vec3<f32> {
            fn mul_assign(&mut self, k: f32) { self.scale(k); }
        }
    }
    [device] {
        impl Not for Counter {
            type Output = Counter;
            fn not(mut self) -> Counter {
                self.value = !self.value;
                self
            }
        }
    }
    [device] {
        impl Shl<u32> for Counter {
            type Output = Counter;
            fn shl(self, by: u32) -> Counter { Counter { value: self.value << by, changes: self.changes + by } }
        }
    }
    [kernel] {
        /// Operators of vectors and numbers, with literals on both sides.
        pub fn operators(x: &mut [Body], dt: f32, wind: Vec3<f32>) {
            for i in par(0..x.len()) {
                let a = 2.0 * x[i].vel - wind * 0.5 + (-wind) * (1.0 + 2.0);
                x[i].vel += a * dt;
                x[i].pos += 0.5 * x[i].vel;
                x[i].pos *= 2.0;
                let mut sum = Vec3::splat(0.0);
                for k in 0..3 {
                    sum += (k as f32) * a;
                    sum.x -= 1.0;
                }
                x[i].pos += sum;
                x[i].hits[1] = !x[i].hits[0] << 3;
                let n = 3;
                x[i].hits[0].value += n * 2 - (1 << n);
            }
        }
    }
}

super::sources! { values, changes, generics, operators }
