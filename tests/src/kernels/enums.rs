//! Enums in buffers, as values, and in patterns; `Option`, `Result` and `?`. [`plain`] has the same
//! functions without `#[kernel]`, as ordinary Rust.

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
    #[cfg(any())]
    /// A variant that is not there.
    None(String),
}

/// Negative discriminants, and none is 0.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i16)]
pub enum Sign {
    /// Less than zero.
    Minus = -1,
    /// More than zero.
    Plus = 1,
}

/// A cell with a sign: zeros are no value of it.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charged {
    /// The sign.
    pub sign: Sign,
    /// The cell.
    pub cell: Cell,
    /// Other cells.
    pub around: [Cell; 3],
}

/// Discriminants that 32 bits do not hold.
#[allow(clippy::enum_clike_unportable_variant, reason = "devices have 64 bits")]
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Far {
    /// Near.
    Near = -1,
    /// Far.
    Away = 1 << 40,
}

/// More room than its number needs: not in buffers.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8, align(16))]
pub enum Roomy {
    /// One.
    One = 1,
    /// Three.
    Three = 3,
}

/// One variant, which no byte of memory tells apart; in C++ its number is not 0.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Only {
    /// The one.
    One = 5,
}

/// Variants of all kinds, with names that C++ reserves and types that are called like variants.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure<T> {
    /// Nothing.
    Empty,
    /// A radius.
    Disc(T),
    /// Two sides.
    Rect {
        /// The first.
        w: T,
        /// The second.
        float: T,
    },
    /// An enum in an enum.
    Charged(Charged, Option<Far>),
    /// Fields without a size.
    Marked((), Only, u8, [Only; 2]),
    /// Not made by any kernel.
    Never(u128),
}

/// A value that is nothing but its variant.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tagged {
    /// No member in C++.
    pub only: Only,
    /// Several of them.
    pub all: [Only; 2],
    /// A number.
    pub value: u32,
}

/// Why there is no result.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// Divides by zero.
    Zero,
    /// The value is too large.
    Large(u32),
}

/// A constant of an enum, and such constants in patterns.
pub const UNIT: Figure<i32> = Figure::Disc(1);
/// The same with parts.
pub const PAIR: (Option<u32>, Cell) = (Some(3), Cell::Wall);
/// A table.
pub const CYCLE: [Cell; 4] = [Cell::Empty, Cell::Fluid, Cell::Wall, Cell::Fluid];

/// Variants by other names: two of them change places.
pub mod renamed {
    pub use super::Cell::{Empty as Wall, Fluid, Wall as Empty};
    pub use super::Figure::{Disc as Rect, Rect as Disc};
}

/// Halves even numbers.
#[device]
pub fn half(x: u32) -> Option<u32> {
    if x % 2 == 0 { Some(x / 2) } else { None }
}

/// `?` as an operand, a statement, and a value.
#[device]
pub fn eighth(x: u32, steps: &mut u32) -> Option<u32> {
    *steps += 1;
    let quarter = half(half(x)?)?;
    *steps += 10;
    half(quarter)?;
    *steps += 100;
    Some(half(quarter)? + 1)
}

/// A result.
#[device]
pub fn divided(a: u32, b: u32) -> Result<u32, Failure> {
    if b == 0 {
        return Err(Failure::Zero);
    }
    match a / b {
        large @ 100.. => Err(Failure::Large(large)),
        q => Ok(q),
    }
}

/// `?` in loops, arms and operands that are evaluated in order.
#[device]
pub fn chain(a: u32, b: u32, steps: &mut u32) -> Result<(u32, Cell), Failure> {
    let mut sum = 0;
    for k in 0..3 {
        *steps += 1;
        sum += divided(a, b + k)?
            + match divided(a, k + 1)? {
                0 => divided(1, b)?,
                q => q,
            };
    }
    let parts = (count(steps), divided(sum, b)?, count(steps));
    Ok((parts.0 + parts.1 + parts.2, Cell::Fluid))
}

/// Counts, and returns what it has counted.
#[device]
pub fn count(n: &mut u32) -> u32 {
    *n += 1;
    *n
}

/// Generic in what it may not have.
#[device]
pub fn or<T: DeviceValue>(x: Option<T>, otherwise: T) -> T {
    if let Some(x) = x { x } else { otherwise }
}

