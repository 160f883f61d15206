//! A trace as a picture.
//!
//! One row a track, time from left to right. A bar is a piece of work, in the colour of its name; a
//! band above bars is a group, or a launch on the stream of the launch. Curves are forks, joins and
//! other waits. Colours and classes are few, so that the file is small, and bars that are too short
//! to be seen are drawn together.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::summary::{rows, short};
use super::{Span, SpanKind, Trace, perfetto};

const WIDTH: f64 = 960.0;
const MARGIN: f64 = 16.0;
/// Height of bars, and of the bands above them.
const BAR: f64 = 24.0;
const BAND: f64 = 15.0;
const GAP: f64 = 14.0;
/// Width of a character of the small font, on average.
const CHAR: f64 = 6.1;
/// Bars below this width are drawn together with their neighbours.
const THIN: f64 = 0.6;
/// The maximum number of curves. With more the picture is only confusing.
const MOST_CURVES: usize = 200;

/// Bars of loops, library kernels and graphs. White text is readable on each, and each can be seen
/// on white and on black.
const COLOURS: [&str; 8] = ["#3a76c4", "#c2611b", "#2b8557", "#8757b8", "#bf4350", "#1f8592", "#8a6a45", "#b84f86"];
/// Copies and fills.
const GREY: &str = "#707986";

const STYLE: &str = "text{font:11px ui-sans-serif,system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}\
.b{fill:#fff}.w{fill:#fff}.d{fill:#59636e}.e{text-anchor:end}.m{text-anchor:middle}.s{font-weight:600}\
.r{fill:#f3f5f7}.g{stroke:#d9dee3;fill:none}.f{fill:#8b949e;fill-opacity:.3}.c{stroke:#8b949e;fill:none;stroke-width:1.2}\
.o{fill:#8b949e;fill-opacity:.16}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.b{fill:#0d1117}.w{fill:#fff}.d{fill:#9198a1}.r{fill:#161b22}.g{stroke:#30363d}}";

pub(super) fn picture(trace: &Trace) -> String {
    Picture::new(trace).draw()
}

struct Picture<'t> {
    trace: &'t Trace,
    /// The first begin and the last end.
    begin: Duration,
    length: f64,
    left: f64,
    colours: HashMap<&'t str, &'static str>,
    /// The top of each track's bars.
    tops: Vec<f64>,
    /// What is drawn first: rows and bands, then curves. Bars and texts are above them.
    back: String,
    out: String,
}

impl<'t> Picture<'t> {
    fn new(trace: &'t Trace) -> Self {
        let begin = trace.spans.iter().map(|span| span.start).min().unwrap_or_default();
        let end = trace.spans.iter().map(|span| span.end()).max().unwrap_or_default();
        let names = trace.tracks.iter().map(|track| track.name.chars().count()).max().unwrap_or(0);
        let left = MARGIN + (names as f64 * CHAR).clamp(40.0, 160.0) + 10.0;
        let mut colours = HashMap::new();
        let coloured = rows(trace).into_iter().map(|row| row.name).filter(|name| !is_grey(name));
        for (number, name) in coloured.enumerate() {
            colours.insert(name, COLOURS[number % COLOURS.len()]);
        }
        let length = ((end - begin).as_nanos() as f64).max(1.0);
        Self { trace, begin, length, left, colours, tops: Vec::new(), back: String::new(), out: String::new() }
    }

    fn x(&self, time: Duration) -> f64 {
        let since = time.saturating_sub(self.begin).as_nanos() as f64;
        self.left + since / self.length * (WIDTH - MARGIN - self.left)
    }

