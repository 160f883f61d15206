//! Heads of `par` loops that read as short ranges, and are not.
//!
//! `at()..at() + 4` has two ends of one spelling, and whoever takes the two calls for one number
//! takes the range for 4 long. Here the first is where the range starts and the second is where it
//! ends, less 4.

use std::fmt::Write;

use super::{Class, Dress};

/// A range: what its ends are, and how they are spelled.
pub struct Window {
    /// Statements in front of the loop.
    pub before: String,
    pub start: String,
    pub end: String,
}

impl Dress {
    /// A range whose ends are the values of these two texts, of the type `ty`.
    pub fn window(&mut self, start: &str, end: &str, ty: &str) -> Option<Window> {
        let width = 1 + self.below(8);
        let width = if self.chance(50) { self.number_of_pool_below(8).unwrap_or(width) } else { width };
        let last = format!("({end}).wrapping_sub({width})");
        if let Some(window) = self.twin_window(start, &last, width, ty) {
            return Some(window);
        }
        if !self.take(Class::Heads, 60) {
            return None;
        }
        let at = self.unique();
        let pair = format!("let mut at{at} = crate::pair::<{ty}>({start}, {last});");
        let once =
            |text: &str, before: String| Window { before, start: text.to_owned(), end: format!("{text} + {width}") };
        Some(match self.below(6) {
            0 => Window {
                before: format!("let odd{at} = crate::Odd::<{ty}>({start}, {last});"),
                start: format!("odd{at} * 2"),
                end: format!("odd{at} + odd{at} + {width}"),
            },
            1 => once(
                &format!("{{ k{at} += 1; ends{at}[k{at} - 1] }}"),
                format!("let mut k{at} = 0usize; let ends{at}: [{ty}; 2] = [{start}, {last}];"),
            ),
            2 => {
                let _ = writeln!(
                    self.around,
                    "static CELL{at}: ::core::sync::atomic::AtomicUsize = ::core::sync::atomic::AtomicUsize::new(0);"
                );
                let relaxed = "::core::sync::atomic::Ordering::Relaxed";
                once(
                    &format!("ends{at}[CELL{at}.fetch_add(1, {relaxed})]"),
                    format!("CELL{at}.store(0, {relaxed}); let ends{at}: [{ty}; 2] = [{start}, {last}];"),
                )
            }
            3 => {
                let _ = writeln!(
                    self.around,
                    "macro_rules! next{at} {{ ($f:ident) => {{ $f() }} }} pub(crate) use next{at};"
                );
                once(&format!("next{at}!(at{at})"), pair)
            }
            4 => once(&format!("(at{at}())"), pair),
            _ => once(&format!("at{at}()"), pair),
        })
    }

    fn number_of_pool_below(&mut self, end: i128) -> Option<usize> {
        let small: Vec<i128> =
            self.pool.iter().map(|(value, _)| *value).filter(|value| (1..end).contains(value)).collect();
        (!small.is_empty()).then(|| self.pick(&small) as usize)
    }

    /// Host code of a loop's head, which counts how often it is evaluated.
    pub fn counted(&mut self, number: usize, text: String) -> String {
        if !self.take(Class::Heads, 40) {
            return text;
        }
        *self.counted.entry(number).or_default() += 1;
        format!("crate::once({text})")
    }
}
