//! What device code prints is what Rust would print. Lines of one iteration are in order, lines of
//! several are in any.

use anabranch::prelude::*;
use anabranch::private::output::{Output, capture};

use super::failures::panic_of;
use crate::kernels::prints::{self, Mixed, Point};

/// What is printed until the device has been waited for.
pub(super) fn printed(stream: &Stream, work: impl FnOnce()) -> Vec<(Output, String)> {
    capture(|| {
        work();
        stream.synchronize().unwrap();
    })
}

/// Its lines, which must all be of standard output, sorted.
#[track_caller]
fn lines(stream: &Stream, work: impl FnOnce()) -> Vec<String> {
    let mut lines: Vec<String> = printed(stream, work)
        .into_iter()
        .map(|(output, text)| {
            assert_eq!(output, Output::PrintLine, "{text}");
            text
        })
        .collect();
    lines.sort();
    lines
}

pub fn every_kind_of_argument(device: &Device, stream: &Stream) {
    for n in [1, 4, 1000] {
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 1.37 - 2.0).collect();
        let (dx, mut sum) = (device.buffer_from(&x).unwrap(), device.zeros::<f32>(x.len()).unwrap());
        let point = Point(-3, 4);
        let mixed = Mixed { small: 7, wide: u128::MAX - 1, pair: (true, 0.1), nothing: [], point };
        let found = printed(stream, || prints::kinds(stream, &dx, &mut sum, 8, mixed).unwrap());
        let of = |i: usize| -> Vec<String> {
            let (x, label) = (x[i], i as u32);
            let v = [x, -x];
            vec![
                format!("{i}: x = {:.3} {v:?}\n", x),
                format!("{i}: {0:>8}|{0:<9.2}|{1:+e}|{{}}\n", x, x * 2.0),
                format!("{i}: {mixed:?} {point:?} {point:>9}\n"),
                format!("{i}: 0x004d a text 'c' -128 {}\n", i as u8 == 3),
                format!("{i}: () (1, -1) 1 2.5 3 4 5 6 {}\n", f64::MAX),
                format!("{label}: {x:?} and 0.5\n"),
            ]
        };
        assert_eq!(found.len(), n * 6);
        for i in 0..n {
            let own = found.iter().map(|(_, text)| text).filter(|text| text.starts_with(&format!("{i}: ")));
            assert!(own.eq(&of(i)), "iteration {i} of {n}: {found:#?}");
        }
        assert_eq!(sum.to_vec().unwrap(), x.iter().map(|x| x + 0.5).collect::<Vec<_>>());
    }
}

pub fn each_macro_has_its_stream_and_its_end(device: &Device, stream: &Stream) {
    let mut x = device.buffer_from(&[4u32]).unwrap();
    let found = printed(stream, || prints::streams(stream, &mut x).unwrap());
    let source = include_str!("../kernels/prints.rs");
    let place = |text: &str, nth: usize| {
        let (at, line) = source.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let column = line.match_indices("dbg!").nth(nth).unwrap().0 + 1;
        (at + 1, column)
    };
    let mut expected = vec![
        (Output::Print, "a".to_owned()),
        (Output::PrintLine, "\n".to_owned()),
        (Output::Error, "b4".to_owned()),
        (Output::ErrorLine, "\n".to_owned()),
        (Output::PrintLine, "c\n".to_owned()),
    ];
    let dbg = [
        ("dbg!();", 0, ""),
        ("dbg!(x[i] + 1)", 0, " x[i] + 1 = 5"),
        ("dbg!(x[i] + 1)", 1, " Point(2u32, 3) = Point(\n    2,\n    3,\n)"),
        ("dbg!(x[i], i,)", 0, " x[i] = 15"),
        ("dbg!(x[i], i,)", 0, " i = 0"),
    ];
    for (text, nth, says) in dbg {
        let (line, column) = place(text, nth);
        let file = found.iter().find(|(output, _)| *output == Output::Debug).unwrap().1[1..].split(':').next().unwrap();
        assert!(file.replace('\\', "/").ends_with("tests/src/kernels/prints.rs"), "{file}");
        expected.push((Output::Debug, format!("[{file}:{line}:{column}]{says}\n")));
    }
    expected.push((Output::ErrorLine, "15 0\n".to_owned()));
    assert_eq!(found, expected);
    assert_eq!(x.to_vec().unwrap(), [15]);
}

