//! In-process tests: source text in, expansion, C++ or errors out, as readable snapshots.

mod barriers;
mod bounds;
mod cuda;
mod errors;
mod expansion;
mod lanes;
mod nesting;
mod paths;
mod races;
mod robustness;
mod soundness;
mod states;

use proc_macro2::TokenStream;

use crate::report::Report;
use crate::{args, expand, ir, parse};

/// The tokens of a source text.
fn tokens(source: &str) -> TokenStream {
    source.parse().expect("the test's source is tokens")
}

/// The whole expansion, formatted.
fn expansion(source: &str) -> String {
    expansion_with("", source)
}

/// The same with arguments of the attribute.
fn expansion_with(args: &str, source: &str) -> String {
    let expanded = expand::kernel(tokens(args), tokens(source));
    prettyplease::unparse(&syn::parse2(expanded).expect("the expansion parses"))
}

/// The IR of a kernel without errors.
fn kernel(source: &str) -> ir::Kernel {
    let function: syn::ItemFn = syn::parse2(tokens(source)).expect("the test's source is a function");
    let mut report = Report::default();
    let args::Args { krate, .. } = args::parse("kernel", TokenStream::new(), &mut report);
    let (header, params) = parse::declaration(krate, &function, false, &mut report);
    let kernel = parse::kernel(header, params, *function.block, None, &mut report);
    report.check().expect("the kernel has no errors");
    kernel
}

/// Every error with its place and the token it points at: `line:column: message`.
fn errors(source: &str) -> String {
    let function: syn::ItemFn = syn::parse2(tokens(source)).expect("the test's source is a function");
    let mut report = Report::default();
    let args::Args { krate, .. } = args::parse("kernel", TokenStream::new(), &mut report);
    let (header, params) = parse::declaration(krate, &function, false, &mut report);
    let kernel = parse::kernel(header, params, *function.block, None, &mut report);
    kernel.loops.iter().for_each(|par_loop| crate::analysis::blocks::check(par_loop, &mut report));
    if report.is_empty() {
        crate::analysis::access::check(&kernel.loops, false, &mut report);
    }
    crate::analysis::conflicts::check(&kernel.forks, &mut report);
    listed(report)
}

/// The same for a device function.
fn device_errors(source: &str) -> String {
    let function: syn::ItemFn = syn::parse2(tokens(source)).expect("the test's source is a function");
    let mut report = Report::default();
    let args::Args { krate, .. } = args::parse("device", TokenStream::new(), &mut report);
    let _ = parse::device(krate, &function, None, &mut report);
    listed(report)
}

fn listed(mut report: Report) -> String {
    let Err(errors) = report.check() else { return "no error".to_owned() };
    let lines = errors.into_iter().map(|error| {
        let start = error.span().start();
        // rustc indents them by 7 characters.
        let longest = error.to_string().lines().map(|line| line.chars().count()).max();
        assert!(longest < Some(114), "a line of a message is too long for a terminal:\n{error}");
        format!("{}:{}: {error}", start.line, start.column + 1)
    });
    lines.collect::<Vec<_>>().join("\n")
}
