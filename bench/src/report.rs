//! The report as a page: Markdown and HTML.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anabranch::Device;

use crate::families::{Family, Unit};
use crate::measure::{Entry, Row, Spread};

/// The contents of the report.
pub(crate) struct Report<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) rounds: usize,
    pub(crate) threads: usize,
    pub(crate) devices: &'a [Device],
    pub(crate) peers: &'a [String],
    pub(crate) note: Option<&'a str>,
}

impl Report<'_> {
    /// Returns a page that refers to the picture `report.svg`.
    pub(crate) fn markdown(&self) -> String {
        let mut page = "# anabranch next to others\n\n".to_owned();
        for line in self.about() {
            page += &format!("{line}\n\n");
        }
        page += "![Ratios to rayon](report.svg)\n";
        for (family, rows) in self.families() {
            let _ =
                write!(page, "\n## {}\n\n|  |  | time | ratio | quartiles |\n|---|---|--:|--:|--:|\n", family.title());
            for [name, who, time, ratio, quartiles] in rows.iter().flat_map(|row| cells(row)) {
                let _ = writeln!(page, "| {name} | {who} | {time} | {ratio} | {quartiles} |");
            }
        }
        page
    }

    /// Returns the page as HTML with the picture in it.
    pub(crate) fn html(&self, svg: &str) -> String {
        let mut page = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>anabranch next to others</title>\n\
            <style>body{font:16px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}td,th{padding:.1em .8em;text-align:right}\
            td:nth-child(-n+2){text-align:left}svg{max-width:100%;height:auto}</style>\n<h1>anabranch next to others</h1>\n"
            .to_owned();
        for line in self.about() {
            let _ = writeln!(page, "<p>{}</p>", escape(&line));
        }
        page += svg;
        for (family, rows) in self.families() {
            let _ = write!(
                page,
                "<h2>{}</h2>\n<table><tr><th><th><th>time<th>ratio<th>quartiles</tr>\n",
                escape(family.title())
            );
            for row in rows.iter().flat_map(|row| cells(row)) {
                let cells: String = row.iter().map(|cell| format!("<td>{}", escape(cell))).collect();
                let _ = writeln!(page, "<tr>{cells}</tr>");
            }
            page += "</table>\n";
        }
        page + "</html>\n"
    }

    /// The paragraphs above the tables.
    fn about(&self) -> Vec<String> {
        let devices: Vec<String> = self.devices.iter().map(ToString::to_string).collect();
        let peers = if self.peers.is_empty() { "none".to_owned() } else { self.peers.join(", ") };
        let mut lines = vec![
            format!(
                "{}. {}, {} threads. Devices: {}. Python libraries: {peers}.",
                date(),
                processor(),
                self.threads,
                devices.join("; ")
            ),
            format!(
                "All contestants of a row ran in {} rounds in rotating order, after a warm-up. Ratios are to the time of hand-written rayon in the same round: below 1 \
                 is faster. Times and ratios are medians. All results were compared.",
                self.rounds
            ),
        ];
        lines.extend(self.note.map(str::to_owned));
        lines
    }

    fn families(&self) -> impl Iterator<Item = (Family, Vec<&Row>)> {
        let of = |family| self.rows.iter().filter(|row| row.family == family).collect::<Vec<_>>();
        Family::ALL.into_iter().map(move |family| (family, of(family))).filter(|(_, rows)| !rows.is_empty())
    }
}

/// The lines of a row. The first one has its name.
fn cells(row: &Row) -> Vec<[String; 5]> {
    let line = |(i, Entry { who, time, ratio }): (usize, &Entry)| {
        let name = if i == 0 { row.name.clone() } else { String::new() };
        let Spread { low, median, high } = ratio;
        match row.family.unit() {
            Unit::Nanoseconds => {
                [name, who.clone(), format!("{:.0} ns", time.median * 1e9), String::new(), String::new()]
            }
            Unit::Ratio => [
                name,
                who.clone(),
                format!("{:.3} ms", time.median * 1e3),
                format!("{median:.2}"),
                format!("{low:.2} to {high:.2}"),
            ],
        }
    };
    row.entries.iter().enumerate().map(line).collect()
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The name of the processor on Linux.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}

/// Today, in UTC.
fn date() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    format!("{year}-{month:02}-{day:02}")
}

/// The date this many days after 1970-01-01: `civil_from_days` of
/// <https://howardhinnant.github.io/date_algorithms.html>.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + u64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn dates() {
        let check = |days, expected| assert_eq!(civil(days), expected);
        check(0, (1970, 1, 1));
        check(11_016, (2000, 2, 29));
        check(20_819, (2027, 1, 1));
    }
}
