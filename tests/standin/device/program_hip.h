// What is put before every program of HIP; precompiled.
#include "kernel.h"
#include "hip.h"
