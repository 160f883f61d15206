//! Tokens to IR. Names are resolved here, and everything that the kernel language does not have is
//! refused here, at its token.
//!
//! | file | what it parses |
//! |---|---|
//! | `signature`, `types` | the declaration of a kernel or device function, and its parameters |
//! | `target` | items that cannot be one |
//! | `host` | the host part |
//! | `par` | the heads of `par` loops |
//! | `constants` | the constants of a kernel that are sizes |
//! | `blocks`, `collectives` | loops over blocks of threads, their phases, and what all threads compute together |
//! | `body`, `stmt`, `expr`, `control`, `iter`, `pattern`, `place` | device code |
//! | `call`, `chain`, `closure`, `macros`, `atomic` | functions, methods and iterators, assertions and panics, atomic operations of device code |
//! | `attributes`, `scopes` | attributes inside device code, and the names that are visible at a place |

mod atomic;
pub(crate) mod attributes;
mod blocks;
mod body;
mod call;
mod chain;
mod closure;
mod collectives;
mod constants;
mod contains;
mod control;
mod expr;
mod format;
mod host;
mod iter;
mod let_chain;
mod macros;
mod method_statement;
pub(crate) mod nesting;
mod par;
mod pattern;
mod place;
mod scopes;
mod signature;
mod stmt;
mod target;
mod types;

pub(crate) use closure::of_host as closure_of_host;
pub(crate) use collectives::changing_value;
pub(crate) use host::Fusible;
pub(crate) use signature::{
    Around, declaration, device, kernel, lent_stream, library, owner, reference_of_operator, trait_owner,
};
pub(crate) use target::misplaced;
pub(crate) use types::{Static, of_any_lifetime, slice_field};

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

use crate::ir::{BindingId, Borrow};
use crate::report::{Code, Diagnostic, error};

/// What a name of the host part is.
#[derive(Clone, Copy)]
pub(crate) enum HostName {
    /// A view of device memory.
    View { binding: BindingId, view: ViewType },
    /// A struct of slices. Its fields have names of their own.
    Slices(BindingId),
    /// A closure that is a parameter of the kernel, with the number of its own parameters.
    Closure(usize),
    /// Anything else.
    Value,
}

/// How a view is borrowed, and what it is a view of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ViewType {
    pub(crate) borrow: Borrow,
    /// The number of dimensions of a grid; of a slice, 0.
    pub(crate) dims: usize,
}

impl ViewType {
    /// What two uses together say.
    pub(crate) fn and(self, other: Self) -> Self {
        let atomic = self.borrow == Borrow::Atomic || other.borrow == Borrow::Atomic;
        Self { borrow: if atomic { Borrow::Atomic } else { self.borrow }, dims: self.dims.max(other.dims) }
    }

    /// A slice, or a grid.
    pub(crate) fn noun(self) -> &'static str {
        if self.dims == 0 { "slice" } else { "grid" }
    }

    /// The type of a parameter that can be written.
    pub(crate) fn unique(self) -> String {
        match self.dims {
            0 => "&mut [T]".to_owned(),
            dims => format!("&mut Grid<T, {dims}>"),
        }
    }

    /// What a grid can be asked for beside what a slice can, as words of a list.
    pub(crate) fn shape_method(self) -> &'static str {
        if self.dims == 0 { "" } else { "`shape()`, " }
    }

    /// An element of it.
    pub(crate) fn element(self, name: &Ident) -> String {
        match self.dims {
            0 => format!("{name}[i]"),
            2 => format!("{name}[[y, x]]"),
            _ => format!("{name}[[z, y, x]]"),
        }
    }
}

/// The error for a struct of slices where one of its fields is needed.
fn struct_of_slices(name: &Ident) -> Diagnostic {
    error(Code::WholeSlice, format!("the struct of slices `{name}` cannot be used as a value"))
        .help(format!("name one of its fields, such as `{name}.red[i]` or `&{name}.red`"))
        .help(format!("to lend all of it to a kernel, write `kernel(&mut {name})` in the host part"))
}

