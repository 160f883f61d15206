//! Fields of structs of slices: `p.red` of a parameter `p: Planes<'_>`.
//!
//! The macro does not know the fields of a struct. So each that the host part names becomes a
//! variable, which takes the view out of the struct at the beginning. For everything behind this
//! file it is a parameter.
//!
//! Whether a field is a slice, how many dimensions it has, and whether its elements are atomics, is
//! what all its uses together say. rustc compares that with the field.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

use quote::{ToTokens, quote, quote_spanned};

use super::HostWalk;
use super::views::is_member;
use crate::ir::{Borrow, Struct, atomics};
use crate::names;
use crate::parse::{ViewType, hides_slices};
use crate::report::{Code, Report, error};

/// What a host part does with a struct of slices.
#[derive(Default)]
struct Uses {
    /// The fields that it names.
    fields: Vec<Field>,
    /// It lends all of them to a kernel.
    lends: bool,
}

/// What a field is that is only lent: a slice.
const SLICE: ViewType = ViewType { borrow: Borrow::Unique, dims: 0 };

/// A field that a host part names.
struct Field {
    /// The variable.
    name: Ident,
    /// `inner`, `red`
    path: Vec<Ident>,
    /// What its uses say.
    used: Used,
}

/// What the tokens around a field say of it, the surest first.
#[derive(Clone, Copy)]
enum Used {
    View(ViewType),
    /// It is computed with.
    Value,
    /// It is lent: a view, unless it is computed with elsewhere.
    Lent,
    /// It stands alone, as an argument or as the value of a variable: a value, unless it is lent
    /// elsewhere.
    Alone,
}

impl Used {
    /// What two uses together say.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::View(one), Self::View(other)) => Self::View(one.and(other)),
            (sure @ Self::View(_), _) | (_, sure @ Self::View(_)) => sure,
            (Self::Value, _) | (_, Self::Value) => Self::Value,
            (Self::Lent, _) | (_, Self::Lent) => Self::Lent,
            (Self::Alone, Self::Alone) => Self::Alone,
        }
    }
}

impl Field {
    /// Its view; `None` for a value.
    fn view(&self) -> Option<ViewType> {
        match self.used {
            Used::Alone | Used::Value => None,
            Used::Lent => Some(SLICE),
            Used::View(view) => Some(view),
        }
    }

    /// Whether it is a field of a struct with this path.
    fn is_in(&self, outer: &[Ident]) -> bool {
        self.path.len() > outer.len() && self.path.starts_with(outer)
    }
}

/// Whether a body uses a value with a lifetime as a struct of slices. There are others, such as
/// `Cow<'_, str>`, that are values of the host.
pub(in crate::parse) fn are_used(of: &Ident, body: &syn::Block) -> bool {
    let mut uses = Uses::default();
    name(body.to_token_stream(), of, &mut uses);
    uses.lends || uses.fields.iter().any(|field| field.view().is_some())
}

/// Refuses names that could be those of the variables, and items that would hide a struct of
/// slices, one of `structs`.
pub(in crate::parse) fn check_names(tokens: TokenStream, structs: &[&Ident], report: &mut Report) {
    let is_struct = |name: &Ident| structs.iter().any(|of| names::plain(of) == names::plain(name));
    let (mut declares, mut imports, mut in_macro) = (false, false, false);
    for tree in tokens {
        match &tree {
            TokenTree::Group(group) if imports => {
                let mut named = Vec::new();
                idents(group.stream(), &mut named);
                named.iter().filter(|name| is_struct(name)).for_each(|name| report.on(name, hides_slices(name)));
            }
            TokenTree::Group(group) if std::mem::take(&mut in_macro) => {
                let mut named = Vec::new();
                idents(group.stream(), &mut named);
                for name in named.iter().filter(|name| is_struct(name)) {
                    let message = format!("a macro in a kernel cannot name the struct of slices `{name}`");
                    report.once(name, error(Code::ReservedName, message).help("move the macro out of the kernel"));
                }
            }
            TokenTree::Group(group) => check_names(group.stream(), structs, report),
            TokenTree::Ident(name) if names::has_dot(name) => {
                let error =
                    error(Code::ReservedName, "a kernel with a struct of slices cannot have names with a middle dot");
                report.once(name, error.help("rename it"));
            }
            TokenTree::Ident(name) if (declares || imports) && is_struct(name) => report.on(name, hides_slices(name)),
            // What it expands to may declare the name.
            TokenTree::Ident(name) if name == "macro_rules" => in_macro = true,
            TokenTree::Ident(name) => imports |= name == "use",
            TokenTree::Punct(punct) => imports &= punct.as_char() != ';',
            TokenTree::Literal(_) => {}
        }
        declares = matches!(&tree, TokenTree::Ident(keyword)
            if ["const", "static", "fn", "struct"].iter().any(|of| keyword == of) || declares && keyword == "mut");
    }
}

