//! Bank conflicts, as plans tell them: what one would count by hand for each kernel.

use anabranch::prelude::*;
use half::f16;

/// The access, whether it writes, and the words of one bank, or why these are not known.
type Told = (&'static str, bool, Result<u32, &'static str>);

fn told(plan: Plan) -> Vec<Told> {
    plan.bank_conflicts().map(|conflict| (conflict.access, conflict.writes, conflict.ways)).collect()
}

fn padded(plan: Plan) -> Vec<Option<(usize, u32)>> {
    plan.bank_conflicts().map(|conflict| conflict.padded).collect()
}

/// A kernel of one block of `$threads`, with an array of `$array`, and phases.
macro_rules! kernel {
    ($name:ident, $threads:expr, $array:expr, |$block:ident, $t:ident, $x:ident: $T:ty, $n:ident, $at:ident| $($phases:tt)*) => {
        #[kernel]
        #[allow(unused)]
        fn $name($x: &mut [$T], $at: &[u32], $n: usize) {
            for $block in par_blocks(0..1).threads($threads) {
                let mut $t = $block.shared($array);
                $($phases)*
            }
        }
    };
}

kernel!(column, (32, 32), [[0.0; 32]; 32], |block, t, x: f32, n, at|
    for (i, j) in block.threads() { t[i][j] = 1.0; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[j][i]; }
);
kernel!(padded_column, (32, 32), [[0.0; 33]; 32], |block, t, x: f32, n, at|
    for (i, j) in block.threads() { t[i][j] = 1.0; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[j][i]; }
);
kernel!(swizzled, (32, 32), [[0.0; 32]; 32], |block, t, x: f32, n, at|
    for (i, j) in block.threads() { t[i][j ^ i] = 1.0; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[j][i ^ j]; }
);

kernel!(small, (16, 16), [[0.0; 16]; 16], |block, t, x: f32, n, at|
    for (i, j) in block.threads() { t[i][j] = 1.0; }
    for (i, j) in block.threads() { x[i * 16 + j] = t[j][i]; }
);
kernel!(small_swizzled, (16, 16), [[0.0; 16]; 16], |block, t, x: f32, n, at|
    for (i, j) in block.threads() { t[i][j ^ i] = 1.0; }
    for (i, j) in block.threads() { x[i * 16 + j] = t[j][i ^ j]; }
);

#[test]
fn transposes() {
    assert_eq!(told(column::plan()), [("t[j][i]", false, Ok(32))]);
    assert_eq!(padded(column::plan()), [Some((33, 1))]);
    assert_eq!(told(padded_column::plan()), []);
    assert_eq!(told(swizzled::plan()), []);
    // Two rows of 17 have one bank in common, and so have two columns.
    assert_eq!((told(small::plan()), padded(small::plan())), (vec![("t[j][i]", false, Ok(8))], vec![Some((17, 2))]));
    assert_eq!(told(small_swizzled::plan()), []);
}

kernel!(column_f64, (32, 32), [[0.0; 32]; 32], |block, t, x: f64, n, at|
    for (i, j) in block.threads() { t[j][i] = x[i * 32 + j]; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[i][j]; }
);
kernel!(column_u8, (32, 32), [[0; 32]; 32], |block, t, x: u8, n, at|
    for (i, j) in block.threads() { t[j][i] = x[i * 32 + j]; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[i][j]; }
);
kernel!(column_f16, (32, 32), [[f16::ZERO; 32]; 32], |block, t, x: f16, n, at|
    for (i, j) in block.threads() { t[j][i] = x[i * 32 + j]; }
    for (i, j) in block.threads() { x[i * 32 + j] = t[i][j]; }
);
kernel!(column_u128, (32, 32), [[0; 16]; 32], |block, t, x: u128, n, at|
    for (i, j) in block.par((0..16, 0..32)) { t[j][i] = x[i * 32 + j]; }
    for (i, j) in block.par((0..32, 0..16)) { x[i * 16 + j] = t[i][j]; }
);

