//! Atoms that stand for sums.
//!
//! Wherever a form mentions such an atom, the walk puts the sum in its place
//! ([`Atoms::add`](super::scope::Atoms::add)). So whatever is known of the atoms of the sum is
//! known of it, also what a condition says later. A sum is one of the place where the atom is
//! bound. So behind a condition or a loop, all that was bound there is forgotten, except for what
//! an operation made behind a condition: `a && i % 2 == 0` is a condition itself, in which `i % 2`
//! is what it was.

use super::linear::Linear;

/// The most that stand for sums at one place. Others are known by their intervals.
pub(super) const MOST_ALIASES: usize = 16;

/// An atom, and the sum that it stands for.
pub(super) type Alias = (usize, Linear);

/// Atoms and their sums, in which no such atom is mentioned.
pub(super) struct Aliases<'a> {
    /// The atoms, for a quick look: most loops have none.
    set: u64,
    count: usize,
    /// The latest one of an atom counts.
    sums: &'a mut [Option<Alias>],
}

/// What a place knows.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    set: u64,
    count: usize,
}

impl<'a> Aliases<'a> {
    /// None yet, and room for some.
    pub(super) fn new(sums: &'a mut [Option<Alias>]) -> Self {
        Self { set: 0, count: 0, sums }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.set == 0
    }

    /// The sum that an atom stands for.
    #[inline]
    pub(super) fn of(&self, atom: usize) -> Option<&Linear> {
        if self.set & bit(atom) == 0 {
            return None;
        }
        let sums = self.sums.get(..self.count).unwrap_or_default();
        sums.iter().rev().flatten().find(|(of, _)| *of == atom).map(|(_, sum)| sum)
    }

    /// The atom stands for this sum from now on. `false`: there is no room.
    pub(super) fn put(&mut self, atom: usize, sum: Linear) -> bool {
        let room = self.sums.get_mut(self.count).filter(|_| bit(atom) != 0);
        let has_room = room.is_some();
        if let Some(room) = room {
            *room = Some((atom, sum));
            self.count += 1;
            self.set |= bit(atom);
        }
        has_room
    }

    /// The atom stands for itself again.
    #[inline]
    pub(super) fn clear(&mut self, atom: usize) {
        self.set &= !bit(atom);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { set: self.set, count: self.count }
    }

    /// Forgets what has been bound since.
    pub(super) fn back_to(&mut self, mark: Mark) {
        (self.set, self.count) = (mark.set, mark.count);
    }

    /// The same, but for these atoms, as long as half of the room is left.
    pub(super) fn back_to_keeping(&mut self, mark: Mark, keep: u64) {
        let (since, keep) = (mark.count..self.count, keep & self.set);
        self.back_to(mark);
        for at in since {
            let Some(Some((atom, sum))) = self.sums.get(at).copied() else { continue };
            if keep & bit(atom) != 0 && self.count < MOST_ALIASES / 2 {
                self.put(atom, sum);
            }
        }
    }
}

/// A set with one atom in it; empty if there are too many.
pub(super) fn bit(atom: usize) -> u64 {
    u32::try_from(atom).ok().and_then(|atom| 1u64.checked_shl(atom)).unwrap_or(0)
}
