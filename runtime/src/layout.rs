//! Where the elements of a view lie: its shape, and the steps in memory along each dimension.

use std::any::type_name;
use std::fmt;
use std::ops::{Bound, Range, RangeBounds};

/// The function that takes a part, and the type of the elements, for the message of a panic.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    function: &'static str,
    element: fn() -> &'static str,
}

impl Caller {
    /// Without a name, it is an index expression of a host part.
    pub(crate) fn new<T>(function: &'static str) -> Self {
        Self { function, element: type_name::<T> }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.function.is_empty() { Ok(()) } else { write!(f, "`{}`: ", self.function) }
    }
}

/// The number of bytes of all elements; `None` if an address cannot count them. Also where an
/// extent is 0, no index in bounds overflows.
pub(crate) fn bytes_of<T, const D: usize>(shape: [usize; D]) -> Option<usize> {
    const { assert!(D > 0, "a buffer has at least one dimension") }
    let most = shape.iter().try_fold(size_of::<T>().max(1), |most, &len| most.checked_mul(len.max(1)));
    most.filter(|most| isize::try_from(*most).is_ok())?;
    Some(shape.iter().product::<usize>() * size_of::<T>())
}

/// The elements of a rectangle of a buffer that is in row-major order.
///
/// The strides fall from one dimension to the next, and that of the last dimension is 1. So an
/// index of a smaller place is a smaller one in the order of the components, and no two indexes in
/// bounds are of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout<const D: usize> {
    shape: [usize; D],
    strides: [usize; D],
}

impl<const D: usize> Layout<D> {
    /// A whole buffer.
    pub(crate) fn whole(shape: [usize; D]) -> Self {
        let mut strides = [1; D];
        for dim in (1..D).rev() {
            strides[dim - 1] = strides[dim] * shape[dim];
        }
        Self { shape, strides }
    }

    pub(crate) fn shape(&self) -> [usize; D] {
        self.shape
    }

    pub(crate) fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The number of elements of the buffer from the first one of the view to the last one, and all
    /// between.
    pub(crate) fn span(&self) -> usize {
        let last =
            self.shape.iter().zip(self.strides).try_fold(0, |last, (len, by)| Some(last + len.checked_sub(1)? * by));
        last.map_or(0, |last| last + 1)
    }

    /// Whether the elements lie next to each other.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.span() == self.len()
    }

    /// Some indexes of a dimension: the place of the first of them, and their layout.
    pub(crate) fn part(mut self, dim: usize, first: usize, len: usize) -> (usize, Self) {
        let start = first * self.strides[dim];
        self.shape[dim] = len;
        // What has no elements begins inside of the buffer, too.
        (if self.len() == 0 { 0 } else { start }, self)
    }

    /// The indexes before `mid` along a dimension, and the rest.
    ///
    /// # Panics
    /// There are fewer.
    #[track_caller]
    pub(crate) fn split(self, dim: usize, mid: usize, caller: Caller) -> [(usize, Self); 2] {
        assert!(dim < D, "{caller}a grid of {D} dimensions has no dimension {dim}: they are counted from 0");
        let (len, element) = (self.shape[dim], caller.element);
        match (D, dim) {
            (1, _) => assert!(mid <= len, "{caller}cannot split {len} `{}` at {mid}", element()),
            (_, 0) => assert!(mid <= len, "{caller}cannot split {len} rows of `{}` at {mid}", element()),
            _ => assert!(mid <= len, "{caller}cannot split dimension {dim} of length {len} at {mid}"),
        }
        [self.part(dim, 0, mid), self.part(dim, mid, len - mid)]
    }

    /// The part whose indexes are in these ranges, one for each dimension from the first on.
    ///
    /// # Panics
    /// A range is not inside its dimension.
    #[track_caller]
    pub(crate) fn parts(self, ranges: &[(Bound<usize>, Bound<usize>)], caller: Caller) -> (usize, Self) {
        let (mut start, mut layout) = (0, self);
        for (dim, range) in ranges.iter().enumerate() {
            let (first, len) = indexes(*range, self.shape[dim], if D == 1 { None } else { Some(dim) }, caller);
            let (more, part) = layout.part(dim, first, len);
            (start, layout) = (start + more, part);
        }
        (if layout.len() == 0 { 0 } else { start }, layout)
    }

    /// The place of the element with this index; `None` if there is none.
    pub(crate) fn place(&self, index: [usize; D]) -> Option<usize> {
        let mut dims = index.iter().zip(self.shape).zip(self.strides);
        dims.try_fold(0, |place, ((&at, len), by)| (at < len).then(|| place + at * by))
    }

    /// The elements of the parts of `size` indexes of the first dimension; the last part may have
    /// fewer.
    ///
    /// # Panics
    /// The size is 0.
    #[track_caller]
    pub(crate) fn chunks(
        self,
        size: usize,
        caller: Caller,
    ) -> impl DoubleEndedIterator<Item = (usize, Self)> + ExactSizeIterator {
        assert!(size > 0, "{caller}the size of a chunk is 0");
        let len = self.shape[0];
        (0..len.div_ceil(size)).map(move |chunk| self.part(0, chunk * size, size.min(len - chunk * size)))
    }

    /// The places of elements that lie next to each other, in order.
    pub(crate) fn runs(self) -> impl Iterator<Item = Range<usize>> {
        // As many of the last dimensions as lie next to each other.
        let mut inner = D;
        let mut run = 1;
        while inner > 0 && (self.strides[inner - 1] == run || self.shape[inner - 1] == 1) {
            inner -= 1;
            run *= self.shape[inner];
        }
        let count = if run == 0 { 0 } else { self.shape[..inner].iter().product() };
        (0..count).map(move |at| {
            let (_, start) = (0..inner).rev().fold((at, 0), |(at, start), dim| {
                (at / self.shape[dim], start + at % self.shape[dim] * self.strides[dim])
            });
            start..start + run
        })
    }
}

