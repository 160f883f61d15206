//! Random accesses, counted by a plan and one by one.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_core::banks::Op;
use anabranch_core::ops::{BinOp, CompareOp};

use super::numbers::{Course, Values};
use super::warps;
use crate::model::banks::{Number, PathStep, Touch, Touches};
use crate::value::{DeviceType, DeviceValue};

/// Accesses that are counted; `ANABRANCH_PROGRAMS` for more.
const CASES: usize = 10_000;
/// Values of a number that may be any.
const VALUES: u64 = 100;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

enum Expr {
    Int(u64),
    Place(u32),
    Common(u32),
    Binary(BinOp, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// With as many operators at most in each other.
    fn random(random: &mut Random, depth: u64, dims: u64, common: u64) -> Expr {
        use BinOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        let leaf = random.below(4);
        if depth == 0 || leaf == 0 {
            return match random.below(8) {
                0 => Expr::Int(random.below(40)),
                1..=2 if common > 0 => Expr::Common(random.below(common) as u32),
                _ => Expr::Place(random.below(dims) as u32),
            };
        }
        let op = random.of(&[Add, Add, Add, Mul, Mul, Mul, Sub, Div, Rem, Rem, And, Or, Xor, Xor, Shl, Shr]);
        let lhs = Expr::random(random, depth - 1, dims, common);
        let rhs = match op {
            Add | Sub | Or | Xor => Expr::random(random, depth - 1, dims, common),
            Mul => Expr::Int(random.of(&[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 64])),
            Div | Rem => Expr::Int(random.below(5) + 1),
            And => Expr::Int(random.below(8)),
            Shl | Shr => Expr::Int(random.below(4)),
        };
        Expr::Binary(op, Box::new(lhs), Box::new(rhs))
    }

    fn number(&self) -> Vec<Op> {
        match self {
            Expr::Int(value) => vec![Op::Int(*value)],
            Expr::Place(dim) => vec![Op::Place(*dim)],
            Expr::Common(at) => vec![Op::Common(*at)],
            Expr::Binary(op, lhs, rhs) => [lhs.number(), rhs.number(), vec![Op::Binary(*op)]].concat(),
        }
    }

    /// The value of a `usize`, and whether it has wrapped.
    fn value(&self, place: &[u64], common: &[u64], wraps: &mut bool) -> u64 {
        let Expr::Binary(op, lhs, rhs) = self else {
            return match self {
                Expr::Place(dim) => place[*dim as usize],
                Expr::Common(at) => common[*at as usize],
                Expr::Int(value) => *value,
                Expr::Binary(..) => unreachable!(),
            };
        };
        let (a, b) = (lhs.value(place, common, wraps), rhs.value(place, common, wraps));
        match op {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => {
                *wraps |= a < b;
                a.wrapping_sub(b)
            }
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::Div => a / b,
            BinOp::Rem => a % b,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => a << b,
            BinOp::Shr => a >> b,
        }
    }
}

/// What threads have in common.
enum Common {
    Rounds(u64),
    /// Iteration `(i, …)` has `i % n + 1` rounds.
    RoundsOf(u64),
    Any,
}

/// Its size, its alignment, and what is read of it at once at most.
type Element = (u64, u64, u64);

struct Case {
    lens: Vec<u64>,
    element: Element,
    longer: u64,
    threads: u64,
    counts: Vec<u64>,
    common: Vec<Common>,
    index: Vec<Expr>,
    /// Only iterations where this is below the number.
    condition: Option<(Expr, u64)>,
}

fn leak<T>(value: Vec<T>) -> &'static [T] {
    value.leak()
}

fn types() -> Vec<(&'static DeviceType, Element)> {
    let (f32, f64, u16) = (<f32 as DeviceValue>::TYPE, <f64 as DeviceValue>::TYPE, <u16 as DeviceValue>::TYPE);
    let tuple = |parts: Vec<&'static DeviceType>| -> &'static DeviceType {
        Box::leak(Box::new(DeviceType::Tuple(leak(parts))))
    };
    vec![
        (<u8 as DeviceValue>::TYPE, (1, 1, 16)),
        (u16, (2, 2, 16)),
        (f32, (4, 4, 16)),
        (f64, (8, 8, 16)),
        (<u128 as DeviceValue>::TYPE, (16, 16, 16)),
        (tuple(vec![f32, f32, f32]), (12, 4, 16)),
        (tuple(vec![f32, f32, f32, f32]), (16, 4, 16)),
        (tuple(vec![u16, u16, u16]), (6, 2, 16)),
        (tuple(vec![f64, f32]), (16, 8, 8)),
    ]
}

