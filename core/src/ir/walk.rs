//! The children of expressions, blocks and statements, and what holds of some of them.

use std::collections::BTreeSet;

use super::{Block, Expr, ExprKind, Head, LocalId, Part, Shape, Stmt, Tokens};

impl<S: Tokens> Expr<S> {
    /// Whether something holds of this expression or of one in it.
    pub fn any(&self, holds: &mut dyn FnMut(&Expr<S>) -> bool) -> bool {
        holds(self) || any_part(self.parts(), holds)
    }

    /// Whether control may leave it, or a part of it, other than at its end.
    pub fn jumps(&self) -> bool {
        self.any(&mut |expr| expr.is_jump())
    }

    /// Whether it is a loop.
    pub fn is_loop(&self) -> bool {
        use Shape::{Counted, Phase, Round};
        matches!(&self.kind, ExprKind::Flow { flow, .. } if matches!(flow.shape(), Counted { .. } | Phase(_) | Round { .. }))
    }

    /// Whether it is a jump.
    pub fn is_jump(&self) -> bool {
        use Shape::{Jump, Question};
        matches!(&self.kind, ExprKind::Flow { flow, .. } if matches!(flow.shape(), Jump(_) | Question(_)))
    }
}

fn any_part<S: Tokens>(parts: Vec<Part<'_, S>>, holds: &mut dyn FnMut(&Expr<S>) -> bool) -> bool {
    parts.into_iter().any(|part| part.any(holds))
}

impl<S: Tokens> Part<'_, S> {
    /// Whether something holds of an expression in it.
    pub fn any(self, holds: &mut dyn FnMut(&Expr<S>) -> bool) -> bool {
        match self {
            Part::Expr(expr) => expr.any(holds),
            Part::Block(block) => block.any(holds),
        }
    }

    /// The variables to which something in it is assigned.
    pub fn assigned(self) -> BTreeSet<LocalId> {
        let mut all = BTreeSet::new();
        self.any(&mut |expr| {
            if let ExprKind::Assign { place, .. } = &expr.kind {
                all.extend(place.root());
            }
            false
        });
        all
    }
}

impl<S: Tokens> Block<S> {
    /// Whether something holds of an expression in it.
    pub fn any(&self, holds: &mut dyn FnMut(&Expr<S>) -> bool) -> bool {
        any_part(self.parts(), holds)
    }

    /// Whether control may leave it, or a part of it, other than at its end.
    pub fn jumps(&self) -> bool {
        self.any(&mut |expr| expr.is_jump())
    }

    /// Whether items are declared in it, or in a part of it: there a name may mean something else
    /// than around it.
    pub fn has_items(&self) -> bool {
        fn in_part<S: Tokens>(part: Part<'_, S>) -> bool {
            match part {
                Part::Block(block) => block.has_items(),
                Part::Expr(expr) => expr.parts().into_iter().any(in_part),
            }
        }
        self.stmts.iter().any(|stmt| matches!(stmt, Stmt::Item(_))) || self.parts().into_iter().any(in_part)
    }

    /// The direct children, in the order of their evaluation.
    pub fn parts(&self) -> Vec<Part<'_, S>> {
        self.stmts.iter().flat_map(Stmt::parts).chain(self.value.iter().map(|value| Part::Expr(value))).collect()
    }
}

impl<S: Tokens> Stmt<S> {
    /// The same of a statement.
    pub fn parts(&self) -> Vec<Part<'_, S>> {
        match self {
            Stmt::Let { init, otherwise, .. } => {
                [Part::Expr(init)].into_iter().chain(otherwise.iter().map(Part::Block)).collect()
            }
            Stmt::Expr(expr) => vec![Part::Expr(expr)],
            Stmt::Declare { .. } | Stmt::Item(_) => Vec::new(),
        }
    }
}

impl<'a, S: Tokens> Shape<'a, S> {
    /// The direct children, in the order of their evaluation.
    pub fn parts(self) -> Vec<Part<'a, S>> {
        let value = |value: Option<&'a Expr<S>>| value.into_iter().map(Part::Expr);
        match self {
            Shape::Straight { body, .. } | Shape::Phase(body) | Shape::Labelled(body) => vec![Part::Block(body)],
            Shape::If { cond, then, otherwise } => {
                [Part::Expr(cond), Part::Block(then)].into_iter().chain(value(otherwise)).collect()
            }
            Shape::Match { scrutinee, arms } => {
                let arms = arms.iter().flat_map(|arm| arm.guard.iter().chain([&arm.body]));
                [scrutinee].into_iter().chain(arms).map(Part::Expr).collect()
            }
            Shape::Counted { range, body, .. } => {
                range.operands().into_iter().map(Part::Expr).chain([Part::Block(body)]).collect()
            }
            Shape::Round { head, body, .. } => {
                let head = match head {
                    Head::Empty => None,
                    Head::Test(expr) | Head::Bind(_, expr) => Some(expr),
                };
                value(head).chain([Part::Block(body)]).collect()
            }
            Shape::Jump(with) => value(with).collect(),
            Shape::Question(asked) => vec![Part::Expr(asked)],
        }
    }
}
