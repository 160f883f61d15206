//! Threads that use one device at the same time.

use std::io;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use crate::kernels::{shout, sum};
use crate::{counted, devices};

/// A reduction is two loops with memory between them: those of two statements in one capture
/// alternate.
#[test]
fn threads_that_record_reductions_in_one_capture() {
    /// What each thread sums up.
    const VALUES: [u64; 4] = [1, 10, 100, 1000];
    const ROUNDS: usize = 200;
    /// The fewest of which a sum has two parts, and so needs memory.
    const LEN: usize = 8193;
    let (_turn, devices) = devices();
    for device in devices {
        let inputs = VALUES.map(|value| device.filled(LEN, value).unwrap());
        let mut totals = VALUES.map(|_| (0..ROUNDS).map(|_| device.zeros::<u64>(1).unwrap()).collect::<Vec<_>>());
        let start = Barrier::new(VALUES.len());
        let graph = device.default_stream().capture(|stream| {
            thread::scope(|scope| {
                for (x, totals) in inputs.iter().zip(&mut totals) {
                    let (stream, start) = (stream.clone(), &start);
                    scope.spawn(move || {
                        start.wait();
                        totals.iter_mut().for_each(|total| sum(&stream, x, total).unwrap());
                    });
                }
            });
            Ok(())
        });
        graph.unwrap().launch(&device.default_stream()).unwrap();
        for (value, totals) in VALUES.into_iter().zip(&totals) {
            for total in totals {
                assert_eq!(total.get(0).unwrap(), value * LEN as u64, "{device:?}");
            }
        }
    }
}

/// Who waits for a GPU prints what it finds. With `--nocapture` this really goes to standard
/// output.
#[test]
fn threads_that_print_while_another_one_holds_standard_output() {
    let (_turn, devices) = devices();
    for device in devices.iter().filter(|device| !device.is_cpu()) {
        let mut buffers = [(); 2].map(|()| device.buffer_from(&counted(9, 3)).unwrap());
        let [x, y] = &mut buffers;
        let (locked, start) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                locked.wait();
                shout(&device.new_stream().unwrap(), y).unwrap();
                start.wait();
                drop(y.to_vec().unwrap());
            });
            let held = io::stdout().lock();
            locked.wait();
            start.wait();
            thread::sleep(Duration::from_millis(20));
            shout(&device.default_stream(), x).unwrap();
            drop(x.to_vec().unwrap());
            drop(held);
        });
        assert_eq!([&buffers[0], &buffers[1]].map(|x| x.get(0).unwrap()), [4, 4], "{device:?}");
    }
}
