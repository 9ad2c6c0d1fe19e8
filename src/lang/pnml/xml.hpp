// XML reader: a stream of events, as a thin layer over libexpat.
//
// The text is never a tree in memory. Declarations of entities are refused, so that no text grows when
// it is read; prefixes of namespaces are dropped. An exception of the handler ends the reading and
// reaches the caller.
#pragma once

#include <optional>
#include <string_view>

#include "lang/diagnostics.hpp"

namespace tideline::pnml {

/// The attributes of an element, while it is being opened.
class Attributes {
 public:
  explicit Attributes(const char** pairs) : pairs_(pairs) {}
  std::optional<std::string_view> find(std::string_view name) const;

  /// visit(name, value) for each.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const char** pair = pairs_; *pair != nullptr; pair += 2)
      visit(local_name(pair[0]), std::string_view(pair[1]));
  }

  /// A name without the namespace that libexpat puts in front of it.
  static std::string_view local_name(const char* name);

 private:
  const char** pairs_;
};

class XmlHandler {
 public:
  virtual ~XmlHandler() = default;
  virtual void open(std::string_view element, const Attributes& attributes, SourcePoint where) = 0;
  virtual void close(SourcePoint where) = 0;
  /// A piece of the text between two elements.
  virtual void text(std::string_view piece) = 0;
};

/// Sends the events of a text to the handler. A text that is not XML is recorded as an error and ends the
/// reading with false.
bool read_xml(const SourceText& source, Diagnostics& diagnostics, XmlHandler& handler);

}  // namespace tideline::pnml