fn idents(tokens: TokenStream, into: &mut Vec<Ident>) {
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => idents(group.stream(), into),
            TokenTree::Ident(ident) => into.push(ident),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Gives the fields of a struct of slices their variables, and binds these. Returns the statements
/// that fill them.
pub(in crate::parse) fn of_parameter(walk: &mut HostWalk<'_>, of: &Ident, block: &mut syn::Block) -> TokenStream {
    walk.bind_slices(of);
    let mut uses = Uses::default();
    let stmts = &block.stmts;
    let named = name(quote!({ #(#stmts)* }), of, &mut uses);
    // One expression, a path, for another, a field.
    if let Ok(named) = syn::parse2::<syn::Block>(named) {
        block.stmts = named.stmts;
    }
    // A struct in the struct comes before what is in it.
    uses.fields.sort_by_key(|field| field.path.len());
    let mut structs = vec![(Vec::new(), Struct { name: of.clone(), views: Vec::new() })];
    let mut taken = TokenStream::new();
    for field in &uses.fields {
        let (Field { name, path, .. }, view) = (field, field.view());
        let is_struct = view.is_some() && uses.fields.iter().any(|inner| inner.is_in(path));
        let mut around: Vec<_> = structs.iter_mut().filter(|(outer, _)| field.is_in(outer)).collect();
        let Some((outer, Struct { name: root, .. })) = around.last() else { continue };
        let (span, mut root, members) = (name.span(), root.clone(), path[outer.len()..].iter());
        root.set_span(span);
        let place = quote_spanned!(span=> #root #(.#members)*);
        if view.is_some() {
            around.iter_mut().for_each(|(_, of)| of.views.push((name.clone(), place.clone())));
        }
        // The braces have the span of the use: of two errors there rustc shows one.
        let private = names::private_at(&walk.private, span);
        taken.extend(match view {
            Some(_) if !is_struct => quote_spanned! {span=>
                #[allow(unused_mut)] // a view that no loop writes and no swap moves
                let mut #name = #private::slices::taken({ #place });
            },
            Some(_) => quote_spanned!(span=> let mut #name = #place;),
            None => quote_spanned!(span=> let #name = #private::slices::taken_value({ #place });),
        });
        match is_struct {
            true => {
                walk.bind_slices(name);
                structs.push((path.clone(), Struct { name: name.clone(), views: Vec::new() }));
            }
            false => walk.bind(name, view),
        }
    }
    walk.structs.extend(structs.into_iter().map(|(_, of)| of));
    taken
}

/// Gives the fields of the struct `of` their variables in some tokens.
fn name(tokens: TokenStream, of: &Ident, uses: &mut Uses) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        if let Some(behind) = behind_function(&trees, at) {
            // It sees none of the names around it.
            out.extend(trees[at..behind].iter().cloned());
            at = behind;
            continue;
        }
        at += 1;
        match tree {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), name(group.stream(), of, uses));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(ident) if names::plain(ident) == names::plain(of) && !is_member(&trees, at - 1) => {
                let behind = path(&trees, at);
                if behind == at {
                    uses.lends |= matches!(&trees[..at - 1], [.., TokenTree::Punct(and), TokenTree::Ident(of)]
                        if and.as_char() == '&' && of == "mut");
                    out.extend([tree.clone()]);
                    continue;
                }
                let variable = field(&trees, at - 1..behind, of, &mut uses.fields);
                out.extend([TokenTree::Ident(variable)]);
                at = behind;
            }
            other => out.extend([other.clone()]),
        }
    }
    out
}

/// The place behind a function that is declared at a place.
fn behind_function(trees: &[TokenTree], at: usize) -> Option<usize> {
    match (&trees[at], trees.get(at + 1)) {
        (TokenTree::Ident(keyword), Some(TokenTree::Ident(_))) if keyword == "fn" => {
            let is_body = |tree: &TokenTree| is_group(tree, Delimiter::Brace);
            trees[at..].iter().position(is_body).map(|body| at + body + 1)
        }
        _ => None,
    }
}

fn is_group(tree: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == delimiter)
}

fn is_punct(tree: Option<&TokenTree>, punct: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(found)) if found.as_char() == punct)
}

/// The place behind the fields that follow: `.inner.red`. A name that is called is a method.
fn path(trees: &[TokenTree], mut at: usize) -> usize {
    while is_punct(trees.get(at), '.')
        && let Some(TokenTree::Ident(_)) = trees.get(at + 1)
        && !trees.get(at + 2).is_some_and(|next| is_group(next, Delimiter::Parenthesis))
        && !is_punct(trees.get(at + 2), ':')
    {
        at += 2;
    }
    at
}

