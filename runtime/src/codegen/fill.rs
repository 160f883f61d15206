//! Templates to text: fills each hole with the type that rustc inferred for its slot.

use std::cell::Cell;

use anabranch_core::emit::{Binary, Method, Node, Text, Told};
use anabranch_core::methods;
use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::constants::Constants;
use super::types::Types;
use super::{FailedCheck, Function, MISSING, lines, literal};
use crate::model::description::SlotValue;
use crate::model::kernel::{Receiver, Variant};
use crate::value::scalar::ScalarType;
use crate::value::{DeviceType, EnumType};

/// The values for the holes of one template.
pub(super) struct Fill<'a> {
    pub(super) types: &'a Types,
    pub(super) slots: &'a [SlotValue],
    pub(super) captures: &'a [&'static DeviceType],
    pub(super) functions: &'a [Function],
    /// Collects constants that are objects of their own.
    pub(super) constants: &'a Constants<'a>,
    /// C++ name of the template's own function.
    pub(super) own: &'a str,
    /// Number of sites in the program before those of this template.
    pub(super) base: u32,
    /// The program of the kernel.
    pub(super) variant: Variant,
    /// Whether what the launch has decided is true of this text. It is not in a function of whose arguments the launch does not know enough.
    pub(super) told: bool,
    pub(super) failed: FailedCheck,
    /// Whether a check of a text so far can fail.
    pub(super) fails: &'a Cell<bool>,
    /// The file of the function, if the text says which lines it comes from.
    pub(super) file: Option<&'static str>,
}

/// The form of an operation in C++.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// The C++ operator.
    Native,
    /// A helper.
    Helper,
    /// A helper that takes the site.
    Checked,
}

