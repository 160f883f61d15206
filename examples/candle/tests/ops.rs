//! Compares the ops with candle's own, and their gradients with finite differences.

use anabranch::prelude::{Slice, SliceMut, Stream, kernel};
use anabranch_candle_example::storage::{Compute, Element, on_cpu};
use anabranch_candle_example::{Softmax, SwiGlu, softmax, swiglu};
use candle_core::{CpuStorage, CustomOp1, D, DType, Device, Layout, Result, Shape, Storage, Tensor, Var};
use std::sync::Mutex;

const CPU: Device = Device::Cpu;

type Function = fn(&[Tensor]) -> Result<Tensor>;

/// An op, and the same computation with candle's own ops.
struct Case {
    name: &'static str,
    arguments: u32,
    ours: Function,
    candle: Function,
}

const CASES: [Case; 2] = [
    Case {
        name: "softmax",
        arguments: 1,
        ours: |x| softmax(&x[0]),
        candle: |x| {
            let powers = x[0].broadcast_sub(&x[0].max_keepdim(D::Minus1)?.detach())?.exp()?;
            powers.broadcast_div(&powers.sum_keepdim(D::Minus1)?)
        },
    },
    Case { name: "swiglu", arguments: 2, ours: |x| swiglu(&x[0], &x[1]), candle: |x| x[0].silu()? * &x[1] },
];

/// Tensors without a dimension have no softmax.
const SHAPES: [&[usize]; 8] = [&[1], &[7], &[3, 5], &[64, 1], &[1, 300], &[2, 3, 130], &[5, 128], &[2, 2, 2, 129]];

/// Numbers between -4 and 4.
fn tensor(shape: &[usize], seed: u32, dtype: DType) -> Result<Tensor> {
    let len = shape.iter().product::<usize>() as u32;
    let number = |k: u32| f64::from((k + 1) * (seed + 1) * 7919 % 8001) / 1000.0 - 4.0;
    Tensor::from_vec((0..len).map(number).collect(), shape, &CPU)?.to_dtype(dtype)
}

fn variables(shape: &[usize], count: u32, dtype: DType) -> Result<Vec<Var>> {
    (0..count).map(|seed| Var::from_tensor(&tensor(shape, seed, dtype)?)).collect()
}

fn values(x: &Tensor) -> Result<Vec<f64>> {
    x.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

#[track_caller]
fn close(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!((found.shape(), found.dtype()), (expected.shape(), expected.dtype()), "{what}");
    let tolerance = if found.dtype() == DType::F64 { 1e-13 } else { 2e-6 };
    for (k, (a, b)) in values(found)?.into_iter().zip(values(expected)?).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}, element {k}: {a} in place of {b}");
    }
    Ok(())
}

fn each(check: impl Fn(&Case, &[usize], DType, &str) -> Result<()>) -> Result<()> {
    for case in &CASES {
        for shape in SHAPES {
            for dtype in [DType::F32, DType::F64] {
                check(case, shape, dtype, &format!("{} of {shape:?}, {dtype:?}", case.name))?;
            }
        }
    }
    Ok(())
}

/// The gradients of `sum(weights * f(x))`, so the gradient of the result of `f` is not just ones.
fn gradients(f: Function, x: &[Var]) -> Result<Vec<Tensor>> {
    let arguments: Vec<Tensor> = x.iter().map(|x| x.as_tensor().clone()).collect();
    let result = f(&arguments)?;
    let weights = tensor(result.dims(), 5, result.dtype())?;
    let gradients = (result * weights)?.sum_all()?.backward()?;
    Ok(x.iter().map(|x| gradients.get(x).expect("a gradient of each argument").clone()).collect())
}

#[test]
fn forward_as_candle() -> Result<()> {
    each(|case, shape, dtype, what| {
        let x = (0..case.arguments).map(|seed| tensor(shape, seed, dtype)).collect::<Result<Vec<_>>>()?;
        close(what, &(case.ours)(&x)?, &(case.candle)(&x)?)
    })
}

