//! Which accesses are in bounds.

use anabranch_core::facts::{Access, Condition, Facts, Form, Step, wire};
use anabranch_core::limits::{MAX_ATOMS, MAX_NESTING};
use anabranch_core::ops::{Comparison, Operation};
use anabranch_programs::generate::accesses::{Accesses, at, cond, lit, read, result, when, write_range};
use anabranch_programs::program::{Expr, Kind, Range, Stmt, VarId};
use anabranch_programs::types::Scalar::{self, F32, I32, I128, Isize, U8, U32, U128, Usize};

use super::facts::{self, slot, ty};
use super::{CHECKED, PROVED, WIDE, check, outside};
use anabranch_core::decide::{Axis, Numbers, Verdict, decide};

/// A loop over `0..trips` that reads a buffer.
fn reads(trips: u64, len: i128, body: impl FnOnce(&mut Accesses, usize, Expr) -> Vec<Stmt>) -> Accesses {
    let mut program = Accesses::over(&[(0, 1, trips)]);
    let x = program.buffer(len);
    let i = program.var(0);
    *program.body() = body(&mut program, x, i);
    program
}

#[test]
fn plain_indexes() {
    check(&reads(9, 9, |_, x, i| vec![read(x, i)]), PROVED);
    check(&reads(9, 8, |_, x, i| vec![read(x, i)]), outside(0, 8, 8));
    check(&reads(9, 10, |_, x, i| vec![read(x, i.clone()), read(x, i + 1)]), PROVED);
    check(&reads(9, 9, |_, x, i| vec![read(x, i + 1)]), outside(0, 9, 9));
    check(&reads(9, 9, |_, x, i| vec![read(x, lit(8) - i)]), PROVED);
    // The difference wraps where it is below 0.
    check(&reads(9, 9, |_, x, i| vec![read(x, i - 1)]), outside(0, -1, 9));
    check(&reads(0, 0, |_, x, i| vec![read(x, i)]), PROVED);
    check(&reads(5_000_000_000, 5_000_000_000, |_, x, i| vec![read(x, i)]), WIDE);
    check(&reads(5_000_000_000, 9, |_, x, _| vec![read(x, lit(3))]), WIDE);
    check(&reads((1 << 31) - 1, 9, |_, x, _| vec![read(x, lit(3))]), PROVED);
    // No partial result may leave 32 bits.
    let big = 1 << 30;
    check(&reads(9, 9, |_, x, i| vec![read(x, i * big - lit(0))]), outside(0, 8 << 30, 9));
    check(&reads(1, 9, |_, x, i| vec![read(x, i * big + 1)]), PROVED);
    check(&reads(1, 9, |_, x, i| vec![read(x, i.clone() * big + i * big + 1)]), WIDE);
}

#[test]
fn ranges_of_loops() {
    let mut program = Accesses::over(&[(-6, 3, 5)]);
    let x = program.buffer(13);
    let i = program.var(0);
    *program.body() = vec![read(x, i + 6)];
    check(&program, PROVED);
    program.symbols[0] = 12;
    check(&program, outside(0, 12, 12));
}

#[test]
fn matrices() {
    let matrix = |columns: i128, width: i128, len: i128| {
        let mut program = Accesses::over(&[(0, 1, 4), (0, 1, columns as u64)]);
        let w = program.host(width, Usize);
        let x = program.buffer(len);
        let (y, c) = (program.var(0), program.var(1));
        *program.body() = vec![read(x, y * w + c)];
        program
    };
    check(&matrix(5, 5, 20), PROVED);
    check(&matrix(5, 7, 26), PROVED);
    check(&matrix(5, 7, 25), outside(0, 25, 25));
    check(&matrix(7, 5, 22), PROVED);
}

#[test]
fn host_values_cancel() {
    // (n - 1 - i) with n from the host; n - 1 wraps for n == 0, and the sum is right again.
    let mut program = Accesses::over(&[(0, 1, 4)]);
    let n = program.host(4, Usize);
    let x = program.buffer(4);
    *program.body() =
        vec![read(x, n.clone() - 1 - program.var(0)), read(x, program.var(0) * n.clone() - n * program.var(0))];
    check(&program, PROVED);
}

