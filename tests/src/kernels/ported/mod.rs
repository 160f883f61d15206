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
    ("bitonic_sort<i32>", bitonic::bitonic_sort::cuda_source::<i32>, bitonic::bitonic_sort::plan::<i32>),
    ("bitonic_sort<f64>", bitonic::bitonic_sort::cuda_source::<f64>, bitonic::bitonic_sort::plan::<f64>),
    ("box_filter", box_filter::box_filter::cuda_source, box_filter::box_filter::plan),
    ("collatz", collatz::collatz::cuda_source, collatz::collatz::plan),
    ("kmeans<2>", kmeans::kmeans::cuda_source::<2>, kmeans::kmeans::plan::<2>),
    ("kmeans<3>", kmeans::kmeans::cuda_source::<3>, kmeans::kmeans::plan::<3>),
    ("lbm", lbm::lbm::cuda_source, lbm::lbm::plan),
    ("life", life::life::cuda_source, life::life::plan),
    ("mandelbrot", mandelbrot::mandelbrot::cuda_source, mandelbrot::mandelbrot::plan),
    ("matmul<f32, 4>", matmul::matmul::cuda_source::<f32, 4>, matmul::matmul::plan::<f32, 4>),
    ("matmul<u64, 1>", matmul::matmul::cuda_source::<u64, 1>, matmul::matmul::plan::<u64, 1>),
    ("nbody", nbody::nbody::cuda_source, nbody::nbody::plan),
    ("poisson", poisson::steps::cuda_source, poisson::steps::plan),
    ("sha256", sha256::sha256::cuda_source, sha256::sha256::plan),
    ("softmax<f32>", softmax::softmax::cuda_source::<f32>, softmax::softmax::plan::<f32>),
    ("softmax<f64>", softmax::softmax::cuda_source::<f64>, softmax::softmax::plan::<f64>),
    ("spheres", spheres::spheres::cuda_source, spheres::spheres::plan),
    ("spmv<f32>", spmv::spmv::cuda_source::<f32>, spmv::spmv::plan::<f32>),
    ("spmv<i64>", spmv::spmv::cuda_source::<i64>, spmv::spmv::plan::<i64>),
];
