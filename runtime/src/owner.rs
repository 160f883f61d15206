//! What keeps foreign memory alive.

use std::any::Any;
use std::fmt;

use crate::lock::Lock;
use crate::value::format::dropped;

/// Whose memory a block is.
#[derive(Debug)]
pub(crate) enum Origin {
    /// Ours: it is freed with the block.
    Allocated,
    /// That of somebody who lends it for the time of a closure. Nothing may keep the block any
    /// longer.
    Lent,
    /// That of an owner, which is dropped after the last use.
    Adopted(Owner),
}

#[cfg(any(feature = "cudarc", feature = "ndarray"))]
impl Origin {
    /// Takes the owner away, if it is such a value that may be given back. Then the block is memory
    /// that nobody frees.
    pub(crate) fn take_owner<V: Any>(&mut self) -> Option<V> {
        let Self::Adopted(owner) = self else { return None };
        let value = owner.take()?;
        *self = Self::Lent;
        Some(value)
    }
}

/// A value of somebody else's that is dropped when the memory is not used any more.
///
/// Its destructor is foreign code. It runs without any lock of ours, and its panics end here.
pub(crate) struct Owner {
    /// The lock makes the owner `Sync`; nobody ever waits for it.
    value: Lock<Option<Box<dyn Any + Send>>>,
    /// Whether the value is what it was when the memory was adopted, so that it may be given back.
    /// A value that somebody has named in an `unsafe` call may be anything.
    #[cfg(any(feature = "cudarc", feature = "ndarray"))]
    returnable: bool,
}

impl Owner {
    /// An owner that is only ever dropped.
    pub(crate) fn keeper(value: impl Any + Send) -> Self {
        Self {
            value: Lock::new(Some(Box::new(value))),
            #[cfg(any(feature = "cudarc", feature = "ndarray"))]
            returnable: false,
        }
    }

    /// An owner that may be given back as it is.
    #[cfg(any(feature = "cudarc", feature = "ndarray"))]
    pub(crate) fn returnable(value: impl Any + Send) -> Self {
        Self { value: Lock::new(Some(Box::new(value))), returnable: true }
    }

    /// Takes the value, if it is of this type and may be given back.
    #[cfg(any(feature = "cudarc", feature = "ndarray"))]
    pub(crate) fn take<V: Any>(&mut self) -> Option<V> {
        if !self.gives_back::<V>() {
            return None;
        }
        let value: Box<dyn Any> = self.value.get_mut().take()?;
        value.downcast().ok().map(|value| *value)
    }

    /// Whether [`take`](Self::take) would give a value of this type back.
    #[cfg(any(feature = "cudarc", feature = "ndarray"))]
    pub(crate) fn gives_back<V: Any>(&self) -> bool {
        let value = self.value.lock();
        self.returnable && value.as_ref().is_some_and(|value| value.is::<V>())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let value = self.value.get_mut().take();
        dropped(value);
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owner")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{catch_unwind, panic_any};

    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Bomb);
        }
    }

    #[test]
    fn a_panic_of_a_destructor_ends_here() {
        drop(Owner::keeper(Bomb));
        let unwound = catch_unwind(|| {
            let _owner = Owner::keeper(Bomb);
            panic!("while another panic unwinds");
        });
        assert_eq!(unwound.unwrap_err().downcast_ref::<&str>(), Some(&"while another panic unwinds"));
    }
}
