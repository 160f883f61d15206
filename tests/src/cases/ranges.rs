use anabranch::prelude::*;

use crate::kernels::ranges as k;

pub fn stepped(device: &Device, stream: &Stream) {
    for (from, to, step) in [(0, 100, 1), (3, 100, 7), (0, 1, 5), (99, 100, 1), (5, 5, 2), (9, 5, 2), (0, 100_000, 3)] {
        let len = 100_000;
        let mut hits = device.zeros::<u32>(len).unwrap();
        k::stepped(stream, &mut hits, from, to, step).unwrap();
        let mut expected = vec![0; len];
        (from..to).step_by(step).for_each(|i| expected[i] += 1);
        assert!(hits.to_vec().unwrap() == expected, "({from}..{to}).step_by({step})");
    }
}

pub fn a_step_of_zero_is_an_error_before_anything_runs(device: &Device, stream: &Stream) {
    let mut hits = device.zeros::<u32>(4).unwrap();
    let error = k::stepped(stream, &mut hits, 0, 4, 0).unwrap_err().to_string();
    assert!(error.contains("stepped") && error.contains("step"), "{error}");
    assert_eq!(hits.to_vec().unwrap(), [0; 4]);
}

pub fn inclusive_and_whole_types(device: &Device, stream: &Stream) {
    let mut hits = device.zeros::<u32>(10).unwrap();
    k::inclusive(stream, &mut hits, 2, 9).unwrap();
    k::inclusive(stream, &mut hits, 9, 2).unwrap();
    assert_eq!(hits.to_vec().unwrap(), [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    let mut hits = device.zeros::<u32>(256).unwrap();
    k::bytes(stream, &mut hits).unwrap();
    assert_eq!(hits.to_vec().unwrap(), (0..256).collect::<Vec<u32>>());
    let mut hits = device.zeros::<i32>(7).unwrap();
    k::signed(stream, &mut hits, -3, 4).unwrap();
    assert_eq!(hits.to_vec().unwrap(), [-3, -2, -1, 0, 1, 2, 3]);
}

pub fn planes_and_volumes(device: &Device, stream: &Stream) {
    for (h, w) in [(0, 5), (5, 0), (1, 1), (3, 8), (100, 77)] {
        let mut out = device.zeros::<u32>(h * w).unwrap();
        k::plane(stream, &mut out, h, w).unwrap();
        let expected: Vec<u32> = (0..h * w)
            .map(|at| (at / w, at % w))
            .map(|(y, x)| if x % 2 == 0 { (y * 1000 + x) as u32 } else { 0 })
            .collect();
        assert_eq!(out.to_vec().unwrap(), expected, "{h} {w}");
    }
    for (d, h, w) in [(1, 1, 1), (3, 4, 5), (0, 4, 5), (20, 30, 40)] {
        let mut out = device.zeros::<u32>(d * h * w).unwrap();
        k::volume(stream, &mut out, d as u32, h as u16, w).unwrap();
        let expected: Vec<u32> = (0..d)
            .flat_map(|z| (1..=h).flat_map(move |y| (0..w).map(move |x| (z * 10_000 + y * 100 + x) as u32)))
            .collect();
        assert_eq!(out.to_vec().unwrap(), expected, "{d} {h} {w}");
    }
}

pub fn empty_ranges_run_nothing(device: &Device, stream: &Stream) {
    let mut x = device.zeros::<u32>(9).unwrap();
    k::nothing(stream, &mut x, 9).unwrap();
    assert_eq!(x.to_vec().unwrap(), [0; 9]);
}

/// Grids have at most 65,535 blocks along y and z; bigger ranges become several launches.
pub fn beyond_one_grid(device: &Device, stream: &Stream) {
    // Blocks of `plane` are two rows high.
    let (h, w) = (131_070 + 1002, 3);
    let mut out = device.zeros::<u32>(h * w).unwrap();
    k::plane(stream, &mut out, h, w).unwrap();
    let expected: Vec<u32> =
        (0..h * w).map(|at| if at % w != 1 { (at / w * 1000 + at % w) as u32 } else { 0 }).collect();
    assert!(out.to_vec().unwrap() == expected, "rows");
    let (d, h, w) = (65_535 + 3, 2, 2);
    let mut out = device.zeros::<u32>(d * h * w).unwrap();
    k::volume(stream, &mut out, d as u32, h as u16, w).unwrap();
    let expected: Vec<u32> = (0..d as u32)
        .flat_map(|z| [(1, 0), (1, 1), (2, 0), (2, 1)].map(|(y, x)| z.wrapping_mul(10_000).wrapping_add(y * 100 + x)))
        .collect();
    assert!(out.to_vec().unwrap() == expected, "planes");
    // Decided as a whole, and so without checks; a launch of a part begins elsewhere than the
    // source says.
    for (d, h, w) in [(9, 20, 5), (3 + 2 * 65_535 + 11, 11, 2), (4, 10 + 3 * 65_535 + 17, 2)] {
        let mut out = device.zeros::<u32>(d * h * w).unwrap();
        k::inset(stream, &mut out, d, h, w).unwrap();
        let mut expected = vec![0; d * h * w];
        for z in (3..d).step_by(2) {
            for (y, x) in (10..h).step_by(3).flat_map(|y| (1..w).map(move |x| (y, x))) {
                expected[(z * h + y) * w + x] = (z * 10_000 + y * 100 + x) as u32;
            }
        }
        assert!(out.to_vec().unwrap() == expected, "{d} {h} {w}");
    }
}

pub fn saturated_differences(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&(0..100).collect::<Vec<u32>>()).unwrap();
    let (mut signed, mut unsigned) = (device.zeros::<u32>(100).unwrap(), device.zeros::<u32>(100).unwrap());
    k::saturated(stream, &x, &mut signed, &mut unsigned, 100).unwrap();
    assert_eq!(signed.to_vec().unwrap(), (0..100).collect::<Vec<u32>>());
    assert_eq!(unsigned.to_vec().unwrap(), (0..100u32).map(|i| i.saturating_sub(5)).collect::<Vec<u32>>());
}

/// A range whose end has wrapped is an error that names it, wherever the loop is. Nothing has run
/// then.
pub fn ends_that_wrap(device: &Device, stream: &Stream) {
    let (empty, x) = (device.zeros::<f32>(0).unwrap(), device.filled(5, 2.0f32).unwrap());
    let mut y = device.filled(5, 7.0f32).unwrap();
    let ranges = [
        ("0..x.len().wrapping_sub(1)", "0..18446744073709551615"),
        ("1..=x.len().wrapping_sub(2)", "1..18446744073709551615"),
    ];
    for way in 0..12 {
        let (range, values) = ranges[usize::from(way % 6 == 1)];
        let error = k::but_the_last(stream, &empty, &mut y, way, 1).unwrap_err();
        let said = error.to_string();
        assert!(
            matches!(error.innermost(), Error::TooManyIterations { mistake: anabranch::TooMany::Wrapped, .. }),
            "{said}"
        );
        assert!(
            said.contains(&format!("its range `{range}` is {values} (")) && said.contains("has its end wrapped?"),
            "{said}"
        );
        assert_eq!(y.to_vec().unwrap(), [7.0; 5]);
        k::but_the_last(stream, &x, &mut y, way, 1).unwrap();
        y = device.filled(5, 7.0f32).unwrap();
    }
    // Without an iteration of another range, there is none at all.
    k::but_the_last(stream, &empty, &mut y, 1, 0).unwrap();
    k::but_the_last(stream, &empty, &mut y, 3, 0).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0.0, 7.0, 7.0, 7.0, 7.0]);
    let captured = stream.capture(|stream| k::but_the_last(stream, &empty, &mut y, 0, 1));
    assert!(matches!(captured, Err(Error::TooManyIterations { .. })), "{captured:?}");
}

