//! The arguments of the attributes: `#[kernel(crate = path)]`.

use proc_macro2::TokenStream;
use syn::parse::Parser;

use crate::report::{Code, Report};

/// The path to the runtime. `::anabranch` where the user does not say, or after an error.
pub(crate) fn krate(attribute: &str, args: TokenStream, report: &mut Report) -> syn::Path {
    let mut krate = None;
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("crate") {
            // `$crate` of a macro, `::renamed`, `crate::reexport`.
            krate = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
            return Ok(());
        }
        let name = crate::parse::text(&meta.path);
        Err(meta.error(format!("unknown argument `{name}`")))
    });
    if let Err(error) = parser.parse2(args) {
        let words = format!("`#[{attribute}]` takes no argument but `crate = path`, for a renamed dependency: {error}");
        report.at(error.span(), Code::AttributeArgument, words);
    }
    krate.unwrap_or_else(|| syn::parse_quote!(::anabranch))
}
