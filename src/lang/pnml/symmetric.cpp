#include "lang/pnml/symmetric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace tideline::pnml {

namespace {

/// The content of a `subterm` and other wrappers.
const Tree& unwrapped(const Tree& tree) {
  const Tree* at = &tree;
  while ((at->tag == "subterm" || at->tag == "structure") && at->children.size() == 1) at = &at->children[0];
  return *at;
}

std::string name_or_id(const Tree& tree) {
  if (const std::string* name = tree.attribute("name"); name != nullptr && !name->empty()) return *name;
  const std::string* id = tree.attribute("id");
  return id != nullptr ? *id : std::string();
}

}  // namespace

void SymmetricTerms::fail(SourcePoint where, std::string message) const {
  diagnostics_.error(where, std::move(message));
  diagnostics_.throw_if_errors();
  throw Error(ErrorKind::internal, "a recorded error is gone");
}

const std::string& SymmetricTerms::required(const Tree& tree, std::string_view attribute) {
  const std::string* value = tree.attribute(attribute);
  if (value == nullptr || value->empty())
    fail(tree.where, fmt::format("'{}' has no attribute '{}'", abbreviate(tree.tag), attribute));
  return *value;
}

std::int64_t SymmetricTerms::integer(const Tree& tree, std::string_view attribute) {
  const std::string& text = required(tree, attribute);
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end || value > most_tokens || value < -most_tokens)
    fail(tree.where,
         fmt::format("'{}' is a number up to {}, not '{}'", attribute, most_tokens, abbreviate(text)));
  return value;
}

const Tree& SymmetricTerms::only_child(const Tree& tree) {
  if (tree.children.size() != 1)
    fail(tree.where,
         fmt::format("expected one element in '{}', found {}", abbreviate(tree.tag), tree.children.size()));
  return unwrapped(tree.children[0]);
}

// ---- declarations

SymmetricTerms::SymmetricTerms(const std::vector<Tree>& declarations, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  sorts_.push_back({.kind = Sort::Kind::dot, .name = "dot"});
  sorts_.push_back(
      {.kind = Sort::Kind::enumeration, .name = "bool", .size = 2, .constants = {"false", "true"}});
  std::vector<const Tree*> all;
  for (const Tree& structure : declarations)
    for (const Tree& list : structure.children)
      for (const Tree& tree : list.children) all.push_back(&tree);
  // A sort may be used before it is declared, and a constant anywhere.
  for (const Tree* tree : all) declare(*tree);
  for (const Tree* tree : all)
    if (tree->tag == "namedsort") named_sort(required(*tree, "id"), tree->where);
  for (const Tree* tree : all)
    if (tree->tag == "partition") read_partition(*tree);
  for (const Tree* tree : all)
    if (tree->tag == "variabledecl") read_variable(*tree);
}

void SymmetricTerms::declare(const Tree& tree) {
  if (tree.tag == "namedsort") {
    if (!sort_trees_.try_emplace(required(tree, "id"), &tree).second)
      fail(tree.where, fmt::format("sort '{}' is already declared", abbreviate(required(tree, "id"))));
  } else if (tree.tag != "variabledecl" && tree.tag != "partition") {
    fail(tree.where, fmt::format("declaration '{}' is not supported", abbreviate(tree.tag)));
  }
}

SortId SymmetricTerms::named_sort(const std::string& id, SourcePoint where) {
  if (const auto known = named_sorts_.find(id); known != named_sorts_.end()) return known->second;
  if (id == "dot") return dot_;
  const auto tree = sort_trees_.find(id);
  if (tree == sort_trees_.end()) fail(where, fmt::format("there is no sort '{}'", abbreviate(id)));
  if (std::ranges::find(open_sorts_, id) != open_sorts_.end())
    fail(where, fmt::format("the sort '{}' contains itself", abbreviate(id)));
  open_sorts_.push_back(id);
  const SortId sort = sort_of(only_child(*tree->second), name_or_id(*tree->second));
  open_sorts_.pop_back();
  named_sorts_.emplace(id, sort);
  return sort;
}

