//! Random programs of blocks: two threads that touch one element in different steps have a barrier between them, whatever way control takes.
//!
//! Each step of a program contains a number of its own. In the C++ the barrier of a step stands between the number of the step before it in the text
//! and its own one. Then the program runs: control goes where a generator says, each step touches its elements by its threads, and a barrier forgets
//! all touches before it.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch_programs::rng::Rng;

use super::setting;
use crate::tests::cuda;

const THREADS: usize = 8;
/// What threads share, and a buffer.
const ARRAYS: [&str; 4] = ["a", "b", "c", "x"];
/// Numbers of steps begin here: nothing else in a program is as large.
const FIRST: usize = 7001;

/// The threads that touch an element, and which.
#[derive(Clone, Copy)]
struct Touch {
    array: usize,
    write: bool,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// Thread `t` touches `t`.
    Own,
    /// Thread `t` touches `7 - t`.
    Mirrored,
    /// All threads touch this one.
    All(usize),
    /// Thread 0 touches this one.
    One(usize),
}

impl Place {
    fn threads_and_elements(self) -> Vec<(usize, usize)> {
        match self {
            Place::Own => (0..THREADS).map(|t| (t, t)).collect(),
            Place::Mirrored => (0..THREADS).map(|t| (t, THREADS - 1 - t)).collect(),
            Place::All(at) => (0..THREADS).map(|t| (t, at)).collect(),
            Place::One(at) => vec![(0, at)],
        }
    }

    fn text(self) -> String {
        match self {
            Place::Own => "t".to_owned(),
            Place::Mirrored => "7 - t".to_owned(),
            Place::All(at) | Place::One(at) => at.to_string(),
        }
    }
}

enum Node {
    Step(usize),
    /// Of one `if`, or `match`: the step that decides, and the ways.
    Ways(usize, Vec<Vec<Node>>),
    /// `match` of which the first arm has a guard, which is asked if its pattern matches.
    Guarded(usize, Vec<Vec<Node>>),
    /// `for`, with no test; `while`, with a step as the test; `loop`, which only a jump leaves.
    Round(Option<usize>, Vec<Node>),
    Labelled(Vec<Node>),
    /// If the step says so, leaves what is so far around it, or goes on with its next round.
    Jump(usize, bool, usize),
}

