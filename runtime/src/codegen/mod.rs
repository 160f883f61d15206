//! The C++ of a kernel, for CUDA or for HIP: its templates, filled with the types that rustc inferred.
//!
//! The differences between the two languages, and the files that handle them:
//! - In C++, operand types promote (`u8 + u8` is an `int`), and signed overflow is undefined. `fill` uses the native operator only if C++ has
//!   the same semantics, and otherwise a helper of `prelude/`.
//! - In C++, division by zero, `MIN / -1`, indexes out of bounds and wrong `clamp` bounds are undefined or silent. Checked helpers report a
//!   site number. [`Program::sites`] maps it to the source, and [`Check::describe`] to the message of std.
//! - In C++, a literal has its own type. `literal` writes it so that it has rustc's type and value.
//! - Names: `names` separates device functions from keywords, from each other and from CUDA's own functions.
//! - Order of evaluation, control flow and shadowing: the macro's templates handle them.

mod constants;
mod fill;
mod lines;
mod literal;
mod names;
mod prelude;
mod types;

use std::cell::Cell;
use std::thread;

use anabranch_core::emit;
use anabranch_core::ir::wire::decode_function;

use crate::model::description::{Description, Instance, SlotValue};
use crate::model::function::DeviceFunction;
use crate::model::kernel::{Check, Kernel, Loop, Site, Variant};
use crate::platform::Platform;
use crate::value::DeviceType;
use crate::value::format::FormatBytes;
use crate::value::scalar::ScalarType;
use constants::Constants;
use fill::{Fill, comment_line};
use names::Names;
use types::Types;

/// What a failed check does to its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailedCheck {
    /// It ends the thread.
    Exit,
    /// The thread continues with harmless values, uses only its own memory, and leaves its loops. For GPUs on which a single thread cannot end.
    GoOn,
}

/// What programs for a GPU are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) platform: Platform,
    pub(crate) failed: FailedCheck,
}

impl Dialect {
    /// That of the platform's compiler, which decides what a failed check does.
    fn of(platform: Platform) -> Self {
        let failed = match platform {
            Platform::Cuda => FailedCheck::Exit,
            Platform::Hip => FailedCheck::GoOn,
        };
        Self { platform, failed }
    }
}

/// A kernel as one program.
#[derive(Debug)]
pub(crate) struct Program {
    /// The whole source, without includes.
    pub(crate) text: String,
    /// Site number `k` (from 1) of a failure record is `sites[k - 1]`.
    pub(crate) sites: Vec<ResolvedSite>,
    /// Whether it has a printing macro.
    pub(crate) prints: bool,
    /// The function of each loop, in loop order; `None` if another program has it.
    pub(crate) entries: Vec<Option<Entry>>,
}

/// The `__global__` function of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Whether a check in it may fail, or in a device function that the loop reaches.
    pub(crate) can_fail: bool,
}

/// A place whose check can fail, or that prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolvedSite {
    /// Source file.
    pub(crate) file: &'static str,
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column, from 1.
    pub(crate) column: u32,
    /// The check.
    pub(crate) check: Check,
    /// The size in bytes of the values of [`Check::Formatted`], and what formats them.
    pub(crate) format: Option<(usize, FormatBytes)>,
}

/// Writes one of the programs of a kernel: the helpers it uses, the device functions it reaches, its loops. With `lines`, it says which lines of
/// the source its lines come from.
pub(crate) fn program(instance: Instance, variant: Variant, dialect: Dialect, lines: bool) -> Program {
    on_a_large_stack(|| write(instance, &[variant], dialect, lines))
}

/// All programs as one readable text that compiles.
pub(crate) fn all(instance: Instance, platform: Platform, lines: bool) -> String {
    on_a_large_stack(|| write(instance, &Variant::ALL, Dialect::of(platform), lines).text)
}

/// Runs what walks over the code of kernels, which may be nested deeper than the stack of the caller's thread allows in a build without
/// optimizations.
fn on_a_large_stack<T: Send>(work: impl Fn() -> T + Sync) -> T {
    const BYTES: usize = 32 << 20;
    let done = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(BYTES).spawn_scoped(scope, &work).ok()?;
        Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // A process that gets no more threads has the caller's at least.
    done.unwrap_or_else(work)
}

