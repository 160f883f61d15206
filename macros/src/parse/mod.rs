//! Tokens to IR. Names are resolved here, and everything that the kernel language does not have is refused here, at
//! its token.

mod atomic;
mod attributes;
mod body;
mod call;
mod control;
mod expr;
mod host;
mod macros;
mod par;
mod pattern;
mod place;
mod scopes;
mod signature;
mod stream_parallel;
mod types;
mod views;

pub(crate) use signature::{declaration, device, kernel};

use proc_macro2::Ident;

use crate::ir::{BindingId, Borrow};

/// What a name of the host part is.
#[derive(Clone, Copy)]
pub(crate) enum HostName {
    /// A view of device memory.
    View { binding: BindingId, borrow: Borrow },
    /// Anything else.
    Value,
}

/// The name as the user knows it: `r#type` is called `type`.
pub(crate) fn plain(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}

/// The only identifier of a path without arguments.
pub(crate) fn single_ident(expr: &syn::Expr) -> Option<&Ident> {
    match strip(expr) {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// Without parentheses and invisible groups.
pub(crate) fn strip(expr: &syn::Expr) -> &syn::Expr {
    match expr {
        syn::Expr::Paren(inner) => strip(&inner.expr),
        syn::Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

/// The names that a pattern may bind. A lone identifier may also be a constant: then the name is harmless.
pub(super) fn names_of(pat: &syn::Pat, names: &mut Vec<Ident>) {
    struct Names<'n>(&'n mut Vec<Ident>);
    impl<'ast> syn::visit::Visit<'ast> for Names<'_> {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.clone());
            syn::visit::visit_pat_ident(self, pat);
        }
        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    syn::visit::Visit::visit_pat(&mut Names(names), pat);
}

/// Source text on one line, for plans and comments.
pub(crate) fn text(tokens: impl quote::ToTokens) -> String {
    let mut out = String::new();
    write(tokens.to_token_stream(), &mut out);
    out
}

/// Spaces as rustfmt would put them in an expression; good enough to read.
fn write(tokens: proc_macro2::TokenStream, out: &mut String) {
    use proc_macro2::{Delimiter, Spacing, TokenTree};
    let mut joint = true;
    for tree in tokens {
        let tight_before = match &tree {
            TokenTree::Punct(p) => matches!(p.as_char(), ',' | ';' | '.' | '?' | ':'),
            TokenTree::Group(g) => {
                g.delimiter() != Delimiter::Brace
                    && out.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '!')
            }
            _ => false,
        };
        if !joint && !tight_before {
            out.push(' ');
        }
        joint = false;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(group.stream(), out);
                out.push_str(close);
            }
            TokenTree::Punct(p) => {
                out.push(p.as_char());
                joint = p.spacing() == Spacing::Joint
                    || matches!(p.as_char(), '.' | '!' | '&' | '\'')
                    || out.ends_with("::");
            }
            other => out.push_str(&other.to_string()),
        }
    }
}
