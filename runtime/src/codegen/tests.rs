//! Whole programs from hand-written templates.

use super::*;
use crate::decide::Judge;
use crate::model::cost::Cost;
use crate::model::description::LoopTypes;
use crate::model::kernel::{BinOp, Binary, Capture, CaptureKind, Kernel, Loop, Node, Number, Template, UnOp};
use crate::value::DeviceValue;
use std::any::TypeId;

const CUDA: Dialect = Dialect { platform: Platform::Cuda, failed: FailedCheck::Exit };

/// A function with checks that can fail.
fn entry(name: &str) -> Option<Entry> {
    Some(Entry { name: name.to_owned(), can_fail: true })
}

const fn site(line: u32, column: u32, check: Check) -> Site {
    Site { file: "", line, column, check }
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
        signature: Template(&[
            Node::Type(0),
            Node::Text(" "),
            Node::Own,
            Node::Text("(const ab::cx ab_cx, "),
            Node::Type(0),
            Node::Text(" x)"),
        ]),
        body: Template(&[
            Node::Text("{\n"),
            Node::Line(21, ""),
            Node::Text("    return "),
            Node::Binary(
                Binary { op: BinOp::Div, assigns: false, slot: 0, site: Some(1) },
                Template(&[Node::Text("x")]),
                Template(&[Node::Int(0, "2")]),
            ),
            Node::Text(";\n}\n"),
        ]),
        receiver: None,
        describe: |slots| slots.push(SlotValue::Type(<i32 as DeviceValue>::TYPE)),
        summary: &[],
        needs: || 0,
        narrow: &[],
        index: Some((
            0,
            Template(&[Node::Text("(i32 x) {\n"), Node::Line(21, ""), Node::Text("    return x / 2;\n}\n")]),
        )),
    }
}

/// Another function with the same name, which calls the first one and itself.
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
        signature: Template(&[Node::Text("i32 "), Node::Own, Node::Text("(const ab::cx ab_cx, i32 x)")]),
        body: Template(&[
            Node::Text("{\n    return "),
            Node::Call(0),
            Node::Text("(ab_cx, x > 9 ? "),
            Node::Call(1),
            Node::Text("(ab_cx, x) : x);\n}\n"),
        ]),
        receiver: None,
        describe: |slots| slots.extend([SlotValue::Function(halve), SlotValue::Function(other_halve)]),
        summary: &[],
        needs: || 0,
        narrow: &[],
        index: None,
    }
}

/// A loop with this template and this number of ranges; its other fields do not matter.
fn par_loop(template: Template, dims: usize) -> Loop {
    Loop {
        name: "",
        header: "",
        group: None,
        line: 0,
        column: 0,
        block: 256,
        blocks: None,
        dims,
        ranges: &[],
        captures: &[],
        sites: &[],
        template,
        cost: Cost::new(1, false),
        lanes: Err("of a test"),
        judge: Judge::idle(),
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
        blocks: None,
        dims: 1,
        ranges: &[],
        captures: &[Capture { name: "x", kind: CaptureKind::Write }],
        sites: &[site(6, 9, Check::Index), Site { file: "src/macros.rs", ..site(7, 16, Check::Index) }],
        template: Template(&[
            Node::Text("extern \"C\" __global__ void __launch_bounds__(256) "),
            Node::Own,
            Node::Text("("),
            Node::Captured(0),
            Node::Text("* __restrict__ x_p, usize x_n, "),
            Node::Type(0),
            Node::Text(" i_lo, "),
            Node::Type(0),
            Node::Text(
                " i_step, u32 i_n, ab::fault* ab_fault) {\n    const ab::thread ab_cx{ab_fault};\n    const ab::slice<",
            ),
            Node::Captured(0),
            Node::Text(
                "> x{x_p, x_n};\n    const u32 i_t = blockIdx.x * 256u + threadIdx.x;\n    if (i_t >= i_n) return;\n    const ",
            ),
            Node::Type(0),
            Node::Text(" i = i_lo + i_step * i_t;\n"),
            // Tokens of a macro, and an expression of the user's in it that has two lines; no line is known of what is behind it.
            Node::Line(7, "src/macros.rs"),
            Node::Text("    u32 a = 0;\n    u32 b = 0;\n"),
            Node::Line(6, ""),
            Node::Line(0, ""),
            Node::Text("    x.at(ab_cx, "),
            Node::Site(2),
            Node::Text(", i) = "),
            Node::Call(1),
            Node::Text("(ab_cx, "),
            Node::Either(
                Template(&[Node::Text("x_p[i]")]),
                Template(&[Node::Text("x.at(ab_cx, "), Node::Site(1), Node::Text(", i)")]),
            ),
            Node::Text(");\n}\n"),
        ]),
        cost: Cost::new(1, false),
        lanes: Err("of a test"),
        judge: Judge::idle(),
    },
    Loop {
        name: "run_1",
        header: "for i in\n    par(0..8)",
        group: Some("other"),
        line: 9,
        column: 5,
        block: 256,
        blocks: None,
        dims: 1,
        ranges: &[],
        captures: &[],
        sites: &[site(10, 9, Check::Rem)],
        template: Template(&[
            Node::Text(
                "extern \"C\" __global__ void run_1(ab::fault* ab_fault) {\n    const ab::thread ab_cx{ab_fault};\n    i32 a = 1;\n    ",
            ),
            Node::Binary(
                Binary { op: BinOp::Rem, assigns: true, slot: 0, site: Some(1) },
                Template(&[Node::Text("a")]),
                Template(&[Node::NarrowResult(
                    1,
                    Template(&[Node::Text("a")]),
                    Template(&[Node::Call(1), Node::Text("(ab_cx, a)")]),
                )]),
            ),
            Node::Text(";\n}\n"),
        ]),
        cost: Cost::new(1, false),
        lanes: Err("of a test"),
        judge: Judge::idle(),
    },
];

