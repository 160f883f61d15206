//! What goes wrong at run time: nothing is poisoned, and the error says where.

use super::slow;
use crate::kernels::{arithmetic, functions, groups, order, ranges};
use anabranch::prelude::*;

/// The message of a device panic, whose place must be in this file, on a line with this text, at
/// the `¦` in it.
#[track_caller]
pub(super) fn panic_of(error: Error, file: &str, line_of: &str) -> String {
    let Error::KernelPanic { file: at, line, column, message, .. } = error else {
        panic!("not a kernel panic: {error}")
    };
    assert!(at.replace('\\', "/").ends_with(file), "{at}");
    // Compiled in, so that the suite also runs where only its binary is.
    let source = match file {
        "src/kernels/functions.rs" => include_str!("../kernels/functions.rs"),
        "src/kernels/arithmetic.rs" => include_str!("../kernels/arithmetic.rs"),
        "src/kernels/halves.rs" => include_str!("../kernels/halves.rs"),
        "src/kernels/order.rs" => include_str!("../kernels/order.rs"),
        "src/kernels/outcomes.rs" => include_str!("../kernels/outcomes.rs"),
        "src/kernels/summaries.rs" => include_str!("../kernels/summaries.rs"),
        "src/kernels/ranges.rs" => include_str!("../kernels/ranges.rs"),
        "src/kernels/prints.rs" => include_str!("../kernels/prints.rs"),
        _ => panic!("add {file} to this list"),
    };
    let found = source.lines().nth(line as usize - 1).unwrap_or_default();
    let (before, behind) = line_of.split_once('¦').unwrap_or((line_of, ""));
    let Some(start) = found.find(&format!("{before}{behind}")) else { panic!("line {line} is `{found}`") };
    if line_of.contains('¦') {
        assert_eq!(column as usize, start + before.len() + 1, "in `{found}`");
    }
    message
}

pub fn a_bad_index_is_reported_where_it_stands_and_the_device_works_on(device: &Device, stream: &Stream) {
    for n in [10, 100_000] {
        let y: Vec<u32> = (0..n).collect();
        let dy = device.buffer_from(&y).unwrap();
        let mut x = device.zeros::<u32>(y.len()).unwrap();
        ranges::out_of_bounds(stream, &mut x, &dy, 1).unwrap();
        let message = panic_of(stream.synchronize().unwrap_err(), "src/kernels/ranges.rs", "x[i] = ¦y[i + shift];");
        assert_eq!(message, format!("index out of bounds: the len is {n} but the index is {n}"));
        // Reported once, and the next launch is fine.
        stream.synchronize().unwrap();
        ranges::out_of_bounds(stream, &mut x, &dy, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), y);
    }
}

pub fn reading_a_buffer_reports_the_panic_too(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(3).unwrap();
    ranges::out_of_bounds(stream, &mut x, &device.zeros::<u32>(1).unwrap(), 0).unwrap();
    assert!(matches!(x.to_vec(), Err(Error::KernelPanic { .. })));
    assert!(x.to_vec().is_ok());
}

pub fn division_says_what_rust_says(device: &Device, stream: &Stream) {
    let cases = [(1, 0, "attempt to divide by zero"), (i32::MIN, -1, "attempt to divide with overflow")];
    for (a, b, expected) in cases {
        let (da, db) = (device.buffer_from(&[a]).unwrap(), device.buffer_from(&[b]).unwrap());
        let (mut q, mut r) = (device.zeros::<i32>(1).unwrap(), device.zeros::<i32>(1).unwrap());
        arithmetic::quotients(stream, &da, &db, &mut q, &mut r).unwrap();
        let message =
            panic_of(stream.synchronize().unwrap_err(), "src/kernels/arithmetic.rs", "quotient[i] = a[i] ¦/ b[i];");
        assert_eq!(message, expected);
    }
}

