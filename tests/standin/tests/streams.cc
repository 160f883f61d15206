// Streams and events. What is ordered is told by the reports of unordered accesses.
#include <chrono>
#include <thread>

#include "api.h"

static const char* const UNORDERED = "nothing orders the two";

TEST(a_stream_is_worked_off_in_order) {
    const CUstream s = stream();
    const CUdeviceptr x = memory(400);
    for (unsigned i = 0; i < 100; i++) set(x, i, 100, s);
    EQUAL(words(x, 100)[99], 99u);
}

REPORTS(two_streams_are_unordered, UNORDERED) {
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, stream());
    set(x, 2, 1, stream());
}

TEST(an_event_orders_two_streams) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, a);
    order(a, b);
    set(x, 2, 1, b);
    EQUAL(words(x, 1)[0], 2u);
}

TEST(order_is_passed_on) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, a);
    order(a, b);
    order(b, c);
    set(x, 2, 1, c);
}

TEST(the_host_orders_by_waiting) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, a);
    OK(cuStreamSynchronize(a));
    set(x, 2, 1, b);
    const CUevent e = event();
    OK(cuEventRecord(e, b));
    OK(cuEventSynchronize(e));
    set(x, 3, 1, a);
    while (cuStreamQuery(a) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
    set(x, 4, 1, b);
}

TEST(readers_need_no_order) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4), y = memory(4), z = memory(4);
    set(x, 1, 1, a);
    OK(cuStreamSynchronize(a));
    OK(cuMemcpyDtoDAsync_v2(y, x, 4, a));
    OK(cuMemcpyDtoDAsync_v2(z, x, 4, b));
}

REPORTS(a_writer_needs_order_after_all_readers, UNORDERED) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4), y = memory(4), z = memory(4);
    set(x, 1, 1, a);
    OK(cuStreamSynchronize(a));
    OK(cuMemcpyDtoDAsync_v2(y, x, 4, a));
    OK(cuMemcpyDtoDAsync_v2(z, x, 4, b));
    set(x, 2, 1, a);
}

REPORTS(a_reader_needs_order_after_the_writer, UNORDERED) {
    const CUdeviceptr x = memory(4), y = memory(4);
    set(x, 1, 1, stream());
    OK(cuMemcpyDtoDAsync_v2(y, x, 4, stream()));
}

REPORTS(a_reader_does_not_order_other_readers_after_the_writer, UNORDERED) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4), y = memory(4), z = memory(4);
    set(x, 1, 1, a);
    order(a, b);
    OK(cuMemcpyDtoDAsync_v2(y, x, 4, b));
    OK(cuMemcpyDtoDAsync_v2(z, x, 4, stream()));
}

TEST(halves_of_a_block_are_independent) {
    const CUdeviceptr x = memory(800);
    set(x, 1, 100, stream());
    set(x + 400, 2, 100, stream());
}

REPORTS(halves_that_overlap_are_not, "bytes 396 to 796") {
    const CUdeviceptr x = memory(800);
    set(x, 1, 100, stream());
    set(x + 396, 2, 100, stream());
}

TEST(of_two_records_the_last_counts) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4);
    const CUevent e = event();
    OK(cuEventRecord(e, a));
    set(x, 1, 1, b);
    OK(cuEventRecord(e, b));
    OK(cuStreamWaitEvent(c, e, 0));
    set(x, 2, 1, c);
}

REPORTS(of_two_records_the_first_does_not_count, UNORDERED) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4);
    const CUevent e = event();
    set(x, 1, 1, a);
    OK(cuEventRecord(e, a));
    OK(cuEventRecord(e, b));
    OK(cuStreamWaitEvent(c, e, 0));
    set(x, 2, 1, c);
}

TEST(a_wait_takes_what_is_recorded_when_it_is_called) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4);
    const CUevent e = event();
    set(x, 1, 1, a);
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(c, e, 0));
    OK(cuEventRecord(e, b));
    set(x, 2, 1, c);
}

