//! The common part of all scratch crates: runs each program as plain Rust and on a device, and
//! prints what differs. Lines for the fuzzer on standard output:
//!
//! `loop 0 WHETHER IN LANES` for each loop; then for each program `start NUMBER`, and
//! `same NUMBER ITERATIONS PANICS` or `differs NUMBER TEXT`.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicI64;

use anabranch::{Buffer, Device, Error, Stream};

/// The number of iterations of a program.
const N: usize = 24;
/// The number of elements of `lanes` for each iteration.
const ROOM: usize = 512;
/// Up to this many iterations that panic are launched one by one.
const PANICS: usize = 3;

/// A program in both forms.
pub struct Program {
    pub number: usize,
    pub seed: u64,
    /// Its iterations are blocks. If a thread fails, the output of the others is unspecified.
    pub blocks: bool,
    /// The program is a host part, which runs once.
    pub whole: bool,
    pub plain: fn(usize, usize, &Inputs, &mut Outputs),
    /// Returns the lines that it printed since the last call.
    pub printed: fn() -> Vec<String>,
    pub launch: fn(&Stream, usize, usize, &mut Buffers) -> anabranch::Result<()>,
    /// The locations of its items and of its body: line in the plain file, line in the kernels'
    /// file, number of lines.
    pub parts: [[u32; 3]; 2],
}

macro_rules! inputs {
    ([$($result:ident: $of:ty),*], $($name:ident: $ty:ty),*) => {
        /// The inputs of the programs.
        pub struct Inputs {
            pub n: usize, pub int: i32, pub real: f32, $(pub $name: Vec<$ty>,)* pub grid: Vec<f32>, pub volume: Vec<i32>,
        }
        /// The inputs on a device, and the outputs.
        pub struct Buffers {
            pub n: usize, pub int: i32, pub real: f32, $(pub $name: Buffer<$ty>,)* pub own: Buffer<i64>, pub lanes: Buffer<i64>, pub out: Buffer<u64>,
            $(pub $result: Buffer<$of>,)* pub pairs: Buffer<crate::Two<i64, f32>>, pub cells: Buffer<i64>,
            pub grid: Buffer<f32, 2>, pub volume: Buffer<i32, 3>, pub rows: Buffer<i64, 2>,
        }
        /// The outputs of the programs.
        pub struct Outputs {
            pub own: Vec<i64>, pub rows: Vec<i64>, pub lanes: Vec<i64>, pub out: Vec<u64>, pub pairs: Vec<(i64, f32)>, pub cells: Vec<AtomicI64>, $(pub $result: Vec<$of>,)*
        }
        impl Outputs {
            fn new() -> Self {
                Self { own: own(), rows: own(), lanes: vec![0; ROOM * N], out: vec![0; N], pairs: vec![(0, 0.0); N], cells: cells().into_iter().map(AtomicI64::new).collect(), $($result: vec![Default::default(); N],)* }
            }
            fn of(buffers: &Buffers) -> anabranch::Result<Self> {
                let rows = buffers.rows.part(ROWS).to_vec()?;
                let pairs = buffers.pairs.to_vec()?.iter().map(|pair| (pair.x, pair.float)).collect();
                Ok(Self { cells: buffers.cells.to_vec()?.into_iter().map(AtomicI64::new).collect(), own: buffers.own.to_vec()?, rows, lanes: buffers.lanes.to_vec()?, out: buffers.out.to_vec()?, pairs, $($result: buffers.$result.to_vec()?,)* })
            }
            /// The first element that differs. All NaNs are equal, and zeros have a sign.
            fn differs(&self, device: &Self) -> Option<String> {
                let all = [$((stringify!($result), told(&self.$result), told(&device.$result)),)* ("pairs", told(&self.pairs), told(&device.pairs)),
                    ("own", told(&self.own), told(&device.own)), ("rows", told(&self.rows), told(&device.rows)), ("lanes", told(&self.lanes), told(&device.lanes)), ("out", told(&self.out), told(&device.out))];
                all.into_iter().find_map(|(name, rust, device)| {
                    let at = (0..rust.len()).find(|&at| rust[at] != device[at])?;
                    Some(format!("{name}[{at}]\nrust: {}\ndevice: {}", rust[at], device[at]))
                })
            }
        }
        impl Inputs {
            fn new(rng: &mut Rng) -> Self {
                Self { n: N, int: Value::random(rng), real: Value::random(rng), $($name: rng.slice(),)* grid: rng.slice(), volume: rng.slice() }
            }
            fn buffers(&self, device: &Device) -> anabranch::Result<Buffers> {
                let Self { n, int, real, .. } = *self;
                $(let $name = device.buffer_from(&self.$name)?;)*
                let volume = device.grid_from(&self.volume, [2, 3, 4])?;
                let (mut grid, mut rows) = (device.grid_zeros([6, 9])?, device.grid_filled([N, 7], MARGIN)?);
                grid.part_mut(GRID).copy_from(&self.grid)?;
                rows.part_mut(ROWS).copy_from(&own())?;
                $(let $result = device.zeros(N)?;)*
                let pairs = device.buffer_from(&[crate::Two { x: 0, float: 0.0 }; N])?;
                Ok(Buffers { $($result,)* pairs, cells: device.buffer_from(&cells())?, n, int, real, $($name,)* own: device.buffer_from(&own())?, lanes: device.zeros(ROOM * N)?, out: device.zeros(N)?, grid, volume, rows })
            }
        }
    };
}
/// Rust prints the shortest text that means the same bits.
fn told<T: std::fmt::Debug>(values: &[T]) -> Vec<String> {
    values.iter().map(|value| format!("{value:?}")).collect()
}
inputs! {
    [flags: bool, bytes: u8, ints: i32, counts: usize, wide: i128, reals: f32, doubles: f64],
    bools: bool, i8s: i8, i16s: i16, i32s: i32, i64s: i64, i128s: i128, isizes: isize,
    u8s: u8, u16s: u16, u32s: u32, u64s: u64, u128s: u128, usizes: usize, f32s: f32, f64s: f64
}

