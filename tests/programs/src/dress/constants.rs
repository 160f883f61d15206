//! Numbers that are called by names, whose meaning depends on where they stand.

use std::fmt::Write;

use super::refused::overflowing;
use super::{Class, Dress, Number, Part, markers};
use crate::types::Scalar;

/// Names of items in blocks. The module has items of these names, too, with values that ruin an
/// index.
const NAMES: [&str; 3] = ["N", "M", "STRIDE"];
/// `of::N` and `S::N`, whose first name an item may bring.
const MODULE: &str = "of";
const TYPE: &str = "S";
/// What the names mean outside: beyond every buffer, or the same for all iterations.
const RUIN: [i128; 4] = [1_000_000_000, 0, 64, 1];

impl Dress {
    /// Items of the module that those of blocks hide.
    pub(super) fn decoys(&mut self) {
        // Half of them are numbers that the program has, so that all meanings of a name are used.
        let own: Vec<i128> = self.pool.iter().filter(|(_, ty)| *ty == Scalar::Usize).map(|(value, _)| *value).collect();
        let [n, m, stride, of_module, of_type] =
            [(); 5].map(|()| if own.is_empty() || self.chance(50) { self.pick(&RUIN) } else { self.pick(&own) });
        let _ = write!(
            self.around,
            "pub const N: usize = {n}; pub const M: usize = {m}; pub const STRIDE: usize = {stride};\n\
             pub mod {MODULE} {{ pub const N: usize = {of_module}; }}\n\
             pub struct {TYPE}; impl {TYPE} {{ pub const N: usize = {of_type}; }}\n\
             pub trait Number<T> {{ const N: T; }} impl Number<usize> for {TYPE} {{ const N: usize = {n}; }}\n"
        );
        let usize = |number: i128| (number, Scalar::Usize);
        self.frames.push(
            [("N", n), ("M", m), ("STRIDE", stride), ("of::N", of_module), ("S::N", of_type)]
                .map(|(name, number)| (name.to_owned(), usize(number)))
                .into(),
        );
    }

    /// What a spelling means here.
    fn meaning(&self, name: &str) -> Option<Number> {
        self.frames.iter().rev().find_map(|frame| frame.get(name)).copied()
    }

    /// A number.
    pub fn literal(&mut self, number: Number, at: Part) -> String {
        if self.rng.is_none() {
            return format!("{}{}", number.0, number.1.name());
        }
        let overflowing = match at {
            Part::Host => self.take(Class::Overflow, 40).then(|| overflowing(number)),
            Part::End | Part::Body => self.overflowing(number),
        };
        let numeral = self.numeral(number);
        if let Some(text) = overflowing {
            return text;
        }
        // A block may hide any of them, because it uses none. In the host part the macro refuses
        // what may be another use of a view.
        let mut hidden = self.names.clone();
        hidden.extend(self.views.iter().filter(|_| at == Part::Body).cloned());
        let hidden = &hidden;
        const NAMED: [Class; 4] = [Class::Items, Class::Uses, Class::Aliases, Class::Generics];
        let named = NAMED.iter().any(|class| self.classes.contains(class));
        let mut known: Vec<String> = self.frames.iter().flat_map(|frame| frame.keys().cloned()).collect();
        known.retain(|name| self.meaning(name) == Some(number));
        if named && !known.is_empty() && self.chance(75) {
            let name = self.pick(&known);
            return self.constant(name, number);
        }
        // Parentheses, because in the head of a `for` a block would be its body.
        match () {
            () if self.take(Class::Items, 25) => format!("({})", self.in_a_block(number, hidden)),
            () if self.take(Class::Uses, 30) => format!("({})", self.used(number, hidden)),
            () if self.take(Class::Aliases, 30) => format!("({})", self.aliased(number)),
            // In the head of a loop the launch gets the numbers of the range itself.
            () if at == Part::Body && self.take(Class::Associated, 70) => {
                let ty = self.holder(number);
                let trait_path = format!("<{ty} as Number<{}>>::N", number.1.name());
                let path = if self.chance(50) { format!("{ty}::N") } else { trait_path };
                self.constant(path, number)
            }
            () if self.passed.len() < 6 && self.take(Class::Macros, 30) => {
                let name = format!("$e{}", self.passed.len());
                let fragment = if number.0 < 0 || self.chance(50) { "expr" } else { "literal" };
                self.passed.push((format!("{name}:{fragment}"), numeral.clone()));
                markers::place(&name, &numeral)
            }
            () => numeral,
        }
    }

