//! Names that people who know CUDA write. They get an error that says what anabranch has instead,
//! unless the user has something of this name: only rustc knows that, so an item that stands for
//! the error is found where nothing else is.

use anabranch_core::methods;

/// The type of the runtime that takes the place of a function, by its name.
pub(crate) fn fallback(path: &syn::Path) -> Option<&'static str> {
    let name = path.get_ident()?.to_string();
    let plain = name.replace('_', "").to_lowercase();
    if is_index(&name, &plain) {
        return Some("CudaIndex");
    }
    match plain.as_str() {
        "syncthreads" | "syncwarp" | "threadfence" | "threadfenceblock" | "barrier" | "workgroupbarrier" => {
            Some("CudaBarrier")
        }
        warp if warp == "activemask" || WARPS.iter().any(|operation| warp.starts_with(operation)) => Some("CudaWarp"),
        atomic if ATOMICS.iter().any(|operation| atomic.strip_prefix("atomic") == Some(operation)) => {
            Some("CudaAtomic")
        }
        // `sqrt(x)`, `sqrtf(x)`, `fabs(x)`: what takes the place of a function says that numbers
        // have methods.
        method => {
            let of_c = [Some(method), method.strip_suffix('f'), method.strip_prefix('f')];
            of_c.iter().flatten().any(|name| methods::find(name).is_some()).then_some("NotADeviceFunction")
        }
    }
}

/// The beginnings of the names of what the threads of a warp do together, in CUDA and CubeCL.
const WARPS: [&str; 8] = ["shfl", "ballotsync", "anysync", "allsync", "matchany", "matchall", "reduceaddsync", "plane"];

const ATOMICS: [&str; 11] = ["add", "sub", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"];

/// Whether a constant is called like a variable of CUDA's.
pub(crate) fn is_built_in(path: &syn::ExprPath) -> bool {
    let name = path.path.get_ident().filter(|_| path.qself.is_none());
    name.is_some_and(|name| ["threadIdx", "blockIdx", "blockDim", "gridDim"].iter().any(|built_in| name == built_in))
}

/// Whether a path is one of both, and says which iteration this is.
pub(crate) fn counts(path: &syn::ExprPath) -> bool {
    is_built_in(path) || fallback(&path.path) == Some("CudaIndex")
}

/// `thread_idx`, `threadIdx_x`, `block_dim`, `global_id`, `get_global_id`.
fn is_index(name: &str, plain: &str) -> bool {
    let plain = plain.strip_prefix("get").unwrap_or(plain);
    let dimension = if name.contains("_") { plain.strip_suffix(['x', 'y', 'z']) } else { None };
    let of = ["thread", "block", "global", "local", "grid", "lane", "warp", "program"];
    let is = |plain: &str| {
        let rest = of.iter().find_map(|of| plain.strip_prefix(of));
        rest.is_some_and(|rest| matches!(rest, "id" | "idx" | "index" | "dim" | "size"))
    };
    is(plain) || dimension.is_some_and(is)
}

/// Whether a name can also be that of a macro of ours. Beside an attribute of the language, or one
/// that may become one, it would be ambiguous.
pub(crate) fn can_be_a_macro(name: &str) -> bool {
    let name = name.strip_prefix("r#").unwrap_or(name);
    !name.starts_with("rustc_") && !ATTRIBUTES.contains(&name)
}

#[rustfmt::skip] // a word after the other
const ATTRIBUTES: &[&str] = &[
    "align", "allow", "allow_internal_unsafe", "allow_internal_unstable", "automatically_derived", "cfg", "cfg_attr", "cfi_encoding",
    "cold", "collapse_debuginfo", "compiler_builtins", "const_continue", "coroutine", "coverage", "crate_name", "crate_type", "custom_mir",
    "debugger_visualizer", "default_lib_allocator", "deny", "deprecated", "doc", "eii", "expect", "export_name", "export_stable", "feature",
    "ffi_const", "ffi_pure", "forbid", "force_target_feature", "fundamental", "ignore", "inline", "instruction_set", "lang", "link",
    "link_name", "link_ordinal", "link_section", "linkage", "loop_match", "macro_escape", "macro_export", "macro_rules", "macro_use",
    "marker", "may_dangle", "move_size_limit", "must_not_suspend", "must_use", "naked", "needs_allocator", "needs_panic_runtime",
    "no_builtins", "no_core", "no_implicit_prelude", "no_link", "no_main", "no_mangle", "no_std", "non_exhaustive", "optimize",
    "panic_handler", "panic_runtime", "path", "pin_v2", "prelude_import", "proc_macro", "proc_macro_attribute", "proc_macro_derive",
    "profiler_runtime", "recursion_limit", "reexport_test_harness_main", "register_tool", "repr", "sanitize", "should_panic", "splat",
    "stable", "target_feature", "test_runner", "thread_local", "track_caller", "type_length_limit", "unstable", "unstable_feature_bound",
    "used", "warn", "windows_subsystem",
];

#[cfg(test)]
mod tests {
    use super::fallback;

    #[test]
    fn names_have_their_habits() {
        let of = |name: &str| fallback(&syn::parse_str(name).expect("a path"));
        let names =
            "thread_idx threadIdx_x blockIdx block_dim_z get_global_id global_id thread_index lane_id grid_size";
        for name in names.split(' ') {
            assert_eq!(of(name), Some("CudaIndex"), "{name}");
        }
        for name in ["__syncthreads", "sync_threads", "__threadfence", "workgroupBarrier"] {
            assert_eq!(of(name), Some("CudaBarrier"), "{name}");
        }
        for name in ["atomicAdd", "atomic_max", "atomicCAS"] {
            assert_eq!(of(name), Some("CudaAtomic"), "{name}");
        }
        for name in ["sqrt", "sqrtf", "fabs", "max"] {
            assert_eq!(of(name), Some("NotADeviceFunction"), "{name}");
        }
        for name in ["wave", "thread", "index", "grid_of", "blocks", "atomic", "id", "cuda::thread_idx", "threads_idx"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