pub fn a_panic_in_one_group_leaves_the_others_alone(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1u32, 2, 3]).unwrap();
    let mut y = device.buffer_from(&[4u32; 64]).unwrap();
    groups::one_panics(stream, &x, &mut y, 2).unwrap();
    assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
    assert_eq!(y.to_vec().unwrap(), [10; 64]);
}

/// What every iteration accesses is compared with the lengths before the loop; what ran before it
/// stays.
pub fn an_access_that_must_fail_is_refused_before_the_loop(device: &Device, stream: &Stream) {
    let y = device.buffer_from(&[5u32; 10]).unwrap();
    let mut x = device.zeros::<u32>(8).unwrap();
    let error = ranges::shifted_copy(stream, &mut x, &y, 3).unwrap_err();
    let Error::OutOfBounds { access, buffer, index, len, line, .. } = error else { panic!("{error}") };
    assert_eq!((access, buffer, index, len), ("y[i + shift]", "y", 10, 10));
    let source = include_str!("../kernels/ranges.rs").lines().nth(line as usize - 1).unwrap();
    assert!(source.contains("x[i] = y[i + shift];"), "{source}");
    stream.synchronize().unwrap();
    assert_eq!(x.to_vec().unwrap(), [1; 8], "only the first loop has run");
    ranges::shifted_copy(stream, &mut x, &y, 2).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5; 8]);
}

/// What a loop remembers of its last launch says nothing of a launch with other numbers.
pub fn a_verdict_is_of_its_numbers(device: &Device, stream: &Stream) {
    let y = device.buffer_from(&[5u32; 12]).unwrap();
    let (mut x, mut short) = (device.zeros::<u32>(8).unwrap(), device.zeros::<u32>(4).unwrap());
    let is_outside =
        |result: anabranch::Result<()>| assert!(matches!(result, Err(Error::OutOfBounds { .. })), "{result:?}");
    for _ in 0..2 {
        ranges::shifted_copy(stream, &mut x, &y, 2).unwrap();
        is_outside(ranges::shifted_copy(stream, &mut x, &y, 5));
        is_outside(ranges::shifted_copy(stream, &mut x, &y.slice(0..8), 2));
        ranges::stepped(stream, &mut short, 0, 4, 1).unwrap();
        is_outside(ranges::stepped(stream, &mut short, 0, 5, 1));
        is_outside(ranges::stepped(stream, &mut short, 1, 5, 1));
        is_outside(ranges::stepped(stream, &mut short, 0, 7, 2));
        ranges::stepped(stream, &mut short, 0, 4, 2).unwrap();
    }
    // The first loops of the last two launches have run, too.
    assert_eq!((x.to_vec().unwrap(), short.to_vec().unwrap()), (vec![7; 8], vec![4, 2, 4, 2]));
}

/// A form is not the machine's number where something has wrapped: then two iterations may meet, or
/// an index be out of bounds.
pub fn what_has_wrapped_is_not_taken_for_what_it_was(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(300).unwrap();
    for way in 0..3 {
        let most = [256, 300, 300][way as usize];
        ranges::wrapped(stream, &mut x, most, way).unwrap_or_else(|error| assert!(way != 0, "{error}"));
        let _ = stream.synchronize();
    }
    let overlap = ranges::wrapped(stream, &mut x, 257, 0).unwrap_err();
    assert!(matches!(overlap, Error::Overlap { .. }), "{overlap}");
    // `before` is 2^32 - 1 in iteration 0, which element 2^32 does not exist for.
    let told = ranges::wrapped(stream, &mut x, 3, 1).and_then(|()| stream.synchronize());
    assert!(
        matches!(told, Err(Error::Overlap { .. } | Error::KernelPanic { .. } | Error::OutOfBounds { .. })),
        "{told:?}"
    );
    let nine = device.buffer_from(&[1u32; 9]).unwrap();
    let mut out = device.zeros::<u32>(4).unwrap();
    ranges::visited(stream, &nine, &mut out, 33).unwrap();
    // A shift by 33 is one by 1.
    assert_eq!(out.to_vec().unwrap(), [3, 3, 4, 4]);
}

