//! Kernels on a device: source, cubin (from the cache or from the compiler), module, functions, and
//! the messages of their panics.

#![allow(unsafe_code, reason = "it passes on the contract of an image")]

use std::ffi::CString;
use std::sync::Arc;

use super::Gpu;
use super::cache::{self, Key};
use super::compiler::{LocalMemory, Target};
use super::context::Context;
use super::driver::{Failure, RawFunction, RawModule, Unrestricted};
use super::fault::{Faults, KernelFault, Record};
use super::geometry::Shape;
use super::print::Ring;
use super::wait::Wait;
use crate::codegen::{self, Program, ResolvedSite};
use crate::error::{Error, Result};
use crate::model::description::Instance;
use crate::model::kernel::{Kernel, Variant};
use crate::order::panic::Panic;
use crate::order::reports::{Taken, Written};
use crate::order::sources::Source;
use crate::value::format::FormatBytes;

/// The maximum bytes of local memory of a thread on all GPUs so far ("Technical Specifications per
/// Compute Capability" in the CUDA programming guide). Code that needs more compiles and loads, but
/// cannot be launched.
const MOST_LOCAL: usize = 512 << 10;

/// A kernel that can be launched on one device.
#[derive(Debug)]
pub(super) struct Loaded {
    kernel: &'static Kernel,
    program: Program,
    loops: Vec<LoadedLoop>,
    fault: KernelFault,
    // Dropped last.
    _module: Module,
}

/// What the launches of a loop have in common.
#[derive(Debug)]
pub(super) struct LoadedLoop {
    /// `None` if another program has it.
    pub(super) function: Option<RawFunction>,
    /// The bytes of local memory of a thread.
    pub(super) local: usize,
    /// Whether a check in the function may fail.
    pub(super) can_fail: bool,
    pub(super) shape: Shape,
    /// The program that has the function for each variant, in the order of [`Variant::ALL`]. To
    /// find it takes a look at the whole template, which a launch has no time for.
    variants: [Variant; Variant::ALL.len()],
}

impl LoadedLoop {
    /// The program that has the function for a variant.
    #[inline]
    pub(super) fn variant(&self, wanted: Variant) -> Variant {
        self.variants[wanted as usize]
    }
}

/// A module, unloaded when dropped.
#[derive(Debug)]
struct Module {
    raw: RawModule,
    context: Arc<Context>,
    /// HIP has no copy of it.
    image: Vec<u8>,
}

impl Drop for Module {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let driver = self.context.driver();
        // It may wait for the device, which would break a capture of another library.
        let _unrestricted = Unrestricted::begin(driver);
        if driver.unload_module(self.raw).is_err() {
            std::mem::forget(std::mem::take(&mut self.image)); // the driver may still read it
        }
    }
}

impl Loaded {
    /// One of its loops. The macro numbers the loops that it lists.
    #[inline]
    pub(super) fn par_loop(&self, index: usize) -> Option<&LoadedLoop> {
        self.loops.get(index)
    }

    /// The last parameter of the kernels.
    #[inline]
    pub(super) fn fault_address(&self) -> u64 {
        self.fault.address()
    }

    /// The place of the source that the program calls by a number.
    pub(super) fn site(&self, number: u64) -> Option<&ResolvedSite> {
        self.program.sites.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    pub(super) fn kernel_name(&self) -> &'static str {
        self.kernel.name
    }

    /// The number of lines that were lost since the last call. The context must be current.
    pub(super) fn lost_lines(&self, gpu: &Gpu) -> Result<u64> {
        self.fault.lost_lines(gpu)
    }
}

impl Gpu {
    /// The kernel, compiled and loaded on first use.
    #[inline]
    pub(super) fn loaded(&self, instance: Instance, variant: Variant) -> Result<&Loaded> {
        self.kernels.get(instance, variant).map_or_else(|| self.first_loaded(instance, variant), Ok)
    }