/// Rows of 32 elements are 64 words of `f64`, 16 of `f16` and 8 of `u8`; four elements of `u8` are in one word.
#[test]
fn sizes_of_elements() {
    assert_eq!(told(column_f64::plan()), [("t[j][i]", true, Ok(16))]);
    assert_eq!(padded(column_f64::plan()), [Some((33, 1))]);
    assert_eq!(told(column_f16::plan()), [("t[j][i]", true, Ok(16))]);
    assert_eq!(padded(column_f16::plan()), [Some((34, 1))]);
    assert_eq!(told(column_u8::plan()), [("t[j][i]", true, Ok(8))]);
    assert_eq!(padded(column_u8::plan()), [Some((36, 1))]);
    assert_eq!(told(column_u128::plan()), [("t[j][i]", true, Ok(8))]);
    assert_eq!(padded(column_u128::plan()), [Some((17, 1))]);
}

kernel!(steps, 64, [0.0; 1024], |block, t, x: f32, n, at|
    for i in block.threads() { t[i] = 1.0; }
    for i in block.threads() { t[2 * i] = 1.0; }
    for i in block.threads() { t[3 * i] = 1.0; }
    for i in block.threads() { t[12 * i + 1] += 1.0; }
    for i in block.threads() { x[i] = t[0] + t[n] + t[i / 2] + t[i + n] + t[2 * i + n]; }
);

#[test]
fn strides_and_broadcasts() {
    let told = told(steps::plan());
    assert_eq!(told, [("t[2 * i]", true, Ok(2)), ("t[12 * i + 1]", true, Ok(4)), ("t[2 * i + n]", false, Ok(2))]);
    assert_eq!(padded(steps::plan()), [None; 3]);
}

kernel!(two_rows, (16, 16), [[0.0f32; 32]; 32], |block, t, x: f32, n, at|
    // A warp has two rows of 16.
    for (i, j) in block.threads() { t[i][j] = 1.0; }
    for (i, j) in block.threads() { t[i * 2][j] = 1.0; }
    for (i, j) in block.threads() { t[j][i] = 1.0; }
    for (i, j) in block.threads() { x[i] = t[i / 2][(i % 2) * 16 + j]; }
    // Larger than the block.
    for (i, j) in block.par((0..32, 0..32)) { t[i][j] = 2.0; }
    for (i, j) in block.par((0..18, 0..18)) { t[i][j] = 2.0; }
    for (i, j) in block.par((0..32, 0..8)) { t[i][j] = 2.0; }
);

#[test]
fn rows_of_a_warp() {
    let told = told(two_rows::plan());
    let want = [
        ("t[i][j]", true, Ok(2)),
        ("t[i * 2][j]", true, Ok(2)),
        ("t[j][i]", true, Ok(16)),
        ("t[i][j]", true, Ok(2)),
        ("t[i][j]", true, Ok(4)),
    ];
    assert_eq!(told, want);
}

kernel!(some_threads, 32, [[0.0f32; 32]; 32], |block, t, x: f32, n, at|
    for i in block.threads() { if i < 4 { t[i][0] = 1.0; } }
    for i in block.threads() { if i >= 4 && i < 10 { t[i][0] = 1.0; } else { t[0][i] = 1.0; } }
    for i in block.threads() { if i < n { t[i][0] = 1.0; } }
    for i in block.threads() { if x[i] > 0.0 || i < 2 { t[i][0] = 1.0; } }
    for i in block.threads() { if !(i != 5) { t[i][0] = 1.0; } }
    for i in block.threads() { if i % 2 == 0 { t[0][i] = 1.0; } else { t[1][i] = 1.0; } }
    for i in block.par(0..3) { t[i][1] = 1.0; }
    for i in block.threads() { if i < 4 || i == 5 { x[i] = 1.0; } else { t[i][2] = 1.0; } }
);

#[test]
fn conditions() {
    let ways: Vec<_> = told(some_threads::plan()).into_iter().map(|(access, _, ways)| (access, ways)).collect();
    let column = "t[i][0]";
    // `!` is not followed: that is an upper bound.
    let want = [(column, 4), (column, 6), (column, 32), (column, 32), (column, 32), ("t[i][1]", 3), ("t[i][2]", 27)];
    assert_eq!(ways, want.map(|(access, ways)| (access, Ok(ways))));
}

