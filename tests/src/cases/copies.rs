//! Copies and fills that streams do, and when the host may touch what they copy.

use anabranch::PinnedBuffer;
use anabranch::prelude::*;

use super::slow;
use crate::kernels::order::{affine, append};
use crate::kernels::ranges::out_of_bounds;

const N: usize = 64;

fn filled(device: &Device, value: u32) -> Buffer<u32> {
    device.buffer_from(&[value; N]).unwrap()
}

fn pinned(device: &Device, value: u32) -> PinnedBuffer<u32> {
    let mut pinned = device.pinned(N).unwrap();
    pinned.as_mut_slice().unwrap().fill(value);
    pinned
}

#[track_caller]
fn holds(pinned: &PinnedBuffer<u32>, value: u32) {
    assert_eq!(pinned.as_slice().unwrap(), [value; N]);
}

/// Zeros of every size, also none.
pub fn new_pinned_memory_is_zero(device: &Device, stream: &Stream) {
    fn check<T: Scalar>(device: &Device, stream: &Stream) {
        for len in [0, 1, 3, 1000, 100_000] {
            let mut pinned = device.pinned::<T>(len).unwrap();
            assert_eq!((pinned.len(), pinned.is_empty()), (len, len == 0));
            assert!(pinned.as_slice().unwrap().iter().all(|value| *value == T::default()));
            assert_eq!(pinned.as_mut_slice().unwrap().len(), len);
            let mut buffer = device.zeros::<T>(len).unwrap();
            buffer.copy_from_async(stream, &pinned).unwrap();
            buffer.copy_to_async(stream, &mut pinned).unwrap();
            assert_eq!(pinned.as_slice().unwrap(), buffer.to_vec().unwrap());
        }
    }
    check::<u8>(device, stream);
    check::<bool>(device, stream);
    check::<f64>(device, stream);
    check::<u128>(device, stream);
    assert_eq!(device.pinned::<u8>(3).unwrap().device().to_string(), device.to_string());
}

pub fn there_and_back(device: &Device, stream: &Stream) {
    let (mut there, mut back) = (device.pinned::<u32>(N).unwrap(), device.pinned::<u32>(N).unwrap());
    let mut x = device.zeros::<u32>(N).unwrap();
    for round in 0..5u32 {
        there.as_mut_slice().unwrap().iter_mut().zip(round..).for_each(|(to, value)| *to = value);
        x.copy_from_async(stream, &there).unwrap();
        affine(stream, &mut x, 3, 1, slow(device) / 10).unwrap();
        x.copy_to_async(stream, &mut back).unwrap();
        let wanted: Vec<u32> = (round..round + N as u32).map(|value| 3 * value + 1).collect();
        assert_eq!(back.as_slice().unwrap(), wanted);
    }
}

/// What the host reads has been copied, also where another thread reads.
pub fn a_read_of_the_host_waits_for_the_copy(device: &Device, stream: &Stream) {
    let (mut x, mut to) = (filled(device, 1), pinned(device, 9));
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.copy_to_async(stream, &mut to).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| holds(&to, 4));
        }
    });
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.copy_to_async(stream, &mut to).unwrap();
    let values = to.as_mut_slice().unwrap();
    assert_eq!(values, [13; N]);
    // A read and a write of the host cannot overlap, and no copy comes behind.
    values.fill(5);
    stream.synchronize().unwrap();
    holds(&to, 5);
}

/// What is overwritten right behind the call that queues the copy was copied as it had been.
pub fn a_write_of_the_host_waits_for_the_copy(device: &Device, stream: &Stream) {
    let (mut x, mut from) = (filled(device, 0), pinned(device, 1));
    for round in 1..4 {
        affine(stream, &mut x, 3, 1, slow(device)).unwrap();
        x.copy_from_async(stream, &from).unwrap();
        from.as_mut_slice().unwrap().fill(round + 1);
        assert_eq!(x.to_vec().unwrap(), [round; N]);
    }
}

