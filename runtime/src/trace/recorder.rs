//! What a device records while it is traced: pieces of work with their times, the kernels and
//! groups around them, and waits between streams.
//!
//! A device has one recorder. While it is off, each hook costs one relaxed load. While it is on, a
//! hook locks the recorder for a few operations on vectors; no driver call happens under this lock.
//!
//! Kernels and groups are *scopes*. The scope of a piece of work is that of the thread that queues
//! it (`HERE`), because a host part runs on one thread. On the CPU, a group runs on some thread of
//! the pool, which enters the scope of the group for that time.

use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, MutexGuard};
use std::thread::ThreadId;
use std::time::Instant;

use crate::lock::Lock;
use crate::model::kernel::{Groups, Kernel, Loop};

/// The maximum number of pieces of work in one recording, about 100 MB. What follows is only
/// counted.
const MOST: usize = 1 << 20;

/// No scope, no lane.
const NONE: u32 = u32::MAX;

/// Nanoseconds on the clock of all recordings, which begins at its first use.
pub(crate) fn now() -> i64 {
    static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);
    i64::try_from(EPOCH.elapsed().as_nanos()).unwrap_or(i64::MAX)
}

/// A piece of work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    /// A `par` loop with its number of iterations.
    Loop(&'static Kernel, &'static Loop, u64),
    /// The body of a library kernel.
    Library(&'static Kernel),
    /// A copy of this many bytes.
    Copy(Direction, usize),
    /// A fill of this many bytes.
    Fill(usize),
    /// The launch of a graph with this many nodes.
    Graph(usize),
    /// A `stream_parallel!`, from the fork to the join, on the stream that forks.
    Fork(&'static Kernel, &'static Groups),
}

/// Where a copy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    ToHost,
    /// From memory of the device to memory of the same device.
    OnDevice,
    /// From memory of one device to memory of another one.
    BetweenDevices,
}

/// A stretch of work with a name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scope {
    /// The launch of a kernel, or its call in the host part of another one.
    Kernel(&'static Kernel),
    /// A group, by its number; `fork` is the record of the `stream_parallel!`.
    Group { groups: &'static Groups, number: usize, fork: u32 },
    /// What is inside of a piece of work: a library kernel, or a graph on the CPU.
    Inside,
}

/// The place of a piece of work: the tracks of a trace are made of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// A thread that launches on a CPU device.
    Thread(ThreadId),
    /// Groups that run one after the other on a CPU device.
    Lane(u32),
    /// A stream of a GPU, by its handle.
    Stream(usize),
}

/// What a stream is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Group,
    Copies,
}

/// One piece of work in a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    pub(crate) work: Work,
    pub(crate) track: u32,
    pub(crate) scope: Option<u32>,
    /// Begin and end in nanoseconds; `None` as long as they are unknown.
    pub(crate) time: Option<(i64, i64)>,
}

/// A stream waits for another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waited {
    /// The stream that is waited for, and the number of records when its event was recorded.
    pub(crate) from: (usize, u32),
    /// The stream that waits, and the number of records at that call.
    pub(crate) to: (usize, u32),
    pub(crate) why: &'static str,
}

/// A recording.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) device: String,
    pub(crate) is_cpu: bool,
    /// The names of the tracks, in the order of their first use.
    pub(crate) tracks: Vec<String>,
    /// The tracks of streams.
    pub(crate) streams: HashMap<usize, u32>,
    /// Each scope with the scope around it.
    pub(crate) scopes: Vec<(Scope, Option<u32>)>,
    pub(crate) records: Vec<Record>,
    /// The first record that belongs to the trace.
    pub(crate) first: usize,
    pub(crate) waits: Vec<Waited>,
    /// Number of pieces of work for which there was no room.
    pub(crate) skipped: u64,
}

