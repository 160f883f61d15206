//! Checks that are asked once, before lanes run: those of values that are the same in the whole
//! launch. If one of them would fail, there are no lanes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anabranch_core::check::Check;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::{Built, divides, inner};
use crate::analysis::access::LoopFacts;
use crate::analysis::within::{self, Known};
use crate::ir::{
    Access, Adaptor, AssignOp, BinOp, Block, Body, Callee, CaptureKind, ElementOf, Expr, ExprKind, Flow, LocalId,
    LocalKind, ParLoop, Part, Pat, SiteId, SlotId, Space, Stmt, UnOp,
};

/// What the checks of a loop ask.
#[derive(Default)]
pub(crate) struct Checks<'b> {
    /// The slots of divisions by what is only known where they happen. Integers can fail there.
    pub(crate) divisions: Vec<SlotId>,
    /// What is asked before.
    pub(crate) asked: Vec<Asked<'b>>,
    /// Elements of arrays: the slot of the index operator, and the greatest index.
    pub(crate) elements: Vec<(SlotId, u64)>,
    /// The variables that this needs, in the order of their declarations.
    pub(crate) variables: Vec<(LocalId, &'b Expr)>,
}

/// What is asked of types beside the checks.
#[derive(Default)]
pub(crate) struct OfTypes<'s> {
    /// Bytes that the variables of a lane may take.
    pub(crate) most: usize,
    /// The slots of everything in it.
    pub(crate) within: Range<usize>,
    /// Slots of operations that must be of integers.
    pub(crate) integers: &'s [SlotId],
    /// Slots of variables that lanes keep.
    pub(crate) kept: &'s [SlotId],
    /// Slots of functions that have all lanes at once.
    pub(crate) calls: &'s [SlotId],
    /// Slots of methods that must change nothing.
    pub(crate) methods: &'s [SlotId],
    /// There is a long loop beside those in functions.
    pub(crate) looped: bool,
}

impl<'b> Checks<'b> {
    /// The checks of a loop, apart from accesses that the launch decides, if only types decide
    /// whether they can fail.
    pub(crate) fn of_types(par_loop: &'b ParLoop, facts: &LoopFacts) -> Option<Self> {
        let (body, within) = (&par_loop.body, within::of(par_loop));
        checks(&body.block, body.all_sites().filter(|site| !within.contains(site)), facts, &Fixed::nothing(body)).ok()
    }

    /// The same of a device function.
    pub(crate) fn of_function(body: &'b Body) -> Option<Self> {
        checks(&body.block, body.all_sites(), &LoopFacts::default(), &Fixed::nothing(body)).ok()
    }