kernel!(data, 32, [0.0; 1024], |block, t, x: f32, n, at| for i in block.threads() {
    t[at[i] as usize % 32 * 0 + i] = 1.0;
});
kernel!(unknown, 32, [[0.0; 32]; 32], |block, t, x: f32, n, at|
    for i in block.threads() { x[i] = t[0][at[i] as usize % 32]; }
    for i in block.threads() { x[i] = t[0][i * n]; }
    for i in block.threads() { let row = &t[i]; x[i] = largest(row); }
    for (i, j) in block.par((0..n, 0..n)) { x[i * n + j] = t[i][j]; }
    for i in block.threads() { let mut k = i; while k < n { k += 5; x[i] += t[0][k]; } }
    let mut own = block.each(0);
    for i in block.threads() { own = at[i] as usize; x[i] += t[0][own]; }
);

#[device]
fn largest(row: &[f32; 32]) -> f32 {
    row[0].max(row[31])
}

#[test]
fn what_cannot_be_told() {
    let own = Err("its index depends on what a thread has computed or read");
    let later = Err("its index depends on a number that only the launch knows");
    let want = [
        ("t[0][at[i] as usize % 32]", false, own),
        ("t[0][i * n]", false, later),
        ("t[i]", false, Err("what is read behind a reference is not followed")),
        ("t[i][j]", false, later),
        ("t[0][k]", false, own),
        ("t[0][own]", false, own),
    ];
    assert_eq!(told(unknown::plan()), want);
    assert_eq!(told(data::plan()).len(), 1);
}

kernel!(rounds, 256, [[0.0; 64]; 64], |block, t, x: f32, n, at|
    for (i, j) in block.par((0..64, 0..64)) { t[i][j] = 1.0; }
    // In each round all threads have the same `k`.
    for i in block.par(0..64) { for k in 0..64 { x[i] += t[k][i]; } }
    for i in block.par(0..64) { for k in (0..n).rev() { x[i] += t[i][k]; } }
    for i in block.par(0..32) { for k in i..64 { x[i] += t[i][k]; } }
    for i in block.par(0..32) { for k in (0..64).step_by(3) { x[i] += t[k][i * 2]; } }
    for i in block.par(0..64) { for v in t[i].iter() { x[i] += v; } }
);

/// `t[i][i + k]` is a diagonal.
#[test]
fn loops() {
    let told = told(rounds::plan()).into_iter().map(|(access, _, ways)| (access, ways));
    let want = [("t[i][k]", Ok(32)), ("t[k][i * 2]", Ok(2)), ("t[i]", Ok(32))];
    assert_eq!(told.collect::<Vec<_>>(), want);
}

kernel!(halves, 256, [0.0f32; 512], |block, t, x: f32, n, at|
    for i in block.par(0..512) { t[i] = 1.0; }
    let mut half = 256;
    while half > 0 {
        for i in block.par(0..half) { t[i] += t[i + half]; }
        half /= 2;
    }
    for level in 0..8 {
        let step = 1 << level;
        for i in block.par(0..256 >> level) { if i % 2 == 0 { t[2 * step * i] += t[2 * step * i + step]; } }
    }
);

/// Halves have no conflicts, neighbours have.
#[test]
fn reductions() {
    // Steps of 4, 8, 16, 32 elements, 32 and fewer threads.
    let told = told(halves::plan());
    let want = [("t[2 * step * i + step]", false, Ok(16)), ("t[2 * step * i]", true, Ok(16))];
    assert_eq!(told, want);
}

#[device]
#[derive(Clone, Copy)]
struct Point {
    at: [f32; 3],
    mass: f32,
    id: f64,
}