/// Whether rows overlap is a question of numbers, which the launch has.
pub fn rows_that_overlap_are_refused(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(12).unwrap();
    ranges::pitched(stream, &mut x, 3, 3, 4).unwrap();
    ranges::pitched(stream, &mut x, 3, 4, 4).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2, 1]);
    let refused = [(2, 5, 4, "(0, 4) and (1, 0)"), (2, 1, 0, "(0, 0) and (1, 0)"), (3, 2, 1, "(0, 1) and (1, 0)")];
    for ((height, width, pitch, pair), element) in refused.into_iter().zip([4, 0, 1]) {
        let error = ranges::pitched(stream, &mut x, height, width, pitch).unwrap_err();
        let said = format!("such as iterations {pair}: `x[row * pitch + column]` would be element {element} in both");
        assert!(error.to_string().contains(&said), "{error}");
        let Error::Overlap { buffer: "x", first: "x[row * pitch + column]", .. } = error else { panic!("{error}") };
    }
    // A single row meets no other, whatever its pitch.
    ranges::pitched(stream, &mut x, 1, 12, 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [3, 3, 3, 2, 3, 3, 3, 2, 3, 3, 3, 2]);
}

/// In both directions: a stream that the buffers do not belong to, and a single buffer that is
/// elsewhere.
pub fn a_buffer_of_another_device_is_refused(device: &Device, stream: &Stream) {
    let other = Device::cpu();
    let mut x = device.zeros::<u32>(3).unwrap();
    let mut y = other.buffer_from(&[1u32, 2, 3]).unwrap();
    let refused = |error: Error, argument: &str| {
        assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("out_of_bounds") && text.contains(argument), "{text}");
    };
    refused(ranges::out_of_bounds(&other.default_stream(), &mut x, &y, 0).unwrap_err(), "`x`");
    refused(ranges::out_of_bounds(stream, &mut x, &y, 0).unwrap_err(), "`y`");
    refused(ranges::out_of_bounds(stream, &mut y, &x, 0).unwrap_err(), "`x`");
    assert!(matches!(x.fill_async(&other.default_stream(), 1), Err(Error::OtherDevice { .. })));
    assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![0; 3], vec![1, 2, 3]), "nothing has run");
}

/// Many failing threads in many groups are one report; the loops behind them are not poisoned.
pub fn one_launch_is_reported_once(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(100_000).unwrap();
    let nothing = device.zeros::<u32>(0).unwrap();
    for _ in 0..3 {
        ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        let event = stream.record().unwrap();
        assert!(matches!(event.synchronize(), Err(Error::KernelPanic { .. })));
        stream.synchronize().unwrap();
        event.synchronize().unwrap();
    }
}

