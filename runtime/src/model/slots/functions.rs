//! Slots of functions, and what is known of a function without calling it.

use std::any::{Any, TypeId};
use std::convert::Infallible;
use std::marker::PhantomData;

use super::Slots;
use super::constants::value_of;
use crate::model::description::SlotValue;
use crate::model::function::{DeviceFunction, TraitFunction, TraitFunctions, TraitSource};
use crate::model::judge::Decided;
use crate::model::kernel::Conditions;
use crate::value::format::values;
use crate::value::{DeviceType, DeviceValue};
use anabranch_core::scalar::IntType;

/// A slot for a called function; the call fills it.
#[inline(always)]
pub fn callee<F: DeviceFn>() -> Callee<F> {
    Callee(PhantomData, Decided::NO)
}

/// The slot of a called function with what the function is told: whether the launch has shown that
/// its accesses are in bounds. It is not told so if an argument that they depend on is `unlimited`.
#[inline(always)]
pub fn told<F: DeviceFn>(Callee(of, _): Callee<F>, decided: Decided, unlimited: u64) -> Callee<F> {
    Callee(of, if F::needs() & unlimited == 0 { decided } else { Decided::NO })
}

/// The slot of a called function: a device function, or a method of a number.
#[derive(Debug)]
pub struct Callee<F>(PhantomData<fn() -> F>, Decided);

impl<F> Callee<F> {
    /// What the function is told at this call.
    #[inline(always)]
    pub fn decided(self) -> Decided {
        self.1
    }
}

impl<F> Clone for Callee<F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for Callee<F> {}

/// Takes the place of a function without `#[device]`, so that its use is an error.
///
/// The parameter has no meaning: without it, rustc would report the bound here and not at the use.
#[derive(Debug)]
pub struct NotADeviceFunction<X = ()>(PhantomData<X>);

impl<X> NotADeviceFunction<X> {
    /// A device function has its own function of this name.
    pub fn called_in_device_code<F>(_: Callee<F>) -> <Self as Callable>::Function
    where
        Self: Callable,
        F: DeviceFn,
    {
        unreachable!("no value of this type is `Callable`")
    }

    /// The same with what the name is as a value. If it is nothing, rustc says only that.
    pub fn named_in_device_code<F, V>(_: Callee<F>, _: V) -> <V as Callable>::Function
    where
        V: Callable,
        F: DeviceFn,
    {
        unreachable!("nothing is `Callable`")
    }
}

/// Takes the place of what CUDA calls its indexes, and of their values, unless the user has
/// something of this name.
#[derive(Debug, Clone, Copy)]
pub struct CudaIndex<X = ()>(PhantomData<X>);

/// Takes the place of CUDA's barriers.
#[derive(Debug)]
pub struct CudaBarrier<X = ()>(PhantomData<X>);

/// Takes the place of CUDA's atomic functions.
#[derive(Debug)]
pub struct CudaAtomic<X = ()>(PhantomData<X>);

/// Takes the place of CUDA's functions of warps.
#[derive(Debug)]
pub struct CudaWarp<X = ()>(PhantomData<X>);

macro_rules! cuda_habits {
    ($($name:ident: $callable:ident, $note:literal;)*) => { $(
        /// Exists only for its error message.
        #[diagnostic::on_unimplemented(
            message = "only `#[device]` functions can be called in device code",
            label = "there is no `#[device]` function of this name here",
            note = $note,
            note = "to call a function of your own, put `#[device]` above it"
        )]
        pub trait $callable {
            /// Has no meaning.
            type Function;
        }

        impl<X> $name<X> {
            /// As for [`NotADeviceFunction`].
            pub fn called_in_device_code<F>(_: Callee<F>) -> <Self as $callable>::Function
            where
                Self: $callable,
                F: DeviceFn,
            {
                unreachable!("no value of this type is callable")
            }
        }
    )* };
}
cuda_habits! {
    CudaIndex: CallableIndex, "the index of a CUDA thread is the variable of a `par` loop, `for i in par(0..n) {{ … }}`, or of a phase, `for t in block.threads() {{ … }}`";
    CudaBarrier: CallableBarrier, "iterations cannot wait for each other: write two `par` loops, or two phases in a loop over blocks; the second begins when the first has ended";
    CudaWarp: CallableWarp, "the threads of a warp work together between the phases of a loop over blocks: `let sum = block.warps().sum(own);`, also `ballot`, `matching` and `shuffle`";
    CudaAtomic: CallableAtomic, "atomics are methods of elements: with a parameter `x: &[AtomicU32]`, write `x[i].fetch_add(1, Relaxed)`";
}

