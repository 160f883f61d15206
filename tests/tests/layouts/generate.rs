//! Random structs with all that a struct in a buffer may have, and a program that compares them.

use std::fmt::Write;

use anabranch_programs::rng::Rng;

/// Structs of one kernel.
const KERNEL: usize = 5;

/// No field has more scalars: structs in structs would grow without end.
const MOST: usize = 24;

/// A type: as it is written, and a value of it from the expression `n`, a `u64`.
#[derive(Clone)]
struct Type {
    name: String,
    value: String,
    /// How many scalars it has.
    scalars: usize,
}

struct Struct {
    number: usize,
    name: String,
    fields: Vec<String>,
}

struct Generator {
    rng: Rng,
    /// What fields may have.
    types: Vec<Type>,
    items: String,
    structs: Vec<Struct>,
}

fn scalars() -> Vec<Type> {
    let int = |name: &&str| Type { name: (*name).to_owned(), value: format!("(n as {name})"), scalars: 1 };
    let ints = ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "usize", "isize", "u128", "i128", "f32", "f64"];
    let of = |name: &str, value: &str, scalars| Type { name: name.to_owned(), value: value.to_owned(), scalars };
    let others = [
        of("bool", "(n & 1 == 1)", 1),
        of("PhantomData<u64>", "PhantomData", 0),
        of("[u64; 0]", "[]", 0),
        of("[u16; 0]", "[]", 0),
    ];
    ints.iter().map(int).chain(others).collect()
}

impl Generator {
    /// A type of a field: one that there is, or an array of some.
    fn ty(&mut self) -> Type {
        // What was made last is nested, else nothing would be deep.
        let all = self.types.len();
        let from = if self.rng.chance(40) { all.saturating_sub(6) } else { 0 };
        let of = self.types[from + self.rng.below(all - from)].clone();
        match self.rng.below(5) {
            0 => {
                let len = [0, 1, 2, 3, 5][self.rng.below(5)].min(MOST / of.scalars.max(1));
                let values: Vec<&str> = vec![&of.value; len];
                Type {
                    name: format!("[{}; {len}]", of.name),
                    value: format!("[{}]", values.join(", ")),
                    scalars: len * of.scalars,
                }
            }
            _ => of,
        }
    }

    /// `repr` of a struct.
    fn repr(&mut self) -> String {
        // With more, NVRTC 13.0 crashes where some structs with gaps are copied: see the known gaps
        // in `docs/design/gaps.md`.
        let align = 1 << self.rng.below(5);
        match self.rng.below(8) {
            0 => "#[repr(C)]\n".to_owned(),
            1 => format!("#[repr(align({align}))]\n"),
            2 => format!("#[repr(C, align({align}))]\n"),
            _ => String::new(),
        }
    }

    /// An enum without fields, and its discriminants.
    fn enumeration(&mut self, at: usize) {
        let repr = *self.rng.pick(&["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"]);
        let first = if self.rng.chance(60) { 0 } else { 1 + self.rng.below(50) };
        let second = first + 1 + self.rng.below(60);
        let name = format!("E{at}");
        let derives = "#[device]\n#[derive(Clone, Copy, Debug, PartialEq)]";
        let _ =
            writeln!(self.items, "{derives}\n#[repr({repr})]\npub enum {name} {{ A = {first}, B, C = {}}}", second + 1);
        let value = format!("[{name}::A, {name}::B, {name}::C][(n % 3) as usize]");
        self.types.push(Type { name, value, scalars: 1 });
    }

