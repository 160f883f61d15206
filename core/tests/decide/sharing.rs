//! Which iterations race.

use anabranch_core::ops::Operation;
use anabranch_programs::generate::accesses::{Accesses, at, cond, lit, read, result, when, write, write_range};
use anabranch_programs::program::{Expr, Kind, Range, Stmt};
use anabranch_programs::types::Scalar::{Isize, U8, U32, Usize};

use super::{CHECKED, PROVED, WIDE, check, facts, outside_in, overlap};

/// Loop variables, hosts values, and the accesses of one buffer that is large enough.
fn program(trips: &[u64], hosts: &[i128], body: impl FnOnce(&mut Accesses, &[Expr], &[Expr]) -> Vec<Stmt>) -> Accesses {
    let mut program = Accesses::over(&trips.iter().map(|trips| (0, 1, *trips)).collect::<Vec<_>>());
    let hosts: Vec<Expr> = hosts.iter().map(|host| program.host(*host, Usize)).collect();
    program.buffer(1000);
    let vars: Vec<Expr> = (0..trips.len()).map(|at| program.var(at)).collect();
    let stmts = body(&mut program, &vars, &hosts);
    *program.body() = stmts;
    program
}

#[test]
fn one_variable() {
    let one = |body: &dyn Fn(Expr) -> Vec<Stmt>| program(&[9], &[], |_, v, _| body(v[0].clone()));
    check(&one(&|i| vec![read(0, i.clone()), write(0, i)]), PROVED);
    check(&one(&|i| vec![write(0, i.clone()), read(0, i + 1)]), overlap(0, 1));
    check(&one(&|i| vec![read(0, i.clone()), write(0, i + 1)]), overlap(1, 0));
    check(&one(&|i| vec![write(0, i.clone()), read(0, i + 9)]), PROVED);
    check(&one(&|i| vec![write(0, i.clone()), read(0, i + 8)]), overlap(0, 1));
    check(&one(&|_| vec![write(0, lit(0))]), overlap(0, 0));
    check(&one(&|_| vec![read(0, lit(0))]), PROVED);
    check(&one(&|i| vec![write(0, i.clone() * 2), write(0, i * 2 + 1)]), PROVED);
    check(&one(&|i| vec![write(0, i.clone() * 2), read(0, i.clone() * 2 + 1), read(0, i * 2 + 3)]), PROVED);
    check(&one(&|i| vec![write(0, i.clone() * 2), read(0, i * 2 + 2)]), overlap(0, 1));
    check(&one(&|i| vec![write(0, i.clone()), read(0, lit(8) - i)]), overlap(0, 1));
    // Nobody to race with, whatever the index.
    let alone = program(&[1], &[], |_, v, _| vec![write(0, (v[0].clone().to(U32) - 1).to(Usize)), write(0, lit(0))]);
    check(&alone, CHECKED);
    // Even and odd, with different factors.
    check(&one(&|i| vec![write(0, i.clone() * 2), read(0, i * 4 + 1)]), PROVED);
    // The first iteration alone.
    check(&one(&|i| vec![when(vec![cond(i, "==", 0)], vec![write(0, lit(0))])]), PROVED);
    check(&one(&|i| vec![write(0, i.clone()), when(vec![cond(i, "==", 0)], vec![write(0, lit(0))])]), PROVED);
    check(&one(&|i| vec![write(0, i.clone()), when(vec![cond(i, "==", 0)], vec![write(0, lit(1))])]), overlap(0, 1));
}

#[test]
fn examples() {
    let check = |program: &Accesses, pair: [&[i128]; 2], accesses: [usize; 2]| {
        let example = facts::example(program, &facts::of(program)).expect("an example");
        assert!(example.element.is_some(), "{example:?}");
        assert_eq!((example.pair, example.accesses), (pair.map(<[i128]>::to_vec), accesses));
    };
    let far = program(&[100], &[], |_, v, _| vec![write(0, v[0].clone()), read(0, v[0].clone() + 77)]);
    check(&far, [&[0], &[77]], [1, 0]);
    let meeting_in_the_middle =
        program(&[100], &[], |_, v, _| vec![write(0, v[0].clone()), read(0, lit(99) - v[0].clone())]);
    check(&meeting_in_the_middle, [&[0], &[99]], [1, 0]);
    let rows =
        |width| program(&[30, width], &[4], |_, v, h| vec![write(0, v[0].clone() * h[0].clone() + v[1].clone())]);
    check(&rows(5), [&[0, 4], &[1, 0]], [0, 0]);
    let diagonals = program(&[9, 9], &[], |_, v, _| vec![write(0, v[0].clone() + v[1].clone())]);
    check(&diagonals, [&[0, 1], &[1, 0]], [0, 0]);
    // A condition decides which iterations there are, also where the rules do not understand it.
    let butterflies = |far: Option<i64>| {
        program(&[8], &[2], |p, v, h| {
            let (i, h) = (v[0].clone(), h[0].clone());
            let (one, bit) = p.bind(Operation::And, vec![i.clone(), h.clone()]);
            let other = far.map_or_else(|| i.clone() + h, |far| i.clone() + far);
            vec![one, when(vec![cond(bit, "==", 0)], vec![write(0, i), write(0, other)])]
        })
    };
    check(&butterflies(Some(1)), [&[0], &[1]], [1, 0]);
    for none in [rows(4), butterflies(None)] {
        assert_eq!(facts::example(&none, &facts::of(&none)), None);
    }
}

#[test]
fn strides_from_the_host() {
    let stride = |s: i128| program(&[9], &[s], |_, v, h| vec![write(0, v[0].clone() * h[0].clone())]);
    check(&stride(3), PROVED);
    check(&stride(1), PROVED);
    check(&stride(0), overlap(0, 0));
    let halves = |s: i128, trips: u64| {
        program(&[trips], &[s], |_, v, h| {
            let (i, s) = (v[0].clone(), h[0].clone());
            let far = i.clone() + s.clone();
            vec![when(vec![cond(i.clone(), "<", s)], vec![read(0, i.clone()), read(0, far), write(0, i)])]
        })
    };
    check(&halves(5, 20), PROVED);
    check(&halves(20, 20), PROVED);
    check(
        &program(&[9], &[5], |_, v, h| vec![write(0, v[0].clone()), read(0, v[0].clone() + h[0].clone())]),
        overlap(0, 1),
    );
}

