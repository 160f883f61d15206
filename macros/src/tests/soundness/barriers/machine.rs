//! Runs a program of blocks: each step touches its elements by its threads, and a barrier forgets
//! all touches before it.

use std::collections::BTreeSet;

use anabranch_programs::rng::Rng;

use super::{Counter, FIRST, Node, Now, Touch};

/// Where control goes after a part of a program.
pub(super) enum After {
    Next,
    /// Out of so many things around, or on with the next round of the last of them.
    Out(usize, bool),
    End,
}

pub(super) struct Machine<'p> {
    pub(super) steps: &'p [Vec<Touch>],
    pub(super) barriers: &'p [Option<bool>],
    pub(super) rng: Rng,
    pub(super) left: usize,
    /// Step, thread, array, element, write.
    pub(super) since: Vec<(usize, usize, usize, usize, bool)>,
    /// Elements of arrays without first values.
    pub(super) unwritten: BTreeSet<(usize, usize)>,
    pub(super) now: Now,
}

impl Machine<'_> {
    pub(super) fn step(&mut self, step: usize) {
        if step == usize::MAX {
            return;
        }
        if self.barriers[step] == Some(true) {
            self.since.clear();
        }
        let before = self.since.len();
        for touch in &self.steps[step] {
            for (thread, element) in touch.threads_and_elements(&self.now) {
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

    pub(super) fn run(&mut self, nodes: &[Node]) -> After {
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
                Node::Round(test, counter, body) => self.rounds(*test, *counter, body),
                Node::Chosen(number) => {
                    self.now.values[*number] = self.rng.below(2);
                    After::Next
                }
            };
            if !matches!(after, After::Next) {
                return after;
            }
        }
        After::Next
    }

    fn rounds(&mut self, test: Option<usize>, counter: Option<Counter>, body: &[Node]) -> After {
        for round in 0.. {
            if self.left == 0 {
                return After::End;
            }
            self.left -= 1;
            self.step(test.unwrap_or(usize::MAX));
            let is_over = match counter {
                Some(Counter { rounds: Some(rounds), .. }) => round == rounds,
                Some(Counter { backwards: true, .. }) if round == self.now.most => true,
                _ => self.rng.chance(30),
            };
            if is_over {
                return After::Next;
            }
            if let Some(Counter { number, rounds, backwards }) = counter {
                let most = rounds.unwrap_or(self.now.most);
                self.now.values[number] = if backwards { most - 1 - round } else { round };
            }
            match self.run(body) {
                After::Next | After::Out(1, true) => {}
                After::Out(1, false) => return After::Next,
                After::Out(around, again) => return After::Out(around - 1, again),
                After::End => return After::End,
            }
        }
        After::Next
    }
}
