//! Slots: how the types that rustc infers in device code become available at run time, without running the code.
//!
//! For each value whose type C++ must spell, the twin creates a slot (a `PhantomData<_>`) and unifies it with the value. The twin returns all
//! slots. A function that takes the twin *without calling it* then knows their types.

use std::any::{Any, TypeId};
use std::convert::Infallible;
use std::marker::PhantomData;

use anabranch_core::facts::Member;

use super::description::SlotValue;
use super::kernel::{DeviceFunction, TraitFunction, TraitFunctions, TraitSource};
use super::lanes::Conditions;
use crate::decide::{Decided, IntType};
use crate::value::atomic::Atomic;
use crate::value::format::{Format, text, values};
use crate::value::{self, DeviceType, DeviceValue, WIDTH};

/// The slot of a type. rustc shows it to users, in the signatures of the functions below.
pub type TypeOf<T> = PhantomData<T>;

/// A slot whose type is inferred or given.
#[inline(always)]
pub fn slot<T>() -> TypeOf<T> {
    PhantomData
}

/// Ties a written type to a slot.
#[inline(always)]
pub fn given<T>(slot: TypeOf<T>) -> TypeOf<T> {
    slot
}

/// Ties a value to a slot.
#[inline(always)]
pub fn typed<T>(_: TypeOf<T>, value: T) -> T {
    value
}

/// Ties a literal of a struct or variant to its slot. The closure tells whether a value is of the variant that the literal names.
#[inline(always)]
pub fn made<T, F>(_: VariantSlot<T::Same, F>, value: T, _: F) -> T::Same
where
    T: DeviceValue,
    F: Fn(&T) -> bool + Copy + 'static,
{
    value.same()
}

/// Ties a path of a pattern to its slot, in the same way.
#[inline(always)]
pub fn variant<T, F>(_: VariantSlot<T::Same, F>, _: TypeOf<T>, _: F)
where
    T: DeviceValue,
    F: Fn(&T) -> bool + Copy + 'static,
{
}

/// The type of a part of what a pattern matches: the closure returns that part of a value.
#[inline(always)]
pub fn part<T, U>(_: TypeOf<T>, _: fn(&T) -> Option<&U>) -> TypeOf<U> {
    PhantomData
}

/// Ties a constant of a pattern to what the pattern matches there.
#[inline(always)]
pub fn named_at<T, F: Fn() -> T + Copy + 'static>(_: ConstantSlot<T, F>, _: TypeOf<T>, _: F) {}

/// Ties a variable to a slot.
#[inline(always)]
pub fn same<T>(_: TypeOf<T>, _: &T) {}

/// A slot for a called function; the call fills it.
#[inline(always)]
pub fn callee<F: DeviceFn>() -> Callee<F> {
    Callee(PhantomData, Decided::NO)
}

/// The slot of a called function with what the function is told: whether the launch has shown that its accesses are in bounds. It is not told
/// so if an argument that they depend on is `unlimited`.
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
    pub fn __callable<F>(_: Callee<F>) -> <Self as Callable>::Function
    where
        Self: Callable,
        F: DeviceFn,
    {
        unreachable!("no value of this type is `Callable`")
    }

    /// The same with what the name is as a value. If it is nothing, rustc says only that.
    pub fn __named<F, V>(_: Callee<F>, _: V) -> <V as Callable>::Function
    where
        V: Callable,
        F: DeviceFn,
    {
        unreachable!("nothing is `Callable`")
    }
}

/// Takes the place of what CUDA calls its indexes, and of their values, unless the user has something of this name.
#[derive(Debug, Clone, Copy)]
pub struct CudaIndex<X = ()>(PhantomData<X>);

/// Takes the place of CUDA's barriers.
#[derive(Debug)]
pub struct CudaBarrier<X = ()>(PhantomData<X>);

/// Takes the place of CUDA's atomic functions.
#[derive(Debug)]
pub struct CudaAtomic<X = ()>(PhantomData<X>);

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
            pub fn __callable<F>(_: Callee<F>) -> <Self as $callable>::Function
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
    note = "put `#[device]` above the function; the numeric functions of std are called as methods: `x.sqrt()`"
)]
pub trait Callable {
    /// Has no meaning.
    type Function;
}

/// The uninhabited type beside a `#[device]` function. It provides the function's source to callers in any module or crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `#[device]` function",
    label = "called in device code",
    note = "put `#[device]` on the function"
)]
pub trait DeviceFn: 'static {
    /// The depth of its calls. The name is for the error that rustc reports if this depends on itself.
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
    /// It has a result for all arguments, and takes no branch on the way to it. Integers divide by zero: see [`called`](Self::called).
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
    /// Computes the results of several calls in lock step. False if the arguments, an array of tuples, or the results, an array, have other types.
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