#[test]
fn gradients_as_candle() -> Result<()> {
    each(|case, shape, dtype, what| {
        let x = variables(shape, case.arguments, dtype)?;
        for (found, expected) in gradients(case.ours, &x)?.iter().zip(gradients(case.candle, &x)?) {
            close(what, found, &expected)?;
        }
        Ok(())
    })
}

#[test]
fn gradients_as_finite_differences() -> Result<()> {
    const STEP: f64 = 1e-5;
    for case in &CASES {
        let shape = [3, 5];
        let x = variables(&shape, case.arguments, DType::F64)?;
        let gradients = gradients(case.ours, &x)?;
        for (argument, gradient) in gradients.iter().enumerate() {
            for (k, found) in values(gradient)?.into_iter().enumerate() {
                let moved = |by: f64| -> Result<f64> {
                    let mut x: Vec<Tensor> = x.iter().map(|x| x.as_tensor().clone()).collect();
                    let mut numbers = values(&x[argument])?;
                    numbers[k] += by;
                    x[argument] = Tensor::from_vec(numbers, &shape, &CPU)?;
                    ((case.ours)(&x)? * tensor(&shape, 5, DType::F64)?)?.sum_all()?.to_scalar()
                };
                let expected = (moved(STEP)? - moved(-STEP)?) / (2.0 * STEP);
                let what = format!("{}, argument {argument}, element {k}", case.name);
                assert!((found - expected).abs() < 1e-7, "{what}: {found} in place of {expected}");
            }
        }
    }
    Ok(())
}

/// A gradient that is not contiguous, and arguments that are one tensor.
#[test]
fn gradients_through_other_ops() -> Result<()> {
    for (name, ours, candle) in [
        ("softmax", CASES[0].ours, CASES[0].candle),
        ("swiglu of a tensor and itself", |x| swiglu(&x[0], &x[0]), |x| x[0].silu()? * &x[0]),
    ] as [(&str, Function, Function); 2]
    {
        let x = Var::from_tensor(&tensor(&[4, 6], 0, DType::F64)?)?;
        let gradient = |f: Function| -> Result<Tensor> {
            let turned = f(&[x.t()?])?.t()?;
            let weights = tensor(&[4, 6], 3, DType::F64)?;
            Ok((turned * weights)?.sum_all()?.backward()?.get(&x).expect("a gradient").clone())
        };
        close(name, &gradient(ours)?, &gradient(candle)?)?;
    }
    Ok(())
}

#[test]
fn large_and_small_numbers() -> Result<()> {
    let x = Tensor::new(&[[1e30f32, 0.0, -1e30], [-200.0, -201.0, -202.0]], &CPU)?;
    let found = values(&softmax(&x)?)?;
    assert_eq!(found[..3], [1.0, 0.0, 0.0]);
    assert!((found[3..].iter().sum::<f64>() - 1.0).abs() < 1e-6 && found[3] > found[4], "{found:?}");
    let found = values(&swiglu(&x, &x.ones_like()?)?)?;
    assert!(found[0] == f64::from(1e30f32) && found[1..].iter().all(|y| y.abs() < 1e-30), "{found:?}");
    Ok(())
}

#[test]
fn empty_tensors() -> Result<()> {
    for case in &CASES {
        for shape in [&[0][..], &[3, 0], &[0, 4]] {
            let x = variables(shape, case.arguments, DType::F32)?;
            assert!(
                gradients(case.ours, &x)?.iter().all(|gradient| gradient.dims() == shape),
                "{} of {shape:?}",
                case.name
            );
        }
    }
    Ok(())
}