#[test]
fn guarded_stencil() {
    let stencil = |guard: &dyn Fn(&Expr, &Expr) -> Vec<_>| {
        reads(9, 9, |program, x, i| {
            let n = program.len(x);
            vec![when(guard(&i, &n), vec![read(x, i.clone() - 1), read(x, i.clone()), read(x, i + 1)])]
        })
    };
    check(&stencil(&|i, n| vec![cond(i.clone(), ">", 0), cond(i.clone() + 1, "<", n.clone())]), PROVED);
    check(&stencil(&|i, n| vec![cond(i.clone(), "!=", 0), cond(i.clone(), "<", n.clone() - 1)]), PROVED);
    check(&stencil(&|i, n| vec![cond(lit(1), "<=", i.clone()), cond(n.clone() - 2, ">=", i.clone())]), PROVED);
    check(&stencil(&|i, _| vec![cond(i.clone(), "==", 4)]), PROVED);
    check(&stencil(&|i, n| vec![cond(i.clone(), "<", n.clone() - 1)]), CHECKED);
    check(&stencil(&|i, _| vec![cond(i.clone(), ">", 0)]), CHECKED);
    check(&stencil(&|i, _| vec![cond(i.clone(), "!=", 4)]), CHECKED);
    // It never holds.
    check(&stencil(&|i, _| vec![cond(i.clone(), ">", 50)]), PROVED);
    // `i - 1 >= 0` holds always: it may have wrapped, and says nothing.
    check(&stencil(&|i, n| vec![cond(i.clone() - 1, ">=", 0), cond(i.clone() + 1, "<", n.clone())]), CHECKED);
    check(&stencil(&|i, n| vec![cond(i.clone() - 1, "<", n.clone() - 2)]), CHECKED);
    // Guards of empty buffers: n - 1 wraps.
    let empty =
        reads(9, 0, |program, x, i| vec![when(vec![cond(i.clone(), "<", program.len(x) - 1)], vec![read(x, i)])]);
    check(&empty, CHECKED);
}

#[test]
fn types_that_wrap() {
    let cast = |trips, width, index: &dyn Fn(Expr) -> Expr| {
        reads(trips, 256, |_, x, i| vec![read(x, index(i.to(width)).to(Usize))])
    };
    check(&cast(200, U8, &|i| i), PROVED);
    // It wraps, and is in bounds of the machine; but other accesses of the form would not be.
    check(&cast(300, U8, &|i| i), CHECKED);
    check(&cast(200, U8, &|i| i + 100), CHECKED);
    check(&cast(200, U32, &|i| i + 56), PROVED);
    check(&cast(200, U32, &|i| i - 1), CHECKED);
    check(&cast(200, I32, &|i| i - 1), outside(0, -1, 256));
    check(&cast(200, I32, &|i| i - 1 + 1), PROVED);
    // A wider type in between: i32 to u64 keeps the sign, u32 to i64 does not.
    check(&cast(200, I32, &|i| (i - 1).to(Isize) + 1), PROVED);
    check(&cast(200, U32, &|i| (i - 1).to(Isize) + 1), CHECKED);
    // The same width, and narrower ones, keep it modulo their width.
    check(&cast(200, Usize, &|i| (i - 1).to(Isize).to(Usize) + 1), PROVED);
    check(&cast(200, F32, &|i| i), CHECKED);
    let narrowing = reads(200, 256, |_, x, i| vec![read(x, (i.to(Isize) - 1).to(U8).to(Usize))]);
    check(&narrowing, CHECKED);
}