/// The runs of two layouts with as many elements, in order, cut where one of the two has a gap:
/// both places and the length.
pub(crate) fn common_runs<const D: usize, const E: usize>(
    one: Layout<D>,
    other: Layout<E>,
) -> impl Iterator<Item = (usize, usize, usize)> {
    let (mut ones, mut others) = (one.runs(), other.runs());
    let (mut one, mut other) = (0..0, 0..0);
    std::iter::from_fn(move || {
        if one.is_empty() {
            one = ones.next()?;
        }
        if other.is_empty() {
            other = others.next()?;
        }
        let run = (one.start, other.start, one.len().min(other.len()));
        one.start += run.2;
        other.start += run.2;
        Some(run)
    })
}

/// The start and the length of a range of indexes, of which there are `of`: of a buffer, or of a
/// dimension of a grid.
#[track_caller]
pub(crate) fn indexes(range: impl RangeBounds<usize>, of: usize, dim: Option<usize>, caller: Caller) -> (usize, usize) {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => of,
    };
    let inside = start <= end && end <= of;
    match dim {
        None => assert!(inside, "{caller}range {start}..{end} is not inside {of} `{}`", (caller.element)()),
        Some(dim) => assert!(
            inside,
            "{caller}range {start}..{end} is not inside dimension {dim} of the grid, which has {of} indexes of `{}`",
            (caller.element)()
        ),
    }
    (start, end - start)
}

/// The index of an element, or a shape: a `usize`, or an array with one for each of `D` dimensions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one number for each of {D} dimensions",
    label = "expected {D} `usize`",
    note = "write `i` for a slice, and `[y, x]` for a grid"
)]
pub trait ElementIndex<const D: usize> {
    /// One index for each dimension.
    #[doc(hidden)]
    fn indexes(self) -> [usize; D];
}

#[diagnostic::do_not_recommend]
impl ElementIndex<1> for usize {
    fn indexes(self) -> [usize; 1] {
        [self]
    }
}
#[diagnostic::do_not_recommend]
impl<const D: usize> ElementIndex<D> for [usize; D] {
    fn indexes(self) -> [usize; D] {
        self
    }
}

