//! Control flow that has a value, and jumps.

use super::Generator;
use super::features::Feature;
use super::profile::Valued;
use super::scope::FrameKind;
use crate::program::{Block, Expr, Kind, Pattern, Stmt};
use crate::types::Ty;

impl Generator<'_> {
    /// A block, `if` or loop with a value of this type.
    pub(super) fn flow(&mut self, ty: &Ty) -> Expr {
        let valued = self.choose_from(self.profile.flows, |this, valued| match valued {
            Valued::If | Valued::Loop | Valued::Block => true,
            Valued::Labelled => this.on(Feature::LabelledBlocks),
            Valued::Match | Valued::IfLet => this.on(Feature::Patterns),
        });
        if self.program.in_lanes
            && self.rng.chance(if self.only_computes() { 1 } else { 25 })
            && let Some(read) = self.guarded_read(ty)
        {
            return read;
        }
        let kind = match valued {
            Valued::If if self.program.spelled && self.on(Feature::Enums) && self.rng.chance(50) => self.outcome(ty),
            Valued::If => {
                let cond = Box::new(self.bool());
                let (then, otherwise) = self.branches(ty);
                Kind::If { cond, then, otherwise: Some(otherwise) }
            }
            Valued::Block => Kind::Block { label: None, block: self.value_block(ty) },
            Valued::Loop => return self.valued_loop(ty),
            Valued::Match => return self.match_value(ty),
            Valued::IfLet => self.if_let(&mut |this| this.value_block(ty), true),
            Valued::Labelled => {
                let label = Some(self.label());
                let block = self.framed(label.clone(), FrameKind::Block(ty.clone()), |this| this.value_block(ty));
                Kind::Block { label, block }
            }
        };
        Expr::new(ty.clone(), kind)
    }

    /// `if let Some(x) = … { … } else { … }`, which has many other spellings.
    fn outcome(&mut self, ty: &Ty) -> Kind {
        let value = self.part();
        let mut parts = vec![value.clone()];
        if self.rng.chance(40) {
            parts.push(self.part());
        }
        let of = parts.len() - 1;
        let scrutinee = Box::new(self.expr(&Ty::Enum(of, parts)));
        let var = self.fresh(value, false);
        let then = self.scoped(|this| {
            this.bind(var);
            this.value_block(ty)
        });
        let otherwise = Some(self.value_block(ty));
        let field = Some(Box::new(Pattern::Bind { var, inner: None }));
        let cond = Expr::matches(Pattern::Variant(of, 0, field), *scrutinee);
        Kind::If { cond: Box::new(cond), then, otherwise }
    }

    /// Two blocks, of which at most one has no value because it jumps away.
    fn branches(&mut self, ty: &Ty) -> (Block, Block) {
        // Not out of the head of a kernel's loop, whose label its dress does not tell from that of
        // the loop around.
        let jumps = if self.is_device() && !self.program.in_lanes { self.rng.below(20) } else { 2 };
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
            let mut stmts = match this.rng.below(4) {
                // Before anything else is read.
                0 if most > 0 => this.assign_what_was_read().into_iter().collect(),
                0 | 1 => this.statements(most),
                _ => Vec::new(),
            };
            if !this.on(Feature::Effects) && this.rng.chance(50) {
                let init = this.expr(ty);
                let var = this.shown("t", ty.clone(), false);
                stmts.push(Stmt::bind(var, init));
            }
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

    /// `panic!("…")`, if the language has it.
    fn panic(&mut self) -> Option<Expr> {
        if !self.on(Feature::Asserts) || !self.on(Feature::Panics) {
            return None;
        }
        let name = *self.rng.pick(&["panic", "unreachable", "todo", "unimplemented"]);
        let (message, args) = match self.rng.chance(70) {
            true => self.message("it is {{so}}"),
            false => return Some(Expr::new(Ty::Never, Kind::Macro { name, args: Vec::new(), message: None })),
        };
        Some(Expr::new(Ty::Never, Kind::Macro { name, args, message: Some(message) }))
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
