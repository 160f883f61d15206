//! Random programs of collectives: between two that use one room in shared memory there is a
//! barrier, whatever way control takes.
//!
//! Each collective contains a number of its own. Behind it in the C++ stand the barrier before the
//! collective, if there is one, and the number of its room. Then the program runs: control goes
//! where a generator says, and a barrier, also one inside of a collective, is behind all that was
//! used before.

use std::collections::BTreeMap;

use anabranch_programs::rng::Rng;

use super::setting;
use crate::tests::cuda;

/// The number of the first collective: nothing else in a program is as large.
const FIRST: usize = 7001;

enum Node {
    Use(usize),
    /// The same in a branch of an expression.
    Perhaps(usize),
    Ways(Vec<Node>, Vec<Node>),
    /// A loop over a range, or a `loop`.
    Rounds(bool, Vec<Node>),
    /// Leaves the loop around, or goes on with its next round, maybe in an expression, with a
    /// collective behind it.
    Jump(bool, Option<usize>),
}

struct Generator {
    rng: Rng,
    used: usize,
    text: String,
}

impl Generator {
    fn new_use(&mut self) -> usize {
        self.used += 1;
        self.used - 1
    }

    fn nodes(&mut self, depth: usize, in_loop: bool) -> Vec<Node> {
        let count = 1 + self.rng.below(3);
        (0..count).map(|_| self.node(depth, in_loop)).collect()
    }

    fn node(&mut self, depth: usize, in_loop: bool) -> Node {
        if self.rng.chance(20) {
            // It has neither a barrier nor a room.
            self.text.push_str("let of_warp = block.warps().max(own);\n");
        }
        match self.rng.below(if depth == 0 { 6 } else { 10 }) {
            0 => {
                let number = self.new_use();
                self.text.push_str(&format!("last += block.any(own > {}) as u32;\n", FIRST + number));
                Node::Use(number)
            }
            1 => {
                let number = self.new_use();
                self.text.push_str(&format!(
                    "last += if last % 3 == 0 {{ block.sum(own + {}) }} else {{ 0 }};\n",
                    FIRST + number
                ));
                Node::Perhaps(number)
            }
            2 if in_loop => {
                let (leaves, behind) = (self.rng.chance(50), self.rng.chance(50).then(|| self.new_use()));
                let jump = if leaves { "break" } else { "continue" };
                match behind {
                    None => self.text.push_str(&format!("if last % 5 == 0 {{ {jump}; }}\n")),
                    Some(number) => self.text.push_str(&format!(
                        "last += {{ if last % 5 == 0 {{ {jump}; }} block.max(own + {}) }};\n",
                        FIRST + number
                    )),
                }
                Node::Jump(leaves, behind)
            }
            2..6 => {
                let number = self.new_use();
                let name = ["sum", "max", "product"][self.rng.below(3)];
                self.text.push_str(&format!("last += block.{name}(own + {});\n", FIRST + number));
                Node::Use(number)
            }
            6 | 7 => {
                self.text.push_str("if last % 2 == 0 {\n");
                let then = self.nodes(depth - 1, in_loop);
                self.text.push_str("} else {\n");
                let otherwise = if self.rng.chance(50) { self.nodes(depth - 1, in_loop) } else { Vec::new() };
                self.text.push_str("}\n");
                Node::Ways(then, otherwise)
            }
            _ => {
                let ends = self.rng.chance(60);
                self.text.push_str(if ends { "for q in 0..n {\n" } else { "loop {\n" });
                let mut body = self.nodes(depth - 1, true);
                if !ends {
                    self.text.push_str("if last % 5 == 0 { break; }\n");
                    body.push(Node::Jump(true, None));
                }
                self.text.push_str("}\n");
                Node::Rounds(ends, body)
            }
        }
    }
}

/// How a collective stands in the C++: its room, and whether there is a barrier before it.
#[derive(Clone, Copy)]
struct Place {
    room: Option<usize>,
    waits: bool,
}