SortId SymmetricTerms::read_sort(const Tree& structure) {
  return sort_of(unwrapped(structure), "");
}

SortId SymmetricTerms::sort_of(const Tree& tree, const std::string& name) {
  if (tree.tag == "dot") return dot_;
  if (tree.tag == "bool") return truth_;
  if (tree.tag == "usersort") return named_sort(required(tree, "declaration"), tree.where);
  if (tree.tag == "cyclicenumeration" || tree.tag == "finiteenumeration") return enumeration(tree, name);
  if (tree.tag == "finiteintrange") return range(tree);
  if (tree.tag == "productsort") return product(tree);
  fail(tree.where, fmt::format("sort '{}' is not supported", abbreviate(tree.tag)));
}

SortId SymmetricTerms::add_sort(Sort sort) {
  sorts_.push_back(std::move(sort));
  return static_cast<SortId>(sorts_.size() - 1);
}

SortId SymmetricTerms::enumeration(const Tree& tree, const std::string& name) {
  Sort sort{.kind = Sort::Kind::enumeration, .name = name, .size = tree.children.size()};
  if (tree.children.empty()) fail(tree.where, "an enumeration has at least one constant");
  const auto id = static_cast<SortId>(sorts_.size());
  for (const Tree& constant : tree.children) {
    if (constant.tag != "feconstant")
      fail(constant.where, fmt::format("expected 'feconstant', found '{}'", abbreviate(constant.tag)));
    if (!constants_.try_emplace(required(constant, "id"), id, sort.constants.size()).second)
      fail(constant.where,
           fmt::format("constant '{}' is already declared", abbreviate(required(constant, "id"))));
    sort.constants.push_back(name_or_id(constant));
  }
  return add_sort(std::move(sort));
}

SortId SymmetricTerms::range(const Tree& tree) {
  const std::int64_t low = integer(tree, "start");
  const std::int64_t high = integer(tree, "end");
  if (low > high) fail(tree.where, fmt::format("the range {}..{} is empty", low, high));
  const auto known = ranges_.find({low, high});
  if (known != ranges_.end()) return known->second;
  const SortId sort = add_sort({.kind = Sort::Kind::range,
                                .name = fmt::format("{}..{}", low, high),
                                .size = static_cast<Colour>(high - low + 1),
                                .low = low});
  ranges_[{low, high}] = sort;
  return sort;
}

SortId SymmetricTerms::product(const Tree& tree) {
  Sort sort{.kind = Sort::Kind::product};
  if (tree.children.empty()) fail(tree.where, "a product has at least one part");
  for (const Tree& child : tree.children) {
    const SortId part = sort_of(unwrapped(child), "");
    sort.parts.push_back(part);
    sort.size *= sorts_[part].size;
    sort.name += (sort.name.empty() ? "" : " x ") + sorts_[part].name;
    if (sort.size > most_colours)
      fail(tree.where, fmt::format("a sort of more than {} colours is not supported", most_colours));
  }
  const auto known = products_.find(sort.parts);
  if (known != products_.end()) return known->second;
  const std::vector<SortId> parts = sort.parts;
  return products_[parts] = add_sort(std::move(sort));
}

void SymmetricTerms::read_variable(const Tree& tree) {
  const SortId sort = sort_of(only_child(tree), "");
  if (!variable_ids_.try_emplace(required(tree, "id"), static_cast<std::uint32_t>(variables_.size())).second)
    fail(tree.where, fmt::format("variable '{}' is already declared", abbreviate(required(tree, "id"))));
  variables_.push_back({name_or_id(tree), sort});
}

