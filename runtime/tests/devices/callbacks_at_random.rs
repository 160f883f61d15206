//! Random programs of several threads, in which the runtime calls the user's code: a `Display`,
//! destructors, clones and bodies of library kernels launch, wait, capture and drop in turn, with
//! other threads and workers of `rayon`.
//!
//! A thread knows what its buffers hold. A buffer that a failed loop has written holds anything,
//! and must not be read without a report: `ANABRANCH_CALLBACKS=100` runs more programs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use anabranch::prelude::*;

use crate::callbacks::{Busy, REPORTS, adopted, in_time, waited};
use crate::devices;
use crate::kernels::{HOOK, affine, boom, say};

const N: usize = 6;
const THREADS: u64 = 3;
const STEPS: u64 = 40;
/// Calls in calls.
const DEPTH: u32 = 3;

/// What a buffer holds.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Value(u32),
    /// A loop has failed, before this thread had got so many reports.
    Failed(u64),
}

/// A buffer that is not in use, and what it holds.
type Kept = Option<(Buffer<u32>, Held)>;

/// A thread. No cell is borrowed while the runtime runs: a buffer in use is taken out.
struct Program {
    device: Device,
    stream: Stream,
    buffers: RefCell<[Kept; 4]>,
    random: Cell<u64>,
    depth: Cell<u32>,
    called: Cell<u64>,
}

#[kernel(library)]
fn nothing(_: &Stream, x: &mut [u32], value: Busy) {
    drop((x.len(), value.clone()));
}

impl Program {
    fn below(&self, end: u64) -> u64 {
        let mut random = self.random.get();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        self.random.set(random);
        random % end
    }

    fn take(&self) -> Option<(usize, Buffer<u32>, Held)> {
        let at = self.below(4) as usize;
        let (buffer, held) = self.buffers.borrow_mut()[at].take()?;
        Some((at, buffer, held))
    }

    fn put(&self, at: usize, buffer: Buffer<u32>, held: Held) {
        self.buffers.borrow_mut()[at] = Some((buffer, held));
    }

    /// What was read is what the buffer holds.
    fn check(&self, found: Option<Vec<u32>>, held: Held) {
        match (found, held) {
            (Some(found), Held::Value(value)) => assert_eq!(found, [value; N]),
            (Some(found), Held::Failed(before)) => {
                assert!(REPORTS.get() > before, "{found:?} is of a failed loop, and nothing was reported");
            }
            (None, _) => {}
        }
    }

    /// The next text runs some steps.
    fn hook(self: &Rc<Self>) {
        if self.depth.get() < DEPTH {
            let this = Rc::clone(self);
            HOOK.set(Some(Box::new(move || {
                this.depth.set(this.depth.get() + 1);
                this.called.set(this.called.get() + 1);
                (0..1 + this.below(3)).for_each(|_| this.step());
                this.depth.set(this.depth.get() - 1);
            })));
        }
    }

    /// An affine step in a graph that is launched twice.
    fn graph(&self, buffer: &mut Buffer<u32>, held: Held) -> Held {
        let graph = self.stream.capture(|s| affine(s, buffer, 3, 1, 50)).unwrap();
        (0..2).fold(held, |held, _| match graph.launch(&self.stream) {
            Ok(()) => held.then(3, 1),
            Err(Error::GraphUnderWay) if self.depth.get() > 0 => held, // the text is one of a loop with a buffer of a graph
            Err(error) => panic!("{error}"),
        })
    }

    fn step(self: &Rc<Self>) {
        let (scale, what) = (self.below(9) as u32, self.below(16));
        let Some((at, mut buffer, mut held)) = self.take() else { return };
        match what {
            0 | 1 => {
                affine(&self.stream, &mut buffer, scale, 1, 100).unwrap();
                held = held.then(scale, 1);
            }
            2..5 => self.check(waited(buffer.to_vec()), held),
            5..7 => {
                let Some((other, mut second, _)) = self.take() else { return self.put(at, buffer, held) };
                self.hook();
                held = Held::Failed(REPORTS.get());
                boom(&self.stream, &mut buffer, &mut second).unwrap();
                self.put(other, second, held);
            }
            7..9 => {
                self.hook();
                let mut second = self.device.zeros::<u32>(N).unwrap();
                say(&self.stream, &mut buffer, &mut second, N).unwrap();
                held = held.then(1, 1);
            }
            9 => {
                // Another thread has not got the report either.
                let found = thread::scope(|scope| scope.spawn(|| waited(buffer.to_vec())).join().unwrap());
                self.check(found, held);
            }
            10 => {
                // A worker may have got the report before.
                let (one, two) = rayon::join(|| waited(buffer.to_vec()), || waited(buffer.to_vec()));
                if let Held::Value(_) = held {
                    [one, two].into_iter().for_each(|found| self.check(found, held));
                }
            }
            11 => held = self.graph(&mut buffer, held),
            12 => {
                let gone = Arc::<AtomicUsize>::default();
                drop(adopted(&self.device, Busy(self.device.clone(), Arc::clone(&gone))));
                assert_eq!(gone.load(Relaxed), 1, "its destructor has panicked");
            }
            13 => nothing(&self.stream, &mut buffer, Busy(self.device.clone(), Arc::default())).unwrap(),
            14 => {
                buffer.fill(scale).unwrap();
                held = Held::Value(scale);
            }
            _ => drop(waited(self.stream.synchronize())),
        }
        self.put(at, buffer, held);
    }
}

impl Held {
    fn then(self, scale: u32, more: u32) -> Self {
        match self {
            Held::Value(value) => Held::Value(value.wrapping_mul(scale).wrapping_add(more)),
            failed => failed,
        }
    }
}

/// Returns how often the user's code was called.
fn program(device: &Device, seed: u64) -> u64 {
    let buffers = std::array::from_fn(|_| Some((device.filled(N, 1u32).unwrap(), Held::Value(1))));
    let program = Rc::new(Program {
        device: device.clone(),
        stream: device.new_stream().unwrap(),
        buffers: RefCell::new(buffers),
        random: Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        depth: Cell::new(0),
        called: Cell::new(0),
    });
    (0..STEPS).for_each(|_| program.step());
    HOOK.take();
    let buffers = program.buffers.take();
    for (buffer, held) in buffers.iter().flatten() {
        let found = (0..4).find_map(|_| waited(buffer.to_vec()));
        program.check(found, *held);
    }
    assert_eq!(program.depth.get(), 0, "a text has panicked");
    program.called.get()
}

#[test]
fn random_programs_that_are_called_back() {
    let (_turn, devices) = devices();
    let rounds = std::env::var("ANABRANCH_CALLBACKS").map_or(10, |rounds| rounds.parse::<u64>().unwrap());
    for device in devices.iter().skip(1) {
        let mut called = 0;
        for round in 0..rounds {
            called += in_time(|| {
                thread::scope(|scope| {
                    let threads: Vec<_> = (0..THREADS)
                        .map(|thread| (thread, scope.spawn(move || program(device, round * THREADS + thread + 1))))
                        .collect();
                    let joined = threads.into_iter().map(|(thread, run)| {
                        run.join().unwrap_or_else(|_| panic!("{device}: round {round}, thread {thread}"))
                    });
                    joined.sum::<u64>()
                })
            });
        }
        assert!(called > rounds, "{called} calls");
    }
}