impl CudaIndex {
    /// The value of `threadIdx` where there is none.
    pub const NONE: Self = Self(PhantomData);
}

/// Takes the place of a kernel in device code, in the same way.
#[derive(Debug)]
pub struct AKernel<'l>(PhantomData<&'l ()>);

/// Exists only for its error message.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be called in device code",
    label = "this is a kernel",
    note = "call it in the host part, outside of `par` loops: `kernel(&x, &mut y)`; device code calls `#[device]` functions"
)]
pub trait CallableKernel {
    /// Has no meaning.
    type Function;
}

/// Exists only for its error messages.
#[diagnostic::on_unimplemented(
    message = "only `#[device]` functions can be called in device code",
    label = "there is no `#[device]` function of this name here",
    note = "put `#[device]` above the function",
    note = "functions of std are for the host: numbers have methods, `x.sqrt()` and `a.max(b)`; in place of `array::from_fn`, write a loop"
)]
pub trait Callable {
    /// Has no meaning.
    type Function;
}

/// The uninhabited type beside a `#[device]` function. It provides the function's source to callers
/// in any module or crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[device]` function",
    label = "called in device code",
    note = "put `#[device]` on the function"
)]
pub trait DeviceFn: 'static {
    /// The depth of its calls. The name is for the error that rustc reports if this depends on
    /// itself.
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize;
    /// The content of the slot: the function's source.
    fn called() -> SlotValue;
    /// The type of the operands, if this is a method of std's that computes with integers.
    fn integer() -> Option<IntType> {
        None
    }
    /// Bit `k`: an access that the launch decides depends on parameter `k`.
    fn needs() -> u64 {
        0
    }
    /// It has a result for all arguments, and takes no branch on the way to it. Integers divide by
    /// zero: see [`called`](Self::called).
    #[inline(always)]
    fn total() -> bool {
        Self::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF == 0
    }
    /// It is a method that does not change what it is called on.
    #[inline(always)]
    fn keeps() -> bool {
        false
    }
    /// It has a long loop, and runs it [in lanes](Self::in_lanes).
    #[inline(always)]
    fn has_lanes() -> bool {
        false
    }
    /// The bytes that a call takes for each lane.
    #[inline(always)]
    fn room() -> usize {
        0
    }
    /// Computes the results of several calls in lock step. False if the arguments, an array of
    /// tuples, or the results, an array, have other types.
    #[inline(always)]
    fn in_lanes(_args: &dyn Any, _results: &mut dyn Any) -> bool {
        false
    }
}

/// A method of std's: of a number, a tuple, an array or a slice. `T` is the type that has it.
#[derive(Debug)]
pub struct Builtin<T>(PhantomData<T>, Infallible);

impl<T: DeviceValue> DeviceFn for Builtin<T> {
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = 0;
    fn called() -> SlotValue {
        SlotValue::Type(T::TYPE)
    }
    fn integer() -> Option<IntType> {
        T::TYPE.integer()
    }
    #[inline(always)]
    fn room() -> usize {
        // Two arguments and a result, which may be a pair.
        4 * size_of::<T>()
    }
}

/// A method of std's that takes a value out of an `Option` or `Result`, `R`, or fails. The slot
/// says what the failure says.
#[derive(Debug)]
pub struct Unwrap<R>(PhantomData<R>, Infallible);

/// The same with words of the user, which the closure returns.
#[derive(Debug)]
pub struct Expect<R, F>(PhantomData<(R, F)>, Infallible);

