//! Patterns: what they test, and where the values of their names are. Tuples, arrays and structs hold their parts, whatever the values
//! are; enums hold the parts of all variants. So a name can get its value before the test.

use super::nodes::{Arm, Block, Expr, ExprKind, List, LocalId, LocalKind, Pat, PatKind, SlotId};
use super::writer::{Dest, Writer};
use super::{Node, Text};
use crate::ir::effects;

/// One way to match: every test holds; then the names have these values.
#[derive(Clone, Default)]
struct Way {
    tests: Vec<Text>,
    names: Vec<(LocalId, Text)>,
}

/// What a pattern does.
struct Match {
    /// `None`: it always matches.
    test: Option<Text>,
    names: Vec<(LocalId, Text)>,
}

impl Writer<'_> {
    pub(super) fn let_pattern(&mut self, pat: &Pat, init: &Expr, otherwise: Option<&Block>) {
        let value = self.scrutinee(init);
        let Match { test, names } = of(pat, &value);
        if let (Some(test), Some(otherwise)) = (test, otherwise) {
            self.braced(Text::from("if (!").then(test).text(")"), |w| w.block(otherwise, &Dest::Discard));
            self.line("}".into());
        }
        self.define_all(names);
    }

    fn define_all(&mut self, names: Vec<(LocalId, Text)>) {
        for (local, value) in names {
            self.define(local, value);
        }
    }

    /// A value that can be mentioned many times.
    fn scrutinee(&mut self, expr: &Expr) -> Text {
        let text = self.value(expr);
        let stable = match expr.kind {
            ExprKind::Local(local) => !self.body[local].mutable && self.body[local].kind == LocalKind::Value,
            ExprKind::Captured(_) => true,
            _ => false,
        };
        if stable { text } else { self.temporary(text) }
    }

    /// An else-if chain. The last arm needs no test, since rustc has seen that some arm matches.
    pub(super) fn match_(&mut self, scrutinee: &Expr, arms: &[Arm], dest: &Dest) {
        let value = self.scrutinee(scrutinee);
        // Inside an open `else`, and how many of them are open.
        let (mut chained, mut depth) = (false, 0);
        for (at, arm) in arms.iter().enumerate() {
            let Match { test, names } = of(&arm.pat, &value);
            let last = at + 1 == arms.len() || test.is_none();
            if last && arm.guard.is_none() {
                self.line(if chained { "} else {".into() } else { "{".into() });
                self.indent += 1;
                self.define_all(names);
                self.nested(&arm.body, dest);
                self.indent -= 1;
                chained = true;
                break;
            }
            let open = |chained: bool, test: Text| {
                Text::from(if chained { "} else if (" } else { "if (" }).then(test).text(")")
            };
            match &arm.guard {
                None => {
                    self.braced(open(chained, test.unwrap_or_else(|| "true".into())), |w| {
                        w.define_all(names);
                        w.nested(&arm.body, dest);
                    });
                }
                Some(guard) => {
                    // Of a guard that changes or calls something it is seen how often it is asked.
                    let asked = effects::of(guard, self.body);
                    let ways = ways(&arm.pat, &value, asked.writes || asked.stops);
                    // The guard uses the names, so they come before it.
                    let alone = names.is_empty() && ways.len() == 1 && self.inline(guard);
                    if chained && !alone {
                        self.line("} else {".into());
                        self.indent += 1;
                        depth += 1;
                        chained = false;
                    }
                    let test = if ways.len() == 1 {
                        self.define_all(names);
                        self.guarded(test, guard)
                    } else {
                        self.guarded_each(&arm.pat, ways, guard)
                    };
                    self.braced(open(chained, test), |w| w.nested(&arm.body, dest));
                }
            }
            chained = true;
        }
        if chained {
            self.line("}".into());
        }
        for _ in 0..depth {
            self.indent -= 1;
            self.line("}".into());
        }
    }

    /// The guard is asked for each alternative that matches, with the names of that alternative, until it agrees.
    fn guarded_each(&mut self, pat: &Pat, ways: Vec<Way>, guard: &Expr) -> Text {
        for local in pat.locals() {
            let slot = self.body[local].slot;
            let name = self.local(local).to_owned();
            self.line(Text::new().hole(Node::Type(slot.number())).text(format!(" {name}{{}};")));
        }
        let taken = self.namer.temporary();
        self.line(Text::new().text(format!("bool {taken} = false;")));
        // Whichever way asks it.
        self.wait_before(guard);
        for Way { tests, names } in ways {
            let tests = [Text::new().text(format!("!{taken}"))].into_iter().chain(tests);
            self.braced(Text::from("if (").then(all(tests)).text(")"), |w| {
                for (local, value) in names {
                    let name = w.local(local).to_owned();
                    w.line(Text::new().text(format!("{name} = ")).then(value).text(";"));
                }
                w.nested(guard, &Dest::Assign(taken.clone()));
            });
            self.line("}".into());
        }
        Text::new().text(taken)
    }

    fn guarded(&mut self, test: Option<Text>, guard: &Expr) -> Text {
        match test {
            None => self.value(guard),
            Some(test) if self.inline(guard) => {
                let guard = self.value(guard);
                test.text(" && ").then(guard)
            }
            Some(test) => {
                let name = self.namer.temporary();
                self.line(Text::new().text(format!("bool {name} = ")).then(test).text(";"));
                self.braced(Text::new().text(format!("if ({name})")), |w| w.nested(guard, &Dest::Assign(name.clone())));
                self.line("}".into());
                Text::new().text(name)
            }
        }
    }

    /// Defines the names of a pattern that always matches.
    pub(super) fn bind(&mut self, pat: &Pat, value: &Text) {
        self.define_all(of(pat, value).names);
    }

    /// Evaluates the value and leaves the loop around where it does not match.
    pub(super) fn while_let_head(&mut self, pat: &Pat, scrutinee: &Expr) {
        let value = self.scrutinee(scrutinee);
        let Match { test, names } = of(pat, &value);
        if let Some(test) = test {
            self.line(Text::from("if (!").then(test).text(") break;"));
        }
        self.define_all(names);
    }
}

