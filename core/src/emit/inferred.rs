//! What the emitter has to know that is not in the tree.

use super::form::Version;
use crate::ir::Receiver;
use crate::ir::{CaptureId, SlotId};
use crate::scalar::ScalarType;

/// The text for what is not known. The compiler rejects it; the emitter itself cannot fail.
pub const MISSING: &str = "ab_missing";

/// What rustc has inferred for the slots and captures of a body. The emitter looks up a slot only
/// as what it holds.
pub trait Inferred {
    /// The C++ type of a slot.
    fn ty(&self, slot: SlotId) -> String;

    /// The type of a captured value, or of the elements of a captured buffer.
    fn captured(&self, capture: CaptureId) -> Captured;

    /// The primitive type of a slot. `None`: it is of another type, or holds no type.
    fn scalar(&self, slot: SlotId) -> Option<ScalarType>;

    /// The device function in a slot. `None`: a method or an operator of std.
    fn function(&self, slot: SlotId) -> Option<&CalledFunction>;

    /// The C++ name of a device function, by [`CalledFunction::number`].
    fn name(&self, function: usize, version: Version) -> String;

    /// The value of the constant in a slot.
    fn constant(&self, slot: SlotId) -> String;

    /// The test that a place is of the slot's variant, or equals the constant in the slot. `None`:
    /// it always does.
    fn is(&self, slot: SlotId, place: &str) -> Option<String>;

    /// The struct or variant in a slot.
    fn fields(&self, slot: SlotId) -> Fields;

    /// A value of the struct or variant in a slot: the fields that are listed, and the others from
    /// the place `base`.
    fn made(&self, slot: SlotId, base: &str, members: &[Member<'_>]) -> String;

    /// What `?` does with a variable of the type in the slot `asked`, in a function whose result
    /// has the type in the slot `result`. The function `convert` makes the error of the result from
    /// that of the variable.
    fn question(&self, asked: SlotId, result: SlotId, variable: &str, convert: Option<&str>) -> Option<Question>;

    /// Notes that values of the slot's type are compared part by part, by `<` and its like where
    /// `ordered`.
    fn note_comparison(&self, slot: SlotId, ordered: bool);

    /// The type of the result of `partial_cmp`, whose slot has that type and the type of the
    /// operands. Notes that these are compared.
    fn partial_ordering(&self, slot: SlotId) -> String;
}

/// The type of a capture.
pub struct Captured {
    /// In C++.
    pub ty: String,
    /// The primitive type, if it is one.
    pub scalar: Option<ScalarType>,
    /// The number of 64-bit words that a value of it travels as, where it cannot be a parameter
    /// itself.
    pub words: Option<usize>,
}

/// A device function that is called.
pub struct CalledFunction {
    /// Its number in the program.
    pub number: usize,
    /// How a method takes its receiver.
    pub receiver: Option<Receiver>,
    /// Whether it differs by what the launch has shown.
    pub differs: bool,
    /// The arguments, as bits, that its accesses depend on.
    pub needs: u64,
    /// The parameters that it also takes in 32 bits where accesses are decided, in order, and
    /// whether their types are integers.
    pub narrow: Vec<(usize, bool)>,
    /// Whether it exists as an index of 32 bits, too.
    pub is_index: bool,
}

/// A struct or a variant.
pub struct Fields {
    /// What leads from a value to its fields: nothing for a struct, `.Name` for a variant.
    pub path: String,
    /// How many there are.
    pub count: usize,
}

/// A field that gets a value.
pub struct Member<'a> {
    /// Its C++ name.
    pub name: &'a str,
    /// The value.
    pub value: String,
    /// Whether the evaluation of the value may fail or change something.
    pub acts: bool,
}

/// What `?` does.
pub struct Question {
    /// The test that there is no value.
    pub is_empty: String,
    /// What the function returns then.
    pub returned: String,
    /// The value, if there is one.
    pub value: String,
}
