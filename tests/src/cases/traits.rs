//! Traits on the device against the same traits as ordinary Rust.

use anabranch::prelude::*;

use crate::kernels::traits::{self as k, Box3, Circle, plain};

/// Eighths, whose products are exact, so that a GPU has nothing to round otherwise.
fn numbers() -> Vec<f32> {
    (0..60).map(|i| (i * 29 % 49) as f32 / 8.0 - 3.0).collect()
}

/// A generic kernel for a type, with values of that.
macro_rules! shapes {
    ($device:ident $stream:ident; $($of:ty => $plain:ty: $values:expr, $plain_values:expr;)*) => { $(
        let (mut values, k) = ($plain_values, numbers());
        let (mut s, x) = ($device.buffer_from(&$values).unwrap(), $device.buffer_from(&k).unwrap());
        let (mut y, mut ys) = ($device.zeros(k.len()).unwrap(), vec![0.0; k.len()]);
        k::shapes::<$of>($stream, &mut s, &x, &mut y).unwrap();
        plain::shapes::<$plain>(&mut values, &k, &mut ys);
        assert_eq!(format!("{:?}", s.to_vec().unwrap()), format!("{values:?}"), stringify!($of));
        assert_eq!(y.to_vec().unwrap(), ys, stringify!($of));
    )* };
}

pub fn generic_over_a_trait(device: &Device, stream: &Stream) {
    macro_rules! boxes {
        ($($of:tt)*) => { numbers().iter().map(|x| $($of)* { size: [(*x).into(), 1.5, 2.0], count: x.abs() as u32 }).collect::<Vec<_>>() };
    }
    shapes! { device stream;
        Circle => plain::Circle: numbers().map_circles(), numbers().iter().map(|r| plain::Circle { r: *r }).collect::<Vec<_>>();
        Box3<f32> => plain::Box3<f32>: boxes!(Box3::<f32>), boxes!(plain::Box3::<f32>);
        Box3<f64> => plain::Box3<f64>: boxes!(Box3::<f64>), boxes!(plain::Box3::<f64>);
        f32 => f32: numbers(), numbers();
    }
}

trait MapCircles {
    fn map_circles(&self) -> Vec<Circle>;
}
impl MapCircles for Vec<f32> {
    fn map_circles(&self) -> Vec<Circle> {
        self.iter().map(|r| Circle { r: *r }).collect()
    }
}

pub fn traits_of_foreign_types(device: &Device, stream: &Stream) {
    let numbers = numbers();
    let (x, mut y) = (device.buffer_from(&numbers).unwrap(), device.zeros(numbers.len()).unwrap());
    let mut ys = vec![0.0; numbers.len()];
    k::foreign(stream, &x, &mut y).unwrap();
    plain::foreign(&numbers, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}

pub fn constants_of_traits_in_indexes(device: &Device, stream: &Stream) {
    macro_rules! spread {
        ($($of:ty => $plain:ty;)*) => { $(
            let (mut x, mut xs) = (device.zeros(60).unwrap(), vec![0; 60]);
            let n = 60 / <$of as k::Shape>::SIDES;
            k::spread::<$of>(stream, &mut x, n).unwrap();
            plain::spread::<$plain>(&mut xs, n);
            assert_eq!(x.to_vec().unwrap(), xs, stringify!($of));
            // One more is out of bounds, or the launch would have believed another type's constant.
            k::spread::<$of>(stream, &mut x, n + 1).unwrap_err_or_later(stream);
        )* };
    }
    spread! { Circle => plain::Circle; Box3<f32> => plain::Box3<f32>; f32 => f32; k::Figure => plain::Figure; }
}

trait Later {
    fn unwrap_err_or_later(self, stream: &Stream);
}
impl Later for anabranch::Result<()> {
    /// A GPU reports it at the next call that waits.
    fn unwrap_err_or_later(self, stream: &Stream) {
        self.and_then(|()| stream.synchronize()).expect_err("an index is out of bounds");
    }
}

pub fn indexes_that_traits_compute(device: &Device, stream: &Stream) {
    let s: Vec<_> = (0..60).map(|i| (i * 7) as f32).collect();
    let (x, xs) = (device.buffer_from(&(0..50).collect::<Vec<_>>()).unwrap(), (0..50).collect::<Vec<_>>());
    let (mut y, mut ys) = (device.zeros(60).unwrap(), vec![0; 60]);
    k::places(stream, &device.buffer_from(&s.map_circles()).unwrap(), &x, &mut y).unwrap();
    plain::places(&s.iter().map(|r| plain::Circle { r: *r }).collect::<Vec<_>>(), &xs, &mut ys);
    assert_eq!(y.to_vec().unwrap(), ys);
}

pub fn lengths_that_a_trait_computes(device: &Device, stream: &Stream) {
    let (x, mut y) = (device.zeros(50).unwrap(), device.zeros(40).unwrap());
    k::lengths_of_a_trait(stream, &x, &mut y).unwrap_err_or_later(stream);
    let (x, mut y) = (device.filled(1040, 3).unwrap(), device.zeros(40).unwrap());
    k::lengths_of_a_trait(stream, &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3; 40]);
}
