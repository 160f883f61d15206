//! A row is checked at once only where that says the same as checking each index.

use crate::kernels::rows as k;
use anabranch::prelude::*;

/// The result, or the first index that is out of bounds with the length it met.
fn reference(
    out: usize,
    x: &[u32],
    h: usize,
    w: usize,
    offset: usize,
    from: usize,
) -> Result<Vec<u32>, (usize, usize)> {
    let mut result = vec![0; out];
    for (row, col) in (0..h).flat_map(|row| (0..w).map(move |col| (row, col))) {
        if col >= from {
            let i = row * w + col;
            let at = i.wrapping_add(offset);
            let value = *x.get(at).ok_or((at, x.len()))?;
            *result.get_mut(i).ok_or((i, out))? = value + 1;
        }
    }
    Ok(result)
}

pub fn every_shift_of_every_small_plane(device: &Device, stream: &Stream) {
    let (mut good, mut bad) = (0, 0);
    for (h, w) in [(1, 1), (1, 4), (3, 1), (2, 3), (3, 4)] {
        for (out_len, x_len) in [(h * w, h * w), (h * w + 2, h * w), (h * w, h * w + 2), (h * w - 1, h * w), (0, 5)] {
            for offset in [0, 1, 2, 5, 1_usize.wrapping_neg(), 2_usize.wrapping_neg(), usize::MAX / 2] {
                for from in 0..w {
                    let values: Vec<u32> = (0..x_len as u32).collect();
                    let x = device.buffer_from(&values).unwrap();
                    let mut out = device.zeros::<u32>(out_len).unwrap();
                    k::shifted(stream, &mut out, &x, h, w, offset, from).unwrap();
                    let what = format!("{h} x {w}, out {out_len}, x {x_len}, offset {offset}, from {from}");
                    match (
                        reference(out_len, &values, h, w, offset, from),
                        stream.synchronize().and_then(|()| out.to_vec()),
                    ) {
                        (Ok(expected), Ok(got)) => {
                            assert_eq!(got, expected, "{what}");
                            good += 1;
                        }
                        (Err((index, len)), Err(Error::KernelPanic { message, .. })) => {
                            let words = format!("index out of bounds: the len is {len} but the index is {index}");
                            // On a GPU any of the iterations that fail may be the first.
                            let same =
                                if device.is_cpu() { message == words } else { message.starts_with("index out of") };
                            assert!(same, "{what}: {message}, not {words}");
                            bad += 1;
                        }
                        (expected, got) => panic!("{what}: expected {expected:?}, got {got:?}"),
                    }
                }
            }
        }
    }
    assert!(good > 50 && bad > 50, "{good} good, {bad} bad");
}

pub fn an_index_that_stands_still(device: &Device, stream: &Stream) {
    let x = device.buffer_from(&[1u32, 2, 3, 4, 5, 6]).unwrap();
    let mut sums = device.zeros::<u32>(2).unwrap();
    k::row_sums(stream, &mut sums, &x, 3, 5).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [36, 90]);
    let error = k::row_sums(stream, &mut sums, &x, 3, 6).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { index: 6, len: 6, .. }), "{error}");
}
