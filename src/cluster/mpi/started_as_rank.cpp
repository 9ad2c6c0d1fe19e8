#include <algorithm>
#include <array>
#include <cstdlib>

#include "cluster/mpi/mpi_transport.hpp"

namespace tideline::cluster {

std::string missing_mpi() {
  return "this program was built without MPI; install libopenmpi-dev and openmpi-bin, and build it again";
}

bool started_as_rank() {
  // Set by mpirun of Open MPI, by srun with PMIx, and by those with the older interface.
  constexpr std::array variables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace tideline::cluster
