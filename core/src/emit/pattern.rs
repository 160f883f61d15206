//! Patterns: what they test, and where the values of their names are. Tuples, arrays and structs
//! hold their parts, whatever the values are; enums hold the parts of all variants. So a name can
//! get its value before the test.

use super::nodes::{Arm, Block, Expr, ExprKind, List, LocalId, LocalKind, Pat, PatKind};
use super::writer::{Dest, Writer};
use crate::ir::effects;

/// One way to match: every test holds; then the names have these values.
#[derive(Clone, Default)]
struct Way {
    tests: Vec<String>,
    names: Vec<(LocalId, String)>,
}

/// What a pattern does.
struct Match {
    /// `None`: it always matches.
    test: Option<String>,
    names: Vec<(LocalId, String)>,
}

impl Writer<'_> {
    pub(super) fn let_pattern(&mut self, pat: &Pat, init: &Expr, otherwise: Option<&Block>) {
        let value = self.scrutinee(init);
        let Match { test, names } = self.matched(pat, &value);
        if let (Some(test), Some(otherwise)) = (test, otherwise) {
            self.braced(&format!("if (!{test})"), |w| w.block(otherwise, &Dest::Discard));
            self.line("}");
        }
        self.define_all(names);
    }

    fn define_all(&mut self, names: Vec<(LocalId, String)>) {
        for (local, value) in names {
            self.define(local, &value);
        }
    }

    /// A value that can be mentioned many times.
    fn scrutinee(&mut self, expr: &Expr) -> String {
        let text = self.value(expr);
        let stable = match expr.kind {
            ExprKind::Local(local) => !self.body[local].mutable && self.body[local].kind == LocalKind::Value,
            ExprKind::Captured(_) => true,
            _ => false,
        };
        if stable { text } else { self.temporary(&text) }
    }

    /// An else-if chain. The last arm needs no test, since rustc has seen that some arm matches.
    pub(super) fn match_(&mut self, scrutinee: &Expr, arms: &[Arm], dest: &Dest) {
        let value = self.scrutinee(scrutinee);
        // Inside an open `else`, and how many of them are open.
        let (mut chained, mut depth) = (false, 0);
        for (at, arm) in arms.iter().enumerate() {
            let Match { test, names } = self.matched(&arm.pat, &value);
            let last = at + 1 == arms.len() || test.is_none();
            if last && arm.guard.is_none() {
                self.line(if chained { "} else {" } else { "{" });
                self.indent += 1;
                self.define_all(names);
                self.nested(&arm.body, dest);
                self.indent -= 1;
                chained = true;
                break;
            }
            let open = |chained: bool, test: &str| format!("{}if ({test})", if chained { "} else " } else { "" });
            match &arm.guard {
                None => {
                    // Without a test, it would be the last.
                    let test = test.unwrap_or_default();
                    self.braced(&open(chained, &test), |w| {
                        w.define_all(names);
                        w.nested(&arm.body, dest);
                    });
                }
                Some(guard) => {
                    // How often a guard runs can be observed if it changes or calls something.
                    let effects = effects::of(guard, self.body);
                    let ways = self.ways(&arm.pat, &value, effects.writes || effects.stops);
                    // The guard uses the names, so they come before it.
                    let alone = names.is_empty() && ways.len() == 1 && self.inline(guard);
                    if chained && !alone {
                        self.line("} else {");
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
                    self.braced(&open(chained, &test), |w| w.nested(&arm.body, dest));
                }
            }
            chained = true;
        }
        if chained {
            self.line("}");
        }
        for _ in 0..depth {
            self.indent -= 1;
            self.line("}");
        }
    }

    /// The guard runs for each alternative that matches, with the names of that alternative, until
    /// it is true.
    fn guarded_each(&mut self, pat: &Pat, ways: Vec<Way>, guard: &Expr) -> String {
        for local in pat.locals() {
            let slot = self.body[local].slot;
            let name = self.local(local).to_owned();
            self.line(format!("{} {name}{{}};", self.types.ty(slot)));
        }
        let taken = self.namer.temporary();
        self.line(format!("bool {taken} = false;"));
        // Before the first run of the guard, whichever alternative that is for.
        self.wait_before(guard);
        for Way { tests, names } in ways {
            let tests: Vec<String> = [format!("!{taken}")].into_iter().chain(tests).collect();
            self.braced(&format!("if ({})", all(&tests)), |w| {
                for (local, value) in names {
                    let name = w.local(local).to_owned();
                    w.line(format!("{name} = {value};"));
                }
                w.nested(guard, &Dest::Assign(taken.clone()));
            });
            self.line("}");
        }
        taken
    }

    fn guarded(&mut self, test: Option<String>, guard: &Expr) -> String {
        match test {
            None => self.value(guard),
            Some(test) if self.inline(guard) => format!("{test} && {}", self.value(guard)),
            Some(test) => {
                let name = self.namer.temporary();
                self.line(format!("bool {name} = {test};"));
                self.braced(&format!("if ({name})"), |w| w.nested(guard, &Dest::Assign(name.clone())));
                self.line("}");
                name
            }
        }
    }

    /// Defines the names of a pattern that always matches.
    pub(super) fn bind(&mut self, pat: &Pat, value: &str) {
        let names = self.matched(pat, value).names;
        self.define_all(names);
    }

    /// Evaluates the value and leaves the loop around where it does not match.
    pub(super) fn while_let_head(&mut self, pat: &Pat, scrutinee: &Expr) {
        let value = self.scrutinee(scrutinee);
        let Match { test, names } = self.matched(pat, &value);
        if let Some(test) = test {
            self.line(format!("if (!{test}) break;"));
        }
        self.define_all(names);
    }
}