    /// The digits of a number, in one of the ways in which Rust writes them.
    fn numeral(&mut self, (value, ty): Number) -> String {
        let ty = ty.name();
        if !self.take(Class::Literals, 60) {
            return format!("{value}{ty}");
        }
        let (sign, digits) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
        let zeros = self.pick(&["", "0", "0_", "00"]);
        let text = match self.below(6) {
            0 => format!("0x{zeros}{digits:x}"),
            1 => format!("0x{digits:X}_"),
            2 => format!("0o{zeros}{digits:o}_"),
            3 => format!("0b{zeros}{digits:b}"),
            4 => format!("{zeros}{digits}_"),
            _ if ty == "u8" && (32..127).contains(&digits) && digits != 39 && digits != 92 => {
                return format!("b'{}'", char::from(digits as u8));
            }
            _ => format!("{digits}__"),
        };
        // `0_` alone is no beginning of a decimal number that is not 0.
        format!("{sign}{text}{ty}")
    }

    /// `{ const NAME: T = 3; NAME }`, where `NAME` may be that of a variable around.
    fn in_a_block(&mut self, number: Number, hidden: &[String]) -> String {
        let names: Vec<&str> = hidden.iter().map(String::as_str).chain(NAMES).collect();
        let (name, ty, numeral) = (self.pick(&names), number.1.name(), self.numeral(number));
        let used = self.constant(name, number);
        match self.below(4) {
            0 => format!("{{ let held = {used}; const {name}: {ty} = {numeral}; held }}"),
            1 => format!("{{ const {name}: {ty} = {{ const {name}: {ty} = {numeral}; {name} }}; {used} }}"),
            // The macro takes what begins with a capital letter for a type. The kernel is `k`, and
            // of two functions that attributes make rustc does not choose the inner one.
            2 if name.starts_with(char::is_lowercase) && name != "k" => {
                format!("{{ #[device] fn {name}() -> {ty} {{ {numeral} }} {name}() }}")
            }
            _ => format!("{{ const {name}: {ty} = {numeral}; {used} }}"),
        }
    }

    /// A module of its own that holds a number by two names.
    fn module(&mut self, (value, ty): Number, name: &str) -> String {
        let at = self.unique();
        let ty = ty.name();
        let _ = writeln!(
            self.around,
            "pub mod m{at} {{ pub const {name}: {ty} = {value}; pub const OTHER: {ty} = {value}; }}"
        );
        format!("m{at}")
    }

    /// A type of its own that holds a number, as its own constant and as that of a trait.
    fn holder(&mut self, (value, ty): Number) -> String {
        let at = self.unique();
        let ty = ty.name();
        let _ = writeln!(
            self.around,
            "pub struct T{at}; impl T{at} {{ pub const N: {ty} = {value}; }} impl Number<{ty}> for T{at} {{ const N: {ty} = {value}; }}"
        );
        format!("T{at}")
    }

    fn used(&mut self, number: Number, hidden: &[String]) -> String {
        let names: Vec<&str> = hidden.iter().map(String::as_str).chain(NAMES).collect();
        let name = self.pick(&names);
        let module = self.module(number, name);
        let way = self.below(4);
        let path = if way == 3 { format!("{MODULE}::OTHER") } else { name.to_owned() };
        let used = self.constant(path, number);
        match way {
            0 => format!("{{ use self::{module}::{name}; {used} }}"),
            1 => format!("{{ let held = {used}; use {module}::OTHER as {name}; held }}"),
            2 => format!("{{ use self::{module}::{{OTHER as {name}}}; {used} }}"),
            _ => format!("{{ use {module} as {MODULE}; {used} }}"),
        }
    }

