//! The costs of a launch, a fork and a join, compared with the same sequences of driver calls; and
//! the gain from groups.

use std::cell::Cell;
use std::rc::Rc;

use anabranch::prelude::*;
use anabranch_tests::kernels::independent::{self, COUNTS};

use crate::Bench;
use crate::clock::{Result, Side, rounds};
use crate::raw::{self, Argument};
use crate::report::Metric;

pub(crate) const STEPS: &str = include_str!("cuda/steps.cu");
const PEER: &str = "driver calls";
/// The number of elements of a loop: less than a block, so it runs on one multiprocessor.
const ELEMENTS: usize = 64;
/// The maximum number of calls that a stream queues without making the host wait.
const QUEUE: usize = 400;

/// The same launches as calls of the driver.
struct Peer {
    parent: raw::Stream,
    fork: raw::Event,
    groups: Vec<Group>,
    memory: Vec<raw::Memory>,
    context: Rc<raw::Context>,
    forks: Cell<usize>,
}

struct Group {
    stream: raw::Stream,
    done: raw::Event,
    launch: raw::Launch,
}

/// The functions of a peer: the source, the function of each group, and how many more parameters it
/// has.
type Functions<'a> = (&'a str, &'a dyn Fn(usize) -> String, usize);

impl Peer {
    fn new(bench: &Bench, groups: usize, steps: u32) -> Result<Option<Self>> {
        let plain: Functions<'_> = (STEPS, &|_| "advance".to_owned(), 0);
        bench.cuda.as_ref().map(|context| Self::of(context, groups, steps, plain)).transpose()
    }

    fn of(context: &Rc<raw::Context>, groups: usize, steps: u32, functions: Functions<'_>) -> Result<Self> {
        let (source, name, more) = functions;
        let module = raw::Module::compile(context, source)?;
        let memory = (0..groups)
            .map(|group| raw::Memory::from_slice(context, &[group as u32 + 1; ELEMENTS]))
            .collect::<raw::Result<Vec<_>>>()?;
        let group = |(number, memory)| {
            let mut arguments = vec![Argument::Memory(memory), Argument::I32(ELEMENTS), Argument::U32(steps)];
            arguments.extend((0..more).map(|_| Argument::U32(0)));
            Ok(Group {
                stream: raw::Stream::new(context)?,
                done: raw::Event::new(context)?,
                launch: raw::Launch::new(&module, &name(number), [ELEMENTS, 1], [256, 1], &arguments)?,
            })
        };
        let groups = memory.iter().enumerate().map(group).collect::<raw::Result<_>>()?;
        let (parent, fork) = (raw::Stream::new(context)?, raw::Event::new(context)?);
        Ok(Self { parent, fork, groups, memory, context: context.clone(), forks: Cell::new(0) })
    }

    /// The calls of a `stream_parallel!`.
    fn fork(&self) -> raw::Result<()> {
        self.fork.record(&self.parent)?;
        for Group { stream, done, launch } in &self.groups {
            stream.wait(&self.fork)?;
            launch.launch(stream)?;
            done.record(stream)?;
        }
        self.groups.iter().try_for_each(|group| self.parent.wait(&group.done))
    }

    /// The same with events that belong to no stream: each is recorded on another one the next
    /// time.
    fn fork_with_any_events(&self) -> raw::Result<()> {
        self.fork.record(&self.parent)?;
        let turn = self.forks.replace(self.forks.get() + 1);
        let done = |number: usize| &self.groups[(number + turn) % self.groups.len()].done;
        for (number, Group { stream, launch, .. }) in self.groups.iter().enumerate() {
            stream.wait(&self.fork)?;
            launch.launch(stream)?;
            done(number).record(stream)?;
        }
        (0..self.groups.len()).try_for_each(|number| self.parent.wait(done(number)))
    }

    /// The same with the first group on the parent's stream.
    fn fork_beside_the_first(&self) -> raw::Result<()> {
        let Some((first, others)) = self.groups.split_first() else { return Ok(()) };
        if !others.is_empty() {
            self.fork.record(&self.parent)?;
        }
        first.launch.launch(&self.parent)?;
        for Group { stream, done, launch } in others {
            stream.wait(&self.fork)?;
            launch.launch(stream)?;
            done.record(stream)?;
        }
        others.iter().try_for_each(|group| self.parent.wait(&group.done))
    }

    /// The same launches without groups.
    fn series(&self) -> raw::Result<()> {
        self.groups.iter().try_for_each(|group| group.launch.launch(&self.parent))
    }

    /// The same, each after a call that reads which context is current.
    fn series_after_reads(&self) -> raw::Result<()> {
        let launch = |group: &Group| {
            raw::read_current()?;
            group.launch.launch(&self.parent)
        };
        self.groups.iter().try_for_each(launch)
    }

