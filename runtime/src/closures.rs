//! Closures of the host that kernels call: what `closure!` makes, and what a kernel takes as
//! `impl Fn`.
//!
//! Of a closure `|v: f32| v * scale`, generated code makes one that captures nothing and gets the
//! captured values as an argument: the twin of a device function. So its type alone is enough to
//! call it and to read the types in it, and a [`Closure`] is for the device what the captured
//! values are.

use std::fmt;
use std::marker::PhantomData;

use anabranch_core::facts::Part;

use crate::model::function::{TraitFunction, TraitFunctions, TraitSource};
use crate::model::kernel::Conditions;
use crate::model::slots::{Slots, nothing};
use crate::value::admitted::{ConstantValue, HostValue};
use crate::value::types::DeviceType;
use crate::{DeviceValue, device};

/// What a kernel can call as a closure: the parameter `f: impl Fn(f32, u32) -> f32` of a
/// [`#[kernel]`](macro@crate::kernel) takes a `DeviceClosure<(f32, u32), Output = f32>`.
///
/// [`closure!`](crate::closure!) makes one. A type of your own is one with a `#[device] impl`, and
/// host functions that pass closures on have it as a bound.
///
/// ```
/// use anabranch::prelude::*;
/// use anabranch::DeviceClosure;
///
/// #[kernel]
/// fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
///     for i in par(0..x.len()) { x[i] = f(x[i]); }
/// }
///
/// /// Twice.
/// fn map_twice(stream: &Stream, x: &mut Buffer<f32>, f: impl DeviceClosure<(f32,), Output = f32>) -> anabranch::Result<()> {
///     map(stream, x, f)?;
///     map(stream, x, f)
/// }
///
/// /// A line.
/// #[device]
/// #[derive(Clone, Copy)]
/// struct Line { slope: f32, offset: f32 }
///
/// #[device]
/// impl DeviceClosure<(f32,)> for Line {
///     type Output = f32;
///     fn call(self, (x,): (f32,)) -> f32 { self.slope * x + self.offset }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.buffer_from(&[1.0f32, 2.0])?;
/// map_twice(&device.default_stream(), &mut x, Line { slope: 2.0, offset: 1.0 })?;
/// assert_eq!(x.to_vec()?, [7.0, 11.0]);
/// # Ok::<(), anabranch::Error>(())
/// ```
#[device(crate = crate)]
#[diagnostic::on_unimplemented(
    message = "a kernel cannot call this as a closure with arguments `{Args}`",
    label = "a kernel calls what `closure!` makes, with the parameters and the result that the kernel declares",
    note = "write `closure!(|v: f32| 2.0 * v)` in place of `|v| 2.0 * v`, and `closure!(|v: f32| f(v))` in place of a function `f`"
)]
pub trait DeviceClosure<Args: DeviceValue> {
    /// The type of what it returns.
    type Output;
    /// What it returns for these arguments.
    fn call(self, args: Args) -> Self::Output;
}

/// Makes a closure that a kernel can call: `closure!(|v: f32| v * scale)` for a parameter
/// `f: impl Fn(f32) -> f32`.
///
/// The body is device code, as that of a [`#[device]`](macro@crate::device) function. It captures
/// copies of the variables that it names, which are values of device code; each parameter has its
/// type written.
///
/// ```
/// use anabranch::prelude::*;
///
/// #[kernel]
/// fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
///     for i in par(0..x.len()) { x[i] = f(x[i]); }
/// }
///
/// let device = Device::cpu();
/// let stream = device.default_stream();
/// let mut x = device.buffer_from(&[1.0f32, 2.0, 3.0])?;
/// let (scale, offset) = (3.0, 1.0);
/// map(&stream, &mut x, closure!(|v: f32| scale * v + offset))?;
/// assert_eq!(x.to_vec()?, [4.0, 7.0, 10.0]);
/// # Ok::<(), anabranch::Error>(())
/// ```
///
/// A lone name that begins in lower case and is not called is a captured variable. Other names,
/// such as constants and `#[device]` functions, mean what they mean in a `#[device]` function. In
/// the tokens of a `macro_rules!`, a name that the closure declares hides each one of its spelling.
///
/// Each `closure!` of the source is a kernel of its own, compiled at its first launch. Other values
/// of the captured variables compile nothing.
#[doc(alias("lambda", "functor"))]
#[macro_export]
macro_rules! closure {
    ($($closure:tt)*) => { $crate::closure_in_device_code!($crate, $($closure)*) };
}

/// What generated code knows of a closure.
pub trait Source: 'static {
    /// Its device function.
    const FUNCTION: TraitSource;
    /// On what it depends that it always ends and never fails. None: nobody knows.
    const TOTAL: Option<Conditions>;
}

