#include "symbolic/diagrams/deep_stack.hpp"

#include <pthread.h>

#include <exception>
#include <new>

namespace tideline::symbolic {

namespace {

constexpr std::size_t bytes_a_level = 6 << 10;  // several times what is used, for builds with sanitizers
constexpr std::size_t least_bytes = std::size_t{16} << 20;

struct Job {
  const std::function<void()>& work;
  std::exception_ptr failure = nullptr;
};

void* run(void* argument) {
  auto& job = *static_cast<Job*>(argument);
  try {
    job.work();
  } catch (...) {
    job.failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_on_deep_stack(std::size_t levels, const std::function<void()>& work) {
  Job job{work};
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) throw std::bad_alloc();
  const bool started = pthread_attr_setstacksize(&attributes, least_bytes + levels * bytes_a_level) == 0 &&
                       pthread_create(&thread, &attributes, run, &job) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) throw std::bad_alloc();
  pthread_join(thread, nullptr);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace tideline::symbolic
