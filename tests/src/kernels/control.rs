//! Control flow, evaluation order and names.

use anabranch::prelude::*;

/// Evaluation order: operands that change what their neighbours read.
#[kernel]
pub fn order(x: &[i32], out: &mut [i32]) {
    for i in par(0..x.len()) {
        let mut t = x[i];
        let a = t + {
            t = t * 3;
            t
        } * if t > 10 {
            t -= 1;
            2
        } else {
            5
        };
        let a = {
            let a = a ^ 7;
            let b = a << 3;
            b - a
        };
        let mut c = 0;
        let p = t > 0 && {
            c += 1;
            t % 2 == 0
        } || {
            c += 10;
            t < -3
        };
        t += {
            t *= 2;
            c
        };
        out[i] = a * 100 + t + if p { 1 } else { 0 };
    }
}

/// Loops with labels, values and jumps.
#[kernel]
pub fn loops(x: &[u32], out: &mut [u32]) {
    for i in par(0..x.len()) {
        let n = x[i];
        if n == 13 {
            out[i] = 1;
            continue;
        }
        let found = 'outer: loop {
            let mut s = 0;
            'mid: for j in 0..n {
                for k in 0..=j {
                    if k == 3 {
                        continue 'mid;
                    }
                    if s > 100 {
                        break 'outer s;
                    }
                    s += k;
                }
                if s == 40 {
                    break;
                }
            }
            break s + 1000;
        };
        let mut c = 5;
        while {
            c -= 1;
            c > 0
        } {
            if c == found {
                break;
            }
            out[i] += c;
        }
        let mut steps = 0;
        let mut v = n;
        while v != 1 && steps < 1000 {
            v = if v % 2 == 0 { v / 2 } else { 3 * v + 1 };
            steps += 1;
        }
        out[i] += found * 1000 + steps;
    }
}

/// A loop up to the largest value of its type.
#[kernel]
pub fn to_the_end(out: &mut [u32]) {
    for i in par(0..out.len()) {
        let mut count = 0;
        let last: u8 = 255;
        for k in 250..=last {
            count += k as u32;
        }
        for k in 3..=2u8 {
            count += k as u32;
        }
        for k in 3..2i64 {
            count += k as u32;
        }
        out[i] = count;
    }
}

/// Names that mean something in C++, to us, or nothing in ASCII.
#[kernel]
#[allow(non_snake_case)]
pub fn names(float: &mut [f32], stream: f32, ab_cx: &[f32], größe: f32) {
    for template in par(0..float.len()) {
        let int = ab_cx[template] + stream;
        let int = int * größe;
        let t0 = int;
        let threadIdx = t0 + 1.0;
        let r#type = threadIdx;
        float[template] = r#type;
    }
}

pub mod meanings {
    //! Device functions whose names are keywords or macros.
    #![allow(non_snake_case, reason = "so are the macros written")]
    use anabranch::prelude::*;

    /// A keyword.
    #[device]
    pub fn double(linux: u32) -> u32 {
        linux * 2
    }

    /// A macro with parameters.
    #[device]
    pub fn assert(AB_EXIT: u32) -> u32 {
        AB_EXIT + 1
    }

    /// Another one.
    #[device]
    pub fn va_arg(NULL: &u32) -> u32 {
        *NULL + 1
    }

    /// One of a compiler.
    #[device]
    pub fn unix(device: u32) -> u32 {
        double(device) + 1
    }
}

/// Names that mean something to a C++ compiler, to NVRTC or to the prelude: of parameters, loop
/// variables and others.
#[kernel]
#[allow(non_snake_case, reason = "so are the macros written")]
pub fn names_with_meanings(INFINITY: &mut [u32], unix: u32, CUDART_VERSION: &[u32], N: u32) {
    for AB_FN in par(0..INFINITY.len()) {
        let AB_EXIT = CUDART_VERSION[AB_FN] + unix;
        let (NULL, assert) = (AB_EXIT + 1, meanings::assert(AB_EXIT));
        let mut linux = NULL + assert;
        for cudaStreamDefault in 0..N {
            let typeof_ = cudaStreamDefault;
            linux += typeof_ * meanings::double(1);
        }
        let device = meanings::unix(linux);
        let constants = [device, meanings::va_arg(&linux)];
        let [va_arg, NAN] = constants;
        INFINITY[AB_FN] = va_arg * 1000 + NAN;
    }
}

pub mod helpers {
    //! Device functions in another module.
    use anabranch::prelude::*;

    /// A damped wave. Early return, a loop, and a call of another device function.
    #[device]
    pub fn wave(x: f32, rounds: u32) -> f32 {
        if x < 0.0 {
            return -1.0;
        }
        let mut acc = 0.0;
        for k in 0..rounds {
            acc += bump(x, k as f32);
        }
        acc
    }

    #[device]
    fn bump(x: f32, k: f32) -> f32 {
        (x * k).sin() / (1.0 + k)
    }

    /// Integer square root by Newton's method: loops and integer division in a device function.
    #[device]
    pub fn isqrt(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let mut x = n;
        let mut y = (x + 1) / 2;
        while y < x {
            x = y;
            y = (x + n / x) / 2;
        }
        x
    }
}
use helpers::{isqrt, wave as w};

/// Calls under another name and through a path.
#[kernel]
pub fn calls(x: &mut [f32], roots: &mut [u64], rounds: u32) {
    for i in par(0..x.len()) {
        x[i] = w(x[i], rounds) + helpers::wave(0.5, 2);
        roots[i] = isqrt(i as u64 * i as u64 + 1);
    }
}

crate::kernels::sources! { order, loops, to_the_end, names, names_with_meanings, calls }
