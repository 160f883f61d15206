//! A `par` loop: its variables, and its body as device code.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::Visit as _;
use syn::visit_mut::VisitMut;

use super::{HostWalk, misplaced};
use crate::ir::{CaptureKind, Dim, ParLoop, PlanNode, marker::Marker};
use crate::names;
use crate::parse::attributes::is_cfg;
use crate::parse::body::{BodyParser, Context, LoopKind, Want};
use crate::parse::{names_of, par, strip_pat, text};
use crate::report::{Code, Report, error};

impl HostWalk<'_> {
    /// Takes a `par` loop out of the host part; the marker for its place.
    pub(super) fn par_loop(&mut self, par_loop: &mut syn::ExprForLoop) -> syn::Expr {
        if let Some(why) = self.forbidden {
            self.report.on(&par_loop.expr, misplaced(Code::ParPlace, "a `par` loop", why));
        }
        // Of `cfg` there is more to say, which has been said where the loop was met.
        if let Some(attr) = par_loop.attrs.iter().find(|attr| !is_cfg(attr)) {
            self.report.on(
                attr,
                error(Code::AttributeInside, "attributes are not supported on `par` loops")
                    .help("put it on the whole kernel"),
            );
        }
        let header = format!("for {} in {}", text(&par_loop.pat), text(&par_loop.expr));
        let constants = self.constants_of_threads(&mut par_loop.expr);
        // Before its parts are walked: what is no range may be anything.
        if par::parse(&par_loop.expr, self.report).is_none() {
            return Marker::Loop(self.loops.len()).expr();
        }
        self.without_loops("the range of another loop", |this| this.par_head(&mut par_loop.expr));
        let head = par::parse(&par_loop.expr, self.report);
        let Some(mut head) = head else { return Marker::Loop(self.loops.len()).expr() };
        if head.blocks.as_ref().is_some_and(Vec::is_empty) {
            let error = error(Code::BlockThreads, "`par_blocks` does not say how many threads a block has");
            self.report.on(&par_loop.expr, error.help("write `par_blocks(…).threads(256)` or `.threads((16, 16))`"));
            // What is wrong in the body is said, too.
            head.blocks = Some(vec![1]);
        }
        let (vars, block) = match &head.blocks {
            None => (loop_variables(&par_loop.pat, head.ranges.len(), "`par` loop", self.report), None),
            Some(_) => {
                let block = block_name(&par_loop.pat, self.report);
                let of = names::plain(&block);
                let several = head.ranges.len() > 1;
                let part = |at: usize| if several { format!("{at}_") } else { String::new() };
                let name =
                    |at: usize| Ident::new(&format!("_anabranch_{}of_{of}", part(at)), proc_macro2::Span::mixed_site());
                ((0..head.ranges.len()).map(name).collect(), Some(block))
            }
        };

        let scopes = &self.scopes;
        let host = |name: &str| scopes.find(name).map(|bound| bound.name);
        let mut parser = BodyParser::new(self.report, Context::Par, &host);
        parser.private.clone_from(&self.private);
        parser.type_params.clone_from(&self.type_params);
        parser.constants.clone_from(&self.constants);
        parser.body.constants = constants;
        parser.attributes(|found| found.visit_block(&par_loop.body));
        parser.enter_loop(par_loop.label.as_ref(), LoopKind::Par, Want::Nothing);
        let dims: Vec<Dim> = vars
            .into_iter()
            .zip(head.ranges)
            .map(|(var, par::Range { text, start, end, inclusive, step })| Dim {
                var: parser.bind_counter(&var, false),
                text,
                start,
                end,
                inclusive,
                step,
            })
            .collect();
        if let (Some(name), Some(shape)) = (block, &head.blocks) {
            parser.begin_team(name, shape.clone(), &dims);
        }
        parser.body.block = parser.block(&par_loop.body, Want::Nothing);
        let body = parser.body;
        for capture in &body.captures {
            if let CaptureKind::View(_, access) = capture.kind {
                self.use_view(&capture.name, access, capture.name.span());
            }
        }
        let group = self.groups.iter().rev().find_map(|g| g.label.clone());
        let index = self.loops.len();
        let known: BTreeMap<&str, _> = self.scopes.each().map(|(name, is)| (name, is.values)).collect();
        let counters = known.into_iter().filter_map(|(name, values)| Some((name.to_owned(), values?))).collect();
        self.loops.push(ParLoop {
            span: par_loop.for_token.span,
            counters,
            header,
            label: par_loop.label.clone(),
            group,
            dims,
            block: head.block,
            shape: head.blocks,
            body,
        });
        self.plan.push(PlanNode::Loop(index));
        Marker::Loop(index).expr()
    }

    /// The host code in the head of a `par` loop: ranges, steps.
    pub(super) fn par_head(&mut self, head: &mut syn::Expr) {
        match head {
            syn::Expr::Paren(inner) => self.par_head(&mut inner.expr),
            syn::Expr::Group(inner) => self.par_head(&mut inner.expr),
            syn::Expr::MethodCall(call) => {
                self.par_head(&mut call.receiver);
                call.args.iter_mut().for_each(|a| self.visit_expr_mut(a));
            }
            syn::Expr::Call(call) => call.args.iter_mut().for_each(|a| self.visit_expr_mut(a)),
            other => self.visit_expr_mut(other),
        }
    }
}