/// A closure: its source, its captured values, and the twin, a closure of these and its arguments.
pub struct Closure<S, C, B> {
    captured: C,
    twin: B,
    source: PhantomData<fn() -> S>,
}

/// A closure of a twin without captures.
pub fn closure<S: Source, C: DeviceValue, A, R, W, B>(_: S, captured: C, twin: B) -> Closure<S, C, B>
where
    B: Fn(C, A) -> (R, W) + Copy + Send + Sync + 'static,
{
    const {
        assert!(
            size_of::<B>() == 0,
            "to `closure!`, two variables of one spelling are one; rename that of the macro or of its caller"
        );
    }
    Closure { captured, twin, source: PhantomData }
}

impl<S, C: Copy, B: Copy> Clone for Closure<S, C, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, C: Copy, B: Copy> Copy for Closure<S, C, B> {}

impl<S, C: fmt::Debug, B> fmt::Debug for Closure<S, C, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self.captured).finish()
    }
}

impl<S: Source, C: DeviceValue, B: Copy + Send + Sync + 'static> Closure<S, C, B> {
    fn of(captured: C) -> Self {
        Self { captured, twin: nothing(), source: PhantomData }
    }
}

#[diagnostic::do_not_recommend]
impl<S: Source, C: DeviceValue, B: Copy + Send + Sync + 'static> HostValue<Self> for Closure<S, C, B> {
    fn ab_host_value(&self) -> Self {
        *self
    }
}

#[diagnostic::do_not_recommend]
impl<S: Source, C: DeviceValue, B: Copy + Send + Sync + 'static> ConstantValue<Self> for Closure<S, C, B> {
    fn ab_constant_value(self) -> Self {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<S: Source, C: DeviceValue, B: Copy + Send + Sync + 'static> DeviceValue for Closure<S, C, B> {
    type Same = Self;
    #[inline(always)]
    fn same(self) -> Self {
        self
    }
    const TYPE: &'static DeviceType = C::TYPE;
    fn scalars(&self, offset: usize, put: &mut dyn FnMut(usize, usize, u128)) {
        self.captured.scalars(offset, put);
    }
    fn from_scalars(offset: usize, get: &mut dyn FnMut(usize, usize) -> u128) -> Self {
        Self::of(C::from_scalars(offset, get))
    }
    fn sample(variant: usize) -> Self {
        Self::of(C::sample(variant))
    }
    type Lanes = C::Lanes;
    #[inline(always)]
    fn in_lanes(self) -> Self::Lanes {
        self.captured.in_lanes()
    }
    #[inline(always)]
    fn of_lane(lanes: &Self::Lanes, lane: usize) -> Self {
        Self::of(C::of_lane(lanes, lane))
    }
    #[inline(always)]
    fn put_lane(self, lanes: &mut Self::Lanes, lane: usize) {
        self.captured.put_lane(lanes, lane);
    }
    fn parts(&self, path: &[Part], put: &mut dyn FnMut(Option<i128>)) {
        self.captured.parts(path, put);
    }
}

// As `#[device]` would write it, if the types of the captured values had names.
#[diagnostic::do_not_recommend]
impl<S, C, A, R, W, B> DeviceClosure<A> for Closure<S, C, B>
where
    S: Source,
    C: DeviceValue,
    A: DeviceValue,
    R: DeviceValue,
    W: Slots,
    B: Fn(C, A) -> (R, W) + Copy + Send + Sync + 'static,
{
    type Output = R;
    #[inline(always)]
    fn call(self, args: A) -> R {
        (self.twin)(self.captured, args).0
    }
    #[inline(always)]
    fn call_twin_in_device_code(self, args: A) -> (R, impl Slots) {
        (self.twin)(self.captured, args)
    }
    const PUT_DEVICE_ABOVE_THE_TRAIT_AND_THE_IMPL: TraitFunctions = &[TraitFunction {
        name: "call",
        source: S::FUNCTION,
        total: || S::TOTAL.is_some_and(|conditions| conditions.hold::<W>()),
    }];
}

/// In place of a closure that has errors.
#[device(crate = crate)]
#[derive(Debug, Clone, Copy)]
pub struct Wrong<R>(PhantomData<R>);

impl<R> Wrong<R> {
    /// Of the parameters and the result that the kernel needs.
    pub fn closure() -> Self {
        Self(PhantomData)
    }
}

#[diagnostic::do_not_recommend]
#[device(crate = crate)]
impl<A: DeviceValue, R: DeviceValue> DeviceClosure<A> for Wrong<R> {
    type Output = R;
    fn call(self, _: A) -> R {
        panic!("this closure has errors")
    }
}
