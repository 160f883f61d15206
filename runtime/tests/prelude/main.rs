//! The C++ prelude against plain Rust: every function at every type, on edges and random operands.
//! The prelude's own text is built for the host by the system's C++ compiler, with its
//! undefined-behaviour sanitizer, and answers are compared bit for bit. NVRTC compiles the same
//! instances for the architectures in use. Each test is skipped, with a line that says so, where
//! its compiler is missing.

mod aggregates;
mod floats;
mod halves;
mod ints;
mod nvrtc;
mod table;
mod values;

use anabranch_core::ir::CollectiveOp;
use anabranch_core::methods::{CHECKED, Class, METHODS};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use table::{Op, Outcome, table};

const PRELUDE: &str = include!("../../src/codegen/prelude/text.rs");
const HOST: &str = include_str!("host.h");
/// The stand-in for the driver has atomics of its own.
const LOST_LINES: &str =
    "template <> unsigned long long atomicAdd(unsigned long long* p, unsigned long long n) { return (*p += n) - n; }\n";

/// Device code that runs any operation: one `__global__` function a type.
fn device_code(ops: &[Op]) -> String {
    let mut code = String::from(PRELUDE);
    code.push_str(
        "template <class T> AB_FN T arg(const u64* in, u32 k) { return *(const T*)(in + 2 * k); }
template <> AB_FN bool arg<bool>(const u64* in, u32 k) { return in[2 * k] != 0; }
template <class T> AB_FN void put(u64* out, T x) { out[0] = 0; out[1] = 0; *(T*)out = x; }
template <class A, class B> AB_FN void put(u64* out, const ab::tuple<A, B>& x) { put(out, (u128)(ab::uns<A>)x.m0 * 1000003u + (ab::uns<B>)x.m1); }
template <usize N> AB_FN void put(u64* out, const ab::array<u8, N>& x) {
    u128 r = 0;
    for (usize i = N; i-- > 0;) r = r << 8 | x.e[i];
    put(out, r);
}
",
    );
    let groups: BTreeSet<_> = ops.iter().map(|op| op.group).collect();
    for group in groups {
        let _ = write!(
            code,
            "extern \"C\" __global__ void all_{}(u32 op, const u64* in, u64* out, ab::fault* ab_fault) {{\n    const ab::thread ab_cx{{ab_fault}};\n    (void)ab_cx;\n    switch (op) {{\n",
            group.trim_start_matches("ab::")
        );
        for (i, op) in ops.iter().enumerate().filter(|(_, op)| op.group == group) {
            let _ = writeln!(code, "        case {i}: {{ {} break; }}", op.code);
        }
        code.push_str("    }\n}\n");
    }
    code
}

/// A program that reads operations with their operands and writes what they do.
fn host_code(ops: &[Op]) -> String {
    let mut code = format!(
        "{HOST}{LOST_LINES}{}#include <stdio.h>\nstatic void run(u32 op, const u64* in, u64* out, ab::fault* f) {{\n    switch (op) {{\n",
        device_code(ops)
    );
    for (i, op) in ops.iter().enumerate() {
        let _ = writeln!(code, "        case {i}: all_{}(op, in, out, f); break;", op.group.trim_start_matches("ab::"));
    }
    code.push_str(
        "    }
}
int main() {
    alignas(16) u64 in[8], out[4];
    while (fread(in, 1, sizeof in, stdin) == sizeof in) {
        u64 word = 0;
        ab::record record = {0, 0, 0, 0};
        ab::fault fault = {&word, &record};
        out[2] = out[3] = 0;
        try { run((u32)in[6], in, out, &fault); } catch (host_exit) {}
        if (record.site) { out[0] = record.a; out[1] = record.b; out[2] = record.site; out[3] = word; }
        fwrite(out, 1, sizeof out, stdout);
    }
}
",
    );
    code
}

fn compiler() -> Option<&'static str> {
    let works = |name: &&str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    ["c++", "g++", "clang++"].into_iter().find(works)
}

