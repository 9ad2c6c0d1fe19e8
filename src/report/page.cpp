#include "report/page.hpp"

#include "model/error.hpp"
#include "report/json.hpp"
#include "report/page_model.hpp"
#include "trace/itf.hpp"

namespace tideline {

namespace {

void write_live(JsonText& json, const PageLive& live) {
  json.key("live");
  json.open('{');
  json.add("phase", to_string(live.status.phase));
  json.add("engine", live.status.engine);
  json.add("ended", live.ended);
  json.add("time_s", live.status.seconds);
  if (const auto& completion = live.status.completion) {
    json.key("completion");
    json.open('{');
    json.add("done", completion->part);
    json.add("least", completion->least);
    json.add("most", completion->most);
    json.add("time_left_s", completion->seconds_left);
    json.close('}');
  }
  json.close('}');
}

}  // namespace

std::string empty_page_answer(const std::string& command, const std::string& version,
                              const std::string& model) {
  return answer_json({.command = command, .version = version, .model = model, .outcome = {}, .traces = {}},
                     System{});
}

void add_answer(PageData& data, const Answer& answer, const System& system) {
  if (data.model.empty()) {  // a run is nothing without the names of its variables
    Answer without = answer;
    drop_runs(without, "the model is not in this page");
    data.answer = answer_json(without, system);
    return;
  }
  std::vector<std::size_t> first_run(answer.outcome.results.size());
  for (std::size_t i = 0; i < answer.outcome.results.size(); ++i) {
    const PropertyResult& result = answer.outcome.results[i];
    const std::vector<const Trace*> runs = answer.runs_of(i);
    first_run[i] = data.runs.size();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      PageRun run{.title = result.property.name,
                  .property = i,
                  .kind = page_run_kind(result.verdict, *runs[r]),
                  .run = *runs[r]};
      if (runs.size() > 1) run.title += fmt::format(", run {}", r + 1);
      data.runs.push_back(std::move(run));
    }
  }
  data.answer = answer_json(answer, system, [&](std::size_t i, std::size_t r) {
    return fmt::format("{{{}, \"run\": {}}}", trace_facts(system, *answer.runs_of(i)[r]), first_run[i] + r);
  });
}

std::string page_json(const PageData& data, Budget* budget) {
  JsonText json;
  json.open('{');
  json.add("format", "tideline-report");
  json.add("version", 1);
  json.add("created", data.created);
  json.list("command", data.command);
  json.key("answer");
  json.raw(data.answer.empty() ? "{}" : data.answer);
  json.list("notes", data.notes);
  if (!data.model.empty()) {
    json.key("model");
    json.raw(data.model);
  }
  json.key("runs");
  json.open('[');
  if (data.system && !data.model.empty())
    for (const PageRun& run : data.runs) write_run(json, *data.system, run, budget);
  json.close(']');
  if (!data.exploration.empty()) {
    json.key("exploration");
    write_exploration(json, data.system ? *data.system : System{}, data.exploration, data.of);
    if (const auto& survey = data.exploration.survey; survey && survey->graph) {
      json.key("graph");
      write_graph(json, *survey->graph);
    }
  }
  if (data.live) write_live(json, *data.live);
  json.close('}');
  return json.take();
}

std::string page_html(std::string_view page, std::string_view json, std::string_view live) {
  const std::size_t mark = page.find(page_data_mark);
  if (mark == std::string_view::npos)
    throw Error(ErrorKind::internal, "the report page has no place for the data");
  std::string html;
  html.reserve(page.size() + json.size() + json.size() / 8);
  std::string_view before = page.substr(0, mark);
  if (!live.empty()) {
    constexpr std::string_view head = "<head>";
    const std::size_t at = before.find(head);
    if (at == std::string_view::npos) throw Error(ErrorKind::internal, "the report page has no head");
    html += before.substr(0, at + head.size());
    html += fmt::format("<meta name=\"tideline-live\" content=\"{}\">", live);
    before.remove_prefix(at + head.size());
  }
  html += before;
  // A '<' is only ever within a string of the JSON text. Written otherwise, no text of a model can end the
  // element that the data is in, or begin a comment.
  for (const char c : json) {
    if (c == '<')
      html += "\\u003c";
    else
      html += c;
  }
  html += page.substr(mark + page_data_mark.size());
  return html;
}

}  // namespace tideline
