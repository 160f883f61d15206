//! What device code prints, and the messages of its failed checks.

use anabranch::prelude::*;

/// A struct with a field of every kind, whose order in memory is not that of the declaration.
#[device]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mixed {
    /// One byte.
    pub small: u8,
    /// Sixteen.
    pub wide: u128,
    /// A tuple.
    pub pair: (bool, f32),
    /// Without a size.
    pub nothing: [u64; 0],
    /// A struct in it.
    pub point: Point<i16>,
}

/// A generic struct with a text of its own.
#[device]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point<T>(
    /// The first.
    pub T,
    /// The second.
    pub T,
);

impl<T: std::fmt::Display> std::fmt::Display for Point<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("<{} | {}>", self.0, self.1))
    }
}

/// A number whose `Display` panics if it is odd.
#[device]
#[derive(Clone, Copy)]
pub struct Even(
    /// The number.
    pub u32,
);

impl std::fmt::Display for Even {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 % 2 == 1 {
            // Like a panic, but without the hook's text in the output of the tests.
            std::panic::resume_unwind(Box::new("odd"));
        }
        write!(f, "{}", self.0)
    }
}

mod elsewhere {
    use anabranch::prelude::*;

    /// Prints what it gets, by reference and by value.
    #[device]
    pub fn show<T: Num + std::fmt::Debug>(label: u32, x: &T, y: T) -> T {
        println!("{label}: {x:?} and {:?}", y);
        *x + y
    }
}
use elsewhere::show;

/// Constants, which the host formats.
const LIMIT: u32 = 77;
const TEXT: &str = "a text";

/// All kinds of arguments, and several lines of an iteration.
#[kernel]
pub fn kinds(x: &[f32], sum: &mut [f32], width: usize, mixed: Mixed) {
    for i in par(0..sum.len()) {
        let (v, precision) = ([x[i], -x[i]], 2);
        println!("{i}: x = {:.3} {v:?}", x[i]);
        println!("{i}: {0:>1$}|{0:<w$.precision$}|{name:+e}|{{}}", x[i], width, w = width + 1, name = x[i] * 2.0);
        println!("{i}: {mixed:?} {:?} {:>9}", mixed.point, mixed.point);
        println!("{i}: {LIMIT:#06x} {TEXT:.1} {} {:?} {} {}", "text", 'c', &i8::MIN, i as u8 == 3);
        println!("{i}: {:?} {:?} {} {} {} {} {} {} {}", (), (1u8, -1i64), 1, 2.5, 3u16, 4i128, 5, 6, f64::MAX);
        sum[i] = show(i as u32, &x[i], 0.5);
    }
}

/// Each in its place, with its line end or without.
#[kernel]
pub fn streams(x: &mut [u32]) {
    for i in par(0..1) {
        print!("a");
        println!();
        eprint!("b{}", x[i]);
        eprintln!();
        println!("c");
        dbg!();
        x[i] = dbg!(x[i] + 1) * dbg!(Point(2u32, 3)).1;
        let (a, b) = dbg!(x[i], i,);
        eprintln!("{a} {b}");
    }
}

/// A struct whose order in memory is that of its names.
#[device]
#[derive(Clone, Copy)]
struct Pair {
    first: f32,
    second: f32,
}

