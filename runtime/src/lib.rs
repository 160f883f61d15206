//! anabranch