#[test]
fn grids() {
    let grid = |columns: u64, w: i128| {
        program(&[4, columns], &[w], |_, v, h| vec![write(0, v[0].clone() * h[0].clone() + v[1].clone())])
    };
    check(&grid(5, 5), PROVED);
    check(&grid(5, 9), PROVED);
    check(&grid(5, 4), overlap(0, 0));
    check(&grid(1, 1), PROVED);
    let transposed = program(&[4, 4], &[4], |_, v, h| {
        let (y, x, n) = (v[0].clone(), v[1].clone(), h[0].clone());
        vec![read(0, y.clone() * n.clone() + x.clone()), write(0, x * n + y)]
    });
    check(&transposed, overlap(1, 0));
    let swapped = |comparison: &str, base: i64| {
        program(&[4, 4], &[4], |_, v, h| {
            let (y, x, n) = (v[0].clone(), v[1].clone(), h[0].clone());
            let (here, there) = (y.clone() * n.clone() + x.clone(), x.clone() * n + y.clone() + base);
            vec![when(vec![cond(y, comparison, x)], vec![read(0, here), write(0, there)])]
        })
    };
    check(&swapped("<", 0), PROVED);
    check(&swapped(">", 0), PROVED);
    check(&swapped("<=", 0), overlap(1, 0));
    check(&swapped("!=", 0), overlap(1, 0));
    check(&swapped("<", 1), overlap(1, 0));
    // Blocks of 2 by 2.
    let blocks = program(&[3, 3], &[6], |_, v, h| {
        let (y, x, w) = (v[0].clone() * 2, v[1].clone() * 2, h[0].clone());
        let at = |dy: i64, dx: i64| (y.clone() + dy) * w.clone() + x.clone() + dx;
        vec![write(0, at(0, 0)), write(0, at(0, 1)), write(0, at(1, 0)), write(0, at(1, 1))]
    });
    check(&blocks, PROVED);
    let wide = program(&[3, 3], &[6], |_, v, h| {
        let (y, x, w) = (v[0].clone() * 2, v[1].clone() * 2, h[0].clone());
        vec![write(0, y.clone() * w.clone() + x.clone()), read(0, y * w + x + 2)]
    });
    check(&wide, overlap(0, 1));
}

#[test]
fn butterflies() {
    let butterfly = |h: i128, ks: u64| {
        program(&[4, ks], &[h], |_, v, host| {
            let (b, k, h) = (v[0].clone(), v[1].clone(), host[0].clone());
            let at = b * 2 * h.clone() + k;
            vec![read(0, at.clone()), read(0, at.clone() + h.clone()), write(0, at.clone()), write(0, at + h)]
        })
    };
    check(&butterfly(4, 4), PROVED);
    check(&butterfly(5, 4), PROVED);
    check(&butterfly(4, 5), overlap(3, 0));
}

#[test]
fn inner_loops() {
    // Each iteration has a chunk.
    let chunk = |size: i64| {
        program(&[9], &[], |p, v, _| {
            let i = v[0].clone();
            vec![p.inner(i.clone() * 4, i * 4 + size, None, |j| vec![write(0, j)])]
        })
    };
    check(&chunk(4), PROVED);
    check(&chunk(3), PROVED);
    check(&chunk(5), overlap(0, 0));
    // Each iteration takes every ninth.
    let strided = |step: i64| {
        program(&[9], &[], |p, v, _| vec![p.inner(v[0].clone(), lit(40), Some(lit(step)), |j| vec![write(0, j)])])
    };
    check(&strided(9), PROVED);
    check(&strided(10), PROVED);
    check(&strided(8), overlap(0, 0));
    // The last chunk is shorter.
    let up_to = |size: i64, n: i64| {
        program(&[9], &[n.into()], |p, v, h| {
            let (i, n) = (v[0].clone(), h[0].clone());
            let (least, end) = p.bind(Operation::Min, vec![i.clone() * 4 + size, n]);
            vec![least, p.inner(i * 4, end, None, |j| vec![write(0, j)])]
        })
    };
    check(&up_to(4, 33), PROVED);
    check(&up_to(3, 33), PROVED);
    check(&up_to(5, 33), overlap(0, 0));
    check(&up_to(5, 4), PROVED);
    // Sums along columns.
    let columns = |to_left: i64| {
        program(&[9], &[9], |p, v, h| {
            let (c, w) = (v[0].clone(), h[0].clone());
            let at = |r: Expr| r * w.clone() + c.clone();
            let sum = |r: Expr| vec![read(0, at(r.clone() - 1) - to_left), read(0, at(r.clone() - 2)), write(0, at(r))];
            vec![p.inner(lit(2), lit(7), None, sum)]
        })
    };
    check(&columns(0), PROVED);
    check(&columns(1), overlap(2, 0));
    // The row behind the last one is the first of the next block.
    let blocks = |rows: i64| {
        program(&[3, 9], &[9], |p, v, h| {
            let (z, c, w) = (v[0].clone(), v[1].clone(), h[0].clone());
            let at = |r: Expr| (z.clone() * 5 + r) * w.clone() + c.clone();
            vec![p.inner(lit(0), lit(rows), None, |r| vec![read(0, at(r.clone() + 1)), write(0, at(r))])]
        })
    };
    check(&blocks(4), PROVED);
    check(&blocks(5), overlap(1, 0));
    // Triangles, by rows and by columns.
    let triangle = |index: &dyn Fn(Expr, Expr) -> Expr| {
        program(&[9], &[9], |p, v, h| {
            let (i, n) = (v[0].clone(), h[0].clone());
            vec![p.inner(i.clone() + 1, n, None, |j| vec![write(0, index(i, j))])]
        })
    };
    check(&triangle(&|i, j| i * 9 + j), PROVED);
    check(&triangle(&|i, j| j * 9 + i), PROVED);
    check(&triangle(&|_, j| j), overlap(0, 0));
    // A triangle that changes places with the other one.
    let transposed = |size: u64, first: i64, width: i128| {
        program(&[size], &[width], |p, v, h| {
            let (i, w) = (v[0].clone(), h[0].clone());
            let swap = |j: Expr| {
                let (here, there) = (i.clone() * w.clone() + j.clone(), j * w.clone() + i.clone());
                vec![read(0, here.clone()), read(0, there.clone()), write(0, here), write(0, there)]
            };
            vec![p.inner(i.clone() + first, lit(size.cast_signed()), None, swap)]
        })
    };
    for size in 2..6 {
        check(&transposed(size, 1, size.into()), PROVED);
        check(&transposed(size, 1, (size + 1).into()), PROVED);
    }
    // With the diagonal, where nobody meets, but the two could be told apart no more.
    check(&transposed(5, 0, 5), overlap(3, 0));
    check(&transposed(5, 1, 4), overlap(3, 0));
    // Parts of rows reach over the diagonal.
    let parts = |size: i64| {
        program(&[5], &[], |p, v, _| {
            let i = v[0].clone();
            let (here, there) = (|j: Expr| i.clone() * 9 + j, |j: Expr| j * 9 + i.clone());
            let part = |j: Expr| vec![write_range(0, here(j.clone()), here(j.clone()) + size), read(0, there(j))];
            vec![p.inner(lit(0), i.clone(), None, part)]
        })
    };
    check(&parts(3), overlap(0, 1));
    // A row of a matrix product: k belongs to no iteration.
    let row = |stride: i64| {
        program(&[5], &[], |p, v, _| {
            let i = v[0].clone();
            vec![p.inner(lit(0), lit(7), None, |k| vec![write(0, i.clone() * stride + k)])]
        })
    };
    check(&row(7), PROVED);
    check(&row(6), overlap(0, 0));
    // The longer of two loops counts.
    let rows = |written: i64, seen: i64| {
        program(&[5], &[], |p, v, _| {
            let at = |k: Expr| v[0].clone() * 8 + k;
            vec![
                p.inner(lit(0), lit(written), None, |k| vec![write(0, at(k))]),
                p.inner(lit(0), lit(seen), None, |k| vec![read(0, at(k))]),
            ]
        })
    };
    check(&rows(8, 8), PROVED);
    check(&rows(2, 8), PROVED);
    check(&rows(2, 9), overlap(0, 1));
    check(&rows(9, 2), overlap(0, 0));
    // Within a loop that never runs.
    check(&program(&[5], &[], |p, _, _| vec![p.inner(lit(3), lit(3), None, |_| vec![write(0, lit(0))])]), PROVED);
}