struct Generator {
    rng: Rng,
    text: String,
    steps: Vec<Vec<Touch>>,
    /// What is around: whether it is a loop.
    around: Vec<bool>,
    variables: usize,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), text: String::new(), steps: Vec::new(), around: Vec::new(), variables: 0 }
    }

    fn step(&mut self, touches: Vec<Touch>) -> (usize, usize) {
        self.steps.push(touches);
        (self.steps.len() - 1, FIRST + self.steps.len() - 1)
    }

    fn place(&mut self, write: bool, places: &[Place]) -> (Touch, String) {
        let place = places[self.rng.below(places.len())];
        let array = self.rng.below(ARRAYS.len());
        let at = if ARRAYS[array] == "x" { format!("base + {}", place.text()) } else { place.text() };
        (Touch { array, write, place }, format!("{}[{at}]", ARRAYS[array]))
    }

    /// An element that all threads read.
    fn uniform(&mut self) -> (Touch, String) {
        let at = self.rng.below(THREADS);
        self.place(false, &[Place::All(at)])
    }

    /// A step whose value decides something.
    fn test(&mut self) -> (usize, String) {
        let (touch, text) = self.uniform();
        let (step, number) = self.step(vec![touch]);
        (step, format!("{text} > {number}"))
    }

    fn nodes(&mut self, depth: usize) -> Vec<Node> {
        (0..1 + self.rng.below(4)).map(|_| self.node(depth)).collect()
    }

    fn block(&mut self, depth: usize) -> Vec<Node> {
        self.text.push_str("{\n");
        let nodes = self.nodes(depth);
        self.text.push('}');
        nodes
    }

    fn node(&mut self, depth: usize) -> Node {
        let most = if depth == 0 { 6 } else { 14 };
        match self.rng.below(most) {
            0..=2 => {
                let (write, place) = self.place(true, &[Place::Own, Place::Mirrored]);
                let (read, value) = self.place(false, &[Place::Own, Place::Mirrored]);
                let (step, number) = self.step(vec![write, read]);
                let _ = writeln!(self.text, "for t in block.threads() {{ {place} = {value} + {number}; }}");
                Node::Step(step)
            }
            3 => {
                let (at, from) = (self.rng.below(THREADS), self.rng.below(THREADS));
                let (write, place) = self.place(true, &[Place::One(at)]);
                let (read, value) = self.place(false, &[Place::One(from)]);
                let (step, number) = self.step(vec![write, read]);
                let _ = writeln!(self.text, "{place} = {value} + {number};");
                Node::Step(step)
            }
            4 => {
                let (touch, value) = self.uniform();
                let (step, number) = self.step(vec![touch]);
                let _ = writeln!(self.text, "sum += {value} + {number};");
                Node::Step(step)
            }
            5 => self.lent(),
            6 | 7 => {
                let (step, test) = self.test();
                let _ = write!(self.text, "if {test} ");
                let mut ways = vec![self.block(depth - 1)];
                self.text.push_str(" else ");
                ways.push(if self.rng.chance(50) { vec![self.else_if(depth - 1)] } else { self.block(depth - 1) });
                self.text.push('\n');
                Node::Ways(step, ways)
            }
            8 => {
                let (touch, value) = self.uniform();
                let (step, number) = self.step(vec![touch]);
                let _ = write!(self.text, "match {value} + {number} {{ 0 => ");
                let mut ways = vec![self.block(depth - 1)];
                self.text.push_str(", 1 => ");
                ways.push(self.block(depth - 1));
                self.text.push_str(", _ => ");
                ways.push(self.block(depth - 1));
                self.text.push_str("}\n");
                Node::Ways(step, ways)
            }
            9 | 10 => {
                let label = self.around.len();
                let kind = self.rng.below(3);
                let test = match kind {
                    0 => {
                        let _ = write!(self.text, "'l{label}: for _k in 0..n ");
                        None
                    }
                    1 => {
                        let (step, test) = self.test();
                        let _ = write!(self.text, "'l{label}: while {test} ");
                        Some(step)
                    }
                    _ => {
                        let _ = write!(self.text, "'l{label}: loop ");
                        None
                    }
                };
                self.around.push(true);
                let body = self.block(depth - 1);
                self.around.pop();
                self.text.push('\n');
                Node::Round(test, body)
            }
            11 => {
                let _ = write!(self.text, "'l{}: ", self.around.len());
                self.around.push(false);
                let body = self.block(depth - 1);
                self.around.pop();
                self.text.push('\n');
                Node::Labelled(body)
            }
            12 if self.around.is_empty() => self.node(depth),
            13 => {
                let (step, test) = self.test();
                match self.rng.below(2) {
                    0 => drop(write!(self.text, "match n {{ 1 if {test} => ")),
                    _ => drop(write!(self.text, "match n {{ 1 if {{ let v = {test}; v }} => ")),
                }
                let mut ways = vec![self.block(depth - 1)];
                self.text.push_str(", _ => ");
                ways.push(self.block(depth - 1));
                self.text.push_str("}\n");
                Node::Guarded(step, ways)
            }
            _ => {
                let label = self.rng.below(self.around.len());
                let again = self.around[label] && self.rng.chance(40);
                let (step, test) = self.test();
                let jump = if again { "continue" } else { "break" };
                let _ = match self.rng.below(3) {
                    0 => writeln!(self.text, "if {test} {{ {jump} 'l{label}; }}"),
                    1 => writeln!(self.text, "let _v = if {test} {{ {jump} 'l{label} }} else {{ 1u32 }};"),
                    _ => writeln!(self.text, "sum += match {test} {{ true => {jump} 'l{label}, false => 2 }};"),
                };
                Node::Jump(step, again, self.around.len() - label)
            }
        }
    }

    fn else_if(&mut self, depth: usize) -> Node {
        let (step, test) = self.test();
        let _ = write!(self.text, "if {test} ");
        let ways = vec![self.block(depth.saturating_sub(1)), Vec::new()];
        Node::Ways(step, ways)
    }

    /// A reference or a closure that is made here and used later. Nothing writes its array until then.
    fn lent(&mut self) -> Node {
        let (name, at) = (self.variables, self.rng.below(3));
        self.variables += 1;
        let array = ARRAYS[at];
        // Made again where it is used, so that nothing can be between; but a phase that does not touch it is.
        let other = ARRAYS[(at + 1) % 3];
        let (write, read) = (
            Touch { array: (at + 1) % 3, write: true, place: Place::Own },
            Touch { array: at, write: false, place: Place::All(2) },
        );
        let way = self.rng.below(2);
        let _ = match way {
            0 => writeln!(self.text, "{{ let r{name} = &{array}[1..4];"),
            _ => writeln!(self.text, "{{ let r{name} = |k: usize| {array}[k];"),
        };
        let (between, number) = self.step(vec![write]);
        let _ = writeln!(self.text, "for t in block.threads() {{ {other}[t] = {number}; }}");
        let (step, number) = self.step(vec![read]);
        let _ = match way {
            0 => writeln!(self.text, "sum += r{name}[1] + {number}; }}"),
            _ => writeln!(self.text, "sum += r{name}(2) + {number}; }}"),
        };
        Node::Ways(usize::MAX, vec![vec![Node::Step(between), Node::Step(step)]])
    }
}

