//! From recordings to a trace: tracks whose spans are properly nested, and waits between spans.

use std::cmp::Reverse;
use std::time::Duration;

use super::recorder::{Direction, Log, Scope, Work};
use super::{Span, SpanKind, Trace, Track, Wait};

/// Neighbours on a stream that overlap by no more than this, in nanoseconds, do so because their
/// times are rounded.
const ROUNDING: i64 = 2000;

/// Makes a trace of recordings, with times from `begin` on.
pub(crate) fn trace(logs: &[Log], begin: i64) -> Trace {
    let mut trace = Trace::default();
    for (at, log) in logs.iter().enumerate() {
        let earlier = logs[..at].iter().filter(|other| other.device == log.device && !other.records.is_empty()).count();
        let device = match earlier {
            0 => log.device.clone(),
            _ => format!("{} ({})", log.device, earlier + 1),
        };
        Builder { log, device, begin, trace: &mut trace, span_of: vec![None; log.records.len()] }.build();
    }
    trace
}

struct Builder<'a> {
    log: &'a Log,
    device: String,
    begin: i64,
    trace: &'a mut Trace,
    /// The span of each record.
    span_of: Vec<Option<usize>>,
}

/// A piece of work on its way into a track.
#[derive(Debug, Clone, Copy)]
struct Piece {
    record: usize,
    start: i64,
    end: i64,
}

/// A span on its way into a track.
struct Draft {
    start: i64,
    end: i64,
    /// Of two spans with the same times, the outer one has the lower rank.
    rank: usize,
    what: What,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Record(usize),
    Scope(u32),
}

