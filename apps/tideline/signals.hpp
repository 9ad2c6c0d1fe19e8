// Ctrl-C and termination: the first one asks the run to end and report, the second one ends the program.
// SIGUSR1 and, where it exists, SIGINFO (Ctrl-T) ask for the status, and the run goes on.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

namespace tideline::app {

/// Also ignores SIGPIPE and SIGXFSZ: a reader that went away and a file that may not grow are errors of a
/// write, to be reported like any other.
void install_signal_handlers();

/// Ranks of a job are interrupted by this one: mpirun forwards it, and does nothing else about it.
inline constexpr int rank_interrupt = SIGUSR2;

/// Asks for the status.
inline constexpr int status_request = SIGUSR1;

/// Set once a signal arrived.
const std::atomic<bool>& interrupted();

/// How often the status has been asked for.
unsigned status_requests();

/// Waits until the status is asked for or somebody calls wake(), at most for this long (nothing: for ever).
/// For one thread.
void wait_for_status_request(std::optional<std::chrono::milliseconds> longest);
void wake();

/// For a program that goes on after Ctrl-C: forgets it, so that interrupted() is false and the next one is the
/// first again. False: a signal asked the program to end, and interrupted() stays true.
bool forgive_interrupt();

}  // namespace tideline::app
