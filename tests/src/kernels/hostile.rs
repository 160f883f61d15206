//! Kernels among names and traits that mislead whoever reads a program without asking rustc what
//! they mean. Each is safe Rust of a crate that means no harm.
#![allow(dead_code, clippy::items_after_statements, clippy::wrong_self_convention, reason = "what hides is hidden")]

pub use associated::{by_an_alias, by_an_alias_of_a_module, by_an_alias_of_a_trait, largest_of_an_alias};
pub use hygiene::twins;
pub use not_integers::{
    difference, less_and_equal, minimum, minimum_of_parameters, not_itself, of_a_field, one_place, product, remainder,
    rows_of_a_condition, rows_of_a_method, rows_of_a_range, stepped_on, there_and_back, there_and_back_by_rounds,
};
pub use operators::odd_sizes;
pub use traits::by_reference::with_lengths_by_reference;
pub use traits::by_value::{elements_of_an_array, past_the_end, sixteen_bytes};
pub use traits::uses::counted;

/// Traits in scope whose methods are called as those of generated code once were.
mod traits {
    /// Of every type, and by value: it comes before every method of the type itself that borrows.
    pub(super) mod by_value {
        use anabranch::prelude::*;

        trait Lanes: Sized {
            fn len(self) -> usize {
                1 << 40
            }
            fn is_empty(self) -> bool {
                true
            }
            fn step(self, by: usize) -> usize {
                by
            }
            fn into_iter(self) -> std::ops::Range<usize> {
                0..0
            }
            fn nth(self, _: usize) -> usize {
                0
            }
        }
        impl<T> Lanes for T {}

        /// Writes behind the end of a short buffer.
        #[kernel]
        pub fn past_the_end(y: &mut [f32], n: usize) {
            for i in par(0..n) {
                y[i + 1000] = 1.0;
            }
        }

        /// Sixteen elements, however long the buffer is.
        #[kernel]
        pub fn sixteen_bytes(y: &mut [u8]) {
            let n = 16;
            for i in par((0..n).step_by(1)) {
                y[i] = 1;
            }
        }

        /// The array has 4 elements, and so each iteration its own element.
        #[kernel]
        pub fn elements_of_an_array(y: &mut [u32]) {
            for i in par(0..10) {
                let a = [0u8; 4];
                y[i * a.len()] += 1 + u32::from(a.is_empty());
            }
        }
    }

    /// Of every type, by reference.
    pub(super) mod by_reference {
        use anabranch::prelude::*;

        trait Lanes {
            fn len(&self) -> usize {
                1
            }
            fn decided(&self) -> bool {
                true
            }
        }
        impl<T: ?Sized> Lanes for T {}

        /// Backwards, and with the length of what is written.
        #[kernel]
        pub fn with_lengths_by_reference(x: &[u32], y: &mut [u32], n: usize) {
            for i in par(0..n) {
                y[i] = x[x.len() - 1 - i] + y.len() as u32;
            }
        }
    }

    /// What a launch uses is not for users to say.
    pub(super) mod uses {
        use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

        use anabranch::prelude::*;

        trait Usage: Sized {
            fn usage<R>(self, _: &'static str) -> R {
                panic!("the launch has asked a trait of the user's")
            }
            fn to_device(self) -> Self {
                panic!("the launch has asked a trait of the user's")
            }
        }
        impl<T: Copy> Usage for T {}

        /// Counts what is not 0.
        #[kernel]
        pub fn counted(x: &[f32], out: &[AtomicU32]) {
            for i in par(0..x.len()) {
                if x[i] != 0.0 {
                    out[0].fetch_add(1, Relaxed);
                }
            }
        }
    }
}

/// Beyond every buffer, and called as a small number elsewhere.
pub const N: usize = 1_000_000_000;
/// The same for all iterations, and called as what keeps them apart elsewhere.
pub const STRIDE: usize = 0;