/// The recorder of a device.
#[derive(Debug)]
pub(crate) struct Recorder {
    on: AtomicBool,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Tells recordings of all recorders apart. 0 before the first.
    generation: u64,
    log: Log,
    places: HashMap<Place, u32>,
    /// Whether a group runs on the lane.
    lanes: Vec<bool>,
    /// Whether the recording lasts as long as the program.
    whole_program: bool,
    /// The number of records at the begin of the traced closure.
    window: Option<(usize, i64)>,
}

/// Where this thread is, in the recording with this generation.
#[derive(Debug, Clone, Copy)]
struct Here {
    generation: u64,
    scope: u32,
    lane: u32,
}

thread_local! {
    static HERE: Cell<Here> = const { Cell::new(Here { generation: 0, scope: NONE, lane: NONE }) };
}

/// A record that was begun, or a place between records, in the recording with this generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Begun {
    generation: u64,
    index: u32,
}

impl Recorder {
    /// The recorder of a new device. It is on from the start if the whole program is traced.
    pub(crate) fn new(is_cpu: bool, whole_program: bool) -> Self {
        let recorder = Self { on: AtomicBool::new(false), state: Lock::default() };
        let mut state = recorder.lock();
        state.log.is_cpu = is_cpu;
        if whole_program {
            state.whole_program = true;
            state.restart();
            recorder.on.store(true, Ordering::Relaxed);
        }
        drop(state);
        recorder
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent wherever this module could panic.
        self.state.lock()
    }

    /// Whether work is recorded. Work in progress may or may not notice a change.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Begins the recording of a closure. `false` if another one is in progress.
    pub(crate) fn begin(&self) -> bool {
        let mut state = self.lock();
        if state.window.is_some() {
            return false;
        }
        if !state.whole_program {
            state.restart();
        }
        state.window = Some((state.log.records.len(), now()));
        self.on.store(true, Ordering::Relaxed);
        true
    }

    /// Stops recording for the closure; its records stay until [`take`](Self::take).
    pub(crate) fn stop(&self) {
        let state = self.lock();
        if !state.whole_program {
            self.on.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the recording of the closure. Returns it with the time of its begin.
    pub(crate) fn take(&self) -> (Log, i64) {
        let mut state = self.lock();
        let (first, begin) = state.window.take().unwrap_or_default();
        if state.whole_program {
            let mut log = state.log.clone();
            log.first = first;
            log.waits.retain(|wait| wait.to.1 as usize >= first);
            return (log, begin);
        }
        let (device, is_cpu) = (state.log.device.clone(), state.log.is_cpu);
        let log = std::mem::replace(&mut state.log, Log { device, is_cpu, ..Log::default() });
        state.generation = 0;
        (log, begin)
    }

    /// The recording so far, if it can be had without waiting for long.
    pub(crate) fn snapshot(&self, until: Instant) -> Option<Log> {
        self.state.lock_until(until).map(|state| state.log.clone())
    }

    /// The name of the device in the trace.
    pub(crate) fn name(&self, device: String) {
        self.lock().log.device = device;
    }

    /// Begins a piece of work of a stream.
    pub(crate) fn open_on(&self, work: Work, stream: usize, role: Role) -> Option<Begun> {
        let mut state = self.lock();
        let track = state.track(Place::Stream(stream), role);
        state.log.streams.insert(stream, track);
        let scope = state.here().scope;
        state.open(work, track, scope)
    }

    /// Ends a piece of work. Without a time it is lost.
    pub(crate) fn close(&self, begun: Begun, time: Option<(i64, i64)>) {
        let mut state = self.lock();
        if state.generation == begun.generation
            && let Some(record) = state.log.records.get_mut(begun.index as usize)
        {
            record.time = time;
        }
    }

    /// Whether the recording of this record is still in progress.
    pub(crate) fn is_current(&self, begun: Begun) -> bool {
        self.lock().generation == begun.generation
    }

    /// A piece of work that this thread does until the guard is dropped.
    #[inline]
    pub(crate) fn span(&self, work: Work) -> Option<HostSpan<'_>> {
        if self.is_on() { self.begin_span(work) } else { None }
    }

    #[cold]
    fn begin_span(&self, work: Work) -> Option<HostSpan<'_>> {
        let begun = {
            let mut state = self.lock();
            let here = state.here();
            let place =
                if here.lane == NONE { Place::Thread(std::thread::current().id()) } else { Place::Lane(here.lane) };
            let track = state.track(place, Role::User);
            state.open(work, track, here.scope)?
        };
        let inside = match work {
            Work::Library(_) | Work::Graph(_) => self.enter(Scope::Inside),
            _ => None,
        };
        Some(HostSpan { recorder: self, begun, start: now(), _inside: inside })
    }

