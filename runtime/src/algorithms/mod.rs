//! Kernels for what many programs need: sorting, selecting, counting, matrices.
//!
//! Each is an ordinary [`#[kernel]`](macro@crate::kernel), written in the language of this crate.
//! So it is launched on a stream, called from the host part of another kernel, put into a group,
//! captured in a graph, [prepared and planned](macro@crate::kernel#the-launcher) like one of your
//! own:
//!
//! ```
//! use anabranch::algorithms::{Order, histogram, sort};
//! use anabranch::prelude::*;
//!
//! /// The middle one of the values, and beside it how often each byte occurs.
//! #[kernel]
//! fn describe(values: &mut [f32], median: &mut [f32], bytes: &[u8], bins: &mut [u32]) {
//!     let middle = values.len() / 2;
//!     stream_parallel! {
//!         'values: {
//!             sort(&mut values, Order::Ascending);
//!             for i in par(0..1) { median[i] = values[middle]; }
//!         }
//!         'bytes: { histogram(&bytes, &mut bins); }
//!     }
//! }
//!
//! let device = Device::cpu();
//! let mut values = device.buffer_from(&[3.0, -1.0, f32::INFINITY, 2.0, 2.5])?;
//! let mut median = device.zeros(1)?;
//! let bytes = device.buffer_from(b"a radix sort")?;
//! let mut bins = device.zeros(256)?;
//! describe(&device.default_stream(), &mut values, &mut median, &bytes, &mut bins)?;
//! assert_eq!(median.to_vec()?, [2.5]);
//! assert_eq!(bins.to_vec()?[b'r' as usize], 2);
//! # Ok::<(), anabranch::Error>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`sort`], [`sort_by_key`], [`sort_by_cached_key`] | stable, ascending or descending: all integers and floats, and what has such keys |
//! | [`compact`], [`unique`] | the elements that are marked; the first of each run of equal ones |
//! | [`histogram`] | how often each number occurs |
//! | [`transpose`], [`matmul`], [`matmul_batched`] | matrices in [grids](crate::reference::host_part#grids) and parts of them, one or many |
//! | [`matmul_with`], [`matmul_batched_with`] | products with a closure for each of their elements |
//!
//! # Scratch
//!
//! What they need on the way is [scratch](crate::scratch()) of the launch. Each has a form with
//! memory of the caller, such as [`sort_with_scratch`]. There scratch is a parameter, at the end,
//! and functions such as [`sort_scratch`] say how many elements it needs. It may have more, and
//! what is in it before and after the call does not matter.
//!
//! If scratch is too short, or lengths or shapes do not match, the host part panics before it
//! writes a result, and the panic is at the line that launches or calls the kernel.
//!
//! # Results
//!
//! All results are the same on each device, except for the last bits of float products, which a GPU
//! may fuse with sums.

#![allow(unsafe_code, reason = "device code vouches for races: its indexes are sums of counts")]

mod chunks;
mod counting;
mod keys;
mod matrices;
mod selection;
pub(crate) mod sorting;

pub use counting::{histogram, histogram_scratch, histogram_with_scratch};
pub use keys::Key;
pub use matrices::{matmul, matmul_batched, matmul_batched_with, matmul_with, transpose};
pub use selection::{compact, compact_scratch, compact_with_scratch, unique, unique_with_scratch};
pub use sorting::{
    Order, sort, sort_by_cached_key, sort_by_key, sort_by_key_with_scratch, sort_scratch, sort_with_scratch,
};
