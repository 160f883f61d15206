//! Control flow and patterns.

use std::fmt::Write as _;

use super::Printer;
use crate::dress::Dress;
use crate::program::{Adaptor, Arm, Block, Expr, Kind, Pattern, Range, Style, VarId};
use crate::types::{ENUMS, STRUCTS};

impl Printer<'_> {
    /// The label of a loop or a block: its own, or that of its dress, which
    /// [`Dress::leave_labelled`] forgets.
    fn label(&mut self, label: Option<&String>, dress: impl FnOnce(&mut Dress) -> String) {
        let dressed = dress(&mut self.dress);
        match label {
            Some(label) => {
                let _ = write!(self.text, "'{label}: ");
            }
            None => self.push(&dressed),
        }
    }

    pub(super) fn jump(&mut self, word: &str, label: Option<&String>) {
        self.push(word);
        match label {
            Some(label) => {
                let _ = write!(self.text, " '{label}");
            }
            None => {
                let target = self.dress.target();
                self.push(&target);
            }
        }
    }

    pub(super) fn labelled_block(&mut self, label: Option<&String>, block: &Block) {
        self.label(label, if self.inline { Dress::enter_plain } else { Dress::enter_block });
        self.block(block);
        self.dress.leave_labelled();
    }

    /// `if cond { … } else { … }`
    pub(super) fn branch(&mut self, cond: &Expr, then: &Block, otherwise: Option<&Block>) {
        self.conditional("if ", cond);
        self.block(then);
        self.otherwise(otherwise);
    }

    /// `while cond `
    pub(super) fn conditional(&mut self, word: &str, cond: &Expr) {
        self.push(word);
        self.head(cond);
        self.push(" ");
    }

    pub(super) fn endless(&mut self, label: Option<&String>, body: &Block, exhausted: Option<&Expr>) {
        let first = self.apart(|this| this.inlined(|this| this.burn(exhausted)));
        self.label(label, Dress::enter_loop);
        self.push("loop ");
        self.block_after(&first, body);
        self.dress.leave_labelled();
    }

    pub(super) fn looping(&mut self, label: Option<&String>, head: impl FnOnce(&mut Self), body: &Block) {
        self.label(label, Dress::enter_loop);
        head(self);
        let first = self.apart(|this| this.burn(None));
        self.block_after(&first, body);
        self.dress.leave_labelled();
    }

    /// A loop over a range.
    pub(super) fn counted(&mut self, label: Option<&String>, var: VarId, range: &Range, body: &Block) {
        if !self.program.in_lanes {
            return self.looping(label, |this| this.counting(var, range), body);
        }
        self.label(label, Dress::enter_loop);
        self.counting(var, range);
        self.block(body);
        self.dress.leave_labelled();
    }

    fn counting(&mut self, var: VarId, range: &Range) {
        let (mutable, name) = (if self.program.vars[var.0].mutable { "mut " } else { "" }, self.name(var));
        let _ = write!(self.text, "for {mutable}{name} in ");
        self.inlined(|this| this.range(range));
        self.push(" ");
    }

    /// Behind `break`, its label, or `return`.
    pub(super) fn given(&mut self, value: Option<&Expr>) {
        if let Some(value) = value {
            self.push(" ");
            self.inlined(|this| this.expr(value, 1));
        }
    }

    /// How a round of a loop begins, with what the loop is worth if it may not.
    fn burn(&mut self, exhausted: Option<&Expr>) {
        if self.program.style == Style::Kernel {
            return;
        }
        self.push("if fuel == 0 { break");
        if let Some(value) = exhausted {
            self.push(" ");
            self.expr(value, 1);
        }
        self.push("; } fuel -= 1;");
    }

    pub(super) fn otherwise(&mut self, block: Option<&Block>) {
        let Some(block) = block else { return };
        self.push(" else ");
        match &block.value {
            Some(value) if block.stmts.is_empty() && matches!(value.kind, Kind::If { .. }) => {
                self.bare(value);
            }
            _ => self.block(block),
        }
    }

    pub(super) fn arms(&mut self, scrutinee: &Expr, arms: &[Arm]) {
        self.push("match ");
        self.head(scrutinee);
        self.push(" {");
        self.indent += 1;
        self.end_line();
        for Arm { pattern, guard, body } in arms {
            self.line();
            self.pattern(pattern, true);
            if let Some(guard) = guard {
                self.push(" if ");
                self.head(guard);
            }
            self.push(" => ");
            self.expr(body, 0);
            self.push(",");
            self.end_line();
        }
        self.indent -= 1;
        self.line();
        self.push("}");
    }

    pub(super) fn range(&mut self, range: &Range) {
        let Range { start, end, inclusive, adaptors } = range;
        self.push(if adaptors.is_empty() { "" } else { "(" });
        self.expr(start, 1);
        self.push(if *inclusive { "..=" } else { ".." });
        self.expr(end, 1);
        self.push(if adaptors.is_empty() { "" } else { ")" });
        for adaptor in adaptors {
            match adaptor {
                Adaptor::Rev => self.push(".rev()"),
                Adaptor::StepBy(step) => {
                    self.push(".step_by(");
                    self.expr(step, 0);
                    self.push(")");
                }
            }
        }
    }

    /// `top`: where an or-pattern needs no parentheses.
    pub(super) fn pattern(&mut self, pattern: &Pattern, top: bool) {
        match pattern {
            Pattern::Wild => self.push("_"),
            Pattern::Bind { var, inner } => {
                if self.program.vars[var.0].mutable {
                    self.push("mut ");
                }
                let name = self.name(*var);
                self.push(&name);
                if let Some(inner) = inner {
                    self.push(" @ ");
                    self.pattern(inner, false);
                }
            }
            Pattern::Value(value) => self.in_pattern(value),
            Pattern::Range { start, end, inclusive } => {
                start.iter().for_each(|start| self.in_pattern(start));
                self.push(if *inclusive { "..=" } else { ".." });
                end.iter().for_each(|end| self.in_pattern(end));
            }
            // In another order than the literal.
            Pattern::Struct(parts) => {
                let (name, fields) = STRUCTS[parts.len() - 1];
                let _ = write!(self.text, "{name} {{ ");
                for (part, field) in parts.iter().zip(fields).rev() {
                    if let Pattern::Wild = part {
                        continue;
                    }
                    let _ = write!(self.text, "{field}: ");
                    self.pattern(part, false);
                    self.push(", ");
                }
                self.push(".. }");
            }
            Pattern::Variant(of, at, field) => {
                let (name, variants) = ENUMS[*of];
                let [variant, before, after] = variants[*at];
                let _ = write!(self.text, "{name}::{variant}{before}");
                field.iter().for_each(|field| self.pattern(field, true));
                self.push(after);
            }
            Pattern::Tuple(parts) | Pattern::Array(parts) => {
                let (open, close) = if matches!(pattern, Pattern::Tuple(_)) { ("(", ")") } else { ("[", "]") };
                self.push(open);
                for part in parts {
                    // In an array `5..` would begin a part of it.
                    let apart = open == "[" && matches!(part, Pattern::Range { .. });
                    self.push(if apart { "(" } else { "" });
                    self.pattern(part, true);
                    self.push(if apart { "), " } else { ", " });
                }
                self.push(close);
            }
            Pattern::Or(parts) => {
                self.push(if top { "" } else { "(" });
                for (at, part) in parts.iter().enumerate() {
                    self.push(if at == 0 { "" } else { " | " });
                    self.pattern(part, false);
                }
                self.push(if top { "" } else { ")" });
            }
        }
    }
}

impl Printer<'_> {
    /// A literal or a constant, as it is: a pattern has no other expressions.
    fn in_pattern(&mut self, value: &Expr) {
        match value.literal() {
            Some(number) => self.digits(number, value),
            None => self.bare(value),
        }
    }
}
