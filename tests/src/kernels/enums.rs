//! Enums in buffers, as values, and in patterns; `Option`, `Result` and `?`. [`plain`] has the same functions without `#[kernel]`, as ordinary
//! Rust.

use anabranch::prelude::*;

/// What a cell is: in buffers one byte.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Changes.
    Fluid = 7,
    /// Does not change.
    Wall,
}

/// Each as a kernel here and as an ordinary function in `plain`.
macro_rules! kernels {
    ($($(#[doc = $doc:literal])* fn $name:ident($($params:tt)*) $body:block)*) => {
        $(
            $(#[doc = $doc])*
            #[kernel]
            pub fn $name($($params)*) $body
        )*

        /// The same without a device.
        #[allow(clippy::needless_range_loop, clippy::ptr_arg, reason = "they read as the kernels do")]
        pub mod plain {
            use super::super::patterns::par::par;
            use super::Cell;
            $(
                $(#[doc = $doc])*
                pub fn $name($($params)*) $body
            )*
        }

        super::sources! { $($name),* }
    };
}

kernels! {
    /// Enums without fields.
    fn cells(x: &mut [Cell], y: &mut [u32]) {
        for i in par(0..x.len()) {
            y[i] = x[i] as u32;
            x[i] = match x[i] {
                Cell::Empty if i % 2 == 0 => Cell::Wall,
                Cell::Empty => Cell::Fluid,
                Cell::Wall => Cell::Empty,
                same => same,
            };
            if matches!(x[i], Cell::Wall | Cell::Fluid) {
                y[i] += 100;
            }
        }
    }
}
