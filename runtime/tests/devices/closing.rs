//! Devices that are closed while others use what they have.

use anabranch::prelude::*;

use crate::gpus::{gpu, gpu_count};
use crate::kernels::{affine, gather};
use crate::{devices, standin};

/// A device for the roles of source and target, newly opened.
fn opened() -> Vec<fn() -> Device> {
    let mut all: Vec<fn() -> Device> = vec![Device::cpu];
    if gpu_count().unwrap() >= 2 {
        all.push(|| gpu(1).unwrap());
    }
    all
}

fn targets() -> Vec<Device> {
    let mut all = vec![Device::cpu()];
    if gpu_count().unwrap() >= 1 {
        all.push(gpu(0).unwrap());
    }
    all
}

#[test]
fn the_source_is_closed_before_the_copy_is_done() {
    let (_turn, _) = devices();
    for a in targets() {
        for open in opened() {
            let s = a.new_stream().unwrap();
            let mut x = a.filled(5000, 0u32).unwrap();
            {
                let b = open();
                let mut y = b.filled(5000, 3u32).unwrap();
                affine(&b.new_stream().unwrap(), &mut y, 2, 1, 200).unwrap();
                x.copy_from_buffer_async(&s, &y).unwrap();
            }
            assert_eq!(x.to_vec().unwrap(), [7; 5000], "{a:?}");
        }
    }
}

#[test]
fn a_panic_of_a_device_that_is_closed_is_not_lost() {
    let (_turn, _) = devices();
    for a in targets() {
        for open in opened() {
            let s = a.new_stream().unwrap();
            let mut x = a.filled(64, 0u32).unwrap();
            let copied = {
                let b = open();
                let (values, indexes) = (b.filled(64, 1u32).unwrap(), b.filled(64, 64u32).unwrap());
                let mut y = b.filled(64, 0u32).unwrap();
                gather(&b.new_stream().unwrap(), &mut y, &values, &indexes).unwrap();
                x.copy_from_buffer_async(&s, &y)
            };
            let reported = copied.and_then(|()| x.to_vec().map(drop));
            assert!(matches!(reported, Err(Error::KernelPanic { kernel: "gather", .. })), "{a:?}: {reported:?}");
            assert!(x.to_vec().is_ok());
        }
    }
}

/// Neither device keeps the other: what is closed is gone.
#[test]
fn nothing_is_left() {
    let (_turn, devices) = devices();
    let Some(standin) = standin::standin().filter(|_| devices.len() == 4) else { return };
    drop(devices);
    assert_eq!(standin.live("context"), 0);
    {
        let [a, b] = [0, 1].map(|number| gpu(number).unwrap());
        let (mut x, mut y) = (a.filled(64, 1u32).unwrap(), b.filled(64, 2u32).unwrap());
        for stream in [a.default_stream(), b.default_stream()] {
            x.copy_from_buffer_async(&stream, &y).unwrap();
            y.copy_from_buffer_async(&stream, &x).unwrap();
        }
        standin.hold(false);
    }
    for kind in ["context", "stream", "event", "module", "memory pool", "device block", "host block"] {
        assert_eq!(standin.live(kind), 0, "{kind}");
    }
}
