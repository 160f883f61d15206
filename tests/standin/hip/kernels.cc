// Modules and launches. Functions are loaded with their module.
#include "hip.h"

namespace standin {

SAME(hipModuleLoadData, (CUmodule* module, const void* image), cuModuleLoadData(module, image))
SAME(hipModuleUnload, (CUmodule module), cuModuleUnload(module))
SAME(hipModuleGetFunction, (CUfunction* function, CUmodule module, const char* name), cuModuleGetFunction(function, module, name))
SAME(hipFuncGetAttribute, (int* value, int attribute, CUfunction function), cuFuncGetAttribute(value, attribute, function))
SAME(hipModuleLaunchKernel,
     (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
      unsigned shared, CUstream stream, void** parameters, void** extra),
     cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, parameters, extra))

}  // namespace standin
