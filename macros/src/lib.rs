//! The macros of anabranch.
//!
//! This crate is an implementation detail: depend on `anabranch`, which re-exports the macros and
//! documents them.

#![forbid(unsafe_code)]

mod analysis;
mod args;
mod cpu;
mod device;
mod expand;
mod fragments;
mod generics;
mod habits;
mod ir;
mod launch;
mod names;
mod parse;
mod report;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes a function a kernel. Documented at `anabranch::kernel`.
#[doc(alias("__global__", "cuda.jit", "launch"))]
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::kernel(args.into(), fragments::parenthesized(item.into())).into()
}

/// Describes a struct or enum to devices. `#[device]` puts it on them, because it sees them without
/// what `cfg` removes.
#[proc_macro_derive(DeviceType, attributes(anabranch_crate, anabranch_compares))]
pub fn device_type(item: TokenStream) -> TokenStream {
    device::types::derive(item.into()).into()
}

/// Makes a closure that kernels can call. Documented at `anabranch::closure!`, which puts the path
/// to the runtime in front.
#[proc_macro]
pub fn closure(tokens: TokenStream) -> TokenStream {
    expand::closure(fragments::parenthesized(tokens.into())).into()
}

/// The methods of the primitive types as traits, for the runtime.
#[proc_macro]
pub fn number_methods(_: TokenStream) -> TokenStream {
    device::number_methods::traits().into()
}

/// Makes a function callable from kernels, or a struct or enum a value of device code. Documented
/// at `anabranch::device`.
#[doc(alias("__device__", "__host__"))]
#[proc_macro_attribute]
pub fn device(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::device(args.into(), fragments::parenthesized(item.into())).into()
}
