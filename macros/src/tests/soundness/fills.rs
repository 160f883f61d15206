//! Random programs of blocks with one shared array: where its first values are left out, nothing
//! reads an element before it is written.
//!
//! The programs are made of what decides that: tiles with padding, conditions that clip, inner
//! loops, branches and rounds around phases, conditions that look alike. They run with some
//! numbers, one phase after the other.

use std::collections::{BTreeMap, BTreeSet};

use anabranch_programs::rng::Rng;

use super::setting;
use crate::tests::cuda;

const ROWS: usize = 4;
const COLUMNS: usize = 5;
/// The first value: nothing else in a program is as large.
const FIRST: &str = "7001";

/// A sum of variables with factors, and of a number.
#[derive(Clone)]
struct Sum(Vec<(usize, &'static str)>, usize);

impl Sum {
    fn text(&self) -> String {
        let term = |(factor, var): &(usize, &'static str)| match factor {
            1 => (*var).to_owned(),
            _ => format!("{factor} * {var}"),
        };
        let mut terms: Vec<String> = self.0.iter().map(term).collect();
        if self.1 > 0 || terms.is_empty() {
            terms.push(self.1.to_string());
        }
        terms.join(" + ")
    }

    fn value(&self, env: &BTreeMap<&'static str, usize>) -> usize {
        self.0.iter().map(|(factor, var)| factor * env[var]).sum::<usize>() + self.1
    }
}

/// `sum < limit - less`, or `sum - less < limit`.
#[derive(Clone)]
struct Cond(Sum, &'static str, usize, Less);

#[derive(Clone, Copy, PartialEq)]
enum Less {
    Left,
    Right,
}

impl Cond {
    fn text(&self) -> String {
        let less = if self.2 > 0 { format!(" - {}", self.2) } else { String::new() };
        match self.3 {
            Less::Left => format!("{}{less} < {}", self.0.text(), self.1),
            Less::Right => format!("{} < {}{less}", self.0.text(), self.1),
        }
    }

    /// Whether it holds, and whether the difference wraps.
    fn holds(&self, env: &BTreeMap<&'static str, usize>) -> (bool, bool) {
        let (sum, limit, less) = (self.0.value(env), env[self.1], self.2);
        match self.3 {
            Less::Left => (sum.wrapping_sub(less) < limit, sum < less),
            Less::Right => (sum < limit.wrapping_sub(less), limit < less),
        }
    }
}

/// What an iteration does, and what stands around phases.
enum Node {
    Write(Sum, Sum),
    Read(Sum, Sum),
    When(Vec<Cond>, Vec<Node>, Vec<Node>),
    /// `for var in 0..count`.
    For(&'static str, usize, Vec<Node>),
    /// A phase with so many rows and columns.
    Phase(&'static str, &'static str, usize, usize, Vec<Node>),
}

fn text(nodes: &[Node], out: &mut String) {
    for node in nodes {
        match node {
            Node::Write(y, x) => out.push_str(&format!("a[{}][{}] = 1;\n", y.text(), x.text())),
            Node::Read(y, x) => out.push_str(&format!("own += a[{}][{}];\n", y.text(), x.text())),
            Node::When(conds, then, otherwise) => {
                let conds: Vec<String> = conds.iter().map(Cond::text).collect();
                out.push_str(&format!("if {} {{\n", conds.join(" && ")));
                text(then, out);
                if !otherwise.is_empty() {
                    out.push_str("} else {\n");
                    text(otherwise, out);
                }
                out.push_str("}\n");
            }
            Node::For(var, count, body) => {
                out.push_str(&format!("for {var} in 0..{count} {{\n"));
                text(body, out);
                out.push_str("}\n");
            }
            Node::Phase(y, x, rows, columns, body) => {
                out.push_str(&format!("for ({y}, {x}) in block.par((0..{rows}, 0..{columns})) {{\n"));
                text(body, out);
                out.push_str("}\n");
            }
        }
    }
}

struct Generator {
    rng: Rng,
    /// The conditions of the program's phases, in terms of their element.
    clips: Vec<(usize, usize, &'static str)>,
}

impl Generator {
    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.below(all.len())].clone()
    }

    /// Conditions on an element, of few kinds: those of two phases often are the same.
    fn clip(&mut self, y: &Sum, x: &Sum) -> Vec<Cond> {
        if self.rng.chance(30) {
            let other = (self.rng.below(2), self.rng.below(2), self.pick(&["n", "m"]));
            let at = self.rng.below(self.clips.len());
            self.clips[at] = other;
        }
        let mut conds = Vec::new();
        for (of, more, limit) in self.clips.clone() {
            if self.rng.chance(85) {
                let mut sum = if of == 0 { y.clone() } else { x.clone() };
                sum.1 += more;
                let less = if self.rng.chance(10) { 1 + self.rng.below(3) } else { 0 };
                conds.push(Cond(sum, limit, less, Less::Left));
            }
        }
        conds
    }

    /// A tile that is clipped, and read with what is around its elements where they are below less.
    fn tile(&mut self) -> Vec<Node> {
        let var = |name, more| Sum(vec![(1, name)], more);
        let limits = [self.pick(&["n", "m"]), self.pick(&["n", "m"])];
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for (at, limit) in limits.into_iter().enumerate() {
            let more = self.rng.below(2);
            let less = if self.rng.chance(20) { self.rng.below(3) } else { 0 };
            writes.push(Cond(var(["i", "j"][at], more), limit, less, Less::Left));
            reads.push(Cond(var(["s", "t"][at], more), limit, self.rng.below(4), Less::Right));
        }
        let read = Node::Read(var("s", self.rng.below(3)), var("t", self.rng.below(3)));
        let write = Node::Write(var("i", 0), var("j", 0));
        vec![
            Node::Phase("i", "j", ROWS, COLUMNS, vec![Node::When(writes, vec![write], Vec::new())]),
            Node::Phase("s", "t", ROWS - 2, COLUMNS - 2, vec![Node::When(reads, vec![read], Vec::new())]),
        ]
    }

    /// The nodes of an iteration, or of a round in it.
    fn iteration(&mut self, (y, x): (&'static str, &'static str), writes: bool) -> Vec<Node> {
        let var = |name| Sum(vec![(1, name)], 0);
        let (mut row, mut column) = (var(y), var(x));
        match self.rng.below(12) {
            0 => row.1 += 1,
            1 => column.1 += 1,
            2 => column = Sum(Vec::new(), self.rng.below(COLUMNS)),
            3 => std::mem::swap(&mut row, &mut column),
            4 => row = Sum(Vec::new(), 0),
            _ => {}
        }
        let mut around = None;
        if self.rng.chance(30) {
            let (factor, count) = (1 + self.rng.below(3), 1 + self.rng.below(3));
            if self.rng.chance(50) { &mut row } else { &mut column }.0.push((factor, "q"));
            around = Some(count);
        }
        let clip = match self.rng.below(10) {
            0..5 => self.clip(&row, &column),
            _ => Vec::new(),
        };
        let access = |writes| match writes {
            true => Node::Write(row.clone(), column.clone()),
            false => Node::Read(row.clone(), column.clone()),
        };
        let mut nodes = vec![access(writes)];
        if self.rng.chance(15) {
            let at = self.rng.below(2);
            nodes.insert(at, access(false));
        }
        if !clip.is_empty() {
            let otherwise = if self.rng.chance(10) { vec![access(self.rng.chance(50))] } else { Vec::new() };
            nodes = vec![Node::When(clip, nodes, otherwise)];
        }
        match around {
            Some(count) => vec![Node::For("q", count, nodes)],
            None => nodes,
        }
    }

    fn phase(&mut self, writes: bool) -> Node {
        let (rows, columns) = (1 + self.rng.below(ROWS), 1 + self.rng.below(COLUMNS));
        let (rows, columns) = if self.rng.chance(70) { (ROWS, COLUMNS - 1) } else { (rows, columns) };
        let vars = if writes { ("i", "j") } else { ("s", "t") };
        Node::Phase(vars.0, vars.1, rows, columns, self.iteration(vars, writes))
    }

    fn nodes(&mut self, depth: usize) -> Vec<Node> {
        let mut nodes = vec![self.node(true, depth), self.node(false, depth)];
        if self.rng.chance(40) {
            let writes = self.rng.chance(40);
            let at = self.rng.below(3);
            let node = self.node(writes, depth);
            nodes.insert(at, node);
        }
        nodes
    }

    fn node(&mut self, writes: bool, depth: usize) -> Node {
        let kind = if depth == 0 { 9 } else { self.rng.below(10) };
        match kind {
            0 | 1 => {
                let cond = Cond(Sum(Vec::new(), self.rng.below(2)), self.pick(&["n", "m"]), 0, Less::Right);
                let otherwise = if self.rng.chance(30) { self.nodes(depth - 1) } else { Vec::new() };
                let then = if self.rng.chance(50) { vec![self.phase(writes)] } else { self.nodes(depth - 1) };
                Node::When(vec![cond], then, otherwise)
            }
            2 => Node::For(if depth == 2 { "k" } else { "l" }, self.rng.below(3), self.nodes(depth - 1)),
            _ => self.phase(writes),
        }
    }
}

/// The memory of one block.
#[derive(Default)]
struct Machine {
    env: BTreeMap<&'static str, usize>,
    written: BTreeSet<(usize, usize)>,
    /// Of the phase: iterations that write elements, and those that read one that is not written.
    writers: Vec<(usize, (usize, usize))>,
    readers: Vec<(usize, (usize, usize))>,
    iteration: usize,
    /// An index was out of bounds.
    failed: bool,
    /// A difference has wrapped.
    wrapped: bool,
}

impl Machine {
    /// `false`: something reads what nothing has written.
    fn run(&mut self, nodes: &[Node]) -> bool {
        nodes.iter().all(|node| self.failed || self.step(node))
    }

    fn step(&mut self, node: &Node) -> bool {
        match node {
            Node::Write(y, x) | Node::Read(y, x) => {
                let at = (y.value(&self.env), x.value(&self.env));
                self.failed |= at.0 >= ROWS || at.1 >= COLUMNS;
                match node {
                    _ if self.failed => {}
                    Node::Write(..) => {
                        self.written.insert(at);
                        self.writers.push((self.iteration, at));
                    }
                    _ if self.written.contains(&at) => {}
                    _ => self.readers.push((self.iteration, at)),
                }
                true
            }
            Node::When(conds, then, otherwise) => {
                let holds = conds.iter().all(|cond| {
                    let (holds, wraps) = cond.holds(&self.env);
                    self.wrapped |= wraps;
                    holds
                });
                self.run(if holds { then } else { otherwise })
            }
            Node::For(var, count, body) => (0..*count).all(|round| {
                self.env.insert(var, round);
                self.run(body)
            }),
            Node::Phase(y, x, rows, columns, body) => {
                self.writers.clear();
                self.readers.clear();
                for at in 0..rows * columns {
                    self.iteration = at;
                    self.env.extend([(*y, at / columns), (*x, at % columns)]);
                    self.run(body);
                }
                // What another iteration writes is a race, which the launch refuses.
                let raced = |(own, at): &(usize, (usize, usize))| {
                    self.writers.iter().any(|(other, written)| other != own && written == at)
                };
                self.readers.iter().all(raced)
            }
        }
    }
}

#[test]
fn random_fills() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let (mut left_out, mut unless_wrapped, mut read) = (0, 0, 0);
    for seed in first..first + count {
        let mut made = Generator { rng: Rng::new(seed), clips: vec![(0, 0, "n"), (1, 0, "m")] };
        let nodes = if made.rng.chance(10) { made.tile() } else { made.nodes(2) };
        let mut body = String::new();
        text(&nodes, &mut body);
        let source = format!(
            "fn k(x: &mut [u32], n: usize, m: usize) {{ for block in par_blocks(0..n).threads(8) {{\n\
             let b = block.index();\nlet mut a = block.shared([[{FIRST}u32; {COLUMNS}]; {ROWS}]);\nlet mut own = block.each(0u32);\n{body}\
             for t in block.threads() {{ x[b * 8 + t] = own; }} }} }}"
        );
        let [filled, filled_if_checked] = cuda::programs_anyway(&source).map(|text| text.contains("ab::fill(a, "));
        // Where the launch has shown that nothing wraps.
        let told = filled_if_checked && !filled;
        left_out += usize::from(!filled_if_checked);
        unless_wrapped += usize::from(told);
        for numbers in 0..25 {
            let mut machine =
                Machine { env: BTreeMap::from([("n", numbers / 5), ("m", numbers % 5)]), ..Machine::default() };
            let sound = machine.run(&nodes);
            read += usize::from(!sound);
            assert!(
                sound || filled || told && machine.wrapped,
                "seed {seed} reads what nothing has written, with n = {} and m = {}\n{source}",
                numbers / 5,
                numbers % 5
            );
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!(
        "{left_out} of {count} arrays without first values, {unless_wrapped} unless a difference wraps; {read} runs read them"
    );
    assert!((left_out + unless_wrapped) * 12 > count as usize, "so few arrays show nothing");
    assert!(unless_wrapped * 100 > count as usize, "so few arrays with what is around them show nothing");
    assert!(read * 2 > count as usize, "so few reads show nothing");
}
