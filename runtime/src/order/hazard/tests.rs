//! Compares the list with a model that knows, for each byte, what happened before what.

use super::*;

/// A stream that is only its number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Number(u64);

impl StreamId for Number {
    fn id(&self) -> u64 {
        self.0
    }
}

/// Records a use and returns the streams that it waits for, sorted.
fn used(hazards: &mut Hazards<Number>, range: Range<usize>, access: AccessMode, stream: u64) -> Vec<u64> {
    let mut waits = Vec::new();
    if hazards.is_repeated(&range, access, stream) {
        return waits;
    }
    hazards
        .conflicts(&range, access, stream, |earlier, _| {
            waits.push(earlier.0);
            Ok::<(), ()>(())
        })
        .unwrap();
    hazards.record(range.into(), access, &Number(stream));
    waits.sort_unstable();
    waits.dedup();
    waits
}

/// Plays uses on one block and compares the waits.
fn check(uses: &[(Range<usize>, AccessMode, u64, &[u64])]) {
    let mut hazards = Hazards::new();
    for (number, (range, access, stream, expected)) in uses.iter().enumerate() {
        let waits = used(&mut hazards, range.clone(), *access, *stream);
        assert_eq!(waits, *expected, "use {number} of {uses:?}");
    }
}

use AccessMode::{Read, Write};

#[test]
fn one_stream_never_waits_and_keeps_few_entries() {
    let mut hazards = Hazards::new();
    for round in 0..1000 {
        for (range, access) in
            [(0..100, Write), (0..100, Read), (0..50, Read), (50..100, Write), (round % 90..95, Write)]
        {
            assert_eq!(used(&mut hazards, range, access, 1), []);
        }
        assert!(hazards.len() < 8, "{hazards:?}");
    }
}

#[test]
fn each_kind_of_hazard_waits() {
    check(&[(0..8, Write, 1, &[]), (0..8, Read, 2, &[1])]);
    check(&[(0..8, Write, 1, &[]), (0..8, Write, 2, &[1])]);
    check(&[(0..8, Read, 1, &[]), (0..8, Write, 2, &[1])]);
    check(&[(0..8, Read, 1, &[]), (0..8, Read, 2, &[]), (0..8, Write, 3, &[1, 2])]);
    check(&[(0..8, Write, 1, &[]), (4..5, Read, 2, &[1]), (7..9, Write, 3, &[1]), (4..5, Write, 3, &[1, 2])]);
}

/// Those that have waited for a write must wait for the next one, too, although the list has the
/// same entry once more.
#[test]
fn a_repeated_write_is_waited_for_again() {
    let mut hazards = Hazards::new();
    for _ in 0..2 {
        assert_eq!(used(&mut hazards, 0..8, Write, 1), []);
        assert_eq!(used(&mut hazards, 0..8, Read, 2), [1]);
        hazards.forget(|stream| stream.0 == 2); // its read is complete
        assert_eq!(hazards.len(), 1, "{hazards:?}");
    }
}

#[test]
fn split_halves_are_independent() {
    check(&[(0..8, Write, 1, &[]), (8..16, Write, 2, &[]), (0..8, Write, 1, &[]), (8..16, Read, 2, &[])]);
    check(&[(0..8, Write, 1, &[]), (8..16, Write, 2, &[]), (0..16, Read, 3, &[1, 2])]);
}

/// Three threads record that they write a column of a grid each, before one of them has queued its
/// work.
#[test]
fn uses_with_gaps_replace_no_others() {
    let mut hazards = Hazards::new();
    let column = |first: usize| Extent { bytes: first..90 + first, gaps: true };
    for stream in 1..=3 {
        hazards.record(column(stream as usize), Write, &Number(stream));
    }
    let waits = |hazards: &Hazards<Number>, range| {
        let mut waits = Vec::new();
        let wait = |earlier: &Number, _| {
            waits.push(earlier.0);
            Ok::<(), ()>(())
        };
        hazards.conflicts(&range, Read, 4, wait).unwrap();
        waits.sort_unstable();
        waits
    };
    assert_eq!(waits(&hazards, 10..80), [1, 2, 3]);
    hazards.completed(&column(1), Read);
    hazards.completed(&column(1), Write);
    hazards.record(column(2), Read, &Number(4));
    assert_eq!(waits(&hazards, 10..80), [1, 2, 3], "nobody has waited for the work of three streams");
    assert_eq!(used(&mut hazards, 0..100, Write, 4), [1, 2, 3]);
    assert_eq!(used(&mut hazards, 0..100, Read, 5), [4]);
}

