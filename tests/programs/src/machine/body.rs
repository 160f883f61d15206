//! Statements and expressions, one after the other: numbers, truths and arrays of them. A truth is
//! 0 or 1, `()` is 0.

use anabranch_core::methods::Method;
use anabranch_core::ops::{BinOp, CompareOp, UnOp};

use super::{Machine, Stop, Touch, Window};
use crate::print::Site;
use crate::program::{Adaptor, Arm, Around, Block, Callee, Expr, Kind, Part, Pattern, Range, Stmt, VarId, shape};
use crate::types::{Scalar, Ty};

impl<'p> Machine<'p> {
    pub(super) fn burn(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
        Ok(())
    }

    /// The value of a block.
    pub(super) fn block(&mut self, block: &'p Block) -> Result<i128, Stop> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))?;
        block.value.as_ref().map_or(Ok(0), |value| self.value(value))
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Result<(), Stop> {
        self.burn()?;
        match stmt {
            Stmt::Let { pattern, init: Some(init), otherwise: None, .. } => match (pattern, &init.kind) {
                (Pattern::Bind { var, inner: None }, Kind::Array(values)) => {
                    self.arrays[var.0] = self.all(values)?;
                }
                (Pattern::Bind { var, inner: None }, _) => self.values[var.0] = self.value(init)?,
                (Pattern::Tuple(patterns), Kind::Tuple(values)) => {
                    let values = self.all(values)?;
                    for (pattern, value) in patterns.iter().zip(values) {
                        let Pattern::Bind { var, inner: None } = pattern else { unknown(pattern) };
                        self.values[var.0] = value;
                    }
                }
                _ => unknown(pattern),
            },
            Stmt::Expr(expr) => {
                self.value(expr)?;
            }
            Stmt::Observe(value) => {
                let value = Scalar::U32.wrap(self.value(value)?) as u32;
                self.seen = self.seen.wrapping_mul(31).wrapping_add(value);
            }
            Stmt::Let { .. } | Stmt::Const(..) => unknown(stmt),
        }
        Ok(())
    }

    fn all(&mut self, values: &'p [Expr]) -> Result<Vec<i128>, Stop> {
        values.iter().map(|value| self.value(value)).collect()
    }

    pub(super) fn holds(&mut self, cond: &'p Expr) -> Result<bool, Stop> {
        Ok(self.value(cond)? != 0)
    }

    pub(super) fn value(&mut self, expr: &'p Expr) -> Result<i128, Stop> {
        Ok(match &expr.kind {
            Kind::Int { value, .. } => *value,
            Kind::Bool(value) => i128::from(*value),
            Kind::Var(var) => self.values[var.0],
            Kind::Seen => i128::from(self.seen),
            Kind::Unary(UnOp::Neg, a) => expr.scalar().wrap(-self.value(a)?),
            Kind::Unary(UnOp::Not, a) if expr.scalar() == Scalar::Bool => 1 - self.value(a)?,
            Kind::Unary(UnOp::Not, a) => expr.scalar().wrap(!self.value(a)?),
            Kind::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.operator(*op, expr.scalar(), a, b)?
            }
            Kind::Compare(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                i128::from(match op {
                    CompareOp::Lt => a < b,
                    CompareOp::Le => a <= b,
                    CompareOp::Gt => a > b,
                    CompareOp::Ge => a >= b,
                    CompareOp::Eq => a == b,
                    CompareOp::Ne => a != b,
                })
            }
            Kind::And(a, b) => i128::from(self.holds(a)? && self.holds(b)?),
            Kind::Or(a, b) => i128::from(self.holds(a)? || self.holds(b)?),
            Kind::Cast(a) => expr.scalar().wrap(self.value(a)?),
            Kind::Method { method, args, .. } => {
                let ty = args[0].scalar();
                let args = self.all(args)?;
                call(method, ty, &args)?
            }
            Kind::Len(of) => {
                let var = of.root().unwrap_or_else(|| unknown(of));
                if matches!(of.ty, Ty::Slice(_)) {
                    self.views[var.0].len as i128
                } else {
                    self.arrays[var.0].len() as i128
                }
            }
            Kind::Index(base, index) if !matches!(base.ty, Ty::Slice(_)) => {
                let index = usize::try_from(self.value(index)?).unwrap_or(usize::MAX);
                let var = base.root().unwrap_or_else(|| unknown(base));
                *self.arrays[var.0].get(index).ok_or(Stop::Panic)?
            }
            Kind::Index(..) => i128::from(self.load(expr)?),
            Kind::Assign(place, value) => self.assign(place, value, |_, value| value)?,
            Kind::AssignOp(op, place, value) => {
                let ty = place.scalar();
                let op = |old: i128, value| match op {
                    BinOp::Add => ty.wrap(old + value),
                    BinOp::Sub => ty.wrap(old - value),
                    BinOp::Mul => ty.wrap(old.wrapping_mul(value)),
                    _ => unknown(op),
                };
                self.assign(place, value, op)?
            }
            Kind::Call { callee: Callee::Around(Around::Any), .. } => expr.scalar().wrap(self.any()),
            Kind::Call { callee: Callee::Around(around), args } => self.around(*around, args)?,
            Kind::If { cond, then, otherwise } => match otherwise {
                _ if self.holds(cond)? => self.block(then)?,
                Some(otherwise) => self.block(otherwise)?,
                None => 0,
            },
            Kind::Block { block, .. } => self.block(block)?,
            Kind::Unsafe(block) => {
                self.trusted += 1;
                let result = self.block(block);
                self.trusted -= 1;
                result?
            }
            Kind::For { var, range, body, .. } => self.counting(*var, range, body)?,
            Kind::While { cond, body, .. } => {
                while self.holds(cond)? {
                    self.burn()?;
                    match self.block(body) {
                        Err(Stop::Break) => break,
                        Err(Stop::Continue) => {}
                        other => drop(other?),
                    }
                }
                0
            }
            Kind::Match { scrutinee, arms } => {
                let value = self.value(scrutinee)?;
                let mut result = Ok(0);
                for Arm { pattern, guard, body } in arms {
                    if self.matches(pattern, value) && guard.as_ref().map_or(Ok(true), |guard| self.holds(guard))? {
                        result = self.value(body);
                        break;
                    }
                }
                result?
            }
            Kind::Break { label: None, value: None } => return Err(Stop::Break),
            Kind::Continue(None) => return Err(Stop::Continue),
            Kind::Macro { name: "assert", args, .. } if self.holds(&args[0])? => 0,
            Kind::Macro { name: "assert" | "panic" | "unreachable" | "todo" | "unimplemented", .. } => {
                return Err(Stop::Panic);
            }
            // What kernels of this crate do not have.
            Kind::Float { .. }
            | Kind::Const(_)
            | Kind::GenericCast(_)
            | Kind::Associated(..)
            | Kind::From(_)
            | Kind::Call { .. }
            | Kind::Borrow { .. }
            | Kind::Field(..)
            | Kind::Tuple(_)
            | Kind::Variant(..)
            | Kind::Extent(..)
            | Kind::Array(_)
            | Kind::Repeat(_)
            | Kind::Let(..)
            | Kind::Order(..)
            | Kind::Loop { .. }
            | Kind::Chain(..)
            | Kind::Break { .. }
            | Kind::Continue(_)
            | Kind::Return(_)
            | Kind::Shared(_)
            | Kind::Each(_)
            | Kind::Collective { .. }
            | Kind::Phase { .. }
            | Kind::Macro { .. } => unknown(expr),
        })
    }

