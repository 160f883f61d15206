//! Values of every type, edges first, then random ones from a fixed seed.

/// Splitmix64: small, and the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() >> 63 == 0
    }

    pub(crate) fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// A type that travels as the lowest bits of 128.
pub(crate) trait Value: Copy + 'static {
    const NAME: &'static str;
    fn from_wide(bits: u128) -> Self;
    fn wide(self) -> u128;
    fn edges() -> Vec<Self>;
    fn random(random: &mut Random) -> Self;
    /// Distance in units in the last place; 0 for equal bits and for any two NaN.
    fn distance(self, other: Self) -> u128;
}

macro_rules! int {
    ($($T:ident $U:ident),*) => {$(
        impl Value for $T {
            const NAME: &'static str = stringify!($T);
            fn from_wide(bits: u128) -> Self {
                bits as Self
            }
            fn wide(self) -> u128 {
                self as $U as u128
            }
            fn edges() -> Vec<Self> {
                let bits = Self::BITS as Self;
                let mut edges = vec![0, 1, 2, 3, 10, bits - 1, bits, Self::MAX, Self::MAX - 1, Self::MIN, Self::MIN + 1];
                let half = 1 << (Self::BITS / 2);
                edges.extend([half, half - 1, 2 * half - 1, Self::MAX / 3]);
                edges.extend([1, 2, 7].map(|n: Self| n.wrapping_neg()));
                edges
            }
            fn random(random: &mut Random) -> Self {
                // of random length, so that products and quotients do not all saturate
                let length = random.next() % 128;
                let bits = match random.next() % 4 {
                    // half-way between two floats, or just above it
                    0 => {
                        let below = [23, 24, 25, 52, 53, 54][random.next() as usize % 6];
                        (1 << length) | (1 << length.saturating_sub(below)) | u128::from(random.coin())
                    }
                    _ => random.wide() >> length,
                };
                let value = if random.coin() { bits } else { bits.wrapping_neg() };
                value as Self
            }
            fn distance(self, other: Self) -> u128 {
                u128::from(self != other)
            }
        }
    )*};
}
int!(i8 u8, i16 u16, i32 u32, i64 u64, i128 u128, isize usize, u8 u8, u16 u16, u32 u32, u64 u64, u128 u128, usize usize);

impl Value for bool {
    const NAME: &'static str = "bool";
    fn from_wide(bits: u128) -> Self {
        bits != 0
    }
    fn wide(self) -> u128 {
        u128::from(self)
    }
    fn edges() -> Vec<Self> {
        vec![false, true]
    }
    fn random(random: &mut Random) -> Self {
        random.coin()
    }
    fn distance(self, other: Self) -> u128 {
        u128::from(self != other)
    }
}

macro_rules! float {
    ($T:ident, $U:ident, $I:ident) => {
        impl Value for $T {
            const NAME: &'static str = stringify!($T);
            fn from_wide(bits: u128) -> Self {
                Self::from_bits(bits as $U)
            }
            fn wide(self) -> u128 {
                u128::from(self.to_bits())
            }
            fn edges() -> Vec<Self> {
                let powers = [7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 127, 128];
                let mut positive =
                    vec![0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 0.3, 45.6, 1e-3, Self::MAX, Self::MIN_POSITIVE, Self::INFINITY];
                positive.extend([
                    Self::from_bits(1),
                    Self::MIN_POSITIVE / 4.0,
                    core::f64::consts::PI as Self,
                    1.0 - Self::EPSILON / 2.0,
                    2.0 * Self::MAX,
                ]);
                for power in powers {
                    let power = (2.0 as Self).powi(power);
                    positive.extend([
                        power,
                        power - 0.5,
                        power - 1.0,
                        Self::from_bits(power.to_bits() - 1),
                        Self::from_bits(power.to_bits() + 1),
                    ]);
                }
                positive.retain(|x| !x.is_nan());
                positive.push(Self::NAN);
                positive.iter().flat_map(|&x| [x, -x]).collect()
            }
            fn random(random: &mut Random) -> Self {
                match random.next() % 4 {
                    // what a signalling NaN does is not specified: it becomes a quiet one
                    0 => Some(Self::from_bits(random.next() as $U)).filter(|x| !x.is_nan()).unwrap_or(Self::NAN),
                    1 => (random.next() as i64 as f64 / i64::MAX as f64) as Self,
                    2 => (random.next() as i64 as f64 / i64::MAX as f64 * 100.0) as Self,
                    _ => (random.next() as i16) as Self / 2.0,
                }
            }
            fn distance(self, other: Self) -> u128 {
                if self.is_nan() || other.is_nan() {
                    return if self.is_nan() && other.is_nan() { 0 } else { u128::MAX };
                }
                // bits as a line on which neighbours differ by 1, with -0 next to +0
                let line = |x: Self| {
                    if x.is_sign_negative() { -1 - i128::from(x.abs().to_bits()) } else { i128::from(x.to_bits()) }
                };
                line(self).abs_diff(line(other))
            }
        }
    };
}
float!(f32, u32, i32);
float!(f64, u64, i64);