    #[cold]
    fn first_loaded(&self, instance: Instance, variant: Variant) -> Result<&Loaded> {
        let load = || self.load(instance, variant).map_err(|error| error.in_kernel(instance.kernel.name));
        self.kernels.get_or_load(instance, variant, load)
    }

    /// The registers and the bytes of local memory of a thread of each loop, in the program that
    /// has all of them.
    pub(crate) fn thread_resources(&self, instance: Instance) -> Result<Vec<[usize; 2]>> {
        if instance.kernel.loops.is_empty() {
            return Ok(Vec::new());
        }
        let loaded = self.loaded(instance, Variant::Unchecked)?;
        self.context.bind()?;
        let of_function = |function| {
            let local = self.driver().load_function(function)?;
            Ok([self.driver().registers(function)?, local])
        };
        // This program has a function for every loop.
        let functions = loaded.loops.iter().filter_map(|par_loop| par_loop.function);
        functions.map(|function| of_function(function).map_err(|failure| self.context.error(failure))).collect()
    }

    fn load(&self, instance: Instance, variant: Variant) -> Result<Loaded> {
        let kernel = instance.kernel;
        let program = codegen::program(instance, variant, self.dialect, self.mode.debug.has_lines());
        self.context.bind()?;
        let target = self.compiler.target(&self.architecture, self.mode)?;
        let image = self.image(instance, &program, &target)?;
        // The following calls may wait for the device. This is allowed during our own captures,
        // which are relaxed. With this guard, the calls neither fail nor break the capture while
        // another library captures.
        let _unrestricted = Unrestricted::begin(self.driver()).map_err(|failure| self.context.error(failure))?;
        // SAFETY: the compiler has just made the image, or the cache has compared its checksum.
        // `Module` keeps it until it has unloaded the module.
        let raw = self
            .with_memory(|| unsafe { self.driver().load_module(&image) })
            .map_err(|failure| self.module_error(failure, &target))?;
        let module = Module { raw, context: Arc::clone(&self.context), image };
        let loops = (kernel.loops.iter().zip(&program.entries).enumerate())
            .map(|(index, (par_loop, entry))| {
                let function = entry.as_ref().map(|entry| self.function(instance, index, raw, &entry.name));
                let (function, local) = function.transpose()?.unzip();
                Ok(LoadedLoop {
                    function,
                    local: local.unwrap_or(0),
                    can_fail: entry.as_ref().is_none_or(|entry| entry.can_fail),
                    shape: Shape::of(par_loop),
                    variants: Variant::ALL.map(|wanted| par_loop.variant(wanted)),
                })
            })
            .collect::<Result<_>>()?;
        let ring = if program.prints { Some(self.ring()?) } else { None };
        let fault = KernelFault::new(self, self.faults()?, ring, self.service()?.core().raw())?;
        Ok(Loaded { kernel, program, loops, fault, _module: module })
    }

    /// The function of a loop, loaded completely, and the bytes of local memory of a thread. If its
    /// loading were left to the first launch, it could wait for the device there, between the
    /// groups of a fork or in a capture.
    fn function(
        &self,
        instance: Instance,
        index: usize,
        module: RawModule,
        name: &str,
    ) -> Result<(RawFunction, usize)> {
        let error = |failure| self.context.error(failure);
        let name = CString::new(name).unwrap_or_default(); // names are C++ identifiers
        let function = self.driver().function(module, &name).map_err(error)?;
        let bytes = self.with_memory(|| self.driver().load_function(function)).map_err(error)?;
        // A loop that is made of several does not run where it needs more than they do.
        if bytes <= MOST_LOCAL || index >= instance.kernel.own_loops() {
            return Ok((function, bytes));
        }
        Err(too_much_local_memory(instance, index, bytes, MOST_LOCAL))
    }