#[test]
fn a_write_is_waited_for_once_by_each_reader() {
    check(&[
        (0..8, Write, 1, &[]),
        (0..8, Read, 2, &[1]),
        (0..8, Read, 2, &[]),
        (2..4, Read, 3, &[1]),
        (2..4, Read, 3, &[]),
        (2..5, Read, 3, &[1]),
        (0..8, Write, 1, &[2, 3]),
        (0..8, Read, 2, &[1]),
        (8..16, Write, 1, &[]),
        (0..8, Read, 2, &[]),
    ]);
}

#[test]
fn a_read_after_a_wait_is_still_waited_for_by_the_next_writer() {
    check(&[(0..8, Write, 1, &[]), (0..8, Read, 2, &[1]), (0..8, Read, 1, &[]), (0..8, Write, 2, &[1])]);
}

#[test]
fn a_write_stands_for_what_it_waited_for() {
    check(&[(0..8, Read, 1, &[]), (0..8, Read, 2, &[]), (0..8, Write, 3, &[1, 2]), (0..8, Write, 4, &[3])]);
}

#[test]
fn a_completed_use_is_forgotten_with_what_it_waited_for() {
    let mut hazards = Hazards::new();
    used(&mut hazards, 0..8, Write, 1);
    used(&mut hazards, 8..16, Read, 2);
    hazards.completed(&(0..12).into(), Read);
    assert_eq!(used(&mut hazards, 0..8, Write, 3), [], "the write is complete");
    assert_eq!(used(&mut hazards, 8..16, Write, 3), [2], "the read is not");
    hazards.completed(&(0..16).into(), Write);
    assert_eq!(hazards.len(), 0);
}

#[test]
fn empty_ranges_are_no_use() {
    check(&[(4..4, Write, 1, &[]), (0..8, Write, 2, &[]), (4..4, Write, 3, &[])]);
}

#[test]
fn a_failing_wait_changes_nothing() {
    let mut hazards = Hazards::new();
    used(&mut hazards, 0..8, Write, 1);
    assert_eq!(hazards.conflicts(&(0..8), Read, 2, |_, _| Err("no event")), Err("no event"));
    assert_eq!(used(&mut hazards, 0..8, Read, 2), [1]);
}

#[test]
fn many_slices_stay_bounded() {
    let mut hazards = Hazards::new();
    for slice in 0..10_000 {
        used(&mut hazards, 3 * slice..3 * slice + 1, Write, slice as u64 % 4);
        if slice < 4 {
            // A stream that has waited for one slice has not waited for those it is merged with.
            used(&mut hazards, 3 * slice..3 * slice + 1, Read, 9);
        }
        assert!(hazards.len() <= MANY + 4);
    }
    for slice in 0..10_000 {
        let mut waits = Vec::new();
        let note = |earlier: &Number, _: AccessMode| -> Result<(), ()> {
            waits.push(earlier.0);
            Ok(())
        };
        hazards.conflicts(&(3 * slice..3 * slice + 1), Read, 9, note).unwrap();
        assert!(waits.contains(&(slice as u64 % 4)), "slice {slice} was forgotten");
    }
}

const STREAMS: usize = 5;
const BYTES: usize = 24;

/// The work that each stream's next work comes after: `after[t]` items of stream `t`.
type Clock = [u32; STREAMS];

/// A use that is ordered but perhaps not yet queued, as between the start and the end of a launch
/// on another thread.
struct Pending {
    range: Range<usize>,
    access: AccessMode,
    stream: usize,
}

struct Model {
    clocks: [Clock; STREAMS],
    queued: Vec<(Range<usize>, AccessMode, usize, u32)>,
    pending: Vec<Pending>,
    /// Number of unnecessary waits; in long runs, entries are merged.
    needless: u32,
}

