//! Names of users that are ours too, or C++'s.
#![allow(non_snake_case, non_camel_case_types, unused_variables)]

#[anabranch::kernel]
fn clash(__stream: &mut [u32], __ctx: &[u32], stream: u32, device: u32, __args: u32, uses: u32, r#type: u32, int: u32) {
    let __g0 = stream;
    let (__w0, __fork, __p) = (device, uses, __args);
    let std = 1;
    anabranch::stream_parallel! {
        'template: {
            for __t in par(0..__stream.len()) {
                let __chunk = __ctx[__t];
                let __row = __g0 + __w0 + __fork + __p + r#type + int + std;
                let mut __a = __chunk;
                __a += { let __b = 1; __b + __row };
                let float = __a;
                __stream[__t] += float;
            }
        }
    }
}

#[anabranch::kernel]
fn core(ok: &mut [f32], some: f32) {
    for r#in in par(0..ok.len()) {
        ok[r#in] = some;
    }
}

mod anabranch_ {}
type u32_ = u32;

fn main() -> anabranch::Result<()> {
    let device = anabranch::Device::cpu();
    let stream = device.default_stream();
    let mut x = device.buffer_from(&[1u32, 2])?;
    let y = device.buffer_from(&[10u32, 20])?;
    clash(&stream, &mut x, &y, 1, 2, 3, 4, 5, 6)?;
    assert_eq!(x.to_vec()?, [34, 45]);
    let mut f = device.zeros::<f32>(1)?;
    core(&stream, &mut f, 2.0)?;
    assert_eq!(f.to_vec()?, [2.0]);
    assert!(!clash::cuda_source().is_empty());
    Ok(())
}