/// Texts with something between them.
fn joined(texts: impl IntoIterator<Item = Text>, between: &str) -> Text {
    texts.into_iter().enumerate().fold(
        Text::new(),
        |all, (at, text)| {
            if at > 0 { all.text(between).then(text) } else { text }
        },
    )
}

/// The tests of a way as one.
fn test(way: &Way) -> Text {
    all(way.tests.iter().cloned())
}

/// Several tests as one. Those of structs turn out to be none.
fn all(tests: impl IntoIterator<Item = Text>) -> Text {
    Text::new().hole(Node::All(tests.into_iter().fold(Text::new(), |all, test| all.hole(Node::Test(test)))))
}

/// What a pattern does where no guard asks for each alternative.
fn of(pat: &Pat, value: &Text) -> Match {
    let mut ways = ways(pat, value, false);
    // No way after one that always matches is tried.
    let always = ways.iter().position(|way| way.tests.is_empty());
    if let Some(always) = always {
        ways.truncate(always + 1);
    }
    if let [way] = ways.as_mut_slice() {
        let test = (!way.tests.is_empty()).then(|| test(way));
        return Match { test, names: std::mem::take(&mut way.names) };
    }
    let any = Text::from("(").then(joined(ways.iter().map(test), " || ")).text(")");
    // Each name has the value of the first way that matches; the last needs no test.
    let names = pat.locals().into_iter().filter_map(|local| {
        let mut values = ways
            .iter()
            .rev()
            .filter_map(|way| way.names.iter().find(|(l, _)| *l == local).map(|(_, value)| (test(way), value.clone())));
        let (_, last) = values.next()?;
        let value = values.fold(last, |rest, (test, value)| {
            Text::from("(").then(test).text(" ? ").then(value).text(" : ").then(rest).text(")")
        });
        Some((local, value))
    });
    Match { names: names.collect(), test: always.is_none().then_some(any) }
}

/// Every way to match. `each`: alternatives are ways of their own also where they bind no names.
fn ways(pat: &Pat, value: &Text, each: bool) -> Vec<Way> {
    let tested = |test: Text| vec![Way { tests: vec![test], names: Vec::new() }];
    match &pat.kind {
        PatKind::Wild => vec![Way::default()],
        PatKind::Bind { local, sub } => {
            let mut bound = sub.as_ref().map_or_else(|| vec![Way::default()], |sub| ways(sub, value, each));
            bound.iter_mut().for_each(|way| way.names.insert(0, (*local, value.clone())));
            bound
        }
        PatKind::Bool(true) => tested(value.clone()),
        PatKind::Bool(false) => tested(Text::from("!").then(value.clone())),
        PatKind::Number { .. } => tested(compared("is", value, pat)),
        PatKind::Constant { slot, path: _ } => tested(Text::new().hole(Node::Is(slot.number(), value.clone()))),
        PatKind::Range { lo, hi, inclusive } => {
            let lo = lo.as_ref().map(|lo| compared("ge", value, lo));
            let hi = hi.as_ref().map(|hi| compared(if *inclusive { "le" } else { "lt" }, value, hi));
            vec![Way { tests: lo.into_iter().chain(hi).collect(), names: Vec::new() }]
        }
        PatKind::Struct { fields, slot, path: _, rest: _ } => {
            let part = |member: &String| named_part(*slot, member.clone(), value);
            let parts = every(fields.iter().map(|(member, pat)| (pat, part(member))), each);
            only_if(Text::new().hole(Node::Is(slot.number(), value.clone())), parts)
        }
        PatKind::TupleStruct { list, slot, path: _ } => {
            let front = |at| named_part(*slot, format!("m{at}"), value);
            let back = |at| Text::new().hole(Node::PartFromLast(slot.number(), at, value.clone()));
            let parts = every(parts(list, front, back), each);
            only_if(Text::new().hole(Node::Is(slot.number(), value.clone())), parts)
        }
        PatKind::Tuple(list) => {
            every(parts(list, |at| value.clone().text(format!(".m{at}")), |at| last(at, value)), each)
        }
        PatKind::Array(list) => {
            every(parts(list, |at| value.clone().text(format!(".e[{at}]")), |at| last(at, value)), each)
        }
        PatKind::Or(pats) if !each && pat.locals().is_empty() => {
            let tests: Vec<Option<Text>> = pats.iter().map(|pat| of(pat, value).test).collect();
            let Some(tests) = tests.into_iter().collect::<Option<Vec<Text>>>() else { return vec![Way::default()] };
            tested(Text::from("(").then(joined(tests, " || ")).text(")"))
        }
        PatKind::Or(pats) => pats.iter().flat_map(|pat| ways(pat, value, each)).collect(),
    }
}