    /// Whether a number matches; then it is what the pattern binds.
    fn matches(&mut self, pattern: &Pattern, value: i128) -> bool {
        let end = |end: &Option<Box<Expr>>| end.as_ref().and_then(|end| end.literal());
        match pattern {
            Pattern::Wild => true,
            Pattern::Bind { var, inner } => {
                self.values[var.0] = value;
                inner.as_ref().is_none_or(|inner| self.matches(inner, value))
            }
            Pattern::Value(own) => own.literal() == Some(value),
            Pattern::Range { start, end: last, inclusive } => {
                let last = end(last).map(|last| last + i128::from(*inclusive));
                end(start).is_none_or(|start| start <= value) && last.is_none_or(|last| value < last)
            }
            Pattern::Or(parts) => parts.iter().any(|part| self.matches(part, value)),
            Pattern::Tuple(_) | Pattern::Struct(_) | Pattern::Variant(..) | Pattern::Array(_) => unknown(pattern),
        }
    }

    fn counting(&mut self, var: VarId, range: &'p Range, body: &'p Block) -> Result<i128, Stop> {
        let Range { start, end, inclusive, adaptors } = range;
        let (mut first, end) = (self.value(start)?, self.value(end)? + i128::from(*inclusive));
        let (mut count, mut stride) = ((end - first).max(0), 1);
        for adaptor in adaptors {
            match adaptor {
                Adaptor::Rev => (first, stride) = (first + stride * (count - 1), -stride),
                Adaptor::StepBy(step) => {
                    let step = Some(self.value(step)?).filter(|step| *step > 0).ok_or(Stop::Panic)?;
                    (count, stride) = ((count + step - 1) / step, stride * step);
                }
            }
        }
        for trip in 0..count {
            self.burn()?;
            self.values[var.0] = first + stride * trip;
            match self.block(body) {
                Err(Stop::Break) => break,
                Err(Stop::Continue) => {}
                other => drop(other?),
            }
        }
        Ok(0)
    }

