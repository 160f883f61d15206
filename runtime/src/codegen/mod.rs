//! The C++ of a kernel, for CUDA or for HIP: the functions that [`emit`] writes with the types that
//! rustc inferred, and what they use.
//!
//! | file | what |
//! |---|---|
//! | `inferred` | types, constants and functions by the slots of a body, for the emitter |
//! | `functions` | the device functions that a program uses, with their versions |
//! | `types`, `constants` | definitions of structs, enums and tables |
//! | `names` | names that differ from keywords, from each other and from CUDA's own functions |
//! | `prelude` | the helpers that a program uses |
//!
//! Checks report the number of a site. [`Program::sites`] maps it to the source, and
//! [`Check::describe`] to the message of std.

mod constants;
mod functions;
mod inferred;
mod names;
mod prelude;
mod types;

use std::thread;

use anabranch_core::emit::{self, Form, Proved, Uses, lines};
use anabranch_core::ir::code::DecodedLoop;
use anabranch_core::ir::wire::decode_loop;

use crate::model::description::{Description, Instance, SlotValue, reachable};
use crate::model::kernel::{Check, Kernel, Loop, Site, Variant};
use crate::platform::Platform;
use crate::value::DeviceType;
use crate::value::format::FormatBytes;
use constants::Constants;
use functions::Function;
use inferred::Inferred;
use types::Types;

/// What a failed check does to its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailedCheck {
    /// It ends the thread.
    Exit,
    /// The thread continues with harmless values, uses only its own memory, and leaves its loops.
    /// For GPUs on which a single thread cannot end.
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

/// Writes one of the programs of a kernel: the helpers it uses, the device functions it reaches,
/// its loops. With `lines`, it says which lines of the source its lines come from.
pub(crate) fn program(instance: Instance, variant: Variant, dialect: Dialect, lines: bool) -> Program {
    on_a_large_stack(|| write(instance, &[variant], dialect, lines))
}

/// All programs as one readable text that compiles.
pub(crate) fn all(instance: Instance, platform: Platform, lines: bool) -> String {
    on_a_large_stack(|| write(instance, &Variant::ALL, Dialect::of(platform), lines).text)
}

/// Runs what walks over the code of kernels, which may be nested deeper than the stack of the
/// caller's thread allows in a build without optimizations.
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
    let functions = functions::named(reachable(description.loops.iter().flat_map(|types| &types.slots)));
    let types = Types::of(&types_of(&description, &functions));

    let mut sites = Vec::new();
    let constants = Constants::new(&types);
    let inferred = |slots, captures| {
        let (types, functions, constants) = (&types, &functions, &constants);
        Inferred { slots, captures, types, functions, constants }
    };
    let form = |file, line, sites| Form {
        name: "",
        proved: Proved::Nothing,
        one_grid: false,
        goes_on: failed == FailedCheck::GoOn,
        sites,
        source: lines.then_some((file, line)),
    };
    let decides = variants.iter().any(|variant| *variant != Variant::Checked);
    let mut texts = Vec::new();
    for function in &functions {
        let source = &function.source;
        let base = resolve(&mut sites, source.file, source.sites, &function.slots);
        let inferred = inferred(&function.slots, &[]);
        texts.extend(function.written(decides, form(source.file, source.line, base), &inferred));
    }
    let numbered = kernel.loops.iter().zip(&description.loops);
    let numbered = numbered.map(|(l, types)| resolve(&mut sites, kernel.file, l.sites, &types.slots));
    let bases: Vec<u32> = numbered.collect();
    let codes: Vec<Option<DecodedLoop>> = kernel.loops.iter().map(|parallel| decode_loop(parallel.code)).collect();
    let (mut loops, mut entries, mut uses) = (String::new(), Vec::new(), Uses::default());
    for &variant in variants {
        for (at, (parallel, inferred_types)) in kernel.loops.iter().zip(&description.loops).enumerate() {
            if !parallel.is_in(variant) {
                entries.push(None);
                continue;
            }
            let name = variant.function(parallel.name);
            let form = Form {
                name: &name,
                proved: if variant == Variant::Checked { Proved::Nothing } else { Proved::Accesses },
                one_grid: variant == Variant::Unchecked,
                ..form(kernel.file, parallel.line, bases[at])
            };
            let inferred = inferred(&inferred_types.slots, &inferred_types.captures);
            let written = codes[at].as_ref().map(|code| emit::par_loop(code, form, &inferred)).unwrap_or_default();
            loops.push('\n');
            loops.push_str(&comment_line(&format!("{}, {}:{}", parallel.header, kernel.file, parallel.line)));
            loops.push_str(&comment_line(&launched(parallel, variant)));
            loops.push_str(&written.text);
            let called = reachable(inferred_types.slots.iter());
            let can_fail = written.uses.checks || called.iter().any(|function| !function.source.sites.is_empty());
            uses.add(written.uses);
            entries.push(Some(Entry { name, can_fail }));
        }
    }

    let body = functions::used(texts, &mut uses) + &loops;
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
        if uses.polls {
            blocks.push_str("#define AB_POLLS\n");
        }
        if kernel.loops.iter().zip(&description.loops).any(|(parallel, types)| ends_early(parallel, &types.slots)) {
            blocks.push_str("#define AB_ENDS\n");
        }
    }
    let text = format!("{title}{names}{policy}{blocks}{}{body}", prelude::used_by(&body));
    let text = if lines { lines::resumed(&text, kernel.name) } else { text };
    Program { prints: uses.prints, text, sites, entries }
}

/// Whether a block ends where one of its threads fails. What that thread should have written for
/// the others is any bits, and not of every type are all bits a value.
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

/// The bytes of all values of a loop that may exist at once, with these slots and the functions
/// that it calls: an upper bound if each value has a place of its own. No function calls itself, so
/// each has at most one frame.
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
    // The caller has the arguments and the result of a call, which are among the values of the
    // function.
    let of_call = |slot: &SlotValue| {
        let SlotValue::Function(function) = slot else { return 0 };
        let id = function().id;
        functions.iter().find(|function| function.source.id == id).map_or(0, |function| own(&function.slots))
    };
    let frame = |slots: &[SlotValue]| slots.iter().map(of_call).fold(own(slots), usize::saturating_add);
    functions.iter().fold(frame(slots), |sum, function| sum.saturating_add(frame(&function.slots)))
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

/// Numbers the sites of one body, which is in this file, in the program. Returns the number of
/// earlier sites.
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
        DeviceType::Scalar(ty) => ty.c_name().trim_start_matches("ab::").to_owned(),
        DeviceType::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| in_rust(part)).collect();
            format!("({}{})", parts.join(", "), if parts.len() == 1 { "," } else { "" })
        }
        DeviceType::Array(element, len) => format!("[{}; {len}]", in_rust(element)),
        DeviceType::Struct(ty) => ty.name.to_owned(),
        DeviceType::Enum(ty) => ty.name.to_owned(),
    }
}

/// A line comment with any text: on one line, without a backslash at the end, which would continue
/// it.
fn comment_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    format!("// {}\n", words.join(" ").trim_end_matches('\\'))
}

#[cfg(test)]
mod tests;
