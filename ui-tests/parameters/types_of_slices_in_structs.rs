// What rustc says of structs of slices.
use anabranch::prelude::*;

#[device]
struct Planes<'a> {
    red: &'a mut [f32],
    green: &'a [f32],
    table: [f32; 4],
}

struct Plain<'a> {
    red: &'a mut [f32],
}

#[kernel]
fn of_a_plain_struct(p: Plain<'_>) {
    for i in par(0..4) {
        p.red[i] = 1.0;
    }
}

#[kernel]
fn no_field(p: Planes<'_>) {
    for i in par(0..4) {
        p.blue[i] = 1.0;
    }
}

#[kernel]
fn read_only(p: Planes<'_>) {
    for i in par(0..4) {
        p.green[i] = 1.0;
    }
}

#[kernel]
fn lent_for_writing(p: Planes<'_>) {
    fill(&mut p.green);
}

#[kernel]
fn fill(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = 1.0;
    }
}

#[kernel]
fn an_array(p: Planes<'_>) {
    for i in par(0..4) {
        p.red[i] = p.table[i];
    }
}

// The type of its views has no name.
#[kernel]
fn takes_views(p: Planes_in_host_part<'_, 0>, x: &mut [f32]) {
    for i in par(0..4) {
        x[i] = p.red[i];
    }
}

#[device]
struct Wrong<'a> {
    red: &'a mut [f32],
    other: Option<Box<Planes<'a>>>,
}

#[device]
struct NotCopy<'a> {
    red: &'a mut [f32],
    names: Vec<f32>,
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let (mut red, green) = (device.zeros::<f32>(4)?, device.zeros::<f32>(4)?);
    read_only(&stream, Planes { red: &mut red, green: green.slice(..), table: [0.0; 4] })?;
    read_only(&stream, Planes { red: red.slice_mut(..), green: red.slice(..), table: [0.0; 4] })?;
    read_only(&stream, &mut red)?;
    let mut planes = Planes { red: (&mut red).into(), green: green.slice(..), table: [0.0; 4] };
    read_only(&stream, planes)?;
    read_only(&stream, &mut planes)
}
