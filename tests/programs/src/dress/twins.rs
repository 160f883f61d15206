//! Two variables or labels of one spelling: one is of the `macro_rules!` around the kernel, the
//! other of its caller.
//!
//! For rustc they are two. The macro knows spellings alone, so that in device code the inner one
//! hides the outer one, and what it generates must say the same.

use super::heads::Window;
use super::{Class, Dress, markers};

impl Dress {
    /// A name of the macro, and one of its caller that reads the same; outside of the macro the
    /// second reads otherwise.
    fn twins(&mut self, fragment: &str, name: &str) -> (String, String) {
        let at = self.unique();
        let (ours, inside) = (format!("{name}{at}"), format!("$t{at}"));
        self.passed.push((format!("{inside}:{fragment}"), ours.clone()));
        let theirs = markers::place(&inside, &format!("{name}_{at}"));
        (ours, theirs)
    }

    /// A range whose ends seem to be the same variable.
    pub(super) fn twin_window(&mut self, start: &str, last: &str, width: usize, ty: &str) -> Option<Window> {
        if !self.take(Class::Hygiene, 80) {
            return None;
        }
        let (ours, theirs) = self.twins("ident", "twin");
        // In the body they are one.
        self.mentioned = Some(format!("acc = acc.wrapping_add(({ours} as u32).wrapping_sub({theirs} as u32));"));
        Some(Window {
            before: format!("let {theirs}: {ty} = {start}; let {ours}: {ty} = {last};"),
            start: theirs,
            end: format!("{ours} + {width}"),
        })
    }

    /// Statements of device code that do nothing, unless names are resolved as rustc does it.
    pub(super) fn twin_statements(&mut self) -> Vec<String> {
        let mut stmts: Vec<String> = self.mentioned.take().into_iter().collect();
        // Some are enough, and each is a parameter of the macro.
        if self.passed.len() < 8 && self.take(Class::Hygiene, 60) {
            let (ours, theirs) = self.twins("ident", "twin");
            stmts.push(format!("{{ let {ours} = 0u32; let {theirs} = acc; acc = {ours}; }}"));
        }
        if self.passed.len() < 8 && self.take(Class::Hygiene, 60) {
            let (ours, theirs) = self.twins("lifetime", "'twin");
            let inner = format!("{theirs}: {{ break {ours}; }}");
            stmts.push(format!("{{ let held = acc; acc = 0u32; {ours}: {{ {inner} acc = held; }} }}"));
        }
        stmts
    }
}