impl Case {
    fn random(random: &mut Random, element: Element) -> Case {
        let dims = random.below(3) + 1;
        let counts = match dims {
            1 => vec![random.below(100) + 1],
            2 => vec![random.below(4) + 1, random.of(&[3, 8, 16, 18, 31, 32, 33, 40])],
            _ => vec![random.below(3) + 1, random.below(5) + 1, random.of(&[2, 4, 7, 8, 16])],
        };
        let common = (0..random.below(3)).map(|at| match random.below(5) {
            0 if at == 0 => Common::Any,
            1 => Common::RoundsOf(random.below(3) + 1),
            _ => Common::Rounds(random.of(&[0, 1, 2, 3, 4, 8])),
        });
        let common: Vec<Common> = common.collect();
        let lens = (0..random.below(2) + 1).map(|_| random.of(&[8, 16, 17, 30, 32, 33, 64, 100, 128]));
        let lens: Vec<u64> = lens.collect();
        let depth = random.below(3) + 1;
        let mut expr = |depth: u64| Expr::random(random, depth, dims, common.len() as u64);
        let mut index: Vec<Expr> = lens.iter().map(|_| expr(depth)).collect();
        let condition = expr(1);
        if let (Some(at), Some(last), 0) = (common.len().checked_sub(1), index.last_mut(), random.below(6)) {
            // Some elements in a row.
            let first = std::mem::replace(last, Expr::Common(at as u32));
            let first = Expr::Binary(BinOp::Mul, Box::new(first), Box::new(Expr::Int(random.of(&[2, 4, 8]))));
            *last = Expr::Binary(BinOp::Add, Box::new(first), Box::new(Expr::Common(at as u32)));
        }
        let condition = Some((condition, random.below(20))).filter(|_| random.below(4) == 0);
        let longer = if lens.len() > 1 { random.below(4) } else { 0 };
        let threads = random.of(&[8, 32, 48, 64, 100, 128]);
        Case { lens, element, longer, threads, counts, common, index, condition }
    }

    fn told(&self, element: &'static DeviceType) -> Result<u32, &'static str> {
        let number = |ops: Vec<Op>| -> Number { leak(ops) };
        let common = self.common.iter().map(|common| match common {
            Common::Any => number(Vec::new()),
            Common::Rounds(rounds) => number(vec![Op::Int(*rounds)]),
            Common::RoundsOf(most) => {
                let (rem, add) = (Op::Binary(BinOp::Rem), Op::Binary(BinOp::Add));
                number(vec![Op::Place(0), Op::Int(*most), rem, Op::Int(1), add])
            }
        });
        let condition = self
            .condition
            .iter()
            .map(|(expr, below)| number([expr.number(), vec![Op::Int(*below), Op::Compare(CompareOp::Lt)]].concat()));
        let path = self.index.iter().map(|index| PathStep::Element(number(index.number())));
        let touch = Touch {
            array: 0,
            access: "",
            line: 1,
            column: 1,
            write: false,
            path: Some(leak(path.collect())),
            conditions: leak(condition.collect()),
        };
        let counts = self.counts.iter().map(|count| number(vec![Op::Int(*count)]));
        let phase = Touches { counts: leak(counts.collect()), common: leak(common.collect()), touches: &[] };
        let array = self
            .lens
            .iter()
            .rev()
            .fold(element, |element, len| Box::leak(Box::new(DeviceType::Array(element, *len as usize))));
        warps::ways((&phase, &touch), array, self.longer as usize, &[], self.threads as u32)
    }

    fn has_any(&self) -> bool {
        self.is_any(self.index.iter())
    }

    /// Whether one of these depends on a number that may be any.
    fn is_any<'e>(&self, mut of: impl Iterator<Item = &'e Expr>) -> bool {
        of.any(|expr| matches!(self.common.first(), Some(Common::Any)) && expr.number().contains(&Op::Common(0)))
    }

