//! The C++ of loops, with what only rustc knows written as `‹slot›`.

use std::collections::BTreeMap;

use anabranch_core::emit::{self, CalledFunction, Captured, Fields, Form, Inferred, Member, Proved, Question, Version};
use anabranch_core::ir::code::{Bare, DecodedLoop};
use anabranch_core::ir::wire::decode_loop;
use anabranch_core::ir::{self, CaptureId, ExprKind, SlotId};
use anabranch_core::scalar::ScalarType;
use insta::assert_snapshot;

use super::kernel;
use crate::analysis::{Analyses, access};
use crate::launch;
use crate::report::Report;

/// Every loop's function where the launch has shown what it can, and where it has shown nothing.
pub(super) fn programs(source: &str) -> [String; 2] {
    let (texts, mut report) = texts_and_report(source);
    report.check().expect("the kernel has no races");
    texts
}

/// The same of a kernel that may be refused for races.
pub(super) fn programs_anyway(source: &str) -> [String; 2] {
    let (texts, mut report) = texts_and_report(source);
    drop(report.check());
    texts
}

/// The second of them.
pub(super) fn checked_anyway(source: &str) -> String {
    let [_, checked] = programs_anyway(source);
    checked
}

fn texts_and_report(source: &str) -> ([String; 2], Report) {
    let kernel = kernel(source);
    let mut report = Report::default();
    let facts = access::check(&kernel.loops, false, &mut report);
    let mut texts = [String::new(), String::new()];
    for (at, (par_loop, facts)) in kernel.loops.iter().zip(facts).enumerate() {
        let analyses = Analyses::of(par_loop, facts, true);
        let code = decode_loop(&launch::code(par_loop, &analyses)).expect("it is the code of a loop");
        let types = Unknown::new(&code);
        for (text, proved) in texts.iter_mut().zip([Proved::Accesses, Proved::Nothing]) {
            let (name, one_grid) = (format!("k_{at}"), proved == Proved::Accesses);
            let form = Form { name: &name, proved, one_grid, goes_on: false, sites: 0, source: None };
            *text += &emit::par_loop(&code, form, &types).text;
        }
    }
    (texts, report)
}

fn both(source: &str) -> String {
    let [decided, checked] = programs(source);
    format!("{decided}\n// checked\n{checked}")
}

/// Types that nobody has inferred: each operator is one of `i32`, each method one of std.
struct Unknown {
    /// The functions that are called, by slots.
    called: BTreeMap<SlotId, CalledFunction>,
}

impl Unknown {
    fn new(code: &DecodedLoop) -> Self {
        let mut called = BTreeMap::new();
        code.body.block.any(&mut |expr: &ir::Expr<Bare>| {
            if let ExprKind::Call { callee: ir::Callee::Function { slot, .. }, .. } = &expr.kind {
                let number = slot.number() as usize;
                let (narrow, is_index) = (Vec::new(), false);
                called.insert(
                    *slot,
                    CalledFunction { number, receiver: None, differs: true, needs: 0, narrow, is_index },
                );
            }
            false
        });
        Self { called }
    }
}

impl Inferred for Unknown {
    fn ty(&self, slot: SlotId) -> String {
        format!("‹T{}›", slot.number())
    }

    fn captured(&self, capture: CaptureId) -> Captured {
        Captured { ty: format!("‹C{}›", capture.number()), scalar: Some(ScalarType::I32), words: None }
    }

    fn scalar(&self, _: SlotId) -> Option<ScalarType> {
        Some(ScalarType::I32)
    }

    fn function(&self, slot: SlotId) -> Option<&CalledFunction> {
        self.called.get(&slot)
    }

    fn name(&self, function: usize, version: Version) -> String {
        match version {
            Version::For(Proved::Nothing) => format!("‹F{function}›"),
            version => format!("‹F{function} {version:?}›"),
        }
    }

    fn constant(&self, slot: SlotId) -> String {
        format!("‹V{}›", slot.number())
    }

    fn is(&self, slot: SlotId, place: &str) -> Option<String> {
        Some(format!("{place} is ‹V{}›", slot.number()))
    }

    fn fields(&self, _: SlotId) -> Fields {
        Fields { path: String::new(), count: 0 }
    }

    fn made(&self, slot: SlotId, base: &str, members: &[Member<'_>]) -> String {
        let members: String = members.iter().map(|member| format!("{}: {}, ", member.name, member.value)).collect();
        format!("‹T{}›{{{members}..{base}}}", slot.number())
    }

    fn question(&self, _: SlotId, _: SlotId, variable: &str, convert: Option<&str>) -> Option<Question> {
        Some(Question {
            is_empty: format!("‹empty {variable}›"),
            returned: format!("{}‹error {variable}›", convert.unwrap_or_default()),
            value: format!("‹answer {variable}›"),
        })
    }

    fn note_comparison(&self, _: SlotId, _: bool) {}

    fn partial_ordering(&self, slot: SlotId) -> String {
        self.ty(slot)
    }
}

#[test]
fn saxpy() {
    assert_snapshot!(both(
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { for i in par(0..x.len()) { y[i] = a * x[i] + y[i]; } }"
    ));
}

#[test]
fn two_ranges_with_a_step_and_a_block() {
    assert_snapshot!(both(
        "fn k(x: &mut [f32], w: usize, h: usize) {
            for (row, col) in par((1..h, (0..=w).step_by(2))).block(128) { x[row * (w + 1) + col] *= 0.5; }
        }"
    ));
}

