//! What the environment can set for a GPU.

use super::compiler::{Compiler, Mode};
use super::debug_info::DebugInfo;
use crate::codegen::FailedCheck;
use crate::error::Result;
use crate::settings::{setting, switch};

/// The maximum number of streams for groups of one priority, unless `ANABRANCH_MAX_STREAMS` is set.
const MOST_LANES: usize = 32;

/// The maximum number of streams for groups of one priority.
pub(super) fn most_lanes() -> Result<usize> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=4096).contains(number));
    Ok(setting("ANABRANCH_MAX_STREAMS", "a number from 1 to 4096", number)?.unwrap_or(MOST_LANES))
}

/// The compiler's first choice, unless the environment names another one of its choices.
pub(super) fn failed_check(compiler: &dyn Compiler) -> Result<FailedCheck> {
    let choices = compiler.failed_checks();
    let named = |text: &str| {
        let named = match text {
            "exit" => FailedCheck::Exit,
            "go-on" => FailedCheck::GoOn,
            _ => return None,
        };
        choices.contains(&named).then_some(named)
    };
    let expected = match choices.contains(&FailedCheck::Exit) {
        true => "`exit` or `go-on`",
        false => "`go-on`, since on this device a thread cannot end without the others of its wave",
    };
    Ok(setting("ANABRANCH_FAILED_CHECK", expected, named)?.or(choices.first().copied()).unwrap_or(FailedCheck::GoOn))
}

/// How kernels are compiled.
pub(super) fn mode() -> Result<Mode> {
    let debug = setting("ANABRANCH_DEBUG", "`none`, `line` or `full`", DebugInfo::named)?;
    let contract = switch("ANABRANCH_CONTRACT")?;
    Ok(Mode { debug: debug.unwrap_or(DebugInfo::DEFAULT), contract: contract.unwrap_or(true) })
}
