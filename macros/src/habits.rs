//! Names that people who know CUDA write. They get an error that says what anabranch has instead, unless the user has something of this name:
//! only rustc knows that, so an item that stands for the error is found where nothing else is.

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
        atomic if ATOMICS.iter().any(|operation| atomic.strip_prefix("atomic") == Some(operation)) => {
            Some("CudaAtomic")
        }
        // `sqrt(x)`, `sqrtf(x)`, `fabs(x)`: what takes the place of a function says that numbers have methods.
        method => {
            let of_c = [Some(method), method.strip_suffix('f'), method.strip_prefix('f')];
            of_c.iter().flatten().any(|name| methods::find(name).is_some()).then_some("NotADeviceFunction")
        }
    }
}

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
