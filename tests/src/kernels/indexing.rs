//! Index operators of user types. [`plain`] has the same types and functions without attributes, as
//! ordinary Rust.

use std::ops::{Index, IndexMut};

use anabranch::prelude::*;

super::both! {
    use { use std::ops::{Index, IndexMut}; }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Matrix<T, const R: usize, const C: usize> { pub rows: [[T; C]; R] }
    }
    [device] {
        impl<T: Num, const R: usize, const C: usize> Index<(usize, usize)> for Matrix<T, R, C> {
            type Output = T;
            fn index(&self, (y, x): (usize, usize)) -> &T { &self.rows[y][x] }
        }
    }
    [device] {
        impl<T: Num, const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<T, R, C> {
            fn index_mut(&mut self, (y, x): (usize, usize)) -> &mut T { &mut self.rows[y][x] }
        }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Vec3 { pub x: f32, pub y: f32, pub z: f32, pub writes: u32 }
    }
    [device] {
        impl Index<u8> for Vec3 {
            type Output = f32;
            fn index(&self, axis: u8) -> &f32 {
                match axis {
                    0 => &self.x,
                    1 => &self.y,
                    2 => &self.z,
                    _ => panic!("there is no such axis"),
                }
            }
        }
    }
    [device] {
        /// Counts the writes.
        impl IndexMut<u8> for Vec3 {
            fn index_mut(&mut self, axis: u8) -> &mut f32 {
                self.writes += 1;
                if axis == 0 { return &mut self.x; }
                if axis == 1 { &mut self.y } else { assert!(axis == 2, "there is no such axis"); &mut self.z }
            }
        }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(u32)]
        pub enum Channel { Red = 4, Green = 9 }
    }
    [device] {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Pixel { pub both: [Matrix<i32, 2, 2>; 2], pub at: Vec3 }
    }
    [device] {
        impl Index<Channel> for Pixel {
            type Output = Matrix<i32, 2, 2>;
            fn index(&self, channel: Channel) -> &Self::Output { &self.both[self.place(channel)] }
        }
    }
    [device] {
        impl IndexMut<Channel> for Pixel {
            fn index_mut(&mut self, channel: Channel) -> &mut Matrix<i32, 2, 2> {
                let at = self.place(channel);
                &mut self.both[at]
            }
        }
    }
    [device] {
        impl Pixel {
            fn place(&self, channel: Channel) -> usize { (channel == Channel::Green) as usize }
        }
    }
    [kernel] {
        /// Reads and writes of elements, locals and fields, at any depth.
        pub fn elements(x: &mut [Pixel], y: &mut [[f32; 4]]) {
            for i in par(0..x.len()) {
                x[i][Channel::Red][(0, 1)] += 3;
                x[i].both[1][(i % 2, 0)] = x[i][Channel::Green][(1, 1)] - 1;
                let mut v = x[i].at;
                v[0] = v[1] + v[2];
                v[2] *= 2.0;
                v[1] = v[0];
                v[0] -= v[1] * 0.5;
                let mut m = Matrix { rows: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] };
                for r in 0..2 {
                    for c in 0..3 {
                        m[(r, c)] = m[(1 - r, c)] + (i as f32) * m[(r, 2 - c)];
                    }
                }
                (m[(0, 0)], m[(1, 1)]) = (m[(1, 1)], m[(0, 0)]);
                x[i].at = v;
                x[i].at[1] += m[(0, 2)];
                let counted = v.writes;
                y[i] = [m[(0, 0)], m[(1, 2)], v[2] + counted as f32, get(&m[(1, 0)]) + get(&v[0])];
                add(&mut m[(0, 0)], 2.0);
                y[i][2] += m[(0, 0)];
            }
        }
    }
    [device] {
        /// Its rows are elements of their own.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Rows { pub rows: [[f32; 4]; 4], pub writes: u32 }
    }
    [device] {
        impl Index<usize> for Rows {
            type Output = [f32; 4];
            fn index(&self, row: usize) -> &[f32; 4] { &self.rows[checked(|row| if row < 4 { row } else { panic!("no row"); }, row)] }
        }
    }
    [device] {
        impl IndexMut<usize> for Rows {
            fn index_mut(&mut self, row: usize) -> &mut [f32; 4] {
                self.writes += 1;
                &mut self.rows[row]
            }
        }
    }
    [device] {
        fn checked(row: impl Fn(usize) -> usize, of: usize) -> usize { row(of) }
    }
    [device] {
        fn bump(k: &mut usize) -> usize { *k += 1; *k }
    }
    [kernel] {
        /// An operator runs once for each time that it is written, and the base comes before the
        /// index.
        pub fn levels(at: &[usize], y: &mut [[f32; 4]]) {
            const TABLE: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
            for i in par(0..y.len()) {
                let mut m = Rows { rows: [[0.0, 1.0, 2.0, 3.0]; 4], writes: 0 };
                m[1][at[i] % 4] = 1.5;
                m[at[i] % 4][2] += m[1][at[i] % 4];
                let ms = [m, Rows { rows: [[9.0; 4]; 4], ..m }];
                let mut k = 0;
                let first = ms[k][bump(&mut k)];
                let row = &TABLE[2..5];
                let mut sum = 0.0;
                for v in row { sum += v; }
                for v in &TABLE[i % 4..8] { sum += v; }
                y[i] = [m.writes as f32, first[2], m[1][2], sum];
            }
        }
    }
    [device] {
        fn get(x: &f32) -> f32 { *x }
    }
    [device] {
        fn add(x: &mut f32, by: f32) { *x += by; }
    }
}

/// Fails where `axis` is not one.
#[kernel]
pub fn wrong_axis(y: &mut [f32], axis: u8) {
    for i in par(0..y.len()) {
        let v = Vec3 { x: 1.0, y: 2.0, z: 3.0, writes: 0 };
        y[i] = v[axis];
    }
}

super::sources! { elements, levels, wrong_axis }
