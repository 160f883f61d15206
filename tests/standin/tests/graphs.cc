// Capture and graphs.
#include "api.h"

enum { GLOBAL_MODE = 0, THREAD_LOCAL_MODE = 1, RELAXED_MODE = 2 };

// A graph of what `body` queues on the stream.
template <class F> static CUgraph captured(CUstream s, F body) {
    CUgraph graph;
    OK(cuStreamBeginCapture_v2(s, RELAXED_MODE));
    body();
    OK(cuStreamEndCapture(s, &graph));
    return graph;
}

static size_t node_count(CUgraph graph) {
    size_t count = 0;
    OK(cuGraphGetNodes(graph, nullptr, &count));
    return count;
}

static size_t edge_count(CUgraph graph) {
    size_t count = 0;
    OK(cuGraphGetEdges(graph, nullptr, nullptr, &count));
    return count;
}

static CUgraphExec executable(CUgraph graph) {
    CUgraphExec made;
    OK(cuGraphInstantiateWithFlags(&made, graph, 0));
    return made;
}

TEST(a_captured_stream_does_nothing_until_the_graph_is_launched) {
    const CUstream s = stream();
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, s);
    int status = 0;
    const CUgraph graph = captured(s, [&] {
        set(x, 2, 1, s);
        set(x, 3, 1, s);
        OK(cuStreamIsCapturing(s, &status));
    });
    EQUAL(status, 1);
    EQUAL(words(x, 1)[0], 1u);
    const CUgraphExec exec = executable(graph);
    OK(cuGraphDestroy(graph));
    for (int i = 0; i < 3; i++) {
        set(x, 1, 1, s);
        OK(cuGraphLaunch(exec, s));
        OK(cuStreamSynchronize(s));
        EQUAL(words(x, 1)[0], 3u);
    }
    OK(cuGraphExecDestroy(exec));
}

TEST(a_fork_and_its_join_become_edges) {
    const CUstream s = stream(), a = stream(), b = stream();
    const CUdeviceptr x = memory(4), y = memory(4);
    const CUgraph graph = captured(s, [&] {
        set(x, 1, 1, s);
        order(s, a);
        order(s, b);
        OK(cuMemcpyDtoDAsync_v2(y, x, 4, a));
        set(x + 0, 0, 0, b);  // nothing
        order(a, s);
        order(b, s);
        set(x, 2, 1, s);
    });
    EQUAL(node_count(graph), 3u);
    CUgraphNode nodes[3], from[3], to[3];
    size_t count = 3;
    int type = -1;
    OK(cuGraphGetNodes(graph, nodes, &count));
    OK(cuGraphNodeGetType(nodes[1], &type));
    EQUAL(type, 1);  // a copy
    EQUAL(edge_count(graph), 3u);
    OK(cuGraphGetEdges(graph, from, to, &count));
    CHECK(from[0] == nodes[0] && to[0] == nodes[1]);
    const CUgraphExec exec = executable(graph);
    OK(cuGraphLaunch(exec, s));
    OK(cuStreamSynchronize(s));
    EQUAL(words(y, 1)[0], 1u);
    EQUAL(words(x, 1)[0], 2u);
}

REPORTS(branches_of_a_graph_are_unordered, "nothing orders the two") {
    const CUstream s = stream(), a = stream(), b = stream();
    const CUdeviceptr x = memory(4);
    const CUgraph graph = captured(s, [&] {
        order(s, a);
        order(s, b);
        set(x, 1, 1, a);
        set(x, 2, 1, b);
        order(a, s);
        order(b, s);
    });
    OK(cuGraphLaunch(executable(graph), s));
}

// What comes after both branches continues one and must wait for the other; and the branches of the
// second launch must wait for it.
TEST(launches_of_a_graph_are_ordered) {
    const CUstream s = stream(), other = stream(), a = stream(), b = stream();
    const CUdeviceptr x = memory(4), y = memory(4), from_x = memory(4), from_y = memory(4);
    const CUgraphExec exec = executable(captured(s, [&] {
        order(s, a);
        order(s, b);
        set(x, 1, 1, a);
        set(y, 1, 1, b);
        order(a, s);
        order(b, s);
        OK(cuMemcpyDtoDAsync_v2(from_x, x, 4, s));
        OK(cuMemcpyDtoDAsync_v2(from_y, y, 4, s));
    }));
    OK(cuGraphLaunch(exec, s));
    OK(cuGraphLaunch(exec, other));
}

REPORTS(a_graph_is_ordered_by_its_stream, "nothing orders the two") {
    const CUstream s = stream(), other = stream();
    const CUdeviceptr x = memory(4);
    const CUgraphExec exec = executable(captured(s, [&] { set(x, 1, 1, s); }));
    OK(cuGraphLaunch(exec, s));
    set(x, 2, 1, other);
}

