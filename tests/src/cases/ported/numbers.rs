use anabranch::{Error, prelude::*};

use super::super::noise;
use super::{near, signed};
use crate::kernels::factored::factored_spmv;
use crate::kernels::ported::{bitonic, collatz, kmeans, matmul, sha256, softmax, spmv};

pub fn matmul_of_floats(device: &Device, stream: &Stream) {
    fn check<const TILE: usize>(device: &Device, stream: &Stream, (height, inner, width): (usize, usize, usize)) {
        let (a, b) = (signed(height * inner), signed(inner * width + 1)[1..].to_vec());
        let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
        let mut c = device.zeros(height * width).unwrap();
        matmul::matmul::<f32, TILE>(stream, &da, &db, &mut c, inner, width).unwrap();
        let element = |y, x| (0..inner).map(|k| f64::from(a[y * inner + k]) * f64::from(b[k * width + x])).sum();
        let want: Vec<f64> = (0..height * width).map(|at| element(at / width, at % width)).collect();
        near(&c.to_vec().unwrap(), &want, 1e-5);
    }
    for sizes in [(1, 1, 1), (64, 64, 64), (33, 129, 17), (3, 200, 100)] {
        check::<1>(device, stream, sizes);
        check::<4>(device, stream, sizes);
        check::<7>(device, stream, sizes);
    }
}

pub fn matmul_of_ints(device: &Device, stream: &Stream) {
    let (height, inner, width) = (31, 45, 50);
    let (a, b): (Vec<u64>, Vec<u64>) = (noise(height * inner).collect(), noise(inner * width).collect());
    let (da, db) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
    let mut c = device.zeros(height * width).unwrap();
    matmul::matmul::<u64, 8>(stream, &da, &db, &mut c, inner, width).unwrap();
    let want: Vec<u64> = (0..height * width)
        .map(|at| {
            let terms = (0..inner).map(|k| a[at / width * inner + k].wrapping_mul(b[k * width + at % width]));
            terms.fold(0, u64::wrapping_add)
        })
        .collect();
    assert_eq!(c.to_vec().unwrap(), want);
}

pub fn softmax(device: &Device, stream: &Stream) {
    fn check<T: Float + Into<f64>>(device: &Device, stream: &Stream, x: &[T], width: usize, off: f64) {
        let rows = x.len() / width;
        let (mut out, mut log_sums) = (device.zeros(x.len()).unwrap(), device.zeros(rows).unwrap());
        softmax::softmax(stream, &device.buffer_from(x).unwrap(), &mut out, &mut log_sums, width).unwrap();
        let (mut want, mut want_log_sums) = (Vec::new(), Vec::new());
        for row in x.chunks(width) {
            let row: Vec<f64> = row.iter().map(|&x| x.into()).collect();
            // The first element does as well as the greatest, unless they are far apart.
            let sum: f64 = row.iter().map(|x| (x - row[0]).exp()).sum();
            want.extend(row.iter().map(|x| (x - row[0]).exp() / sum));
            want_log_sums.push(row[0] + sum.ln());
        }
        near(&out.to_vec().unwrap(), &want, off);
        near(&log_sums.to_vec().unwrap(), &want_log_sums, off);
    }
    for (rows, width) in [(1, 1), (100, 33), (7, 1000), (1000, 2)] {
        // So great that their exponentials are infinite.
        let x: Vec<f32> = signed(rows * width).iter().map(|x| 900.0 + 5.0 * x).collect();
        check::<f32>(device, stream, &x, width, 1e-5);
        let x: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        check::<f64>(device, stream, &x, width, 1e-13);
    }
}

/// A matrix with about `fill` of a thousand elements, from `element` of a random number.
fn sparse<T>(rows: usize, width: usize, fill: u64, element: impl Fn(u64) -> T) -> (Vec<u32>, Vec<u32>, Vec<T>) {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for (at, random) in noise(rows * width).enumerate() {
        // Every seventh row is empty.
        if random % 1000 < fill && at / width % 7 != 3 {
            columns.push((at % width) as u32);
            values.push(element(random >> 32));
        }
        if at % width == width - 1 {
            starts.push(values.len() as u32);
        }
    }
    (starts, columns, values)
}

