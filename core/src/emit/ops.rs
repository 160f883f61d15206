//! Operations, spelled by their types: the operator of C++ where it means the same as in Rust, else
//! a helper of the prelude, or the device function that rustc found.

use super::literal;
use super::nodes::{BinOp, Expr, ExprKind, Receiver, SiteId, SlotId};
use super::writer::Writer;
use super::{CalledFunction, MISSING, Proved, Version};
use crate::methods;
use crate::ops::{CompareOp, UnOp};
use crate::scalar::ScalarType;

/// A call of a method or an associated function, which rustc finds.
pub(super) struct Method<'a> {
    pub(super) name: &'a str,
    /// The slot of what is called.
    pub(super) slot: SlotId,
    /// The site of the check, if it is a method of std that can fail.
    pub(super) site: Option<SiteId>,
    /// The receiver is a place, and not a value of its own.
    place: bool,
    /// If it is a method of std, it changes its receiver.
    changing: bool,
}

impl<'a> Method<'a> {
    /// A method of this receiver.
    pub(super) fn new(name: &'a str, slot: SlotId, site: Option<SiteId>, receiver: &Expr) -> Self {
        let (place, changing) = match &receiver.kind {
            ExprKind::Receiver { place, changing, .. } => (place.is_place(), *changing),
            _ => (true, false),
        };
        Self { name, slot, site, place, changing }
    }
}