#[test]
fn types_of_128_bits() {
    // Too many iterations to run: the machine of the tests has no such types.
    let guarded = |wide: Scalar, offset: i64| {
        reads(100, 100, |program, x, i| {
            let n = program.len(x).to(wide);
            vec![when(vec![cond(i.clone().to(wide) - offset, "<", n - 1)], vec![read(x, i - offset)])]
        })
    };
    check(&guarded(I128, -1), PROVED);
    check(&guarded(U128, -1), PROVED);
    // Below 0, one type has nothing.
    check(&guarded(I128, 1), CHECKED);
    let never_below = |wide: Scalar| {
        reads(100, 50, |_, x, i| {
            let (a, b) = (i.clone().to(wide) - 50, Expr::int(0, wide));
            vec![when(vec![cond(a, "<", b)], vec![read(x, i)])]
        })
    };
    check(&never_below(I128), PROVED);
    check(&never_below(U128), CHECKED);
    check(&reads(100, 100, |_, x, i| vec![read(x, i.to(U128).to(Usize))]), PROVED);
    check(&reads(100, 100, |_, x, i| vec![read(x, (i.to(U32) - 1).to(U128).to(Usize))]), CHECKED);
}

#[test]
fn results_of_operations() {
    use Operation::*;
    let after = |operation, operands: &dyn Fn(Expr, Expr) -> Vec<Expr>, index: &dyn Fn(Expr, Expr) -> Expr| {
        reads(50, 9, |program, x, i| {
            let n = program.len(x);
            let (bound, atom) = program.bind(operation, operands(i.clone(), n));
            vec![bound, read(x, index(atom, i))]
        })
    };
    let alone = |operation, operands: &dyn Fn(Expr, Expr) -> Vec<Expr>| after(operation, operands, &|atom, _| atom);
    check(&alone(Rem, &|i, n| vec![i, n]), PROVED);
    check(&alone(Rem, &|i, n| vec![i - 7, n]), PROVED);
    check(&alone(Rem, &|i, n| vec![i, n + 1]), CHECKED);
    check(&alone(RemEuclid, &|i, n| vec![i.to(Isize) - 7, n.to(Isize)]), PROVED);
    check(&alone(Rem, &|i, n| vec![i.to(Isize) - 7, n.to(Isize)]), CHECKED);
    check(&alone(Min, &|i, n| vec![i, n - 1]), PROVED);
    check(&alone(Min, &|i, n| vec![i - 7, n - 1]), PROVED);
    check(&alone(Max, &|i, n| vec![i, n - 1]), CHECKED);
    check(&after(Max, &|i, _| vec![i, lit(41)], &|atom, _| atom - 41), PROVED);
    check(&alone(Clamp, &|i, n| vec![i - 7, lit(0), n - 1]), PROVED);
    check(&alone(Clamp, &|i, n| vec![i.to(Isize) - 7, lit(0).to(Isize), n.to(Isize) - 1]), PROVED);
    check(&alone(Clamp, &|i, n| vec![i, lit(0), n]), CHECKED);
    check(&alone(SaturatingSub, &|i, _| vec![i, lit(41)]), PROVED);
    check(&alone(SaturatingSub, &|i, _| vec![i, lit(40)]), CHECKED);
    check(&alone(SaturatingSub, &|i, n| vec![n - 1, i]), PROVED);
    check(&alone(SaturatingAdd, &|i, _| vec![i, lit(1)]), outside(0, 50, 9));
    check(&alone(And, &|i, _| vec![i - 7, lit(7)]), PROVED);
    check(&alone(And, &|i, _| vec![lit(7).to(Isize), i.to(Isize) - 7]), PROVED);
    check(&alone(And, &|i, _| vec![i, lit(9)]), CHECKED);
    check(&alone(Shr, &|i, _| vec![i, lit(3)]), PROVED);
    check(&alone(Shr, &|i, _| vec![i, lit(2)]), CHECKED);
    check(&alone(Div, &|i, _| vec![i, lit(6)]), PROVED);
    check(&alone(Div, &|i, _| vec![i, lit(5)]), CHECKED);
    check(&alone(Div, &|i, _| vec![i - 1, lit(6)]), CHECKED);
    check(&alone(AbsDiff, &|i, _| vec![lit(42), i]), CHECKED);
    check(&after(AbsDiff, &|i, _| vec![lit(55), i], &|atom, _| atom - 6), outside(0, 49, 9));
    check(&alone(Any, &|i, _| vec![i]), CHECKED);
    // How results relate to their operands.
    let remainder = |first: i64| {
        reads(50, 10, |program, x, i| {
            let a = i.to(Isize) - first;
            let (bound, quotient) = program.bind(Div, vec![a.clone(), lit(10).to(Isize)]);
            vec![bound, read(x, (a - quotient * 10).to(Usize))]
        })
    };
    check(&remainder(0), PROVED);
    check(&remainder(4), CHECKED);
    check(&after(Rem, &|i, _| vec![i, lit(9)], &|atom, i| (i.clone() - atom.clone()) - (i - atom)), PROVED);
    check(&after(SaturatingSub, &|i, _| vec![i, lit(8)], &|atom, i| i - atom), PROVED);
    check(&after(SaturatingSub, &|i, _| vec![i, lit(9)], &|atom, i| i - atom), CHECKED);
}

