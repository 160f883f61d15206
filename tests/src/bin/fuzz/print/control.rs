//! Control flow and patterns.

use std::fmt::Write as _;

use super::Printer;
use crate::program::{Arm, Block, Expr, Kind, Pattern, Range};

impl Printer<'_> {
    pub(super) fn label(&mut self, label: Option<&String>) {
        if let Some(label) = label {
            let _ = write!(self.text, "'{label}: ");
        }
    }

    pub(super) fn jump(&mut self, word: &str, label: Option<&String>) {
        self.push(word);
        if let Some(label) = label {
            let _ = write!(self.text, " '{label}");
        }
    }

    pub(super) fn control(&mut self, expr: &Expr) {
        match &expr.kind {
            Kind::Block { label, block } => {
                self.label(label.as_ref());
                self.block(block);
            }
            Kind::If { cond, then, otherwise } => {
                self.push("if ");
                self.head(cond);
                self.push(" ");
                self.block(then);
                self.otherwise(otherwise.as_ref());
            }
            Kind::IfLet { pattern, scrutinee, then, otherwise } => {
                self.push("if let ");
                self.pattern(pattern, false);
                self.push(" = ");
                self.matched(scrutinee);
                self.push(" ");
                self.block(then);
                self.otherwise(otherwise.as_ref());
            }
            Kind::Match { scrutinee, arms } => self.arms(scrutinee, arms),
            Kind::Loop { label, body, exhausted } => {
                let mut first = Printer::new(self.program, 0);
                first.inline = true;
                first.push("if fuel == 0 { break");
                if let Some(value) = exhausted {
                    first.push(" ");
                    first.expr(value, 1);
                }
                first.push("; } fuel -= 1;");
                self.label(label.as_ref());
                self.push("loop ");
                self.block_after(&first.text, body);
            }
            Kind::While { label, cond, body } => {
                self.label(label.as_ref());
                self.push("while ");
                self.head(cond);
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::WhileLet { label, pattern, scrutinee, body } => {
                self.label(label.as_ref());
                self.push("while let ");
                self.pattern(pattern, false);
                self.push(" = ");
                self.matched(scrutinee);
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::For { label, var, range, body } => {
                self.label(label.as_ref());
                let mutable = if self.program.vars[var.0].mutable { "mut " } else { "" };
                let _ = write!(self.text, "for {mutable}{} in ", self.name(*var));
                self.inlined(|this| this.range(range));
                self.push(" ");
                self.block_after("if fuel == 0 { break; } fuel -= 1;", body);
            }
            Kind::Break { label, value } => {
                self.jump("break", label.as_ref());
                if let Some(value) = value {
                    self.push(" ");
                    self.inlined(|this| this.expr(value, 1));
                }
            }
            Kind::Continue(label) => self.jump("continue", label.as_ref()),
            Kind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.inlined(|this| this.expr(value, 1));
                }
            }
            _ => unreachable!("the other expressions are no control flow"),
        }
    }

    pub(super) fn otherwise(&mut self, block: Option<&Block>) {
        let Some(block) = block else { return };
        self.push(" else ");
        match &block.value {
            Some(value) if block.stmts.is_empty() && matches!(value.kind, Kind::If { .. } | Kind::IfLet { .. }) => {
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
        let Range { start, end, inclusive, rev, step } = range;
        let adapted = *rev || step.is_some();
        self.push(if adapted { "(" } else { "" });
        self.expr(start, 1);
        self.push(if *inclusive { "..=" } else { ".." });
        self.expr(end, 1);
        self.push(if adapted { ")" } else { "" });
        if *rev {
            self.push(".rev()");
        }
        if let Some(step) = step {
            self.push(".step_by(");
            self.expr(step, 0);
            self.push(")");
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
                self.push(name);
                if let Some(inner) = inner {
                    self.push(" @ ");
                    self.pattern(inner, false);
                }
            }
            Pattern::Value(value) => self.bare(value),
            Pattern::Range { start, end, inclusive } => {
                start.iter().for_each(|start| self.bare(start));
                self.push(if *inclusive { "..=" } else { ".." });
                end.iter().for_each(|end| self.bare(end));
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

/// Whether an expression is a statement without a semicolon.
pub(super) fn ends_in_a_brace(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        Kind::Block { .. }
            | Kind::If { .. }
            | Kind::IfLet { .. }
            | Kind::Match { .. }
            | Kind::Loop { .. }
            | Kind::While { .. }
            | Kind::WhileLet { .. }
            | Kind::For { .. }
    )
}