impl Writer<'_> {
    /// The primitive type of an operator's slot. There is one: operators of other types are
    /// functions.
    fn operand_type(&self, slot: SlotId) -> ScalarType {
        self.types.scalar(slot).unwrap_or(ScalarType::I32)
    }

    pub(super) fn int(&self, slot: SlotId, digits: &str, negative: bool) -> String {
        literal::int(self.operand_type(slot), digits, negative)
    }

    pub(super) fn float(&self, slot: SlotId, digits: &str, negative: bool) -> String {
        literal::float(self.operand_type(slot), digits, negative)
    }

    /// The name of a device function where it is called with what the launch has shown of anything.
    pub(super) fn checked_name(&mut self, function: &CalledFunction) -> String {
        self.name_of(function, Version::For(Proved::Nothing))
    }

    /// The name of a function that the text mentions from now on.
    pub(super) fn name_of(&mut self, function: &CalledFunction, version: Version) -> String {
        self.uses.functions.insert((function.number, version));
        self.types.name(function.number, version)
    }

    pub(super) fn unary(&mut self, op: UnOp, slot: SlotId, operand: &Expr) -> String {
        match (op, &operand.kind) {
            // `-2` is easier to read than `ab::neg(2)`, and `MIN` has no other spelling.
            (UnOp::Neg, ExprKind::Int { digits, slot, .. }) => return self.int(*slot, digits, true),
            (UnOp::Neg, ExprKind::Float { digits, slot, .. }) => return self.float(*slot, digits, true),
            _ => {}
        }
        let operand = self.value(operand);
        if let Some(function) = self.types.function(slot) {
            return format!("{}(ab_cx, {operand})", self.checked_name(function));
        }
        match (op, TypeClass::of(self.operand_type(slot))) {
            // `--2.0f` would be a decrement.
            (UnOp::Neg, TypeClass::Float) if operand.starts_with('-') => format!("(- {operand})"),
            (UnOp::Neg, TypeClass::Float) => format!("(-{operand})"),
            (UnOp::Neg, _) => format!("ab::neg({operand})"),
            (UnOp::Not, TypeClass::Bool) => format!("(!{operand})"),
            (UnOp::Not, TypeClass::Signed | TypeClass::Unsigned) => format!("(~{operand})"),
            (UnOp::Not, TypeClass::Small | TypeClass::Float) => format!("ab::inv({operand})"),
        }
    }

    /// `lhs op rhs`, which can fail where there is a site.
    pub(super) fn binary(&mut self, op: BinOp, slot: SlotId, site: Option<SiteId>, [lhs, rhs]: [&str; 2]) -> String {
        self.operation(op, false, slot, site, [lhs, rhs])
    }

    /// `place op= value`
    pub(super) fn compound(&mut self, op: BinOp, slot: SlotId, site: Option<SiteId>, [lhs, rhs]: [&str; 2]) -> String {
        self.operation(op, true, slot, site, [lhs, rhs])
    }

    fn operation(
        &mut self,
        op: BinOp,
        assigns: bool,
        slot: SlotId,
        site: Option<SiteId>,
        [lhs, rhs]: [&str; 2],
    ) -> String {
        if let Some(function) = self.types.function(slot) {
            return format!("{}(ab_cx, {lhs}, {rhs})", self.checked_name(function));
        }
        let (name, symbol) = (helper(op), op.symbol());
        let context = match (spelling(op, TypeClass::of(self.operand_type(slot))), assigns) {
            (Spelling::Native, false) => return format!("({lhs} {symbol} {rhs})"),
            (Spelling::Native, true) => return format!("{lhs} {symbol}= {rhs}"),
            (Spelling::Helper, _) => String::new(),
            (Spelling::Checked, _) => match site {
                Some(site) => format!("ab_cx, {}, ", self.site(site)),
                None => format!("{MISSING}, "),
            },
        };
        match assigns {
            true => format!("ab::{}_to({context}{lhs}, {rhs})", name.trim_end_matches('_')),
            false => format!("ab::{name}({context}{lhs}, {rhs})"),
        }
    }

    pub(super) fn comparison(&mut self, op: CompareOp, slot: SlotId, [lhs, rhs]: [&str; 2]) -> String {
        let Some(function) = self.types.function(slot) else {
            self.types.note_comparison(slot, !matches!(op, CompareOp::Eq | CompareOp::Ne));
            return format!("({lhs} {} {rhs})", op.symbol());
        };
        let answer = format!("{}(ab_cx, {lhs}, {rhs})", self.checked_name(function));
        match op {
            CompareOp::Eq => format!("({answer})"),
            CompareOp::Ne => format!("(!{answer})"),
            CompareOp::Lt => format!("(ab::less({answer}))"),
            CompareOp::Le => format!("(ab::less_or_equal({answer}))"),
            CompareOp::Gt => format!("(ab::greater({answer}))"),
            CompareOp::Ge => format!("(ab::greater_or_equal({answer}))"),
        }
    }

    /// What the receiver of a method is evaluated into, up to the name.
    pub(super) fn bound(&self, method: &Method<'_>) -> &'static str {
        let receiver = match self.types.function(method.slot) {
            Some(function) => function.receiver.unwrap_or(Receiver::Value),
            None if method.changing => Receiver::Unique,
            None => Receiver::Value,
        };
        match (receiver, method.place) {
            (Receiver::Value, _) => "const auto ",
            (Receiver::Shared | Receiver::Unique, true) => "auto& ",
            (Receiver::Shared | Receiver::Unique, false) => "auto ",
        }
    }

    /// A call with the receiver, or the first argument, and the rest.
    pub(super) fn method(&mut self, method: &Method<'_>, args: Vec<String>) -> String {
        let (name, slot) = (method.name, method.slot);
        let mut args = args.into_iter();
        let (receiver, rest) =
            (args.next().unwrap_or_default(), args.fold(String::new(), |all, arg| all + ", " + &arg));
        if let Some(function) = self.types.function(slot) {
            let called = self.checked_name(function);
            // C++ binds no reference to a value, whose changes nobody would see. The value may be a
            // constant.
            let of_value = function.receiver == Some(Receiver::Unique) && !method.place;
            let receiver = if of_value { format!("ab::lvalue(ab::value({receiver}))") } else { receiver };
            return format!("{called}(ab_cx, {receiver}{rest})");
        }
        let is_checked = methods::CHECKED.contains(&name);
        if is_checked || methods::TYPED_BY_RESULT.contains(&name) {
            let receiver = if method.changing && !method.place { format!("ab::value({receiver})") } else { receiver };
            let result = self.types.ty(slot);
            return match is_checked {
                true => format!("ab::{name}<{result}>(ab_cx, {receiver}{rest})"),
                false => format!("ab::{name}_of<{result}>({receiver}{rest})"),
            };
        }
        // `overflowing_…` says whether there is a value.
        if let Some(operation) = name.strip_prefix("checked_") {
            return format!("ab::checked<{}>(ab::overflowing_{operation}({receiver}{rest}))", self.types.ty(slot));
        }
        match name {
            "partial_cmp" => format!("ab::partial_cmp<{}>({receiver}{rest})", self.types.partial_ordering(slot)),
            "cmp" | "total_cmp" => format!("ab::{name}<{}>({receiver}{rest})", self.types.ty(slot)),
            _ => {
                // What has no receiver has its type in its name.
                let is_associated = methods::find(name).is_some_and(|method| method.is_associated);
                let owner = match is_associated || matches!(name, "from" | "from_f32" | "from_f64") {
                    true => format!("<{}>", self.operand_type(slot).c_name()),
                    false => String::new(),
                };
                let context = method.site.map(|site| format!("ab_cx, {}, ", self.site(site))).unwrap_or_default();
                format!("ab::{name}{owner}({context}{receiver}{rest})")
            }
        }
    }
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

fn spelling(op: BinOp, class: TypeClass) -> Spelling {
    match (op, class) {
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
