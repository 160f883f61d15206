//! Functions: their parameters, and the code before their first statement.

use super::narrow::narrowed;
use super::nodes::{
    Access, BinOp, Body, Borrow, Capture, CaptureId, CaptureKind, Expr, ExprKind, LocalId, LocalKind, SlotId,
};
use super::writer::{CaptureNames, Dest, Writer};
use super::{Captured, Form, Inferred, Proved, Written, lines};
use crate::ir::code::{DecodedFunction, DecodedLoop, FunctionHead, LoopDim, LoopHead};
use crate::scalar::ScalarType;

/// The `__global__` function of a `par` loop.
pub fn par_loop(code: &DecodedLoop, form: Form<'_>, types: &dyn Inferred) -> Written {
    let LoopHead { span, dims, block, over_blocks, can_fail } = &code.head;
    let body = &code.body;
    let mut w = Writer::new(code, form, types);
    w.can_fail = *can_fail;
    w.comes_from(*span);
    w.threads = over_blocks.then_some(*block);
    w.line(format!("extern \"C\" __global__ void __launch_bounds__({block}) {}(", form.name));
    w.indent += 2;
    for (at, capture) in body.captures.iter().enumerate() {
        w.line(w.parameter(CaptureId(at), capture) + ",");
    }
    let mut ranges = Vec::new();
    for dim in dims {
        let range = RangeParams::new(&mut w, dim);
        w.line(range.parameters(&w));
        ranges.push(range);
    }
    // Side by side, so that one load reads two of them.
    for range in &ranges {
        w.line(format!("u32 {},", range.n));
    }
    w.line("ab::fault* ab_fault) {");
    w.indent -= 1;
    if w.has_context() && w.threads.is_none() {
        w.line("const ab::thread ab_cx{ab_fault};");
    }
    w.begin_block();
    let begun = std::mem::take(&mut w.out);
    for (at, capture) in body.captures.iter().enumerate() {
        if let Some(value) = w.unpack(CaptureId(at), capture) {
            w.line(value);
        }
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
            None => format!("const u32 {t} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};"),
            Some(_) => format!("const u32 {t} = blockIdx.{axis};"),
        });
    }
    // One branch, for which the thread need not know one number before the next. Of blocks, a
    // launch has just as many as there are iterations.
    let outside: Vec<String> = threads.iter().map(|(range, t)| format!("{t} >= {}", range.n)).collect();
    if w.threads.is_none() {
        w.line(format!("if ({}) return;", outside.join(" || ")));
    }
    for (range, t) in &threads {
        range.define(&mut w, t);
    }
    w.block(&body.block, &Dest::Discard);
    let rest = std::mem::replace(&mut w.out, begun);
    w.places_in_rows();
    w.out += &rest;
    w.indent -= 1;
    w.line("}");
    w.written(String::new())
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

    fn parameters(&self, w: &Writer<'_>) -> String {
        let (ty, lo, step) = (w.types.ty(self.slot), &self.lo, &self.step);
        format!("{ty} {lo}, {ty} {step},")
    }

    /// A name for the number of the thread along the axis of the range.
    fn thread(&self, w: &mut Writer<'_>) -> String {
        w.namer.name(&format!("{}_t", self.name))
    }

    /// Lines that define the loop variable by that number.
    fn define(&self, w: &mut Writer<'_>, t: &str) {
        let Self { var, name, slot, step, stepped, .. } = self;
        let ty = w.types.ty(*slot);
        let trip = format!("({ty}){t}");
        let offset = if *stepped { w.binary(BinOp::Mul, *slot, None, [&trip, step]) } else { trip };
        let value = match self.first(w) {
            Some(first) => w.binary(BinOp::Add, *slot, None, [&first, &offset]),
            None => offset,
        };
        w.line(format!("const {ty} {name} = {value};"));
        if w.decided() && w.indexes(*var) {
            let by = if *stepped { format!(" * (i32){step}") } else { String::new() };
            let first = self.first(w).map(|first| narrowed(&first) + " + ").unwrap_or_default();
            w.define_narrow(*var, &format!("{first}(i32){t}{by}"));
        }
    }

    /// The first index, if it is not 0. A launch of a part of the iterations begins elsewhere than
    /// the source says; where one grid runs all of them, a literal saves a parameter's load and an
    /// addition.
    fn first(&self, w: &Writer<'_>) -> Option<String> {
        match self.first.filter(|_| w.form.one_grid) {
            None => Some(self.lo.clone()),
            Some(0) => None,
            Some(first) => Some(w.int(self.slot, &first.to_string(), false)),
        }
    }
}