/// An inner block has its own `N`, but the index is that of outside: out of bounds.
#[kernel]
pub fn inner_constant(y: &mut [usize]) {
    for i in par(0..y.len()) {
        let small = {
            const N: usize = 0;
            N
        };
        y[i + N] = small;
    }
}

/// The other way round, and behind its use: in bounds.
#[kernel]
pub fn inner_constant_behind(y: &mut [usize]) {
    for i in par(0..y.len()) {
        let big = N;
        {
            y[i + N] = big;
            const N: usize = 0;
        }
    }
}

/// All iterations write one element, but for the constant of a block that none of them indexes
/// with.
#[kernel]
pub fn inner_stride(y: &mut [u32], z: &mut [u32]) {
    for i in par(0..z.len()) {
        z[i] = {
            const STRIDE: usize = 4;
            STRIDE as u32
        };
        y[i * STRIDE] += 1;
    }
}

/// Constants of types and modules, which an alias changes.
mod associated {
    use anabranch::prelude::*;

    mod big {
        pub(super) const N: usize = 1_000_000_000;
    }
    mod of {
        pub(super) const N: usize = 0;
    }
    struct Big;
    impl Big {
        const N: usize = 1_000_000_000;
    }
    struct S;
    impl S {
        const N: usize = 0;
    }
    trait Stride {
        const STRIDE: usize;
    }
    impl Stride for Big {
        const STRIDE: usize = 0;
    }
    impl Stride for S {
        const STRIDE: usize = 4;
    }

    /// Out of bounds.
    #[kernel]
    pub fn by_an_alias_of_a_module(y: &mut [f32]) {
        for i in par(0..y.len()) {
            use big as of;
            y[i + of::N] = 1.0;
        }
    }

    /// Out of bounds.
    #[kernel]
    pub fn by_an_alias(y: &mut [f32]) {
        for i in par(0..y.len()) {
            type S = Big;
            y[i + S::N] = 1.0;
        }
    }

    /// A race.
    #[kernel]
    pub fn by_an_alias_of_a_trait(y: &mut [u32]) {
        for i in par(0..y.len() / 4) {
            type S = Big;
            y[i * <S as Stride>::STRIDE] += 1;
        }
    }

    /// `u8::MAX` is 65,535 here: out of bounds of a thousand elements.
    #[kernel]
    #[allow(non_camel_case_types, reason = "that is the point")]
    pub fn largest_of_an_alias(y: &mut [f32]) {
        for i in par(0..y.len() / 2) {
            type u8 = u16;
            y[i + u8::MAX as usize] = 1.0;
        }
    }
}

/// A host function that returns another number each time: ranges that are spelled alike are not.
pub mod impure {
    use std::cell::Cell;

    use anabranch::prelude::*;

    thread_local! {
        /// How often [`start`] has been called.
        pub static CALLS: Cell<usize> = const { Cell::new(0) };
    }

    fn start() -> usize {
        1000 * CALLS.replace(CALLS.get() + 1)
    }

    /// `0..1004`, which is no 4 numbers.
    #[kernel]
    pub fn two_starts(y: &mut [u32]) {
        for (j, i) in par((0..1000, start()..start() + 4)) {
            y[4 * j + i] += 1;
        }
    }
}
pub use impure::two_starts;

/// Two variables of one spelling: one of the macro's, one of its caller's.
mod hygiene {
    use anabranch::prelude::*;

    macro_rules! kernel_with {
        ($a:ident) => {
            /// As many iterations as the two say that are called the same.
            #[kernel]
            pub fn twins(y: &mut [u32], $a: usize, n: usize) {
                for (j, i) in par((0..1000, $a..n + 4)) {
                    y[4 * j + i] += 1;
                }
            }
        };
    }
    kernel_with!(n);
}

/// Operators that obey no laws.
pub mod operators {
    use std::ops::{Add, Mul};