/// A field of a struct or variant.
fn named_part(slot: SlotId, member: String, of: &Text) -> Text {
    Text::new().hole(Node::Part(slot.number(), member, of.clone()))
}

/// A part of a tuple or array, counted from the last.
fn last(at: u32, of: &Text) -> Text {
    Text::new().text(format!("ab::last<{at}>(")).then(of.clone()).text(")")
}

/// The patterns of a list with their values: of those behind `..`, the number counts from the last.
fn parts(list: &List, front: impl Fn(u32) -> Text, back: impl Fn(u32) -> Text) -> impl Iterator<Item = (&Pat, Text)> {
    let front = (0..).zip(&list.front).map(move |(at, pat)| (pat, front(at)));
    front.chain((0..).zip(list.back.iter().flatten().rev()).map(move |(at, pat)| (pat, back(at))))
}

/// Ways that begin with a test.
fn only_if(test: Text, mut ways: Vec<Way>) -> Vec<Way> {
    ways.iter_mut().for_each(|way| way.tests.insert(0, test.clone()));
    ways
}

/// Several patterns, each with its value, in every combination of their ways.
fn every<'p>(parts: impl Iterator<Item = (&'p Pat, Text)>, each: bool) -> Vec<Way> {
    parts.fold(vec![Way::default()], |so_far, (pat, place)| {
        let here = ways(pat, &place, each);
        so_far
            .iter()
            .flat_map(|way| {
                here.iter().map(|next| {
                    let mut way = way.clone();
                    way.tests.extend(next.tests.iter().cloned());
                    way.names.extend(next.names.iter().cloned());
                    way
                })
            })
            .collect()
    })
}

/// A comparison with a number or a constant. The prelude makes the number one of the value's type.
fn compared(how: &str, value: &Text, with: &Pat) -> Text {
    let with = match &with.kind {
        PatKind::Constant { slot, .. } => Text::new().hole(Node::Constant(slot.number())),
        PatKind::Number { digits, float, .. } => Text::new().text(number(digits, *float)),
        // The parser allows nothing else.
        _ => Text::new(),
    };
    Text::new().text(format!("ab::{how}(")).then(value.clone()).text(", ").then(with).text(")")
}

/// A number whose type C++ finds out: wide enough for its digits.
fn number(digits: &str, float: bool) -> String {
    let digits = digits.replace('_', "");
    if float {
        let (f32, f64) = (digits.parse::<f32>().unwrap_or_default(), digits.parse::<f64>().unwrap_or_default());
        // C++ has no literal for infinity, which a number is that only the other type can hold.
        let narrow = match f32.is_finite() {
            // As a double that has exactly the value of the float.
            true => format!("(f32){:?}", f64::from(f32)),
            false => format!("ab::from_bits<f32>({}u)", f32.to_bits()),
        };
        let wide = match f64.is_finite() {
            true => format!("{f64:?}"),
            false => format!("ab::from_bits<f64>({}ull)", f64.to_bits()),
        };
        return format!("{narrow}, {wide}");
    }
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let value: u128 = digits.parse().unwrap_or_default();
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) if value <= i32::MAX.into() => format!("{sign}{value}"),
        (Ok(value), _) => format!("{sign}{value}ll"),
        (Err(_), Ok(value)) if sign.is_empty() => format!("{value}ull"),
        _ => {
            let value = if sign.is_empty() { value } else { value.wrapping_neg() };
            let ty = if sign.is_empty() { "u128" } else { "i128" };
            format!("({ty})((u128){}ull << 64 | {}ull)", (value >> 64) as u64, value as u64)
        }
    }
}