/// Assertions, panics and checks of ranges, with Rust's words, each at its line.
pub fn every_panic_says_what_rust_says(device: &Device, stream: &Stream) {
    let mut out = device.buffer_from(&[5u32, 0]).unwrap();
    let wanted = [
        ("assert!(out[i] > 7 + 1", "out is too small"),
        ("assert!(out.len() == zero)", "assertion failed: out.len() == zero"),
        ("assert_eq!", "assertion `left == right` failed\n  left: 5\n right: 1"),
        ("4 => ¦panic!()", "explicit panic"),
        ("5 => ¦panic!", "what {now}"),
        ("unreachable!", "internal error: entered unreachable code: never here"),
        ("todo!", "not yet implemented"),
        ("unimplemented!", "not implemented: for now"),
        ("table[zero + 3] += 1", "index out of bounds: the len is 3 but the index is 3"),
        ("reverse(&mut ¦out[2 - zero..1])", "slice index starts at 2 but ends at 1"),
        ("reverse(&mut ¦table[..zero + 4])", "range end index 4 out of range for slice of length 3"),
        ("reverse(&mut ¦out[zero + 9..])", "range start index 9 out of range for slice of length 2"),
        ("step_by(zero)", "assertion failed: step != 0"),
        ("strict_sub(2)", "attempt to subtract with overflow"),
        ("ilog2()", "argument of integer logarithm must be positive"),
        ("out[i] ¦/= zero", "attempt to divide by zero"),
        ("table[1] ¦%= zero", "attempt to calculate the remainder with a divisor of zero"),
        ("7 + (out[i] ¦% zero", "attempt to calculate the remainder with a divisor of zero"),
        ("¦u32::strict_sub(1, 2)", "attempt to subtract with overflow"),
        ("out[i].¦div_euclid(zero", "attempt to divide by zero"),
    ];
    let numbers = (0..=2).chain(4..=15).chain(17..);
    for (which, (line, message)) in numbers.zip(wanted) {
        functions::panics(stream, which, &mut out, 0).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert_eq!(panic_of(error, "src/kernels/functions.rs", line), message, "{line}");
    }
    // What nobody checks, and an assertion that holds.
    functions::panics(stream, 16, &mut out, 0).unwrap();
    out.copy_from(&[5, 0]).unwrap();
    functions::panics(stream, 3, &mut out, 0).unwrap();
    assert_eq!(out.to_vec().unwrap(), [6, 0]);
}

/// What each number of [`order::one_group_fails`] says, and where on its line.
const KINDS: [(&str, &str, &str); 4] = [
    ("0 => out[i] = out[out.len()],", "out[out.len()]", "index out of bounds: the len is 64 but the index is 64"),
    ("1 => out[i] = (out[i] + 1) / zero,", "/ zero", "attempt to divide by zero"),
    ("2 => assert!(zero == 1", "assert!", "zero is not one"),
    ("3 => panic!", "panic!", "as asked for"),
];

/// While the other groups work; they end as if nothing had been, and so do the same groups in the
/// next launch.
pub fn every_kind_of_panic_in_one_of_three_groups(device: &Device, stream: &Stream) {
    let of = |value: u32| device.buffer_from(&[value; 64]).unwrap();
    for (which, (line_of, at, expected)) in KINDS.into_iter().enumerate() {
        let (mut before, mut out, mut after) = (of(1), of(1), of(1));
        let mut run = |which, zero| {
            order::one_group_fails(stream, which, &mut before, &mut out, &mut after, zero, slow(device)).unwrap();
            stream.synchronize()
        };
        let error = run(which as u32, 0).unwrap_err();
        let Error::KernelPanic { kernel, column, .. } = error else { panic!("{error}") };
        assert_eq!(kernel, "one_group_fails");
        let message = panic_of(error, "src/kernels/order.rs", line_of);
        assert_eq!(message, expected);
        let source = include_str!("../kernels/order.rs").lines().find(|line| line.contains(line_of)).unwrap();
        assert!(source[column as usize - 1..].starts_with(at), "{line_of}: column {column}");
        run(4, 7).unwrap();
        assert_eq!((before.to_vec().unwrap(), after.to_vec().unwrap()), (vec![3; 64], vec![13; 64]));
        out.fill_async(stream, 1).unwrap();
        order::affine(stream, &mut out, 2, 1, 0).unwrap();
        assert_eq!(out.to_vec().unwrap(), [3; 64]);
    }
}

/// What is queued behind a panic, before it and beside it runs, on its stream and on others, of the
/// same kernel too.
pub fn a_panic_on_one_stream_leaves_the_others_alone(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let of = |value: u32| device.buffer_from(&[value; 64]).unwrap();
    let [mut a, mut b, mut c, mut x, mut y] = [of(1), of(1), of(1), of(1), of(1)];
    order::affine(&other, &mut x, 3, 1, slow(device)).unwrap();
    order::one_group_fails(stream, 0, &mut of(1), &mut of(1), &mut of(1), 0, slow(device)).unwrap();
    order::one_group_fails(&other, 4, &mut a, &mut b, &mut c, 5, slow(device)).unwrap();
    order::affine_pair(stream, &mut x, &mut y, 2, 1, slow(device)).unwrap();
    assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
    let (others, own) = ([&a, &b, &c].map(|buffer| buffer.to_vec().unwrap()), [&x, &y].map(|x| x.to_vec().unwrap()));
    assert_eq!(others, [2, 7, 4].map(|value| vec![value; 64]));
    assert_eq!(own, [9, 3].map(|value| vec![value; 64]));
}

