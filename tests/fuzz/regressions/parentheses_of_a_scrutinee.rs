// What is in parentheses may end in a brace, or be `||`.
// number: 0
// seed: 1
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        let 0..=9 = ({ i32s[i] }) else { continue };
        let true = (bools[i] || int > 3) else { continue };
        if let true = (bools[i] || i32s[i] > 3) {
            out[i] = mix(out[i], 1);
        }
        let mut k = 0;
        while let true = (k < 3 && i < 20) {
            k += 1;
        }
        out[i] = mix(out[i], k as u64);
        let mut fuel = 9;
        while let (false | true) = (false && i < 3) {
            if fuel == 0 {
                break;
            }
            fuel -= 1;
        }
        out[i] = mix(out[i], fuel as u64);
