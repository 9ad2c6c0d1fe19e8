// Translation of a Promela program into a System.
//
// Every process that can exist (population.hpp) is a component; its places in the state vector are its control state and
// its variables, all 0 while it does not run. Location 0 of a component means that no process has this number; behind it
// come the control points of each proctype that can have it.
//
// A channel is a length and a row of slots for each field, oldest message first, 0 where there is no message. A chan variable
// holds the number of a channel, counted from 1. Which channels an expression can mean is found out first (channels.cpp); a
// send or receive then is one action for each of them, with exact guards. A rendezvous is an action of two participants.
//
// Atomic sequences. The slot `exclusive` holds the number of the process that goes on alone, plus 1, and guards of other
// processes ask for 0. Where it is not 0 the state is one that nobody sees (System::transient): the step goes on. A
// process that is blocked inside an atomic sequence sets it to 0: that is an action of its own.
//
// Claims about channels (xr, xs) and the trace assertion watch what is sent and received: observers.cpp.
//
// `else`, `unless` and `timeout` need to know what could be done instead: can_move() is the condition for it as an
// expression.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.hpp"
#include "lang/promela/ast.hpp"
#include "lang/promela/control.hpp"
#include "lang/promela/population.hpp"
#include "model/system.hpp"
#include "run/property.hpp"

namespace tideline::promela {

/// One number, or an array of them, inside a variable: a[3].b[2] of a typedef has dims {3, 2}.
struct Leaf {
  std::string path;  ///< ".b.c"; empty for a variable without fields
  Type type;
  std::vector<std::uint32_t> dims = {};
  std::uint32_t count = 1;
  const Variable* field = nullptr;  ///< of a typedef that it ends at; nothing: the variable itself
};

std::vector<Leaf> leaves_of(const Variable& variable);
std::vector<Leaf> leaves_of(const Type& type);
Range range_of(const Type& type);
/// The value as the type keeps it.
Expr cut_to(const Type& type, Expr value, const System& system);

/// Effects on one slot.
Assignment set_to(SlotId slot, Expr value, SourcePoint where = {});
Assignment set_to(SlotId slot, std::int64_t value);

using Storage = std::map<const Variable*, std::vector<SlotId>>;  ///< first slot of each leaf
using ChannelNumber = std::uint32_t;                             ///< from 1 on; 0 is no channel

struct Instance {
  std::uint32_t number = 0;
  const Process* process = nullptr;
  const ControlGraph* graph = nullptr;
  ComponentId component = 0;
  LocationId base = 0;  ///< location of its first control point
  Storage storage = {};
  std::map<const Variable*, ChannelNumber> channels = {};  ///< first one of those it creates
  LocationId location(Point point) const { return base + point; }
};

struct ChannelInfo {
  std::uint32_t capacity = 0;
  std::vector<Type> fields = {};
  SlotId length = no_slot;        ///< of a buffer
  std::vector<SlotId> rows = {};  ///< of a buffer: first slot of each field
  std::uint32_t shown = 0;        ///< index into System::channels
};

/// One way to take a control step.
struct Move {
  Expr guard = Expr::constant(1);
  std::vector<Assignment> effects = {};
  const Instance* partner = nullptr;  ///< of a rendezvous: the receiver
  const ControlStep* partner_step = nullptr;
  Expr partner_guard = Expr::constant(1);  ///< that it takes the message, where it is before the step
  std::optional<Message> message = {};
  bool is_peek = false;    ///< the message stays in its channel
  std::string extra = {};  ///< for the label, where there are several moves
};

class Translation {
 public:
  Translation(const Program& program, const SourceText& source, Diagnostics& diagnostics,
              std::uint32_t most_processes);
  void use_macros(std::vector<std::pair<std::string, Ex>> macros) { macros_ = std::move(macros); }
  System run();
  /// Of ltl blocks and labels, named; formulas are bound later, their atoms are here.
  std::vector<Property> take_properties() { return std::move(properties_); }

  /// A value outside of all processes: of a property.
  Expr value(const Ex& ex) { return value(ex, nullptr); }

 private:
  struct Target {
    SlotId first = 0;
    std::uint32_t length = 1;
    std::optional<Expr> index = {};
    Type type;
  };

