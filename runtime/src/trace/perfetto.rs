//! Chrome's JSON format, as Perfetto reads it.
//!
//! Times are microseconds with three decimals. The slices of a thread are properly nested, since
//! the spans of a track are. An arrow has two ends, each a moment inside of a slice.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Direction, Span, SpanKind, Trace, Wait};

pub(super) fn json(trace: &Trace) -> String {
    let mut events = Events(String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
    let devices = devices(trace);
    for (number, device) in devices.iter().enumerate() {
        events.add(format_args!(
            r#"{{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}}"#,
            number + 1,
            quoted(device)
        ));
    }
    let process = |track: usize| {
        let device = &trace.tracks[track].device;
        devices.iter().position(|name| name == device).unwrap_or_default() + 1
    };
    for (number, track) in trace.tracks.iter().enumerate() {
        let (pid, tid) = (process(number), number + 1);
        events.add(format_args!(
            r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":{}}}}}"#,
            quoted(&track.name)
        ));
        events.add(format_args!(
            r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_sort_index","args":{{"sort_index":{tid}}}}}"#
        ));
    }
    for span in &trace.spans {
        let (pid, tid) = (process(span.track), span.track + 1);
        events.add(format_args!(
            r#"{{"ph":"X","pid":{pid},"tid":{tid},"ts":{},"dur":{},"name":{},"cat":"{}","args":{{{}}}}}"#,
            micros(span.start),
            micros(span.length),
            quoted(&span.name),
            category(&span.kind),
            arguments(span)
        ));
    }
    for (number, wait) in trace.waits.iter().enumerate() {
        let (from, to) = ends(trace, wait);
        let id = number + 1;
        for (phase, track, at) in
            [(r#""s""#, trace.spans[wait.from].track, from), (r#""f","bp":"e""#, trace.spans[wait.to].track, to)]
        {
            let (pid, tid) = (process(track), track + 1);
            events.add(format_args!(
                r#"{{"ph":{phase},"id":{id},"pid":{pid},"tid":{tid},"ts":{},"name":{},"cat":"wait"}}"#,
                micros(at),
                quoted(wait.why)
            ));
        }
    }
    events.0 + "\n]}\n"
}

/// The list of events, one a line.
struct Events(String);

impl Events {
    fn add(&mut self, event: std::fmt::Arguments<'_>) {
        let separator = if self.0.ends_with('[') { "\n" } else { ",\n" };
        let _ = write!(self.0, "{separator}{event}"); // writing to a string does not fail
    }
}

fn devices(trace: &Trace) -> Vec<&str> {
    let mut devices: Vec<&str> = Vec::new();
    for track in &trace.tracks {
        if !devices.contains(&track.device.as_str()) {
            devices.push(&track.device);
        }
    }
    devices
}

/// The moments of the two ends of an arrow, each inside of its span.
pub(super) fn ends(trace: &Trace, wait: &Wait) -> (Duration, Duration) {
    let (from, to) = (&trace.spans[wait.from], &trace.spans[wait.to]);
    let within = |span: &Span, at: Duration| at.clamp(span.start, last_moment(span));
    match wait.why {
        "fork" => (within(from, to.start), to.start),
        "join" => (last_moment(from), within(to, from.end())),
        _ => (within(from, to.start), to.start),
    }
}

fn last_moment(span: &Span) -> Duration {
    span.start + span.length.saturating_sub(Duration::from_nanos(1))
}

fn category(kind: &SpanKind) -> &'static str {
    match kind {
        SpanKind::Loop { .. } => "loop",
        SpanKind::Library { .. } => "library",
        SpanKind::Transfer { .. } => "copy",
        SpanKind::Fill { .. } => "fill",
        SpanKind::Graph { .. } => "graph",
        SpanKind::Parallel { .. } => "parallel",
        SpanKind::Kernel { .. } => "kernel",
        SpanKind::Group => "group",
    }
}

fn arguments(span: &Span) -> String {
    let mut all: Vec<String> = match &span.kind {
        SpanKind::Loop { kernel, header, file, line, iterations } => vec![
            format!(r#""kernel":{}"#, quoted(kernel)),
            format!(r#""loop":{}"#, quoted(header)),
            format!(r#""at":{}"#, quoted(&format!("{file}:{line}"))),
            format!(r#""iterations":{iterations}"#),
        ],
        SpanKind::Library { kernel } => vec![format!(r#""kernel":{}"#, quoted(kernel))],
        SpanKind::Transfer { direction, bytes } => {
            let direction = match direction {
                Direction::ToDevice => "to device",
                Direction::ToHost => "to host",
                Direction::OnDevice => "on device",
                Direction::BetweenDevices => "between devices",
            };
            vec![format!(r#""bytes":{bytes},"direction":"{direction}""#)]
        }
        SpanKind::Fill { bytes } => vec![format!(r#""bytes":{bytes}"#)],
        SpanKind::Graph { nodes } => vec![format!(r#""nodes":{nodes}"#)],
        SpanKind::Parallel { kernel, file, line, groups } => vec![
            format!(r#""kernel":{}"#, quoted(kernel)),
            format!(r#""at":{}"#, quoted(&format!("{file}:{line}"))),
            format!(r#""groups":{groups}"#),
        ],
        SpanKind::Kernel { file, line } => vec![format!(r#""at":{}"#, quoted(&format!("{file}:{line}")))],
        SpanKind::Group => Vec::new(),
    };
    all.extend(span.group.as_ref().map(|group| format!(r#""group":{}"#, quoted(group))));
    all.join(",")
}

fn micros(time: Duration) -> String {
    format!("{}.{:03}", time.as_micros(), time.subsec_nanos() % 1000)
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_texts() {
        assert_eq!(micros(Duration::from_nanos(1_002_003_004_005)), "1002003004.005");
        assert_eq!(micros(Duration::ZERO), "0.000");
        assert_eq!(quoted("a \"b\" \\ \n é"), r#""a \"b\" \\ \u000a é""#);
    }
}
