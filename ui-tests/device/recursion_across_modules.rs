mod a {
    use anabranch::prelude::*;

    #[device]
    pub fn f(x: u32) -> u32 {
        if x == 0 { 0 } else { super::b::g(x - 1) }
    }
}

mod b {
    use anabranch::prelude::*;

    #[device]
    pub fn g(x: u32) -> u32 {
        super::a::f(x)
    }
}

fn main() {}
