//! Functions: their parameters, and the code before their first statement.

use super::nodes::{
    Access, BinOp, Body, Borrow, Capture, CaptureId, CaptureKind, Expr, ExprKind, LocalId, LocalKind, SlotId,
};
use super::place::narrowed;
use super::writer::{CaptureNames, Dest, Writer};
use super::{Node, Text};
use crate::ir::code::{DecodedFunction, DecodedLoop, FunctionHead, LoopDim, LoopHead};

/// The `__global__` function of a `par` loop.
pub fn par_loop(code: &DecodedLoop) -> Text {
    let DecodedLoop { head: LoopHead { span, dims, block, over_blocks, can_fail }, files, body, info } = code;
    let mut w = Writer::new(body, files, info.as_ref());
    w.can_fail = *can_fail;
    w.comes_from(*span);
    w.threads = over_blocks.then_some(*block);
    let open = format!("extern \"C\" __global__ void __launch_bounds__({block}) ");
    w.line(Text::new().text(open).hole(Node::Own).text("("));
    w.indent += 2;
    for (at, capture) in body.captures.iter().enumerate() {
        let param = w.parameter(CaptureId(at), capture);
        w.line(param.text(","));
    }
    let mut ranges = Vec::new();
    for dim in dims {
        let range = RangeParams::new(&mut w, dim);
        w.line(range.parameters());
        ranges.push(range);
    }
    // Side by side, so that one load reads two of them.
    for range in &ranges {
        w.line(Text::new().text(format!("u32 {},", range.n)));
    }
    w.line("ab::fault* ab_fault) {".into());
    w.indent -= 1;
    if w.has_context() && w.threads.is_none() {
        w.line("const ab::thread ab_cx{ab_fault};".into());
    }
    w.begin_block();
    let begun = std::mem::take(&mut w.out);
    for (at, capture) in body.captures.iter().enumerate() {
        w.out = std::mem::take(&mut w.out).then(w.unpack(CaptureId(at), capture));
    }
    for (at, capture) in body.captures.iter().enumerate() {
        if let Some(view) = w.view(CaptureId(at), capture) {
            w.line(view);
        }
    }
    w.shared_arrays();
    w.of_launch.extend(dims.iter().map(|dim| dim.var));
    let threads: Vec<(&RangeParams, String)> = ranges.iter().rev().map(|range| (range, range.thread(&mut w))).collect();
    for ((_, t), axis) in threads.iter().zip(["x", "y", "z"]) {
        w.line(match w.threads {
            None => Text::new().text(format!("const u32 {t} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};")),
            Some(_) => Text::new().text(format!("const u32 {t} = blockIdx.{axis};")),
        });
    }
    // One branch, for which the thread need not know one number before the next. Of blocks, a launch has just as many as there are iterations.
    let outside: Vec<String> = threads.iter().map(|(range, t)| format!("{t} >= {}", range.n)).collect();
    if w.threads.is_none() {
        w.line(Text::new().text(format!("if ({}) return;", outside.join(" || "))));
    }
    for (range, t) in &threads {
        range.define(&mut w, t);
    }
    w.block(&body.block, &Dest::Discard);
    let rest = std::mem::replace(&mut w.out, begun);
    w.places_in_rows();
    w.out = std::mem::take(&mut w.out).then(rest);
    w.indent -= 1;
    w.line("}".into());
    w.out
}

/// One range of a `par` loop: its variable, and the names of its parameters.
struct RangeParams {
    var: LocalId,
    name: String,
    slot: SlotId,
    lo: String,
    step: String,
    n: String,
    stepped: bool,
    /// [`LoopDim::first`].
    first: Option<u32>,
}

impl RangeParams {
    fn new(w: &mut Writer<'_>, dim: &LoopDim) -> Self {
        let name = w.local(dim.var).to_owned();
        let mut parameter = |of: &str| w.namer.name(&format!("{name}_{of}"));
        let (lo, step, n) = (parameter("lo"), parameter("step"), parameter("n"));
        Self { var: dim.var, name, slot: w.body[dim.var].slot, lo, step, n, stepped: dim.stepped, first: dim.first }
    }

    fn parameters(&self) -> Text {
        let Self { slot, lo, step, .. } = self;
        let ty = Node::Type(slot.number());
        Text::new().hole(ty.clone()).text(format!(" {lo}, ")).hole(ty).text(format!(" {step},"))
    }

    /// A name for the number of the thread along the axis of the range.
    fn thread(&self, w: &mut Writer<'_>) -> String {
        w.namer.name(&format!("{}_t", self.name))
    }

    /// Lines that define the loop variable by that number.
    fn define(&self, w: &mut Writer<'_>, t: &str) {
        let Self { var, name, slot, step, stepped, .. } = self;
        let trip = Text::new().text("(").hole(Node::Type(slot.number())).text(format!("){t}"));
        let offset = if *stepped { Text::binary(BinOp::Mul, *slot, None, trip, Text::new().text(step)) } else { trip };
        let value = self.begun(offset, |first, offset| Text::binary(BinOp::Add, *slot, None, first, offset));
        w.line(
            Text::new()
                .text("const ")
                .hole(Node::Type(slot.number()))
                .text(format!(" {name} = "))
                .then(value)
                .text(";"),
        );
        if w.indexes(*var) {
            let by = if *stepped { format!(" * (i32){step}") } else { String::new() };
            let offset = Text::new().text(format!("(i32){t}{by}"));
            let narrow = self.begun(offset, |first, offset| narrowed(first).text(" + ").then(offset));
            w.define_narrow(*var, narrow);
        }
    }