/// A method of std's that takes a value out of an `Option` or `Result`, `R`, or fails. The slot says what the failure says.
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
    /// The message of a failure, with the user's words if there are any. The error is the message of a panic of the user's `Debug`.
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

/// A slot for the value of a constant.
#[derive(Debug)]
pub struct ConstantSlot<T, F>(PhantomData<fn() -> (T, F)>);

impl<T, F> Clone for ConstantSlot<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, F> Copy for ConstantSlot<T, F> {}

/// A slot whose constant [`constant`] fills in.
#[inline(always)]
pub fn constant_slot<T, F>() -> ConstantSlot<T, F> {
    ConstantSlot(PhantomData)
}

/// A slot for the first value of an atomic, which a closure returns as the atomic itself.
#[derive(Debug)]
pub struct AtomicSlot<C, F>(PhantomData<fn() -> (C, F)>);

impl<C, F> Clone for AtomicSlot<C, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C, F> Copy for AtomicSlot<C, F> {}

/// A slot that the first value of an array of atomics fills in.
#[inline(always)]
pub fn atomic_slot<C, F>() -> AtomicSlot<C, F> {
    AtomicSlot(PhantomData)
}

/// A slot for the variant that a path names.
#[derive(Debug)]
pub struct VariantSlot<T, F>(PhantomData<fn() -> (T, F)>);

impl<T, F> Clone for VariantSlot<T, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, F> Copy for VariantSlot<T, F> {}

/// A slot that [`made`] or [`variant`] fills in.
#[inline(always)]
pub fn variant_slot<T, F>() -> VariantSlot<T, F> {
    VariantSlot(PhantomData)
}

/// A constant of device code, named by a closure that captures nothing; its slot keeps the closure's type.
#[inline(always)]
pub fn constant<T, F: Fn() -> T + Copy + 'static>(_: ConstantSlot<T, F>, value: F) -> T {
    value()
}

/// [`constant`], where it is only read: `place` is a reference to it, which rustc makes one to the memory of the program.
#[inline(always)]
pub fn constant_place<T, F: Fn() -> T + Copy + 'static>(_: ConstantSlot<T, F>, _: F, place: &T) -> &T {
    place
}

/// An integer literal of device code, `DIGITS`, with its slot. This guarantees that the value is the number that the analysis assumes.
#[inline(always)]
pub fn int<const DIGITS: u128, T: DeviceValue>(_: TypeOf<T>, value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 0), "{}", OVERFLOWS) }
    value
}

/// [`int`] for a negative literal, `-DIGITS`.
#[inline(always)]
pub fn negative_int<const DIGITS: u128, T: DeviceValue>(_: TypeOf<T>, value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 1), "{}", OVERFLOWS) }
    value
}

/// [`int`] for an integer literal in the head of a `par` loop.
#[inline(always)]
pub fn end<const DIGITS: u128, T: DeviceValue>(value: T) -> T {
    const { assert!(fits(T::TYPE, DIGITS, 0), "{}", OVERFLOWS) }
    value
}

/// That rustc finds the number by the name of a constant that the macro has found.
pub const fn same_constant(value: usize, number: u64) {
    assert!(
        value as u64 == number,
        "this is another constant than the one of the same name that the kernel declares: rename one of the two"
    );
}

const OVERFLOWS: &str =
    "a literal of device code does not fit its type; write the value that is meant (`200u8 as i8`), or another type";

/// Whether a number fits an integer type. The negative numbers of a signed type extend `beyond` further than the positive ones.
const fn fits(ty: &DeviceType, digits: u128, beyond: u128) -> bool {
    match ty.integer() {
        Some(IntType { bits, signed }) => {
            let most = u128::MAX >> (128 - bits);
            digits <= if signed { (most >> 1) + beyond } else { most }
        }
        // Not an integer type: rustc reports this.
        None => true,
    }
}

/// The value that a closure without captures returns.
fn value_of<T, F: Fn() -> T + Copy + 'static>() -> T {
    closure::<F>()()
}

/// The value of the atomic that such a closure returns.
fn first_of<C: Atomic, F: Fn() -> C + Copy + 'static>() -> C::Value {
    value_of::<C, F>().ab_value()
}

/// A closure without captures. A slot keeps its type.
fn closure<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a constant of device code cannot depend on variables") };
    // SAFETY: a value of a zero-sized type can be read from any aligned address. A value of `F` exists and can be copied: only functions that
    // take one by value, and that generated code calls with a closure, create the types of these slots.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// A slot for values that are formatted, and the closure that formats them.
#[derive(Debug)]
pub struct FormatSlot<A, F>(PhantomData<fn() -> (A, F)>);

impl<A, F> Clone for FormatSlot<A, F> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A, F> Copy for FormatSlot<A, F> {}

