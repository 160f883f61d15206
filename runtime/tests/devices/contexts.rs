//! Another library makes the context of another device current on the thread, or none. On HIP,
//! where a thread always has a device, another one.

use std::ffi::c_int;
use std::ptr;

use libloading::Library;

use crate::devices;
use crate::gpus::on_hip;
use crate::kernels::{affine, halves};
use crate::standin::standin;

/// The handle of the default stream of the current context, `CU_STREAM_LEGACY` or
/// `hipStreamLegacy`.
const LEGACY: usize = 1;

/// The driver, as another library calls it.
struct Driver(Library);

impl Driver {
    fn load() -> Self {
        // SAFETY: loading a driver, or the stand-in for one, has no other effects.
        Self(unsafe { Library::new(if on_hip() { "libamdhip64.so.7" } else { "libcuda.so.1" }) }.unwrap())
    }

    /// The context's handle, or HIP's number of the device.
    fn current(&self) -> usize {
        type GetCurrent = unsafe extern "C" fn(*mut usize) -> c_int;
        let mut current = 0;
        let name: &[u8] = if on_hip() { b"hipGetDevice\0" } else { b"cuCtxGetCurrent\0" };
        // SAFETY: the function writes a handle or an int, which is a word on a machine that puts
        // the low bytes first.
        let result = unsafe { self.0.get::<GetCurrent>(name).unwrap()(&mut current) };
        assert_eq!(result, 0, "{name:?}");
        current
    }

    fn make_current(&self, context: usize) {
        type SetCurrent = unsafe extern "C" fn(usize) -> c_int;
        let name: &[u8] = if on_hip() { b"hipSetDevice\0" } else { b"cuCtxSetCurrent\0" };
        // SAFETY: the function takes a handle or an int, which the C ABI passes as a word. It is
        // that of a context or a device, or 0 for none.
        let result = unsafe { self.0.get::<SetCurrent>(name).unwrap()(context) };
        assert_eq!(result, 0, "{name:?}");
    }
}

/// A launch does not ask which context is current. If it is another one, all the same each call has
/// its effect once, on the right device.
#[test]
fn launches_find_their_context() {
    let (_turn, devices) = devices();
    let gpus: Vec<_> = devices.into_iter().filter(|device| !device.is_cpu()).collect();
    let Some(device) = gpus.first() else { return println!("skipped: no GPU") };
    let driver = Driver::load();
    let mut contexts = vec![0];
    for other in &gpus[1..] {
        affine(&other.default_stream(), &mut other.zeros(4).unwrap(), 1, 0, 0).unwrap();
        contexts.push(driver.current());
    }
    let (s, t) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    // SAFETY: each context has its default stream, on all threads, until its end.
    let default = unsafe { device.wrap_stream(ptr::without_provenance_mut(LEGACY)).unwrap() };
    let (mut x, mut y) = (device.zeros::<u32>(64).unwrap(), device.zeros::<u32>(64).unwrap());
    halves(&s, &mut x, &mut y).unwrap();
    let graph = s.capture(|s| halves(s, &mut x, &mut y)).unwrap();
    // `halves` has run once.
    let (mut of_x, mut of_y) = (1, 2);
    for context in contexts {
        let elsewhere = || driver.make_current(context);
        elsewhere();
        affine(&s, &mut x, 1, 1, 0).unwrap();
        elsewhere();
        halves(&s, &mut x, &mut y).unwrap();
        elsewhere();
        graph.launch(&s).unwrap();
        // It waits for the other stream.
        elsewhere();
        affine(&t, &mut x, 1, 1, 0).unwrap();
        elsewhere();
        let event = t.record().unwrap();
        elsewhere();
        s.wait(&event).unwrap();
        // With another context, this handle means another stream, which must not do what this one
        // should.
        affine(&s, &mut x, 1, 1, 500).unwrap();
        elsewhere();
        affine(&default, &mut x, 1, 1, 0).unwrap();
        elsewhere();
        graph.launch(&default).unwrap();
        (of_x, of_y) = (of_x + 7, of_y + 6);
        assert_eq!(x.to_vec().unwrap(), [of_x; 64], "{context:?}");
        assert_eq!(y.to_vec().unwrap(), [of_y; 64], "{context:?}");
    }
    if let Some(standin) = standin() {
        let asked = || standin.calls("cuCtxGetCurrent");
        affine(&s, &mut x, 1, 1, 0).unwrap();
        let before = asked();
        affine(&s, &mut x, 1, 1, 0).unwrap();
        halves(&s, &mut x, &mut y).unwrap();
        graph.launch(&s).unwrap();
        assert_eq!(asked(), before);
    }
}