    /// The first index and what is added to it. A launch of a part of the iterations begins elsewhere than the source says;
    /// where there is one launch, a literal saves a parameter's load and an addition.
    fn begun(&self, offset: Text, add: impl Fn(Text, Text) -> Text) -> Text {
        let part = add(Text::new().text(&self.lo), offset.clone());
        let whole = match self.first {
            None => return part,
            Some(0) => offset,
            Some(first) => add(Text::new().hole(Node::Int(self.slot.number(), first.to_string())), offset),
        };
        Text::new().hole(Node::InOneGrid(whole, part))
    }
}

/// A device function, with holes.
#[derive(Default)]
pub struct Function {
    /// From the return type to the closing parenthesis.
    pub signature: Text,
    /// With its braces.
    pub body: Text,
    /// The parameters that it also takes in 32 bits, where it is told what the launch has decided.
    pub narrow: Vec<(usize, SlotId)>,
    /// The parameters and the body of the same function in 32 bits, and the slot of its result, where that is nothing but sums and products.
    pub index: Option<(SlotId, Text)>,
}

/// A device function.
pub fn device_function(code: &DecodedFunction) -> Function {
    let DecodedFunction { head: FunctionHead { params, output, projects, .. }, files, body, info } = code;
    let mut w = Writer::new(body, files, info.as_ref());
    w.is_function = true;
    w.projects = output.filter(|_| projects.is_some());
    let output_type = match output {
        Some(slot) => {
            let ty = Text::new().hole(Node::Type(slot.number()));
            match projects {
                None => ty,
                Some(Borrow::Unique) => ty.text("&"),
                Some(Borrow::Shared | Borrow::Atomic) => Text::from("const ").then(ty).text("&"),
            }
        }
        // A value like any other, so that a call can be used wherever Rust has a `()`.
        None => "ab::tuple<>".into(),
    };
    // Each closure has a type of its own.
    let closures: Vec<LocalId> =
        params.iter().copied().filter(|local| body[*local].kind == LocalKind::Closure).collect();
    let closures: Vec<(LocalId, String)> = closures
        .into_iter()
        .map(|local| {
            let name = format!("F_{}", w.local(local));
            (local, w.namer.name(&name))
        })
        .collect();
    let closure = |local: LocalId| closures.iter().find(|(of, _)| *of == local).map_or("", |(_, name)| name);
    let wide = params.iter().map(|local| {
        let name = w.local(*local).to_owned();
        let ty = Text::new().hole(Node::Type(body[*local].slot.number()));
        match body[*local].kind {
            LocalKind::Value => ty.text(format!(" {name}")),
            LocalKind::Reference(Borrow::Shared) => Text::from("const ").then(ty).text(format!("& {name}")),
            LocalKind::Reference(Borrow::Unique) => ty.text(format!("& {name}")),
            LocalKind::Reference(Borrow::Atomic) => Text::from("ab::atomic<").then(ty).text(format!(">& {name}")),
            LocalKind::Slice(Borrow::Shared) => Text::from("ab::slice<const ").then(ty).text(format!("> {name}")),
            LocalKind::Slice(Borrow::Unique) => Text::from("ab::slice<").then(ty).text(format!("> {name}")),
            LocalKind::Slice(Borrow::Atomic) => Text::from("ab::slice<ab::atomic<").then(ty).text(format!(">> {name}")),
            LocalKind::Closure => Text::new().text(format!("{} {name}", closure(*local))),
            LocalKind::Grid(borrow, dims) => {
                let elem = match borrow {
                    Borrow::Shared => Text::from("const ").then(ty),
                    Borrow::Unique => ty,
                    Borrow::Atomic => Text::from("ab::atomic<").then(ty).text(">"),
                };
                Text::from("ab::grid<").then(elem).text(format!(", {dims}> {name}"))
            }
        }
    });
    let classes: Vec<String> = closures.iter().map(|(_, name)| format!("class {name}")).collect();
    let template = match classes.as_slice() {
        [] => Text::new(),
        _ => Text::new().text(format!("template <{}> ", classes.join(", "))),
    };
    let wide: Vec<Text> = [Text::from("const ab::cx ab_cx")].into_iter().chain(wide).collect();
    let narrow = params.iter().copied().enumerate();
    let narrow: Vec<(usize, LocalId)> =
        narrow.filter(|(_, local)| body[*local].kind == LocalKind::Value && w.indexes(*local)).collect();
    let mut extra = Text::new();
    for (_, local) in &narrow {
        let name = w.narrow_name(*local);
        extra = extra.text(format!(", i32 {name}"));
    }
    let extra = if narrow.is_empty() { extra } else { Text::new().hole(Node::Either(extra, Text::new())) };
    let wide = Text::list(wide).then(extra);
    let signature = template.then(output_type).text(" ").hole(Node::Own).text("(").then(wide).text(")");
    w.line("{".into());
    w.indent += 1;
    w.block(&body.block, if output.is_some() { &Dest::Return } else { &Dest::Discard });
    if output.is_none() || !body.block.value.as_ref().is_some_and(|value| w.returns(value)) {
        w.line(w.return_anything());
    }
    w.indent -= 1;
    w.line("}".into());
    let narrow = narrow.into_iter().map(|(at, local)| (at, body[local].slot)).collect();
    Function { signature, body: w.out, narrow, index: info.as_ref().and_then(|_| in_32_bits(code)) }
}