/// The parts of buffers that the programs get as grids, and the elements next to the grid that they
/// write.
pub const GRID: (std::ops::Range<usize>, std::ops::Range<usize>) = (1..5, 2..8);
pub const ROWS: (std::ops::RangeFull, std::ops::Range<usize>) = (.., 1..5);
const MARGIN: i64 = -77;

/// The initial contents of `own` and the rows.
fn own() -> Vec<i64> {
    (0..4 * N as i64).map(|at| at * at - 50).collect()
}

/// The initial contents of `cells`: small numbers, which programs expect.
fn cells() -> Vec<i64> {
    (0..N as i64).map(|at| at % 5 - 1).collect()
}

pub struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
    }
    fn slice<T: Value>(&mut self) -> Vec<T> {
        (0..N).map(|_| T::random(self)).collect()
    }
}

/// A type with edge cases.
trait Value: Sized {
    fn random(rng: &mut Rng) -> Self;
}
impl Value for bool {
    fn random(rng: &mut Rng) -> Self {
        rng.next() % 2 == 0
    }
}
macro_rules! ints { ($($ty:ty)*) => { $(
    impl Value for $ty {
        fn random(rng: &mut Rng) -> Self {
            let bits = (u128::from(rng.next()) << 80 ^ u128::from(rng.next()) << 40 ^ u128::from(rng.next())) as $ty;
            match rng.next() % 10 {
                0 => <$ty>::MAX,
                1 => <$ty>::MIN,
                2 => (0 as $ty).wrapping_sub(1),
                3 => bits,
                4 => bits >> (rng.next() as u32 % <$ty>::BITS),
                _ => (rng.next() % 40) as $ty,
            }
        }
    }
)* } }
ints!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);
macro_rules! floats { ($($ty:ident: $bits:ty),*) => { $(
    impl Value for $ty {
        fn random(rng: &mut Rng) -> Self {
            let edges = [
                0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, $ty::NAN, $ty::INFINITY, $ty::NEG_INFINITY, $ty::MAX, $ty::MIN,
                $ty::MIN_POSITIVE, $ty::EPSILON, 2147483648.0, 4294967296.0, -2147483649.0, 9.3e18, 1e-40 as $ty, 255.5, 65536.25,
            ];
            match rng.next() % 4 {
                0 => edges[rng.next() as usize % edges.len()],
                1 => $ty::from_bits((rng.next() << 24 ^ rng.next()) as $bits),
                2 => (rng.next() % 2000) as $ty / 8.0 - 100.0,
                _ => (rng.next() % 100) as $ty,
            }
        }
    }
)* } }
floats!(f32: u32, f64: u64);

