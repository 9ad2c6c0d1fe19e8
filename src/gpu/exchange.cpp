#include "gpu/exchange.hpp"

#include <algorithm>
#include <utility>

namespace tideline::gpu {

Exchange::Exchange(std::vector<Workspace*> parts)
    : parts_(std::move(parts)),
      taken_(parts_.size(), std::vector<std::uint64_t>(parts_.size())),
      team_(static_cast<unsigned>(parts_.size())) {}

bool Exchange::has_mail() const {
  for (std::size_t from = 0; from < parts_.size(); ++from)
    for (std::size_t to = 0; to < parts_.size(); ++to)
      if (parts_[from]->numbers().mail_counts[to] != taken_[from][to]) return true;
  return false;
}

void Exchange::deliver() {
  const std::size_t count = parts_.size();
  std::vector<std::function<void()>> deliveries(count, [] {});  // by receiver
  for (std::size_t to = 0; to < count; ++to)
    for (std::size_t from = 0; from < count; ++from) {
      const Workspace::Mail mail = parts_[from]->mail(to, taken_[from][to]);
      if (mail.count == 0) continue;
      taken_[from][to] += mail.count;
      deliveries[to] = [&part = *parts_[to], mail] { part.receive(mail); };
      break;
    }
  team_.run([&](unsigned to) { deliveries[to](); });
  if (has_mail()) return;
  for (std::size_t from = 0; from < count; ++from) {
    parts_[from]->clear_mail();
    std::ranges::fill(taken_[from], 0);
  }
}

}  // namespace tideline::gpu
