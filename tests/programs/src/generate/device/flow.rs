//! Control flow that has a value, and jumps.

use super::{Frame, FrameKind, Generator};
use crate::generate::features::Feature;
use crate::program::{Block, Expr, Kind, Stmt};
use crate::types::Ty;

impl Generator<'_> {
    /// A block, `if` or loop with a value of this type.
    pub(super) fn flow(&mut self, ty: &Ty) -> Expr {
        let labelled = if self.on(Feature::LabelledBlocks) { 12 } else { 0 };
        let effects = if self.on(Feature::Effects) { 30 } else { 0 };
        let patterns = if self.on(Feature::Patterns) { 30 } else { 0 };
        let choices = [(40, 0), (effects, 1), (12, 2), (labelled, 3), (patterns, 4), (patterns / 3, 5)];
        let kind = match self.rng.weighted(&choices) {
            0 => {
                let cond = Box::new(self.bool());
                let (then, otherwise) = self.branches(ty);
                Kind::If { cond, then, otherwise: Some(otherwise) }
            }
            1 => Kind::Block { label: None, block: self.value_block(ty) },
            2 => return self.valued_loop(ty),
            4 => return self.match_value(ty),
            5 => self.if_let(&mut |this| this.value_block(ty), true),
            _ => {
                let label = Some(self.label());
                let block = self.framed(label.clone(), FrameKind::Block(ty.clone()), |this| this.value_block(ty));
                Kind::Block { label, block }
            }
        };
        Expr::new(ty.clone(), kind)
    }

    /// Two blocks, of which at most one has no value because it jumps away.
    fn branches(&mut self, ty: &Ty) -> (Block, Block) {
        let jumps = self.rng.below(20);
        let then = if jumps == 0 { self.jumping_block() } else { None };
        let then = then.unwrap_or_else(|| self.value_block(ty));
        let otherwise = if jumps == 1 { self.jumping_block() } else { None };
        let otherwise = otherwise.unwrap_or_else(|| self.value_block(ty));
        (then, otherwise)
    }

    /// `{ …; value }`.
    pub(super) fn value_block(&mut self, ty: &Ty) -> Block {
        self.scoped(|this| {
            let most = if this.on(Feature::Effects) { 1 + this.rng.below(2) } else { 0 };
            let stmts = match this.rng.below(4) {
                // Before anything else is read.
                0 if most > 0 => this.assign_what_was_read().into_iter().collect(),
                0 | 1 => this.statements(most),
                _ => Vec::new(),
            };
            let value = Some(Box::new(this.expr(ty)));
            Block { stmts, value }
        })
    }

    /// `{ …; break }`.
    pub(super) fn jumping_block(&mut self) -> Option<Block> {
        self.scoped(|this| {
            let stmts = if this.rng.chance(40) { this.statements(1) } else { Vec::new() };
            let value = Some(Box::new(this.jump()?));
            Some(Block { stmts, value })
        })
    }

    fn valued_loop(&mut self, ty: &Ty) -> Expr {
        let label = self.maybe_label();
        let exhausted = Some(Box::new(Expr::zero(ty)));
        let body = self.framed(label.clone(), FrameKind::Valued(ty.clone()), |this| {
            this.scoped(|this| {
                let mut stmts = this.statements(2);
                let value = Some(Box::new(this.expr(ty)));
                let leave = Expr::new(Ty::Never, Kind::Break { label: None, value });
                let block = Block { stmts: vec![Stmt::Expr(leave)], value: None };
                if this.rng.chance(50) {
                    let cond = Box::new(this.bool());
                    let leave = Expr::new(Ty::unit(), Kind::If { cond, then: block, otherwise: None });
                    stmts.push(Stmt::Expr(leave));
                } else {
                    stmts.extend(block.stmts);
                }
                Block { stmts, value: None }
            })
        });
        Expr::new(ty.clone(), Kind::Loop { label, body, exhausted })
    }

    pub(super) fn framed<T>(
        &mut self,
        label: Option<String>,
        kind: FrameKind,
        inside: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.frames.push(Frame { label, kind });
        let value = inside(self);
        self.frames.pop();
        value
    }

    /// A label that no loop around has.
    pub(super) fn label(&mut self) -> String {
        let names = ["outer", "inner", "a", "next", "search", "done", "rows"];
        let name = *self.rng.pick(&names);
        if self.frames.iter().any(|frame| frame.label.as_deref() == Some(name)) {
            format!("{name}{}", self.frames.len())
        } else {
            name.to_owned()
        }
    }

    pub(super) fn maybe_label(&mut self) -> Option<String> {
        self.rng.chance(60).then(|| self.label())
    }

    /// `panic!("…")`, if the language has it.
    fn panic(&mut self) -> Option<Expr> {
        if !self.on(Feature::Asserts) || !self.on(Feature::Panics) {
            return None;
        }
        let name = *self.rng.pick(&["panic", "unreachable", "todo", "unimplemented"]);
        let message = self.rng.chance(70).then(|| "it is {{so}}".to_owned());
        Some(Expr::new(Ty::Never, Kind::Macro { name, args: Vec::new(), message }))
    }

    /// An expression that leaves for somewhere else, if there is somewhere.
    pub(super) fn jump(&mut self) -> Option<Expr> {
        let mut choices: Vec<(usize, (usize, bool))> = Vec::new();
        for (at, frame) in self.frames.iter().enumerate() {
            let innermost = at + 1 == self.frames.len();
            if frame.label.is_none() && !innermost {
                continue;
            }
            match frame.kind {
                FrameKind::Par => choices.push((1, (at, false))),
                FrameKind::Loop | FrameKind::Valued(_) => choices.extend([(6, (at, true)), (6, (at, false))]),
                FrameKind::Block(_) => choices.push((6, (at, true))),
                FrameKind::Head => {}
            }
        }
        let returns = self.output.clone();
        if returns.is_some() {
            choices.push((3, (usize::MAX, false)));
        }
        if choices.is_empty() || (self.on(Feature::Asserts) && self.on(Feature::Panics) && self.rng.chance(4)) {
            return self.panic();
        }
        let (at, breaks) = self.rng.weighted(&choices);
        let kind = match (self.frames.get(at), returns) {
            (Some(frame), _) => {
                let innermost = at + 1 == self.frames.len();
                let (label, kind) = (frame.label.clone(), frame.kind.clone());
                // A labelled block is only left by its name.
                let plain = innermost && !matches!(kind, FrameKind::Block(_)) && self.rng.chance(70);
                let label = if plain { None } else { label };
                match kind {
                    FrameKind::Valued(ty) | FrameKind::Block(ty) if breaks => {
                        let value = (ty != Ty::unit()).then(|| Box::new(self.expr(&ty)));
                        Kind::Break { label, value }
                    }
                    _ if breaks => Kind::Break { label, value: None },
                    _ => Kind::Continue(label),
                }
            }
            (None, Some(output)) => Kind::Return(Some(Box::new(self.expr(&output)))),
            (None, None) => return None,
        };
        Some(Expr::new(Ty::Never, kind))
    }
}