    /// A small number, mostly, and now and then any.
    fn any(&mut self) -> i128 {
        let number = i128::from(self.unknown.bits() >> 33);
        if number % 4 > 0 { number / 4 % 9 } else { number * number }
    }

    fn around(&mut self, around: Around, args: &'p [Expr]) -> Result<i128, Stop> {
        let Kind::Borrow { place, parts, .. } = &args[0].kind else { unknown(&args[0]) };
        match around {
            Around::Get => Ok(i128::from(self.load(place)?)),
            Around::Set => self.assign(place, &args[1], |_, value| value),
            Around::Sum => {
                let Window { buffer, start, len } = self.part(place, parts)?;
                let mut sum = 0u32;
                for element in start..start + len {
                    self.touch(buffer, element, false);
                    sum = sum.wrapping_mul(31).wrapping_add(self.memory[buffer][element]);
                }
                Ok(i128::from(sum))
            }
            Around::Put => {
                let Window { buffer, start, len } = self.part(place, parts)?;
                let value = Scalar::U32.wrap(self.value(&args[1])?) as u32;
                for (k, element) in (start..start + len).enumerate() {
                    self.touch(buffer, element, true);
                    self.memory[buffer][element] = value.wrapping_add(k as u32);
                }
                Ok(0)
            }
            Around::Any | Around::Turn | Around::Exchange | Around::Load => unreachable!("it borrows nothing"),
        }
    }

    /// Stores what an operation makes of a value, and of what was there before.
    fn assign(&mut self, place: &'p Expr, value: &'p Expr, op: impl Fn(i128, i128) -> i128) -> Result<i128, Stop> {
        let value = self.value(value)?;
        match &place.kind {
            Kind::Var(var) => self.values[var.0] = op(self.values[var.0], value),
            _ => {
                let (buffer, element) = self.element(place)?;
                self.touch(buffer, element, true);
                let at = &mut self.memory[buffer][element];
                *at = op(i128::from(*at), value) as u32;
            }
        }
        Ok(0)
    }

    /// Where an element of a view is; outside of its view the iteration ends.
    fn element(&mut self, place: &'p Expr) -> Result<(usize, usize), Stop> {
        let Kind::Index(base, index) = &place.kind else { unknown(place) };
        let view = base.root().unwrap_or_else(|| unknown(base));
        let index = match &index.kind {
            Kind::Array(components) => self.place_in_grid(view, components.iter(), Site::of(place))?,
            // What the shrinker makes of an array.
            Kind::Repeat(component) => {
                self.place_in_grid(view, std::iter::repeat_n(&**component, 3), Site::of(place))?
            }
            _ => self.value(index)?,
        };
        let Window { buffer, start, len } = self.views[view.0];
        match usize::try_from(index) {
            Ok(element) if element < len => Ok((buffer, start + element)),
            _ => Err(Stop::Outside(Site::of(place), index)),
        }
    }

    /// The place of an element of a grid. Every component has its bounds, which are asked after all
    /// of them are there.
    fn place_in_grid(
        &mut self,
        view: VarId,
        components: impl Iterator<Item = &'p Expr>,
        site: Site,
    ) -> Result<i128, Stop> {
        let components = components.map(|component| self.value(component)).collect::<Result<Vec<_>, _>>()?;
        let shape = shape(self.views[view.0].len, self.program.vars[view.0].minor);
        components.into_iter().zip(shape).try_fold(0, |place, (index, len)| match (0..len as i128).contains(&index) {
            true => Ok(place * len as i128 + index),
            false => Err(Stop::Outside(site, index)),
        })
    }

    fn load(&mut self, place: &'p Expr) -> Result<u32, Stop> {
        let (buffer, element) = self.element(place)?;
        self.touch(buffer, element, false);
        Ok(self.memory[buffer][element])
    }