    use anabranch::prelude::*;

    /// Twice of it is 0, and the sum of two is 1000.
    #[derive(Clone, Copy)]
    pub struct Size;

    impl Mul<usize> for Size {
        type Output = usize;
        fn mul(self, _: usize) -> usize {
            0
        }
    }

    impl Add for Size {
        type Output = usize;
        fn add(self, _: Size) -> usize {
            1000
        }
    }

    /// `0..1004`.
    #[kernel]
    pub fn odd_sizes(y: &mut [u32], a: Size) {
        for (j, i) in par((0..1000, a * 2..a + a + 4)) {
            y[4 * j + i] += 1;
        }
    }
}

/// Methods of a user type that are called as those of integers, and do something else. Whoever
/// takes them for those of integers, knows that every index is in bounds, and that no two
/// iterations write one element.
pub mod not_integers {
    use anabranch::prelude::*;

    /// A number of elements.
    #[device]
    #[derive(Clone, Copy)]
    pub struct Far {
        /// How many.
        pub by: usize,
    }

    #[device]
    impl Far {
        /// At least as large as both.
        pub fn min(self, other: usize) -> usize {
            self.by + other
        }
        /// Not below the other.
        pub fn rem_euclid(self, other: usize) -> usize {
            self.by + other
        }
        /// The difference of two of these is not that of the others.
        pub fn wrapping_add(self, other: usize) -> usize {
            self.by + other * other
        }
    }

    /// Whether a field of a local is such a value.
    #[device]
    #[derive(Clone, Copy)]
    pub struct Inside {
        /// It is.
        pub far: Far,
    }

    #[device]
    impl std::ops::Mul<usize> for Far {
        type Output = [usize; 2];
        /// Whatever the other is.
        fn mul(self, _: usize) -> [usize; 2] {
            [self.by % 2, 0]
        }
    }

    /// An index of a grid that is no sum of numbers.
    #[kernel]
    pub fn one_place(grid: &mut Grid<u32, 2>, far: Far) {
        for i in par(0..grid.shape()[0]) {
            grid[far * i] = i as u32;
        }
    }

    /// Where it reads.
    #[kernel]
    pub fn minimum(x: &[u32], y: &mut [u32], far: Far) {
        for i in par(0..y.len().min(x.len())) {
            y[i] = x[far.min(i)];
        }
    }
    /// An element by a number that a function has made of its parameters.
    #[device]
    fn nearest(x: &[u32], far: Far, i: usize) -> u32 {
        let at = far.min(i / 2);
        x[at]
    }
    /// The same in a device function.
    #[kernel]
    pub fn minimum_of_parameters(x: &[u32], y: &mut [u32], far: Far) {
        for i in par(0..y.len().min(x.len())) {
            y[i] = nearest(&x, far, i);
        }
    }
    /// The same of a field.
    #[kernel]
    pub fn of_a_field(x: &[u32], y: &mut [u32], far: Far) {
        for i in par(0..y.len().min(x.len())) {
            let inside = Inside { far };
            let at = inside.far.min(i);
            y[i] = x[at];
        }
    }
    /// The same of a difference.
    #[kernel]
    pub fn difference(x: &[u32], y: &mut [u32], far: Far) {
        for i in par(0..y.len().min(x.len())) {
            let at = far.wrapping_add(i) - far.wrapping_add(0);
            y[i] = x[at];
        }
    }
    #[device]
    impl PartialEq for Far {
        /// Not even itself.
        fn eq(&self, _: &Far) -> bool {
            false
        }
    }
    #[device]
    impl PartialOrd<Far> for usize {
        /// All numbers are.
        fn partial_cmp(&self, _: &Far) -> Option<std::cmp::Ordering> {
            Some(std::cmp::Ordering::Less)
        }
    }
    #[device]
    impl PartialEq<Far> for usize {
        fn eq(&self, _: &Far) -> bool {
            true
        }
    }

