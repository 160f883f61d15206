//! Expressions of device code.

use proc_macro2::Ident;
use syn::spanned::Spanned;

use super::body::{BodyParser, Context, LoopKind, Want, is_primitive};
use super::{HostName, plain, single_ident, strip};
use crate::ir::{Access, BinOp, Check, CompareOp, Expr, ExprKind, Site, Slot, UnOp, methods};

impl BodyParser<'_> {
    pub(super) fn expr(&mut self, expr: &syn::Expr, want: Want) -> Expr {
        let span = expr.span();
        let kind = match expr {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr, want),
            syn::Expr::Group(inner) => return self.expr(&inner.expr, want),
            syn::Expr::Lit(lit) => return self.literal(&lit.lit),
            syn::Expr::Path(path) => return self.path(path),
            syn::Expr::Index(index) => return self.index(index, Access::Read),
            syn::Expr::Unary(unary) => return self.unary(unary),
            syn::Expr::Binary(binary) => return self.binary(binary, want),
            syn::Expr::MethodCall(call) => return self.method(call),
            syn::Expr::Call(call) => return self.call(call),
            syn::Expr::Cast(cast) => ExprKind::Cast {
                operand: Box::new(self.expr(&cast.expr, Want::Value)),
                ty: (*cast.ty).clone(),
                slot: match &*cast.ty {
                    syn::Type::Infer(_) => self.slot(),
                    ty => self.body.slots(Slot::Written(ty.clone().into())),
                },
            },
            syn::Expr::Assign(assign) => {
                if want == Want::Value {
                    return self.unsupported(expr, "an assignment has no value; write it as a statement of its own");
                }
                let value = Box::new(self.expr(&assign.right, Want::Value));
                ExprKind::Assign { place: Box::new(self.place(&assign.left)), value }
            }
            syn::Expr::Block(block) if block.label.is_none() => ExprKind::Block(self.block(&block.block, want)),
            syn::Expr::If(branch) => return self.if_else(branch, want),
            syn::Expr::While(looped) => {
                let id = self.enter_loop(looped.label.as_ref(), LoopKind::Other, Want::Nothing);
                let cond = Box::new(self.expr(&looped.cond, Want::Value));
                let body = self.block(&looped.body, Want::Nothing);
                self.leave_loop();
                ExprKind::While { id, label: looped.label.clone(), cond, body }
            }
            syn::Expr::Loop(looped) => {
                let slot = self.slot_if(want);
                let id = self.enter_loop(looped.label.as_ref(), LoopKind::Loop, want);
                let body = self.block(&looped.body, Want::Nothing);
                self.leave_loop();
                ExprKind::Loop { id, label: looped.label.clone(), body, slot }
            }
            syn::Expr::ForLoop(looped) => return self.for_loop(looped),
            syn::Expr::Break(leave) => return self.break_(leave),
            syn::Expr::Continue(next) => {
                let Some(frame) = next.label.as_ref().map_or(self.loops.last(), |l| self.label_of(l)) else {
                    return self.unsupported(expr, "`continue` outside of a loop of this body");
                };
                ExprKind::Continue { id: frame.id, label: next.label.clone() }
            }
            syn::Expr::Return(ret) => match self.context {
                Context::Par => {
                    return self.unsupported(
                        &ret.return_token,
                        "`return` cannot leave a `par` loop: its iterations run at the same time; `continue` ends this iteration",
                    );
                }
                Context::Device(_) => ExprKind::Return(ret.expr.as_ref().map(|e| Box::new(self.expr(e, Want::Value)))),
            },
            other => return self.refuse(other),
        };
        Expr { span, kind }
    }

    /// What the language does not have, each with its reason or its alternative.
    fn refuse(&mut self, expr: &syn::Expr) -> Expr {
        let message = match expr {
            syn::Expr::Closure(_) => "closures are not supported in device code; write a `#[device]` function",
            syn::Expr::Match(_) => "`match` is not supported in device code yet; use `if` and `else`",
            syn::Expr::Let(_) => "`let` in a condition is not supported in device code yet",
            syn::Expr::Try(_) => "`?` is not supported in device code, which has no `Result` or `Option`",
            syn::Expr::Async(_) | syn::Expr::Await(_) => "`async` is not supported in device code",
            syn::Expr::Tuple(_) => "tuples are not supported in device code yet; use one variable for each part",
            syn::Expr::Array(_) | syn::Expr::Repeat(_) => "arrays are not supported in device code yet",
            syn::Expr::Struct(_) | syn::Expr::Field(_) => "structs and tuples are not supported in device code yet",
            syn::Expr::Reference(_) => "references are not supported in device code; scalars are copied",
            syn::Expr::Range(_) => "a range can only stand in the head of a `for` loop in device code",
            syn::Expr::Unsafe(_) => "`unsafe` is not supported in device code yet",
            syn::Expr::Block(_) => "labelled blocks are not supported in device code yet",
            syn::Expr::Macro(mac) => {
                self.no_macro(&mac.mac);
                return self.refused(expr.span());
            }
            _ => "this expression is not supported in device code",
        };
        let span = match expr {
            syn::Expr::Match(e) => e.match_token.span,
            syn::Expr::Try(e) => e.question_token.span,
            syn::Expr::Unsafe(e) => e.unsafe_token.span,
            syn::Expr::Closure(e) => e.inputs_begin.span,
            syn::Expr::Field(e) => e.member.span(),
            syn::Expr::Reference(e) => e.and_token.span,
            _ => {
                self.report.on(expr, message);
                return self.refused(expr.span());
            }
        };
        self.report.at(span, message);
        self.refused(span)
    }

    fn slot_if(&mut self, want: Want) -> Option<crate::ir::SlotId> {
        (want == Want::Value).then(|| self.slot())
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
                return self.unsupported(
                    other,
                    "only numbers and `bool` are supported in device code, no text and no characters",
                );
            }
        };
        Expr { span, kind }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Expr {
        let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) else {
            return self.unsupported(
                path,
                format!(
                    "constants and paths are not supported in device code yet; bind it in the host part, above the loop: `let value = {};`",
                    super::text(path)
                ),
            );
        };
        if let Some(local) = self.local(name) {
            return Expr { span: name.span(), kind: ExprKind::Local(local) };
        }
        match self.host(name) {
            Some(HostName::Value) => {
                Expr { span: name.span(), kind: ExprKind::Captured(self.capture_value(name)) }
            }
            Some(HostName::View { .. }) => self.unsupported(
                path,
                format!("the slice `{name}` can only be indexed (`{name}[i]`) or asked for its `{name}.len()` in device code"),
            ),
            None if self.context == Context::Par => self.unsupported(
                path,
                format!("`{name}` is neither a variable of this loop nor a value of the host part; constants are not supported in device code yet: bind it above the loop, `let value = {name};`"),
            ),
            None => self.unsupported(
                path,
                format!("`{name}` is neither a parameter nor a variable of this function; constants are not supported in device code yet: pass it as a parameter"),
            ),
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Expr {
        let op = match unary.op {
            syn::UnOp::Neg(_) => UnOp::Neg,
            syn::UnOp::Not(_) => UnOp::Not,
            _ => return self.unsupported(unary, "references are not supported in device code; scalars are copied"),
        };
        let operand = Box::new(self.expr(&unary.expr, Want::Value));
        Expr { span: unary.op.span(), kind: ExprKind::Unary { op, operand, slot: self.slot() } }
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
            _ => return self.unsupported(&binary.op, "this operator is not supported in device code"),
        };
        let check = match op {
            BinOp::Div => Some(Check::Div),
            BinOp::Rem => Some(Check::Rem),
            _ => None,
        };
        if assigns {
            if want == Want::Value {
                return self.unsupported(binary, "an assignment has no value; write it as a statement of its own");
            }
            let value = Box::new(self.expr(&binary.right, Want::Value));
            let place = Box::new(self.place(&binary.left));
            let site = check.map(|check| self.body.sites(Site { span, check }));
            return Expr { span, kind: ExprKind::AssignOp { op, place, value, slot: self.slot(), site } };
        }
        let lhs = Box::new(self.expr(&binary.left, Want::Value));
        let rhs = Box::new(self.expr(&binary.right, Want::Value));
        let site = check.map(|check| self.body.sites(Site { span, check }));
        Expr { span, kind: ExprKind::Binary { op, lhs, rhs, slot: self.slot(), site } }
    }

    fn compare(&mut self, binary: &syn::ExprBinary, op: CompareOp) -> Expr {
        let lhs = Box::new(self.expr(&binary.left, Want::Value));
        let rhs = Box::new(self.expr(&binary.right, Want::Value));
        Expr { span: binary.op.span(), kind: ExprKind::Compare { op, lhs, rhs } }
    }

    fn logic(&mut self, binary: &syn::ExprBinary, and: bool) -> Expr {
        let lhs = Box::new(self.expr(&binary.left, Want::Value));
        let rhs = Box::new(self.expr(&binary.right, Want::Value));
        Expr { span: binary.op.span(), kind: ExprKind::Logic { and, lhs, rhs } }
    }

    fn method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.method.span();
        let name = plain(&call.method);
        if let Some(view) = self.view_name(&call.receiver) {
            let capture = self.capture_view(view, Access::Shape);
            return match (capture, name.as_str(), call.args.len()) {
                (Some(capture), "len", 0) => Expr { span, kind: ExprKind::Len(capture) },
                (Some(capture), "is_empty", 0) => {
                    let usize_slot = self.body.slots(Slot::Written(Box::new(syn::parse_quote!(usize))));
                    let zero = ExprKind::Int {
                        token: proc_macro2::Literal::usize_suffixed(0),
                        digits: "0".to_owned(),
                        slot: usize_slot,
                    };
                    let lhs = Box::new(Expr { span, kind: ExprKind::Len(capture) });
                    let rhs = Box::new(Expr { span, kind: zero });
                    Expr { span, kind: ExprKind::Compare { op: CompareOp::Eq, lhs, rhs } }
                }
                _ => self.unsupported(
                    &call.method,
                    format!("slices have `len()` and `is_empty()` in device code, but not `{name}()`"),
                ),
            };
        }
        let mut args = vec![self.expr(&call.receiver, Want::Value)];
        args.extend(call.args.iter().map(|a| self.expr(a, Want::Value)));
        let Some(method) = methods::find(&name) else {
            return self.unsupported(
                &call.method,
                format!("the method `{name}` is not supported in device code; the numeric methods of std are listed at `#[kernel]`"),
            );
        };
        if let Some(turbofish) = &call.turbofish {
            return self.unsupported(turbofish, "type arguments are not supported in device code yet");
        }
        if call.args.len() != method.args {
            let takes = match method.args {
                0 => "no arguments".to_owned(),
                1 => "one argument".to_owned(),
                n => format!("{n} arguments"),
            };
            return self.unsupported(&call.method, format!("`{name}` takes {takes}, but got {}", call.args.len()));
        }
        let site = method.check.clone().map(|check| self.body.sites(Site { span, check }));
        Expr { span, kind: ExprKind::Method { method, args, site } }
    }

    /// The name of the view that an expression is.
    fn view_name<'e>(&self, expr: &'e syn::Expr) -> Option<&'e Ident> {
        single_ident(expr)
            .filter(|name| self.local(name).is_none() && matches!(self.host(name), Some(HostName::View { .. })))
    }

    fn call(&mut self, call: &syn::ExprCall) -> Expr {
        let span = call.func.span();
        let args: Vec<Expr> = call.args.iter().map(|a| self.expr(a, Want::Value)).collect();
        let syn::Expr::Path(function) = strip(&call.func) else {
            return self.unsupported(&call.func, "only `#[device]` functions can be called in device code");
        };
        let path = &function.path;
        let Some(last) = path.segments.last() else { return self.refused(span) };
        if path.segments.iter().any(|s| !s.arguments.is_none()) {
            return self.unsupported(function, "type arguments are not supported in device code yet");
        }
        if let Some(owner) = owner(function) {
            return self.associated(function, owner, &last.ident, args);
        }
        if let Some(qself) = &function.qself {
            return self.unsupported(&qself.ty, "trait functions are not supported in device code");
        }
        if path.get_ident().is_some_and(|name| self.is_refused(name)) {
            return self.refused(span);
        }
        if path.get_ident().is_some_and(|name| self.local(name).is_some() || self.host(name).is_some()) {
            return self.unsupported(
                function,
                "closures and function pointers are not supported in device code; write a `#[device]` function",
            );
        }
        if plain(&last.ident) == "par" {
            return self.unsupported(function, "`par` can only stand in the head of a `for` loop of the host part");
        }
        if path.segments.iter().any(|s| plain(&s.ident).starts_with(char::is_uppercase)) {
            return self.unsupported(
                function,
                "only `#[device]` functions can be called in device code; it has scalars, but no structs, enums or heap types",
            );
        }
        if let (Context::Device(own), Some(name)) = (self.context, path.get_ident())
            && name == own
        {
            return self.unsupported(function, "device functions cannot be recursive; write a loop");
        }
        let slot = self.body.slots(Slot::Function);
        Expr { span, kind: ExprKind::Call { path: path.clone(), args, slot } }
    }

    /// `f32::from_bits(x)`, `u64::from(x)`.
    fn associated(&mut self, function: &syn::ExprPath, owner: syn::Type, name: &Ident, args: Vec<Expr>) -> Expr {
        let mut args = args.into_iter();
        match (plain(name).as_str(), args.next(), args.next()) {
            ("from" | "from_bits", Some(arg), None) => {
                let slot = self.body.slots(Slot::Written(Box::new(owner.clone())));
                let kind = ExprKind::Associated { ty: owner, name: name.clone(), arg: Box::new(arg), slot };
                Expr { span: function.span(), kind }
            }
            (name, _, _) if methods::find(name).is_some() => {
                self.unsupported(function, format!("write it as a method: `value.{name}(…)`"))
            }
            _ => self.unsupported(function, format!("`{}` is not supported in device code", super::text(function))),
        }
    }

    fn if_else(&mut self, branch: &syn::ExprIf, want: Want) -> Expr {
        let slot = self.slot_if(want);
        let cond = Box::new(self.expr(&branch.cond, Want::Value));
        let then = self.block(&branch.then_branch, want);
        if let (None, Want::Value) = (&branch.else_branch, want) {
            return self.unsupported(&branch.if_token, "an `if` whose value is used needs an `else`");
        }
        let otherwise = branch.else_branch.as_ref().map(|(_, e)| Box::new(self.expr(e, want)));
        Expr { span: branch.if_token.span, kind: ExprKind::If { cond, then, otherwise, slot } }
    }

    fn for_loop(&mut self, looped: &syn::ExprForLoop) -> Expr {
        let span = looped.for_token.span;
        if super::par::is_par(&looped.expr) {
            return self.unsupported(
                &looped.expr,
                match self.context {
                    Context::Par => "`par` loops do not nest; use one loop over several ranges, `for (y, x) in par((0..h, 0..w))`, or a plain `for` inside",
                    Context::Device(_) => "`par` loops stand in the host part of a kernel, and a device function is called by one iteration of them; use a plain `for` here",
                },
            );
        }
        let range = match strip(&looped.expr) {
            syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) => {
                Some((start, end, matches!(limits, syn::RangeLimits::Closed(_))))
            }
            other => {
                self.report.on(
                    other,
                    "a `for` loop of device code runs over a range, `a..b` or `a..=b`; `.rev()`, `.step_by()` and iterators are not supported yet: use `while`",
                );
                None
            }
        };
        let name = match &*looped.pat {
            syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => ident.clone(),
            syn::Pat::Wild(wild) => Ident::new("__unused", wild.underscore_token.span),
            other => {
                self.report.on(other, "the variable of a `for` loop of device code is one name");
                return self.refused(span);
            }
        };
        let Some((start, end, inclusive)) = range else { return self.refused(span) };
        let start = Box::new(self.expr(start, Want::Value));
        let end = Box::new(self.expr(end, Want::Value));
        let id = self.enter_loop(looped.label.as_ref(), LoopKind::Other, Want::Nothing);
        let mut var = None;
        let body = self.scoped(|this| {
            var = Some(this.bind(&name, false, Slot::Inferred));
            this.block(&looped.body, Want::Nothing)
        });
        self.leave_loop();
        let Some(var) = var else { return self.refused(span) };
        Expr { span, kind: ExprKind::For { id, label: looped.label.clone(), var, start, end, inclusive, body } }
    }

    fn break_(&mut self, leave: &syn::ExprBreak) -> Expr {
        let span = leave.break_token.span;
        let Some(frame) = leave.label.as_ref().map_or(self.loops.last(), |l| self.label_of(l)) else {
            return self.unsupported(leave, "`break` outside of a loop of this body");
        };
        let (id, kind, want) = (frame.id, frame.kind, frame.want);
        if kind == LoopKind::Par {
            return self.unsupported(
                &leave.break_token,
                "`break` cannot leave a `par` loop: its iterations run at the same time; `continue` ends this iteration",
            );
        }
        let value = leave.expr.as_ref().map(|e| Box::new(self.expr(e, Want::Value)));
        if value.is_some() && want == Want::Nothing {
            return self.unsupported(&leave.expr, "nobody uses the value of this loop; `break` without a value");
        }
        Expr { span, kind: ExprKind::Break { id, label: leave.label.clone(), value } }
    }
}

/// The primitive type whose function a path names: `f32` of `f32::from_bits`, `T` of `<T>::from_bits`.
fn owner(function: &syn::ExprPath) -> Option<syn::Type> {
    match &function.qself {
        Some(qself) => (qself.position == 0 && function.path.segments.len() == 1).then(|| (*qself.ty).clone()),
        None => {
            let owner = &function.path.segments.iter().rev().nth(1)?.ident;
            is_primitive(owner).then(|| syn::parse_quote!(#owner))
        }
    }
}
