//! Kernels of hand-written CUDA C++, compiled by the library's NVRTC with the library's options.

use std::error::Error;
use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

use anabranch::private::offline::nvrtc_compile;
use cudarc::driver::sys;

use super::{Context, Memory, Result, Stream, call};

/// A loaded source.
#[derive(Debug)]
pub(crate) struct Module {
    raw: sys::CUmodule,
    _context: Rc<Context>,
}

impl Module {
    /// # Errors
    /// The source does not compile, with the compiler's log, or the driver fails.
    pub(crate) fn compile(context: &Rc<Context>, source: &str) -> std::result::Result<Rc<Self>, Box<dyn Error>> {
        let (image, log) = nvrtc_compile(source, context.architecture())?;
        if !log.is_empty() {
            return Err(log.into());
        }
        let mut raw = ptr::null_mut();
        call!(cuModuleLoadData(&mut raw, image.as_ptr().cast()))?;
        Ok(Rc::new(Self { raw, _context: Rc::clone(context) }))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let _ = call!(cuCtxSynchronize());
        let _ = call!(cuModuleUnload(self.raw));
    }
}

/// A parameter of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Argument<'a> {
    Memory(&'a Memory),
    F32(f32),
    /// A length or an index, which hand-written kernels take as 32 bits.
    I32(usize),
    U32(u32),
}

/// A kernel with its grid and its arguments, ready to be launched any number of times.
#[derive(Debug)]
pub(crate) struct Launch {
    function: sys::CUfunction,
    grid: [u32; 2],
    block: [u32; 2],
    /// One word per argument. A shorter argument is in its first bytes.
    _words: Vec<u64>,
    /// Pointers to the words, which stay valid if this value is moved.
    pointers: Vec<*mut c_void>,
    _module: Rc<Module>,
}

impl Launch {
    /// Prepares a launch with one thread for each of `items`, along x and y, in blocks of `block`.
    /// The caller must keep the memory alive.
    pub(crate) fn new(
        module: &Rc<Module>,
        name: &str,
        items: [usize; 2],
        block: [u32; 2],
        arguments: &[Argument<'_>],
    ) -> Result<Self> {
        let name = CString::new(name).unwrap_or_default();
        let mut function = ptr::null_mut();
        call!(cuModuleGetFunction(&mut function, module.raw, name.as_ptr()))?;
        let mut words: Vec<u64> = arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Memory(memory) => memory.address,
                Argument::F32(value) => u64::from(value.to_bits()),
                Argument::I32(value) => value as u64,
                Argument::U32(value) => u64::from(value),
            })
            .collect();
        let pointers = words.iter_mut().map(|word| ptr::from_mut(word).cast()).collect();
        let grid = std::array::from_fn(|axis| items[axis].div_ceil(block[axis] as usize) as u32);
        Ok(Self { function, grid, block, _words: words, pointers, _module: Rc::clone(module) })
    }

    /// Launches with one driver call.
    pub(crate) fn launch(&self, stream: &Stream) -> Result<()> {
        call!(cuLaunchKernel(
            self.function,
            self.grid[0],
            self.grid[1],
            1,
            self.block[0],
            self.block[1],
            1,
            0,
            stream.raw,
            self.pointers.as_ptr().cast_mut(),
            ptr::null_mut(),
        ))
    }
}
