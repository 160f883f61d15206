//! Parts of host values and of constants: `dims.0` is a number that the launch knows, and an
//! element of a table lies between two that it knows.

use anabranch_core::facts::{Member, Part, Value};

use super::super::{Atom, Form, Operation, Step};
use super::Extractor;
use crate::ir::{CaptureId, CaptureKind, ElementOf, Expr, ExprKind, LocalKind, Pat, PatKind, SlotId};
use crate::names::spelled;

/// A part of a value that is the same for all iterations.
#[derive(Clone)]
pub(super) struct Portion {
    origin: Origin,
    path: Vec<Part>,
    /// As the user wrote it, with `..` for an index that varies.
    text: String,
}

/// What a [`Portion`] is a part of.
#[derive(Clone, Copy)]
enum Origin {
    Capture(CaptureId),
    Constant(usize, SlotId),
}

impl Portion {
    fn then(mut self, part: Part) -> Self {
        self.text += &match &part {
            Part::Field(name) => format!(".{name}"),
            Part::Element(number) => format!("[{number}]"),
            Part::AnyElement => "[..]".to_owned(),
        };
        self.path.push(part);
        self
    }

    /// Any of its elements.
    pub(super) fn of_any(self) -> Self {
        self.then(Part::AnyElement)
    }

    /// What it is where a pattern takes it apart: its own parts, in order.
    pub(super) fn parts<'p>(&'p self, pat: &'p Pat) -> Option<impl Iterator<Item = (&'p Pat, Portion)>> {
        let (list, is_array) = match &pat.kind {
            PatKind::Tuple(list) => (list, false),
            PatKind::Array(list) => (list, true),
            _ => return None,
        };
        let part = move |at: usize| if is_array { Part::Element(at) } else { Part::Field(at.to_string()) };
        let front = list.front.iter().enumerate().map(move |(at, pat)| (pat, self.clone().then(part(at))));
        list.back.is_none().then_some(front)
    }
}

impl Extractor<'_> {
    /// What an expression is a part of, if it names one.
    pub(super) fn portion(&self, expr: &Expr) -> Option<Portion> {
        let whole = |origin, text| Portion { origin, path: Vec::new(), text };
        match &expr.kind {
            ExprKind::Captured(id) if matches!(self.body[*id].kind, CaptureKind::Value) => {
                Some(whole(Origin::Capture(*id), self.body[*id].name.to_string()))
            }
            ExprKind::Constant { path, slot, scope } => {
                Some(whole(Origin::Constant(*scope, *slot), crate::parse::spelling(path)))
            }
            ExprKind::Local(local) => self.known.portions.get(local).cloned(),
            ExprKind::Field { base, member } => Some(self.portion(base)?.then(Part::Field(spelled(member)))),
            // A user type with an index operator has no element that the launch finds.
            ExprKind::Element { base, index, of: ElementOf::Value(_), .. } => {
                let number = match &index.kind {
                    ExprKind::Int { digits, .. } => digits.parse().ok(),
                    _ => None,
                };
                Some(self.portion(base)?.then(number.map_or(Part::AnyElement, Part::Element)))
            }
            _ => None,
        }
    }

    /// A number that is a part of a value.
    pub(super) fn member(&mut self, portion: &Portion) -> Form {
        if !portion.path.contains(&Part::AnyElement) {
            return Form::atom(self.symbol(portion, false));
        }
        let operands = [false, true].map(|greatest| Form::atom(self.symbol(portion, greatest))).to_vec();
        let atom = self.fresh();
        self.here.limited.insert(atom);
        // Its type does not matter: the launch knows the numbers themselves.
        let value = Value { operation: Operation::Listed, operands, ty: 0, narrow: false };
        self.here.steps.push(Step::Let { atom, value });
        Form::atom(atom)
    }

    /// A part of a variable, where it says which one: `place.0`, `place[1]`.
    pub(super) fn listed(&self, expr: &Expr) -> Option<Form> {
        let (base, at) = match &expr.kind {
            ExprKind::Field { base, member: syn::Member::Unnamed(at) } => (base, usize::try_from(at.index).ok()?),
            ExprKind::Element { base, index, of: ElementOf::Value(_), .. } => match &index.kind {
                ExprKind::Int { digits, .. } => (base, digits.parse().ok()?),
                _ => return None,
            },
            _ => return None,
        };
        let ExprKind::Local(local) = base.kind else { return None };
        self.known.lists.get(&local)?.get(at)?.clone()
    }

    fn symbol(&mut self, portion: &Portion, greatest: bool) -> Atom {
        let text = if greatest { format!("max of {}", portion.text) } else { portion.text.clone() };
        let member = Member { path: portion.path.clone(), greatest };
        match portion.origin {
            Origin::Capture(capture) => self.facts.symbols.member(&text, capture, member),
            Origin::Constant(scope, slot) => self.facts.symbols.constant(&text, scope, slot, member),
        }
    }

    /// The new variables of a pattern.
    pub(super) fn bind_all(&mut self, pat: &Pat) {
        for local in pat.locals() {
            let form = self.known.portions.get(&local).cloned().map(|portion| self.member(&portion));
            self.bind(local, form);
        }
    }

    /// Follows the variables of a pattern that are parts of a value.
    pub(super) fn follow(&mut self, pat: &Pat, portion: &Portion) {
        if let Some(local) = pat.name() {
            let new = &self.body[local];
            if !new.mutable && !new.loose && new.kind == LocalKind::Value {
                self.known.portions.insert(local, portion.clone());
            }
        }
        for (pat, portion) in portion.parts(pat).into_iter().flatten() {
            self.follow(pat, &portion);
        }
    }
}
