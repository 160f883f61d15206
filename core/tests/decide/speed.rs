//! What a decision costs: `cargo test --release -p anabranch-core --test decide speed --
//! --ignored --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use anabranch_programs::generate::accesses::{Accesses, cond, lit, read, when, write};
use anabranch_programs::program::Expr;
use anabranch_programs::types::Scalar::Usize;

use super::facts::{self, axes, ty};
use anabranch_core::decide::{Numbers, decide};

fn time(name: &str, program: &Accesses) {
    let facts = facts::of(program);
    let symbols: Vec<Option<i128>> = program.symbols.iter().copied().map(Some).collect();
    let numbers = Numbers { blocks: &[], axes: &axes(program), symbols: &symbols, types: &ty };
    let runs = 2_000;
    let mut best = f64::INFINITY;
    // The best of many short ones: the machine has other things to do.
    for _ in 0..1000 {
        let begin = Instant::now();
        for _ in 0..runs {
            let _ = black_box(decide(black_box(&facts), black_box(&numbers)));
        }
        best = best.min(begin.elapsed().as_secs_f64() / f64::from(runs) * 1e9);
    }
    println!("{name}: {best:.0} ns, {:?}", decide(&facts, &numbers));
}

#[test]
#[ignore = "prints times, and checks nothing"]
fn decisions() {
    let line = |body: &dyn Fn([usize; 2], Expr, Expr) -> Vec<_>| {
        let mut program = Accesses::over(&[(0, 1, 1000)]);
        let buffers = [program.buffer(1000), program.buffer(1000)];
        *program.body() = body(buffers, program.var(0), program.len(buffers[0]));
        program
    };
    time("nothing", &line(&|_, _, _| vec![]));
    time("one access", &line(&|[x, _], i, _| vec![read(x, i)]));
    let mut saxpy = line(&|[x, y], i, _| vec![read(x, i.clone()), read(y, i.clone()), write(y, i)]);
    time("saxpy, with its race", &saxpy);
    saxpy = line(&|[x, y], i, _| vec![read(x, i.clone()), read(y, i.clone()), read(y, i)]);
    time("saxpy, three accesses", &saxpy);
    let stencil = line(&|[x, y], i, n| {
        let inside = vec![cond(i.clone(), ">", 0), cond(i.clone() + 1, "<", n)];
        let around = [i.clone() - 1, i.clone(), i.clone() + 1].map(|at| read(x, at));
        vec![when(inside, around.to_vec()), read(y, i)]
    });
    time("stencil of 3 points, guarded", &stencil);
    let mut grid = Accesses::over(&[(0, 1, 100), (0, 1, 200)]);
    let w = grid.host(200, Usize);
    let (x, y) = (grid.buffer(20_000), grid.buffer(20_000));
    let at = grid.var(0) * w.clone() + grid.var(1);
    *grid.body() = vec![read(x, at.clone()), write(y, at)];
    time("grid, with its race", &grid);
    let mut product = grid.clone();
    let rows = product.inner(lit(0), lit(100), None, |k| {
        let (row, column) = (grid.var(0) * w.clone() + k.clone(), k * w.clone() + grid.var(1));
        vec![read(x, row), read(x, column)]
    });
    product.body().insert(0, rows);
    time("product of matrices", &product);
}