#[test]
fn ranges_of_elements() {
    let rows = |from: i64, size: i64| {
        program(&[9], &[], |_, v, _| {
            let i = v[0].clone() * 4 + from;
            vec![write_range(0, i.clone(), i + size)]
        })
    };
    check(&rows(0, 4), PROVED);
    check(&rows(3, 2), PROVED);
    check(&rows(0, 5), overlap(0, 0));
    check(&rows(0, 0), PROVED);
    check(&program(&[9], &[], |_, v, _| vec![write_range(0, lit(0), v[0].clone())]), overlap(0, 0));
}

#[test]
fn unknown_digits() {
    let masked = |stride: i64, mask: i64| {
        program(&[9], &[], |p, v, _| {
            let (any, atom) = p.value(result(Operation::Any, vec![], Usize));
            let (and, masked) = p.bind(Operation::And, vec![atom, lit(mask)]);
            vec![any, and, write(0, v[0].clone() * stride + masked)]
        })
    };
    check(&masked(16, 15), PROVED);
    check(&masked(8, 15), overlap(0, 0));
}

#[test]
fn elements_that_the_machine_cannot_tell_apart() {
    let far = |stride: i128| {
        let mut program = program(&[3], &[stride], |_, v, h| vec![write(0, v[0].clone() * h[0].clone())]);
        program.symbols[1] = 1 << 63;
        program
    };
    check(&far(1 << 60), WIDE);
    // 2 * 2^63 is 0.
    check(&far(1 << 63), overlap(0, 0));
    check(&far(1 << 61), overlap(0, 0));
}

/// Of a grid, one component that differs is enough, and what one tells the others know.
#[test]
fn components() {
    let grid = |trips: &[u64], minor: &'static [usize], body: &dyn Fn(Expr, Expr) -> Vec<Stmt>| {
        let mut program = Accesses::over(&trips.iter().map(|trips| (0, 1, *trips)).collect::<Vec<_>>());
        program.grid(1000, minor);
        let vars: Vec<Expr> = (0..trips.len()).map(|at| program.var(at)).collect();
        *program.body() = body(vars[0].clone(), vars[vars.len() - 1].clone());
        program
    };
    let plane = |body: &dyn Fn(Expr, Expr) -> Vec<Stmt>| grid(&[9, 9], &[41], body);
    check(&plane(&|i, j| vec![write(0, at(vec![i, j]))]), PROVED);
    check(&plane(&|i, j| vec![write(0, at(vec![j, i]))]), PROVED);
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone() + j.clone(), j]))]), PROVED);
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone(), i * 3 + j * 2]))]), PROVED);
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone() + j.clone(), i + j]))]), overlap(0, 0));
    check(&plane(&|i, _| vec![write(0, at(vec![i.clone(), i]))]), overlap(0, 0));
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone(), j.clone()])), read(0, at(vec![i, j + 1]))]), overlap(0, 1));
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone(), j.clone()])), read(0, at(vec![i, j + 9]))]), PROVED);
    check(&plane(&|i, j| vec![write(0, at(vec![i.clone(), j.clone() * 2])), read(0, at(vec![j, i * 2 + 1]))]), PROVED);
    // A row is told, but not how far its columns are apart.
    let skewed = |of: i64, other: i64| {
        plane(&|i, j| {
            vec![write(0, at(vec![i.clone(), i.clone() * of + j.clone()])), read(0, at(vec![i.clone(), i * other + j]))]
        })
    };
    check(&skewed(2, 1), overlap(0, 1));
    check(&skewed(2, 2), PROVED);
    let below = |i: &Expr, j: &Expr, access: Stmt| when(vec![cond(j.clone(), "<", i.clone())], vec![access]);
    let transposed = |i: Expr, j: Expr| {
        let (here, there) = (at(vec![i.clone(), j.clone()]), at(vec![j.clone(), i.clone()]));
        vec![below(&i, &j, write(0, here)), below(&i, &j, write(0, there))]
    };
    check(&plane(&transposed), PROVED);
    // The middle dimension alone.
    let line = grid(&[5], &[5, 20], &|i, _| {
        vec![write(0, at(vec![lit(1), i.clone(), lit(3)])), read(0, at(vec![lit(0), i.clone(), i * 3]))]
    });
    check(&line, PROVED);
    // An element of the memory, but not of the row.
    check(&grid(&[9], &[4], &|i, _| vec![write(0, at(vec![lit(0), i]))]), outside_in(1, 0, 8, 4));
    check(&grid(&[9], &[1 << 40], &|i, _| vec![write(0, at(vec![i, lit(0)]))]), outside_in(0, 0, 8, 0));
}