/// A panic. Its line is counted from the beginning of its part, and is missing if it is in std.
#[derive(Clone, PartialEq, Debug)]
struct Panic {
    message: String,
    line: Option<(usize, u32)>,
    /// Reported by the launch, before any iteration runs.
    refused: bool,
}

impl Program {
    /// The different panics of plain Rust since they were last taken.
    fn caught(&self) -> Vec<Panic> {
        let mut panics: Vec<Panic> = Vec::new();
        for (message, file, line) in CAUGHT.take() {
            let line = if file.contains("plain") { self.relative(0, line) } else { None };
            // A value of each thread is an array there.
            let panic = Panic { message: message.replace("[tid]", ""), line, refused: false };
            if !panics.contains(&panic) {
                panics.push(panic);
            }
        }
        panics
    }

    fn relative(&self, file: usize, line: u32) -> Option<(usize, u32)> {
        let begins = self.parts.iter().map(|part| (part[file], part[2])).enumerate();
        begins.filter(|&(_, (begin, lines))| (begin..begin + lines).contains(&line)).map(|(at, (begin, _))| (at, line - begin)).next()
    }
}

impl std::fmt::Display for Panic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let part = |part| if part == 0 { "the items" } else { "the body" };
        match self.line {
            Some((at, line)) => write!(f, "panic on line {line} of {}: {}", part(at), self.message),
            None => write!(f, "panic: {}", self.message),
        }
    }
}

impl Panic {
    fn agrees(&self, device: &Panic) -> bool {
        // Without the operands of `clamp`, which a device does not report.
        let message = self.message.split(". min =").next().unwrap_or_default();
        // The launch does not report the dimension of a grid.
        let of_grid = [" of dimension 0", " of dimension 1", " of dimension 2"];
        let said = of_grid.iter().fold(message.to_owned(), |text, of| text.replace(of, ""));
        let message = if device.refused { said.as_str() } else { message };
        // rustc reformats a long condition.
        let words = |text: &str| text.replace(|c: char| c.is_whitespace() || "(){},;".contains(c), "");
        let same = match device.message.strip_suffix(&i64::MAX.to_string()) {
            // The launch cannot represent an index that is further out.
            Some(text) if device.refused => message.starts_with(text),
            _ => words(message) == words(&device.message),
        };
        // An iteration that the launch rejects may fail in another way before it reaches that
        // access.
        let other = device.refused && self.line != device.line;
        other || same && (self.line.is_none() || self.line == device.line)
    }
}

thread_local! {
    /// Message, file and line of the panics since they were last taken.
    static CAUGHT: RefCell<Vec<(String, String, u32)>> = const { RefCell::new(Vec::new()) };
}

fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or_default().to_owned();
        let (file, line) = info.location().map_or((String::new(), 0), |at| (at.file().to_owned(), at.line()));
        CAUGHT.with_borrow_mut(|all| all.push((message, file, line)));
    }));
}

