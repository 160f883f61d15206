//! What the environment can set for a GPU.

use super::compiler::{Compiler, Mode};
use super::debug_info::DebugInfo;
use crate::codegen::FailedCheck;
use crate::error::Result;
use crate::settings::{setting, switch};

/// The maximum number of streams for groups of one priority, unless `ANABRANCH_MAX_STREAMS` is set.
const MOST_LANES: usize = 32;

/// Number of hardware queues of a process, unless `CUDA_DEVICE_MAX_CONNECTIONS` is set.
const QUEUES: usize = 8;

/// The number of the device's hardware queues, which the process's streams share, from the variable that the driver reads. Values that the
/// driver ignores are ignored here.
pub(super) fn hardware_queues() -> usize {
    let value = std::env::var("CUDA_DEVICE_MAX_CONNECTIONS").ok();
    value.and_then(|text| text.trim().parse().ok()).filter(|number| (1..=32).contains(number)).unwrap_or(QUEUES)
}

/// The maximum number of streams for groups of one priority.
pub(super) fn most_lanes() -> Result<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=4096).contains(number));
    Ok(setting("ANABRANCH_MAX_STREAMS", "a number from 1 to 4096", number)?.unwrap_or(MOST_LANES))
}

/// The compiler's choice, unless the environment overrides it.
pub(super) fn failed_check(compiler: &dyn Compiler) -> Result<FailedCheck> {
    let named = |text: &str| match text {
        "exit" => Some(FailedCheck::Exit),
        "go-on" => Some(FailedCheck::GoOn),
        _ => None,
    };
    Ok(setting("ANABRANCH_FAILED_CHECK", "`exit` or `go-on`", named)?.unwrap_or_else(|| compiler.failed_check()))
}

/// How kernels are compiled.
pub(super) fn mode() -> Result<Mode> {
    let debug = setting("ANABRANCH_DEBUG", "`none`, `line` or `full`", DebugInfo::named)?;
    let contract = switch("ANABRANCH_CONTRACT")?;
    Ok(Mode { debug: debug.unwrap_or(DebugInfo::DEFAULT), contract: contract.unwrap_or(true) })
}