/// A partition is an enumeration of its elements, and a function to it.
void SymmetricTerms::read_partition(const Tree& tree) {
  if (tree.children.empty()) fail(tree.where, "a partition needs a sort and elements");
  Partition partition{.base = sort_of(unwrapped(tree.children[0]), "")};
  constexpr Colour unset = ~Colour{0};
  if (sorts_[partition.base].kind != Sort::Kind::enumeration &&
      sorts_[partition.base].kind != Sort::Kind::range)
    fail(tree.where, "only partitions of enumerations and ranges are supported");
  if (sorts_[partition.base].size > 1'000'000)
    fail(tree.where, "a partition of more than 1000000 colours is not supported");
  partition.element_of.assign(sorts_[partition.base].size, unset);
  Sort elements{.kind = Sort::Kind::enumeration, .name = name_or_id(tree), .size = tree.children.size() - 1};
  const auto id = static_cast<SortId>(sorts_.size());
  for (std::size_t i = 1; i < tree.children.size(); ++i) {
    const Tree& element = tree.children[i];
    if (element.tag != "partitionelement")
      fail(element.where, fmt::format("expected 'partitionelement', found '{}'", abbreviate(element.tag)));
    for (const Tree& member : element.children) {
      const Term colour = colour_term(unwrapped(member), &partition.base);
      if (colour.kind != Term::Kind::constant ||
          partition.element_of[static_cast<Colour>(colour.value)] != unset)
        fail(member.where, "every colour of the sort must be in exactly one element");
      partition.element_of[static_cast<Colour>(colour.value)] = i - 1;
    }
    constants_.try_emplace(required(element, "id"), id, i - 1);
    elements.constants.push_back(name_or_id(element));
  }
  if (std::ranges::find(partition.element_of, unset) != partition.element_of.end())
    fail(tree.where, "every colour of the sort must be in exactly one element");
  partition.elements = add_sort(std::move(elements));
  partition_ids_.try_emplace(required(tree, "id"), static_cast<std::uint32_t>(partitions_.size()));
  named_sorts_.try_emplace(required(tree, "id"), partition.elements);
  partitions_.push_back(std::move(partition));
}

// ---- terms

Term SymmetricTerms::read_bag(const Tree& structure, SortId sort) {
  if (structure.children.size() != 1) fail(structure.where, "expected one term");
  return bag_term(unwrapped(structure), sort);
}

Term SymmetricTerms::bag_term(const Tree& tree, SortId sort) {
  Term term{.sort = sort, .where = tree.where};
  if (tree.tag == "add" || tree.tag == "subtract") {
    term.kind = tree.tag == "add" ? Term::Kind::add : Term::Kind::subtract;
    if (tree.children.empty()) fail(tree.where, fmt::format("'{}' needs at least one term", tree.tag));
    for (const Tree& child : tree.children) term.args.push_back(bag_term(unwrapped(child), sort));
    return term;
  }
  if (tree.tag == "numberof" || tree.tag == "scalarproduct") {
    if (tree.children.empty() || tree.children.size() > 2)
      fail(tree.where, fmt::format("expected a number and a term in '{}'", tree.tag));
    term.kind = Term::Kind::number_of;
    term.value = 1;
    if (tree.children.size() == 2) {
      const Tree& number = unwrapped(tree.children[0]);
      if (number.tag != "numberconstant")
        fail(number.where, fmt::format("expected 'numberconstant', found '{}'", abbreviate(number.tag)));
      term.value = integer(number, "value");
      if (term.value < 0) fail(number.where, "a number of colours cannot be negative");
    }
    term.args.push_back(bag_term(unwrapped(tree.children.back()), sort));
    return term;
  }
  if (tree.tag == "all") {
    if (sort_of(only_child(tree), "") != sort)
      fail(tree.where, fmt::format("expected all of '{}'", abbreviate(sorts_[sort].name)));
    term.kind = Term::Kind::all;
    return term;
  }
  if (tree.tag == "empty") {
    term.kind = Term::Kind::add;
    return term;
  }
  return tree.tag == "tuple" ? tuple_term(tree, sort) : colour_term(tree, &sort);
}

/// The parts may be multisets: (x, all) stands for a tuple for each colour of the second part.
Term SymmetricTerms::tuple_term(const Tree& tree, SortId sort) {
  const std::vector<SortId> parts = sorts_[sort].parts;
  // A tuple of one is its element.
  if (sorts_[sort].kind != Sort::Kind::product && tree.children.size() == 1)
    return bag_term(unwrapped(tree.children[0]), sort);
  if (sorts_[sort].kind != Sort::Kind::product || parts.size() != tree.children.size())
    fail(tree.where, fmt::format("expected '{}', found a tuple of {}", abbreviate(sorts_[sort].name),
                                 tree.children.size()));
  Term term{.kind = Term::Kind::tuple, .sort = sort, .where = tree.where};
  for (std::size_t i = 0; i < parts.size(); ++i)
    term.args.push_back(bag_term(unwrapped(tree.children[i]), parts[i]));
  return term;
}

