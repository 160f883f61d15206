//! Threads that launch, wait and read, in every order that matters.

use super::*;

fn panic(number: u32) -> Error {
    Error::KernelPanic { kernel: "k", file: "k.rs", line: number, column: 1, message: String::new() }
}

/// This thread takes a panic.
fn take(reports: &Arc<Reports>, number: u32) {
    reports.take(panic(number).into(), || Ok(())).unwrap().tell(|| None);
}

fn write(reports: &Arc<Reports>, block: &Written) {
    reports.launches([(block, AccessMode::Write)].into_iter());
}

fn read_by_launch(reports: &Arc<Reports>, from: &Written, to: &Written) {
    reports.launches([(from, AccessMode::Read), (to, AccessMode::Write)].into_iter());
}

/// The line of the panic that a wait reports, or 0.
fn told(reports: &Arc<Reports>, reads: Option<&Written>) -> u32 {
    match reports.check(reads) {
        Ok(()) => 0,
        Err(Error::KernelPanic { line, .. }) => line,
        Err(error) => panic!("{error}"),
    }
}

/// Runs something on a separate thread, to its end.
fn elsewhere<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| scope.spawn(run).join().unwrap())
}

/// Two threads that take turns, one step at a time, and live until the end.
fn two_threads<R: Send>(first: impl FnOnce(&dyn Fn()) + Send, second: impl FnOnce() -> R + Send) -> R {
    let (start, started) = std::sync::mpsc::channel();
    let (done, is_done) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || {
            first(&|| {
                start.send(()).unwrap();
                is_done.recv().unwrap();
            });
        });
        started.recv().unwrap();
        let result = second();
        done.send(()).unwrap();
        result
    })
}

#[test]
fn one_thread_is_told_once() {
    let (reports, block) = (Arc::new(Reports::default()), Written::default());
    for number in 1..4 {
        write(&reports, &block);
        assert_eq!(told(&reports, Some(&block)), 0);
        take(&reports, number);
        assert_eq!((told(&reports, None), told(&reports, Some(&block))), (0, 0));
    }
}

#[test]
fn who_has_launched_before_is_told_once_and_who_comes_later_is_not() {
    let (reports, block) = (Arc::new(Reports::default()), Written::default());
    let later = || told(&reports, None);
    write(&reports, &block);
    elsewhere(|| take(&reports, 1));
    assert_eq!(elsewhere(later), 0);
    let told_later = elsewhere(|| {
        let own = Written::default();
        write(&reports, &own);
        (told(&reports, Some(&own)), told(&reports, None))
    });
    assert_eq!(told_later, (0, 0));
    assert_eq!((told(&reports, None), told(&reports, None), told(&reports, Some(&block))), (1, 0, 0));
    // Reports the last of several panics that were taken in the meantime.
    elsewhere(|| (2..4).for_each(|number| take(&reports, number)));
    assert_eq!((told(&reports, None), told(&reports, None)), (3, 0));
}

#[test]
fn who_has_only_waited_is_not_told_of_what_comes_later() {
    let reports = Arc::new(Reports::default());
    take(&reports, 1);
    elsewhere(|| take(&reports, 2));
    assert_eq!(told(&reports, None), 0);
}

/// A reader gets the report only until the writer gets it.
#[test]
fn who_reads_what_a_thread_has_written_that_was_not_told_is_told() {
    let (reports, block, other) = <(Arc<Reports>, Written, Written)>::default();
    write(&reports, &block);
    elsewhere(|| {
        write(&reports, &other);
        take(&reports, 1);
        assert_eq!(told(&reports, Some(&block)), 0, "it knows");
    });
    let read = || (told(&reports, Some(&other)), told(&reports, Some(&block)), told(&reports, Some(&block)));
    // The thread that wrote `other` got the report, but has ended, so this is not known any more.
    assert_eq!(elsewhere(read), (1, 0, 0));
    assert_eq!(elsewhere(read), (0, 1, 0));
    assert_eq!(told(&reports, None), 1);
    assert_eq!(elsewhere(read), (0, 0, 0));
}

