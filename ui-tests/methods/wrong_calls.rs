use anabranch::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
}

#[device]
impl Point {
    fn twice(self) -> f32 {
        2.0 * self.x
    }

    fn moved(self, by: f32) -> Self {
        Point { x: self.x + by }
    }

    fn shift(&mut self, by: f32) {
        self.x += by;
    }
}

#[kernel]
fn misspelt(x: &mut [Point]) {
    for i in par(0..x.len()) {
        x[i].x = x[i].twise();
    }
}

#[kernel]
fn too_few(x: &mut [Point]) {
    for i in par(0..x.len()) {
        x[i] = x[i].moved();
    }
}

#[kernel]
fn of_an_element(x: &mut [Point]) {
    for i in par(0..x.len()) {
        let _ = x[i].shift(1.0);
    }
}

#[kernel]
fn of_a_constant(x: &mut [Point]) {
    for i in par(0..x.len()) {
        let p = x[i];
        p.shift(1.0);
        x[i] = p;
    }
}

#[kernel]
fn wrong_type(x: &mut [Point], k: f64) {
    for i in par(0..x.len()) {
        x[i] = x[i].moved(k);
    }
}

fn main() {}