/// Runs all programs, or from the program whose number is given on.
pub fn main(programs: &[Program], plans: &[fn() -> anabranch::Plan]) {
    let args: Vec<String> = std::env::args().collect();
    let (device, first): (&str, usize) = (&args[1], args[2].parse().unwrap());
    let device = match device {
        "cpu" => Device::cpu(),
        "hip" => Device::hip(0).unwrap(),
        _ => Device::cuda(0).unwrap(),
    };
    keep_panics_quiet();
    for plan in plans {
        plan().lanes().for_each(|lanes| println!("loop 0 {}", lanes.err().unwrap_or("in lanes")));
    }
    for program in programs.iter().filter(|program| program.number >= first) {
        println!("start {}", program.number);
        let inputs = Inputs::new(&mut Rng(program.seed));
        let compare = if program.whole { compare_once } else { compare };
        match compare(program, &inputs, &device) {
            Ok(panics) => println!("same {} {N} {panics}", program.number),
            Err(text) => println!("differs {} {}", program.number, text.escape_debug()),
        }
    }
}

/// Returns the number of iterations that panic in the same way, or the difference.
fn compare(program: &Program, inputs: &Inputs, device: &Device) -> Result<usize, String> {
    let mut outputs = Outputs::new();
    // An iteration has one panic. A block has those of all threads, and any of them may be the
    // first.
    let (panics, printed): (Vec<Vec<Panic>>, Vec<Vec<String>>) = (0..N)
        .map(|at| {
            let run = || (program.plain)(at, at + 1, inputs, &mut outputs);
            let _ = catch_unwind(AssertUnwindSafe(run));
            (program.caught(), (program.printed)())
        })
        .unzip();
    let stream = device.default_stream();
    let failed = |error: Error| format!("the device fails: {error}");
    let said = |result: Result<(), Panic>| result.map_or_else(|panic| panic.to_string(), |()| "no panic".to_owned());
    let mut buffers = inputs.buffers(device).map_err(failed)?;

    let mut first = 0;
    while first < N {
        let end = (first..N).find(|&at| !panics[at].is_empty()).unwrap_or(N);
        if first < end {
            let (result, mut lines) = launch(program, &stream, first, end, &mut buffers);
            result.map_err(|panic| format!("rows {first} to {}\nrust: no panic\ndevice: {panic}", end - 1))?;
            // Rows print in an unspecified order.
            let mut expected = printed[first..end].concat();
            expected.sort();
            lines.sort();
            if lines != expected {
                return Err(format!("rows {first} to {}\nrust: prints {expected:?}\ndevice: prints {lines:?}", end - 1));
            }
        }
        first = end + 1;
    }
    let written = Outputs::of(&buffers).map_err(failed)?;
    for beside in [0..1, 5..7] {
        let beside = buffers.rows.part((.., beside)).to_vec().map_err(failed)?;
        if beside.iter().any(|element| *element != MARGIN) {
            return Err(format!("the device writes beside the rows: {beside:?}"));
        }
    }
    for at in (0..N).filter(|&at| panics[at].is_empty()) {
        let differs = (ROOM * at..ROOM * (at + 1)).find(|&lane| outputs.lanes[lane] != written.lanes[lane]);
        if let Some(lane) = differs {
            return Err(format!("row {at}, lane {}\nrust: {}\ndevice: {}", lane % ROOM, outputs.lanes[lane], written.lanes[lane]));
        }
        let four = 4 * at..4 * at + 4;
        let of = |outputs: &'_ Outputs| {
            let cell = outputs.cells[at].load(std::sync::atomic::Ordering::Relaxed);
            ((outputs.own[four.clone()].to_vec(), outputs.rows[four.clone()].to_vec(), cell), outputs.out[at])
        };
        let (rust, device) = (of(&outputs), of(&written));
        if rust != device {
            return Err(format!("row {at}\nrust: own {:?}, out {:#x}\ndevice: own {:?}, out {:#x}", rust.0, rust.1, device.0, device.1));
        }
    }

    let panicking = (0..N).filter(|&at| !panics[at].is_empty()).map(|at| (at, &panics[at]));
    for (at, expected) in panicking.clone().take(PANICS) {
        match launch(program, &stream, at, at + 1, &mut buffers) {
            (Err(panic), lines)
                if expected.iter().any(|expected| expected.agrees(&panic))
                    && (panic.refused || program.blocks || lines == printed[at]) => {}
            (other, lines) => {
                let rust = &printed[at];
                let expected: Vec<String> = expected.iter().map(Panic::to_string).collect();
                let expected = expected.join(", or ");
                return Err(format!("row {at}\nrust: {expected} prints {rust:?}\ndevice: {} prints {lines:?}", said(other)));
            }
        }
    }
    if panicking.clone().next().is_some() {
        buffers.own.copy_from(&self::own()).map_err(failed)?;
        buffers.cells.copy_from(&cells()).map_err(failed)?;
        buffers.rows.part_mut(ROWS).copy_from(&self::own()).map_err(failed)?;
        match launch(program, &stream, 0, N, &mut buffers).0 {
            Err(panic) if panics.iter().flatten().any(|expected| expected.agrees(&panic)) => {}
            other => {
                let any: Vec<String> = panics.iter().flatten().map(Panic::to_string).collect();
                return Err(format!("all rows\nrust: one of\n{}\ndevice: {}", any.join("\n"), said(other)));
            }
        }
    }
    Ok(panicking.count())
}

