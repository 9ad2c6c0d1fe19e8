// Keys: bytes that are equal for equal expressions, wherever they were written.
#pragma once

#include <cstdint>
#include <string>

#include "model/system.hpp"

namespace tideline::symbolic {

inline void write_key(std::int64_t number, std::string& key) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline void write_key(const Expr& expr, std::string& key) {
  key += static_cast<char>(expr.op);
  key += expr.before ? 'b' : 'n';
  for (const std::int64_t number : {std::int64_t{expr.slot}, std::int64_t{expr.length}, expr.value,
                                    static_cast<std::int64_t>(expr.args.size())})
    write_key(number, key);
  for (const Expr& arg : expr.args) write_key(arg, key);
}

inline void write_key(const Assignment& effect, std::string& key) {
  write_key(effect.slot, key);
  write_key(effect.index ? effect.length : 0, key);
  if (effect.index) write_key(*effect.index, key);
  write_key(effect.value, key);
}

}  // namespace tideline::symbolic
