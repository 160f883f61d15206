//! Random launches and copies of several devices against a model on the host.

use anabranch::prelude::*;

use crate::devices;
use crate::kernels::{add, affine};

/// xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

const LEN: usize = 40;
const BUFFERS: usize = 3;

/// `ANABRANCH_DEVICES_STEPS` for more steps, and `ANABRANCH_SEED` for others.
#[test]
fn launches_and_copies_have_the_effect_of_their_order() {
    let setting = |name, otherwise: u64| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    };
    let (steps, seed) = (setting("ANABRANCH_DEVICES_STEPS", 600), setting("ANABRANCH_SEED", 1));
    let (_turn, devices) = devices();
    let mut random = Random(0x2545_F491_4F6C_DD1D ^ seed);
    let streams: Vec<[Stream; 2]> =
        devices.iter().map(|device| [device.new_stream().unwrap(), device.new_stream().unwrap()]).collect();
    let fresh = |device: &Device| device.filled(LEN, 1u32).unwrap();
    let mut buffers: Vec<Vec<Buffer<u32>>> =
        devices.iter().map(|device| (0..BUFFERS).map(|_| fresh(device)).collect()).collect();
    let mut model = vec![vec![vec![1u32; LEN]; BUFFERS]; devices.len()];
    for step in 0..steps {
        let (device, at) = (random.below(devices.len()), random.below(BUFFERS));
        let stream = &streams[device][random.below(2)];
        let start = random.below(LEN);
        let len = 1 + random.below(LEN - start);
        match random.below(10) {
            0..3 => {
                let (a, b) = (2 * random.below(5) as u32 + 1, random.below(9) as u32);
                let mut part = buffers[device][at].slice_mut(start..start + len);
                affine(stream, &mut part, a, b, random.below(80) as u32).unwrap();
                for value in &mut model[device][at][start..start + len] {
                    *value = value.wrapping_mul(a).wrapping_add(b);
                }
            }
            3 => {
                let other = (at + 1) % BUFFERS;
                let [to, from] = buffers[device].get_disjoint_mut([at, other]).unwrap();
                add(stream, to, from).unwrap();
                let from = model[device][other].clone();
                model[device][at].iter_mut().zip(from).for_each(|(to, from)| *to = to.wrapping_add(from));
            }
            4 => {
                buffers[device][at] = fresh(&devices[device]); // the old one may be in use
                model[device][at].fill(1);
            }
            5 => assert_eq!(buffers[device][at].to_vec().unwrap(), model[device][at], "step {step}"),
            copy => {
                let other = (device + 1 + random.below(devices.len() - 1)) % devices.len();
                let (source, from) = (random.below(BUFFERS), random.below(LEN - len + 1));
                let [here, there] = buffers.get_disjoint_mut([device, other]).unwrap();
                let mut to = here[at].slice_mut(start..start + len);
                let part = there[source].slice(from..from + len);
                match copy {
                    6 => to.copy_from_buffer(&part).unwrap(),
                    7 => to.copy_from_buffer_async(&streams[other][random.below(2)], &part).unwrap(),
                    _ => to.copy_from_buffer_async(stream, &part).unwrap(),
                }
                let part = model[other][source][from..from + len].to_vec();
                model[device][at][start..start + len].copy_from_slice(&part);
            }
        }
    }
    for (device, model) in buffers.iter().zip(&model) {
        for (buffer, model) in device.iter().zip(model) {
            assert_eq!(buffer.to_vec().unwrap(), *model);
        }
    }
}
