//! Whole programs from templates written by hand.

use super::*;
use crate::private::cost::Cost;
use crate::private::describe::LoopTypes;
use crate::private::facts::Facts;
use crate::private::kernel::{BinOp, Capture, CaptureKind, Kernel, Loop, Piece};
use crate::value::DeviceValue;
use std::any::TypeId;

const fn site(line: u32, column: u32, check: Check) -> Site {
    Site { line, column, check }
}

fn halve() -> DeviceFunction {
    enum Halve {}
    DeviceFunction {
        id: TypeId::of::<Halve>(),
        name: "halve",
        c_name: "halve",
        module: "app::math",
        file: "src/math.rs",
        line: 20,
        sites: const { &[site(21, 5, Check::Div)] },
        signature: &[
            Piece::Type(0),
            Piece::Text(" "),
            Piece::Own,
            Piece::Text("(const ab::cx ab_cx, "),
            Piece::Type(0),
            Piece::Text(" x)"),
        ],
        body: &[
            Piece::Text("{\n    return "),
            Piece::OpenChecked(BinOp::Div, 0, 1),
            Piece::Text("x"),
            Piece::Mid(BinOp::Div, 0),
            Piece::Int(0, "2"),
            Piece::Close(BinOp::Div, 0),
            Piece::Text(";\n}\n"),
        ],
        describe: |slots| slots.push(SlotValue::Type(<i32 as DeviceValue>::TYPE)),
    }
}

/// Another function of that name, which calls the first one and itself.
fn other_halve() -> DeviceFunction {
    enum Halve {}
    DeviceFunction {
        id: TypeId::of::<Halve>(),
        name: "halve",
        c_name: "halve",
        module: "app::other",
        file: "src/other.rs",
        line: 3,
        sites: &[],
        signature: &[Piece::Text("i32 "), Piece::Own, Piece::Text("(const ab::cx ab_cx, i32 x)")],
        body: &[
            Piece::Text("{\n    return "),
            Piece::Call(0),
            Piece::Text("(ab_cx, x > 9 ? "),
            Piece::Call(1),
            Piece::Text("(ab_cx, x) : x);\n}\n"),
        ],
        describe: |slots| slots.extend([SlotValue::Function(halve), SlotValue::Function(other_halve)]),
    }
}

/// A loop of which only that matters.
fn looped(template: &'static [Piece], dims: usize) -> Loop {
    Loop {
        name: "",
        header: "",
        group: None,
        line: 0,
        column: 0,
        block: 256,
        dims,
        captures: &[],
        sites: &[],
        template,
        cost: Cost::new(1, false),
        facts: Facts::NONE,
    }
}

