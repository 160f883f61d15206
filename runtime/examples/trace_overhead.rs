//! What tracing costs: the time of a launch with a small loop, untraced and traced, and of reading
//! the trace.
//!
//! `cargo run --release -p anabranch --example trace_overhead`

use std::time::{Duration, Instant};

use anabranch::prelude::*;

const LAUNCHES: u32 = 20_000;

#[kernel]
fn small(x: &mut [f32]) {
    for i in par(0..x.len()) {
        x[i] = x[i] * 0.5 + 1.0;
    }
}

fn launches(stream: &Stream, x: &mut Buffer<f32>) -> anabranch::Result<Duration> {
    let start = Instant::now();
    for _ in 0..LAUNCHES {
        small(stream, x)?;
    }
    stream.synchronize()?;
    Ok(start.elapsed() / LAUNCHES)
}

fn main() -> anabranch::Result<()> {
    let device = Device::auto()?;
    let stream = device.default_stream();
    let mut x = device.zeros::<f32>(256)?;
    launches(&stream, &mut x)?;
    println!("{device}: a launch with one loop of {} iterations, best of 5 times {LAUNCHES}", x.len());
    let (mut off, mut on, mut all) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..5 {
        off = off.min(launches(&stream, &mut x)?);
        let start = Instant::now();
        let (launched, trace) = device.trace(|| launches(&stream, &mut x))?;
        (on, all) = (on.min(launched?), all.min(start.elapsed() / LAUNCHES));
        assert_eq!(trace.spans().iter().filter(|span| span.is_work()).count(), LAUNCHES as usize);
    }
    let ratio = |time: Duration| time.as_secs_f64() / off.as_secs_f64();
    println!("not traced            {off:?}");
    println!("traced                {on:?}, {:.2} times as long", ratio(on));
    println!("with making the trace {all:?}, {:.2} times as long", ratio(all));
    Ok(())
}
