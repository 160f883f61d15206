//! Structs in buffers, as values, and in patterns. [`plain`] has the same functions without
//! `#[kernel]`, as ordinary Rust.

use std::marker::PhantomData;

use anabranch::prelude::*;

/// Three numbers.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<T> {
    /// Along x.
    pub x: T,
    /// Along y.
    pub y: T,
    /// Along z.
    pub z: T,
}

/// A tuple struct.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pair(pub u8, pub u32);

/// A unit of lengths, which has no size.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metres;

/// A unit that is named by its module.
pub mod units {
    /// A unit of time.
    #[anabranch::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Seconds;
}

/// A number with a unit.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Length<U> {
    /// The number.
    pub value: f64,
    /// The unit.
    pub unit: PhantomData<U>,
}

/// Fields of all sizes, which Rust reorders; a name that C++ reserves; arrays of structs; padding.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// Alive or not.
    pub alive: bool,
    /// Where it is.
    pub pos: Vec3<f32>,
    /// A keyword of C++.
    pub float: u16,
    /// How it moves.
    pub velocity: Vec3<f64>,
    /// An array of structs.
    pub pairs: [Pair; 3],
    /// A wide number.
    pub id: u128,
    /// A field without a size.
    pub unit: Metres,
    #[cfg(any())]
    /// A field that is not there.
    pub none: String,
}

/// A const parameter, and an alignment that no field asks for.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Cells<const N: usize> {
    /// The cells.
    pub cells: [i16; N],
}

/// A value that no buffer holds, because it has a tuple.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed {
    /// A tuple.
    pub pair: (u8, u64),
    /// Another field.
    pub k: i32,
}

/// Fields without a size, with the names that the class would have in C++.
#[allow(non_snake_case, reason = "the names that clash")]
#[device]
#[derive(Clone, Copy)]
pub struct Done {
    /// Without a size.
    pub Done: (),
    /// Without a size.
    pub Done_: (),
    /// A value.
    pub v: f32,
    /// Without a size.
    pub v_: (),
}

/// Fields without a size, if there are no cells: they are no members in C++.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tagged<const N: usize> {
    /// A number.
    pub value: f32,
    /// A unit.
    pub unit: Metres,
    /// Units.
    pub units: [Metres; 2],
    /// As many numbers as it says.
    pub cells: [f32; N],
}

/// Arrays of arrays.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table {
    /// The rows.
    pub rows: [[u32; 2]; 2],
}

/// A constant of a struct.
pub const UP: Vec3<f32> = Vec3 { x: 0.5, y: -1.5, z: 2.0 };