static LOOPS: [Loop; 2] = [
    Loop {
        name: "run_0",
        header: "for i in par(0..n)",
        group: None,
        line: 5,
        column: 5,
        block: 256,
        dims: 1,
        captures: &[Capture { name: "x", kind: CaptureKind::Write }],
        sites: &[site(6, 9, Check::Index), site(6, 16, Check::Index)],
        template: &[
            Piece::Text("extern \"C\" __global__ void __launch_bounds__(256) "),
            Piece::Own,
            Piece::Text("("),
            Piece::Captured(0),
            Piece::Text("* __restrict__ x_p, usize x_n, "),
            Piece::Type(0),
            Piece::Text(" i_lo, "),
            Piece::Type(0),
            Piece::Text(
                " i_step, u32 i_n, ab::fault* ab_fault) {\n    const ab::cx ab_cx{ab_fault};\n    const ab::slice<",
            ),
            Piece::Captured(0),
            Piece::Text(
                "> x{x_p, x_n};\n    const u32 i_t = blockIdx.x * 256u + threadIdx.x;\n    if (i_t >= i_n) return;\n    const ",
            ),
            Piece::Type(0),
            Piece::Text(" i = i_lo + i_step * i_t;\n    x.at(ab_cx, "),
            Piece::Site(2),
            Piece::Text(", i) = "),
            Piece::Call(1),
            Piece::Text("(ab_cx, "),
            Piece::Either(
                &[Piece::Text("x_p[i]")],
                &[Piece::Text("x.at(ab_cx, "), Piece::Site(1), Piece::Text(", i)")],
            ),
            Piece::Text(");\n}\n"),
        ],
        cost: Cost::new(1, false),
        facts: Facts::NONE,
    },
    Loop {
        name: "run_1",
        header: "for i in\n    par(0..8)",
        group: Some("other"),
        line: 9,
        column: 5,
        block: 256,
        dims: 1,
        captures: &[],
        sites: &[site(10, 9, Check::Rem)],
        template: &[
            Piece::Text(
                "extern \"C\" __global__ void run_1(ab::fault* ab_fault) {\n    const ab::cx ab_cx{ab_fault};\n    i32 a = 1;\n    ",
            ),
            Piece::OpenAssignChecked(BinOp::Rem, 0, 1),
            Piece::Text("a"),
            Piece::MidAssign(BinOp::Rem, 0),
            Piece::Call(1),
            Piece::Text("(ab_cx, a)"),
            Piece::CloseAssign(BinOp::Rem, 0),
            Piece::Text(";\n}\n"),
        ],
        cost: Cost::new(1, false),
        facts: Facts::NONE,
    },
];

static KERNEL: Kernel = Kernel { name: "run", module: "app", file: "src/app.rs", line: 3, loops: &LOOPS, plan: &[] };

const RUN: Instance = Instance {
    kernel: &KERNEL,
    id: || TypeId::of::<()>(),
    describe: |description| {
        let slots = vec![SlotValue::Type(<usize as DeviceValue>::TYPE), SlotValue::Function(other_halve)];
        description.loops.push(LoopTypes { captures: vec![<i32 as DeviceValue>::TYPE], slots });
        let slots = vec![SlotValue::Type(<i32 as DeviceValue>::TYPE), SlotValue::Function(halve)];
        description.loops.push(LoopTypes { captures: vec![], slots });
    },
};

#[test]
fn a_program_is_helpers_then_functions_then_loops() {
    let program = program(RUN, Variant::Decided);
    let (head, body) = program.text.split_once("}  // namespace ab\n").unwrap();
    assert!(head.starts_with("// CUDA C++ of the kernel `run`, src/app.rs:3\n#define AB_FN"), "{head}");
    for name in ["void die(", "struct slice", " div(", " rem_to("] {
        assert!(head.contains(name), "{name} is used");
    }
    for name in [" sqrt(", " add(", "//@"] {
        assert!(!head.contains(name), "{name} is not used");
    }
    let expected = r#"namespace device {
__device__ i32 halve(const ab::cx ab_cx, i32 x);
__device__ i32 halve_in_app_math(const ab::cx ab_cx, i32 x);
// fn halve, src/other.rs:3
__device__ i32 halve(const ab::cx ab_cx, i32 x) {
    return device::halve_in_app_math(ab_cx, x > 9 ? device::halve(ab_cx, x) : x);
}
// fn halve, src/math.rs:20
__device__ i32 halve_in_app_math(const ab::cx ab_cx, i32 x) {
    return ab::div(ab_cx, 1, x, 2);
}
}  // namespace device

// for i in par(0..n), src/app.rs:5
// where the launch shows that indexes are in bounds and fit 32 bits; else run_0_checked
extern "C" __global__ void __launch_bounds__(256) run_0(i32* __restrict__ x_p, usize x_n, usize i_lo, usize i_step, u32 i_n, ab::fault* ab_fault) {
    const ab::cx ab_cx{ab_fault};
    const ab::slice<i32> x{x_p, x_n};
    const u32 i_t = blockIdx.x * 256u + threadIdx.x;
    if (i_t >= i_n) return;
    const usize i = i_lo + i_step * i_t;
    x.at(ab_cx, 3, i) = device::halve(ab_cx, x_p[i]);
}

