//! What rustc has inferred for one body, by its slots and captures.

use anabranch_core::emit::{self, CalledFunction, Captured, Fields, MISSING, Member, Question, Version};
use anabranch_core::ir::{CaptureId, SlotId};
use anabranch_core::scalar::ScalarType;

use super::constants::Constants;
use super::functions::Function;
use super::types::Types;
use crate::model::description::SlotValue;
use crate::value::{DeviceType, EnumType};

/// The slots and captures of a body, and what its program has.
pub(super) struct Inferred<'a> {
    pub(super) slots: &'a [SlotValue],
    pub(super) captures: &'a [&'static DeviceType],
    pub(super) types: &'a Types,
    pub(super) functions: &'a [Function],
    /// Collects constants that are objects of their own.
    pub(super) constants: &'a Constants<'a>,
}

impl Inferred<'_> {
    fn slot(&self, slot: SlotId) -> Option<&SlotValue> {
        self.slots.get(slot.number() as usize)
    }

    /// The type of what is before a `?`, and the variant that has a value.
    fn asked(&self, slot: SlotId) -> Option<(&'static EnumType, usize)> {
        match self.slot(slot) {
            Some(SlotValue::Type(DeviceType::Enum(ty))) => {
                let answer = ty.variants.iter().position(|variant| matches!(variant.c_name, "Some" | "Ok"));
                answer.map(|answer| (*ty, answer))
            }
            _ => None,
        }
    }
}

impl emit::Inferred for Inferred<'_> {
    fn ty(&self, slot: SlotId) -> String {
        match self.slot(slot) {
            Some(
                SlotValue::Type(ty)
                | SlotValue::Constant(ty, ..)
                | SlotValue::Variant(ty, _)
                | SlotValue::Format(ty, _),
            ) => self.types.spelled(ty),
            Some(SlotValue::Function(_)) | None => MISSING.to_owned(),
        }
    }

    fn captured(&self, capture: CaptureId) -> Captured {
        let Some(ty) = self.captures.get(capture.number() as usize) else {
            return Captured { ty: MISSING.to_owned(), scalar: None, words: None };
        };
        let scalar = match ty {
            DeviceType::Scalar(ty) => Some(*ty),
            DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) | DeviceType::Enum(_) => None,
        };
        let words = (scalar.is_none() && is_wide(ty)).then(|| ty.layout().0 / size_of::<u64>());
        Captured { ty: self.types.spelled(ty), scalar, words }
    }

    fn scalar(&self, slot: SlotId) -> Option<ScalarType> {
        match self.slot(slot) {
            Some(SlotValue::Type(DeviceType::Scalar(ty))) => Some(*ty),
            _ => None,
        }
    }

    fn function(&self, slot: SlotId) -> Option<&CalledFunction> {
        let Some(SlotValue::Function(function)) = self.slot(slot) else { return None };
        let id = function().id;
        self.functions.iter().find(|known| known.source.id == id).map(|function| &function.called)
    }

    fn name(&self, function: usize, version: Version) -> String {
        self.functions
            .get(function)
            .map_or(MISSING.to_owned(), |function| format!("device::{}", function.name(version)))
    }

    fn constant(&self, slot: SlotId) -> String {
        match self.slot(slot) {
            Some(SlotValue::Constant(ty, bits, _)) => self.constants.value(ty, *bits),
            Some(SlotValue::Type(_) | SlotValue::Variant(..) | SlotValue::Function(_) | SlotValue::Format(..))
            | None => MISSING.to_owned(),
        }
    }

    fn is(&self, slot: SlotId, place: &str) -> Option<String> {
        match self.slot(slot) {
            Some(SlotValue::Constant(ty, bits, _)) => self.constants.test(ty, *bits, place),
            Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => Types::is(ty, *variant, place),
            // A struct.
            Some(SlotValue::Variant(..)) => None,
            Some(SlotValue::Type(_) | SlotValue::Function(_) | SlotValue::Format(..)) | None => {
                Some(MISSING.to_owned())
            }
        }
    }

    fn fields(&self, slot: SlotId) -> Fields {
        match self.slot(slot) {
            Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => {
                let variant = &ty.variants[*variant];
                Fields { path: format!(".{}", variant.c_name), count: variant.fields.len() }
            }
            Some(SlotValue::Variant(DeviceType::Struct(ty), _)) => {
                Fields { path: String::new(), count: ty.fields.len() }
            }
            _ => Fields { path: format!(".{MISSING}"), count: 0 },
        }
    }

    /// C++ wants the members in the order in which they lie in memory.
    fn made(&self, slot: SlotId, base: &str, members: &[Member<'_>]) -> String {
        let given = |name: &str| members.iter().find(|member| member.name == name);
        let ty = match self.slot(slot) {
            Some(SlotValue::Variant(DeviceType::Struct(ty), _)) => ty,
            Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => {
                let names = ty.variants[*variant].members.iter();
                let fields = names.map(|name| given(name).map(|member| member.value.clone()).unwrap_or_default());
                return self.types.variant(ty, *variant, &fields.collect::<Vec<_>>());
            }
            _ => return MISSING.to_owned(),
        };
        // A field without a size is no member, but its value may fail or write, which only a call
        // does in an expression. What must come before another field is in a temporary.
        let without_size = ty.fields.iter().filter(|field| field.size == 0).filter_map(|field| given(field.c_name));
        let evaluated: String =
            without_size.filter(|member| member.acts).map(|member| format!("(void)({}), ", member.value)).collect();
        let value = self.types.value(ty, |at| match given(ty.fields[at].c_name) {
            Some(member) => member.value.clone(),
            None => format!("{base}.{}", ty.fields[at].c_name),
        });
        if evaluated.is_empty() { value } else { format!("({evaluated}{value})") }
    }

    fn question(&self, asked: SlotId, result: SlotId, variable: &str, convert: Option<&str>) -> Option<Question> {
        let ((ty, answer), (result, _)) = (self.asked(asked)?, self.asked(result)?);
        let rest = 1 - answer;
        let variant = &ty.variants[rest];
        let error = variant.members.iter().map(|member| format!("{variable}.{}.{member}", variant.c_name));
        let error: Vec<String> = error.collect();
        let error = match convert {
            Some(convert) => vec![format!("{convert}(ab_cx, {})", error.join(", "))],
            None => error,
        };
        Some(Question {
            is_empty: Types::is(ty, rest, variable)?,
            returned: self.types.variant(result, rest, &error),
            value: format!("{variable}.{}.m0", ty.variants[answer].c_name),
        })
    }

    fn note_comparison(&self, slot: SlotId, ordered: bool) {
        if let Some(SlotValue::Type(ty)) = self.slot(slot) {
            self.types.compared(ty, ordered);
        }
    }

    fn partial_ordering(&self, slot: SlotId) -> String {
        let Some(SlotValue::Type(DeviceType::Tuple([ordering, operands]))) = self.slot(slot) else {
            return MISSING.to_owned();
        };
        self.types.compared(operands, true);
        self.types.spelled(ordering)
    }
}

/// Whether a number of 128 bits is in it.
fn is_wide(ty: &DeviceType) -> bool {
    match ty {
        DeviceType::Scalar(ty) => ty.size() == 16,
        DeviceType::Tuple(parts) => parts.iter().any(|part| is_wide(part)),
        DeviceType::Array(element, _) => is_wide(element),
        DeviceType::Struct(ty) => ty.fields.iter().any(|field| is_wide(field.ty)),
        DeviceType::Enum(ty) => ty.variants.iter().flat_map(|variant| variant.fields).any(|field| is_wide(field)),
    }
}
