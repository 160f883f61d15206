// rustc only warns of them, so nothing else may fail.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        let unused = 5;
        let mut set = 1u8;
        set = 2;
        let a = i32s[i];
        if a < a {
            out[i] = mix(out[i], 1);
        }
        out[i] = mix(out[i], a as u64);
