// The value of an assignment borrows the element that is assigned to.
// number: 0
// seed: 250
pub mod p0 {
    #[allow(unused_imports)]
    use super::*;
    #[device]
    pub fn f0<T: Int>(y_0: &mut T, mut y_1: T, z_generic: T, ) -> T {
        *y_0
    }
}
// The body of the loop:
        own[i] = p0::f0(&mut own[i], 0i64, 0i64, );
