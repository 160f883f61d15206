//! The head of a parallel loop: `for i in par(0..n).block(128)`,
//! `for (y, x) in par((0..h, (0..w).step_by(2)))`.

use anabranch_core::limits::MAX_BLOCK_THREADS;
use proc_macro2::TokenStream;
use quote::ToTokens;

use super::strip;
use crate::report::{Code, Diagnostic, Report, error};

/// Threads per block where the user does not say.
const DEFAULT_BLOCK: u32 = 256;

/// A parsed head.
pub(super) struct Head {
    pub(super) ranges: Vec<Range>,
    pub(super) block: u32,
    /// Of `par_blocks`: the threads of a block, by dimensions; none yet.
    pub(super) blocks: Option<Vec<u32>>,
}

/// One range, as host tokens.
pub(super) struct Range {
    /// As the user wrote it, without its step.
    pub(super) text: String,
    pub(super) start: TokenStream,
    pub(super) end: TokenStream,
    pub(super) inclusive: bool,
    pub(super) step: Option<TokenStream>,
}

/// Whether the head of a `for` is a call of `par`, with or without methods after it.
pub(super) fn is_par(expr: &syn::Expr) -> bool {
    match strip(expr) {
        syn::Expr::Call(call) => match strip(&call.func) {
            syn::Expr::Path(path) => {
                // Whatever the dependency is called.
                path.path.segments.last().is_some_and(|s| s.ident == "par" || s.ident == "par_blocks")
            }
            _ => false,
        },
        syn::Expr::MethodCall(call) => is_par(&call.receiver),
        _ => false,
    }
}

/// What names of scans contain, here and elsewhere.
const SCANS: [&str; 5] = ["inclusive", "exclusive", "scan", "cumulative", "prefix"];

/// What to write with too many ranges, or none.
fn of_ranges(error: Diagnostic, ranges: usize) -> Diagnostic {
    match ranges {
        0 => error.help("write `par(0..n)` or `par((0..h, 0..w))`"),
        _ => error
            .help("join two of them: `par((0..a * b, 0..h, 0..w))`; in the loop they are `k / b` and `k % b`")
            .help("or write the last one as a `for` in the body: `for k in 0..n { … }`"),
    }
}

/// Parses a head that [is one](is_par). `None` after an error.
pub(super) fn parse(expr: &syn::Expr, report: &mut Report) -> Option<Head> {
    match strip(expr) {
        syn::Expr::MethodCall(call) => {
            let mut head = parse(&call.receiver, report)?;
            match (call.method.to_string().as_str(), call.args.first(), call.args.len()) {
                ("threads", Some(shape), 1) if head.blocks.is_some() => {
                    let shape = threads(shape, report)?;
                    (head.block, head.blocks) = (shape.iter().product(), Some(shape));
                }
                ("block", Some(threads), 1) if head.blocks.is_none() => head.block = block(threads, report)?,
                ("step_by", Some(step), 1) => match head.ranges.as_mut_slice() {
                    [range] if range.step.is_none() => range.step = Some(step.to_token_stream()),
                    [_] => {
                        report.on(&call.method, second_step());
                        return None;
                    }
                    _ => {
                        report.on(
                            &call.method,
                            error(Code::ParMethod, "`step_by` is not supported on several ranges")
                                .help("put it on one of the ranges: `par((0..h, (0..w).step_by(2)))`"),
                        );
                        return None;
                    }
                },
                ("block", ..) if head.blocks.is_some() => {
                    let error = error(Code::ParMethod, "`par_blocks` does not support `.block(…)`");
                    report.on(&call.method, error.help("write `.threads(256)` or `.threads((16, 16))`"));
                    return None;
                }
                ("block", Some(_), _) => {
                    let message = "`block` takes one number, the threads of a block along all ranges together";
                    report.on(&call.method, error(Code::BlockSize, message).help(THREADS_OF_ALL));
                    return None;
                }
                (name @ ("grid" | "blocks" | "grid_dim" | "num_blocks"), ..) => {
                    let message = format!("`par` does not support `.{name}({})`", super::text(&call.args));
                    report.on(
                        &call.method,
                        error(Code::ParMethod, message)
                            .help("remove it: a loop has as many blocks as its range needs")
                            .help("for the threads of a block, use `.block(threads)`"),
                    );
                    return None;
                }
                (name @ ("enumerate" | "map" | "for_each" | "zip" | "filter" | "rev"), ..) => {
                    let message =
                        format!("`par` does not support `.{name}({})`: it is no iterator", super::text(&call.args));
                    let error = error(Code::ParMethod, message);
                    report.on(&call.method, error.help("write a loop over indexes: `for i in par(0..n) { … x[i] … }`"));
                    return None;
                }
                (name, ..) if SCANS.iter().any(|scan| name.contains(scan)) => {
                    let message = format!("`par` does not support `.{name}(…)`");
                    report.on(
                        &call.method,
                        error(Code::ParMethod, message)
                            .help("the scans are sums: `par(0..n).inclusive_sum(|i| x[i])` and `.exclusive_sum(|i| x[i])`")
                            .help("for another operation, loop in one iteration: `for _ in par(0..1) { for i in 0..n { … } }`")
                            .help("if there are many rows, write a loop over them, with a `for` along each row"),
                    );
                    return None;
                }
                (name, ..) => {
                    let message = format!("`par` does not support `.{name}({})`", super::text(&call.args));
                    report.on(
                        &call.method,
                        error(Code::ParMethod, message).help("use `.block(threads)`").help(if name == "threads" {
                            "for a loop over blocks, write `for block in par_blocks(0..n).threads(256)`"
                        } else {
                            "on a single range, use `.step_by(step)`"
                        }),
                    );
                    return None;
                }
            }
            Some(head)
        }
        syn::Expr::Call(call) => {
            let mut args = call.args.iter();
            let (Some(arg), None) = (args.next(), args.next()) else {
                report.on(
                    call,
                    error(Code::ParRange, "`par` takes one range, or a tuple of two or three")
                        .help("write `par(0..n)` or `par((0..h, 0..w))`"),
                );
                return None;
            };
            let ranges = match strip(arg) {
                syn::Expr::Tuple(tuple) => {
                    if !(1..=3).contains(&tuple.elems.len()) {
                        let message = format!("`par` takes one to three ranges, but got {}", tuple.elems.len());
                        report.on(tuple, of_ranges(error(Code::ParRange, message), tuple.elems.len()));
                        return None;
                    }
                    let ranges: Vec<_> = tuple.elems.iter().map(|r| range(r, report)).collect();
                    ranges.into_iter().collect::<Option<_>>()?
                }
                one => vec![range(one, report)?],
            };
            let of_blocks = matches!(strip(&call.func), syn::Expr::Path(path) if path.path.segments.last().is_some_and(|s| s.ident == "par_blocks"));
            Some(Head { ranges, block: DEFAULT_BLOCK, blocks: of_blocks.then(Vec::new) })
        }
        other => {
            report.on(other, error(Code::ParRange, "expected `par(range)`"));
            None
        }
    }
}