impl Fill<'_> {
    pub(super) fn text(&self, template: &Text) -> String {
        let mut out = String::new();
        self.write(template, &mut out);
        out
    }

    /// The number of a site in the program.
    fn site(&self, number: u32) -> u32 {
        self.fails.set(true);
        self.base + number
    }

    fn write(&self, template: &Text, out: &mut String) {
        template.nodes().iter().for_each(|node| self.node(node, out));
    }

    fn node(&self, node: &Node, out: &mut String) {
        match node {
            Node::Text(text) => out.push_str(text),
            Node::Line(line, file) => {
                if let Some(own) = self.file.filter(|_| *line > 0) {
                    out.push_str(&lines::directive(*line as usize, if file.is_empty() { own } else { file }));
                }
            }
            Node::Type(slot) => match self.slots.get(*slot as usize) {
                Some(
                    SlotValue::Type(ty)
                    | SlotValue::Constant(ty, ..)
                    | SlotValue::Variant(ty, _)
                    | SlotValue::Format(ty, _),
                ) => {
                    out.push_str(&self.types.spelled(ty));
                }
                Some(SlotValue::Function(_)) | None => out.push_str(MISSING),
            },
            Node::Captured(k) => match self.captures.get(*k as usize) {
                Some(ty) => out.push_str(&self.types.spelled(ty)),
                None => out.push_str(MISSING),
            },
            Node::Narrow(k, name) => match self.captures.get(*k as usize) {
                Some(DeviceType::Scalar(_)) => out.push_str(&format!("(i32){name}")),
                Some(_) | None => out.push('0'),
            },
            Node::Parameter(k, name, packed) => match self.captures.get(*k as usize) {
                Some(ty) if is_packed(ty) => {
                    out.push_str(&format!("ab::packed<{}> {packed}", ty.layout().0 / size_of::<u64>()));
                }
                Some(ty) if self.is_told() && is_in_words(ty) => out.push_str(&format!("ab::two_words {packed}")),
                Some(ty) => out.push_str(&format!("{} {name}", self.types.spelled(ty))),
                None => out.push_str(MISSING),
            },
            Node::Unpack(k, name, packed) => match self.captures.get(*k as usize) {
                Some(ty) if is_packed(ty) => {
                    let ty = self.types.spelled(ty);
                    out.push_str(&format!("    const {ty} {name} = ab::unpack<{ty}>({packed});\n"));
                }
                Some(ty) if self.is_told() && is_in_words(ty) => {
                    let ty = self.types.spelled(ty);
                    out.push_str(&format!("    const {ty} {name} = ({ty}){packed}.whole();\n"));
                }
                Some(_) | None => {}
            },
            Node::Constant(slot) => match self.slots.get(*slot as usize) {
                Some(SlotValue::Constant(ty, bits, _)) => operand(&self.constants.value(ty, *bits), out),
                Some(SlotValue::Type(_) | SlotValue::Variant(..) | SlotValue::Function(_) | SlotValue::Format(..))
                | None => {
                    out.push_str(MISSING);
                }
            },
            Node::Int(slot, digits) => out.push_str(&literal::int(self.scalar(*slot), digits, false)),
            Node::Float(slot, digits) => out.push_str(&literal::float(self.scalar(*slot), digits, false)),
            Node::Unary(op, slot, operand) => self.unary(*op, *slot, operand, out),
            Node::Binary(binary, lhs, rhs) => self.binary(*binary, lhs, rhs, out),
            Node::Chosen(slot, value) => {
                if !matches!(self.slots.get(*slot as usize), Some(SlotValue::Type(DeviceType::Scalar(_)))) {
                    out.push_str("ab::value");
                }
                self.write(value, out);
            }
            Node::Compare(op, slot, lhs, rhs) => self.compare(*op, *slot, [lhs, rhs], out),
            // A thread that goes on after a failed check must not write.
            Node::Within(slot, _, base, index) if self.callee(*slot).is_none() && self.failed == FailedCheck::Exit => {
                out.push_str(&format!("{}.e[(u32)({})]", self.text(base), self.text(index)));
            }
            Node::Element(slot, site, base, index) | Node::Within(slot, site, base, index) => {
                let (base, index) = (self.text(base), self.text(index));
                out.push_str(&match self.callee(*slot) {
                    Some(function) => format!("{}(ab_cx, {base}, {index})", function.called()),
                    None => format!("{base}.at(ab_cx, {}, {index})", self.site(*site)),
                });
            }
            Node::Make(slot, base, members) => self.make(*slot, base, members, out),
            Node::Part(slot, member, place) => self.part(*slot, member, place, out),
            Node::PartFromLast(slot, from_last, place) => {
                let fields = match self.slots.get(*slot as usize) {
                    Some(SlotValue::Variant(DeviceType::Struct(ty), _)) => ty.fields.len(),
                    Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => ty.variants[*variant].fields.len(),
                    _ => 0,
                };
                self.part(*slot, &format!("m{}", fields.saturating_sub(1 + *from_last as usize)), place, out);
            }
            Node::All(tests) => self.all(tests, out),
            Node::Is(slot, place) => self.is(*slot, &self.text(place), out),
            Node::Propagate(slots, name) => self.propagate(*slots, name, out),
            Node::Answer(slot, name) => match self.question(*slot) {
                Some((ty, answer)) => out.push_str(&format!("{name}.{}.m0", ty.variants[answer].c_name)),
                None => out.push_str(MISSING),
            },
            // Only `Make` and `All` contain these.
            Node::Member(..) | Node::Test(_) => out.push_str(MISSING),
            Node::Site(site) => out.push_str(&self.site(*site).to_string()),
            Node::Told(told) => out.push_str(&match (self.callee(told.slot), self.told(*told)) {
                (_, Some(function)) => function.called_decided(),
                (Some(function), None) if self.is_proved() && function.can_be_told() => function.called_short(),
                (Some(function), None) => function.called(),
                (None, None) => MISSING.to_owned(),
            }),
            Node::NarrowArgument(told, param, value) => {
                let slot = |function: &Function| {
                    let (_, slot) = function.code.narrow.iter().find(|(of, _)| *of == *param as usize)?;
                    Some(function.is_integer(slot.number()))
                };
                match self.told(*told).and_then(slot) {
                    Some(true) => {
                        out.push_str(", ");
                        self.write(value, out);
                    }
                    // The launch decides nothing with it.
                    Some(false) => out.push_str(", 0"),
                    None => {}
                }
            }
            Node::NarrowResult(slot, args, wide) => match self.callee(*slot).filter(|function| function.has_index()) {
                Some(function) => {
                    out.push_str(&format!("{}(", function.called_in_32_bits()));
                    self.write(args, out);
                    out.push(')');
                }
                None => self.write(wide, out),
            },
            Node::Call(slot) => out.push_str(&self.callee(*slot).map_or(MISSING.to_owned(), Function::called)),
            Node::Method(method, name, receiver, args) => self.method(*method, name, [receiver, args], out),
            Node::Bind(method) => out.push_str(match (self.receiver(*method), method.place) {
                (Receiver::Value, _) => "const auto ",
                (Receiver::Shared | Receiver::Unique, true) => "auto& ",
                (Receiver::Shared | Receiver::Unique, false) => "auto ",
            }),
            Node::At => out.push_str(if self.is_proved() { "at_narrow" } else { "at" }),
            Node::Own => out.push_str(self.own),
            Node::LeaveIfFailed(leave) => match self.failed {
                FailedCheck::Exit => {}
                FailedCheck::GoOn => {
                    out.push_str(" if (ab_cx.failed()) ");
                    self.write(leave, out);
                }
            },
            Node::Either(decided, checked) => self.write(if self.is_told() { decided } else { checked }, out),
            Node::InOneGrid(whole, part) => match self.variant {
                Variant::Unchecked => self.write(whole, out),
                Variant::UncheckedMultiGrid | Variant::Checked => self.write(part, out),
            },
        }
    }

    fn unary(&self, op: UnOp, slot: u32, operand: &Text, out: &mut String) {
        match (op, operand.nodes()) {
            // `-2` is easier to read than `ab::neg(2)`, and `MIN` has no other spelling.
            (UnOp::Neg, [Node::Int(slot, digits)]) => out.push_str(&literal::int(self.scalar(*slot), digits, true)),
            (UnOp::Neg, [Node::Float(slot, digits)]) => {
                self::operand(&literal::float(self.scalar(*slot), digits, true), out);
            }
            _ => {
                match self.callee(slot) {
                    Some(function) => out.push_str(&format!("{}(ab_cx, ", function.called())),
                    None => out.push_str(unary(op, self.scalar(slot))),
                }
                self.write(operand, out);
                out.push(')');
            }
        }
    }

    fn binary(&self, Binary { op, assigns, slot, site }: Binary, lhs: &Text, rhs: &Text, out: &mut String) {
        let (name, symbol) = (helper(op), op.symbol());
        let (open, between, close) = match (self.spelling(op, slot), assigns) {
            _ if let Some(function) = self.callee(slot) => {
                (format!("{}(ab_cx, ", function.called()), ", ".to_owned(), ")")
            }
            (Spelling::Native, false) => ("(".to_owned(), format!(" {symbol} "), ")"),
            (Spelling::Native, true) => (String::new(), format!(" {symbol}= "), ""),
            (helped, assigns) => {
                let name = if assigns { format!("{}_to", name.trim_end_matches('_')) } else { name.to_owned() };
                // An operation that cannot fail has no site.
                let context = match helped {
                    Spelling::Checked => format!("ab_cx, {}, ", self.site(site.unwrap_or(0))),
                    Spelling::Helper | Spelling::Native => String::new(),
                };
                (format!("ab::{name}({context}"), ", ".to_owned(), ")")
            }
        };
        out.push_str(&open);
        self.write(lhs, out);
        out.push_str(&between);
        self.write(rhs, out);
        out.push_str(close);
    }

    fn compare(&self, op: CompareOp, slot: u32, [lhs, rhs]: [&Text; 2], out: &mut String) {
        let (lhs, rhs) = (self.text(lhs), self.text(rhs));
        match self.callee(slot) {
            Some(function) => {
                let answer = format!("{}(ab_cx, {lhs}, {rhs})", function.called());
                out.push_str(&match op {
                    CompareOp::Eq => format!("({answer})"),
                    CompareOp::Ne => format!("(!{answer})"),
                    CompareOp::Lt => format!("(ab::less({answer}))"),
                    CompareOp::Le => format!("(ab::less_or_equal({answer}))"),
                    CompareOp::Gt => format!("(ab::greater({answer}))"),
                    CompareOp::Ge => format!("(ab::greater_or_equal({answer}))"),
                });
            }
            None => {
                if let Some(SlotValue::Type(ty)) = self.slots.get(slot as usize) {
                    self.types.compared(ty, !matches!(op, CompareOp::Eq | CompareOp::Ne));
                }
                out.push_str(&format!("({lhs} {} {rhs})", op.symbol()));
            }
        }
    }

    fn spelling(&self, op: BinOp, slot: u32) -> Spelling {
        let kind = TypeClass::of(self.scalar(slot));
        match (op, kind) {
            (BinOp::Add | BinOp::Sub | BinOp::Mul, TypeClass::Float | TypeClass::Unsigned) => Spelling::Native,
            (BinOp::Div, TypeClass::Float) => Spelling::Native,
            (BinOp::Rem, TypeClass::Float) => Spelling::Helper,
            (BinOp::And | BinOp::Or | BinOp::Xor, TypeClass::Signed | TypeClass::Unsigned) => Spelling::Native,
            (BinOp::Div | BinOp::Rem, TypeClass::Bool | TypeClass::Small | TypeClass::Signed | TypeClass::Unsigned) => {
                Spelling::Checked
            }
            (BinOp::Add | BinOp::Sub | BinOp::Mul, TypeClass::Bool | TypeClass::Small | TypeClass::Signed) => {
                Spelling::Helper
            }
            (BinOp::And | BinOp::Or | BinOp::Xor, TypeClass::Bool | TypeClass::Small | TypeClass::Float) => {
                Spelling::Helper
            }
            (
                BinOp::Shl | BinOp::Shr,
                TypeClass::Bool | TypeClass::Small | TypeClass::Signed | TypeClass::Unsigned | TypeClass::Float,
            ) => Spelling::Helper,
        }
    }

    /// `T { a: x, ..base }`. C++ wants the members in the order in which they lie in memory.
    fn make(&self, slot: u32, base: &Text, members: &Text, out: &mut String) {
        let given = |name: &str| {
            members.nodes().iter().find_map(|node| match node {
                Node::Member(member, value) => (member == name).then(|| self.text(value)),
                _ => None,
            })
        };
        let ty = match self.slots.get(slot as usize) {
            Some(SlotValue::Variant(DeviceType::Struct(ty), _)) => ty,
            Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => {
                let names = ty.variants[*variant].members;
                let fields: Vec<String> = names.iter().map(|name| given(name).unwrap_or_default()).collect();
                return out.push_str(&self.types.variant(ty, *variant, &fields));
            }
            _ => return out.push_str(MISSING),
        };
        // A field without a size is no member, but its value may fail or write, which only a call does in an expression. What must come before
        // another field is in a temporary.
        let evaluated: Vec<String> = (0..ty.fields.len())
            .filter(|at| ty.fields[*at].size == 0)
            .filter_map(|at| given(ty.fields[at].c_name))
            .filter(|value| value.contains('('))
            .map(|value| format!("(void)({value}), "))
            .collect();
        let value = self.types.value(ty, |at| {
            given(ty.fields[at].c_name).unwrap_or_else(|| format!("{}.{}", self.text(base), ty.fields[at].c_name))
        });
        match evaluated.concat().as_str() {
            "" => out.push_str(&value),
            evaluated => out.push_str(&format!("({evaluated}{value})")),
        }
    }

    /// A field of what a pattern takes apart.
    fn part(&self, slot: u32, member: &str, place: &Text, out: &mut String) {
        self.write(place, out);
        if let Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) = self.slots.get(slot as usize) {
            out.push_str(&format!(".{}", ty.variants[*variant].c_name));
        }
        out.push_str(&format!(".{member}"));
    }

    fn is(&self, slot: u32, place: &str, out: &mut String) {
        match self.slots.get(slot as usize) {
            Some(SlotValue::Constant(ty, bits, _)) => out.push_str(&self.constants.test(ty, *bits, place)),
            Some(SlotValue::Variant(DeviceType::Enum(ty), variant)) => out.push_str(&Types::is(ty, *variant, place)),
            // A struct.
            Some(SlotValue::Variant(..)) => out.push_str("true"),
            Some(SlotValue::Type(_) | SlotValue::Function(_) | SlotValue::Format(..)) | None => out.push_str(MISSING),
        }
    }

    fn all(&self, tests: &Text, out: &mut String) {
        let tests = tests.nodes().iter().filter_map(|node| match node {
            Node::Test(test) => Some(self.text(test)).filter(|test| test != "true"),
            _ => None,
        });
        match tests.collect::<Vec<_>>().as_slice() {
            [] => out.push_str("true"),
            [one] => out.push_str(one),
            tests => out.push_str(&format!("({})", tests.join(" && "))),
        }
    }

    /// The type of what is before a `?`, and the variant that has a value.
    fn question(&self, slot: u32) -> Option<(&'static EnumType, usize)> {
        match self.slots.get(slot as usize) {
            Some(SlotValue::Type(DeviceType::Enum(ty))) => {
                let answer = ty.variants.iter().position(|variant| matches!(variant.c_name, "Some" | "Ok"));
                answer.map(|answer| (*ty, answer))
            }
            _ => None,
        }
    }

    fn propagate(&self, [slot, result, conversion]: [u32; 3], name: &str, out: &mut String) {
        let (Some((ty, answer)), Some((result, _))) = (self.question(slot), self.question(result)) else {
            return out.push_str(MISSING);
        };
        let rest = 1 - answer;
        let error: Vec<String> =
            ty.variants[rest].members.iter().map(|m| format!("{name}.{}.{m}", ty.variants[rest].c_name)).collect();
        let error = match self.callee(conversion) {
            Some(function) => vec![format!("{}(ab_cx, {})", function.called(), error.join(", "))],
            None => error,
        };
        let (test, value) = (Types::is(ty, rest, name), self.types.variant(result, rest, &error));
        out.push_str(&format!("if ({test}) return {value};"));
    }

    fn scalar(&self, slot: u32) -> ScalarType {
        match self.slots.get(slot as usize) {
            Some(SlotValue::Type(DeviceType::Scalar(ty))) => *ty,
            // This does not happen: template and description come from one expansion, and operators have only scalars.
            Some(
                SlotValue::Type(_)
                | SlotValue::Constant(..)
                | SlotValue::Variant(..)
                | SlotValue::Function(_)
                | SlotValue::Format(..),
            )
            | None => ScalarType::I32,
        }
    }

    /// The device function in a slot; `None` where a method of std is called.
    fn callee(&self, slot: u32) -> Option<&Function> {
        let Some(SlotValue::Function(function)) = self.slots.get(slot as usize) else { return None };
        let id = function().id;
        self.functions.iter().find(|known| known.source.id == id)
    }

    /// The function of a call that is told what the launch has decided, where it is, and if it makes a difference.
    fn told(&self, Told { slot, unlimited }: Told) -> Option<&Function> {
        let function = self.callee(slot).filter(|_| self.is_told())?;
        (function.can_be_told() && (function.source.needs)() & unlimited == 0).then_some(function)
    }

    /// Whether it is in a program for what the launch has proven: then the lengths of all slices are below 2^32.
    fn is_proved(&self) -> bool {
        self.variant != Variant::Checked
    }

    /// Whether, in addition, the accesses that the launch decides here are in bounds.
    fn is_told(&self) -> bool {
        self.is_proved() && self.told
    }

    fn receiver(&self, method: Method) -> Receiver {
        match self.callee(method.slot) {
            Some(function) => function.source.receiver.unwrap_or(Receiver::Value),
            None if method.changing => Receiver::Unique,
            None => Receiver::Value,
        }
    }

    fn method(&self, method: Method, name: &str, [receiver, args]: [&Text; 2], out: &mut String) {
        match self.callee(method.slot) {
            Some(function) => {
                out.push_str(&format!("{}(ab_cx, ", function.called()));
                // C++ binds no reference to a value, whose changes nobody would see.
                let (open, close) = match (self.receiver(method), method.place) {
                    // The value may be a constant.
                    (Receiver::Unique, false) => ("ab::lvalue(ab::value(", "))"),
                    _ => ("", ""),
                };
                out.push_str(open);
                self.write(receiver, out);
                out.push_str(close);
            }
            None if methods::TYPED_BY_RESULT.contains(&name) || methods::CHECKED.contains(&name) => {
                let mut result = String::new();
                self.node(&Node::Type(method.slot), &mut result);
                let (suffix, context) = if methods::CHECKED.contains(&name) { ("", "ab_cx, ") } else { ("_of", "") };
                out.push_str(&format!("ab::{name}{suffix}<{result}>({context}"));
                let (open, close) = if method.changing && !method.place { ("ab::value(", ")") } else { ("", "") };
                out.push_str(open);
                self.write(receiver, out);
                out.push_str(close);
            }
            // `overflowing_…` says whether there is a value.
            None if let Some(rest) = name.strip_prefix("checked_") => {
                let mut option = String::new();
                self.node(&Node::Type(method.slot), &mut option);
                out.push_str(&format!("ab::checked<{option}>(ab::overflowing_{rest}("));
                self.write(receiver, out);
                self.write(args, out);
                return out.push_str("))");
            }
            // This makes a value of a type that only the slot knows, and compares the operands.
            None if name == "partial_cmp" => {
                let Some(SlotValue::Type(DeviceType::Tuple([ordering, operands]))) =
                    self.slots.get(method.slot as usize)
                else {
                    return out.push_str(MISSING);
                };
                self.types.compared(operands, true);
                out.push_str(&format!("ab::partial_cmp<{}>(", self.types.spelled(ordering)));
                self.write(receiver, out);
            }
            None if matches!(name, "cmp" | "total_cmp") => {
                let mut ordering = String::new();
                self.node(&Node::Type(method.slot), &mut ordering);
                out.push_str(&format!("ab::{name}<{ordering}>("));
                self.write(receiver, out);
            }
            None => {
                // What has no receiver is told its type.
                let is_associated = methods::find(name).is_some_and(|method| method.is_associated);
                if is_associated || matches!(name, "from" | "from_f32" | "from_f64") {
                    out.push_str(&format!(
                        "ab::{name}<{}>(",
                        self.types.spelled(&DeviceType::Scalar(self.scalar(method.slot)))
                    ));
                } else {
                    out.push_str(&format!("ab::{name}("));
                }
                if let Some(site) = method.site {
                    out.push_str(&format!("ab_cx, {}, ", self.site(site)));
                }
                self.write(receiver, out);
            }
        }
        self.write(args, out);
        out.push(')');
    }
}

