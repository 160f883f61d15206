//! Macros of device code: assertions, panics, and those that print. Their format strings are in
//! `format`.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::visit::Visit as _;

use super::body::{BodyParser, Want};
use super::host::misplaced;
use super::text;
use crate::ir::{Arm, Check, CompareOp, Expr, ExprKind, Flow, MatchForm, Message, Pat, PatKind, Site};
use crate::report::{Code, error};
use anabranch_core::output::Output;

impl BodyParser<'_> {
    /// A macro call as an expression.
    pub(super) fn macro_call(&mut self, mac: &syn::Macro) -> Expr {
        let name = mac.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let span = mac.path.segments.last().map_or_else(Span::call_site, |s| s.ident.span());
        if name == "matches" {
            return self.matches(mac, span);
        }
        let args = match mac.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated) {
            Ok(args) if is_supported(&name) => args.into_iter().collect::<Vec<_>>(),
            Err(error) if is_supported(&name) => {
                self.report.syn(Code::Syntax, &error);
                return self.refused(span);
            }
            _ => {
                self.no_macro(mac, &name);
                return self.refused(span);
            }
        };
        self.attributes(|found| args.iter().for_each(|arg| found.visit_expr(arg)));
        let kind = match (name.as_str(), args.as_slice()) {
            ("dbg", values) => Some(self.dbg(span, values)),
            (name, args) if let Some(output) = Output::of_macro(name) => self.print(span, output, args),
            ("panic", message) => self.panics(span, "explicit panic", None, message),
            ("unreachable", message) => {
                self.panics(span, "internal error: entered unreachable code", Some(": "), message)
            }
            ("todo", message) => self.panics(span, "not yet implemented", Some(": "), message),
            ("unimplemented", message) => self.panics(span, "not implemented", Some(": "), message),
            ("assert" | "debug_assert", [cond, message @ ..]) => {
                let words = format!("assertion failed: {}", text(cond));
                let cond = self.expr(cond, Want::Value);
                self.assertion(&name, span, cond, words, message)
            }
            ("assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne", [left, right, message @ ..]) => {
                let op = if name.ends_with("eq") { CompareOp::Eq } else { CompareOp::Ne };
                let check = self.compared(span, op, [left, right], message);
                check.map(|check| if is_debug(&name) { self.never(span, check) } else { check })
            }
            _ => {
                let message =
                    format!("`{name}!` needs {}", if name.contains("assert_") { "two values" } else { "a condition" });
                self.report.on(&mac.path, error(Code::MacroArguments, message));
                None
            }
        };
        match kind {
            Some(kind) => Expr::new(span, kind),
            None => self.refused(span),
        }
    }

    /// `matches!(value, pattern if guard)`: a `match` of `true` and `false`.
    fn matches(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        let parts = |input: syn::parse::ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<syn::Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((value, pat, guard))
        };
        let (value, pat, guard) = match mac.parse_body_with(parts) {
            Ok(parts) => parts,
            Err(error) => {
                self.report.syn(Code::Syntax, &error);
                return self.refused(span);
            }
        };
        self.attributes(|found| {
            found.visit_expr(&value);
            found.visit_pat(&pat);
            guard.iter().for_each(|guard| found.visit_expr(guard));
        });
        let scrutinee = Box::new(self.expr(&value, Want::Value));
        let arm = self.scoped(|this| {
            let pat = this.pattern(&pat, true);
            let guard = guard.as_ref().map(|guard| this.expr(guard, Want::Value));
            Some(Arm { pat: pat?, guard, body: Expr::new(span, ExprKind::Bool(true)) })
        });
        let Some(arm) = arm else { return self.refused(span) };
        let otherwise = Expr::new(span, ExprKind::Bool(false));
        let otherwise = Arm { pat: Pat { span, kind: PatKind::Wild }, guard: None, body: otherwise };
        let (slot, arms) = (Some(self.slot()), vec![arm, otherwise]);
        Expr::flow(span, slot, Flow::Match { scrutinee, arms, form: MatchForm::Match })
    }

    fn panics(&mut self, span: Span, words: &str, before: Option<&str>, message: &[syn::Expr]) -> Option<ExprKind> {
        let before = before.map(|before| format!("{words}{before}"));
        let message = match self.message(message)? {
            None => words.to_owned(),
            Some(Message::Fixed(message)) => format!("{}{message}", before.unwrap_or_default()),
            Some(Message::Formatted(format)) => return Some(self.panic_formatted(span, before.as_deref(), format)),
        };
        let site = self.body.sites(Site { span, check: Check::Message(message.clone().into()), text: String::new() });
        Some(ExprKind::Panic { message: Message::Fixed(message), site })
    }

    fn assertion(
        &mut self,
        name: &str,
        span: Span,
        cond: Expr,
        words: String,
        message: &[syn::Expr],
    ) -> Option<ExprKind> {
        let message = match self.message(message)? {
            None => words,
            Some(Message::Fixed(message)) => message,
            Some(Message::Formatted(format)) => {
                let check = self.fails_unless(span, cond, format);
                return Some(if is_debug(name) { self.never(span, check) } else { check });
            }
        };
        let check = (!is_debug(name)).then(|| {
            let site =
                self.body.sites(Site { span, check: Check::Message(message.clone().into()), text: String::new() });
            (message, site)
        });
        Some(ExprKind::Assert { cond: Box::new(cond), check })
    }

    /// The message of a macro, if there is one. `None`: it was refused.
    #[allow(clippy::option_option)] // two questions, two answers
    fn message(&mut self, args: &[syn::Expr]) -> Option<Option<Message>> {
        if let [syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. })] = args {
            let words = literal.value();
            let plain = words.replace("{{", "").replace("}}", "");
            if !plain.contains(['{', '}']) {
                return Some(Some(Message::Fixed(words.replace("{{", "{").replace("}}", "}"))));
            }
        }
        match args {
            [] => Some(None),
            args => self.format(args).map(|format| Some(Message::Formatted(format))),
        }
    }

    fn no_macro(&mut self, mac: &syn::Macro, name: &str) {
        match name {
            "stream_parallel" => {
                self.report.on(&mac.path, misplaced(Code::ForkPlace, "`stream_parallel!`", "device code"))
            }
            "vec" | "format" => self.report.on(
                &mac.path,
                error(Code::Macro, format!("`{name}!` allocates memory, which device code cannot do"))
                    .help("use an array, such as `[0.0; 8]`"),
            ),
            "printf" | "write" | "writeln" => self.report.on(
                &mac.path,
                error(Code::Macro, format!("the macro `{name}!` is not supported in device code"))
                    .help("use `println!`, with a format string of Rust: `println!(\"{i}: {:.3}\", x[i])`"),
            ),
            shared if shared.trim_matches('_').starts_with("shared") => self.report.on(
                &mac.path,
                error(Code::Macro, format!("the macro `{name}!` is not supported: device code has no shared memory"))
                    .help("for values of one iteration, use an array: `let mut tile = [0.0; 16];`")
                    .help("for values that iterations exchange, write them to a `&mut [T]` in one loop, read them in the next"),
            ),
            _ => self.report.on(
                &mac.path,
                error(Code::Macro, format!("the macro `{name}!` is not supported in device code"))
                    .help("write what it expands to")
                    .help("write a `#[device]` function"),
            ),
        }
    }
}

/// Whether a macro checks nothing in device code, which means release-mode Rust in every build.
fn is_debug(name: &str) -> bool {
    name.starts_with("debug_")
}

fn is_supported(name: &str) -> bool {
    Output::of_macro(name).is_some()
        || matches!(
            name,
            "dbg"
                | "panic"
                | "unreachable"
                | "todo"
                | "unimplemented"
                | "assert"
                | "assert_eq"
                | "assert_ne"
                | "debug_assert"
                | "debug_assert_eq"
                | "debug_assert_ne"
        )
}
