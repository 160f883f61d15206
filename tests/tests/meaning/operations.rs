//! A list of operations becomes a kernel, a function of plain Rust, and their comparison on every
//! device.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use anabranch::prelude::*;
use anabranch::private::offline::{nvrtc_compile, nvrtc_found};
use anabranch_tests::gpus;

use crate::operands::Operand;

/// Declares operations on the same operands with the same type of result, as a module.
///
/// A row is `name: expression`, which device code and plain Rust both evaluate. Where Rust means
/// something else in debug builds, `=> expression` says what release builds of plain Rust do;
/// `within n` is how many units in the last place a GPU may be off.
macro_rules! operations {
    (
        $module:ident [$($G:ident: $Bound:ident)?] ($($arg:ident: $A:ty),*) -> $R:ty {
            $($op:ident $(within $ulps:literal)?: $device:expr $(=> $plain:expr)?),* $(,)?
        }
    ) => {
        #[allow(non_camel_case_types, non_upper_case_globals, dead_code, unused_imports, unused_variables, unused_comparisons)]
        #[allow(unused_parens, unused_must_use, clippy::all, clippy::pedantic)]
        pub(crate) mod $module {
            use super::*;
            use anabranch::prelude::*;
            use $crate::numbers::Release;
            use $crate::operands::{Operand, Sets};
            use $crate::operations::{Operation, Tally, compare};

            /// The rows, in the order of their numbers.
            pub(crate) const OPERATIONS: &[Operation] = &[$(Operation {
                name: stringify!($op),
                device: stringify!($device),
                ulps: 0 $(+ $ulps)?,
            }),*];

            enum Op { $($op),* }
            mod number { $(pub(super) const $op: u32 = super::Op::$op as u32;)* }

            /// Operation `op` on the sets of operands whose numbers are in `which`.
            #[kernel]
            pub(crate) fn kernel$(<$G: $Bound>)?(op: u32, which: &[u32], $($arg: &[$A],)* out: &mut [$R]) {
                for k in par(0..which.len()) {
                    let set = which[k] as usize;
                    $(let $arg = $arg[set];)*
                    out[k] = match op {
                        $(number::$op => $device,)*
                        _ => unreachable!(),
                    };
                }
            }

            operations! { @plain [$($G)?] ($($arg: $A),*) -> $R { $($op: $device $(=> $plain)?),* } }

            /// Compares the kernel with `plain`, an equal list of operations in plain Rust.
            pub(crate) fn check_against$(<$G: $Bound + Operand>)?(
                tally: &mut Tally,
                plain: impl Fn(u32, $($A),*) -> $R,
            ) {
                let sets = Sets::new(&[$(<$A as Operand>::edges().len()),*]);
                let mut columns = 0..;
                $(let $arg: Vec<$A> = sets.column(columns.next().unwrap_or(0));)*
                compare(
                    tally,
                    module_path!(),
                    OPERATIONS,
                    sets.len(),
                    |op, set| plain(op, $($arg[set]),*),
                    |set| [$(format!("{} = {:?}", stringify!($arg), $arg[set])),*].join(", "),
                    &kernel::cuda_source$(::<$G>)?(),
                    |device| kernel::prepare$(::<$G>)?(device),
                    |device| {
                        $(let $arg = device.buffer_from(&$arg)?;)*
                        Ok(move |stream: &Stream, op, which: &Slice<'_, u32>, out: &mut SliceMut<'_, $R>| {
                            kernel(stream, op, which, $(&$arg,)* out)
                        })
                    },
                );
            }
        }
    };
    (@plain [] ($($arg:ident: $A:ty),*) -> $R:ty { $($op:ident: $device:expr $(=> $plain:expr)?),* }) => {
        /// The same in plain Rust.
        pub(crate) fn plain(op: u32, $($arg: $A),*) -> $R {
            match op {
                $(number::$op => operations!(@release $device $(, $plain)?),)*
                _ => unreachable!(),
            }
        }

        pub(crate) fn check(tally: &mut Tally) {
            check_against(tally, plain);
        }
    };
    // The plain Rust of generic operations is that of the concrete ones.
    (@plain [$G:ident] $($rest:tt)*) => {};
    (@release $device:expr) => { $device };
    (@release $device:expr, $plain:expr) => { $plain };
}

/// One row.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// Its device code.
    pub(crate) device: &'static str,
    /// How far a GPU may be off, in units in the last place.
    pub(crate) ulps: u128,
}

impl Operation {
    /// Its device code without spaces, to look for calls in.
    pub(crate) fn calls(&self) -> String {
        self.device.replace(' ', "")
    }
}

/// What has been compared, and the first differences.
#[derive(Default)]
pub(crate) struct Tally {
    operations: usize,
    results: usize,
    panics: usize,
    different: Vec<String>,
}

impl Tally {
    /// Prints what was done, and fails if anything differed.
    #[track_caller]
    pub(crate) fn finish(self, what: &str) {
        let Self { operations, results, panics, different } = self;
        eprintln!("{what}: {operations} operations, {results} results and {panics} panics compared");
        assert!(different.is_empty(), "{} differences:\n{}", different.len(), different.join("\n"));
    }
}