/// A kernel fails on two streams, late on one of them: whoever asks first is told, for both, and
/// nobody again.
pub fn two_failing_launches_of_a_kernel_are_one_report(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let nothing = device.zeros::<u32>(0).unwrap();
    let [mut x, mut y, mut late] = std::array::from_fn(|_| device.zeros::<u32>(64).unwrap());
    for _ in 0..3 {
        ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        order::affine(&other, &mut late, 3, 1, slow(device)).unwrap();
        ranges::out_of_bounds(&other, &mut y, &nothing, 0).unwrap();
        assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { kernel: "out_of_bounds", .. })));
        other.synchronize().unwrap();
        stream.synchronize().unwrap();
    }
    assert_eq!(late.to_vec().unwrap(), [13; 64]);
}

/// Two kernels fail before anybody waits: the first is told, once, on one stream and on two.
pub fn of_the_panics_of_two_kernels_the_first_is_told(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let nothing = device.zeros::<u32>(0).unwrap();
    let mut x = device.zeros::<u32>(64).unwrap();
    let mut out = device.buffer_from(&[5u32, 0]).unwrap();
    for (second, index_first) in [(stream, true), (stream, false), (&other, true), (&other, false)] {
        let mut bad_index = |stream| ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        let mut assertion = |stream| functions::panics(stream, 0, &mut out, 0).unwrap();
        let first = if index_first { "out_of_bounds" } else { "panics" };
        if index_first {
            bad_index(stream)
        } else {
            assertion(stream)
        }
        second.wait(&stream.record().unwrap()).unwrap();
        if index_first {
            assertion(second)
        } else {
            bad_index(second)
        }
        let error = second.synchronize().unwrap_err();
        assert!(matches!(error, Error::KernelPanic { kernel, .. } if kernel == first), "{first} is first, not {error}");
        second.synchronize().unwrap();
        stream.synchronize().unwrap();
    }
}

/// By whichever comes first, on whichever stream and of whichever buffer; by those that do not wait
/// never.
pub fn a_panic_is_told_by_every_call_that_waits(device: &Device, stream: &Stream) {
    let other = device.new_stream().unwrap();
    let nothing = device.zeros::<u32>(0).unwrap();
    let mut host = [0; 64];
    for way in 0..6 {
        let mut x = device.zeros::<u32>(64).unwrap();
        ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        let event = stream.record().unwrap();
        other.wait(&event).unwrap();
        assert!(event.is_complete().is_ok() && stream.is_idle().is_ok() && other.is_idle().is_ok());
        let behind = other.record().unwrap();
        let told = match way {
            0 => stream.synchronize(),
            1 => other.synchronize(),
            2 => event.synchronize(),
            3 => behind.synchronize(),
            4 => x.to_vec().map(drop),
            _ => x.copy_to(&mut host),
        };
        assert!(matches!(told, Err(Error::KernelPanic { kernel: "out_of_bounds", .. })), "way {way}: {told:?}");
        stream.synchronize().unwrap();
        x.copy_from(&[3; 64]).unwrap();
        order::affine(stream, &mut x, 2, 1, 0).unwrap();
        assert_eq!(x.to_vec().unwrap(), [7; 64]);
    }
}