REPORTS(a_wait_does_not_take_what_is_recorded_later, UNORDERED) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4);
    const CUevent e = event();
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(c, e, 0));
    set(x, 1, 1, b);
    OK(cuEventRecord(e, b));
    set(x, 2, 1, c);
}

TEST(a_second_wait_gates_its_stream_too) {
    const CUstream a = stream(), b = stream(), c = stream();
    const CUdeviceptr x = memory(4), y = memory(4), z = memory(4);
    const CUevent e = event();
    set(x, 1, 1, a);
    OK(cuEventRecord(e, a));
    OK(cuStreamWaitEvent(b, e, 0));
    OK(cuStreamWaitEvent(c, e, 0));
    OK(cuMemcpyDtoDAsync_v2(y, x, 4, b));
    OK(cuMemcpyDtoDAsync_v2(z, x, 4, c));
}

TEST(an_event_that_was_never_recorded_is_complete) {
    const CUevent e = event();
    OK(cuStreamWaitEvent(stream(), e, 0));
    OK(cuEventQuery(e));
    OK(cuEventSynchronize(e));
}

TEST(an_event_is_destroyed_while_it_is_waited_for) {
    const CUstream a = stream(), b = stream();
    const CUdeviceptr x = memory(4);
    standin_hold(1);
    set(x, 1, 1, a);
    order(a, b);
    set(x, 2, 1, b);
    standin_hold(0);
    EQUAL(words(x, 1)[0], 2u);
}

TEST(queries_tell_what_is_done) {
    const CUstream s = stream();
    const CUevent e = event();
    standin_hold(1);
    set(memory(4), 1, 1, s);
    OK(cuEventRecord(e, s));
    EQUAL(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    EQUAL(cuEventQuery(e), CUDA_ERROR_NOT_READY);
    standin_hold(0);
    OK(cuStreamSynchronize(s));
    OK(cuStreamQuery(s));
    OK(cuEventQuery(e));
}

TEST(events_tell_the_time) {
    const CUstream s = stream();
    const CUevent start = event(0), end = event(0);
    float milliseconds = -1;
    OK(cuEventRecord(start, s));
    OK(cuEventSynchronize(start));
    standin_hold(1);
    OK(cuEventRecord(end, s));
    EQUAL(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    standin_hold(0);
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds > 1 && milliseconds < 5000);
}

REPORTS(events_without_timing_tell_none, "created with timing") {
    const CUstream s = stream();
    const CUevent start = event(), end = event();
    float milliseconds;
    OK(cuEventRecord(start, s));
    OK(cuEventRecord(end, s));
    OK(cuStreamSynchronize(s));
    EQUAL(cuEventElapsedTime(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
}

TEST(the_legacy_stream_is_ordered_against_blocking_streams) {
    const CUstream a = stream(0), b = stream(0);
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, a);
    set(x, 2, 1, 0);
    set(x, 3, 1, b);
    set(x, 4, 1, CU_STREAM_LEGACY);
    set(x, 5, 1, CU_STREAM_PER_THREAD);
    set(x, 6, 1, 0);
    EQUAL(words(x, 1)[0], 6u);
}

REPORTS(the_legacy_stream_is_not_ordered_against_others, UNORDERED) {
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, stream(1));
    set(x, 2, 1, 0);
}

REPORTS(blocking_streams_are_unordered_among_themselves, UNORDERED) {
    const CUdeviceptr x = memory(4);
    set(x, 1, 1, stream(0));
    set(x, 2, 1, stream(0));
}

TEST(a_destroyed_stream_ends_its_work) {
    const CUdeviceptr x = memory(4);
    const CUstream s = stream();
    set(x, 0, 1, s);
    standin_hold(1);
    set(x, 7, 1, s);
    OK(cuStreamDestroy_v2(s));
    standin_hold(0);
    EQUAL(words(x, 1)[0], 7u);
}

TEST(priorities_are_within_the_range) {
    CUstream s;
    int priority = 1;
    OK(cuStreamCreateWithPriority(&s, 1, -100));
    OK(cuStreamGetPriority(s, &priority));
    EQUAL(priority, -5);
}

REPORTS(a_stream_is_destroyed_once, "has been destroyed") {
    const CUstream s = stream();
    OK(cuStreamDestroy_v2(s));
    EQUAL(cuStreamDestroy_v2(s), CUDA_ERROR_INVALID_HANDLE);
}

REPORTS(a_destroyed_event_is_known, "cuStreamWaitEvent: event 0x45000000010 has been destroyed") {
    const CUevent e = event();
    OK(cuEventDestroy_v2(e));
    EQUAL(cuStreamWaitEvent(stream(), e, 0), CUDA_ERROR_INVALID_HANDLE);
}

REPORTS(a_wrong_handle_is_unknown, "is unknown") { EQUAL(cuStreamSynchronize(0x1234), CUDA_ERROR_INVALID_HANDLE); }

REPORTS(a_thread_needs_a_current_context, "no context is current on this thread") {
    const CUstream s = stream();
    std::thread([=] { EQUAL(cuStreamSynchronize(s), CUDA_ERROR_INVALID_CONTEXT); }).join();
}

TEST_WITH(a_stream_belongs_to_its_context, "belongs to another context", "STANDIN_DEVICES=2") {
    const CUstream s = stream();
    CUcontext other;
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuCtxSetCurrent(other));
    EQUAL(cuStreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE);
}