Term SymmetricTerms::colour_term(const Tree& tree, const SortId* expected) {
  Term term = colour_term_of_any_sort(tree, expected);
  term.where = tree.where;
  if (expected != nullptr && term.sort != *expected)
    fail(tree.where, fmt::format("expected '{}', found '{}'", abbreviate(sorts_[*expected].name),
                                 abbreviate(sorts_[term.sort].name)));
  return term;
}

Term SymmetricTerms::colour_term_of_any_sort(const Tree& tree, const SortId* expected) {
  const auto constant = [](SortId sort, Colour value) {
    return Term{.kind = Term::Kind::constant, .sort = sort, .value = static_cast<std::int64_t>(value)};
  };
  if (tree.tag == "variable") {
    const std::string& id = required(tree, "refvariable");
    const auto found = variable_ids_.find(id);
    if (found == variable_ids_.end())
      fail(tree.where, fmt::format("there is no variable '{}'", abbreviate(id)));
    return {.kind = Term::Kind::variable, .sort = variables_[found->second].sort, .value = found->second};
  }
  if (tree.tag == "useroperator") {
    const std::string& id = required(tree, "declaration");
    const auto found = constants_.find(id);
    if (found == constants_.end()) fail(tree.where, fmt::format("there is no constant '{}'", abbreviate(id)));
    return constant(found->second.first, found->second.second);
  }
  if (tree.tag == "dotconstant") return constant(dot_, 0);
  if (tree.tag == "booleanconstant") return constant(truth_, required(tree, "value") == "true" ? 1 : 0);
  if (tree.tag == "finiteintrangeconstant") {
    const bool in_range = expected != nullptr && sorts_[*expected].kind == Sort::Kind::range;
    const SortId sort = in_range ? *expected : sort_of(only_child(tree), "");
    const std::int64_t value = integer(tree, "value") - sorts_[sort].low;
    if (sorts_[sort].kind != Sort::Kind::range || value < 0 ||
        static_cast<Colour>(value) >= sorts_[sort].size)
      fail(tree.where, fmt::format("{} is not in the range {}", required(tree, "value"), sorts_[sort].name));
    return constant(sort, static_cast<Colour>(value));
  }
  if (tree.tag == "successor" || tree.tag == "predecessor") {
    Term argument = colour_term(only_child(tree), expected);
    const Sort::Kind kind = sorts_[argument.sort].kind;
    if (kind != Sort::Kind::enumeration && kind != Sort::Kind::range)
      fail(tree.where,
           fmt::format("colours of '{}' have no {}", abbreviate(sorts_[argument.sort].name), tree.tag));
    Term term{.kind = Term::Kind::shift, .sort = argument.sort, .value = tree.tag == "successor" ? 1 : -1};
    term.args.push_back(std::move(argument));
    return term;
  }
  if (tree.tag == "partitionelementof") {
    const std::string& id = required(tree, "refpartition");
    const auto found = partition_ids_.find(id);
    if (found == partition_ids_.end())
      fail(tree.where, fmt::format("there is no partition '{}'", abbreviate(id)));
    Term term{
        .kind = Term::Kind::partition, .sort = partitions_[found->second].elements, .value = found->second};
    term.args.push_back(colour_term(only_child(tree), &partitions_[found->second].base));
    return term;
  }
  if (tree.tag == "tuple") {
    Term term{.kind = Term::Kind::tuple};
    Sort sort{.kind = Sort::Kind::product};
    for (const Tree& child : tree.children) {
      term.args.push_back(colour_term(unwrapped(child), nullptr));
      sort.parts.push_back(term.args.back().sort);
      sort.size *= sorts_[term.args.back().sort].size;
      if (sort.size > most_colours)
        fail(tree.where, fmt::format("a sort of more than {} colours is not supported", most_colours));
    }
    const auto known = products_.find(sort.parts);
    const std::vector<SortId> parts = sort.parts;
    sort.name = "tuples";
    term.sort = known != products_.end() ? known->second : (products_[parts] = add_sort(std::move(sort)));
    return term;
  }
  fail(tree.where, fmt::format("term '{}' is not supported here", abbreviate(tree.tag)));
}

