// Palette: how words are marked on a terminal. Whoever renders text is given one, and a plain one changes
// nothing. A colour only repeats what the words say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tideline {

/// What a word is marked as.
enum class Ink {
  good,      ///< "holds"
  bad,       ///< "violated", "error:"
  doubtful,  ///< "unknown", "warning:"
  remark,    ///< "note:"
  changed,   ///< a value that a step has changed
  cycle,     ///< where the cycle of a lasso begins and ends
  faint,     ///< what the eye may skip
};

class Palette {
 public:
  /// Plain.
  Palette() = default;
  static Palette coloured() {
    Palette palette;
    palette.coloured_ = true;
    return palette;
  }

  bool is_plain() const { return !coloured_; }

  /// The text, marked.
  std::string operator()(Ink ink, std::string_view text) const {
    if (!coloured_ || text.empty()) return std::string(text);
    std::string result = "\x1b[";
    result += code(ink);
    result += 'm';
    result += text;
    return result + "\x1b[0m";
  }

 private:
  /// Of the sixteen colours that every terminal has, and that its user has chosen.
  static constexpr std::string_view code(Ink ink) {
    switch (ink) {
      case Ink::good:
        return "1;32";
      case Ink::bad:
        return "1;31";
      case Ink::doubtful:
        return "1;33";
      case Ink::remark:
        return "1;36";
      case Ink::changed:
        return "36";
      case Ink::cycle:
        return "35";
      case Ink::faint:
        return "2";
    }
    return "0";
  }

  bool coloured_ = false;
};

/// How wide the text is on a terminal: without what marks it, and with characters instead of bytes (UTF-8).
constexpr std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++width;
    }
  }
  return width;
}

}  // namespace tideline