TEST_WITH(events_order_streams_of_two_devices, nullptr, "STANDIN_DEVICES=2") {
    const CUstream a = stream();
    const CUdeviceptr x = memory(4);
    const CUevent e = event();
    set(x, 1, 1, a);
    OK(cuEventRecord(e, a));
    CUcontext other;
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuCtxSetCurrent(other));
    const CUstream b = stream();
    OK(cuStreamWaitEvent(b, e, 0));
    set(x, 2, 1, b);
    OK(cuStreamSynchronize(b));
}

// Its end has come before anyone asked, and its place is another stream's.
TEST(a_context_waits_for_streams_that_are_gone) {
    const CUdeviceptr x = memory(16);
    const CUstream s = stream();
    set(x, 1, 4, s);
    OK(cuStreamDestroy_v2(s));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stream();
    OK(cuCtxSynchronize());
    OK(cuMemFree_v2(x));
}

REPORTS(a_released_context_is_no_more, "was released") {
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    OK(cuDevicePrimaryCtxRelease_v2(0));
    EQUAL(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
}

REPORTS(a_released_context_is_not_used, "the current context was released") {
    OK(cuDevicePrimaryCtxRelease_v2(0));
    EQUAL(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

REPORTS(a_context_leaves_nothing_behind, "live at the end of the context of device 0: 2 of kind stream") {
    stream();
    stream();
    OK(cuDevicePrimaryCtxRelease_v2(0));
}

TEST_WITH(a_process_leaves_nothing_behind, "the context of device 0 was not released", "STANDIN_LEAKS=1") {}

// Printed, for `chaos_is_reproducible`.
TEST(order_of_streams) {
    const CUfunction note = kernel(R"(extern "C" __global__ void k(unsigned* next, unsigned* log, unsigned who) {
        log[atomicAdd(next, 1u)] = who;
    })");
    const CUdeviceptr next = memory(4), log = memory(40);
    set(next, 0, 1, 0);
    OK(cuCtxSynchronize());
    std::vector<CUstream> streams;
    for (int i = 0; i < 5; i++) streams.push_back(stream());
    for (unsigned i = 0; i < 10; i++) launch(note, streams[i % 5], 1, 1, next, log, i % 5);
    for (const unsigned who : words(log, 10)) printf("%u ", who);
    printf("\n");
}
