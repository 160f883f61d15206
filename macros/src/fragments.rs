//! The arguments of a `macro_rules!`, kept together.
//!
//! Of `$n * 2` with `1 + 2` for `$n`, the macro is given a group without delimiters that holds
//! `1 + 2`. rustc forgets such groups in what a macro returns, and would read `1 + 2 * 2`. In
//! parentheses it stays what it is.

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
            // A `let` in a group is no statement to syn. To rustc it is one, with a semicolon or
            // without.
            Delimiter::None if is_let(&inside) => {
                out.extend(inside);
                if !matches!(rest.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ';') {
                    out.extend([TokenTree::Punct(Punct::new(';', Spacing::Alone))]);
                }
                continue;
            }
            // Nor is a block in a group.
            Delimiter::None if is_block(&inside) && ends(rest.peek()) => {
                out.extend(inside);
                continue;
            }
            // An expression stands before another one only if it is a statement.
            Delimiter::None if is_statement(inside.clone()) && begins(rest.peek()) => Delimiter::Brace,
            Delimiter::None if can_be_torn(inside.clone(), rest.peek()) => Delimiter::Parenthesis,
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

fn is_block(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    let first = tokens.next();
    matches!(first, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace) && tokens.next().is_none()
}

/// Whether no operator comes next.
fn ends(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Punct(next)) => matches!(next.as_char(), ';' | ','),
        _ => true,
    }
}

/// Whether the next statement comes next.
fn begins(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Ident(next)) => next != "else" && next != "as",
        Some(TokenTree::Group(next)) => next.delimiter() == Delimiter::None,
        Some(TokenTree::Literal(_)) => true,
        _ => false,
    }
}

/// Whether it needs no semicolon as a statement.
fn is_statement(tokens: TokenStream) -> bool {
    use syn::Expr;
    matches!(
        syn::parse2(tokens),
        Ok(Expr::If(_) | Expr::Match(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Unsafe(_))
    )
}

/// Patterns that read as such an expression may be in parentheses, too: `1 | 2`, `1..=3`. But `-1`
/// must stay bare as an argument of a generic and in front of `..=`, and only what comes directly
/// after it tears it; `..` is the rest of a list.
fn can_be_torn(tokens: TokenStream, next: Option<&TokenTree>) -> bool {
    use syn::Expr;
    match syn::parse2(tokens) {
        // A statement, which has no value.
        Ok(Expr::Binary(binary)) => !is_assignment(&binary.op),
        Ok(Expr::Range(range)) => range.start.is_some() || range.end.is_some(),
        Ok(Expr::Cast(_) | Expr::Closure(_) | Expr::If(_) | Expr::Match(_) | Expr::Struct(_)) => true,
        Ok(Expr::Unary(_)) => match next {
            Some(TokenTree::Punct(next)) => {
                next.as_char() == '?' || next.as_char() == '.' && next.spacing() == Spacing::Alone
            }
            Some(TokenTree::Group(next)) => next.delimiter() != Delimiter::Brace,
            _ => false,
        },
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens with a group for each `$f`.
    fn with(tokens: TokenStream, fragment: &Group) -> TokenStream {
        let mut rest = tokens.into_iter();
        let mut out = TokenStream::new();
        while let Some(tree) = rest.next() {
            out.extend([match tree {
                TokenTree::Punct(dollar) if dollar.as_char() == '$' => {
                    let _name = rest.next();
                    TokenTree::Group(fragment.clone())
                }
                TokenTree::Group(group) => {
                    TokenTree::Group(Group::new(group.delimiter(), with(group.stream(), fragment)))
                }
                other => other,
            }]);
        }
        out
    }

    fn check(text: &str, fragment: &str, expected: &str) {
        let fragment = Group::new(Delimiter::None, fragment.parse().expect("tokens"));
        let out = parenthesized(with(text.parse().expect("tokens"), &fragment)).to_string();
        let bare = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(bare(&out), bare(expected), "{text} with {fragment}");
    }

    #[test]
    fn what_an_operator_could_tear_apart_stays_together() {
        check("$f * 2", "1 + 2", "(1 + 2) * 2");
        check("!$f", "a == 1 || b", "!(a == 1 || b)");
        check("$f.abs()", "-1", "(-1).abs()");
        check("$f()", "|| 1", "(|| 1)()");
        check("$f x = y;", "let x = 1", "let x = 1; x = y;");
        check("$f; z", "let x = 1", "let x = 1; z");
        check("$f z", "{ x = 1; }", "{ x = 1; } z");
        check("$f + 1", "{ 1 }", "{ 1 } + 1");
        check("$f z", "if a { b }", "{ if a { b } } z");
        check("$f $f", "for i in 0..3 { b }", "{ for i in 0..3 { b } } for i in 0..3 { b }");
    }

    #[test]
    fn what_must_stay_bare_does() {
        check("f::<$f>()", "-1", "f::<-1>()");
        check("match v { $f..=3 => {} }", "-1", "match v { -1..=3 => {} }");
        check("let [a, $f] = b;", "..", "let [a, ..] = b;");
        check("$f.len()", "x", "x.len()");
        check("fn f(x: $f) {}", "&mut [f32]", "fn f(x: &mut [f32]) {}");
        check("$f;", "x += 1", "x += 1;");
    }
}