/// The most panics of an operation with the same words that are launched, each by itself.
const PANICS: usize = 16;

/// The words of a panic without what they say of the operands of `clamp`, which device code cannot
/// report.
fn words(panic: &str) -> &str {
    panic.split(". min = ").next().unwrap_or_default()
}

/// Runs every operation on every device and compares the results with those of plain Rust.
#[allow(clippy::too_many_arguments)]
pub(crate) fn compare<R: Operand, K>(
    tally: &mut Tally,
    list: &str,
    operations: &[Operation],
    sets: usize,
    plain: impl Fn(u32, usize) -> R,
    show: impl Fn(usize) -> String,
    source: &str,
    prepare: impl Fn(&Device) -> anabranch::Result<()>,
    load: impl Fn(&Device) -> anabranch::Result<K>,
) where
    K: Fn(&Stream, u32, &Slice<'_, u32>, &mut SliceMut<'_, R>) -> anabranch::Result<()>,
{
    // The results of every operation, or the words of its panic.
    let expected: Vec<Vec<Result<R, String>>> =
        (0..operations.len() as u32).map(|op| (0..sets).map(|set| caught(|| plain(op, set))).collect()).collect();
    let devices = devices();
    if devices.iter().all(Device::is_cpu) {
        compiles(list, source);
    }
    for device in devices {
        prepare(&device).unwrap_or_else(|e| panic!("{list} on {device}: {e}"));
        // The panics of device code are reported to whoever waits next.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _turn = (!device.is_cpu()).then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
        // And to each other thread that has launched something: here come those of the turns
        // before.
        let _ = device.default_stream().synchronize();
        let launch = load(&device).unwrap();
        let stream = device.default_stream();
        let numbers: Vec<u32> = (0..sets as u32).collect();
        let all = device.buffer_from(&numbers).unwrap();
        let mut some = device.buffer_from(&numbers).unwrap();
        let mut out = device.zeros(sets).unwrap();
        for (op, (operation, expected)) in operations.iter().zip(&expected).enumerate() {
            let mut differs = |set: usize, got: &dyn std::fmt::Debug, want: &dyn std::fmt::Debug| {
                tally.different.push(format!(
                    "{list}::{} `{}` of {} on {device}: {got:?}, not {want:?}",
                    operation.name,
                    operation.device,
                    show(set)
                ));
            };
            let ulps = if device.is_cpu() { 0 } else { operation.ulps };
            let (good, bad): (Vec<u32>, Vec<u32>) = (0..sets as u32).partition(|&set| expected[set as usize].is_ok());
            let mut results = || {
                if good.len() < sets {
                    let padded: Vec<u32> = good.iter().chain(&numbers[good.len()..]).copied().collect();
                    some.copy_from(&padded)?;
                }
                let which = if good.len() < sets { &some } else { &all };
                launch(&stream, op as u32, &which.slice(..good.len()), &mut out.slice_mut(..good.len()))?;
                out.to_vec()
            };
            match results() {
                Ok(results) => {
                    let mut wrong = 0;
                    for (&set, got) in good.iter().zip(results) {
                        if let Ok(want) = expected[set as usize]
                            && got.apart(want) > ulps
                        {
                            wrong += 1;
                            if wrong <= 3 {
                                differs(set as usize, &got, &want);
                            }
                        }
                    }
                }
                Err(error) => differs(good.first().map_or(0, |&set| set as usize), &error, &"results"),
            }
            tally.operations += 1;
            tally.results += good.len();
            let mut launched = HashMap::<String, usize>::new();
            for set in bad.into_iter().map(|set| set as usize) {
                let Err(want) = &expected[set] else { continue };
                let kind = words(want).replace(|c: char| c.is_ascii_digit(), "");
                let same = launched.entry(kind).or_default();
                *same += 1;
                if *same > PANICS {
                    continue;
                }
                launch(&stream, op as u32, &all.slice(set..=set), &mut out.slice_mut(..1)).unwrap();
                match stream.synchronize() {
                    Err(Error::KernelPanic { message, .. }) if message == words(want) => {}
                    got => differs(set, &got, want),
                }
                tally.panics += 1;
            }
        }
    }
}

/// The CPU, and the first GPU if there is one.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::cpu()];
    if gpus::gpu_count().unwrap() > 0 {
        devices.push(gpus::gpu(0).unwrap());
    } else {
        static SAID: Once = Once::new();
        SAID.call_once(|| eprintln!("skipped: no GPU"));
    }
    devices
}

/// Without a CUDA device the generated source is at least compiled, with nothing to say about it.
fn compiles(list: &str, source: &str) {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let found = nvrtc_found();
        if let Err(error) = &found {
            assert!(std::env::var_os("CI").is_none(), "CI needs NVRTC: {error}");
            eprintln!("skipped: {error}");
        }
        found.is_ok()
    });
    if *found {
        let (_, log) = nvrtc_compile(source, 90).unwrap_or_else(|error| panic!("{list}: {error}\n{source}"));
        assert!(log.is_empty(), "{list}: {log}");
    }
}

/// The value, or the words of the panic, of which nothing is printed.
fn caught<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                loud(info);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    result.map_err(|payload| match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    })
}
