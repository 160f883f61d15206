//! What the parameters of a `macro_rules!` stand for, kept together.
//!
//! Of `$n * 2` with `1 + 2` for `$n`, the macro is given a group without delimiters that holds `1 + 2`. rustc forgets such groups in
//! what a macro returns, and would read `1 + 2 * 2`. In parentheses it stays what it is.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};

/// The tokens, with parentheses around each expression that an operator beside it could tear apart.
pub(crate) fn parenthesized(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        let TokenTree::Group(group) = tree else {
            out.extend([tree]);
            continue;
        };
        let inside = parenthesized(group.stream());
        let delimiter = match group.delimiter() {
            // A `let` in a group is no statement to syn. To rustc it is one, with a semicolon or without.
            Delimiter::None if is_let(&inside) => {
                out.extend(inside);
                if !matches!(rest.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ';') {
                    out.extend([TokenTree::Punct(Punct::new(';', Spacing::Alone))]);
                }
                continue;
            }
            Delimiter::None if can_be_torn(inside.clone()) => Delimiter::Parenthesis,
            delimiter => delimiter,
        };
        let mut new = Group::new(delimiter, inside);
        new.set_span(group.span());
        out.extend([TokenTree::Group(new)]);
    }
    out
}

fn is_let(tokens: &TokenStream) -> bool {
    matches!(tokens.clone().into_iter().next(), Some(TokenTree::Ident(first)) if first == "let")
}

/// Patterns that read as such an expression may be in parentheses, too: `-1`, `1 | 2`, `1..=3`.
fn can_be_torn(tokens: TokenStream) -> bool {
    use syn::Expr;
    match syn::parse2(tokens) {
        // A statement, which has no value.
        Ok(Expr::Binary(binary)) => !is_assignment(&binary.op),
        Ok(Expr::Cast(_) | Expr::Closure(_) | Expr::If(_) | Expr::Match(_) | Expr::Range(_) | Expr::Struct(_)) => true,
        Ok(Expr::Unary(_)) => true,
        _ => false,
    }
}

fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp as B;
    matches!(
        op,
        B::AddAssign(_)
            | B::SubAssign(_)
            | B::MulAssign(_)
            | B::DivAssign(_)
            | B::RemAssign(_)
            | B::BitXorAssign(_)
            | B::BitAndAssign(_)
            | B::BitOrAssign(_)
            | B::ShlAssign(_)
            | B::ShrAssign(_)
    )
}
