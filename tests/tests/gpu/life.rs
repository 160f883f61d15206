//! A device that is really closed, and what is left of it then.

use anabranch_tests::gpus;
use anabranch_tests::kernels::order::{affine, affine_pair, inner_join};

use crate::in_child;

const N: usize = 64;
const SLOW: u32 = 100_000;

/// What was made from it keeps a device alive; whatever goes last closes it, and it can be opened
/// again. The others go while the device is busy.
#[test]
fn any_handle_may_be_the_last() {
    in_child("life::any_handle_may_be_the_last", &[], || {
        let open = || {
            let device = gpus::gpu(0).unwrap();
            let (stream, pool) = (device.new_stream().unwrap(), device.stream_pool());
            let (mut x, mut y) = (device.buffer_from(&[1u32; N]).unwrap(), device.zeros::<u32>(N).unwrap());
            affine_pair(&stream, &mut x, &mut y, 3, 2, SLOW).unwrap();
            let event = stream.record().unwrap();
            (device, stream, pool, x, y, event)
        };
        {
            let (device, ..) = open();
            assert_eq!(device.buffer_from(&[7u32]).unwrap().to_vec().unwrap(), [7]);
        }
        {
            let (_, stream, ..) = open();
            let mut z = stream.device().zeros::<u32>(N).unwrap();
            affine(&stream, &mut z, 2, 1, 0).unwrap();
            assert_eq!(z.to_vec().unwrap(), [1; N]);
        }
        {
            let (_, _, pool, ..) = open();
            assert_eq!((pool.stats().acquired, pool.stats().in_use), (2, 0));
            pool.trim();
        }
        {
            let (.., x, _, _) = open();
            assert_eq!(x.to_vec().unwrap(), [5; N]);
        }
        {
            let (.., event) = open();
            event.synchronize().unwrap();
            assert!(event.elapsed_since(&event).unwrap().is_zero());
        }
    });
}

/// The work of a device that goes is done before its memory is given back.
#[test]
fn a_device_goes_while_it_works() {
    in_child("life::a_device_goes_while_it_works", &[], || {
        for _ in 0..3 {
            let device = gpus::gpu(0).unwrap();
            let stream = device.default_stream();
            let [mut x, mut y, mut z] = std::array::from_fn(|_| device.zeros::<u32>(N).unwrap());
            inner_join(&stream, &mut x, &mut y, &mut z, SLOW).unwrap();
            drop((device, stream, x, y));
            assert_eq!(z.to_vec().unwrap(), [14; N]);
            affine(&z.device().clone().new_stream().unwrap(), &mut z, 3, 1, SLOW).unwrap();
        }
    });
}
