// The transport of real jobs: processes that mpirun (or srun) has started, on one machine or many.
//
// Only cluster/mpi_module knows MPI. It is a module beside the program, tideline-mpi.so, which ranks load; without it
// these functions find no job and say what is missing.
#pragma once

#include <memory>
#include <string>

#include "cluster/ranks/transport.hpp"

namespace tideline::cluster {

/// Whether there is a module for MPI. What to do about it otherwise is missing_mpi().
bool has_mpi();
std::string missing_mpi();

/// Whether something has started this process as one of the ranks of a job; it may be the only one.
bool started_as_rank();

/// Joins the job. To be called once; the job is left when the transport is destroyed, which waits until all
/// messages have been taken. Throws Error(usage) without MPI.
std::unique_ptr<Transport> join_job();

}  // namespace tideline::cluster
