//! The elements that a phase writes, whatever else it does.

use super::{Array, same};
use crate::ir::{BinOp, Block, Expr, ExprKind, Flow, LocalId, Phase, Stmt};

/// What a phase writes of an array.
pub(super) struct Written<'b> {
    /// Along each dimension, the first index and the last one.
    pub(super) ends: Vec<(i64, i64)>,
    /// What holds where it writes an element. In it stand the variables of the phase.
    pub(super) conditions: Vec<&'b Expr>,
    /// The variables that the element is indexed with, if each index is nothing else.
    pub(super) vars: Option<Vec<LocalId>>,
    /// The place in the text.
    pub(super) write: &'b Expr,
    /// The body of an iteration.
    pub(super) body: &'b Block,
    /// Each iteration writes one element before it does anything else with the array, and these are
    /// all. Then an iteration that reads another one reads what others may not have written, which
    /// is refused.
    pub(super) whole: bool,
}

/// A number that takes all values from the first one, so many.
type Span = (LocalId, i64, i64);

impl<'b> Written<'b> {
    /// Follows the iterations of a phase to the first write.
    pub(super) fn by(array: &Array<'b>, phase: &Phase, body: &'b Block, around: Vec<&'b Expr>) -> Option<Self> {
        let literal = phase.literal.as_ref()?;
        let mut inner = body;
        for _ in &phase.vars {
            let Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::For { body, .. }, .. }, .. })) =
                inner.stmts.last()
            else {
                return None;
            };
            inner = body;
        }
        if let (Some(_), Some(Stmt::Expr(Expr { kind: ExprKind::Flow { flow: Flow::Block(own), .. }, .. }))) =
            (phase.thread, inner.stmts.last())
        {
            inner = own;
        }
        let span = |(var, (first, count)): (&LocalId, &(u64, u64))| {
            let fixed = !array.body[*var].mutable;
            Some((*var, i64::try_from(*first).ok()?, i64::try_from(*count).ok()?)).filter(|_| fixed)
        };
        let spans: Option<Vec<Span>> = phase.vars.iter().zip(literal).map(span).collect();
        let mut way = Way { array, spans: spans?, conditions: around };
        let write = way.first(inner)?;
        let ExprKind::Assign { place, op: None, .. } = &write.kind else { return None };
        let indexes = array.indexes(place).filter(|indexes| indexes.len() == array.lens.len())?;
        let var = |index: &&Expr| match index.kind {
            ExprKind::Local(local) if phase.vars.contains(&local) => Some(local),
            _ => None,
        };
        let vars: Option<Vec<LocalId>> = indexes.iter().map(var).collect();
        let ends = way.ends(&indexes)?;
        let all = ends.iter().zip(&array.lens).all(|((first, last), len)| *first == 0 && last + 1 == *len);
        let of_own = vars.as_ref().is_some_and(|vars| *vars == phase.vars);
        let whole = all && of_own && way.conditions.is_empty();
        Some(Self { ends, conditions: way.conditions, vars, write, body: inner, whole })
    }
}

/// What is around a write: loops of which each round happens, and conditions.
struct Way<'a, 'b> {
    array: &'a Array<'b>,
    spans: Vec<Span>,
    conditions: Vec<&'b Expr>,
}

