//! Loops of a host part with reductions: scans, and loops that read results. What an iteration
//! observes goes into an element of its own.

use super::Generator;
use super::reductions::FEW;
use super::scope::{Frame, FrameKind};
use super::teams::bare;
use super::values::{LANES, OWN, ROOM, ROWS};
use crate::program::{Block, Collective, Dim, Expr, Host, Kind, Pass, Scan, Stmt, VarId};
use crate::types::Scalar;

impl Generator<'_> {
    /// A loop, or a scan.
    pub(super) fn pass(&mut self, scans: bool) -> Host {
        let views = self.host.views.clone();
        let fitting: Vec<VarId> = views.into_iter().filter(|view| *view != ROWS && self.holds_bits(*view)).collect();
        if fitting.is_empty() {
            return self.reduction();
        }
        // Only one of them has room for many.
        let many = fitting.contains(&LANES) && self.rng.chance(if scans { 25 } else { 5 });
        let view = if many { LANES } else { self.pick(&fitting) };
        let len = match view {
            LANES if many => ROOM * FEW,
            LANES => 80,
            OWN => 4 * FEW,
            _ => FEW,
        };
        let range = if many { self.many(len) } else { self.host_range(len - 1) };
        let var = self.named("m", Scalar::Usize, false);
        let place = self.element_of_iteration(view, var, len);
        let end = (*range.end).clone();
        self.banned.push(view);
        let scan = scans.then(|| self.scan_of(&place, end.clone(), many));
        self.frames = vec![Frame { label: Some("each".to_owned()), kind: FrameKind::Par }];
        let body = self.iteration(&[var], &[end], |this| {
            scan.iter().for_each(|scan| this.bind(scan.sum));
            this.budget = if many { 10 } else { 20 + this.rng.below(40) as i64 };
            let most = if many { 1 } else { 1 + this.rng.below(4) };
            let mut stmts: Vec<_> = scan.iter().map(|scan| Stmt::Observe(this.var(scan.sum))).collect();
            stmts.extend(this.statements(most));
            // All that there is now.
            for ty in [Scalar::F32, Scalar::Usize, Scalar::I64] {
                if this.rng.chance(40) {
                    let value = this.expr(&ty.into());
                    this.observed_value(value, &mut stmts);
                }
            }
            Block { stmts, value: None }
        });
        self.frames.clear();
        self.banned.pop();
        Host::Pass(Box::new(Pass { dim: Dim { var, range }, scan, body, into: place }))
    }

    fn observed_value(&mut self, value: Expr, stmts: &mut Vec<Stmt>) {
        let var = self.named("read", value.ty.clone(), false);
        stmts.push(Stmt::bind(var, value));
        stmts.push(Stmt::Observe(self.var(var)));
    }

    /// Whether what was observed fits into the elements of a view.
    fn holds_bits(&self, view: VarId) -> bool {
        let element = Expr::element(self.var(view), bare(0)).ty;
        element.scalar().is_some_and(|scalar| scalar.is_int())
    }

    /// An element that no other iteration has.
    fn element_of_iteration(&mut self, view: VarId, var: VarId, len: usize) -> Expr {
        let index = match self.rng.below(4) {
            0 => bare(len - 1) - self.var(var),
            1 if view == OWN && len == FEW => self.var(var) * bare(4) + bare(1),
            _ => self.var(var),
        };
        Expr::element(self.var(view), index)
    }

    fn scan_of(&mut self, place: &Expr, end: Expr, many: bool) -> Scan {
        let scalar = loop {
            let any = self.scalar();
            match self.pick(&[Scalar::F32, Scalar::F64, Scalar::U32, any]) {
                Scalar::Bool => {}
                scalar => break scalar,
            }
        };
        let op = self.pick(&[Collective::InclusiveSum, Collective::ExclusiveSum]);
        let index = self.named("p", Scalar::Usize, false);
        let mut value = self.closure(&[index], &[end], &scalar.into(), many);
        // In place: what the iteration itself will write.
        if self.rng.chance(20)
            && let Kind::Index(view, at) = &place.kind
            && matches!(at.kind, Kind::Var(_))
        {
            value = Block::of(Expr::element((**view).clone(), self.var(index)).to(scalar));
        }
        let sum = self.named("sum", scalar, false);
        Scan { op, index, value, sum }
    }
}
