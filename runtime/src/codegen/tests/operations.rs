//! Operations, spelled by the type of their operands.

use anabranch_core::emit::Form;
use anabranch_core::ir::wire::decode_function;
use anabranch_core::ops::UnOp;
use anabranch_core::scalar::ScalarType;

use super::*;

/// The C++ of a function's first statement, in which slot 0 has this type, after three sites of
/// other functions.
fn statement(ty: ScalarType, code: &'static [u8]) -> String {
    let types = Types::of(&[]);
    let constants = Constants::new(&types);
    let slots = [SlotValue::Type(Box::leak(Box::new(DeviceType::Scalar(ty))))];
    let inferred = Inferred { slots: &slots, captures: &[], types: &types, functions: &[], constants: &constants };
    let form = Form { name: "f", proved: Proved::Accesses, one_grid: true, goes_on: false, sites: 3, source: None };
    let written = emit::device_function(&decode_function(code).unwrap(), form, &inferred);
    let line = written.text.lines().nth(1).unwrap().trim();
    line.trim_start_matches("return ").trim_end_matches(';').to_owned()
}

fn check(ty: ScalarType, value: Expr, expected: &str) {
    assert_eq!(statement(ty, function(value)), expected);
}

fn check_binary(op: BinOp, cases: &[(ScalarType, &str, &str)]) {
    for &(ty, value, assigned) in cases {
        let site = matches!(op, BinOp::Div | BinOp::Rem).then_some(2);
        check(ty, binary(1, op, local(1, 0), *local(1, 0), site), value);
        let op = ir::AssignOp { op, slot: SlotId(0), site: site.map(SiteId) };
        let mut body = body(&[("x", 0)], vec![assign(1, *local(1, 0), *local(1, 0), Some(op))], None);
        body.locals[0].mutable = true;
        let head = FunctionHead { params: vec![LocalId(0)], method: false, projects: None, output: None };
        assert_eq!(statement(ty, encode_function(&head, &body, None).leak()), assigned);
    }
}

#[test]
fn arithmetic_is_native_where_it_means_the_same() {
    use ScalarType::*;
    for (op, sign, name) in [(BinOp::Add, "+", "add"), (BinOp::Sub, "-", "sub"), (BinOp::Mul, "*", "mul")] {
        let native = (format!("(x {sign} x)"), format!("x {sign}= x"));
        let helper = (format!("ab::{name}(x, x)"), format!("ab::{name}_to(x, x)"));
        for ty in [U32, U64, U128, Usize, F32, F64] {
            check_binary(op, &[(ty, &native.0, &native.1)]);
        }
        for ty in [I8, I16, I32, I64, I128, Isize, U8, U16] {
            check_binary(op, &[(ty, &helper.0, &helper.1)]);
        }
    }
}

#[test]
fn division_is_checked_where_it_can_fail() {
    use ScalarType::*;
    check_binary(BinOp::Div, &[(F32, "(x / x)", "x /= x"), (F64, "(x / x)", "x /= x")]);
    check_binary(BinOp::Rem, &[(F32, "ab::rem(x, x)", "ab::rem_to(x, x)")]);
    for ty in [I8, U8, I32, U32, U64, I128] {
        check_binary(BinOp::Div, &[(ty, "ab::div(ab_cx, 6, x, x)", "ab::div_to(ab_cx, 6, x, x)")]);
        check_binary(BinOp::Rem, &[(ty, "ab::rem(ab_cx, 6, x, x)", "ab::rem_to(ab_cx, 6, x, x)")]);
    }
}

#[test]
fn bit_operations_are_native_on_types_that_do_not_promote() {
    use ScalarType::*;
    for (op, sign, name) in [(BinOp::And, "&", "and"), (BinOp::Or, "|", "or"), (BinOp::Xor, "^", "xor")] {
        for ty in [I32, U32, I64, U64, I128, U128, Isize, Usize] {
            check_binary(op, &[(ty, &format!("(x {sign} x)"), &format!("x {sign}= x"))]);
        }
        for ty in [Bool, I8, U8, I16, U16] {
            check_binary(op, &[(ty, &format!("ab::{name}_(x, x)"), &format!("ab::{name}_to(x, x)"))]);
        }
    }
    for ty in [I8, U32, I128] {
        check_binary(BinOp::Shl, &[(ty, "ab::shl(x, x)", "ab::shl_to(x, x)")]);
        check_binary(BinOp::Shr, &[(ty, "ab::shr(x, x)", "ab::shr_to(x, x)")]);
    }
}

fn unary(op: UnOp, operand: Expr) -> Expr {
    Expr::new(("", 1), Kind::Unary { op, operand: Box::new(operand), slot: SlotId(0) })
}

#[test]
fn unary_operations_follow_the_type() {
    use ScalarType::*;
    for (ty, neg) in [(F32, "(-x)"), (F64, "(-x)"), (I32, "ab::neg(x)"), (I8, "ab::neg(x)")] {
        check(ty, unary(UnOp::Neg, *local(1, 0)), neg);
    }
    for (ty, not) in [(Bool, "(!x)"), (I32, "(~x)"), (U64, "(~x)"), (U8, "ab::inv(x)"), (I16, "ab::inv(x)")] {
        check(ty, unary(UnOp::Not, *local(1, 0)), not);
    }
}

#[test]
fn a_negated_literal_is_one_literal() {
    let neg = |operand| unary(UnOp::Neg, operand);
    let float =
        |digits: &str| Expr::new(("", 1), Kind::Float { token: (), digits: digits.to_owned(), slot: SlotId(0) });
    check(ScalarType::I32, neg(int(1, "2", 0)), "-2");
    check(ScalarType::I32, neg(int(1, "2147483648", 0)), "(-2147483647 - 1)");
    check(ScalarType::F32, neg(float("2.5")), "-2.5f");
    check(ScalarType::F32, float("2.5"), "2.5f");
    check(ScalarType::F32, neg(neg(float("2.5"))), "(- -2.5f)");
    check(ScalarType::U8, int(1, "2", 0), "u8(2)");
}