fn conflicting(a: &(Range<usize>, AccessMode), b: &(Range<usize>, AccessMode)) -> bool {
    overlap(&a.0, &b.0) && (a.1 == Write || b.1 == Write)
}

impl Model {
    fn queue(&mut self, index: usize) {
        let Pending { range, access, stream } = self.pending.swap_remove(index);
        self.clocks[stream][stream] += 1;
        self.queued.push((range, access, stream, self.clocks[stream][stream]));
    }

    /// The order that the borrow checker gives: a conflicting launch starts after the earlier one
    /// has returned.
    fn return_conflicting(&mut self, range: &Range<usize>, access: AccessMode) {
        while let Some(index) =
            self.pending.iter().position(|old| conflicting(&(old.range.clone(), old.access), &(range.clone(), access)))
        {
            self.queue(index);
        }
    }

    fn begin(&mut self, hazards: &mut Hazards<Number>, range: Range<usize>, access: AccessMode, stream: usize) {
        self.return_conflicting(&range, access);
        for earlier in used(hazards, range.clone(), access, stream as u64) {
            let earlier = earlier as usize;
            let involved = self.queued.iter().any(|(old, how, who, _)| {
                *who == earlier && conflicting(&(old.clone(), *how), &(range.clone(), access))
            });
            self.needless += u32::from(!involved);
            self.join(stream, earlier);
        }
        self.assert_ordered(&range, access, stream);
        let under = hazards.uses.iter().filter(|entry| overlap(&entry.range, &range)).count();
        assert!(access == Read || under == 1, "a write leaves nothing under it: {hazards:?}");
    }

    fn join(&mut self, waiter: usize, earlier: usize) {
        for other in 0..STREAMS {
            self.clocks[waiter][other] = self.clocks[waiter][other].max(self.clocks[earlier][other]);
        }
    }

    fn assert_ordered(&self, range: &Range<usize>, access: AccessMode, stream: usize) {
        for (old, how, who, number) in &self.queued {
            if conflicting(&(old.clone(), *how), &(range.clone(), access)) {
                assert!(
                    self.clocks[stream][*who] >= *number,
                    "{access:?} of {range:?} on {stream} runs beside {how:?} of {old:?} on {who}"
                );
            }
        }
    }
}

/// Random uses, some of them complete at once (copies that the host waits for, on stream 0), some
/// queued late.
#[test]
fn conflicting_uses_are_always_ordered() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut needless = 0;
    for round in 0..4000 {
        let mut hazards: Hazards<Number> = Hazards::new();
        let mut model = Model { clocks: [[0; STREAMS]; STREAMS], queued: Vec::new(), pending: Vec::new(), needless: 0 };
        let length = if round % 20 == 0 { 400 } else { 40 };
        for _ in 0..length {
            let (a, b) = (next(BYTES + 1), next(BYTES + 1));
            let (range, access) = (a.min(b)..a.max(b), if next(3) == 0 { Write } else { Read });
            if range.is_empty() {
                continue;
            }
            if next(8) == 0 {
                // A copy: waits, runs, the host waits for it; all that comes later comes after it.
                model.return_conflicting(&range, access);
                let waits = {
                    let mut waits = Vec::new();
                    let _ = hazards.conflicts(&range, access, 0, |earlier, _| {
                        waits.push(earlier.0 as usize);
                        Ok::<(), ()>(())
                    });
                    waits
                };
                waits.into_iter().for_each(|earlier| model.join(0, earlier));
                model.assert_ordered(&range, access, 0);
                (0..STREAMS).for_each(|stream| model.join(stream, 0));
                hazards.completed(&range.into(), access);
                continue;
            }
            let stream = 1 + next(STREAMS - 1);
            model.begin(&mut hazards, range.clone(), access, stream);
            model.pending.push(Pending { range, access, stream });
            while model.pending.len() > next(4) {
                let index = next(model.pending.len());
                model.queue(index);
            }
            assert!(hazards.len() <= 2 * BYTES * STREAMS);
        }
        if length == 40 {
            needless += model.needless;
        }
    }
    assert_eq!(needless, 0, "waits for streams that did nothing with these bytes");
}