pub fn spmv(device: &Device, stream: &Stream) {
    for (rows, width, fill) in [(1, 1, 1000), (1000, 700, 20), (333, 1, 500), (50, 3000, 5)] {
        let (starts, columns, values) = sparse(rows, width, fill, |random| random as i64 - (1 << 31));
        let x: Vec<i64> = noise(width).map(|v| v as i64).collect();
        let (dstarts, dcolumns) = (device.buffer_from(&starts).unwrap(), device.buffer_from(&columns).unwrap());
        let mut y = device.zeros(rows).unwrap();
        let dvalues = device.buffer_from(&values).unwrap();
        spmv::spmv(stream, &dstarts, &dcolumns, &dvalues, &device.buffer_from(&x).unwrap(), &mut y).unwrap();
        // Element by element, each added to its row.
        let mut want = vec![0i64; rows];
        for (at, (&column, value)) in columns.iter().zip(&values).enumerate() {
            let row = starts.partition_point(|&start| start as usize <= at) - 1;
            want[row] = want[row].wrapping_add(value.wrapping_mul(x[column as usize]));
        }
        assert_eq!(y.to_vec().unwrap(), want);

        // The same in floats, of numbers that leave nothing to round.
        let values: Vec<f32> = values.iter().map(|v| (v % 64) as f32).collect();
        let x: Vec<f32> = x.iter().map(|v| (v % 64) as f32).collect();
        let (dvalues, dx) = (device.buffer_from(&values).unwrap(), device.buffer_from(&x).unwrap());
        let mut y = device.zeros(rows).unwrap();
        spmv::spmv(stream, &dstarts, &dcolumns, &dvalues, &dx, &mut y).unwrap();
        let mut by_function = device.zeros(rows).unwrap();
        factored_spmv(stream, &dstarts, &dcolumns, &dvalues, &dx, &mut by_function).unwrap();
        assert_eq!(by_function.to_vec().unwrap(), y.to_vec().unwrap());
        let mut want = vec![0.0; rows];
        for (at, (&column, value)) in columns.iter().zip(&values).enumerate() {
            want[starts.partition_point(|&start| start as usize <= at) - 1] += value * x[column as usize];
        }
        assert_eq!(y.to_vec().unwrap(), want);
    }
}

pub fn kmeans(device: &Device, stream: &Stream) {
    fn check<const D: usize>(device: &Device, stream: &Stream, n: usize, k: usize, parts: usize) {
        // Small whole numbers, so that sums are exact in any order.
        let points: Vec<f32> = signed(n * D).iter().map(|x| (x * 50.0).round()).collect();
        let mut centres = signed(k * D).iter().map(|x| (x * 60.0).round()).collect::<Vec<_>>();
        centres[..D].fill(1000.0); // far from all points, stays where it is
        let dpoints = device.buffer_from(&points).unwrap();
        let mut dcentres = device.buffer_from(&centres).unwrap();
        let (mut labels, mut distances) = (device.zeros(n).unwrap(), device.zeros(n).unwrap());
        let (mut sums, mut counts) = (device.zeros(parts * k * D).unwrap(), device.zeros(parts * k).unwrap());
        let mut losses = device.zeros(parts).unwrap();
        kmeans::kmeans::<D>(
            stream,
            &dpoints,
            &mut dcentres,
            &mut labels,
            &mut distances,
            &mut sums,
            &mut counts,
            &mut losses,
        )
        .unwrap();

        let square = |p: &[f32], c: &[f32]| p.iter().zip(c).map(|(p, c)| (p - c) * (p - c)).sum::<f32>();
        let nearest = |point: &[f32]| {
            let squares = centres.chunks(D).map(|centre| square(point, centre)).enumerate();
            squares.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
        };
        let nearest: Vec<(usize, f32)> = points.chunks(D).map(nearest).collect();
        let mut want = centres.clone();
        for (c, centre) in want.chunks_mut(D).enumerate() {
            let mine: Vec<&[f32]> = points.chunks(D).zip(&nearest).filter(|(_, n)| n.0 == c).map(|(p, _)| p).collect();
            for (d, x) in centre.iter_mut().enumerate().filter(|_| !mine.is_empty()) {
                *x = mine.iter().map(|point| point[d]).sum::<f32>() / mine.len() as f32;
            }
        }
        assert_eq!(labels.to_vec().unwrap(), nearest.iter().map(|n| n.0 as u32).collect::<Vec<_>>());
        assert_eq!(dcentres.to_vec().unwrap(), want);
        assert_eq!(losses.to_vec().unwrap().iter().sum::<f32>(), nearest.iter().map(|n| n.1).sum::<f32>());
    }
    for (n, k, parts) in [(1, 2, 1), (1000, 8, 10), (1003, 5, 7), (5, 3, 8)] {
        check::<1>(device, stream, n, k, parts);
        check::<2>(device, stream, n, k, parts);
        check::<3>(device, stream, n, k, parts);
    }
}

