//! Many threads on one device: a long run of random calls, with seeds. Each thread works on buffers
//! of its own, whose contents it knows, and on one that all read; the pools, the cache of kernels,
//! the hazards of that buffer and the record of panics are shared.
//!
//! `tests/standin/planted` plants bugs in what is shared, one at a time, and requires that this
//! fails.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Barrier, Mutex, RwLock};
use std::time::Duration;

use anabranch::prelude::*;
use anabranch_tests::kernels::groups::many_groups;
use anabranch_tests::kernels::order::{affine, affine_pair, append, inner_join};
use anabranch_tests::kernels::ranges::out_of_bounds;

use crate::hooks::{StandIn, in_child, standin};

const N: usize = 12;
const THREADS: u64 = 8;
/// Kernels that the threads launch.
const KERNELS: u64 = 6;
const DEADLINE: Duration = Duration::from_secs(120);

/// Numbers that look random: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// What the threads have in common.
struct Shared {
    device: Device,
    /// Read by launches of all threads, and written by whoever has it alone; the second is what it
    /// holds.
    common: RwLock<(Buffer<u32>, u32)>,
    /// Only ever added to: by launches of whoever has it alone, and by a graph that anybody
    /// launches at any time; then what it holds.
    sum: Mutex<Buffer<u32>>,
    graph: Graph,
    added: AtomicU64,
    /// Groups that were launched, and launches of a kernel that fails.
    groups: AtomicU64,
    failing: AtomicU64,
    told: AtomicU64,
}