    /// Two iterations write one element.
    #[kernel]
    #[allow(clippy::eq_op)]
    pub fn not_itself(y: &mut [u32], far: Far) {
        for i in par(0..y.len() - 1) {
            y[i] = 1;
            if far != far {
                y[i + 1] = 2;
            }
        }
    }
    /// The same where the values of two comparisons exclude each other.
    #[kernel]
    pub fn less_and_equal(y: &mut [u32], far: Far) {
        for i in par(0..y.len() - 1) {
            if i < far {
                y[i] = 1;
            }
            if i == far {
                y[i + 1] = 2;
            }
        }
    }
    #[device]
    impl std::ops::AddAssign<Far> for usize {
        fn add_assign(&mut self, far: Far) {
            *self = far.by;
        }
    }
    #[device]
    impl std::ops::SubAssign<Far> for usize {
        fn sub_assign(&mut self, _: Far) {}
    }
    #[device]
    impl std::ops::MulAssign<Far> for usize {
        fn mul_assign(&mut self, far: Far) {
            *self += far.by;
        }
    }

    /// What comes and goes again.
    #[kernel]
    pub fn there_and_back(y: &mut [u32], far: Far) {
        for i in par(0..y.len()) {
            let mut k = i;
            k += far;
            k -= far;
            y[k % 80] = 1;
        }
    }
    /// The same in a loop.
    #[kernel]
    pub fn there_and_back_by_rounds(y: &mut [u32], far: Far) {
        for i in par(0..y.len()) {
            let (mut k, mut l) = (i, 0);
            for _ in 0..3 {
                y[(k - l) % 80] = 1;
                k += far;
                l += far;
            }
        }
    }
    /// What has cancelled, in a phase whose iterations a variable of the block would tell apart.
    #[kernel]
    pub fn rows_of_a_range(y: &mut [u32], far: Far) {
        for block in par_blocks(0..1).threads(64) {
            let mut all = block.shared([0u32; 128]);
            let mut half = 32;
            while half > 0 {
                for t in block.par(0..half) {
                    let mut k = t;
                    k += far;
                    k -= far;
                    all[k] = 1;
                }
                half /= 2;
            }
            y[0] = all[0];
        }
    }
    /// The same of a condition.
    #[kernel]
    pub fn rows_of_a_condition(y: &mut [u32], far: Far) {
        for block in par_blocks(0..1).threads(64) {
            let mut all = block.shared([0u32; 128]);
            let mut half = 32;
            while half > 0 {
                for t in block.threads() {
                    let mut k = t;
                    k += far;
                    k -= far;
                    if t < half {
                        all[k] = all[t + half];
                    }
                }
                half /= 2;
            }
            y[0] = all[0];
        }
    }
    /// The same of the result of a method.
    #[kernel]
    pub fn rows_of_a_method(y: &mut [u32], far: Far) {
        for block in par_blocks(0..1).threads(64) {
            let mut all = block.shared([0u32; 128]);
            let mut by = Far { by: far.by % 64 };
            while by.by > 0 {
                for t in block.threads() {
                    all[by.wrapping_add(t)] = 1;
                }
                by = Far { by: by.by / 2 };
            }
            y[0] = all[0];
        }
    }
    /// No multiple of 0.
    #[kernel]
    pub fn product(y: &mut [u32], far: Far) {
        for i in par(0..y.len()) {
            let mut k = 0;
            k *= far;
            y[(i + k * i * i) % 80] = 1;
        }
    }
    /// Below what all numbers are below.
    #[kernel]
    pub fn stepped_on(y: &mut [u32], far: Far) {
        for i in par(0..3) {
            let (mut k, mut rounds) = (usize::MAX - 3, 0);
            while k < far {
                y[(i * 4).wrapping_add(k).wrapping_sub(usize::MAX - 3)] = 1;
                k += 1;
                rounds += 1;
                if rounds > 5 {
                    break;
                }
            }
        }
    }

