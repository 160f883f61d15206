//! The closures of reductions and scans. Their bodies become parts of loops, so nothing may leave
//! them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::names;
use crate::parse::{strip, text};
use crate::report::{Code, Diagnostic, Report, error};

/// `|pattern, …| body`, with the body as a value.
pub(in crate::parse) struct Closure<'e> {
    pub(super) params: Vec<&'e syn::Pat>,
    pub(super) body: TokenStream,
}

impl<'e> Closure<'e> {
    /// `None` after an error: it is no closure, or has what a loop cannot have.
    pub(in crate::parse) fn of(closure: &'e syn::Expr, example: &str, report: &mut Report) -> Option<Self> {
        let syn::Expr::Closure(closure) = strip(closure) else {
            let error = error(Code::Reduction, "expected a closure");
            let params = example.rsplit_once('|').map_or("", |(params, _)| params.trim_start_matches('|'));
            let written = match strip(closure) {
                syn::Expr::Path(function) => format!("|{params}| {}({params})", text(function)),
                _ => example.to_owned(),
            };
            report.on(closure, error.help(format!("write `{written}`")));
            return None;
        };
        let errors = report.len();
        if closure.asyncness.is_some() || closure.constness.is_some() || closure.lifetimes.is_some() {
            let error = error(Code::Reduction, "this closure is device code, which has no `async`, `const` or `for`");
            report.on(closure, error.help(format!("write `{example}`")));
        }
        if let Some(attr) = closure.attrs.first() {
            let error = error(Code::AttributeInside, "attributes are not supported on closures of reductions");
            report.on(attr, error.help("put it on the whole kernel"));
        }
        let params: Vec<&syn::Pat> = closure.inputs.iter().collect();
        if let Some(typed) = params.iter().find(|pat| matches!(pat, syn::Pat::Type(_))) {
            let error = error(Code::Reduction, "the parameters of this closure have no written types");
            report.on(typed, error.help(format!("write `{example}`")));
        }
        nothing_leaves(&closure.body, "the closure of a reduction", report);
        let body = &closure.body;
        let body = match &closure.output {
            syn::ReturnType::Default => quote_spanned!(body.span()=> #body),
            syn::ReturnType::Type(_, ty) => {
                let value = names::generated("typed", body.span());
                quote_spanned!(body.span()=> { let #value: #ty = #body; #value })
            }
        };
        (report.len() == errors).then_some(Closure { params, body })
    }
}

/// The error for a sum, a product, a minimum or a maximum of conditions. A comparison is a `bool`,
/// whatever it compares. Other values of the wrong type are errors of rustc.
pub(super) fn of_conditions(operation: &Ident, closure: &syn::Expr) -> Option<Diagnostic> {
    let syn::Expr::Closure(closure) = strip(closure) else { return None };
    if !is_condition(&closure.body) {
        return None;
    }
    let value = text(&closure.body);
    let error = error(Code::Reduction, format!("`{operation}` needs numbers, but `{value}` is a `bool`"));
    let number = format!("convert it to a number, 0 or 1: `({value}) as u32`");
    match operation.to_string().as_str() {
        "sum" => Some(error.help("to count the iterations in which it is true, write `count()`").help(number)),
        "inclusive_sum" | "exclusive_sum" => Some(error.help(number)),
        "product" | "min" | "max" => Some(
            error
                .help("to know whether it is true in all iterations, write `all()`; in one of them, `any()`")
                .help(number),
        ),
        _ => None,
    }
}

fn is_condition(value: &syn::Expr) -> bool {
    match strip(value) {
        syn::Expr::Binary(syn::ExprBinary { op, .. }) => matches!(
            op,
            syn::BinOp::Eq(_)
                | syn::BinOp::Ne(_)
                | syn::BinOp::Lt(_)
                | syn::BinOp::Le(_)
                | syn::BinOp::Gt(_)
                | syn::BinOp::Ge(_)
                | syn::BinOp::And(_)
                | syn::BinOp::Or(_)
        ),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), expr, .. }) => is_condition(expr),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(_), .. }) => true,
        syn::Expr::Block(block) => {
            matches!(block.block.stmts.last(), Some(syn::Stmt::Expr(value, None)) if is_condition(value))
        }
        _ => false,
    }
}

/// The closure of a `reduce`: how two values become one.
pub(in crate::parse) struct Combining {
    params: Box<[syn::Pat; 2]>,
    body: TokenStream,
}