/// `a[i * n + j] -= a[i * n + k] * a[k * n + j]`
#[test]
fn elimination() {
    let step = |n: i64, k: i64, first: i64| {
        let trips = (n - first).cast_unsigned();
        let mut program = Accesses::over(&[(first.into(), 1, trips), (first.into(), 1, trips)]);
        let (width, pivot) = (program.host(n.into(), Usize), program.host(k.into(), Usize));
        let a = program.buffer(400);
        let (i, j) = (program.var(0), program.var(1));
        *program.body() = vec![
            read(a, i.clone() * width.clone() + pivot.clone()),
            read(a, pivot * width.clone() + j.clone()),
            write(a, i * width + j),
        ];
        program
    };
    for (n, k) in [(7, 0), (7, 2), (7, 5), (20, 10)] {
        check(&step(n, k, k + 1), PROVED);
    }
    // The pivot's own column is written, too.
    check(&step(7, 2, 2), overlap(2, 0));
}

/// Columns of the left half from the right one, which differ modulo a row.
#[test]
fn halves_of_rows() {
    let halves = |columns: u64, far: i64, width: i128| {
        program(&[5, columns], &[width], |_, v, h| {
            let at = v[0].clone() * h[0].clone() + v[1].clone();
            vec![read(0, at.clone() + far), write(0, at)]
        })
    };
    check(&halves(4, 4, 8), PROVED);
    check(&halves(4, 12, 8), PROVED);
    check(&halves(4, 5, 8), overlap(1, 0));
    check(&halves(4, 4, 7), overlap(1, 0));
    check(&halves(4, 3, 8), overlap(1, 0));
    // Other factors, but the same rows.
    let mirrored = |columns: u64| {
        program(&[5, columns], &[], |_, v, _| {
            let at = v[0].clone() * 8;
            vec![read(0, at.clone() + 7 - v[1].clone()), write(0, at + v[1].clone())]
        })
    };
    check(&mirrored(4), PROVED);
    check(&mirrored(5), overlap(1, 0));
}

/// Quotients and remainders of a variable are variables themselves.
#[test]
fn flat_indexes_taken_apart() {
    let three = |trips: u64, w: i128, h: i128, index: &dyn Fn([Expr; 3], Expr, Expr) -> Expr| {
        program(&[trips], &[w, h], |p, v, host| {
            let (i, w, h) = (v[0].clone(), host[0].clone(), host[1].clone());
            let (one, z) = p.bind(Operation::Div, vec![i.clone(), w.clone() * h.clone()]);
            let (two, row) = p.bind(Operation::Div, vec![i.clone(), w.clone()]);
            let (three, y) = p.bind(Operation::Rem, vec![row, h.clone()]);
            let (four, x) = p.bind(Operation::Rem, vec![i, w.clone()]);
            vec![one, two, three, four, write(0, index([z, y, x], w, h))]
        })
    };
    let plain: &dyn Fn([Expr; 3], Expr, Expr) -> Expr = &|[z, y, x], w, h| (z * h + y) * w + x;
    for (trips, w, h) in [(60, 5, 4), (57, 5, 4), (7, 5, 4), (3, 5, 4), (60, 1, 4), (60, 5, 1), (60, 1, 1)] {
        check(&three(trips, w, h, plain), PROVED);
        check(&three(trips, w, h, &|[z, y, x], w, h| (z * w + x) * h + y), PROVED);
    }
    check(&three(60, 5, 4, &|[z, y, x], w, h| (y * h + z) * w + x), PROVED);
    check(&three(60, 5, 4, &|[z, y, x], w, h| (z * (h - 1) + y) * w + x), overlap(0, 0));
    check(&three(60, 5, 4, &|[z, y, _], w, h| (z * h + y) * w), overlap(0, 0));
    check(&three(3, 5, 4, &|[z, y, _], w, h| (z * h + y) * w), overlap(0, 0));
    check(&three(5, 1, 4, &|[z, y, _], w, h| (z * h + y) * w), PROVED);
    // A division by 0 panics.
    check(&three(60, 0, 4, plain), overlap(0, 0));
    // Below 0 a quotient is rounded up: -1 / 4 and 1 / 4 are both 0.
    let signed = |first: i128| {
        let mut program = Accesses::over(&[]);
        let v = program.axis(first, 1, 8, Isize);
        program.buffer(1000);
        let (q, quotient) = program.bind(Operation::Div, vec![v.clone(), Expr::int(4, Isize)]);
        let (r, rest) = program.bind(Operation::Rem, vec![v, Expr::int(4, Isize)]);
        let index = (quotient + Expr::int(9, Isize)) * Expr::int(4, Isize) + rest;
        *program.body() = vec![q, r, write(0, index.to(Usize))];
        program
    };
    check(&signed(0), PROVED);
    check(&signed(5), PROVED);
    check(&signed(-3), overlap(0, 0));
    // What has wrapped is another number.
    let wrapped = program(&[300], &[], |p, v, _| {
        let small = v[0].clone().to(U8);
        let (q, quotient) = p.bind(Operation::Div, vec![small.clone(), Expr::int(4, U8)]);
        let (r, rest) = p.bind(Operation::Rem, vec![small, Expr::int(4, U8)]);
        vec![q, r, write(0, quotient.to(Usize) * 4 + rest.to(Usize))]
    });
    check(&wrapped, overlap(0, 0));
}

/// Pairs that are a power of two apart, by quotients and by bits.
#[test]
fn butterflies_of_one_variable() {
    let by_quotients = |half: i128, far: i64| {
        program(&[8], &[half], |p, v, h| {
            let (t, half) = (v[0].clone(), h[0].clone());
            let (one, q) = p.bind(Operation::Div, vec![t.clone(), half.clone()]);
            let (two, r) = p.bind(Operation::Rem, vec![t, half.clone()]);
            let at = q * 2 * half.clone() + r;
            let other = at.clone() + half + far;
            vec![one, two, read(0, at.clone()), read(0, other.clone()), write(0, at), write(0, other)]
        })
    };
    let by_mask = |half: i128| {
        program(&[8], &[half], |p, v, h| {
            let (t, half) = (v[0].clone(), h[0].clone());
            let (one, r) = p.bind(Operation::And, vec![t.clone(), half.clone() - 1]);
            let at = t * 2 - r;
            vec![one, read(0, at.clone() + half.clone()), write(0, at.clone()), write(0, at + half)]
        })
    };
    for half in [1, 2, 4, 8, 16] {
        check(&by_quotients(half, 0), PROVED);
        check(&by_mask(half), PROVED);
    }
    check(&by_quotients(3, 0), PROVED);
    check(&by_quotients(2, 1), overlap(3, 0));
    check(&by_mask(3), overlap(1, 0));
    // A step of a bitonic sort.
    let bitonic = |stride: i128, comparison: &str| {
        program(&[32], &[stride], |p, v, h| {
            let i = v[0].clone();
            let (one, other) = p.bind(Operation::Xor, vec![i.clone(), h[0].clone()]);
            let swap = vec![read(0, i.clone()), read(0, other.clone()), write(0, i.clone()), write(0, other.clone())];
            vec![one, when(vec![cond(other, comparison, i)], swap)]
        })
    };
    for stride in [1, 2, 4, 8, 16, 32] {
        check(&bitonic(stride, ">"), PROVED);
        check(&bitonic(stride, "<"), PROVED);
        check(&bitonic(stride, ">="), PROVED);
        // The other one is behind all that there are.
        check(&bitonic(stride, "!="), if stride < 32 { overlap(3, 0) } else { PROVED });
    }
    check(&bitonic(0, ">"), PROVED);
    let flipped = |bits: i64| {
        program(&[32], &[], |p, v, _| {
            let (one, other) = p.bind(Operation::Xor, vec![v[0].clone(), lit(bits)]);
            vec![one, write(0, other)]
        })
    };
    [1, 2, 3, 6, 7, 9, 16, 24, 31].into_iter().for_each(|bits| check(&flipped(bits), PROVED));
    let neighbour = program(&[32], &[], |p, v, _| {
        let (one, other) = p.bind(Operation::Xor, vec![v[0].clone(), lit(1)]);
        vec![one, read(0, other), write(0, v[0].clone())]
    });
    check(&neighbour, overlap(1, 0));
}