/// While elements are copied from, the host may read them; and of parts each is waited for by
/// itself.
pub fn what_the_host_touches_while_copies_are_under_way(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut x, y, mut host) = (filled(device, 1), filled(device, 2), pinned(device, 7));
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.copy_from_async(stream, &host).unwrap();
    holds(&host, 7);
    y.copy_to_async(&other, &mut host).unwrap();
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.slice(..N / 2).copy_to_async(stream, &mut host.slice_mut(..N / 2)).unwrap();
    let mut part = host.slice_mut(N / 2..);
    assert_eq!(part.as_slice().unwrap(), [2; N / 2]);
    part.as_mut_slice().unwrap().fill(3);
    assert_eq!(host.slice(N / 2 + 1..N / 2 + 3).as_slice().unwrap(), [3; 2]);
    assert_eq!(host.as_slice().unwrap(), [[22; N / 2], [3; N / 2]].concat());
}

/// Copies are ordered behind the launches that use the buffer, and these behind the copies, on
/// other streams too.
pub fn copies_and_launches_on_two_streams(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut x, mut y) = (filled(device, 1), filled(device, 0));
    let (mut to, from) = (pinned(device, 0), pinned(device, 5));
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.copy_to_async(&other, &mut to).unwrap(); // a read behind a write
    affine(stream, &mut x, 2, 1, 0).unwrap(); // a write behind the read
    holds(&to, 4);
    append(stream, &mut y, &x, slow(device)).unwrap();
    x.copy_from_async(&other, &from).unwrap(); // a write behind a read
    affine(stream, &mut x, 3, 1, 0).unwrap(); // a write behind the write
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![16; N], vec![9; N]));
}

/// Without a buffer in common, the pinned memory is what orders two streams.
pub fn copies_of_one_pinned_buffer_on_two_streams(device: &Device, stream: &Stream) {
    let (other, third) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    let [mut x, mut y, mut z] = [1, 0, 0].map(|value| filled(device, value));
    let mut between = pinned(device, 9);
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    x.copy_to_async(stream, &mut between).unwrap();
    y.copy_from_async(&other, &between).unwrap(); // a read behind the write
    z.copy_from_async(&third, &between).unwrap();
    assert_eq!((y.to_vec().unwrap(), z.to_vec().unwrap()), (vec![4; N], vec![4; N]));
    affine(&other, &mut y, 0, 7, slow(device)).unwrap();
    z.fill_async(&third, 3).unwrap();
    y.copy_to_async(&other, &mut between).unwrap();
    z.copy_to_async(&third, &mut between).unwrap(); // a write behind the write
    holds(&between, 3);
    affine(&other, &mut y, 3, 1, slow(device)).unwrap();
    y.copy_from_async(&other, &between).unwrap();
    x.copy_to_async(stream, &mut between).unwrap(); // a write behind the read
    assert_eq!(y.to_vec().unwrap(), [3; N]);
    holds(&between, 4);
}

/// It is given back when nobody uses it any more, and the next ones are others.
pub fn pinned_memory_dropped_during_a_copy(device: &Device, stream: &Stream) {
    let (mut x, mut y) = (filled(device, 0), filled(device, 1));
    for round in 1..6 {
        let (from, mut to) = (pinned(device, round), pinned(device, 0));
        affine(stream, &mut x, 3, 1, slow(device)).unwrap();
        x.copy_from_async(stream, &from).unwrap();
        y.copy_to_async(stream, &mut to).unwrap();
        drop((from, to));
        let others: Vec<_> = (0..20).map(|_| pinned(device, 77)).collect();
        assert_eq!(x.to_vec().unwrap(), [round; N]);
        others.iter().for_each(|other| holds(other, 77));
    }
    // Nor is the stream needed any more.
    let (short, mut to) = (device.new_stream().unwrap(), pinned(device, 0));
    affine(&short, &mut y, 3, 1, slow(device)).unwrap();
    y.copy_to_async(&short, &mut to).unwrap();
    drop(short);
    holds(&to, 4);
}

/// Parts of both sides; the rest stays as it is.
pub fn parts(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[0u32, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    let mut host = device.pinned::<u32>(6).unwrap();
    host.as_mut_slice().unwrap().copy_from_slice(&[10, 11, 12, 13, 14, 15]);
    x.slice_mut(1..3).copy_from_async(stream, &host.slice(4..)).unwrap();
    x.slice(5..8).copy_to_async(stream, &mut host.slice_mut(..3)).unwrap();
    let mut end = host.slice_mut(3..);
    x.slice_mut(..3).as_slice().copy_to_async(stream, &mut end).unwrap();
    assert_eq!((end.len(), end.is_empty(), end.as_slice().unwrap()), (3, false, &[0, 14, 15][..]));
    x.slice_mut(5..).copy_from_async(stream, &end).unwrap();
    x.slice_mut(3..3).copy_from_async(stream, &host.slice(6..)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0, 14, 15, 3, 4, 0, 14, 15]);
    assert_eq!(host.as_slice().unwrap(), [5, 6, 7, 0, 14, 15]);
}

