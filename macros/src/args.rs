//! The arguments of the attributes: `#[kernel(crate = path, bounds = "proved")]`.

use proc_macro2::TokenStream;
use syn::parse::Parser;

use crate::report::{Code, Report, error};

/// What an attribute is told.
pub(crate) struct Args {
    /// The path to the runtime. `::anabranch` where the user does not say, or after an error.
    pub(crate) krate: syn::Path,
    /// `bounds = "proved"`: no access may be left to a check on the device.
    pub(crate) proved: bool,
}

/// Parses the arguments of `#[kernel]` or `#[device]`.
pub(crate) fn parse(attribute: &str, args: TokenStream, report: &mut Report) -> Args {
    let (mut krate, mut proved) = (None, false);
    let parser = syn::meta::parser(|meta| {
        if meta.path.is_ident("crate") {
            // `$crate` of a macro, `::renamed`, `crate::reexport`.
            krate = Some(meta.value()?.call(syn::Path::parse_mod_style)?);
            return Ok(());
        }
        if meta.path.is_ident("bounds") && attribute == "kernel" {
            let value: syn::LitStr = meta.value()?.parse()?;
            proved = value.value() == "proved";
            return if proved { Ok(()) } else { Err(syn::Error::new(value.span(), "expected `\"proved\"`")) };
        }
        let name = crate::parse::text(&meta.path);
        Err(meta.error(format!("unknown argument `{name}`")))
    });
    if let Err(why) = parser.parse2(args) {
        let mut error = error(Code::AttributeArgument, format!("invalid arguments of `#[{attribute}]`: {why}"))
            .help("if the dependency has another name, write `crate = path`");
        if attribute == "kernel" {
            error = error.help("to refuse accesses that are checked on the device, write `bounds = \"proved\"`");
        }
        report.at(why.span(), error);
    }
    Args { krate: krate.unwrap_or_else(|| syn::parse_quote!(::anabranch)), proved }
}
