//! Wrong programs, one folder a topic, each with the text rustc prints for it.
