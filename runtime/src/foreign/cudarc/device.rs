//! Contexts and streams.

use std::sync::{Arc, Weak};

use ::cudarc::driver::{CudaContext, CudaStream, DriverError};

use super::gpu_of;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::lock::Lock;
use crate::owner::Owner;
use crate::stream::{Stream, check_shared};

impl Device {
    /// Opens the device of a cudarc context.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the context is not the primary one of its device, as one of
    /// `CudaContext::new` is; and the errors of [`Device::cuda`].
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Self> {
        let device = Self::cuda(context.ordinal())?;
        gpu_of(&device, "from_cudarc", context)?;
        Ok(device)
    }

    /// Returns a cudarc context of this device. As long as somebody holds it, each call returns the
    /// same one.
    ///
    /// # Errors
    /// The device is the CPU, or the driver fails.
    pub fn cudarc(&self) -> Result<Arc<CudaContext>> {
        static KEPT: Lock<Vec<(usize, Weak<CudaContext>)>> = Lock::new(Vec::new());
        let gpu = self.cuda_gpu().ok_or_else(|| Error::OtherDevice {
            what: "a CUDA context",
            found: "a CUDA device".to_owned(),
            expected: self.to_string(),
            operation: None,
        })?;
        let ordinal = gpu.ordinal();
        let mut kept = KEPT.lock();
        if let Some(context) = kept.iter().find(|(of, _)| *of == ordinal).and_then(|(_, context)| context.upgrade()) {
            return Ok(context);
        }
        let context =
            CudaContext::new(ordinal).map_err(|DriverError(code)| gpu.error_of("CudaContext::new", code as u32))?;
        kept.retain(|(_, context)| context.strong_count() > 0);
        kept.push((ordinal, Arc::downgrade(&context)));
        Ok(context)
    }

    /// Wraps a cudarc stream of this device. The handle keeps the stream. While cudarc captures the
    /// stream, calls with the handle fail with [`Error::NotCapturable`]: cudarc's graph would not
    /// keep the buffers. If the handle is dropped during such a capture, buffers that were last
    /// used on it can no longer be used. A call asks the driver before it queues work, so do not
    /// begin a capture while another thread is in a call with the handle: that work would become a
    /// part of cudarc's graph.
    ///
    /// Each call returns another handle, and work with one buffer on two of them costs an event. So
    /// call it once, and keep the handle.
    ///
    /// # Errors
    /// [`Error::Foreign`] if the stream belongs to another device, or is the per-thread default
    /// stream; or the driver fails.
    pub fn stream_from_cudarc(&self, stream: &Arc<CudaStream>) -> Result<Stream> {
        gpu_of(self, "stream_from_cudarc", stream.context())?;
        let raw = stream.cu_stream().cast();
        check_shared("stream_from_cudarc", raw)?;
        // SAFETY: the stream belongs to the primary context of this device, as was checked, and is
        // kept until the last handle is gone.
        let backend = unsafe { self.backend().wrap_stream(raw, Some(Owner::keeper(Arc::clone(stream))))? };
        Ok(Stream::new(self.clone(), backend, None))
    }
}

impl Stream {
    /// Returns the stream for calls of cudarc. cudarc does not destroy it.
    ///
    /// What cudarc queues on it is ordered like other work on the stream. Buffers do not know of
    /// it: pass them with [`Buffer::with_cudarc`](crate::Buffer::with_cudarc).
    ///
    /// # Errors
    /// The device is the CPU, or the driver fails; or a capture of the stream is in progress, whose
    /// graph would not keep the memory of cudarc.
    ///
    /// # Safety
    /// - A handle of this stream outlives the result, its clones, and all that is made with them,
    ///   such as slices, events and graphs. In the body of a library kernel, all of these are gone
    ///   when the body returns.
    /// - Nobody captures the stream with the result.
    pub unsafe fn to_cudarc(&self) -> Result<Arc<CudaStream>> {
        self.check_uncaptured("a stream of cudarc", "call it before the capture")?;
        let context = self.device().cudarc()?;
        // SAFETY: the stream belongs to the primary context of its device; the caller promises its
        // life.
        Ok(unsafe { context.wrap_borrowed_stream(self.as_raw().cast()) })
    }
}