/// Whether a parameter is passed as words, because NVRTC 12.0 crashes on a struct that contains a 128-bit number.
fn is_packed(ty: &DeviceType) -> bool {
    fn is_wide(ty: &DeviceType) -> bool {
        match ty {
            DeviceType::Scalar(ty) => ty.size() == 16,
            DeviceType::Tuple(parts) => parts.iter().any(|part| is_wide(part)),
            DeviceType::Array(element, _) => is_wide(element),
            DeviceType::Struct(ty) => ty.fields.iter().any(|field| is_wide(field.ty)),
            DeviceType::Enum(ty) => ty.variants.iter().flat_map(|variant| variant.fields).any(|field| is_wide(field)),
        }
    }
    !matches!(ty, DeviceType::Scalar(_)) && is_wide(ty)
}

/// Whether a parameter is two words, because most of index arithmetic takes the lower half, which an instruction then has as an operand.
fn is_in_words(ty: &DeviceType) -> bool {
    matches!(ty, DeviceType::Scalar(ScalarType::U64 | ScalarType::I64 | ScalarType::Usize | ScalarType::Isize))
}

/// A number, separated from a minus in front of it: `--2.0f` would be a decrement.
fn operand(number: &str, out: &mut String) {
    if out.ends_with('-') && number.starts_with('-') {
        out.push(' ');
    }
    out.push_str(number);
}

