//! A trace as a table.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use super::{SpanKind, Trace};

/// All work of one name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Row<'t> {
    pub(super) name: &'t str,
    pub(super) count: u32,
    pub(super) total: Duration,
    /// Bytes of copies and fills.
    bytes: Option<usize>,
}

impl Row<'_> {
    pub(super) fn mean(&self) -> Duration {
        self.total / self.count.max(1)
    }
}

/// The rows, in the order of their first spans.
pub(super) fn rows(trace: &Trace) -> Vec<Row<'_>> {
    let mut spans: Vec<_> = trace.spans.iter().filter(|span| span.is_work()).collect();
    spans.sort_by_key(|span| span.start);
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for span in spans {
        let number = *numbers.entry(&span.name).or_insert_with(|| {
            rows.push(Row { name: &span.name, ..Row::default() });
            rows.len() - 1
        });
        let row = &mut rows[number];
        row.count += 1;
        row.total += span.length;
        if let SpanKind::Transfer { bytes, .. } | SpanKind::Fill { bytes } = span.kind {
            *row.bytes.get_or_insert(0) += bytes;
        }
    }
    rows
}

/// A time with three digits or so.
pub(super) fn short(time: Duration) -> String {
    let nanos = time.as_nanos() as f64;
    let (value, unit) = match time.as_nanos() {
        0..1_000 => return format!("{} ns", time.as_nanos()),
        1_000..1_000_000 => (nanos / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

impl fmt::Display for Trace {
    /// A line for each loop, and for copies and fills: how often it ran, and how long in all and on
    /// average. Then what could not be timed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = rows(self);
        rows.sort_by_key(|row| std::cmp::Reverse(row.total));
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(4);
        writeln!(f, "{:width$}  {:>6}  {:>8}  {:>8}", "work", "count", "total", "mean")?;
        for row in &rows {
            let (total, mean) = (short(row.total), short(row.mean()));
            write!(f, "{:width$}  {:>6}  {total:>8}  {mean:>8}", row.name, row.count)?;
            match row.bytes {
                Some(bytes) if row.total > Duration::ZERO => {
                    writeln!(f, "  {bytes} bytes, {:.1} GB/s", bytes as f64 / row.total.as_nanos() as f64)?;
                }
                Some(bytes) => writeln!(f, "  {bytes} bytes")?,
                None => writeln!(f)?,
            }
        }
        let all = || self.spans.iter().filter(|span| span.is_work());
        let begin = all().map(|span| span.start).min().unwrap_or_default();
        let end = all().map(|span| span.end()).max().unwrap_or_default();
        writeln!(f, "from the first to the last: {}, on {} tracks", short(end - begin), self.tracks.len())?;
        if self.untimed > 0 {
            writeln!(f, "not timed: {} pieces of work", self.untimed)?;
        }
        if self.skipped > 0 {
            writeln!(f, "not kept, because a trace has a maximum size: {} pieces of work", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let cases = [(0, "0 ns"), (999, "999 ns"), (1_234, "1.23 µs"), (45_678, "45.7 µs"), (123_456_789, "123 ms")];
        for (nanos, text) in cases {
            assert_eq!(short(Duration::from_nanos(nanos)), text);
        }
    }
}