fn range(expr: &syn::Expr, report: &mut Report) -> Option<Range> {
    match strip(expr) {
        syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) => Some(Range {
            text: super::text(strip(expr)),
            start: start.to_token_stream(),
            end: end.to_token_stream(),
            inclusive: matches!(limits, syn::RangeLimits::Closed(_)),
            step: None,
        }),
        syn::Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
            let mut inner = range(&call.receiver, report)?;
            if inner.step.is_some() {
                report.on(&call.method, second_step());
                return None;
            }
            inner.step = call.args.first().map(ToTokens::to_token_stream);
            Some(inner)
        }
        syn::Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
            let error = error(Code::ParRange, "the iterations of a `par` loop have no order").help("remove `.rev()`");
            report.on(&call.method, error);
            None
        }
        other => {
            report.on(
                other,
                error(Code::ParRange, "`par` requires a range with both ends")
                    .help("write `0..n`, `a..=b` or `(a..b).step_by(k)`"),
            );
            None
        }
    }
}

/// `256`, `(16, 16)`, `(4, 8, 8)`.
fn threads(shape: &syn::Expr, report: &mut Report) -> Option<Vec<u32>> {
    let of = |dim: &syn::Expr| match strip(dim) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse::<u32>().ok(),
        _ => None,
    };
    let dims: Option<Vec<u32>> = match strip(shape) {
        syn::Expr::Tuple(tuple) if (1..=3).contains(&tuple.elems.len()) => tuple.elems.iter().map(of).collect(),
        one => of(one).map(|one| vec![one]),
    };
    let count = |dims: &[u32]| dims.iter().try_fold(1u32, |all, dim| all.checked_mul(*dim));
    let dims = dims.filter(|dims| count(dims).is_some_and(|all| (1..=MAX_BLOCK_THREADS).contains(&all)));
    if dims.is_none() {
        let message =
            format!("the threads of a block are one to three integer literals, {MAX_BLOCK_THREADS} in all at most");
        let wrong = error(Code::BlockSize, message).help("write `.threads(256)` or `.threads((16, 16))`");
        let literal = match strip(shape) {
            syn::Expr::Tuple(tuple) => tuple.elems.iter().all(|dim| of(dim).is_some()),
            one => of(one).is_some(),
        };
        report.on(shape, if literal { wrong } else { wrong.help(CONSTANT) });
    }
    dims
}

fn block(threads: &syn::Expr, report: &mut Report) -> Option<u32> {
    let value = match strip(threads) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse::<u32>().ok(),
        _ => None,
    };
    let value = value.filter(|n| (1..=MAX_BLOCK_THREADS).contains(n));
    if value.is_none() {
        let message =
            format!("the number of threads in a block must be an integer literal from 1 to {MAX_BLOCK_THREADS}");
        let wrong = error(Code::BlockSize, message);
        let wrong = match strip(threads) {
            syn::Expr::Tuple(_) | syn::Expr::Array(_) => wrong.help(THREADS_OF_ALL),
            syn::Expr::Lit(_) => wrong.help(TYPICAL),
            _ => wrong.help(CONSTANT).help(TYPICAL),
        };
        report.on(threads, wrong);
    }
    value
}

const THREADS_OF_ALL: &str =
    "one number is enough for several ranges, the product: `.block(256)` for 16 times 16 threads";
const CONSTANT: &str = "a constant is known if it is declared in the kernel: `const SIZE: usize = 256;`";
const TYPICAL: &str = "use a literal: `.block(128)`; without it, a block has 256 threads";

pub(super) fn misplaced() -> Diagnostic {
    error(Code::ParPlace, "`par` is only supported in the head of a `for` loop in the host part of a kernel")
        .help("write `for i in par(0..n) { … }`")
}

fn second_step() -> Diagnostic {
    error(Code::ParMethod, "this range already has a step").help("use one step, the product of the two")
}
