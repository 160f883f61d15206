//! The buffer of what device code prints.

use anabranch::prelude::*;
use anabranch::private::output::{Output, capture};
use anabranch_tests::gpus;
use anabranch_tests::kernels::prints;

use crate::{gpu, in_child};

/// A buffer of 1024 bytes has 126 words for lines. One of `[usize; 200]` never fits, and three of
/// `[usize; 38]` with 40 words do.
#[test]
fn a_small_buffer() {
    in_child("lines::a_small_buffer", &[("ANABRANCH_PRINT_BUFFER", "1024")], || {
        let Some(gpu) = gpu() else { return };
        let stream = gpu.device().default_stream();
        let mut x = gpu.device().zeros::<u32>(5).unwrap();
        let mut check = |launch: &mut dyn FnMut(&mut Buffer<u32>), fit: usize, lost: &[&str]| {
            let all = capture(|| {
                launch(&mut x);
                stream.synchronize().unwrap();
            });
            let said: Vec<_> =
                all.iter().filter(|line| line.0 == Output::ErrorLine).map(|line| line.1.as_str()).collect();
            let expected: Vec<String> = (lost.iter())
                .map(|lost| {
                    format!(
                        "anabranch: {lost} lost: the buffer holds 1024 bytes; ANABRANCH_PRINT_BUFFER sets its size\n"
                    )
                })
                .collect();
            assert_eq!((all.len() - said.len(), said), (fit, expected.iter().map(String::as_str).collect()));
        };
        // The ring goes around many times, and lines go over its end.
        for _ in 0..20 {
            check(&mut |x| prints::many::<38>(&stream, x).unwrap(), 3, &["2 lines of `many` were"]);
            check(&mut |x| prints::many::<200>(&stream, x).unwrap(), 0, &["5 lines of `many` were"]);
            check(&mut |x| prints::many::<7>(&stream, x).unwrap(), 5, &[]);
            check(&mut |x| prints::many::<40>(&stream, &mut x.slice_mut(0..4)).unwrap(), 3, &["1 line of `many` was"]);
        }
    });
}

#[test]
fn a_size_that_is_none() {
    in_child("lines::a_size_that_is_none", &[("ANABRANCH_PRINT_BUFFER", "12k")], || {
        let error = gpus::gpu(0).unwrap_err();
        assert!(matches!(error, Error::Setting { name: "ANABRANCH_PRINT_BUFFER", .. }), "{error}");
    });
}

/// Threads that launch and wait at the same time each find all of their own lines, once.
#[test]
fn threads_print_at_the_same_time() {
    const THREADS: usize = 4;
    const LAUNCHES: usize = 20;
    let Some(gpu) = gpu() else { return };
    let device = gpu.device();
    let mut lines = capture(|| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let stream = device.new_stream().unwrap();
                    let (mut x, mut y) = (device.zeros::<u32>(3).unwrap(), device.zeros::<u32>(3 + thread).unwrap());
                    for _ in 0..LAUNCHES {
                        prints::in_groups(&stream, &mut x, &mut y, 1).unwrap();
                        stream.synchronize().unwrap();
                    }
                });
            }
        });
    });
    lines.sort_by(|a, b| a.1.cmp(&b.1));
    let mut expected: Vec<String> = (0..THREADS)
        .flat_map(|thread| {
            (0..LAUNCHES).flat_map(move |before| {
                let left = (0..3).map(move |i| format!("left 0 {i} {before}\n"));
                let right = (0..3 + thread).map(move |i| format!("right 0 {i} {}\n", before * 2));
                left.chain(right).chain([format!("joined {}\n", (before + 1) * 3)])
            })
        })
        .collect();
    expected.sort();
    assert!(lines.iter().map(|line| &line.1).eq(&expected), "{lines:?}");
}