    fn part(&mut self, view: &'p Expr, parts: &'p [Part]) -> Result<Window, Stop> {
        let mut window = self.views[view.root().unwrap_or_else(|| unknown(view)).0];
        for Part { start, end, inclusive } in parts {
            let start = start.as_ref().map_or(Ok(0), |start| self.value(start))?;
            let end = match end {
                Some(end) => self.value(end)? + i128::from(*inclusive),
                None => window.len as i128,
            };
            if start > end || end > window.len as i128 {
                self.outcome.outside_parts = true;
                return Err(Stop::Panic);
            }
            window.start += start as usize;
            window.len = (end - start) as usize;
        }
        Ok(window)
    }

    fn touch(&mut self, buffer: usize, element: usize, write: bool) {
        if self.trusted == 0 {
            self.elements[buffer][element].add(self.iteration, write);
            if self.is_watched() {
                self.outcome.touches.push(Touch { iteration: self.iteration, buffer, element, write });
            }
        }
        for (group, elements) in &mut self.forks {
            elements[buffer][element].add(*group, write);
        }
        self.run.most[buffer] = self.run.most[buffer].max(element + 1);
    }

    fn operator(&mut self, op: BinOp, ty: Scalar, a: i128, b: i128) -> Result<i128, Stop> {
        let exact = match op {
            BinOp::Add => Some(a + b),
            BinOp::Sub => Some(a - b),
            BinOp::Mul => a.checked_mul(b),
            _ => Some(0),
        };
        self.run.wrapped |= !self.device && exact.is_none_or(|exact| exact != ty.wrap(exact));
        Ok(match op {
            BinOp::Add => ty.wrap(a + b),
            BinOp::Sub => ty.wrap(a - b),
            BinOp::Mul => ty.wrap(a.wrapping_mul(b)),
            BinOp::Div | BinOp::Rem if b == 0 || ty.is_signed() && a == ty.min() && b == -1 => return Err(Stop::Panic),
            BinOp::Div => a / b,
            BinOp::Rem => a % b,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Shl => ty.wrap(a << b.rem_euclid(i128::from(ty.bits()))),
            BinOp::Shr => a >> b.rem_euclid(i128::from(ty.bits())),
        })
    }
}

/// A part of the language that the machine does not run.
fn unknown(part: &dyn std::fmt::Debug) -> ! {
    panic!("the machine does not run {part:?}")
}

fn call(method: &Method, ty: Scalar, args: &[i128]) -> Result<i128, Stop> {
    let (a, b) = (args[0], args.get(1).copied().unwrap_or_default());
    // The bits of the receiver.
    let bits = a & ((1 << ty.bits()) - 1);
    Ok(match method.name {
        "min" => a.min(b),
        "max" => a.max(b),
        "clamp" if b > args[2] => return Err(Stop::Panic),
        "clamp" => a.clamp(b, args[2]),
        "saturating_sub" => (a - b).clamp(ty.min(), ty.max()),
        "saturating_add" => (a + b).clamp(ty.min(), ty.max()),
        "wrapping_add" | "wrapping_add_signed" => ty.wrap(a + b),
        "wrapping_sub" => ty.wrap(a - b),
        "wrapping_mul" => ty.wrap(a.wrapping_mul(b)),
        "abs_diff" => (a - b).abs(),
        "rem_euclid" | "div_euclid" if b == 0 || ty.is_signed() && a == ty.min() && b == -1 => return Err(Stop::Panic),
        "rem_euclid" => a.rem_euclid(b),
        "div_euclid" => a.div_euclid(b),
        "pow" => power(ty, a, b),
        "wrapping_shl" => ty.wrap(a << (b % i128::from(ty.bits()))),
        "rotate_left" => {
            let by = b % i128::from(ty.bits());
            ty.wrap((bits << by) | (bits >> (i128::from(ty.bits()) - by)))
        }
        "unsigned_abs" => a.abs(),
        "count_ones" => i128::from(bits.count_ones()),
        "leading_zeros" => i128::from(bits.leading_zeros()) - 128 + i128::from(ty.bits()),
        "ilog2" if a <= 0 => return Err(Stop::Panic),
        "ilog2" => i128::from(a.ilog2()),
        other => unknown(&other),
    })
}

/// `a.pow(b)`, which wraps.
fn power(ty: Scalar, a: i128, b: i128) -> i128 {
    let bits = (0..32).rev().map(|bit| b >> bit & 1);
    bits.fold(1, |power, bit| {
        let square = ty.wrap(power.wrapping_mul(power));
        if bit == 1 { ty.wrap(square.wrapping_mul(a)) } else { square }
    })
}
