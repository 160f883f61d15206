use anabranch::half::{bf16, f16};
use anabranch::prelude::*;

use super::failures::panic_of;
use crate::kernels::halves::{self as k, Mixed, plain};

/// A float of two bytes, on the host.
trait Half: Float<Bits = u16> {
    fn of(x: f32) -> Self;
    fn to_single(self) -> f32;
    fn sqrt_of(self) -> Self {
        Self::of(self.to_single().sqrt())
    }
}
macro_rules! halves {
    ($($t:ident)*) => { $(
        impl Half for $t {
            fn of(x: f32) -> Self {
                $t::from_f32(x)
            }
            fn to_single(self) -> f32 {
                self.to_f32()
            }
        }
    )* };
}
halves! { f16 bf16 }

/// Equal bits, or two that are not numbers.
#[track_caller]
fn same<T: Float>(got: &[T], expected: impl Fn(usize) -> T) {
    for (at, &got) in got.iter().enumerate() {
        let expected = expected(at);
        assert!(
            got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
            "{at}: {got:?} is not {expected:?}"
        );
    }
}

macro_rules! exhaustive {
    ($($unary:ident $binary:ident: $t:ident $unary_kernel:ident $binary_kernel:ident;)*) => { $(
        pub fn $unary(device: &Device, stream: &Stream) {
            let x: Vec<$t> = (0..=u16::MAX).map($t::from_bits).collect();
            let n = x.len();
            let (mut out, mut single) = (device.zeros(24 * n).unwrap(), device.zeros::<f32>(3 * n).unwrap());
            let (mut ints, mut flags) = (device.zeros(2 * n).unwrap(), device.zeros(6 * n).unwrap());
            let on_device = device.buffer_from(&x).unwrap();
            k::$unary_kernel(stream, &on_device, &mut out, &mut single, &mut ints, &mut flags).unwrap();
            same(&single.to_vec().unwrap(), |at| {
                let v = x[at / 3].to_f32();
                if at % 3 == 2 { v + v } else { v }
            });
            same(&out.to_vec().unwrap(), |at| {
                let v = x[at / 24];
                let s = v.to_f32();
                let rounded = $t::from_f32;
                match at % 24 {
                    0 => v,
                    1 => -v,
                    2 => $t::from_bits(v.to_bits() & 0x7fff),
                    3 => v.sqrt_of(),
                    4 => rounded(s.floor()),
                    5 => rounded(s.ceil()),
                    6 => rounded(s.round()),
                    7 => rounded(s.round_ties_even()),
                    8 => rounded(s.trunc()),
                    9 => rounded(s.fract()),
                    10 => rounded(s.recip()),
                    11 => v.signum(),
                    12 => v.next_up(),
                    13 => v.next_down(),
                    14 => rounded(s.to_degrees()),
                    15 => $t::from_bits(v.to_bits() ^ 0x8001),
                    16 => rounded(s * 1.0001),
                    17 => (f64::from(v) * 1.0001).cast(),
                    18 => rounded(bf16::from_f32(f16::from_f32(s).to_f32()).to_f32()),
                    19 => rounded(s.powi(3)),
                    20 => rounded(v.to_bits().into()),
                    21 => $t::MAX.min(v),
                    22 => rounded(s.midpoint(1.0)),
                    _ => $t::from(-3i8) * rounded(s.mul_add(s, $t::EPSILON.to_f32())),
                }
            });
            let (ints, flags) = (ints.to_vec().unwrap(), flags.to_vec().unwrap());
            for (at, v) in x.iter().enumerate() {
                let s = v.to_f32();
                assert_eq!(ints[2 * at..][..2], [s as i64, i64::from(s as u8) + i64::from(v.to_bits())], "{v:?}");
                let subnormal = v.is_finite() && !v.is_normal() && *v != $t::ZERO;
                let expected = [v.is_nan(), v.is_finite(), v.is_infinite(), v.is_normal(), subnormal, !v.is_nan()];
                assert_eq!(flags[6 * at..][..6], expected, "{v:?}");
            }
        }

        pub fn $binary(device: &Device, stream: &Stream) {
            // Any two, and any two of those near 1: sums of numbers that are far apart say little.
            let n = 200_000;
            let mut state = 1u64;
            let mut any = |near: bool| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let bits = (state >> 40) as u16;
                $t::from_bits(if near { $t::ONE.to_bits() ^ (bits & 0x8fff) } else { bits })
            };
            let (x, y): (Vec<$t>, Vec<$t>) = (0..n).map(|at| (any(at % 2 == 0), any(at % 4 == 0))).unzip();
            let (mut out, mut flags) = (device.zeros(16 * n).unwrap(), device.zeros(6 * n).unwrap());
            let (dx, dy) = (device.buffer_from(&x).unwrap(), device.buffer_from(&y).unwrap());
            k::$binary_kernel(stream, &dx, &dy, &mut out, &mut flags).unwrap();
            same(&out.to_vec().unwrap(), |at| {
                let (a, b) = (x[at / 16], y[at / 16]);
                let (s, t) = (a.to_f32(), b.to_f32());
                match at % 16 {
                    0 | 11 => a + b,
                    1 => a - b,
                    2 => a * b,
                    3 => a / b,
                    4 => a % b,
                    5 => a.min(b),
                    6 => a.max(b),
                    7 => a.copysign(b),
                    8 => $t::from_f32(s.rem_euclid(t)),
                    9 => $t::from_f32(s.div_euclid(t)),
                    10 => a * b + a,
                    12 => (a + b - a) * b,
                    13 => (a + b - a) * b / a,
                    14 => (a + b - a) * b / a % b,
                    _ => $t::from_f32(a.max(b).to_f32().midpoint(t)),
                }
            });
            let flags = flags.to_vec().unwrap();
            for (at, (a, b)) in x.iter().zip(&y).enumerate() {
                #[allow(clippy::tuple_array_conversions)]
                let expected = [a == b, a != b, a < b, a <= b, a > b, (a, b) >= (b, a)];
                assert_eq!(flags[6 * at..][..6], expected, "{a:?} {b:?}");
            }
        }
    )* };
}
exhaustive! { every_f16 pairs_of_f16: f16 unary_f16 binary_f16; every_bf16 pairs_of_bf16: bf16 unary_bf16 binary_bf16; }

