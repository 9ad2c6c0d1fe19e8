#include "cluster/mpi/mpi_transport.hpp"
#include "model/error.hpp"

namespace tideline::cluster {

bool has_mpi() {
  return false;
}

std::unique_ptr<Transport> join_job() {
  throw Error(ErrorKind::usage, missing_mpi());
}

}  // namespace tideline::cluster