/// Ranges near the ends of their types.
pub fn windows_of_large_numbers(device: &Device, stream: &Stream) {
    let [mut a, mut b, mut c] = [7; 3].map(|len| device.zeros::<u64>(len).unwrap());
    let half = 1u64 << 63;
    for from in [0, half - 3, half, half + 1, u64::MAX - 7] {
        let signed = (from ^ half).cast_signed();
        let wide = u128::from(from) << 62;
        k::windows(stream, &mut a, &mut b, &mut c, from, signed, wide).unwrap();
        for (buffer, first) in [(&a, from), (&b, signed.cast_unsigned()), (&c, wide as u64)] {
            assert_eq!(buffer.to_vec().unwrap(), (0..7).map(|k| first.wrapping_add(k)).collect::<Vec<_>>(), "{from}");
        }
    }
}

/// The example of a refusal is two iterations that write one element, and what wraps is named.
pub fn rows_that_wrap(device: &Device, stream: &Stream) {
    let mut y = device.zeros::<u8>(70_000).unwrap();
    for apart in [false, true] {
        k::narrow_rows(stream, &mut y, 256, 256, apart).unwrap();
        let (wraps, index) = match apart {
            true => ("r * w", "(r * w) as usize + c as usize"),
            false => ("r * w + c", "(r * w + c) as usize"),
        };
        let error = k::narrow_rows(stream, &mut y, 256, 257, apart).unwrap_err().to_string();
        let said = format!(
            "such as iterations (0, 0) and (256, 0): `y[{index}]` would be element 0 in both, because `{wraps}` wraps in `u16`"
        );
        assert!(error.contains(&said), "{error}");
    }
}
