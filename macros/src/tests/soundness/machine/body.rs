//! Statements and expressions, one after the other.

use super::super::program::{Adaptor, Cond, Ends, Expr, Method, Op, Part, Place, Stmt, Ty, Writing};
use super::{Machine, Stop, Window};

impl<'p> Machine<'p> {
    pub(super) fn burn(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
        Ok(())
    }

    pub(super) fn stmts(&mut self, stmts: &'p [Stmt]) -> Result<(), Stop> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Result<(), Stop> {
        self.burn()?;
        match stmt {
            Stmt::Let(local, expr) | Stmt::Assign(local, expr) => self.locals[*local] = self.value(expr)?,
            Stmt::Tuple(parts) => {
                let values = parts.iter().map(|(_, expr)| self.value(expr)).collect::<Result<Vec<_>, _>>()?;
                parts.iter().zip(values).for_each(|((local, _), value)| self.locals[*local] = value);
            }
            Stmt::Bool(local, cond) => self.locals[*local] = i128::from(self.cond(cond)?),
            Stmt::Array(local, values) => {
                self.arrays[*local] = values.iter().map(|expr| self.value(expr)).collect::<Result<Vec<_>, _>>()?;
            }
            Stmt::Read(place, _) => {
                let element = self.load(place)?;
                self.acc = self.acc.wrapping_mul(31).wrapping_add(element);
            }
            Stmt::Write(place, writing) => {
                let (buffer, element) = self.element(place)?;
                self.touch(buffer, element, true);
                let at = &mut self.memory[buffer][element];
                *at = if *writing == Writing::Add { at.wrapping_add(self.acc) } else { self.acc };
            }
            Stmt::Sum(part) => {
                let Window { buffer, start, len } = self.part(part)?;
                let mut sum = 0u32;
                for element in start..start + len {
                    self.touch(buffer, element, false);
                    sum = sum.wrapping_mul(31).wrapping_add(self.memory[buffer][element]);
                }
                self.acc = self.acc.wrapping_add(sum);
            }
            Stmt::Put(part) => {
                let Window { buffer, start, len } = self.part(part)?;
                for (k, element) in (start..start + len).enumerate() {
                    self.touch(buffer, element, true);
                    self.memory[buffer][element] = self.acc.wrapping_add(k as u32);
                }
            }
            Stmt::If(cond, then, otherwise) => {
                let way = if self.cond(cond)? { then } else { otherwise };
                self.stmts(way)?;
            }
            Stmt::For { var, start, end, inclusive, adaptors, body } => {
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
                    self.locals[*var] = first + stride * trip;
                    match self.stmts(body) {
                        Err(Stop::Break) => break,
                        Err(Stop::Continue) => {}
                        other => other?,
                    }
                }
            }
            Stmt::While { cond, var, by, body } => {
                while self.cond(cond)? {
                    self.burn()?;
                    match self.stmts(body) {
                        Err(Stop::Break) => break,
                        other => other?,
                    }
                    self.locals[*var] = self.program.locals[*var].ty.wrap(self.locals[*var] + by);
                }
            }
            Stmt::Match(value, arms) => {
                let value = usize::try_from(self.value(value)?).unwrap_or(usize::MAX);
                self.stmts(&arms[value.min(arms.len() - 1)])?;
            }
            Stmt::Continue => return Err(Stop::Continue),
            Stmt::Break => return Err(Stop::Break),
            Stmt::Assert(cond) => {
                if !self.cond(cond)? {
                    return Err(Stop::Panic);
                }
            }
            Stmt::Unsafe(body) => {
                self.trusted += 1;
                let result = self.stmts(body);
                self.trusted -= 1;
                result?;
            }
            Stmt::Block(body) => self.stmts(body)?,
        }
        Ok(())
    }

    /// Where a place is; outside of its view the iteration ends.
    fn element(&mut self, place: &'p Place) -> Result<(usize, usize), Stop> {
        let index = self.value(&place.index)?;
        let Window { buffer, start, len } = self.views[place.view];
        match usize::try_from(index) {
            Ok(element) if element < len => Ok((buffer, start + element)),
            _ => Err(Stop::Outside(place.id, index)),
        }
    }

    fn load(&mut self, place: &'p Place) -> Result<u32, Stop> {
        let (buffer, element) = self.element(place)?;
        self.touch(buffer, element, false);
        Ok(self.memory[buffer][element])
    }

    fn part(&mut self, part: &'p Part) -> Result<Window, Stop> {
        let mut window = self.views[part.view];
        for Ends { start, end, inclusive } in &part.ends {
            let start = start.as_ref().map_or(Ok(0), |start| self.value(start))?;
            let end = match end {
                Some(end) => self.value(end)? + i128::from(*inclusive),
                None => window.len as i128,
            };
            if start > end || end > window.len as i128 {
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
        }
        for (group, elements) in &mut self.forks {
            elements[buffer][element].add(*group, write);
        }
        self.run.most[buffer] = self.run.most[buffer].max(element + 1);
    }

    pub(super) fn cond(&mut self, cond: &'p Cond) -> Result<bool, Stop> {
        Ok(match cond {
            Cond::Compare(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match *op {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    ">=" => a >= b,
                    "==" => a == b,
                    _ => a != b,
                }
            }
            Cond::And(a, b) => self.cond(a)? && self.cond(b)?,
            Cond::Or(a, b) => self.cond(a)? || self.cond(b)?,
            Cond::Not(a) => !self.cond(a)?,
            Cond::Var(local) => self.locals[*local] != 0,
        })
    }

    pub(super) fn value(&mut self, expr: &'p Expr) -> Result<i128, Stop> {
        Ok(match expr {
            Expr::Lit(value, _) => *value,
            Expr::Var(local) => self.locals[*local],
            Expr::Value(value) => self.values[*value],
            Expr::Len(view) => self.views[*view].len as i128,
            Expr::ArrayLen(local) => self.arrays[*local].len() as i128,
            Expr::Element(local, index) => {
                let index = usize::try_from(self.value(index)?).unwrap_or(usize::MAX);
                *self.arrays[*local].get(index).ok_or(Stop::Panic)?
            }
            Expr::Bin(op, ty, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let exact = match op {
                    Op::Add => Some(a + b),
                    Op::Sub => Some(a - b),
                    Op::Mul => a.checked_mul(b),
                    _ => Some(0),
                };
                self.run.wrapped |= !self.device && exact.is_none_or(|exact| exact != ty.wrap(exact));
                match op {
                    Op::Add => ty.wrap(a + b),
                    Op::Sub => ty.wrap(a - b),
                    Op::Mul => ty.wrap(a.wrapping_mul(b)),
                    Op::Div | Op::Rem if b == 0 || ty.signed() && a == ty.min() && b == -1 => return Err(Stop::Panic),
                    Op::Div => a / b,
                    Op::Rem => a % b,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                }
            }
            Expr::Shift { left, ty, value, by } => {
                let (value, by) = (self.value(value)?, self.value(by)?.rem_euclid(i128::from(ty.bits())));
                if *left { ty.wrap(value << by) } else { value >> by }
            }
            Expr::Neg(ty, a) => ty.wrap(-self.value(a)?),
            Expr::Call(method, ty, args) => {
                let args = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>, _>>()?;
                call(*method, *ty, &args)?
            }
            Expr::Cast(a, ty) => ty.wrap(self.value(a)?),
            Expr::If(cond, a, b) => {
                let way = if self.cond(cond)? { a } else { b };
                self.value(way)?
            }
            Expr::With(local, a, b) => {
                self.locals[*local] = self.value(a)?;
                self.value(b)?
            }
            Expr::Load(place) => i128::from(self.load(place)?),
        })
    }
}

