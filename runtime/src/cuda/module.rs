//! Kernels on a device: source, cubin (from the cache or from NVRTC), module, functions, and what their panics say.

use std::any::TypeId;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::Cuda;
use super::cache::{self, Key};
use super::context::{self, Context};
use super::driver::{self, Failure, RawFunction, RawModule};
use super::fault::{Faults, KernelFault, Record};
use super::nvrtc::{Nvrtc, Target};
use super::wait::Wait;
use crate::error::{Error, Result};
use crate::private::kernel::{Instance, Kernel, Variant};
use crate::source::{self, Program};

/// A kernel that can be launched on one device.
#[derive(Debug)]
pub(super) struct Loaded {
    kernel: &'static Kernel,
    program: Program,
    functions: Vec<RawFunction>,
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
        let _ = driver::unload_module(self.raw);
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
        self.functions.get(index).copied()
    }

    /// What kernels get as their last parameter.
    pub(super) fn fault_address(&self) -> u64 {
        self.fault.address()
    }
}

impl Cuda {
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
        let program = source::program(instance, variant);
        let target = self.nvrtc.target(self.capability)?;
        let image = self.image(kernel, &program, target)?;
        let raw = driver::load_module(&image).map_err(|failure| self.module_error(failure, target))?;
        let module = Module { raw, context: Arc::clone(&self.context) };
        let functions = program
            .entries
            .iter()
            .map(|name| {
                let name = CString::new(name.as_str()).unwrap_or_default(); // names are C++ identifiers
                driver::function(raw, &name).map_err(|failure| self.context.error(failure))
            })
            .collect::<Result<_>>()?;
        let fault = KernelFault::new(self.faults()?, self.service()?.core().raw())?;
        Ok(Loaded { kernel, program, functions, fault, _module: module })
    }

    /// The machine code (or PTX) of a program.
    fn image(&self, kernel: &'static Kernel, program: &Program, target: Target) -> Result<Vec<u8>> {
        let key = Key::new(&program.text, &target.options(), self.nvrtc.version());
        if let Some(image) = cache::load(&key) {
            return Ok(image);
        }
        // What NVRTC may warn of, such as a variable that nobody reads, rustc has said of the user's code.
        let (image, _warnings) = self.nvrtc.compile(&program.text, kernel.name, target)?;
        cache::store(&key, &image);
        Ok(image)
    }

    fn module_error(&self, failure: Failure, target: Target) -> Error {
        let refused = [
            driver::ERROR_INVALID_IMAGE,
            driver::ERROR_NO_BINARY_FOR_GPU,
            driver::ERROR_INVALID_PTX,
            driver::ERROR_UNSUPPORTED_PTX_VERSION,
        ];
        let nvrtc = self.nvrtc.version();
        if refused.contains(&failure.code) && nvrtc > self.driver_version {
            return Error::NvrtcTooNew { nvrtc, path: self.nvrtc.path().to_owned(), driver: self.driver_version };
        }
        if failure.code == driver::ERROR_UNSUPPORTED_PTX_VERSION || failure.code == driver::ERROR_NO_BINARY_FOR_GPU {
            return Error::NvrtcWrongArchitecture {
                nvrtc,
                path: self.nvrtc.path().to_owned(),
                capability: self.capability,
                supported: target.architecture(),
            };
        }
        self.context.error(failure)
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
        let faults = Arc::new(Faults::new(&self.context, self.service()?.core().raw())?);
        Ok(self.faults.get_or_init(|| faults))
    }

    /// The first panic of device code since the last report, as an error.
    ///
    /// Looking costs a load and no driver call. After a panic, all work of the device is waited for before the record is made
    /// ready for the next one, so that whatever has failed until now is one report. If that fails, it is the error, and the
    /// panic is told by the next call that waits.
    pub(super) fn take_panic(&self) -> Result<()> {
        let Some(faults) = self.faults.get().filter(|faults| faults.get().is_some()) else { return Ok(()) };
        let _one_reporter = self.reporting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(record) = faults.get() else { return Ok(()) }; // another thread was first
        // During a capture the device cannot be waited for: what else fails until now may be told as a second panic.
        self.synchronize(Wait::Report).unwrap_or(Ok(())).map_err(|failure| self.context.error(failure))?;
        faults.reset(self.service()?.core().raw())?;
        Err(self.panic(record))
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
                message: source::describe_failure(site.check, record.a, record.b),
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

    /// Compiles and loads a kernel now, instead of at its first launch.
    pub(crate) fn prepare(&self, instance: Instance) -> Result<()> {
        self.context.bind()?;
        self.loaded(instance, Variant::Decided).map(drop)
    }
}

/// Finds NVRTC for a driver, or says how to get it.
pub(super) fn nvrtc_for(driver: (u32, u32)) -> Result<&'static Nvrtc> {
    Nvrtc::find(Some(driver))
}
