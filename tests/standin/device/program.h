// What is put before every program of CUDA; precompiled.
#include "kernel.h"
#include "cuda.h"
