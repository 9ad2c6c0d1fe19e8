// A session of `tideline simulate`: lines in, text out.
//
// The session obeys lines that somebody typed, or that are in a script: a number or a part of a label takes an
// action, everything else is a command of the table in commands.hpp. It reads no lines and prints nothing
// itself, so that a test can hold a conversation with it; only `load` and `save` touch files.
//
// A line that cannot be obeyed changes nothing (of several steps, those before the wrong one are taken), and
// its Reply says why. What the model does is never an error: a deadlock, a step that ends in a model error, an
// expression that is never true are answers.
//
// The members that obey commands are in three files: moves.cpp (steps, forth and back), views.cpp (what there
// is to see, and files) and stops.cpp (breakpoints and watches).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/lang.hpp"
#include "trace/itf.hpp"
#include "trace/palette.hpp"
#include "trace/simulation.hpp"

namespace tideline {

struct SessionOptions {
  SimulationOptions simulation = {};
  bool full = false;       ///< show whole states after each step, instead of differences
  std::size_t lines = 20;  ///< how long a list or a state may be before it is cut
  /// Ends what takes long; the session goes on.
  const std::atomic<bool>* interrupted = nullptr;
  double find_seconds = 10;                  ///< how long `find` searches
  TraceHeader header = {};                   ///< of the files that `save` writes
  Palette palette = {};                      ///< for what is shown; reasons of refusals are plain
  std::vector<std::string> read_files = {};  ///< `save` must not overwrite them
};

class Session {
 public:
  /// Shows text to the user. False: nobody listens any more.
  using Output = std::function<bool(std::string_view)>;

  /// The model must outlive it. Everything that is shown goes to `output`, in whole lines.
  Session(const Model& model, SessionOptions options, Output output);

  struct Reply {
    std::string error = {};  ///< why the line was not obeyed, without a final newline; empty: it was
    bool goes_on = true;     ///< false after `quit`
  };

  /// Shows where the session is: the state, and what can be done there.
  void show_start();
  /// Several commands in a line are separated by ';'. A line that begins with '#' is a comment.
  Reply obey(std::string_view line);
  /// Loads a saved run and goes to its end, or to this step. Throws Error.
  void load_run(const std::string& file, std::optional<std::uint64_t> at = {});
  /// Shows the state and so many random steps, until a deadlock or a model error.
  void walk(std::uint64_t steps);

  /// What can stand at the end of a line that begins like this.
  struct Completion {
    std::size_t begin = 0;                ///< where the unfinished word begins
    std::vector<std::string> words = {};  ///< all that begin like it, sorted
  };
  Completion complete(std::string_view line) const;

  const Simulation& simulation() const { return simulation_; }

 private:
  friend struct CommandTable;

  /// A breakpoint or a watch. The session keeps its value in the current state.
  struct Stop {
    enum class Kind { when_true, on_action, watch };
    std::size_t number;
    Kind kind;
    std::string text;                    ///< as it was typed
    Expr expr = {};                      ///< of all kinds but on_action
    std::vector<ActionId> actions = {};  ///< of on_action, sorted
    bool is_true = false;
    std::string value = {};  ///< as it is shown
  };
  /// How much of a list is shown: of one that nobody asked for, a few lines where it is long.
  enum class Length { brief, asked, all };
  /// What became of a step.
  enum class StepEnd { taken, breakpoint, model_error };

  // session.cpp
  void obey_command(std::string_view text);
  void say(std::string_view text);
  bool must_stop() const;
  const System& system() const { return model_.system; }
  Expr expression(std::string_view text, std::string_view command) const;
  std::string value_text(const Expr& expr) const;

  // moves.cpp
  void obey_take(std::string_view arguments);
  void obey_random(std::string_view arguments);
  void obey_continue(std::string_view arguments);
  void obey_until(std::string_view arguments);
  void obey_find(std::string_view arguments);
  void obey_back(std::string_view arguments);
  void obey_forward(std::string_view arguments);
  void obey_goto(std::string_view arguments);
  void obey_reset(std::string_view arguments);
  void obey_seed(std::string_view arguments);
  bool obey_steps(std::string_view line);
  bool take_by_label(std::string_view part);
  StepEnd step(ActionId action, std::string& text);
  void random_steps(std::uint64_t count, std::size_t shown, const Expr* until = nullptr);

  // views.cpp
  void obey_list(std::string_view arguments);
  void obey_why(std::string_view arguments);
  void obey_disabled(std::string_view arguments);
  void obey_state(std::string_view arguments);
  void obey_changes(std::string_view arguments);
  void obey_run(std::string_view arguments);
  void obey_eval(std::string_view arguments);
  void obey_save(std::string_view arguments);
  void obey_load(std::string_view arguments);
  void obey_help(std::string_view arguments);
  void obey_quit(std::string_view arguments);
  std::string action_line(std::size_t index, const Palette& palette) const;
  std::vector<std::size_t> enabled_like(std::string_view part) const;
  std::size_t lines_shown(std::size_t lines, Length length) const;
  std::string lines_of_actions(const std::vector<std::size_t>& indices, Length length,
                               const Palette& palette) const;
  std::string actions_text(Length length = Length::brief) const;
  std::string deadlock_text() const;
  std::string state_text(Length length = Length::brief) const;
  std::string place_text() const;
  std::string step_text(std::size_t number, ActionId action, const Values& from, const Values& to) const;

  // stops.cpp
  void obey_watch(std::string_view arguments);
  void obey_break(std::string_view arguments);
  void obey_delete(std::string_view arguments);
  void add_stop(Stop stop);
  std::string stops_text(bool watches) const;
  /// Looks at all of them again; the watches that changed, one per line.
  std::string refresh_stops();
  /// The breakpoints that this action, the last one, has reached, one per line. Refreshes them.
  std::string breakpoints_reached(ActionId action, std::string& watches);

  const Model& model_;
  SessionOptions options_;
  Output output_;
  Simulation simulation_;
  std::vector<Stop> stops_;
  std::size_t next_stop_ = 1;
  std::string saved_as_;
  bool goes_on_ = true;
  bool unheard_ = false;
};

}  // namespace tideline
