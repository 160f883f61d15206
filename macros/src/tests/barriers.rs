//! Where barriers stand, counted in the C++ of what one writes by hand.

use super::cuda::checked_anyway;

/// The barriers of a kernel whose blocks have 64 threads.
fn barriers(params: &str, body: &str) -> usize {
    let text = checked_anyway(&format!(
        "fn k({params}) {{ for block in par_blocks(0..n).threads(64) {{ let b = block.index(); {body} }} }}"
    ));
    text.matches("ab::meet").count() + text.matches("__sync").count()
}

const BUFFERS: &str = "x: &mut [f32], y: &mut [f32], n: usize, m: usize";

/// `ta[k % 2]`: what the next round writes, this one does not read.
#[test]
fn two_tiles_in_turn() {
    let rounds = |write: &str, read: &str| {
        let body = format!(
            "let mut ta = block.shared([[[0.0; 8]; 8]; 3]);
             for k in 0..m {{
                 for (y, x) in block.par((0..8, 0..8)) {{ ta[{write}][y][x] = 1.0; }}
                 for (v, u) in block.par((0..8, 0..8)) {{ y[b * 64 + v * 8 + u] = ta[{read}][u][v]; }}
             }}"
        );
        barriers(BUFFERS, &body)
    };
    assert_eq!(rounds("0", "0"), 2);
    assert_eq!(rounds("k % 2", "k % 2"), 1);
    assert_eq!(rounds("k & 1", "k & 1"), 1);
    assert_eq!(rounds("(k + 1) % 2", "(k + 1) % 2"), 1);
    assert_eq!(rounds("k % 3", "k % 3"), 1);
    assert_eq!(rounds("m % 2", "m % 2"), 2);
    assert_eq!(rounds("k / 2 % 2", "k / 2 % 2"), 2);
}

/// The load of the next round stands before the work of this one.
#[test]
fn a_load_ahead() {
    let body = "let mut ta = block.shared([[0.0; 64]; 2]);
        for t in block.threads() { ta[0][t] = x[b * 64 + t]; }
        for k in 0..m {
            for t in block.threads() { ta[(k + 1) % 2][t] = x[b * 64 + t]; }
            for t in block.threads() { y[b * 64 + t] += ta[k % 2][63 - t]; }
        }";
    assert_eq!(barriers(BUFFERS, body), 2);
}

/// What the same thread has written, it reads without a barrier.
#[test]
fn the_same_thread_again() {
    let phases = |first: &str, second: &str| {
        barriers(BUFFERS, &format!("let mut t64 = block.shared([0.0; 256]); {first} {second}"))
    };
    let t = "for t in block.threads()";
    assert_eq!(
        phases(&format!("{t} {{ x[b * 64 + t] = 1.0; }}"), &format!("{t} {{ y[b * 64 + t] = x[b * 64 + t]; }}")),
        0
    );
    assert_eq!(
        phases(&format!("{t} {{ x[b * 64 + t] = 1.0; }}"), &format!("{t} {{ y[b * 64 + t] = x[b * 64 + 63 - t]; }}")),
        1
    );
    // All of a long phase, and a part of it.
    let long = "for t in block.par(0..256) { t64[t] = 1.0; }";
    assert_eq!(phases(long, "for t in block.par(0..200) { y[b * 256 + t] = t64[t]; }"), 0);
    assert_eq!(phases(long, "for t in block.par(0..200) { y[b * 256 + t] = t64[t + 1]; }"), 1);
    // 64 further is the same thread, and 32 further is another one.
    assert_eq!(phases(long, "for t in block.par(0..100) { y[b * 256 + t] = t64[t + 64]; }"), 0);
    assert_eq!(phases(long, "for t in block.par(0..100) { y[b * 256 + t] = t64[t + 32]; }"), 1);
    // Other ranges, whose ends are numbers of the launch.
    let of_launch = |first: &str, second: &str| {
        phases(
            &format!("for i in block.par({first}) {{ x[i] = 1.0; }}"),
            &format!("for i in block.par({second}) {{ y[i] = x[i]; }}"),
        )
    };
    assert_eq!(of_launch("b * m..b * m + m", "b * m..n"), 0);
    assert_eq!(of_launch("b * m..b * m + m", "b * n..b * n + m"), 1);
    assert_eq!(of_launch("b * 128..b * 128 + m", "b * 128 + 64..n"), 0);
    assert_eq!(of_launch("b * 128..b * 128 + m", "b * 128 + 32..n"), 1);
}

