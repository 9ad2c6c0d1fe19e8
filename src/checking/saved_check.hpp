// A check that is saved in checkpoints: what a saved run has to remember so that it can go on later.
//
// A run that goes on must be the run that was begun, so a hash of every file it reads is saved with it.
#pragma once

#include <string>
#include <vector>

#include "checking/plan.hpp"
#include "search/sweep/checkpointer.hpp"

namespace tideline {

/// Throws Error(usage) when searches with this engine cannot be saved.
void require_savable(const Engine& engine);

/// A file and the hash of its content. A file that does not exist has the hash 0: it must not be created.
SavedRun::Input input_of(const std::string& file);

/// The files that a check reads: the model, its property file, the automata of the plan, and these others.
std::vector<SavedRun::Input> inputs_of(const Model& model, const std::string& property_file, const Plan& plan,
                                       const std::vector<std::string>& others);

/// Throws Error(input) when the run cannot go on with this version of the program and the files as they are.
void require_unchanged(const SavedRun& run, const std::string& version);

/// The command of a saved run and where it began, as it could be typed: "in /home/me: tideline check ...".
std::string command_text(const SavedRun& run, const std::vector<std::string>& arguments);

/// From where a resumed run goes on, and how old that is: "goes on from a checkpoint that is 2 min old: ...".
std::string resumption_text(const Checkpointer& checkpoints);

}  // namespace tideline
