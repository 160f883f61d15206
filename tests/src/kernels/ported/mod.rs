//! Well-known kernels as a user of the library writes them, each a small example.

pub mod bitonic;
pub mod box_filter;
pub mod collatz;
pub mod kmeans;
pub mod lbm;
pub mod life;
pub mod mandelbrot;
pub mod matmul;
pub mod nbody;
pub mod poisson;
pub mod sha256;
pub mod softmax;
pub mod spheres;
pub mod spmv;

/// The kernels of this folder, the generic ones for some arguments.
pub const SOURCES: &[crate::kernels::Source] = &[
    source!("bitonic_sort<i32>", bitonic::bitonic_sort, i32),
    source!("bitonic_sort<f64>", bitonic::bitonic_sort, f64),
    source!("box_filter", box_filter::box_filter),
    source!("collatz", collatz::collatz),
    source!("kmeans<2>", kmeans::kmeans, 2),
    source!("kmeans<3>", kmeans::kmeans, 3),
    source!("lbm", lbm::lbm),
    source!("life", life::life),
    source!("mandelbrot", mandelbrot::mandelbrot),
    source!("matmul<f32, 4>", matmul::matmul, f32, 4),
    source!("matmul<u64, 1>", matmul::matmul, u64, 1),
    source!("nbody", nbody::nbody),
    source!("poisson", poisson::steps),
    source!("sha256", sha256::sha256),
    source!("softmax<f32>", softmax::softmax, f32),
    source!("softmax<f64>", softmax::softmax, f64),
    source!("spheres", spheres::spheres),
    source!("spmv<f32>", spmv::spmv, f32),
    source!("spmv<i64>", spmv::spmv, i64),
];
