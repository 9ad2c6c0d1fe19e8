// Engines on a card (kernel.hpp), or by threads of the processor in its place.
#pragma once

#include "search/lassos/liveness.hpp"

namespace tideline {
class StateSearch;
}

namespace tideline::gpu {

/// Throws Error (usage) where there is no card, or where it cannot search this model, or not by this measure.
void search_gpu(StateSearch& search);        ///< breadth-first search
void search_gpu_sweep(StateSearch& search);  ///< a sweep by the measure of the settings (spread_sweep.hpp)
/// Infinite runs (spread_product.hpp).
LassoFound search_gpu_owcty(const LassoTask& task, Budget& budget);

}  // namespace tideline::gpu
