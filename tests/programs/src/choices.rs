//! Enums of which there is a list.

/// Declares an enum without data, with all its variants.
macro_rules! choices {
    ($(#[$doc:meta])* pub enum $Name:ident { $($(#[$variant_doc:meta])* $Variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $Name { $($(#[$variant_doc])* $Variant,)* }

        impl $Name {
            pub const ALL: &[$Name] = &[$($Name::$Variant,)*];
        }
    };
}

pub(crate) use choices;