impl Writer<'_> {
    /// What a pattern does where no guard runs for each alternative.
    fn matched(&self, pat: &Pat, value: &str) -> Match {
        let mut ways = self.ways(pat, value, false);
        // No way after one that always matches is tried.
        let always = ways.iter().position(|way| way.tests.is_empty());
        if let Some(always) = always {
            ways.truncate(always + 1);
        }
        if let [way] = ways.as_mut_slice() {
            let test = (!way.tests.is_empty()).then(|| all(&way.tests));
            return Match { test, names: std::mem::take(&mut way.names) };
        }
        let any = ways.iter().map(|way| all(&way.tests)).collect::<Vec<_>>().join(" || ");
        // Each name has the value of the first way that matches; the last needs no test.
        let names = pat.locals().into_iter().filter_map(|local| {
            let of_way = |way: &Way| {
                let (_, value) = way.names.iter().find(|(of, _)| *of == local)?;
                Some((all(&way.tests), value.clone()))
            };
            let mut values = ways.iter().rev().filter_map(of_way);
            let (_, last) = values.next()?;
            Some((local, values.fold(last, |rest, (test, value)| format!("({test} ? {value} : {rest})"))))
        });
        Match { names: names.collect(), test: always.is_none().then(|| format!("({any})")) }
    }

    /// Every way to match. `each`: alternatives are ways of their own also where they bind no
    /// names.
    fn ways(&self, pat: &Pat, value: &str, each: bool) -> Vec<Way> {
        let tested = |test| only_if(Some(test), vec![Way::default()]);
        match &pat.kind {
            PatKind::Wild => vec![Way::default()],
            PatKind::Bind { local, sub } => {
                let mut bound = sub.as_ref().map_or_else(|| vec![Way::default()], |sub| self.ways(sub, value, each));
                bound.iter_mut().for_each(|way| way.names.insert(0, (*local, value.to_owned())));
                bound
            }
            PatKind::Bool(true) => tested(value.to_owned()),
            PatKind::Bool(false) => tested(format!("!{value}")),
            PatKind::Number { .. } => tested(self.compared("is", value, pat)),
            PatKind::Constant { slot, path: _ } => only_if(self.types.is(*slot, value), vec![Way::default()]),
            PatKind::Range { lo, hi, inclusive } => {
                let lo = lo.as_ref().map(|lo| self.compared("ge", value, lo));
                let hi = hi.as_ref().map(|hi| self.compared(if *inclusive { "le" } else { "lt" }, value, hi));
                vec![Way { tests: lo.into_iter().chain(hi).collect(), names: Vec::new() }]
            }
            PatKind::Struct { fields, slot, path: _, rest: _ } => {
                let of = self.types.fields(*slot);
                let part = |member: &String| format!("{value}{}.{member}", of.path);
                let parts = self.every(fields.iter().map(|(member, pat)| (pat, part(member))), each);
                only_if(self.types.is(*slot, value), parts)
            }
            PatKind::TupleStruct { list, slot, path: _ } => {
                let of = self.types.fields(*slot);
                let front = |at| format!("{value}{}.m{at}", of.path);
                let back = |at| front((of.count as u32).saturating_sub(1 + at));
                let parts = self.every(parts(list, front, back), each);
                only_if(self.types.is(*slot, value), parts)
            }
            PatKind::Tuple(list) => self.every(parts(list, |at| format!("{value}.m{at}"), |at| last(at, value)), each),
            PatKind::Array(list) => {
                self.every(parts(list, |at| format!("{value}.e[{at}]"), |at| last(at, value)), each)
            }
            PatKind::Or(pats) if !each && pat.locals().is_empty() => {
                let tests = pats.iter().map(|pat| self.matched(pat, value).test);
                match tests.collect::<Option<Vec<String>>>() {
                    Some(tests) => tested(format!("({})", tests.join(" || "))),
                    None => vec![Way::default()],
                }
            }
            PatKind::Or(pats) => pats.iter().flat_map(|pat| self.ways(pat, value, each)).collect(),
        }
    }

    /// Several patterns, each with its value, in every combination of their ways.
    fn every<'p>(&self, parts: impl Iterator<Item = (&'p Pat, String)>, each: bool) -> Vec<Way> {
        parts.fold(vec![Way::default()], |so_far, (pat, place)| {
            let here = self.ways(pat, &place, each);
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

    /// A comparison with a number or a constant. The prelude makes the number one of the value's
    /// type.
    fn compared(&self, how: &str, value: &str, with: &Pat) -> String {
        let with = match &with.kind {
            PatKind::Constant { slot, .. } => self.types.constant(*slot),
            PatKind::Number { digits, float, .. } => number(digits, *float),
            // The parser allows nothing else.
            _ => String::new(),
        };
        format!("ab::{how}({value}, {with})")
    }
}

/// Several tests as one. There is at least one.
fn all(tests: &[String]) -> String {
    match tests {
        [one] => one.clone(),
        tests => format!("({})", tests.join(" && ")),
    }
}

/// A part of a tuple or array, counted from the last.
fn last(at: u32, of: &str) -> String {
    format!("ab::last<{at}>({of})")
}

/// The patterns of a list with their values: of those after `..`, the number counts from the last.
fn parts(
    list: &List,
    front: impl Fn(u32) -> String,
    back: impl Fn(u32) -> String,
) -> impl Iterator<Item = (&Pat, String)> {
    let front = (0..).zip(&list.front).map(move |(at, pat)| (pat, front(at)));
    front.chain((0..).zip(list.back.iter().flatten().rev()).map(move |(at, pat)| (pat, back(at))))
}

/// Ways that begin with a test. Structs have none, nor has the only variant of an enum.
fn only_if(test: Option<String>, mut ways: Vec<Way>) -> Vec<Way> {
    if let Some(test) = test {
        ways.iter_mut().for_each(|way| way.tests.insert(0, test.clone()));
    }
    ways
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