    /// A struct, which may be generic: then its instances are types of fields.
    fn structure(&mut self, at: usize) {
        let (name, repr) = (format!("Lay{at}"), self.repr());
        let generic = self.rng.chance(15);
        let is_tuple = self.rng.chance(20);
        let count = match self.rng.below(10) {
            0 => 0,
            1 => 1,
            _ => 2 + self.rng.below(7),
        };
        let mut fields: Vec<Type> = (0..count).map(|_| self.ty()).collect();
        if repr.contains("(C") {
            // There a field without a size may move the next one, which C++ does not do; then no
            // buffer takes the struct.
            fields.retain(|ty| ty.scalars > 0);
        }
        let count = fields.len();
        let mut names: Vec<String> =
            (0..count).map(|at| if is_tuple { at.to_string() } else { format!("f{at}") }).collect();
        // Names that C++ has other uses for.
        if !is_tuple && let Some(name) = names.first_mut() {
            *name = (*self.rng.pick(&["f0", "float", "class", "template", "s", "p", "size_t", "ab"])).to_owned();
        }
        let mut written: Vec<String> = fields.iter().map(|ty| ty.name.clone()).collect();
        let mut values: Vec<String> = fields.iter().map(|ty| ty.value.clone()).collect();
        if generic {
            written.extend(["[T; N]".to_owned(), "T".to_owned()]);
            names.extend(if is_tuple {
                [count.to_string(), (count + 1).to_string()]
            } else {
                ["of_t".to_owned(), "t".to_owned()]
            });
        }
        let parameters = if generic { "<T, const N: usize>" } else { "" };
        let body = |written: &[String]| match (is_tuple, written.is_empty()) {
            (_, true) => ";".to_owned(),
            (true, _) => format!("({});", written.iter().map(|ty| format!("pub {ty}")).collect::<Vec<_>>().join(", ")),
            (false, _) => {
                let fields = names.iter().zip(written).map(|(name, ty)| format!("pub {name}: {ty}"));
                format!(" {{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
        };
        let _ = writeln!(
            self.items,
            "#[device]\n#[derive(Clone, Copy, Debug, PartialEq)]\n{repr}pub struct {name}{parameters}{}",
            body(&written)
        );
        let mut scalars: usize = fields.iter().map(|ty| ty.scalars).sum();
        let mut instance = name.clone();
        if generic {
            let (of, len) = (self.types[self.rng.below(14)].clone(), self.rng.below(4));
            instance = format!("{name}<{}, {len}>", of.name);
            scalars += len + 1;
            values.extend([format!("[{}; {len}]", of.value), of.value]);
        }
        let value = if names.is_empty() {
            name.clone()
        } else {
            // A number of its own for each member.
            let numbered = |(at, (name, value)): (usize, (&String, &String))| {
                format!(
                    "{name}: {{ let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left({}); let _ = n; {value} }}",
                    7 * at + 1
                )
            };
            let members: Vec<String> = names.iter().zip(&values).enumerate().map(numbered).collect();
            format!("{name} {{ {} }}", members.join(", "))
        };
        let made = format!("make_{at}(n)");
        let _ = writeln!(self.items, "pub fn make_{at}(n: u64) -> {instance} {{ let _ = n; {value} }}");
        if scalars <= MOST {
            self.types.push(Type { name: instance.clone(), value: made, scalars });
        }
        // A struct without a size is in no buffer, but in others.
        if scalars > 0 {
            self.structs.push(Struct { number: at, name: instance, fields: names });
        }
    }
}

/// A program with so many structs.
pub(crate) fn program(structs: usize, seed: u64) -> String {
    let mut all = Generator { rng: Rng::new(seed), types: scalars(), items: String::new(), structs: Vec::new() };
    for at in 0..structs {
        if at % 8 == 0 {
            all.enumeration(at);
        }
        all.structure(at);
    }
    let (mut kernels, mut calls) = (String::new(), String::new());
    for (number, of) in all.structs.chunks(KERNEL).enumerate() {
        let mut text = String::new();
        let params =
            (0..of.len()).map(|at| format!("a{at}: &[{0}], b{at}: &mut [{0}], c{at}: &mut [{0}]", of[at].name));
        let _ = writeln!(text, "#[kernel]\npub fn k{number}({}) {{", params.collect::<Vec<_>>().join(", "));
        for (at, Struct { fields, .. }) in of.iter().enumerate() {
            let mut places: Vec<&String> = fields.iter().collect();
            // In any order.
            (1..places.len()).rev().for_each(|at| places.swap(at, all.rng.below(at + 1)));
            let copies: String = places.iter().map(|field| format!(" b{at}[i].{field} = a{at}[i].{field};")).collect();
            let _ = writeln!(text, "    for i in par(0..a{at}.len()) {{{copies} c{at}[i] = a{at}[i]; }}");
        }
        text.push_str("}\n");
        kernels.push_str(&text);
        let _ = writeln!(
            calls,
            "    {{\n        let source = k{number}::cuda_source();\n        let mut facts = Facts::new(&source, mode);"
        );
        let mut launch = (String::new(), Vec::new(), String::new());
        for (at, Struct { number, name, fields }) in of.iter().enumerate() {
            let offsets: String = fields
                .iter()
                .map(|field| format!("(\"{field}\", offset_of!({name}, {field}), size(|s: &{name}| s.{field})), "))
                .collect();
            let _ = writeln!(calls, "        facts.of::<{name}>(\"Lay{}\", &[{offsets}]);", number);
            let make = format!("make_{}", number);
            let _ = writeln!(
                launch.0,
                "            let values: Vec<_> = (1..=9).map({make}).collect();\n            let (a{at}, mut b{at}, mut c{at}) = (device.buffer_from(&values)?, device.filled(9, {make}(0))?, device.filled(9, {make}(0))?);"
            );
            launch.1.push(format!("&a{at}, &mut b{at}, &mut c{at}"));
            let _ = writeln!(
                launch.2,
                "            same(\"Lay{}\", &a{at}.to_vec()?, &b{at}.to_vec()?, &c{at}.to_vec()?, &(1..=9).map({make}).collect::<Vec<_>>());",
                number
            );
        }
        let _ = writeln!(
            calls,
            "        facts.compile();\n        if mode == \"run\" {{\n{}            k{number}(&stream, {})?;\n{}        }}\n        totals = facts.and(totals);\n        println!(\"k{number}\");\n    }}",
            launch.0,
            launch.1.join(", "),
            launch.2
        );
    }
    format!("{HEAD}{}{kernels}{MAIN}{calls}{END}", all.items)
}

const HEAD: &str = "#![allow(warnings)]
use std::marker::PhantomData;
use std::mem::offset_of;
use anabranch::prelude::*;

";

const MAIN: &str = r#"
/// The size of what a function takes from a struct.
fn size<S, T>(_: impl Fn(&S) -> T) -> usize {
    size_of::<T>()
}

/// What the assertions of a source say.
struct Facts<'s> {
    source: &'s str,
    mode: &'s str,
    totals: [usize; 3],
}

impl<'s> Facts<'s> {
    fn new(source: &'s str, mode: &'s str) -> Self {
        Self { source, mode, totals: [0; 3] }
    }

