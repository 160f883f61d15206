//! The Mandelbrot set, with complex numbers as tuples.

use anabranch::prelude::*;

/// A complex number: real and imaginary part.
type Complex = (f64, f64);

#[device]
fn square(z: Complex) -> Complex {
    let (re, im) = z;
    (re * re - im * im, 2.0 * re * im)
}

/// The steps until `c` escapes, at most `limit`.
#[device]
fn escape(c: Complex, limit: u32) -> u32 {
    let mut z = (0.0, 0.0);
    for step in 0..limit {
        if z.0 * z.0 + z.1 * z.1 > 4.0 {
            return step;
        }
        z = square(z);
        z.0 += c.0;
        z.1 += c.1;
    }
    limit
}

/// An image of `width` columns of the rectangle of `size` at `corner`.
#[kernel]
pub fn mandelbrot(image: &mut [u32], width: usize, corner: (f64, f64), size: (f64, f64), limit: u32) {
    let height = image.len() / width;
    let step = (size.0 / width as f64, size.1 / height as f64);
    for (y, x) in par((0..height, 0..width)) {
        let c = (corner.0 + step.0 * x as f64, corner.1 + step.1 * y as f64);
        image[y * width + x] = escape(c, limit);
    }
}