pub fn from_buffer_to_buffer(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let (mut x, mut y) = (filled(device, 1), filled(device, 0));
    affine(stream, &mut x, 3, 1, slow(device)).unwrap();
    y.copy_from_buffer_async(&other, &x).unwrap(); // a read behind a write
    affine(stream, &mut x, 3, 1, 0).unwrap(); // a write behind the read
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![13; N], vec![4; N]));
    append(stream, &mut x, &y, slow(device)).unwrap();
    y.copy_from_buffer_async(&other, &filled(device, 8)).unwrap(); // a write behind a read, and its source goes
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![134; N], vec![8; N]));
    // From half to half, and of one part.
    let (mut lo, hi) = x.split_at_mut(N / 2);
    affine(stream, &mut lo, 0, 6, slow(device)).unwrap();
    lo.split_at_mut(1).1.split_at_mut(2).0.copy_from_buffer_async(&other, &hi.split_at(2).0).unwrap();
    assert_eq!(x.to_vec().unwrap()[..4], [6, 134, 134, 6]);
    y.slice_mut(..0).copy_from_buffer_async(stream, &x.slice(3..3)).unwrap();
}

/// Of every width, and of parts.
pub fn fills(device: &Device, stream: &Stream) {
    fn check<T: Scalar>(device: &Device, stream: &Stream, one: T, two: T) {
        let other = device.new_stream().unwrap();
        for len in [3, 100, 1001] {
            let mut x = device.zeros::<T>(len).unwrap();
            x.fill_async(stream, one).unwrap();
            x.slice_mut(1..len - 1).fill_async(&other, two).unwrap();
            x.slice_mut(2..2).fill_async(&other, one).unwrap();
            let wanted: Vec<T> = (0..len).map(|i| if i == 0 || i == len - 1 { one } else { two }).collect();
            assert_eq!(x.to_vec().unwrap(), wanted);
        }
    }
    check(device, stream, true, false);
    check(device, stream, 200u8, 3);
    check(device, stream, -2i16, 300);
    check(device, stream, 1.5f32, -0.25);
    check(device, stream, 1e300f64, -2.5);
    check(device, stream, u128::MAX / 3, 1 << 100);
}

/// The host learns of it where it touches what was copied behind the kernel, once.
pub fn a_panic_is_told_where_a_copy_is_read(device: &Device, stream: &Stream) {
    let nothing = device.zeros::<u32>(0).unwrap();
    for unique in [false, true] {
        let (mut x, mut to) = (device.zeros::<u32>(N).unwrap(), pinned(device, 0));
        out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        x.copy_to_async(stream, &mut to).unwrap();
        let told = if unique { to.as_mut_slice().map(drop) } else { to.as_slice().map(drop) };
        assert!(matches!(told, Err(Error::KernelPanic { kernel: "out_of_bounds", .. })), "{told:?}");
        to.as_mut_slice().unwrap().fill(6);
        x.copy_from_async(stream, &to).unwrap();
        assert_eq!(x.to_vec().unwrap(), [6; N]);
    }
}

