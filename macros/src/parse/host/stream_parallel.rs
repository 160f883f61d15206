//! `stream_parallel! { 'a: { … } 'b: { … } }`: groups that run at the same time.

use syn::Token;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::VisitMut;

use super::{GroupFrame, HostWalk};
use crate::ir::{Fork, Group, PlanNode, marker::Marker};
use crate::report::{Code, error};

/// One group as written.
struct GroupSyntax {
    label: Option<syn::Label>,
    block: syn::Block,
}

/// All groups as written.
struct Groups(Vec<GroupSyntax>);

impl Parse for Groups {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut groups = Vec::new();
        while !input.is_empty() {
            let label: Option<syn::Label> = if input.peek(syn::Lifetime) { Some(input.parse()?) } else { None };
            if !input.peek(syn::token::Brace) {
                return Err(input.error(
                    "expected a group of `stream_parallel!`, such as `{ blur(&x, &mut y); }` or `'label: { … }`",
                ));
            }
            groups.push(GroupSyntax { label, block: input.parse()? });
            if input.peek(Token![,]) || input.peek(Token![;]) {
                return Err(
                    input.error("unexpected separator: groups of `stream_parallel!` follow each other directly")
                );
            }
        }
        Ok(Self(groups))
    }
}

impl HostWalk<'_> {
    pub(super) fn stream_parallel(&mut self, mac: &syn::Macro) -> syn::Expr {
        if self.is_forbidden(&mac.path) {
            return Marker::Fork(self.forks.len()).expr();
        }
        let span = mac.path.segments.last().map_or_else(proc_macro2::Span::call_site, |s| s.ident.span());
        let groups = match syn::parse2::<Groups>(mac.tokens.clone()) {
            Ok(Groups(groups)) => groups,
            Err(error) => {
                self.report.syn(Code::GroupSyntax, &error);
                return Marker::Fork(self.forks.len()).expr();
            }
        };
        if groups.is_empty() {
            self.report.at(
                span,
                error(Code::EmptyGroup, "`stream_parallel!` has no groups")
                    .help("write `stream_parallel! { 'a: { … } 'b: { … } }`"),
            );
        }
        let mut labels: Vec<String> = Vec::new();
        let mut parsed = Vec::new();
        let mut plans = Vec::new();
        for GroupSyntax { label, mut block } in groups {
            let at = label.as_ref().map_or(block.brace_token.span.open(), |l| l.name.span());
            let label = label.map(|l| l.name.ident.to_string());
            if let Some(label) = &label {
                if labels.contains(label) {
                    self.report.at(
                        at,
                        error(Code::LabelTwice, format!("two groups have the label `'{label}`"))
                            .help("give each group its own label"),
                    );
                }
                labels.push(label.clone());
            }
            let outer_plan = std::mem::take(&mut self.plan);
            let outer_loops = std::mem::take(&mut self.loop_labels);
            self.groups.push(GroupFrame { label: label.clone(), views: Vec::new() });
            self.visit_block_mut(&mut block);
            let views = self.groups.pop().map(|g| g.views).unwrap_or_default();
            self.loop_labels = outer_loops;
            let plan = std::mem::replace(&mut self.plan, outer_plan);
            if plan.is_empty() {
                self.report.at(
                    at,
                    error(Code::EmptyGroup, "this group has no `par` loop and calls no kernel, so it launches nothing")
                        .help("move its host code before the `stream_parallel!`")
                        .help(
                            "a call of a kernel lends slices or grids, which are parameters, not in arrays or structs",
                        ),
                );
            }
            plans.push(plan);
            let stmts = &block.stmts;
            parsed.push(Group { label, span: at, host: quote::quote!(#(#stmts)*), views });
        }
        let index = self.forks.len();
        self.forks.push(Fork { span, groups: parsed });
        self.plan.push(PlanNode::Fork(index, plans));
        Marker::Fork(index).expr()
    }
}
