//! Programs with grids: those of slices, in which some buffers become grids.

use crate::program::{Expr, Host, Kind, Program, VarId};
use crate::rng::Rng;
use crate::types::{Scalar, Ty};
use crate::visit::{self, Node};

use super::accesses::at;

/// Makes grids of some buffers that are used by their elements alone. An index becomes a component
/// of an index, beside others that the loop has.
pub fn with_grids(program: &mut Program, rng: &mut Rng) {
    let mut parts = Vec::new();
    visit::look(program, &mut |node| match node {
        Node::Hosts(hosts) => parts.extend(hosts.iter().filter_map(|host| match host {
            Host::Split { view, .. } => Some(*view),
            _ => None,
        })),
        Node::Expr(Expr { kind: Kind::Borrow { place, .. }, .. }) if matches!(place.ty, Ty::Slice(_)) => {
            parts.extend(place.root());
        }
        _ => {}
    });
    let buffers: Vec<VarId> = program.buffers().filter(|buffer| !parts.contains(buffer)).collect();
    for buffer in buffers {
        let minor: &[usize] = [&[] as &[usize], &[2], &[5], &[2, 3]][rng.below(4)];
        program.vars[buffer.0].minor = minor;
        let loops: Vec<VarId> = program.loops().iter().flat_map(|l| l.dims.iter().map(|dim| dim.var)).collect();
        let variables: Vec<Expr> = loops.into_iter().map(|var| program.var(var).to(Scalar::Usize)).collect();
        // Only what the one loop has.
        let variables = if program.loops().len() == 1 { variables } else { Vec::new() };
        let mut to_grid = |expr: &mut Expr| {
            let Kind::Index(base, index) = &mut expr.kind else { return };
            if minor.is_empty() || base.root() != Some(buffer) || matches!(index.kind, Kind::Array(_)) {
                return;
            }
            let own = rng.below(minor.len() + 1);
            let component = |dim: usize| match rng.below(4) {
                _ if dim == own => (**index).clone(),
                0..=1 => Expr::usize(rng.below(2)),
                2 if !variables.is_empty() => variables[rng.below(variables.len())].clone(),
                _ => Expr::bin(anabranch_core::ops::BinOp::Rem, (**index).clone(), Expr::usize(5)),
            };
            **index = at((0..=minor.len()).map(component).collect());
        };
        visit::all(program, &mut |node| {
            if let Node::Expr(expr) | Node::Place(expr) = node {
                to_grid(expr);
            }
        });
    }
}
