//! The macros of anabranch.
