//! Trains a small network to distinguish the quadrants of a plane. Its SwiGLU layer and its softmax
//! are anabranch kernels, forward and backward.
//!
//! `cargo run --example quadrants`; on a GPU with `--features cuda`.

use std::process::ExitCode;

use anabranch_candle_example::{softmax, swiglu};
use candle_core::{D, DType, Device, Result, Tensor, Var};

const HIDDEN: usize = 16;
const STEPS: usize = 300;
const RATE: f64 = 1.0;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: the network has learned too little");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether the network classifies at least 97 % of the points correctly.
fn run() -> Result<bool> {
    let device = Device::cuda_if_available(0)?;
    let (points, classes) = quadrants(&device)?;
    let [gate, up] = [weights(3, HIDDEN, 1, &device)?, weights(3, HIDDEN, 2, &device)?];
    let out = weights(HIDDEN, 2, 3, &device)?;
    let variables = [&gate, &up, &out];

    let mut right = 0.0;
    for step in 0..=STEPS {
        let hidden = swiglu(&points.matmul(&gate)?, &points.matmul(&up)?)?;
        let guess = softmax(&hidden.matmul(&out)?)?;
        // Cross entropy: the logarithm of the probability of the right class. The logarithm of 0
        // would be infinite.
        let loss = (&classes * (&guess + 1e-6)?.log()?)?.sum(D::Minus1)?.mean_all()?.neg()?;
        if step % 100 == 0 {
            let hits = guess.argmax(D::Minus1)?.eq(&classes.argmax(D::Minus1)?)?;
            right = hits.to_dtype(DType::F32)?.mean_all()?.to_scalar::<f32>()?;
            println!("step {step}: loss {:.4}, {:.1} % right", loss.to_scalar::<f32>()?, 100.0 * right);
        }
        let gradients = loss.backward()?;
        for variable in variables {
            if let Some(gradient) = gradients.get(variable) {
                variable.set(&(variable.as_tensor() - (gradient * RATE)?)?)?;
            }
        }
    }
    Ok(right >= 0.97)
}

/// Points `(x, y, 1)` in a square. Their class is whether `x` and `y` have the same sign.
fn quadrants(device: &Device) -> Result<(Tensor, Tensor)> {
    const SIDE: usize = 24;
    let at = |k: usize| (2 * k + 1) as f32 / SIDE as f32 - 1.0;
    let places = || (0..SIDE * SIDE).map(|k| (at(k / SIDE), at(k % SIDE)));
    let points: Vec<f32> = places().flat_map(|(x, y)| [x, y, 1.0]).collect();
    let classes: Vec<f32> = places().flat_map(|(x, y)| if x * y > 0.0 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
    Ok((Tensor::from_vec(points, (SIDE * SIDE, 3), device)?, Tensor::from_vec(classes, (SIDE * SIDE, 2), device)?))
}

/// Weights between -1 and 1, the same in every run.
fn weights(rows: usize, columns: usize, seed: usize, device: &Device) -> Result<Var> {
    let weight = |k: usize| ((k + 1) * (7919 * seed + 104_729) % 1999) as f32 / 999.0 - 1.0;
    Var::from_tensor(&Tensor::from_vec((0..rows * columns).map(weight).collect(), (rows, columns), device)?)
}