/// The error for a variable that would hide a struct of slices.
fn hides_slices(name: &Ident) -> Diagnostic {
    error(Code::ParameterName, format!("this variable would hide the struct of slices `{name}`"))
        .help("give the variable another name")
}

/// The only identifier of a path without arguments.
pub(crate) fn single_ident(expr: &syn::Expr) -> Option<&Ident> {
    match strip(expr) {
        syn::Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        _ => None,
    }
}

/// A pattern without parentheses.
pub(crate) fn strip_pat(pat: &syn::Pat) -> &syn::Pat {
    match pat {
        syn::Pat::Paren(inner) => strip_pat(&inner.pat),
        other => other,
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

/// The name of a struct in a literal or a pattern.
fn struct_path(qself: &Option<syn::QSelf>, path: &syn::Path) -> Box<syn::ExprPath> {
    Box::new(syn::ExprPath { attrs: Vec::new(), qself: qself.clone(), path: path.clone() })
}

/// The names that a pattern may bind. A lone identifier may also be a constant: then the name is
/// harmless.
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

/// Source text on one line, as the user wrote it: for messages and plans.
pub(crate) fn text(tokens: impl quote::ToTokens) -> String {
    let mut out = String::new();
    write(tokens.to_token_stream(), &written_space, &mut out);
    crate::names::shown_in(&out)
}

/// The same for equal tokens, whatever is between them.
pub(crate) fn spelling(tokens: impl quote::ToTokens) -> String {
    let mut out = String::new();
    write(tokens.to_token_stream(), &|_, _| None, &mut out);
    out
}

/// Whether the user wrote a space between two tokens. `None`: that is not known, as between tokens
/// of a macro, or not pretty, as at the end of a line.
fn written_space(before: &TokenTree, after: &TokenTree) -> Option<bool> {
    let is_word = |tree: &TokenTree| matches!(tree, TokenTree::Ident(_) | TokenTree::Literal(_));
    let (begin, end, next) = (before.span().start(), before.span().end(), after.span().start());
    if (is_word(before) && is_word(after)) || begin == end || end.line != next.line {
        return None;
    }
    match next.column.checked_sub(end.column) {
        Some(0) => Some(false),
        Some(1) => Some(true),
        _ => None,
    }
}

/// Where no space is known, they are as rustfmt would put them in an expression; good enough to
/// read.
fn write(tokens: TokenStream, space: &dyn Fn(&TokenTree, &TokenTree) -> Option<bool>, out: &mut String) {
    let (mut joint, mut binary) = (true, false);
    let mut before: Option<TokenTree> = None;
    for tree in tokens {
        let tight = joint
            || match &tree {
                TokenTree::Punct(p) => matches!(p.as_char(), ',' | ';' | '.' | '?' | ':'),
                TokenTree::Group(g) => {
                    g.delimiter() != Delimiter::Brace
                        && out.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '!')
                }
                _ => false,
            };
        let known = before.as_ref().and_then(|before| space(before, &tree));
        if known.unwrap_or(!tight) {
            out.push(' ');
        }
        joint = false;
        match &tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{ ", " }"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(group.stream(), space, out);
                out.push_str(close);
            }
            TokenTree::Punct(p) => {
                // `a & b`, `a && b`, but not `&b`.
                binary = match &before {
                    None => false,
                    Some(TokenTree::Punct(before)) => binary && before.spacing() == Spacing::Joint,
                    Some(_) => true,
                };
                out.push(p.as_char());
                joint = p.spacing() == Spacing::Joint
                    || matches!(p.as_char(), '.' | '!' | '\'')
                    || (matches!(p.as_char(), '-' | '*' | '&') && !binary)
                    || out.ends_with("::");
            }
            other => out.push_str(&other.to_string()),
        }
        before = Some(tree);
    }
}
