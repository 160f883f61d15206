// Graphs: work with its order, to be launched as a whole.
#pragma once
#include <memory>
#include <vector>

#include "operation.h"

namespace standin {

struct Graph {
    struct Node {
        Work work;
        std::vector<size_t> after;  // earlier nodes
        CUgraphNode handle;
    };
    std::shared_ptr<Context> context;
    std::vector<Node> nodes;

    size_t add(Work work, const std::vector<size_t>& after);
};

CUgraph add_graph(const std::shared_ptr<Graph>& graph);

void report_leaked_graphs(const Context& context);

}  // namespace standin