    /// What must hold of the types for none of the checks to fail, but those that are asked.
    pub(crate) fn infallible(&self, private: &TokenStream) -> TokenStream {
        let divisions = self.divisions.iter().map(|slot| Literal::usize_unsuffixed(slot.0));
        let elements = self.elements.iter().map(|(slot, greatest)| {
            let (slot, greatest) = (Literal::usize_unsuffixed(slot.0), Literal::u64_unsuffixed(*greatest));
            quote!((#slot, #greatest))
        });
        quote!(#private::data::Infallible { divisions: &[#(#divisions),*], elements: &[#(#elements),*] })
    }

    /// What must hold of the types.
    pub(crate) fn conditions(&self, of_types: &OfTypes<'_>, private: &TokenStream) -> TokenStream {
        let OfTypes { most, within, integers, kept, calls, methods, looped } = of_types;
        let list = |slots: &[SlotId]| {
            let slots = slots.iter().map(|slot| Literal::usize_unsuffixed(slot.0));
            quote!(&[#(#slots),*])
        };
        let [integers, kept, calls, methods] = [*integers, kept, calls, methods].map(list);
        let infallible = self.infallible(private);
        let [most, first, end] = [*most, within.start, within.end].map(Literal::usize_unsuffixed);
        quote! {
            #private::data::Conditions {
                infallible: #infallible,
                integers: #integers,
                most: #most,
                kept: #kept,
                within: (#first, #end),
                calls: #calls,
                methods: #methods,
                looped: #looped,
            }
        }
    }
}

/// A question.
#[derive(Clone, Copy)]
pub(crate) enum Asked<'b> {
    /// Whether a division by it cannot fail.
    Divisor(&'b Expr),
    /// Whether the first one is not beyond the second one.
    Ends(&'b Expr, &'b Expr),
}

/// The checks at some sites, all of a block, but those of accesses that the launch decides.
pub(super) fn of<'b>(
    body: &'b Body,
    block: &'b Block,
    of_block: impl Iterator<Item = SiteId>,
    facts: &LoopFacts,
) -> Built<Checks<'b>> {
    checks(block, of_block, facts, &Fixed::of(body, block))
}

fn checks<'b>(
    block: &'b Block,
    mut of_block: impl Iterator<Item = SiteId>,
    facts: &LoopFacts,
    fixed: &Fixed<'b>,
) -> Built<Checks<'b>> {
    let (body, numbers) = (fixed.body, Known::of(fixed.body));
    let (mut checks, mut sites) = (Checks::default(), BTreeSet::new());
    for expr in all(inner(block.parts())) {
        let site = match &expr.kind {
            ExprKind::Binary { op, rhs: by, slot, site: Some(site), .. }
            | ExprKind::Assign { value: by, op: Some(AssignOp { op, slot, site: Some(site) }), .. }
                if divides(*op) =>
            {
                match literal(by) {
                    Some(by) if by != 0.0 && by != -1.0 => {}
                    _ if fixed.has(by) => checks.asked.push(Asked::Divisor(by)),
                    _ => checks.divisions.push(*slot),
                }
                Some(*site)
            }
            ExprKind::Call {
                callee:
                    Callee::Number { method, site: Some(site), .. }
                    | Callee::Method { known: Some(method), site: Some(site), .. },
                args,
            } => {
                let args: Vec<&Expr> = args.iter().skip(1).collect();
                fixed.ask(method.check, &args, &mut checks).then_some(*site)
            }
            // The sites of all dimensions are decided as one.
            ExprKind::Index { view, site, .. } if facts.decided.contains_key(site) => {
                sites.extend((0..body[*view].dims).map(|dim| SiteId(site.0 + dim)));
                None
            }
            ExprKind::Element { base, index, of: ElementOf::Value(slot), site } => {
                // An index of an array is not less than 0.
                let limit = index.limit().and_then(|limit| u64::try_from(limit).ok());
                let known = || numbers.interval(index).and_then(|(_, greatest)| u64::try_from(greatest).ok());
                let greatest = limit.or_else(known);
                let greatest = greatest.filter(|_| is_own(base, body));
                checks.elements.extend(greatest.map(|greatest| (*slot, greatest)));
                greatest.map(|_| *site)
            }
            ExprKind::Flow { flow: Flow::For { range, .. }, .. } => {
                sites.extend(range.adaptors.iter().filter_map(|adaptor| match adaptor {
                    Adaptor::StepBy { step, site } => literal(step).filter(|step| *step != 0.0).map(|_| *site),
                    Adaptor::Rev => None,
                }));
                None
            }
            _ => None,
        };
        sites.extend(site);
    }
    if of_block.any(|site| !sites.contains(&site) && !facts.decided.contains_key(&site)) {
        return Err("a check in it is made where it happens");
    }
    let mut needed = BTreeSet::new();
    for asked in &checks.asked {
        match asked {
            Asked::Divisor(by) => fixed.needs(by, &mut needed),
            Asked::Ends(low, high) => [low, high].into_iter().for_each(|end| fixed.needs(end, &mut needed)),
        }
    }
    // Numbers of variables are in the order of their declarations.
    checks.variables = needed.into_iter().filter_map(|local| Some((local, *fixed.variables.get(&local)?))).collect();
    Ok(checks)
}

/// What is the same in the whole launch, and cannot fail: values of the host part, and what is made
/// of them.
struct Fixed<'b> {
    body: &'b Body,
    /// Something can be asked; else nothing is fixed.
    asks: bool,
    variables: BTreeMap<LocalId, &'b Expr>,
}

impl<'b> Fixed<'b> {
    fn nothing(body: &'b Body) -> Self {
        Self { body, asks: false, variables: BTreeMap::new() }
    }

