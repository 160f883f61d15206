//! What generated code mentions: it calls by path, so that no trait of the user's crate can put a
//! method of its own in the place of one of ours, and its paths begin at the runtime, so that no
//! name of the user's crate can stand for std. Only methods of device code are found by rustc,
//! under names that end in `_in_device_code`, with slots that say what was found, and the method
//! `with` of a kernel that is called: an inherent one that takes its receiver by value, so that no
//! trait can put another one before it.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;

use crate::expand;

/// Every kernel and device function of some files, with its attribute's arguments.
#[derive(Default)]
struct Functions(Vec<(bool, TokenStream, syn::ItemFn)>);

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        let ours = function.attrs.iter().enumerate().find_map(|(at, attr)| {
            let name = attr.path().segments.last()?.ident.to_string();
            let args = match &attr.meta {
                syn::Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            ["kernel", "device"].contains(&name.as_str()).then_some((at, name == "kernel", args))
        });
        if let Some((at, kernel, args)) = ours {
            let mut function = function.clone();
            function.attrs.remove(at);
            self.0.push((kernel, args, function));
        }
        syn::visit::visit_item_fn(self, function);
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether a token is one that the user wrote, and not one that was given the place of another.
fn is_written(tree: &TokenTree) -> bool {
    tree.span().source_text().is_some_and(|text| text == tree.to_string())
}

/// Whether a dot is the second one of `..`.
fn is_range(at: usize, trees: &[TokenTree]) -> bool {
    let before = at.checked_sub(1).and_then(|before| trees.get(before));
    matches!(before, Some(TokenTree::Punct(dot)) if dot.as_char() == '.' && dot.spacing() == Spacing::Joint)
}

/// Method calls, and mentions of std, that nobody has written.
fn generated(tokens: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let next = |by: usize| trees.get(at + by);
        match tree {
            TokenTree::Group(group) => generated(group.stream(), found),
            TokenTree::Punct(dot)
                if dot.as_char() == '.'
                    && dot.spacing() == Spacing::Alone
                    && !is_range(at, &trees)
                    && !is_written(tree) =>
            {
                let called = match next(2) {
                    Some(TokenTree::Group(args)) => args.delimiter() == Delimiter::Parenthesis,
                    Some(TokenTree::Punct(colon)) => colon.as_char() == ':',
                    _ => false,
                };
                if let (Some(TokenTree::Ident(name)), true) = (next(1), called)
                    && !name.to_string().ends_with("_in_device_code")
                    && name != "with"
                {
                    found.push(format!(".{name}(…)"));
                }
            }
            TokenTree::Ident(name)
                if ["core", "std", "alloc"].contains(&name.to_string().as_str()) && !is_written(tree) =>
            {
                found.push(format!("::{name}::…"));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn expanded(kernel: bool, args: &TokenStream, function: &syn::ItemFn) -> TokenStream {
    let expand = if kernel { expand::kernel } else { expand::device };
    expand(args.clone(), function.to_token_stream())
}

#[test]
fn generated_code_calls_by_path() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is around");
    let mut files = Vec::new();
    for folder in ["kernels-example", "tests/src", "bench/src", "tests/tests", "tests/fuzz", "ui-tests/pass"] {
        sources(&root.join(folder), &mut files);
    }
    let (mut functions, mut wrong) = (0, Vec::new());
    for path in files {
        let text = fs::read_to_string(&path).expect("a source file");
        // Files that are parts of others are no files to syn.
        let Ok(file) = syn::parse_file(&text) else { continue };
        let mut all = Functions::default();
        all.visit_file(&file);
        functions += all.0.len();
        for (kernel, args, function) in &all.0 {
            let mut found = Vec::new();
            generated(expanded(*kernel, args, function), &mut found);
            wrong.extend(found.iter().map(|what| format!("{}: {}: {what}", path.display(), function.sig.ident)));
        }
    }
    assert!(functions > 200, "only {functions} kernels and device functions were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The user's own calls stay what they are, and the test above sees one that is not.
#[test]
fn methods_that_were_written_are_told_from_others() {
    let source =
        "fn k(x: &mut [f32], n: usize) { let n = n.min(x.len()); for i in par(0..n.max(1)) { x[i] = x[i].sqrt(); } }";
    let function: syn::ItemFn = syn::parse_str(source).expect("a function");
    let out = expanded(true, &TokenStream::new(), &function);
    let mut found = Vec::new();
    generated(out.clone(), &mut found);
    assert!(found.is_empty(), "{found:?}");
    let copied: TokenStream = quote::quote_spanned!(function.sig.ident.span()=> { #out x.len(); ::core::mem::drop(x) });
    generated(copied, &mut found);
    assert_eq!(found, [".len(…)", "::core::…"]);
}
