//! The constants of the kernel whose values the macro has read (`parse/constants.rs`).

use proc_macro2::{Literal, TokenStream};
use quote::quote_spanned;

use super::Twin;

impl Twin<'_> {
    /// That rustc finds the same numbers by their names. No block in the body has a constant of
    /// such a name, or it would not have been read.
    pub(super) fn constants(&self) -> TokenStream {
        let same = self.body.constants.iter().map(|(name, value)| {
            let (span, value) = (name.span(), Literal::u64_suffixed(*value));
            let private = self.private_at(span);
            quote_spanned!(span=> const _: () = #private::slot::same_constant(#name, #value);)
        });
        same.collect()
    }
}