/// A variable with a step, divided by it.
#[test]
fn steps_that_are_divided() {
    let halves = |first: i128, step: i128, by: i64| {
        let mut program = Accesses::over(&[(first, step, 9)]);
        let y = program.buffer(1000);
        let (one, half) = program.bind(Operation::Div, vec![program.var(0), lit(by)]);
        *program.body() = vec![one, write(y, half)];
        program
    };
    check(&halves(0, 2, 2), PROVED);
    check(&halves(1, 2, 2), PROVED);
    check(&halves(5, 4, 4), PROVED);
    check(&halves(5, 4, 2), PROVED);
    check(&halves(0, 2, 3), overlap(0, 0));
    check(&halves(0, 2, 4), overlap(0, 0));
    check(&halves(0, 3, 2), overlap(0, 0));
}

/// `ring[(head + i) % cap]`
#[test]
fn rings() {
    let ring = |cap: i64, head: i128, more: i64| {
        let mut program = Accesses::over(&[(0, 1, 8)]);
        let (cap, head) = (program.host(cap.into(), Usize), program.host(head, Usize));
        let ring = program.buffer(cap.literal().unwrap_or(12));
        let i = program.var(0);
        let (one, at) = program.bind(Operation::Rem, vec![head.clone() + i.clone(), cap.clone()]);
        let (two, other) = program.bind(Operation::Rem, vec![head + i + more, cap]);
        *program.body() = vec![one, two, write(ring, at), read(ring, other)];
        program
    };
    for head in [0, 3, 5, 11, 12, 100] {
        check(&ring(12, head, 0), PROVED);
        check(&ring(8, head, 0), PROVED);
        check(&ring(7, head, 0), overlap(0, 0));
        check(&ring(12, head, 1), overlap(0, 1));
    }
    check(&ring(0, 3, 0), overlap(0, 0));
}

/// `if i == j { x[i] … }`
#[test]
fn variables_that_are_equal() {
    let tied = |index: &dyn Fn(Expr, Expr) -> Expr, comparison: &str, far: i64| {
        program(&[6, 6], &[], |_, v, _| {
            let (i, j) = (v[0].clone(), v[1].clone());
            vec![when(vec![cond(i.clone(), comparison, j.clone() + far)], vec![write(0, index(i, j))])]
        })
    };
    let indexes: [&dyn Fn(Expr, Expr) -> Expr; 4] = [&|i, _| i, &|_, j| j, &|i, j| i + j, &|i, j| i * 3 - j];
    for index in indexes {
        check(&tied(index, "==", 0), PROVED);
        check(&tied(index, "==", 2), PROVED);
        check(&tied(index, "!=", 0), overlap(0, 0));
        check(&tied(index, "<=", 0), overlap(0, 0));
    }
    check(&tied(&|i, j| i - j, "==", 0), overlap(0, 0));
    check(&tied(&|_, _| lit(3), "==", 0), overlap(0, 0));
    let other_outside = program(&[6, 6], &[], |_, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        vec![when(vec![cond(i.clone(), "==", j.clone())], vec![write(0, i)]), read(0, j)]
    });
    check(&other_outside, overlap(0, 1));
    let tied_otherwise = program(&[6, 6], &[], |_, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        let below = |far: i64| vec![cond(i.clone(), "==", j.clone() + far)];
        vec![when(below(0), vec![write(0, i.clone())]), when(below(1), vec![read(0, i.clone())])]
    });
    check(&tied_otherwise, overlap(0, 1));
    // What was made before the condition still mentions both.
    let before = program(&[6, 6], &[], |p, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        let (least, x) = p.bind(Operation::Min, vec![j.clone(), lit(5)]);
        vec![least, when(vec![cond(i.clone(), "==", j)], vec![write(0, x + 6 - i)])]
    });
    check(&before, overlap(0, 0));
    let around = program(&[6, 6], &[], |p, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        let inside =
            |k: Expr| vec![when(vec![cond(i.clone(), "==", j.clone())], vec![write(0, k + 12 - i.clone() * 2)])];
        vec![p.inner(j.clone() * 2, j.clone() * 2 + 2, None, inside)]
    });
    check(&around, overlap(0, 0));
    let digits = program(&[32, 16], &[], |p, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        let (taken, rest) = p.bind(Operation::Rem, vec![i.clone(), lit(16)]);
        vec![taken, when(vec![cond(rest, "==", j.clone())], vec![write(0, i + 16 - j)])]
    });
    check(&digits, overlap(0, 0));
    let mut congruent = Accesses::over(&[(0, 1, 2), (0, 1, 2), (0, 1, 3)]);
    congruent.buffer(1000);
    let [i, j, k] = [0, 1, 2].map(|at| congruent.var(at));
    let (taken, rest) = congruent.bind(Operation::Rem, vec![j.clone() + k.clone(), lit(2)]);
    let inside = vec![when(vec![cond(i.clone(), "==", j)], vec![write(0, i + k)])];
    *congruent.body() = vec![taken, when(vec![cond(rest, "==", 0)], inside)];
    check(&congruent, overlap(0, 0));
    // A sum of both.
    let sum = program(&[6, 6], &[], |_, v, _| {
        let (i, j) = (v[0].clone(), v[1].clone());
        vec![when(vec![cond(i.clone() + j, "==", 5)], vec![write(0, i)])]
    });
    check(&sum, PROVED);
}