/// Ranges of indexes, one for each of `D` dimensions: an array `[1..5, 0..3]`, or a tuple
/// `(1..5, ..)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one range for each of {D} dimensions",
    label = "expected {D} ranges of `usize`",
    note = "write an array of ranges, `[1..5, 0..3]`, or a tuple, `(1..5, ..)`"
)]
pub trait Ranges<const D: usize> {
    /// The ends of each.
    #[doc(hidden)]
    fn bounds(&self) -> [(Bound<usize>, Bound<usize>); D];
}

pub(crate) fn ends(range: &impl RangeBounds<usize>) -> (Bound<usize>, Bound<usize>) {
    (range.start_bound().cloned(), range.end_bound().cloned())
}

#[diagnostic::do_not_recommend]
impl<R: RangeBounds<usize>, const D: usize> Ranges<D> for [R; D] {
    fn bounds(&self) -> [(Bound<usize>, Bound<usize>); D] {
        self.each_ref().map(ends)
    }
}
#[diagnostic::do_not_recommend]
impl<A: RangeBounds<usize>, B: RangeBounds<usize>> Ranges<2> for (A, B) {
    fn bounds(&self) -> [(Bound<usize>, Bound<usize>); 2] {
        [ends(&self.0), ends(&self.1)]
    }
}
#[diagnostic::do_not_recommend]
impl<A: RangeBounds<usize>, B: RangeBounds<usize>, C: RangeBounds<usize>> Ranges<3> for (A, B, C) {
    fn bounds(&self) -> [(Bound<usize>, Bound<usize>); 3] {
        [ends(&self.0), ends(&self.1), ends(&self.2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts of a small volume: each has the elements that its indexes name, in order, and its
    /// runs are as long as they can be.
    #[test]
    fn parts_have_their_elements() {
        let shape @ [d, h, w] = [3, 4, 3];
        let ranges = |len: usize| (0..=len).flat_map(move |first| (first..=len).map(move |end| first..end));
        let parts = ranges(d).flat_map(|z| {
            ranges(h).flat_map(move |y| {
                let z = z.clone();
                ranges(w).map(move |x| [z.clone(), y.clone(), x])
            })
        });
        let mut count = 0;
        for [z, y, x] in parts {
            let (start, part) = Layout::whole(shape).parts(&[&z, &y, &x].map(ends), Caller::new::<u8>("part"));
            let all = (0..d * h * w)
                .filter(|at| z.contains(&(at / w / h)) && y.contains(&(at / w % h)) && x.contains(&(at % w)));
            let all: Vec<usize> = all.collect();
            assert_eq!(part.runs().flatten().map(|at| start + at).collect::<Vec<_>>(), all, "{z:?} {y:?} {x:?}");
            assert!(part.runs().zip(part.runs().skip(1)).all(|(a, b)| a.end < b.start), "{z:?} {y:?} {x:?}");
            assert_eq!(part.len(), all.len());
            assert_eq!(part.is_contiguous(), part.runs().count() <= 1, "{z:?} {y:?} {x:?}");
            assert!(start + part.span() <= d * h * w);
            let first = part.place([0; 3]).map(|place| start + place);
            assert_eq!((first, part.place(part.shape())), (all.first().copied(), None), "{z:?} {y:?} {x:?}");
            for size in 1..=2 {
                let chunks = part.chunks(size, Caller::new::<u8>("chunks"));
                let chunks = chunks.flat_map(|(at, chunk)| chunk.runs().flatten().map(move |place| start + at + place));
                assert_eq!(chunks.collect::<Vec<_>>(), all, "{z:?} {y:?} {x:?}");
            }
            // Beside as many elements with gaps at other places.
            let (_, pairs) =
                Layout::whole([all.len(), 3]).parts(&[ends(&..), ends(&(1..2))], Caller::new::<u8>("part"));
            let both = common_runs(part, pairs);
            let both: Vec<_> = both.flat_map(|(a, b, len)| (0..len).map(move |i| (start + a + i, b + i))).collect();
            assert_eq!(both, all.iter().copied().zip((0..).step_by(3)).collect::<Vec<_>>(), "{z:?} {y:?} {x:?}");
            count += 1;
        }
        assert_eq!(count, 10 * 15 * 10);
    }
}
