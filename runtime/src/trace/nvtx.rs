//! Ranges of NVTX (feature `nvtx`): while the host is in a launch of a kernel or in a group,
//! profilers such as Nsight Systems show its name.
//!
//! NVTX loads a profiler if there is one. Without a profiler it gives out no handles for strings;
//! then a range costs one load. Ranges of a thread are nested, so each is a guard.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::sync::OnceLock;

use nvtx_sys::ffi::nvtxStringHandle_t;
use nvtx_sys::{DomainHandle, EventAttributes, MessageType, MessageValue, PayloadType, PayloadValue, StringHandle};

use crate::lock::Lock;
use crate::model::kernel::{Groups, Kernel};

/// The name of all ranges of this crate.
const DOMAIN: &CStr = c"anabranch";

/// A profiler.
struct Profiler {
    domain: DomainHandle,
    /// The names that it knows. Each is registered once, because it stays for ever.
    names: Lock<HashMap<String, StringHandle>>,
}

/// The thread is in a kernel or a group, until this is dropped.
#[derive(Debug)]
pub(crate) struct Range {
    domain: DomainHandle,
    _stays_on_its_thread: PhantomData<*const ()>,
}

/// Enters a kernel on this thread, if a profiler is attached.
#[inline]
pub(crate) fn kernel(kernel: &Kernel) -> Option<Range> {
    Some(profiler()?.range(kernel.name.to_owned()))
}

/// Enters a group on this thread, if a profiler is attached.
#[inline]
pub(crate) fn group(groups: &Groups, number: usize) -> Option<Range> {
    Some(profiler()?.range(groups.name(number)))
}

#[inline]
fn profiler() -> Option<&'static Profiler> {
    static PROFILER: OnceLock<Option<Profiler>> = OnceLock::new();
    PROFILER.get_or_init(Profiler::attached).as_ref()
}

impl Profiler {
    fn attached() -> Option<Self> {
        let domain = nvtx_sys::domain_create_ascii(DOMAIN);
        let name: nvtxStringHandle_t = nvtx_sys::domain_register_string_ascii(domain, DOMAIN).into();
        (!name.is_null()).then(|| Self { domain, names: Lock::default() })
    }

    #[cold]
    fn range(&self, name: String) -> Range {
        let event = EventAttributes {
            version: nvtx_sys::NVTX_VERSION as u16,
            size: nvtx_sys::NVTX_EVENT_ATTRIBUTES_SIZE as u16,
            category: 0,
            colorType: 0,
            color: 0,
            payloadType: i32::from(PayloadType::NVTX_PAYLOAD_UNKNOWN),
            reserved0: 0,
            payload: PayloadValue { ullValue: 0 },
            messageType: i32::from(MessageType::NVTX_MESSAGE_TYPE_REGISTERED),
            message: MessageValue { registered: self.registered(name).into() },
        };
        nvtx_sys::domain_range_push_ex(self.domain, &event);
        Range { domain: self.domain, _stays_on_its_thread: PhantomData }
    }

    fn registered(&self, name: String) -> StringHandle {
        let mut names = self.names.lock();
        if let Some(&known) = names.get(&name) {
            return known;
        }
        let text = CString::new(name.as_str()).unwrap_or_default(); // names are identifiers
        *names.entry(name).or_insert(nvtx_sys::domain_register_string_ascii(self.domain, &text))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        nvtx_sys::domain_range_pop(self.domain);
    }
}