    fn draw(mut self) -> String {
        let bottom = self.rows();
        let bottom = self.axis(bottom);
        let bottom = self.legend(bottom);
        let Self { back, out, .. } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {bottom:.0}\" width=\"{WIDTH}\" height=\"{bottom:.0}\" \
             role=\"img\" aria-label=\"timeline\"><style>{STYLE}</style>\n\
             <rect class=\"b\" width=\"{WIDTH}\" height=\"{bottom:.0}\" rx=\"8\"/>\n{back}{out}</svg>\n"
        )
    }

    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}"); // writing to a string does not fail
    }

    fn add_back(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.back, "{text}"); // as above
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.add(format_args!("<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text)));
    }

    /// Draws all tracks. Returns the bottom.
    fn rows(&mut self) -> f64 {
        let trace = self.trace;
        let mut y = MARGIN;
        let mut device = "";
        for (number, track) in trace.tracks.iter().enumerate() {
            if track.device != device {
                device = &track.device;
                self.text("s", MARGIN, y + 9.0, device);
                y += 20.0;
            }
            let spans: Vec<&Span> = trace.spans.iter().filter(|span| span.track == number).collect();
            let bands = spans.iter().any(|span| is_band(span));
            let top = y + if bands { BAND + 2.0 } else { 0.0 };
            self.tops.push(top);
            let width = WIDTH - MARGIN - self.left;
            let (left, height) = (self.left, top + BAR - y);
            self.add_back(format_args!(
                "<rect class=\"r\" x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\"/>"
            ));
            self.text("d e", self.left - 8.0, top + BAR / 2.0 + 4.0, &shortened(&track.name, 160.0));
            for span in spans.iter().filter(|span| is_band(span)) {
                self.band(span, y, height);
            }
            self.bars(&spans, top);
            y += height + GAP;
        }
        self.curves();
        y - GAP
    }

    fn band(&mut self, span: &Span, y: f64, height: f64) {
        let (x, end) = (self.x(span.start), self.x(span.end()));
        let width = (end - x).max(1.0);
        let label = if span.kind == SpanKind::Group { format!("'{}", span.name) } else { span.name.clone() };
        self.add_back(format_args!(
            "<rect class=\"o\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"3\">\
             <title>{}: {}</title></rect>",
            escaped(&label),
            short(span.length)
        ));
        if fits(&label, width) {
            self.text("d", x + 5.0, y + 11.5, &label);
        }
    }

    /// Draws the bars of a track.
    fn bars(&mut self, spans: &[&'t Span], top: f64) {
        // The end of the thin bars that were drawn together, and their colour.
        let mut thin: Option<(f64, f64, &'static str)> = None;
        for span in spans.iter().filter(|span| span.is_work() || matches!(span.kind, SpanKind::Parallel { .. })) {
            let (x, end) = (self.x(span.start), self.x(span.end()));
            let width = end - x;
            if matches!(span.kind, SpanKind::Parallel { .. }) {
                if width >= THIN {
                    self.waiting(span, x, width, top);
                }
                continue;
            }
            let colour = self.colours.get(span.name.as_str()).copied().unwrap_or(GREY);
            if width < THIN {
                match &mut thin {
                    Some((_, last, same)) if *same == colour && x - *last < THIN => *last = end.max(*last),
                    _ => {
                        self.thin(thin.take(), top);
                        thin = Some((x, end, colour));
                    }
                }
                continue;
            }
            self.bar(span, colour, x, width, top);
        }
        self.thin(thin, top);
    }

    fn thin(&mut self, bars: Option<(f64, f64, &'static str)>, top: f64) {
        if let Some((x, end, colour)) = bars {
            let width = (end - x).max(THIN);
            self.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>"
            ));
        }
    }

    fn bar(&mut self, span: &Span, colour: &str, x: f64, width: f64, top: f64) {
        // Work inside of other work is a little lower.
        let within = span.inside.is_some_and(|outer| self.trace.spans[outer].is_work());
        let (top, height) = if within { (top + 9.0, BAR - 11.0) } else { (top, BAR) };
        let radius = if width > 8.0 { 3.0 } else { 0.0 };
        let gap = if width > 4.0 { 0.7 } else { 0.0 };
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height}\" rx=\"{radius}\" fill=\"{colour}\">\
             <title>{}: {}{}</title></rect>",
            width - gap,
            escaped(&span.name),
            short(span.length),
            escaped(&details(span))
        ));
        let short_name = span.name.rsplit('.').next().unwrap_or_default();
        if height < 13.0 {
        } else if fits(&span.name, width) {
            self.text("w m", x + width / 2.0, top + height / 2.0 + 4.0, &span.name);
        } else if fits(short_name, width) {
            self.text("w m", x + width / 2.0, top + height / 2.0 + 4.0, short_name);
        }
    }

    /// A stream that waits for its groups.
    fn waiting(&mut self, span: &Span, x: f64, width: f64, top: f64) {
        self.add(format_args!(
            "<rect class=\"f\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"6\" rx=\"3\"><title>{}: {}</title></rect>",
            top + BAR / 2.0 - 3.0,
            escaped(&span.name),
            short(span.length)
        ));
    }

    fn curves(&mut self) {
        if self.trace.waits.len() > MOST_CURVES {
            return;
        }
        for wait in &self.trace.waits {
            let (from, to) = (&self.trace.spans[wait.from], &self.trace.spans[wait.to]);
            let (start, end) = perfetto::ends(self.trace, wait);
            let middle = |span: &Span| self.tops[span.track] + BAR / 2.0;
            let (x1, x2, down) = (self.x(start), self.x(end), middle(to) > middle(from));
            // A curve leaves a bar at its edge, and a waiting stream in its middle.
            let edge = |span: &Span, below: bool| match span.kind {
                SpanKind::Parallel { .. } => middle(span),
                _ if below => middle(span) + BAR / 2.0,
                _ => middle(span) - BAR / 2.0,
            };
            let (y1, y2) = (edge(from, down), edge(to, !down));
            let bend = (y2 - y1) * 0.5;
            self.add_back(format_args!(
                "<path class=\"c\" d=\"M{x1:.1} {y1:.1}C{x1:.1} {:.1} {x2:.1} {:.1} {x2:.1} {y2:.1}\"><title>{}</title></path>",
                y1 + bend,
                y2 - bend,
                wait.why
            ));
        }
    }

    /// The time axis below the tracks. Returns the bottom.
    fn axis(&mut self, y: f64) -> f64 {
        let y = y + 6.0;
        let step = step(self.length);
        let ticks = (self.length / step) as usize;
        let first = self.tops.first().copied().unwrap_or(MARGIN);
        let mut lines = String::new();
        for tick in 0..=ticks {
            let nanos = step * tick as f64;
            let x = self.left + nanos / self.length * (WIDTH - MARGIN - self.left);
            let _ = write!(lines, "M{x:.1} {:.1}V{y:.1}", first.min(y) - 4.0);
            let class = if tick == 0 {
                "d"
            } else if x > WIDTH - 50.0 {
                "d e"
            } else {
                "d m"
            };
            self.text(class, x, y + 14.0, &label(nanos, step));
        }
        // The grid is below everything that was drawn.
        let grid = format!("<path class=\"g\" d=\"{lines}\"/>\n");
        self.back.insert_str(0, &grid);
        y + 20.0
    }

    /// The names with their colours, counts and times. Returns the bottom.
    fn legend(&mut self, y: f64) -> f64 {
        let (mut x, mut y) = (MARGIN, y + 14.0);
        for row in rows(self.trace) {
            let text = match row.count {
                1 => format!("{}: {}", row.name, short(row.total)),
                count => format!("{}: {count} × {}", row.name, short(row.mean())),
            };
            let width = text.chars().count() as f64 * CHAR + 30.0;
            if x + width > WIDTH - MARGIN && x > MARGIN {
                (x, y) = (MARGIN, y + 18.0);
            }
            let colour = self.colours.get(row.name).copied().unwrap_or(GREY);
            self.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{colour}\"/>",
                y - 9.0
            ));
            self.text("", x + 15.0, y, &text);
            x += width;
        }
        y + MARGIN
    }
}

