//! Whole programs from hand-written code.

mod operations;

use super::*;
use crate::model::cost::Cost;
use crate::model::description::LoopTypes;
use crate::model::function::DeviceFunction;
use crate::model::kernel::{Capture, CaptureKind, Kernel, Loop, Number};
use crate::value::DeviceValue;
use anabranch_core::ir::code::{FunctionHead, Info, LoopDim, LoopHead};
use anabranch_core::ir::wire::{self, encode_function, encode_loop};
use anabranch_core::ir::{self, CaptureId, LocalId, SiteId, SlotId, Tokens};
use anabranch_core::ops::BinOp;
use std::any::TypeId;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const CUDA: Dialect = Dialect { platform: Platform::Cuda, failed: FailedCheck::Exit };

/// A function with checks that can fail.
fn entry(name: &str) -> Option<Entry> {
    Some(Entry { name: name.to_owned(), can_fail: true })
}

const fn site(line: u32, column: u32, check: Check) -> Site {
    Site { file: "", line, column, check }
}

/// Hand-written code: a span is a file and a line.
#[derive(Clone, Copy, Default)]
struct Written;

impl Tokens for Written {
    type Span = (&'static str, u32);
    type Name = &'static str;
    type Member = &'static str;
    type Path = ();
    type Type = ();
    type Literal = ();
    type Words = ();
    type Len = ();
    type Const = ();
    type Label = ();
    type Lifetime = ();
    type Attribute = ();
    type Stream = ();
}

impl wire::Written for Written {
    fn line((file, line): Self::Span) -> (String, u32) {
        (file.to_owned(), line)
    }

    fn name(name: &Self::Name) -> String {
        (*name).to_owned()
    }