impl Shared {
    /// A call that waits may tell of a panic, whoever caused it; anything else is wrong.
    fn waited<T>(&self, result: anabranch::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(Error::KernelPanic { kernel: "out_of_bounds", .. }) => {
                self.told.fetch_add(1, Relaxed);
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// One thread: `steps` random calls.
fn work(shared: &Shared, random: &mut Random, steps: u64) {
    let device = &shared.device;
    let mut streams = vec![device.new_stream().unwrap(), device.default_stream()];
    let mut own: Vec<Buffer<u32>> = (0..3).map(|_| device.buffer_from(&[1u32; N]).unwrap()).collect();
    let mut values = [[1u32; N]; 3];
    let (mut host, mut held) = (device.pinned::<u32>(N).unwrap(), [0; N]);
    for _ in 0..steps {
        let stream = streams[random.below(streams.len() as u64) as usize].clone();
        let (k, scale) = (random.below(3) as usize, random.below(9) as u32);
        let [x, y, z] = &mut own[..] else { unreachable!("three buffers") };
        match random.below(19) {
            0 | 1 => {
                affine(&stream, &mut own[k], scale, 1, 0).unwrap();
                values[k].iter_mut().for_each(|value| *value = value.wrapping_mul(scale).wrapping_add(1));
            }
            2 | 3 => {
                affine_pair(&stream, x, y, scale, 2, 500).unwrap();
                values[0].iter_mut().for_each(|value| *value = value.wrapping_mul(scale).wrapping_add(2));
                values[1].iter_mut().for_each(|value| *value = value.wrapping_mul(2).wrapping_add(scale));
                shared.groups.fetch_add(2, Relaxed);
            }
            4 | 5 => {
                inner_join(&stream, x, y, z, 200).unwrap();
                for i in 0..N {
                    let [x, y, z] = values.map(|values| values[i]);
                    let y = y.wrapping_mul(5);
                    let x = x.wrapping_add(1).wrapping_mul(3).wrapping_add(y.wrapping_mul(2));
                    let z = z.wrapping_mul(7).wrapping_add(1).wrapping_mul(11).wrapping_add(x);
                    (values[0][i], values[1][i], values[2][i]) = (x, y, z);
                }
                shared.groups.fetch_add(4, Relaxed);
            }
            6 => {
                many_groups(&stream, &mut own[k], N / 6).unwrap();
                values[k].iter_mut().enumerate().for_each(|(i, value)| *value = value.wrapping_add(i as u32 / 2 + 1));
                shared.groups.fetch_add(6, Relaxed);
            }
            7 | 8 => {
                let common = shared.common.read().unwrap();
                append(&stream, &mut own[k], &common.0, 100).unwrap();
                values[k].iter_mut().for_each(|value| *value = value.wrapping_mul(10).wrapping_add(common.1));
            }
            9 => {
                let mut common = shared.common.write().unwrap();
                let (buffer, value) = &mut *common;
                affine(&stream, buffer, 3, scale, 300).unwrap();
                *value = value.wrapping_mul(3).wrapping_add(scale);
            }
            10 => {
                if let Some(now) = shared.waited(own[k].to_vec()) {
                    assert_eq!(now, values[k]);
                }
            }
            11 => {
                let event = stream.record().unwrap();
                streams[0].wait(&event).unwrap();
                streams.truncate(2);
                streams.push(device.new_stream_with_priority(Priority::Normal).unwrap());
                let mut temporary = device.zeros::<u32>(N).unwrap();
                affine(&streams[2], &mut temporary, 3, 1, 300).unwrap();
            }
            12 if random.below(8) == 0 => {
                let nothing = device.zeros::<u32>(0).unwrap();
                out_of_bounds(&stream, &mut device.zeros::<u32>(N).unwrap(), &nothing, 0).unwrap();
                shared.failing.fetch_add(1, Relaxed);
                shared.waited(stream.synchronize());
            }
            13 => {
                shared.graph.launch(&stream).unwrap();
                shared.added.fetch_add(1, Relaxed);
            }
            14 => {
                affine(&stream, &mut shared.sum.lock().unwrap(), 1, 1000, 300).unwrap();
                shared.added.fetch_add(1000, Relaxed);
            }
            15 if random.below(4) == 0 => {
                let graph = stream.capture(|s| affine_pair(s, x, y, scale, 2, 500)).unwrap();
                for _ in 0..2 {
                    graph.launch(&streams[0]).unwrap();
                    values[0].iter_mut().for_each(|value| *value = value.wrapping_mul(scale).wrapping_add(2));
                    values[1].iter_mut().for_each(|value| *value = value.wrapping_mul(2).wrapping_add(scale));
                }
            }
            16 => {
                let next = (k + 1) % 3;
                own[k].copy_to_async(&stream, &mut host).unwrap();
                own[next].copy_from_async(&streams[0], &host).unwrap();
                (held, values[next]) = (values[k], values[k]);
            }
            17 => {
                if let Some(now) = shared.waited(host.as_slice()) {
                    assert_eq!(now, held);
                }
                if let Some(now) = shared.waited(host.as_mut_slice()) {
                    now.fill(scale);
                    held = [scale; N];
                }
                if random.below(4) == 0 {
                    own[k].copy_to_async(&stream, &mut host).unwrap();
                    (host, held) = (device.pinned(N).unwrap(), [0; N]);
                }
            }
            _ if random.below(8) == 0 => device.stream_pool().trim(),
            _ => drop(shared.waited(stream.synchronize())),
        }
    }
    for (buffer, values) in own.iter().zip(values) {
        let now = (0..).find_map(|_| shared.waited(buffer.to_vec()));
        assert_eq!(now.unwrap(), values);
    }
}

/// All threads on a fresh device, so that the first launches meet in the cache of kernels.
fn round(standin: &StandIn, seed: u64, steps: u64) {
    standin.reset_calls();
    let device = standin.device();
    let common = RwLock::new((device.buffer_from(&[7u32; N]).unwrap(), 7));
    let sum = Mutex::new(device.zeros::<u32>(N).unwrap());
    let graph = device.default_stream().capture(|s| affine(s, &mut sum.lock().unwrap(), 1, 1, 200)).unwrap();
    let [added, groups, failing, told] = [0, 0, 0, 0].map(AtomicU64::new);
    let shared = Shared { device, common, sum, graph, added, groups, failing, told };
    let barrier = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shared, barrier) = (&shared, &barrier);
            scope.spawn(move || {
                barrier.wait();
                work(shared, &mut Random((seed * THREADS + thread + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)), steps);
            });
        }
    });
    let Shared { device, common, sum, graph, added, groups, failing, told } = shared;
    // What threads have written that were not told of a panic is told where it is read.
    let read = |buffer: &Buffer<u32>| (0..2).find_map(|_| buffer.to_vec().ok()).unwrap();
    let sum = sum.into_inner().unwrap();
    assert_eq!(read(&sum), [added.into_inner() as u32; N]);
    let (common, value) = common.into_inner().unwrap();
    assert_eq!(read(&common), [value; N]);
    let stats = device.stream_pool().stats();
    assert_eq!((stats.acquired, stats.in_use), (groups.into_inner(), 0), "{stats:?}");
    let most = std::env::var("ANABRANCH_MAX_STREAMS").map_or(32, |most| most.parse().unwrap());
    assert!(stats.idle <= most && stats.high_water <= most, "{stats:?}");
    let (failing, told) = (failing.into_inner(), told.into_inner());
    // Each to each thread at most once.
    assert!(
        told <= THREADS * failing && (told > 0) == (failing > 0),
        "{failing} launches have failed, {told} were told"
    );
    // The one that fails is two programs, with its checks and without.
    let loaded = KERNELS - 1 + if failing == 0 { 0 } else { 2 };
    assert!(standin.calls("nvrtcCompileProgram") <= loaded, "a kernel was compiled twice");
    assert!(standin.calls("cuModuleLoadData") <= loaded, "a kernel was loaded twice");
    drop((common, sum, graph, device));
    standin.nothing_is_left();
}

fn rounds(standin: &StandIn) {
    let number = |name, otherwise| std::env::var(name).map_or(otherwise, |value| value.parse::<u64>().unwrap());
    let (first, rounds) = (number("ANABRANCH_SEED", 1), number("ANABRANCH_ROUNDS", 10));
    for seed in first..first + rounds {
        let (done, wait) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if wait.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout) {
                    eprintln!("seed {seed}: not done after {DEADLINE:?}");
                    std::process::abort();
                }
            });
            let reports = standin.reports();
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| round(standin, seed, 100)));
            drop(done);
            assert!(result.is_ok() && standin.reports() == reports, "seed {seed}");
        });
    }
}

#[test]
fn random_calls_of_eight_threads() {
    let Some(standin) = standin() else { return };
    rounds(&standin);
}

/// The streams of groups are shared by threads.
#[test]
fn random_calls_of_eight_threads_with_few_streams() {
    in_child("threads::random_calls_of_eight_threads_with_few_streams", &[("ANABRANCH_MAX_STREAMS", "3")], rounds);
}
