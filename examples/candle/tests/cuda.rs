//! The ops on a GPU against the same on the CPU. Nothing but copies and these ops runs there, so a stand-in for the driver that does not know
//! candle's kernels is enough.

#![cfg(feature = "cuda")]

use anabranch_candle_example::{Softmax, SwiGlu, softmax, swiglu};
use candle_core::{CustomOp1, CustomOp2, DType, Device, Result, Tensor};

/// Numbers between -4 and 4.
fn tensor(shape: &[usize], seed: u32, dtype: DType, device: &Device) -> Result<Tensor> {
    let len = shape.iter().product::<usize>() as u32;
    let number = |k: u32| f64::from((k + 1) * (seed + 1) * 7919 % 8001) / 1000.0 - 4.0;
    Tensor::from_vec((0..len).map(number).collect(), shape, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
}

/// Results and gradients, also of a part of a tensor, of results, and of what nobody holds any more.
fn results(shape: &[usize], dtype: DType, device: &Device) -> Result<Vec<Tensor>> {
    let [x, z, d] =
        [tensor(shape, 0, dtype, device)?, tensor(shape, 1, dtype, device)?, tensor(shape, 2, dtype, device)?];
    let y = softmax(&x)?;
    let (dgate, dup) = SwiGlu.bwd(&x, &z, &x, &d)?;
    let part = x.narrow(0, 1, shape[0] - 1)?;
    let mut long = softmax(&tensor(shape, 3, dtype, device)?)?;
    for _ in 0..4 {
        long = swiglu(&softmax(&long)?, &long)?;
    }
    let all = [Softmax.bwd(&x, &y, &d)?, Some(y), dgate, dup, Some(swiglu(&x, &z)?), Some(softmax(&part)?), Some(long)];
    drop((x, z, d, part));
    let all = all.into_iter().flatten().map(|y| y.to_device(&Device::Cpu)).collect();
    device.synchronize()?; // candle relies on drivers that wait for copies to such memory, as all do but the stand-in
    all
}

#[test]
fn as_on_the_cpu() -> Result<()> {
    if anabranch::Device::cuda_count().map_err(candle_core::Error::wrap)? == 0 {
        eprintln!("skipped: no CUDA device");
        return Ok(());
    }
    for device in [Device::new_cuda_with_stream(0)?, Device::new_cuda(0)?] {
        for shape in [&[2, 5][..], &[7, 300], &[3, 2, 129]] {
            for (dtype, tolerance) in [(DType::F32, 2e-6), (DType::F64, 1e-13)] {
                let found = results(shape, dtype, &device)?;
                for (k, (a, b)) in found.into_iter().zip(results(shape, dtype, &Device::Cpu)?).enumerate() {
                    let values = |x: &Tensor| x.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>();
                    for (a, b) in values(&a)?.into_iter().zip(values(&b)?) {
                        let near = (a - b).abs() <= tolerance * (1.0 + b.abs());
                        assert!(near, "result {k} of {shape:?}, {dtype:?}: {a}, and {b} on the CPU");
                    }
                }
            }
        }
    }
    Ok(())
}