/// Rule A says of a form that no two iterations have one element of it.
#[test]
fn rows_and_columns() {
    let phases = |first: &str, second: &str| {
        barriers(
            BUFFERS,
            &format!("for (v, u) in block.par(({first}, 0..8)) {{ x[(b * 8 + v) * m + u] = 1.0; }} {second}"),
        )
    };
    let second = "for (v, u) in block.par((0..8, 0..8)) { y[(b * 8 + v) * m + u] = x[(b * 8 + v) * m + u]; }";
    assert_eq!(phases("0..8", second), 0);
    assert_eq!(phases("0..4", second), 1, "other iterations");
    let guarded =
        "for (v, u) in block.par((0..8, 0..8)) { if v < 2 { y[(b * 8 + v) * m + u] = x[(b * 8 + v) * m + u]; } }";
    assert_eq!(phases("0..8", guarded), 0, "one of them is sure");
    let mixed = "for (v, u) in block.par((0..8, 0..8)) { y[(b * 8 + v) * m + u] = x[(b * 8 + u) * m + v]; }";
    assert_eq!(phases("0..8", mixed), 1);
}

/// An access that only some iterations make tells nothing about the others.
#[test]
fn maybe_written() {
    let body = |guard: &str| {
        format!(
            "for t in block.threads() {{ {guard} x[b * 64 + t % 4 * m] = 1.0; }} for t in block.threads() {{ y[b * 64 + t] = x[b * 64 + t % 4 * m]; }}"
        )
    };
    assert_eq!(barriers(BUFFERS, &body("if t >= 4 { continue; }")), 1);
}

/// A value that a variable had in another round is another value.
#[test]
fn rounds_of_other_values() {
    let body = |choice: &str| {
        format!(
            "let mut two = block.shared([[0.0; 64]; 2]); let mut sum = 0;
             for k in 0..m {{
                 {choice}
                 for t in block.threads() {{ two[p][t] = 1.0; }}
                 for t in block.threads() {{ y[b * 64 + t] += two[p][63 - t]; }}
                 sum += k;
             }}"
        )
    };
    assert_eq!(barriers(BUFFERS, &body("let p = k % 2;")), 1);
    assert_eq!(barriers(BUFFERS, &body("let p = sum % 2;")), 2);
}

/// Several iterations of a phase may change one atomic, so rule A says nothing of them.
#[test]
fn atomics() {
    let phases = |len: &str, first: &str, second: &str| {
        let t = "for t in block.threads()";
        let array = format!("let own = block.shared([const {{ AtomicU32::new(0) }}; {len}]);");
        let body = format!("{array} {t} {{ {first} }} {t} {{ y[b * 64 + t] = {second} as f32; }}");
        barriers(BUFFERS, &body)
    };
    let add = |index: &str| format!("own[{index}].fetch_add(1, Relaxed);");
    let load = |index: &str| format!("own[{index}].load(Relaxed)");
    assert_eq!(phases("64", &add("t"), &load("t")), 0, "the thread that has filled, added and loaded is one");
    assert_eq!(phases("64", &add("t"), &load("63 - t")), 1);
    assert_eq!(phases("64", &add("t / 2"), &load("t / 2")), 2, "another thread has added to it, too");
    assert_eq!(phases("LEN", &add("t / 2"), &load("t / 2")), 2);
    assert_eq!(phases("64", &add("x[b * 64 + t] as usize"), &load("t")), 2);
    let read = format!("y[b * 64 + t] = {} as f32;", load("0"));
    assert_eq!(phases("64", &read, &load("1")), 1, "two loads are no conflict: only the first values come before");
    assert_eq!(phases("64", "own[0].store(1, Relaxed);", "1"), 1);
    assert_eq!(phases("64", "add(&own, t);", "1"), 1, "what a function does to atomics, nobody knows");
    let rounds = |body: &str| {
        let array = "let own = block.shared([const { AtomicU32::new(0) }; 64]);";
        barriers(BUFFERS, &format!("{array} for k in 0..m {{ {body} }}"))
    };
    assert_eq!(rounds("for t in block.threads() { own[t * k % 64].fetch_add(1, Relaxed); }"), 1);
    assert_eq!(
        rounds(
            "own[3].fetch_add(1, Relaxed); for t in block.threads() { y[b * 64 + t] += own[3].load(Relaxed) as f32; }"
        ),
        2
    );
}

/// A guard is asked for each alternative that matches, and so is what all threads compute in it.
#[test]
fn guards_of_alternatives() {
    let of = |pattern: &str| {
        let body = format!(
            "let mut own = block.each(1.0); for t in block.threads() {{ own = x[b * 64 + t]; }}
            let c = match (n, m) {{ {pattern} if block.sum(own) > a as f32 => a, _ => 0 }}; y[b] = c as f32;"
        );
        barriers(BUFFERS_TO_Y, &body)
    };
    assert_eq!(of("(a, 0)"), 0);
    // One before each of them.
    assert_eq!(of("(a, 0) | (0, a)"), 2);
}

const BUFFERS_TO_Y: &str = "x: &[f32], y: &mut [f32], n: usize, m: usize";