/// The functions of some programs. Their sites mean the same in all programs.
fn write(instance: Instance, variants: &[Variant], dialect: Dialect, lines: bool) -> Program {
    let Dialect { platform, failed } = dialect;
    let kernel = instance.kernel;
    let mut description = Description::of(instance);
    description.loops.resize_with(kernel.loops.len(), Default::default);
    let functions = functions(reachable(description.loops.iter().flat_map(|types| &types.slots)));
    let types = Types::of(&types_of(&description, &functions));

    let mut sites = Vec::new();
    let constants = Constants::new(&types);
    let mut texts = Vec::new();
    for function in &functions {
        let base = resolve(&mut sites, function.source.file, function.source.sites, &function.slots);
        let file = lines.then_some(function.source.file);
        let fails = Cell::new(false);
        let fill = |form| Fill { file, ..function.fill(&types, &functions, &constants, base, (failed, &fails), form) };
        texts.extend(function.texts(fill, variants));
    }
    let mut body = String::new();
    let numbered = kernel.loops.iter().zip(&description.loops);
    let numbered = numbered.map(|(l, types)| resolve(&mut sites, kernel.file, l.sites, &types.slots));
    let bases: Vec<u32> = numbered.collect();
    let mut entries = Vec::new();
    for &variant in variants {
        for ((parallel, inferred), &base) in kernel.loops.iter().zip(&description.loops).zip(&bases) {
            if !parallel.is_in(variant) {
                entries.push(None);
                continue;
            }
            let fails =
                Cell::new(reachable(inferred.slots.iter()).iter().any(|function| !function.source.sites.is_empty()));
            let (slots, captures, own) = (&inferred.slots, &inferred.captures, &variant.function(parallel.name));
            let (types, functions, constants) = (&types, &functions, &constants);
            let file = lines.then_some(kernel.file);
            let fill = Fill {
                types,
                slots,
                captures,
                functions,
                constants,
                own,
                base,
                variant,
                told: true,
                failed,
                fails: &fails,
                file,
            };
            body.push('\n');
            body.push_str(&comment_line(&format!("{}, {}:{}", parallel.header, kernel.file, parallel.line)));
            body.push_str(&comment_line(&launched(parallel, variant)));
            let text = fill.text(parallel.code.template());
            entries.push(Some(Entry { name: own.clone(), can_fail: fails.get() }));
            body.push_str(&lines::from(file, parallel.line, format!("{}\n", text.trim_end())));
        }
    }

    let body = functions_before(texts, &body);
    let mut title =
        comment_line(&format!("{platform} C++ of the kernel `{}`, {}:{}", kernel.name, kernel.file, kernel.line));
    if kernel.is_library() {
        title.push_str(&comment_line("a library does its work, so that there is no source"));
    }
    for called in &description.calls {
        let called = called().kernel;
        let Kernel { name, file, line, .. } = called;
        let source =
            if called.is_library() { "in which a library does the work" } else { "which has a source of its own" };
        title.push_str(&comment_line(&format!("calls the kernel `{name}`, {file}:{line}, {source}")));
    }
    let body = format!("{}{}{body}", types.definitions(), constants.text());
    let policy = match failed {
        FailedCheck::Exit => "",
        FailedCheck::GoOn => "#define AB_GO_ON\n",
    };
    let names = match platform {
        Platform::Cuda => "",
        Platform::Hip => prelude::HIP,
    };
    let mut blocks = String::new();
    if kernel.loops.iter().any(|parallel| parallel.blocks.is_some()) {
        blocks.push_str("#define AB_BLOCKS\n");
        if ["ab::may_not_end(ab_cx)", "ab::may_be_long(ab_cx)"].iter().any(|asks| body.contains(asks)) {
            blocks.push_str("#define AB_ASKS\n");
        }
        if kernel.loops.iter().zip(&description.loops).any(|(parallel, types)| ends_early(parallel, &types.slots)) {
            blocks.push_str("#define AB_ENDS\n");
        }
    }
    let text = format!("{title}{names}{policy}{blocks}{}{body}", prelude::used_by(&body));
    let text = if lines { lines::resumed(&text, kernel.name) } else { text };
    Program { prints: text.contains("ab::print("), text, sites, entries }
}

/// Whether a block ends where one of its threads fails. What that thread should have written for the others is any bits, and not of every type are all
/// bits a value.
fn ends_early(parallel: &Loop, slots: &[SlotValue]) -> bool {
    let Some(blocks) = parallel.blocks else { return false };
    let mut exchanged = blocks.shared.iter().map(|(_, slot)| slot).chain(blocks.told);
    exchanged.any(|slot| match slots.get(*slot as usize) {
        Some(SlotValue::Type(ty)) => !ty.is_of_numbers(),
        _ => true,
    })
}

