//! Statements.

use anabranch_core::ops::BinOp;

use super::Generator;
use super::features::Feature;
use super::profile::Statement;
use super::scope::FrameKind;
use super::teams::Place;
use crate::program::{Block, Expr, Kind, Pattern, Stmt, VarId};
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

impl Generator<'_> {
    /// Up to so many statements; their variables stay in scope.
    pub(super) fn statements(&mut self, most: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..most {
            if self.budget <= 0 {
                break;
            }
            self.statement(&mut stmts);
        }
        stmts
    }

    fn statement(&mut self, stmts: &mut Vec<Stmt>) {
        self.budget -= 1;
        // Deep inside, only what ends soon.
        let deep = self.depth >= self.profile.nesting || self.frames.len() > 4;
        let form = self.choose_from(self.profile.statements, |this, form| {
            form.feature().is_none_or(|feature| this.on(feature))
                && !(deep && form.nests())
                && !(matches!(form, Statement::Observe | Statement::Along) && this.output.is_some())
                && !(form == Statement::Print
                    && (this.quiet || this.is_at(Place::Uniform) || this.is_at(Place::Argument)))
        });
        self.depth += 1;
        match form {
            Statement::Let => self.let_statement(stmts),
            Statement::Counter => self.counter(stmts),
            Statement::Late => self.late(stmts),
            Statement::Assign => stmts.extend(self.assign()),
            Statement::AssignOp => stmts.extend(self.assign_op()),
            Statement::Observe => stmts.extend(self.observe()),
            Statement::If => {
                let cond = Box::new(self.bool());
                let then = self.unit_block();
                let otherwise = match self.rng.which(self.profile.otherwise) {
                    0 => None,
                    1 => Some(self.unit_block()),
                    _ => Some(self.else_if()),
                };
                stmts.push(Stmt::unit(Kind::If { cond, then, otherwise }));
            }
            Statement::Jump => {
                let cond = Box::new(self.bool());
                if let Some(then) = self.jumping_block() {
                    stmts.push(Stmt::unit(Kind::If { cond, then, otherwise: None }));
                }
            }
            Statement::Nested => {
                let label = (self.on(Feature::LabelledBlocks) && self.rng.chance(60)).then(|| self.label());
                let block = match &label {
                    Some(_) => self.framed(label.clone(), FrameKind::Block(Ty::unit()), Self::unit_block),
                    None => self.unit_block(),
                };
                stmts.push(Stmt::unit(Kind::Block { label, block }));
            }
            Statement::While => {
                let label = self.maybe_label();
                let cond = Box::new(self.framed(None, FrameKind::Head, Self::bool));
                let body = self.framed(label.clone(), FrameKind::Loop, Self::unit_block);
                stmts.push(Stmt::unit(Kind::While { label, cond, body }));
            }
            Statement::Loop => {
                let label = self.maybe_label();
                let body = self.framed(label.clone(), FrameKind::Loop, Self::unit_block);
                stmts.push(Stmt::unit(Kind::Loop { label, body, exhausted: None }));
            }
            Statement::For => stmts.push(self.for_loop()),
            Statement::Along => stmts.push(self.along()),
            Statement::Match => {
                let kind = self.matching(&mut |this, _| {
                    if this.rng.chance(25)
                        && let Some(stmt) = this.assign()
                        && let Stmt::Expr(expr) = stmt
                    {
                        return expr;
                    }
                    let block = this.unit_block();
                    Expr::block(Ty::unit(), block)
                });
                stmts.push(Stmt::unit(kind));
            }
            Statement::IfLet => {
                let otherwise = self.rng.chance(50);
                let kind = self.if_let(&mut Self::unit_block, otherwise);
                stmts.push(Stmt::unit(kind));
            }
            Statement::WhileLet => {
                let kind = self.while_let();
                stmts.push(Stmt::unit(kind));
            }
            Statement::Const => {
                let ty = self.constant_ty();
                let value = self.constant(&ty);
                let var = self.fresh(ty, false);
                self.program.vars[var.0].name = format!("K_{}", var.0);
                stmts.push(Stmt::Const(var, value));
                self.bind(var);
            }
            Statement::Destructure => self.destructuring(stmts),
            Statement::LetElse => self.let_else(stmts),
            Statement::Assert if !self.is_device() => stmts.push(Stmt::assert(self.bool())),
            Statement::Assert => {
                let expr = self.assert();
                stmts.push(Stmt::Expr(expr));
            }
            Statement::Print => {
                let (message, args) = self.message("it is");
                stmts.push(Stmt::unit(Kind::Macro { name: "println", args, message: Some(message) }));
            }
            Statement::Discard => {
                let ty = self.ty();
                stmts.push(Stmt::destructure(Pattern::Wild, self.expr(&ty)));
            }
            Statement::Access => {
                let write = self.rng.chance(60);
                stmts.push(self.access(write));
            }
            Statement::Strided => stmts.push(self.strided()),
            Statement::Shape => {
                let access = |this: &mut Self| {
                    let write = this.rng.chance(60);
                    this.access(write)
                };
                self.shape([30, 30, 20, 20], access, stmts);
            }
            Statement::Derived => self.derive(stmts),
            Statement::Pair => self.pair(stmts),
            Statement::Guarded => self.guarded(stmts),
            Statement::Counted => self.counted(stmts),
            Statement::Running => self.running(stmts),
            Statement::Wrapped => self.wrapped(stmts),
            Statement::Unsafe => stmts.push(Stmt::unit(Kind::Unsafe(vec![self.access(true)].into()))),
            Statement::Operation => self.operation(stmts),
            Statement::Choice => {
                let (ty, cond) = (self.int(), self.compare());
                let (then, otherwise) = (self.number(ty, 2), self.number(ty, 1));
                self.name(Expr::choose(cond, then, otherwise), stmts);
            }
        }
        self.depth -= 1;
    }

    /// A new variable.
    pub(super) fn name(&mut self, value: Expr, stmts: &mut Vec<Stmt>) {
        let var = self.fresh(value.ty.clone(), false);
        stmts.push(Stmt::bind(var, value));
        self.bind(var);
    }

    /// `if … { … } else { … }` behind an `else`.
    fn else_if(&mut self) -> Block {
        let cond = Box::new(self.bool());
        let then = self.unit_block();
        let otherwise = self.rng.chance(50).then(|| self.unit_block());
        let kind = Kind::If { cond, then, otherwise };
        Block { stmts: Vec::new(), value: Some(Box::new(Expr::new(Ty::unit(), kind))) }
    }

    /// An assertion that mostly holds.
    fn assert(&mut self) -> Expr {
        let (name, mut args) = match self.rng.weighted(&[(60, 0), (20, 1), (10, 2), (10, 3)]) {
            0 => {
                let (cond, or) = (self.bool(), if self.on(Feature::Panics) { self.bool() } else { Expr::bool(true) });
                ("assert", vec![Expr::or(cond, or)])
            }
            1 => {
                let ty: Ty = self.int().into();
                let (x, y) = if self.on(Feature::Panics) && self.rng.chance(20) {
                    (self.expr(&ty), self.expr(&ty))
                } else {
                    let x = self.literal(ty.scalar().unwrap_or(Scalar::I32));
                    (x.clone(), x)
                };
                ("assert_eq", vec![x, y])
            }
            2 => ("debug_assert", vec![self.bool()]),
            _ => {
                let ty: Ty = self.int().into();
                ("debug_assert_ne", vec![self.expr(&ty), self.expr(&ty)])
            }
        };
        let message = self.rng.chance(70).then(|| {
            let (message, values) = self.message("as it must");
            args.extend(values);
            message
        });
        Expr::new(Ty::unit(), Kind::Macro { name, args, message })
    }

    /// A format string that begins with some words, and its values.
    pub(super) fn message(&mut self, words: &str) -> (String, Vec<Expr>) {
        let count = if self.on(Feature::Prints) { self.rng.below(4) } else { 0 };
        let mut message = words.to_owned();
        let values = (0..count).map(|_| {
            let ty: Ty = if self.rng.chance(20) { Scalar::Bool } else { self.int() }.into();
            let place = *self.rng.pick(&[" {}", " {:?}", " {:>9}", " {{{}}}"]);
            message.push_str(place);
            self.expr(&ty)
        });
        let mut values: Vec<Expr> = values.collect();
        // The values are borrowed, so that none of them may change another one.
        if values.iter().any(assigns) {
            (message, values) = (words.to_owned(), Vec::new());
        }
        (message, values)
    }

    /// `{ … }` without a value.
    pub(super) fn unit_block(&mut self) -> Block {
        self.scoped(|this| {
            let most = 1 + this.rng.below(this.profile.block);
            let mut stmts = this.statements(most);
            if this.rng.chance(this.profile.observed) {
                stmts.extend(this.observe());
            }
            Block { stmts, value: None }
        })
    }

    fn let_statement(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.ty();
        // The machine assigns no arrays.
        let mutable = self.rng.chance(self.profile.mutable) && (self.is_device() || ty.scalar().is_some());
        let written = self.rng.chance(30);
        let init = Some(if written { self.pinned(&ty) } else { self.expr(&ty) });
        let var = self.fresh(ty.clone(), mutable);
        let pattern = Pattern::bind(var);
        stmts.push(Stmt::Let { pattern, ty: written.then_some(ty), init, otherwise: None });
        self.bind(var);
    }

    /// `let mut x = 0; x += y;`, where the second statement tells the type of the first.
    fn counter(&mut self, stmts: &mut Vec<Stmt>) {
        let scalar = self.scalar();
        if scalar == Scalar::Bool {
            return;
        }
        let zero = match scalar.is_float() {
            true => Kind::Float { text: "0.0".to_owned(), suffix: false },
            false => Kind::Int { value: 0, suffix: false },
        };
        let var = self.fresh(scalar, true);
        stmts.push(Stmt::bind(var, Expr::new(scalar, zero)));
        let value = self.unmentioned(var, |this| this.expr(&scalar.into()));
        stmts.push(Stmt::assign_op(BinOp::Add, self.var(var), value));
        self.bind(var);
    }

    /// Before a variable is bound, an older one of its name must not be meant.
    fn unmentioned<T>(&mut self, var: VarId, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.bind(var);
        self.banned.push(var);
        let value = inside(self);
        self.banned.pop();
        if let Some(scope) = self.scopes.last_mut() {
            scope.retain(|&other| other != var);
        }
        value
    }

    /// `let x; if c { x = 1; } else { x = 2; }`.
    fn late(&mut self, stmts: &mut Vec<Stmt>) {
        let ty = self.ty();
        let mutable = self.rng.chance(40);
        let var = self.fresh(ty.clone(), mutable);
        // No other variable may hide it before it has its value.
        self.program.vars[var.0].name.push_str(&format!("_{}", var.0));
        let written = self.rng.chance(40).then(|| ty.clone());
        stmts.push(Stmt::Let { pattern: Pattern::bind(var), ty: written, init: None, otherwise: None });
        let branches = self.unmentioned(var, |this| {
            let cond = Box::new(this.bool());
            let then = this.initialising(var, &ty);
            let otherwise = match this.rng.chance(15) {
                true => this.jumping_block(),
                false => None,
            };
            let otherwise = Some(otherwise.unwrap_or_else(|| this.initialising(var, &ty)));
            Kind::If { cond, then, otherwise }
        });
        stmts.push(Stmt::unit(branches));
        self.bind(var);
    }

    fn initialising(&mut self, var: VarId, ty: &Ty) -> Block {
        self.scoped(|this| {
            let mut stmts = this.statements(1);
            let value = this.expr(ty);
            stmts.push(Stmt::assign(this.var(var), value));
            Block { stmts, value: None }
        })
    }

    /// The type of something that can be assigned.
    fn assignable(&mut self) -> Option<Ty> {
        let vars: Vec<VarId> = self
            .visible()
            .into_iter()
            .filter(|var| self.program.vars[var.0].mutable && !self.frozen.contains(var))
            .filter(|var| !self.is_around(*var) || self.reaches(*var))
            .collect();
        if vars.is_empty() {
            return None;
        }
        let recent = self.recent.filter(|var| vars.contains(var) && self.rng.chance(50));
        let var = recent.unwrap_or_else(|| *self.rng.pick(&vars));
        let mut ty = self.program.vars[var.0].ty.clone();
        loop {
            let down = self.rng.chance(60);
            ty = match ty {
                Ty::Tuple(parts) | Ty::Struct(parts) if down && !parts.is_empty() => self.rng.pick(&parts).clone(),
                Ty::Array(element, _) if down => *element,
                Ty::Slice(element) | Ty::Grid(element, _) => *element,
                other => return Some(other),
            };
        }
    }

    fn assign(&mut self) -> Option<Stmt> {
        let ty = self.assignable()?;
        let value = self.pinned(&ty);
        let place = self.place(&ty, true)?;
        Some(Stmt::assign(place, value))
    }

    /// An assignment to the variable that was read last, which the operand before this one may have
    /// read.
    pub(super) fn assign_what_was_read(&mut self) -> Option<Stmt> {
        let var = self.recent?;
        let info = &self.program.vars[var.0];
        let free = info.mutable && !self.frozen.contains(&var) && self.visible().contains(&var);
        if !free || matches!(info.ty, Ty::Slice(_) | Ty::Grid(..)) {
            return self.assign();
        }
        let place = self.var(var);
        let value = self.pinned(&place.ty.clone());
        Some(Stmt::assign(place, value))
    }

    fn assign_op(&mut self) -> Option<Stmt> {
        let scalar = match self.assignable()? {
            Ty::Scalar(scalar) => scalar,
            Ty::Param(bound) => return self.generic_assign_op(bound),
            Ty::Tuple(_) | Ty::Struct(_) | Ty::Enum(..) | Ty::Array(..) | Ty::Slice(_) | Ty::Grid(..) | Ty::Never => {
                return None;
            }
        };
        use BinOp::*;
        let ops: &[BinOp] = match scalar {
            Scalar::Bool => &[And, Or, Xor],
            s if s.is_float() => &[Add, Sub, Mul, Div, Rem],
            _ => &[Add, Sub, Mul, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr],
        };
        let op = *self.rng.pick(ops);
        let value = match op {
            Div | Rem if scalar.is_int() => self.divisor(scalar),
            Shl | Shr => self.distance(scalar),
            _ => self.pinned(&scalar.into()),
        };
        let place = self.place(&scalar.into(), true)?;
        Some(Stmt::assign_op(op, place, value))
    }

    fn observe(&mut self) -> Option<Stmt> {
        if self.output.is_some() || self.only_computes() {
            return None;
        }
        let kernel = !self.is_device();
        let vars = self.visible_as(|ty| ty.scalar().is_some() || !kernel && !matches!(ty, Ty::Slice(_) | Ty::Grid(..)));
        let vars: Vec<VarId> = vars.into_iter().filter(|var| !self.is_long(*var)).collect();
        (!vars.is_empty()).then(|| {
            let var = self.pick(&vars);
            self.observed(var)
        })
    }

    /// What a kernel observes is a `u32`.
    pub(super) fn observed(&self, var: VarId) -> Stmt {
        let value = self.var(var);
        Stmt::Observe(if self.is_device() { value } else { value.to(Scalar::U32) })
    }
}

/// Whether an expression, or a statement in it, changes a variable.
fn assigns(expr: &Expr) -> bool {
    let mut found = false;
    visit::deep(Node::Expr(&mut expr.clone()), &mut |node| {
        found |= matches!(node, Node::Expr(Expr { kind: Kind::Assign(..) | Kind::AssignOp(..), .. }));
    });
    found
}