pub fn what_does_not_fit_is_refused(device: &Device, stream: &Stream) {
    let (mut x, mut host) = (filled(device, 1), device.pinned::<u32>(N - 1).unwrap());
    let shorter = |call: &str, result: anabranch::Result<()>| {
        let text = result.unwrap_err().to_string();
        let expected = format!("`{call}` of a buffer of 64 `u32`: the other side has 63 elements, but 64 are needed");
        assert_eq!(text, expected);
    };
    let other = device.zeros::<u32>(N - 1).unwrap();
    shorter("copy_from_async", x.copy_from_async(stream, &host));
    shorter("copy_to_async", x.copy_to_async(stream, &mut host));
    shorter("copy_from_buffer_async", x.copy_from_buffer_async(stream, &other));
    shorter("copy_from_buffer", x.copy_from_buffer(&other));
    shorter("copy_from", x.copy_from(&[0; N - 1]));
    shorter("copy_to", x.copy_to(&mut [0; N - 1]));
    let text = x.slice_mut(3..10).copy_from(&[0; 6]).unwrap_err().to_string();
    assert_eq!(
        text,
        "`copy_from` of elements 3..10 of a buffer of 64 `u32`: the other side has 6 elements, but 7 are needed"
    );
    let grid = device.grid_zeros::<u8, 2>([3, 4]).unwrap();
    let text = grid.part((.., 1..3)).copy_to(&mut [0; 5]).unwrap_err().to_string();
    assert!(text.starts_with("`copy_to` of a part of shape [3, 2] of a buffer of 12 `u8`: the other"), "{text}");
    let none = |result: anabranch::Result<u8>| result.unwrap_err().to_string();
    assert_eq!(
        none(grid.get([3, 0])),
        "`get` of a buffer of 12 `u8`: index [3, 0] is out of bounds of the shape [3, 4]"
    );
    assert_eq!(
        none(grid.slice(2..5).get(3)),
        "`get` of elements 2..5 of a buffer of 12 `u8`: index 3 is out of bounds"
    );
    // Each of the three on a device of its own.
    let elsewhere = Device::cpu();
    let foreign = elsewhere.default_stream();
    let (mut there, mut pinned) = (elsewhere.zeros::<u32>(N).unwrap(), elsewhere.pinned::<u32>(N).unwrap());
    let refused = |what: &str, result: anabranch::Result<()>| match result {
        Err(Error::OtherDevice { what: found, operation: Some(_), .. }) if found == what => {}
        other => panic!("{what}: {other:?}"),
    };
    refused("pinned memory", x.copy_from_async(stream, &pinned));
    refused("pinned memory", x.copy_to_async(stream, &mut pinned));
    refused("a buffer", there.copy_from_async(stream, &pinned));
    refused("a buffer", there.copy_to_async(stream, &mut pinned));
    let neither = Device::cpu().default_stream();
    refused("a buffer", x.copy_from_buffer_async(&neither, &there));
    refused("a buffer", x.fill_async(&foreign, 2));
    let text = x.slice_mut(..2).fill_async(&foreign, 2).unwrap_err().to_string();
    assert!(text.starts_with("`fill_async` of elements 0..2 of a buffer of 64 `u32`: a buffer of "), "{text}");
    assert_eq!(x.to_vec().unwrap(), [1; N]);
    let huge = device.pinned::<u64>(usize::MAX / 4).unwrap_err().to_string();
    assert!(
        huge.starts_with("`pinned` of 4611686018427387903 `u64`: it has more bytes than an address can count"),
        "{huge}"
    );
    let huge = device.from_fn(usize::MAX / 2, |_| 1u32).unwrap_err().to_string();
    assert!(
        huge.starts_with(
            "`from_fn` of a buffer of 9223372036854775807 `u32`: it has more bytes than an address can count"
        ),
        "{huge}"
    );
}

