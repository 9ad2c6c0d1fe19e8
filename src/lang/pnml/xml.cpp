#include "lang/pnml/xml.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

namespace tideline::pnml {

namespace {

constexpr char separator = ' ';
constexpr std::size_t piece_size = std::size_t{1} << 20;

class Stream {
 public:
  Stream(const SourceText& source, Diagnostics& diagnostics, XmlHandler& handler)
      : source_(source),
        diagnostics_(diagnostics),
        handler_(handler),
        parser_(XML_ParserCreateNS(nullptr, separator)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** pairs) {
          of(self).guarded([&](Stream& s) {
            s.handler_.open(Attributes::local_name(name), Attributes(pairs), s.where());
          });
        },
        [](void* self, const XML_Char*) {
          of(self).guarded([](Stream& s) { s.handler_.close(s.where()); });
        });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const XML_Char* text, int length) {
      of(self).guarded([&](Stream& s) { s.handler_.text({text, static_cast<std::size_t>(length)}); });
    });
    XML_SetEntityDeclHandler(
        parser_.get(),
        [](void* self, const XML_Char*, int, const XML_Char*, int, const XML_Char*, const XML_Char*,
           const XML_Char*, const XML_Char*) { of(self).refuse("entity declarations are not supported"); });
    XML_SetSkippedEntityHandler(parser_.get(), [](void* self, const XML_Char*, int) {
      of(self).refuse("this entity is not declared");
    });
  }

  bool run() {
    std::string_view rest = source_.text;
    do {
      const std::string_view piece = rest.substr(0, piece_size);
      rest.remove_prefix(piece.size());
      const XML_Status status =
          XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), rest.empty());
      if (thrown_) std::rethrow_exception(thrown_);
      if (status == XML_STATUS_ERROR) {
        if (!refused_) complain();
        return false;
      }
    } while (!rest.empty());
    return true;
  }

 private:
  static Stream& of(void* self) { return *static_cast<Stream*>(self); }

  SourcePoint where() const {
    return {static_cast<std::uint32_t>(XML_GetCurrentLineNumber(parser_.get())),
            static_cast<std::uint32_t>(XML_GetCurrentColumnNumber(parser_.get()) + 1)};
  }

  /// libexpat is C: no exception may pass through it.
  template <class Call>
  void guarded(Call&& call) noexcept {
    if (thrown_ || refused_) return;
    try {
      call(*this);
    } catch (...) {
      thrown_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  void refuse(const char* why) noexcept {
    guarded([&](Stream& s) {
      s.refused_ = true;
      XML_StopParser(s.parser_.get(), XML_FALSE);
      s.diagnostics_.error(s.where(), why);
    });
  }

  void complain() {
    const XML_Error error = XML_GetErrorCode(parser_.get());
    if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    diagnostics_.error(where(), error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN
                                    ? "the text ends too early: this is not complete XML"
                                    : fmt::format("this is not XML: {}", XML_ErrorString(error)));
  }

  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  const SourceText& source_;
  Diagnostics& diagnostics_;
  XmlHandler& handler_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::exception_ptr thrown_;
  bool refused_ = false;
};

}  // namespace

std::string_view Attributes::local_name(const char* name) {
  std::string_view text(name);
  if (const auto end = text.rfind(separator); end != std::string_view::npos) text.remove_prefix(end + 1);
  return text;
}

std::optional<std::string_view> Attributes::find(std::string_view name) const {
  for (const char** pair = pairs_; *pair != nullptr; pair += 2)
    if (local_name(pair[0]) == name) return pair[1];
  return std::nullopt;
}

bool read_xml(const SourceText& source, Diagnostics& diagnostics, XmlHandler& handler) {
  return Stream(source, diagnostics, handler).run();
}

}  // namespace tideline::pnml
