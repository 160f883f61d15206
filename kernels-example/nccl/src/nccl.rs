//! NCCL's messages as kernels. A kernel queues them on the stream of its place, so a group can send
//! beside a group that computes.

use std::error::Error;
use std::ffi::{CStr, c_int};
use std::fmt;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

use anabranch::prelude::*;
use cudarc::driver::DriverError;
use cudarc::nccl::result::{self, NcclStatus};
use cudarc::nccl::sys;

/// Why there is no message.
#[derive(Debug)]
pub enum NcclError {
    /// The system has no NCCL library.
    Missing,
    /// The stream is not that of a GPU.
    NotOnAGpu,
    /// A call of NCCL has failed.
    Failed { call: &'static str, code: sys::ncclResult_t },
    /// The device cannot be used.
    Device(anabranch::Error),
    /// Its context cannot be made current.
    Context(DriverError),
}

impl fmt::Display for NcclError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(
                f,
                "there is no `libnccl.so`: install NCCL, for example by `pip install nvidia-nccl-cu13`, and add the folder of a link of this name to \
                 its `libnccl.so.2` to LD_LIBRARY_PATH"
            ),
            Self::NotOnAGpu => write!(f, "NCCL sends between GPUs: use `Device::cuda(n)`"),
            Self::Failed { call, code } => {
                // SAFETY: the function takes any code, and returns a text that always exists.
                let text = unsafe { CStr::from_ptr(sys::ncclGetErrorString(*code)) };
                write!(f, "`{call}` failed: {}", text.to_string_lossy())
            }
            Self::Device(error) => error.fmt(f),
            Self::Context(error) => error.fmt(f),
        }
    }
}

impl Error for NcclError {}

impl From<anabranch::Error> for NcclError {
    fn from(error: anabranch::Error) -> Self {
        Self::Device(error)
    }
}

/// The result of a call.
fn done(call: &'static str, status: Result<NcclStatus, result::NcclError>) -> Result<(), NcclError> {
    status.map(drop).map_err(|error| NcclError::Failed { call, code: error.0 })
}

/// What all ranks of a communicator must know. One process creates it and sends it to the others.
pub fn new_id() -> Result<sys::ncclUniqueId, NcclError> {
    // SAFETY: loading the library runs its initializers, which is sound for NCCL.
    if !unsafe { sys::is_culib_present() } {
        return Err(NcclError::Missing);
    }
    result::get_uniqueid().map_err(|error| NcclError::Failed { call: "ncclGetUniqueId", code: error.0 })
}

/// A GPU's end of a communicator.
pub struct Comm {
    /// NCCL wants the calls on a communicator one after the other.
    raw: Mutex<Raw>,
    rank: usize,
    size: usize,
}

struct Raw(sys::ncclComm_t);

// SAFETY: NCCL ties a communicator to a device, not to a thread.
unsafe impl Send for Raw {}

impl Comm {
    /// Joins a communicator, and waits until all ranks have joined.
    ///
    /// # Errors
    /// The device is not a GPU, or NCCL fails.
    pub fn join(device: &Device, id: sys::ncclUniqueId, rank: usize, size: usize) -> Result<Self, NcclError> {
        let context = device.cudarc()?;
        context.bind_to_thread().map_err(NcclError::Context)?;
        let mut raw = null_mut();
        // SAFETY: NCCL writes the communicator of the current context there.
        let status = unsafe { result::comm_init_rank(&mut raw, size as c_int, id, rank as c_int) };
        done("ncclCommInitRank", status)?;
        Ok(Self { raw: Mutex::new(Raw(raw)), rank, size })
    }

    /// The ranks of the strips above and below.
    fn neighbours(&self) -> (Option<c_int>, Option<c_int>) {
        let below = self.rank + 1;
        (self.rank.checked_sub(1).map(|rank| rank as c_int), (below < self.size).then_some(below as c_int))
    }

    /// Queues messages that start together.
    fn group(&self, messages: impl FnOnce(sys::ncclComm_t) -> Result<(), NcclError>) -> Result<(), NcclError> {
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        done("ncclGroupStart", result::group_start())?;
        let queued = messages(raw.0);
        // Also after an error: the group would stay open.
        queued.and(done("ncclGroupEnd", result::group_end()))
    }
}

impl Drop for Comm {
    fn drop(&mut self) {
        let raw = self.raw.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: nobody else has the communicator any more. What fails here has nobody to hear of
        // it.
        let _ = unsafe { result::comm_abort(raw.0) };
    }
}

/// Sends the first row to the GPU above and the last row to the GPU below. Receives the last row of
/// the GPU above into `above`, and the first row of the GPU below into `below`. If a neighbour does
/// not exist, nothing is sent, and the row stays as it is.
#[kernel(library)]
pub fn exchange(
    stream: &Stream,
    first: &[f64],
    last: &[f64],
    above: &mut [f64],
    below: &mut [f64],
    comm: Arc<Comm>,
) -> Result<(), NcclError> {
    if stream.device().is_cpu() {
        return Err(NcclError::NotOnAGpu);
    }
    let on = stream.as_raw().cast();
    let ty = sys::ncclDataType_t::ncclFloat64;
    let (up, down) = comm.neighbours();
    comm.group(|comm| {
        // SAFETY: each row has these elements on the GPU of the communicator, and NCCL works on the
        // stream of the kernel.
        unsafe {
            if let Some(up) = up {
                done("ncclSend", result::send(first.as_ptr().cast(), first.len(), ty, up, comm, on))?;
                done("ncclRecv", result::recv(above.as_mut_ptr().cast(), above.len(), ty, up, comm, on))?;
            }
            if let Some(down) = down {
                done("ncclSend", result::send(last.as_ptr().cast(), last.len(), ty, down, comm, on))?;
                done("ncclRecv", result::recv(below.as_mut_ptr().cast(), below.len(), ty, down, comm, on))?;
            }
        }
        Ok(())
    })
}

/// Replaces each element by its sum over all GPUs, of which all get the same bits.
#[kernel(library)]
pub fn sum_of_all(stream: &Stream, x: &mut [f64], comm: Arc<Comm>) -> Result<(), NcclError> {
    if stream.device().is_cpu() {
        return Err(NcclError::NotOnAGpu);
    }
    let on = stream.as_raw().cast();
    let (ty, sum) = (sys::ncclDataType_t::ncclFloat64, sys::ncclRedOp_t::ncclSum);
    let (data, count) = (x.as_mut_ptr(), x.len());
    // SAFETY: the elements are on the GPU of the communicator, NCCL works on the stream of the
    // kernel, and allows the result in place.
    comm.group(|comm| unsafe {
        done("ncclAllReduce", result::all_reduce(data.cast(), data.cast(), count, ty, sum, comm, on))
    })
}