/// Results that are sums: with the operands they cancel.
#[test]
fn results_that_are_sums() {
    use Operation::*;
    // `let v = …; x[index(v, i, k)]` for all i below 50 and k below 8, of 8 elements.
    let sum =
        |ty: Scalar, operation, operands: &dyn Fn(Expr, Expr) -> Vec<Expr>, index: &dyn Fn(Expr, Expr) -> Expr| {
            reads(50, 8, |program, x, i| {
                let var = program.variable(ty);
                let v = program.program.var(var);
                vec![program.inner(lit(0), lit(8), None, |k| {
                    let (i, k) = (i.to(ty), k.to(ty));
                    let value = result(operation, operands(i.clone(), k), ty);
                    vec![Stmt::bind(var, value), read(x, index(v, i).to(Usize))]
                })]
            })
        };
    let plain = |operation, operands: &dyn Fn(Expr, Expr) -> Vec<Expr>, index: &dyn Fn(Expr, Expr) -> Expr| {
        sum(Usize, operation, operands, index)
    };
    let signed = |operation, operands: &dyn Fn(Expr, Expr) -> Vec<Expr>, index: &dyn Fn(Expr, Expr) -> Expr| {
        sum(Isize, operation, operands, index)
    };
    let n = |number: i64| Expr::int(number.into(), Isize);
    let cancelled: &dyn Fn(Expr, Expr) -> Expr = &|v, i| v - i;
    check(&plain(Div, &|i, k| vec![i * 8 + k, lit(8)], cancelled), PROVED);
    check(&plain(Div, &|i, k| vec![i * 8 + k + 56, lit(8)], &|v, i| v - i), PROVED);
    check(&plain(Div, &|i, k| vec![i * 8 + k + 1, lit(8)], cancelled), CHECKED);
    check(&plain(Div, &|i, k| vec![i * 8 + k, lit(7)], cancelled), CHECKED);
    check(&plain(Shr, &|i, k| vec![i * 8 + k, lit(3)], cancelled), PROVED);
    check(&plain(Shr, &|i, k| vec![i * 8 + k, lit(2)], cancelled), CHECKED);
    let digit: &dyn Fn(Expr, Expr) -> Expr = &|v, _| v;
    check(&plain(Rem, &|i, k| vec![i * 16 + k, lit(16)], digit), PROVED);
    check(&plain(And, &|i, k| vec![i * 16 + k, lit(15)], digit), PROVED);
    check(&plain(And, &|i, k| vec![lit(15), i * 16 + k], digit), PROVED);
    check(&plain(And, &|i, k| vec![i * 16 + k, lit(13)], digit), CHECKED);
    check(&plain(And, &|i, k| vec![i * 16 + k + 9, lit(15)], digit), CHECKED);
    // Below 0, a quotient is rounded up, and a remainder is negative.
    check(&signed(Div, &|i, k| vec![i * 8 + k - n(8), n(8)], &|v, i| v - i + n(1)), CHECKED);
    check(&signed(Div, &|i, _| vec![i * 8 - n(8), n(8)], &|v, i| v - i + n(1)), PROVED);
    check(&signed(Shr, &|i, k| vec![i * 8 + k - n(8), n(3)], &|v, i| v - i + n(1)), PROVED);
    check(&signed(Rem, &|i, k| vec![i * 8 + k - n(8), n(8)], digit), CHECKED);
    check(&signed(RemEuclid, &|i, k| vec![i * 8 + k - n(8), n(8)], digit), PROVED);
    check(&signed(And, &|i, k| vec![i * 8 + k - n(8), n(7)], digit), PROVED);
    check(&signed(Div, &|i, k| vec![i * 8 + k, n(-8)], &|v, i| v + i), CHECKED);
    // Bits side by side.
    check(&plain(Or, &|i, k| vec![i * 8, k], &|v, i| v - i * 8), PROVED);
    check(&plain(Or, &|i, k| vec![k, i * 8], &|v, i| v - i * 8), PROVED);
    check(&plain(Xor, &|i, k| vec![i * 8 + 16, k], &|v, i| v - i * 8 - 16), PROVED);
    check(&plain(Or, &|i, k| vec![i * 4, k], &|v, i| v - i * 4), CHECKED);
    check(&plain(Or, &|i, k| vec![i * 8 + 4, k], &|v, i| v - i * 8 - 4), CHECKED);
    check(&signed(Or, &|i, k| vec![i.clone() * 8 - n(80), k], &|v, i| v - i * 8 + n(80)), PROVED);
    // Bits that are flipped.
    check(&plain(Xor, &|i, k| vec![i * 8 + k, lit(7)], &|v, i| v - i * 8), PROVED);
    check(&plain(Xor, &|i, _| vec![i * 8 + 4, lit(4)], &|v, i| v - i * 8), PROVED);
    check(&plain(Xor, &|i, _| vec![lit(13), i * 32 + 11], &|v, i| v - i * 32), PROVED);
    check(&plain(Xor, &|i, k| vec![i * 8 + k, lit(2)], &|v, i| v - i * 8), CHECKED);
    // The larger one, and how far they are apart.
    check(&plain(Min, &|i, k| vec![i.clone() + k, i + 7], cancelled), PROVED);
    check(&plain(Max, &|i, k| vec![i.clone() + k, i], cancelled), PROVED);
    check(&plain(Max, &|i, k| vec![i.clone() + k, i + 7], cancelled), PROVED);
    check(&plain(Clamp, &|i, k| vec![i.clone() + k, i.clone(), i + 7], cancelled), PROVED);
    check(&plain(Clamp, &|i, k| vec![i.clone() + 9, k, i + 7], cancelled), PROVED);
    check(&plain(SaturatingSub, &|i, k| vec![i + k.clone(), k], cancelled), PROVED);
    check(&plain(SaturatingSub, &|i, k| vec![i + k.clone(), k + 1], cancelled), CHECKED);
    check(&plain(SaturatingAdd, &|i, k| vec![i, k], cancelled), PROVED);
    check(&plain(AbsDiff, &|i, k| vec![i.clone(), i + k], digit), PROVED);
    check(&plain(Mul, &|i, _| vec![i, lit(3)], &|v, i| v - i * 3), PROVED);
    // What has wrapped is another number.
    check(&plain(Div, &|i, k| vec![i * 8 + k - 8, lit(8)], &|v, i| v - i + 1), CHECKED);
    check(&sum(U8, Div, &|i, k| vec![i * 8 + k, Expr::int(8, U8)], cancelled), CHECKED);
    check(&sum(U8, Mul, &|i, _| vec![i, Expr::int(8, U8)], &|v, i| v.to(Usize) - i.to(Usize) * 8), CHECKED);
}

