//! Places: the left sides of assignments, operands of `&`, and elements of views, arrays and
//! slices.

use proc_macro2::Ident;
use syn::spanned::Spanned;

use super::body::{BodyParser, Want};
use super::{HostName, single_ident, strip, struct_of_slices};
use crate::ir::{
    Access, Block, Borrow, Check, ElementOf, Expr, ExprKind, Flow, List, LocalKind, Pat, PatKind, Site, SiteId, Slot,
    Stmt,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};

impl BodyParser<'_> {
    /// `base[index]`.
    pub(super) fn index(&mut self, index: &syn::ExprIndex, access: Access) -> Expr {
        let (span, of) = (index.expr.span(), self.through(&index.expr));
        if let syn::Expr::Range(_) = strip(&index.index) {
            return self.unsupported(
                index,
                error(Code::Range, "a part of a slice cannot be used as a value in device code")
                    .help("to pass it to a `#[device]` function, write `f(&x[a..b])` or `f(&mut x[a..b])`")
                    .help("to bind it to a variable, write `let row = &x[a..b];`"),
            );
        }
        if let Some(dims) = self.dims_of_atomics(&index.expr).filter(|_| access != Access::Atomic) {
            return if dims > 1 { self.not_an_array(index, access) } else { self.not_atomic(index, access) };
        }
        if let Some(name) = self.view_name(of).cloned() {
            let parsed = Box::new(self.expr(&index.index, Want::Value));
            let Some(view) = self.capture_view(&name, access) else { return self.refused(span) };
            if let Some(error) = not_an_index(&name, &index.index, self.body[view].dims) {
                return self.unsupported(&index.index, error);
            }
            let site = self.index_site(index, self.body[view].dims);
            return Expr::new(span, ExprKind::Index { view, index: parsed, site });
        }
        if let (Some(name), Access::Write) = (single_ident(of), access)
            && self.local(name).is_none()
            && let Some(HostName::Value) = self.host(name)
        {
            return self.unsupported(name, not_a_slice(name));
        }
        let base = match access {
            Access::Write => self.place(of),
            Access::Atomic if self.is_shared_atomic(of) => self.cell(of),
            Access::Shape | Access::Read | Access::Atomic => self.read_place(of),
        };
        let parsed = Box::new(self.expr(&index.index, Want::Value));
        let kind = match base.kind {
            ExprKind::Local(local) => self.body[local].kind,
            _ => LocalKind::Value,
        };
        let (element, dims) = match kind {
            LocalKind::Value | LocalKind::Reference(_) | LocalKind::Closure => {
                let slot = if access == Access::Write { Slot::IndexMut } else { Slot::Index };
                (ElementOf::Value(self.body.slots(slot)), 0)
            }
            LocalKind::Slice(_) => (ElementOf::Slice, 0),
            LocalKind::Grid(_, dims) => (ElementOf::Grid, dims),
        };
        let site = self.index_site(index, dims);
        Expr::new(span, ExprKind::Element { base: Box::new(base), index: parsed, of: element, site })
    }

    /// `base[index]`, read. An extent, `grid.shape()[1]`, is a value that the launch knows.
    pub(super) fn extent_or_element(&mut self, index: &syn::ExprIndex) -> Expr {
        if let syn::Expr::MethodCall(call) = strip(&index.expr)
            && call.method == "shape"
            && call.args.is_empty()
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(dim), .. }) = strip(&index.index)
            && matches!(dim.suffix(), "" | "usize")
            && let Ok(dim) = dim.base10_parse()
            && let Some(name) = self.view_name(self.through(&call.receiver)).cloned()
            && let Some(HostName::View { view, .. }) = self.host(&name)
            && dim < view.dims
            && let Some(extent) = self.capture_view(&name, Access::Shape).and_then(|g| self.body.extents(g).nth(dim))
        {
            return Expr::new(index.expr.span(), ExprKind::Captured(extent));
        }
        self.index(index, Access::Read)
    }

    /// The site of an access; of a grid, those of its dimensions. They have the location of the
    /// access as a whole, as `track_caller` sees it.
    fn index_site(&mut self, index: &syn::ExprIndex, dims: usize) -> SiteId {
        let (span, text) = (index.expr.span(), super::text(index));
        let first = if dims == 0 { Check::Index } else { Check::Dimension(0) };
        let site = self.body.sites(Site { span, check: first, text });
        for dim in 1..dims {
            self.body.sites(Site { span, check: Check::Dimension(dim as u32), text: String::new() });
        }
        site
    }

    /// `base.0`, `base.name`.
    pub(super) fn field(&mut self, field: &syn::ExprField, access: Access) -> Expr {
        if self.is_unknown(&field.base) {
            return self.refused(field.member.span());
        }
        let base = match access {
            Access::Write => self.place(&field.base),
            Access::Shape | Access::Read | Access::Atomic => self.read_place(&field.base),
        };
        let (span, member) = (field.member.span(), field.member.clone());
        Expr::new(span, ExprKind::Field { base: Box::new(base), member })
    }

    /// `*reference`.
    pub(super) fn deref(&mut self, unary: &syn::ExprUnary, access: Access) -> Expr {
        let reference = self.reference_in(&unary.expr);
        match reference.filter(|(local, left)| *left > 0 && matches!(self.body[*local].kind, LocalKind::Reference(_))) {
            Some((local, _)) if self.body[local].kind == LocalKind::Reference(Borrow::Atomic) => {
                self.not_atomic(unary, access)
            }
            Some((local, 2..)) => self.unsupported(unary, self.a_reference(local, unary)),
            Some((local, _)) => {
                let reference = Expr::new(unary.expr.span(), ExprKind::Local(local));
                Expr::new(unary.span(), ExprKind::Deref(Box::new(reference)))
            }
            None if single_ident(&unary.expr).is_some_and(|name| self.is_refused(name)) => self.refused(unary.span()),
            None => self.unsupported(unary, not_a_reference(&unary.expr)),
        }
    }

    /// What an expression that names a place reads: its root is not copied first.
    pub(super) fn read_place(&mut self, expr: &syn::Expr) -> Expr {
        let name = single_ident(expr);
        let reference = self.reference_in(expr).filter(|(_, left)| *left > 0).map(|(local, _)| local);
        match reference.or_else(|| self.local(name?)) {
            Some(_) if name.is_some_and(|name| self.is_refused(name)) => self.refused(expr.span()),
            Some(local) => self.use_of(local, expr.span()),
            None => self.expr(expr, Want::Value),
        }
    }

    /// What a function returns that returns a reference.
    pub(super) fn projection(&mut self, expr: &syn::Expr) -> Expr {
        let unique = self.projects == Some(Borrow::Unique);
        match strip(expr) {
            syn::Expr::Reference(reference) if reference.mutability.is_some() == unique => {
                let borrow = if unique { Borrow::Unique } else { Borrow::Shared };
                let place = if unique { self.place(&reference.expr) } else { self.read_place(&reference.expr) };
                if !self.is_in_self(&place) {
                    return self.no_projection(&reference.expr, unique);
                }
                Expr::new(reference.and_token.span, ExprKind::Reference { borrow, place: Box::new(place) })
            }
            other => self.no_projection(other, unique),
        }
    }

    /// Whether a place is the receiver or a part of it. rustc also allows a reference to a
    /// constant, which is a temporary in C++.
    fn is_in_self(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Local(local) => self.body[*local].name == "self",
            ExprKind::Field { base, .. } | ExprKind::Element { base, .. } | ExprKind::Deref(base) => {
                self.is_in_self(base)
            }
            _ => false,
        }
    }

    fn no_projection(&mut self, expr: &syn::Expr, unique: bool) -> Expr {
        let part = if unique { "&mut self.x" } else { "&self.x" };
        self.unsupported(
            expr,
            error(Code::DeviceResult, "an index operator returns a reference to a part of `self`")
                .help(format!("write the reference here: `{part}`")),
        )
    }

    /// What an assignment writes to.
    pub(super) fn place(&mut self, expr: &syn::Expr) -> Expr {
        match strip(expr) {
            syn::Expr::Index(index) => self.index(index, Access::Write),
            syn::Expr::Field(field) => self.field(field, Access::Write),
            syn::Expr::Unary(unary @ syn::ExprUnary { op: syn::UnOp::Deref(_), .. }) => {
                self.deref(unary, Access::Write)
            }
            syn::Expr::Path(_) => match single_ident(expr) {
                Some(name) => match self.local(name) {
                    Some(local) if self.body[local].atomics > 0 => self.not_an_array(name, Access::Write),
                    Some(local) => self.use_of(local, name.span()),
                    None => self.not_a_place(name),
                },
                None => self.unsupported(expr, not_assignable()),
            },
            other => self.unsupported(other, not_assignable()),
        }
    }

    /// `(a, b) = (b, a)`: as in Rust, `{ let (new_a, new_b) = (b, a); a = new_a; b = new_b; }`.
    pub(super) fn destructure(&mut self, assign: &syn::ExprAssign) -> Expr {
        let span = assign.eq_token.span();
        let init = self.expr(&assign.right, Want::Value);
        let mut stmts = Vec::new();
        let pat = self.taken_apart(&assign.left, &mut stmts);
        stmts.insert(0, Stmt::Let { pat, ty: None, init, otherwise: None });
        Expr::flow(span, None, Flow::Block(Block { stmts, value: None }))
    }

    fn taken_apart(&mut self, left: &syn::Expr, assigns: &mut Vec<Stmt>) -> Pat {
        let span = left.span();
        let kind = match strip(left) {
            syn::Expr::Infer(_) => PatKind::Wild,
            syn::Expr::Tuple(tuple) => PatKind::Tuple(self.parts_taken_apart(&tuple.elems, assigns)),
            syn::Expr::Array(array) => PatKind::Array(self.parts_taken_apart(&array.elems, assigns)),
            syn::Expr::Struct(of) => PatKind::Struct {
                path: super::struct_path(&of.qself, &of.path),
                fields: of.fields.iter().map(|f| (f.member.clone(), self.taken_apart(&f.expr, assigns))).collect(),
                rest: of.dot2_token.is_some(),
                slot: self.body.slots(Slot::Variant),
            },
            syn::Expr::Call(syn::ExprCall { func, args, .. }) if let syn::Expr::Path(of) = strip(func) => {
                let (path, slot) = (super::struct_path(&of.qself, &of.path), self.body.slots(Slot::Variant));
                PatKind::TupleStruct { path, list: self.parts_taken_apart(args, assigns), slot }
            }
            place => {
                let local = self.generated("new", span, Slot::Inferred, LocalKind::Value);
                let value = Box::new(Expr::new(span, ExprKind::Local(local)));
                let place = Box::new(self.place(place));
                assigns.push(Stmt::Expr(Expr::new(span, ExprKind::Assign { place, value, op: None })));
                PatKind::Bind { local, sub: None }
            }
        };
        Pat { span, kind }
    }

    fn parts_taken_apart(
        &mut self,
        parts: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
        assigns: &mut Vec<Stmt>,
    ) -> List {
        let mut list = List { front: Vec::new(), back: None };
        for part in parts {
            match part {
                syn::Expr::Range(syn::ExprRange { start: None, end: None, .. }) => list.back = Some(Vec::new()),
                part => {
                    let pat = self.taken_apart(part, assigns);
                    list.back.as_mut().unwrap_or(&mut list.front).push(pat);
                }
            }
        }
        list
    }

    fn not_a_place(&mut self, name: &Ident) -> Expr {
        match self.host(name) {
            Some(HostName::Value) if names::has_dot(name) => self.unsupported(name, value_of_struct(name)),
            Some(HostName::Value | HostName::Closure(_)) => self.unsupported(
                name,
                error(Code::AssignHostValue, format!("cannot assign to the host value `{name}` in a `par` loop"))
                    .help("to combine all iterations, write a reduction: `total[0] = par(0..n).map(|i| x[i]).sum();`")
                    .help("to keep a result of each, write it to an element of a `&mut [T]` parameter")
                    .help(format!("for a variable of each iteration, write `let mut {name} = …;` in the loop"))
                    .help(format!("if it is a struct of slices, its type has a lifetime: `{name}: Planes<'_>`")),
            ),
            Some(HostName::View { view, .. }) => self.unsupported(
                name,
                error(Code::WholeSlice, format!("cannot assign to the {} `{name}`", view.noun()))
                    .help(format!("assign to its elements: `{} = …`", view.element(name))),
            ),
            Some(HostName::Slices(_)) => self.unsupported(name, struct_of_slices(name)),
            None => self.unsupported(
                name,
                error(Code::AssignTarget, format!("`{name}` is not a variable of this device code"))
                    .help(format!("declare it: `let mut {name} = …;`"))
                    .help("a `static` cannot be written: for data of all iterations, use a parameter `&[AtomicU32]`"),
            ),
        }
    }
}