/// Two threads' launches fail before either of them waits. A device keeps one panic, and tells it
/// to the thread that waits first, whose work it may not be; the other one is told as well,
/// whatever it waits for, and finds no unspecified contents by an `Ok`. Each once.
pub fn each_thread_whose_launch_may_have_failed_is_told(device: &Device, stream: &Stream) {
    let nothing = device.zeros::<u32>(0).unwrap();
    let mut x = device.zeros::<u32>(64).unwrap();
    for (way, is_first) in (0..6).flat_map(|way| [(way, true), (way, false)]) {
        let [(fails, failed), (tell, told)] = std::array::from_fn(|_| std::sync::mpsc::channel());
        let mut first = || ranges::out_of_bounds(stream, &mut x, &nothing, 0).unwrap();
        std::thread::scope(|scope| {
            if is_first {
                first();
            }
            let other = scope.spawn(|| {
                let (fails, told) = (fails, told); // so that no thread waits for one that has panicked
                let stream = device.new_stream().unwrap();
                let [mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(64).unwrap());
                let mut host = device.pinned::<u32>(64).unwrap();
                ranges::out_of_bounds(&stream, &mut y, &nothing, 0).unwrap();
                y.copy_to_async(&stream, &mut host).unwrap();
                let event = stream.record().unwrap();
                fails.send(()).unwrap();
                told.recv().unwrap();
                let told = match way {
                    0 => stream.synchronize(),
                    1 => event.synchronize(),
                    2 => y.to_vec().map(drop),
                    3 => host.as_slice().map(drop),
                    4 => y.try_clone().and_then(|clone| clone.to_vec().map(drop)),
                    _ => z.copy_from_buffer_async(&stream, &y).and_then(|()| z.to_vec().map(drop)),
                };
                assert!(matches!(told, Err(Error::KernelPanic { kernel: "out_of_bounds", .. })), "way {way}: {told:?}");
                stream.synchronize().unwrap();
                event.synchronize().unwrap();
                drop((y.to_vec().unwrap(), z.to_vec().unwrap(), host.as_slice().unwrap()));
            });
            failed.recv().unwrap();
            if !is_first {
                first();
            }
            assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
            tell.send(()).unwrap();
            other.join().unwrap();
            stream.synchronize().unwrap();
        });
        // Who comes later is not told, and the device works.
        x.fill_async(stream, 1).unwrap();
        order::affine(stream, &mut x, 3, 1, 0).unwrap();
        std::thread::scope(|scope| {
            let later = scope.spawn(|| {
                let mut y = device.buffer_from(&[1u32; 64]).unwrap();
                order::affine(stream, &mut y, 2, 1, 0).unwrap();
                (x.to_vec().unwrap(), y.to_vec().unwrap())
            });
            assert_eq!(later.join().unwrap(), (vec![4; 64], vec![3; 64]));
        });
    }
}

/// A thread launches what fails, and ends; before anybody waits for its work, another thread is
/// told of its own.
pub fn what_a_thread_has_left_is_told_to_who_reads_it(device: &Device, stream: &Stream) {
    let nothing = device.zeros::<u32>(0).unwrap();
    let mut x = device.zeros::<u32>(64).unwrap();
    let fails = |stream: &Stream, buffer: &mut Buffer<u32>| ranges::out_of_bounds(stream, buffer, &nothing, 0).unwrap();
    for reads_first in [true, false] {
        let elsewhere = |run: &mut (dyn FnMut() + Send)| std::thread::scope(|scope| scope.spawn(run).join().unwrap());
        let (mut y, mut z) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
        fails(stream, &mut x);
        elsewhere(&mut || fails(&device.new_stream().unwrap(), &mut y));
        assert!(matches!(stream.synchronize(), Err(Error::KernelPanic { .. })));
        drop(y.to_vec().unwrap()); // this thread knows
        elsewhere(&mut || {
            if !reads_first {
                z.copy_from_buffer_async(&device.new_stream().unwrap(), &y).unwrap();
            }
            let read = if reads_first { &y } else { &z };
            assert!(matches!(read.to_vec(), Err(Error::KernelPanic { .. })), "reads first: {reads_first}");
            drop(read.to_vec().unwrap());
        });
        elsewhere(&mut || drop(y.to_vec().unwrap()));
    }
}
