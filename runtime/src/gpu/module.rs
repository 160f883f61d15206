//! Kernels on a device: source, cubin (from the cache or from NVRTC), module, functions, and what their panics say.

use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::Gpu;
use super::cache::{self, Key};
use super::compiler::Target;
use super::context::{self, Context};
use super::driver::{Failure, RawFunction, RawModule, Unrestricted};
use super::fault::{Faults, KernelFault, Record};
use super::wait::Wait;
use crate::codegen::{self, Program};
use crate::error::{Error, Result};
use crate::model::kernel::{Instance, Kernel, Variant};
use crate::order::reports::Written;

/// Bytes of local memory that a thread can have on every GPU so far ("Technical Specifications per Compute Capability" in the CUDA
/// programming guide). Code that needs more compiles and loads, and cannot be launched.
const MOST_LOCAL: usize = 512 << 10;

/// A kernel that can be launched on one device.
#[derive(Debug)]
pub(super) struct Loaded {
    kernel: &'static Kernel,
    program: Program,
    /// By loops; `None` where another program has the function.
    functions: Vec<Option<RawFunction>>,
    fault: KernelFault,
    // Unloaded after the rest.
    _module: Module,
}

/// A module, unloaded when dropped.
#[derive(Debug)]
struct Module {
    raw: RawModule,
    context: Arc<Context>,
}

impl Drop for Module {
    fn drop(&mut self) {
        self.context.bind_to_destroy();
        let _ = self.context.driver().unload_module(self.raw);
    }
}

/// The kernels of one device. Two threads that launch one kernel for the first time compile it once; different kernels
/// compile side by side. A failure is not kept, so the next launch tries again.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    slots: RwLock<HashMap<(TypeId, Variant), Arc<Slot>>>,
}

#[derive(Debug, Default)]
struct Slot {
    loaded: OnceLock<Arc<Loaded>>,
    loading: Mutex<()>,
}

impl Kernels {
    fn slot(&self, id: (TypeId, Variant)) -> Arc<Slot> {
        if let Some(slot) = self.slots.read().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Arc::clone(slot);
        }
        Arc::clone(self.slots.write().unwrap_or_else(PoisonError::into_inner).entry(id).or_default())
    }
}

impl Loaded {
    pub(super) fn function(&self, index: usize) -> Option<RawFunction> {
        self.functions.get(index).copied().flatten()
    }

    /// What kernels get as their last parameter.
    pub(super) fn fault_address(&self) -> u64 {
        self.fault.address()
    }
}

impl Gpu {
    /// The kernel, compiled and loaded on first use. The context must be current.
    pub(super) fn loaded(&self, instance: Instance, variant: Variant) -> Result<Arc<Loaded>> {
        let slot = self.kernels.slot(((instance.id)(), variant));
        if let Some(loaded) = slot.loaded.get() {
            return Ok(Arc::clone(loaded));
        }
        let _loading = slot.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = slot.loaded.get() {
            return Ok(Arc::clone(loaded));
        }
        let loaded =
            Arc::new(self.load(instance, variant).map_err(|error| context::in_kernel(error, instance.kernel.name))?);
        Ok(Arc::clone(slot.loaded.get_or_init(|| loaded)))
    }

    fn load(&self, instance: Instance, variant: Variant) -> Result<Loaded> {
        let kernel = instance.kernel;
        let program = codegen::program(instance, variant, self.failed_check);
        let target = self.compiler.target(self.capability)?;
        let image = self.image(kernel, &program, &target)?;
        // What follows may wait for the device. It is allowed during our own captures, whose mode is the relaxed one, and in this state
        // of the thread it neither fails nor does harm while another library captures.
        let _unrestricted = Unrestricted::begin(self.driver()).map_err(|failure| self.context.error(failure))?;
        let raw = self
            .with_memory(|| self.driver().load_module(&image))
            .map_err(|failure| self.module_error(failure, &target))?;
        let module = Module { raw, context: Arc::clone(&self.context) };
        let functions = (program.entries.iter().enumerate())
            .map(|(index, name)| name.as_deref().map(|name| self.function(instance, index, raw, name)).transpose())
            .collect::<Result<_>>()?;
        let fault = KernelFault::new(self, self.faults()?, self.service()?.core().raw())?;
        Ok(Loaded { kernel, program, functions, fault, _module: module })
    }