fn build(compiler: &str, folder: &Path, code: &str) -> std::path::PathBuf {
    let (source, program) = (folder.join("prelude.cpp"), folder.join("prelude"));
    fs::write(&source, code).unwrap();
    let output = Command::new(compiler)
        .args([
            "-std=c++17",
            "-O0",
            "-Wall",
            "-Werror",
            "-Wno-unused-function",
            "-Wno-unknown-pragmas",
            "-ffp-contract=off",
            "-fno-strict-aliasing",
        ])
        .args(["-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"])
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

fn run(program: &Path, folder: &Path, ops: &[Op]) -> Vec<[u64; 4]> {
    let mut input = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        for operands in &op.cases {
            operands.iter().for_each(|operand| input.extend(operand.to_ne_bytes()));
            input.extend((i as u128).to_ne_bytes());
        }
    }
    let cases = folder.join("cases");
    fs::write(&cases, input).unwrap();
    let output = Command::new(program).stdin(fs::File::open(&cases).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
    output
        .stdout
        .chunks_exact(32)
        .map(|out| [word(&out[..8]), word(&out[8..16]), word(&out[16..24]), word(&out[24..])])
        .collect()
}

fn agrees(op: &Op, rust: Outcome, [low, high, site, word]: [u64; 4]) -> bool {
    match rust {
        Err(payload) => (site, word) == (7, 7) && payload == (low, high),
        Ok(bits) => site == 0 && (op.distance)(bits, u128::from(high) << 64 | u128::from(low)) <= op.ulp,
    }
}

#[test]
fn cpp_answers_as_rust_does() {
    let Some(compiler) = compiler() else {
        assert!(std::env::var_os("CI").is_none(), "CI has to bring a C++ compiler");
        eprintln!("skipped: no C++ compiler on this machine");
        return;
    };
    let ops = table().0;
    let folder = tempfile::tempdir().unwrap();
    let program = build(compiler, folder.path(), &host_code(&ops));
    let answers = run(&program, folder.path(), &ops);
    let cases = ops.iter().flat_map(|op| op.cases.iter().map(move |operands| (op, operands)));
    assert_eq!(answers.len(), cases.clone().count());
    let mut wrong = Vec::new();
    for ((op, operands), answer) in cases.zip(answers) {
        let rust = (op.rust)(operands);
        if !agrees(op, rust, answer) {
            wrong.push(format!("{} on {operands:x?}: Rust {rust:x?}, C++ {answer:x?}", op.code));
        }
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// Where the CPU twin calls a function of the runtime, that one does the same, and fails where Rust
/// panics.
#[test]
fn the_twin_answers_as_rust_does() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for op in table().0 {
        let Some(twin) = &op.cpu else { continue };
        for operands in &op.cases {
            let (rust, twin) = ((op.rust)(operands), twin(operands));
            compared += 1;
            let same = match (rust, twin) {
                (Ok(rust), Some(twin)) => (op.distance)(rust, twin) <= op.ulp,
                (Err(_), None) => true,
                _ => false,
            };
            if !same {
                wrong.push(format!("{} on {operands:x?}: Rust {rust:x?}, the twin {twin:x?}", op.code));
            }
        }
    }
    assert!(compared > 10_000, "only {compared} cases");
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The numbers of a class of types.
fn types_of(class: Class) -> Vec<&'static str> {
    const FLOATS: [&str; 4] = ["f32", "f64", "ab::f16", "ab::bf16"];
    const SIGNED: [&str; 6] = ["i8", "i16", "i32", "i64", "i128", "isize"];
    const UNSIGNED: [&str; 6] = ["u8", "u16", "u32", "u64", "u128", "usize"];
    match class {
        Class::Ordered | Class::Number => [&FLOATS[..], &SIGNED, &UNSIGNED].concat(),
        Class::SignedNumber => [&FLOATS[..], &SIGNED].concat(),
        Class::Float => FLOATS.to_vec(),
        Class::Int => [SIGNED, UNSIGNED].concat(),
        Class::Signed => SIGNED.to_vec(),
        Class::Unsigned => UNSIGNED.to_vec(),
        Class::U8 => vec!["u8"],
    }
}

/// Every method that device code has is in the table, at the same types, with the same failures,
/// and with the runtime's function where it can fail.
#[test]
fn every_method_is_in_the_table() {
    let ops = table().0;
    for method in METHODS {
        let name = method.name;
        let call = |op: &Op| {
            let at = op.code.find(&format!("ab::{name}(")).or_else(|| op.code.find(&format!("ab::{name}<")))?;
            op.code[at..].split_once('(').map(|(_, args)| args.starts_with("ab_cx"))
        };
        let calls: Vec<_> = ops.iter().filter_map(|op| Some((op, call(op)?))).collect();
        let at = |op: &Op| {
            let explicit = op.code.split_once(&format!("ab::{name}<")).and_then(|(_, rest)| rest.split('>').next());
            explicit.unwrap_or(op.group).to_owned()
        };
        let tested: BTreeSet<String> = calls.iter().map(|(op, _)| at(op)).collect();
        let types = types_of(method.class);
        let missing: Vec<_> = types.iter().filter(|ty| !tested.contains(**ty)).collect();
        assert!(missing.is_empty(), "{name} of {missing:?} is not in the table");
        let others: Vec<_> = tested.iter().filter(|ty| !types.contains(&ty.as_str())).collect();
        assert!(
            others.is_empty() || method.class == Class::Ordered,
            "{name} of {others:?} is in the table, and not of the class"
        );
        for (op, context) in calls {
            assert_eq!(context, method.check.is_some(), "{name}: {:?} against {}", method.check, op.code);
            assert!(op.cpu.is_some() || !context, "{name}: what can fail is compared with the CPU device: {}", op.code);
        }
    }
}

/// What needs memory that threads share: the cases of the GPU suite compare it with std.
const ATOMICS: &str = include_str!("../../src/codegen/prelude/atomics.cuh");

/// What writes to memory that the host reads: the cases of the GPU suite compare what is printed
/// with std.
const PRINT: &str = include_str!("../../src/codegen/prelude/print.cuh");

/// What all threads of a block call together: the cases compare it with the same sums in Rust.
const COLLECTIVES: &str = include_str!("../../src/codegen/prelude/collectives.cuh");

/// What the threads of a warp call together, in the same way.
const WARPS: &str = include_str!("../../src/codegen/prelude/warps.cuh");

/// What takes views, enums or places, and no numbers: the cases compare it with std.
const OF_OTHER_TYPES: &str = "grid stride len is_empty lvalue is_some is_none is_ok is_err unwrap_or checked unwrap expect unwrap_or_default ok_or_of ok_of err_of then_some_of zip_of flatten_of if_of and_of or_of xor_of value less less_or_equal greater greater_or_equal cmp partial_cmp reverse is_eq is_ne is_lt is_le is_gt is_ge is_some_and is_none_or is_ok_and is_err_and then_of then_with_of map_of map_err_of map_or_of map_or_else_of unwrap_or_else_of filter_of ok_or_else_of inspect_of inspect_err_of and_then_of or_else_of take_of replace_of nothing just is_just given found best exceeds";

/// The table covers the prelude: a helper that is added without a row here fails this test.
#[test]
fn every_function_of_the_prelude_is_in_the_table() {
    let ops = table().0;
    let internal = ". packed unpack kind uns sig wide negative bits min_of max_of same divides to_int to_wide_int from_wide_int full_product overflows mixed saturate strict exponent odd f16_to_f32 f32_to_f16 bf16_to_f32 f32_to_bf16 AB_HALF f16 bf16 record fault cx thread report die end_thread may_not_end may_be_long over lend give_back ends meet meet_warp enter fill trips base end get steps two_words";
    let names =
        |text: &'static str| text.lines().filter_map(|line| line.strip_prefix("//@ ")).flat_map(str::split_whitespace);
    let tested_elsewhere =
        |name: &&str| [ATOMICS, PRINT, COLLECTIVES, WARPS].into_iter().flat_map(names).any(|known| known == *name);
    for name in names(PRELUDE).filter(|name| !tested_elsewhere(name)) {
        let used = |op: &Op| [format!("ab::{name}("), format!("ab::{name}<")].iter().any(|call| op.code.contains(call));
        assert!(
            internal
                .split(' ')
                .chain(OF_OTHER_TYPES.split(' '))
                .chain(CHECKED.iter().copied())
                .any(|known| known == name)
                || ops.iter().any(used),
            "ab::{name} is not in the table"
        );
    }
}

#[test]
fn every_collective_has_a_function() {
    for (of_warps, text, prefix) in [(false, COLLECTIVES, "//@ block_"), (true, WARPS, "//@ warp_")] {
        let names: BTreeSet<_> = text.lines().filter_map(|line| line.strip_prefix(prefix)).collect();
        let all = CollectiveOp::ALL.iter().filter(|op| op.exists(of_warps));
        let missing: Vec<_> = all.filter(|op| !names.contains(op.name())).collect();
        assert!(missing.is_empty(), "{missing:?}, of warps: {of_warps}");
    }
}

/// Device code that instantiates everything, for a look or for another compiler:
/// `ANABRANCH_PRELUDE_OUT=all.cu cargo test`.
#[test]
fn the_instances_can_be_written_out() {
    let code = device_code(&table().0);
    assert!(code.contains("all_f64"));
    if let Some(path) = std::env::var_os("ANABRANCH_PRELUDE_OUT") {
        fs::write(path, code).unwrap();
    }
}

/// The policy for GPUs on which a single thread cannot end.
#[test]
fn a_thread_that_goes_on_has_no_effect() {
    let Some(compiler) = compiler() else {
        assert!(std::env::var_os("CI").is_none(), "CI has to bring a C++ compiler");
        eprintln!("skipped: no C++ compiler on this machine");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = include_str!("go_on.cpp");
    let program = format!("#define AB_GO_ON\n#define AB_BLOCKS\n{HOST}{LOST_LINES}{PRELUDE}{program}");
    let output = Command::new(build(compiler, folder.path(), &program)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
