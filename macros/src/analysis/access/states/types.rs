//! Which expressions are integers, whatever rustc infers, and which numbers their types can hold.
//!
//! A literal and the variable of a loop are integers. Two numbers of built-in types that an
//! operator joins have one type, since only std can implement the operator for them. An array that
//! threads share is indexed by `usize`. So types spread through a body, and no name of a type is
//! trusted.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::within;
use crate::ir::{
    BinOp, Block, Body, Expr, ExprId, ExprKind, Flow, LocalId, LocalKind, Part, Pat, PatKind, Shape, Space, Stmt,
};

/// What every integer type can hold, and every one of 32 bits or more.
const NARROW: i64 = i8::MAX as i64;
const WIDE: i64 = i32::MAX as i64;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Local(LocalId),
    Expr(ExprId),
}

/// What is certain of a type, weakest first: each includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Is {
    /// A number of a type that Rust has, or a `bool` or a `char`.
    BuiltIn,
    Integer,
    /// An integer of 32 bits or more.
    Wide,
}

/// The types of a body, as classes of what has the same type.
pub(super) struct Types<'b> {
    body: &'b Body,
    ids: BTreeMap<Node, usize>,
    parents: Vec<usize>,
    is: Vec<Option<Is>>,
    changed: bool,
    /// See [`limit`](Types::limit).
    limits: BTreeMap<ExprId, i64>,
    /// Expressions that touch nothing and change nothing, each a value of its operands.
    plain: BTreeSet<ExprId>,
    /// The arrays that threads share: their dimensions, and their lengths where these are literal.
    pub(super) shared: BTreeMap<LocalId, (usize, Vec<i64>)>,
}

impl<'b> Types<'b> {
    pub(super) fn of(body: &'b Body) -> Self {
        let (ids, parents, is) = (BTreeMap::new(), Vec::new(), Vec::new());
        let (plain, shared) = (BTreeSet::new(), BTreeMap::new());
        let limits = BTreeMap::new();
        let mut types = Types { body, ids, parents, is, changed: true, limits, plain, shared };
        while std::mem::take(&mut types.changed) {
            types.block(&body.block);
        }
        for (node, id) in &types.ids {
            let limit = match types.is[types.root(*id)] {
                Some(Is::Integer) => NARROW,
                Some(Is::Wide) => WIDE,
                Some(Is::BuiltIn) | None => continue,
            };
            if let Node::Expr(expr) = node {
                types.limits.insert(*expr, limit);
            }
        }
        types
    }

    pub(super) fn is_plain(&self, expr: &Expr) -> bool {
        self.plain.contains(&expr.id)
    }

    /// The greatest number that is exact in the type of an expression; `None` if that may be no
    /// integer.
    pub(super) fn limit(&self, expr: &Expr) -> Option<i64> {
        self.limits.get(&expr.id).copied()
    }

