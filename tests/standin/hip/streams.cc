// Streams, events, captures and graphs.
#include "hip.h"

namespace standin {

SAME(hipStreamCreateWithPriority, (CUstream* stream, unsigned flags, int priority), cuStreamCreateWithPriority(stream, flags, priority))
SAME(hipStreamCreateWithFlags, (CUstream* stream, unsigned flags), cuStreamCreate(stream, flags))
SAME(hipStreamGetFlags, (CUstream stream, unsigned* flags), cuStreamGetFlags(stream, flags))
SAME(hipStreamDestroy, (CUstream stream), cuStreamDestroy_v2(stream))
SAME(hipStreamGetPriority, (CUstream stream, int* priority), cuStreamGetPriority(stream, priority))
SAME(hipStreamSynchronize, (CUstream stream), cuStreamSynchronize(stream))
SAME(hipStreamQuery, (CUstream stream), cuStreamQuery(stream))
SAME(hipStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), cuStreamWaitEvent(stream, event, flags))

SAME(hipEventCreateWithFlags, (CUevent* event, unsigned flags), cuEventCreate(event, flags))
SAME(hipEventDestroy, (CUevent event), cuEventDestroy_v2(event))
SAME(hipEventRecord, (CUevent event, CUstream stream), cuEventRecord(event, stream))
SAME(hipEventSynchronize, (CUevent event), cuEventSynchronize(event))
SAME(hipEventQuery, (CUevent event), cuEventQuery(event))
SAME(hipEventElapsedTime, (float* milliseconds, CUevent from, CUevent to), cuEventElapsedTime(milliseconds, from, to))

SAME(hipStreamBeginCapture, (CUstream stream, int mode), cuStreamBeginCapture_v2(stream, mode))
SAME(hipStreamIsCapturing, (CUstream stream, int* status), cuStreamIsCapturing(stream, status))
SAME(hipStreamEndCapture, (CUstream stream, CUgraph* graph), cuStreamEndCapture(stream, graph))
SAME(hipThreadExchangeStreamCaptureMode, (int* mode), cuThreadExchangeStreamCaptureMode(mode))

MEANS(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags)
API int hipGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    const HipCall hip("hipGraphInstantiateWithFlags");
    if (flags != 0) {
        const Doing doing(hip.name);
        misuse("flags %#llx of a graph are not modelled", flags);
    }
    return cuGraphInstantiateWithFlags(exec, graph, flags);
}

SAME(hipGraphDestroy, (CUgraph graph), cuGraphDestroy(graph))
SAME(hipGraphLaunch, (CUgraphExec exec, CUstream stream), cuGraphLaunch(exec, stream))
SAME(hipGraphExecDestroy, (CUgraphExec exec), cuGraphExecDestroy(exec))

}  // namespace standin