/// What cannot be the index of an element, whatever its parts are.
fn not_an_index(name: &Ident, index: &syn::Expr, dims: usize) -> Option<Diagnostic> {
    let (what, parts) = match strip(index) {
        syn::Expr::Tuple(tuple) => ("a tuple", &tuple.elems),
        syn::Expr::Array(array) if dims == 0 => ("an array", &array.elems),
        _ => return None,
    };
    let (of, parts) = (parts.len().clamp(2, 3), parts.iter().map(super::text).collect::<Vec<_>>().join(", "));
    let noun = if dims > 0 { "grid" } else { "slice" };
    let error = error(Code::Unsupported, format!("the {noun} `{name}` cannot be indexed with {what}"));
    Some(match dims {
        0 => error.help(format!("compute one index, as in `{name}[y * width + x]`")).help(format!(
            "or make the parameter a grid, `{name}: &mut Grid<f32, {of}>`, and write `{name}[[{parts}]]`"
        )),
        _ => error.help(format!("put the indexes into an array: `{name}[[{parts}]]`")),
    })
}

/// An element of something that the macro takes for a value.
fn not_a_slice(name: &Ident) -> Diagnostic {
    if names::has_dot(name) {
        return value_of_struct(name);
    }
    error(Code::AssignHostValue, format!("cannot assign to elements of the host value `{name}`"))
        .help(format!("if it is a slice, its type has to say so: `{name}: &mut [f32]`, not an alias"))
        .help(format!("memory for all iterations is made in the host part: `let mut {name} = scratch::<f32>(n);`"))
        .help(format!("for an array of each iteration, write `let mut {name} = [0.0; 4];` in the loop"))
}

