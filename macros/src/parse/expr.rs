//! Expressions of device code.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;

use super::body::{BodyParser, Context, Leaves, Want};
use super::{HostName, ViewType, strip, struct_of_slices};
use crate::habits;
use crate::ir::{
    Access, AssignOp, BinOp, Block, Borrow, Check, CompareOp, Expr, ExprKind, Flow, LocalId, LocalKind, Pat, PatKind,
    Site, Slot, SlotId, Stmt, UnOp,
};
use crate::report::{Code, Diagnostic, error};

impl BodyParser<'_> {
    pub(super) fn expr(&mut self, expr: &syn::Expr, want: Want) -> Expr {
        if want != Want::Reference
            && let Some(number) = self.known_number(expr)
        {
            return number;
        }
        let span = expr.span();
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr, want),
            syn::Expr::Group(inner) => return self.expr(&inner.expr, want),
            syn::Expr::Block(_)
            | syn::Expr::If(_)
            | syn::Expr::Match(_)
            | syn::Expr::Unsafe(_)
            | syn::Expr::Return(_)
            | syn::Expr::Macro(_) => return self.flow_or_macro(expr, want),
            _ if want == Want::Reference => return self.projection(expr),
            syn::Expr::Lit(lit) => return self.literal(&lit.lit),
            syn::Expr::Path(path) => return self.path(path),
            syn::Expr::Index(index) => return self.extent_or_element(index),
            syn::Expr::Field(field) => return self.field(field, Access::Read),
            syn::Expr::Tuple(tuple) => {
                let elems = tuple.elems.iter().map(|e| self.expr(e, Want::Value)).collect();
                ExprKind::Tuple { elems, slot: self.slot() }
            }
            syn::Expr::Array(array) => {
                let elems = array.elems.iter().map(|e| self.expr(e, Want::Value)).collect();
                ExprKind::Array { elems, slot: self.slot() }
            }
            syn::Expr::Struct(of) => {
                let path = super::struct_path(&of.qself, &of.path);
                let fields = of.fields.iter().map(|f| (f.member.clone(), self.expr(&f.expr, Want::Value))).collect();
                let base = of.rest.as_ref().map(|base| Box::new(self.read_place(base)));
                ExprKind::Struct { path, fields, base, called: false, slot: self.body.slots(Slot::Variant) }
            }
            syn::Expr::Repeat(repeat) => {
                let value = Box::new(self.expr(&repeat.expr, Want::Value));
                ExprKind::Repeat { value, len: self.length(&repeat.len), slot: self.slot() }
            }
            syn::Expr::Unary(unary) => return self.unary(unary),
            syn::Expr::Binary(binary) => return self.binary(binary, want),
            syn::Expr::MethodCall(call) => match self.block_method(call) {
                Some(value) => return value,
                None if want == Want::Nothing => return self.method_statement(call),
                None => return self.method(call),
            },
            syn::Expr::Call(call) => return self.call(call),
            syn::Expr::Cast(cast) if self.is_type_param(&cast.ty) => {
                return self.unsupported(
                    &cast.ty,
                    error(Code::CastToParameter, "`as` cannot convert to a type parameter").help("write `x.cast()`"),
                );
            }
            syn::Expr::Cast(cast) if super::types::device_value(&cast.ty, self.report).is_none() => {
                return self.refused(span);
            }
            syn::Expr::Cast(cast) => {
                let operand = self.expr(&cast.expr, Want::Value);
                let operand = Box::new(self.loaded(operand));
                ExprKind::Cast { operand, ty: Some(cast.ty.clone()), slot: self.slot() }
            }
            syn::Expr::Assign(assign) => {
                if want == Want::Value {
                    return self.unsupported(expr, assignment_as_value());
                }
                if matches!(strip(&assign.left), syn::Expr::Infer(_)) {
                    let (init, pat) = (self.expr(&assign.right, Want::Value), Pat { span, kind: PatKind::Wild });
                    let stmts = vec![Stmt::Let { pat, ty: None, init, otherwise: None }];
                    return Expr::flow(span, None, Flow::Block(Block { stmts, value: None }));
                }
                if matches!(
                    strip(&assign.left),
                    syn::Expr::Tuple(_) | syn::Expr::Array(_) | syn::Expr::Struct(_) | syn::Expr::Call(_)
                ) {
                    return self.destructure(assign);
                }
                if let (syn::Expr::Reference(_), Some(name)) = (strip(&assign.right), super::single_ident(&assign.left))
                    && let Some(local) = self.local(name)
                    && !matches!(self.body[local].kind, LocalKind::Value | LocalKind::Closure)
                {
                    let message = format!("the reference `{name}` cannot be replaced by another one in device code");
                    let help = format!(
                        "bind the other one to a variable of its own: `let other = {};`",
                        super::text(&assign.right)
                    );
                    return self.unsupported(&assign.eq_token, error(Code::Reference, message).help(help));
                }
                let value = Box::new(self.expr(&assign.right, Want::Value));
                let kind = ExprKind::Assign { place: Box::new(self.place(&assign.left)), value, op: None };
                return self.hoisted(Expr::new(span, kind));
            }
            other => return self.control(other, want),
        };
        Expr::new(span, kind)
    }

    fn flow_or_macro(&mut self, expr: &syn::Expr, want: Want) -> Expr {
        match expr {
            syn::Expr::Macro(mac) => self.macro_call(&mac.mac),
            flow => self.control(flow, want),
        }
    }

    pub(super) fn is_type_param(&self, ty: &syn::Type) -> bool {
        matches!(ty, syn::Type::Path(ty) if ty.path.get_ident().is_some_and(|name| self.type_params.contains(&name.to_string())))
    }

    /// What the language does not have, each with its reason or its alternative.
    pub(super) fn refuse(&mut self, expr: &syn::Expr) -> Expr {
        let (span, diagnostic) = match expr {
            syn::Expr::Closure(e) => (e.inputs_begin.span, super::call::no_closures()),
            syn::Expr::Let(e) => (
                e.let_token.span,
                error(Code::LetChain, "in device code, `let` is a condition of an `if` or `while`, alone or between `&&`")
                    .help("in a guard, write `matches!(…)`, or a `match` in the arm"),
            ),
            syn::Expr::Try(e) if self.leaves == Leaves::Nothing => (
                e.question_token.span,
                error(Code::QuestionMark, "`?` in the closure of an iterator is not supported in device code")
                    .help("write a `for` loop"),
            ),
            syn::Expr::Try(e) if let Context::Device(own) = self.context => (
                e.question_token.span,
                error(Code::QuestionMark, format!("`?` leaves `{own}`, which returns nothing"))
                    .help(format!("return an `Option` or a `Result`: `fn {own}(…) -> Option<f32>`")),
            ),
            syn::Expr::Try(e) => (
                e.question_token.span,
                error(Code::QuestionMark, "`?` cannot leave a `par` loop: its iterations run in parallel")
                    .help("to end this iteration, write `let Some(x) = … else { continue };`")
                    .help("move what uses `?` to a `#[device]` function that returns an `Option` or `Result`"),
            ),
            syn::Expr::Async(_) | syn::Expr::Await(_) => {
                (expr.span(), error(Code::Async, "`async` is not supported in device code"))
            }
            syn::Expr::Reference(e) if self.is_atomic(&e.expr) => (
                e.and_token.span,
                error(Code::AtomicUse, "a reference to atomics cannot be used as a value in device code")
                    .help("call the operation on the element: `x[i].fetch_add(1, Relaxed)`")
                    .help("pass the reference to a `#[device]` function: `f(&x[i])`, `f(&x[a..b])`"),
            ),
            syn::Expr::Const(e) => (
                e.const_token.span,
                error(Code::Unsupported, "`const { … }` is not supported in device code")
                    .help("name the value: `const LIMIT: u32 = …;`")
                    .help("atomics are in arrays that the threads of a block share: `block.shared([const { AtomicU32::new(0) }; 256])`"),
            ),
            syn::Expr::Reference(e) => (
                e.and_token.span,
                error(Code::Reference, "a reference cannot be used as a value in device code")
                    .help("write the value without `&`: it is copied")
                    .help("pass it to a `#[device]` function: `f(&x[a..b])`")
                    .help("bind it to a variable: `let row = &x[a..b];`"),
            ),
            syn::Expr::Range(_) => (
                expr.span(),
                error(Code::Range, "a range cannot be used as a value in device code")
                    .help("use it in a loop: `for i in a..b`")
                    .help("use it to take a part of a slice: `f(&x[a..b])`, `let row = &x[a..b];`"),
            ),
            _ => {
                self.report.on(expr, error(Code::Unsupported, "this expression is not supported in device code"));
                return self.refused(expr.span());
            }
        };
        self.report.at(span, diagnostic);
        self.refused(span)
    }

    fn literal(&mut self, lit: &syn::Lit) -> Expr {
        let span = lit.span();
        let kind = match lit {
            syn::Lit::Int(int) => {
                ExprKind::Int { token: int.token(), digits: int.base10_digits().to_owned(), slot: self.slot() }
            }
            syn::Lit::Byte(byte) => {
                ExprKind::Int { token: byte.token(), digits: byte.value().to_string(), slot: self.slot() }
            }
            syn::Lit::Float(float) => {
                ExprKind::Float { token: float.token(), digits: float.base10_digits().to_owned(), slot: self.slot() }
            }
            syn::Lit::Bool(b) => ExprKind::Bool(b.value),
            other => {
                return self.unsupported(other, no_text());
            }
        };
        Expr::new(span, kind)
    }

    fn path(&mut self, path: &syn::ExprPath) -> Expr {
        let span = path.span();
        let name = path.path.get_ident().filter(|_| path.qself.is_none());
        if let Some(name) = name {
            if self.is_refused(name) {
                return self.refused(span);
            }
            if self.is_team(&syn::Expr::Path(path.clone())) {
                let error = error(Code::BlockValue, format!("`{name}` is a block, and not a value"));
                return self.unsupported(path, error.help(format!("its index is `{name}.index()`")));
            }
            if let Some(local) = self.local(name) {
                return match self.body[local].kind {
                    LocalKind::Value if self.body[local].atomics > 0 => self.not_an_array(path, Access::Read),
                    LocalKind::Value => self.use_of(local, span),
                    LocalKind::Closure => self.a_closure(path, name),
                    LocalKind::Reference(Borrow::Atomic) => self.not_atomic(path, Access::Read),
                    LocalKind::Reference(_) => self.unsupported(path, self.a_reference(local, path)),
                    LocalKind::Slice(_) => self.a_whole_slice(path, name, ViewType { borrow: Borrow::Shared, dims: 0 }),
                    LocalKind::Grid(borrow, dims) => self.a_whole_slice(path, name, ViewType { borrow, dims }),
                };
            }
            match self.host(name) {
                Some(HostName::Value) => return Expr::new(span, ExprKind::Captured(self.capture_value(name))),
                Some(HostName::View { view, .. }) => return self.a_whole_slice(path, name, view),
                Some(HostName::Slices(_)) => return self.unsupported(path, struct_of_slices(name)),
                Some(HostName::Closure(_)) => return self.a_closure(path, name),
                None => {}
            }
        }
        // Whatever else it may be: rustc finds out, and has good words where there is nothing of
        // this name.
        self.body.counts_like_cuda |= habits::counts(path);
        let slot = self.body.slots(Slot::Constant);
        Expr::new(span, ExprKind::Constant { path: path.clone(), slot, scope: self.scope_of(path) })
    }

    /// The error for a reference where a value is needed.
    pub(super) fn a_reference(&self, local: LocalId, expr: &impl ToTokens) -> Diagnostic {
        let stars = "*".repeat(self.deep.get(&local).copied().unwrap_or(1));
        error(Code::Dereference, format!("the reference `{}` cannot be used as a value", super::text(expr)))
            .help(format!("to use its value, write `{stars}{}`", self.body[local].name))
    }

    fn a_closure(&mut self, path: &syn::ExprPath, name: &Ident) -> Expr {
        self.unsupported(
            path,
            error(Code::Closure, format!("the closure `{name}` cannot be used as a value in device code"))
                .help(format!("call it: `{name}(…)`"))
                .help(format!("pass it to a `#[device]` function: `twice({name})`")),
        )
    }

    fn a_whole_slice(&mut self, path: &syn::ExprPath, name: &Ident, view: ViewType) -> Expr {
        let (noun, element) = (view.noun(), view.element(name));
        let size = if view.dims == 0 {
            format!("length, write `{name}.len()`")
        } else {
            format!("shape, write `{name}.shape()`")
        };
        self.unsupported(
            path,
            error(Code::WholeSlice, format!("the {noun} `{name}` cannot be used as a value in device code"))
                .help(format!("to use an element, write `{element}`"))
                .help(format!("to get the {size}"))
                .help(format!("to pass the {noun} to a `#[device]` function, write `f(&{name})`")),
        )
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Expr {
        let op = match unary.op {
            syn::UnOp::Neg(_) => UnOp::Neg,
            syn::UnOp::Not(_) => UnOp::Not,
            syn::UnOp::Deref(_) => return self.deref(unary, Access::Read),
            _ => {
                return self
                    .unsupported(unary, error(Code::Unsupported, "this operator is not supported in device code"));
            }
        };
        let operand = Box::new(self.number_operand(&unary.expr));
        let slot = match (op, &operand.kind) {
            // rustc knows `-128` only as a whole.
            (UnOp::Neg, ExprKind::Int { .. } | ExprKind::Float { .. }) => Slot::Inferred,
            _ => Slot::Unary,
        };
        let slot = self.body.slots(slot);
        Expr::new(unary.op.span(), ExprKind::Unary { op, operand, slot })
    }

    fn binary(&mut self, binary: &syn::ExprBinary, want: Want) -> Expr {
        use syn::BinOp as B;
        let span = binary.op.span();
        let (op, assigns) = match binary.op {
            B::Add(_) => (BinOp::Add, false),
            B::Sub(_) => (BinOp::Sub, false),
            B::Mul(_) => (BinOp::Mul, false),
            B::Div(_) => (BinOp::Div, false),
            B::Rem(_) => (BinOp::Rem, false),
            B::BitAnd(_) => (BinOp::And, false),
            B::BitOr(_) => (BinOp::Or, false),
            B::BitXor(_) => (BinOp::Xor, false),
            B::Shl(_) => (BinOp::Shl, false),
            B::Shr(_) => (BinOp::Shr, false),
            B::AddAssign(_) => (BinOp::Add, true),
            B::SubAssign(_) => (BinOp::Sub, true),
            B::MulAssign(_) => (BinOp::Mul, true),
            B::DivAssign(_) => (BinOp::Div, true),
            B::RemAssign(_) => (BinOp::Rem, true),
            B::BitAndAssign(_) => (BinOp::And, true),
            B::BitOrAssign(_) => (BinOp::Or, true),
            B::BitXorAssign(_) => (BinOp::Xor, true),
            B::ShlAssign(_) => (BinOp::Shl, true),
            B::ShrAssign(_) => (BinOp::Shr, true),
            B::Eq(_) => return self.compare(binary, CompareOp::Eq),
            B::Ne(_) => return self.compare(binary, CompareOp::Ne),
            B::Lt(_) => return self.compare(binary, CompareOp::Lt),
            B::Le(_) => return self.compare(binary, CompareOp::Le),
            B::Gt(_) => return self.compare(binary, CompareOp::Gt),
            B::Ge(_) => return self.compare(binary, CompareOp::Ge),
            B::And(_) => return self.logic(binary, true),
            B::Or(_) => return self.logic(binary, false),
            _ => {
                return self.unsupported(
                    &binary.op,
                    error(Code::Unsupported, "this operator is not supported in device code"),
                );
            }
        };
        let check = match op {
            BinOp::Div => Some(Check::Div),
            BinOp::Rem => Some(Check::Rem),
            _ => None,
        };
        if assigns {
            if want == Want::Value {
                return self.unsupported(binary, assignment_as_value());
            }
            let value = Box::new(self.number_operand(&binary.right));
            let place = Box::new(self.place(&binary.left));
            let site = check.map(|check| self.body.sites(Site { span, check, text: String::new() }));
            let slot = self.body.slots(Slot::Assign);
            let op = Some(AssignOp { op, slot, site });
            return self.hoisted(Expr::new(span, ExprKind::Assign { place, value, op }));
        }
        let lhs = Box::new(self.number_operand(&binary.left));
        let rhs = Box::new(self.number_operand(&binary.right));
        let site = check.map(|check| self.body.sites(Site { span, check, text: String::new() }));
        let slot = self.body.slots(Slot::Binary);
        Expr::new(span, ExprKind::Binary { op, lhs, rhs, slot, site })
    }

    /// An operand of arithmetic. As in Rust it can be a reference: `2.0 * v` is `2.0 * *v`.
    fn number_operand(&mut self, expr: &syn::Expr) -> Expr {
        match self.reference_to_read(expr) {
            Some((local, 1)) => dereferenced(expr.span(), local),
            _ => self.expr(expr, Want::Value),
        }
    }

    /// The variable of a reference in `v`, `*v`, `**v`, and how many references are left.
    pub(super) fn reference_in(&self, expr: &syn::Expr) -> Option<(LocalId, usize)> {
        if let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) = strip(expr) {
            let (local, left) = self.reference_in(expr)?;
            return Some((local, left.checked_sub(1)?));
        }
        let local = self.local(super::single_ident(expr)?)?;
        let is_reference = self.body[local].loose || matches!(self.body[local].kind, LocalKind::Reference(_));
        is_reference.then(|| (local, self.deep.get(&local).copied().unwrap_or(1)))
    }

    /// The same of one for reading, if one is left.
    fn reference_to_read(&self, expr: &syn::Expr) -> Option<(LocalId, usize)> {
        let (local, left) = self.reference_in(expr)?;
        let reads = self.body[local].kind == LocalKind::Reference(Borrow::Shared) || self.body[local].loose;
        (reads && left > 0).then_some((local, left))
    }

    /// How many references for reading an expression has around its value.
    fn references(&self, expr: &syn::Expr) -> usize {
        match strip(expr) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => 1 + self.references(&reference.expr),
            _ => self.reference_to_read(expr).map_or(0, |(_, left)| left),
        }
    }

    /// The value that such references refer to.
    fn referred_value(&mut self, expr: &syn::Expr) -> Expr {
        match (strip(expr), self.reference_to_read(expr)) {
            (syn::Expr::Reference(reference), _) => self.referred_value(&reference.expr),
            (_, Some((local, _))) => dereferenced(expr.span(), local),
            (_, None) => self.expr(expr, Want::Value),
        }
    }

    fn compare(&mut self, binary: &syn::ExprBinary, op: CompareOp) -> Expr {
        let span = binary.op.span();
        // References are compared with references.
        let (lhs, rhs) = match (self.references(&binary.left), self.references(&binary.right)) {
            (0, _) | (_, 0) => (self.expr(&binary.left, Want::Value), self.expr(&binary.right, Want::Value)),
            (left, right) if left == right => (self.referred_value(&binary.left), self.referred_value(&binary.right)),
            (left, right) => {
                let [one, other] = [&binary.left, &binary.right].map(|side| super::text(&**side));
                let (more, less) = if left > right { (one, other) } else { (other, one) };
                let message = format!("`{more}` is a reference to a reference, and `{less}` is not");
                let error = error(Code::Dereference, message).help(format!("write `*{more}`"));
                return self.unsupported(&binary.op, error);
            }
        };
        let (lhs, rhs, slot) = (Box::new(lhs), Box::new(rhs), self.comparison(op));
        Expr::new(span, ExprKind::Compare { op, lhs, rhs, slot })
    }

    /// The slot of a comparison.
    pub(super) fn comparison(&mut self, op: CompareOp) -> SlotId {
        self.body.slots(match op {
            CompareOp::Eq | CompareOp::Ne => Slot::Binary,
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => Slot::Order,
        })
    }

    fn logic(&mut self, binary: &syn::ExprBinary, and: bool) -> Expr {
        let lhs = Box::new(self.expr(&binary.left, Want::Value));
        let rhs = Box::new(self.expr(&binary.right, Want::Value));
        Expr::new(binary.op.span(), ExprKind::Logic { and, lhs, rhs })
    }
}

/// `*reference`
fn dereferenced(span: Span, local: LocalId) -> Expr {
    Expr::new(span, ExprKind::Deref(Box::new(Expr::new(span, ExprKind::Local(local)))))
}

fn assignment_as_value() -> Diagnostic {
    error(Code::AssignmentValue, "an assignment has no value").help("move it to a statement of its own")
}

pub(super) fn no_text() -> Diagnostic {
    error(Code::Text, "text and characters are not supported in device code")
        .help("use numbers: the byte `b'a'` is a `u8`")
}
