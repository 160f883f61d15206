//! The device functions of a program: which ones there are, their names, and the functions that
//! each becomes in C++.

use anabranch_core::emit::{self, CalledFunction, Form, Proved, Uses, Version, Written};
use anabranch_core::ir::SlotId;
use anabranch_core::ir::code::DecodedFunction;
use anabranch_core::ir::wire::decode_function;

use super::comment_line;
use super::names::Names;
use crate::model::description::{Called, SlotValue};
use crate::model::function::DeviceFunction;

/// A device function with its code and its C++ names.
pub(super) struct Function {
    pub(super) source: DeviceFunction,
    pub(super) slots: Vec<SlotValue>,
    /// What a caller has to know of it.
    pub(super) called: CalledFunction,
    code: Option<DecodedFunction>,
    /// Its names for what the launch has shown: nothing, lengths, accesses.
    names: [String; 3],
    /// Its name in 32 bits.
    in_32_bits: String,
}

/// Device functions with their code, and with names that differ.
pub(super) fn named(called: Vec<Called>) -> Vec<Function> {
    let mut names = Names::default();
    let named = called.into_iter().enumerate().map(|(number, Called { source, slots })| {
        let code = decode_function(source.code);
        let is_integer = |slot: SlotId| {
            matches!(slots.get(slot.number() as usize), Some(SlotValue::Type(ty)) if ty.integer().is_some())
        };
        let index = code.as_ref().and_then(emit::index_slot);
        let narrow = code.as_ref().map(emit::narrow_params).unwrap_or_default();
        let called = CalledFunction {
            number,
            receiver: source.receiver,
            differs: code.as_ref().is_some_and(DecodedFunction::differs),
            needs: (source.needs)(),
            narrow: narrow.into_iter().map(|(at, slot)| (at, is_integer(slot))).collect(),
            is_index: index.is_some_and(is_integer),
        };
        let name = names.claim(source.c_name, source.module);
        let mut beside = |what: &str, is_there: bool| match is_there {
            true => names.claim(&format!("{}_{what}", source.c_name), source.module),
            false => String::new(),
        };
        let (decided, short) = (beside("decided", called.differs), beside("short", called.differs));
        let in_32_bits = beside("32", index.is_some());
        Function { source, slots, called, code, names: [name, short, decided], in_32_bits }
    });
    named.collect()
}

impl Function {
    pub(super) fn name(&self, version: Version) -> &str {
        match version {
            Version::For(proved) => &self.names[proved as usize],
            Version::Index => &self.in_32_bits,
        }
    }

    /// The functions that it becomes, with the numbers of its sites from `form` on. `decides`: a
    /// launch of the program has shown something.
    pub(super) fn written(&self, decides: bool, form: Form<'_>, types: &dyn emit::Inferred) -> Vec<FunctionText> {
        let Some(code) = &self.code else { return Vec::new() };
        let source = &self.source;
        let head = comment_line(&format!("fn {}, {}:{}", source.name, source.file, source.line));
        let text = |version, why: &str, written: Written| {
            let Written { text, declaration, uses } = written;
            FunctionText { number: self.called.number, version, declaration, text: format!("{head}{why}{text}"), uses }
        };
        let version = |proved, why: &str| {
            let version = Version::For(proved);
            let form = Form { name: self.name(version), proved, ..form };
            text(version, why, emit::device_function(code, form, types))
        };
        let mut texts = vec![version(Proved::Nothing, "")];
        if decides && self.called.differs {
            let why = comment_line("where the launch shows that its indexes are in bounds and fit 32 bits");
            texts.push(version(Proved::Accesses, &why));
            let why = comment_line(
                "where the launch shows that lengths fit 32 bits, and knows too little of an argument to show more",
            );
            texts.push(version(Proved::Lengths, &why));
        }
        if decides && self.called.is_index {
            let form = Form { name: &self.in_32_bits, proved: Proved::Accesses, ..form };
            let index = emit::index_function(code, form, types);
            texts.extend(index.map(|index| text(Version::Index, &comment_line("as an index of 32 bits"), index)));
        }
        texts
    }
}

/// A device function in C++.
pub(super) struct FunctionText {
    number: usize,
    version: Version,
    declaration: String,
    text: String,
    uses: Uses,
}

/// The functions that a program uses, directly or indirectly, as text. If they print or poll, so
/// does the program.
pub(super) fn used(functions: Vec<FunctionText>, program: &mut Uses) -> String {
    let mut open: Vec<(usize, Version)> = program.functions.iter().copied().collect();
    while let Some(called) = open.pop() {
        let Some(function) = functions.iter().find(|function| (function.number, function.version) == called) else {
            continue;
        };
        program.prints |= function.uses.prints;
        program.polls |= function.uses.polls;
        open.extend(function.uses.functions.iter().filter(|called| program.functions.insert(**called)));
    }
    let used = || functions.iter().filter(|function| program.functions.contains(&(function.number, function.version)));
    if used().next().is_none() {
        return String::new();
    }
    let declarations: String = used().map(|function| function.declaration.as_str()).collect();
    let texts: String = used().map(|function| function.text.as_str()).collect();
    format!("namespace device {{\n{declarations}{texts}}}  // namespace device\n")
}
