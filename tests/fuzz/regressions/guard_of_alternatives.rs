// The guard is tried for each alternative that matches, with its own names.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        let a = i32s[i];
        let b = i32s[(i + 1) % n];
        let v = match (a, b) {
            (x, 0..=100) | (0..=100, x) if x > 20 => x,
            _ => -1,
        };
        out[i] = mix(out[i], v as u64);
        let mut count = 0u32;
        match a {
            0..=50 | -5..=60 if { count += 1; false } => {}
            _ => {}
        }
        out[i] = mix(out[i], count as u64);
