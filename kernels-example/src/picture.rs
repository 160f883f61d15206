//! Pictures that the examples draw: colours for numbers, dots, lines, and writing the file.

use std::path::Path;

use image::{ImageError, RgbImage};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// From black through violet and orange to pale yellow, for numbers from 0 to 1.
const HEAT: [Rgb; 8] = [
    [4, 3, 20],
    [45, 12, 88],
    [110, 26, 110],
    [175, 45, 92],
    [226, 84, 52],
    [248, 142, 24],
    [250, 205, 70],
    [252, 253, 191],
];

/// From blue through white to red, for numbers from -1 to 1.
const SIGNED: [Rgb; 7] =
    [[8, 48, 107], [33, 102, 172], [146, 197, 222], [247, 247, 247], [244, 165, 130], [178, 24, 43], [103, 0, 31]];

/// The colour of a number from 0 (black) to 1 (pale yellow). Other numbers are clamped.
pub fn heat(t: f32) -> Rgb {
    between(&HEAT, t)
}

/// The colour of a number from -1 (blue) through 0 (white) to 1 (red). Other numbers are clamped.
pub fn signed(t: f32) -> Rgb {
    between(&SIGNED, 0.5 + 0.5 * t)
}

/// A colour of the rainbow, which repeats at 1.
pub fn hue(t: f32) -> Rgb {
    let part = |shift: f32| {
        let wave = 0.5 + 0.5 * (std::f32::consts::TAU * (t + shift)).cos();
        (40.0 + 215.0 * wave) as u8
    };
    [part(0.0), part(2.0 / 3.0), part(1.0 / 3.0)]
}

fn between(stops: &[Rgb], t: f32) -> Rgb {
    let last = stops.len() - 1;
    let at = t.clamp(0.0, 1.0) * last as f32;
    let left = (at as usize).min(last - 1);
    mix(stops[left], stops[left + 1], at - left as f32)
}

/// Mixes the colours: `share` of `b`, and the rest from `a`.
pub fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|k| (f32::from(a[k]) + share * (f32::from(b[k]) - f32::from(a[k]))).round() as u8)
}

/// Pixels, row by row, the upper left one first.
#[derive(Clone, Debug)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Picture {
    /// Creates a picture from a function that returns the colour at a column and row.
    pub fn of(width: usize, height: usize, mut colour: impl FnMut(usize, usize) -> Rgb) -> Self {
        let pixels = (0..width * height).map(|i| colour(i % width, i / width)).collect();
        Self { width, height, pixels }
    }

    /// Draws a disc with a smooth edge. The unit of length is a pixel. The disc is clipped to the
    /// picture.
    pub fn dot(&mut self, x: f32, y: f32, radius: f32, colour: Rgb) {
        let range = |at: f32, end: usize| {
            let (first, last) = ((at - radius - 1.0).max(0.0) as usize, (at + radius + 2.0).max(0.0) as usize);
            first..last.min(end)
        };
        for row in range(y, self.height) {
            for column in range(x, self.width) {
                let far = (column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y);
                let share = (radius + 0.5 - far).clamp(0.0, 1.0);
                let pixel = &mut self.pixels[row * self.width + column];
                *pixel = mix(*pixel, colour, share);
            }
        }
    }

    /// Draws a straight line, `2 * radius` wide.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], radius: f32, colour: Rgb) {
        let way = [to[0] - from[0], to[1] - from[1]];
        let dots = way[0].hypot(way[1]).ceil().max(1.0);
        for i in 0..=dots as usize {
            let t = i as f32 / dots;
            self.dot(from[0] + t * way[0], from[1] + t * way[1], radius, colour);
        }
    }

    /// Writes the picture in the format of the file's extension.
    ///
    /// # Errors
    /// The extension is not that of a known format, or the file cannot be written.
    pub fn save(&self, file: &Path) -> Result<(), ImageError> {
        let (width, height) = (self.width as u32, self.height as u32);
        RgbImage::from_fn(width, height, |x, y| image::Rgb(self.pixels[(y * width + x) as usize])).save(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_begin_and_end_where_their_tables_do() {
        assert_eq!([heat(-1.0), heat(0.0), heat(1.0), heat(f32::INFINITY)], [HEAT[0], HEAT[0], HEAT[7], HEAT[7]]);
        assert_eq!([signed(-1.0), signed(0.0), signed(1.0)], [SIGNED[0], SIGNED[3], SIGNED[6]]);
        assert_eq!(hue(0.25), hue(1.25));
    }

    #[test]
    fn dots_are_cut_off_at_the_edges() {
        let mut picture = Picture::of(4, 2, |_, _| [0; 3]);
        picture.dot(-100.0, 1.0, 2.0, [255; 3]);
        assert!(picture.pixels.iter().all(|pixel| *pixel == [0; 3]));
        picture.line([0.5, 0.5], [9.5, 0.5], 1.0, [255; 3]);
        assert!(picture.pixels[..4].iter().all(|pixel| *pixel == [255; 3]));
    }
}