/// `if (x + y) % 2 == color { a[y * w + x] = … }` reads the neighbours, which are of the other
/// color.
#[test]
fn red_and_black() {
    let compared =
        |comparison: &str, color: i128, w: i64, columns: u64, modulus: i64, far: &dyn Fn(Expr, Expr) -> Expr| {
            let mut program = Accesses::over(&[(1, 1, 4), (1, 1, columns)]);
            let (width, color) = (program.host(w.into(), Usize), program.host(color, Usize));
            program.buffer(1000);
            let (y, x) = (program.var(0), program.var(1));
            let (one, rest) = program.bind(Operation::Rem, vec![x.clone() + y.clone(), lit(modulus)]);
            let at = y * width.clone() + x;
            let inside = vec![read(0, far(at.clone(), width)), write(0, at)];
            *program.body() = vec![one, when(vec![cond(rest, comparison, color)], inside)];
            program
        };
    let colored = |w, columns, modulus, far: &dyn Fn(Expr, Expr) -> Expr| compared("==", 1, w, columns, modulus, far);
    let neighbours: [&dyn Fn(Expr, Expr) -> Expr; 4] =
        [&|at, _| at + 1, &|at, _| at - 1, &|at, w| at + w, &|at, w| at - w];
    for neighbour in neighbours {
        for w in [6, 7, 8] {
            check(&colored(w, 4, 2, neighbour), PROVED);
            check(&colored(w, 4, 3, neighbour), PROVED);
            // Of two colors, what is not one is the other one.
            for color in [0, 1] {
                check(&compared("!=", color, w, 4, 2, neighbour), PROVED);
            }
            check(&compared("<", 1, w, 4, 2, neighbour), PROVED);
            check(&compared("!=", 2, w, 4, 2, neighbour), overlap(1, 0));
            check(&compared("!=", 0, w, 4, 3, neighbour), overlap(1, 0));
        }
        // Rows that reach into the next one, which begins with the other color.
        check(&colored(4, 6, 2, neighbour), overlap(1, 0));
    }
    check(&colored(7, 4, 2, &|at, _| at + 2), overlap(1, 0));
    check(&colored(7, 4, 2, &|at, w| at + w + 1), overlap(1, 0));
    check(&colored(7, 4, 2, &|at, w| at + w * 2), overlap(1, 0));
    check(&colored(7, 4, 3, &|at, w| at + w + 1), PROVED);
    // A pair of two different sums, and one modulo two numbers.
    for (stride, modulus) in [(1, 3), (2, 2), (3, 4)] {
        let mut two = Accesses::over(&[(1, 1, 4), (1, 1, 4)]);
        let width = two.host(7, Usize);
        two.buffer(1000);
        let (y, x) = (two.var(0), two.var(1));
        let (one, rest) = two.bind(Operation::Rem, vec![x.clone() + y.clone(), lit(2)]);
        let (other, of_other) = two.bind(Operation::Rem, vec![x.clone() + y.clone() * stride, lit(modulus)]);
        let at = y * width + x;
        let written = when(vec![cond(rest, "==", 1)], vec![write(0, at.clone())]);
        let near = when(vec![cond(of_other, "==", 1)], vec![read(0, at + 1)]);
        *two.body() = vec![one, written, other, near];
        check(&two, overlap(0, 1));
    }
    // A pair of which one is of any color.
    let mut half = colored(7, 4, 2, &|at, _| at + 1);
    let w = half.program.var(half.program.params[0]);
    let outside = read(0, half.var(0) * w + half.var(1) + 1);
    half.body().push(outside);
    check(&half, overlap(1, 2));
}

/// `if i != k && j != k { d[i * n + j] = … d[i * n + k] … d[k * n + j] … }`: what is read is in a
/// row or column that nobody writes.
#[test]
fn holes() {
    let paths = |k: i128, comparisons: [&str; 2], lo: i128| {
        let mut program = Accesses::over(&[(lo, 1, 6), (0, 1, 6)]);
        let (n, k) = (program.host(6, Usize), program.host(k, Usize));
        program.buffer(1000);
        let (i, j) = (program.var(0), program.var(1));
        let [row, column] = comparisons;
        let conditions = vec![cond(i.clone(), row, k.clone()), cond(j.clone(), column, k.clone())];
        let inside =
            vec![read(0, i.clone() * n.clone() + k.clone()), read(0, k * n.clone() + j.clone()), write(0, i * n + j)];
        *program.body() = vec![when(conditions, inside)];
        program
    };
    for k in [0, 2, 5] {
        check(&paths(k, ["!=", "!="], 0), PROVED);
    }
    check(&paths(2, [">=", "!="], 0), overlap(2, 1));
    check(&paths(2, ["!=", ">="], 0), overlap(2, 0));
    // Beyond all rows.
    check(&paths(6, ["!=", "!="], 0), overlap(2, 0));
    // A column of one hole, which another value of the variable fills.
    let other_hole = program(&[6], &[], |_, v, _| {
        vec![when(vec![cond(v[0].clone(), "!=", 3)], vec![write(0, v[0].clone()), read(0, lit(4))])]
    });
    check(&other_hole, overlap(0, 1));
    // Each access has its own.
    let one_outside = program(&[6], &[], |_, v, _| {
        vec![when(vec![cond(v[0].clone(), "!=", 3)], vec![write(0, v[0].clone())]), read(0, lit(3))]
    });
    check(&one_outside, PROVED);
    let write_outside = program(&[6], &[], |_, v, _| {
        vec![when(vec![cond(v[0].clone(), "!=", 3)], vec![read(0, lit(3))]), write(0, v[0].clone())]
    });
    check(&write_outside, overlap(1, 0));
}

