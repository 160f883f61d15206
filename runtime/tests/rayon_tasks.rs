//! Launches on the CPU device in tasks of `rayon`. While a launch waits for its parts, its thread
//! must not run another task: the caller may hold a lock, or a borrow, that this task takes.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock, mpsc};
use std::time::Duration;

use anabranch::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const N: usize = 3000;

#[device]
fn work(mut v: f64, rounds: u32) -> f64 {
    for _ in 0..rounds {
        v = (v * 1.0001).sin() + 1.0;
    }
    v
}

#[kernel]
fn one_loop(x: &mut [f64]) {
    for i in par(0..x.len()) {
        x[i] = work(x[i], 20);
    }
}

#[kernel(library)]
fn locked(stream: &Stream, x: &mut [f64]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _lock = ONE_AT_A_TIME.lock().unwrap();
    // A library may launch, too.
    let device = stream.device();
    let mut own = device.filled(N, 0.5f64).unwrap();
    one_loop(&device.default_stream(), &mut own).unwrap();
    if let Some(x) = x.as_mut_slice() {
        x[0] += own.get(0).unwrap();
    }
}

#[kernel]
fn groups(x: &mut [f64], y: &mut [f64], z: &mut [f64], total: &mut [f64]) {
    stream_parallel! {
        'long: {
            for i in par(0..x.len()) { x[i] = work(x[i], 60); }
            one_loop(&mut x);
        }
        'inner: {
            stream_parallel! {
                { for i in par(0..y.len()) { y[i] = work(y[i], 10); } }
                { locked(&mut z); }
            }
        }
        'sum: { total[0] = par(0..N).map(|i| work(i as f64, 3)).sum(); }
    }
}

#[kernel]
fn libraries(x: &mut [f64], y: &mut [f64]) {
    stream_parallel! {
        { locked(&mut x); }
        { locked(&mut y); }
    }
}

/// The buffers of one task.
struct Data {
    stream: Stream,
    x: [Buffer<f64>; 4],
}

impl Data {
    fn new(device: &Device) -> Self {
        Self { stream: device.new_stream().unwrap(), x: std::array::from_fn(|_| device.filled(N, 0.5).unwrap()) }
    }
}

type Launch = fn(&mut Data);

const LAUNCHES: &[(&str, Launch)] = &[
    ("a loop", |data| one_loop(&data.stream, &mut data.x[0]).unwrap()),
    ("groups", |data| {
        let [x, y, z, total] = &mut data.x;
        groups(&data.stream, x, y, z, total).unwrap();
    }),
    ("library kernels", |data| {
        let [x, y, ..] = &mut data.x;
        libraries(&data.stream, x, y).unwrap();
    }),
    ("a graph", |data| {
        let [x, y, z, total] = &mut data.x;
        let graph = data.stream.capture(|s| groups(s, x, y, z, total)).unwrap();
        graph.launch(&data.stream).unwrap();
    }),
    ("copies and waits", |data| {
        let [x, y, ..] = &mut data.x;
        one_loop(&data.stream, x).unwrap();
        y.copy_from_buffer_async(&data.stream, x).unwrap();
        data.stream.synchronize().unwrap();
        assert_eq!(x.to_vec().unwrap(), y.to_vec().unwrap());
    }),
];

/// Ways to run tasks.
type Tasks = fn(usize, &(dyn Fn(usize) + Sync));

fn by_join(tasks: std::ops::Range<usize>, task: &(dyn Fn(usize) + Sync)) {
    match tasks.len() {
        0 => {}
        1 => task(tasks.start),
        len => {
            let middle = tasks.start + len / 2;
            rayon::join(|| by_join(tasks.start..middle, task), || by_join(middle..tasks.end, task));
        }
    }
}

const TASKS: &[(&str, Tasks)] = &[
    ("par_iter", |tasks, task| (0..tasks).into_par_iter().with_max_len(1).for_each(task)),
    ("scope", |tasks, task| rayon::scope(|scope| (0..tasks).for_each(|i| scope.spawn(move |_| task(i))))),
    ("join", |tasks, task| by_join(0..tasks, task)),
    ("a pool in a pool", |tasks, task| {
        let inner = pool(3);
        (0..2).into_par_iter().for_each(|half| {
            inner.install(|| (0..tasks / 2).into_par_iter().with_max_len(1).for_each(|i| task(i + half * (tasks / 2))));
        });
    }),
];

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Fails instead of hanging. A hung thread stays until the process ends.
fn ends(name: &str, run: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        run();
        sender.send(()).unwrap();
    });
    match receiver.recv_timeout(Duration::from_secs(120)) {
        Ok(()) => {}
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name}: no end after two minutes"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            thread.join().unwrap_or_else(|_| panic!("{name}: a task has panicked; see above"));
        }
    }
}

