//! The ratios as a picture: a row for each program, a mark for each contestant, and a line between
//! its quartiles.

use std::fmt::Write;

use crate::families::{Family, Unit};
use crate::measure::{Entry, Row};
use crate::report::escape;

/// Sizes in pixels: the height of a row, the widths of the names and of the scale.
const LINE: f64 = 20.0;
const NAMES: f64 = 230.0;
const SCALE: f64 = 560.0;
/// The ends of the scale, which is logarithmic.
const LEAST: f64 = 0.0625;
const MOST: f64 = 16.0;
const TICKS: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

fn colour(who: &str) -> &'static str {
    match who {
        "cpu" => "#c2410c",
        "gpu" => "#15803d",
        "numba" => "#2563eb",
        "taichi" => "#7c3aed",
        "quadrants" => "#0891b2",
        "warp" => "#65a30d",
        "torch" => "#db2777",
        _ => "#6b7280",
    }
}

/// Clamps ratios to the scale.
fn x(ratio: f64) -> f64 {
    NAMES + SCALE * (ratio.clamp(LEAST, MOST) / LEAST).ln() / (MOST / LEAST).ln()
}

/// Returns the picture as SVG. The reference, at 1, has a line and no marks.
pub(crate) fn svg(rows: &[Row]) -> String {
    let of = |family: Family| rows.iter().filter(move |row| row.family == family);
    let families = Family::ALL.into_iter().filter(|family| family.unit() == Unit::Ratio);
    let families: Vec<Family> = families.filter(|family| of(*family).next().is_some()).collect();
    let lines = families.iter().map(|family| 1 + of(*family).count()).sum::<usize>();
    let (width, height) = (NAMES + SCALE + 30.0, LINE * lines as f64 + 60.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for tick in TICKS {
        let (x, stroke) = (x(tick), if tick == 1.0 { "#111" } else { "#e5e7eb" });
        let _ = writeln!(svg, "<path d=\"M{x:.1} 34V{:.1}\" stroke=\"{stroke}\"/>", height - 8.0);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"28\" text-anchor=\"middle\" fill=\"#374151\">{tick}</text>");
    }
    legend(&mut svg, rows);
    let mut y = 38.0;
    for family in families {
        y += LINE;
        let _ =
            writeln!(svg, "<text x=\"6\" y=\"{:.1}\" font-weight=\"bold\">{}</text>", y - 5.0, escape(family.title()));
        for row in of(family) {
            y += LINE;
            let _ = writeln!(svg, "<text x=\"14\" y=\"{:.1}\">{}</text>", y - 5.0, escape(&row.name));
            for (i, entry) in row.entries.iter().enumerate().filter(|(i, _)| *i != 1) {
                mark(&mut svg, entry, y - 9.0, i == 0);
            }
        }
    }
    svg + "</svg>\n"
}

fn mark(svg: &mut String, Entry { who, ratio, .. }: &Entry, y: f64, ours: bool) {
    let (colour, radius) = (colour(who), if ours { 4.5 } else { 3.5 });
    let [low, median, high] = [ratio.low, ratio.median, ratio.high].map(x);
    let _ =
        writeln!(svg, "<path d=\"M{low:.1} {y:.1}H{high:.1}\" stroke=\"{colour}\" stroke-width=\"2\" opacity=\".5\"/>");
    let title = format!("{who}: {:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high);
    let _ = writeln!(
        svg,
        "<circle cx=\"{median:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"><title>{}</title></circle>",
        escape(&title)
    );
}

fn legend(svg: &mut String, rows: &[Row]) {
    let there = |who: &str| rows.iter().any(|row| row.entries.iter().any(|entry| entry.who == who));
    let mut x = 14.0;
    for who in ["cpu", "gpu", "numba", "taichi", "quadrants", "warp", "torch"].into_iter().filter(|who| there(who)) {
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"10\" r=\"4\" fill=\"{}\"/>", colour(who));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"14\">{who}</text>", x + 8.0);
        x += 40.0 + 7.0 * who.len() as f64;
    }
    let _ = writeln!(svg, "<text x=\"{:.0}\" y=\"14\" fill=\"#374151\">time / time of rayon</text>", NAMES + 150.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_logarithmic_and_ends() {
        assert!((x(1.0) - x(0.5) - (x(8.0) - x(4.0))).abs() < 1e-9);
        assert_eq!([x(0.0), x(1e9)], [NAMES, NAMES + SCALE]);
    }
}