/// Whether a band names the span: groups, and the outermost kernels of other tracks.
fn is_band(span: &Span) -> bool {
    match span.kind {
        SpanKind::Group => true,
        SpanKind::Kernel { .. } => span.inside.is_none() && span.group.is_none(),
        _ => false,
    }
}

fn is_grey(name: &str) -> bool {
    name == "fill" || name.starts_with("copy")
}

fn fits(text: &str, width: f64) -> bool {
    text.chars().count() as f64 * CHAR + 8.0 <= width
}

fn shortened(text: &str, width: f64) -> String {
    let most = (width / CHAR) as usize;
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most - 1).chain(['…']).collect() }
}

fn details(span: &Span) -> String {
    let group = span.group.as_ref().map(|group| format!(", group '{group}")).unwrap_or_default();
    let what = match &span.kind {
        SpanKind::Loop { header, file, line, iterations, .. } => {
            format!(", {iterations} iterations, {header} ({file}:{line})")
        }
        SpanKind::Transfer { bytes, .. } | SpanKind::Fill { bytes } => format!(", {bytes} bytes"),
        SpanKind::Graph { nodes } => format!(", {nodes} nodes"),
        SpanKind::Library { .. } | SpanKind::Parallel { .. } | SpanKind::Kernel { .. } | SpanKind::Group => {
            String::new()
        }
    };
    format!("{what}{group}")
}

/// The nanoseconds between two ticks: 1, 2 or 5 times a power of ten, so that there are at most 8.
fn step(length: f64) -> f64 {
    let least = (length / 8.0).max(1.0);
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least * 0.999).unwrap_or(least)
}

/// A tick's time in the unit of the step.
fn label(nanos: f64, step: f64) -> String {
    let (unit, name) = match step {
        ..1e3 => (1.0, "ns"),
        ..1e6 => (1e3, "µs"),
        ..1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {name}", (nanos / unit).round())
}

fn escaped(text: &str) -> String {
    let keep = |c: char| c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}';
    let text: String = text.chars().map(|c| if keep(c) { c } else { ' ' }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        for (length, expected, last) in
            [(8_000.0, 1e3, "8 µs"), (1.3e6, 2e5, "1200 µs"), (37e6, 5e6, "35 ms"), (3.0, 1.0, "3 ns")]
        {
            assert_eq!(step(length), expected, "{length}");
            assert_eq!(label(expected * (length / expected).floor(), expected), last);
        }
    }

    #[test]
    fn an_empty_trace_is_a_picture() {
        assert!(picture(&Trace::default()).starts_with("<svg"));
    }
}