impl<'b> Way<'_, 'b> {
    /// The first write of an element in a block. Nothing before it may jump over it, or read what
    /// has not been written.
    fn first(&mut self, block: &'b Block) -> Option<&'b Expr> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { init, otherwise: None, .. } if !self.array.is_in(init) && !init.jumps() => {}
                Stmt::Let { .. } => return None,
                Stmt::Expr(expr) if self.array.is_in(expr) => return self.write(expr),
                Stmt::Expr(expr) if expr.jumps() => return None,
                Stmt::Expr(_) | Stmt::Declare { .. } | Stmt::Item(_) => {}
            }
        }
        block.value.as_deref().and_then(|value| self.write(value))
    }

    fn write(&mut self, expr: &'b Expr) -> Option<&'b Expr> {
        let free = |expr: &Expr| !self.array.is_in(expr) && !expr.jumps();
        match &expr.kind {
            ExprKind::Assign { place, value, op: None } => {
                let indexes = self.array.indexes(place)?;
                (free(value) && indexes.into_iter().all(free)).then_some(expr)
            }
            ExprKind::Flow { flow: Flow::If { cond, then, otherwise: None }, .. } if free(cond) => {
                self.conditions.extend(same::conjuncts(cond));
                self.first(then)
            }
            // Its rounds all happen: nothing leaves them.
            ExprKind::Flow { flow: Flow::For { var, range, body, .. }, .. } if !body.jumps() => {
                let known =
                    |end: &Expr| self.array.known.interval(end).filter(|(low, high)| low == high && is_wide(end));
                let ((first, _), (end, _)) = (known(&range.start)?, known(&range.end)?);
                if range.inclusive || range.operands().len() > 2 || self.array.body[*var].mutable {
                    return None;
                }
                self.spans.push((*var, first, end - first));
                self.first(body)
            }
            _ => None,
        }
    }

    /// The ends of what is written. Each variable is in one dimension alone, so that all
    /// combinations occur.
    fn ends(&self, indexes: &[&Expr]) -> Option<Vec<(i64, i64)>> {
        let mut used = Vec::new();
        let ends: Option<Vec<(i64, i64)>> = indexes.iter().map(|index| self.reach(index, &mut used)).collect();
        used.sort_unstable();
        let once = used.windows(2).all(|pair| pair[0] != pair[1]);
        ends.filter(|_| once && self.spans.iter().all(|(.., count)| *count > 0))
    }

    /// From the least to the greatest value of an index, if it has all values between.
    fn reach(&self, index: &Expr, used: &mut Vec<LocalId>) -> Option<(i64, i64)> {
        let (least, mut terms) = self.sum(index)?;
        terms.sort_unstable();
        let (mut first, mut reach) = (least, 1);
        for (factor, var) in terms {
            let (_, from, count) = self.spans.iter().find(|(known, ..)| *known == var)?;
            if factor > reach {
                return None;
            }
            first = factor.checked_mul(*from)?.checked_add(first)?;
            reach = factor.checked_mul(count - 1)?.checked_add(reach)?;
            used.push(var);
        }
        let last = first.checked_add(reach)?.checked_sub(1)?;
        // No sum has wrapped.
        (last < i64::from(i32::MAX)).then_some((first, last))
    }

    /// A sum of variables with positive factors, and of a number.
    fn sum(&self, expr: &Expr) -> Option<(i64, Vec<(i64, LocalId)>)> {
        use crate::ir::BinOp::{Add, Mul};
        match &expr.kind {
            ExprKind::Local(local) if self.spans.iter().any(|(var, ..)| var == local) => Some((0, vec![(1, *local)])),
            ExprKind::Binary { op: Add, lhs, rhs, .. } => {
                let ((a, mut terms), (b, more)) = (self.sum(lhs)?, self.sum(rhs)?);
                terms.extend(more);
                Some((a.checked_add(b)?, terms))
            }
            ExprKind::Binary { op: Mul, lhs, rhs, .. } => {
                let ((a, left), (b, right)) = (self.sum(lhs)?, self.sum(rhs)?);
                let (factor, of, terms) = match (left.is_empty(), right.is_empty()) {
                    (true, _) => (a, b, right),
                    (_, true) => (b, a, left),
                    _ => return None,
                };
                let terms = terms.into_iter().map(|(own, var)| Some((own.checked_mul(factor)?, var)));
                let terms: Option<Vec<(i64, LocalId)>> = terms.collect();
                Some((of.checked_mul(factor)?, terms.filter(|terms| terms.iter().all(|(own, _)| *own > 0))?))
            }
            _ => {
                let (low, high) = self.array.known.interval(expr)?;
                (low == high).then_some((low, Vec::new()))
            }
        }
    }
}

/// Whether an end of a range is the number that it looks like: a literal, or arithmetic in a type
/// in which it does not wrap. Nothing says that ends are indexes, whose type is known.
fn is_wide(end: &Expr) -> bool {
    match &end.kind {
        ExprKind::Int { .. } => true,
        _ => has_wide_type(end),
    }
}

/// Whether a literal says what type an expression has, and that has 32 bits or more.
fn has_wide_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int { token, .. } => {
            same::suffix(token).is_some_and(|suffix| !["u8", "i8", "u16", "i16"].contains(&suffix.as_str()))
        }
        // The bits to shift by have a type of their own.
        ExprKind::Binary { op: BinOp::Shl | BinOp::Shr, lhs, .. } => has_wide_type(lhs),
        ExprKind::Binary { lhs, rhs, .. } => has_wide_type(lhs) || has_wide_type(rhs),
        _ => false,
    }
}
