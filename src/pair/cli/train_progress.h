#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "pair/runs/run.h"

namespace pair::cli {

// Shows the progress of a run: on a terminal, one line that is overwritten; elsewhere, one line per record.
class ProgressDisplay {
 public:
  enum class Style { none, lines, bar };
  // columns: the terminal's width, which limits the line.
  ProgressDisplay(std::ostream& out, Style style, std::size_t columns);

  // seconds: of any monotonic clock.
  void show(const runs::Progress& progress, double seconds);
  // Prints a sentence on its own line.
  void say(const std::string& sentence);
  // The same also with Style::none.
  void warn(const std::string& sentence);
  // Moves the cursor to a new line.
  void end();

 private:
  [[nodiscard]] std::string left(const runs::Progress& progress) const;
  void draw(const std::string& line);

  std::ostream& out_;
  Style style_;
  std::size_t columns_;
  std::string numbers_;  // from the last record
  double last_ = 0.0;
  double drawn_ = -1.0;
  // The time of a step, and the additional time of a record: if it scores much data, it may take as long as
  // many steps.
  double per_step_ = 0.0;
  double per_record_ = 0.0;
  std::int64_t plain_ = 0;  // steps without a record
  std::int64_t records_ = 0;
  std::size_t shown_ = 0;  // characters on the line that is overwritten
};

// "0:07", "12:34", "1:02:03".
std::string clock_time(double seconds);

}  // namespace pair::cli