    /// Where it writes.
    #[kernel]
    pub fn remainder(y: &mut [u32], far: Far) {
        for i in par(0..y.len() / 8) {
            y[8 * i + far.rem_euclid(8)] = 1;
        }
    }
}

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use anabranch::prelude::*;

/// A power has the type of its base, and not that of its exponent: it may be negative.
#[kernel]
pub fn power(y: &mut [u32], a: i64) {
    for i in par(0..1) {
        y[a.pow(3).min(7) as usize + i] = 77;
    }
}

/// The inner loop counts from `b % 256`.
#[kernel]
pub fn wrapped_counter(y: &mut [u32], n: usize, b: usize) {
    for i in par(0..n) {
        for j in (b as u8)..(b as u8).wrapping_add(4) {
            y[8 * i + j as usize] += 1;
        }
        y[8 * i + b] += 1;
    }
}

macro_rules! many_numbers {
    ($($v:ident)*) => {
        /// More numbers than a launch reckons with, if the ends of the range are counted.
        #[kernel]
        pub fn many_numbers(y: &mut [u32], x: &[u32], lo: usize, hi: usize, w: usize) {
            for i in par(lo..hi) {
                $(let $v = x[i];)*
                y[i * w] += $($v +)* 1;
            }
        }
    };
}
many_numbers! {
    a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
    e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
}

/// What each place makes of a sum, here as the macro's parameter `$n`, and of an `$c` of two
/// comparisons.
macro_rules! torn {
    ($n:expr, $c:expr, $a:ident, $s:stmt, $v:ident) => {
        /// Expressions of a macro's caller beside operators of the macro's.
        #[kernel]
        pub fn torn(y: &mut [usize], parts: &mut [usize], $a: usize) {
            #[device]
            fn scaled(z: usize) -> usize {
                $n * z * $n
            }
            let bare = $n;
            let host = bare * 2 * $n / $n;
            let negative = -$n as i32;
            let (mut front, mut back) = parts.split_at_mut($n * 2);
            for i in par(0..front.len()) {
                front[i] = 1;
            }
            for i in par((0..back.len()).step_by($n)) {
                back[i] = 2;
            }
            for i in par((0..$n * 2).step_by(2 * $n)) {
                const TWICE: usize = $n * 2;
                let array = [1usize; $n * 2];
                y[10 * i] = host;
                y[10 * i + 1] = (-negative) as usize;
                y[10 * i + 2] = TWICE;
                y[10 * i + 3] = array.len();
                y[10 * i + 4] = scaled(2);
                y[10 * i + 5] = 20 - $n * 2;
                y[10 * i + 6] = !$c as usize;
                $s
                y[10 * i + 7] = $v;
            }
        }

        /// The same in plain Rust.
        pub fn plainly_torn($a: usize) -> [usize; 8] {
            $s
            const TWICE: usize = $n * 2;
            let scaled = |z: usize| $n * z * $n;
            let array = [1usize; $n * 2];
            [$n * 2, (-$n as i32).unsigned_abs() as usize, TWICE, array.len(), scaled(2), 20 - $n * 2, !$c as usize, $v]
        }
    };
}
torn!(1 + 2, a == 3 || a == 4, a, let v = 5 + a, v);

/// Types of inner items.
pub mod inner_types {
    use anabranch::prelude::*;

    /// What `A` and `u16` are outside.
    pub type A = u16;
    /// What `u16` is inside.
    pub mod of {
        pub use std::primitive::u32 as u16;
    }