/// A device function, and its declaration.
pub fn device_function(code: &DecodedFunction, form: Form<'_>, types: &dyn Inferred) -> Written {
    let DecodedFunction { head: FunctionHead { params, output, projects, .. }, body, .. } = code;
    let mut w = Writer::new(code, form, types);
    w.is_function = true;
    w.projects = output.filter(|_| projects.is_some());
    let result = match output {
        Some(slot) => {
            let ty = types.ty(*slot);
            match projects {
                None => ty,
                Some(Borrow::Unique) => format!("{ty}&"),
                Some(Borrow::Shared | Borrow::Atomic) => format!("const {ty}&"),
            }
        }
        // A value like any other, so that a call can be used wherever Rust has a `()`.
        None => "ab::tuple<>".to_owned(),
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
        let ty = match body[*local].kind {
            LocalKind::Closure => closure(*local).to_owned(),
            _ => types.ty(body[*local].slot),
        };
        match body[*local].kind {
            LocalKind::Value | LocalKind::Closure => format!("{ty} {name}"),
            LocalKind::Reference(Borrow::Shared) => format!("const {ty}& {name}"),
            LocalKind::Reference(Borrow::Unique) => format!("{ty}& {name}"),
            LocalKind::Reference(Borrow::Atomic) => format!("ab::atomic<{ty}>& {name}"),
            LocalKind::Slice(borrow) => format!("ab::slice<{}> {name}", lent(borrow, &ty)),
            LocalKind::Grid(borrow, dims) => format!("ab::grid<{}, {dims}> {name}", lent(borrow, &ty)),
        }
    });
    let mut all: Vec<String> = ["const ab::cx ab_cx".to_owned()].into_iter().chain(wide).collect();
    if w.decided() {
        for (at, _) in narrow_params(code) {
            all.push(format!("i32 {}", w.narrow_name(params[at])));
        }
    }
    let classes: Vec<String> = closures.iter().map(|(_, name)| format!("class {name}")).collect();
    let template = match classes.as_slice() {
        [] => String::new(),
        _ => format!("template <{}> ", classes.join(", ")),
    };
    let signature = format!("{template}__device__ {result} {}({})", form.name, all.join(", "));
    w.line(format!("{signature} {{"));
    w.indent += 1;
    w.block(&body.block, if output.is_some() { &Dest::Return } else { &Dest::Discard });
    if output.is_none() || !body.block.value.as_ref().is_some_and(|value| w.returns(value)) {
        w.line(w.return_anything());
    }
    w.indent -= 1;
    w.line("}");
    w.written(signature + ";\n")
}

/// The type of elements that are lent.
fn lent(borrow: Borrow, ty: &str) -> String {
    match borrow {
        Borrow::Shared => format!("const {ty}"),
        Borrow::Unique => ty.to_owned(),
        Borrow::Atomic => format!("ab::atomic<{ty}>"),
    }
}

/// The parameters that a device function also takes in 32 bits where accesses are decided: their
/// numbers and slots.
pub fn narrow_params(code: &DecodedFunction) -> Vec<(usize, SlotId)> {
    let body = &code.body;
    let Some(info) = &code.info else { return Vec::new() };
    let is_index = |local: &LocalId| {
        body[*local].kind == LocalKind::Value && !body[*local].mutable && info.indexing.contains(local)
    };
    let params = code.head.params.iter().enumerate().filter(|(_, local)| is_index(local));
    params.map(|(at, local)| (at, body[*local].slot)).collect()
}

/// The slot of the result of a device function that returns sums and products of all its
/// parameters, and so exists in 32 bits, too.
pub fn index_slot(code: &DecodedFunction) -> Option<SlotId> {
    index_of(code).map(|(slot, _)| slot)
}

/// The same function in 32 bits. The launch has shown that no partial result needs more.
pub fn index_function(code: &DecodedFunction, form: Form<'_>, types: &dyn Inferred) -> Option<Written> {
    let (_, value) = index_of(code)?;
    let mut w = Writer::new(code, form, types);
    let params: Vec<String> =
        code.head.params.iter().map(|local| format!("const i32 {}", w.narrow_name(*local))).collect();
    let signature = format!("__device__ i32 {}({})", form.name, params.join(", "));
    let value = w.narrow(value);
    w.line(format!("{signature} {{"));
    w.line(format!("    return {value};"));
    w.line("}");
    Some(w.written(signature + ";\n"))
}