/// A value in a struct of slices.
fn value_of_struct(name: &Ident) -> Diagnostic {
    error(Code::AssignHostValue, format!("cannot assign to `{name}`: a value is the same for all iterations"))
        .help("to keep a result of each iteration, write it to an element of a slice of the struct")
}

fn not_assignable() -> Diagnostic {
    error(Code::AssignTarget, "this expression cannot be assigned to in device code")
        .help("assign to a variable, a field or an element: `x = …`, `p.pos = …`, `x[i] = …`")
}

/// Methods of pointers and slices that return a pointer or reference to an element.
const ELEMENT: [&str; 5] = ["add", "offset", "wrapping_add", "get_unchecked", "get_unchecked_mut"];

fn not_a_reference(operand: &syn::Expr) -> Diagnostic {
    let error = error(Code::Dereference, format!("`{}` is not a reference", super::text(operand)));
    match strip(operand) {
        // The second half of `x ** 2`.
        syn::Expr::Lit(_) => error.help("for a power, write `x.powi(2)`, of integers `x.pow(2)`"),
        syn::Expr::MethodCall(call) if ELEMENT.iter().any(|of| call.method == of) => error.help(
            "an element of a parameter `x: &mut [f32]` is `x[i]`: launches check indexes, so that loops need no checks",
        ),
        operand if in_iter(operand) => error.help("copy the elements, `x.iter().copied()`, and remove the `*`"),
        _ => error.help("remove the `*`"),
    }
}

/// Whether methods are called on `x.iter()`, which in std would give a reference.
fn in_iter(mut operand: &syn::Expr) -> bool {
    while let syn::Expr::MethodCall(call) = strip(operand) {
        if call.method == "iter" {
            return true;
        }
        operand = &call.receiver;
    }
    false
}