pub fn arguments_are_evaluated_once_and_in_order(device: &Device, stream: &Stream) {
    use prints::plain;
    for i in 0..7 {
        type Plain = fn(&mut [u32], usize) -> u32;
        let programs = [prints::effects, prints::effects_of_operators].into_iter();
        for (launch, plainly) in programs.zip([plain::in_order as Plain, plain::operators]) {
            let mut expected = [7, 8, 9];
            plain::LINES.take();
            expected[2] = plainly(&mut expected, i);
            let mut x = device.buffer_from(&[7, 8, 9]).unwrap();
            let found = printed(stream, || launch(stream, &mut x, i).unwrap());
            let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
            assert_eq!(found, plain::LINES.take(), "{i}");
            assert_eq!(x.to_vec().unwrap(), expected);
        }
    }
}

/// Also where the same kernel is a graph that is launched many times, and on two streams.
pub fn groups_and_graphs_print(device: &Device, stream: &Stream) {
    const N: u32 = 70;
    let of = |rounds: u32, replay: u32| {
        let mut lines: Vec<String> = (0..rounds)
            .flat_map(|r| {
                let before = replay * rounds + r;
                (0..N)
                    .flat_map(move |i| [format!("left {r} {i} {before}\n"), format!("right {r} {i} {}\n", before * 2)])
            })
            .collect();
        lines.push(format!("joined {}\n", (replay + 1) * rounds * 3));
        lines
    };
    let zeros = || device.zeros::<u32>(N as usize).unwrap();
    let (mut x, mut y) = (zeros(), zeros());
    let mut expected = of(3, 0);
    expected.sort();
    assert_eq!(lines(stream, || prints::in_groups(stream, &mut x, &mut y, 3).unwrap()), expected);

    let (mut x, mut y) = (zeros(), zeros());
    let graph = stream.capture(|stream| prints::in_groups(stream, &mut x, &mut y, 2)).unwrap();
    for replays in [1, 40] {
        x.copy_from(&[0; N as usize]).unwrap();
        y.copy_from(&[0; N as usize]).unwrap();
        let mut expected: Vec<String> = (0..replays).flat_map(|replay| of(2, replay)).collect();
        expected.sort();
        let found = lines(stream, || (0..replays).for_each(|_| graph.launch(stream).unwrap()));
        assert_eq!(found, expected, "{replays} replays");
    }

    let second = device.new_stream().unwrap();
    let mut buffers = [(zeros(), zeros()), (zeros(), zeros())];
    let mut expected = [of(4, 0), of(4, 0)].concat();
    expected.sort();
    let found = lines(stream, || {
        for ((x, y), stream) in buffers.iter_mut().zip([stream, &second]) {
            prints::in_groups(stream, x, y, 4).unwrap();
        }
        second.synchronize().unwrap();
    });
    assert_eq!(found, expected);
}

/// Each call that waits writes what the kernels before it have printed.
pub fn every_wait_prints(device: &Device, stream: &Stream) {
    type Wait<'a> = &'a dyn Fn(&Buffer<u32>);
    let waits: [Wait<'_>; 3] =
        [&|_| stream.synchronize().unwrap(), &|_| stream.record().unwrap().synchronize().unwrap(), &|x| {
            drop(x.to_vec().unwrap())
        }];
    let mut x = device.zeros::<u32>(2).unwrap();
    for wait in waits {
        let found = capture(|| {
            prints::many::<1>(stream, &mut x).unwrap();
            wait(&x);
        });
        let mut lines: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
        lines.sort();
        assert_eq!(lines, ["[0]\n", "[1]\n"]);
    }
}

pub fn instances_format_their_own_types(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1i8, -2]).unwrap();
    let mut y = device.zeros::<i8>(2).unwrap();
    let found = lines(stream, || prints::generic(stream, &x, &mut y, [1, 2, 3]).unwrap());
    assert_eq!(found, ["3 1 127\n", "3 4 127\n"]);
    let x = device.buffer_from(&[0.25f64]).unwrap();
    let mut y = device.zeros::<f64>(1).unwrap();
    let found = lines(stream, || prints::generic(stream, &x, &mut y, [0.5]).unwrap());
    assert_eq!(found, [format!("1 0.75 {}\n", f64::MAX)]);
}

