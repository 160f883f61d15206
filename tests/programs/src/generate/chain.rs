//! Chains of iterators. Their closures get references where those of std do, and patterns take some
//! of them away.

use anabranch_core::ops::{BinOp, CompareOp};

use super::Generator;
use super::features::Feature;
use crate::kind::{Ending, Link};
use crate::program::{Block, Expr, Kind, Stmt, VarId};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

/// The item of an iterator: its parts, each with its number of references.
type Item = Vec<(Scalar, usize)>;

/// Calls that keep the type of the item.
const STEPS: [&str; 3] = ["filter", "take_while", "skip_while"];

impl Generator<'_> {
    /// A chain with a result of this type, now and then.
    pub(super) fn chain(&mut self, ty: &Ty) -> Option<Expr> {
        let here = self.on(Feature::Chains) && self.is_device() && !self.quiet && self.team.is_none();
        let ends: &[&str] = match ty {
            Ty::Scalar(Scalar::Bool) => &["any", "all"],
            Ty::Scalar(Scalar::Usize) => &["count", "fold", "sum"],
            Ty::Scalar(scalar) if scalar.is_int() => &["fold", "sum"],
            Ty::Scalar(_) => &["fold"],
            Ty::Enum(0, parts) => match parts[0].scalar() {
                Some(Scalar::Usize) => &["position", "find", "max", "min"],
                Some(scalar) if scalar.is_int() => &["find", "max", "min"],
                Some(_) => &["find"],
                None => return None,
            },
            _ => return None,
        };
        let often = if matches!(ty, Ty::Enum(..)) { 30 } else { 5 };
        if !here || self.depth > 3 || !self.rng.chance(often) {
            return None;
        }
        let end = self.pick(ends);
        let result = match ty {
            Ty::Enum(_, parts) => parts[0].scalar()?,
            _ => ty.scalar()?,
        };
        // These give an item.
        let gives_item = matches!(end, "sum" | "find" | "max" | "min");
        let first = if gives_item { result } else { self.scalar() };
        let (over, mut item, mut links) = self.sources(first, gives_item)?;
        let seen = self.rng.chance(25).then(|| self.program.declare("seen_", Scalar::U32, true));
        let seen = seen.filter(|_| matches!(ty, Ty::Scalar(scalar) if !scalar.is_float()));
        let at = self.rng.below(3);
        for step in 0..3 {
            if let Some(seen) = seen.filter(|_| step == at) {
                links.push(self.inspect(&item, seen));
            } else if self.rng.chance(55) {
                let name = self.pick(&STEPS);
                links.push(self.link(name, None, &[], (&item, 1), &Scalar::Bool.into()));
            }
        }
        if self.rng.chance(30) {
            let to = if gives_item { result } else { self.scalar() };
            links.push(self.link("map", None, &[], (&item, 0), &to.into()));
            item = vec![(to, 0)];
            if self.rng.chance(50) {
                links.push(self.link("filter", None, &[], (&item, 1), &Scalar::Bool.into()));
            }
        }
        let copied = gives_item && item[0].1 > 0 && end != "sum";
        match end {
            "any" | "all" | "position" => links.push(self.link(end, None, &[], (&item, 0), &Scalar::Bool.into())),
            "find" => links.push(self.link(end, None, &[], (&item, 1), &Scalar::Bool.into())),
            "fold" => {
                let first = self.literal(result);
                links.push(self.link(end, Some(first), &[result], (&item, 0), ty));
            }
            end => links.push(Link::of(end)),
        }
        links.extend(copied.then(|| Link::of("copied")));
        let chain = Expr::new(ty.clone(), Kind::Chain(over, links));
        Some(match seen {
            None => chain,
            Some(seen) => self.with_what_was_seen(chain, seen),
        })
    }

    /// The sources of a chain, their item, and the first calls.
    fn sources(&mut self, scalar: Scalar, alone: bool) -> Option<(Vec<Expr>, Item, Vec<Link>)> {
        let source = |this: &mut Self, scalar: Scalar| {
            let (place, parts) = this.stretch(&scalar.into(), false)?;
            // Not a part of a constant.
            place.root()?;
            let ty = Ty::Slice(Box::new(scalar.into()));
            Some(Expr { ty, ..Expr::borrow(false, place, parts) })
        };
        let first = source(self, scalar)?;
        let mut links = Vec::new();
        if !alone && self.rng.chance(20) {
            let other = self.scalar();
            if let Some(second) = source(self, other) {
                return Some((vec![first, second], vec![(scalar, 1), (other, 1)], links));
            }
        }
        if !alone && self.rng.chance(25) {
            links.push(Link::of("enumerate"));
            return Some((vec![first], vec![(Scalar::Usize, 0), (scalar, 1)], links));
        }
        match self.rng.which([60, 20, 20]) {
            1 => links.push(Link::of("rev")),
            2 => links.push(Link { first: Some(self.small(Scalar::Usize, 3)), ..Link::of("skip") }),
            _ => {}
        }
        let copied = self.rng.chance(20);
        links.extend(copied.then(|| Link::of("copied")));
        Some((vec![first], vec![(scalar, usize::from(!copied))], links))
    }

    /// A call with a closure. `lent` is the number of references that the call adds to the item.
    fn link(
        &mut self,
        name: &'static str,
        first: Option<Expr>,
        before: &[Scalar],
        (item, lent): (&Item, usize),
        ty: &Ty,
    ) -> Link {
        let (vars, taken) = self.params(before, item, lent);
        let value = self.in_closure(&vars, |this| this.made_of(&vars, ty));
        Link { name, first, vars, item: item.len(), taken, value: Some(value) }
    }

    /// Variables for an item. Its pattern takes away some of its references.
    fn params(&mut self, before: &[Scalar], item: &Item, lent: usize) -> (Vec<VarId>, usize) {
        let most = lent + if item.len() == 1 { item[0].1 } else { 0 };
        let taken = self.rng.below(most + 1);
        let all = before
            .iter()
            .map(|scalar| (*scalar, 0))
            .chain(item.iter().map(|(scalar, own)| (*scalar, own + lent - taken)));
        let declare = |(scalar, references): (Scalar, usize)| {
            let var = self.fresh(scalar, false);
            let info = &mut self.program.vars[var.0];
            // The parameters of a closure have different names.
            info.name.push_str(&format!("_{}", var.0));
            info.references = references;
            var
        };
        (all.map(declare).collect(), taken)
    }

    /// Mostly something about the variables of a closure.
    fn made_of(&mut self, vars: &[VarId], ty: &Ty) -> Expr {
        let Some(scalar) = ty.scalar().filter(|_| self.rng.chance(80)) else { return self.expr(ty) };
        let var = self.one_of(vars);
        if scalar == Scalar::Bool {
            let (op, from) = (self.pick(CompareOp::ALL), var.scalar());
            let other = if self.rng.chance(50) { self.literal(from) } else { self.number(from, 1) };
            return Expr::compare(op, var, other);
        }
        let as_number = |value: Expr| if value.scalar() == Scalar::Bool { value.to(Scalar::U8) } else { value };
        let sum =
            vars.iter().map(|var| as_number(self.var(*var)).to(scalar)).reduce(|a, b| Expr::bin(BinOp::Add, a, b));
        let scaled = Expr::bin(BinOp::Mul, sum.unwrap_or(var), self.number(scalar, 1));
        if self.rng.chance(50) { scaled } else { Expr::bin(BinOp::Sub, scaled, self.number(scalar, 1)) }
    }

    /// `inspect(|v| { seen = seen * 31 + **v; })`
    fn inspect(&mut self, item: &Item, seen: VarId) -> Link {
        let (vars, taken) = self.params(&[], item, 1);
        let last = self.program.var(vars[vars.len() - 1]).to(Scalar::U32);
        let scaled = Expr::bin(BinOp::Mul, self.program.var(seen), Expr::int(31, Scalar::U32));
        let stmts = vec![Stmt::assign(self.program.var(seen), Expr::bin(BinOp::Add, scaled, last))];
        let value = Some(Expr::block(Ty::unit(), Block { stmts, value: None }));
        Link { vars, item: item.len(), taken, value, ..Link::of("inspect") }
    }

    /// `{ let mut seen = 1; let of = chain; of ^ seen }`: what `inspect` has seen counts.
    fn with_what_was_seen(&mut self, chain: Expr, seen: VarId) -> Expr {
        let ty = chain.ty.clone();
        let of = self.program.declare("of_", ty.clone(), false);
        let also = match ty.scalar() {
            Some(Scalar::Bool) => Expr::compare(
                CompareOp::Eq,
                Expr::bin(BinOp::And, self.program.var(seen), Expr::int(1, Scalar::U32)),
                Expr::int(1, Scalar::U32),
            ),
            Some(scalar) => self.program.var(seen).to(scalar),
            None => unreachable!("`inspect` is in chains with a number"),
        };
        let value = Some(Box::new(Expr::bin(BinOp::Xor, self.program.var(of), also)));
        let stmts = vec![Stmt::bind(seen, Expr::int(1, Scalar::U32)), Stmt::bind(of, chain)];
        Expr::block(ty, Block { stmts, value })
    }

    /// What a closure with these variables computes: it changes nothing around it, and nothing
    /// leaves it.
    fn in_closure(&mut self, vars: &[VarId], inside: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let (frames, output) = (std::mem::take(&mut self.frames), self.output.take());
        let (frozen, quiet) = (self.frozen.len(), std::mem::replace(&mut self.quiet, true));
        self.frozen.extend(self.visible());
        let mut value = self.scoped(|this| {
            vars.iter().for_each(|var| this.bind(*var));
            inside(this)
        });
        self.frozen.truncate(frozen);
        (self.frames, self.output, self.quiet) = (frames, output, quiet);
        let mut loops = false;
        visit::deep(Node::Expr(&mut value), &mut |node| match node {
            Node::Block(block) => block.stmts.retain(|stmt| !matches!(stmt, Stmt::Observe(_))),
            Node::Expr(expr) => loops |= expr.shape().form == Ending::Loop,
            _ => {}
        });
        // Two closures cannot burn the same fuel.
        if loops { Expr::zero(&value.ty) } else { value }
    }
}