/// The sum.
#[device]
pub fn sum<T: Num>(a: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    Vec3 { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
}

/// A reference to a struct, and one that is written.
#[device]
pub fn push(p: &mut Particle, by: &Vec3<f32>) {
    p.pos = sum(p.pos, *by);
    p.velocity.x += p.pos.x as f64;
    p.pairs[1].1 += 1;
}

/// Parameters that are taken apart, and a slice of structs.
#[device]
pub fn of_all(Vec3 { x, z, .. }: Vec3<f32>, Pair(a, _): Pair, all: &[Pair]) -> f32 {
    let mut most = 0u32;
    for k in 0..all.len() {
        most = most.max(all[k].1);
    }
    x - z + a as f32 + most as f32
}

/// Counts, and returns what it has counted.
#[device]
pub fn count(n: &mut u32) -> u8 {
    *n += 1;
    *n as u8
}

/// The same of a field, which a second operand reads through the reference.
#[device]
pub fn count_in(pair: &mut Pair) -> Pair {
    let before = Pair(count(&mut pair.1), pair.1);
    Pair(before.0 + pair.1 as u8, pair.1 + count(&mut pair.1) as u32)
}

/// Counts, and returns what has no size.
#[device]
pub fn metres(n: &mut u32) -> Metres {
    *n += 1;
    Metres
}

/// Writes all elements.
#[device]
pub fn raise(values: &mut [f32]) -> usize {
    for k in 0..values.len() {
        values[k] += 1.0;
    }
    values.len()
}

/// A value that is no place.
#[device]
pub fn table(i: usize) -> Table {
    Table { rows: [[1, i as u32], [3, 4]] }
}

/// Each as a kernel here and as an ordinary function in `plain`.
macro_rules! kernels {
    ($($(#[doc = $doc:literal])* fn $name:ident($($params:tt)*) $body:block)*) => {
        $(
            $(#[doc = $doc])*
            #[kernel]
            pub fn $name($($params)*) $body
        )*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, reason = "they read as the kernels do")]
        pub mod plain {
            use super::super::patterns::par::par;
            use super::{Cells, Done, Length, Metres, Mixed, Pair, Particle, PhantomData, Tagged, UP, Vec3};
            use super::{count, count_in, metres, of_all, push, raise, sum, table, units};
            $(
                $(#[doc = $doc])*
                pub fn $name($($params)*) $body
            )*
        }

        super::sources! { $($name),* }
    };
}

kernels! {
    /// Fields at any depth: one owned write each.
    fn fields(x: &mut [Particle], dt: f32) {
        for i in par(0..x.len()) {
            x[i].pos.x += dt * x[i].velocity.x as f32;
            x[i].pos.y = x[i].pos.x;
            x[i].pairs[2].1 += x[i].pairs[0].0 as u32;
            x[i].pairs[1] = Pair(x[i].pairs[2].0, 7);
            x[i].float ^= 3;
            x[i].alive = !x[i].alive;
            x[i].id += 1 << 100;
        }
    }

    /// Literals, updates, locals and their fields.
    fn literals(x: &mut [Particle], by: Vec3<f32>) {
        for i in par(0..x.len()) {
            let mut p = Particle { float: 9, pos: Vec3 { y: 1.0, x: by.z, z: -1.0 }, ..x[i] };
            p.pos.z -= by.x;
            let q = Particle { id: 5, ..p };
            let v = sum(q.pos, sum(by, UP));
            p = Particle { velocity: Vec3 { x: v.x as f64, y: v.y as f64, z: v.z as f64 }, unit: Metres, ..q };
            x[i] = p;
        }
    }

    /// Patterns.
    fn patterns(x: &mut [Particle], y: &mut [Pair]) {
        for i in par(0..x.len()) {
            let Particle { pos: Vec3 { x: a, .. }, pairs: [first, .., Pair(b, c)], .. } = x[i];
            let Pair(d, _) = first;
            y[i] = match x[i] {
                Particle { alive: true, float: 0..=4, .. } => Pair(b, c),
                Particle { pos: Vec3 { x: 1.0, y, .. }, .. } if y > 0.0 => Pair(d, y as u32),
                Particle { float, pairs: [Pair(0, k), ..] | [.., Pair(_, k)], .. } => Pair(float as u8, k),
            };
            Pair(y[i].0, _) = Pair(y[i].0 ^ a as u8, 1);
            Vec3 { x: x[i].pos.y, z: x[i].pos.x, .. } = sum(x[i].pos, UP);
        }
    }

    /// Functions with structs.
    fn functions(x: &mut [Particle], y: &mut [f32], up: Vec3<f32>) {
        for i in par(0..x.len()) {
            push(&mut x[i], &up);
            push(&mut x[i], &UP);
            let p = x[i].pos;
            y[i] = of_all(x[i].pos, x[i].pairs[2], &x[i].pairs) + of_all(p, Pair(1, 2), &x[i].pairs[1..]);
        }
    }

    /// Values that are not in buffers, and generic ones.
    fn values(y: &mut [Length<Metres>], cells: &mut [Cells<5>], mixed: Mixed) {
        for i in par(0..y.len()) {
            let m = Mixed { k: mixed.k + i as i32, ..mixed };
            let Mixed { pair: (a, b), k } = m;
            y[i].value += (a as u64 + b) as f64 + k as f64;
            y[i].unit = PhantomData;
            cells[i].cells[(i + 1) % 5] -= k as i16;
            let all = Cells { cells: [k as i16; 5] };
            cells[i].cells[0] += all.cells[3];
        }
    }

    /// What an operand writes and a later one reads, wherever the fields lie.
    fn orders(x: &mut [Pair], y: &mut [Particle]) {
        for i in par(0..x.len()) {
            let mut n = i as u32;
            let first = Pair(count(&mut n), n);
            let mut pair = Pair(count(&mut n) + n as u8, n);
            let last = Pair { 0: count_in(&mut pair).0, ..pair };
            y[i] = Particle { alive: count(&mut n) > 3, id: n as u128, float: count(&mut n) as u16, pairs: [first, pair, last], ..y[i] };
            x[i] = count_in(&mut pair);
        }
    }

    /// Fields without a size: read, written, chosen, indexed, and handed over.
    fn sizeless(x: &mut [Tagged<0>], y: &mut [Tagged<2>]) {
        for i in par(0..x.len()) {
            let mut unit = Metres;
            unit = if x[i].value > 1.0 { x[i].unit } else { unit };
            x[i].unit = unit;
            x[i].units[1] = x[i].units[0];
            x[i].units = [unit, x[i].unit];
            for k in 0..x[i].cells.len() {
                x[i].cells[k] += 1.0;
            }
            x[i].value += raise(&mut x[i].cells) as f32 + raise(&mut x[i].cells[..0]) as f32;
            let (units::Seconds, [a, _], []) = (units::Seconds, x[i].units, x[i].cells);
            y[i].value += raise(&mut y[i].cells[1..]) as f32 + raise(&mut y[i].cells) as f32;
            y[i] = Tagged { value: y[i].value, unit: a, units: x[i].units, ..y[i] };
            let mut n = 0;
            let tagged = Tagged { value: 1.0, units: [a; 2], cells: [], unit: metres(&mut n) };
            y[i].value += tagged.value + n as f32;
            let mut counted = 0;
            let mut bump = || { counted += 1; };
            let done = Done { v: 5.0, v_: bump(), Done: bump(), Done_: () };
            y[i].value += done.v + counted as f32;
        }
    }

    /// Elements of what is no place, with indexes that take statements.
    fn of_temporaries(x: &mut [u32]) {
        for i in par(0..x.len()) {
            let mut n = 0;
            x[i] = table(i).rows[0][count(&mut n) as usize] + table(i).rows[match n { 1 => 0, _ => 1 }][match n { 0 => 1, k => k as usize }];
        }
    }

    /// Checks that fail in places inside of elements: nothing of the iteration is written.
    fn stops(x: &mut [Particle], y: &[Particle], k: usize, whole: bool) {
        for i in par(0..x.len()) {
            if whole {
                x[i] = Particle { float: 9, ..y[y[i].float as usize + k] };
            } else {
                x[i].pairs[k].1 = 7;
                x[i].float = 9;
            }
        }
    }

    /// Elements that are arrays.
    fn arrays(x: &mut [[f32; 3]], m: &[[Pair; 2]]) {
        for i in par(0..x.len()) {
            for k in 0..3 {
                x[i][k] += (m[i][k % 2].0 + k as u8) as f32;
            }
            let [a, _, c] = x[i];
            x[i] = [c, a, x[i][1]];
        }
    }
}
