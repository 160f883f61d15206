//! The sources of all kernels through a compiler for GPUs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use crate::kernels::{self, Source};

/// One of `parts` equal shares of the test suites' kernels, a different one each day; all of them
/// if `ANABRANCH_ARCHITECTURES` is set, and the one that `ANABRANCH_KERNEL` names. A compiler takes
/// a third of a second for each.
pub fn of_today(parts: usize) -> Vec<Source> {
    let all = kernels::all();
    assert!(all.len() > 40, "the list of kernels is not complete: {}", all.len());
    if let Ok(name) = std::env::var("ANABRANCH_KERNEL") {
        let named: Vec<Source> = all.into_iter().filter(|source| source.name == name).collect();
        assert!(!named.is_empty(), "no list of kernels has `{name}`");
        return named;
    }
    if std::env::var_os("ANABRANCH_ARCHITECTURES").is_some() {
        return all;
    }
    let days = UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs() / 86_400);
    all.into_iter().skip(days as usize % parts).step_by(parts).collect()
}

/// The targets for which a source is compiled: one of them in turns, or all of them if
/// `ANABRANCH_ARCHITECTURES` is set.
fn turns<T: Copy>(at: usize, targets: &[T]) -> Vec<T> {
    match std::env::var_os("ANABRANCH_ARCHITECTURES") {
        None if !targets.is_empty() => vec![targets[at % targets.len()]],
        _ => targets.to_vec(),
    }
}

/// Compiles all sources, on all cores, and collects the errors of `compile`.
pub fn in_turns<T: Copy + Sync>(
    sources: &[Source],
    targets: &[T],
    compile: impl Fn(&Source, T) -> Result<(), String> + Sync,
) -> Vec<String> {
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(number) else { break };
            for target in turns(number, targets) {
                if let Err(complaint) = compile(source, target) {
                    complaints.lock().unwrap().push(complaint);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    complaints.into_inner().unwrap()
}