Term SymmetricTerms::read_condition(const Tree& structure) {
  if (structure.children.size() != 1) fail(structure.where, "expected one condition");
  return condition_term(unwrapped(structure));
}

Term SymmetricTerms::condition_term(const Tree& tree) {
  using Kind = Term::Kind;
  const auto parts = [&](Kind kind) {
    Term term{.kind = kind, .sort = truth_, .where = tree.where};
    for (const Tree& child : tree.children) term.args.push_back(condition_term(unwrapped(child)));
    if (term.args.empty()) fail(tree.where, fmt::format("'{}' needs at least one condition", tree.tag));
    return term;
  };
  if (tree.tag == "and") return parts(Kind::both);
  if (tree.tag == "or") return parts(Kind::either);
  if (tree.tag == "not" || tree.tag == "imply") {
    Term term = parts(tree.tag == "not" ? Kind::negation : Kind::either);
    if (term.args.size() != (tree.tag == "not" ? 1 : 2))
      fail(tree.where, fmt::format("wrong number of conditions in '{}': {}", tree.tag, term.args.size()));
    if (tree.tag == "not") return term;
    Term not_left{.kind = Kind::negation, .sort = truth_, .where = tree.where};
    not_left.args.push_back(std::move(term.args[0]));
    term.args[0] = std::move(not_left);
    return term;
  }
  if (tree.tag == "equality") return comparison(tree, Kind::equal, false);
  if (tree.tag == "inequality") return comparison(tree, Kind::not_equal, false);
  if (tree.tag == "lessthan" || tree.tag == "ltp") return comparison(tree, Kind::less, false);
  if (tree.tag == "lessthanorequal") return comparison(tree, Kind::less_equal, false);
  if (tree.tag == "greaterthan" || tree.tag == "gtp") return comparison(tree, Kind::less, true);
  if (tree.tag == "greaterthanorequal") return comparison(tree, Kind::less_equal, true);
  // A truth value by itself: a constant, or a variable of that sort.
  Term term{.kind = Kind::equal, .sort = truth_, .where = tree.where};
  term.args.push_back(colour_term(tree, &truth_));
  term.args.push_back({.kind = Kind::constant, .sort = truth_, .value = 1});
  return term;
}

Term SymmetricTerms::comparison(const Tree& tree, Term::Kind kind, bool swapped) {
  if (tree.children.size() != 2)
    fail(tree.where, fmt::format("expected two terms in '{}', found {}", tree.tag, tree.children.size()));
  Term term{.kind = kind, .sort = truth_, .where = tree.where};
  Term left = colour_term(unwrapped(tree.children[0]), nullptr);
  Term right = colour_term(unwrapped(tree.children[1]), &left.sort);
  if (swapped) std::swap(left, right);
  term.args.push_back(std::move(left));
  term.args.push_back(std::move(right));
  return term;
}

// ---- evaluation

Colour SymmetricTerms::colour(const Term& term, const Binding& binding) const {
  switch (term.kind) {
    case Term::Kind::variable:
      return binding[static_cast<std::size_t>(term.value)];
    case Term::Kind::shift: {
      const Colour size = sorts_[term.sort].size;
      return (colour(term.args[0], binding) + (term.value > 0 ? 1 : size - 1)) % size;
    }
    case Term::Kind::partition:
      return partitions_[static_cast<std::size_t>(term.value)].element_of[colour(term.args[0], binding)];
    case Term::Kind::tuple: {
      Colour number = 0;
      for (const Term& part : term.args) number = number * sorts_[part.sort].size + colour(part, binding);
      return number;
    }
    default:
      return static_cast<Colour>(term.value);
  }
}

