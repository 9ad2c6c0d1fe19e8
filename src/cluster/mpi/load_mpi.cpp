#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "cluster/mpi/mpi_transport.hpp"
#include "model/error.hpp"

namespace tideline::cluster {

namespace {

/// Beside the program, as it is built, or where it is installed; empty: there is none.
std::string module_path() {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* const place : {"", TIDELINE_MODULES})
    if (const auto path = folder / place / "tideline-mpi.so"; std::filesystem::exists(path, none))
      return path.string();
  return {};
}

}  // namespace

bool has_mpi() {
  return !module_path().empty();
}

std::unique_ptr<Transport> join_job() {
  const std::string path = module_path();
  if (path.empty()) throw Error(ErrorKind::usage, missing_mpi());
  // It stays until the process ends: MPI has threads and handlers of its own.
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const join = module ? ::dlsym(module, "tideline_join_job") : nullptr;
  if (!join) throw Error(ErrorKind::usage, fmt::format("cannot use MPI: {}", ::dlerror()));
  return std::unique_ptr<Transport>(reinterpret_cast<Transport* (*)()>(join)());
}

}  // namespace tideline::cluster
