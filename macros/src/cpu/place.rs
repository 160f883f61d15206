//! Places of the twin: what is assigned to, and what references point to.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::{Twin, slot};
use crate::habits;
use crate::ir::effects;
use crate::ir::{Access, AssignOp, CaptureId, CaptureKind, ElementOf, Expr, ExprKind, LocalKind, SiteId};
use crate::names::{self, local};

impl Twin<'_> {
    /// A Rust place, for reading it or for a reference to it.
    pub(super) fn place(&self, expr: &Expr, mutable: bool) -> TokenStream {
        let span = expr.span;
        if let Some(value) = self.read_before(expr) {
            return value;
        }
        match &expr.kind {
            ExprKind::View { view } => {
                let (p, name) = (self.private_at(span), self.capture(*view, span));
                if self.body[*view].dims > 0 {
                    let layout = self.layout(*view, span);
                    return match self.body[*view].kind {
                        CaptureKind::View(_, Access::Atomic) => {
                            quote_spanned!(span=> *#p::view::grid_atomic(&#name, #layout))
                        }
                        _ if mutable => quote_spanned!(span=> *#p::view::grid_mut(&mut #name, #layout)),
                        _ => quote_spanned!(span=> *#p::view::grid(&#name, #layout)),
                    };
                }
                match self.body[*view].kind {
                    CaptureKind::View(_, Access::Atomic) => quote_spanned!(span=> *#p::view::whole_atomic(&#name)),
                    _ if mutable => quote_spanned!(span=> *#p::view::whole_mut(&mut #name)),
                    _ => quote_spanned!(span=> *#p::view::whole(&#name)),
                }
            }
            ExprKind::Index { view, index, site }
                if let CaptureKind::View(_, Access::Atomic) = self.body[*view].kind =>
            {
                let (p, name, index) =
                    (self.private_at(span), self.capture(*view, span), self.index(*view, index, *site, span));
                let decided = self.decided(*site, &p);
                quote_spanned!(span=> *#p::view::cell(#index, #decided, &#name))
            }
            ExprKind::Index { view, index, site } => {
                let index = self.index(*view, index, *site, span);
                if mutable {
                    let element = self.element_mut(*view, index, *site, span);
                    return quote_spanned!(span=> *#element);
                }
                let (p, view) = (self.private_at(span), self.capture(*view, span));
                let decided = self.decided(*site, &p);
                quote_spanned!(span=> *#p::view::element(#index, #decided, &#view))
            }
            ExprKind::Element { base, index, of: ElementOf::Value(s), .. } if self.body.is_of_atomics(base) => {
                let (p, base, index, s) = (self.private_at(span), self.place(base, false), self.expr(index), slot(*s));
                quote_spanned!(span=> (*#p::block::atomic_element(&#base, #index, #s)))
            }
            ExprKind::Element { base, index, of, site } => {
                let index = self.answered(self.expr(index), *site, index.span);
                let place = if mutable { self.inner_place(base, true) } else { self.read_only(base) };
                self.element_of(self.indexed(base, place), mutable, index, (*of, *site), span)
            }
            ExprKind::Field { base, member } => {
                let base = self.inner_place(base, mutable);
                quote_spanned!(span=> #base.#member)
            }
            ExprKind::Deref(reference) => {
                if let ExprKind::Local(local) = reference.kind
                    && self.body[local].loose
                {
                    let name = self.local(local, span);
                    return quote_spanned!(span=> #name.ab_value());
                }
                let reference = self.expr(reference);
                quote_spanned!(span=> *#reference)
            }
            ExprKind::Range { base, start, end, inclusive, site: _ } => {
                let p = self.private_at(span);
                let view = match base.kind {
                    ExprKind::View { view } => {
                        let atomic = matches!(self.body[view].kind, CaptureKind::View(_, Access::Atomic));
                        (!atomic).then(|| self.capture(view, base.span))
                    }
                    _ => None,
                };
                let base = self.indexed(base, if mutable { self.place(base, true) } else { self.read_only(base) });
                let start = start.as_ref().map_or_else(|| quote!(0), |e| self.expr(e));
                let end = match (end, inclusive) {
                    (None, _) => quote!(#p::rust::None::<#p::rust::usize>),
                    (Some(end), false) => {
                        let end = self.expr(end);
                        quote!(#p::rust::Some(#end))
                    }
                    (Some(end), true) => {
                        let end = self.expr(end);
                        quote_spanned!(span=> #p::rust::Some(#p::view::past(#end)))
                    }
                };
                match (view, mutable) {
                    (Some(view), true) => quote_spanned!(span=> *#p::view::view_part_mut(#start, #end, &mut #view)),
                    (Some(view), false) => quote_spanned!(span=> *#p::view::view_part(#start, #end, &#view)),
                    (None, true) => quote_spanned!(span=> *#p::view::part_mut(&mut #base, #start, #end)),
                    (None, false) => quote_spanned!(span=> *#p::view::part(&#base, #start, #end)),
                }
            }
            _ => self.operand(expr),
        }
    }

    /// The place that a projection goes out from.
    fn inner_place(&self, base: &Expr, mutable: bool) -> TokenStream {
        let place = self.place(base, mutable);
        match base.kind {
            ExprKind::View { .. } | ExprKind::Index { .. } | ExprKind::Deref(_) | ExprKind::Range { .. } => {
                quote_spanned!(base.span=> (#place))
            }
            _ => place,
        }
    }

    /// A place that is only read: of a constant, that of the program and no copy, which `TABLE[i]`
    /// would make for each element.
    pub(super) fn read_only(&self, place: &Expr) -> TokenStream {
        let span = place.span;
        match &place.kind {
            ExprKind::Constant { path, .. } if habits::is_built_in(path) => self.expr(place),
            ExprKind::Constant { path, slot: s, scope: _ } => {
                let (p, s) = (self.private_at(span), slot(*s));
                let value = self.constant(path, span);
                match self.again.get() {
                    false => {
                        quote_spanned!(span=> (*#p::slot::constant_place(#s, || #p::slot::named(#value), &#value)))
                    }
                    true => quote_spanned!(span=> (*#p::lanes::constant_place_again(#s, &#value))),
                }
            }
            ExprKind::Field { base, member } => {
                let base = self.read_only(base);
                quote_spanned!(span=> #base.#member)
            }
            _ => self.inner_place(place, false),
        }
    }

    /// What is indexed: the name of a slice or reference is a reference.
    fn indexed(&self, base: &Expr, place: TokenStream) -> TokenStream {
        match base.kind {
            ExprKind::Local(id) if self.body[id].kind != LocalKind::Value => quote_spanned!(base.span=> *#place),
            _ => place,
        }
    }

    /// `base[index]`. What else than slices, grids and arrays is indexed, has an index operator
    /// with `#[device]`.
    fn element_of(
        &self,
        base: TokenStream,
        mutable: bool,
        index: TokenStream,
        (of, site): (ElementOf, SiteId),
        span: Span,
    ) -> TokenStream {
        let p = self.private_at(span);
        let at = match of {
            ElementOf::Value(s) => {
                let s = slot(s);
                return if mutable {
                    quote_spanned!(span=> (*#p::op::ElementMut(&mut #base, #index).index_mut_in_device_code(#s)))
                } else {
                    quote_spanned!(span=> (*#p::op::Element(&#base, #index).index_in_device_code(#s)))
                };
            }
            ElementOf::Slice => {
                let decided = self.decided(site, &p);
                quote_spanned!(span=> #p::view::at_slice(#p::view::index(#index), #decided))
            }
            ElementOf::Grid => quote_spanned!(span=> #p::view::at_grid(#index)),
        };
        if mutable {
            quote_spanned!(span=> #p::view::elements_mut(&mut #base)[#at])
        } else {
            quote_spanned!(span=> #p::view::elements(&#base)[#at])
        }
    }

    /// `&mut view[index]`, of an access that is assigned to.
    fn element_mut(&self, view: CaptureId, index: TokenStream, site: SiteId, span: Span) -> TokenStream {
        let (p, view) = (self.private_at(span), self.capture(view, span));
        let decided = self.decided(site, &p);
        quote_spanned!(span=> #p::view::element_mut(#index, #decided, &mut #view))
    }

    /// A place whose indexes are evaluated by statements before, each with its check before the
    /// next is evaluated: in a place itself they could not mention the variable that it is a part
    /// of. `check`: what comes next may fail, so that the check of the place itself comes first. It
    /// calls no index operator of the user's.
    fn evaluated(&self, place: &Expr, check: bool, before: &mut Vec<TokenStream>) -> TokenStream {
        let span = place.span;
        match &place.kind {
            ExprKind::Element { base, index, of, site } => {
                let base_place = self.evaluated(base, effects::of(index, self.body).stops, before);
                let base = self.indexed(base, base_place);
                let name = local(&format!("i{}", before.len()));
                let index = self.answered(self.expr(index), *site, index.span);
                before.push(quote_spanned!(span=> let #name = #index;));
                let element = self.element_of(base.clone(), true, name.to_token_stream(), (*of, *site), span);
                if check {
                    before.push(match of {
                        ElementOf::Value(s) => {
                            let (p, s) = (self.private_at(span), slot(*s));
                            quote_spanned!(span=> #p::op::ElementMut(&mut #base, #name).check_in_device_code(#s);)
                        }
                        ElementOf::Slice | ElementOf::Grid => quote_spanned!(span=> let _ = &#element;),
                    });
                }
                element
            }
            ExprKind::Field { base, member } => {
                let base = self.evaluated(base, check, before);
                quote_spanned!(span=> #base.#member)
            }
            ExprKind::Index { view, index, site } => {
                let name = local(&format!("i{}", before.len()));
                let index = self.index(*view, index, *site, span);
                before.push(quote_spanned!(span=> let #name = #index;));
                let element = self.element_mut(*view, name.into_token_stream(), *site, span);
                if check {
                    before.push(quote_spanned!(span=> let _ = &*#element;));
                }
                quote_spanned!(span=> (*#element))
            }
            _ => self.inner_place(place, true),
        }
    }

    pub(super) fn assign(&self, place: &Expr, value: &Expr, span: Span) -> TokenStream {
        let tokens = self.expr(value);
        match &place.kind {
            ExprKind::Index { view, index, site } => {
                let element = self.element_mut(*view, self.index(*view, index, *site, place.span), *site, place.span);
                quote_spanned!(place.span=> *#element = #tokens)
            }
            ExprKind::Local(id) if self.body[*id].late => {
                // Its `let` had no value to tie it to.
                let (p, s, name) = (self.private_at(span), slot(self.body[*id].slot), self.expr(place));
                quote_spanned!(span=> #name = #p::slot::typed(#s, #tokens))
            }
            ExprKind::Local(_) | ExprKind::Own { .. } => {
                let name = self.expr(place);
                quote_spanned!(span=> #name = #tokens)
            }
            _ => {
                let mut before = Vec::new();
                let place = self.evaluated(place, false, &mut before);
                if before.is_empty() {
                    return quote_spanned!(span=> #place = #tokens);
                }
                let value = local("value");
                quote_spanned!(span=> { let #value = #tokens; #(#before)* #place = #value; })
            }
        }
    }

    /// The value first, then the place, as Rust does for primitive types.
    pub(super) fn assign_op(&self, op: AssignOp, place: &Expr, value: &Expr, span: Span) -> TokenStream {
        let AssignOp { op, slot: s, site: _ } = op;
        let (p, b, s) = (self.private_at(span), local("b"), slot(s));
        let (operand, method) = (self.expr(value), names::operator(op.std_trait(), true, span));
        // Errors are about the operands, and point at them.
        let mut rhs = b.clone();
        rhs.set_span(b.span().located_at(value.span));
        let mut before = Vec::new();
        let place_span = place.span;
        let place = match &place.kind {
            ExprKind::Index { view, index, site } => {
                let index = self.index(*view, index, *site, place_span);
                self.element_mut(*view, index, *site, place_span)
            }
            _ => {
                let place = self.evaluated(place, false, &mut before);
                quote_spanned!(place_span=> &mut #place)
            }
        };
        quote_spanned!(span=> { let #b = #operand; #(#before)* #p::op::Operands(#place, #rhs).#method(#s); })
    }
}
