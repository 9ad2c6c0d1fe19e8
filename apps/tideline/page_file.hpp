// The report page that was bundled with the program.
#pragma once

#include <string_view>

namespace tideline::app {

/// Empty: the program was built without it.
std::string_view page_file();

/// The licences of the libraries that are part of it; empty likewise.
std::string_view page_licences();

/// Throws Error(usage) that says how to get it when it is not there. `option`: what needs it.
void require_page(std::string_view option);

}  // namespace tideline::app
