//! The traits of operators, whose functions device code calls by symbols.

use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::Borrow;

/// A trait of `std::ops` or `std::cmp`, or `From`.
pub(crate) struct Operator {
    /// Its name.
    pub(crate) name: String,
    /// How many operands it has.
    pub(crate) operands: usize,
    /// A compound assignment.
    pub(crate) assigns: bool,
    /// An index operator, and how it borrows.
    pub(crate) projects: Option<Borrow>,
    /// A comparison, with the only function that device code uses of it.
    pub(crate) compares: Option<&'static str>,
    /// The conversion `From`, which `?` uses.
    pub(crate) converts: bool,
}

impl Operator {
    /// The operator of a trait, by the last name of its path. What the path means, rustc checks.
    pub(crate) fn of(path: &syn::Path) -> Option<Operator> {
        let name = path.segments.last()?.ident.to_string();
        let unary = UnOp::ALL.iter().any(|op| op.std_trait() == name);
        let is = |of: &str| BinOp::ALL.iter().any(|op| op.std_trait() == of);
        let assigns = name.strip_suffix("Assign").is_some_and(is);
        let compares = CompareOp::ALL.iter().any(|op| op.std_trait() == name);
        let compares = compares.then_some(if name == "PartialEq" { "eq" } else { "partial_cmp" });
        let projects = match name.as_str() {
            "Index" => Some(Borrow::Shared),
            "IndexMut" => Some(Borrow::Unique),
            _ => None,
        };
        let converts = name == "From";
        let known = converts || unary || assigns || is(&name) || compares.is_some() || projects.is_some();
        known.then_some(Operator { operands: if unary { 1 } else { 2 }, assigns, compares, projects, converts, name })
    }
}

/// `R` of `Add<R>`.
pub(crate) fn operand_type(path: &syn::Path) -> Option<syn::Type> {
    match &path.segments.last()?.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        }),
        _ => None,
    }
}