    /// Of a phase, only its own variables: conditions on types are of what is in it.
    fn of(body: &'b Body, block: &'b Block) -> Self {
        let mut fixed = Self { body, asks: true, variables: BTreeMap::new() };
        let mut lets = Vec::new();
        declarations(block.parts(), &mut lets);
        block.stmts.iter().for_each(|stmt| lets.extend(declaration(stmt)));
        lets.sort_unstable_by_key(|(local, _)| *local);
        for (local, init) in lets {
            if !body[local].mutable && fixed.has(init) {
                fixed.variables.insert(local, init);
            }
        }
        fixed
    }

    fn has(&self, expr: &Expr) -> bool {
        match &expr.kind {
            _ if !self.asks => false,
            ExprKind::Int { .. } | ExprKind::Float { .. } | ExprKind::Bool(_) | ExprKind::Len(_) => true,
            ExprKind::Captured(capture) => {
                !matches!(self.body[*capture].kind, CaptureKind::View(_, Access::Write | Access::Atomic))
            }
            ExprKind::Local(local) => self.variables.contains_key(local),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, ty: Some(_), .. } => self.has(operand),
            ExprKind::Binary { op: BinOp::Add | BinOp::Sub | BinOp::Mul, lhs, rhs, .. } => {
                self.has(lhs) && self.has(rhs)
            }
            _ => false,
        }
    }

    /// The variables that an expression is made of.
    fn needs(&self, expr: &Expr, all: &mut BTreeSet<LocalId>) {
        expr.any(&mut |part| {
            if let ExprKind::Local(local) = part.kind
                && all.insert(local)
                && let Some(init) = self.variables.get(&local)
            {
                self.needs(init, all);
            }
            false
        });
    }

    /// Asks before what a method checks of its arguments, if that is possible.
    fn ask(&self, check: Option<Check>, args: &[&'b Expr], checks: &mut Checks<'b>) -> bool {
        let asked = match (check, args) {
            (Some(Check::Div | Check::Rem), [by]) => match literal(by) {
                Some(by) if by != 0.0 && by != -1.0 => return true,
                _ => (self.has(by), Asked::Divisor(by)),
            },
            (Some(Check::Clamp), [low, high]) => match literal(low).zip(literal(high)) {
                // What seems to be equal may be rounded.
                Some((low, high)) if low < high => return true,
                _ => (self.has(low) && self.has(high), Asked::Ends(low, high)),
            },
            _ => return false,
        };
        checks.asked.extend(asked.0.then_some(asked.1));
        asked.0
    }
}

/// The value of a literal, nearly: what is greater than another one stays so, or they become equal.
pub(crate) fn literal(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Int { digits, .. } | ExprKind::Float { digits, .. } => digits.parse().ok(),
        ExprKind::Unary { op: UnOp::Neg, operand, .. } => Some(-literal(operand)?),
        _ => None,
    }
}

/// Whether a place is a part of a value of the launch or of a variable of the iteration.
fn is_own(place: &Expr, body: &Body) -> bool {
    match &place.kind {
        ExprKind::Local(local) => body[*local].kind == LocalKind::Value && body[*local].space == Space::Own,
        ExprKind::Captured(_) | ExprKind::Own { .. } => true,
        ExprKind::Field { base, .. } | ExprKind::Element { base, of: ElementOf::Value(_), .. } => is_own(base, body),
        _ => false,
    }
}

/// Expressions, and all that are in them.
fn all(exprs: Vec<&Expr>) -> Vec<&Expr> {
    exprs.into_iter().flat_map(|expr| std::iter::once(expr).chain(all(inner(expr.parts())))).collect()
}

fn declarations<'b>(parts: Vec<Part<'b>>, all: &mut Vec<(LocalId, &'b Expr)>) {
    for part in parts {
        match part {
            Part::Expr(expr) => declarations(expr.parts(), all),
            Part::Block(block) => {
                all.extend(block.stmts.iter().filter_map(declaration));
                declarations(block.parts(), all);
            }
        }
    }
}

fn declaration(stmt: &Stmt) -> Option<(LocalId, &Expr)> {
    let Stmt::Let { pat, init, otherwise: None, .. } = stmt else { return None };
    Some((Pat::name(pat)?, init))
}