/// What a condition says is true below it alone, and of what is bound there.
#[test]
fn sums_below_a_condition() {
    let rest = |inside: bool| {
        reads(50, 1, |program, x, i| {
            let (bound, r) = program.bind(Operation::Rem, vec![i.clone() + 1, lit(8)]);
            let (check, access) = (vec![cond(i.clone(), "<", 7)], read(x, i + 1 - r));
            if inside { vec![when(check, vec![bound, access])] } else { vec![bound, when(check, vec![access])] }
        })
    };
    check(&rest(true), PROVED);
    check(&rest(false), CHECKED);
}

#[test]
fn elements_of_unknown_value() {
    let guarded = |comparison: &str| {
        reads(9, 9, |program, x, _| {
            let n = program.len(x);
            let (bound, k) = program.bind(Operation::Any, vec![n.clone()]);
            vec![bound, when(vec![cond(k.clone(), comparison, n)], vec![read(x, k)])]
        })
    };
    check(&guarded("<"), PROVED);
    check(&guarded("=="), CHECKED);
    check(&guarded("<="), CHECKED);
}

#[test]
fn flat_grids() {
    // y = i / w, x = i % w, in a grid of 5 rows; a neighbour in each direction.
    let grid = |rows: i64, len: i128| {
        let mut program = Accesses::over(&[(0, 1, 30)]);
        let w = program.host(6, Usize);
        let g = program.buffer(len);
        let i = program.var(0);
        let (row, y) = program.bind(Operation::Div, vec![i.clone(), w.clone()]);
        let (column, x) = program.bind(Operation::Rem, vec![i.clone(), w.clone()]);
        let inside =
            vec![cond(y.clone(), ">", 0), cond(y + 1, "<", rows), cond(x.clone(), ">", 0), cond(x + 1, "<", w.clone())];
        let around = [i.clone() - w.clone(), i.clone() - 1, i.clone() + 1, i + w].map(|at| read(g, at));
        *program.body() = vec![row, column, when(inside, around.to_vec())];
        program
    };
    check(&grid(5, 30), PROVED);
    check(&grid(6, 30), CHECKED);
    check(&grid(5, 29), PROVED);
    check(&grid(5, 28), CHECKED);
    // ((z * ny + y) * nx + x)
    let mut program = Accesses::over(&[(0, 1, 3), (0, 1, 4), (0, 1, 5)]);
    let (ny, nx) = (program.host(4, Usize), program.host(5, Usize));
    let g = program.buffer(60);
    let [z, y, x] = [0, 1, 2].map(|at| program.var(at));
    let at = (z.clone() * ny.clone() + y) * nx.clone() + x;
    *program.body() = vec![
        read(g, at.clone()),
        when(vec![cond(z, ">", 0)], vec![read(g, at.clone() - nx.clone() * ny.clone())]),
        read(g, at + nx * ny),
    ];
    check(&program, outside(2, 79, 60));
    program.body().pop();
    check(&program, PROVED);
}

