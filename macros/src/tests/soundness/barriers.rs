//! Random programs of blocks: two threads that touch one element in different steps have a barrier
//! between them, whatever way control takes.
//!
//! Each step of a program contains a number of its own. In the C++ the barrier of a step stands
//! between the number of the step before it in the text and its own one. Then the program runs:
//! control goes where a generator says, each step touches its elements by its threads, and a
//! barrier forgets all touches before it.

mod machine;
mod touches;

use std::any::Any;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anabranch_programs::rng::Rng;

use super::setting;
use crate::tests::cuda;
use machine::Machine;
use touches::{Along, Index, Now, Own, Touch, Who};

const THREADS: usize = 8;
/// Elements of what threads share.
const LEN: usize = 24;
/// What threads share, and a buffer.
const ARRAYS: [&str; 4] = ["a", "b", "c", "x"];
/// Numbers of steps begin here: nothing else in a program is as large.
const FIRST: usize = 7001;
/// Rounds of a loop whose range is literal.
const ROUNDS: usize = 3;

enum Node {
    Step(usize),
    /// Of one `if`, or `match`: the step that decides, and the ways.
    Ways(usize, Vec<Vec<Node>>),
    /// `match` of which the first arm has a guard, which is asked if its pattern matches.
    Guarded(usize, Vec<Vec<Node>>),
    /// `for`, with no test, but a variable; `while`, with a step as the test; `loop`, which only a
    /// jump leaves.
    Round(Option<usize>, Option<Counter>, Vec<Node>),
    /// A variable gets a value that nobody knows.
    Chosen(usize),
    Labelled(Vec<Node>),
    /// If the step says so, leaves what is so far around it, or goes on with its next round.
    Jump(usize, bool, usize),
}

/// The variable of a `for`, and how many rounds that has if it is literal.
#[derive(Clone, Copy)]
struct Counter {
    number: usize,
    rounds: Option<usize>,
    backwards: bool,
}

struct Generator {
    rng: Rng,
    text: String,
    steps: Vec<Vec<Touch>>,
    /// What is around: whether it is a loop.
    around: Vec<bool>,
    variables: usize,
    /// The variables of the block's program here, and whether they are below a small number.
    numbers: Vec<(usize, bool)>,
    /// One that counts backwards from a number that only the launch knows.
    backwards: Option<usize>,
    declared: usize,
    /// `c` is an array of atomics. Outside of phases, no value is made of one.
    atomic: bool,
}

