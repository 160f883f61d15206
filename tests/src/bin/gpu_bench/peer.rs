//! The hand-written side of a kernel: CUDA C++ on its own data, launched by driver calls.

use anabranch::prelude::*;

use crate::Bench;
use crate::clock::{Result, Side, rounds};
use crate::raw::{self, Argument};
use crate::report::{Metric, Rate};

pub(crate) const PEER: &str = "CUDA C++";
/// The usual block shapes, which the library also uses.
pub(crate) const ROW: [u32; 2] = [256, 1];
pub(crate) const TILE: [u32; 2] = [32, 8];

/// The hand-written side of a job: its data, and the launches of a run. It does not exist on the
/// CPU.
pub(crate) struct Peer {
    stream: raw::Stream,
    launches: Vec<raw::Launch>,
    memory: Vec<raw::Memory>,
    context: std::rc::Rc<raw::Context>,
}

/// A launch: the kernel, the number of items, the shape of a block, the arguments.
pub(crate) type Call<'a> = (&'static str, [usize; 2], [u32; 2], Vec<Argument<'a>>);

impl Peer {
    pub(crate) fn new<T: raw::Element, const N: usize>(
        bench: &Bench,
        source: &str,
        data: [&[T]; N],
        calls: impl for<'a> FnOnce([&'a raw::Memory; N]) -> Vec<Call<'a>>,
    ) -> Result<Option<Self>> {
        let Some(context) = &bench.cuda else { return Ok(None) };
        let module = raw::Module::compile(context, source)?;
        let memory = data.iter().map(|data| raw::Memory::from_slice(context, data)).collect::<raw::Result<Vec<_>>>()?;
        let launches = calls(std::array::from_fn(|i| &memory[i]))
            .into_iter()
            .map(|(name, items, block, arguments)| raw::Launch::new(&module, name, items, block, &arguments))
            .collect::<raw::Result<_>>()?;
        Ok(Some(Self { stream: raw::Stream::new(context)?, launches, memory, context: context.clone() }))
    }

    pub(crate) fn run(&self) -> raw::Result<()> {
        self.launches.iter().try_for_each(|launch| launch.launch(&self.stream))
    }

    /// Runs once, and returns the contents of one of the buffers.
    pub(crate) fn after_a_run<T: raw::Element>(&self, memory: usize) -> raw::Result<Vec<T>> {
        self.run()?;
        self.stream.synchronize()?;
        self.memory[memory].to_vec()
    }
}

impl Bench {
    pub(crate) fn job(
        &mut self,
        name: &str,
        rate: Rate,
        peer: Option<(&'static str, &Peer)>,
        run: impl FnMut() -> anabranch::Result<()>,
    ) -> Result<()> {
        let stream = self.stream.clone();
        let mut ours = Side::ours("anabranch", &stream, run);
        let runs = if self.smoke { 1 } else { ours.runs_in(0.01, 50)? };
        let mut peer = match peer {
            Some((label, peer)) => Some(Side::raw(label, &peer.context, &peer.stream, || peer.run())?),
            None => None,
        };
        let measured = rounds(self.rounds, runs, &mut ours, peer.as_mut())?;
        let labels = (ours.label, peer.as_ref().map(|peer| peer.label));
        self.report.figure(name, labels, &measured, &[Metric::Device], Some(rate));
        Ok(())
    }

    /// Compares with the result of the peer's first run.
    pub(crate) fn check<const D: usize>(
        &mut self,
        name: &str,
        ours: &Buffer<f32, D>,
        peer: Option<&Peer>,
        memory: usize,
        off: f32,
    ) -> Result<()> {
        if let Some(peer) = peer {
            self.report.compare(name, &ours.to_vec()?, &peer.after_a_run(memory)?, off);
        }
        Ok(())
    }

    /// The same for integers.
    pub(crate) fn check_exactly(
        &mut self,
        name: &str,
        ours: &Buffer<u32>,
        peer: Option<&Peer>,
        memory: usize,
    ) -> Result<()> {
        if let Some(peer) = peer {
            self.report.equal(name, &ours.to_vec()?, &peer.after_a_run(memory)?);
        }
        Ok(())
    }
}

/// Pseudorandom numbers from 0 to 1.
pub(crate) fn noise(n: usize, seed: u32) -> Vec<f32> {
    (seed..seed + n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0).collect()
}
