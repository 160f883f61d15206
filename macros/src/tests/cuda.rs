//! The C++ templates, with their holes written as `‹slot›`.

use anabranch_core::emit::{self, Binary, Node, Text};
use anabranch_core::ir::wire::decode_loop;
use anabranch_core::ops::UnOp;
use insta::assert_snapshot;

use super::kernel;
use crate::analysis::{Analyses, access};
use crate::launch;
use crate::report::Report;

/// Every loop's function.
pub(super) fn template(source: &str) -> String {
    let (text, mut report) = template_and_report(source);
    report.check().expect("the kernel has no races");
    text
}

/// The same of a kernel that may be refused for races.
pub(super) fn template_anyway(source: &str) -> String {
    let (text, mut report) = template_and_report(source);
    drop(report.check());
    text
}

fn template_and_report(source: &str) -> (String, Report) {
    let kernel = kernel(source);
    let mut report = Report::default();
    let facts = access::check(&kernel.loops, false, &mut report);
    let loops = kernel.loops.iter().zip(facts).enumerate().map(|(at, (par_loop, facts))| {
        let analyses = Analyses::of(par_loop, facts, true);
        let bytes = launch::code(par_loop, &analyses);
        let code = decode_loop(&bytes).expect("it is the code of a loop");
        render(&emit::par_loop(&code), &format!("k_{at}"))
    });
    (loops.collect::<Vec<_>>().join("\n"), report)
}

fn render(text: &Text, own: &str) -> String {
    let node = |node: &Node| match node {
        Node::Text(text) => text.clone(),
        Node::Type(slot) => format!("‹T{slot}›"),
        Node::Parameter(capture, name, _) => format!("‹C{capture}› {name}"),
        Node::Unpack(..) => String::new(),
        Node::Narrow(_, name) => format!("(i32){name}"),
        Node::Captured(capture) => format!("‹C{capture}›"),
        Node::Int(_, digits) | Node::Float(_, digits) => digits.clone(),
        Node::Unary(op, _, operand) => {
            let operand = render(operand, own);
            if *op == UnOp::Neg { format!("({operand})") } else { format!("(Not {operand})") }
        }
        Node::Binary(Binary { op, assigns, slot: _, site }, lhs, rhs) => {
            let site = site.map(|site| format!("#{site}")).unwrap_or_default();
            let (lhs, rhs) = (render(lhs, own), render(rhs, own));
            match (assigns, site.as_str()) {
                (true, "") => format!("{lhs} {op:?}= {rhs}"),
                (true, site) => format!("{site} {lhs} {op:?}= {rhs}"),
                (false, site) => format!("{site}({lhs} {op:?} {rhs})"),
            }
        }
        Node::Chosen(_, value) => render(value, own),
        Node::Compare(op, _, lhs, rhs) => format!("({} {} {})", render(lhs, own), op.symbol(), render(rhs, own)),
        Node::Element(_, site, base, index) => {
            format!("{}.at(ab_cx, #{site}, {})", render(base, own), render(index, own))
        }
        Node::Within(_, _, base, index) => format!("{}.e[{}]", render(base, own), render(index, own)),
        Node::Make(slot, base, members) => {
            let base = render(base, own);
            let base = if base.is_empty() { base } else { format!("..{base}") };
            format!("‹T{slot}›{{{}{base}}}", render(members, own))
        }
        Node::Member(name, value) => format!("{name}: {}, ", render(value, own)),
        Node::Part(_, name, place) => format!("{}.{name}", render(place, own)),
        Node::PartFromLast(_, from_last, place) => format!("{}.‹last - {from_last}›", render(place, own)),
        Node::All(tests) => format!("‹all {}›", render(tests, own)),
        Node::Test(test) => format!("({})", render(test, own)),
        Node::Is(slot, place) => format!("{} is ‹V{slot}›", render(place, own)),
        Node::Propagate(_, name) => format!("‹return without {name}›"),
        Node::Answer(_, name) => format!("‹answer {name}›"),
        Node::Constant(slot) => format!("‹V{slot}›"),
        Node::Site(site) => format!("#{site}"),
        Node::Call(slot) => format!("‹F{slot}›"),
        Node::Told(called) => format!("‹told F{}›", called.slot),
        Node::NarrowArgument(called, param, value) => {
            format!("‹for {param} of F{}, {}›", called.slot, render(value, own))
        }
        Node::NarrowResult(slot, args, wide) => {
            format!("‹F{slot} in 32 bits({}) or {}›", render(args, own), render(wide, own))
        }
        Node::Method(method, name, receiver, args) => {
            let site = method.site.map(|site| format!("#{site}")).unwrap_or_default();
            format!("‹{name}{}›{site}({}{})", method.slot, render(receiver, own), render(args, own))
        }
        Node::Bind(method) => format!("‹auto{}› ", method.slot),
        Node::At => "‹at›".to_owned(),
        Node::Own => own.to_owned(),
        // A test of the runtime shows what becomes of them.
        Node::Line(..) => String::new(),
        Node::LeaveIfFailed(leave) => format!(" ‹if failed, {}›", render(leave, own)),
        Node::Either(decided, checked) => format!("‹{} or {}›", render(decided, own), render(checked, own)),
        Node::InOneGrid(whole, part) => format!("‹in one grid {}, else {}›", render(whole, own), render(part, own)),
    };
    text.nodes().iter().map(node).collect()
}

#[test]
fn saxpy() {
    assert_snapshot!(template(
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { for i in par(0..x.len()) { y[i] = a * x[i] + y[i]; } }"
    ));
}

#[test]
fn two_ranges_with_a_step_and_a_block() {
    assert_snapshot!(template(
        "fn k(x: &mut [f32], w: usize, h: usize) {
            for (row, col) in par((1..h, (0..=w).step_by(2))).block(128) { x[row * (w + 1) + col] *= 0.5; }
        }"
    ));
}

#[test]
fn operands_are_evaluated_in_the_order_of_rust() {
    assert_snapshot!(template(
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
    assert_snapshot!(template(
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
    assert_snapshot!(template(
        "fn k(float: &mut [f32], x_n: usize, x: &[f32]) {
            for i in par(0..x_n) { let i_t = i; let x_n = x_n + 1; let i = i_t; float[i] = x[x_n] + float.len() as f32; }
        }"
    ));
}

#[test]
fn calls_and_methods() {
    assert_snapshot!(template(
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
    assert_snapshot!(template(
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
    assert_snapshot!(template(source));
}

#[test]
fn printing() {
    assert_snapshot!(template(
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
    assert_snapshot!(template(
        "fn k(bins: &[AtomicU32], keys: &[u32], out: &mut [u32]) {
            for i in par(0..keys.len()) {
                bins[keys[i] as usize].fetch_add(1, Relaxed);
                let old = bins[i].swap(bins[i].load(Relaxed) / keys[i], Relaxed);
                out[i] = if bins[0].compare_exchange(old, 1, Relaxed, Relaxed).is_err() { count(&bins, &bins[1]) } else { old };
            }
        }"
    ));
}
