// What is put before every program; precompiled.
#include "kernel.h"