/// The launches that choose a function, as text.
fn launched(par_loop: &Loop, variant: Variant) -> String {
    let (main, split, checked) = (par_loop.name, Variant::UncheckedMultiGrid, Variant::Checked);
    match variant {
        Variant::Unchecked if !par_loop.is_in(checked) => "for every launch".to_owned(),
        Variant::Unchecked => {
            let beyond = match par_loop.is_in(split) {
                true => format!(", {} where it takes several grids", split.function(main)),
                false => String::new(),
            };
            let other = checked.function(main);
            format!("where the launch shows that indexes are in bounds and fit 32 bits{beyond}; else {other}")
        }
        Variant::UncheckedMultiGrid => format!("{main} in several grids, each of which begins at a parameter"),
        Variant::Checked => format!("{main} where the launch does not show that: every index is checked, in 64 bits"),
    }
}

/// The Rust type of the largest array that a loop uses.
pub(crate) fn largest_array(instance: Instance, index: usize) -> Option<String> {
    let description = Description::of(instance);
    let types = description.loops.get(index)?;
    let functions = reachable(types.slots.iter());
    let slots = functions.iter().flat_map(|function| &function.slots).chain(&types.slots);
    let arrays = slots.filter_map(|slot| match slot {
        SlotValue::Type(ty @ DeviceType::Array(..)) => Some(*ty),
        SlotValue::Type(_)
        | SlotValue::Constant(..)
        | SlotValue::Variant(..)
        | SlotValue::Function(_)
        | SlotValue::Format(..) => None,
    });
    arrays.max_by_key(|ty| ty.layout().0).map(in_rust)
}

/// The bytes of all values of a loop that may exist at once, with these slots and the functions that it calls: an upper bound if each value has a
/// place of its own. No function calls itself, so each has at most one frame.
pub(crate) fn bytes_of_values(slots: &[SlotValue]) -> usize {
    let functions = reachable(slots.iter());
    let own = |slots: &[SlotValue]| -> usize {
        let types = slots.iter().filter_map(|slot| match slot {
            SlotValue::Type(ty)
            | SlotValue::Constant(ty, ..)
            | SlotValue::Variant(ty, _)
            | SlotValue::Format(ty, _) => Some(*ty),
            SlotValue::Function(_) => None,
        });
        types.fold(0, |sum, ty| sum.saturating_add(ty.layout().0))
    };
    // The caller has the arguments and the result of a call, which are among the values of the function.
    let of_call = |slot: &SlotValue| {
        let SlotValue::Function(function) = slot else { return 0 };
        let id = function().id;
        functions.iter().find(|function| function.source.id == id).map_or(0, |function| own(&function.slots))
    };
    let frame = |slots: &[SlotValue]| slots.iter().map(of_call).fold(own(slots), usize::saturating_add);
    functions.iter().fold(frame(slots), |sum, function| sum.saturating_add(frame(&function.slots)))
}

/// The text for a hole that the description has no value for. NVRTC rejects it; the fill itself cannot fail.
const MISSING: &str = "ab_missing";

/// A device function with its inferred types.
struct Called {
    source: DeviceFunction,
    slots: Vec<SlotValue>,
}

/// The same with its code and its C++ names.
struct Function {
    source: DeviceFunction,
    code: emit::Function,
    slots: Vec<SlotValue>,
    name: String,
    /// Its name where it is told that the launch has decided.
    decided: String,
    /// Its name where it is told only that lengths fit 32 bits.
    short: String,
    /// Its name in 32 bits.
    in_32_bits: String,
}

impl Function {
    /// Its name where it is called.
    fn called(&self) -> String {
        format!("device::{}", self.name)
    }