    /// All values of what threads have in common.
    fn combinations(&self) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for (at, common) in self.common.iter().enumerate() {
            // Others are of loops that may be somewhere else.
            let of = self.index.iter().chain(self.condition.iter().map(|(expr, _)| expr));
            let is_used = of.into_iter().any(|expr| expr.number().contains(&Op::Common(at as u32)));
            let values = match common {
                Common::Rounds(rounds) if is_used => *rounds,
                Common::RoundsOf(most) if is_used => *most,
                Common::Any if self.has_any() => VALUES,
                Common::Rounds(_) | Common::RoundsOf(_) | Common::Any => 1,
            };
            all = all.iter().flat_map(|one| (0..values).map(|value| [&one[..], &[value]].concat())).collect();
        }
        all
    }

    /// The byte that each thread of each warp begins at, with all values of what threads have in common. Whether all could be tried.
    fn lanes(&self) -> (Vec<(Vec<u64>, Lanes)>, bool) {
        let (mut lanes, mut all) = (Vec::new(), true);
        for common in self.combinations() {
            let mut warps: BTreeMap<(u64, u64), Lanes> = BTreeMap::new();
            let (mut wraps, mut beyond) = (false, false);
            for number in 0..self.counts.iter().product() {
                let place = self.place(number);
                let runs = self.common.iter().zip(&common).all(|(common, value)| match common {
                    Common::RoundsOf(most) => *value <= place[0] % most,
                    Common::Rounds(_) | Common::Any => true,
                });
                let mut of_condition = false;
                let holds = self.condition.as_ref().is_none_or(|(expr, below)| {
                    let value = expr.value(&place, &common, &mut of_condition);
                    value < *below || of_condition || self.is_any(std::iter::once(expr))
                });
                if runs && holds {
                    let byte = self.byte(&place, &common, &mut wraps, &mut beyond);
                    let thread = number % self.threads;
                    warps.entry((number / self.threads, thread / 32)).or_default().push((thread % 32, byte));
                }
            }
            // An index that has wrapped is in no array, whatever follows from it. Nor has any number a value with which one would wrap.
            if beyond || wraps && self.has_any() {
                all = false;
            } else {
                lanes.extend(warps.into_values().map(|warp| (common.clone(), warp)));
            }
        }
        (lanes, all)
    }

    fn place(&self, number: u64) -> Vec<u64> {
        let (mut rest, mut place) = (number, vec![0; self.counts.len()]);
        for (place, count) in place.iter_mut().zip(&self.counts).rev() {
            (*place, rest) = (rest % count, rest / count);
        }
        place
    }

    fn byte(&self, place: &[u64], common: &[u64], wraps: &mut bool, beyond: &mut bool) -> u128 {
        let row = self.lens.last().map_or(1, |len| len + self.longer);
        let index: Vec<u64> = self.index.iter().map(|index| index.value(place, common, wraps)).collect();
        *beyond |= index.iter().any(|index| *index > u64::MAX / 2);
        let element = index.iter().fold(0, |at, index| at * u128::from(row) + u128::from(*index));
        element * u128::from(self.element.0)
    }

    /// The loops that move each thread from one element to the next: of which number, and how many rounds.
    fn in_a_row(&self) -> Vec<(usize, u64)> {
        let rounds = self.common.iter().enumerate().filter_map(|(at, common)| match common {
            Common::Rounds(rounds) if *rounds > 1 => Some((at, *rounds)),
            Common::Rounds(_) | Common::RoundsOf(_) | Common::Any => None,
        });
        let moves = |at: usize| {
            let uses = |expr: &Expr| expr.number().contains(&Op::Common(at as u32));
            let mut numbers =
                (0..self.counts.iter().product()).flat_map(|number| (0..40).map(move |round| (number, round)));
            !self.condition.iter().any(|(expr, _)| uses(expr))
                && numbers.all(|(number, round)| {
                    let mut common = vec![3; self.common.len()];
                    let mut byte = |round| {
                        common[at] = round;
                        self.byte(&self.place(number), &common, &mut false, &mut false)
                    };
                    byte(round).checked_add(u128::from(self.element.0)) == Some(byte(round + 1))
                })
        };
        rounds.filter(|(at, _)| moves(*at)).collect()
    }

    /// Each warp, each round, each piece, word by word; and the same where loops touch elements in a row.
    fn counted(&self) -> (u32, Vec<u32>, bool) {
        let (lanes, all) = self.lanes();
        let (size, align, most) = self.element;
        let count = |lanes: &[&Lanes], bytes: u64| {
            let is_aligned =
                |piece: &u64| lanes.iter().all(|warp| warp.iter().all(|(_, byte)| byte % u128::from(*piece) == 0));
            let mut pieces =
                [16, 8, 4, 2, 1].into_iter().filter(|piece| *piece <= most && bytes.is_multiple_of(*piece));
            let piece = pieces.find(|piece| *piece == align || is_aligned(piece)).unwrap_or(align);
            lanes.iter().map(|warp| turns(warp, piece, bytes)).max().unwrap_or(1).max(1)
        };
        let written = count(&lanes.iter().map(|(_, warp)| warp).collect::<Vec<_>>(), size);
        let joined = self.in_a_row().into_iter().map(|(at, rounds)| {
            let first: Vec<_> = lanes.iter().filter(|(common, _)| common[at] == 0).map(|(_, warp)| warp).collect();
            count(&first, size * rounds)
        });
        (written, joined.collect(), all)
    }
}

