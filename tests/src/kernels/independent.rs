//! Loops that have nothing to do with each other, as groups and in series: what a fork and a join
//! cost, and what they gain.

use anabranch::prelude::*;

macro_rules! independent {
    ($($groups:ident $series:ident [$($x:ident)*];)*) => {
        $(
            /// A group a buffer, each element of which takes `steps` steps of a generator of
            /// numbers.
            #[kernel]
            pub fn $groups($($x: &mut [u32],)* steps: u32) {
                stream_parallel! { $({
                    for i in par(0..$x.len()) {
                        let mut s = $x[i];
                        for _ in 0..steps { s = s * 1664525 + 1013904223; }
                        $x[i] = s;
                    }
                })* }
            }

            /// The same loops one after the other.
            #[kernel]
            pub fn $series($($x: &mut [u32],)* steps: u32) {
                $(
                    for i in par(0..$x.len()) {
                        let mut s = $x[i];
                        for _ in 0..steps { s = s * 1664525 + 1013904223; }
                        $x[i] = s;
                    }
                )*
            }
        )*

        /// Of how many groups there are kernels, in ascending order.
        pub const COUNTS: &[usize] = &[$([$(stringify!($x)),*].len()),*];

        /// A group for each of the buffers, of which there are as many as one of [`COUNTS`] says.
        ///
        /// # Errors
        /// The launch fails.
        pub fn groups(stream: &Stream, buffers: &mut [Buffer<u32>], steps: u32) -> anabranch::Result<()> {
            match buffers {
                $([$($x),*] => $groups(stream, $($x,)* steps),)*
                _ => panic!("there is no kernel of {} groups", buffers.len()),
            }
        }

        /// A loop for each of the buffers.
        ///
        /// # Errors
        /// The launch fails.
        pub fn series(stream: &Stream, buffers: &mut [Buffer<u32>], steps: u32) -> anabranch::Result<()> {
            match buffers {
                $([$($x),*] => $series(stream, $($x,)* steps),)*
                _ => panic!("there is no kernel of {} loops", buffers.len()),
            }
        }

        crate::kernels::sources! { $($groups, $series),* }
    };
}

independent! {
    groups_1 series_1 [a];
    groups_2 series_2 [a b];
    groups_3 series_3 [a b c];
    groups_4 series_4 [a b c d];
    groups_6 series_6 [a b c d e f];
    groups_8 series_8 [a b c d e f g h];
    groups_12 series_12 [a b c d e f g h j k l m];
    groups_16 series_16 [a b c d e f g h j k l m n o p q];
}
