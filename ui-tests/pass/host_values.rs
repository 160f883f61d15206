//! Host parts with everything that Rust has, and parameters that only the host sees.
use anabranch::prelude::*;
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

struct Config<'a> {
    steps: usize,
    gain: f32,
    name: &'a str,
}

#[kernel]
fn with_inner_attributes(r#mut: &mut [f32]) {
    #![allow(unused_variables)]
    //! Docs inside.
    let unused = 1;
    'r#loop: for _ in 0..2 {
        for _ in par(0..1) { r#mut[0] = 1.0; }
        continue 'r#loop;
    }
}

#[kernel]
fn run(x: &mut [f32], config: &Config<'_>, log: Rc<Cell<u32>>, table: &HashMap<&str, f32>, _: &mut Vec<u8>) {
    let Some(&gain) = table.get(config.name) else { return };
    let count = |by| log.set(log.get() + by);
    let n = x.len();
    let first = { let half = n / 2; half.max(1) };
    let k = config.gain;
    'outer: for step in 0..config.steps {
        match step {
            0 => count(1),
            1 if x.is_empty() => continue,
            s @ 2.. => {
                if s > 3 { break 'outer; }
                for i in par(0..first) { x[i] += gain; }
            }
            _ => for i in par(0..n) { x[i] *= config_gain(k); },
        }
        let at = x.len();
        assert_eq!(at, n, "length of {}", x.len());
        stream_parallel! {
            'a: {
                let (lo, _) = x.split_at_mut(1);
                count(10);
                if step > 0 { for i in par(0..lo.len()) { lo[i] += 0.5; } }
                loop { break; }
            }
        }
    }
}

#[device]
fn config_gain(x: f32) -> f32 {
    x + 1.0
}

fn main() -> anabranch::Result<()> {
    let device = Device::cpu();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[1.0f32; 4])?;
    let log = Rc::new(Cell::new(0));
    let table = HashMap::from([("a", 3.0)]);
    let config = Config { steps: 9, gain: 1.0, name: "a" };
    run(&stream, &mut x, &config, log.clone(), &table, &mut Vec::new())?;
    assert_eq!(x.to_vec()?, [9.5, 8.0, 2.0, 2.0]);
    assert_eq!(log.get(), 41);
    Ok(())
}