#[test]
fn operands_are_evaluated_in_the_order_of_rust() {
    assert_snapshot!(both(
        "fn k(x: &mut [i32], y: &[i32]) {
            for i in par(0..x.len()) {
                let mut t = y[i];
                let a = t + { t = t * 3; t } * if t > 10 { t -= 1; 2 } else { 5 };
                x[i] += a / y[i + 1];
                unsafe { x[y[i] as usize] = if a > 0 { y[0] } else { -a } };
            }
        }"
    ));
}

#[test]
fn control_flow_is_lowered_into_its_destination() {
    assert_snapshot!(both(
        "fn k(x: &mut [u32], n: u32) {
            for i in par(0..x.len()) {
                let found = 'outer: loop {
                    let mut s = 0;
                    for j in 0..n {
                        for k in 0..=j {
                            if k == 3 { continue; }
                            if s > 100 { break 'outer s; }
                            s += k;
                        }
                    }
                    if s > 7 && { s = 1; s == n } { continue 'outer; }
                    break s;
                };
                let mut c = 5;
                while { c -= 1; c > 0 } { if c == found { continue; } x[i] = c; }
                x[i] = if found > 3 { found } else { 0 };
            }
        }"
    ));
}

#[test]
fn names_of_the_user_and_ours_do_not_meet() {
    assert_snapshot!(both(
        "fn k(float: &mut [f32], x_n: usize, x: &[f32]) {
            for i in par(0..x_n) { let i_t = i; let x_n = x_n + 1; let i = i_t; float[i] = x[x_n] + float.len() as f32; }
        }"
    ));
}

#[test]
fn calls_and_methods() {
    assert_snapshot!(both(
        "fn k(x: &mut [f32], b: u32) {
            for i in par(0..x.len()) {
                x[i] = math::wave(x[i].sqrt().clamp(0.0, 1.0), f32::from_bits(b)).max(f32::from(true));
            }
        }"
    ));
}

/// All threads call a collective, wherever it is. What changes memory comes after it.
#[test]
fn atomics_of_blocks() {
    assert_snapshot!(both(
        "fn k(x: &[u8], bins: &[AtomicU32], n: usize) {
            for block in par_blocks(0..n).threads(64) {
                let b = block.index();
                let own = block.shared([const { AtomicU32::new(0) }; 256]);
                let sums = block.shared([[const { AtomicF32::new(START) }; W]; 2]);
                for i in block.par(b * 4096..((b + 1) * 4096).min(x.len())) { own[x[i] as usize].fetch_add(1, Relaxed); }
                own[3].store(own.len() as u32, Relaxed);
                for t in block.threads() {
                    bins[t].fetch_add(own[t].load(Relaxed), Relaxed);
                    if own[t + 64].compare_exchange(1, 2, Relaxed, Relaxed).is_err() { add(&own[t..], &sums[1], &sums[0][t]); }
                }
            }
        }"
    ));
}

#[test]
fn collectives() {
    let source = "fn k(x: &[f32], sums: &mut [f32], n: usize) {
        for block in par_blocks(0..n).threads(48) {
            let b = block.index();
            let mut own = block.each(0.0);
            for i in block.par(b * 48..b * 48 + 48) { own += x[i]; }
            sums[b] = block.sum(own);
            let at = block.exclusive_sum(if own > 0.0 { 1 } else { 0 });
            while block.any(own > 1.0) && b > 3 {
                for t in block.threads() { own = own / 2.0 + at as f32; }
                if b > 5 || block.all(own > 0.0) { sums[b] += 1.0 / block.max(own); }
            }
            for t in block.threads() { own = block_of(own); }
            let last = block.broadcast(own, n);
            let both = block.min(own) + block.product(last);
        }
    }";
    assert_snapshot!(both(source));
}

#[test]
fn printing() {
    assert_snapshot!(both(
        "fn k(x: &mut [f32], n: usize) {
            for i in par(0..x.len()) {
                println!();
                eprint!(\"{i} {:.3} {LIMIT} {}\", x[i], \"text\");
                println!(\"{} {} {} {} {} {} {} {} {}\", 1, 2, 3, 4, 5, 6, 7, 8, n);
                x[i] = dbg!(x[i]) + 1.0;
                assert_eq!(i, n, \"{}\", x[i]);
                debug_assert!(n > i, \"{n}\");
            }
        }"
    ));
}

#[test]
fn atomics() {
    assert_snapshot!(both(
        "fn k(bins: &[AtomicU32], keys: &[u32], out: &mut [u32]) {
            for i in par(0..keys.len()) {
                bins[keys[i] as usize].fetch_add(1, Relaxed);
                let old = bins[i].swap(bins[i].load(Relaxed) / keys[i], Relaxed);
                out[i] = if bins[0].compare_exchange(old, 1, Relaxed, Relaxed).is_err() { count(&bins, &bins[1]) } else { old };
            }
        }"
    ));
}
