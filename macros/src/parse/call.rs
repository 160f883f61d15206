//! Calls of device code: `#[device]` functions, methods, and what may be their arguments.

use proc_macro2::{Ident, Span};
use quote::quote;
use syn::spanned::Spanned;

use super::body::{BodyParser, Context, Want};
use super::types::is_primitive;
use super::{HostName, ViewType, single_ident, strip};
use crate::habits;
use crate::ir::{
    Access, BinOp, Borrow, Callee, CaptureId, Check, CompareOp, Expr, ExprKind, LocalKind, Measure, Site, SiteId, Slot,
    SlotId,
};
use crate::names;
use crate::report::{Code, Diagnostic, error};
use anabranch_core::methods::{self, Method, Owner, Unsupported};

impl BodyParser<'_> {
    pub(super) fn method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.method.span();
        let name = names::plain(&call.method);
        // A closure may have the name.
        if super::par::is_par(&call.receiver) && self.local(&Ident::new("par", span)).is_none() {
            return self.unsupported(call, self.nested_par());
        }
        let receiver = self.through(&call.receiver);
        if let Some(view) = self.view_name(receiver) {
            return self.view_method(call, view, &name);
        }
        if let Some(value) = self.contains(call) {
            return value;
        }
        if let Some(value) = self.chain(call) {
            return value;
        }
        if let Some(operation) = self.atomic_method(call, &name) {
            return operation;
        }
        if let Some(reserved) = reserved(&call.method) {
            return self.unsupported(&call.method, reserved);
        }
        let errors = self.report.len();
        // A cast to what the rest of the expression needs: only the method of a number says what
        // that is.
        let untyped = matches!(strip(&call.receiver), syn::Expr::MethodCall(cast) if cast.method == "cast" && cast.turbofish.is_none());
        let known = methods::find(&name);
        if name == "cast" && call.args.is_empty() || untyped && known.is_some() {
            return self.number_method(call, &name);
        }
        if call.args.is_empty()
            && matches!(name.as_str(), "len" | "is_empty")
            && self.is_shared_atomic(&call.receiver)
            && matches!(strip(&call.receiver), syn::Expr::Path(_) | syn::Expr::Index(_))
        {
            let base = Box::new(self.cell(&call.receiver));
            return Expr::new(span, ExprKind::Measure { base, what: length(&name) });
        }
        if call.args.is_empty()
            && let Some(local) = single_ident(receiver).and_then(|name| self.local(name))
        {
            let base = || Box::new(Expr::new(receiver.span(), ExprKind::Local(local)));
            match (name.as_str(), self.body[local].kind) {
                ("len" | "is_empty", LocalKind::Slice(_) | LocalKind::Grid(..)) => {
                    return Expr::new(span, ExprKind::Measure { base: base(), what: length(&name) });
                }
                ("shape", LocalKind::Grid(..)) => {
                    return Expr::new(span, ExprKind::Measure { base: base(), what: Measure::Shape });
                }
                _ => {}
            }
        }
        if single_ident(&call.receiver).is_some_and(|this| this == "self") && self.is_own(&call.method) {
            return self.calls_itself(&call.method, &call.method);
        }
        let slot = self.body.slots(Slot::Method);
        let receiver = self.receiver(&call.receiver, slot, &name);
        let args: Vec<Expr> = match call.args.first().map(strip) {
            // No method of a user takes text.
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(words), .. }))
                if name == "expect" && call.args.len() == 1 =>
            {
                vec![Expr::new(words.span(), ExprKind::Words(words.clone()))]
            }
            _ => call.args.iter().map(|arg| self.argument_of(&name, arg)).collect(),
        };
        if self.report.len() > errors || self.is_unknown(&call.receiver) {
            // What is wrong with its parts is enough to say.
            return self.refused(span);
        }
        if known.is_none()
            && let Some(Unsupported { why, instead, of: Owner::Value, .. }) = methods::unsupported(&name)
        {
            let message = format!("the method `{name}` is not supported in device code: {why}");
            return self.unsupported(&call.method, error(Code::Method, message).help(*instead));
        }
        let site = match known {
            Some(known) => self.site(known, span),
            // What it says is in the slot of the method, if it is one of std.
            None if methods::UNWRAPS.contains(&name.as_str()) => {
                let (check, text) = (Check::Formatted(slot.number()), String::new());
                Some(self.body.sites(Site { span, check, text }))
            }
            None => None,
        };
        let generics = call.turbofish.as_ref().map(|turbofish| &turbofish.args);
        let generics = generics.map(|args| quote!(<#args>)).unwrap_or_default();
        let callee = Callee::Method { name: call.method.clone(), known, generics, slot, site };
        let args = std::iter::once(receiver).chain(args).collect();
        Expr::new(span, ExprKind::Call { callee, args })
    }

    /// A method that only numbers have.
    fn number_method(&mut self, call: &syn::ExprMethodCall, name: &str) -> Expr {
        let span = call.method.span();
        let errors = self.report.len();
        let receiver = self.read_place(&call.receiver);
        let args: Vec<Expr> = call.args.iter().map(|a| self.expr(a, Want::Value)).collect();
        if self.report.len() > errors || self.is_unknown(&call.receiver) {
            return self.refused(span);
        }
        if name == "cast" && args.is_empty() {
            let ty = call.turbofish.as_ref().and_then(|t| t.args.first());
            let slot = match ty {
                Some(syn::GenericArgument::Type(ty)) => Slot::WrittenInside(Box::new(ty.clone())),
                _ => Slot::Inferred,
            };
            let slot = self.body.slots(slot);
            return Expr::new(span, ExprKind::Cast { operand: Box::new(receiver), ty: None, slot });
        }
        let args = std::iter::once(receiver).chain(args).collect();
        let Some(kind) = self.numeric(&call.method, span, name, None, args) else { return self.refused(span) };
        Expr::new(span, kind)
    }

    /// The receiver of a method that rustc finds. A reference says itself how it is borrowed.
    fn receiver(&mut self, expr: &syn::Expr, slot: SlotId, method: &str) -> Expr {
        let place = match strip(expr) {
            syn::Expr::Reference(_) => return self.argument(expr),
            _ => self.read_place(expr),
        };
        let (std_name, changing) = (methods::find(method).is_some(), methods::CHANGING.contains(&method));
        let lent = self.is_lent(&place);
        Expr::new(place.span, ExprKind::Receiver { place: Box::new(place), slot, std_name, changing, lent })
    }

    /// Where a method of std can fail.
    fn site(&mut self, method: &'static Method, span: Span) -> Option<SiteId> {
        method.check.map(|check| self.body.sites(Site { span, check: check.map(Into::into), text: String::new() }))
    }

    fn view_method(&mut self, call: &syn::ExprMethodCall, view: &Ident, name: &str) -> Expr {
        let span = call.method.span();
        let capture = self.capture_view(view, Access::Shape);
        match (capture, name, call.args.len()) {
            (Some(capture), "len", 0) => self.len(capture, span),
            (Some(capture), "shape", 0) if self.body[capture].dims > 0 => {
                let extent = |id| Expr::new(span, ExprKind::Captured(id));
                let elems = self.body.extents(capture).map(extent).collect();
                Expr::new(span, ExprKind::Array { elems, slot: self.slot() })
            }
            (Some(capture), "is_empty", 0) => {
                let slot = self.slot();
                let zero =
                    ExprKind::Int { token: proc_macro2::Literal::usize_suffixed(0), digits: "0".to_owned(), slot };
                let lhs = Box::new(self.len(capture, span));
                let rhs = Box::new(Expr::new(span, zero));
                let slot = self.comparison(CompareOp::Eq);
                Expr::new(span, ExprKind::Compare { op: CompareOp::Eq, lhs, rhs, slot })
            }
            (Some(capture), ..) if self.body[capture].dims > 0 => self.unsupported(
                &call.method,
                error(Code::WholeSlice, format!("the grid `{view}` has no method `{name}` in device code")).help(
                    format!("use `{view}.shape()`, `{view}.len()`, `{view}.is_empty()` or an element, `{view}[[…]]`"),
                ),
            ),
            _ if name == "swap" => self.unsupported(
                &call.method,
                error(Code::WholeSlice, format!("the slice `{view}` has no method `swap` in device code"))
                    .help(format!("assign both elements at once: `({view}[i], {view}[j]) = ({view}[j], {view}[i]);`")),
            ),
            _ if name == "iter" => self.unsupported(
                &call.method,
                error(Code::WholeSlice, format!("device code cannot keep the iterator `{view}.iter()`"))
                    .help(format!(
                        "use it where it is made: `for v in {view}.iter() {{ … }}`, or `{view}.iter().sum()`"
                    ))
                    .help(format!("or count: `let mut at = 0;`, and `{view}[at]`")),
            ),
            _ if let Some(instead) = of_slice(view, name, &call.args) => self.unsupported(
                &call.method,
                error(Code::WholeSlice, format!("the slice `{view}` has no method `{name}` in device code"))
                    .help(instead),
            ),
            _ => self.unsupported(
                &call.method,
                error(Code::WholeSlice, format!("the slice `{view}` has no method `{name}` in device code"))
                    .help(format!("use `{view}.len()`, `{view}.is_empty()` or an element, `{view}[i]`"))
                    .help(format!("to visit all elements, write `for v in {view}.iter() {{ … }}`")),
            ),
        }
    }

    /// The number of elements of a view.
    pub(super) fn len(&mut self, view: CaptureId, span: Span) -> Expr {
        let extents: Vec<CaptureId> = self.body.extents(view).collect();
        let mut extents = extents.into_iter().map(|extent| Expr::new(span, ExprKind::Captured(extent)));
        let Some(first) = extents.next() else { return Expr::new(span, ExprKind::Len(view)) };
        extents.fold(first, |lhs, rhs| {
            let (lhs, rhs, slot) = (Box::new(lhs), Box::new(rhs), self.body.slots(Slot::Binary));
            Expr::new(span, ExprKind::Binary { op: BinOp::Mul, lhs, rhs, slot, site: None })
        })
    }

    /// A method of a primitive type, called as one or through its type; `span` is where Rust says
    /// that it fails.
    fn numeric(
        &mut self,
        at: &Ident,
        span: Span,
        name: &str,
        owner: Option<SlotId>,
        args: Vec<Expr>,
    ) -> Option<ExprKind> {
        let Some(method) = methods::find(name) else {
            let message = format!("the method `{name}` is not supported in device code");
            let error = match methods::unsupported(name) {
                Some(Unsupported { why, instead, .. }) => {
                    error(Code::Method, format!("{message}: {why}")).help(*instead)
                }
                None => error(Code::Method, message)
                    .help("use a method that `anabranch::methods` lists")
                    .help("write a `#[device]` function, and call it as `f(x)`"),
            };
            self.report.on(at, error);
            return None;
        };
        let takes = method.args.len() + usize::from(!method.is_associated);
        if args.len() != takes {
            let (takes, got) = match owner {
                Some(_) => (takes, args.len()),
                None => (method.args.len(), args.len() - 1),
            };
            let takes = arguments(takes);
            self.report.on(at, error(Code::Method, format!("`{name}` takes {takes}, but got {got}")));
            return None;
        }
        let site = self.site(method, span);
        Some(ExprKind::Call { callee: Callee::Number { method, owner, site }, args })
    }

    /// The name of the view that an expression is.
    pub(super) fn view_name<'e>(&self, expr: &'e syn::Expr) -> Option<&'e Ident> {
        single_ident(expr)
            .filter(|name| self.local(name).is_none() && matches!(self.host(name), Some(HostName::View { .. })))
    }

    /// `x` of `*x`, if it is a slice or grid: it has the elements, the parts and the length that
    /// the reference has.
    pub(super) fn through<'e>(&self, expr: &'e syn::Expr) -> &'e syn::Expr {
        let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr: inner, .. }) = strip(expr) else {
            return expr;
        };
        let local = single_ident(inner).and_then(|name| self.local(name));
        let is_slice = local.is_some_and(|at| matches!(self.body[at].kind, LocalKind::Slice(_) | LocalKind::Grid(..)));
        if is_slice || self.view_name(inner).is_some() { inner } else { expr }
    }

    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Expr {
        if let Some(refused) = self.atomic_by_path(call) {
            return refused;
        }
        if let Some(called) = self.call_of_closure(call).or_else(|| self.call_of_parameter(call)) {
            return called;
        }
        let span = call.func.span();
        if let syn::Expr::Path(function) = strip(&call.func)
            && function.path.segments.last().is_some_and(|last| last.ident == "par")
            && function.path.get_ident().is_none_or(|name| self.local(name).is_none())
        {
            return self.unsupported(call, self.nested_par());
        }
        let args: Vec<Expr> = call.args.iter().map(|a| self.argument(a)).collect();
        let syn::Expr::Path(function) = strip(&call.func) else {
            return self.unsupported(
                &call.func,
                error(Code::Call, "only `#[device]` functions can be called in device code")
                    .help("call a `#[device]` function by its name"),
            );
        };
        let path = &function.path;
        let Some(last) = path.segments.last() else { return self.refused(span) };
        if let Some(owner) = self.owner(function) {
            // A method of a type parameter may be that of a user's trait, whatever its name.
            let method = methods::find(&names::plain(&last.ident)).filter(|method| !method.is_associated);
            let of_parameter = self.is_type_param(&owner);
            if is_std(&names::plain(&last.ident)) && !(of_parameter && method.is_some()) {
                return self.associated(function, owner, &last.ident, args);
            }
            // Of a trait.
            let (slot, site) = (self.body.slots(Slot::Function), method.and_then(|known| self.site(known, span)));
            let callee = Callee::Associated { path: function.clone(), name: last.ident.clone(), slot, site };
            return Expr::new(span, ExprKind::Call { callee, args });
        }
        if path.get_ident().is_some_and(|name| self.is_refused(name)) {
            return self.refused(span);
        }
        if let Some(name) = path.get_ident().filter(|name| ["self", "super", "crate"].iter().any(|word| name == word)) {
            let error = error(Code::Call, format!("`{name}` is no function"));
            return self.unsupported(name, error.help("call a `#[device]` function by its name"));
        }
        if let Some(name) = path.get_ident().filter(|name| self.local(name).is_some()) {
            let error =
                error(Code::Closure, format!("`{name}` is a variable, and device code has no pointers to functions"))
                    .help("choose between calls: `if double { twice(x) } else { once(x) }`")
                    .help("or bind a closure: `let f = |v| 2.0 * v;`");
            return self.unsupported(name, error);
        }
        if let Some(name) = path.get_ident().filter(|name| self.host(name).is_some()) {
            let error = error(Code::Closure, format!("device code cannot call the host value `{name}`"));
            return self.unsupported(name, super::types::closure_of_caller(error, &name.to_string()));
        }
        if names::plain(&last.ident).starts_with(char::is_uppercase) {
            let path = super::struct_path(&None, path);
            let member = |at: usize| syn::Member::Unnamed(syn::Index { index: at as u32, span: call.args[at].span() });
            let fields = args.into_iter().enumerate().map(|(at, value)| (member(at), value)).collect();
            return Expr::new(
                span,
                ExprKind::Struct { path, fields, base: None, called: true, slot: self.body.slots(Slot::Variant) },
            );
        }
        if function.qself.is_none()
            && let Some(owner) = path.segments.iter().rev().nth(1)
            && super::types::FOREIGN.iter().any(|name| owner.ident == name)
        {
            return self.unsupported(
                function,
                error(Code::Call, format!("`{}` cannot be called in device code", super::text(path)))
                    .help("call a `#[device]` function")
                    .help("use values: device code has no types that allocate memory"),
            );
        }
        // By convention types begin with an upper-case letter, but for those of the crate `half`.
        // `<t>::f` is a function of any type.
        let owner = path.segments.iter().rev().nth(1).map(|owner| names::plain(&owner.ident));
        let of_half = owner.is_some_and(|owner| matches!(owner.as_str(), "f16" | "bf16"));
        let in_type = of_half || path.segments.iter().any(|s| names::plain(&s.ident).starts_with(char::is_uppercase));
        if function.qself.is_some() || in_type {
            if let Some(reserved) = reserved(&last.ident) {
                return self.unsupported(&last.ident, reserved);
            }
            let of_self = path.segments.len() == 2 && path.segments[0].ident == "Self";
            if of_self && self.is_own(&last.ident) {
                return self.calls_itself(function, &last.ident);
            }
            let slot = self.body.slots(Slot::Function);
            let site = methods::find(&names::plain(&last.ident)).and_then(|known| self.site(known, span));
            let callee = Callee::Associated { path: function.clone(), name: last.ident.clone(), slot, site };
            return Expr::new(span, ExprKind::Call { callee, args });
        }
        if !self.in_impl && self.is_own(&last.ident) && path.segments.iter().rev().skip(1).all(|s| s.ident == "self") {
            return self.calls_itself(function, &last.ident);
        }
        self.body.counts_like_cuda |= habits::counts(function);
        let slot = self.body.slots(Slot::Function);
        let hides = path.leading_colon.is_none() && path.segments.len() == 1 && self.is_variable(&last.ident);
        let callee = Callee::Function { path: function.clone(), slot, hides, parens: call.paren_token.span.join() };
        Expr::new(span, ExprKind::Call { callee, args })
    }

    fn calls_itself(&mut self, tokens: &(impl quote::ToTokens + Spanned), name: &Ident) -> Expr {
        let calls_itself = error(Code::Recursion, format!("the device function `{name}` calls itself")).help(
            "write a loop, if need be with a stack: `let mut stack = [0; 32]; let mut len = 1; while len > 0 { … }`",
        );
        self.report.once(tokens, calls_itself);
        self.refused(tokens.span())
    }

    /// Whether a function has the name of the one whose body this is.
    fn is_own(&self, name: &Ident) -> bool {
        matches!(self.context, Context::Device(own) if own == name && !self.of_trait)
    }

    /// An argument of a method.
    fn argument_of(&mut self, method: &str, expr: &syn::Expr) -> Expr {
        match strip(expr) {
            syn::Expr::Closure(closure) => self.closure_value(closure, methods::BY_REFERENCE.contains(&method)),
            _ => self.argument(expr),
        }
    }

    /// An argument of a function: a value, or a reference, whose spelling is the effect.
    pub(super) fn argument(&mut self, expr: &syn::Expr) -> Expr {
        if let syn::Expr::Closure(closure) = strip(expr) {
            return self.closure_value(closure, false);
        }
        if let Some(closure) = self.passed_closure(expr) {
            return closure;
        }
        let syn::Expr::Reference(reference) = strip(expr) else {
            if let Some(name) = self.view_name(expr).cloned() {
                return self.whole_view(&name);
            }
            // A reference that is passed on.
            let reference = self.reference_in(expr).filter(|(_, left)| *left > 0).map(|(local, _)| local);
            let local = reference.or_else(|| self.local(single_ident(expr)?));
            return match local.filter(|local| self.body[*local].kind != LocalKind::Value) {
                Some(local) => Expr::new(expr.span(), ExprKind::Local(local)),
                None => self.expr(expr, Want::Value),
            };
        };
        let borrow = match (&reference.mutability, self.is_atomic(&reference.expr)) {
            (Some(token), true) => {
                return self.unsupported(token, super::types::atomic_by_mut());
            }
            (Some(_), false) => Borrow::Unique,
            (None, true) => Borrow::Atomic,
            (None, false) => Borrow::Shared,
        };
        let (mutable, access) = (borrow == Borrow::Unique, borrow.access());
        let span = reference.and_token.span;
        let place = match strip(&reference.expr) {
            syn::Expr::Index(index) if matches!(strip(&index.index), syn::Expr::Range(_)) => self.range(index, access),
            inner => {
                let inner = self.through(inner);
                match self.view_name(inner).cloned() {
                    Some(name) => self.view(&name, access),
                    // `&mut` of a value would refer to a copy that is never read.
                    None if mutable => self.place(inner),
                    None if borrow == Borrow::Atomic => self.cell(inner),
                    None if is_place(inner) => self.read_place(inner),
                    None => self.expr(inner, Want::Value),
                }
            }
        };
        Expr::new(span, ExprKind::Reference { borrow, place: Box::new(place) })
    }

    /// `f(x)` with a slice of the kernel, which is a reference itself. For a writable slice it
    /// would not show whether the call writes it.
    fn whole_view(&mut self, name: &Ident) -> Expr {
        let span = name.span();
        let Some(HostName::View { view: ViewType { borrow, .. }, .. }) = self.host(name) else {
            return self.refused(span);
        };
        if borrow == Borrow::Unique {
            return self.unsupported(
                name,
                error(Code::SliceArgument, format!("the slice `{name}` is passed without `&` or `&mut`"))
                    .help(format!("to read it, write `&{name}`"))
                    .help(format!("to write it, write `&mut {name}`")),
            );
        }
        Expr::new(span, ExprKind::Reference { borrow, place: Box::new(self.view(name, borrow.access())) })
    }

    /// A whole slice of the kernel, as the operand of `&`.
    fn view(&mut self, name: &Ident, access: Access) -> Expr {
        match self.capture_view(name, access) {
            Some(view) => Expr::new(name.span(), ExprKind::View { view }),
            None => self.refused(name.span()),
        }
    }

    /// `base[a..b]`.
    pub(super) fn range(&mut self, index: &syn::ExprIndex, access: Access) -> Expr {
        let (span, of) = (index.expr.span(), self.through(&index.expr));
        let base = match self.view_name(of).cloned() {
            Some(name) => self.view(&name, access),
            None => match strip(of) {
                syn::Expr::Index(inner) if matches!(strip(&inner.index), syn::Expr::Range(_)) => {
                    self.range(inner, access)
                }
                _ if access == Access::Write => self.place(of),
                _ if self.is_shared_atomic(of) => self.cell(of),
                _ => self.read_place(of),
            },
        };
        let syn::Expr::Range(range) = strip(&index.index) else { return self.refused(span) };
        let mut end = |end: &Option<Box<syn::Expr>>| end.as_ref().map(|e| Box::new(self.expr(e, Want::Value)));
        let (start, stop) = (end(&range.start), end(&range.end));
        let site = self.body.sites(Site { span, check: Check::Range, text: super::text(index) });
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        Expr::new(span, ExprKind::Range { base: Box::new(base), start, end: stop, inclusive, site })
    }

    /// `f32::from_bits(x)`, `u64::from(x)`, `f32::max(a, b)`.
    fn associated(&mut self, function: &syn::ExprPath, ty: syn::Type, name: &Ident, args: Vec<Expr>) -> Expr {
        let span = function.span();
        let text = names::plain(name);
        if text == "from" {
            let mut args = args.into_iter();
            let (Some(arg), None) = (args.next(), args.next()) else {
                return self.unsupported(function, error(Code::Method, "`from` takes one argument"));
            };
            let args = vec![self.loaded(arg)];
            let slot = self.body.slots(Slot::WrittenInside(Box::new(ty)));
            let callee = Callee::Conversion { name: name.clone(), slot };
            return Expr::new(span, ExprKind::Call { callee, args });
        }
        let slot = self.body.slots(Slot::WrittenInside(Box::new(ty)));
        match self.numeric(name, span, &text, Some(slot), args) {
            Some(kind) => Expr::new(span, kind),
            None => self.refused(span),
        }
    }

    /// The type whose function a path names: `f32` of `f32::from_bits`, a type parameter, `T` of
    /// `<T>::from_bits`.
    fn owner(&self, function: &syn::ExprPath) -> Option<syn::Type> {
        match &function.qself {
            Some(qself) => {
                let [name] = function.path.segments.iter().collect::<Vec<_>>()[..] else { return None };
                // That of another type is `impl From` of its own.
                let is_other = names::plain(&name.ident) == "from" && !self.is_number(&qself.ty);
                (qself.position == 0 && !is_other).then(|| (*qself.ty).clone())
            }
            None => {
                let owner = &function.path.segments.iter().rev().nth(1)?.ident;
                let parameter = function.path.segments.len() == 2 && self.type_params.contains(&owner.to_string());
                (is_primitive(owner) || parameter).then(|| syn::parse_quote!(#owner))
            }
        }
    }

    /// Whether a type is spelled as a primitive type or a type parameter.
    fn is_number(&self, ty: &syn::Type) -> bool {
        let ty = strip_type(ty);
        let primitive = |path: &syn::Path| path.segments.last().is_some_and(|last| is_primitive(&last.ident));
        self.is_type_param(ty) || matches!(ty, syn::Type::Path(of) if of.qself.is_none() && primitive(&of.path))
    }
}

/// The type in parentheses, and in the groups of macros.
fn strip_type(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(inner) => strip_type(&inner.elem),
        syn::Type::Group(inner) => strip_type(&inner.elem),
        other => other,
    }
}