    fn aliased(&mut self, number: Number) -> String {
        let (value, ty) = number;
        if self.chance(50) {
            let holder = self.holder(number);
            let path = if self.chance(50) { "S::N".to_owned() } else { format!("<S as Number<{}>>::N", ty.name()) };
            let used = self.constant(path, number);
            return format!("{{ type {TYPE} = {holder}; {used} }}");
        }
        let other: Vec<Scalar> = Scalar::WORDS.into_iter().filter(|other| *other != ty).collect();
        let (alias, ty_name) = (self.pick(&other).name(), ty.name());
        let (least, most) = (value - ty.min(), ty.max() - value);
        // The distance, too, is a number of the type.
        if most > ty.max() || least <= ty.max() && self.chance(50) {
            let used = self.constant(format!("{alias}::MIN"), (ty.min(), ty));
            format!("{{ type {alias} = {ty_name}; {used} + {least} }}")
        } else {
            let used = self.constant(format!("{alias}::MAX"), (ty.max(), ty));
            format!("{{ type {alias} = {ty_name}; {used} - {most} }}")
        }
    }

    /// Constants of the kernel's type parameters: they are chosen first, because they hide what the
    /// module calls so.
    pub(super) fn generics(&mut self) {
        for name in NAMES {
            if self.pool.is_empty() || self.generics.len() == 2 || !self.take(Class::Generics, 60) {
                continue;
            }
            let number = self.number_of_pool();
            let (value, ty) = (number.0, number.1.name());
            let spelled = if self.chance(50) {
                self.generics.push((format!("const {name}: {ty}"), format!("{{ {value}{ty} }}")));
                vec![name.to_owned()]
            } else {
                let (holder, at) = (self.holder(number), self.unique());
                self.generics.push((format!("C{at}: Number<{ty}> + 'static"), format!("{{path}}::{holder}")));
                vec![format!("C{at}::N"), format!("<C{at} as Number<{ty}>>::N")]
            };
            self.frames[0].extend(spelled.into_iter().map(|name| (name, number)));
        }
    }

    /// Enters a block: the items that it declares, each with the number of statements before it.
    pub fn enter(&mut self, stmts: usize) -> Vec<(usize, String)> {
        self.frames.push(Default::default());
        let mut items: Vec<(usize, String)> =
            self.intruder().map(|text| (self.below(stmts + 1), text)).into_iter().collect();
        // In front, so that what follows tells what they do.
        items.extend(self.twin_statements().into_iter().chain(self.length()).map(|text| (0, text)));
        if self.pool.is_empty() {
            return items;
        }
        for name in ["N", "M", "STRIDE", "of::N", "S::N"] {
            let class = match name {
                "of::N" => Class::Uses,
                "S::N" => Class::Aliases,
                _ => self.pick(&[Class::Items, Class::Items, Class::Uses]),
            };
            if !self.take(class, 25) {
                continue;
            }
            let number = self.number_of_pool();
            let (ty, numeral) = (number.1.name(), self.numeral(number));
            let item = match (class, name) {
                (Class::Uses, "of::N") => {
                    let module = self.module(number, "N");
                    format!("use {module} as {MODULE};")
                }
                (Class::Uses, _) if self.chance(50) => {
                    let module = self.module(number, name);
                    format!("use self::{module}::{name};")
                }
                (Class::Uses, _) => {
                    let module = self.module(number, name);
                    format!("use {module}::OTHER as {name};")
                }
                (Class::Aliases, _) => {
                    let holder = self.holder(number);
                    format!("type {TYPE} = {holder};")
                }
                _ => format!("const {}: {ty} = {numeral};", self.name(name)),
            };
            if let Some(frame) = self.frames.last_mut() {
                frame.insert(name.to_owned(), number);
            }
            let at = self.below(stmts + 1);
            items.push((at, self.documented(item)));
        }
        // A block that has its own, and does nothing.
        if self.take(Class::Items, 15) {
            let (name, ruin, at) = (self.pick(&NAMES), self.pick(&RUIN), self.below(stmts + 1));
            items.push((at, format!("{{ const {name}: usize = {ruin}; let _held = {name}; }}")));
        }
        items
    }

    fn number_of_pool(&mut self) -> Number {
        let pool = std::mem::take(&mut self.pool);
        let number = self.pick(&pool);
        self.pool = pool;
        number
    }

    pub fn leave(&mut self) {
        self.frames.pop();
    }
}