    /// Enters a scope on this thread, until the guard is dropped.
    #[inline]
    pub(crate) fn enter(&self, scope: Scope) -> Option<Entered> {
        if self.is_on() { self.enter_now(scope) } else { None }
    }

    #[cold]
    fn enter_now(&self, scope: Scope) -> Option<Entered> {
        let mut state = self.lock();
        let mut here = state.here();
        here.scope = state.scope(scope, here.scope)?;
        Some(Entered::to(here))
    }

    /// Enters a group of a fork whose loops this thread queues on another stream.
    pub(crate) fn enter_group(&self, fork: Begun, groups: &'static Groups, number: usize) -> Option<Entered> {
        let mut state = self.lock();
        if state.generation != fork.generation {
            return None;
        }
        let mut here = state.here();
        here.scope = state.scope(Scope::Group { groups, number, fork: fork.index }, here.scope)?;
        Some(Entered::to(here))
    }

    /// Enters a group of a fork that this thread runs on a lane of its own.
    pub(crate) fn enter_lane(&self, fork: Begun, groups: &'static Groups, number: usize) -> Option<OnLane<'_>> {
        let mut state = self.lock();
        if state.generation != fork.generation {
            return None;
        }
        // The scope around is that of the thread that forked.
        let around = state.log.records.get(fork.index as usize)?.scope.unwrap_or(NONE);
        let scope = state.scope(Scope::Group { groups, number, fork: fork.index }, around)?;
        let lane = state.lanes.iter().position(|busy| !busy).unwrap_or(state.lanes.len());
        match state.lanes.get_mut(lane) {
            Some(busy) => *busy = true,
            None => state.lanes.push(true),
        }
        let here = Here { generation: state.generation, scope, lane: lane as u32 };
        Some(OnLane { recorder: self, here, _entered: Entered::to(here) })
    }

    /// Restores the scope of this thread at its end, for recorded work that enters and leaves
    /// kernels.
    pub(crate) fn calls(&self) -> Option<Calls<'_>> {
        self.is_on().then(|| Calls { recorder: self, _entered: Entered::to(HERE.get()) })
    }

    /// A point in the order of calls: the next record.
    pub(crate) fn mark(&self) -> Begun {
        let state = self.lock();
        Begun { generation: state.generation, index: state.log.records.len() as u32 }
    }

    /// Records that a stream waits for what another one had queued when the mark was taken.
    pub(crate) fn wait(&self, from: usize, mark: Begun, to: usize, why: &'static str) {
        let mut state = self.lock();
        if state.log.waits.len() < MOST && from != to && mark.generation == state.generation {
            let (from, to) = ((from, mark.index), (to, state.log.records.len() as u32));
            state.log.waits.push(Waited { from, to, why });
        }
    }
}

impl State {
    fn restart(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (device, is_cpu) = (std::mem::take(&mut self.log.device), self.log.is_cpu);
        self.log = Log { device, is_cpu, ..Log::default() };
        self.generation = NEXT.fetch_add(1, Ordering::Relaxed);
        self.places.clear();
        self.lanes.clear();
    }

    fn here(&self) -> Here {
        let here = HERE.get();
        match here.generation == self.generation {
            true => here,
            false => Here { generation: self.generation, scope: NONE, lane: NONE },
        }
    }

