//! Accesses of a loop that are in bounds in all its iterations, where only data says how far the
//! loop goes.
//!
//! The launch decides what it has numbers for. It has none for `for at in starts[row]..starts[row +
//! 1] { … values[at as usize] … }`. But before this loop the range is known, and the index grows by
//! 1 from one iteration to the next. If it is in bounds in the first and in the last iteration, and
//! has not wrapped between them, it is in bounds in all. So the accesses do not check it again: the
//! compiler makes two versions of the loop, one without checks.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use super::Twin;
use super::slopes::{Slope, Slopes};
use crate::ir::{Access, Block, CaptureId, CaptureKind, Expr, ExprKind, Flow, LocalId, LoopRange, Part, SiteId};
use crate::names::local;

/// An access whose index grows by 1 from one iteration to the next.
struct Ascending<'b> {
    view: CaptureId,
    index: &'b Expr,
    site: SiteId,
}

impl Twin<'_> {
    /// What comes before a `for` loop over a range, and the body of the loop. None if the loop
    /// gains nothing by it.
    pub(super) fn inside(
        &self,
        var: LocalId,
        over: &LoopRange,
        body: &Block,
        range: &TokenStream,
        span: Span,
    ) -> Option<(TokenStream, TokenStream)> {
        let is_plain = !over.inclusive && over.adaptors.is_empty();
        // Before the loop, the names of its items mean something else. And the compiler makes two
        // versions only of a small loop.
        if self.again.get() || !is_plain || body.has_items() || body.any(&mut |expr| expr.is_loop()) {
            return None;
        }
        let (mut slopes, mut found) = (Slopes::of_loop(self.body, var), Vec::new());
        self.ascending(Part::Block(body), &mut slopes, &mut found);
        if found.is_empty() {
            return None;
        }
        let (p, name) = (self.private_at(span), self.local(var, self.body[var].name.span()));
        let inside = local("inside");
        let before = self.before_loop(&slopes, || {
            let (lets, slots) = self.bound_before(&slopes, found.iter().map(|access| access.index), []);
            let accesses = found.iter().map(|Ascending { view, index, .. }| {
                let (view, tokens, p) = (self.capture(*view, span), self.expr(index), self.private_at(index.span));
                quote_spanned!(index.span=> (#p::view::index(#tokens), #p::view::len(&#view)))
            });
            quote_spanned!(span=> let #inside = #p::view::along(&#range).inside_in_device_code(#slots, |#name| { #lets [#(#accesses),*] });)
        });
        let around = self.inside.replace(found.into_iter().map(|access| access.site).collect());
        let body = self.block(body);
        self.inside.replace(around);
        Some((before, body))
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
            // It may name what only `unsafe` may name.
            Part::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Unsafe(_), .. }, .. }) => {}
            Part::Expr(expr) => {
                expr.parts().into_iter().for_each(|part| self.ascending(part, slopes, found));
                // Before the loop, a variable may still hold a reference to an element of a view
                // that is written.
                if let ExprKind::Index { view, index, site } = &expr.kind
                    && let CaptureKind::View(_, Access::Read | Access::Atomic) = self.body[*view].kind
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
