#include "graph.h"

#include <algorithm>

#include "capture.h"
#include "memory.h"
#include "objects.h"

namespace standin {
namespace {

// A graph that can be launched. Its chains of nodes run in streams of its own.
struct Executable {
    std::shared_ptr<Context> context;
    std::vector<Graph::Node> nodes;
    std::vector<std::shared_ptr<Stream>> lanes;
    Op last;  // the end of the launch before

    ~Executable() {
        for (const auto& lane : lanes) close_stream(*lane);
    }
};

Handles<Graph>& graphs() {
    static auto& all = *new Handles<Graph>("graph", 0x47000000000);
    return all;
}

Handles<Executable>& executables() {
    static auto& all = *new Handles<Executable>("executable graph", 0x58000000000);
    return all;
}

struct NodePlace {
    std::weak_ptr<Graph> graph;
    size_t node;
};

std::map<CUgraphNode, NodePlace>& nodes() {
    static auto& all = *new std::map<CUgraphNode, NodePlace>;
    return all;
}

CUresult instantiate(Call& call, CUgraphExec* out, CUgraph handle) {
    const auto graph = graphs().find(handle);
    if (!graph) return CUDA_ERROR_INVALID_HANDLE;
    auto executable = std::make_shared<Executable>();
    executable->context = call.context;
    executable->nodes = graph->nodes;
    *out = executables().add(executable);
    return CUDA_SUCCESS;
}

// A node continues the lane of one that it comes after, where no other does; else it gets a lane of
// its own. So nothing is ordered that the graph has left open.
CUresult launch(Executable& graph, Stream& stream) {
    for (const Graph::Node& node : graph.nodes) {
        for (const Block& block : node.work.blocks) {
            if (!block->freed) continue;
            misuse("`%s` uses %s, which was freed", node.work.what.c_str(), describe(*block).c_str());
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    Op begin;
    if (const CUresult refused = submit(stream, {WorkKind::Nothing, "graph begin", nullptr, {}, {}}, {graph.last}, &begin)) return refused;
    std::vector<Op> done{begin};
    std::vector<size_t> ends;  // the node that each lane has run last
    std::vector<Op> queued;
    for (size_t i = 0; i < graph.nodes.size(); i++) {
        const Graph::Node& node = graph.nodes[i];
        std::vector<Op> after{begin};
        for (const size_t earlier : node.after) after.push_back(queued[earlier]);
        const auto continued = std::find_if(ends.begin(), ends.end(), [&](size_t end) {
            return std::find(node.after.begin(), node.after.end(), end) != node.after.end();
        });
        const size_t lane = static_cast<size_t>(continued - ends.begin());
        if (lane == ends.size()) ends.push_back(i);
        else ends[lane] = i;
        if (lane == graph.lanes.size()) graph.lanes.push_back(make_stream(graph.context, false, stream.priority));
        Op op;
        submit(*graph.lanes[lane], node.work, after, &op);
        queued.push_back(op);
        done.push_back(op);
    }
    return submit(stream, {WorkKind::Nothing, "graph end", nullptr, {}, {}}, done, &graph.last);
}

// The usual way of the driver to give lists: `*count` is room on the way in and the number of
// elements on the way out.
template <class T> CUresult give(const std::vector<T>& list, T* out, size_t* count) {
    if (out) {
        std::copy_n(list.begin(), std::min(list.size(), *count), out);
        std::fill(out + std::min(list.size(), *count), out + *count, T{});
    }
    *count = list.size();
    return CUDA_SUCCESS;
}

}  // namespace

size_t Graph::add(Work work, const std::vector<size_t>& after) {
    static CUgraphNode number = 0x4e000000000;
    nodes.push_back({std::move(work), after, number += 16});
    return nodes.size() - 1;
}

CUgraph add_graph(const std::shared_ptr<Graph>& graph) {
    for (size_t i = 0; i < graph->nodes.size(); i++) nodes()[graph->nodes[i].handle] = {graph, i};
    return graphs().add(graph);
}

void report_leaked_graphs(const Context& context) {
    graphs().report_leaks(context);
    executables().report_leaks(context);
}

API CUresult cuGraphDestroy(CUgraph handle) {
    return call("cuGraphDestroy", Needs::Release, [&](Call&) {
        const auto graph = graphs().remove(handle);
        if (!graph) return CUDA_ERROR_INVALID_HANDLE;
        for (const Graph::Node& node : graph->nodes) nodes().erase(node.handle);
        return CUDA_SUCCESS;
    });
}

API CUresult cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph, unsigned long long) {
    return call("cuGraphInstantiateWithFlags", Needs::Context, [&](Call& call) { return instantiate(call, out, graph); });
}

API CUresult cuGraphExecDestroy(CUgraphExec handle) {
    return call("cuGraphExecDestroy", Needs::Release, [&](Call&) {
        // A launch that is under way goes on.
        return executables().remove(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
    });
}

API CUresult cuGraphUpload(CUgraphExec handle, CUstream on) {
    return call("cuGraphUpload", Needs::Context, [&](Call& call) {
        const auto stream = find_stream(call, on);
        if (!executables().find(handle) || !stream) return CUDA_ERROR_INVALID_HANDLE;
        return submit(*stream, {WorkKind::Nothing, "graph upload", nullptr, {}, {}});
    });
}

API CUresult cuGraphLaunch(CUgraphExec handle, CUstream on) {
    return call("cuGraphLaunch", Needs::Objects, [&](Call& call) {
        const auto executable = executables().find(handle);
        const auto stream = find_stream(call, on);
        if (!executable || !stream) return CUDA_ERROR_INVALID_HANDLE;
        if (stream->capture) {
            misuse("launching a graph in a capture is not modelled");
            return refuse_captured(*stream);
        }
        return launch(*executable, *stream);
    });
}

API CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* out, size_t* count) {
    return call("cuGraphGetNodes", Needs::Driver, [&](Call&) {
        const auto graph = graphs().find(handle);
        if (!graph) return CUDA_ERROR_INVALID_HANDLE;
        std::vector<CUgraphNode> list;
        for (const Graph::Node& node : graph->nodes) list.push_back(node.handle);
        return give(list, out, count);
    });
}

API CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, size_t* count) {
    return call("cuGraphGetEdges", Needs::Driver, [&](Call&) {
        const auto graph = graphs().find(handle);
        if (!graph || !from != !to) return graph ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
        std::vector<CUgraphNode> earlier, later;
        for (const Graph::Node& node : graph->nodes) {
            for (const size_t before : node.after) {
                earlier.push_back(graph->nodes[before].handle);
                later.push_back(node.handle);
            }
        }
        size_t room = *count;
        give(earlier, from, &room);
        return give(later, to, count);
    });
}

// As CUgraphNodeType.
API CUresult cuGraphNodeGetType(CUgraphNode handle, int* type) {
    return call("cuGraphNodeGetType", Needs::Driver, [&](Call&) {
        const auto found = nodes().find(handle);
        const auto graph = found == nodes().end() ? nullptr : found->second.graph.lock();
        if (!graph) {
            misuse("graph node %#lx is unknown", handle);
            return CUDA_ERROR_INVALID_HANDLE;
        }
        *type = static_cast<int>(graph->nodes[found->second.node].work.kind);
        return CUDA_SUCCESS;
    });
}

}  // namespace standin
