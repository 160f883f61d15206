//! Operands of every type: the edges, crossed with each other, then random ones from a fixed seed.

/// Splitmix64: small, and the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// Sets of operands behind the crossed edges.
const RANDOM_SETS: usize = 1500;

/// How many sets of operands there are for columns with these numbers of edges. The edges of the
/// first column are rows, along which the others go.
#[derive(Clone, Copy)]
pub(crate) struct Sets {
    rows: usize,
    row: usize,
}

impl Sets {
    pub(crate) fn new(edges: &[usize]) -> Self {
        Self { rows: edges[0], row: edges[1..].iter().copied().max().unwrap_or(1) }
    }

    pub(crate) fn len(self) -> usize {
        self.rows * self.row + RANDOM_SETS
    }

    /// The operands of one column. Its edges meet each edge of the first column; behind them all
    /// are random, and every fourth is an edge again.
    pub(crate) fn column<T: Operand>(self, column: usize) -> Vec<T> {
        let edges = T::edges();
        let mut random = Random(column as u64);
        let operand = |set: usize| {
            let (row, at) = (set / self.row, set % self.row);
            match column {
                _ if row >= self.rows && random.below(4) == 0 => edges[random.below(edges.len())],
                _ if row >= self.rows => T::random(&mut random),
                0 => edges[row],
                // Beside the same row, each column begins elsewhere.
                _ => edges[(at + (column - 1) * (row + 1)) % edges.len()],
            }
        };
        (0..self.len()).map(operand).collect()
    }
}

/// A type of operands and results.
pub(crate) trait Operand: anabranch::Scalar {
    /// Where an operation may change its mind.
    fn edges() -> Vec<Self>;
    /// Any value.
    fn random(random: &mut Random) -> Self;
    /// How far two results are apart in units in the last place: 0 for equal bits and for any two
    /// NaN.
    fn apart(self, other: Self) -> u128;
}

macro_rules! ints {
    ($($t:ident)*) => { $(
        impl Operand for $t {
            fn edges() -> Vec<Self> {
                let bits = Self::BITS as Self;
                let half: Self = 1 << (Self::BITS / 2);
                let mut edges = vec![0, 1, 2, 3, 5, 10, bits - 1, bits, bits + 1, half - 1, half];
                edges.extend([Self::MAX / 3, Self::MAX / 2 + 1, Self::MAX - 1, Self::MAX, Self::MIN, Self::MIN + 1]);
                edges.extend([1, 2, 3, 7, half].map(|n: Self| n.wrapping_neg()));
                edges
            }
            fn random(random: &mut Random) -> Self {
                // of random length, so that products and quotients are not all of one kind
                let length = random.below(128);
                let bits = match random.below(4) {
                    // half-way between two floats, or just beside it
                    0 => {
                        let below = [23, 24, 25, 52, 53, 54][random.below(6)];
                        (1 << length | 1 << length.saturating_sub(below)) + random.wide() % 3 - 1
                    }
                    _ => random.wide() >> length,
                };
                let value = if random.below(2) == 0 { bits } else { bits.wrapping_neg() };
                value as Self
            }
            fn apart(self, other: Self) -> u128 {
                u128::from(self != other)
            }
        }
    )* };
}
ints! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

impl Operand for bool {
    fn edges() -> Vec<Self> {
        vec![false, true]
    }
    fn random(random: &mut Random) -> Self {
        random.below(2) == 0
    }
    fn apart(self, other: Self) -> u128 {
        u128::from(self != other)
    }
}

macro_rules! floats {
    ($($t:ident $Bits:ident $digits:expr;)*) => { $(
        impl Operand for $t {
            fn edges() -> Vec<Self> {
                let mut edges = vec![0.0, 0.3, 0.5, 1.0, 1.5, 2.5, 3.0, 10.0, 88.7, 709.8, 1e-5, std::$t::consts::PI];
                edges.extend([Self::EPSILON, Self::MAX, Self::MIN_POSITIVE, Self::INFINITY, Self::NAN]);
                edges.extend([Self::from_bits(1), Self::MIN_POSITIVE / 3.0]);
                edges.extend([1.0 - Self::EPSILON / 2.0, 1.0 + Self::EPSILON, 0.5 - Self::EPSILON / 4.0]);
                // where integer types and the fractions of floats end
                edges.extend([7, 31, 32, 63, $digits - 2, $digits - 1, $digits, 127].map(|n| (2.0 as Self).powi(n)));
                edges.extend([7, 32, 64, 127].map(|n| (2.0 as Self).powi(n).next_down()));
                edges.iter().flat_map(|&x| [x, -x]).collect()
            }
            fn random(random: &mut Random) -> Self {
                let unit = random.next() as i64 as Self / i64::MAX as Self;
                match random.below(4) {
                    // which NaN comes of a signalling one is not specified
                    0 => Some(Self::from_bits(random.wide() as $Bits)).filter(|x| !x.is_nan()).unwrap_or(Self::NAN),
                    1 => unit,
                    2 => unit * 100.0,
                    _ => (random.next() as i16) as Self / 2.0,
                }
            }
            fn apart(self, other: Self) -> u128 {
                if self.is_nan() || other.is_nan() {
                    return if self.is_nan() && other.is_nan() { 0 } else { u128::MAX };
                }
                // bits as a line on which neighbours are 1 apart, and so are the two zeros
                let line = |x: Self| {
                    let size = i128::from(x.abs().to_bits());
                    if x.is_sign_negative() { -1 - size } else { size }
                };
                line(self).abs_diff(line(other))
            }
        }
    )* };
}
floats! { f32 u32 24; f64 u64 53; }
