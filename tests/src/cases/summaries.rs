use anabranch::prelude::*;

use super::failures::panic_of;
use super::prints::printed;
use crate::kernels::summaries as k;

fn ints(n: i32) -> Vec<i32> {
    (0..n).map(|i| (i * 37) % 101 - 20).collect()
}

fn outside(result: anabranch::Result<()>) -> (&'static str, Option<(&'static str, u32)>, &'static str, i64, usize) {
    match result {
        Err(Error::OutOfBounds { access, call, buffer, index, len, .. }) => {
            (access, call.map(|call| *call), buffer, index, len)
        }
        other => panic!("not refused: {other:?}"),
    }
}

/// The number of the line that contains a text.
fn line_of(text: &str) -> u32 {
    let source = include_str!("../kernels/summaries.rs");
    source.lines().position(|line| line.contains(text)).expect("a line") as u32 + 1
}

pub fn indexes_of_functions(device: &Device, stream: &Stream) {
    let (w, h) = (9, 7);
    let x = ints((w * h) as i32);
    let (dx, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(w * h).unwrap());
    k::stencil(stream, &dx, &mut y, w, h, 3).unwrap();
    let want = (0..w * h).map(|i| match (i / w, i % w) {
        (r, c) if r > 0 && r < h - 1 && c > 0 && c < w - 1 => {
            3 * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w] - 4 * x[i])
        }
        _ => 0,
    });
    assert_eq!(y.to_vec().unwrap(), want.collect::<Vec<_>>());
    // A row more: the first access that every iteration makes, in a function that a function calls.
    let call = Some(("stepped(…)", line_of("= stepped(&x")));
    assert_eq!(outside(k::stencil(stream, &dx, &mut y, w, h + 1, 3)), ("x[i + w]", call, "x", 70, 63));

    let mut x = device.zeros::<u32>(24).unwrap();
    k::volume(stream, &mut x, 2, 3, 4).unwrap();
    assert_eq!(x.to_vec().unwrap(), (1..=24).collect::<Vec<_>>());
    assert!(matches!(k::volume(stream, &mut x, 3, 3, 4), Err(Error::OutOfBounds { access: "x[i]", call: None, .. })));
    k::columns::<4>(stream, &mut x, 6).unwrap();
    assert!(matches!(k::columns::<3>(stream, &mut x, 6), Err(Error::Overlap { .. })));
    k::doubled::<u16>(stream, &mut x, 12).unwrap();
    assert!(matches!(k::doubled::<u16>(stream, &mut x, 13), Err(Error::OutOfBounds { .. })));
    let mut many = device.zeros::<u32>(600).unwrap();
    k::doubled::<u16>(stream, &mut many, 300).unwrap();
    k::doubled::<u8>(stream, &mut many, 128).unwrap();
    let wrapped = k::doubled::<u8>(stream, &mut many, 129);
    assert!(matches!(wrapped, Err(Error::Overlap { .. })), "{wrapped:?}");
    let met = x.to_vec().unwrap().iter().zip(0..).all(|(x, i)| *x == 2 + i + u32::from(i % 2 == 0));
    assert!(met, "{:?}", x.to_vec());
}

pub fn parts_that_functions_get(device: &Device, stream: &Stream) {
    let (w, h) = (6, 5);
    let x = ints(30);
    let (dx, mut sums) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(h).unwrap());
    k::row_sums(stream, &dx, &mut sums, w).unwrap();
    let want: Vec<i32> = x.chunks(w).map(|row| row[1..5].iter().sum::<i32>() + row[1]).collect();
    assert_eq!(sums.to_vec().unwrap(), want);
    // The last row is not complete.
    k::row_sums(stream, &dx.slice(0..29), &mut sums, w).and_then(|()| stream.synchronize()).unwrap_err();

    let mut rows = device.zeros::<i32>(20).unwrap();
    k::numbered_rows(stream, &mut rows, 6).unwrap();
    let want = (0..20).map(|i| if i < 18 { i / 6 + i % 6 } else { 0 });
    assert_eq!(rows.to_vec().unwrap(), want.collect::<Vec<_>>());
}

