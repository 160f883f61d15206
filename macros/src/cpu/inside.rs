//! Accesses of a loop that are in bounds in all its iterations, where only data says how far the loop goes.
//!
//! The launch decides what it has numbers for. It has none for `for at in starts[row]..starts[row + 1] { … values[at as usize] … }`. But before this loop the
//! range is known, and the index grows by 1 from one iteration to the next. If it is in bounds in the first and in the last iteration, and has not wrapped
//! between them, it is in bounds in all. So the accesses do not check it again: the compiler makes two versions of the loop, one without checks.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::Twin;
use super::slopes::{Slope, Slopes};
use crate::ir::{Block, CaptureId, Expr, ExprKind, LocalId, LoopRange, Part, SiteId};
use crate::names::{self, local, slot};

/// An access whose index grows by 1 from one iteration to the next.
struct Ascending<'b> {
    view: CaptureId,
    index: &'b Expr,
    site: SiteId,
}

impl Twin<'_> {
    /// What comes before a `for` loop over a range, and the body of the loop. None if the loop gains nothing by it.
    pub(super) fn inside(
        &self,
        var: LocalId,
        over: &LoopRange,
        body: &Block,
        range: &TokenStream,
        span: Span,
    ) -> Option<(TokenStream, TokenStream)> {
        let is_plain = !over.inclusive && over.adaptors.is_empty();
        // Before the loop, the names of its items mean something else. And the compiler makes two versions only of a small loop.
        if self.again.get() || !is_plain || body.has_items() || body.any(&mut |expr| expr.is_loop()) {
            return None;
        }
        let (mut slopes, mut found) = (Slopes::of_loop(self.body, var), Vec::new());
        self.ascending(Part::Block(body), &mut slopes, &mut found);
        if found.is_empty() {
            return None;
        }
        let (p, name) = (self.private_at(span), self.local(var, self.body[var].name.span()));
        let mut slots = BTreeSet::new();
        let accesses: Vec<_> = self.before_loop(|| {
            let accesses = found.iter().map(|Ascending { view, index, .. }| {
                let (lets, converted) = self.of_iteration(&slopes, index, span);
                slots.extend(converted);
                let (view, index, p) = (self.capture(*view, span), self.expr(index), self.private_at(index.span));
                quote_spanned!(span=> ({ #lets #p::view::index(#index) }, #p::view::len(&#view)))
            });
            accesses.collect()
        });
        let slots = names::tree(slots.into_iter().map(|id| slot(id).into_token_stream()).collect());
        let inside = local("inside");
        let around = self.inside.replace(found.into_iter().map(|access| access.site).collect());
        let body = self.block(body);
        self.inside.replace(around);
        Some((quote_spanned!(span=> let #inside = #p::view::inside(#slots, &#range, |#name| [#(#accesses),*]);), body))
    }

    /// Finds the accesses of a part of an iteration.
    fn ascending<'b>(&self, part: Part<'b>, slopes: &mut Slopes<'b>, found: &mut Vec<Ascending<'b>>) {
        match part {
            Part::Block(block) => {
                for stmt in &block.stmts {
                    stmt.parts().into_iter().for_each(|part| self.ascending(part, slopes, found));
                    slopes.stmt(stmt);
                }
                block.value.iter().for_each(|value| self.ascending(Part::Expr(value), slopes, found));
            }
            Part::Expr(expr) => {
                expr.parts().into_iter().for_each(|part| self.ascending(part, slopes, found));
                if let ExprKind::Index { view, index, site } = &expr.kind
                    && self.body[*view].dims == 0
                    && !self.facts.is_some_and(|facts| facts.decided.contains_key(site))
                    && matches!(slopes.slope(index), Some(Slope::One | Slope::Converted))
                {
                    found.push(Ascending { view: *view, index, site: *site });
                }
            }
        }
    }
}
