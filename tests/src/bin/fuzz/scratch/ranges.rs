// Reductions and scans in plain Rust, in the order of operations that the library documents.

/// The number of threads in a block of a reduction.
const THREADS: usize = 256;
/// Up to `ONE_PART` iterations are one part. More are at most `MOST_PARTS` parts, each a multiple
/// of the threads.
const ONE_PART: usize = 8192;
const MOST_PARTS: usize = 1024;
/// The number of iterations in a part.
fn chunk(iterations: usize) -> usize {
    let parts = iterations.div_ceil(ONE_PART).clamp(1, MOST_PARTS);
    iterations.div_ceil(parts).next_multiple_of(THREADS).max(THREADS)
}
/// Runs all iterations. If one panics, the others still run, but the code after them does not.
fn all<I, V>(indexes: impl Iterator<Item = I>, mut run: impl FnMut(I) -> V) -> Vec<V> {
    let done: Vec<Option<V>> = indexes
        .map(|index| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(index))).ok())
        .collect();
    let all = done.len();
    let done: Vec<V> = done.into_iter().flatten().collect();
    if done.len() < all { std::panic::resume_unwind(Box::new(())) }
    done
}
/// The iterations of a loop.
pub fn iterate<I>(indexes: impl IntoIterator<Item = I>, body: impl FnMut(I)) {
    all(indexes.into_iter(), body);
}
/// Nested ranges.
pub struct Ranges<const D: usize>([Of; D]);
pub fn ranges<const D: usize>(ranges: [Of; D]) -> Ranges<D> { Ranges(ranges) }
impl<const D: usize> Ranges<D> {
    fn indexes(&self) -> Vec<[usize; D]> {
        let mut all = vec![[0; D]];
        for (dim, range) in self.0.iter().enumerate() {
            all = all.into_iter().flat_map(|index| range.clone().map(move |at| { let mut index = index; index[dim] = at; index })).collect();
        }
        all
    }
    pub fn map<V>(self, value: impl FnMut([usize; D]) -> V) -> Values<V> { Values(all(self.indexes().into_iter(), value)) }
}
impl Ranges<1> {
    fn scan<V: Number>(self, value: impl FnMut([usize; 1]) -> V, prefix: impl Fn(&Team<THREADS>, &[V]) -> (Vec<V>, V)) -> Vec<(usize, V)> {
        let indexes = self.indexes();
        let values = all(indexes.iter().copied(), value);
        let (team, mut sums, mut parts) = (Team::<THREADS>::new(), Vec::new(), Vec::new());
        for part in values.chunks(chunk(values.len())) { parts.push(of_part(part, V::ZERO, V::plus, |team, own| team.sum(own))); }
        // The sums before each part, computed by a block of `MOST_PARTS` threads.
        let mut own = parts.clone();
        own.resize(MOST_PARTS, V::ZERO);
        let before = Team::<MOST_PARTS>::new().exclusive_sum(|tid| own[tid]);
        for (number, part) in values.chunks(chunk(values.len())).enumerate() {
            let mut carry = if parts.len() == 1 { V::ZERO } else { before[number] };
            for round in part.chunks(THREADS) {
                let mut own = round.to_vec();
                own.resize(THREADS, V::ZERO);
                let (of_round, last) = prefix(&team, &own);
                sums.extend(of_round[..round.len()].iter().map(|sum| carry.plus(*sum)));
                carry = carry.plus(last);
            }
        }
        indexes.iter().map(|[index]| *index).zip(sums).collect()
    }
    pub fn inclusive_sum<V: Number>(self, value: impl FnMut([usize; 1]) -> V) -> Vec<(usize, V)> {
        self.scan(value, |team, own| {
            let sums = team.inclusive_sum(|tid| own[tid]);
            (sums.to_vec(), sums[THREADS - 1])
        })
    }
    pub fn exclusive_sum<V: Number>(self, value: impl FnMut([usize; 1]) -> V) -> Vec<(usize, V)> {
        self.scan(value, |team, own| {
            let sums = team.exclusive_sum(|tid| own[tid]);
            (sums.to_vec(), sums[THREADS - 1].plus(own[THREADS - 1]))
        })
    }
}
/// The result of a part: thread `t` folds every 256th value, and the results of the threads are
/// folded as in a collective.
fn of_part<V: Copy>(part: &[V], first: V, op: impl Fn(V, V) -> V, of_block: impl Fn(&Team<THREADS>, &mut dyn FnMut(usize) -> V) -> V) -> V {
    let mut own = |tid: usize| part.iter().skip(tid).step_by(THREADS).fold(first, |own, value| op(own, *value));
    of_block(&Team::new(), &mut own)
}
/// The values of all iterations.
pub struct Values<V>(Vec<V>);
impl<V: Number> Values<V> {
    fn reduced(self, first: V, op: impl Fn(V, V) -> V, of_block: impl Fn(&Team<THREADS>, &mut dyn FnMut(usize) -> V) -> V) -> V {
        let part = |values: &[V]| of_part(values, first, &op, &of_block);
        let parts: Vec<V> = self.0.chunks(chunk(self.0.len())).map(part).collect();
        if let [one] = parts[..] { one } else { part(&parts) }
    }
    pub fn sum(self) -> V { self.reduced(V::ZERO, V::plus, |team, own| team.sum(own)) }
    pub fn product(self) -> V { self.reduced(V::UNIT, V::times, |team, own| team.product(own)) }
    pub fn min(self) -> V { self.reduced(V::GREATEST, V::least, |team, own| team.min(own)) }
    pub fn max(self) -> V { self.reduced(V::LEAST, V::greatest, |team, own| team.max(own)) }
}
impl Values<bool> {
    pub fn count(self) -> usize { self.0.iter().filter(|value| **value).count() }
    pub fn any(self) -> bool { self.0.contains(&true) }
    pub fn all(self) -> bool { !self.0.contains(&false) }
}
impl<V: Copy> Values<V> {
    pub fn reduce(self, first: V, op: impl Fn(V, V) -> V) -> V { self.0.into_iter().fold(first, op) }
}