    fn results(&self) -> raw::Result<Vec<u32>> {
        self.parent.synchronize()?;
        self.memory.iter().map(raw::Memory::to_vec).collect::<raw::Result<Vec<_>>>().map(|results| results.concat())
    }
}

/// A launcher of [`independent`].
type Kernel = fn(&Stream, &mut [Buffer<u32>], u32) -> anabranch::Result<()>;

impl Bench {
    fn buffers(&self, count: usize) -> Result<Vec<Buffer<u32>>> {
        Ok((0..count)
            .map(|group| self.device.buffer_from(&[group as u32 + 1; ELEMENTS]))
            .collect::<anabranch::Result<_>>()?)
    }

    /// Compares a kernel with driver calls that do the same. Their results are compared after the
    /// first run.
    fn against_calls(
        &mut self,
        name: &str,
        groups: usize,
        calls: usize,
        kernel: Kernel,
        peer: fn(&Peer) -> raw::Result<()>,
    ) -> Result<()> {
        let stream = self.stream.clone();
        let mut buffers = self.buffers(groups)?;
        let raw = Peer::new(self, groups, 1)?;
        kernel(&stream, &mut buffers, 1)?;
        if let Some(raw) = &raw {
            peer(raw)?;
            let ours = buffers.iter().map(Buffer::to_vec).collect::<anabranch::Result<Vec<_>>>()?.concat();
            self.report.equal(name, &ours, &raw.results()?);
        }
        let mut ours = Side::ours("anabranch", &stream, || kernel(&stream, &mut buffers, 1));
        let mut raw = match &raw {
            Some(raw) => Some(Side::raw(PEER, &raw.context, &raw.parent, || peer(raw))?),
            None => None,
        };
        let runs = self.size((QUEUE / calls) as u32, 2);
        let measured = rounds(self.rounds, runs, &mut ours, raw.as_mut())?;
        let labels = (ours.label, raw.as_ref().map(|raw| raw.label));
        self.report.figure(name, labels, &measured, &Metric::ALL, None);
        Ok(())
    }
}

/// A launch.
pub(crate) fn launch(bench: &mut Bench) -> Result<()> {
    bench.report.section("a launch");
    bench.against_calls("a launch", 1, 1, independent::series, Peer::series)?;
    bench.against_calls("16 launches", 16, 16, independent::series, Peer::series)
}

/// A fork and a join around tiny loops.
pub(crate) fn forks(bench: &mut Bench) -> Result<()> {
    bench.report.section("a fork and a join");
    for &groups in COUNTS {
        // Four calls per group, and the record of the fork.
        bench.against_calls(&name(groups), groups, 4 * groups + 1, independent::groups, Peer::fork)?;
    }
    Ok(())
}

/// [`STEPS`] with four more parameters, as the library's kernels have.
pub(crate) fn seven_parameters() -> String {
    STEPS.replace("unsigned steps)", "unsigned steps, int, int, int, int)")
}

/// [`STEPS`] 16 times.
pub(crate) fn sixteen_functions() -> String {
    (0..16).map(|number| STEPS.replace("advance", &format!("advance_{number}"))).collect()
}

/// Driver calls beside the plain ones of the peer, each different in one respect. It shows what of
/// the difference between our launches and the peer's is not our code.
pub(crate) fn calls(bench: &mut Bench) -> Result<()> {
    let Some(context) = bench.cuda.clone() else { return Ok(()) };
    bench.report.section("driver calls beside plain ones");
    let (long, each) = (seven_parameters(), sixteen_functions());
    let plain: Functions<'_> = (STEPS, &|_| "advance".to_owned(), 0);
    let long: Functions<'_> = (&long, &|_| "advance".to_owned(), 4);
    let each: Functions<'_> = (&each, &|number| format!("advance_{number}"), 0);
    let series: fn(&Peer) -> raw::Result<()> = Peer::series;
    let mut cases = vec![
        ("a launch after cuCtxGetCurrent".to_owned(), 1, plain, Peer::series_after_reads as fn(&Peer) -> _, series),
        ("a launch with 7 parameters".to_owned(), 1, long, series, series),
        ("16 launches of 16 functions".to_owned(), 16, each, series, series),
    ];
    for &groups in COUNTS {
        let any: fn(&Peer) -> _ = Peer::fork_with_any_events;
        cases.push((format!("{}, any events", name(groups)), groups, plain, any, Peer::fork));
        let first: fn(&Peer) -> _ = Peer::fork_beside_the_first;
        cases.push((format!("{}, the first on the parent", name(groups)), groups, plain, first, Peer::fork));
    }
    for (name, groups, functions, run, plain_run) in cases {
        let (one, other) = (Peer::of(&context, groups, 1, functions)?, Peer::of(&context, groups, 1, plain)?);
        let mut side = Side::raw("this", &context, &one.parent, || run(&one))?;
        let mut beside = Side::raw("plain calls", &context, &other.parent, || plain_run(&other))?;
        let runs = bench.size((QUEUE / (4 * groups + 1)) as u32, 2);
        let measured = rounds(bench.rounds, runs, &mut side, Some(&mut beside))?;
        let labels = (side.label, Some(beside.label));
        drop((side, beside));
        bench.report.figure(&name, labels, &measured, &Metric::ALL, None);
        // Both have run as often.
        bench.report.equal(&name, &one.results()?, &other.results()?);
    }
    Ok(())
}