TEST(what_is_not_joined_ends_the_capture) {
    const CUstream s = stream(), a = stream();
    const CUdeviceptr x = memory(4);
    CUgraph graph;
    OK(cuStreamBeginCapture_v2(s, GLOBAL_MODE));
    set(x, 1, 1, s);
    order(s, a);
    set(x, 2, 1, a);
    EQUAL(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EQUAL(graph, 0u);
    int status = 1;
    OK(cuStreamIsCapturing(a, &status));
    EQUAL(status, 0);
}

TEST(what_is_captured_cannot_be_asked) {
    const CUstream s = stream();
    const CUevent e = event();
    CUgraph graph;
    OK(cuStreamBeginCapture_v2(s, RELAXED_MODE));
    OK(cuEventRecord(e, s));
    EQUAL(cuEventQuery(e), CUDA_ERROR_CAPTURED_EVENT);
    EQUAL(cuStreamQuery(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EQUAL(cuEventRecord(e, s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EQUAL(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuStreamSynchronize(s));
}

TEST(a_capture_does_not_wait_for_what_is_not_captured) {
    const CUstream s = stream(), other = stream();
    const CUevent e = event();
    CUgraph graph;
    OK(cuEventRecord(e, other));
    OK(cuStreamBeginCapture_v2(s, RELAXED_MODE));
    EQUAL(cuStreamWaitEvent(s, e, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    EQUAL(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(two_captures_do_not_merge) {
    const CUstream a = stream(), b = stream();
    const CUevent e = event();
    OK(cuStreamBeginCapture_v2(a, RELAXED_MODE));
    OK(cuStreamBeginCapture_v2(b, RELAXED_MODE));
    OK(cuEventRecord(e, a));
    EQUAL(cuStreamWaitEvent(b, e, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
}

TEST(a_capture_is_ended_where_it_began) {
    const CUstream s = stream(), a = stream();
    CUgraph graph;
    OK(cuStreamBeginCapture_v2(s, RELAXED_MODE));
    order(s, a);
    EQUAL(cuStreamEndCapture(a, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
}

TEST(unsafe_calls_depend_on_the_mode) {
    for (const int mode : {GLOBAL_MODE, THREAD_LOCAL_MODE, RELAXED_MODE}) {
        const CUstream s = stream();
        CUdeviceptr x;
        CUgraph graph;
        OK(cuStreamBeginCapture_v2(s, mode));
        EQUAL(cuMemAlloc_v2(&x, 4), mode == RELAXED_MODE ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        EQUAL(cuStreamEndCapture(s, &graph), mode == RELAXED_MODE ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
}

TEST(asking_for_an_event_breaks_a_capture_in_the_global_mode) {
    const CUevent before = event();
    for (const int mode : {GLOBAL_MODE, RELAXED_MODE}) {
        const CUstream s = stream();
        CUgraph graph;
        OK(cuStreamBeginCapture_v2(s, mode));
        EQUAL(cuEventQuery(before), mode == GLOBAL_MODE ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
        EQUAL(cuStreamEndCapture(s, &graph), mode == GLOBAL_MODE ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
    }
}

// A thread in the relaxed mode has nothing to do with captures of others, nor with its own.
TEST(a_relaxed_thread_does_what_captures_forbid) {
    const CUevent before = event();
    for (const int mode : {GLOBAL_MODE, THREAD_LOCAL_MODE}) {
        const CUstream s = stream();
        CUgraph graph;
        OK(cuStreamBeginCapture_v2(s, mode));
        int other = RELAXED_MODE;
        OK(cuThreadExchangeStreamCaptureMode(&other));
        EQUAL(other, GLOBAL_MODE);
        memory(4);
        EQUAL(cuEventQuery(before), CUDA_SUCCESS);
        OK(cuThreadExchangeStreamCaptureMode(&other));
        EQUAL(other, RELAXED_MODE);
        OK(cuStreamEndCapture(s, &graph));
    }
}

REPORTS(an_event_is_taken_from_a_capture, "is taken away from it") {
    const CUstream s = stream(), other = stream();
    const CUevent e = event();
    OK(cuStreamBeginCapture_v2(s, RELAXED_MODE));
    OK(cuEventRecord(e, s));
    OK(cuEventRecord(e, s));
    OK(cuEventRecord(e, other));
}

TEST(an_event_of_a_capture_is_used_again_behind_it) {
    const CUstream s = stream();
    const CUevent e = event();
    captured(s, [&] { OK(cuEventRecord(e, s)); });
    OK(cuEventRecord(e, s));
}

TEST(the_legacy_stream_is_not_used_beside_a_capture_that_it_would_wait_for) {
    const CUdeviceptr x = memory(4);
    OK(cuStreamBeginCapture_v2(stream(1), RELAXED_MODE));
    set(x, 1, 1, 0);
    OK(cuStreamBeginCapture_v2(stream(0), RELAXED_MODE));
    EQUAL(cuMemsetD32Async(x, 1, 1, 0), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
}

REPORTS(a_graph_does_not_outlive_its_memory, "uses block 1") {
    const CUstream s = stream();
    const CUdeviceptr x = memory(4);
    const CUgraphExec exec = executable(captured(s, [&] { set(x, 1, 1, s); }));
    OK(cuMemFree_v2(x));
    EQUAL(cuGraphLaunch(exec, s), CUDA_ERROR_INVALID_VALUE);
}
