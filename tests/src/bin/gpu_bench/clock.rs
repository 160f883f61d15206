//! Times two sides in alternating order, with events on the device and with the host's clock.

use std::error::Error;
use std::rc::Rc;
use std::time::Instant;

use crate::raw;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One side of a comparison: code that queues work on a stream.
pub(crate) struct Side<'a> {
    pub(crate) label: &'static str,
    queue: Queue<'a>,
    run: Box<dyn FnMut() -> Result<()> + 'a>,
}

enum Queue<'a> {
    Ours(&'a anabranch::Stream),
    Raw { stream: &'a raw::Stream, start: raw::Event, end: raw::Event },
}

/// The times of a run in seconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// The time on the device, per run, of many runs that are queued in advance.
    pub(crate) device: f64,
    /// The time until the host has queued it.
    pub(crate) host: f64,
    /// The time of a single run until the host knows that it is complete.
    pub(crate) done: f64,
}

impl<'a> Side<'a> {
    /// A side that uses the library.
    pub(crate) fn ours(
        label: &'static str,
        stream: &'a anabranch::Stream,
        mut run: impl FnMut() -> anabranch::Result<()> + 'a,
    ) -> Self {
        Self { label, queue: Queue::Ours(stream), run: Box::new(move || Ok(run()?)) }
    }

    /// A side that calls the driver.
    pub(crate) fn raw(
        label: &'static str,
        context: &Rc<raw::Context>,
        stream: &'a raw::Stream,
        mut run: impl FnMut() -> raw::Result<()> + 'a,
    ) -> Result<Self> {
        let queue = Queue::Raw { stream, start: raw::Event::timed(context)?, end: raw::Event::timed(context)? };
        Ok(Self { label, queue, run: Box::new(move || Ok(run()?)) })
    }

    /// Runs once and waits.
    pub(crate) fn once(&mut self) -> Result<()> {
        (self.run)()?;
        match &self.queue {
            Queue::Ours(stream) => stream.synchronize()?,
            Queue::Raw { stream, .. } => stream.synchronize()?,
        }
        Ok(())
    }

    /// Times `runs` queued runs, and then a single one.
    fn time(&mut self, runs: u32) -> Result<Times> {
        let mut queued = || {
            let begin = Instant::now();
            for _ in 0..runs {
                (self.run)()?;
            }
            Ok::<_, Box<dyn Error>>(begin.elapsed().as_secs_f64())
        };
        let (device, host) = match &self.queue {
            Queue::Ours(stream) => {
                let start = stream.record()?;
                let host = queued()?;
                (stream.record()?.elapsed_since(&start)?.as_secs_f64(), host)
            }
            Queue::Raw { stream, start, end } => {
                start.record(stream)?;
                let host = queued()?;
                end.record(stream)?;
                (end.seconds_since(start)?, host)
            }
        };
        let begin = Instant::now();
        self.once()?;
        let done = begin.elapsed().as_secs_f64();
        Ok(Times { device: device / f64::from(runs), host: host / f64::from(runs), done })
    }

    /// The number of runs that take about `seconds`, at most `most`.
    pub(crate) fn runs_in(&mut self, seconds: f64, most: u32) -> Result<u32> {
        self.once()?;
        let one = self.time(1)?.device;
        Ok((seconds / one.max(1e-9)).clamp(1.0, f64::from(most)) as u32)
    }
}

/// A median and its quartiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| values[quarter * (values.len() - 1) / 4];
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

/// The times of all rounds. In each round both sides run one after the other, in alternating order.
pub(crate) struct Rounds {
    rounds: Vec<(Times, Option<Times>)>,
    /// The number of runs of one side in one round.
    pub(crate) runs: u32,
}

/// Times one side, or two sides in alternating order.
pub(crate) fn rounds(rounds: usize, runs: u32, ours: &mut Side<'_>, peer: Option<&mut Side<'_>>) -> Result<Rounds> {
    ours.once()?;
    let Some(peer) = peer else {
        let rounds = (0..rounds).map(|_| Ok((ours.time(runs)?, None))).collect::<Result<_>>()?;
        return Ok(Rounds { rounds, runs });
    };
    peer.once()?;
    let mut turn = |round: usize| {
        // The order changes, because the first side finds other contents in the caches.
        if round.is_multiple_of(2) {
            let first = ours.time(runs)?;
            Ok((first, Some(peer.time(runs)?)))
        } else {
            let first = peer.time(runs)?;
            Ok((ours.time(runs)?, Some(first)))
        }
    };
    Ok(Rounds { rounds: (0..rounds).map(&mut turn).collect::<Result<_>>()?, runs })
}

impl Rounds {
    pub(crate) fn count(&self) -> usize {
        self.rounds.len()
    }

    /// The spread of one of the three times.
    pub(crate) fn ours(&self, of: fn(&Times) -> f64) -> Spread {
        Spread::of(self.rounds.iter().map(|(ours, _)| of(ours)).collect())
    }

    /// The same for the peer, or `None` without one.
    pub(crate) fn peer(&self, of: fn(&Times) -> f64) -> Option<Spread> {
        let times: Option<Vec<f64>> = self.rounds.iter().map(|(_, peer)| peer.as_ref().map(of)).collect();
        times.map(Spread::of)
    }

    /// The spread of the ratios of all rounds, ours divided by the peer's. Below 1, ours is faster.
    pub(crate) fn ratio(&self, of: fn(&Times) -> f64) -> Option<Spread> {
        let ratio = |(ours, peer): &(Times, Option<Times>)| peer.as_ref().map(|peer| of(ours) / of(peer).max(1e-9));
        self.rounds.iter().map(ratio).collect::<Option<Vec<f64>>>().map(Spread::of)
    }
}