pub fn indexes_that_a_function_gets_from_data(device: &Device, stream: &Stream) {
    let x = ints(12);
    let (dx, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(5).unwrap());
    let places = device.buffer_from(&[11u32, 0, 7, 7, 3]).unwrap();
    k::gathered(stream, &dx, &places, &mut y, 7).unwrap();
    let want: Vec<i32> = [11, 0, 7, 7, 3].iter().zip(7..).map(|(k, i)| x[*k] + x[i]).collect();
    assert_eq!(y.to_vec().unwrap(), want);
    let call = Some(("pick(…)", line_of("y[i] = pick(&x, places[i]")));
    assert_eq!(outside(k::gathered(stream, &dx, &places, &mut y, 8)), ("x[k]", call, "x", 12, 12));
    let bad = device.buffer_from(&[11u32, 0, 12, 7, 3]).unwrap();
    k::gathered(stream, &dx, &bad, &mut y, 7).unwrap();
    let message = panic_of(stream.synchronize().unwrap_err(), "src/kernels/summaries.rs", "    ¦x[k]");
    assert_eq!(message, "index out of bounds: the len is 12 but the index is 12");
}

pub fn results_that_are_no_forms(device: &Device, stream: &Stream) {
    let x = ints(10);
    let (dx, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(10).unwrap());
    for way in 0..3 {
        k::opaque(stream, &dx, &mut y, way).unwrap();
        let at = |i: usize| if way == 2 { (i + 1) % 10 } else { (i + 3).min(9) };
        assert_eq!(y.to_vec().unwrap(), (0..10).map(|i| x[at(i)]).collect::<Vec<_>>(), "way {way}");
    }
}

pub fn functions_that_fail_before_their_access(device: &Device, stream: &Stream) {
    let x = ints(4);
    let (dx, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(4).unwrap());
    k::guards(stream, &dx, &mut y, 4).unwrap();
    assert_eq!(y.to_vec().unwrap(), x);
    // What comes behind the check is in bounds, or is not reached.
    let mut longer = device.zeros::<i32>(8).unwrap();
    k::guards(stream, &dx, &mut longer, 4).unwrap();
    let message = panic_of(stream.synchronize().unwrap_err(), "src/kernels/summaries.rs", "¦assert!(k < limit");
    assert_eq!(message, "too far");
}

pub fn methods_and_names(device: &Device, stream: &Stream) {
    let x = ints(40);
    let (dx, mut y) = (device.buffer_from(&x).unwrap(), device.zeros::<i32>(32).unwrap());
    let of = k::Layout { pitch: 9 };
    k::methods(stream, &dx, &mut y, of, 9).unwrap();
    let want = (0..32).map(|i| x[i / 8 * 9 + i % 8 + 1]);
    assert_eq!(y.to_vec().unwrap(), want.collect::<Vec<_>>());
    let call = Some(("next(…)", line_of("of.next(&x, i)")));
    assert_eq!(outside(k::methods(stream, &dx, &mut y, of, 11)), ("x[i + 1]", call, "x", 41, 40));

    let mut y = device.zeros::<i32>(10).unwrap();
    k::shadowed(stream, &dx, &mut y, 3).unwrap();
    assert_eq!(y.to_vec().unwrap(), (0..10).map(|i| x[12 - i]).collect::<Vec<_>>());
    // What a function does, it does once, whatever its result is used for.
    for (loud, lines) in [(false, 0), (true, 3)] {
        let found = printed(stream, || k::further_on(stream, &dx, &mut y, loud).unwrap());
        assert_eq!(y.to_vec().unwrap(), (0..10).map(|i| 5 * x[i + 1]).collect::<Vec<_>>());
        let of = |i: usize| found.iter().filter(|(_, text)| *text == format!("at {i}\n")).count();
        assert!((0..10).all(|i| of(i) == lines), "{found:?}");
    }
}