#[test]
fn windows() {
    // Signed neighbours, guarded: `let yy = y + dy - 1; if yy >= 0 && yy < h`.
    let window = |far: i64| {
        let mut program = Accesses::over(&[(0, 1, 4), (0, 1, 5)]);
        let (h, w) = (program.host(4, Usize), program.host(5, Usize));
        let g = program.buffer(20);
        let (y, x) = (program.var(0), program.var(1));
        let (y, x, rows, columns) = (y.to(I32), x.to(I32), h.to(I32), w.clone().to(I32));
        let (dy, dx) = (program.variable(I32), program.variable(I32));
        let [along, across] = [dy, dx].map(|var| program.program.var(var));
        let (yy, xx) = (y + along - 1, x + across - 1);
        let inside = vec![
            cond(yy.clone(), ">=", 0),
            cond(yy.clone(), "<", rows),
            cond(xx.clone(), ">=", 0),
            cond(xx.clone(), "<", columns),
        ];
        let element = when(inside, vec![read(g, yy.to(Usize) * w + xx.to(Usize))]);
        let within = |var: VarId, body: Vec<Stmt>| {
            let [start, end] = [0, far].map(|end| Box::new(Expr::int(end.into(), I32)));
            let range = Range { start, end, inclusive: false, adaptors: Vec::new() };
            vec![Stmt::unit(Kind::For { label: None, var, range, body: body.into() })]
        };
        *program.body() = within(dy, within(dx, vec![element]));
        program
    };
    check(&window(3), PROVED);
    check(&window(7), PROVED);
}