    /// The machine code (or PTX) of a program.
    fn image(&self, instance: Instance, program: &Program, target: &Target) -> Result<Vec<u8>> {
        // Where an image has lines, it also has the folder in which the names of their files begin.
        let folder = self.mode.debug.has_lines().then(|| std::env::current_dir().unwrap_or_default());
        let key = Key::new(&program.text, &target.options, self.compiler.identity(), folder.as_deref());
        if let Some(image) = cache::load(&key) {
            return Ok(image);
        }
        // Warnings, such as an unused variable, are about the user's code, and rustc has already
        // reported them.
        let (image, _warnings) =
            self.compiler.compile(&program.text, instance.kernel.name, target).map_err(|error| match &error {
                Error::Compile { log, .. } => self.too_large(instance, program, log).unwrap_or(error),
                _ => error,
            })?;
        cache::store(&key, &image);
        Ok(image)
    }

    /// The error of a program that the compiler has refused because a thread cannot have as much
    /// local memory.
    fn too_large(&self, instance: Instance, program: &Program, log: &str) -> Option<Error> {
        let LocalMemory { function, bytes, most } = self.compiler.too_much_local_memory(log)?;
        let index =
            program.entries.iter().position(|entry| entry.as_ref().is_some_and(|entry| entry.name == function))?;
        Some(too_much_local_memory(instance, index, bytes, most))
    }

    fn module_error(&self, failure: Failure, target: &Target) -> Error {
        let refused = self.compiler.refused(failure, self.driver_version, &self.architecture, target);
        refused.unwrap_or_else(|| self.context.error(failure))
    }

    /// The place where panics of this device are recorded. The context must be current.
    fn faults(&self) -> Result<&Arc<Faults>> {
        if let Some(faults) = self.faults.get() {
            return Ok(faults);
        }
        let _one_maker = self.reporting.lock();
        if let Some(faults) = self.faults.get() {
            return Ok(faults);
        }
        let faults = Arc::new(Faults::new(self, self.service()?.core().raw())?);
        Ok(self.faults.get_or_init(|| faults))
    }

    /// The ring for what kernels of this device print. The context must be current.
    fn ring(&self) -> Result<&Ring> {
        if let Some(ring) = self.ring.get() {
            return Ok(ring);
        }
        let _one_maker = self.reporting.lock();
        if let Some(ring) = self.ring.get() {
            return Ok(ring);
        }
        let ring = Ring::new(self, self.service()?.core().raw())?;
        Ok(self.ring.get_or_init(|| ring))
    }

    /// The program whose fault has an address.
    pub(super) fn kernel_of(&self, fault: u64) -> Option<&Loaded> {
        self.kernels.all().find(|loaded| loaded.fault.address() == fault)
    }

    /// Writes what device code has printed, and fails with the first panic of device code since the
    /// last report, or with a panic that another thread has taken. `reads` is the block of memory
    /// that the caller reads, if any.
    ///
    /// This runs code of the user, the `Display` of what is printed and of a failed check, which
    /// may use this device and others. So the caller holds no lock and no guard, and has no driver
    /// call to make afterwards that needs the context.
    ///
    /// Without a panic, this costs two loads and no driver call. After a panic, it waits for the
    /// work of our streams before it clears the record for the next panic, so that all failures
    /// until now are one report. If that fails, this is the error, and the next call that waits
    /// reports the panic.
    pub(crate) fn take_panic(&self, reads: Option<&Written>) -> Result<()> {
        self.own_panic()?;
        if self.reports.has_sources() {
            let taken = self.reports.take_from_sources();
            self.context.rebind()?; // what prints or reports there has bound its own
            taken?;
        }
        self.reports.check(reads)
    }

    /// The state first, the user's code after it: the panic is taken, then what was printed before
    /// it is written, then its message is formatted. So what that code waits for finds the panic,
    /// and what it launches may fail and be recorded.
    fn own_panic(&self) -> Result<()> {
        let taken = match self.faults.get().filter(|faults| faults.get().is_some()) {
            Some(faults) => self.take_record(faults)?,
            None => None,
        };
        let printed = self.print_lines();
        match taken {
            Some((taken, message)) => Err(taken.tell(|| message.text())),
            None => printed,
        }
    }