    /// Compares them with what rustc says.
    fn of<S>(&mut self, name: &str, fields: &[(&str, usize, usize)]) {
        let head = format!("static_assert(sizeof({name}) == {} && alignof({name}) == {}", size_of::<S>(), align_of::<S>());
        let line = self.source.lines().find(|line| line.starts_with(&head)).unwrap_or_else(|| panic!("no `{head}` in\n{}", self.source));
        let sized: Vec<_> = fields.iter().filter(|(_, _, size)| *size > 0).collect();
        let said: Vec<usize> = line.split("AB_OFFSET(").skip(1).map(|part| {
            let number = part.split("== ").nth(1).unwrap();
            number.split([' ', ',']).next().unwrap().parse().unwrap()
        }).collect();
        let mut offsets: Vec<usize> = sized.iter().map(|(_, offset, _)| *offset).collect();
        offsets.sort();
        assert_eq!(said, offsets, "{line}");
        for (field, offset, _) in &sized {
            let of_field = |called: &str| line.contains(&format!("({name}, {called}) == {offset}"));
            // A name that C++ has other uses for has a letter in front, and so has a number.
            let known = of_field(field) || of_field(&format!("v{field}")) || of_field(&format!("m{field}"));
            assert!(known, "{field} is at {offset}: {line}");
        }
        self.totals[0] += 1;
        self.totals[1] += sized.len();
        self.totals[2] += usize::from(sized.iter().map(|(_, _, size)| size).sum::<usize>() < size_of::<S>());
    }

    /// Whether NVRTC finds them true, and would find another one wrong.
    fn compile(&self) {
        use anabranch::private::offline::nvrtc_compile;
        if self.mode != "nvrtc" {
            return;
        }
        let (_, log) = nvrtc_compile(self.source, 90).unwrap_or_else(|error| panic!("{error}\n{}", self.source));
        assert_eq!(log, "");
        if let Some(at) = self.source.find("static_assert(sizeof(Lay") {
            let wrong = self.source[at..].replacen(" == ", " == 1 + ", 1);
            assert!(nvrtc_compile(&format!("{}{wrong}", &self.source[..at]), 90).is_err(), "a wrong assertion compiles");
        }
    }

    fn and(&self, totals: [usize; 3]) -> [usize; 3] {
        std::array::from_fn(|at| totals[at] + self.totals[at])
    }
}

fn same<S: PartialEq + std::fmt::Debug>(name: &str, a: &[S], b: &[S], c: &[S], expected: &[S]) {
    assert_eq!(a, expected, "{name}, to the device and back");
    assert_eq!(b, expected, "{name}, member by member");
    assert_eq!(c, expected, "{name}, whole");
}

fn main() -> anabranch::Result<()> {
    let mode = std::env::args().nth(1).unwrap();
    let mode = mode.as_str();
    let device = if mode == "run" { Device::auto()? } else { Device::cpu() };
    let stream = device.default_stream();
    let mut totals = [0; 3];
"#;

const END: &str = r#"    match mode {
        "run" => println!("the same"),
        "nvrtc" => println!("compiled"),
        _ => println!("{} {} {}", totals[0], totals[1], totals[2]),
    }
    Ok(())
}
"#;