    /// Items of the body decide what a written type is.
    #[kernel]
    #[allow(non_camel_case_types, reason = "the name of a type of the language")]
    pub fn types_of_inner_items(y: &mut [u32], z: &mut [u32]) {
        for i in par(0..y.len()) {
            type A = u8;
            type Real = f64;
            let narrow = 300u32 as A;
            let half: Real = 0.5;
            let late: A;
            late = 7;
            y[i] = narrow as u32
                + <A>::wrapping_add(255, 1) as u32
                + <A>::leading_zeros(1)
                + (half * 2.0) as u32
                + late as u32;
            z[i] = {
                use self::of::u16;
                u16::wrapping_add(65535, 1) as u32 + u16::leading_zeros(1)
            };
        }
    }

    /// The same in plain Rust.
    pub fn plainly() -> [u32; 2] {
        type A = u8;
        let y = 300u32 as A as u32 + <A>::wrapping_add(255, 1) as u32 + <A>::leading_zeros(1) + 1 + 7;
        [y, u32::wrapping_add(65535, 1) + u32::leading_zeros(1)]
    }
}
pub use inner_types::types_of_inner_items;

/// A function that hides a parameter, and one that hides a variable, which hides an import.
#[kernel]
pub fn functions_that_hide_variables(y: &mut [u32], n: u32) {
    for i in par(0..y.len()) {
        let v = n;
        let called = {
            #[device]
            fn n() -> u32 {
                5
            }
            #[device]
            fn v<T: Int>(x: T) -> T {
                x + x
            }
            n() + v::<u32>(1)
        };
        y[i] = called + v;
    }
}

/// Steps over more numbers than a `u64` counts.
#[kernel]
pub fn giant_steps(counts: &[AtomicU32], last: &[AtomicU64]) {
    for k in par((0..=u64::MAX).step_by(usize::MAX)) {
        counts[0].fetch_add(1, Ordering::Relaxed);
        last[(k / u64::MAX) as usize].fetch_add(k, Ordering::Relaxed);
    }
    for _ in par((i64::MIN..=i64::MAX).step_by(usize::MAX)) {
        counts[1].fetch_add(1, Ordering::Relaxed);
    }
    for k in par((0u128..1 << 68).step_by(1 << 63)) {
        counts[2 + (k >> 63) as usize].fetch_add(1, Ordering::Relaxed);
    }
}

const GO: u32 = 3;

/// The pattern means the constant around the loop, of whose name the body has one of its own.
#[kernel]
pub fn constants_of_bodies(y: &mut [u32]) {
    for i in par(0..y.len()) {
        let (mut state, mut n) = (3, 0);
        while let GO = state {
            const GO: u32 = 4;
            state = GO;
            n += 1;
        }
        y[i] = n;
    }
}

/// A number, if it is small.
#[device]
fn small(at: usize) -> usize {
    assert!(at < 5, "the start is small");
    at
}

/// The sum of a part.
#[device]
fn sum_of(x: &[f32]) -> f32 {
    let mut sum = 0.0;
    for k in 0..x.len() {
        sum += x[k];
    }
    sum
}

/// The start of a range fails before its end does.
#[kernel]
pub fn starts_come_first(y: &mut [f32], x: &[f32], from: usize, last: usize) {
    for i in par(0..y.len()) {
        y[i] = sum_of(&x[small(from)..=last]);
    }
}

/// An element of a part of a buffer.
#[device]
fn element(s: &[f32], i: usize) -> f32 {
    s[i]
}

/// The part begins at `n - n % 256`, which is no 0.
#[kernel]
pub fn behind_a_part(y: &mut [f32], x: &[f32], n: usize) {
    let m = x.len() - 1;
    for i in par(0..y.len()) {
        y[i] = element(&x[n - (n as u8) as usize..], m);
    }
}

/// Two routes from a float to an index cancel only where both end at one number.
#[kernel]
pub fn two_routes(y: &mut [f32], f: f32) {
    for i in par(0..y.len()) {
        y[i + (f as usize - (f as isize) as usize)] = 1.0;
    }
}

/// The same as a factor: all iterations may write one element.
#[kernel]
pub fn two_routes_of_a_factor(y: &mut [f32], f: f32) {
    for i in par(0..y.len()) {
        y[i * (1 + (f as isize) as usize - f as usize)] = i as f32;
    }
}

