//! Fields of device types whose types depend on `Self`, on macros and on `cfg`, or have unusual
//! names.
#![deny(warnings)]

use anabranch::prelude::*;

#[allow(non_camel_case_types)]
type r#type = u32;

macro_rules! pair {
    ($of:ty) => {
        [$of; 2]
    };
}

trait Sized {
    type Of;
}

#[device]
#[derive(Clone, Copy, PartialEq)]
struct Cell {
    own: [f32; Self::WIDTH],
    nested: [[i8; Self::WIDTH]; Self::WIDTH + 1],
    projected: <Self as Sized>::Of,
    made: pair!(i32),
    of_self: pair!([u8; Self::WIDTH]),
    #[rustfmt::skip]
    inner: [u8; { struct Two; impl Two { const WIDTH: usize = 2; const LEN: usize = Self::WIDTH; } Two::LEN }],
    #[cfg(any())]
    never: String,
    #[cfg(all())]
    r#struct: r#type,
    nothing: [f32; 0],
}

impl Cell {
    const WIDTH: usize = 3;
}

impl Sized for Cell {
    type Of = u16;
}

/// A type of another one, in the fields of a macro.
macro_rules! declared {
    ($name:ident, $of:ty, $len:expr) => {
        #[device]
        #[derive(Clone, Copy, PartialEq)]
        enum $name {
            Empty,
            Full($of),
            Many { all: [$of; $len], len: [u8; Self::LEN] },
        }
        impl $name {
            const LEN: usize = 1;
        }
    };
}
declared!(Cells, Cell, 1 + 1);

#[kernel]
fn sum(cells: &mut [Cell], more: Cells) {
    for i in par(0..cells.len()) {
        let mut cell = cells[i];
        cell.made[1] = i as i32;
        cell.nested[3][2] = -1;
        cell.own[2] += match more {
            Cells::Empty => 0.0,
            Cells::Full(one) => one.own[0],
            Cells::Many { all, len } => all[0].own[0] + all[1].own[1] + len[0] as f32,
        };
        cell.r#struct = (cell == cells[i]) as u32 + (more == Cells::Full(cell)) as u32 + cell.projected as u32;
        cells[i] = cell;
    }
}

fn main() {
    let device = Device::cpu();
    let stream = device.default_stream();
    let cell = Cell {
        own: [1.0, 2.0, 3.0],
        nested: [[0; 3]; 4],
        projected: 7,
        made: [0; 2],
        of_self: [[1; 3]; 2],
        inner: [2; 2],
        r#struct: 0,
        nothing: [],
    };
    let mut cells = device.filled(2, cell).unwrap();
    for more in [Cells::Empty, Cells::Full(cell), Cells::Many { all: [cell; 2], len: [4] }] {
        sum(&stream, &mut cells, more).unwrap();
    }
    let mut expected = cell;
    (expected.own[2], expected.nested[3][2], expected.made[1], expected.r#struct) = (11.0, -1, 1, 7);
    assert!(cells.get(1).unwrap() == expected);
}
