//! Copies between the device and ordinary memory of the host, for which the host waits.

use crate::Bench;
use crate::clock::{Result, Side, rounds};
use crate::peer::noise;
use crate::raw;
use crate::report::Metric;

const PEER: &str = "cuMemcpy";

/// Large copies beside the driver's own.
pub(crate) fn large(bench: &mut Bench) -> Result<()> {
    bench.report.section("copies of ordinary memory");
    let n = bench.size(64 << 20, 3 << 20);
    let (device, stream) = (bench.device.clone(), bench.stream.clone());
    let values = noise(n, 7);
    let mut buffer = device.buffer_from(&values)?;
    let memory = bench.cuda.as_ref().map(|context| raw::Memory::from_slice(context, &values)).transpose()?;
    if let Some(memory) = &memory {
        bench.report.compare("to_vec", &buffer.to_vec()?, &memory.to_vec()?, 0.0);
    }
    let raw_stream = bench.cuda.as_ref().map(raw::Stream::new).transpose()?;
    let raw = bench.cuda.as_ref().zip(memory.as_ref()).zip(raw_stream.as_ref());
    let rate = Some((4.0 * n as f64, "GB/s"));

    let mut ours = Side::ours("anabranch", &stream, || buffer.to_vec().map(drop));
    let to_vec =
        raw.map(|((context, memory), stream)| Side::raw(PEER, context, stream, || memory.to_vec::<f32>().map(drop)));
    let mut peer = to_vec.transpose()?;
    let measured = rounds(bench.rounds.min(11), 1, &mut ours, peer.as_mut())?;
    bench.report.figure("to a new vector", (ours.label, peer.map(|peer| peer.label)), &measured, &[Metric::Done], rate);
    drop(ours);

    let mut ours = Side::ours("anabranch", &stream, || buffer.copy_from(&values));
    let write = raw.map(|((context, memory), stream)| Side::raw(PEER, context, stream, || memory.write(&values)));
    let mut peer = write.transpose()?;
    let measured = rounds(bench.rounds.min(11), 1, &mut ours, peer.as_mut())?;
    bench.report.figure("from a vector", (ours.label, peer.map(|peer| peer.label)), &measured, &[Metric::Done], rate);
    Ok(())
}
