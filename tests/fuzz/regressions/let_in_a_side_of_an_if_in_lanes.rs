// A variable that a side of an `if` declares itself was taken for one from outside, and the code
// for lanes named what was not there. number: 0 seed: 4258
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
}
// The body of the loop:
        let mut fuel: u32 = 60;
        'next: for x in 0usize..=0usize {
            break;
        }
        if false {
            let mut b41 = 0;
            b41 += i;
        }
