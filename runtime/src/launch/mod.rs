//! A launch: the host part of a kernel runs, and what it launches is prepared, ordered and recorded.

pub(crate) mod host;
pub(crate) mod views;
