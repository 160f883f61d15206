//! Places: what stands left of an assignment, and elements of views.

use proc_macro2::Ident;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{HostName, single_ident, strip};
use crate::ir::{Access, Check, Expr, ExprKind, Site};

impl BodyParser<'_> {
    /// `view[index]`.
    pub(super) fn index(&mut self, index: &syn::ExprIndex, access: Access) -> Expr {
        let span = index.expr.span();
        let parsed = Box::new(self.expr(&index.index, Want::Value));
        let Some(name) = single_ident(&index.expr) else {
            return self.unsupported(
                &index.expr,
                "only slice parameters and their parts can be indexed in device code; arrays are not supported yet",
            );
        };
        if self.is_refused(name) {
            return self.refused(span);
        }
        if self.local(name).is_some() {
            return self.unsupported(&index.expr, format!("`{name}` is a scalar of device code and cannot be indexed"));
        }
        if let (Access::Write, Some(HostName::View { mutable: false, .. })) = (access, self.host(name)) {
            self.report.on(
                &index.expr,
                format!("cannot assign to `{name}[..]`: `{name}` is read-only here; write `&mut [T]` in the parameter list (or split it with `split_at_mut`)"),
            );
        }
        let Some(view) = self.capture_view(name, access) else {
            return self.not_a_view(name);
        };
        // The location of the access as a whole, as `track_caller` sees it.
        let site = self.body.sites(Site { span, check: Check::Index });
        Expr { span, kind: ExprKind::Index { view, index: parsed, site } }
    }

    fn not_a_view(&mut self, name: &Ident) -> Expr {
        match self.host(name) {
            Some(HostName::Value) => self.unsupported(
                name,
                format!("`{name}` is a host value; only slice parameters and their parts can be indexed in device code: pass longer data as a `&[T]` parameter"),
            ),
            _ => self.unsupported(name, format!("cannot find a slice `{name}` in this kernel")),
        }
    }

    /// What an assignment writes to.
    pub(super) fn place(&mut self, expr: &syn::Expr) -> Expr {
        match strip(expr) {
            syn::Expr::Index(index) => self.index(index, Access::Write),
            syn::Expr::Path(_) => match single_ident(expr) {
                Some(name) => match self.local(name) {
                    Some(local) => Expr { span: name.span(), kind: ExprKind::Local(local) },
                    None => self.not_a_place(name),
                },
                None => {
                    self.unsupported(expr, "only variables and elements of slices can be assigned to in device code")
                }
            },
            other => self.unsupported(
                other,
                "only variables and elements of slices (`x = …`, `x[i] = …`) can be assigned to in device code",
            ),
        }
    }

    fn not_a_place(&mut self, name: &Ident) -> Expr {
        match self.host(name) {
            Some(HostName::Value) => self.unsupported(
                name,
                format!("cannot assign to `{name}`: a `par` loop gets its own copy of a host value; write the result to an element of a `&mut [T]` parameter"),
            ),
            Some(HostName::View { .. }) => {
                self.unsupported(name, format!("cannot assign to the slice `{name}` itself; assign to its elements: `{name}[i] = …`"))
            }
            None => self.unsupported(name, format!("cannot find a variable `{name}` in this body")),
        }
    }
}