  // translation.cpp
  void make_graphs();
  void make_globals();
  void make_instances();
  void make_initial_state();
  void make_actions();
  void make_properties();
  void add_steps(const Instance& instance);
  void add_action(const Instance& instance, const ControlStep& step, Move move);
  Expr turn(const Instance& instance, const ControlStep& step) const;
  void add_inner_assertion(const Instance& instance, const ControlStep& step);
  /// An action that fails beside the one that goes on, where `when` holds.
  void add_failure(const Instance& instance, const ControlStep& step, Expr when, ModelErrorKind kind,
                   SourcePoint where);
  Print print_of(const Statement& statement, const Instance& instance);
  std::uint32_t names_of(const Type& type) const;
  void add_end(const Instance& instance);
  void add_releases(const Instance& instance);
  void add_storage(const Variable& variable, ComponentId owner, const std::string& prefix, Storage& storage);
  void name_elements(const Leaf& leaf, const Variable& variable, const std::string& prefix, SlotId first,
                     ComponentId owner);
  ChannelNumber add_channels(const ChannelShape& shape, std::uint32_t count, const std::string& of,
                             bool is_array, ComponentId owner, SourcePoint where);
  /// What fields of typedefs are set to from the beginning.
  std::vector<Assignment> field_values(const Variable& variable, const Storage& storage);
  SourcePoint process_point() const;
  /// The value in the initial state, as far as it is made.
  std::optional<std::int64_t> initial_value(const Expr& expr) const;
  void describe_points(const Instance& instance, bool prefix);
  bool is_fixed_channel(const Variable& variable) const;

  // moves.cpp
  const std::vector<Move>& moves(const Instance& instance, const ControlStep& step);
  std::vector<Move> make_moves(const Instance& instance, const ControlStep& step);
  void run_moves(const Instance& instance, const ControlStep& step, std::vector<Move>& moves);
  void send_moves(const Instance& instance, const Statement& statement, std::vector<Move>& moves);
  void receive_moves(const Instance& instance, const Statement& statement, std::vector<Move>& moves);
  /// Those that a statement may be about; warns where there is none.
  std::set<ChannelNumber> channels_of(const Ex& target, const Instance& instance);
  bool check_fields(const Statement& statement, std::size_t count, const ChannelInfo& info,
                    const Expr& which);
  /// A receive that may be about a rendezvous channel, and which channel it is about.
  struct Receiver {
    const Instance* instance = nullptr;
    const ControlStep* step = nullptr;
    Expr which;
  };
  const std::vector<Receiver>& receivers_of(ChannelNumber number);
  void rendezvous_moves(const Instance& sender, const Statement& statement, ChannelNumber channel,
                        const Expr& chosen, std::vector<Move>& moves);
  std::vector<Assignment> assign(const Ex& target, Expr value, const Instance* instance);
  /// `arguments` of structures are those of their fields.
  std::vector<Assignment> start(const Instance& child, const std::vector<Expr>& arguments);
  static Ex name_of(const Variable& variable);
  /// A message that has been sent to a rendezvous channel, and nobody has taken yet. All that can be done in between is to
  /// receive it: what else an escape or another option could do does not count.
  struct Handshake {
    ChannelNumber channel = 0;
    const std::vector<Expr>& values;
  };
  /// The conditions of a step besides those of its statement: provided, unless, else, d_step.
  Expr conditions(const Instance& instance, const ControlStep& step, const Handshake* handshake = nullptr);
  /// Whether the step can be taken by a process that is before it.
  Expr can_take(const Instance& instance, const ControlStep& step, const Handshake* handshake = nullptr);
  Expr receives(const Instance& instance, const ControlStep& step, const Handshake& handshake);
  Expr can_end(const Instance& instance);
  Expr can_move(const Instance& instance, Point point);
  /// No process can move, but for timeouts.
  Expr nothing_moves();
  Expr is_at(const Instance& instance, Point point) const;

  // values.cpp
  Expr value(const Ex& ex, const Instance* in);
  Expr enabled(const Ex& ex, const Instance* in);
  Expr binary_value(const Ex& ex, const Instance* in);
  Expr conditional_value(const Ex& ex, const Instance* in);
  Expr length_value(const Ex& ex, const Instance* in);
  Expr poll_value(const Ex& ex, const Instance* in);
  Expr remote_label(const Ex& ex, const Instance* in);
  Expr remote_variable(const Ex& ex, const Instance* in);
  Expr channel_value(const Ex& ex, const Instance* in);
  Expr no_progress();
  Target locate(const Ex& reference, const Instance* in, std::string_view rest = {});
  Expr load(const Target& target, SourcePoint where) const;
  Expr checked(Expr index, std::uint32_t length, SourcePoint where);
  const Storage& storage_of(const Variable& variable, const Instance* in) const;
  /// The numbers that a reference stands for: one, or those of all fields.
  std::vector<Ex> spread(const Ex& ex);
  std::vector<Ex> spread(const std::vector<Ex>& all);
  Expr matches(const std::vector<Ex>& args, const ChannelInfo& channel, const std::vector<Expr>& contents,
               const Instance* in);

