//! `as`, `from` and `cast`.

/// `as` from every type that has it to this one, and `from` where nothing can be lost.
macro_rules! casts_to {
    ($T:ident: as $($as:ident: $As:ident)*; from $($from:ident: $From:ident)*) => {
        operations! { casts [] ($($as: $As),*) -> $T { $($as: $as as $T),* } }
        operations! { conversions [] ($($from: $From),*) -> $T { $($from: $T::from($from)),* } }
    };
}

/// `as` from one type to every other one.
macro_rules! casts_from {
    ($T:ident) => {
        operations! { casts [] (x: $T) -> u128 {
            i8: x as i8 as u128,
            i16: x as i16 as u128,
            i32: x as i32 as u128,
            i64: x as i64 as u128,
            i128: x as i128 as u128,
            isize: x as isize as u128,
            u8: x as u8 as u128,
            u16: x as u16 as u128,
            u32: x as u32 as u128,
            u64: x as u64 as u128,
            u128: x as u128,
            usize: x as usize as u128,
            f32: (x as f32).to_bits() as u128,
            f64: (x as f64).to_bits() as u128,
        } }
    };
}

/// The same in generic code.
macro_rules! generic_casts {
    () => {
        operations! { casts [T: Num] (x: T) -> u128 {
            i8: x.cast::<i8>() as u128,
            i16: x.cast::<i16>() as u128,
            i32: x.cast::<i32>() as u128,
            i64: x.cast::<i64>() as u128,
            i128: x.cast::<i128>() as u128,
            isize: x.cast::<isize>() as u128,
            u8: x.cast::<u8>() as u128,
            u16: { let y: u16 = x.cast(); y as u128 },
            u32: { let y: u32 = x.cast(); y as u128 },
            u64: { let y: u64 = x.cast(); y as u128 },
            u128: x.cast(),
            usize: { let y: usize = x.cast(); y as u128 },
            f32: x.cast::<f32>().to_bits() as u128,
            f64: x.cast::<f64>().to_bits() as u128,
        } }
    };
}