/// Where control goes after a part of a program.
enum After {
    Next,
    /// Out of so many things around, or on with the next round of the last of them.
    Out(usize, bool),
    End,
}

struct Machine<'p> {
    steps: &'p [Vec<Touch>],
    barriers: &'p [Option<bool>],
    rng: Rng,
    left: usize,
    /// Step, thread, array, element, write.
    since: Vec<(usize, usize, usize, usize, bool)>,
    /// Elements of arrays without first values.
    unwritten: BTreeSet<(usize, usize)>,
}

impl Machine<'_> {
    fn step(&mut self, step: usize) {
        if step == usize::MAX {
            return;
        }
        if self.barriers[step] == Some(true) {
            self.since.clear();
        }
        let before = self.since.len();
        for touch in &self.steps[step] {
            for (thread, element) in touch.place.threads_and_elements() {
                let met = self.since[..before].iter().find(|(_, other, array, at, write)| {
                    *other != thread && *array == touch.array && *at == element && (*write || touch.write)
                });
                if let Some((other, ..)) = met {
                    panic!("no barrier between {} and {}", FIRST + other, FIRST + step);
                }
                let missing = !touch.write && self.unwritten.contains(&(touch.array, element));
                assert!(!missing, "{} reads what nothing has written", FIRST + step);
                self.since.push((step, thread, touch.array, element, touch.write));
            }
        }
        let written = self.since[before..].iter().filter(|(.., write)| *write);
        for (_, _, array, at, _) in written {
            self.unwritten.remove(&(*array, *at));
        }
    }

    fn run(&mut self, nodes: &[Node]) -> After {
        for node in nodes {
            if self.left == 0 {
                return After::End;
            }
            self.left -= 1;
            let after = match node {
                Node::Step(step) => {
                    self.step(*step);
                    After::Next
                }
                Node::Ways(step, ways) => {
                    self.step(*step);
                    let way = self.rng.below(ways.len());
                    self.run(&ways[way])
                }
                Node::Guarded(step, ways) => {
                    let matches = self.rng.chance(60);
                    if matches {
                        self.step(*step);
                    }
                    let way = usize::from(!matches || self.rng.chance(50));
                    self.run(&ways[way])
                }
                Node::Jump(step, again, around) => {
                    self.step(*step);
                    if self.rng.chance(40) { After::Out(*around, *again) } else { After::Next }
                }
                Node::Labelled(body) => match self.run(body) {
                    After::Out(1, _) => After::Next,
                    After::Out(around, again) => After::Out(around - 1, again),
                    after => after,
                },
                Node::Round(test, body) => self.rounds(*test, body),
            };
            if !matches!(after, After::Next) {
                return after;
            }
        }
        After::Next
    }

    fn rounds(&mut self, test: Option<usize>, body: &[Node]) -> After {
        loop {
            if self.left == 0 {
                return After::End;
            }
            self.left -= 1;
            self.step(test.unwrap_or(usize::MAX));
            if self.rng.chance(30) {
                return After::Next;
            }
            match self.run(body) {
                After::Next | After::Out(1, true) => {}
                After::Out(1, false) => return After::Next,
                After::Out(around, again) => return After::Out(around - 1, again),
                After::End => return After::End,
            }
        }
    }
}