/// Groups that each keep one multiprocessor busy for a while, compared with the same loops in
/// series.
pub(crate) fn overlap(bench: &mut Bench) -> Result<()> {
    bench.report.section("independent groups");
    let steps = bench.size(20_000, 10);
    let stream = bench.stream.clone();
    for &groups in COUNTS {
        let (mut apart, mut together) = (bench.buffers(groups)?, bench.buffers(groups)?);
        let mut series = Side::ours("the same in series", &stream, || independent::series(&stream, &mut apart, steps));
        let mut side = Side::ours("groups", &stream, || independent::groups(&stream, &mut together, steps));
        let runs = bench.size((QUEUE / (4 * groups + 1)).min(20) as u32, 2);
        let measured = rounds(bench.rounds, runs, &mut side, Some(&mut series))?;
        let labels = (side.label, Some(series.label));
        drop((side, series));
        bench.report.figure(&name(groups), labels, &measured, &[Metric::Device, Metric::Done], None);
        // Both have run as often.
        for (apart, together) in apart.iter().zip(&together) {
            bench.report.equal(&name(groups), &together.to_vec()?, &apart.to_vec()?);
        }
    }
    Ok(())
}

/// Tiny groups as a graph, compared with a graph captured from driver calls.
pub(crate) fn graphs(bench: &mut Bench) -> Result<()> {
    bench.report.section("a graph of groups");
    let stream = bench.stream.clone();
    for &groups in COUNTS {
        let mut buffers = bench.buffers(groups)?;
        // Each side runs once before it is captured: the driver loads the peer's kernel at its
        // first launch, and a capture does not allow that.
        independent::groups(&stream, &mut buffers, 1)?;
        let graph = stream.capture(|stream| independent::groups(stream, &mut buffers, 1))?;
        let raw = match Peer::new(bench, groups, 1)? {
            Some(peer) => {
                peer.fork()?;
                Some((raw::Graph::capture(&peer.context, &peer.parent, || peer.fork())?, peer))
            }
            None => None,
        };
        graph.launch(&stream)?;
        if let Some((graph, peer)) = &raw {
            graph.launch(&peer.parent)?;
            let ours = buffers.iter().map(Buffer::to_vec).collect::<anabranch::Result<Vec<_>>>()?.concat();
            bench.report.equal(&name(groups), &ours, &peer.results()?);
        }
        let mut ours = Side::ours("anabranch", &stream, || graph.launch(&stream));
        let mut raw = match &raw {
            Some((graph, peer)) => Some(Side::raw(PEER, &peer.context, &peer.parent, || graph.launch(&peer.parent))?),
            None => None,
        };
        let runs = bench.size((QUEUE / 4) as u32, 2);
        let measured = rounds(bench.rounds, runs, &mut ours, raw.as_mut())?;
        let labels = (ours.label, raw.as_ref().map(|raw| raw.label));
        bench.report.figure(&name(groups), labels, &measured, &Metric::ALL, None);
    }
    Ok(())
}

/// Launches of a graph compared with the captured launches: the cost of a `par` loop in a graph.
pub(crate) fn replays(bench: &mut Bench) -> Result<()> {
    bench.report.section("replays and launches");
    let stream = bench.stream.clone();
    for &groups in COUNTS {
        let (mut launched, mut replayed) = (bench.buffers(groups)?, bench.buffers(groups)?);
        let graph = stream.capture(|stream| independent::groups(stream, &mut replayed, 1))?;
        let mut launch = Side::ours("launches", &stream, || independent::groups(&stream, &mut launched, 1));
        let mut replay = Side::ours("a replay", &stream, || graph.launch(&stream));
        let runs = bench.size((QUEUE / (4 * groups + 1)) as u32, 2);
        let measured = rounds(bench.rounds, runs, &mut replay, Some(&mut launch))?;
        let labels = (replay.label, Some(launch.label));
        drop((replay, launch));
        bench.report.figure(&name(groups), labels, &measured, &Metric::ALL, None);
        // Both have run as often.
        for (launched, replayed) in launched.iter().zip(&replayed) {
            bench.report.equal(&name(groups), &replayed.to_vec()?, &launched.to_vec()?);
        }
    }
    Ok(())
}

fn name(groups: usize) -> String {
    if groups == 1 { "1 group".to_owned() } else { format!("{groups} groups") }
}