/// The variable of a field of the struct `of`, whose path is at some places.
fn field(trees: &[TokenTree], at: Range<usize>, of: &Ident, found: &mut Vec<Field>) -> Ident {
    let idents = trees[at.clone()].iter().filter_map(|tree| match tree {
        TokenTree::Ident(ident) => Some(ident.clone()),
        _ => None,
    });
    let path: Vec<Ident> = idents.collect();
    let name = names::field(&path, trees[at.end - 1].span().resolved_at(of.span()));
    let used = used_as(&trees[..at.start], &trees[at.end..]);
    match found.iter_mut().find(|field| field.name == name) {
        Some(field) => field.used = field.used.and(used),
        None => found.push(Field { name: name.clone(), path: path[1..].to_vec(), used }),
    }
    name
}

/// What the tokens before and behind a field say.
fn used_as(before: &[TokenTree], behind: &[TokenTree]) -> Used {
    let view = |borrow, dims| Used::View(ViewType { borrow, dims });
    match (behind.first(), behind.get(1), behind.get(2)) {
        (Some(TokenTree::Group(index)), dot, method) if index.delimiter() == Delimiter::Bracket => {
            let called = behind.get(3);
            let atomic = is_punct(dot, '.')
                && matches!(method, Some(TokenTree::Ident(method)) if atomics::find(&method.to_string()).is_some())
                && matches!(called, Some(TokenTree::Group(args)) if is_relaxed(args));
            view(if atomic { Borrow::Atomic } else { Borrow::Unique }, components(index.stream()))
        }
        (dot, Some(TokenTree::Ident(method)), _) if is_punct(dot, '.') => match method.to_string().as_str() {
            "len" | "is_empty" | "iter" | "split_at" | "split_at_mut" => Used::View(SLICE),
            "shape" | "rows" | "rows_mut" | "part" | "part_mut" => view(Borrow::Unique, 2),
            "split_dim_at" | "split_dim_at_mut" | "as_slice" | "as_mut_slice" => view(Borrow::Unique, 2),
            _ => Used::Value,
        },
        _ if is_lent(before) => Used::Lent,
        _ if is_operand(before, behind) => Used::Value,
        _ => Used::Alone,
    }
}

/// Whether something between these tokens is computed with.
fn is_operand(before: &[TokenTree], behind: &[TokenTree]) -> bool {
    let in_front = match before {
        // `=` and `=>` stand before a value, `==` and `+=` before an operand.
        [.., TokenTree::Punct(first), TokenTree::Punct(last)] if first.spacing() == Spacing::Joint => {
            last.as_char() != '>' || first.as_char() != '='
        }
        [.., TokenTree::Punct(last)] => !['=', ',', ';', ':'].contains(&last.as_char()),
        [.., TokenTree::Ident(last)] => ["if", "while", "match", "in"].iter().any(|keyword| last == keyword),
        _ => false,
    };
    let after = match behind {
        [TokenTree::Punct(equals), second, ..] if equals.as_char() == '=' => is_punct(Some(second), '='),
        [TokenTree::Punct(next), ..] => ![',', ';'].contains(&next.as_char()),
        [TokenTree::Ident(keyword), ..] => keyword == "as",
        _ => false,
    };
    in_front || after
}

/// Whether the last argument of a method is `Relaxed`.
fn is_relaxed(args: &Group) -> bool {
    matches!(args.stream().into_iter().last(), Some(TokenTree::Ident(last)) if last == "Relaxed")
}

/// The number of components of an index `[y, x]`; 0 if it is another one.
fn components(index: TokenStream) -> usize {
    let trees: Vec<TokenTree> = index.into_iter().collect();
    match trees.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
            let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            syn::parse::Parser::parse2(parser, group.stream()).map_or(0, |components| components.len())
        }
        _ => 0,
    }
}

/// Whether what follows these tokens is borrowed: `&` or `&mut` with nothing in front that it could
/// be an operand of.
fn is_lent(before: &[TokenTree]) -> bool {
    let before = match before {
        [before @ .., TokenTree::Ident(last)] if last == "mut" => before,
        _ => before,
    };
    let [before @ .., TokenTree::Punct(and)] = before else { return false };
    if and.as_char() != '&' {
        return false;
    }
    match before.last() {
        Some(TokenTree::Punct(punct)) => !(punct.as_char() == '&' && punct.spacing() == Spacing::Joint),
        Some(TokenTree::Ident(keyword)) => {
            ["in", "return", "break", "match", "if", "while", "else"].iter().any(|known| keyword == known)
        }
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => false,
        None => true,
    }
}