/// What can fail to have a value.
pub trait Unwrapped: DeviceValue {
    /// The value.
    type Value: DeviceValue;
    /// What the message of a failure shows.
    type Shown: DeviceValue;
    /// The value, or what the message shows.
    fn split(self) -> Result<Self::Value, Self::Shown>;
    /// The message of a failure, with the user's words if there are any. The error is the message
    /// of a panic of the user's `Debug`.
    fn text(words: Option<&'static str>, shown: Self::Shown) -> Result<String, String>;
}

impl<R: Unwrapped> DeviceFn for Unwrap<R> {
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = 0;
    fn called() -> SlotValue {
        SlotValue::Format(R::Shown::TYPE, |bytes| R::text(None, values(bytes)))
    }
}

impl<R: Unwrapped, F: Fn() -> &'static str + Copy + 'static> DeviceFn for Expect<R, F> {
    const A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF: usize = 0;
    fn called() -> SlotValue {
        SlotValue::Format(R::Shown::TYPE, |bytes| R::text(Some(value_of::<&'static str, F>()), values(bytes)))
    }
}

impl<F: DeviceFn> Slots for Callee<F> {
    const DEPTH: usize = F::A_DEVICE_FUNCTION_CANNOT_CALL_ITSELF;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(F::called());
    }
    fn integer(_: usize) -> Option<IntType> {
        F::integer()
    }
    #[inline(always)]
    fn total() -> bool {
        F::total()
    }
    #[inline(always)]
    fn in_lanes(_: usize) -> Option<bool> {
        Some(F::has_lanes())
    }
    #[inline(always)]
    fn room(_: usize) -> Option<usize> {
        Some(F::room())
    }
    #[inline(always)]
    fn keeps(_: usize) -> Option<bool> {
        Some(F::keeps())
    }
    #[inline(always)]
    fn needs(_: usize) -> Option<u64> {
        Some(F::needs())
    }
}

/// The depth of the calls of a device function, which is not called.
pub const fn depth_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F) -> usize {
    1 + W::DEPTH
}

/// [`DeviceFn::needs`] of a function: what its own accesses depend on, and those of the functions
/// that it calls. A call is its slot, its `unlimited` arguments, and for each argument the
/// parameters that it depends on.
#[inline(always)]
pub fn needs_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, own: u64, calls: &[(usize, u64, &[u64])]) -> u64 {
    calls.iter().fold(own, |all, (slot, unlimited, args)| {
        let needs = W::needs(*slot).filter(|needs| needs & unlimited == 0).unwrap_or(0);
        let needed = args.iter().enumerate().filter(|(at, _)| needs.checked_shr(*at as u32).unwrap_or(0) & 1 != 0);
        needed.fold(all, |all, (_, of)| all | of)
    })
}

/// [`DeviceFn::total`] of a function without branches, by what it calls. [`DeviceFn::has_lanes`] of
/// one with loops.
#[inline(always)]
pub fn total_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, conditions: &Conditions) -> bool {
    conditions.hold::<W>()
}

/// [`DeviceFn::room`] of a function, with what it takes in lanes.
#[inline(always)]
pub fn room_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, in_lanes: Option<&Conditions>) -> usize {
    size_of::<(A, V)>() + in_lanes.map_or(0, |conditions| conditions.room::<W>())
}

/// The type of an `impl` whose method is called like one of numbers.
pub const fn is_no_number<T: DeviceValue>() {
    assert!(
        !matches!(T::TYPE, DeviceType::Scalar(_)),
        "a number has a method of this name, which Rust would call instead; give the method of the trait another name, or let it take `&self`"
    );
}

/// The function of an `impl` of a trait that has this name, if it has one of its own.
pub const fn find(of_impl: TraitFunctions, name: &str) -> Option<TraitFunction> {
    let mut at = 0;
    while at < of_impl.len() {
        if equal(of_impl[at].name.as_bytes(), name.as_bytes()) {
            return Some(of_impl[at]);
        }
        at += 1;
    }
    None
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([], []) => true,
        ([a, rest_of_a @ ..], [b, rest_of_b @ ..]) => *a == *b && equal(rest_of_a, rest_of_b),
        _ => false,
    }
}

/// A function of a trait: that of the `impl`, or else the default.
pub fn of_trait(
    of_impl: Option<TraitFunction>,
    id: TypeId,
    describe: fn(&mut Vec<SlotValue>),
    default: Option<TraitSource>,
) -> DeviceFunction {
    match of_impl.map(|function| function.source).or(default) {
        Some(source) => source(id, describe),
        None => unreachable!("rustc asks for each function of a trait that has no default"),
    }
}