/// The threads of a warp that make an access, and the bytes that these begin at.
type Lanes = Vec<(u64, u128)>;

/// The most words of a bank.
fn turns(warp: &Lanes, piece: u64, bytes: u64) -> u32 {
    let parts = (piece / 4).max(1);
    let turn = |(at, part): (u64, u64)| {
        let own = warp.iter().filter(|(lane, _)| lane / (32 / parts) == part);
        let bytes = own.flat_map(|(_, byte)| (0..piece).map(move |more| byte + u128::from(at * piece + more)));
        let words: BTreeSet<u128> = bytes.map(|byte| byte / 4).collect();
        let mut banks = [0; 32];
        words.iter().for_each(|word| banks[(word % 32) as usize] += 1);
        banks.into_iter().max().unwrap_or(0)
    };
    let turns = (0..bytes / piece).flat_map(|at| (0..parts).map(move |part| (at, part)));
    turns.map(turn).max().unwrap_or(0)
}

#[test]
fn plans_count_as_one_counts() {
    let cases = std::env::var("ANABRANCH_PROGRAMS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let types = types();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut counted, mut open, mut with_any, mut conflicts, mut joins) = (0, 0, 0, 0, 0);
    while counted < cases {
        let (ty, element) = random.of(&types);
        let case = Case::random(&mut random, element);
        let Ok(told) = case.told(ty) else {
            open += 1;
            continue;
        };
        let (written, joined, all) = case.counted();
        if !all {
            continue;
        }
        let Case { lens, longer, threads, counts, .. } = &case;
        let index: Vec<Vec<Op>> = case.index.iter().map(Expr::number).collect();
        let condition = case.condition.as_ref().map(|(expr, below)| (expr.number(), below));
        let text =
            format!("{lens:?} + {longer} of {element:?}, {threads} threads, {counts:?}: {index:?}, {condition:?}");
        assert!(told == written || joined.contains(&told), "told {told}, counted {written} or {joined:?}: {text}");
        counted += 1;
        with_any += usize::from(case.has_any());
        conflicts += usize::from(told > 1);
        joins += usize::from(told != written);
    }
    // Of a number that may be any, some things are not known.
    println!(
        "{counted} counted, {conflicts} with conflicts, {joins} joined, {with_any} with any number; {open} not known"
    );
    assert!(open * 5 < counted && with_any * 50 > counted && conflicts * 6 > counted, "{open} {with_any} {conflicts}");
    assert!(joins * 1000 > counted, "{joins}");
}

/// What a number does after a period, it does in all threads.
#[test]
fn courses() {
    let mut random = Random(11);
    let mut moved = 0;
    for _ in 0..10_000 {
        let number: Number = leak(Expr::random(&mut random, 3, 2, 1).number());
        let Some(Course { period, by, .. }) = Course::of(number, 0, &[]) else { continue };
        moved += usize::from(by != 0 && period > 1);
        for at in 0..50 {
            let value = |first| {
                let place = [at % 7, at / 7, 0];
                Values { slots: &[], place, common: &[first], exact: false }.of(number)
            };
            let ends = value(at * 3).zip(value(at * 3 + period));
            assert!(ends.is_some_and(|(first, later)| later - first == by), "{number:?}: {period}, {by}");
        }
    }
    assert!(moved > 200, "{moved}");
}

/// Nobody knows how many iterations there are: no fewer of them have more conflicts.
#[test]
fn any_number_of_iterations() {
    let types = types();
    let mut random = Random(7);
    for _ in 0..500 {
        let (ty, element) = random.of(&types);
        let mut case = Case::random(&mut random, element);
        (case.common, case.condition) = (Vec::new(), None);
        case.index = case.lens.iter().map(|_| Expr::random(&mut random, 2, case.counts.len() as u64, 0)).collect();
        let told = |case: &Case, first: Vec<Op>| {
            let counts = std::iter::once(leak(first)).chain(case.counts[1..].iter().map(|n| leak(vec![Op::Int(*n)])));
            let path = case.index.iter().map(|index| PathStep::Element(leak(index.number())));
            let path = Some(leak(path.collect()));
            let touch = Touch { array: 0, access: "", line: 1, column: 1, write: true, path, conditions: &[] };
            let phase = Touches { counts: leak(counts.collect()), common: &[], touches: &[] };
            let array = case
                .lens
                .iter()
                .rev()
                .fold(ty, |element, len| Box::leak(Box::new(DeviceType::Array(element, *len as usize))));
            warps::ways((&phase, &touch), array, 0, &[], case.threads as u32).unwrap_or(32)
        };
        assert!(told(&case, Vec::new()) >= told(&case, vec![Op::Int(case.counts[0])]));
    }
}