    /// The function of a loop, loaded for good: were that left to its first launch, it could wait for the device there, between the groups
    /// of a fork or in a capture.
    fn function(&self, instance: Instance, index: usize, module: RawModule, name: &str) -> Result<RawFunction> {
        let error = |failure| self.context.error(failure);
        let name = CString::new(name).unwrap_or_default(); // names are C++ identifiers
        let function = self.driver().function(module, &name).map_err(error)?;
        let bytes = self.with_memory(|| self.driver().load_function(function)).map_err(error)?;
        if bytes <= MOST_LOCAL {
            return Ok(function);
        }
        let kernel = instance.kernel;
        let (header, line) = kernel.loops.get(index).map_or(("", 0), |looped| (looped.header, looped.line));
        let largest = codegen::largest_array(instance, index);
        let (kernel, file, most) = (kernel.name, kernel.file, MOST_LOCAL);
        Err(Error::TooMuchLocalMemory { kernel, header, file, line, bytes, most, largest })
    }

    /// The machine code (or PTX) of a program.
    fn image(&self, kernel: &'static Kernel, program: &Program, target: &Target) -> Result<Vec<u8>> {
        let key = Key::new(&program.text, &target.options, self.compiler.version());
        if let Some(image) = cache::load(&key) {
            return Ok(image);
        }
        // What the compiler may warn of, such as a variable that nobody reads, rustc has said of the user's code.
        let (image, _warnings) = self.compiler.compile(&program.text, kernel.name, target)?;
        cache::store(&key, &image);
        Ok(image)
    }

    fn module_error(&self, failure: Failure, target: &Target) -> Error {
        let refused = self.compiler.refused(failure, self.driver_version, self.capability, target);
        refused.unwrap_or_else(|| self.context.error(failure))
    }

    /// Where panics of this device are recorded. The context must be current.
    fn faults(&self) -> Result<&Arc<Faults>> {
        if let Some(faults) = self.faults.get() {
            return Ok(faults);
        }
        let _one_maker = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(faults) = self.faults.get() {
            return Ok(faults);
        }
        let faults = Arc::new(Faults::new(self, self.service()?.core().raw())?);
        Ok(self.faults.get_or_init(|| faults))
    }

    /// The first panic of device code since the last report, as an error, or one that another thread was told of before; for a call that
    /// reads a block of memory, or none.
    ///
    /// Looking costs two loads and no driver call. After a panic, the work of our streams is waited for before the record is made
    /// ready for the next one, so that whatever has failed until now is one report. If that fails, it is the error, and the
    /// panic is told by the next call that waits.
    pub(super) fn take_panic(&self, reads: Option<&Written>) -> Result<()> {
        if let Some(faults) = self.faults.get().filter(|faults| faults.get().is_some()) {
            self.report(faults)?;
        }
        self.reports.check(reads)
    }

    /// Fails with the panic, unless another thread was first.
    #[cold]
    fn report(&self, faults: &Faults) -> Result<()> {
        let _one_reporter = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(record) = faults.get() else { return Ok(()) };
        // During a capture this waits for nothing, and never for the streams of others: what fails there may be told as a second panic.
        self.synchronize_own(Wait::Report).map_err(|failure| self.context.error(failure))?;
        let stream = self.service()?;
        Err(self.reports.take(self.panic(record), || faults.reset(stream.core().raw())))
    }

    /// What a record says.
    fn panic(&self, record: Record) -> Error {
        let slots = self.kernels.slots.read().unwrap_or_else(PoisonError::into_inner);
        let mut loaded = slots.values().filter_map(|slot| slot.loaded.get());
        let failed = loaded.find(|loaded| loaded.fault.address() == record.kernel);
        let number = usize::try_from(record.site - 1).unwrap_or(usize::MAX);
        match failed.and_then(|loaded| Some((loaded, loaded.program.sites.get(number)?))) {
            Some((loaded, site)) => Error::KernelPanic {
                kernel: loaded.kernel.name,
                file: site.file,
                line: site.line,
                column: site.column,
                message: site.check.describe(record.a, record.b),
            },
            // Only memory corrupted on the device leads here.
            None => Error::KernelPanic {
                kernel: failed.map_or("unknown", |loaded| loaded.kernel.name),
                file: failed.map_or("unknown", |loaded| loaded.kernel.file),
                line: failed.map_or(0, |loaded| loaded.kernel.line),
                column: 1,
                message: format!("device code failed at the unknown site {}", record.site),
            },
        }
    }

    /// Compiles and loads all that launches of a kernel may choose now, instead of when the first one does.
    pub(crate) fn prepare(&self, instance: Instance) -> Result<()> {
        self.context.bind()?;
        let needed = |variant: &Variant| instance.kernel.loops.iter().any(|looped| looped.is_in(*variant));
        Variant::ALL.into_iter().filter(needed).try_for_each(|variant| self.loaded(instance, variant).map(drop))
    }
}