fn index_of(code: &DecodedFunction) -> Option<(SlotId, &Expr)> {
    let DecodedFunction { head: FunctionHead { params, output, method: false, .. }, body, info: Some(_), .. } = code
    else {
        return None;
    };
    let (Some(slot), Some(value), []) = (output, &body.block.value, body.block.stmts.as_slice()) else {
        return None;
    };
    let mut used = Vec::new();
    let is_index = is_sum_of_products(body, value, &mut used) && params.iter().all(|local| used.contains(local));
    (is_index && !params.is_empty()).then_some((*slot, &**value))
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
    /// Whether there is an `ab_cx`: in every device function, and in a kernel in which something
    /// can fail.
    pub(super) fn has_context(&self) -> bool {
        self.is_function || self.can_fail
    }

    /// The function, with the lines of the source if they are wanted.
    fn written(self, declaration: String) -> Written {
        let Self { out, uses, form, .. } = self;
        let text = match form.source {
            Some((file, line)) => lines::from(file, line, &out),
            None => out,
        };
        Written { text, declaration, uses }
    }

    fn parameter(&self, id: CaptureId, capture: &Capture) -> String {
        let CaptureNames { view, pointer, length } = &self.captures[id.0];
        match capture.kind {
            // A type of its own, for who looks at the parameters: it says which elements a grid
            // has.
            CaptureKind::Stride(..) => format!("ab::stride {view}"),
            CaptureKind::Extent(..) => format!("usize {view}"),
            CaptureKind::Value => match self.passed(id) {
                Passed::Whole(ty) => format!("{ty} {view}"),
                Passed::TwoWords(_) => format!("ab::two_words {pointer}"),
                Passed::Packed(_, words) => format!("ab::packed<{words}> {pointer}"),
            },
            CaptureKind::View(_, Access::Shape) => format!("usize {length}"),
            CaptureKind::View(_, access) => {
                // A shared view may have several names, and atomics are changed through all of
                // them. Of a block, other threads write it, too.
                let is_shared = access == Access::Atomic || access == Access::Write && self.threads.is_some();
                let alone = if is_shared { "" } else { "__restrict__ " };
                format!("{}* {alone}{pointer}, usize {length}", self.elements(id, access))
            }
        }
    }

    /// The line that makes a value of the words that it travels as.
    fn unpack(&self, id: CaptureId, capture: &Capture) -> Option<String> {
        let CaptureNames { view, pointer, .. } = &self.captures[id.0];
        match capture.kind {
            CaptureKind::Value => match self.passed(id) {
                Passed::Whole(_) => None,
                Passed::TwoWords(ty) => Some(format!("const {ty} {view} = ({ty}){pointer}.whole();")),
                Passed::Packed(ty, _) => Some(format!("const {ty} {view} = ab::unpack<{ty}>({pointer});")),
            },
            CaptureKind::View(..) | CaptureKind::Extent(..) | CaptureKind::Stride(..) => None,
        }
    }

    fn passed(&self, id: CaptureId) -> Passed {
        let Captured { ty, scalar, words } = self.types.captured(id);
        let is_word = matches!(scalar, Some(ScalarType::U64 | ScalarType::I64 | ScalarType::Usize | ScalarType::Isize));
        match words {
            Some(words) => Passed::Packed(ty, words),
            None if is_word && self.form.proved == Proved::Accesses => Passed::TwoWords(ty),
            None => Passed::Whole(ty),
        }
    }

    fn view(&self, id: CaptureId, capture: &Capture) -> Option<String> {
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
                let elements = self.elements(id, access);
                Some(format!("const ab::grid<{elements}, {dims}> {view}{{{pointer}, {{{extents}}}, {{{strides}}}}};"))
            }
            CaptureKind::View(_, access) => {
                Some(format!("const ab::slice<{}> {view}{{{pointer}, {length}}};", self.elements(id, access)))
            }
        }
    }

    /// The type of a view's elements.
    fn elements(&self, id: CaptureId, access: Access) -> String {
        let ty = self.types.captured(id).ty;
        match access {
            Access::Shape | Access::Read => format!("const {ty}"),
            Access::Atomic => format!("ab::atomic<{ty}>"),
            Access::Write => ty,
        }
    }
}

/// How a captured value is passed, and its type.
enum Passed {
    /// As it is.
    Whole(String),
    /// As two words, because most of index arithmetic takes the lower half, which an instruction
    /// then has as an operand.
    TwoWords(String),
    /// As words, because NVRTC 12.0 crashes on a struct that contains a 128-bit number.
    Packed(String, usize),
}
