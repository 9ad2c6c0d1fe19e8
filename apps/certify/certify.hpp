// From a certificate and properties to the proof of each: which section proves it, and whether it does.
#pragma once

#include <string>
#include <vector>

#include "certificate_reader.hpp"
#include "closure.hpp"
#include "lang/lang.hpp"
#include "run/property.hpp"

namespace tideline::certify {

struct Proven {
  Property property;
  ClosureFigures figures;
};

/// Checks all of them. Throws Refused for the first one that is not proven, and Error.
std::vector<Proven> certify(const CertificateReader& reader, const Model& model,
                            const std::vector<Property>& properties, ErrorSemantics errors, bool spot,
                            const ClosureOptions& options);

}  // namespace tideline::certify
