// `+=` on a type parameter is a call: the place comes before the value.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
    #[device]
    pub fn f0<T: Int>(a: T, from: usize) -> T {
        let mut x = [a; 3];
        let mut k = from;
        x[{ k += 1; k % 3 }] += { k += 4; a << (k as u32) };
        x[0] ^ x[1] << 3u32 ^ x[2] << 5u32
    }
    #[device]
    pub fn f1<T: Int>(a: T, k: usize) -> T {
        let mut x = [a; 3];
        x[k] += T::ONE / (a & T::ZERO);
        x[0]
    }
}
// The body of the loop:
        let v = p0::f0(i32s[i], i);
        out[i] = mix(out[i], v as u64);
        if i > 12 {
            out[i] = mix(out[i], p0::f1(5i32, i) as u64);
        }
