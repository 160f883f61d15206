//! What a copy from another device copies, and what is refused.

use anabranch::prelude::*;

use crate::kernels::{add, affine};
use crate::{counted, devices, pairs, standin};

#[test]
fn whole_buffers_and_parts() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (s, t) = (a.new_stream().unwrap(), b.new_stream().unwrap());
        let from = b.buffer_from(&counted(100, 1)).unwrap();
        for stream in [None, Some(&s), Some(&t)] {
            let mut to = a.filled(100, 0u32).unwrap();
            let mut expected = vec![0; 100];
            let mut check = |to_range: std::ops::Range<usize>, from_range: std::ops::Range<usize>| {
                let (mut part, source) = (to.slice_mut(to_range.clone()), from.slice(from_range.clone()));
                match stream {
                    None => part.copy_from_buffer(&source).unwrap(),
                    Some(stream) => part.copy_from_buffer_async(stream, &source).unwrap(),
                }
                expected[to_range].copy_from_slice(&counted(100, 1)[from_range]);
                assert_eq!(to.to_vec().unwrap(), expected, "{a:?} {b:?}");
            };
            check(0..1, 99..100);
            check(10..90, 20..100);
            check(50..50, 3..3);
            check(0..100, 0..100);
        }
    }
}

#[test]
fn parts_of_grids_with_gaps() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let stream = a.default_stream();
        let from = b.grid_from(&counted(48, 0), [6, 8]).unwrap();
        let mut to = a.grid_zeros::<u32, 2>([5, 4]).unwrap();
        to.part_mut((1..4, 1..3)).copy_from_buffer_async(&stream, &from.part((2..5, 4..6))).unwrap();
        let mut flat = a.filled(6, 0u32).unwrap();
        flat.copy_from_buffer(&from.part((0..2, 3..6))).unwrap();
        assert_eq!(
            to.to_vec().unwrap(),
            [0, 0, 0, 0, 0, 20, 21, 0, 0, 28, 29, 0, 0, 36, 37, 0, 0, 0, 0, 0],
            "{a:?} {b:?}"
        );
        assert_eq!(flat.to_vec().unwrap(), [3, 4, 5, 11, 12, 13]);
    }
}

/// More than there is room for on the host at a time.
#[test]
fn many_chunks() {
    const LEN: usize = (5 << 20) / 4 + 3;
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (s, t) = (a.default_stream(), b.default_stream());
        let mut from = b.buffer_from(&counted(LEN, 0)).unwrap();
        let mut to = a.zeros::<u32>(LEN).unwrap();
        affine(&t, &mut from, 3, 1, 0).unwrap();
        to.copy_from_buffer_async(&t, &from).unwrap();
        affine(&s, &mut to, 5, 0, 0).unwrap();
        from.copy_from_buffer_async(&s, &to).unwrap();
        affine(&t, &mut from, 1, 7, 0).unwrap();
        let expected: Vec<u32> = (0..LEN as u32).map(|i| (3 * i + 1).wrapping_mul(5).wrapping_add(7)).collect();
        assert!(from.to_vec().unwrap() == expected, "{a:?} {b:?}");
    }
}

/// In steady state, nothing is allocated.
#[test]
fn host_memory_is_used_again() {
    let (_turn, pairs) = pairs();
    let Some(standin) = standin::standin() else { return };
    for [a, b] in pairs {
        let stream = if a.is_cpu() { b.default_stream() } else { a.default_stream() };
        let (mut to, from) = (a.zeros::<u32>(1000).unwrap(), b.filled(1000, 1u32).unwrap());
        for round in 0..10 {
            let before = standin.calls("cuMemHostAlloc");
            to.copy_from_buffer_async(&stream, &from).unwrap();
            stream.synchronize().unwrap();
            assert!(round == 0 || standin.calls("cuMemHostAlloc") == before, "{a:?} {b:?}");
        }
    }
}

/// Directly where the devices can reach each other, and else through the host.
#[test]
fn the_way_between_gpus() {
    let (_turn, devices) = devices();
    let (Some(standin), [_, _, a, b]) = (standin::standin(), &devices[..]) else { return };
    let (mut x, y) = (a.zeros::<u32>(10).unwrap(), b.filled(10, 1u32).unwrap());
    let calls = || ["cuMemcpyPeerAsync", "cuMemcpyDtoHAsync"].map(|function| standin.calls(function));
    let before = calls();
    x.copy_from_buffer_async(&a.default_stream(), &y).unwrap();
    let after = calls();
    assert_eq!(standin.costs("staging"), 0, "the driver goes through the host, too");
    let reached = std::env::var_os("STANDIN_PEERS").is_none();
    assert_eq!([after[0] - before[0], after[1] - before[1]], if reached { [1, 0] } else { [0, 1] });
}

#[test]
fn buffers_of_graphs() {
    let (_turn, pairs) = pairs();
    for [a, b] in pairs {
        let (s, t) = (a.default_stream(), b.default_stream());
        let (mut x, mut y) = (a.filled(10, 1u32).unwrap(), b.filled(10, 2u32).unwrap());
        let on_a = s.capture(|s| affine(s, &mut x, 2, 0, 20)).unwrap();
        let on_b = t.capture(|t| affine(t, &mut y, 3, 0, 20)).unwrap();
        for _ in 0..3 {
            on_b.launch(&t).unwrap();
            x.copy_from_buffer_async(&s, &y).unwrap();
            on_a.launch(&s).unwrap();
            y.copy_from_buffer(&x).unwrap();
        }
        assert_eq!(y.to_vec().unwrap(), [2 * 6u32.pow(3); 10], "{a:?} {b:?}");
        // What a capture in progress writes is not there yet.
        let mut early = None;
        let _graph = s
            .capture(|s| {
                affine(s, &mut x, 2, 0, 0)?;
                early = Some(y.copy_from_buffer(&x));
                Ok(())
            })
            .unwrap();
        assert!(matches!(early, Some(Err(Error::BufferCaptured { .. }))), "{a:?} {b:?}: {early:?}");
    }
}

#[test]
fn what_is_refused() {
    let (_turn, devices) = devices();
    for [a, b, c] in [[0, 1, 2], [2, 0, 1], [2, 3, 0], [0, 2, 1]] {
        let [Some(a), Some(b), Some(c)] = [a, b, c].map(|index| devices.get(index)) else { continue };
        let (s, elsewhere) = (a.default_stream(), c.default_stream());
        let (mut x, y) = (a.filled(10, 1u32).unwrap(), b.filled(10, 2u32).unwrap());
        // A launch stays on one device.
        let both = add(&s, &mut x, &y);
        let both = both.unwrap_err().to_string();
        assert!(both.contains("its argument `from` is on"), "{both}");
        // The stream of a copy is of one of its two devices.
        let third = x.copy_from_buffer_async(&elsewhere, &y);
        assert!(matches!(third, Err(Error::OtherDevice { operation: Some(_), .. })), "{third:?}");
        let short = x.copy_from_buffer(&y.slice(1..));
        assert!(matches!(short, Err(Error::LengthMismatch { len: 10, other: 9, .. })), "{short:?}");
        let captured = s.capture(|s| x.copy_from_buffer_async(s, &y));
        assert!(matches!(captured, Err(Error::NotCapturable { what: "a copy between devices", .. })), "{captured:?}");
        assert_eq!(x.to_vec().unwrap(), [1; 10]);
    }
}