/// The array that may be one of atomics.
const ATOMIC: usize = 2;

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            atomic: Rng::new(seed ^ 0xa70).chance(25),
            rng: Rng::new(seed),
            text: String::new(),
            steps: Vec::new(),
            around: Vec::new(),
            variables: 0,
            numbers: Vec::new(),
            backwards: None,
            declared: 0,
        }
    }

    fn step(&mut self, touches: Vec<Touch>) -> (usize, usize) {
        self.steps.push(touches);
        (self.steps.len() - 1, FIRST + self.steps.len() - 1)
    }

    /// What an index adds of a variable.
    fn along(&mut self, small: bool) -> Along {
        if self.numbers.is_empty() || self.rng.chance(30) {
            return Along::No;
        }
        // Its first value may be so large that a sum wraps.
        if let Some(number) = self.backwards
            && self.rng.chance(50)
        {
            return Along::Parity(number, self.rng.below(3), 3);
        }
        let (number, is_small) = self.numbers[self.rng.below(self.numbers.len())];
        match self.rng.below(5) {
            0 if is_small || !small => Along::Rounds(number),
            0 | 1 => Along::Parity(number, self.rng.below(3), 3),
            _ => Along::Parity(number, self.rng.below(3), 2),
        }
    }

    fn who(&mut self) -> Who {
        match self.rng.below(10) {
            0 => Who::Rows(2, 4),
            1 => Who::Rows(4, 2),
            2 => Who::Rows(3, 8),
            3 => Who::Line(Along::No, None),
            4 => Who::Line(self.along(true), Some(8)),
            5 => Who::Line(self.along(true), None),
            6 => Who::Line(Along::No, Some(12)),
            7 => Who::Line(Along::No, Some(LEN)),
            _ => Who::Line(Along::No, Some(THREADS)),
        }
    }

    fn touch(&mut self, write: bool, who: Who) -> Touch {
        let mut array = self.rng.below(ARRAYS.len());
        if let Who::All = who
            && self.atomic
            && array == ATOMIC
        {
            array = 0;
        }
        let atomic = self.atomic && array == ATOMIC;
        let own = match who {
            Who::All | Who::One => Own::No,
            _ if atomic && self.rng.chance(20) => Own::No,
            Who::Rows(rows, wide) => match self.rng.below(4) {
                0 => Own::Column(rows),
                1 => Own::Row(wide.max(4)),
                _ => Own::Row(wide),
            },
            Who::Line(..) => match self.rng.below(10) {
                9 => Own::Skipped,
                0 => Own::Mirrored,
                1 => Own::Double,
                2 => Own::Rest,
                _ => Own::Same,
            },
        };
        let plus = if self.rng.chance(60) { self.along(ARRAYS[array] == "x") } else { Along::No };
        let add = [0, 0, 0, 0, 1, 8, 4][self.rng.below(7)];
        let add = if let Own::No = own { self.rng.below(THREADS) } else { add };
        Touch { array, atomic, write, who, index: Index { own, plus, add } }
    }

    /// An element that all threads read.
    fn uniform(&mut self) -> (Touch, String) {
        let touch = self.touch(false, Who::All);
        (touch, touch.text())
    }

    /// A step whose value decides something.
    fn test(&mut self) -> (usize, String) {
        let (touch, text) = self.uniform();
        let (step, number) = self.step(vec![touch]);
        (step, format!("{text} > {number}"))
    }

    fn nodes(&mut self, depth: usize) -> Vec<Node> {
        let known = self.numbers.len();
        let nodes = (0..1 + self.rng.below(4)).map(|_| self.node(depth)).collect();
        self.numbers.truncate(known);
        nodes
    }

    fn number(&mut self, small: bool) -> usize {
        self.declared += 1;
        self.numbers.push((self.declared - 1, small));
        self.declared - 1
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
                let fills = self.rng.chance(15);
                let who = if fills { Who::Line(Along::No, Some(LEN)) } else { self.who() };
                let (mut write, mut read) = (self.touch(true, who), self.touch(false, who));
                if fills {
                    write.index = at_place(Own::Same, 0);
                }
                // A phase that races is refused.
                if read.array == write.array && !write.atomic {
                    read.index = write.index;
                }
                let (step, number) = self.step(vec![write, read]);
                let head = match who {
                    Who::Rows(rows, wide) => format!("(u, v) in block.par((0..{rows}, 0..{wide}))"),
                    Who::Line(Along::No, None) => "t in block.par(0..m)".to_owned(),
                    Who::Line(Along::No, Some(THREADS)) => "t in block.threads()".to_owned(),
                    Who::Line(Along::No, Some(count)) => format!("t in block.par(0..{count})"),
                    Who::Line(first, count) => {
                        let (first, count) = (first.text(), count.map_or("m".to_owned(), |count| count.to_string()));
                        format!("t in block.par({first}..{first} + {count})")
                    }
                    Who::All | Who::One => unreachable!("it is no phase"),
                };
                let value = format!("{} + {number}", read.text());
                let _ = writeln!(self.text, "for {head} {{ {} }}", write.assigned(&value));
                Node::Step(step)
            }
            3 if self.rng.chance(20) => {
                let number = self.number(false);
                let _ = writeln!(self.text, "let k{number} = (sum % 2) as usize;");
                Node::Chosen(number)
            }
            3 => {
                let (write, read) = (self.touch(true, Who::One), self.touch(false, Who::One));
                let (step, number) = self.step(vec![write, read]);
                let _ = writeln!(self.text, "{}", write.assigned(&format!("{} + {number}", read.text())));
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
                let (known, outer) = (self.numbers.len(), self.backwards);
                let mut counter = None;
                let test = match kind {
                    0 => {
                        let rounds = self.rng.chance(40).then_some(ROUNDS);
                        let number = self.number(rounds.is_some());
                        let end = rounds.map_or("n".to_owned(), |rounds| rounds.to_string());
                        let backwards = self.rng.chance(30);
                        let _ = match backwards {
                            true => write!(self.text, "'l{label}: for k{number} in (0..{end}).rev() "),
                            false => write!(self.text, "'l{label}: for k{number} in 0..{end} "),
                        };
                        counter = Some(Counter { number, rounds, backwards });
                        self.backwards = outer.or((backwards && rounds.is_none()).then_some(number));
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
                self.numbers.truncate(known);
                self.backwards = outer;
                self.text.push('\n');
                Node::Round(test, counter, body)
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

    /// A reference or a closure that is made here and used later. Nothing writes its array until
    /// then.
    fn lent(&mut self) -> Node {
        let (name, at) = (self.variables, if self.atomic { 0 } else { self.rng.below(3) });
        self.variables += 1;
        let array = ARRAYS[at];
        // Made again where it is used, so that nothing can be between; but a phase that does not
        // touch it is.
        let other = ARRAYS[(at + 1) % 3];
        let (write, read) = (
            Touch {
                array: (at + 1) % 3,
                atomic: false,
                write: true,
                who: Who::Line(Along::No, Some(THREADS)),
                index: at_place(Own::Same, 0),
            },
            Touch { array: at, atomic: false, write: false, who: Who::All, index: at_place(Own::No, 2) },
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

fn at_place(own: Own, add: usize) -> Index {
    Index { own, plus: Along::No, add }
}

/// The C++ of a program, and for each step that is in it whether there is a barrier before it.
fn barriers(source: &str, steps: usize) -> (String, Vec<Option<bool>>) {
    // The blocks may race for the buffer. This is about the threads of one.
    let text = cuda::checked_anyway(source);
    let mut from = 0;
    let found = (0..steps).map(|step| {
        let at = text.find(&(FIRST + step).to_string())?;
        assert!(at > from, "{} is out of order in\n{text}", FIRST + step);
        let between = &text[std::mem::replace(&mut from, at)..at];
        Some(between.contains("ab::meet") || between.contains("__sync"))
    });
    let found = found.collect();
    (text, found)
}

/// Fails with what a thread has said, and the program.
fn fail(error: &(dyn Any + Send), seed: u64, source: &str, text: &str) -> ! {
    let fixed = || error.downcast_ref::<&str>().map(ToString::to_string);
    let message = error.downcast_ref::<String>().cloned().or_else(fixed).unwrap_or_default();
    panic!("seed {seed}: {message}\n{source}\n{text}")
}

#[test]
fn random_barriers() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000) / 2, setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let (mut all, mut waited, mut filled, mut atomics) = (0, 0, 0, 0);
    for seed in first..first + count {
        let mut made = Generator::new(seed);
        let who = Who::Line(Along::No, Some(LEN));
        let fill = |array| vec![Touch { array, atomic: false, write: true, who, index: at_place(Own::Same, 0) }];
        let fills: Vec<usize> = (0..3).map(|array| made.step(fill(array)).1).collect();
        let nodes = made.nodes(3);
        let arrays = fills.iter().zip(ARRAYS);
        let atomic = made.atomic.then_some(ARRAYS[ATOMIC]);
        let array = |(fill, name): (&usize, &str)| match atomic == Some(name) {
            true => format!("let {name} = block.shared([const {{ AtomicU32::new({fill}) }}; {LEN}]);\n"),
            false => format!("let mut {name} = block.shared([{fill}u32; {LEN}]);\n"),
        };
        let arrays: String = arrays.map(array).collect();
        let source = format!(
            "fn k(x: &mut [u32], n: usize, m: usize) {{ for block in par_blocks(0..n).threads({THREADS}) {{\n\
             let base = block.index() * 512;\n{arrays}let mut sum = 0u32;\n{}\n}} }}",
            made.text
        );
        let steps = made.steps;
        let (text, mut barriers) =
            catch_unwind(|| barriers(&source, steps.len())).unwrap_or_else(|error| fail(&*error, seed, &source, ""));
        if made.atomic {
            // Its number is in no template, since only rustc knows it. Atomics are never without
            // first values.
            assert!(text.contains("ab::fill(c, "), "seed {seed}: first values are missing\n{source}\n{text}");
            barriers[ATOMIC] = Some(false);
        }
        let missing = barriers.iter().filter(|barrier| barrier.is_none()).count();
        assert!(barriers[3..].iter().all(Option::is_some), "seed {seed}: a step is missing\n{source}\n{text}");
        filled += missing;
        all += steps.len();
        waited += barriers.iter().filter(|barrier| **barrier == Some(true)).count();
        for way in 0..8 {
            let mut rng = Rng::new(seed * 8 + way);
            let now =
                Now { values: vec![0; made.declared], end: 1 + rng.below(20), most: [3, 8, usize::MAX][rng.below(3)] };
            let unwritten = (0..3).filter(|array| barriers[*array].is_none());
            let unwritten = unwritten.flat_map(|array| (0..LEN).map(move |at| (array, at))).collect();
            let barriers = &barriers;
            atomics += usize::from(made.atomic);
            let mut machine = Machine { steps: &steps, barriers, rng, left: 60, since: Vec::new(), unwritten, now };
            let run = AssertUnwindSafe(|| {
                (0..3).filter(|fill| barriers[*fill].is_some()).for_each(|fill| machine.step(fill));
                machine.run(&nodes);
            });
            catch_unwind(run).unwrap_or_else(|error| fail(&*error, seed, &source, &text));
        }
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!(
        "{waited} barriers before {all} steps; {filled} arrays are filled by a phase; {atomics} runs with atomics"
    );
    assert!(atomics > count as usize, "so few runs with atomics show nothing");
    assert!(waited * 5 < all * 4, "so many barriers show nothing");
    assert!(filled * 50 > count as usize, "so few arrays that a phase fills show nothing");
}
