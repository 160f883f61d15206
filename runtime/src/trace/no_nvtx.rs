//! Without the feature `nvtx`, there are no ranges.

use crate::model::kernel::{Groups, Kernel};

/// There is none.
#[derive(Debug)]
pub(crate) enum Range {}

#[inline]
pub(crate) fn kernel(_: &Kernel) -> Option<Range> {
    None
}

#[inline]
pub(crate) fn group(_: &Groups, _: usize) -> Option<Range> {
    None
}