    fn fill<'a>(
        &'a self,
        types: &'a Types,
        functions: &'a [Function],
        constants: &'a Constants<'a>,
        base: u32,
        (failed, fails): (FailedCheck, &'a Cell<bool>),
        form: Form,
    ) -> Fill<'a> {
        let (own, variant, told) = match form {
            Form::Checked => (&self.name, Variant::Checked, false),
            Form::Short => (&self.short, Variant::Unchecked, false),
            Form::Decided => (&self.decided, Variant::Unchecked, true),
        };
        let (slots, captures, file) = (&self.slots, &[], None);
        Fill { types, slots, captures, functions, constants, own, base, variant, told, failed, fails, file }
    }

    /// Its name where it is told that the launch has decided.
    fn called_decided(&self) -> String {
        format!("device::{}", self.decided)
    }

    /// Its name where it is told only that lengths fit 32 bits.
    fn called_short(&self) -> String {
        format!("device::{}", self.short)
    }

    /// Its name in 32 bits.
    fn called_in_32_bits(&self) -> String {
        format!("device::{}", self.in_32_bits)
    }

    /// Whether it differs where it is told what the launch has decided.
    fn can_be_told(&self) -> bool {
        self.code.body.can_be_told()
    }

    /// Whether it is an index in 32 bits, too.
    fn has_index(&self) -> bool {
        self.code.index.as_ref().is_some_and(|(slot, _)| self.is_integer(slot.number()))
    }

    fn is_integer(&self, slot: u32) -> bool {
        matches!(self.slots.get(slot as usize), Some(SlotValue::Type(ty)) if ty.integer().is_some())
    }

    /// The functions that it is in some programs.
    fn texts<'a>(&self, fill: impl Fn(Form) -> Fill<'a>, variants: &[Variant]) -> Vec<FunctionText> {
        let source = &self.source;
        let head = comment_line(&format!("fn {}, {}:{}", source.name, source.file, source.line));
        let decides = variants.iter().any(|variant| *variant != Variant::Checked);
        let text = |name: &str, fill: Fill<'_>, why: &str| {
            let (signature, block) = (on_device(&fill.text(&self.code.signature)), fill.text(&self.code.body));
            let text = lines::from(fill.file, source.line, format!("{signature} {}\n", block.trim_end()));
            let text = format!("{head}{why}{text}");
            FunctionText { name: name.to_owned(), declaration: format!("{signature};\n"), text }
        };
        let mut texts = vec![text(&self.name, fill(Form::Checked), "")];
        if decides && self.can_be_told() {
            let why = comment_line("where the launch shows that its indexes are in bounds and fit 32 bits");
            texts.push(text(&self.decided, fill(Form::Decided), &why));
            let why = comment_line(
                "where the launch shows that lengths fit 32 bits, and knows too little of an argument to show more",
            );
            texts.push(text(&self.short, fill(Form::Short), &why));
        }
        if let Some((_, index)) = self.code.index.as_ref().filter(|_| decides && self.has_index()) {
            let fill = fill(Form::Decided);
            let (name, index) = (self.in_32_bits.clone(), fill.text(index));
            let text = lines::from(fill.file, source.line, format!("__device__ i32 {name}{index}"));
            let text = format!("{head}{}{text}", comment_line("as an index of 32 bits"));
            let declaration = index.split_once(" {").map(|(params, _)| format!("__device__ i32 {name}{params};\n"));
            texts.push(FunctionText { name, declaration: declaration.unwrap_or_default(), text });
        }
        texts
    }
}

/// What a device function is told.
#[derive(Clone, Copy)]
enum Form {
    /// Nothing.
    Checked,
    /// Lengths fit 32 bits.
    Short,
    /// And the accesses that the launch decides are in bounds.
    Decided,
}

/// A device function in C++.
struct FunctionText {
    name: String,
    declaration: String,
    text: String,
}

/// The functions that a text mentions, directly or indirectly, before it.
fn functions_before(functions: Vec<FunctionText>, text: &str) -> String {
    let mentions = |text: &str, name: &str| {
        let called = format!("device::{name}");
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        text.match_indices(&called).any(|(at, _)| ends(&text[at + called.len()..]))
    };
    let mut used = vec![false; functions.len()];
    let mut new: Vec<&str> = vec![text];
    while let Some(text) = new.pop() {
        for (function, used) in functions.iter().zip(&mut used) {
            if !*used && mentions(text, &function.name) {
                *used = true;
                new.push(&function.text);
            }
        }
    }
    let used = || functions.iter().zip(&used).filter(|(_, used)| **used).map(|(function, _)| function);
    if used().next().is_none() {
        return text.to_owned();
    }
    let declarations: String = used().map(|function| function.declaration.as_str()).collect();
    let texts: String = used().map(|function| function.text.as_str()).collect();
    format!("namespace device {{\n{declarations}{texts}}}  // namespace device\n{text}")
}

/// The device functions that a kernel calls, directly or indirectly, each once, in the order of their first occurrence.
fn reachable<'a>(roots: impl Iterator<Item = &'a SlotValue>) -> Vec<Called> {
    let mut found: Vec<Called> = Vec::new();
    let visit = |slot: &SlotValue, found: &mut Vec<Called>| {
        let SlotValue::Function(function) = slot else { return };
        let source = function();
        if found.iter().all(|known| known.source.id != source.id) {
            let mut slots = Vec::new();
            (source.describe)(&mut slots);
            found.push(Called { source, slots });
        }
    };
    roots.for_each(|slot| visit(slot, &mut found));
    let mut next = 0;
    while next < found.len() {
        for slot in found[next].slots.clone() {
            visit(&slot, &mut found);
        }
        next += 1;
    }
    found
}

