//! What can be sorted.

use crate::{Int, Num, device};

/// A number that can be sorted: the integers and the floats.
///
/// Floats have the order of `total_cmp`: negative NaNs, -∞, negative numbers, -0.0, 0.0, positive
/// numbers, ∞, positive NaNs.
#[device(crate = crate)]
pub trait Key: Num {
    /// An unsigned integer of the same size.
    type Bits: Int;

    /// Bits whose order as an unsigned integer is the order of the keys.
    fn ordered_bits(self) -> Self::Bits;
}

macro_rules! keys {
    (unsigned: $($t:ident)*) => { $(
        #[device(crate = crate)]
        impl Key for $t {
            type Bits = $t;
            fn ordered_bits(self) -> $t {
                self
            }
        }
    )* };
    (signed: $($t:ident $bits:ident)*) => { $(
        #[device(crate = crate)]
        impl Key for $t {
            type Bits = $bits;
            fn ordered_bits(self) -> $bits {
                (self ^ $t::MIN) as $bits
            }
        }
    )* };
    (floats: $($t:path, $bits:ident, $signed:ident;)*) => { $(
        #[device(crate = crate)]
        impl Key for $t {
            type Bits = $bits;
            fn ordered_bits(self) -> $bits {
                let bits = self.to_bits();
                // All bits of a negative number change, of another one its sign alone.
                bits ^ ((bits as $signed >> ($signed::BITS - 1)) | $signed::MIN) as $bits
            }
        }
    )* };
}
keys! { unsigned: u8 u16 u32 u64 u128 usize }
keys! { signed: i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize }
keys! { floats: f32, u32, i32; f64, u64, i64; }
#[cfg(feature = "half")]
keys! { floats: half::f16, u16, i16; half::bf16, u16, i16; }