#[test]
fn inner_loops() {
    // for j in 0..i { x[i - j - 1] }
    let mut program = Accesses::over(&[(0, 1, 9)]);
    let x = program.buffer(8);
    let i = program.var(0);
    *program.body() = vec![program.inner(lit(0), i.clone(), None, |j| vec![read(x, i.clone() - j - 1)])];
    check(&program, PROVED);
    *program.body() = vec![program.inner(lit(0), i.clone(), None, |j| vec![read(x, i.clone() - j)])];
    check(&program, CHECKED);
    *program.body() = vec![program.inner(i.clone(), lit(8), None, |j| vec![read(x, j - i)])];
    check(&program, PROVED);
    // A box: every iteration runs it all.
    *program.body() = vec![program.inner(lit(0), lit(3), None, |j| vec![read(x, j + 5)])];
    check(&program, PROVED);
    *program.body() = vec![program.inner(lit(0), lit(3), None, |j| vec![read(x, j + 6)])];
    check(&program, outside(0, 8, 8));
    *program.body() = vec![program.inner(lit(3), lit(3), None, |j| vec![read(x, j + 6)])];
    check(&program, PROVED);
    // The last one is 6, not 7.
    let steps = |end: i64| {
        let mut program = Accesses::over(&[(0, 1, 9)]);
        let x = program.buffer(7);
        *program.body() = vec![program.inner(lit(0), lit(end), Some(lit(3)), |j| vec![read(x, j)])];
        program
    };
    check(&steps(9), PROVED);
    check(&steps(10), outside(0, 9, 7));
}

#[test]
fn inner_loops_that_need_64_bits() {
    let long = |end: i64| {
        let mut program = Accesses::over(&[(0, 1, 1000)]);
        let x = program.buffer(1 << 40);
        *program.body() = vec![program.inner(lit(0), lit(end), None, |j| vec![read(x, j.to(U32).to(Usize))])];
        program
    };
    check(&long((1 << 31) - 2), PROVED);
    check(&long((1 << 31) - 1), WIDE);
}

#[test]
fn choices() {
    let choose = |other: i64| {
        let mut program = Accesses::over(&[(0, 1, 20)]);
        let x = program.buffer(9);
        let i = program.var(0);
        let (choice, atom) = program.value(Expr::choose(cond(i.clone(), "<", 9), i, lit(other)));
        *program.body() = vec![choice, read(x, atom)];
        program
    };
    check(&choose(8), PROVED);
    check(&choose(9), CHECKED);
}

#[test]
fn ways_add_up() {
    let ways = |values: &[i64]| {
        let mut steps = vec![Step::Declare { atom: 1 }];
        steps.extend(values.iter().map(|&to| Step::Join { atom: 1, value: Form::constant(to), ty: slot(Usize) }));
        steps.push(Step::Access(0));
        let access = facts::of(&reads(1, 9, |_, x, i| vec![read(x, i)])).accesses.remove(0);
        let access = Access { index: Some(Form::atom(1)), len: 0, ..access };
        let facts = Facts { atoms: 2, steps, accesses: vec![access], ..Facts::default() };
        decide(&facts, &Numbers { blocks: &[], axes: &[], symbols: &[Some(9)], types: &ty })
    };
    assert_eq!(ways(&[3, 8]), PROVED);
    assert_eq!(ways(&[8, 3]), PROVED);
    assert_eq!(ways(&[9, 3]), CHECKED);
    assert_eq!(ways(&[3, 9]), CHECKED);
    assert_eq!(ways(&[3, -1]), CHECKED);
    // No way leads here.
    assert_eq!(ways(&[]), CHECKED);
}

#[test]
fn ranges_of_elements() {
    let rows = |len| {
        let mut program = Accesses::over(&[(0, 1, 4)]);
        let x = program.buffer(len);
        let i = program.var(0);
        *program.body() = vec![write_range(x, i.clone() * 5, (i + 1) * 5)];
        program
    };
    check(&rows(20), PROVED);
    check(&rows(19), outside(0, 20, 19));
    // An empty range at the end is one.
    let mut program = Accesses::over(&[(0, 1, 1)]);
    let x = program.buffer(4);
    *program.body() = vec![write_range(x, lit(4), lit(4))];
    check(&program, PROVED);
    *program.body() = vec![write_range(x, lit(3), lit(2))];
    check(&program, CHECKED);
}

