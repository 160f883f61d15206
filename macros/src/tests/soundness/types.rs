//! The types that rustc would infer: what stands in each slot of a body. In generated programs
//! every literal has a type.

use std::collections::BTreeMap;

use anabranch_core::scalar::IntType;
use anabranch_programs::dress::Number;
use anabranch_programs::types::Scalar;
use proc_macro2::Span;

use crate::ir::{
    AssignOp, Block, Body, Callee, CaptureKind, Expr, ExprKind, LocalId, Measure, ParLoop, Part, PatKind, Shape,
    SlotId, Stmt,
};

/// By slots: the types, `None` if it is none of integers, and the values of constants. `constant`
/// is the one that stands at a place.
pub(super) fn of(
    par_loop: &ParLoop,
    vars: &[Scalar],
    value: &dyn Fn(&str) -> Option<Scalar>,
    constant: &dyn Fn(Span) -> Option<Number>,
) -> (Vec<Option<IntType>>, BTreeMap<usize, i128>) {
    let body = &par_loop.body;
    let mut types = Types { body, value, constant, slots: vec![None; body.slots.len()], numbers: BTreeMap::new() };
    for (dim, ty) in par_loop.dims.iter().zip(vars) {
        types.bind(dim.var, Some(*ty));
    }
    types.block(&body.block);
    let int = |ty: Scalar| IntType { bits: ty.bits(), signed: ty.is_signed() };
    (types.slots.into_iter().map(|ty| ty.map(int)).collect(), types.numbers)
}

struct Types<'b> {
    body: &'b Body,
    value: &'b dyn Fn(&str) -> Option<Scalar>,
    constant: &'b dyn Fn(Span) -> Option<Number>,
    slots: Vec<Option<Scalar>>,
    numbers: BTreeMap<usize, i128>,
}

impl Types<'_> {
    fn bind(&mut self, local: LocalId, ty: Option<Scalar>) {
        self.put(self.body[local].slot, ty);
    }

    fn put(&mut self, slot: SlotId, ty: Option<Scalar>) -> Option<Scalar> {
        self.slots[slot.0] = ty;
        ty
    }

    fn block(&mut self, block: &Block) -> Option<Scalar> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, .. } => match (&pat.kind, &init.kind) {
                    (PatKind::Tuple(list), ExprKind::Tuple { elems, .. }) => {
                        for (pat, elem) in list.front.iter().zip(elems) {
                            let ty = self.expr(elem);
                            pat.name().into_iter().for_each(|local| self.bind(local, ty));
                        }
                    }
                    _ => {
                        let ty = self.expr(init);
                        pat.name().into_iter().for_each(|local| self.bind(local, ty));
                    }
                },
                Stmt::Expr(expr) => {
                    self.expr(expr);
                }
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.as_ref().and_then(|value| self.expr(value))
    }

    /// The type of a number, or of the elements of an array.
    fn expr(&mut self, expr: &Expr) -> Option<Scalar> {
        match &expr.kind {
            ExprKind::Int { token, slot, .. } => {
                let ty = match syn::Lit::new(token.clone()) {
                    syn::Lit::Int(int) => Scalar::named(int.suffix()),
                    syn::Lit::Byte(_) => Some(Scalar::U8),
                    _ => None,
                };
                self.put(*slot, ty)
            }
            ExprKind::Constant { slot, .. } => {
                let constant = (self.constant)(expr.span);
                self.numbers.extend(constant.map(|(number, _)| (slot.0, number)));
                self.put(*slot, constant.map(|(_, ty)| ty))
            }
            ExprKind::Local(local) => self.slots[self.body[*local].slot.0],
            ExprKind::Captured(id) => match self.body[*id].kind {
                CaptureKind::Value => (self.value)(&self.body[*id].name.to_string()),
                CaptureKind::View(..) => None,
                CaptureKind::Extent(..) | CaptureKind::Stride(..) => Some(Scalar::Usize),
            },
            ExprKind::Len(_) | ExprKind::Measure { what: Measure::Len, .. } => Some(Scalar::Usize),
            ExprKind::Unary { operand, slot, .. } => {
                let ty = self.expr(operand);
                self.put(*slot, ty)
            }
            ExprKind::Binary { lhs, rhs, slot, .. } => {
                let ty = self.expr(lhs);
                self.expr(rhs);
                self.put(*slot, ty)
            }
            ExprKind::Compare { lhs, rhs, slot, .. } => {
                let (lhs, rhs) = (self.expr(lhs), self.expr(rhs));
                self.put(*slot, lhs.or(rhs));
                None
            }
            ExprKind::Cast { operand, ty, slot } => {
                self.expr(operand);
                let ty = match ty.as_deref() {
                    Some(syn::Type::Path(path)) => {
                        path.path.get_ident().and_then(|name| Scalar::named(&name.to_string()))
                    }
                    _ => None,
                };
                self.put(*slot, ty)
            }
            ExprKind::Assign { place, value, op: Some(AssignOp { slot, .. }) } => {
                self.expr(value);
                let ty = self.expr(place);
                self.put(*slot, ty);
                None
            }
            ExprKind::Loaded { element, slot } => {
                let ty = self.expr(element);
                self.put(*slot, ty)
            }
            ExprKind::Call { callee: Callee::Method { known, slot, .. }, args } => {
                let types: Vec<Option<Scalar>> = args.iter().map(|arg| self.expr(arg)).collect();
                let ty = types.first().copied().flatten();
                self.put(*slot, ty);
                ty.zip(*known).and_then(|(ty, known)| ty.resolve(known.result))
            }
            ExprKind::Receiver { place, .. } => self.expr(place),
            ExprKind::Call { callee: Callee::Number { method, .. }, args } => {
                let types: Vec<Option<Scalar>> = args.iter().map(|arg| self.expr(arg)).collect();
                let ty = types.first().copied().flatten();
                ty.and_then(|ty| ty.resolve(method.result))
            }
            ExprKind::Flow { flow, slot } => match flow.shape() {
                Shape::If { cond, then, otherwise } => {
                    self.expr(cond);
                    let ty = self.block(then);
                    otherwise.iter().for_each(|otherwise| {
                        self.expr(otherwise);
                    });
                    slot.and_then(|slot| self.put(slot, ty))
                }
                Shape::Straight { body, .. } | Shape::Phase(body) => self.block(body),
                Shape::Counted { var, range, body } => {
                    let types: Vec<Option<Scalar>> = range.operands().into_iter().map(|end| self.expr(end)).collect();
                    self.bind(var, types.first().copied().flatten());
                    self.block(body)
                }
                shape => self.parts(shape.parts()),
            },
            ExprKind::Array { elems, .. } => elems.iter().fold(None, |_, elem| self.expr(elem)),
            ExprKind::Element { base, index, .. } => {
                self.expr(index);
                self.expr(base)
            }
            ExprKind::Index { index, .. } => {
                self.expr(index);
                Some(Scalar::U32)
            }
            _ => self.parts(expr.parts()),
        }
    }

    fn parts(&mut self, parts: Vec<Part<'_>>) -> Option<Scalar> {
        for part in parts {
            match part {
                Part::Expr(part) => self.expr(part),
                Part::Block(block) => self.block(block),
            };
        }
        None
    }
}