    fn member(member: &Self::Member) -> String {
        (*member).to_owned()
    }
}

type Expr = ir::Expr<Written>;
type Kind = ir::ExprKind<Written>;
type Body = ir::Body<Written>;

/// A body whose locals have these names and slots.
fn body(locals: &[(&'static str, usize)], stmts: Vec<ir::Stmt<Written>>, value: Option<Expr>) -> Body {
    let local = |&(name, slot)| ir::Local::new(name, SlotId(slot), ir::LocalKind::Value);
    let block = ir::Block { stmts, value: value.map(Box::new) };
    Body { locals: locals.iter().map(local).collect(), block, loops: 1, ..Body::default() }
}

fn local(line: u32, local: usize) -> Box<Expr> {
    Box::new(Expr::new(("", line), Kind::Local(LocalId(local))))
}

fn int(line: u32, digits: &str, slot: usize) -> Expr {
    Expr::new(("", line), Kind::Int { token: (), digits: digits.to_owned(), slot: SlotId(slot) })
}

/// A call of the function in a slot.
fn call(line: u32, slot: usize, arg: Expr) -> Expr {
    let callee = ir::Callee::Function { path: (), slot: SlotId(slot), hides: false, parens: ("", line) };
    Expr::new(("", line), Kind::Call { callee, args: vec![arg] })
}

/// An element of the first capture.
fn element(line: u32, index: Expr, site: usize) -> Expr {
    Expr::new(("", line), Kind::Index { view: CaptureId(0), index: Box::new(index), site: SiteId(site) })
}

fn assign(line: u32, place: Expr, value: Expr, op: Option<ir::AssignOp>) -> ir::Stmt<Written> {
    let (place, value) = (Box::new(place), Box::new(value));
    ir::Stmt::Expr(Expr::new(("", line), Kind::Assign { place, value, op }))
}

/// `let local = number;`
fn let_(span: (&'static str, u32), local: usize, init: Expr) -> ir::Stmt<Written> {
    let pat = ir::Pat { span, kind: ir::PatKind::Bind { local: LocalId(local), sub: None } };
    ir::Stmt::Let { pat, ty: None, init, otherwise: None }
}

/// The code of a function of one `i32`, whose slot and whose result's slot is 0.
fn function(value: Expr) -> &'static [u8] {
    let head = FunctionHead { params: vec![LocalId(0)], method: false, projects: None, output: Some(SlotId(0)) };
    encode_function(&head, &body(&[("x", 0)], Vec::new(), Some(value)), Some(&Info::default())).leak()
}

fn binary(line: u32, op: BinOp, lhs: Box<Expr>, rhs: Expr, site: Option<usize>) -> Expr {
    let (rhs, slot, site) = (Box::new(rhs), SlotId(0), site.map(SiteId));
    Expr::new(("", line), Kind::Binary { op, lhs, rhs, slot, site })
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
        code: function(binary(21, BinOp::Div, local(21, 0), int(21, "2", 0), Some(0))),
        receiver: None,
        describe: |slots| slots.push(SlotValue::Type(<i32 as DeviceValue>::TYPE)),
        summary: &[],
        needs: || 0,
        infallible: None,
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
        code: function(call(4, 1, call(4, 2, *local(4, 0)))),
        receiver: None,
        describe: |slots| {
            let ty = SlotValue::Type(<i32 as DeviceValue>::TYPE);
            slots.extend([ty, SlotValue::Function(halve), SlotValue::Function(other_halve)]);
        },
        summary: &[],
        needs: || 0,
        infallible: None,
    }
}

/// A function that is an index: `x + 2`.
fn behind() -> DeviceFunction {
    enum Behind {}
    DeviceFunction {
        id: TypeId::of::<Behind>(),
        name: "behind",
        c_name: "behind",
        module: "app::other",
        file: "src/other.rs",
        line: 6,
        sites: &[],
        code: function(binary(7, BinOp::Add, local(7, 0), int(7, "2", 0), None)),
        receiver: None,
        describe: |slots| slots.push(SlotValue::Type(<usize as DeviceValue>::TYPE)),
        summary: &[],
        needs: || 0,
        infallible: None,
    }
}

/// The code of a loop over one range, whose first index may be a literal.
fn of_loop(line: u32, first: Option<u32>, body: &Body, info: &Info) -> Loop {
    let dims = vec![LoopDim { var: LocalId(0), first, stepped: false }];
    let head = LoopHead { span: ("", line), dims, block: 256, over_blocks: false, can_fail: true };
    Loop {
        code: encode_loop(&head, body, info).leak(),
        differs: info.differs(body),
        begins: head.begins(),
        ..Loop::of_a_test(Cost::new(1, false))
    }
}

/// The body of a loop that writes the first capture, in which more happens.
fn writes(locals: &[(&'static str, usize)], stmts: Vec<ir::Stmt<Written>>) -> Body {
    let kind = ir::CaptureKind::View(ir::BindingId(0), ir::Access::Write);
    Body { captures: vec![ir::Capture { name: "x", kind, dims: 0 }], ..body(locals, stmts, None) }
}

/// What the launch decides of the access with this site, whose index is the loop variable or a sum
/// with it.
fn decides(site: usize) -> Info {
    let var: BTreeSet<LocalId> = [LocalId(0)].into();
    Info { decided: [SiteId(site)].into(), indexing: var.clone(), plain: var, ..Info::default() }
}

static LOOPS: LazyLock<[Loop; 2]> = LazyLock::new(|| {
    // Tokens of a macro, others whose line is not known, and an expression of the user's behind
    // them.
    let (a, b) = (let_(("src/macros.rs", 7), 1, int(7, "0", 3)), let_(("", 0), 2, int(0, "0", 3)));
    let read = element(6, call(6, 2, *local(6, 0)), 0);
    let store = assign(6, element(6, *local(6, 0), 1), call(6, 1, read), None);
    let first = writes(&[("i", 0), ("a", 3), ("b", 3)], vec![a, b, store]);
    let op = Some(ir::AssignOp { op: BinOp::Rem, slot: SlotId(1), site: Some(SiteId(0)) });
    let rem = assign(10, *local(10, 1), call(10, 2, *local(10, 1)), op);
    let mut second = body(&[("i", 0), ("a", 1)], vec![let_(("", 10), 1, int(10, "1", 1)), rem], None);
    second.locals[1].mutable = true;
    [
        Loop {
            name: "run_0",
            header: "for i in par(0..n)",
            line: 5,
            column: 5,
            captures: &[Capture { name: "x", kind: CaptureKind::Write }],
            sites: const { &[site(6, 9, Check::Index), Site { file: "src/macros.rs", ..site(7, 16, Check::Index) }] },
            ..of_loop(5, Some(0), &first, &decides(0))
        },
        Loop {
            name: "run_1",
            header: "for i in\n    par(0..8)",
            group: Some("other"),
            line: 9,
            column: 5,
            sites: const { &[site(10, 9, Check::Rem)] },
            ..of_loop(9, None, &second, &Info::default())
        },
    ]
});

static KERNEL: LazyLock<Kernel> = LazyLock::new(|| Kernel {
    number: Number::new(),
    name: "run",
    module: "app",
    file: "src/app.rs",
    line: 3,
    loops: &*LOOPS,
    fused: &[],
    plan: &[],
});

fn run() -> Instance {
    Instance {
        kernel: &KERNEL,
        id: || TypeId::of::<()>(),
        describe: |description| {
            let index = SlotValue::Type(<usize as DeviceValue>::TYPE);
            let (number, other) = (SlotValue::Type(<u32 as DeviceValue>::TYPE), SlotValue::Function(other_halve));
            let slots = vec![index, other, SlotValue::Function(behind), number];
            let captures = vec![<i32 as DeviceValue>::TYPE];
            description.loops.push(LoopTypes { captures, slots, ..LoopTypes::default() });
            let slots = vec![index, SlotValue::Type(<i32 as DeviceValue>::TYPE), SlotValue::Function(halve)];
            description.loops.push(LoopTypes { slots, ..LoopTypes::default() });
        },
    }
}

#[test]
fn a_program_is_helpers_then_functions_then_loops() {
    let program = program(run(), Variant::Unchecked, CUDA, false);
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
__device__ i32 behind_32(const i32 x_32);
__device__ i32 halve_in_app_math(const ab::cx ab_cx, i32 x);
// fn halve, src/other.rs:3
__device__ i32 halve(const ab::cx ab_cx, i32 x) {
    return device::halve_in_app_math(ab_cx, device::halve(ab_cx, x));
}
// fn behind, src/other.rs:6
// as an index of 32 bits
__device__ i32 behind_32(const i32 x_32) {
    return (x_32 + 2);
}
// fn halve, src/math.rs:20
__device__ i32 halve_in_app_math(const ab::cx ab_cx, i32 x) {
    return ab::div(ab_cx, 1, x, 2);
}
}  // namespace device

// for i in par(0..n), src/app.rs:5
// where the launch shows that indexes are in bounds and fit 32 bits; else run_0_checked
extern "C" __global__ void __launch_bounds__(256) run_0(
        i32* __restrict__ x_p, usize x_n,
        usize i_lo, usize i_step,
        u32 i_n,
        ab::fault* ab_fault) {
    const ab::thread ab_cx{ab_fault};
    const ab::slice<i32> x{x_p, x_n};
    const u32 i_t = blockIdx.x * blockDim.x + threadIdx.x;
    if (i_t >= i_n) return;
    const usize i = (usize)i_t;
    const i32 i_32 = (i32)i_t;
    const u32 a = 0u;
    const u32 b = 0u;
    x.at_narrow(ab_cx, 3, i) = device::halve(ab_cx, x_p[device::behind_32(i_32)]);
}

// for i in par(0..8), src/app.rs:9
// for every launch
extern "C" __global__ void __launch_bounds__(256) run_1(
        usize i_lo, usize i_step,
        u32 i_n,
        ab::fault* ab_fault) {
    const ab::thread ab_cx{ab_fault};
    const u32 i_t = blockIdx.x * blockDim.x + threadIdx.x;
    if (i_t >= i_n) return;
    const usize i = (i_lo + (usize)i_t);
    i32 a = 1;
    ab::rem_to(ab_cx, 4, a, device::halve_in_app_math(ab_cx, a));
}
"#;
    assert_eq!(body, expected);
    assert_eq!(program.entries, [entry("run_0"), entry("run_1")]);
}

/// Reads the directives as a compiler does, and says of each line of the functions where it comes
/// from.
#[test]
fn with_lines_each_line_says_where_it_comes_from() {
    let text = program(run(), Variant::Unchecked, CUDA, true).text;
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
        "src/other.rs:4 return device::halve_in_app_math",
        "src/other.rs:4 }",
        "src/other.rs:6 __device__ i32 behind_32",
        "src/other.rs:6 return",
        "src/other.rs:6 }",
        "src/math.rs:20 __device__ i32 halve_in_app_math",
        "src/math.rs:21 return ab::div",
        "src/math.rs:21 }",
        "src/app.rs:5 extern \"C\" __global__ void __launch_bounds__",
        "src/app.rs:5 i32* __restrict__ x_p, usize x_n,",
        "src/app.rs:5 usize i_lo, usize i_step,",
        "src/app.rs:5 u32 i_n,",
        "src/app.rs:5 ab::fault* ab_fault) {",
        "src/app.rs:5 const ab::thread ab_cx{ab_fault};",
        "src/app.rs:5 const ab::slice<i32> x{x_p, x_n};",
        "src/app.rs:5 const u32 i_t = blockIdx.x * blockDim.x + threadIdx.x;",
        "src/app.rs:5 if",
        "src/app.rs:5 const usize i =",
        "src/app.rs:5 const i32 i_32 =",
        "src/macros.rs:7 const u32 a = 0u;",
        "src/macros.rs:7 const u32 b = 0u;",
        "src/app.rs:6 x.at_narrow",
        "src/app.rs:5 }",
        "src/app.rs:9 extern \"C\" __global__ void __launch_bounds__",
        "src/app.rs:9 usize i_lo, usize i_step,",
        "src/app.rs:9 u32 i_n,",
        "src/app.rs:9 ab::fault* ab_fault) {",
        "src/app.rs:9 const ab::thread ab_cx{ab_fault};",
        "src/app.rs:9 const u32 i_t = blockIdx.x * blockDim.x + threadIdx.x;",
        "src/app.rs:9 if",
        "src/app.rs:9 const usize i =",
        "src/app.rs:10 i32 a = 1;",
        "src/app.rs:10 ab::rem_to",
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
    let checked = program(run(), Checked, CUDA, false);
    assert_eq!(checked.entries, [entry("run_0_checked"), None]);
    // One range whose indexes fit 32 bits is one grid.
    assert_eq!(program(run(), UncheckedMultiGrid, CUDA, false).entries, [None, None]);
    let of = |begins: bool, differs: bool, dims: usize| {
        let store = || assign(1, element(1, *local(1, 0), 0), int(1, "1", 0), None);
        let body = writes(&[("i", 0)], differs.then(store).into_iter().collect());
        let info = if differs { decides(0) } else { Info::default() };
        let par_loop = Loop { dims, ..of_loop(1, begins.then_some(1), &body, &info) };
        Variant::ALL.map(|wanted| par_loop.variant(wanted))
    };
    assert_eq!(of(false, false, 2), [Unchecked, Unchecked, Unchecked]);
    assert_eq!(of(false, true, 2), [Unchecked, Unchecked, Checked]);
    assert_eq!(of(true, false, 2), [Unchecked, Checked, Checked]);
    assert_eq!(of(true, true, 2), [Unchecked, UncheckedMultiGrid, Checked]);
    assert_eq!(of(true, true, 1), [Unchecked, Checked, Checked]);
}

#[test]
fn the_whole_source_has_every_function_once_the_main_ones_first() {
    let text = all(run(), Platform::Cuda, false);
    let functions: Vec<&str> = text.lines().filter(|l| l.starts_with("extern")).collect();
    let start = "extern \"C\" __global__ void";
    assert_eq!(
        functions,
        [
            format!("{start} __launch_bounds__(256) run_0("),
            format!("{start} __launch_bounds__(256) run_1("),
            format!("{start} __launch_bounds__(256) run_0_checked("),
        ]
    );
    let first = program(run(), Variant::Unchecked, CUDA, false).text;
    let (_, loops) = first.split_once("}  // namespace device\n").unwrap();
    let (_, all_loops) = text.split_once("}  // namespace device\n").unwrap();
    assert!(all_loops.starts_with(loops.trim_end()), "the loops of the first program come first:\n{text}");
    assert!(
        text.contains("// run_0 where the launch does not show that: every index is checked, in 64 bits\n"),
        "{text}"
    );
    assert!(
        text.contains("    x.at(ab_cx, 3, i) = device::halve(ab_cx, x.at(ab_cx, 2, device::behind(ab_cx, i)));\n"),
        "sites are the same:\n{text}"
    );
}

#[test]
fn sites_lead_back_to_the_source() {
    let found: Vec<_> = program(run(), Variant::Unchecked, CUDA, false)
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
    assert_eq!(
        program(run(), Variant::Unchecked, CUDA, false).text,
        program(run(), Variant::Unchecked, CUDA, false).text
    );
}

#[test]
fn a_kernel_that_describes_nothing_does_not_panic() {
    let silent = Instance { describe: |_| {}, ..run() };
    assert!(program(silent, Variant::Unchecked, CUDA, false).text.contains("ab_missing"));
}

/// The macro allows 256 expressions in each other.
#[test]
fn deeply_nested_code_needs_little_of_the_callers_stack() {
    fn endless(inner: usize) -> ir::Stmt<Written> {
        let stmts = if inner > 0 { vec![endless(inner - 1)] } else { Vec::new() };
        let body = ir::Block { stmts, value: None };
        let flow = ir::Flow::Loop { id: ir::LoopId(256 - inner), label: None, body };
        ir::Stmt::Expr(Expr::flow(("", 1), None, flow))
    }
    let nested = || of_loop(1, None, &body(&[("i", 0)], vec![endless(255)], None), &Info::default());
    let nested = thread::Builder::new().stack_size(64 << 20).spawn(nested).unwrap().join().unwrap();
    let loops: &[Loop] = vec![nested].leak();
    let kernel: &Kernel = Box::leak(Box::new(Kernel {
        number: Number::new(),
        name: "deep",
        module: "app",
        file: "src/app.rs",
        line: 1,
        loops,
        fused: &[],
        plan: &[],
    }));
    let instance = Instance { kernel, ..run() };
    let write = move || program(instance, Variant::Unchecked, CUDA, false).text.matches("for (;;) {").count();
    let loops = thread::Builder::new().stack_size(256 << 10).spawn(write).unwrap().join().unwrap();
    assert_eq!(loops, 256);
}

/// A barrier that is before no step of the tree would be lost.
#[test]
fn findings_are_about_expressions_of_the_tree() {
    let (step, other) = (int(1, "1", 0), int(1, "1", 0));
    let [known, unknown] = [step.id, other.id].map(|id| Info { barriers: [id].into(), ..Info::default() });
    let body = body(&[("i", 0)], vec![ir::Stmt::Expr(step)], None);
    let dims = vec![LoopDim { var: LocalId(0), first: None, stepped: false }];
    let head = LoopHead { span: ("", 1), dims, block: 256, over_blocks: true, can_fail: false };
    assert!(decode_loop(&encode_loop(&head, &body, &known)).is_some());
    assert!(decode_loop(&encode_loop(&head, &body, &unknown)).is_none());
}

#[test]
fn comments_stay_comments() {
    assert_eq!(comment_line("for i in par(\n    0..n)"), "// for i in par( 0..n)\n");
    assert_eq!(comment_line(r"src\"), "// src\n");
}