    fn id(&mut self, node: Node) -> usize {
        let next = self.parents.len();
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            self.parents.push(next);
            self.is.push(None);
        }
        id
    }

    fn root(&self, mut id: usize) -> usize {
        while self.parents[id] != id {
            id = self.parents[id];
        }
        id
    }

    fn class(&mut self, node: Node) -> usize {
        let id = self.id(node);
        let root = self.root(id);
        // The next way is short.
        self.parents[id] = root;
        root
    }

    fn learn(&mut self, node: Node, is: Is) {
        let class = self.class(node);
        if self.is[class] < Some(is) {
            self.is[class] = Some(is);
            self.changed = true;
        }
    }

    fn same(&mut self, one: Node, other: Node) {
        let (one, other) = (self.class(one), self.class(other));
        if one != other {
            self.parents[other] = one;
            self.is[one] = self.is[one].max(self.is[other]);
            self.changed = true;
        }
    }

    fn is_built_in(&mut self, expr: &Expr) -> bool {
        let class = self.class(Node::Expr(expr.id));
        self.is[class].is_some()
    }

    /// Something has the type of a value, if that is a number: numbers are not coerced.
    fn gets(&mut self, node: Node, value: &Expr) {
        if self.is_built_in(value) {
            self.same(node, Node::Expr(value.id));
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pat, init, otherwise, ty: _ } => {
                    self.expr(init);
                    self.bind(pat, init);
                    otherwise.iter().for_each(|block| self.block(block));
                }
                Stmt::Expr(expr) => self.expr(expr),
                Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.iter().for_each(|value| self.expr(value));
    }

    fn bind(&mut self, pat: &Pat, init: &Expr) {
        match (&pat.kind, &init.kind) {
            (PatKind::Bind { local, sub: None }, _) if self.is_value(*local) => self.gets(Node::Local(*local), init),
            (PatKind::Bind { local, sub: None }, _) if self.body[*local].space == Space::Shared => {
                let (mut dims, mut value) = (0, init);
                while let ExprKind::Repeat { value: inner, .. } = &value.kind {
                    (dims, value) = (dims + 1, inner);
                }
                self.shared.insert(*local, (dims, within::lens(init)));
            }
            (PatKind::Tuple(list), ExprKind::Tuple { elems, .. }) if list.back.is_none() => {
                list.front.iter().zip(elems).for_each(|(pat, init)| self.bind(pat, init));
            }
            _ => {}
        }
    }

    /// Whether a variable holds its value itself: its mention has its type.
    pub(super) fn is_value(&self, local: LocalId) -> bool {
        let local = &self.body[local];
        local.kind == LocalKind::Value && local.space == Space::Own && !local.loose
    }

    fn expr(&mut self, expr: &Expr) {
        for part in expr.parts() {
            match part {
                Part::Expr(expr) => self.expr(expr),
                Part::Block(block) => self.block(block),
            }
        }
        let own = Node::Expr(expr.id);
        let plain = |types: &mut Self, operands: &[&Expr]| {
            if operands.iter().all(|operand| types.is_plain(operand)) {
                types.plain.insert(expr.id);
            }
        };
        match &expr.kind {
            ExprKind::Int { token, .. } => {
                plain(self, &[]);
                match syn::Lit::new(token.clone()) {
                    syn::Lit::Int(int) if matches!(int.suffix(), "" | "u8" | "i8" | "u16" | "i16") => {
                        self.learn(own, Is::Integer);
                    }
                    syn::Lit::Int(int) if !int.suffix().starts_with('f') => self.learn(own, Is::Wide),
                    _ => {}
                }
            }
            ExprKind::Bool(_) => {
                plain(self, &[]);
                self.learn(own, Is::BuiltIn);
            }
            ExprKind::Local(local) if self.is_value(*local) => {
                plain(self, &[]);
                if self.body[*local].counts {
                    self.learn(own, Is::Integer);
                }
                self.same(own, Node::Local(*local));
            }
            ExprKind::Captured(_) | ExprKind::Constant { .. } | ExprKind::Len(_) => plain(self, &[]),
            ExprKind::Binary { op, lhs, rhs, .. } => {
                plain(self, &[lhs, rhs]);
                if self.is_built_in(lhs) && self.is_built_in(rhs) {
                    self.same(own, Node::Expr(lhs.id));
                    // The number to shift by has a type of its own.
                    if !matches!(op, BinOp::Shl | BinOp::Shr) {
                        self.same(own, Node::Expr(rhs.id));
                    }
                }
            }
            ExprKind::Compare { lhs, rhs, .. } => {
                plain(self, &[lhs, rhs]);
                if self.is_built_in(lhs) && self.is_built_in(rhs) {
                    self.same(Node::Expr(lhs.id), Node::Expr(rhs.id));
                }
            }
            ExprKind::Logic { lhs, rhs, .. } => {
                plain(self, &[lhs, rhs]);
                self.learn(own, Is::BuiltIn);
            }
            ExprKind::Unary { operand, .. } => {
                plain(self, &[operand]);
                self.gets(own, operand);
            }
            ExprKind::Cast { operand, ty: Some(_), .. } => {
                plain(self, &[operand]);
                self.learn(own, Is::BuiltIn);
            }
            ExprKind::Assign { place, value, op } if matches!(place.kind, ExprKind::Local(_)) => {
                let shifts = op.is_some_and(|op| matches!(op.op, BinOp::Shl | BinOp::Shr));
                if !shifts && (op.is_none() || self.is_built_in(place)) {
                    self.gets(Node::Expr(place.id), value);
                }
            }
            ExprKind::Element { base, index, .. } if self.is_built_in(index) && self.dims_of(base) > 0 => {
                self.learn(Node::Expr(index.id), Is::Wide);
            }
            // Nothing but `usize` is the index of a slice.
            ExprKind::Index { view, index, .. } if self.body[*view].dims == 0 => {
                self.learn(Node::Expr(index.id), Is::Wide);
            }
            ExprKind::Flow { flow, .. } => self.flow(own, flow),
            _ => {}
        }
    }

    fn flow(&mut self, own: Node, flow: &Flow) {
        match flow.shape() {
            Shape::Straight { body, .. } => body.value.iter().for_each(|value| self.gets(own, value)),
            Shape::If { then, otherwise, .. } => {
                then.value.iter().for_each(|value| self.gets(own, value));
                otherwise.iter().for_each(|value| self.gets(own, value));
            }
            Shape::Counted { var, range, .. } => {
                self.learn(Node::Local(var), Is::Integer);
                self.same(Node::Local(var), Node::Expr(range.start.id));
                self.same(Node::Local(var), Node::Expr(range.end.id));
            }
            _ => {}
        }
    }

    /// The dimensions of an array that threads share, or of one of the arrays that it consists of.
    fn dims_of(&self, place: &Expr) -> usize {
        match &place.kind {
            ExprKind::Local(local) => self.shared.get(local).map_or(0, |(dims, _)| *dims),
            ExprKind::Element { base, .. } => self.dims_of(base).saturating_sub(1),
            _ => 0,
        }
    }
}