/// The report of a thread that has ended goes to one other thread.
#[test]
fn what_a_thread_has_left_is_told_to_the_first_reader() {
    let (reports, block) = (Arc::new(Reports::default()), Written::default());
    elsewhere(|| write(&reports, &block));
    assert!(reports.state().threads.is_empty(), "the books have no thread that has ended");
    elsewhere(|| take(&reports, 1));
    assert_eq!(elsewhere(|| (told(&reports, Some(&block)), told(&reports, Some(&block)))), (1, 0));
    assert_eq!(elsewhere(|| told(&reports, Some(&block))), 0);
}

/// Two threads have written parts of a block, and the one that wrote last got the report.
#[test]
fn the_older_of_two_writers_decides() {
    let (reports, block) = (Arc::new(Reports::default()), Written::default());
    write(&reports, &block);
    elsewhere(|| {
        take(&reports, 1);
        write(&reports, &block);
    });
    assert_eq!(elsewhere(|| told(&reports, Some(&block))), 1);
}

/// A thread's launch depends on the other's work, whatever the thread reads later, even if it has
/// launched nothing before.
#[test]
fn who_launches_with_such_memory_is_told() {
    let (reports, block, result) = <(Arc<Reports>, Written, Written)>::default();
    let launches = || {
        read_by_launch(&reports, &block, &result);
        (told(&reports, Some(&result)), told(&reports, Some(&result)))
    };
    for (number, alive) in [(1, true), (2, false)] {
        let taken_and_launched = || {
            elsewhere(|| take(&reports, number));
            elsewhere(launches)
        };
        let writes = |then: &dyn Fn()| {
            write(&reports, &block);
            if alive {
                then();
            }
        };
        let told = if alive {
            two_threads(|then| writes(then), taken_and_launched)
        } else {
            elsewhere(|| writes(&|| {}));
            taken_and_launched()
        };
        assert_eq!(told, (number, 0), "alive: {alive}");
    }
    assert_eq!(elsewhere(launches), (0, 0));
}

/// If all threads read memory of a thread that got the report, this is looked up once.
#[test]
fn what_a_told_thread_has_written_is_of_no_interest() {
    let (reports, table) = (Arc::new(Reports::default()), Written::default());
    write(&reports, &table);
    take(&reports, 1);
    let before = table.0.load(Ordering::Relaxed);
    assert_eq!(elsewhere(|| told(&reports, Some(&table))), 0);
    let after = table.0.load(Ordering::Relaxed);
    assert_eq!((unpack(before).unwrap().0, unpack(after).unwrap().0), (0, 1));
}

#[test]
fn devices_have_their_own_books() {
    let (one, two) = <(Arc<Reports>, Arc<Reports>)>::default();
    let block = Written::default();
    write(&one, &block);
    elsewhere(|| take(&two, 1));
    assert_eq!((told(&one, Some(&block)), told(&two, None)), (0, 0));
    let books = || PLACES.with_borrow(Vec::len);
    assert_eq!(books(), 2);
    drop(one);
    write(&Arc::default(), &block);
    assert_eq!(books(), 2, "of devices that are gone nothing is left");
}