/// The same for a host part, which runs once: 1 if it fails.
fn compare_once(program: &Program, inputs: &Inputs, device: &Device) -> Result<usize, String> {
    let mut outputs = Outputs::new();
    let _ = catch_unwind(AssertUnwindSafe(|| (program.plain)(0, N, inputs, &mut outputs)));
    let (panics, mut expected) = (program.caught(), (program.printed)());
    let failed = |error: Error| format!("the device fails: {error}");
    let mut buffers = inputs.buffers(device).map_err(failed)?;
    let stream = device.default_stream();
    let (result, mut lines) = launch(program, &stream, 0, N, &mut buffers);
    // If a program fails twice, the second failure must not reach the next program.
    let _ = stream.synchronize();
    let rust: Vec<String> = panics.iter().map(Panic::to_string).collect();
    let rust = rust.join(", or ");
    match result {
        Err(panic) if panics.iter().any(|expected| expected.agrees(&panic)) => return Ok(1),
        Err(panic) => return Err(format!("rust: {}\ndevice: {panic}", if rust.is_empty() { "no panic" } else { &rust })),
        Ok(()) if !panics.is_empty() => return Err(format!("rust: {rust}\ndevice: no panic")),
        Ok(()) => {}
    }
    // Iterations print in an unspecified order.
    expected.sort();
    lines.sort();
    if lines != expected {
        return Err(format!("rust: prints {expected:?}\ndevice: prints {lines:?}"));
    }
    outputs.differs(&Outputs::of(&buffers).map_err(failed)?).map_or(Ok(0), Err)
}

/// The result of a run, and the lines that it prints.
fn launch(
    program: &Program,
    stream: &Stream,
    first: usize,
    end: usize,
    buffers: &mut Buffers,
) -> (Result<(), Panic>, Vec<String>) {
    let mut result = Ok(());
    let lines = anabranch::private::output::capture(|| {
        result = (program.launch)(stream, first, end, buffers).and_then(|()| stream.synchronize());
    });
    let lines = lines.into_iter().map(|(_, text)| text).collect();
    let result = result.map_err(|error| match error {
        // A condition may name a field where plain Rust has a variable.
        Error::KernelPanic { message, line, .. } => Panic { message: message.replace("environment.", ""), line: program.relative(1, line), refused: false },
        Error::OutOfBounds { index, len, line, .. } => Panic {
            message: format!("index out of bounds: the len is {len} but the index is {}", index as usize),
            line: program.relative(1, line),
            refused: true,
        },
        Error::Compile { log, .. } => {
            let errors: Vec<&str> = log.lines().filter(|line| line.contains("error")).collect();
            let log = if errors.is_empty() { log } else { errors.join("\n") };
            Panic { message: format!("the source does not compile: {log}"), line: None, refused: false }
        }
        other => Panic { message: format!("the launch fails: {other}"), line: None, refused: false },
    });
    (result, lines)
}