/// The C++ of a program, and for each step that is in it whether there is a barrier before it.
fn barriers(source: &str, steps: usize) -> (String, Vec<Option<bool>>) {
    let text = cuda::template(source);
    let mut from = 0;
    let found = (0..steps).map(|step| {
        let at = text.find(&(FIRST + step).to_string())?;
        assert!(at > from, "{} is out of order in\n{text}", FIRST + step);
        let between = &text[std::mem::replace(&mut from, at)..at];
        Some(between.contains("ab::meet(") || between.contains("__syncthreads()"))
    });
    let found = found.collect();
    (text, found)
}

/// Fails with what a thread has said, and the program.
fn fail(error: &(dyn Any + Send), seed: u64, source: &str, text: &str) -> ! {
    let message = error.downcast_ref::<String>().cloned().unwrap_or_default();
    panic!("seed {seed}: {message}\n{source}\n{text}")
}

#[test]
fn random_barriers() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000) / 2, setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let (mut all, mut waited, mut filled) = (0, 0, 0);
    for seed in first..first + count {
        let mut made = Generator::new(seed);
        let fill = |array| vec![Touch { array, write: true, place: Place::Own }];
        let fills: Vec<usize> = (0..3).map(|array| made.step(fill(array)).1).collect();
        let nodes = made.nodes(3);
        let arrays = fills.iter().zip(ARRAYS);
        let arrays: String =
            arrays.map(|(fill, name)| format!("let mut {name} = block.shared([{fill}u32; {THREADS}]);\n")).collect();
        let source = format!(
            "fn k(x: &mut [u32], n: usize) {{ for block in par_blocks(0..n).threads({THREADS}) {{\n\
             let base = block.index() * {THREADS};\n{arrays}let mut sum = 0u32;\n{}\n}} }}",
            made.text
        );
        let steps = made.steps;
        let (text, barriers) =
            catch_unwind(|| barriers(&source, steps.len())).unwrap_or_else(|error| fail(&*error, seed, &source, ""));
        let missing = barriers.iter().filter(|barrier| barrier.is_none()).count();
        assert!(barriers[3..].iter().all(Option::is_some), "seed {seed}: a step is missing\n{source}\n{text}");
        filled += missing;
        all += steps.len();
        waited += barriers.iter().filter(|barrier| **barrier == Some(true)).count();
        for way in 0..8 {
            let rng = Rng::new(seed * 8 + way);
            let unwritten = (0..3).filter(|array| barriers[*array].is_none());
            let unwritten = unwritten.flat_map(|array| (0..THREADS).map(move |at| (array, at))).collect();
            let barriers = &barriers;
            let mut machine = Machine { steps: &steps, barriers, rng, left: 60, since: Vec::new(), unwritten };
            let run = AssertUnwindSafe(|| {
                (0..3).filter(|fill| barriers[*fill].is_some()).for_each(|fill| machine.step(fill));
                machine.run(&nodes);
            });
            catch_unwind(run).unwrap_or_else(|error| fail(&*error, seed, &source, &text));
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!("{waited} barriers before {all} steps; {filled} arrays are filled by a phase");
    assert!(waited * 5 < all * 4, "so many barriers show nothing");
    assert!(filled * 50 > count as usize, "so few arrays that a phase fills show nothing");
}
