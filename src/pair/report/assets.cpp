#include "pair/report/assets.h"

// The assembler embeds the files into the object file, at no compile-time cost. CMake provides their paths.
asm(R"(
  .pushsection .rodata
  .globl pair_plotly_begin
  .hidden pair_plotly_begin
  .globl pair_plotly_end
  .hidden pair_plotly_end
pair_plotly_begin:
  .incbin ")" PAIR_PLOTLY_JS R"("
pair_plotly_end:
  .globl pair_plotly_licence_begin
  .hidden pair_plotly_licence_begin
  .globl pair_plotly_licence_end
  .hidden pair_plotly_licence_end
pair_plotly_licence_begin:
  .incbin ")" PAIR_PLOTLY_LICENCE R"("
pair_plotly_licence_end:
  .globl pair_page_script_begin
  .hidden pair_page_script_begin
  .globl pair_page_script_end
  .hidden pair_page_script_end
pair_page_script_begin:
  .incbin ")" PAIR_PAGE_JS R"("
pair_page_script_end:
  .globl pair_page_style_begin
  .hidden pair_page_style_begin
  .globl pair_page_style_end
  .hidden pair_page_style_end
pair_page_style_begin:
  .incbin ")" PAIR_PAGE_CSS R"("
pair_page_style_end:
  .byte 0
  .popsection
)");

extern "C" {
extern const char pair_plotly_begin[];
extern const char pair_plotly_end[];
extern const char pair_plotly_licence_begin[];
extern const char pair_plotly_licence_end[];
extern const char pair_page_script_begin[];
extern const char pair_page_script_end[];
extern const char pair_page_style_begin[];
extern const char pair_page_style_end[];
}

namespace pair::report {

std::string_view plotly_script() {
  return {pair_plotly_begin, pair_plotly_end};
}

std::string_view plotly_licence() {
  return {pair_plotly_licence_begin, pair_plotly_licence_end};
}

std::string_view page_script() {
  return {pair_page_script_begin, pair_page_script_end};
}

std::string_view page_style() {
  return {pair_page_style_begin, pair_page_style_end};
}

}  // namespace pair::report