static KERNEL: Kernel =
    Kernel { number: Number::new(), name: "run", module: "app", file: "src/app.rs", line: 3, loops: &LOOPS, plan: &[] };

const RUN: Instance = Instance {
    kernel: &KERNEL,
    id: || TypeId::of::<()>(),
    describe: |description| {
        let slots = vec![SlotValue::Type(<usize as DeviceValue>::TYPE), SlotValue::Function(other_halve)];
        description.loops.push(LoopTypes { captures: vec![<i32 as DeviceValue>::TYPE], slots, ..LoopTypes::default() });
        let slots = vec![SlotValue::Type(<i32 as DeviceValue>::TYPE), SlotValue::Function(halve)];
        description.loops.push(LoopTypes { slots, ..LoopTypes::default() });
    },
};

#[test]
fn a_program_is_helpers_then_functions_then_loops() {
    let program = program(RUN, Variant::Unchecked, CUDA, false);
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
__device__ i32 halve_32(i32 x);
// fn halve, src/other.rs:3
__device__ i32 halve(const ab::cx ab_cx, i32 x) {
    return device::halve_in_app_math(ab_cx, x > 9 ? device::halve(ab_cx, x) : x);
}
// fn halve, src/math.rs:20
__device__ i32 halve_in_app_math(const ab::cx ab_cx, i32 x) {
    return ab::div(ab_cx, 1, x, 2);
}
// fn halve, src/math.rs:20
// as an index of 32 bits
__device__ i32 halve_32(i32 x) {
    return x / 2;
}
}  // namespace device

// for i in par(0..n), src/app.rs:5
// where the launch shows that indexes are in bounds and fit 32 bits; else run_0_checked
extern "C" __global__ void __launch_bounds__(256) run_0(i32* __restrict__ x_p, usize x_n, usize i_lo, usize i_step, u32 i_n, ab::fault* ab_fault) {
    const ab::thread ab_cx{ab_fault};
    const ab::slice<i32> x{x_p, x_n};
    const u32 i_t = blockIdx.x * 256u + threadIdx.x;
    if (i_t >= i_n) return;
    const usize i = i_lo + i_step * i_t;
    u32 a = 0;
    u32 b = 0;
    x.at(ab_cx, 3, i) = device::halve(ab_cx, x_p[i]);
}

// for i in par(0..8), src/app.rs:9
// for every launch
extern "C" __global__ void run_1(ab::fault* ab_fault) {
    const ab::thread ab_cx{ab_fault};
    i32 a = 1;
    ab::rem_to(ab_cx, 4, a, device::halve_32(a));
}
"#;
    assert_eq!(body, expected);
    assert_eq!(program.entries, [entry("run_0"), entry("run_1")]);
}