/// An enum by reference.
#[device]
pub fn grow(figure: &mut Figure<i32>, by: &Figure<i32>) -> i32 {
    *figure = match (*figure, *by) {
        (Figure::Disc(a), Figure::Disc(b)) => Figure::Disc(a + b),
        (Figure::Rect { w, .. }, Figure::Disc(h)) | (Figure::Disc(h), Figure::Rect { w, .. }) => {
            Figure::Rect { float: h, w }
        }
        (other, Figure::Empty) => other,
        _ => Figure::Empty,
    };
    match *figure {
        Figure::Disc(r) => r,
        Figure::Rect { w, float: h } => w * h,
        _ => -1,
    }
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
        #[allow(clippy::question_mark, clippy::manual_let_else, clippy::manual_unwrap_or, clippy::single_match_else, reason = "likewise")]
        pub mod plain {
            use super::super::patterns::par::par;
            use super::{CYCLE, Cell, Charged, Failure, Far, Figure, Only, PAIR, Roomy, Sign, Tagged, UNIT};
            use super::{chain, count, divided, eighth, grow, half, or, renamed};
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
                Cell::Empty if i % 3 == 0 => Cell::Wall,
                Cell::Empty => CYCLE[i % 4],
                Cell::Wall => Cell::Empty,
                same => same,
            };
            if matches!(x[i], Cell::Wall | Cell::Fluid) {
                y[i] += 100;
            }
        }
    }

    /// Enums in structs of buffers, and all casts.
    fn charges(x: &mut [Charged], y: &mut [i64], far: Far) {
        for i in par(0..x.len()) {
            let Charged { sign, cell, .. } = x[i];
            x[i].sign = match sign { Sign::Plus => Sign::Minus, Sign::Minus => Sign::Plus };
            x[i].around[i % 3] = cell;
            if let Charged { sign: Sign::Plus, around: [.., Cell::Wall], .. } = x[i] {
                x[i].cell = Cell::Fluid;
            }
            let near = match far { Far::Near => Far::Away, Far::Away => Far::Near };
            y[i] = sign as i64 + (sign as u8) as i64 + far as i64 + near as u32 as i64 + Only::One as i64 + x[i].cell as i64;
        }
    }

    /// Enums with fields, generic, in arrays and tuples.
    fn figures(y: &mut [i32], extra: Figure<i32>) {
        for i in par(0..y.len()) {
            let k = i as i32;
            let charged = Charged { sign: Sign::Plus, cell: CYCLE[i % 4], around: [Cell::Wall, Cell::Fluid, Cell::Empty] };
            let mut figure = match k % 6 {
                0 => Figure::Empty,
                1 => Figure::Disc(k),
                2 => Figure::Rect { float: k, w: 2 },
                3 => Figure::Charged(charged, Some(Far::Away)),
                4 => Figure::Marked((), Only::One, 7, [Only::One; 2]),
                _ => extra,
            };
            let all = [figure, extra, UNIT];
            y[i] = 0;
            for figure in all {
                y[i] += match figure {
                    Figure::Empty => 1,
                    UNIT => 10,
                    Figure::Disc(r @ (2 | 4..=40)) if r % 2 == 1 => r,
                    Figure::Disc(n) | Figure::Rect { w: n, float: 8 } => n + 1000,
                    Figure::Rect { w, float } => w * float,
                    Figure::Charged(Charged { cell: Cell::Wall, .. }, ..) => 7,
                    Figure::Charged(Charged { around: [first, .., last], .. }, Some(Far::Away)) => first as i32 - last as i32,
                    Figure::Charged(_, None | Some(Far::Near)) => 9,
                    Figure::Marked(.., Only::One, n, [_, only]) => n as i32 + only as i32,
                    Figure::Never(_) => 11,
                };
            }
            y[i] += grow(&mut figure, &extra) + grow(&mut figure, &UNIT);
            let Figure::Disc(n) = figure else { continue };
            y[i] -= n;
        }
    }

    /// `Option` in every form.
    fn options(x: &[u32], y: &mut [u32], limit: Option<u32>) {
        for i in par(0..x.len()) {
            let nothing = None;
            let mut best = nothing;
            for k in 0..4 {
                let Some(h) = half(x[i] + k) else { continue };
                best = match best {
                    None => Some((h, k)),
                    Some((b, _)) if b >= h => best,
                    Some(_) => Some((h, k)),
                };
            }
            y[i] = match (best, limit) {
                (Some((b, 2)), Some(limit)) if b > limit => limit,
                (Some((b, k)), _) => b + k,
                (None, Some(n)) => n,
                (None, None) => 0,
            };
            let mut steps = 0;
            let mut next = Some(x[i]);
            while let Some(n) = next {
                next = half(n + 1);
                steps += 1;
                if steps > 20 {
                    next = None;
                }
            }
            let nested: Option<Option<u32>> = if steps > 3 { Some(half(steps)) } else { None };
            y[i] += match nested { Some(Some(n)) => n, Some(None) => 50, None => 70 } + or(half(y[i]), 3) + or(None, 1);
            let far = (x[i] as u8).checked_add(y[i] as u8);
            let signed = (x[i] as i8).checked_mul(3).unwrap_or(-7).checked_neg().unwrap_or(1).checked_shl(x[i]);
            if far.is_none() || signed.is_some() && half(x[i]).is_some() {
                y[i] += far.unwrap_or(3) as u32 + signed.unwrap_or(9) as u32 % 16;
            }
            y[i] += divided(x[i], y[i] % 2).unwrap_or(5).checked_sub(4).unwrap_or(6) + divided(1, y[i] % 2).is_err() as u32;
            y[i] += match (half(y[i]), CYCLE[i % 4]) { PAIR => 1000, (Some(..), Cell::Wall) => 2000, _ => 0 };
        }
    }

    /// `Result` and `?`.
    fn results(x: &[u32], y: &mut [u32]) {
        for i in par(0..x.len()) {
            let mut steps = 0;
            let chained = chain(x[i], i as u32 % 5, &mut steps);
            y[i] = match chained {
                Ok((n, Cell::Fluid)) => n,
                Ok(_) => 1,
                Err(Failure::Zero) => 2,
                Err(Failure::Large(n)) => n + 3,
            };
            if let Err(Failure::Zero) | Ok((0, _)) = chained {
                y[i] += 10_000;
            }
            if let Some(n) = eighth(x[i], &mut steps) {
                y[i] += n;
            }
            let last: Result<u32, (Failure, u8)> = match divided(steps, 2) { Ok(n) => Ok(n), Err(why) => Err((why, 3)) };
            y[i] += match last { Ok(n) | Err((Failure::Large(n), _)) => n, Err((Failure::Zero, n)) => n as u32 } + steps;
        }
    }

    /// Operands of variants in Rust's order, scrutinees that write, and guards that count.
    fn orders(y: &mut [u32]) {
        for i in par(0..y.len()) {
            let mut n = i as u32 % 4;
            let figure = Figure::Rect { float: count(&mut n), w: count(&mut n) };
            let pair = Some((count(&mut n), n));
            y[i] = match Some(count(&mut n)) {
                Some(1..=4) if count(&mut n) > 6 => 1,
                Some(k) if count(&mut n) + k > 12 => k,
                _ => 7,
            };
            y[i] += match figure { Figure::Rect { w, float } => w * 10 + float, _ => 0 };
            y[i] = y[i] * 100 + match pair { Some((a, b)) | Some((b, a)) if count(&mut n) % 3 == 1 => a * 2 + b, _ => n };
        }
    }

    /// Names that rustc resolves: renamed, imported and shadowed variants, and enums that are never
    /// told apart.
    fn names(y: &mut [u32]) {
        #[allow(non_upper_case_globals)]
        const Two: u32 = 2;
        use renamed::{Disc, Empty, Fluid, Rect, Wall};
        type Shape = Figure<u32>;
        for i in par(0..y.len()) {
            let cell = match i % 3 { 0 => Empty, 1 => Wall, _ => Fluid };
            y[i] = match cell { Empty => 1, Wall => 20, Fluid => 300 };
            let shape = if i % 2 == 0 { Rect(4) } else { Disc { w: 5, float: 6 } };
            y[i] += match shape { Rect(n) => n * 1000, Disc { w, float } => w * float * 1000, Shape::Empty => 1, _ => 2 };
            y[i] += match i as u32 % 4 { #[allow(non_upper_case_globals)] Two => 1_000_000, _ => Cell::Wall as u32 };
            let mut tagged = Tagged { only: Only::One, all: [Only::One; 2], value: y[i] };
            tagged.only = tagged.all[1];
            y[i] = tagged.value + tagged.only as u32 + tagged.all[0] as u32;
            tagged.all = [tagged.only; 2];
            let Tagged { only: Only::One, value, .. } = tagged;
            let roomy = if i % 2 == 0 { Roomy::One } else { Roomy::Three };
            y[i] += value + roomy as u32;
        }
    }
}