/// How C++ computes with a type.
#[derive(Clone, Copy)]
enum TypeClass {
    Bool,
    /// Less than 32 bits: promotes to `int`.
    Small,
    /// Overflow is undefined.
    Signed,
    /// Wraps, as in Rust.
    Unsigned,
    Float,
}

impl TypeClass {
    fn of(ty: ScalarType) -> Self {
        match ty {
            ScalarType::Bool => Self::Bool,
            ScalarType::I8 | ScalarType::I16 | ScalarType::U8 | ScalarType::U16 => Self::Small,
            ScalarType::I32 | ScalarType::I64 | ScalarType::I128 | ScalarType::Isize => Self::Signed,
            ScalarType::U32 | ScalarType::U64 | ScalarType::U128 | ScalarType::Usize => Self::Unsigned,
            ScalarType::F32 | ScalarType::F64 | ScalarType::F16 | ScalarType::Bf16 => Self::Float,
        }
    }
}

fn unary(op: UnOp, ty: ScalarType) -> &'static str {
    match (op, TypeClass::of(ty)) {
        (UnOp::Neg, TypeClass::Float) => "(-",
        (UnOp::Neg, TypeClass::Bool | TypeClass::Small | TypeClass::Signed | TypeClass::Unsigned) => "ab::neg(",
        (UnOp::Not, TypeClass::Bool) => "(!",
        (UnOp::Not, TypeClass::Signed | TypeClass::Unsigned) => "(~",
        (UnOp::Not, TypeClass::Small | TypeClass::Float) => "ab::inv(",
    }
}

fn helper(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "add",
        BinOp::Sub => "sub",
        BinOp::Mul => "mul",
        BinOp::Div => "div",
        BinOp::Rem => "rem",
        BinOp::And => "and_",
        BinOp::Or => "or_",
        BinOp::Xor => "xor_",
        BinOp::Shl => "shl",
        BinOp::Shr => "shr",
    }
}

/// A line comment with any text: on one line, without a backslash at the end, which would continue it.
pub(super) fn comment_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("// {}\n", words.join(" ").trim_end_matches('\\'))
}

#[cfg(test)]
mod tests;
