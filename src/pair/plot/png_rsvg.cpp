#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "pair/plot/png.h"
#include "pair/plot/svg.h"

namespace pair::plot {
namespace {

constexpr std::size_t longest_side = 20000;  // cairo's limit is 32767
constexpr double most_pixels = 4e8;

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(GError* error) const { g_error_free(error); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

[[noreturn]] void fail(GError* error) {
  const Owned<GError> owned(error);
  throw std::runtime_error("librsvg could not draw the figure: " +
                           std::string(owned ? owned->message : "no reason given"));
}

cairo_status_t append(void* text, const unsigned char* bytes, unsigned size) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

bool have_png() {
  return true;
}

std::string to_png(const Figure& figure, const PngOptions& options) {
  if (options.width > longest_side) {
    throw std::invalid_argument("width: expected 1 to 20000 px, or 0 for twice the SVG's, got " +
                                std::to_string(options.width));
  }
  const std::string svg =
      to_svg(figure, {.theme = options.theme == Theme::dark ? Theme::dark : Theme::light});
  GError* error = nullptr;
  const Owned<RsvgHandle> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle) {
    fail(error);
  }
  double natural_width = 0.0, natural_height = 0.0;
  rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &natural_width, &natural_height);
  const double width = options.width > 0 ? static_cast<double>(options.width) : std::round(2 * natural_width);
  const double height = std::max(1.0, std::round(width * natural_height / natural_width));
  if (width * height > most_pixels || height > longest_side) {
    throw std::invalid_argument("figure: expected at most 20000 px per side and 4e8 px in total, got " +
                                std::to_string(std::lround(width)) + " x " +
                                std::to_string(std::lround(height)) + " px");
  }
  const Owned<cairo_surface_t> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height)));
  const Owned<cairo_t> context(cairo_create(surface.get()));
  const RsvgRectangle whole{0, 0, width, height};
  if (rsvg_handle_render_document(handle.get(), context.get(), &whole, &error) == 0) {
    fail(error);
  }
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append, &png) != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error("cairo could not write the figure as PNG");
  }
  return png;
}

}  // namespace pair::plot