/// A slot that a function which formats values fills in.
#[inline(always)]
pub fn format_slot<A, F>() -> FormatSlot<A, F> {
    FormatSlot(PhantomData)
}

/// The slots of a body: a tree of tuples.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in device code",
    label = "device code computes with `bool`, numbers, and tuples, arrays and `#[device]` structs and enums of them"
)]
pub trait Slots: Copy {
    /// One more than the depth of the deepest chain of calls. For a function that calls itself, this depends on itself.
    const DEPTH: usize;
    /// Number of slots.
    const COUNT: usize;
    /// Appends the content of each slot, in order.
    fn describe(out: &mut Vec<SlotValue>);
    /// The type in a slot, if it is an integer type.
    fn integer(slot: usize) -> Option<IntType>;
    /// The type in a slot; of a function or an operator of a user type none.
    #[inline(always)]
    fn ty(_slot: usize) -> Option<&'static DeviceType> {
        None
    }
    /// A number of the constant in a slot.
    fn number(_slot: usize, _member: &Member) -> Option<i128> {
        None
    }
    /// Whether all operators and functions in the slots are [total](DeviceFn::total).
    #[inline(always)]
    fn total() -> bool {
        Self::DEPTH == 0
    }
    /// How many of those from one slot to another are not.
    #[inline(always)]
    fn partial(from: usize, to: usize) -> usize {
        usize::from(from == 0 && to > 0 && !Self::total())
    }
    /// Whether the function in a slot [has lanes](DeviceFn::has_lanes).
    #[inline(always)]
    fn in_lanes(_slot: usize) -> Option<bool> {
        None
    }
    /// The bytes that a variable of the type in a slot takes for each lane, or the [room](DeviceFn::room) of the function in it.
    #[inline(always)]
    fn room(_slot: usize) -> Option<usize> {
        None
    }
    /// Whether the method in a slot [keeps](DeviceFn::keeps) what it is called on.
    #[inline(always)]
    fn keeps(_slot: usize) -> Option<bool> {
        None
    }
    /// [`DeviceFn::needs`] of the function in a slot.
    #[inline(always)]
    fn needs(_slot: usize) -> Option<u64> {
        None
    }
}

impl<T: DeviceValue> Slots for PhantomData<T> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Type(T::TYPE));
    }
    fn integer(_: usize) -> Option<IntType> {
        T::TYPE.integer()
    }
    #[inline(always)]
    fn ty(_: usize) -> Option<&'static DeviceType> {
        Some(T::TYPE)
    }
    #[inline(always)]
    fn room(_: usize) -> Option<usize> {
        Some(size_of::<T::Lanes>() / WIDTH)
    }
}

impl<T: DeviceValue, F: Fn() -> T + Copy + 'static> Slots for ConstantSlot<T, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        let scalars = |out: &mut Vec<u128>| value_of::<T, F>().scalars(0, &mut |_, _, bits| out.push(bits));
        out.push(SlotValue::Constant(T::TYPE, scalars, |member| value::number(&value_of::<T, F>(), member)));
    }
    fn integer(_: usize) -> Option<IntType> {
        T::TYPE.integer()
    }
    fn number(_: usize, member: &Member) -> Option<i128> {
        value::number(&value_of::<T, F>(), member)
    }
}

impl<C: Atomic, F: Fn() -> C + Copy + 'static> Slots for AtomicSlot<C, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        let scalars = |out: &mut Vec<u128>| first_of::<C, F>().scalars(0, &mut |_, _, bits| out.push(bits));
        out.push(SlotValue::Constant(C::Value::TYPE, scalars, |member| value::number(&first_of::<C, F>(), member)));
    }
    fn integer(_: usize) -> Option<IntType> {
        C::Value::TYPE.integer()
    }
}

impl<A: DeviceValue, F: Format<A>> Slots for FormatSlot<A, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        out.push(SlotValue::Format(A::TYPE, |bytes| text(values::<A>(bytes), closure::<F>())));
    }
    fn integer(_: usize) -> Option<IntType> {
        None
    }
}

