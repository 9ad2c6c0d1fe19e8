// Engine gpu: breadth-first search on a card (kernel.hpp), or by threads of the processor in its place.
#pragma once

namespace tideline {
class StateSearch;
}

namespace tideline::gpu {

/// Throws Error (usage) where there is no card, or where it cannot search this model.
void search_gpu(StateSearch& search);

}  // namespace tideline::gpu