/// Device functions with their code, and with names that differ.
fn functions(called: Vec<Called>) -> Vec<Function> {
    let mut names = Names::default();
    let named = called.into_iter().map(|Called { source, slots }| {
        let code = decode_function(source.code).as_ref().map(emit::device_function).unwrap_or_default();
        let name = names.claim(source.c_name, source.module);
        let mut beside = |what: &str, is_there: bool| match is_there {
            true => names.claim(&format!("{}_{what}", source.c_name), source.module),
            false => String::new(),
        };
        let decided = beside("decided", code.body.can_be_told());
        let short = beside("short", code.body.can_be_told());
        let in_32_bits = beside("32", code.index.is_some());
        Function { name, decided, short, in_32_bits, source, code, slots }
    });
    named.collect()
}

/// The types that a kernel and its device functions mention.
fn types_of(description: &Description, functions: &[Function]) -> Vec<&'static DeviceType> {
    let captures = description.loops.iter().flat_map(|types| types.captures.iter().copied());
    let slots = description.loops.iter().flat_map(|types| &types.slots);
    let slots = slots.chain(functions.iter().flat_map(|function| &function.slots)).filter_map(|slot| match slot {
        SlotValue::Type(ty) | SlotValue::Constant(ty, ..) | SlotValue::Variant(ty, _) | SlotValue::Format(ty, _) => {
            Some(*ty)
        }
        SlotValue::Function(_) => None,
    });
    captures.chain(slots).collect()
}

/// Numbers the sites of one template, which is in this file, in the program. Returns the number of earlier sites.
fn resolve(all: &mut Vec<ResolvedSite>, own: &'static str, sites: &[Site], slots: &[SlotValue]) -> u32 {
    let base = all.len() as u32;
    let format = |check| match check {
        Check::Formatted(slot) => slots.get(slot as usize).and_then(|slot| match slot {
            SlotValue::Format(ty, format) => Some((ty.layout().0, *format)),
            SlotValue::Type(_) | SlotValue::Constant(..) | SlotValue::Variant(..) | SlotValue::Function(_) => None,
        }),
        _ => None,
    };
    all.extend(sites.iter().map(|&Site { file, line, column, check }| {
        let (file, format) = (if file.is_empty() { own } else { file }, format(check));
        ResolvedSite { file, line, column, check, format }
    }));
    base
}

/// A type in Rust.
fn in_rust(ty: &DeviceType) -> String {
    match ty {
        DeviceType::Scalar(ty) => type_name(*ty).trim_start_matches("ab::").to_owned(),
        DeviceType::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| in_rust(part)).collect();
            format!("({}{})", parts.join(", "), if parts.len() == 1 { "," } else { "" })
        }
        DeviceType::Array(element, len) => format!("[{}; {len}]", in_rust(element)),
        DeviceType::Struct(ty) => ty.name.to_owned(),
        DeviceType::Enum(ty) => ty.name.to_owned(),
    }
}

/// The prelude's name of a primitive type: that of Rust, and for those of `half` in a namespace, since few programs have them.
fn type_name(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::Bool => "bool",
        ScalarType::I8 => "i8",
        ScalarType::I16 => "i16",
        ScalarType::I32 => "i32",
        ScalarType::I64 => "i64",
        ScalarType::I128 => "i128",
        ScalarType::Isize => "isize",
        ScalarType::U8 => "u8",
        ScalarType::U16 => "u16",
        ScalarType::U32 => "u32",
        ScalarType::U64 => "u64",
        ScalarType::U128 => "u128",
        ScalarType::Usize => "usize",
        ScalarType::F32 => "f32",
        ScalarType::F64 => "f64",
        ScalarType::F16 => "ab::f16",
        ScalarType::Bf16 => "ab::bf16",
    }
}

/// A signature as that of a function on the device. Functions that take closures are templates.
fn on_device(signature: &str) -> String {
    match signature.strip_prefix("template <").and_then(|rest| rest.split_once("> ")) {
        Some((params, signature)) => format!("template <{params}> __device__ {signature}"),
        None => format!("__device__ {signature}"),
    }
}

#[cfg(test)]
mod tests;