/// An op reports unsupported arguments with candle's errors.
#[test]
fn refused() -> Result<()> {
    let of = |shape: &[usize], dtype| tensor(shape, 0, dtype);
    let x = of(&[4, 6], DType::F32)?;
    let checks = [
        (x.t()?.apply_op1(Softmax), "anabranch::softmax only supports contiguous tensors"),
        (x.narrow(1, 0, 3)?.apply_op1(Softmax), "anabranch::softmax only supports contiguous tensors"),
        (x.apply_op2(&of(&[6, 4], DType::F32)?.t()?, SwiGlu), "anabranch::swiglu only supports contiguous tensors"),
        (softmax(&of(&[4], DType::U32)?), "unsupported dtype U32 for op anabranch::softmax"),
        (softmax(&of(&[4], DType::BF16)?), "unsupported dtype BF16 for op anabranch::softmax"),
        (swiglu(&x, &of(&[4, 6], DType::F64)?), "dtype mismatch in anabranch::swiglu, lhs: F32, rhs: F64"),
        (swiglu(&x, &of(&[4, 5], DType::F32)?), "shape mismatch in anabranch::swiglu, lhs: [4, 6], rhs: [4, 5]"),
        (softmax(&of(&[], DType::F32)?), "unexpected rank, expected: 1, got: 0 ([])"),
        (x.apply_op1(Beyond), "beyond: `x[i]` in kernel `beyond` would use index 24"),
    ];
    for (result, message) in checks {
        let error = result.expect_err(message).to_string();
        assert!(error.starts_with(message), "{error}, and not {message}");
    }
    Ok(())
}

/// An op that only records the address of its argument.
#[derive(Default)]
struct Look(Mutex<String>);

impl Compute<1> for Look {
    const NAME: &'static str = "look";

    fn shape(&self, [x]: [&Shape; 1]) -> Result<Shape> {
        Ok(x.clone())
    }

    fn launch<T: Element>(
        &self,
        _: &Stream,
        [x]: [Slice<'_, T>; 1],
        y: &mut SliceMut<'_, T>,
        _: &Shape,
    ) -> anabranch::Result<()> {
        assert_eq!(x.len(), y.len());
        *self.0.lock().unwrap() = format!("{x:?}");
        Ok(())
    }
}

impl CustomOp1 for Look {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(x, layout)])
    }
}

/// The elements are not copied, also for a part of a tensor.
#[test]
fn no_copies() -> Result<()> {
    let x = tensor(&[4, 6], 0, DType::F32)?;
    let first = match &*x.storage_and_layout().0 {
        Storage::Cpu(CpuStorage::F32(elements)) => elements.as_ptr(),
        _ => unreachable!("a tensor of f32 on the CPU"),
    };
    for (part, at, len) in [(x.clone(), 0, 24), (x.narrow(0, 1, 2)?, 6, 12), (x.get(3)?, 18, 6)] {
        let look = Look::default();
        let zeros = part.apply_op1_no_bwd(&look)?;
        assert_eq!(*look.0.lock().unwrap(), format!("Slice({len} elements at {:p})", first.wrapping_add(at)));
        assert_eq!(values(&zeros)?, vec![0.0; len]);
        // The numbers are those of the part.
        let whole = CASES[0].candle;
        close("a part", &part.apply_op1_no_bwd(&Softmax)?, &whole(&[part.force_contiguous()?])?)?;
    }
    Ok(())
}

/// Accesses one element too many.
#[kernel]
fn beyond<T: anabranch::Float>(x: &[T], y: &mut [T]) {
    for i in par(0..x.len() + 1) {
        y[i] = x[i];
    }
}

struct Beyond;

impl Compute<1> for Beyond {
    const NAME: &'static str = "beyond";

    fn shape(&self, [x]: [&Shape; 1]) -> Result<Shape> {
        Ok(x.clone())
    }

    fn launch<T: Element>(
        &self,
        stream: &Stream,
        [x]: [Slice<'_, T>; 1],
        y: &mut SliceMut<'_, T>,
        _: &Shape,
    ) -> anabranch::Result<()> {
        beyond(stream, &x, y)
    }
}

impl CustomOp1 for Beyond {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        on_cpu(self, [(x, layout)])
    }
}

#[test]
fn many_threads() -> Result<()> {
    let x = tensor(&[40, 130], 0, DType::F64)?;
    let expected = (CASES[0].candle)(std::slice::from_ref(&x))?;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| (0..20).try_for_each(|_| close("a thread", &softmax(&x)?, &expected))))
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })
}
