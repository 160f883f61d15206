//! In functions, in modules, made by macros, with attributes, docs and visibility.
use anabranch::prelude::*;

mod inner {
    use anabranch::prelude::*;

    /// Doubles.
    #[kernel]
    #[allow(clippy::needless_range_loop)]
    #[cfg(all())]
    pub(super) fn double(x: &mut [u32]) {
        for i in par(0..x.len()) {
            x[i] *= 2;
        }
    }

    #[kernel]
    #[cfg(any())]
    pub(super) fn double(x: &mut [u32]) {
        for i in par(0..x.len()) {
            x[i] *= 3;
        }
    }
}

macro_rules! filler {
    ($name:ident, $t:ty, $value:expr, |$x:ident, $i:ident| $body:expr) => {
        #[kernel]
        fn $name($x: &mut [$t], y: &mut [$t]) {
            let n = $x.len();
            stream_parallel! {
                { for $i in par(0..n) { $x[$i] = $body; } }
                { for i in par(0..n) { y[i] = $value; } }
            }
        }
    };
}
filler!(fill_u8, u8, 7, |v, k| v[k] + 3);
filler!(fill_f64, f64, 7.5, |x, i| x[i] - 3.0);

fn main() -> anabranch::Result<()> {
    #[device]
    fn local(x: u32) -> u32 {
        x + 1
    }
    #[kernel]
    fn in_a_function(x: &mut [u32]) {
        for i in par(0..x.len()) {
            x[i] = local(x[i]);
        }
    }
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[1u32, 2])?;
    in_a_function(&stream, &mut x)?;
    inner::double(&stream, &mut x)?;
    assert_eq!(x.to_vec()?, [4, 6]);
    let (mut a, mut b) = (device.buffer_from(&[255u8])?, device.zeros::<u8>(1)?);
    fill_u8(&stream, &mut a, &mut b)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![2], vec![7]));
    let (mut a, mut b) = (device.buffer_from(&[1.0])?, device.zeros::<f64>(1)?);
    fill_f64(&stream, &mut a, &mut b)?;
    assert_eq!((a.to_vec()?, b.to_vec()?), (vec![-2.0], vec![7.5]));
    assert!(in_a_function::plan().to_string().contains("par(0..x.len())"));
    Ok(())
}