/// A function that returns sums and products of all its parameters, in 32 bits. The launch has shown that no partial result needs more.
fn in_32_bits(code: &DecodedFunction) -> Option<(SlotId, Text)> {
    let DecodedFunction { head: FunctionHead { params, output, method: false, .. }, body, .. } = code else {
        return None;
    };
    let (Some(slot), Some(value), []) = (output, &body.block.value, body.block.stmts.as_slice()) else {
        return None;
    };
    let mut used = Vec::new();
    let is_index = is_sum_of_products(body, value, &mut used);
    let all = params.iter().all(|local| used.contains(local));
    if !is_index || !all || params.is_empty() {
        return None;
    }
    let mut w = Writer::new(body, &[], None);
    let params = params.iter().map(|local| Text::from("const i32 ").text(w.narrow_name(*local)));
    let params = Text::list(params.collect::<Vec<_>>());
    let value = w.narrow(value);
    Some((*slot, Text::from("(").then(params).text(") {\n    return ").then(value).text(";\n}\n")))
}

fn is_sum_of_products(body: &Body, expr: &Expr, used: &mut Vec<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Int { digits, .. } => digits.parse::<i32>().is_ok(),
        ExprKind::Constant { .. } => true,
        ExprKind::Local(local) => {
            used.push(*local);
            body[*local].kind == LocalKind::Value && !body[*local].mutable && !body[*local].loose
        }
        ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
            is_sum_of_products(body, lhs, used) && is_sum_of_products(body, rhs, used)
        }
        ExprKind::Cast { operand, .. } => is_sum_of_products(body, operand, used),
        _ => false,
    }
}

impl Writer<'_> {
    /// Whether there is an `ab_cx`: in every device function, and in a kernel in which something can fail.
    pub(super) fn has_context(&self) -> bool {
        self.is_function || self.can_fail
    }

    fn parameter(&self, id: CaptureId, capture: &Capture) -> Text {
        let CaptureNames { view, pointer, length } = &self.captures[id.0];
        match capture.kind {
            // A type of its own, for who looks at the parameters: it says which elements a grid has.
            CaptureKind::Stride(..) => Text::new().text(format!("ab::stride {view}")),
            CaptureKind::Extent(..) => Text::new().text(format!("usize {view}")),
            CaptureKind::Value => Text::new().hole(Node::Parameter(id.number(), view.clone(), pointer.clone())),
            CaptureKind::View(_, Access::Shape) => Text::new().text(format!("usize {length}")),
            CaptureKind::View(_, access) => {
                // A shared view may have several names, and atomics are changed through all of them.
                // Of a block, other threads write it, too.
                let is_shared = access == Access::Atomic || access == Access::Write && self.threads.is_some();
                let alone = if is_shared { "" } else { "__restrict__ " };
                elements(id, access).text(format!("* {alone}{pointer}, usize {length}"))
            }
        }
    }

    /// A line of its own, where there is something to unpack.
    fn unpack(&self, id: CaptureId, capture: &Capture) -> Text {
        let CaptureNames { view, pointer, .. } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value => Text::new().hole(Node::Unpack(id.number(), view.clone(), pointer.clone())),
            CaptureKind::View(..) | CaptureKind::Extent(..) | CaptureKind::Stride(..) => Text::new(),
        }
    }

    fn view(&self, id: CaptureId, capture: &Capture) -> Option<Text> {
        let CaptureNames { view, pointer, length } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value
            | CaptureKind::Extent(..)
            | CaptureKind::Stride(..)
            | CaptureKind::View(_, Access::Shape) => None,
            CaptureKind::View(_, access) if capture.dims > 0 => {
                let extents: Vec<&str> = self.body.extents(id).map(|extent| self.capture(extent)).collect();
                let strides: Vec<&str> = self.body.strides(id).map(|stride| self.capture(stride)).collect();
                let (dims, extents, strides) = (capture.dims, extents.join(", "), strides.join(", "));
                Some(
                    Text::from("const ab::grid<")
                        .then(elements(id, access))
                        .text(format!(", {dims}> {view}{{{pointer}, {{{extents}}}, {{{strides}}}}};")),
                )
            }
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
    let ty = Text::new().hole(Node::Captured(id.number()));
    match access {
        Access::Shape | Access::Read => Text::from("const ").then(ty),
        Access::Atomic => Text::from("ab::atomic<").then(ty).text(">"),
        Access::Write => ty,
    }
}