fn call(method: Method, ty: Ty, args: &[i128]) -> Result<i128, Stop> {
    let (a, b) = (args[0], args.get(1).copied().unwrap_or_default());
    // The bits of the receiver.
    let bits = a & ((1 << ty.bits()) - 1);
    Ok(match method {
        Method::Min => a.min(b),
        Method::Max => a.max(b),
        Method::Clamp if b > args[2] => return Err(Stop::Panic),
        Method::Clamp => a.clamp(b, args[2]),
        Method::SaturatingSub => (a - b).clamp(ty.min(), ty.max()),
        Method::SaturatingAdd => (a + b).clamp(ty.min(), ty.max()),
        Method::WrappingAdd => ty.wrap(a + b),
        Method::WrappingSub => ty.wrap(a - b),
        Method::WrappingMul => ty.wrap(a.wrapping_mul(b)),
        Method::AbsDiff => (a - b).abs(),
        Method::RemEuclid | Method::DivEuclid if b == 0 || ty.signed() && a == ty.min() && b == -1 => {
            return Err(Stop::Panic);
        }
        Method::RemEuclid => a.rem_euclid(b),
        Method::DivEuclid => a.div_euclid(b),
        Method::Pow => power(ty, a, b),
        Method::WrappingShl => ty.wrap(a << (b % i128::from(ty.bits()))),
        Method::RotateLeft => {
            let by = b % i128::from(ty.bits());
            ty.wrap((bits << by) | (bits >> (i128::from(ty.bits()) - by)))
        }
        Method::WrappingAddSigned => ty.wrap(a + b),
        Method::UnsignedAbs => a.abs(),
        Method::CountOnes => i128::from(bits.count_ones()),
        Method::LeadingZeros => i128::from(bits.leading_zeros()) - 128 + i128::from(ty.bits()),
        Method::Ilog2 if a <= 0 => return Err(Stop::Panic),
        Method::Ilog2 => i128::from(a.ilog2()),
    })
}

/// `a.pow(b)`, which wraps.
fn power(ty: Ty, a: i128, b: i128) -> i128 {
    let bits = (0..32).rev().map(|bit| b >> bit & 1);
    bits.fold(1, |power, bit| {
        let square = ty.wrap(power.wrapping_mul(power));
        if bit == 1 { ty.wrap(square.wrapping_mul(a)) } else { square }
    })
}