/// A buffer of a megabyte holds 16384 lines of 64 bytes. What it does not hold is counted, and the
/// next launch prints again.
pub fn lines_that_do_not_fit_are_counted(device: &Device, stream: &Stream) {
    const LINES: usize = 100_000;
    let mut x = device.zeros::<u32>(LINES).unwrap();
    for _ in 0..2 {
        let found = printed(stream, || prints::many::<6>(stream, &mut x).unwrap());
        let (said, lines): (Vec<_>, Vec<_>) = found.into_iter().partition(|(output, _)| *output == Output::ErrorLine);
        let number = |text: &str| text.split(' ').nth(1).unwrap().parse::<usize>().unwrap();
        let lost: usize = said.iter().map(|(_, text)| number(text)).sum();
        assert_eq!(lines.len() + lost, LINES);
        assert!(if device.is_cpu() { lost == 0 } else { lines.len() >= 16000 && lost > 0 }, "{lost} lines were lost");
        for (_, text) in said {
            assert_eq!(
                text,
                format!(
                    "anabranch: {} lines of `many` were lost: the buffer holds 1048576 bytes; ANABRANCH_PRINT_BUFFER sets its size\n",
                    number(&text)
                )
            );
        }
        let mut own: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        own.sort_unstable();
        own.dedup();
        assert_eq!(own.len(), lines.len(), "no line comes twice");
        for text in own {
            let i = text[1..].split(',').next().unwrap().parse::<usize>().unwrap();
            assert_eq!(text, format!("{:?}\n", [i; 6]));
        }
    }
    assert_eq!(x.to_vec().unwrap()[LINES - 1], LINES as u32 - 1);
}

pub fn a_panic_of_the_users_text_is_an_error(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(1).unwrap();
    let found = capture(|| {
        prints::sulking(stream, &mut x, 3).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert_eq!(panic_of(error, "src/kernels/prints.rs", "¦println!(\"{}\", Even(odd));"), "odd");
        stream.synchronize().unwrap();
        prints::sulking(stream, &mut x, 4).unwrap();
        stream.synchronize().unwrap();
    });
    let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["before\n", "before\n", "4\n"]);
}

/// The message of a failed check has the values that failed it.
pub fn messages_have_values(device: &Device, stream: &Stream) {
    let nan = "assertion `left == right` failed: of 7\n  left: 2.5\n right: NaN";
    let wanted = [
        ("¦assert!(a == 1, \"a is", "a is 5, not (1, 0.5)"),
        ("¦assert_eq!(a, 1)", "assertion `left == right` failed\n  left: 5\n right: 1"),
        ("¦assert_ne!", "assertion `left != right` failed: 5 and 0.5\n  left: [5, 2]\n right: [5, 2]"),
        ("¦panic!", "   5<5 | 0>"),
        ("¦unreachable!", "internal error: entered unreachable code: at 5"),
        ("¦todo!", "not yet implemented: 5 things"),
        ("¦unimplemented!", "not implemented: 5: text"),
        ("¦assert_eq!(Point", nan),
        ("¦assert!(a == 1, \"{:?}\"", ""),
        ("¦assert!(a == 1, \"{}\"", "odd"),
    ];
    for (which, (line, message)) in wanted.into_iter().enumerate() {
        let mut x = device.buffer_from(&[5u32]).unwrap();
        let found = capture(|| {
            prints::failing(stream, &mut x, which as u32).unwrap();
            let found = panic_of(stream.synchronize().unwrap_err(), "src/kernels/prints.rs", line);
            if which == 8 {
                let large = found.starts_with("a check failed (its message has more values");
                assert!(found == format!("{:?}", [5; 600]) || (large && !device.is_cpu()), "{found}");
            } else {
                assert_eq!(found, message, "{line}");
            }
        });
        assert_eq!(found, [], "nothing comes after a failed check");
        assert_eq!(x.to_vec().unwrap(), [5], "{line}");
    }
    let mut x = device.buffer_from(&[5u32]).unwrap();
    assert_eq!(lines(stream, || prints::failing(stream, &mut x, 99).unwrap()), ["after\n"]);
    assert_eq!(x.to_vec().unwrap(), [6]);
}

/// What a check with values shows is known to the launch.
pub fn a_check_with_values_is_known(device: &Device, stream: &Stream) {
    let (mut x, y) = (device.zeros::<u32>(9).unwrap(), device.buffer_from(&[7u32; 5]).unwrap());
    prints::known(stream, &mut x, &y, 5).unwrap();
    assert_eq!(x.to_vec().unwrap(), [7, 7, 7, 7, 7, 0, 0, 0, 0]);
    prints::known(stream, &mut x, &y, 6).unwrap();
    let message = panic_of(stream.synchronize().unwrap_err(), "src/kernels/prints.rs", "¦assert_eq!(n, y.len()");
    assert_eq!(message, "assertion `left == right` failed: n is 6\n  left: 6\n right: 5");
}
