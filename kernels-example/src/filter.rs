//! A photograph on a device: its buffers, and the launches that sharpen it.

use anabranch::{Buffer, Device, Plan, Result};

use crate::photo::Photo;
use crate::sharpen::{Image, Plane, sharpen, sharpen_grey};

/// A photograph uploaded to a device, with the scratch memory to sharpen it any number of times.
pub struct Filter {
    device: Device,
    photo: Buffer<u8>,
    result: Buffer<u8>,
    weights: Buffer<f32>,
    planes: Planes,
    width: usize,
    height: usize,
    channels: usize,
    amount: f32,
}

/// One plane for each channel, and one for its half-blurred rows.
enum Planes {
    /// Red, green, blue; boxed because it is three times as large as the other variant.
    Color(Box<[[Buffer<f32>; 2]; 3]>),
    Grey([Buffer<f32>; 2]),
}

impl Filter {
    /// Uploads the photograph and its window, and allocates the scratch memory: 8 bytes per pixel
    /// and colour channel.
    ///
    /// `sigma` is the blur's standard deviation in pixels, `amount` the strength.
    ///
    /// # Errors
    ///
    /// An allocation or a copy fails.
    pub fn new(device: &Device, photo: &Photo, sigma: f64, amount: f32) -> Result<Self> {
        let plane = || -> Result<[Buffer<f32>; 2]> { Ok([device.zeros(photo.area())?, device.zeros(photo.area())?]) };
        Ok(Self {
            device: device.clone(),
            photo: device.buffer_from(&photo.pixels)?,
            result: device.zeros(photo.pixels.len())?,
            weights: device.buffer_from(&window(sigma))?,
            planes: if photo.color.has_color() {
                Planes::Color(Box::new([plane()?, plane()?, plane()?]))
            } else {
                Planes::Grey(plane()?)
            },
            width: photo.width as usize,
            height: photo.height as usize,
            channels: photo.channels(),
            amount,
        })
    }

    /// The kernel's name.
    pub fn kernel(&self) -> &'static str {
        match self.planes {
            Planes::Color(_) => "sharpen",
            Planes::Grey(_) => "sharpen_grey",
        }
    }

    /// The plan of the kernel: its loops, and the groups that may run at the same time.
    pub fn plan(&self) -> Plan {
        match self.planes {
            Planes::Color(_) => sharpen::plan(),
            Planes::Grey(_) => sharpen_grey::plan(),
        }
    }

    /// Compiles the kernel for the device, or finds it in the cache.
    ///
    /// # Errors
    ///
    /// The compilation fails.
    pub fn compile(&self) -> Result<()> {
        match self.planes {
            Planes::Color(_) => sharpen::prepare(&self.device),
            Planes::Grey(_) => sharpen_grey::prepare(&self.device),
        }
    }

    /// Sharpens the uploaded photograph and waits for the result. Every run begins with the
    /// original photograph.
    ///
    /// # Errors
    ///
    /// The launch fails.
    pub fn run(&mut self) -> Result<()> {
        let stream = self.device.default_stream();
        let image = Image {
            photo: (&self.photo).into(),
            result: (&mut self.result).into(),
            weights: (&self.weights).into(),
            width: self.width,
            height: self.height,
            channels: self.channels,
            amount: self.amount,
        };
        match &mut self.planes {
            Planes::Color(planes) => {
                let [red, green, blue] = planes.each_mut().map(plane);
                sharpen(&stream, image, red, green, blue)?;
            }
            Planes::Grey(grey) => sharpen_grey(&stream, image, plane(grey))?,
        }
        stream.synchronize()
    }

    /// The sharpened pixels, as bytes in the photograph's layout.
    ///
    /// # Errors
    ///
    /// The copy fails.
    pub fn download(&self) -> Result<Vec<u8>> {
        self.result.to_vec()
    }
}

/// A plane, as the kernels take it.
fn plane([values, rows]: &mut [Buffer<f32>; 2]) -> Plane<'_> {
    Plane { values: values.into(), rows: rows.into() }
}

/// The number of taps of the blur along one axis.
pub fn taps(sigma: f64) -> usize {
    2 * radius(sigma) + 1
}

/// The Gaussian window `exp(-k² / 2σ²)` for k in −r..=r, normalized to sum 1.
fn window(sigma: f64) -> Vec<f32> {
    let radius = radius(sigma) as i32;
    // k/σ before squaring: σ² is 0 for the smallest σ.
    let bell = |k: i32| (-0.5 * (f64::from(k) / sigma).powi(2)).exp();
    let sum: f64 = (-radius..=radius).map(bell).sum();
    (-radius..=radius).map(|k| (bell(k) / sum) as f32).collect()
}

/// Only 0.3 % of a Gaussian is beyond 3 σ.
fn radius(sigma: f64) -> usize {
    (3.0 * sigma).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_is_symmetric_and_sums_to_one() {
        for sigma in [1e-300, 0.01, 0.3, 0.5, 1.0, 2.0, 33.3, 100.0] {
            let window = window(sigma);
            assert_eq!(window.len(), taps(sigma), "σ = {sigma}");
            let sum: f64 = window.iter().map(|&weight| f64::from(weight)).sum();
            assert!((sum - 1.0).abs() < 1e-5, "σ = {sigma}: the sum is {sum}");
            assert!(window.iter().eq(window.iter().rev()), "σ = {sigma}");
        }
    }

    #[test]
    fn radius_is_three_sigma_rounded_up() {
        assert_eq!([0.1, 0.34, 1.0, 1.5, 2.0, 100.0].map(radius), [1, 2, 3, 5, 6, 300]);
    }
}