    /// Takes the record, unless another thread has taken it first.
    #[cold]
    fn take_record(&self, faults: &Faults) -> Result<Option<(Taken, Unformatted)>> {
        let _one_reporter = self.reporting.lock();
        let Some(record) = faults.get() else { return Ok(None) };
        let values = faults.values(record);
        self.context.bind()?;
        // During a capture this does not wait, and it never waits for streams of other libraries. A
        // failure there may be reported as a second panic.
        self.synchronize_own(Wait::Report).map_err(|failure| self.context.error(failure))?;
        let stream = self.service()?;
        let (panic, message) = self.panic(record, values);
        let taken = self.reports.take(panic, || faults.reset(stream.core().raw()))?;
        Ok(Some((taken, message)))
    }

    /// For the end of the device: writes what device code has printed, and leaves a panic that
    /// nobody has taken to the devices that have copied data from here. All work must be complete.
    pub(super) fn last_report(&self) {
        let record = self.faults.get().and_then(|faults| Some((faults.get()?, faults)));
        let left = record.map(|(record, faults)| self.panic(record, faults.values(record)));
        if let Some((panic, _)) = &left {
            self.reports.leave(panic);
        }
        let _ = self.print_lines(); // a destructor cannot report it
        if let Some((panic, message)) = left
            && let Some(text) = message.text()
        {
            panic.format(text);
        }
    }

    /// A record as a panic, and the message that it does not have yet.
    fn panic(&self, record: Record, values: Vec<u8>) -> (Panic, Unformatted) {
        let failed = self.kernel_of(record.kernel);
        let (error, format) = match failed.and_then(|loaded| Some((loaded, loaded.site(record.site)?))) {
            Some((loaded, site)) => {
                let (ResolvedSite { file, line, column, .. }, kernel) = (*site, loaded.kernel.name);
                let message = site.check.describe(record.a, record.b);
                let format = site.format.filter(|_| record.a > 0).map(|(_, format)| format);
                (Error::KernelPanic { kernel, file, line, column, message }, format)
            }
            // This happens only if device memory is corrupted.
            None => {
                let (kernel, file, line) =
                    failed.map_or(("unknown", "unknown", 0), |of| (of.kernel.name, of.kernel.file, of.kernel.line));
                let message = format!("device code failed at the unknown site {}", record.site);
                (Error::KernelPanic { kernel, file, line, column: 1, message }, None)
            }
        };
        let panic = if format.is_some() { Panic::unformatted(error) } else { error.into() };
        (panic, Unformatted { format, values })
    }

    /// Compiles and loads all programs of a kernel now, instead of at the first launch that needs
    /// each of them.
    pub(crate) fn prepare(&self, instance: Instance) -> Result<()> {
        self.context.bind()?;
        let needed = |variant: &Variant| instance.kernel.loops.iter().any(|par_loop| par_loop.is_in(*variant));
        Variant::ALL.into_iter().filter(needed).try_for_each(|variant| self.loaded(instance, variant).map(drop))
    }
}

fn too_much_local_memory(instance: Instance, index: usize, bytes: usize, most: usize) -> Error {
    let Kernel { name: kernel, file, loops, .. } = *instance.kernel;
    let (header, line) = loops.get(index).map_or(("", 0), |par_loop| (par_loop.header, par_loop.line));
    let largest = codegen::largest_array(instance, index);
    Error::TooMuchLocalMemory { kernel, header, file, line, bytes, most, largest }
}

/// A message that the user's code formats. `None` where there is none, or where it has no values.
struct Unformatted {
    format: Option<FormatBytes>,
    values: Vec<u8>,
}

impl Unformatted {
    /// If the user's `Display` panics, that is the message.
    fn text(self) -> Option<String> {
        self.format.map(|format| format(&self.values).unwrap_or_else(|message| message))
    }
}

impl Source for Gpu {
    fn take_panic(&self) -> Result<()> {
        self.context.bind()?;
        self.own_panic()
    }
}
