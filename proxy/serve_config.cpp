#include "proxy/serve_config.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdlib>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace tare {

namespace {

// The variable of an option, "--max-body-bytes" or "max-body-bytes".
std::string variable_of(std::string name) {
  name.erase(0, name.find_first_not_of('-'));
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return "TARE_" + name;
}

// A file of "name = value" lines, all of them of `serve`. What the environment says as well is left
// out: the library would let the file win.
class ServeConfig final : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& file) const override {
    std::vector<CLI::ConfigItem> kept;
    for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(file)) {
      if (std::getenv(variable_of(item.name).c_str()) != nullptr) continue;
      if (item.parents.empty()) item.parents = {"serve"};
      kept.push_back(std::move(item));
    }
    return kept;
  }
};

}  // namespace

void add_config(CLI::App& app, CLI::App& serve) {
  for (CLI::Option* option : serve.get_options()) {
    const std::string name = option->get_name();
    if (option->get_configurable() && name.starts_with("--")) option->envname(variable_of(name));
  }
  app.set_config("--config", "", "file with options of serve, a line each: name = value");
  app.config_formatter(std::make_shared<ServeConfig>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  serve.allow_config_extras(CLI::config_extras_mode::error);
  serve.fallthrough();  // --config may stand behind the subcommand
}

}  // namespace tare
