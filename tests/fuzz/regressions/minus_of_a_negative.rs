// Two signs in a row are no decrement.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        let a = -(-7.75f64);
        let b = - -f64s[i];
        let c = -(-5i32);
        out[i] = mix(out[i], bits64(a + b));
        out[i] = mix(out[i], c as u64);