/// A number with a constant of floats, and with a float in a struct.
#[device]
#[derive(Clone, Copy)]
pub struct Float {
    /// The float.
    pub f: f32,
}

const BELOW: f32 = -1000.0;

#[device]
fn by_two_routes(x: &[f32], i: usize, of: Float, constant: bool) -> f32 {
    if constant {
        x[i + (BELOW as usize - (BELOW as isize) as usize)]
    } else {
        x[i + (of.f as usize - (of.f as isize) as usize)]
    }
}

/// The same in a function.
#[kernel]
pub fn two_routes_in_a_function(y: &mut [f32], x: &[f32], of: Float, constant: bool) {
    for i in par(0..y.len()) {
        y[i] = by_two_routes(&x, i, of, constant);
    }
}

/// Two numbers, by two operators that are spelled alike.
#[device]
#[derive(Clone, Copy)]
pub struct Two {
    /// By an index of 8 bits.
    pub a: usize,
    /// By one of 16.
    pub b: usize,
}

#[device]
impl std::ops::Index<u8> for Two {
    type Output = usize;
    fn index(&self, _: u8) -> &usize {
        &self.a
    }
}

#[device]
impl std::ops::Index<u16> for Two {
    type Output = usize;
    fn index(&self, _: u16) -> &usize {
        &self.b
    }
}

/// They do not cancel.
#[kernel]
pub fn two_operators(y: &mut [f32], w: Two) {
    for i in par(0..y.len()) {
        y[i + (w[0u8] - w[0u16])] = 1.0;
    }
}

/// Nor in a factor.
#[kernel]
pub fn two_operators_of_a_factor(y: &mut [f32], w: Two) {
    for i in par(0..y.len()) {
        y[i * (1 + w[0u8] - w[0u16])] = i as f32;
    }
}

/// Nor in shared memory, nor in the length of a phase.
#[kernel]
pub fn two_operators_in_a_block(y: &mut [u32], w: Two, long: bool) {
    for block in par_blocks(0..y.len()).threads(64) {
        let mut tile = block.shared([0u32; 64]);
        if long {
            for t in block.par(w[0u8]..w[0u16]) {
                tile[t % 4] = t as u32;
            }
        } else {
            for t in block.threads() {
                tile[t * (1 + w[0u8] - w[0u16])] = t as u32;
            }
        }
        for _t in block.par(0..1) {
            y[block.index()] = tile[0];
        }
    }
}

/// Shifts by 2, if a float has all digits of `h`.
#[kernel]
pub fn shifted_by_digits(y: &mut [f32], x: &[f32], h: usize, left: bool) {
    for i in par(0..y.len()) {
        y[i] = if left { x[i << ((h as f32) as usize + 2 - h)] } else { x[(4 * i) >> ((h as f32) as usize + 2 - h)] };
    }
}

super::sources! {
    behind_a_part, two_routes, two_routes_of_a_factor, two_routes_in_a_function, two_operators, two_operators_of_a_factor,
    two_operators_in_a_block, shifted_by_digits,
    constants_of_bodies, starts_come_first, torn, functions_that_hide_variables, types_of_inner_items, giant_steps, power, wrapped_counter, many_numbers, past_the_end, sixteen_bytes, elements_of_an_array, with_lengths_by_reference, counted, inner_constant, inner_constant_behind,
    inner_stride, by_an_alias_of_a_module, by_an_alias, by_an_alias_of_a_trait, largest_of_an_alias, two_starts, twins, odd_sizes, minimum, minimum_of_parameters, of_a_field, difference, remainder, not_itself, less_and_equal,
    there_and_back, there_and_back_by_rounds, product, stepped_on, one_place, rows_of_a_range, rows_of_a_condition, rows_of_a_method,
}
