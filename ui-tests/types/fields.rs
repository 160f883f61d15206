// A field that device code cannot have is one error, at the field. One that only a buffer cannot
// hold is an error of the buffer.
use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy, PartialEq)]
struct Tile {
    letter: char,
    at: (u16, u16),
    next: [Option<Plain>; 2],
}

#[derive(Clone, Copy, PartialEq)]
struct Plain;

#[device]
#[derive(Clone, Copy)]
enum Sign {
    Plus(&'static str),
    Minus { tile: Tile },
}

#[kernel]
fn passed(y: &mut [u32], tile: Tile, sign: Sign) {
    for i in par(0..y.len()) {
        let same = tile == Tile { letter: tile.letter, ..tile };
        y[i] = if let Sign::Minus { tile } = sign { tile.at.0 as u32 } else { same as u32 };
    }
}

#[device]
#[derive(Clone, Copy)]
struct Letter {
    code: char,
    at: u32,
}

#[kernel]
fn moved(letters: &mut [Letter]) {
    for i in par(0..letters.len()) {
        letters[i].at += 1;
    }
}

fn launched() -> anabranch::Result<Letter> {
    let device = Device::auto()?;
    let mut letters = device.buffer_from(&[Letter { code: 'a', at: 0 }])?;
    moved(&device.default_stream(), &mut letters)?;
    letters.get(0)
}

#[device]
#[derive(Clone, Copy)]
enum Material {
    Diffuse(f32),
    Glass,
}

#[device]
#[derive(Clone, Copy)]
struct Sphere {
    r: f32,
    m: Material,
}

#[kernel]
fn enums(s: &[Sphere], out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = s[i].r;
    }
}

#[device]
#[derive(Clone, Copy)]
struct Point {
    at: (f32, f32),
}

#[kernel]
fn tuples(points: &[Point], out: &mut [f32]) {
    for i in par(0..out.len()) {
        out[i] = points[i].at.0;
    }
}

fn main() {}
