// The first alternative always matches and binds: there is no condition to choose by.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        if let ([a, _] | [_, a]) = [f64s[i], 0.5] {
            out[i] = mix(out[i], bits64(a));
        }
        let ((b, _) | (_, b)) = (i32s[i], int);
        out[i] = mix(out[i], b as u64);