impl Builder<'_> {
    fn build(mut self) {
        let log = self.log;
        self.trace.skipped += log.skipped;
        let mut tracks: Vec<Vec<Piece>> = vec![Vec::new(); log.tracks.len()];
        for (record, of) in log.records.iter().enumerate().skip(log.first) {
            match of.time {
                Some((start, end)) => {
                    let (start, end) = ((start - self.begin).max(0), (end - self.begin).max(0));
                    tracks[of.track as usize].push(Piece { record, start, end });
                }
                None => self.trace.untimed += 1,
            }
        }
        for (name, mut pieces) in log.tracks.iter().zip(tracks) {
            pieces.sort_by_key(|piece| (piece.start, Reverse(piece.end), piece.record));
            for (number, row) in self.rows(pieces).into_iter().enumerate() {
                let name = if number == 0 { name.clone() } else { format!("{name} ({})", number + 1) };
                self.trace.tracks.push(Track { device: self.device.clone(), name });
                self.track(&row);
            }
        }
        self.forks();
        self.waits();
    }

    /// Divides pieces of one track into rows in which they are properly nested. Usually this is one
    /// row.
    fn rows(&self, pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
        // A row with the pieces that are in progress.
        let mut rows: Vec<(Vec<Piece>, Vec<Piece>)> = Vec::new();
        for piece in pieces {
            let fitting = rows.iter_mut().find_map(|(row, open)| self.fit(piece, open).map(|piece| (row, open, piece)));
            match fitting {
                Some((row, open, piece)) => {
                    row.push(piece);
                    open.push(piece);
                }
                None => rows.push((vec![piece], vec![piece])),
            }
        }
        rows.into_iter().map(|(row, _)| row).collect()
    }

    /// The piece as it fits into a row.
    fn fit(&self, mut piece: Piece, open: &mut Vec<Piece>) -> Option<Piece> {
        while let Some(last) = open.last() {
            let holds =
                matches!(self.log.records[last.record].work, Work::Library(_) | Work::Graph(_) | Work::Fork(..));
            if last.end <= piece.start {
                open.pop();
            } else if holds && piece.end <= last.end + ROUNDING {
                piece.end = piece.end.min(last.end);
                return Some(piece);
            } else if last.end - piece.start <= ROUNDING && !holds {
                piece.start = last.end;
                piece.end = piece.end.max(piece.start);
            } else {
                return None;
            }
        }
        Some(piece)
    }

    /// The kernels and the group around a record on its track, from the outermost.
    fn path(&self, record: usize) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = self.log.records[record].scope;
        while let Some((number, (scope, around))) = at.and_then(|n| Some((n, self.log.scopes.get(n as usize)?))) {
            path.push(number);
            // What is around a group is on the track of the fork.
            at = if matches!(scope, Scope::Group { .. }) { None } else { *around };
        }
        path.reverse();
        path
    }

    /// Adds the spans of a row to the trace, with those of the scopes around them.
    fn track(&mut self, row: &[Piece]) {
        let mut drafts: Vec<Draft> = Vec::new();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for piece in row {
            let path = self.path(piece.record);
            let common = open.iter().zip(&path).take_while(|((scope, _), wanted)| scope == *wanted).count();
            open.truncate(common);
            for (rank, &scope) in path.iter().enumerate().skip(common) {
                open.push((scope, drafts.len()));
                drafts.push(Draft { start: piece.start, end: piece.end, rank, what: What::Scope(scope) });
            }
            for &(_, draft) in &open {
                drafts[draft].end = drafts[draft].end.max(piece.end);
            }
            let rank = path.len();
            drafts.push(Draft { start: piece.start, end: piece.end, rank, what: What::Record(piece.record) });
        }
        drafts.retain(|draft| !matches!(draft.what, What::Scope(scope) if matches!(self.log.scopes[scope as usize].0, Scope::Inside)));
        drafts.sort_by_key(|draft| (draft.start, Reverse(draft.end), draft.rank));
        let mut around: Vec<usize> = Vec::new();
        for Draft { start, end, what, .. } in drafts {
            let (begin, length) = (nanos(start), nanos(end - start));
            while around.last().is_some_and(|&outer| has_ended(&self.trace.spans[outer], begin)) {
                around.pop();
            }
            let inside = around.last().copied();
            if inside.is_some_and(|outer| self.trace.spans[outer].end() < begin + length) {
                // Two threads have launched on the stream in turns, so that a scope is not one
                // stretch of time.
                debug_assert!(matches!(what, What::Scope(_)));
                continue;
            }
            let (name, kind, group) = match what {
                What::Record(record) => self.describe(record),
                What::Scope(scope) => self.describe_scope(scope),
            };
            let number = self.trace.spans.len();
            if let What::Record(record) = what {
                self.span_of[record] = Some(number);
            }
            let track = self.trace.tracks.len() - 1;
            self.trace.spans.push(Span { name, kind, track, start: begin, length, group, inside });
            around.push(number);
        }
    }

    fn describe(&self, record: usize) -> (String, SpanKind, Option<String>) {
        let record = self.log.records[record];
        let (name, kind) = match record.work {
            Work::Loop(kernel, par_loop, iterations) => {
                let number =
                    kernel.loops.iter().position(|other| std::ptr::eq(other, par_loop)).unwrap_or_default() + 1;
                let (file, header, line) = (kernel.file, par_loop.header, par_loop.line);
                let kind = SpanKind::Loop { kernel: kernel.name, header, file, line, iterations };
                (format!("{}.par#{number}", kernel.name), kind)
            }
            Work::Library(kernel) => (kernel.name.to_owned(), SpanKind::Library { kernel: kernel.name }),
            Work::Copy(direction, bytes) => {
                let name = match direction {
                    Direction::ToDevice => "copy to device",
                    Direction::ToHost => "copy to host",
                    Direction::OnDevice => "copy",
                    Direction::BetweenDevices => "copy between devices",
                };
                (name.to_owned(), SpanKind::Transfer { direction, bytes })
            }
            Work::Fill(bytes) => ("fill".to_owned(), SpanKind::Fill { bytes }),
            Work::Graph(nodes) => ("graph".to_owned(), SpanKind::Graph { nodes }),
            Work::Fork(kernel, groups) => {
                let (file, line) = (kernel.file, groups.line);
                let kind = SpanKind::Parallel { kernel: kernel.name, file, line, groups: groups.labels.len() };
                ("stream_parallel!".to_owned(), kind)
            }
        };
        (name, kind, self.group(record.scope))
    }

    fn describe_scope(&self, number: u32) -> (String, SpanKind, Option<String>) {
        let group = self.group(Some(number));
        match self.log.scopes[number as usize].0 {
            Scope::Kernel(kernel) => {
                (kernel.name.to_owned(), SpanKind::Kernel { file: kernel.file, line: kernel.line }, group)
            }
            Scope::Group { .. } | Scope::Inside => (group.clone().unwrap_or_default(), SpanKind::Group, group),
        }
    }

    /// The name of the innermost group.
    fn group(&self, mut scope: Option<u32>) -> Option<String> {
        while let Some(number) = scope {
            let (found, around) = self.log.scopes.get(number as usize)?;
            if let Scope::Group { groups, number, .. } = found {
                return Some(groups.name(*number));
            }
            scope = *around;
        }
        None
    }

    /// Adds the waits of groups for their forks, and of joins for their groups.
    fn forks(&mut self) {
        // The first and the last span of each group.
        let mut ends: Vec<Option<(usize, usize)>> = vec![None; self.log.scopes.len()];
        for record in 0..self.log.records.len() {
            let Some(span) = self.span_of[record] else { continue };
            let Some(&root) = self.path(record).first() else { continue };
            let spans = &self.trace.spans;
            let (first, last) = ends[root as usize].get_or_insert((span, span));
            if spans[span].start < spans[*first].start {
                *first = span;
            }
            if spans[span].end() > spans[*last].end() {
                *last = span;
            }
        }
        for (ends, (scope, _)) in ends.iter().zip(&self.log.scopes) {
            let Scope::Group { fork, .. } = scope else { continue };
            if let (Some((first, last)), Some(fork)) = (ends, self.span_of.get(*fork as usize).copied().flatten()) {
                self.trace.waits.push(Wait { from: fork, to: *first, why: "fork" });
                self.trace.waits.push(Wait { from: *last, to: fork, why: "join" });
            }
        }
    }

    /// Adds the waits of streams for each other.
    fn waits(&mut self) {
        let mut of_track: Vec<Vec<usize>> = vec![Vec::new(); self.log.tracks.len()];
        for (number, record) in self.log.records.iter().enumerate() {
            of_track[record.track as usize].push(number);
        }
        let on = |stream: usize| self.log.streams.get(&stream).map(|&track| &of_track[track as usize]);
        for wait in &self.log.waits {
            let (Some(from), Some(to)) = (on(wait.from.0), on(wait.to.0)) else { continue };
            let before = from.partition_point(|&record| record < wait.from.1 as usize);
            let after = to.partition_point(|&record| record < wait.to.1 as usize);
            let span = |record: Option<&usize>| record.and_then(|&record| self.span_of[record]);
            if let (Some(from), Some(to)) = (span(from[..before].last()), span(to.get(after)))
                && self.trace.spans[from].start <= self.trace.spans[to].start
            {
                self.trace.waits.push(Wait { from, to, why: wait.why });
            }
        }
    }
}

/// Whether a span ends before another one that begins then. A scope without a length still holds
/// what begins with it.
fn has_ended(span: &Span, begin: Duration) -> bool {
    span.end() <= begin && (span.start < begin || span.is_work())
}

fn nanos(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}