/// A part is a buffer of its own to every call, whatever it is a part of.
pub fn parts_do_what_buffers_do(device: &Device, stream: &Stream) {
    let mut model: Vec<u32> = (0..40).collect();
    let mut x = device.from_fn(40, |i| i as u32).unwrap();
    let mut host = device.pinned::<u32>(6).unwrap();
    // Of a slice of a slice.
    let mut whole = x.slice_mut(4..36);
    let mut part = whole.slice_mut(2..14);
    assert_eq!((part.get(0).unwrap(), part.get(11).unwrap(), part.slice(3..).get([1]).unwrap()), (6, 17, 10));
    assert_eq!(part.split_at(5).1.to_vec().unwrap(), model[11..18]);
    part.slice_mut(..3).fill(70).unwrap();
    part.slice_mut(3..6).fill_async(stream, 71).unwrap();
    part.slice_mut(6..8).copy_from(&[72, 73]).unwrap();
    let (mut lo, hi) = part.split_at_mut(2);
    lo.copy_from_buffer(&hi.slice(6..8)).unwrap();
    hi.slice(4..10).copy_to_async(stream, &mut host).unwrap();
    assert_eq!(host.as_slice().unwrap(), [72, 73, 14, 15, 16, 17]);
    model[6..14].copy_from_slice(&[14, 15, 70, 71, 71, 71, 72, 73]);
    assert_eq!(x.to_vec().unwrap(), model);
    // Chunks, in both directions; all of them at the same time.
    let lens: Vec<usize> = x.slice(1..).chunks(7).map(|chunk| chunk.len()).collect();
    assert_eq!((lens, x.chunks(7).len()), (vec![7, 7, 7, 7, 7, 4], 6));
    let chunks: Vec<_> = x.chunks_mut(16).rev().collect();
    for (mut chunk, value) in chunks.into_iter().zip(0..) {
        affine(stream, &mut chunk, 0, value, slow(device) / 10).unwrap();
        chunk.slice_mut(1..3).fill_async(stream, 50 + value).unwrap();
    }
    model.chunks_mut(16).rev().zip(0..).for_each(|(chunk, value)| {
        chunk.fill(value);
        chunk[1..3].fill(50 + value);
    });
    assert_eq!(x.chunks(9).flat_map(|chunk| chunk.to_vec().unwrap()).collect::<Vec<_>>(), model);

    // Of grids: parts with gaps, in every way in and out.
    let numbers: Vec<u32> = (0..24).collect();
    let (mut a, mut b) = (device.grid_from(&numbers, [4, 6]).unwrap(), device.grid_zeros::<u32, 2>([6, 4]).unwrap());
    assert_eq!((a.get([3, 1]).unwrap(), a.part((1.., 2..)).get([1, 0]).unwrap()), (19, 14));
    assert_eq!(a.rows(1..3).slice(5..7).to_vec().unwrap(), [11, 12]);
    assert_eq!(a.split_at(3).1.shape(), [1, 6]);
    assert_eq!(a.chunks(3).map(|rows| rows.shape()).collect::<Vec<_>>(), [[3, 6], [1, 6]]);
    b.part_mut((1..4, 1..3)).copy_from_buffer_async(stream, &a.part((1..3, 3..))).unwrap();
    b.part_mut((4.., ..2)).copy_from_buffer(&a.part((..2, 1..3))).unwrap();
    b.part_mut((..2, 3..)).fill(90).unwrap();
    a.part((1.., 5..)).copy_to_async(stream, &mut host.slice_mut(..3)).unwrap();
    b.part_mut((3.., 3..)).copy_from_async(stream, &host.slice(..3)).unwrap();
    let expected = [[0, 0, 0, 90], [0, 9, 10, 90], [0, 11, 15, 0], [0, 16, 17, 11], [1, 2, 0, 17], [7, 8, 0, 23]];
    assert_eq!(b.to_vec().unwrap(), expected.concat());
    // Between parts of one grid, and the copy comes after the work before it.
    append(stream, &mut a, &b, slow(device)).unwrap();
    let (top, mut rest) = a.split_at_mut(1);
    rest.part_mut((1.., ..3)).copy_from_buffer(&top).unwrap();
    let sums: Vec<u32> = b.to_vec().unwrap().iter().zip(&numbers).map(|(b, a)| 10 * a + b).collect();
    assert_eq!(a.part((2.., ..3)).to_vec().unwrap(), sums[..6]);
}

/// Whatever is `AsRef` of a slice, and values that are computed.
pub fn new_buffers(device: &Device, _: &Stream) {
    let vector = vec![1.5f32, 2.5];
    let boxed: Box<[f32]> = vector.clone().into();
    for buffer in [
        device.buffer_from(&[1.5, 2.5]),
        device.buffer_from(&vector),
        device.buffer_from(&boxed),
        device.buffer_from(vector.as_slice()),
        device.from_fn(2, |i| i as f32 + 1.5),
    ] {
        assert_eq!(buffer.unwrap().to_vec().unwrap(), [1.5, 2.5]);
    }
    assert_eq!(device.buffer_from("ab").unwrap().to_vec().unwrap(), *b"ab");
    let held = device.filled(1 << 20, 7u8).unwrap();
    assert!(device.from_fn(0, |_| 1u8).unwrap().is_empty() && held.get((1 << 20) - 1).unwrap() == 7);
    let memory = device.memory().unwrap();
    assert!(memory.free < memory.total, "{memory:?}");
    assert!(device.to_string().contains(device.name()), "{} {device}", device.name());
}