/// Reads the directives as a compiler does, and says of each line of the functions where it comes from.
#[test]
fn with_lines_each_line_says_where_it_comes_from() {
    let text = program(RUN, Variant::Unchecked, CUDA, true).text;
    let (mut file, mut line) = ("run.cu".to_owned(), 1);
    let mut found = Vec::new();
    let mut of_program = Vec::new();
    for (number, text) in text.lines().enumerate() {
        match text.strip_prefix("#line ").map(|place| place.split_once(' ').unwrap()) {
            Some((number, name)) => (line, file) = (number.parse().unwrap(), name.trim_matches('"').to_owned()),
            None => {
                match file.as_str() {
                    "run.cu" => of_program.push((line, number + 1)),
                    _ => found.push(format!("{file}:{line} {}", text.split('(').next().unwrap().trim())),
                }
                line += 1;
            }
        }
    }
    let expected = [
        "src/other.rs:3 __device__ i32 halve",
        "src/other.rs:3 return device::halve_in_app_math",
        "src/other.rs:3 }",
        "src/math.rs:20 __device__ i32 halve_in_app_math",
        "src/math.rs:21 return ab::div",
        "src/math.rs:21 }",
        "src/math.rs:20 __device__ i32 halve_32",
        "src/math.rs:21 return x / 2;",
        "src/math.rs:21 }",
        "src/app.rs:5 extern \"C\" __global__ void __launch_bounds__",
        "src/app.rs:5 const ab::thread ab_cx{ab_fault};",
        "src/app.rs:5 const ab::slice<i32> x{x_p, x_n};",
        "src/app.rs:5 const u32 i_t = blockIdx.x * 256u + threadIdx.x;",
        "src/app.rs:5 if",
        "src/app.rs:5 const usize i = i_lo + i_step * i_t;",
        "src/macros.rs:7 u32 a = 0;",
        "src/macros.rs:7 u32 b = 0;",
        "src/app.rs:6 x.at",
        "src/app.rs:6 }",
        "src/app.rs:9 extern \"C\" __global__ void run_1",
        "src/app.rs:9 const ab::thread ab_cx{ab_fault};",
        "src/app.rs:9 i32 a = 1;",
        "src/app.rs:9 ab::rem_to",
        "src/app.rs:9 }",
    ];
    assert_eq!(found, expected, "{text}");
    // Helpers have their own lines, also behind a function of the user's.
    assert!(of_program.iter().all(|(line, number)| line == number), "{of_program:?}");
    assert!(of_program.len() > 20, "{text}");
}

#[test]
fn functions_that_would_be_the_same_are_one() {
    use Variant::{Checked, Unchecked, UncheckedMultiGrid};
    let checked = program(RUN, Checked, CUDA, false);
    assert_eq!(checked.entries, [entry("run_0_checked"), None]);
    // One range whose indexes fit 32 bits is one grid.
    assert_eq!(program(RUN, UncheckedMultiGrid, CUDA, false).entries, [None, None]);
    let of = |begins: bool, differs: bool, dims: usize| {
        const BEGINS: Node = Node::InOneGrid(Template(&[]), Template(&[]));
        const DIFFERS: Node = Node::Either(Template(&[]), Template(&[]));
        let nodes: &[Node] = match (begins, differs) {
            (false, false) => &[],
            (false, true) => &[Node::At],
            (true, false) => &[BEGINS],
            // A node within an operand counts, too.
            (true, true) => &[BEGINS, Node::Unary(UnOp::Neg, 0, Template(&[DIFFERS]))],
        };
        Variant::ALL.map(|wanted| par_loop(Template(nodes), dims).variant(wanted))
    };
    assert_eq!(of(false, false, 2), [Unchecked, Unchecked, Unchecked]);
    assert_eq!(of(false, true, 2), [Unchecked, Unchecked, Checked]);
    assert_eq!(of(true, false, 2), [Unchecked, Checked, Checked]);
    assert_eq!(of(true, true, 2), [Unchecked, UncheckedMultiGrid, Checked]);
    assert_eq!(of(true, true, 1), [Unchecked, Checked, Checked]);
}

#[test]
fn the_whole_source_has_every_function_once_the_main_ones_first() {
    let text = all(RUN, Platform::Cuda, false);
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
        text.starts_with(program(RUN, Variant::Unchecked, CUDA, false).text.trim_end()),
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
    let found: Vec<_> = program(RUN, Variant::Unchecked, CUDA, false)
        .sites
        .iter()
        .map(|s| (s.file, s.line, s.column, s.check))
        .collect();
    let expected = [
        ("src/math.rs", 21, 5, Check::Div),
        ("src/app.rs", 6, 9, Check::Index),
        ("src/macros.rs", 7, 16, Check::Index),
        ("src/app.rs", 10, 9, Check::Rem),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_same_kernel_gives_the_same_text() {
    assert_eq!(program(RUN, Variant::Unchecked, CUDA, false).text, program(RUN, Variant::Unchecked, CUDA, false).text);
}

#[test]
fn a_kernel_that_describes_nothing_does_not_panic() {
    let silent = Instance { describe: |_| {}, ..RUN };
    assert!(program(silent, Variant::Unchecked, CUDA, false).text.contains("ab_missing"));
}
