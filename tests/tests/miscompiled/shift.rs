//! Shifts the rows of nine planes by -1, 0 or 1, with wrap-around, and prints how many elements
//! came from elsewhere. All of it is safe Rust.

const BY: [i32; 9] = [0, 1, 0, -1, 0, 1, -1, -1, 1];

#[inline(never)]
fn shift(a: &[u32], b: &mut [u32], w: i32, h: i32) {
    let n = (w * h) as usize;
    for y in 0..h {
        for x in 0..w {
            let mut d = [0; 9];
            for k in 0..9 {
                d[k] = a[k * n + (y * w + (x - BY[k] + w) % w) as usize];
            }
            for k in 0..9 {
                b[k * n + (y * w + x) as usize] = d[k];
            }
        }
    }
}

fn main() {
    let (w, h) = (128, 4);
    let n = w * h;
    let a: Vec<u32> = (0..9 * n).collect();
    let mut b = vec![0; a.len()];
    shift(&a, &mut b, w as i32, h as i32);
    let right = |i: u32| i / w * w + (i as i32 - BY[(i / n) as usize]).rem_euclid(w as i32) as u32;
    println!("{}", (0..9 * n).filter(|&i| b[i as usize] != right(i)).count());
}
