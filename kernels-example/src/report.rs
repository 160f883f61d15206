//! The output of the example while it runs.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The times of the stages, in the order in which they ran.
#[derive(Debug, Default)]
pub struct Stages {
    times: Vec<(&'static str, Duration)>,
}

impl Stages {
    /// Runs a stage and records its time.
    pub fn time<T>(&mut self, name: &'static str, stage: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = stage();
        self.times.push((name, start.elapsed()));
        value
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.times.iter().map(|(_, time)| *time).sum();
        for (name, time) in &self.times {
            writeln!(f, "  {name:<9}{:>9.3} ms", milliseconds(*time))?;
        }
        write!(f, "  {:<9}{:>9.3} ms", "total", milliseconds(total))
    }
}

/// The minimum and the median of the runs' times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    runs: usize,
    least: Duration,
    median: Duration,
}

impl Spread {
    /// Computes both from at least one time. The median of an even number of times is the upper of
    /// the two in the middle.
    pub fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        Some(Self { runs: times.len(), least: *times.first()?, median: *times.get(times.len() / 2)? })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, median) = (milliseconds(self.least), milliseconds(self.median));
        write!(f, "{} runs: minimum {least:.3} ms, median {median:.3} ms", self.runs)
    }
}

/// Prints a line to stdout. If the reader has closed the pipe (`| head -1`), the program continues
/// and does not panic.
pub fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// A progress bar for `runs` runs on stderr. It is hidden for a single run, and if stderr is not a
/// terminal.
pub fn progress(runs: u32) -> ProgressBar {
    if runs < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left");
    let bar = ProgressBar::new(u64::from(runs));
    // The template is constant. If it is ever wrong, use the plain bar.
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_of_sorted_times() {
        let times = [5, 1, 3].map(Duration::from_millis).to_vec();
        assert_eq!(Spread::of(times).unwrap().to_string(), "3 runs: minimum 1.000 ms, median 3.000 ms");
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
