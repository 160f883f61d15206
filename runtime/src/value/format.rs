//! The text of values: the lines of `println!` and the messages of failed checks.
//!
//! Rust formats them, on the host. Next to each place that formats values, the twin has a closure
//! around `format_args!` with the user's own format string. It captures nothing, so that a
//! [slot](crate::model::slots) keeps it by its type. On the CPU the twin calls it. A GPU records
//! the values as C++ has them; the host makes Rust values of the record, scalar by scalar, and
//! calls the same closure.

use std::any::Any;
use std::fmt::Arguments;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::DeviceValue;

/// A closure of the twin that formats values of type `A`. It gives the text to its second argument.
pub trait Format<A>: Fn(A, &mut dyn FnMut(Arguments<'_>)) + Copy + 'static {}
impl<A, F: Fn(A, &mut dyn FnMut(Arguments<'_>)) + Copy + 'static> Format<A> for F {}

/// Formats the values that these bytes hold as C++ lays them out.
pub(crate) type FormatBytes = fn(&[u8]) -> Result<String, String>;

/// The text of values. If a `Display` or `Debug` of the user panics, the result is the message of
/// the panic, which the hook has printed.
pub(crate) fn text<A>(values: A, format: impl Format<A>) -> Result<String, String> {
    let mut text = String::new();
    caught(|| format(values, &mut |arguments| text = std::fmt::format(arguments))).map(|()| text)
}

/// Runs code of somebody else, which may use the runtime: the caller has no lock, and its state is
/// complete. If it panics, the result is the message.
pub(crate) fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(message_of)
}

/// Drops a value of somebody else where a panic of its destructor cannot be reported. The panic
/// hook has printed its message.
pub(crate) fn dropped<V>(value: V) {
    let _ = caught(|| drop(value));
}

/// The message of a panic. A payload that is no text is never dropped, because its destructor may
/// panic, too.
pub(crate) fn message_of(payload: Box<dyn Any + Send>) -> String {
    payload.downcast::<String>().map_or_else(
        |payload| {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            std::mem::forget(payload);
            text.unwrap_or_default()
        },
        |text| *text,
    )
}

/// The values that some bytes hold as C++ lays them out. Bytes between scalars are not read, and
/// bytes that are missing count as 0.
pub(crate) fn values<A: DeviceValue>(bytes: &[u8]) -> A {
    A::from_scalars(0, &mut |offset, size| {
        let mut bits = [0; 16];
        if let Some(scalar) = bytes.get(offset..offset + size) {
            bits[..size].copy_from_slice(scalar);
        }
        u128::from_le_bytes(bits)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::scalar::{Scalar, low_bytes};

    fn bytes_of<A: DeviceValue>(value: &A) -> Vec<u8> {
        let mut bytes = vec![0xa5; A::TYPE.layout().0]; // what is between the scalars must not matter
        value.scalars(0, &mut |offset, size, bits| {
            bytes[offset..offset + size].copy_from_slice(low_bytes(&bits.to_ne_bytes(), size));
        });
        bytes
    }

    #[test]
    fn values_survive_their_bytes() {
        fn check<A: DeviceValue + PartialEq + std::fmt::Debug>(value: A) {
            assert_eq!(values::<A>(&bytes_of(&value)), value);
        }
        check(());
        check((true, -1i8, [2u16, 3], (4i128, [(); 3]), 5.5f32));
        check((u8::MAX, u128::MAX, i64::MIN, [[f64::MIN_POSITIVE; 2]; 2], [0u64; 0]));
        assert!(!bool::of_bits(2), "a bool is valid whatever a device has written");
    }

    #[test]
    fn a_panic_of_the_users_code_is_a_message() {
        struct Sulks;
        impl std::fmt::Display for Sulks {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::panic::resume_unwind(Box::new("I will not be printed"))
            }
        }
        assert_eq!(text((1, 2.5), |(a, b), out| out(format_args!("{a:03} {b:?}"))), Ok("001 2.5".to_owned()));
        assert_eq!(text(Sulks, |it, out| out(format_args!("{it}"))), Err("I will not be printed".to_owned()));
    }
}