thread_local! {
    /// Borrowed while this thread is in a task.
    static IN_TASK: RefCell<()> = const { RefCell::new(()) };
}

/// Holds a lock, or a borrow of a thread-local, around each launch.
fn check(threads: usize, lock: bool) {
    for (task_name, tasks) in TASKS {
        for (launch_name, launch) in LAUNCHES {
            let name = format!("{launch_name} in {task_name} with {threads} threads");
            ends(&name, move || {
                let device = Device::cpu();
                let data: Vec<Mutex<Data>> = (0..8).map(|_| Mutex::new(Data::new(&device))).collect();
                let (mutex, rw) = (Mutex::new(()), RwLock::new(()));
                pool(threads).install(|| {
                    tasks(data.len(), &|i| {
                        IN_TASK.with(|in_task| {
                            let _borrow = in_task.try_borrow_mut().expect("a launch has run another task");
                            let _lock = lock.then(|| (mutex.lock().unwrap(), rw.write().unwrap()));
                            launch(&mut data[i].lock().unwrap());
                        });
                    });
                });
            });
        }
    }
}

#[test]
fn a_launch_runs_no_other_task() {
    [1, 2, 5].into_iter().for_each(|threads| check(threads, false));
}

#[test]
fn a_lock_around_a_launch_is_no_deadlock() {
    check(4, true);
}

/// All workers wait for a lock, and the thread that holds it launches.
#[test]
fn a_launch_needs_no_worker() {
    ends("a launch while all workers wait", || {
        let mut data = Data::new(&Device::cpu());
        let blocked = Arc::new((Mutex::new(0), Condvar::new()));
        let lock = Arc::new(Mutex::new(()));
        let held = lock.lock().unwrap();
        let workers = rayon::current_num_threads();
        for _ in 0..workers {
            let (blocked, lock) = (Arc::clone(&blocked), Arc::clone(&lock));
            rayon::spawn(move || {
                *blocked.0.lock().unwrap() += 1;
                blocked.1.notify_all();
                drop(lock.lock().unwrap());
            });
        }
        drop(blocked.1.wait_while(blocked.0.lock().unwrap(), |blocked| *blocked < workers).unwrap());
        LAUNCHES.iter().for_each(|(_, launch)| launch(&mut data));
        drop(held);
    });
}

/// A graph that uses what another one uses cannot wait for it in a task of `rayon`; others need
/// not.
#[test]
fn graphs_in_tasks() {
    let device = Device::cpu();
    let table = device.filled(N, 0.5f64).unwrap();
    #[kernel]
    fn from_table(x: &mut [f64], table: &[f64]) {
        for i in par(0..x.len()) {
            x[i] = work(table[i % table.len()], 20);
        }
    }
    let mut buffer = device.filled(8 * N, 0.0).unwrap();
    // The graphs write parts of one buffer, and all read the same table.
    let graphs: Vec<(Graph, Stream)> = buffer
        .chunks_mut(N)
        .map(|mut part| {
            let stream = device.new_stream().unwrap();
            let graph = stream.capture(|s| from_table(s, &mut part, &table)).unwrap();
            (graph, stream)
        })
        .collect();
    for _ in 0..20 {
        pool(4)
            .install(|| graphs.par_iter().with_max_len(1).try_for_each(|(graph, stream)| graph.launch(stream)))
            .unwrap();
    }
    let mut expected = device.filled(8 * N, 0.0).unwrap();
    from_table(&device.default_stream(), &mut expected, &table).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), expected.to_vec().unwrap());
    // The same graph in two tasks: either may be refused, and both results are right.
    let twice = || graphs[0].0.launch(&graphs[0].1);
    let (first, second) = pool(2).install(|| rayon::join(twice, twice));
    for launched in [first, second] {
        assert!(matches!(launched, Ok(()) | Err(Error::GraphUnderWay)), "{launched:?}");
    }
}

/// Groups run at the same time, on threads of the pool in which the kernel is launched.
#[test]
fn a_launch_uses_the_pool_around_it() {
    /// The library kernels of both groups wait for each other.
    static BOTH: Barrier = Barrier::new(2);
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    #[kernel(library)]
    fn meet(stream: &Stream, x: &mut [f64]) {
        let _ = (stream, x);
        BOTH.wait();
        if rayon::current_thread_index().is_some() {
            THREADS.fetch_max(rayon::current_num_threads(), Ordering::Relaxed);
        }
    }
    #[kernel]
    fn two(x: &mut [f64], y: &mut [f64]) {
        stream_parallel! { { meet(&mut x); } { meet(&mut y); } }
    }
    ends("groups that wait for each other", || {
        let mut data = Data::new(&Device::cpu());
        let [x, y, ..] = &mut data.x;
        for threads in [2, 7] {
            pool(threads).install(|| two(&data.stream, x, y).unwrap());
            assert_eq!(THREADS.load(Ordering::Relaxed), threads);
        }
    });
}
