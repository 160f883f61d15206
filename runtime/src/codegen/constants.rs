//! Constants in C++: numbers and tags inline; tuples, arrays, structs and enums as objects in a
//! separate namespace, so that a table is in memory only once.

use std::cell::RefCell;

use anabranch_core::emit::literal;
use anabranch_core::scalar::ScalarType;

use super::types::Types;
use crate::value::DeviceType;

/// The objects of a program.
#[derive(Debug)]
pub(super) struct Constants<'t> {
    types: &'t Types,
    /// Type and value in C++; an object's position is its number.
    objects: RefCell<Vec<(String, String)>>,
}

impl<'t> Constants<'t> {
    pub(super) fn new(types: &'t Types) -> Self {
        Self { types, objects: RefCell::default() }
    }

    /// The C++ expression of a constant. `bits` appends the bits of its scalars.
    pub(super) fn value(&self, ty: &DeviceType, bits: fn(&mut Vec<u128>)) -> String {
        let mut scalars = Vec::new();
        bits(&mut scalars);
        let mut finite = true;
        let text = value(self.types, ty, &mut scalars.iter().copied(), &mut finite);
        match ty {
            DeviceType::Scalar(_) => text,
            DeviceType::Enum(_) if scalars.len() == 1 => text,
            // In NVRTC, infinity is not a constant expression.
            DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) | DeviceType::Enum(_) if !finite => {
                text
            }
            DeviceType::Tuple(_) | DeviceType::Array(..) | DeviceType::Struct(_) | DeviceType::Enum(_) => {
                let object = (self.types.spelled(ty), text);
                let mut objects = self.objects.borrow_mut();
                let at = objects.iter().position(|known| *known == object).unwrap_or_else(|| {
                    objects.push(object);
                    objects.len() - 1
                });
                format!("constants::c{at}")
            }
        }
    }

    /// The test that a place equals a constant, as patterns compare: part by part. `None`: there is
    /// nothing to compare.
    pub(super) fn test(&self, ty: &DeviceType, bits: fn(&mut Vec<u128>), place: &str) -> Option<String> {
        let mut scalars = Vec::new();
        bits(&mut scalars);
        let mut tests = Vec::new();
        test(ty, place, &mut scalars.iter().copied(), &mut tests);
        match tests.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            _ => Some(format!("({})", tests.join(" && "))),
        }
    }

    /// The definitions of all objects.
    pub(super) fn text(&self) -> String {
        let objects = self.objects.borrow();
        if objects.is_empty() {
            return String::new();
        }
        let lines =
            objects.iter().enumerate().map(|(at, (ty, value))| format!("__device__ const {ty} c{at} = {value};\n"));
        format!("namespace constants {{\n{}}}  // namespace constants\n", lines.collect::<String>())
    }
}

fn value(types: &Types, ty: &DeviceType, bits: &mut impl Iterator<Item = u128>, finite: &mut bool) -> String {
    match ty {
        DeviceType::Scalar(ty) => scalar(*ty, bits.next().unwrap_or_default(), finite),
        DeviceType::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| value(types, part, bits, finite)).collect();
            format!("{}{{{}}}", types.spelled(ty), parts.join(", "))
        }
        DeviceType::Array(element, len) => {
            let elements: Vec<String> = (0..*len).map(|_| value(types, element, bits, finite)).collect();
            format!("{}{{{{{}}}}}", types.spelled(ty), elements.join(", "))
        }
        DeviceType::Struct(of) => {
            let fields: Vec<String> = of.fields.iter().map(|field| value(types, field.ty, bits, finite)).collect();
            types.value(of, |at| fields[at].clone())
        }
        DeviceType::Enum(of) => {
            let variant = of.with_tag(bits.next().unwrap_or_default());
            let fields = of.variants[variant].fields.iter();
            let fields: Vec<String> = fields.map(|field| value(types, field, bits, finite)).collect();
            types.variant(of, variant, &fields)
        }
    }
}

/// The tests of each part of a place.
fn test(ty: &DeviceType, place: &str, bits: &mut impl Iterator<Item = u128>, tests: &mut Vec<String>) {
    match ty {
        DeviceType::Scalar(ty) => {
            let number = scalar(*ty, bits.next().unwrap_or_default(), &mut true);
            tests.push(format!("ab::is({place}, {number})"));
        }
        DeviceType::Tuple(parts) => {
            parts.iter().enumerate().for_each(|(at, part)| test(part, &format!("{place}.m{at}"), bits, tests));
        }
        DeviceType::Array(element, len) => {
            (0..*len).for_each(|at| test(element, &format!("{place}.e[{at}]"), bits, tests));
        }
        DeviceType::Struct(of) => {
            of.fields.iter().for_each(|field| test(field.ty, &format!("{place}.{}", field.c_name), bits, tests));
        }
        DeviceType::Enum(of) => {
            let at = of.with_tag(bits.next().unwrap_or_default());
            let variant = &of.variants[at];
            tests.extend(Types::is(of, at, place));
            let fields = variant.fields.iter().zip(variant.members);
            fields.for_each(|(field, name)| {
                test(field, &format!("{place}.{}.{name}", variant.c_name), bits, tests);
            });
        }
    }
}

/// A number with these bits.
fn scalar(ty: ScalarType, bits: u128, finite: &mut bool) -> String {
    let float = |value: f64, digits: String, from_bits: String, finite: &mut bool| {
        if value.is_finite() {
            literal::float(ty, digits.trim_start_matches('-'), value.is_sign_negative())
        } else {
            *finite = false;
            from_bits
        }
    };
    match ty {
        ScalarType::Bool => (bits != 0).to_string(),
        ScalarType::F32 => {
            let value = f32::from_bits(bits as u32);
            float(value.into(), format!("{value:?}"), format!("ab::from_bits<f32>({bits}u)"), finite)
        }
        ScalarType::F64 => {
            let value = f64::from_bits(bits as u64);
            float(value, format!("{value:?}"), format!("ab::from_bits<f64>({bits}ull)"), finite)
        }
        ScalarType::F16 | ScalarType::Bf16 => format!("{}::of({bits})", ty.c_name()),
        ScalarType::U8 | ScalarType::U16 | ScalarType::U32 | ScalarType::U64 | ScalarType::U128 | ScalarType::Usize => {
            literal::int(ty, &bits.to_string(), false)
        }
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 | ScalarType::I128 | ScalarType::Isize => {
            let unused = 128 - 8 * ty.size() as u32;
            let value = (bits << unused).cast_signed() >> unused;
            literal::int(ty, &value.unsigned_abs().to_string(), value < 0)
        }
    }
}
