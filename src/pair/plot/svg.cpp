#include "pair/plot/svg.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "pair/plot/describe.h"
#include "pair/plot/legend.h"
#include "pair/plot/panel_drawing.h"
#include "pair/plot/style_sheet.h"
#include "pair/plot/text.h"

namespace pair::plot {
namespace {

constexpr double margin = 10;
constexpr double panel_gap = 14;
constexpr double figure_title_font = 16;

// The positions of the panels: in rows, with plot areas aligned.
class Layout {
 public:
  Layout(const Figure& figure, Theme theme)
      : figure_(figure),
        columns_(std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()))),
        rows_((figure.panels.size() + columns_ - 1) / columns_) {
    for (const Panel& panel : figure.panels) {
      drawings_.push_back(make_drawing(panel, theme, figure.panel_width, figure.panel_height));
      legends_.push_back(legend_of(panel));
    }
    top_.resize(rows_);
    bottom_.resize(rows_);
    share_legend();
    measure();
  }

  [[nodiscard]] double width() const {
    const auto columns = static_cast<double>(columns_);
    return 2 * margin + columns * figure_.panel_width + (columns - 1) * panel_gap;
  }
  [[nodiscard]] double height() const {
    const auto rows = static_cast<double>(rows_);
    const double panels = rows == 0 ? 0 : rows * figure_.panel_height + (rows - 1) * panel_gap;
    return panels_top() + panels + shared_height() + margin;
  }

  void draw(SvgWriter& svg) const {
    if (!figure_.title.empty()) {
      svg.text(shortened(figure_.title, 1.06 * figure_title_font, width() - 2 * margin),
               {margin + 4, margin + figure_title_font}, {.size = figure_title_font, .bold = true});
    }
    for (std::size_t i = 0; i < drawings_.size(); ++i) {
      const Rect plot = plot_area(i);
      svg.raw("<g>\n");
      const double row_top = plot.y - top_[i / columns_];
      svg.text(shortened(title(i), 1.06 * title_font, figure_.panel_width - left_),
               {plot.x, row_top + title_font}, {.size = title_font, .bold = true});
      drawings_[i]->draw(svg, plot);
      const double below = drawings_[i]->margins().bottom;
      draw_legend(svg, legends_[i], {plot.x, plot.bottom() + below}, legend_width());
      svg.raw("</g>\n");
    }
    draw_legend(svg, shared_, {margin + left_, height() - margin - shared_height()}, shared_width());
  }

 private:
  [[nodiscard]] double panels_top() const {
    return margin + (figure_.title.empty() ? 0 : figure_title_font + 16);
  }
  [[nodiscard]] const std::string& title(std::size_t i) const {
    return std::visit([](const auto& panel) -> const std::string& { return panel.title; }, figure_.panels[i]);
  }
  [[nodiscard]] double shared_width() const { return width() - 2 * margin - left_; }
  [[nodiscard]] double shared_height() const { return legend_height(shared_, shared_width()); }
  [[nodiscard]] double legend_width() const { return figure_.panel_width - left_ - 4; }

  void share_legend() {
    const bool same =
        legends_.size() > 1 && std::all_of(legends_.begin(), legends_.end(),
                                           [&](const auto& one) { return one == legends_.front(); });
    if (same) {
      shared_ = legends_.front();
      std::fill(legends_.begin(), legends_.end(), std::vector<LegendEntry>{});
    }
  }

  void measure() {
    for (const auto& drawing : drawings_) {
      const Margins around = drawing->margins();
      left_ = std::max(left_, around.left);
      right_ = std::max(right_, around.right);
    }
    for (std::size_t i = 0; i < drawings_.size(); ++i) {
      const Margins around = drawings_[i]->margins();
      top_[i / columns_] =
          std::max(top_[i / columns_], around.top + (title(i).empty() ? 0.0 : title_font + 7));
      bottom_[i / columns_] =
          std::max(bottom_[i / columns_], around.bottom + legend_height(legends_[i], legend_width()));
    }
  }

  [[nodiscard]] Rect plot_area(std::size_t i) const {
    const std::size_t column = i % columns_, row = i / columns_;
    const double x = margin + static_cast<double>(column) * (figure_.panel_width + panel_gap);
    const double y = panels_top() + static_cast<double>(row) * (figure_.panel_height + panel_gap);
    // A minimum size remains for the plot, however large the margins are.
    constexpr double least = 20;
    return {x + left_, y + top_[row], std::max(figure_.panel_width - left_ - right_, least),
            std::max(figure_.panel_height - top_[row] - bottom_[row], least)};
  }

  const Figure& figure_;
  std::vector<std::unique_ptr<PanelDrawing>> drawings_;
  std::vector<std::vector<LegendEntry>> legends_;
  std::vector<LegendEntry> shared_;
  std::size_t columns_, rows_;
  double left_ = 0.0, right_ = 0.0;   // equal for all panels, so that plot areas have the same width
  std::vector<double> top_, bottom_;  // one entry per row of panels
};

}  // namespace

std::string to_svg(const Figure& figure, const SvgOptions& options) {
  validate(figure);
  const Layout layout(figure, options.theme);
  const std::string width = px(layout.width()), height = px(layout.height());
  SvgWriter svg;
  svg.raw(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class=")" + std::string(root_class(options.theme)) +
      R"(" role="img" width=")" + width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " +
      height +
      "\" font-family=\"system-ui,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif\">\n");
  svg.raw("<title>" + escaped(figure.title) + "</title>\n<desc>" + escaped(describe(figure)) + "</desc>\n");
  svg.raw("<style>\n" + style_sheet(options.theme) + "</style>\n");
  if (options.background) {
    svg.rect("bg", {0, 0, layout.width(), layout.height()});
  }
  layout.draw(svg);
  svg.raw("</svg>\n");
  return svg.take();
}

}  // namespace pair::plot
