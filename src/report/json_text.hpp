// JsonText: JSON that is written from front to back, so that a run of a million steps is never a tree in
// memory.
//
// The caller opens and closes objects and lists in the right order; commas are put where they belong. Text
// that is not UTF-8 (from a file name, or a model in another encoding) has its odd bytes replaced: it must
// not cost the user the report.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace tideline {

class JsonText {
 public:
  void open(char bracket) {
    separate();
    text_ += bracket;
    comma_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    comma_ = true;
  }
  void key(std::string_view name) {
    separate();
    fmt::format_to(std::back_inserter(text_), "\"{}\":", name);
    comma_ = false;
  }

  void value(std::integral auto number) {
    separate();
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }
  void value(bool flag) { raw(flag ? "true" : "false"); }
  void value(double number) {
    separate();
    // JSON has neither infinity nor NaN.
    fmt::format_to(std::back_inserter(text_), "{:.6g}", std::isfinite(number) ? number : 0.0);
  }
  void value(std::string_view text) {
    raw(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }

  /// Text that is JSON already.
  void raw(std::string_view json) {
    separate();
    text_ += json;
  }

  void add(std::string_view name, const auto& value_of_it) {
    key(name);
    value(value_of_it);
  }
  void list(std::string_view name, const auto& items) {
    key(name);
    list(items);
  }
  void list(const auto& items) {
    open('[');
    for (const auto& item : items) value(item);
    close(']');
  }

  std::size_t size() const { return text_.size(); }
  std::string take() { return std::exchange(text_, {}); }

 private:
  void separate() {
    if (comma_) text_ += ',';
    comma_ = true;
  }

  std::string text_;
  bool comma_ = false;
};

}  // namespace tideline