pub(super) fn no_closures() -> Diagnostic {
    error(Code::Closure, "a closure in device code is the value of a variable, or an argument")
        .help("bind it to a variable: `let f = |v| 2.0 * v;`")
        .help("write it where it is passed: `f(|v| 2.0 * v)`, `x.iter().map(|v| 2.0 * v).sum()`")
}

/// The error for a name as generated code has it: rustc may have proposed it.
pub(super) fn reserved(name: &Ident) -> Option<Diagnostic> {
    let plain = names::plain(name);
    let meant = plain.strip_suffix("_in_device_code")?;
    let message = format!("names that end in `_in_device_code` are reserved for generated code: `{plain}`");
    Some(error(Code::ReservedName, message).help(format!("write `{meant}`")))
}

/// Whether numbers have a function of this name.
fn is_std(name: &str) -> bool {
    name == "from"
        || methods::find(name).is_some()
        || methods::unsupported(name).is_some_and(|of| of.of != Owner::Slice)
}

/// What to write in place of a method of std's slices.
fn of_slice(
    view: &Ident,
    method: &str,
    args: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
) -> Option<String> {
    let first = args.first().map_or_else(|| "i".to_owned(), super::text);
    Some(match method {
        "get" | "get_mut" => format!("write `if {first} < {view}.len() {{ … {view}[{first}] … }}`"),
        "first" | "first_mut" => format!("write `if !{view}.is_empty() {{ … {view}[0] … }}`"),
        "last" | "last_mut" => format!("write `if !{view}.is_empty() {{ … {view}[{view}.len() - 1] … }}`"),
        "get_unchecked" | "get_unchecked_mut" => {
            format!("write `{view}[{first}]`: most bounds are checked before the loop")
        }
        "to_vec" | "to_owned" | "clone" | "as_slice" | "as_ref" => {
            format!("remove it: write `{view}[i]` where an element is used")
        }
        _ => return None,
    })
}

/// `is_empty` or `len`.
fn length(method: &str) -> Measure {
    if method == "is_empty" { Measure::IsEmpty } else { Measure::Len }
}

/// So many arguments, in words.
pub(super) fn arguments(number: usize) -> String {
    match number {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

pub(super) fn is_place(expr: &syn::Expr) -> bool {
    match strip(expr) {
        syn::Expr::Path(path) => path.path.get_ident().is_some(),
        syn::Expr::Index(index) => is_place(&index.expr),
        syn::Expr::Field(field) => is_place(&field.base),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), .. }) => true,
        _ => false,
    }
}