pub fn bitonic_sort(device: &Device, stream: &Stream) {
    for n in [0, 1, 2, 3, 64, 100, 1000, 1024, 4097] {
        let mut ints: Vec<i32> = noise(n).map(|v| v as i32 % 1000).collect();
        let mut floats: Vec<f64> = ints.iter().map(|&v| f64::from(v) / 3.0).collect();
        let (mut dints, mut dfloats) = (device.buffer_from(&ints).unwrap(), device.buffer_from(&floats).unwrap());
        bitonic::bitonic_sort(stream, &mut dints).unwrap();
        bitonic::bitonic_sort(stream, &mut dfloats).unwrap();
        ints.sort();
        floats.sort_by(f64::total_cmp);
        assert_eq!(dints.to_vec().unwrap(), ints);
        assert_eq!(dfloats.to_vec().unwrap(), floats);
    }
}

pub fn collatz(device: &Device, stream: &Stream) {
    fn orbit(n: u64) -> (u32, u64) {
        let next = |n: u64| if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        let orbit = || std::iter::successors(Some(n), |&n| (n > 1).then(|| next(n)));
        (orbit().count() as u32 - 1, orbit().max().unwrap())
    }
    for (first, n) in [(1, 10_007), (27, 1), (1 << 40, 1000)] {
        let (mut steps, mut greatest) = (device.zeros(n).unwrap(), device.zeros(n).unwrap());
        collatz::collatz(stream, first, &mut steps, &mut greatest).unwrap();
        let want: (Vec<u32>, Vec<u64>) = (first..first + n as u64).map(orbit).unzip();
        assert_eq!((steps.to_vec().unwrap(), greatest.to_vec().unwrap()), want);
    }
    assert_eq!(orbit(27), (111, 9232));
    for (first, words) in [(0, "0 never comes to 1"), (u64::MAX, "overflow")] {
        let (mut steps, mut greatest) = (device.zeros(1).unwrap(), device.zeros(1).unwrap());
        collatz::collatz(stream, first, &mut steps, &mut greatest).unwrap();
        match stream.synchronize() {
            Err(error @ Error::KernelPanic { .. }) => assert!(error.to_string().contains(words), "{error}"),
            other => panic!("{first}: {other:?}"),
        }
    }
}

pub fn sha256(device: &Device, stream: &Stream) {
    // What `sha256sum` says of so many `a`.
    let known = [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
        (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
        (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
        (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
        (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
        (1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ];
    let mut bytes = b"abc".to_vec();
    let mut ends = vec![bytes.len()];
    for (n, _) in known {
        bytes.resize(bytes.len() + n, b'a');
        ends.push(bytes.len());
    }
    let mut digests = device.zeros(8 * ends.len()).unwrap();
    let (dbytes, dends) = (device.buffer_from(&bytes).unwrap(), device.buffer_from(&ends).unwrap());
    sha256::sha256(stream, &dbytes, &dends, &mut digests).unwrap();
    let digests = digests.to_vec().unwrap();
    let digests: Vec<String> =
        digests.chunks(8).map(|d| d.iter().map(|word| format!("{word:08x}")).collect()).collect();
    // The example of FIPS 180-4.
    assert_eq!(digests[0], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    for ((n, want), got) in known.into_iter().zip(&digests[1..]) {
        assert_eq!(got, want, "{n} times a");
    }
}
