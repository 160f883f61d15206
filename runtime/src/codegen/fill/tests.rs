use super::*;

fn scalar(ty: ScalarType) -> &'static DeviceType {
    Box::leak(Box::new(DeviceType::Scalar(ty)))
}

/// Fills a template with slot 0 of the given type, after three sites of other templates.
fn check(ty: ScalarType, template: impl IntoIterator<Item = Node>, expected: &str) {
    let slots = [SlotValue::Type(scalar(ty))];
    let types = Types::of(&[]);
    let constants = Constants::new(&types);
    let captures = [&DeviceType::Scalar(ScalarType::F64)];
    let fill = Fill {
        types: &types,
        slots: &slots,
        captures: &captures,
        functions: &[],
        constants: &constants,
        own: "wave",
        base: 3,
        variant: Variant::Unchecked,
        told: true,
        failed: FailedCheck::Exit,
        fails: &Cell::new(false),
        file: None,
    };
    assert_eq!(fill.text(&of(template)), expected);
}

fn of(nodes: impl IntoIterator<Item = Node>) -> Text {
    nodes.into_iter().fold(Text::new(), Text::hole)
}

fn check_binary(op: BinOp, cases: &[(ScalarType, &str, &str)]) {
    for &(ty, value, assign) in cases {
        let site = matches!(op, BinOp::Div | BinOp::Rem).then_some(2);
        let binary = |assigns| [Node::Binary(Binary { op, assigns, slot: 0, site }, "a".into(), "b".into())];
        check(ty, binary(false), value);
        check(ty, binary(true), assign);
    }
}

#[test]
fn arithmetic_is_native_where_it_means_the_same() {
    use ScalarType::*;
    for (op, sign, name) in [(BinOp::Add, "+", "add"), (BinOp::Sub, "-", "sub"), (BinOp::Mul, "*", "mul")] {
        let native = (format!("(a {sign} b)"), format!("a {sign}= b"));
        let helper = (format!("ab::{name}(a, b)"), format!("ab::{name}_to(a, b)"));
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
    check_binary(BinOp::Div, &[(F32, "(a / b)", "a /= b"), (F64, "(a / b)", "a /= b")]);
    check_binary(BinOp::Rem, &[(F32, "ab::rem(a, b)", "ab::rem_to(a, b)")]);
    for ty in [I8, U8, I32, U32, U64, I128] {
        check_binary(BinOp::Div, &[(ty, "ab::div(ab_cx, 5, a, b)", "ab::div_to(ab_cx, 5, a, b)")]);
        check_binary(BinOp::Rem, &[(ty, "ab::rem(ab_cx, 5, a, b)", "ab::rem_to(ab_cx, 5, a, b)")]);
    }
}

#[test]
fn bit_operations_are_native_on_types_that_do_not_promote() {
    use ScalarType::*;
    for (op, sign, name) in [(BinOp::And, "&", "and"), (BinOp::Or, "|", "or"), (BinOp::Xor, "^", "xor")] {
        for ty in [I32, U32, I64, U64, I128, U128, Isize, Usize] {
            check_binary(op, &[(ty, &format!("(a {sign} b)"), &format!("a {sign}= b"))]);
        }
        for ty in [Bool, I8, U8, I16, U16] {
            check_binary(op, &[(ty, &format!("ab::{name}_(a, b)"), &format!("ab::{name}_to(a, b)"))]);
        }
    }
    for ty in [I8, U32, I128] {
        check_binary(BinOp::Shl, &[(ty, "ab::shl(a, b)", "ab::shl_to(a, b)")]);
        check_binary(BinOp::Shr, &[(ty, "ab::shr(a, b)", "ab::shr_to(a, b)")]);
    }
}

#[test]
fn unary_operations_follow_the_type() {
    use ScalarType::*;
    let check = |op, cases: &[(ScalarType, &str)]| {
        for (ty, expected) in cases {
            check(*ty, [Node::Unary(op, 0, "a".into())], expected);
        }
    };
    check(UnOp::Neg, &[(F32, "(-a)"), (F64, "(-a)"), (I32, "ab::neg(a)"), (I8, "ab::neg(a)")]);
    check(UnOp::Not, &[(Bool, "(!a)"), (I32, "(~a)"), (U64, "(~a)"), (U8, "ab::inv(a)"), (I16, "ab::inv(a)")]);
}

#[test]
fn a_negated_literal_is_one_literal() {
    let neg = |operand| Node::Unary(UnOp::Neg, 0, of([operand]));
    check(ScalarType::I32, [neg(Node::Int(0, "2".into()))], "-2");
    check(ScalarType::I32, [neg(Node::Int(0, "2147483648".into()))], "(-2147483647 - 1)");
    check(ScalarType::F32, [neg(Node::Float(0, "2.5".into()))], "-2.5f");
    check(ScalarType::F32, [Node::Float(0, "2.5".into())], "2.5f");
    check(ScalarType::F32, [neg(neg(Node::Float(0, "2.5".into())))], "(- -2.5f)");
    check(ScalarType::U8, [Node::Int(0, "2".into())], "u8(2)");
}

#[test]
fn the_other_holes() {
    let template = [
        Node::Type(0),
        Node::Text(" ".into()),
        Node::Own,
        Node::Text(" ".into()),
        Node::Captured(0),
        Node::Text(" #".into()),
        Node::Site(1),
    ];
    check(ScalarType::Isize, template, "isize wave f64 #4");
}

#[test]
fn what_a_template_lacks_does_not_compile_but_does_not_panic() {
    let types = Types::of(&[]);
    let constants = Constants::new(&types);
    let fill = Fill {
        types: &types,
        slots: &[],
        captures: &[],
        functions: &[],
        constants: &constants,
        own: "wave",
        base: 0,
        variant: Variant::Unchecked,
        told: true,
        failed: FailedCheck::Exit,
        fails: &Cell::new(false),
        file: None,
    };
    assert_eq!(fill.text(&of([Node::Captured(1), Node::Text(" ".into()), Node::Call(9)])), "ab_missing ab_missing");
}

#[test]
fn a_program_has_what_its_variant_says() {
    let whole = Node::InOneGrid(of([Node::Int(0, "1".into())]), "i_lo".into());
    let decided = Text::from("x_p[").hole(whole.clone()).text("]");
    let checked = Text::from("x.").hole(Node::At).text("(").hole(whole).text(")");
    let either = of([Node::Either(decided, checked)]);
    for (variant, told, expected) in [
        (Variant::Unchecked, true, "x_p[1]"),
        (Variant::UncheckedMultiGrid, true, "x_p[i_lo]"),
        // A function with an argument of which nothing is known.
        (Variant::Unchecked, false, "x.at_narrow(1)"),
        (Variant::Checked, true, "x.at(i_lo)"),
        (Variant::Checked, false, "x.at(i_lo)"),
    ] {
        let slots = [SlotValue::Type(&DeviceType::Scalar(ScalarType::I32))];
        let types = Types::of(&[]);
        let constants = Constants::new(&types);
        let fill = Fill {
            types: &types,
            slots: &slots,
            captures: &[],
            functions: &[],
            constants: &constants,
            own: "",
            base: 0,
            variant,
            told,
            failed: FailedCheck::Exit,
            fails: &Cell::new(false),
            file: None,
        };
        assert_eq!(fill.text(&either), expected, "{variant:?}, {told}");
    }
}

#[test]
fn comments_stay_comments() {
    assert_eq!(comment_line("for i in par(\n    0..n)"), "// for i in par( 0..n)\n");
    assert_eq!(comment_line(r"src\"), "// src\n");
}
