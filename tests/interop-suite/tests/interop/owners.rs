//! What keeps foreign memory alive, on the CPU.

use anabranch_interop_suite::affine;

use super::*;

/// A buffer of the elements of a vector, which is its owner.
fn adopt(device: &Device, values: Vec<u32>, count: &Count) -> Buffer<u32> {
    let mut values = values;
    let (start, len) = (values.as_mut_ptr(), values.len());
    // SAFETY: the elements belong to the vector, which the buffer owns.
    unsafe { Buffer::from_raw(device, start, len, Owner::new(values, count)) }.unwrap()
}

#[test]
fn the_memory_is_used_in_place_and_goes_once() {
    let (device, count) = (Device::cpu(), Count::default());
    let mut values = vec![1u32; N];
    let start = values.as_mut_ptr();
    // SAFETY: as above.
    let mut x = unsafe { Buffer::from_raw(&device, start, N, Owner::new(values, &count)) }.unwrap();
    assert_eq!(x.as_ptr(), start.cast_const());
    affine(&device.default_stream(), &mut x, 2, 1, 2).unwrap();
    // SAFETY: the memory is that of the vector, and no work writes it now.
    assert_eq!(unsafe { start.read() }, 7);
    assert_eq!((x.to_vec().unwrap(), count.get()), (vec![7; N], 0));
    drop(x);
    assert_eq!(count.get(), 1);
}

#[test]
fn a_graph_keeps_the_owner() {
    let (device, count) = (Device::cpu(), Count::default());
    let stream = device.default_stream();
    let mut x = adopt(&device, vec![1; N], &count);
    let graph = stream.capture(|stream| affine(stream, &mut x, 2, 0, 1)).unwrap();
    graph.launch(&stream).unwrap();
    assert_eq!(x.get(0).unwrap(), 2);
    drop(x);
    graph.launch(&stream).unwrap();
    assert_eq!(count.get(), 0);
    drop(graph);
    assert_eq!(count.get(), 1);
}

/// Two buffers of memory that both read have one address, but each has an owner.
#[test]
fn a_graph_keeps_each_owner_of_shared_memory() {
    let (device, counts) = (Device::cpu(), [Count::default(), Count::default()]);
    let values = Arc::new(vec![3u32; N]);
    let start = values.as_ptr().cast_mut();
    // SAFETY: each buffer owns a share of the vector, and nobody writes it.
    let shares = counts
        .each_ref()
        .map(|count| unsafe { Buffer::from_raw(&device, start, N, Owner::new(Arc::clone(&values), count)) });
    let [one, two] = shares.map(Result::unwrap);
    let (mut a, mut b) = (device.zeros::<u32>(N).unwrap(), device.zeros::<u32>(N).unwrap());
    let graph = device.default_stream().capture(|stream| {
        anabranch_interop_suite::double(stream, &one, &mut a)?;
        anabranch_interop_suite::double(stream, &two, &mut b)
    });
    drop((one, two, values));
    graph.as_ref().unwrap().launch(&device.default_stream()).unwrap();
    assert_eq!((a.get(1).unwrap(), b.get(1).unwrap(), counts.each_ref().map(Count::get)), (6, 6, [0, 0]));
    drop(graph);
    assert_eq!(counts.each_ref().map(Count::get), [1, 1]);
}

struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::panic_any(Bomb);
    }
}

#[test]
fn a_panic_of_the_owner_reaches_nobody() {
    let device = Device::cpu();
    let mut value = 5u32;
    for unwinding in [false, true] {
        // SAFETY: the element lives longer than the buffer.
        let x = unsafe { Buffer::from_raw(&device, &raw mut value, 1, Bomb) }.unwrap();
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _x = x;
            assert!(!unwinding, "the panic that is to be seen");
        }));
        assert_eq!(ended.is_err(), unwinding);
    }
    assert_eq!(device.buffer_from(&[1u32]).unwrap().to_vec().unwrap(), [1]);
}

/// An owner that holds the device, and one that uses it when it goes.
#[test]
fn owners_may_use_the_device() {
    struct Last(Device);
    impl Drop for Last {
        fn drop(&mut self) {
            let mut x = self.0.buffer_from(&[1u32; 8]).unwrap();
            affine(&self.0.default_stream(), &mut x, 3, 0, 1).unwrap();
            assert_eq!(x.to_vec().unwrap(), [3; 8]);
        }
    }
    let count = Count::default();
    let device = Device::cpu();
    let mut values = vec![1u32; 8];
    // SAFETY: the owner has the elements.
    let x = unsafe {
        Buffer::from_raw(&device, values.as_mut_ptr(), 8, Owner::new((Last(device.clone()), values), &count))
    };
    drop(device);
    drop(x);
    assert_eq!(count.get(), 1);
}

#[test]
fn a_forgotten_buffer_keeps_its_owner() {
    let count = Count::default();
    std::mem::forget(adopt(&Device::cpu(), vec![1; 8], &count));
    assert_eq!(count.get(), 0);
}

#[test]
fn bad_pointers_give_the_owner_back() {
    let device = Device::cpu();
    let mut values = [0u64; 4];
    let start = values.as_mut_ptr();
    let cases: [(*mut u64, usize, &str); 4] = [
        (std::ptr::null_mut(), 3, "`from_raw` of a buffer of 3 `u64`: the pointer is null"),
        (start.wrapping_byte_add(4), 3, "is not a multiple of 8, the alignment of `u64`"),
        (start, usize::MAX / 8, "there cannot be so many elements"),
        (std::ptr::without_provenance_mut(usize::MAX - 7), 2, "there cannot be so many elements"),
    ];
    for (ptr, len, text) in cases {
        let count = Count::default();
        // SAFETY: the pointer is refused.
        let result = unsafe { Buffer::<u64>::from_raw(&device, ptr, len, Owner::new((), &count)) };
        let error = result.unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
        assert!(matches!(error.error(), Error::Foreign { .. }));
        let owner = error.into_value();
        assert_eq!(count.get(), 0);
        drop(owner);
        assert_eq!(count.get(), 1);
    }
}

#[test]
fn no_elements_need_no_pointer() {
    let (device, count) = (Device::cpu(), Count::default());
    // SAFETY: there are no elements.
    let x = unsafe { Buffer::<u64>::from_raw(&device, std::ptr::null_mut(), 0, Owner::new((), &count)) }.unwrap();
    assert_eq!(x.to_vec().unwrap(), []);
    drop(x);
    assert_eq!(count.get(), 1);
}