impl Combining {
    /// `|a, b| …`. `None` after an error.
    pub(in crate::parse) fn of(closure: &syn::Expr, report: &mut Report) -> Option<Self> {
        let Closure { params, body } = Closure::of(closure, "|a, b| a + b", report)?;
        if let [a, b] = params[..] {
            return Some(Self { params: Box::new([a.clone(), b.clone()]), body });
        }
        let error = error(Code::Reduction, "the closure of `reduce` takes two values");
        report.on(closure, error.help("write `.reduce(0.0, |a, b| a + b)`"));
        None
    }

    /// The value of two.
    pub(in crate::parse) fn call(&self, first: &TokenStream, second: &TokenStream, span: Span) -> TokenStream {
        let Self { params, body } = self;
        let [a, b] = &**params;
        quote_spanned!(span=> { let (#a, #b) = (#first, #second); #body })
    }
}

/// Reports jumps that lead out of a value, which becomes a part of a loop that the user has not
/// written. `of` says what they would leave.
pub(in crate::parse) fn nothing_leaves(value: &syn::Expr, of: &'static str, report: &mut Report) {
    Leaving { report, of, loops: Vec::new(), labels: Vec::new() }.visit_expr(value);
}

/// Finds jumps that lead out of a closure or a value.
struct Leaving<'r> {
    report: &'r mut Report,
    /// What they would leave.
    of: &'static str,
    /// The labels of the loops around.
    loops: Vec<Option<Ident>>,
    /// Of the blocks around: only a jump with the label leaves one.
    labels: Vec<Ident>,
}

impl Leaving<'_> {
    /// Any jump in tokens.
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) if ["break", "continue", "return"].iter().any(|jump| name == jump) => {
                    let what = name.to_string();
                    self.jump(&name, None, &what);
                }
                _ => {}
            }
        }
    }

    fn in_loop(&mut self, label: Option<&syn::Label>, inside: impl FnOnce(&mut Self)) {
        self.loops.push(label.map(|label| label.name.ident.clone()));
        inside(self);
        self.loops.pop();
    }

    fn jump(&mut self, tokens: &dyn quote::ToTokens, label: Option<&syn::Lifetime>, what: &str) {
        let stays = match label {
            Some(label) => self.loops.iter().flatten().chain(&self.labels).any(|name| *name == label.ident),
            None => what != "return" && !self.loops.is_empty(),
        };
        if !stays {
            let error = error(Code::Reduction, format!("`{what}` cannot leave {}", self.of));
            self.report
                .on(tokens, error.help("write the value as `if … { … } else { … }`, or in a `#[device]` function"));
        }
    }
}

impl<'e> Visit<'e> for Leaving<'_> {
    fn visit_expr_for_loop(&mut self, inner: &'e syn::ExprForLoop) {
        self.visit_expr(&inner.expr);
        self.in_loop(inner.label.as_ref(), |this| this.visit_block(&inner.body));
    }
    fn visit_expr_while(&mut self, inner: &'e syn::ExprWhile) {
        self.in_loop(inner.label.as_ref(), |this| visit::visit_expr_while(this, inner));
    }
    fn visit_expr_loop(&mut self, inner: &'e syn::ExprLoop) {
        self.in_loop(inner.label.as_ref(), |this| visit::visit_expr_loop(this, inner));
    }
    fn visit_expr_block(&mut self, inner: &'e syn::ExprBlock) {
        let labels = self.labels.len();
        self.labels.extend(inner.label.as_ref().map(|label| label.name.ident.clone()));
        visit::visit_expr_block(self, inner);
        self.labels.truncate(labels);
    }
    // Of its macros, device code parses the arguments. What does not parse as such may be a
    // pattern.
    fn visit_macro(&mut self, mac: &'e syn::Macro) {
        let args = mac.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        match args {
            Ok(args) => args.iter().for_each(|arg| Visit::visit_expr(self, arg)),
            Err(_) => self.tokens(mac.tokens.clone()),
        }
    }
    // Their jumps are their own.
    fn visit_expr_closure(&mut self, _: &'e syn::ExprClosure) {}
    fn visit_item(&mut self, _: &'e syn::Item) {}
    fn visit_expr_break(&mut self, jump: &'e syn::ExprBreak) {
        self.jump(&jump.break_token, jump.label.as_ref(), "break");
        visit::visit_expr_break(self, jump);
    }
    fn visit_expr_continue(&mut self, jump: &'e syn::ExprContinue) {
        self.jump(&jump.continue_token, jump.label.as_ref(), "continue");
    }
    fn visit_expr_return(&mut self, jump: &'e syn::ExprReturn) {
        self.jump(&jump.return_token, None, "return");
        visit::visit_expr_return(self, jump);
    }
}