// A bound with `T` itself would tell rustc what `T` is where it is not `DeviceValue`, which would be one more error.
impl<T: DeviceValue, F: Fn(&T::Same) -> bool + Copy + 'static> Slots for VariantSlot<T, F> {
    const DEPTH: usize = 0;
    const COUNT: usize = 1;
    fn describe(out: &mut Vec<SlotValue>) {
        let variants = match T::TYPE {
            DeviceType::Enum(ty) => ty.variants.len(),
            DeviceType::Scalar(_) | DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) => 1,
        };
        let variant = (0..variants).find(|variant| closure::<F>()(&T::sample(*variant).same()));
        out.push(SlotValue::Variant(T::TYPE, variant.unwrap_or(0)));
    }
    fn integer(_: usize) -> Option<IntType> {
        None
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

macro_rules! trees {
    (@find $what:ident $slot:ident $more:tt $($t:ident)*) => {{
        let (_slot, _first) = ($slot, 0);
        $(
            if _slot < _first + $t::COUNT { return trees!(@ask $t $what (_slot - _first) $more); }
            let _first = _first + $t::COUNT;
        )*
        None
    }};
    (@ask $t:ident $what:ident $slot:tt ($($more:ident)*)) => { $t::$what($slot, $($more)*) };
    ($($($t:ident)*;)*) => { $(
        impl<$($t: Slots),*> Slots for ($($t,)*) {
            const DEPTH: usize = deepest(0, &[$($t::DEPTH),*]);
            const COUNT: usize = 0 $(+ $t::COUNT)*;
            fn describe(_out: &mut Vec<SlotValue>) { $($t::describe(_out);)* }
            fn integer(slot: usize) -> Option<IntType> { trees! { @find integer slot () $($t)* } }
            #[inline(always)]
            fn ty(slot: usize) -> Option<&'static DeviceType> { trees! { @find ty slot () $($t)* } }
            fn number(slot: usize, _member: &Member) -> Option<i128> { trees! { @find number slot (_member) $($t)* } }
            #[inline(always)]
            fn total() -> bool { true $(&& $t::total())* }
            #[inline(always)]
            fn partial(_from: usize, _to: usize) -> usize {
                let (_at, partial) = (0, 0);
                $(
                    let partial = partial + $t::partial(_from.saturating_sub(_at), _to.saturating_sub(_at));
                    let _at = _at + $t::COUNT;
                )*
                partial
            }
            #[inline(always)]
            fn in_lanes(slot: usize) -> Option<bool> { trees! { @find in_lanes slot () $($t)* } }
            #[inline(always)]
            fn room(slot: usize) -> Option<usize> { trees! { @find room slot () $($t)* } }
            #[inline(always)]
            fn keeps(slot: usize) -> Option<bool> { trees! { @find keeps slot () $($t)* } }
            #[inline(always)]
            fn needs(slot: usize) -> Option<u64> { trees! { @find needs slot () $($t)* } }
        }
    )* };
}
trees! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

const fn deepest(so_far: usize, depths: &[usize]) -> usize {
    match depths {
        [] => so_far,
        [first, rest @ ..] => deepest(if *first > so_far { *first } else { so_far }, rest),
    }
}

/// The depth of the calls of a device function, which is not called.
pub const fn depth_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F) -> usize {
    1 + W::DEPTH
}

/// [`DeviceFn::needs`] of a function: what its own accesses depend on, and those of the functions that it calls. A call is its slot, its
/// `unlimited` arguments, and for each argument the parameters that it depends on.
#[inline(always)]
pub fn needs_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, own: u64, calls: &[(usize, u64, &[u64])]) -> u64 {
    calls.iter().fold(own, |all, (slot, unlimited, args)| {
        let needs = W::needs(*slot).filter(|needs| needs & unlimited == 0).unwrap_or(0);
        let needed = args.iter().enumerate().filter(|(at, _)| needs.checked_shr(*at as u32).unwrap_or(0) & 1 != 0);
        needed.fold(all, |all, (_, of)| all | of)
    })
}

/// [`DeviceFn::total`] of a function without branches, by what it calls. [`DeviceFn::has_lanes`] of one with loops.
#[inline(always)]
pub fn total_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, conditions: &Conditions) -> bool {
    conditions.hold::<W>()
}

/// [`DeviceFn::room`] of a function, with what it takes in lanes.
#[inline(always)]
pub fn room_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: &F, in_lanes: Option<&Conditions>) -> usize {
    size_of::<(A, V)>() + in_lanes.map_or(0, |conditions| conditions.room::<W>())
}

/// The slots of a device function, which is not called.
pub fn slots_of<A, V, W: Slots, F: FnOnce(A) -> (V, W)>(_: F, out: &mut Vec<SlotValue>) {
    W::describe(out);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DeviceType;
    use crate::value::scalar::ScalarType;

    fn twin(x: u8) -> (u8, impl Slots) {
        let (a, b, c) = (slot(), slot(), slot());
        let mut sum = typed(a, 0.0);
        sum += 1.0f32;
        let k = typed(b, 3);
        same(c, &sum);
        (x + k, (a, (b, c)))
    }

    #[test]
    fn inferred_types_come_out_without_a_call() {
        let mut out = Vec::new();
        slots_of(|(x,): (u8,)| twin(x), &mut out);
        let types = out.iter().map(|v| match v {
            SlotValue::Type(DeviceType::Scalar(ty)) => *ty,
            _ => ScalarType::Bool,
        });
        assert_eq!(types.collect::<Vec<_>>(), [ScalarType::F32, ScalarType::U8, ScalarType::F32]);
        assert_eq!(twin(4).0, 7);
    }
}
