//! Rounds in rotating order: each contestant runs once per round, so other load on the machine
//! affects all of them alike. The result is the median and the quartiles of the ratios of all
//! rounds.

use std::error::Error;
use std::time::{Duration, Instant};

use anabranch::Stream;
use indicatif::ProgressBar;

use crate::families::{Family, Unit};
use crate::peers::Peers;

/// Why there is no result.
pub(crate) type Failure = Box<dyn Error>;

/// The median of some numbers, and the quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// Computes them from at least one number.
    pub(crate) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |part: usize| values[(values.len() - 1) * part / 4];
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

/// The times of one contestant.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// `cpu`, `rayon`, `numba` …
    pub(crate) who: String,
    /// In seconds.
    pub(crate) time: Spread,
    /// Its time divided by that of the hand-written code in the same round. Less than 1 is faster.
    pub(crate) ratio: Spread,
}

/// The result of a comparison. The first entry is the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) family: Family,
    pub(crate) name: String,
    pub(crate) entries: Vec<Entry>,
}

impl Row {
    /// The number that the family's limit applies to: a ratio, or nanoseconds.
    ///
    /// It is the lower quartile. A slow kernel is slow in each round, but other load on a machine
    /// with two cores can disturb most of the seven.
    pub(crate) fn figure(&self) -> f64 {
        match self.family.unit() {
            Unit::Ratio => self.entries[0].ratio.low,
            Unit::Nanoseconds => self.entries[0].time.low * 1e9,
        }
    }
}

/// Runs comparisons on one device after the other, and keeps their results.
pub(crate) struct Bench {
    pub(crate) rounds: usize,
    /// Programs whose names do not contain this are left out.
    pub(crate) only: String,
    pub(crate) peers: Peers,
    pub(crate) rows: Vec<Row>,
    pub(crate) bar: ProgressBar,
    /// Peers that have a result of the last comparison.
    pub(crate) unchecked: Vec<usize>,
    /// The last comparison, unless it was left out.
    pub(crate) current: Option<String>,
    pub(crate) on_cpu: bool,
}

impl Bench {
    pub(crate) fn new(rounds: usize, only: String, peers: Peers, bar: ProgressBar) -> Self {
        let (rows, unchecked) = (Vec::new(), Vec::new());
        Self { rounds, only, peers, rows, bar, unchecked, current: None, on_cpu: true }
    }

    /// Compares a kernel with hand-written code.
    pub(crate) fn pair(
        &mut self,
        family: Family,
        name: &str,
        stream: &Stream,
        kernel: &mut dyn FnMut() -> anabranch::Result<()>,
        by_hand: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let other = &mut || {
            by_hand();
            Ok(())
        };
        self.compare(family, name, stream, kernel, ("rayon", other), None)
    }

    /// The same, and with the Python peers. `job` is the program and its sizes, as in
    /// `peers/peers.py`.
    pub(crate) fn with_peers(
        &mut self,
        family: Family,
        (name, job): (&str, &str),
        stream: &Stream,
        kernel: &mut dyn FnMut() -> anabranch::Result<()>,
        by_hand: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let other = &mut || {
            by_hand();
            Ok(())
        };
        self.compare(family, name, stream, kernel, ("rayon", other), Some(job))
    }

    /// Compares a kernel with another implementation, named `other`.
    pub(crate) fn compare(
        &mut self,
        family: Family,
        name: &str,
        stream: &Stream,
        kernel: &mut dyn FnMut() -> anabranch::Result<()>,
        (other, by_hand): (&str, &mut dyn FnMut() -> anabranch::Result<()>),
        job: Option<&str>,
    ) -> Result<(), Failure> {
        self.unchecked.clear();
        self.on_cpu = stream.device().is_cpu();
        self.current = name.contains(&self.only).then(|| name.to_owned());
        if self.current.is_none() {
            return Ok(());
        }
        self.bar.set_message(name.to_owned());
        let peers = match job {
            // Peers run on the CPU.
            Some(job) if self.on_cpu => self.peers.set_up(job)?,
            _ => Vec::new(),
        };
        let mut times = vec![Vec::new(); 2 + peers.len()];
        // The first round is a warm-up.
        for round in 0..=self.rounds {
            for turn in 0..times.len() {
                // The order changes, because the first contestant finds other contents in the
                // caches.
                let who = (turn + round) % times.len();
                let time = match who {
                    0 => timed(|| kernel().and_then(|()| stream.synchronize()))?,
                    1 => timed(|| by_hand().and_then(|()| stream.synchronize()))?,
                    peer => self.peers.run(peers[peer - 2])?,
                };
                if round > 0 {
                    times[who].push(time.as_secs_f64());
                }
            }
            self.bar.tick();
        }
        let names = [device_of(stream).to_owned(), other.to_owned()].into_iter();
        let names = names.chain(peers.iter().map(|peer| self.peers.name(*peer)));
        let entry = |(who, own): (String, &Vec<f64>)| {
            let ratios = own.iter().zip(&times[1]).map(|(own, by_hand)| own / by_hand).collect();
            Entry { who, time: Spread::of(own.clone()), ratio: Spread::of(ratios) }
        };
        let row = Row { family, name: name.to_owned(), entries: names.zip(&times).map(entry).collect() };
        self.print(&row);
        self.rows.push(row);
        self.unchecked = peers;
        Ok(())
    }

    /// Measures the median time of a call that is too short to be timed by itself.
    pub(crate) fn short(
        &mut self,
        name: &str,
        stream: &Stream,
        call: &mut dyn FnMut() -> anabranch::Result<()>,
    ) -> Result<(), Failure> {
        const CALLS: u32 = 2000;
        if !name.contains(&self.only) {
            return Ok(());
        }
        self.bar.set_message(name.to_owned());
        let mut times = Vec::new();
        for _ in 0..self.rounds {
            let time = timed(|| {
                for _ in 0..CALLS {
                    call()?;
                }
                stream.synchronize()
            })?;
            times.push(time.as_secs_f64() / f64::from(CALLS));
        }
        let one = Spread { low: 1.0, median: 1.0, high: 1.0 };
        let entry = Entry { who: device_of(stream).to_owned(), time: Spread::of(times), ratio: one };
        let row = Row { family: Family::Launches, name: name.to_owned(), entries: vec![entry] };
        self.print(&row);
        self.rows.push(row);
        Ok(())
    }

    fn print(&self, row: &Row) {
        let mut line = format!("{:<28}", row.name);
        for Entry { who, time, ratio } in &row.entries {
            line += &match row.family.unit() {
                Unit::Nanoseconds => format!(" {who} {:.0} ns", time.median * 1e9),
                Unit::Ratio if *ratio == (Spread { low: 1.0, median: 1.0, high: 1.0 }) => {
                    format!("  {who} {:.3} ms", time.median * 1e3)
                }
                Unit::Ratio => {
                    let Spread { low, median, high } = ratio;
                    format!("  {who} {:.3} ms, {median:.2} ({low:.2} to {high:.2})", time.median * 1e3)
                }
            };
        }
        self.bar.suspend(|| println!("{line}"));
    }
}

fn device_of(stream: &Stream) -> &'static str {
    if stream.device().is_cpu() { "cpu" } else { "gpu" }
}

fn timed(run: impl FnOnce() -> anabranch::Result<()>) -> anabranch::Result<Duration> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_of_sorted_numbers() {
        assert_eq!(Spread::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]), Spread { low: 2.0, median: 3.0, high: 4.0 });
        assert_eq!(Spread::of(vec![7.0]), Spread { low: 7.0, median: 7.0, high: 7.0 });
    }
}