/// Random threads on a device that keeps the first panic and loses the ones after it: a thread
/// whose work fails gets a report from its next wait.
#[test]
fn nothing_that_is_lost_goes_untold() {
    let rounds = if cfg!(miri) { 1 } else { 200 };
    for seed in 1..=rounds {
        let reports = Arc::new(Reports::default());
        let pending = Lock::new(false);
        let tellings = thread::scope(|scope| {
            let threads: Vec<_> = (0..4u64)
                .map(|thread| {
                    let (reports, pending) = (&reports, &pending);
                    scope.spawn(move || {
                        let mut random = (seed * 4 + thread + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                        let (own, mut untold, mut sum) = (Written::default(), false, 0);
                        for _ in 0..50 {
                            random ^= random << 13;
                            random ^= random >> 7;
                            random ^= random << 17;
                            if random % 3 > 0 {
                                write(reports, &own);
                                // A failing loop: the device keeps its panic, or has one already.
                                let mut pending = pending.lock();
                                *pending = true;
                                untold = true;
                                continue;
                            }
                            let mut pending = pending.lock();
                            if *pending {
                                let taken = reports.take(panic(1).into(), || {
                                    *pending = false;
                                    Ok(())
                                });
                                taken.unwrap().tell(|| None);
                                drop(pending);
                                (untold, sum) = (false, sum + 1);
                            } else {
                                drop(pending);
                                let was_told = told(reports, Some(&own)) > 0;
                                assert!(was_told || !untold, "seed {seed}");
                                untold = false;
                                sum += u64::from(was_told);
                            }
                        }
                        sum
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
        });
        assert!(tellings > 0);
    }
}

/// Until there is room for another panic, failing work leaves no record. So later launches of a
/// thread without the report count as earlier ones.
#[test]
fn what_a_thread_launches_before_it_is_told_is_as_its_earlier_work() {
    let (reports, before, behind) = <(Arc<Reports>, Written, Written)>::default();
    write(&reports, &before);
    elsewhere(|| take(&reports, 1));
    write(&reports, &behind);
    assert_eq!(elsewhere(|| told(&reports, Some(&behind))), 1);
    assert_eq!(told(&reports, None), 1);
    write(&reports, &behind);
    assert_eq!(elsewhere(|| told(&reports, Some(&behind))), 0);
}

/// The user's code formats a message after the panic is taken. A wait there returns the panic, and
/// so does a wait of another thread, with the text that there is. Then the thread itself gets it
/// with its message.
#[test]
fn a_message_is_formatted_by_code_that_waits() {
    let (reports, block) = (Arc::new(Reports::default()), Written::default());
    write(&reports, &block);
    let text = |reports: &Arc<Reports>, reads| match reports.check(reads) {
        Ok(()) => String::new(),
        Err(Error::KernelPanic { message, .. }) => message,
        Err(error) => panic!("{error}"),
    };
    let taken = reports.take(Panic::unformatted(panic(1)), || Ok(())).unwrap();
    let error = taken.tell(|| {
        let [first, second] = [(); 2].map(|()| text(&reports, Some(&block)));
        assert_eq!([first.as_str(), &second], ["its message is still being formatted", ""]);
        // A later panic, which this thread takes in the meantime, and work after it.
        take(&reports, 2);
        write(&reports, &block);
        Some("formatted".to_owned())
    });
    assert_eq!(error.to_string(), "kernel `k` panicked at k.rs:1:1: formatted");
    assert_eq!((told(&reports, None), told(&reports, Some(&block))), (0, 0), "the later one has been told");
    let taken = reports.take(Panic::unformatted(panic(3)), || Ok(())).unwrap();
    write(&reports, &block);
    let elsewhere_told = || elsewhere(|| text(&reports, Some(&block)));
    let error = taken.tell(|| {
        assert_eq!(elsewhere_told(), "its message is still being formatted", "this thread has not got it");
        Some("formatted".to_owned())
    });
    assert!(error.to_string().ends_with("formatted"));
    assert_eq!(elsewhere_told(), "", "it has got it");
    drop(reports.take(Panic::unformatted(panic(4)), || Ok(())).unwrap());
    assert_eq!((told(&reports, None), told(&reports, None)), (4, 0), "whoever does not tell it is told later");
}

/// A value of a thread whose destructor uses a device. The books of the thread are gone by then.
#[test]
fn destructors_of_thread_locals_are_told() {
    struct Last(Arc<Reports>, Arc<[Written; 2]>, std::sync::mpsc::Sender<u32>);
    impl Drop for Last {
        fn drop(&mut self) {
            assert!(PLACES.try_with(|_| ()).is_err());
            let Last(reports, blocks, sender) = self;
            let told = told(reports, Some(&blocks[0]));
            write(reports, &blocks[1]);
            sender.send(told).unwrap();
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
    }
    let (reports, blocks) = (Arc::new(Reports::default()), Arc::<[Written; 2]>::default());
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            LAST.set(Some(Last(Arc::clone(&reports), Arc::clone(&blocks), sender)));
            write(&reports, &blocks[0]);
            elsewhere(|| take(&reports, 1));
        });
    });
    assert_eq!(receiver.recv(), Ok(1), "what the thread has written may be of a failed loop");
    assert_eq!(told(&reports, Some(&blocks[1])), 0);
    elsewhere(|| take(&reports, 2));
    assert_eq!(told(&reports, Some(&blocks[1])), 2, "nobody else gets the report of that launch");
}
