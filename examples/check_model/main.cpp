// Checks a model file from a program: every property that comes with it, and freedom from deadlock.
//
//   check_model models/peterson.dve [ENGINE]
#include <cstdio>
#include <string>
#include <tideline/tideline.hpp>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::puts("usage: check_model MODEL [ENGINE]");
    return 2;
  }
  try {
    const auto model = tideline::ModelFile::load(argv[1]);
    std::vector<tideline::Question> questions{tideline::deadlock_freedom()};
    for (const std::string& name : model.property_names()) questions.push_back(tideline::named(name));

    tideline::CheckSettings settings;
    settings.limits.seconds = 60;
    if (argc > 2) settings.engine = argv[2];
    const auto answer = tideline::check(model, questions, settings);

    bool all_hold = true;
    for (const auto& property : answer.properties) {
      std::printf("%s: %s\n", property.name.c_str(), std::string(to_string(property.verdict)).c_str());
      if (!property.reason.empty()) std::printf("  %s\n", property.reason.c_str());
      if (property.run && property.verdict == tideline::Verdict::violated)
        std::printf("%s", property.run->text.c_str());
      all_hold = all_hold && property.verdict == tideline::Verdict::holds;
    }
    return all_hold ? 0 : 1;
  } catch (const tideline::Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
