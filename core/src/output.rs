//! Where the text of a printing macro goes.

/// What a printing macro of device code does with its text. The number of a variant is that in
/// generated C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Output {
    /// `print!`.
    Print = 0,
    /// `println!`.
    PrintLine = 1,
    /// `eprint!`.
    Error = 2,
    /// `eprintln!`.
    ErrorLine = 3,
    /// `dbg!`: a line of standard error that begins with its place in the source.
    Debug = 4,
}

impl Output {
    pub(crate) const ALL: [Output; 5] =
        [Output::Print, Output::PrintLine, Output::Error, Output::ErrorLine, Output::Debug];

    /// The variant of a macro with a format string.
    pub fn of_macro(name: &str) -> Option<Self> {
        Some(match name {
            "print" => Output::Print,
            "println" => Output::PrintLine,
            "eprint" => Output::Error,
            "eprintln" => Output::ErrorLine,
            _ => return None,
        })
    }

    /// The variant with this number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|output| *output as u8 == number)
    }

    /// The name of the variant, by which generated code refers to it.
    pub const fn variant(self) -> &'static str {
        match self {
            Output::Print => "Print",
            Output::PrintLine => "PrintLine",
            Output::Error => "Error",
            Output::ErrorLine => "ErrorLine",
            Output::Debug => "Debug",
        }
    }
}
