/// Runs a block. A panic ends only this block.
pub fn whole(block: impl FnOnce()) {
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(block));
}
type Of = std::ops::Range<usize>;
/// The indexes of blocks, in the order of `par_blocks`.
pub fn blocks1(a: Of) -> impl Iterator<Item = usize> { a }
pub fn blocks2((a, b): (Of, Of)) -> impl Iterator<Item = (usize, usize)> {
    a.flat_map(move |a| b.clone().map(move |b| (a, b)))
}
pub fn blocks3((a, b, c): (Of, Of, Of)) -> impl Iterator<Item = (usize, usize, usize)> {
    blocks2((a, b)).flat_map(move |(a, b)| c.clone().map(move |c| (a, b, c)))
}
/// The threads of a block, one after the other. A thread that panics ends, and the others continue.
pub struct Team<const T: usize> {
    ended: [std::cell::Cell<bool>; T],
}
impl<const T: usize> Team<T> {
    pub fn new() -> Self {
        Self { ended: std::array::from_fn(|_| std::cell::Cell::new(false)) }
    }
    pub fn shared<A>(&self, array: A) -> A { array }
    pub fn each<V: Copy>(&self, value: V) -> [V; T] { [value; T] }
    /// Runs code of a thread, unless the thread has ended.
    fn by<V>(&self, tid: usize, run: impl FnOnce() -> V) -> Option<V> {
        if self.ended[tid].get() { return None; }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok();
        self.ended[tid].set(done.is_none());
        done
    }
    /// A phase.
    pub fn run<const D: usize>(&self, ranges: [Of; D], mut body: impl FnMut(usize, [usize; D])) {
        let all: usize = ranges.iter().map(|range| range.len()).product();
        for number in 0..all {
            let (mut index, mut rest) = ([0; D], number);
            for dim in (0..D).rev() {
                index[dim] = ranges[dim].start + rest % ranges[dim].len();
                rest /= ranges[dim].len();
            }
            self.by(number % T, || body(number % T, index));
        }
    }
    /// The values of all threads. The values of ended threads are arbitrary, because then the
    /// block's results are unspecified.
    fn values<V: Copy>(&self, mut own: impl FnMut(usize) -> V) -> Vec<V> {
        let values: Vec<Option<V>> = (0..T).map(|tid| self.by(tid, || own(tid))).collect();
        let Some(any) = values.iter().copied().flatten().next() else { std::panic::resume_unwind(Box::new(())) };
        values.into_iter().map(|value| value.unwrap_or(any)).collect()
    }
    /// Folds by halves: in groups of 32, and then the results of the groups.
    fn folded<V: Copy>(&self, own: impl FnMut(usize) -> V, op: impl Fn(V, V) -> V) -> V {
        let group = |values: &[V]| {
            let mut values = values.to_vec();
            for distance in [16, 8, 4, 2, 1] {
                for k in 0..distance {
                    if k + distance < values.len() { values[k] = op(values[k], values[k + distance]); }
                }
                values.truncate(distance);
            }
            values[0]
        };
        group(&self.values(own).chunks(32).map(|values| group(values)).collect::<Vec<V>>())
    }
    pub fn sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> V { self.folded(own, V::plus) }
    pub fn product<V: Number>(&self, own: impl FnMut(usize) -> V) -> V { self.folded(own, V::times) }
    pub fn min<V: Number>(&self, own: impl FnMut(usize) -> V) -> V { self.folded(own, V::least) }
    pub fn max<V: Number>(&self, own: impl FnMut(usize) -> V) -> V { self.folded(own, V::greatest) }
    pub fn any(&self, own: impl FnMut(usize) -> bool) -> bool { self.values(own).contains(&true) }
    pub fn all(&self, own: impl FnMut(usize) -> bool) -> bool { !self.values(own).contains(&false) }
    pub fn count(&self, own: impl FnMut(usize) -> bool) -> usize { self.values(own).iter().filter(|own| **own).count() }
    #[track_caller]
    pub fn broadcast<V: Copy>(&self, own: impl FnMut(usize) -> V, thread: usize) -> V {
        let values: [V; T] = self.values(own).try_into().ok().unwrap();
        values[thread]
    }
    /// In groups of 32, adds the value of the lane at the distance 1, 2, 4, … before, on the left;
    /// then adds the totals of all groups before.
    pub fn inclusive_sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] {
        let (mut sums, mut totals) = (Vec::new(), None);
        for group in self.values(own).chunks(32) {
            let mut values = group.to_vec();
            for distance in [1, 2, 4, 8, 16] {
                let before = values.clone();
                for k in distance..values.len() { values[k] = before[k - distance].plus(before[k]); }
            }
            let total = *values.last().unwrap();
            sums.extend(values.iter().map(|value| totals.map_or(*value, |totals: V| totals.plus(*value))));
            totals = Some(totals.map_or(total, |totals| totals.plus(total)));
        }
        sums.try_into().ok().unwrap()
    }
    pub fn exclusive_sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] {
        let sums = self.inclusive_sum(own);
        std::array::from_fn(|tid| if tid == 0 { V::NOTHING } else { sums[tid - 1] })
    }
}
/// The warps of a block.
pub struct Warps<'t, const T: usize>(&'t Team<T>);
impl<const T: usize> Team<T> {
    pub fn warps(&self) -> Warps<'_, T> { Warps(self) }
}
impl<const T: usize> Warps<'_, T> {
    /// A warp folds and adds up as a block of 32 threads.
    fn each<V: Copy, R>(&self, own: impl FnMut(usize) -> V, of: impl Fn(Team<32>, &[V]) -> [R; 32]) -> [R; T] {
        let all: Vec<R> = self.0.values(own).chunks(32).flat_map(|warp| of(Team::new(), warp)).collect();
        all.try_into().ok().unwrap()
    }
    pub fn sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| [team.sum(|lane| own[lane]); 32]) }
    pub fn product<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| [team.product(|lane| own[lane]); 32]) }
    pub fn min<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| [team.min(|lane| own[lane]); 32]) }
    pub fn max<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| [team.max(|lane| own[lane]); 32]) }
    pub fn any(&self, own: impl FnMut(usize) -> bool) -> [bool; T] { self.each(own, |_, own| [own.contains(&true); 32]) }
    pub fn all(&self, own: impl FnMut(usize) -> bool) -> [bool; T] { self.each(own, |_, own| [!own.contains(&false); 32]) }
    pub fn count(&self, own: impl FnMut(usize) -> bool) -> [usize; T] { self.each(own, |team, own| [team.count(|lane| own[lane]); 32]) }
    pub fn inclusive_sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| team.inclusive_sum(|lane| own[lane])) }
    pub fn exclusive_sum<V: Number>(&self, own: impl FnMut(usize) -> V) -> [V; T] { self.each(own, |team, own| team.exclusive_sum(|lane| own[lane])) }
    pub fn ballot(&self, own: impl FnMut(usize) -> bool) -> [u32; T] { self.each(own, |_, own| [bits(own, true); 32]) }
    pub fn matching<V: Copy + PartialEq>(&self, own: impl FnMut(usize) -> V) -> [u32; T] {
        self.each(own, |_, own| std::array::from_fn(|lane| bits(own, own[lane])))
    }
    pub fn shuffle<V: Copy, L: Copy + TryInto<i128>>(&self, own: impl FnMut(usize) -> (V, L)) -> [V; T] {
        let number = |lane: L| lane.try_into().ok().unwrap().rem_euclid(32) as usize;
        self.each(own, |_, own| std::array::from_fn(|lane| own[number(own[lane].1)].0))
    }
}
/// A bit for each of the values that are equal to one.
fn bits<V: PartialEq>(own: &[V], one: V) -> u32 {
    own.iter().rev().fold(0, |bits, own| (bits << 1) | u32::from(*own == one))
}
/// A number that a block can sum up.
pub trait Number: Copy {
    const NOTHING: Self;
    const ZERO: Self;
    const UNIT: Self;
    const GREATEST: Self;
    const LEAST: Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn least(self, other: Self) -> Self;
    fn greatest(self, other: Self) -> Self;
}
macro_rules! numbers { ($nothing:literal, $unit:literal, $greatest:ident, $least:ident, $plus:ident, $times:ident: $($ty:ident)*) => { $(
    impl Number for $ty {
        const NOTHING: Self = $nothing;
        const ZERO: Self = $unit - $unit;
        const UNIT: Self = $unit;
        const GREATEST: Self = $ty::$greatest;
        const LEAST: Self = $ty::$least;
        fn plus(self, other: Self) -> Self { self.$plus(other) }
        fn times(self, other: Self) -> Self { self.$times(other) }
        fn least(self, other: Self) -> Self { self.min(other) }
        fn greatest(self, other: Self) -> Self { self.max(other) }
    }
)* } }
numbers!(0, 1, MAX, MIN, wrapping_add, wrapping_mul: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
use std::ops::{Add as _, Mul as _};
numbers!(-0.0, 1.0, INFINITY, NEG_INFINITY, add, mul: f32 f64);