/// Copies of many chunks, which several threads make: after the work before, of each byte once, and
/// also of parts that begin anywhere.
pub fn large_copies(device: &Device, stream: &Stream) {
    const LEN: usize = (10 << 20) / 4 + 3;
    let values: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mut x = device.buffer_from(&values).unwrap();
    affine(stream, &mut x.slice_mut(LEN - N..), 3, 1, slow(device)).unwrap();
    let mut wanted = values.clone();
    wanted[LEN - N..].iter_mut().for_each(|value| *value = value.wrapping_mul(3).wrapping_add(1));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(x.to_vec().unwrap() == wanted));
        }
    });
    affine(stream, &mut x.slice_mut(..N), 5, 0, slow(device)).unwrap();
    x.slice_mut(1..LEN - 1).copy_from(&values[..LEN - 2]).unwrap();
    let mut part = vec![0; LEN - 1];
    x.slice(1..).copy_to(&mut part).unwrap();
    assert!(part[..LEN - 2] == values[..LEN - 2] && part[LEN - 2] == wanted[LEN - 1]);
    assert_eq!(x.get(0).unwrap(), 5 * wanted[0]);
}

/// Two buffers on two streams, taken in turns.
pub fn pipeline(device: &Device, stream: &Stream) {
    const CHUNKS: u32 = 7;
    let other = device.new_stream().unwrap();
    let mut lanes = [stream, &other].map(|stream| (stream, pinned(device, 0), filled(device, 0)));
    let mut out = Vec::new();
    for chunk in 0..CHUNKS + 2 {
        let (stream, host, buffer) = &mut lanes[chunk as usize % 2];
        if chunk >= 2 {
            out.push(host.as_slice().unwrap()[N - 1]);
        }
        if chunk < CHUNKS {
            host.as_mut_slice().unwrap().fill(chunk);
            buffer.copy_from_async(stream, host).unwrap();
            affine(stream, buffer, 10, 1, slow(device) / 10).unwrap();
            buffer.copy_to_async(stream, host).unwrap();
        }
    }
    assert_eq!(out, (0..CHUNKS).map(|chunk| 10 * chunk + 1).collect::<Vec<_>>());
}

/// Several threads copy from one pinned buffer, each on a stream of its own, and then one of them
/// overwrites it.
pub fn many_copies_from_one_buffer(device: &Device, _: &Stream) {
    let mut from = pinned(device, 6);
    let copies: Vec<Buffer<u32>> = std::thread::scope(|scope| {
        let copy = || {
            let (stream, mut x) = (device.new_stream().unwrap(), filled(device, 0));
            for k in 0..30 {
                affine(&stream, &mut x, 3, 1, slow(device) / 30).unwrap();
                x.copy_from_async(&stream, &from).unwrap();
                x.slice_mut(k..k + 1).copy_from_async(&stream, &from.slice(k..k + 1)).unwrap();
            }
            x
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(copy)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    from.as_mut_slice().unwrap().fill(1);
    copies.iter().for_each(|x| assert_eq!(x.to_vec().unwrap(), [6; N]));
}

/// Grids hold their elements row by row, on every way in and out.
pub fn grids_are_rows_of_elements(device: &Device, stream: &Stream) {
    let values: Vec<u32> = (0..12).collect();
    let mut grid = device.grid_from(&values, [3, 4]).unwrap();
    assert_eq!((grid.shape(), grid.len()), ([3, 4], 12));
    grid.slice_mut(4..8).fill_async(stream, 7).unwrap();
    let same = grid.try_clone().unwrap();
    assert_eq!(same.shape(), [3, 4]);
    append(stream, &mut grid, &same, 1).unwrap();
    let mut volume = device.grid_zeros::<u32, 3>([2, 3, 2]).unwrap();
    volume.copy_from_buffer_async(stream, &grid).unwrap();
    assert_eq!(volume.to_vec().unwrap(), [0, 11, 22, 33, 77, 77, 77, 77, 88, 99, 110, 121]);
    assert!(device.grid_zeros::<f32, 2>([5, 0]).unwrap().is_empty());
    let wrong = device.grid_from(&values, [3, 5]).unwrap_err();
    assert!(matches!(wrong, Error::LengthMismatch { len: 15, other: 12, .. }), "{wrong}");
    let huge = device.grid_zeros::<f32, 2>([usize::MAX, 2]).unwrap_err();
    assert!(matches!(huge, Error::OutOfHostMemory { .. }), "{huge}");
    let of = "`grid_zeros` of a buffer of shape [18446744073709551615, 2] of `f32`: ";
    assert!(huge.to_string().starts_with(of), "{huge}");
}
