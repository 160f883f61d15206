//! The arguments of the attributes: `#[kernel(crate = path, bounds = "proved", lanes = false,
//! fuse = true, library)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;

use crate::report::{Code, Report, error};

/// Whether kernels that do not say so fuse their loops, too: with the compiler's flag
/// `--cfg anabranch_fuse`, all tests test fusion.
const ALWAYS_FUSE: bool = cfg!(anabranch_fuse);

/// What an attribute is told.
pub(crate) struct Args {
    /// The path to the runtime. `::anabranch` where the user does not say, or after an error.
    pub(crate) krate: syn::Path,
    /// `bounds = "proved"`: no access may be left to a check on the device.
    pub(crate) proved: bool,
    /// `lanes = false`: the CPU runs one iteration at a time.
    pub(crate) lanes: bool,
    /// `fuse = true`: adjacent loops become one where that means the same.
    pub(crate) fuse: bool,
    /// `library`: the body hands work to a library.
    pub(crate) library: bool,
}

/// Parses the arguments of `#[kernel]` or `#[device]`.
pub(crate) fn parse(attribute: &str, args: TokenStream, report: &mut Report) -> Args {
    let (mut krate, mut proved, mut lanes, mut fuse, mut library) = (None, false, true, ALWAYS_FUSE, false);
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
        if meta.path.is_ident("lanes") && attribute == "kernel" {
            lanes = meta.value()?.parse::<syn::LitBool>()?.value;
            return Ok(());
        }
        if meta.path.is_ident("fuse") && attribute == "kernel" {
            fuse = meta.value()?.parse::<syn::LitBool>()?.value;
            return Ok(());
        }
        if meta.path.is_ident("library") && attribute == "kernel" {
            if !meta.input.is_empty() && !meta.input.peek(syn::Token![,]) {
                return Err(meta.error("`library` takes no value"));
            }
            library = true;
            return Ok(());
        }
        let name = crate::parse::text(&meta.path);
        Err(meta.error(format!("unknown argument `{name}`")))
    });
    if let Err(why) = parser.parse2(args) {
        let mut error = error(Code::AttributeArgument, format!("invalid arguments of `#[{attribute}]`: {why}"))
            .help("if the dependency has another name, write `crate = path`");
        if attribute == "kernel" {
            error = error
                .help("to refuse accesses that are checked on the device, write `bounds = \"proved\"`")
                .help("to let the CPU run one iteration at a time, write `lanes = false`")
                .help("to make one loop of adjacent loops, write `fuse = true`")
                .help("for a kernel that hands its work to a library, write `library`");
        }
        report.at(why.span(), error);
    }
    if proved && library {
        report.at(
            proc_macro2::Span::call_site(),
            error(Code::AttributeArgument, "invalid arguments of `#[kernel]`: `bounds` is not for a library kernel")
                .help("remove it: anabranch does not see what a library accesses"),
        );
    }
    Args { krate: krate.unwrap_or_else(|| syn::parse_quote!(::anabranch)), proved, lanes, fuse, library }
}

/// The arguments of `closure!`: the path to the runtime, which its declaration puts in front, and
/// the closure. It is none, or has what no closure of device code has, if there is an error.
pub(crate) fn closure(tokens: TokenStream, report: &mut Report) -> (syn::Path, Option<syn::ExprClosure>) {
    let mut tokens = tokens.into_iter();
    let krate: TokenStream = tokens.by_ref().take_while(|tree| tree.to_string() != ",").collect();
    let krate = syn::Path::parse_mod_style.parse2(krate).unwrap_or_else(|_| syn::parse_quote!(::anabranch));
    let closure = match syn::parse2::<syn::ExprClosure>(tokens.collect()) {
        Ok(closure) => closure,
        Err(why) => {
            let error = error(Code::Syntax, format!("`closure!` takes one closure: {why}"));
            report.at(why.span(), error.help("write `closure!(|v: f32| 2.0 * v)`"));
            return (krate, None);
        }
    };
    let mut head = closure.to_token_stream().into_iter().take_while(|tree| tree.to_string() != "|");
    // What it captures are copies in any case.
    if let Some(found) = head.find(|tree| tree.to_string() != "move") {
        let message = "a closure in device code has no attributes and no qualifiers but `move`";
        report.on(found, error(Code::Closure, message).help("write `|v: f32| …`"));
    }
    (krate, Some(closure))
}