kernel!(structs, 32, [Point { at: [0.0; 3], mass: 0.0, id: 0.0 }; 64], |block, t, x: f32, n, at|
    for i in block.threads() { t[i].mass = 1.0; }
    for i in block.threads() { t[i].id = 1.0; }
    for i in block.threads() { for k in 0..3 { x[i] += t[i].at[k]; } }
    for i in block.threads() { let own = t[i]; x[i] = own.mass; }
);
/// Structs of 6 words: 16 threads with 8 bytes each are in all banks, 32 with 4 bytes are in every second one.
#[test]
fn parts_of_structs() {
    let told: Vec<_> = told(structs::plan()).into_iter().map(|(.., ways)| ways).collect();
    assert_eq!(told, [Ok(2), Ok(2)]);
}

const SIDE: usize = 32;

#[kernel]
fn constants<const ROW: usize>(x: &mut [f32]) {
    for block in par_blocks(0..1).threads((16, 32)) {
        let mut t = block.shared([[0.0; 48]; SIDE]);
        let mut flat = block.shared([0.0; 4096]);
        for (i, j) in block.par((0..16, 0..SIDE)) {
            t[j][i] = 1.0;
            flat[j * ROW + i] = 1.0;
        }
        for i in block.par(0u32..16u32) {
            x[i as usize] = t[i as usize][0] + flat[(i * 2) as usize];
        }
    }
}

#[test]
fn constants_are_numbers() {
    let conversion = ("flat[(i * 2) as usize]", false, Err("its index depends on what a thread has computed or read"));
    let column = ("t[i as usize][0]", false, Ok(8));
    assert_eq!(
        told(constants::plan::<32>()),
        [("t[j][i]", true, Ok(16)), ("flat[j * ROW + i]", true, Ok(32)), column, conversion]
    );
    assert_eq!(told(constants::plan::<33>()), [("t[j][i]", true, Ok(16)), column, conversion]);
}

#[test]
fn a_plan_shows_them() {
    let text = column::plan().to_string();
    let line = column::plan().bank_conflicts().next().map_or(0, |conflict| conflict.line);
    let phase = format!("   phase  line {line}, behind a barrier for t\n");
    let conflict = format!("      t[j][i]  read, line {line}: 32-way bank conflict; with rows of 33 there is none\n");
    assert!(text.ends_with(&(phase + &conflict)), "{text}");
    let text = unknown::plan().to_string();
    assert!(text.contains("bank conflicts are not known: its index depends on what"), "{text}");
    assert!(!padded_column::plan().to_string().contains("bank conflict"));
}

kernel!(vectors, 64, [[0.0f32; 4]; 64], |block, t, x: f32, n, at|
    for i in block.threads() { for k in 0..4 { t[i][k] = 1.0; } }
    for i in block.threads() { for k in 0..4 { x[i] += t[63 - i][k]; } }
    for i in block.threads() { for k in 0..2 { x[i] += t[i][2 * k]; } }
    for i in block.threads() { for k in 0..n { x[i] += t[i][k]; } }
    for i in block.threads() { for k in 0..3 { x[i] += t[i][k + 1]; } }
    for i in block.threads() { for k in 0..4 { if k != 1 { x[i] += t[63 - i][k]; } } }
);

/// NVRTC makes of the first two loops one access of 16 bytes each. Of the others, it cannot, or the bytes do not begin at a multiple of 16.
#[test]
fn elements_in_a_row() {
    let told: Vec<_> = told(vectors::plan()).into_iter().map(|(access, _, ways)| (access, ways)).collect();
    let want = [("t[i][2 * k]", Ok(4)), ("t[i][k]", Ok(4)), ("t[i][k + 1]", Ok(4)), ("t[63 - i][k]", Ok(4))];
    assert_eq!(told, want);
}

/// The library's own kernels: what is written in the comments of `algorithms`.
#[test]
fn of_the_library() {
    assert_eq!(told(anabranch::algorithms::transpose::plan::<f32>()), []);
    assert_eq!(told(anabranch::algorithms::transpose::plan::<f64>()), []);
    // The reads of the inner loop have none.
    assert_eq!(told(anabranch::algorithms::matmul::plan::<f32>()), [("ta[x][y + 8 * i]", true, Ok(2))]);
}
