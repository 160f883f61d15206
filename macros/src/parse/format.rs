//! Format strings of device code: which values they format. rustc checks the string itself, and the
//! host formats the values.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{single_ident, strip};
use crate::ir::{
    Block, Check, CompareOp, Expr, ExprKind, Flow, Format, LocalId, LocalKind, Message, Pat, PatKind, Site, Slot, Stmt,
    UnOp,
};
use crate::names;
use crate::report::{Code, error};
use anabranch_core::output::Output;

impl BodyParser<'_> {
    /// `println!("{x}")` and the like.
    pub(super) fn print(&mut self, span: Span, output: Output, args: &[syn::Expr]) -> Option<ExprKind> {
        let format = match args {
            [] => self.values(Some(quote!("")), Vec::new()),
            args => self.format(args)?,
        };
        Some(self.printed(span, output, format))
    }

    fn printed(&mut self, span: Span, output: Output, format: Format) -> ExprKind {
        let site = self.site_of(span, &format);
        ExprKind::Print { output, format, site }
    }

    fn site_of(&mut self, span: Span, format: &Format) -> crate::ir::SiteId {
        let check = Check::Formatted(format.slot.number());
        self.body.sites(Site { span, check, text: String::new() })
    }

    /// `dbg!(a)` is `{ let value = a; eprintln!("a = {value:#?}"); value }`, and `dbg!(a, b)` a
    /// tuple of these.
    pub(super) fn dbg(&mut self, span: Span, args: &[syn::Expr]) -> ExprKind {
        match args {
            [] => {
                let format = self.values(Some(quote!("")), Vec::new());
                self.printed(span, Output::Debug, format)
            }
            [value] => self.dbg_value(span, value),
            values => {
                let elems = values.iter().map(|value| Expr::new(span, self.dbg_value(span, value))).collect();
                ExprKind::Tuple { elems, slot: self.slot() }
            }
        }
    }

    fn dbg_value(&mut self, span: Span, value: &syn::Expr) -> ExprKind {
        let words = super::text(value).replace('{', "{{").replace('}', "}}");
        let (stmt, kept) = self.keep(value);
        let format = self.shown(format!("{words} = {{:#?}}"), None, &[kept]);
        let print = Expr::new(span, self.printed(span, Output::Debug, format));
        let value = Some(Box::new(kept.expr()));
        block(Block { stmts: vec![stmt, Stmt::Expr(print)], value })
    }

    /// `assert_eq!(left, right, …)` binds both sides, and shows them if it fails.
    pub(super) fn compared(
        &mut self,
        span: Span,
        op: CompareOp,
        sides: [&syn::Expr; 2],
        message: &[syn::Expr],
    ) -> Option<ExprKind> {
        let [(left, lhs), (right, rhs)] = sides.map(|side| self.keep(side));
        let users = match message {
            [] => None,
            args => Some(self.format(args)?),
        };
        let sign = if op == CompareOp::Eq { "==" } else { "!=" };
        let colon = if users.is_some() { ": {}" } else { "" };
        let words = format!("assertion `left {sign} right` failed{colon}\n  left: {{:?}}\n right: {{:?}}");
        let format = self.shown(words, users, &[lhs, rhs]);
        let [lhs, rhs] = [lhs, rhs].map(|side| Box::new(side.expr()));
        let slot = self.comparison(op);
        let holds = Expr::new(span, ExprKind::Compare { op, lhs, rhs, slot });
        let check = self.fails_unless(span, holds, format);
        Some(block(Block { stmts: vec![left, right, Stmt::Expr(Expr::new(span, check))], value: None }))
    }

    /// `if !cond { panic!(…) }`: the values of a message are evaluated where the check fails.
    pub(super) fn fails_unless(&mut self, span: Span, cond: Expr, format: Format) -> ExprKind {
        let site = self.site_of(span, &format);
        let panic = Expr::new(span, ExprKind::Panic { message: Message::Formatted(format), site });
        let slot = self.body.slots(Slot::Unary);
        let fails = ExprKind::Unary { op: UnOp::Not, operand: Box::new(cond), slot };
        let then = Block { stmts: vec![Stmt::Expr(panic)], value: None };
        branch(Expr::new(span, fails), then)
    }

    /// What is checked for its types alone: device code means release-mode Rust.
    pub(super) fn never(&mut self, span: Span, kind: ExprKind) -> ExprKind {
        let then = Block { stmts: vec![Stmt::Expr(Expr::new(span, kind))], value: None };
        branch(Expr::new(span, ExprKind::Bool(false)), then)
    }

    /// A panic whose message has values: the user's, with these words in front of it.
    pub(super) fn panic_formatted(&mut self, span: Span, words: Option<&str>, format: Format) -> ExprKind {
        let format = match words {
            Some(words) => Format { around: Some((format!("{words}{{}}"), Vec::new())), ..format },
            None => format,
        };
        let site = self.site_of(span, &format);
        ExprKind::Panic { message: Message::Formatted(format), site }
    }

    /// Binds a value to a name that the user cannot see.
    fn keep(&mut self, value: &syn::Expr) -> (Stmt, Kept) {
        let span = value.span();
        let init = self.expr(value, Want::Value);
        let local = self.generated("kept", span, Slot::Inferred, LocalKind::Value);
        let pat = Pat { span, kind: PatKind::Bind { local, sub: None } };
        (Stmt::Let { pat, ty: None, init, otherwise: None }, Kept { local, span })
    }

    /// These words, in which the user's text and then some variables stand.
    fn shown(&mut self, words: String, users: Option<Format>, all: &[Kept]) -> Format {
        let mut format = users.unwrap_or_else(|| self.values(None, Vec::new()));
        let mut after = Vec::new();
        for kept in all {
            let value = kept.expr();
            let name = self.name_of_value(format.values.len(), value.span);
            after.push(name.clone());
            format.values.push((name, value));
        }
        Format { around: Some((words, after)), ..format }
    }

    fn values(&mut self, users: Option<TokenStream>, values: Vec<(Ident, Expr)>) -> Format {
        Format { users, values, around: None, slot: self.body.slots(Slot::Format) }
    }

    fn name_of_value(&self, at: usize, span: Span) -> Ident {
        let mut name = names::local(&format!("value{at}"));
        name.set_span(span.resolved_at(name.span()));
        name
    }

    /// A format string and its arguments. `None`: it was refused.
    pub(super) fn format(&mut self, args: &[syn::Expr]) -> Option<Format> {
        let (first, rest) = args.split_first()?;
        let Some(literal) = string(first) else {
            self.report.on(
                first,
                error(Code::MacroArguments, "the format string of a macro must be a string literal in device code")
                    .help("write the text in quotes: `\"{x}\"`"),
            );
            return None;
        };
        let mut users = literal.to_token_stream();
        let mut values: Vec<(Ident, Expr)> = Vec::new();
        let mut keys = Vec::new();
        let errors = self.report.len();
        for arg in rest {
            let (key, value) = match arg {
                syn::Expr::Assign(assign) => match single_ident(&assign.left) {
                    Some(key) => (Some(key.clone()), &*assign.right),
                    None => (None, arg),
                },
                _ => (None, arg),
            };
            let given = if self.is_constant(value) {
                value.to_token_stream()
            } else {
                let name = self.name_of_value(values.len(), value.span());
                values.push((name.clone(), self.formatted(value)));
                name.into_token_stream()
            };
            match &key {
                Some(key) => users.extend(quote!(, #key = #given)),
                None => users.extend(quote!(, #given)),
            }
            keys.extend(key.map(|key| names::plain(&key)));
        }
        for name in names_in(&literal.value()) {
            if keys.contains(&name) {
                continue;
            }
            // It resolves like the literal, as for rustc.
            let Some(ident) = identifier(&name, literal.span()) else { continue };
            let value = syn::parse_quote!(#ident);
            if !self.is_constant(&value) {
                let value = self.formatted(&value);
                values.push((ident, value));
            }
        }
        (self.report.len() == errors).then(|| self.values(Some(users), values))
    }

    /// What the host can format without the device: text, and what is no variable, so that rustc
    /// must find a constant there.
    fn is_constant(&self, expr: &syn::Expr) -> bool {
        match strip(expr) {
            syn::Expr::Reference(syn::ExprReference { mutability: None, expr, .. }) => self.is_constant(expr),
            syn::Expr::Lit(syn::ExprLit { lit, .. }) => matches!(lit, syn::Lit::Str(_) | syn::Lit::Char(_)),
            syn::Expr::Path(path) => {
                path.path.get_ident().is_none_or(|name| self.local(name).is_none() && self.host(name).is_none())
            }
            _ => false,
        }
    }

    /// A value that is formatted. Formatting takes it by reference, but a copy has the same text.
    fn formatted(&mut self, expr: &syn::Expr) -> Expr {
        let expr = match strip(expr) {
            syn::Expr::Reference(syn::ExprReference { mutability: None, expr, .. }) => strip(expr),
            expr => expr,
        };
        let local = single_ident(expr).and_then(|name| self.local(name)).map(|local| (local, self.body[local].kind));
        let is_part = matches!(expr, syn::Expr::Index(index) if matches!(strip(&index.index), syn::Expr::Range(_)));
        if is_part || self.view_name(expr).is_some() || matches!(local, Some((_, LocalKind::Slice(_)))) {
            self.report.on(
                expr,
                error(
                    Code::Formatting,
                    format!("the slice `{}` cannot be formatted in device code", super::text(expr)),
                )
                .help("format its elements: `x[i]`"),
            );
            return self.refused(expr.span());
        }
        match local {
            _ if let Some((local, 1..)) = self.reference_in(expr)
                && let LocalKind::Reference(_) = self.body[local].kind =>
            {
                let reference = Expr::new(expr.span(), ExprKind::Local(local));
                Expr::new(expr.span(), ExprKind::Deref(Box::new(reference)))
            }
            _ => self.expr(expr, Want::Value),
        }
    }
}

/// A value with a name that the user cannot see.
#[derive(Clone, Copy)]
struct Kept {
    local: LocalId,
    /// Of the user's expression.
    span: Span,
}

impl Kept {
    fn expr(self) -> Expr {
        Expr::new(self.span, ExprKind::Local(self.local))
    }
}

fn block(block: Block) -> ExprKind {
    ExprKind::Flow { flow: Flow::Block(block), slot: None }
}

fn branch(cond: Expr, then: Block) -> ExprKind {
    ExprKind::Flow { flow: Flow::If { cond: Box::new(cond), then, otherwise: None }, slot: None }
}

fn string(expr: &syn::Expr) -> Option<&syn::LitStr> {
    match strip(expr) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. }) => Some(literal),
        _ => None,
    }
}

/// A name in a format string as an identifier; `None` if it cannot be a variable.
fn identifier(name: &str, span: Span) -> Option<Ident> {
    let plain = syn::parse_str::<Ident>(name).ok().map(|_| format_ident!("{name}", span = span));
    // rustc takes `{type}` for `r#type`.
    let raw = || syn::parse_str::<Ident>(&format!("r#{name}")).ok().map(|_| Ident::new_raw(name, span));
    plain.or_else(raw)
}

/// The names that a format string takes from its scope: `{x}`, `{:w$}`, `{:.p$}`. rustc reports
/// what is no format string.
fn names_in(format: &str) -> Vec<String> {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| -> String { text.chars().take_while(|c| is_part(*c)).collect() };
    let mut names = Vec::new();
    let mut add = |name: String| {
        if name.starts_with(is_start) && name != "_" && !names.contains(&name) {
            names.push(name);
        }
    };
    let mut rest = format;
    while let Some(at) = rest.find('{') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let trimmed = rest.trim_start();
        let name = word(trimmed);
        rest = trimmed[name.len()..].trim_start();
        add(name);
        let Some(spec) = rest.strip_prefix(':') else { continue };
        rest = spec;
        // A fill is any character before an alignment.
        let mut chars = rest.chars();
        if let (Some(fill), Some('<' | '^' | '>')) = (chars.next(), chars.next()) {
            rest = &rest[fill.len_utf8() + 1..];
        }
        rest = rest.trim_start_matches(['<', '^', '>', '+', '-', '#']);
        if rest.starts_with('0') && !rest.starts_with("0$") {
            rest = &rest[1..];
        }
        for before in ["", "."] {
            let Some(count) = rest.strip_prefix(before) else { continue };
            let name = word(count);
            if let Some(after) = count[name.len()..].strip_prefix('$') {
                rest = after;
                add(name);
            } else if name.chars().all(|c| c.is_ascii_digit()) {
                rest = &count[name.len()..];
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn the_names_of_a_format_string_are_those_that_rustc_takes_from_the_scope() {
        let check = |format: &str, names: &[&str]| assert_eq!(names_in(format), names, "{format}");
        check("", &[]);
        check("{{x}} {} {0} {:?} {:5.1}", &[]);
        check("{x} {y:?} {x} { z } {q :x}", &["x", "y", "z", "q"]);
        check("{:w$} {:.p$} {x:>w$.p$?} {:08.3e}", &["w", "p", "x"]);
        check("{:+#0w$x} {:0$} {:1$.2$} {:.*}", &["w"]);
        check("{:}<5} {a:{^b$}", &["a", "b"]);
        check("{{{a}}} {ä_1:#?}", &["a", "ä_1"]);
        check("{ {a", &["a"]);
        check("{:x} {:X?} {:e}", &[]);
        check("{:é$} {_} {_a}", &["é", "_a"]);
    }
}