pub fn kernels_of_any_float(device: &Device, stream: &Stream) {
    fn check<T: Half>(device: &Device, stream: &Stream) {
        let x: Vec<T> = (0..100i8).map(|i| T::of(f32::from(i) / 8.0 - 3.0)).collect();
        let mut y = device.buffer_from(&x).unwrap();
        k::generic(stream, &mut y, T::of(5.0)).unwrap();
        same(&y.to_vec().unwrap(), |i| {
            let mut v = k::smooth(x[i], -T::ONE, T::of(5.0)) + T::PI;
            v /= T::from(i % 7 == 0) + T::ONE;
            -v.sqrt_of()
        });
    }
    check::<f16>(device, stream);
    check::<bf16>(device, stream);
}

pub fn places_of_halves(device: &Device, stream: &Stream) {
    let part = |i: usize| Mixed {
        flag: i as u8,
        weight: f16::from_f32(i as f32 * 0.37 - 5.0),
        parts: [i as f32, -0.1, f32::MAX / (i + 1) as f32].map(bf16::from_f32),
        count: i as u32,
    };
    let (mut xs, mut ys): (Vec<Mixed>, _) = ((0..100).map(part).collect(), vec![[f16::ZERO; 2]; 100]);
    let (mut x, mut y) = (device.buffer_from(&xs).unwrap(), device.zeros::<[f16; 2]>(100).unwrap());
    let (scale, offset) = (f16::from_f32(0.7), bf16::from_f32(-0.3));
    k::places(stream, &mut x, &mut y, scale, offset).unwrap();
    plain::places(&mut xs, &mut ys, scale, offset);
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (xs, ys));
    let filled = device.filled(5, scale).unwrap();
    assert_eq!(filled.to_vec().unwrap(), [scale; 5]);
}

pub fn grids_of_halves(device: &Device, stream: &Stream) {
    let y: Vec<bf16> = (0..35).map(|i| bf16::from_f32(i as f32 * 0.3)).collect();
    let mut x_d = device.grid_filled([5, 7], f16::ONE).unwrap();
    let y_d = device.grid_from(&y, [5, 7]).unwrap();
    k::grids(stream, &mut x_d, &y_d).unwrap();
    let expected: Vec<f16> = y.iter().map(|y| f16::ONE + f16::from_f32(y.to_f32())).collect();
    assert_eq!(x_d.to_vec().unwrap(), expected);
}

pub fn texts_and_failures_of_halves(device: &Device, stream: &Stream) {
    let (x, y) = (f16::from_f32(0.1), bf16::from_f32(-2.5));
    let printed = anabranch::private::output::capture(|| {
        k::prints(stream, &device.buffer_from(&[x]).unwrap(), &device.buffer_from(&[y]).unwrap()).unwrap();
        stream.synchronize().unwrap();
    });
    assert_eq!(printed[0].1, format!("{} {:?} {:.3}\n", x, (y, 1u8), x));
    let mut x_d = device.buffer_from(&[x; 3]).unwrap();
    k::clamps(stream, &mut x_d, f16::ONE, f16::MAX).unwrap();
    assert_eq!(x_d.to_vec().unwrap(), [f16::ONE; 3]);
    for (low, high) in [(f16::ONE, x), (f16::NAN, x)] {
        let error = k::clamps(stream, &mut x_d, low, high).and_then(|()| stream.synchronize()).unwrap_err();
        let message = panic_of(error, "src/kernels/halves.rs", "x[i].clamp(low, high)");
        assert!(message.contains("min > max"), "{message}");
    }
}