/// `if ty * t + y < h && tx * t + x < w { c[(ty * t + y) * w + tx * t + x] = … }`, where the last
/// tiles are clipped.
#[test]
fn clipped_tiles() {
    let tiles = |[h, w, t]: [i64; 3], [deep, wide]: [i64; 2], guard: i64, pitch: i64| {
        let trips = |extent: i64| (extent + t - 1).cast_unsigned() / t.cast_unsigned();
        let mut program = Accesses::over(&[(0, 1, trips(h)), (0, 1, trips(w))]);
        let [height, width, tile, row] = [h, w, t, pitch].map(|number| program.host(number.into(), Usize));
        program.buffer(1000);
        let (ty, tx) = (program.var(0) * tile.clone(), program.var(1) * tile.clone());
        let row_of_tile = program.variable(Usize);
        let y = ty + program.program.var(row_of_tile);
        let columns = program.inner(lit(0), tile.clone() + wide, None, |x| {
            let x = tx + x;
            let inside = vec![cond(y.clone(), "<", height), cond(x.clone(), "<", width + guard)];
            vec![when(inside, vec![write(0, y * row + x)])]
        });
        let (start, end) = (Box::new(lit(0)), Box::new(tile + deep));
        let range = Range { start, end, inclusive: false, adaptors: Vec::new() };
        let rows = Kind::For { label: None, var: row_of_tile, range, body: vec![columns].into() };
        *program.body() = vec![Stmt::unit(rows)];
        program
    };
    for sizes in [[7, 10, 4], [8, 8, 4], [3, 5, 8], [9, 7, 2], [5, 5, 1]] {
        let [_, w, _] = sizes;
        check(&tiles(sizes, [0, 0], 0, w), PROVED);
        check(&tiles(sizes, [0, 0], 0, w + 3), PROVED);
    }
    // Tiles that are one too long, a guard that is one too wide, and rows that are one too short.
    check(&tiles([7, 10, 4], [1, 0], 0, 10), overlap(0, 0));
    check(&tiles([7, 10, 4], [0, 1], 0, 10), overlap(0, 0));
    check(&tiles([7, 10, 4], [0, 0], 1, 10), overlap(0, 0));
    check(&tiles([7, 10, 4], [0, 0], 0, 9), overlap(0, 0));
}

/// Elements of one of `two` colors in each dimension, which read all their neighbours.
#[test]
fn colors_by_dimensions() {
    let colored = |conditions: usize, far: [i64; 2]| {
        program(&[4, 4], &[9], |p, v, h| {
            let (y, x, w) = (v[0].clone(), v[1].clone(), h[0].clone());
            let (one, row) = p.bind(Operation::Rem, vec![y.clone(), lit(2)]);
            let (two, column) = p.bind(Operation::And, vec![x.clone(), lit(1)]);
            let here = (y + 1) * w.clone() + x + 1;
            let inside = vec![read(0, here.clone() + w * far[0] + far[1]), write(0, here)];
            let both = [cond(row, "==", 1), cond(column, "!=", 1)];
            vec![one, two, when(both.into_iter().take(conditions).collect(), inside)]
        })
    };
    for far in [[0, 1], [0, -1], [1, 0], [1, 1], [-1, 1], [-1, 0], [-1, -1]] {
        check(&colored(2, far), PROVED);
        check(&colored(1, far), if far[0] == 0 { overlap(1, 0) } else { PROVED });
    }
    check(&colored(2, [0, 2]), overlap(1, 0));
    check(&colored(2, [2, -2]), overlap(1, 0));
}

/// `x = 1 + 2 * k + (y + color) % 2` of a row `y`: half the iterations.
#[test]
fn compressed_rows() {
    struct Board {
        /// As a grid, or as a slice.
        grid: bool,
        width: usize,
        modulus: i64,
        stride: i64,
        /// `x < w - 1 + more`
        more: Option<i64>,
        far: [i64; 2],
    }
    let compressed = |of: &Board| {
        let Board { grid, width, modulus, stride, more, far } = *of;
        let mut program = Accesses::over(&[(1, 1, 5), (0, 1, (width as u64).div_ceil(stride.cast_unsigned()))]);
        let (w, color) = (program.host(width as i128, Usize), program.host(1, Usize));
        program.grid(1000, if grid { vec![width].leak() } else { &[] });
        let (y, k) = (program.var(0), program.var(1));
        let (one, rest) = program.bind(Operation::Rem, vec![y.clone() + color, lit(modulus)]);
        let x = k * stride + rest + 1;
        let index = |[down, right]: [i64; 2]| match grid {
            true => at(vec![y.clone() + down, x.clone() + right]),
            false => (y.clone() + down) * w.clone() + x.clone() + right,
        };
        let inside = vec![read(0, index(far)), write(0, index([0, 0]))];
        let guarded = |more: i64| vec![when(vec![cond(x.clone(), "<", w.clone() - 1 + more)], inside.clone())];
        let body = more.map_or(inside.clone(), guarded);
        *program.body() = [vec![one], body].concat();
        program
    };
    for (grid, width) in [true, false].into_iter().flat_map(|grid| (3..12).map(move |width| (grid, width))) {
        let plain = Board { grid, width, modulus: 2, stride: 2, more: Some(0), far: [0, 0] };
        for far in [[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]] {
            check(&compressed(&Board { far, ..plain }), PROVED);
            check(&compressed(&Board { far, modulus: 3, stride: 3, ..plain }), PROVED);
        }
        if width < 8 {
            continue;
        }
        // The same color, too.
        for far in [[0, 2], [0, -2], [1, 1], [1, -1], [-1, 1], [2, 0]] {
            check(&compressed(&Board { far, ..plain }), overlap(1, 0));
        }
        // Another number of colors than the stride.
        check(&compressed(&Board { far: [1, 0], modulus: 3, ..plain }), overlap(1, 0));
        check(&compressed(&Board { modulus: 3, stride: 2, ..plain }), PROVED);
        check(&compressed(&Board { far: [0, 1], modulus: 2, stride: 1, ..plain }), overlap(1, 0));
        // Without a guard, or with one that is too wide, a row reaches into the next one.
        let open = Board { far: [0, 1], more: None, ..plain };
        check(&compressed(&open), if grid { CHECKED } else { overlap(1, width % 2) });
        let wide = Board { far: [0, 1], more: Some(1), ..plain };
        check(&compressed(&wide), if grid { CHECKED } else { PROVED });
        let wider = Board { far: [0, 1], more: Some(2), ..plain };
        let meets = if width % 2 == 0 { overlap(1, 0) } else { PROVED };
        check(&compressed(&wider), if grid { CHECKED } else { meets });
    }
    // What has wrapped has another remainder.
    let wrapped = program(&[300, 3], &[], |p, v, _| {
        let (y, k) = (v[0].clone(), v[1].clone());
        let (one, rest) = p.bind(Operation::Rem, vec![y.clone().to(U8), Expr::int(3, U8)]);
        let at = y * 12 + k * 3 + rest.to(Usize);
        vec![one, read(0, at.clone() + 12), write(0, at)]
    });
    check(&wrapped, overlap(1, 0));
    // A remainder of what is loaded is another one in each row.
    let loaded = program(&[5, 3], &[], |p, v, _| {
        let (y, k) = (v[0].clone(), v[1].clone());
        let (any, loaded) = p.value(result(Operation::Any, vec![], Usize));
        let (one, rest) = p.bind(Operation::Rem, vec![loaded, lit(2)]);
        let at = y * 12 + k + rest;
        vec![any, one, write(0, at)]
    });
    check(&loaded, overlap(0, 0));
}

