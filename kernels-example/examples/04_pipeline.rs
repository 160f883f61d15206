//! Processes a file that is too large for the device in chunks: while the device computes on one
//! chunk, the next chunk is read and copied in, and the previous chunk is copied out and written.
//! There are three lanes, each with its own stream and memory.
//!
//! `cargo run --release -p kernels-example --example 04_pipeline [FILE]`; without a file it creates
//! one of 256 MB.

use std::error::Error;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anabranch::prelude::*;

/// The key's byte at a position of the file. This is a toy and not secure.
#[device]
fn key(position: u32) -> u8 {
    let mut x = position;
    for _ in 0..4 {
        x = (x ^ (x >> 15)).wrapping_mul(0x2c1b_3c6d);
    }
    (x >> 24) as u8
}

/// Encrypts bytes of a file, of which the first is at position `first`.
#[kernel]
pub fn encrypt(bytes: &mut [u8], first: u32) {
    for i in par(0..bytes.len()) {
        bytes[i] ^= key(first.wrapping_add(i as u32));
    }
}

const CHUNK: usize = 8 << 20;
const LANES: usize = 3;

/// The lanes take turns: each writes its last chunk and starts the next one.
struct Lane {
    stream: Stream,
    host: PinnedBuffer<u8>,
    bytes: Buffer<u8>,
    /// Bytes of the chunk in progress; the last chunk is shorter.
    len: usize,
}

/// Encrypts a file with `lanes` lanes. With one lane, each step waits for the previous step.
fn encrypt_file(device: &Device, mut from: &File, mut to: &File, lanes: usize) -> Result<Duration, Box<dyn Error>> {
    let lane = |_| -> anabranch::Result<Lane> {
        Ok(Lane { stream: device.new_stream()?, host: device.pinned(CHUNK)?, bytes: device.zeros(CHUNK)?, len: 0 })
    };
    let mut lanes = (0..lanes).map(lane).collect::<anabranch::Result<Vec<_>>>()?;
    let (start, mut first, mut turn) = (Instant::now(), 0u32, 0);
    from.rewind()?;
    to.rewind()?;
    loop {
        let (round, place) = (turn / lanes.len(), turn % lanes.len());
        let Lane { stream, host, bytes, len } = &mut lanes[place];
        if round > 0 && *len == 0 {
            return Ok(start.elapsed()); // the file ended one round ago
        }
        to.write_all(host.slice(..*len).as_slice()?)?; // waits until this lane's chunk is copied out
        *len = read_chunk(from, host.as_mut_slice()?)?;
        let mut chunk = bytes.slice_mut(..*len);
        chunk.copy_from_async(stream, &host.slice(..*len))?; // none of these three calls waits
        encrypt(stream, &mut chunk, first)?;
        chunk.as_slice().copy_to_async(stream, &mut host.slice_mut(..*len))?;
        first = first.wrapping_add(*len as u32);
        turn += 1;
    }
}

/// Reads until `chunk` is full or the file ends, and returns the number of bytes.
fn read_chunk(mut from: &File, chunk: &mut [u8]) -> std::io::Result<usize> {
    let mut len = 0;
    while let more @ 1.. = from.read(&mut chunk[len..])? {
        len += more;
    }
    Ok(len)
}

/// Returns the number of bytes in the first file, and how many of them are wrong in the second.
fn compare(mut plain: &File, mut encrypted: &File) -> std::io::Result<(u64, u64)> {
    let (mut a, mut b) = (vec![0; CHUNK], vec![0; CHUNK]);
    let (mut position, mut wrong) = (0, 0);
    plain.rewind()?;
    encrypted.rewind()?;
    loop {
        let (len, other) = (read_chunk(plain, &mut a)?, read_chunk(encrypted, &mut b)?);
        let pairs = a[..len].iter().zip(&b[..other]).enumerate();
        let differ = pairs.filter(|(i, (a, b))| **a ^ key((position + *i as u64) as u32) != **b).count();
        wrong += (differ + len.abs_diff(other)) as u64;
        position += len as u64;
        if len == 0 && other == 0 {
            return Ok((position, wrong));
        }
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let device = Device::auto()?;
    encrypt::prepare(&device)?;
    let input = match std::env::args_os().nth(1) {
        Some(path) => File::open(path)?,
        None => {
            let (mut file, some) = (tempfile::tempfile()?, (0..1_000_003).map(key).collect::<Vec<_>>());
            (0..256).try_for_each(|_| file.write_all(&some))?;
            file
        }
    };
    let (serial, pipelined, mut times) = (tempfile::tempfile()?, tempfile::tempfile()?, [Duration::MAX; 2]);
    for _ in 0..3 {
        for (time, (output, lanes)) in times.iter_mut().zip([(&serial, 1), (&pipelined, LANES)]) {
            *time = encrypt_file(&device, &input, output, lanes)?.min(*time);
        }
    }
    let [(bytes, wrong), (_, also)] = [compare(&input, &serial)?, compare(&input, &pipelined)?];
    let [one, many] = times.map(|time| time.as_secs_f64());
    println!("{bytes} bytes on {device}: {wrong} wrong in 1 lane, {also} wrong in {LANES} lanes");
    println!("  {:.0} ms in 1 lane, {:.0} ms in {LANES}: {:.2} times as fast", one * 1e3, many * 1e3, one / many);
    Ok(if wrong + also == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