fn place(template: &str, number: usize) -> Place {
    let (_, behind) = template.split_once(&(FIRST + number).to_string()).expect("the number is there");
    let (before, call) = behind.split_once("ab::block_").expect("there is a call");
    let call = call.split_once('(').map_or("", |(call, _)| call);
    let room = call.split_once(", ").map(|(_, room)| room.trim_end_matches("u>").parse().expect("a number"));
    Place { room, waits: before.contains("ab::meet") || before.contains("__syncthreads()") }
}

enum End {
    On,
    Left,
    Again,
}

struct Machine {
    rng: Rng,
    places: BTreeMap<usize, Place>,
    /// The rooms that have been used since the last barrier.
    used: Vec<usize>,
    steps: usize,
    sound: bool,
}

impl Machine {
    fn run(&mut self, nodes: &[Node]) -> End {
        for node in nodes {
            self.steps += 1;
            if self.steps > 200 {
                return End::Left;
            }
            match node {
                Node::Use(number) => self.collective(*number),
                Node::Perhaps(number) => {
                    if self.rng.chance(50) {
                        self.collective(*number);
                    }
                }
                Node::Ways(then, otherwise) => {
                    let way = if self.rng.chance(50) { then } else { otherwise };
                    match self.run(way) {
                        End::On => {}
                        end => return end,
                    }
                }
                Node::Rounds(ends, body) => {
                    while self.steps <= 200 && (!ends || self.rng.chance(70)) {
                        if let End::Left = self.run(body) {
                            break;
                        }
                    }
                }
                Node::Jump(leaves, behind) => {
                    if self.rng.chance(30) {
                        return if *leaves { End::Left } else { End::Again };
                    }
                    behind.iter().for_each(|number| self.collective(*number));
                }
            }
        }
        End::On
    }

    fn collective(&mut self, number: usize) {
        let Place { room, waits } = self.places[&number];
        if waits {
            self.used.clear();
        }
        self.sound &= room.is_none_or(|room| !self.used.contains(&room));
        self.used.clear();
        self.used.extend(room);
    }
}

#[test]
fn random_rooms() {
    let (count, first) = (setting("ANABRANCH_SOUNDNESS", 2_000), setting("ANABRANCH_SOUNDNESS_SEED", 1));
    let (mut waits, mut all, mut without) = (0, 0, 0);
    for seed in first..first + count {
        let mut made = Generator { rng: Rng::new(seed), used: 0, text: String::new() };
        let nodes = made.nodes(3, false);
        let source = format!(
            "fn k(x: &mut [u32], n: usize) {{ for block in par_blocks(0..n).threads(64) {{\nlet b = block.index();\n\
             let mut own = block.each(0u32);\nlet mut last = 0;\n{}x[b] = last; }} }}",
            made.text
        );
        let template = cuda::checked_anyway(&source);
        let places: BTreeMap<usize, Place> = (0..made.used).map(|number| (number, place(&template, number))).collect();
        all += places.len();
        waits += places.values().filter(|place| place.waits).count();
        let mut would_race = false;
        for way in 0..20 {
            let run = |places: BTreeMap<usize, Place>| {
                let (used, rng) = (Vec::new(), Rng::new(seed * 20 + way));
                let mut machine = Machine { rng, places, used, steps: 0, sound: true };
                machine.run(&nodes);
                machine.sound
            };
            assert!(
                run(places.clone()),
                "no barrier between collectives: seed {seed}, way {way}\n{source}\n{template}"
            );
            let never = places.iter().map(|(number, place)| (*number, Place { waits: false, ..*place }));
            would_race |= !run(never.collect());
        }
        without += usize::from(would_race);
        proc_macro2::extra::invalidate_current_thread_spans();
    }
    eprintln!("{waits} of {all} collectives wait; without these barriers, {without} of {count} programs race");
    assert!(without * 4 > count as usize, "so few programs show nothing");
    assert!(waits * 2 < all, "most need no barrier");
}