  // channels.cpp
  void find_channels();
  bool note_channels(const Instance& instance, const ControlStep& step);
  std::set<ChannelNumber> candidates(const Ex& ex, const Instance* in);
  std::set<ChannelNumber>* holder(const Ex& ex, const Instance* in);
  const ChannelInfo& channel(ChannelNumber number) const { return channels_[number - 1]; }

  // observers.cpp
  void make_observers();
  Expr claimed_by_others(const Message& message);
  /// Where the trace assertion is after an event, as far as it has one.
  struct TraceMove {
    Expr to = Expr::constant(0);
    Expr wrong = Expr::constant(0);  ///< the assertion is violated
  };
  std::optional<TraceMove> trace_move(const Move& move);
  TraceMove trace_event(Expr at, bool sends, const Message& message);
  bool is_traced(bool sends, ChannelNumber channel);

  // hidden.cpp
  /// Finds the hidden variables that nobody reads in another step than the one that writes them.
  void find_hidden();
  void forget_hidden(std::vector<Assignment>& effects, bool goes_on, bool was_inside) const;

  // claims.cpp
  void make_claim();
  void make_formulas();

  void error(SourcePoint where, std::string message) {
    if (!quiet_) diagnostics_.error(where, std::move(message));
  }

  const Program& program_;
  const SourceText& source_;
  Diagnostics& diagnostics_;
  std::uint32_t most_processes_;
  System system_;
  ControlGraphs graphs_;
  Population population_;
  std::vector<std::unique_ptr<Instance>> instances_;
  std::map<std::pair<std::uint32_t, const Process*>, const Instance*> by_number_;
  std::map<ComponentId, std::vector<const Instance*>> by_component_;
  Storage globals_;
  std::map<const Variable*, ChannelNumber> global_channels_;
  std::vector<ChannelInfo> channels_;
  std::map<SlotId, ChannelNumber>
      field_channels_;  ///< of typedefs, by the first slot that holds their numbers
  std::set<const Variable*> written_;
  std::map<SlotId, std::set<ChannelNumber>> held_;  ///< by the first slot of a chan variable
  std::map<std::pair<ChannelNumber, std::size_t>, std::set<ChannelNumber>> sent_;  ///< by channel and field
  std::map<std::pair<const Instance*, const ControlStep*>, std::vector<Move>> moves_;
  std::map<std::uint32_t, std::uint32_t> identity_tables_;  ///< by length
  SlotId running_ = no_slot;                                ///< _nr_pr
  SlotId exclusive_ = no_slot;                              ///< no_slot: no atomic sequences
  SlotId last_ = no_slot;                                   ///< _last
  SlotId trace_ = no_slot;                                  ///< where the trace assertion is
  const Process* traced_ = nullptr;
  struct ClaimInfo {
    const Instance* owner;
    Expr condition;  ///< the owner runs, and the channel is the one that it means
  };
  std::map<std::pair<ChannelNumber, bool>, std::vector<ClaimInfo>> channel_claims_;  ///< by channel, receives
  std::vector<const Variable*> forgotten_;  ///< hidden variables that are not part of the state
  std::vector<bool> entered_;  ///< by control point of the current process: arrived at without others
  std::set<const Statement*> inner_assertions_;  ///< that some process makes inside an atomic sequence
  std::optional<Expr> nothing_moves_;
  std::vector<std::unique_ptr<std::vector<Move>>> scratch_moves_;
  std::vector<std::vector<Receiver>> receivers_;  ///< by channel, of all processes
  std::vector<Property> properties_;
  std::vector<std::pair<std::string, Ex>> macros_;
  bool in_enabled_ = false;
  bool in_claim_ = false;  ///< what is translated belongs to a never claim or an ltl block
  bool quiet_ = false;     ///< errors do not count
  bool has_accept_labels_ = false;
  bool in_timeout_ = false;  ///< nothing_moves() is being made: timeouts do not count
};

}  // namespace tideline::promela
