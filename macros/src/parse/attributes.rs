//! Attributes inside device code. A `#[cfg]` may take a statement away, and an attribute macro may
//! put anything in its place, so that rustc would see another program than the analysis: what is
//! not known to be harmless is refused.

use quote::ToTokens;
use syn::visit::Visit;

use super::body::BodyParser;
use super::text;
use crate::report::{Code, Diagnostic, error};

/// Attributes that are meant for the body, which moves into a function of its own.
pub(crate) fn lints(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    const LEVELS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];
    attrs.iter().filter(|a| LEVELS.iter().any(|level| a.path().is_ident(level)))
}

/// Whether rustc may leave out what has the attribute.
pub(super) fn is_cfg(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr")
}

/// The attributes that decide whether the function exists: they must decide the same for the items
/// beside it.
pub(crate) fn cfgs(attrs: &[syn::Attribute]) -> impl Iterator<Item = &syn::Attribute> {
    attrs.iter().filter(|attr| is_cfg(attr))
}

/// Attributes that change no meaning.
const HARMLESS: [&str; 5] = ["allow", "expect", "doc", "inline", "must_use"];

impl BodyParser<'_> {
    /// Refuses the attributes of some device code, and keeps the lints that it allows: they go to
    /// the whole body.
    pub(super) fn attributes<'s>(&mut self, visit: impl FnOnce(&mut Attributes<'s>)) {
        let mut found = Attributes(Vec::new());
        visit(&mut found);
        for (attr, item) in found.0 {
            let path = attr.path();
            let ours = item && path.segments.last().is_some_and(|last| last.ident == "device");
            let known = HARMLESS.iter().any(|name| path.is_ident(name)) || is_rustfmt(path) || ours;
            if !known {
                let diagnostic = if is_cfg(attr) {
                    no_cfg(attr, "device code")
                } else {
                    let message = format!("the attribute `{}` is not supported in device code", text(path));
                    error(Code::AttributeInside, message)
                        .help("put it on the whole function")
                        .help("use only `allow`, `expect`, `doc`, `inline`, `must_use` and `rustfmt::skip` here")
                };
                self.report.on(attr, diagnostic);
            } else if !item && (path.is_ident("allow") || path.is_ident("expect")) {
                let mut attr = attr.clone();
                if let syn::Meta::List(list) = &mut attr.meta {
                    // For the whole body it is not expected.
                    list.path = syn::parse_quote!(allow);
                }
                self.body.lints.push(attr);
            }
        }
    }
}

/// A `cfg` in what the macro reads before rustc has left anything out.
pub(super) fn no_cfg(attr: &syn::Attribute, place: &str) -> Diagnostic {
    error(Code::AttributeInside, format!("`{}` is not supported in {place}", text(attr.path())))
        .help("put it on the whole function")
        .help("decide with `if cfg!(…) { … }`")
}

fn is_rustfmt(path: &syn::Path) -> bool {
    path.to_token_stream().to_string().replace(' ', "") == "rustfmt::skip"
}

/// Every attribute, and whether it is on an item. The parser does not look into items.
pub(super) struct Attributes<'s>(Vec<(&'s syn::Attribute, bool)>);

impl<'s> Visit<'s> for Attributes<'s> {
    fn visit_attribute(&mut self, attr: &'s syn::Attribute) {
        self.0.push((attr, false));
    }

    fn visit_item(&mut self, item: &'s syn::Item) {
        let first = self.0.len();
        match item {
            syn::Item::Const(item) => item.attrs.iter().for_each(|attr| self.visit_attribute(attr)),
            syn::Item::Use(item) => item.attrs.iter().for_each(|attr| self.visit_attribute(attr)),
            syn::Item::Type(item) => item.attrs.iter().for_each(|attr| self.visit_attribute(attr)),
            syn::Item::Fn(item) => item.attrs.iter().for_each(|attr| self.visit_attribute(attr)),
            // Other items are refused.
            _ => {}
        }
        self.0[first..].iter_mut().for_each(|(_, item)| *item = true);
    }
}
