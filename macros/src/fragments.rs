//! What the parameters of a `macro_rules!` stand for, kept together.
//!
//! Of `$n * 2` with `1 + 2` for `$n`, the macro is given a group without delimiters that holds `1 + 2`. rustc forgets such groups in
//! what a macro returns, and would read `1 + 2 * 2`. In parentheses it stays what it is.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens, with parentheses around each expression that an operator beside it could tear apart.
pub(crate) fn parenthesized(tokens: TokenStream) -> TokenStream {
    let one = |tree| match tree {
        TokenTree::Group(group) => {
            let inside = parenthesized(group.stream());
            let delimiter = match group.delimiter() {
                // A `let` in a group is no statement to syn.
                Delimiter::None if is_let(&inside) => return inside,
                Delimiter::None if can_be_torn(inside.clone()) => Delimiter::Parenthesis,
                delimiter => delimiter,
            };
            let mut new = Group::new(delimiter, inside);
            new.set_span(group.span());
            TokenTree::Group(new).into()
        }
        other => TokenStream::from(other),
    };
    tokens.into_iter().map(one).collect()
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