#[test]
fn what_is_not_decided_is_not_asked() {
    // Its index is compared with the length in 32 bits.
    for (len, verdict) in [(3, PROVED), ((1 << 32) - 1, PROVED), (1 << 32, WIDE)] {
        let program = reads(9, len, |_, x, i| vec![read(x, i)]);
        let mut facts = facts::of(&program);
        facts.accesses.iter_mut().for_each(|access| access.decided = false);
        assert_eq!(facts::decide(&program, &facts), verdict, "{len}");
    }
}

#[test]
fn numbers_without_an_end() {
    let program = reads(9, 9, |_, x, i| vec![read(x, i)]);
    let facts = facts::of(&program);
    let with = |axis: Axis, len: Option<i128>| {
        decide(&facts, &Numbers { blocks: &[], axes: &[axis], symbols: &[len], types: &ty })
    };
    let axis = |lo, step, trips| Axis { lo, step, trips };
    assert_eq!(with(axis(0, 1, 9), Some(9)), PROVED);
    assert_eq!(with(axis(0, 1, 9), None), CHECKED);
    assert_eq!(with(axis(0, 1 << 100, u64::MAX), Some(9)), CHECKED);
    assert_eq!(with(axis(i128::MAX, 1, 2), Some(9)), CHECKED);
    assert_eq!(with(axis(0, 0, 2), Some(9)), CHECKED);
    assert_eq!(with(axis(0, i128::MIN, 2), Some(9)), CHECKED);
    assert_eq!(with(axis(i128::MIN, 1, 1), Some(9)), CHECKED);
    // 2^64 is 0 for the machine.
    assert_eq!(with(axis(1 << 64, 1, 1), Some(9)), CHECKED);
    assert_eq!(decide(&facts, &Numbers { blocks: &[], axes: &[], symbols: &[], types: &ty }), Ok(Verdict::Checked));
}

#[test]
fn what_is_nested_as_deep_as_it_may_be() {
    let mut facts = facts::of(&reads(9, 9, |_, x, i| vec![read(x, i)]));
    let condition =
        || Condition { lhs: Form::atom(0), comparison: Comparison::Less, rhs: Form::atom(1), ty: slot(Usize) };
    for _ in 0..MAX_NESTING {
        facts.steps = vec![Step::When { conditions: vec![condition()], body: facts.steps }];
    }
    facts = wire::decode(&wire::encode(&facts)).expect("it is not too deep");
    facts.atoms = MAX_ATOMS;
    let axes = [Axis { lo: 0, step: 1, trips: 20 }];
    assert_eq!(decide(&facts, &Numbers { blocks: &[], axes: &axes, symbols: &[Some(9)], types: &ty }), PROVED);
}

/// Rows of a part of a grid may be far from each other. Then the places of its elements need more
/// than 32 bits, although there are few of them.
#[test]
fn rows_that_are_far_apart() {
    let mut program = Accesses::over(&[(0, 1, 3), (0, 1, 4)]);
    let part = program.grid(12, &[4]);
    *program.body() = vec![read(part, at(vec![program.var(0), program.var(1)]))];
    let mut facts = facts::of(&program);
    let decided = |facts: &Facts, stride: i128| {
        let symbols = [12, 3, 4, stride].map(Some);
        decide(facts, &Numbers { blocks: &[], axes: &facts::axes(&program), symbols: &symbols, types: &ty })
    };
    assert_eq!(decided(&facts, 4), PROVED);
    assert_eq!(decided(&facts, (1 << 30) - 2), PROVED);
    assert_eq!(decided(&facts, (1 << 30) - 1), WIDE);
    assert_eq!(decided(&facts, 1 << 40), WIDE);
    // What is left to the device is multiplied by a stride of 32 bits.
    facts.accesses[0].decided = false;
    assert_eq!(decided(&facts, (1 << 32) - 1), PROVED);
    assert_eq!(decided(&facts, 1 << 32), WIDE);
}
