//! Labels that hide labels, and attributes that say nothing.

use super::{Class, Dress};

const LABELS: [&str; 2] = ["'a", "'b"];

/// A loop or labelled block around.
pub(super) struct Frame {
    label: Option<&'static str>,
    is_loop: bool,
}

impl Dress {
    /// Enters a loop: its label, if it gets one.
    pub fn enter_loop(&mut self) -> String {
        let label = self.take(Class::Labels, 70).then(|| self.pick(&LABELS));
        self.labels.push(Frame { label, is_loop: true });
        label.map(|label| format!("{label}: ")).unwrap_or_default()
    }

    /// Enters a block, which gets a label where nothing in it leaves a loop that has none.
    pub fn enter_block(&mut self) -> String {
        let innermost = self.labels.iter().rposition(|frame| frame.is_loop);
        let named = innermost.and_then(|at| self.labels[at].label);
        // `break` in it needs the label of the loop, which this one must not hide.
        let free: Vec<&'static str> =
            LABELS.into_iter().filter(|label| named.is_some_and(|named| named != *label)).collect();
        let label = (!free.is_empty() && self.take(Class::Labels, 60)).then(|| self.pick(&free));
        self.labels.push(Frame { label, is_loop: false });
        label.map(|label| format!("{label}: ")).unwrap_or_default()
    }

    /// Enters a block that is spelled as it is.
    pub fn enter_plain(&mut self) -> String {
        self.labels.push(Frame { label: None, is_loop: false });
        String::new()
    }

    pub fn leave_labelled(&mut self) {
        self.labels.pop();
    }

    /// ` 'a` behind a `break` or `continue` of the innermost loop.
    pub fn target(&mut self) -> String {
        let Some(at) = self.labels.iter().rposition(|frame| frame.is_loop) else { return String::new() };
        let inside = self.labels[at + 1..].iter().any(|frame| frame.label.is_some());
        let label = self.labels[at].label;
        match label {
            Some(label) if inside || self.chance(70) => format!(" {label}"),
            _ => String::new(),
        }
    }

    /// An attribute in front of a statement.
    pub fn attribute(&mut self) -> &'static str {
        if self.take(Class::Attributes, 30) {
            self.pick(&[
                "#[allow(unused)] ",
                "#[allow(clippy::all, unused_variables)] ",
                "#[expect(warnings)] ",
                "/** said */ ",
            ])
        } else {
            ""
        }
    }

    /// An item, maybe with documentation.
    pub(super) fn documented(&mut self, item: String) -> String {
        if self.take(Class::Attributes, 60) {
            format!("{}{item}", self.pick(&["#[allow(dead_code)] ", "/** said */ ", "#[doc = \"said\"] "]))
        } else {
            item
        }
    }
}
