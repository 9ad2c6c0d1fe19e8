// The command line of tideline-certify.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bind/selection.hpp"
#include "closure.hpp"
#include "lang/lang.hpp"

namespace tideline::certify {

struct Options {
  std::string model, certificate;
  LoadOptions load = {};
  std::vector<std::string> defines = {};
  std::string errors = "report";
  std::string deadlock_paths = {};  ///< empty: as the properties say
  PropertySelection selection = {};
  bool spot = false;
  ClosureOptions closure = {};
  std::string memory = "1G";
  bool quiet = false;

  void add_to(CLI::App& app);
  /// What the texts mean. Throws Error(usage).
  void complete();
  ErrorSemantics semantics() const;
};

}  // namespace tideline::certify