bool SymmetricTerms::holds(const Term& term, const Binding& binding) const {
  const auto holds_here = [&](const Term& part) { return holds(part, binding); };
  switch (term.kind) {
    case Term::Kind::both:
      return std::ranges::all_of(term.args, holds_here);
    case Term::Kind::either:
      return std::ranges::any_of(term.args, holds_here);
    case Term::Kind::negation:
      return !holds_here(term.args[0]);
    default:
      break;
  }
  const Colour left = colour(term.args[0], binding);
  const Colour right = colour(term.args[1], binding);
  switch (term.kind) {
    case Term::Kind::equal:
      return left == right;
    case Term::Kind::not_equal:
      return left != right;
    case Term::Kind::less:
      return left < right;
    default:
      return left <= right;
  }
}

namespace {

/// Sorts, and adds up equal colours.
void tidy(Bag& bag) {
  std::ranges::sort(bag);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < bag.size(); ++i) {
    if (kept > 0 && bag[kept - 1].first == bag[i].first)
      bag[kept - 1].second += bag[i].second;
    else
      bag[kept++] = bag[i];
  }
  bag.resize(kept);
  std::erase_if(bag, [](const auto& entry) { return entry.second == 0; });
}

}  // namespace

Bag SymmetricTerms::bag(const Term& term, const Binding& binding, std::size_t most) const {
  const auto check = [&](const Bag& bag) {
    if (bag.size() > most) fail(term.where, fmt::format("this stands for more than {} colours", most));
    for (const auto& [colour, count] : bag)
      if (count > most_tokens)
        fail(term.where, fmt::format("more than {} tokens of one colour", most_tokens));
  };
  Bag result;
  switch (term.kind) {
    case Term::Kind::all:
      if (sorts_[term.sort].size > most)
        fail(term.where, fmt::format("this stands for more than {} colours", most));
      for (Colour c = 0; c < sorts_[term.sort].size; ++c) result.emplace_back(c, 1);
      return result;
    case Term::Kind::number_of:
      if (term.value == 0) return {};
      result = bag(term.args[0], binding, most);
      for (auto& entry : result) entry.second *= term.value;
      check(result);
      return result;
    case Term::Kind::add:
    case Term::Kind::subtract:
      for (std::size_t i = 0; i < term.args.size(); ++i)
        for (const auto& [colour, count] : bag(term.args[i], binding, most))
          result.emplace_back(colour, i > 0 && term.kind == Term::Kind::subtract ? -count : count);
      tidy(result);
      check(result);
      for (const auto& [colour, count] : result)
        if (count < 0)
          fail(term.where, fmt::format("more of '{}' is subtracted than is there", show(term.sort, colour)));
      return result;
    case Term::Kind::tuple:
      result.emplace_back(0, 1);
      for (const Term& part : term.args) {
        const Bag colours = bag(part, binding, most);
        if (colours.size() * result.size() > most)
          fail(term.where, fmt::format("this stands for more than {} colours", most));
        Bag longer;
        for (const auto& [begin, times] : result)
          for (const auto& [colour, count] : colours)
            longer.emplace_back(begin * sorts_[part.sort].size + colour, times * count);
        result = std::move(longer);
        check(result);
      }
      return result;
    default:
      return {{colour(term, binding), 1}};
  }
}

std::string SymmetricTerms::show(SortId id, Colour colour) const {
  const Sort& sort = sorts_[id];
  switch (sort.kind) {
    case Sort::Kind::dot:
      return {};
    case Sort::Kind::enumeration:
      return sort.constants[colour];
    case Sort::Kind::range:
      return std::to_string(sort.low + static_cast<std::int64_t>(colour));
    case Sort::Kind::product:
      break;
  }
  std::string text;
  for (std::size_t i = sort.parts.size(); i-- > 0;) {
    const Colour size = sorts_[sort.parts[i]].size;
    const std::string part = show(sort.parts[i], colour % size);
    if (!part.empty()) text = text.empty() ? part : part + "_" + text;
    colour /= size;
  }
  return text;
}

}  // namespace tideline::pnml
