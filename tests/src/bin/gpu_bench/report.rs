//! The measured figures: as lines to read, and as lines of JSON, from which the report's page is
//! made.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;

use serde_json::{Map, Value, json};

use crate::clock::{Rounds, Times};

/// One of the times of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Metric {
    Device,
    Host,
    Done,
}

impl Metric {
    pub(crate) const ALL: [Self; 3] = [Self::Device, Self::Host, Self::Done];

    fn of(self) -> fn(&Times) -> f64 {
        match self {
            Self::Device => |times| times.device,
            Self::Host => |times| times.host,
            Self::Done => |times| times.done,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Host => "host",
            Self::Done => "done",
        }
    }
}

/// The work of a run, and the unit of a billion of it per second.
pub(crate) type Rate = (f64, &'static str);

/// The output for figures.
pub(crate) struct Report {
    lines: Option<File>,
    section: &'static str,
    /// The number of results that differ between two sides.
    wrong: usize,
}

impl Report {
    pub(crate) fn new(lines: Option<File>) -> Self {
        Self { lines, section: "", wrong: 0 }
    }

    /// Reports the machine.
    pub(crate) fn machine(&mut self, facts: &[(&str, String)]) {
        for (name, value) in facts {
            println!("{name:<24} {value}");
        }
        let facts: Map<String, Value> = facts.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        self.line(&json!({ "machine": facts }));
    }

    /// Begins a section of figures.
    pub(crate) fn section(&mut self, name: &'static str) {
        self.section = name;
        println!("\n{name}");
    }

    /// Reports one row for each metric.
    pub(crate) fn figure(
        &mut self,
        name: &str,
        labels: (&'static str, Option<&'static str>),
        measured: &Rounds,
        metrics: &[Metric],
        rate: Option<Rate>,
    ) {
        for metric in metrics {
            let ours = measured.ours(metric.of());
            let mut shown = format!("{name:<40} {:<6} {:>12}", metric.name(), time(ours.median));
            let mut line = json!({
                "section": self.section,
                "name": name,
                "metric": metric.name(),
                "who": labels.0,
                "seconds": ours.median,
                "rounds": measured.count(),
                "runs": measured.runs,
            });
            if let (Some(label), Some(peer), Some(ratio)) =
                (labels.1, measured.peer(metric.of()), measured.ratio(metric.of()))
            {
                let _ = write!(
                    shown,
                    " {label:>24} {:>12}   {:.3} ({:.3} to {:.3})",
                    time(peer.median),
                    ratio.median,
                    ratio.low,
                    ratio.high
                );
                line["peer"] = json!(label);
                line["peer_seconds"] = json!(peer.median);
                line["ratio"] = json!(ratio.median);
                line["low"] = json!(ratio.low);
                line["high"] = json!(ratio.high);
            }
            if let Some((work, unit)) = rate {
                let rate = work / ours.median / 1e9;
                let _ = write!(shown, "   {rate:.1} {unit}");
                line["rate"] = json!(rate);
                line["unit"] = json!(unit);
            }
            println!("{shown}");
            self.line(&line);
        }
    }

    /// Compares the results of two sides. They may differ by `off` times the largest result.
    pub(crate) fn compare(&mut self, name: &str, ours: &[f32], peer: &[f32], off: f32) {
        let largest = peer.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        // False if one of them is NaN.
        let near = |(a, b): (&f32, &f32)| (a - b).abs() <= off * largest;
        match ours.iter().zip(peer).position(|pair| !near(pair)) {
            Some(i) => self.fail(&format!("WRONG {name}: element {i} is {:e}, the peer's {:e}", ours[i], peer[i])),
            None if ours.len() != peer.len() => self.fail(&format!("WRONG {name}: the lengths differ")),
            None if largest == 0.0 => self.fail(&format!("WRONG {name}: all results are 0")),
            None => {}
        }
    }

    /// The same for integers.
    pub(crate) fn equal(&mut self, name: &str, ours: &[u32], peer: &[u32]) {
        if ours != peer {
            self.fail(&format!("WRONG {name}: the results differ from the peer's"));
        }
    }

    fn fail(&mut self, why: &str) {
        self.wrong += 1;
        println!("{why}");
        self.line(&json!({ "wrong": why }));
    }

    /// The number of results that differ.
    pub(crate) fn wrong(&self) -> usize {
        self.wrong
    }

    /// Writes a line immediately, so the figures survive if the time limit ends this process.
    fn line(&mut self, line: &Value) {
        if let Some(file) = &mut self.lines
            && let Err(error) = writeln!(file, "{line}")
        {
            self.lines = None;
            self.wrong += 1;
            eprintln!("error: cannot write the figures: {error}");
        }
    }
}

/// Formats a time with three digits.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.3} ms", s * 1e3),
    }
}
