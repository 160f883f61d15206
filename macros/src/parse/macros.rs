//! Macros of device code: assertions and panics, with fixed words.

use proc_macro2::Span;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::Visit as _;

use super::body::{BodyParser, Want};
use super::host::misplaced;
use super::text;
use crate::ir::{Arm, Check, CompareOp, Expr, ExprKind, Flow, MatchForm, Pat, PatKind, Site};
use crate::report::{Code, error};

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
                let (op, sign) = if name.ends_with("eq") { (CompareOp::Eq, "==") } else { (CompareOp::Ne, "!=") };
                let lhs = Box::new(self.expr(left, Want::Value));
                let rhs = Box::new(self.expr(right, Want::Value));
                let cond = Expr { span, kind: ExprKind::Compare { op, lhs, rhs } };
                self.assertion(&name, span, cond, format!("assertion `left {sign} right` failed"), message)
            }
            _ => {
                let message =
                    format!("`{name}!` needs {}", if name.contains("assert_") { "two values" } else { "a condition" });
                self.report.on(&mac.path, error(Code::MacroArguments, message));
                None
            }
        };
        match kind {
            Some(kind) => Expr { span, kind },
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
            Some(Arm { pat: pat?, guard, body: Expr { span, kind: ExprKind::Bool(true) } })
        });
        let Some(arm) = arm else { return self.refused(span) };
        let otherwise = Expr { span, kind: ExprKind::Bool(false) };
        let otherwise = Arm { pat: Pat { span, kind: PatKind::Wild }, guard: None, body: otherwise };
        let (slot, arms) = (Some(self.slot()), vec![arm, otherwise]);
        Expr::flow(span, slot, Flow::Match { scrutinee, arms, form: MatchForm::Match })
    }

    fn panics(&mut self, span: Span, words: &str, before: Option<&str>, message: &[syn::Expr]) -> Option<ExprKind> {
        let message = self.message(message)?;
        let message = match (message, before) {
            (None, _) => words.to_owned(),
            (Some(message), None) => message,
            (Some(message), Some(before)) => format!("{words}{before}{message}"),
        };
        let site = self.body.sites(Site { span, check: Check::Message(message.clone().into()), text: String::new() });
        Some(ExprKind::Panic { message, site })
    }

    fn assertion(
        &mut self,
        name: &str,
        span: Span,
        cond: Expr,
        words: String,
        message: &[syn::Expr],
    ) -> Option<ExprKind> {
        let message = self.message(message)?.map_or(words.clone(), |message| {
            if name.ends_with("eq") || name.ends_with("ne") { format!("{words}: {message}") } else { message }
        });
        // Device code means release-mode Rust in every build, where these are not checked.
        let check = (!name.starts_with("debug_")).then(|| {
            let site =
                self.body.sites(Site { span, check: Check::Message(message.clone().into()), text: String::new() });
            (message, site)
        });
        Some(ExprKind::Assert { cond: Box::new(cond), check })
    }

    /// The message of a macro, if there is one. `None`: it was refused.
    #[allow(clippy::option_option)] // two questions, two answers
    fn message(&mut self, args: &[syn::Expr]) -> Option<Option<String>> {
        let [first, rest @ ..] = args else { return Some(None) };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. }) = first else {
            self.report.on(
                first,
                error(Code::MacroArguments, "the message of a panic must be a string literal in device code")
                    .help("write a fixed text: `panic!(\"…\")`"),
            );
            return None;
        };
        let words = literal.value();
        let plain = words.replace("{{", "").replace("}}", "");
        if !rest.is_empty() || plain.contains(['{', '}']) {
            let at = rest.first().map_or_else(|| literal.to_token_stream(), ToTokens::to_token_stream);
            self.report.on(
                at,
                error(Code::Formatting, "values cannot be formatted in device code")
                    .help("write a fixed text")
                    .help("to see a value, write it to an element of a `&mut [T]` parameter"),
            );
            return None;
        }
        Some(Some(words.replace("{{", "{").replace("}}", "}")))
    }

    fn no_macro(&mut self, mac: &syn::Macro, name: &str) {
        match name {
            "stream_parallel" => {
                self.report.on(&mac.path, misplaced(Code::ForkPlace, "`stream_parallel!`", "device code"))
            }
            "println" | "print" | "eprintln" | "eprint" | "dbg" => self.report.on(
                &mac.path,
                error(Code::Formatting, format!("`{name}!` is not supported in device code"))
                    .help("write the value to an element of a `&mut [T]` parameter, and print that on the host"),
            ),
            "vec" | "format" => self.report.on(
                &mac.path,
                error(Code::Macro, format!("`{name}!` allocates memory, which device code cannot do"))
                    .help("use an array, such as `[0.0; 8]`"),
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

fn is_supported(name: &str) -> bool {
    matches!(
        name,
        "panic"
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