/// A program that prints, in device code and in plain Rust: the place of each line shows what is
/// evaluated when, and how often.
macro_rules! program {
    ($(#[$attr:meta])* $name:ident, $operators:ident, $next:ident, $said:ident, $say:ident, $Loud:ident) => {
        /// The number less 3, or a line.
        $(#[$attr])*
        fn $said(k: u32, y: &mut u32) {
            let Some(v) = k.checked_sub(3) else { return $say!("{k} is small") };
            *y += v;
        }

        /// The next number, and a line.
        $(#[$attr])*
        fn $next(k: &mut u32) -> u32 {
            *k += 1;
            $say!("next {k}");
            *k
        }

        /// Arguments with effects, lines in conditions, operands, indexes, guards and ends of
        /// ranges, jumps in arguments.
        $(#[$attr])*
        pub fn $name(x: &mut [u32], i: usize) -> u32 {
            let mut k = i as u32;
            $say!("{} {k} {} {0}", $next(&mut k), $next(&mut k) * 10);
            $say!("{:?} {:>1$} {:.*}", $say!("inner"), 9, 2, 0.125,);
            $say!(r#"{0} {1} {2} {3} {4} {5} {6} {7} {8} {9} {10} {11} {12} {13} {14} {15} {16} {17} {18} {a} "{k}""#,
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, a = $next(&mut k));
            let mut rounds = 0;
            while {
                $say!("round {rounds}");
                rounds < 2
            } {
                rounds += 1;
            }
            let sum = $next(&mut k)
                + {
                    $say!("between");
                    10
                }
                + $next(&mut k);
            for j in 0..5 {
                $say!("{} {}", j, if j == 2 { break } else { j * 2 });
            }
            let point = Point($next(&mut k), 0 * { $say!("second"); 1 });
            $say!("{} {} {}", sum, point.0, point.1);
            x[{ $say!("index"); 1 }] += { $say!("value"); 3 };
            x[{ $say!("place"); 0 }] = { $say!("assigned"); x[1] };
            let all = [{ $say!("element"); k }; 3];
            for j in ({ $say!("from"); 1 })..({ $say!("to"); 3 }) {
                let copy = { $say!("{j} of {:?}", all); j };
                x[copy] += all[{ $say!("inside"); copy }];
            }
            let word = match { $say!("matched"); k % 4 } {
                n if { $say!("guard {n}"); n > 8 } => 1,
                0 | 1 if { $say!("either"); false } => 2,
                n => { $say!("rest {n}"); 3 }
            };
            let both = { $say!("left"); k > 100 } && { $say!("right"); true };
            let one = { $say!("or"); true } || { $say!("never"); true };
            let array = [{ $say!("first"); $next(&mut k) }, k, { $say!("last"); $next(&mut k) }];
            $say!("{word} {both} {one} {array:?}");
            $say!("{} {}", k, if i == 3 { return k } else { 5 });
            $say!("{} {:?}", &x[0], (k, 1).1);
            k
        }

        /// A number whose operators and methods print.
        $(#[$attr])*
        #[derive(Clone, Copy)]
        struct $Loud(u32);

        $(#[$attr])*
        impl std::ops::Add for $Loud {
            type Output = $Loud;
            fn add(self, other: $Loud) -> $Loud {
                $say!("{} + {}", self.0, other.0);
                $Loud(self.0 + other.0)
            }
        }
        $(#[$attr])*
        impl std::ops::Neg for $Loud {
            type Output = f32;
            fn neg(self) -> f32 {
                $say!("-{}", self.0);
                self.0 as f32 + 100.0
            }
        }
        $(#[$attr])*
        impl std::ops::AddAssign<f32> for $Loud {
            fn add_assign(&mut self, by: f32) {
                $say!("{} += {by}", self.0);
                self.0 += by as u32;
            }
        }
        $(#[$attr])*
        impl PartialEq for $Loud {
            fn eq(&self, other: &$Loud) -> bool {
                $say!("{} == {}", self.0, other.0);
                self.0 == other.0
            }
        }
        $(#[$attr])*
        impl $Loud {
            fn min(self, other: $Loud) -> $Loud {
                $say!("{} or {}", self.0, other.0);
                if self.0 < other.0 { self } else { other }
            }
            fn is_more(self) -> bool {
                $say!("more than {}", self.0);
                self.0 > 100
            }
        }

        $(#[$attr])*
        impl std::ops::Div for $Loud {
            type Output = $Loud;
            fn div(self, by: $Loud) -> $Loud {
                $say!("{} / {}", self.0, by.0);
                $Loud(self.0 + by.0)
            }
        }

        /// An element whose check the launch decides, and the number.
        $(#[$attr])*
        fn beside(x: &[u32], of: $Loud, i: usize) -> u32 {
            x[i] + of.0
        }

        /// Operators in all places in which something else is evaluated before or after them.
        $(#[$attr])*
        pub fn $operators(x: &mut [u32], i: usize) -> u32 {
            let (a, b, c) = ($Loud(i as u32), $Loud(20), $Loud(30));
            let pair = (a + b, { $say!("then"); 2 });
            let both = ({ $say!("before"); 3 }, b + c);
            let sum = (-a) + (-b) * (-c) + { $say!("last"); 1.0 };
            let less = (-c) < (-a) && (a + b) == (b + a) || (-b) > (-c);
            let array = [-a, { $say!("second"); x[0] as f32 }, -c];
            let most = (-a).min(-b).max({ $say!("third"); 7.0 });
            let least = (a + b).min(b + c);
            let point = Point(-a, { $say!("field"); -b });
            let swapped = Pair { second: -a, first: -b };
            let at = x[(-a) as usize % 2 + (-b) as usize % 2] as f32 + (-c);
            let mut all = a;
            all += { $say!("by"); -b };
            let mut two = [a, b];
            two[1] += { $say!("added"); -c };
            two[(-a) as usize % 2] += 1.0;
            x[(-a) as usize % 3] += (-b) as u32;
            x[{ $say!("place"); (-b) as usize % 3 }] = { $say!("value"); (-c) as u32 };
            let word = match (i % 2, i % 3) {
                (0, _) | (_, 0) if (a + b).is_more() => 1,
                _ if a == b || (a + c) == (c + b) => 2,
                _ => 3,
            };
            let quotient = beside(&x[..], (a + b) / (b + c), i % 3);
            let mut rounds = 0;
            while (-a) + (-b) < 300.0 && (-$Loud(rounds)) < (-$Loud(3)) {
                rounds += 1;
            }
            $said(rounds, &mut x[2]);
            $said(i as u32, &mut x[2]);
            $say!("{} {}", -a, (a + b).0);
            let words = pair.0.0 + pair.1 + both.0 + both.1.0 + less as u32 + least.0 + all.0 + word + rounds;
            let floats = sum + array[0] + array[1] + most + point.0 + point.1 + swapped.first - swapped.second + at;
            words + two[0].0 + two[1].0 + quotient + floats as u32
        }
    };
}
program! { #[device] in_order, operators, next, said, println, Loud }

/// The same as plain Rust, with lines that a test reads.
pub mod plain {
    use super::{Pair, Point};

    thread_local! {
        /// The lines of this thread.
        pub static LINES: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    macro_rules! collect {
        ($($format:tt)*) => {{
            let line = format!($($format)*);
            LINES.with_borrow_mut(|lines| lines.push(line + "\n"));
        }};
    }
    #[allow(clippy::all, missing_docs, unreachable_code, reason = "it is odd on purpose")]
    mod all {
        use super::*;
        program! { in_order, operators, next, said, collect, Loud }
    }
    pub use all::{in_order, operators};
}

/// Runs it once.
#[kernel]
pub fn effects(x: &mut [u32], i: usize) {
    for _i in par(0..1) {
        x[2] = in_order(&mut x[..], i);
    }
}

/// The same of operators.
#[kernel]
pub fn effects_of_operators(x: &mut [u32], i: usize) {
    for _i in par(0..1) {
        x[2] = operators(&mut x[..], i);
    }
}

/// One line an iteration, in two groups and after them.
#[kernel]
pub fn in_groups(x: &mut [u32], y: &mut [u32], rounds: u32) {
    for r in 0..rounds {
        stream_parallel! {
            'left: { for i in par(0..x.len()) { println!("left {r} {i} {}", x[i]); x[i] += 1; } }
            'right: { for i in par(0..y.len()) { println!("right {r} {i} {}", y[i]); y[i] += 2; } }
        }
    }
    for i in par(0..1) {
        println!("joined {}", x[i] + y[i]);
    }
}

/// Lines of any instance.
#[kernel]
pub fn generic<T: Num + std::fmt::Display, const N: usize>(x: &[T], y: &mut [T], by: [T; N]) {
    for i in par(0..y.len()) {
        let sum = x[i] + by[N - 1];
        println!("{N} {sum} {}", T::MAX);
        y[i] = sum;
    }
}

/// A line an iteration, of 8 times `N` bytes of values.
#[kernel]
pub fn many<const N: usize>(x: &mut [u32]) {
    for i in par(0..x.len()) {
        println!("{:?}", [i; N]);
        x[i] = i as u32;
    }
}

/// The text of the user's type, which may panic.
#[kernel]
pub fn sulking(x: &mut [u32], odd: u32) {
    for i in par(0..1) {
        println!("before");
        println!("{}", Even(odd));
        x[i] = 1;
    }
}

/// What a failed check says, by number.
#[kernel]
pub fn failing(x: &mut [u32], which: u32) {
    for i in par(0..1) {
        let (a, half) = (x[i], 0.5);
        match which {
            0 => assert!(a == 1, "a is {a}, not {:?}", (1u8, half)),
            1 => assert_eq!(a, 1),
            2 => assert_ne!([a, 2], [4 + 1, 2], "{} and {half:?}", a),
            3 => panic!("{a:>4}{}", Point(a, 0)),
            4 => unreachable!("at {}", a),
            5 => todo!("{a} things"),
            6 => unimplemented!("{a}: {}", "text"),
            7 => assert_eq!(Point(a, 1).0 as f64 * 0.5, f64::NAN, "of {which}"),
            8 => assert!(a == 1, "{:?}", [a; 600]),
            9 => assert!(a == 1, "{}", Even(a)),
            _ => {
                // Nothing of these is evaluated.
                assert!(a == 5, "{}", next(&mut x[i]));
                assert_eq!(a, 5, "{}", next(&mut x[i]));
                debug_assert!(a == 1, "{}", next(&mut x[i]));
                debug_assert_eq!(next(&mut x[i]), 1);
                debug_assert_ne!(a, 5, "{a}");
            }
        }
        println!("after");
        x[i] += 1;
    }
}

/// A check of the numbers is known to what comes after it.
#[kernel]
pub fn known(x: &mut [u32], y: &[u32], n: usize) {
    for i in par(0..n) {
        assert_eq!(n, y.len(), "n is {n}");
        assert!(i < x.len(), "{i}");
        x[i] = y[i];
    }
}

super::sources! { kinds, streams, effects, effects_of_operators, in_groups, sulking, failing, known }
