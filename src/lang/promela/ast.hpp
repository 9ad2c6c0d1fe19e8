// Promela as it was written, with names of variables resolved: what the parser makes and translation reads.
//
// Scopes are lexical and a variable is declared before it is used, so the parser knows which variable a name
// means. Names of proctypes, labels and message names may come later in the text; translation looks them up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/expr.hpp"
#include "model/system.hpp"

namespace tideline::promela {

struct Process;
struct Structure;
struct Variable;

enum class BaseType : std::uint8_t { bit, byte, short_, int_, unsigned_, mtype, chan, pid, structure };

struct Type {
  BaseType base = BaseType::int_;
  std::uint32_t bits = 0;                ///< of unsigned
  const Structure* structure = nullptr;  ///< of a typedef
  bool boolean = false;                  ///< a bit that was declared as bool
  std::uint32_t names = 0;               ///< of mtype: index into Program::name_sets
};

enum class ExKind : std::uint8_t {
  number,
  variable,         ///< `variable`, `parts`; without a variable: a name that is not one (a message name)
  unary,            ///< `op`
  binary,           ///< `op`
  conditional,      ///< (a -> b : c)
  length,           ///< len(q) and its kin: `name` says which, args[0] is the channel
  poll,             ///< q?[...]: args[0] is the channel, then the arguments; `random` for ??
  run,              ///< `name`, args
  timeout,          ///
  np,               ///< np_
  nr_pr,            ///< _nr_pr
  pid,              ///< _pid
  last,             ///< _last
  remote_label,     ///< P[e]@L: `name`, `label`, args[0] is e, if given
  remote_variable,  ///< P[e]:x: likewise, `parts` is the variable
  anything,         ///< _ among the arguments of a receive
  eval,             ///< eval(e) among them
  enabled,          ///< enabled(e)
};

struct Ex {
  /// A name, an element of an array, a field: "a[i].b[j].c" has three parts.
  struct Part {
    std::string name;
    std::vector<Ex> index = {};  ///< one, or none
  };

  ExKind kind = ExKind::number;
  Op op = Op::constant;
  std::int64_t value = 0;
  std::string name = {};
  std::string label = {};
  const Variable* variable = nullptr;
  std::vector<Part> parts = {};
  std::vector<Ex> args = {};
  bool random = false;
  SourcePoint where{};
};
using Part = Ex::Part;

/// [capacity] of { fields }
struct ChannelShape {
  std::uint32_t capacity = 0;
  std::vector<Type> fields = {};
};

struct Variable {
  std::string name;
  Type type;
  bool is_array = false;
  std::uint32_t length = 1;
  std::vector<Ex> initial = {};              ///< one value, or a list for an array
  std::optional<ChannelShape> channel = {};  ///< of a chan that is initialised
  const Process* owner = nullptr;            ///< nothing: global, or a field
  bool is_parameter = false;
  bool set_at_creation = true;  ///< `initial` is no step of its own
  bool hidden = false;
  SourcePoint where{};
};

struct Structure {
  std::string name;
  std::vector<std::unique_ptr<Variable>> fields;
};

enum class StatementKind : std::uint8_t {
  expression,
  assignment,  ///< target = value
  send,        ///< channel, args; `sorted`
  receive,     ///< channel, args; `random`, `peek`
  assertion,
  print,
  selection,  ///< if: branches
  loop,       ///< do
  atomic,     ///< branches[0]
  d_step,
  block,
  unless,     ///< branches[0] unless branches[1]
  jump,       ///< goto name
  leave,      ///< break
  otherwise,  ///< else
  nothing,    ///< a declaration without a step
};

struct Statement;
using Sequence = std::vector<std::unique_ptr<Statement>>;

struct Statement {
  StatementKind kind = StatementKind::expression;
  SourcePoint where{};
  std::vector<std::string> labels = {};
  std::string name = {};  ///< the label of a jump; the format of a print
  std::string text = {};  ///< as a run shows it
  Ex target = {};         ///< assigned variable, or channel
  Ex value = {};          ///< of an assignment, expression, assertion
  std::vector<Ex> args = {};
  bool random = false;     ///< ??, and !! for sorted
  bool peek = false;       ///< q?<...>
  bool is_written = true;  ///< false: a block that only holds together what a `for` or `select` stands for
  std::int32_t number = no_statement;  ///< as SPIN counts (numbers.cpp)
  std::int32_t left_out = 0;           ///< statements behind it that SPIN counts and does not take
  std::vector<Sequence> branches = {};
};

/// Whether a label says something to SPIN: accept, end or progress. It puts a step that bears it before a jump.
bool is_special_label(std::string_view label);
bool has_special_label(const Statement& statement);

/// Calls visit(statement) for every statement of a sequence, also inside others.
template <class Visit>
void for_each_statement(const Sequence& sequence, const Visit& visit) {
  for (const auto& statement : sequence) {
    visit(*statement);
    for (const Sequence& branch : statement->branches) for_each_statement(branch, visit);
  }
}

enum class ProcessKind : std::uint8_t { proctype, init, never, trace, notrace };

/// xr q, xs q: no other process receives from the channel, or sends to it.
struct Claim {
  Ex channel;
  bool receives = false;
};

struct Process {
  ProcessKind kind = ProcessKind::proctype;
  std::string name;
  std::uint32_t active = 0;  ///< instances that are there from the beginning
  std::vector<const Variable*> parameters = {};
  std::vector<std::unique_ptr<Variable>> variables = {};  ///< of all its scopes, parameters first
  std::optional<Ex> provided = {};
  std::vector<Claim> claims = {};
  Sequence body = {};
  std::int32_t end_number = no_statement;  ///< of the end of the body, as SPIN counts
  SourcePoint where{};
};

/// A formula of an ltl block. Its text has atoms in quotes.
struct Formula {
  std::string name;
  std::string text;
  std::vector<std::pair<std::string, Ex>> atoms;
  SourcePoint where{};
};

struct Program {
  std::vector<std::unique_ptr<Structure>> structures;
  std::vector<std::unique_ptr<Variable>> globals;
  std::vector<std::unique_ptr<Process>> processes;  ///< in the order of the text
  std::map<std::string, std::int64_t, std::less<>> message_names;
  std::vector<std::string> name_set_names{""};            ///< "" for plain mtype
  std::vector<std::vector<std::string>> name_sets{{""}};  ///< names by value; none has the value 0
  std::vector<Formula> formulas;
  std::set<std::string, std::less<>> remote_labels;  ///< those that others ask for: P@label
  bool uses_last = false;
  bool uses_nr_pr = false;

  /// The index of a set of message names, which is made if it is not there.
  std::uint32_t name_set(const std::string& name);
  const Process* find_process(std::string_view name) const;
};

/// Gives every statement the number that SPIN has for it (numbers.cpp).
void number_statements(Program& program);

}  // namespace tideline::promela