// for i in par(0..8), src/app.rs:9
// for every launch
extern "C" __global__ void run_1(ab::fault* ab_fault) {
    const ab::cx ab_cx{ab_fault};
    i32 a = 1;
    ab::rem_to(ab_cx, 4, a, device::halve_in_app_math(ab_cx, a));
}
"#;
    assert_eq!(body, expected);
    assert_eq!(program.entries, [Some("run_0".to_owned()), Some("run_1".to_owned())]);
}

#[test]
fn functions_that_would_be_the_same_are_one() {
    use Variant::{Checked, Decided, Split};
    let checked = program(RUN, Checked);
    assert_eq!(checked.entries, [Some("run_0_checked".to_owned()), None]);
    // One range whose indexes fit 32 bits is one grid.
    assert_eq!(program(RUN, Split).entries, [None, None]);
    let of = |begins: bool, differs: bool, dims: usize| {
        const BEGINS: Piece = Piece::InOneGrid(&[], &[]);
        const DIFFERS: Piece = Piece::Either(&[], &[]);
        let template: &'static [Piece] = match (begins, differs) {
            (false, false) => &[],
            (false, true) => &[DIFFERS],
            (true, false) => &[BEGINS],
            (true, true) => &[BEGINS, DIFFERS],
        };
        Variant::ALL.map(|wanted| looped(template, dims).variant(wanted))
    };
    assert_eq!(of(false, false, 2), [Decided, Decided, Decided]);
    assert_eq!(of(false, true, 2), [Decided, Decided, Checked]);
    assert_eq!(of(true, false, 2), [Decided, Checked, Checked]);
    assert_eq!(of(true, true, 2), [Decided, Split, Checked]);
    assert_eq!(of(true, true, 1), [Decided, Checked, Checked]);
}

#[test]
fn the_whole_source_has_every_function_once_the_main_ones_first() {
    let text = all(RUN);
    let functions: Vec<&str> =
        text.lines().filter(|l| l.starts_with("extern")).map(|l| l.split_once("(i32*").map_or(l, |l| l.0)).collect();
    let start = "extern \"C\" __global__ void";
    assert_eq!(
        functions,
        [
            format!("{start} __launch_bounds__(256) run_0"),
            format!("{start} run_1(ab::fault* ab_fault) {{"),
            format!("{start} __launch_bounds__(256) run_0_checked"),
        ]
    );
    assert!(
        text.starts_with(program(RUN, Variant::Decided).text.trim_end()),
        "the first program is its beginning:\n{text}"
    );
    assert!(
        text.contains("// run_0 where the launch does not show that: every index is checked, in 64 bits\n"),
        "{text}"
    );
    assert!(
        text.contains("    x.at(ab_cx, 3, i) = device::halve(ab_cx, x.at(ab_cx, 2, i));\n"),
        "sites are the same:\n{text}"
    );
}

#[test]
fn sites_lead_back_to_the_source() {
    let found: Vec<_> =
        program(RUN, Variant::Decided).sites.iter().map(|s| (s.place, s.file, s.line, s.column, s.check)).collect();
    let expected = [
        ("halve", "src/math.rs", 21, 5, Check::Div),
        ("run_0", "src/app.rs", 6, 9, Check::Index),
        ("run_0", "src/app.rs", 6, 16, Check::Index),
        ("run_1", "src/app.rs", 10, 9, Check::Rem),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_same_kernel_gives_the_same_text() {
    assert_eq!(program(RUN, Variant::Decided).text, program(RUN, Variant::Decided).text);
}

#[test]
fn a_kernel_that_describes_nothing_does_not_panic() {
    let silent = Instance { describe: |_| {}, ..RUN };
    assert!(program(silent, Variant::Decided).text.contains("ab_missing"));
}
