//! Constants that a kernel declares are sizes of blocks, shared arrays and phases, whatever hides
//! them elsewhere.

use anabranch::prelude::*;

mod other {
    pub const ROWS: usize = 7;
    pub mod tile {}
}

const ROWS: usize = 3;

/// Padded tiles: the sizes are made of each other, in any order.
#[kernel]
fn transposed(to: &mut [f32], from: &[f32], n: usize) {
    const TILE: usize = 8 * ROWS;
    const ROWS: usize = 4;
    for block in par_blocks((0..n / TILE, 0..n / TILE)).threads((ROWS, TILE)) {
        const OFFSET: usize = 1;
        let (by, bx) = block.index();
        let mut tile = block.shared([[0.0f32; TILE + OFFSET]; TILE]);
        for (y, x) in block.threads() {
            for k in 0..TILE / ROWS {
                tile[y + k * ROWS][x] = from[(by * TILE + y + k * ROWS) * n + bx * TILE + x];
            }
        }
        for (y, x) in block.threads() {
            for k in 0..TILE / ROWS {
                to[(bx * TILE + y + k * ROWS) * n + by * TILE + x] = tile[x][y + k * ROWS];
            }
        }
    }
}

/// Each loop has the constants that it sees.
#[kernel]
fn scopes(x: &mut [usize], y: &mut [usize], z: &mut [usize]) {
    const SIZE: usize = 64;
    {
        const SIZE: usize = 32;
        for block in par_blocks(0..1).threads(SIZE) {
            for t in block.par(0..SIZE) {
                x[block.index() * SIZE + t] = SIZE;
            }
        }
    }
    {
        use other::ROWS as SIZE;
        #[allow(unused_imports)]
        use other::tile;
        for i in par(0..y.len()) {
            y[i] = SIZE + 0 * i;
        }
    }
    for i in par(0..z.len()).block(SIZE) {
        let outer = SIZE;
        z[i] = outer + {
            const SIZE: usize = 1;
            SIZE
        };
    }
}

fn main() {
    let device = Device::cpu();
    let stream = device.new_stream().unwrap();
    let n = 64;
    let from: Vec<f32> = (0..n * n).map(|i| i as f32).collect();
    let (from, mut to) = (device.buffer_from(&from).unwrap(), device.buffer_from(&vec![0.0f32; n * n]).unwrap());
    transposed(&stream, &mut to, &from, n).unwrap();
    let to = to.to_vec().unwrap();
    assert!((0..n * n).all(|i| to[i] == (i % n * n + i / n) as f32));
    let mut all = [0; 3].map(|_| device.buffer_from(&vec![0usize; 32]).unwrap());
    let [x, y, z] = &mut all;
    scopes(&stream, x, y, z).unwrap();
    assert_eq!(all.map(|one| one.to_vec().unwrap()), [32, 7, 65].map(|size| vec![size; 32]));
    assert_eq!(ROWS, 3);
}
