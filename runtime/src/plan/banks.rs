//! Bank conflicts: accesses of shared arrays for which the threads of a warp wait for each other.
//!
//! | file | what it knows |
//! |---|---|
//! | `warps` | the warps of a phase, and the words that their threads ask for |
//! | `parts` | what an access touches of an array |
//! | `numbers` | the numbers in indexes |

mod numbers;
mod parts;
#[cfg(test)]
mod tests;
mod warps;

use std::fmt;

use crate::model::banks::{Touch, Touches};
use crate::model::description::{Description, SlotValue};
use crate::model::kernel::{Blocks, Instance};
use crate::value::DeviceType;

/// So much longer rows are tried. Four bytes are a word.
const MOST_LONGER: usize = 4;

/// An access of a phase to a shared array for which the threads of a warp wait for each other, or may do so.
///
/// A GPU keeps shared memory in 32 banks: word `w`, of 4 bytes, is in bank `w % 32`. An access is fast if the threads of a warp ask each bank for one word.
/// Those that ask for the same word get it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BankConflict {
    /// The access as written in the source, such as `tile[x][y]`.
    pub access: &'static str,
    /// The name of the array.
    pub array: &'static str,
    /// Whether the access writes.
    pub writes: bool,
    /// The number of words that a warp asks of one bank in one access, in its worst case: 2 to 32, the number of times that the access takes. If that cannot be
    /// told before the launch, the reason. Under a condition on data, all threads are assumed to make the access. What is counted, the reference says:
    /// [bank conflicts](crate::reference::blocks#bank-conflicts).
    pub ways: Result<u32, &'static str>,
    /// The length of rows with which the array has the least conflicts, and the words of one bank that this access then asks for: `(33, 1)` for a column of
    /// `[[0.0; 32]; 32]`. `None` if padding does not help.
    pub padded: Option<(usize, u32)>,
    /// The head of the loop.
    pub header: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl fmt::Display for BankConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { access, writes, ways, padded, line, .. } = self;
        write!(f, "{access}  {}, line {line}: ", if *writes { "written" } else { "read" })?;
        match (ways, padded) {
            (Ok(ways), Some((row, 1))) => write!(f, "{ways}-way bank conflict; with rows of {row} there is none"),
            (Ok(ways), Some((row, left))) => write!(f, "{ways}-way bank conflict; with rows of {row} it is {left}-way"),
            (Ok(ways), None) => {
                write!(f, "{ways}-way bank conflict; let neighbouring threads use neighbouring elements, or swizzle")
            }
            (Err(why), _) => write!(f, "bank conflicts are not known: {why}"),
        }
    }
}

/// The conflicts of a loop, each with the number of its phase.
pub(super) fn of_loop(instance: Instance, index: usize) -> Vec<(usize, BankConflict)> {
    let Some(par_loop) = instance.kernel.loops.get(index) else { return Vec::new() };
    let Some(blocks @ Blocks { shared, phases, .. }) = par_loop.blocks else { return Vec::new() };
    let slots = Description::of(instance).loops.into_iter().nth(index).unwrap_or_default().slots;
    let arrays = Arrays { blocks, slots: &slots, threads: par_loop.block };
    let mut longer: Vec<Option<usize>> = vec![None; shared.len()];
    let mut all = Vec::new();
    for (number, phase) in phases.iter().enumerate() {
        for touch in phase.touches {
            let ways = arrays.ways(phase, touch, 0);
            let (Some((array, _)), Some(longer)) = (shared.get(touch.array), longer.get_mut(touch.array)) else {
                continue;
            };
            if ways == Ok(1) {
                continue;
            }
            let padded = ways.ok().and_then(|_| {
                let row = arrays.row(touch.array)?;
                let longer = *longer.get_or_insert_with(|| arrays.padding(touch.array));
                let left = arrays.ways(phase, touch, longer).ok()?;
                (longer > 0).then_some((row + longer, left))
            });
            let Touch { access, line, column, write, .. } = *touch;
            let (header, file) = (par_loop.header, instance.kernel.file);
            all.push((number, BankConflict { access, array, writes: write, ways, padded, header, file, line, column }));
        }
    }
    all
}

/// The shared arrays of a loop.
struct Arrays<'s> {
    blocks: Blocks,
    slots: &'s [SlotValue],
    threads: u32,
}

impl Arrays<'_> {
    fn ty(&self, array: usize) -> Option<&'static DeviceType> {
        let (_, slot) = self.blocks.shared.get(array)?;
        match self.slots.get(*slot as usize)? {
            SlotValue::Type(ty) => Some(ty),
            _ => None,
        }
    }

    fn ways(&self, phase: &Touches, touch: &Touch, longer: usize) -> Result<u32, &'static str> {
        self.ty(touch.array).map_or(Ok(1), |ty| warps::ways((phase, touch), ty, longer, self.slots, self.threads))
    }

    /// The length of the rows of an array, if it has several.
    fn row(&self, array: usize) -> Option<usize> {
        let DeviceType::Array(row @ DeviceType::Array(..), _) = self.ty(array)? else { return None };
        let mut row = *row;
        while let DeviceType::Array(inner @ DeviceType::Array(..), _) = row {
            row = inner;
        }
        if let DeviceType::Array(_, len) = row { Some(*len) } else { None }
    }

    /// By how much its rows should be longer for the least conflicts.
    fn padding(&self, array: usize) -> usize {
        let worst = |longer: &usize| {
            let phases = self.blocks.phases.iter();
            let touches = phases.flat_map(|phase| phase.touches.iter().map(move |touch| (phase, touch)));
            let own = touches.filter(|(_, touch)| touch.array == array);
            own.filter_map(|(phase, touch)| self.ways(phase, touch, *longer).ok()).max()
        };
        (0..=MOST_LONGER).min_by_key(worst).unwrap_or(0)
    }
}