/// `x[i * (i + 1) / 2 + j]` with `j <= i`: rows of a triangle.
#[test]
fn rows_of_triangles() {
    type Index<'i> = &'i dyn Fn(Expr, Expr, Expr) -> Expr;
    // With `m = i * factor(i) / by`.
    let rows = |range: (i128, i128, u64),
                factor: &dyn Fn(Expr) -> Expr,
                by: i64,
                columns: &dyn Fn(Expr) -> [Expr; 2],
                index: Index<'_>| {
        let mut program = Accesses::over(&[range]);
        program.buffer(1000);
        let i = program.var(0);
        let (one, product) = program.bind(Operation::Mul, vec![i.clone(), factor(i.clone())]);
        let (two, m) = program.bind(Operation::Div, vec![product, lit(by)]);
        let [start, end] = columns(i.clone());
        let inner = program.inner(start, end, None, |j| vec![write(0, index(m, i, j))]);
        *program.body() = vec![one, two, inner];
        program
    };
    let lower = |range, far: i64, more: i64| rows(range, &|i| i + far, 2, &|i| [lit(0), i + more], &|m, _, j| m + j);
    for trips in 2..12 {
        check(&lower((0, 1, trips), 1, 1), PROVED);
        check(&lower((3, 1, trips), 1, 1), PROVED);
        check(&lower((0, 1, trips), 1, 2), overlap(0, 0));
        // Without the diagonal.
        check(&lower((1, 1, trips), -1, 0), PROVED);
        check(&lower((1, 1, trips), -1, 1), overlap(0, 0));
        // Of every second row, there is room for two.
        let double = |more: i64| rows((0, 2, trips), &|i| i + 1, 2, &|i| [lit(0), i * 2 + more], &|m, _, j| m + j);
        check(&double(3), PROVED);
        check(&double(4), overlap(0, 0));
        // Squares.
        let square = |more: i64| rows((0, 1, trips), &|i| i, 1, &|i| [lit(0), i * 2 + more], &|m, _, j| m + j);
        check(&square(1), PROVED);
        check(&square(2), overlap(0, 0));
        // The other triangle, whose rows get shorter.
        let n = trips.cast_signed();
        let upper = |more: i64| {
            let columns = |i: Expr| [i, lit(n + more)];
            rows((0, 1, trips), &|i| i + 1, 2, &columns, &|m, i, j| i * n - m + j)
        };
        check(&upper(0), PROVED);
        check(&upper(1), overlap(0, 0));
        let condensed = |start: i64| {
            let columns = |i: Expr| [i + start, lit(n)];
            rows((0, 1, trips), &|i| i + 1, 2, &columns, &|m, i, j| i.clone() * n - m + j - i - 1)
        };
        check(&condensed(1), PROVED);
        // Backwards.
        let back = |more: i64| rows((0, 1, trips), &|i| i + 1, 2, &|i| [lit(0), i + more], &|m, _, j| lit(500) - m - j);
        check(&back(1), PROVED);
        check(&back(2), overlap(0, 0));
    }
    // Not every square of this kind is even.
    check(&rows((0, 1, 9), &|i| i + 2, 2, &|i| [lit(0), i], &|m, _, j| m + j), overlap(0, 0));
    check(&rows((0, 1, 9), &|i| i + 1, 3, &|_| [lit(0), lit(1)], &|m, _, j| m + j), overlap(0, 0));
    // Two accesses of a row, and one of the next.
    let two = |far: i64| {
        program(&[9], &[], |p, v, _| {
            let i = v[0].clone();
            let (one, product) = p.bind(Operation::Mul, vec![i.clone(), i.clone() + 1]);
            let (two, m) = p.bind(Operation::Shr, vec![product, lit(1)]);
            let inner = p.inner(lit(0), i.clone() + 1, None, |j| vec![write(0, m.clone() + j), read(0, m + i + far)]);
            vec![one, two, inner]
        })
    };
    check(&two(0), PROVED);
    check(&two(1), overlap(0, 1));
    // Both variables are the loop's.
    let guarded = |comparison: &str| {
        program(&[7, 7], &[], |p, v, _| {
            let (i, j) = (v[0].clone(), v[1].clone());
            let (one, product) = p.bind(Operation::Mul, vec![i.clone(), i.clone() + 1]);
            let (two, m) = p.bind(Operation::Div, vec![product, lit(2)]);
            vec![one, two, when(vec![cond(j.clone(), comparison, i)], vec![write(0, m + j)])]
        })
    };
    check(&guarded("<="), PROVED);
    check(&guarded("<"), PROVED);
    check(&guarded(">="), overlap(0, 0));
    // A row as a part.
    let parts = |far: i64| {
        program(&[9], &[], |p, v, _| {
            let i = v[0].clone();
            let (one, product) = p.bind(Operation::Mul, vec![i.clone(), i.clone() + 1]);
            let (two, m) = p.bind(Operation::Div, vec![product, lit(2)]);
            let (three, product) = p.bind(Operation::Mul, vec![i.clone() + 1, i + 2]);
            let (four, next) = p.bind(Operation::Div, vec![product, lit(2)]);
            vec![one, two, three, four, write_range(0, m, next + far)]
        })
    };
    // That a part begins before its end is left to the device.
    check(&parts(0), CHECKED);
    check(&parts(1), overlap(0, 0));
    // In a type that holds the squares, and in one that does not.
    let narrow = |trips: u64| {
        let mut program = Accesses::over(&[]);
        let i = program.axis(0, 1, trips, U8);
        program.buffer(1000);
        let (one, product) = program.bind(Operation::Mul, vec![i.clone(), i.clone() + Expr::int(1, U8)]);
        let (two, m) = program.bind(Operation::Div, vec![product, Expr::int(2, U8)]);
        let inner = program.inner(lit(0), i.to(Usize) + 1, None, |j| vec![write(0, m.to(Usize) + j)]);
        *program.body() = vec![one, two, inner];
        program
    };
    check(&narrow(16), PROVED);
    check(&narrow(17), overlap(0, 0));
    let example = facts::example(&narrow(17), &facts::of(&narrow(17))).expect("an example");
    let wraps = example.wrap.map(|wrap| wrap.text(&|atom| (atom == 0).then(|| "i".to_owned())));
    assert_eq!(wraps.as_deref(), Some("`i + i * i` wraps in `u8`"));
}