    fn open(&mut self, work: Work, track: u32, scope: u32) -> Option<Begun> {
        if self.log.records.len() >= MOST {
            self.log.skipped += 1;
            return None;
        }
        let index = self.log.records.len() as u32;
        self.log.records.push(Record { work, track, scope: (scope != NONE).then_some(scope), time: None });
        Some(Begun { generation: self.generation, index })
    }

    fn scope(&mut self, scope: Scope, around: u32) -> Option<u32> {
        if self.log.scopes.len() >= MOST {
            return None;
        }
        self.log.scopes.push((scope, (around != NONE).then_some(around)));
        Some(self.log.scopes.len() as u32 - 1)
    }

    fn track(&mut self, place: Place, role: Role) -> u32 {
        if let Some(&track) = self.places.get(&place) {
            return track;
        }
        let like = |prefix: &str| self.log.tracks.iter().filter(|name| name.starts_with(prefix)).count() + 1;
        let name = match (place, role) {
            (Place::Thread(_), _) => match std::thread::current().name() {
                Some(name) => format!("thread {name}"),
                None => format!("thread {}", like("thread")),
            },
            (Place::Lane(lane), _) => format!("groups {}", lane + 1),
            (Place::Stream(_), Role::User) => format!("stream {}", like("stream")),
            (Place::Stream(_), Role::Group) => format!("groups {}", like("groups")),
            (Place::Stream(_), Role::Copies) => format!("copies {}", like("copies")),
        };
        let track = self.log.tracks.len() as u32;
        self.log.tracks.push(name);
        self.places.insert(place, track);
        track
    }
}

/// As long as this exists, the thread is in a scope. Guards of one thread are dropped in reverse
/// order.
#[derive(Debug)]
pub(crate) struct Entered {
    before: Here,
    _stays_on_its_thread: PhantomData<*const ()>,
}

impl Entered {
    fn to(here: Here) -> Self {
        Self { before: HERE.replace(here), _stays_on_its_thread: PhantomData }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        HERE.set(self.before);
    }
}

/// As long as this exists, the thread runs a group on a lane.
#[derive(Debug)]
pub(crate) struct OnLane<'a> {
    recorder: &'a Recorder,
    here: Here,
    _entered: Entered,
}

impl Drop for OnLane<'_> {
    fn drop(&mut self) {
        let mut state = self.recorder.lock();
        if state.generation == self.here.generation
            && let Some(busy) = state.lanes.get_mut(self.here.lane as usize)
        {
            *busy = false;
        }
    }
}

/// The kernels that recorded work enters and leaves.
#[derive(Debug)]
pub(crate) struct Calls<'a> {
    recorder: &'a Recorder,
    _entered: Entered,
}

impl Calls<'_> {
    /// What follows belongs to a call of this kernel.
    pub(crate) fn enter(&self, kernel: &'static Kernel) {
        let mut state = self.recorder.lock();
        let here = state.here();
        if let Some(scope) = state.scope(Scope::Kernel(kernel), here.scope) {
            HERE.set(Here { scope, ..here });
        }
    }

    /// The call that was entered last has ended.
    pub(crate) fn leave(&self) {
        let state = self.recorder.lock();
        let here = state.here();
        if let Some((Scope::Kernel(_), around)) = state.log.scopes.get(here.scope as usize) {
            HERE.set(Here { scope: around.unwrap_or(NONE), ..here });
        }
    }
}

/// A piece of work that a thread does. It ends when the guard is dropped.
#[derive(Debug)]
pub(crate) struct HostSpan<'a> {
    recorder: &'a Recorder,
    begun: Begun,
    start: i64,
    _inside: Option<Entered>,
}

impl HostSpan<'_> {
    /// Its record.
    pub(crate) fn begun(&self) -> Begun {
        self.begun
    }
}

impl Drop for HostSpan<'_> {
    fn drop(&mut self) {
        self.recorder.close(self.begun, Some((self.start, now())));
    }
}
