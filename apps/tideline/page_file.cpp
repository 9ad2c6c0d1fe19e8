// The files lie in the program as they are; the assembler reads them.
#include "page_file.hpp"

#include <fmt/format.h>

#include "model/error.hpp"

#ifdef TIDELINE_PAGE
asm(".section .rodata\n"
    ".global tideline_page\n"
    ".global tideline_page_end\n"
    ".global tideline_licences\n"
    ".global tideline_licences_end\n"
    "tideline_page:\n"
    ".incbin \"" TIDELINE_PAGE
    "\"\n"
    "tideline_page_end:\n"
    "tideline_licences:\n"
    ".incbin \"" TIDELINE_PAGE_LICENCES
    "\"\n"
    "tideline_licences_end:\n"
    ".text\n");
extern "C" {
extern const char tideline_page[], tideline_page_end[];
extern const char tideline_licences[], tideline_licences_end[];
}
#endif

namespace tideline::app {

std::string_view page_file() {
#ifdef TIDELINE_PAGE
  return {tideline_page, static_cast<std::size_t>(tideline_page_end - tideline_page)};
#else
  return {};
#endif
}

std::string_view page_licences() {
#ifdef TIDELINE_PAGE
  return {tideline_licences, static_cast<std::size_t>(tideline_licences_end - tideline_licences)};
#else
  return {};
#endif
}

void require_page(std::string_view option) {
  if (page_file().empty())
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "{}: this program was built without the report page, which needs npm; install nodejs and npm, "
            "run cmake again and build again",
            option));
}

}  // namespace tideline::app
