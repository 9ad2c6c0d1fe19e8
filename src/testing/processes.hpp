// Shared by tests of the process language.
#pragma once

#include <string>
#include <vector>

#include "exec/reference.hpp"
#include "lang/lang.hpp"
#include "testing/models.hpp"

namespace tideline::psl {

inline Model model_of(std::string text, const LoadOptions& options = {}) {
  return tideline::read_model({"test.psl", std::move(text)}, options);
}

inline System system_of(std::string text) {
  return model_of(std::move(text)).system;
}

/// "line:column: message" of every error in the text.
inline std::vector<std::string> errors_in(std::string text, const LoadOptions& options = {}) {
  std::vector<std::string> list;
  try {
    model_of(std::move(text), options);
  } catch (const Error& error) {
    for (const Diagnostic& d : error.diagnostics())
      list.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " + d.message);
  }
  return list;
}

using dve::explore;

}  // namespace tideline::psl
