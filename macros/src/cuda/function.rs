//! Functions: their parameters, and what stands before their first statement.

use super::text::{Piece, Text};
use super::writer::{CaptureNames, Dest, Writer, binary};
use crate::analysis::access::Facts;
use crate::ir::{Access, BinOp, Borrow, Capture, CaptureId, CaptureKind, DeviceFn, LocalKind, ParLoop, Slot};

/// The `__global__` function of a `par` loop.
pub(crate) fn par_loop(looped: &ParLoop, facts: &Facts, name: &str) -> Text {
    let ParLoop { body, dims, block, .. } = looped;
    let mut w = Writer::new(body, Some(facts));
    let open = format!("extern \"C\" __global__ void __launch_bounds__({block}) {name}(");
    w.line(Text::new().text(open));
    w.indent += 2;
    for (at, capture) in body.captures.iter().enumerate() {
        let param = w.parameter(CaptureId(at), capture);
        w.line(param.text(","));
    }
    let mut dim_names = Vec::new();
    for dim in dims {
        let var = w.local(dim.var).to_owned();
        let slot = body[dim.var].slot;
        let (lo, step, n) = (
            w.namer.name(&format!("{var}_lo")),
            w.namer.name(&format!("{var}_step")),
            w.namer.name(&format!("{var}_n")),
        );
        w.line(
            Text::new()
                .hole(Piece::Type(slot))
                .text(format!(" {lo}, "))
                .hole(Piece::Type(slot))
                .text(format!(" {step}, u32 {n},")),
        );
        dim_names.push((dim.var, var, slot, lo, step, n, dim.step.is_some()));
    }
    w.line("ab::fault* ab_fault) {".into());
    w.indent -= 1;
    if w.needs_context() {
        w.line("const ab::cx ab_cx{ab_fault};".into());
    }
    for (at, capture) in body.captures.iter().enumerate() {
        match w.view(CaptureId(at), capture) {
            Some(view) => w.line(view),
            None => w.out = std::mem::take(&mut w.out).then(w.unpack(CaptureId(at), capture)),
        }
    }
    for ((id, var, slot, lo, step, n, stepped), axis) in dim_names.iter().rev().zip(["x", "y", "z"]) {
        let t = w.namer.name(&format!("{var}_t"));
        w.line(Text::new().text(format!("const u32 {t} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};")));
        w.line(Text::new().text(format!("if ({t} >= {n}) return;")));
        let trip = Text::new().text("(").hole(Piece::Type(*slot)).text(format!("){t}"));
        let offset = if *stepped { binary(BinOp::Mul, *slot, trip, Text::new().text(step)) } else { trip };
        let value = binary(BinOp::Add, *slot, Text::new().text(lo), offset);
        w.line(Text::new().text("const ").hole(Piece::Type(*slot)).text(format!(" {var} = ")).then(value).text(";"));
        if w.indexes(*id) {
            let by = if *stepped { format!(" * (i32){step}") } else { String::new() };
            w.define_narrow(*id, Text::new().text(format!("(i32){lo} + (i32){t}{by}")));
        }
    }
    w.block(&body.block, &Dest::Discard);
    w.indent -= 1;
    w.line("}".into());
    w.out
}

/// The signature (without a semicolon) and the body of a device function.
pub(crate) fn device_function(function: &DeviceFn) -> (Text, Text) {
    let DeviceFn { body, params, output, .. } = function;
    let mut w = Writer::new(body, None);
    let output_type = match output {
        Some((slot, _)) => Text::new().hole(Piece::Type(*slot)),
        // A value as any other, so that a call can stand wherever Rust has a `()`.
        None => "ab::tuple<>".into(),
    };
    let params = params.iter().map(|(local, _)| {
        let name = w.local(*local).to_owned();
        let ty = Text::new().hole(Piece::Type(body[*local].slot));
        match body[*local].kind {
            LocalKind::Value => ty.text(format!(" {name}")),
            LocalKind::Reference(Borrow::Shared) => Text::from("const ").then(ty).text(format!("& {name}")),
            LocalKind::Reference(Borrow::Unique) => ty.text(format!("& {name}")),
            LocalKind::Reference(Borrow::Atomic) => Text::from("ab::atomic<").then(ty).text(format!(">& {name}")),
            LocalKind::Slice(Borrow::Shared) => Text::from("ab::slice<const ").then(ty).text(format!("> {name}")),
            LocalKind::Slice(Borrow::Unique) => Text::from("ab::slice<").then(ty).text(format!("> {name}")),
            LocalKind::Slice(Borrow::Atomic) => Text::from("ab::slice<ab::atomic<").then(ty).text(format!(">> {name}")),
        }
    });
    let params = Text::list([Text::from("const ab::cx ab_cx")].into_iter().chain(params));
    let signature = output_type.text(" ").hole(Piece::Own).text("(").then(params).text(")");
    w.line("{".into());
    w.indent += 1;
    w.block(&body.block, if output.is_some() { &Dest::Return } else { &Dest::Discard });
    if output.is_none() {
        w.line("return {};".into());
    }
    w.indent -= 1;
    w.line("}".into());
    (signature, w.out)
}

impl Writer<'_> {
    fn needs_context(&self) -> bool {
        !self.body.sites.is_empty() || self.body.slots.iter().any(|s| matches!(s, Slot::Function))
    }

    fn parameter(&self, id: CaptureId, capture: &Capture) -> Text {
        let CaptureNames { view, pointer, length } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value => Text::new().hole(Piece::Parameter(id, view.clone(), pointer.clone())),
            CaptureKind::View(_, Access::Shape) => Text::new().text(format!("usize {length}")),
            CaptureKind::View(_, access) => {
                elements(id, access).text(format!("* __restrict__ {pointer}, usize {length}"))
            }
        }
    }

    /// A line of its own, where there is something to unpack.
    fn unpack(&self, id: CaptureId, capture: &Capture) -> Text {
        let CaptureNames { view, pointer, .. } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value => Text::new().hole(Piece::Unpack(id, view.clone(), pointer.clone())),
            CaptureKind::View(..) => Text::new(),
        }
    }

    fn view(&self, id: CaptureId, capture: &Capture) -> Option<Text> {
        let CaptureNames { view, pointer, length } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value | CaptureKind::View(_, Access::Shape) => None,
            CaptureKind::View(_, access) => Some(
                Text::from("const ab::slice<")
                    .then(elements(id, access))
                    .text(format!("> {view}{{{pointer}, {length}}};")),
            ),
        }
    }
}

/// The type of a view's elements.
fn elements(id: CaptureId, access: Access) -> Text {
    let ty = Text::new().hole(Piece::Captured(id));
    match access {
        Access::Shape | Access::Read => Text::from("const ").then(ty),
        Access::Atomic => Text::from("ab::atomic<").then(ty).text(">"),
        Access::Write => ty,
    }
}