/// The name of a block. After an error the body is still checked.
fn block_name(pat: &syn::Pat, report: &mut Report) -> Ident {
    match strip_pat(pat) {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => ident.clone(),
        other => {
            let error = error(Code::LoopVariables, "the variable of a loop over blocks is a block: a single name");
            report.on(other, error.help("write `for block in par_blocks(…)`, and in it `let (y, x) = block.index();`"));
            Ident::new("_anabranch_missing", other.span())
        }
    }
}

/// One name a range. After an error the rest of the body is still checked.
pub(in crate::parse) fn loop_variables(pat: &syn::Pat, ranges: usize, of: &str, report: &mut Report) -> Vec<Ident> {
    let pats: Vec<&syn::Pat> = match strip_pat(pat) {
        syn::Pat::Tuple(tuple) if tuple.elems.len() == ranges => tuple.elems.iter().collect(),
        other if ranges == 1 => vec![other],
        other => {
            let example = if ranges == 2 { "(y, x)" } else { "(z, y, x)" };
            let of = if of == "phase" { of } else { "`par`" };
            let message = format!("this {of} has {ranges} ranges, so the loop needs {ranges} variables");
            report.on(other, error(Code::LoopVariables, message).help(format!("write `for {example} in …`")));
            let mut names = Vec::new();
            names_of(other, &mut names);
            names.resize_with(ranges, || Ident::new("_anabranch_missing", other.span()));
            return names;
        }
    };
    let mut known: Vec<Ident> = Vec::new();
    let mut once = |name: &Ident, report: &mut Report| {
        if known.contains(name) {
            let error = error(Code::LoopVariables, format!("`{name}` is the name of two variables of this loop"));
            report.on(name, error.help("give each of them a name of its own"));
        }
        known.push(name.clone());
    };
    pats.into_iter()
        .enumerate()
        .map(|(at, pat)| match strip_pat(pat) {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => {
                once(ident, report);
                ident.clone()
            }
            syn::Pat::Wild(wild) => Ident::new(&format!("_anabranch_{at}"), wild.underscore_token.span),
            other => {
                let message = format!("the variable of a {of} must be a single name without `mut`");
                let wrong = error(Code::LoopVariables, message);
                let wrong = match other {
                    syn::Pat::Tuple(_) if of == "phase" => wrong
                        .help("for two variables, write `.threads((16, 16))` at the head of the loop over blocks")
                        .help("for two variables, write `block.par((0..16, 0..16))`"),
                    syn::Pat::Tuple(_) => wrong.help("for two variables, write two ranges: `par((0..h, 0..w))`"),
                    _ => wrong.help("to change a copy, write `let mut j = i;` in the loop"),
                };
                report.on(other, wrong);
                let mut names = Vec::new();
                names_of(other, &mut names);
                names.pop().unwrap_or_else(|| Ident::new(&format!("_anabranch_{at}"), other.span()))
            }
        })
        .collect()
}
