//! Who has to wait for whom.

pub(crate) mod hazard;
pub(crate) mod reports;
pub(crate) mod turn;
