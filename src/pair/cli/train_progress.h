#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "pair/runs/run.h"

namespace pair::cli {

// Shows how a run goes on: on a terminal one line that is written over, elsewhere a line a record.
class ProgressDisplay {
 public:
  enum class Style { none, lines, bar };
  // columns: the terminal's width, which a bar does not pass.
  ProgressDisplay(std::ostream& out, Style style, std::size_t columns);

  // seconds: on any clock that does not go back.
  void show(const runs::Progress& progress, double seconds);
  // A sentence of its own line.
  void say(const std::string& sentence);
  // Leaves the cursor on a fresh line.
  void end();

 private:
  [[nodiscard]] std::string left(const runs::Progress& progress) const;
  void draw(const std::string& line);

  std::ostream& out_;
  Style style_;
  std::size_t columns_;
  std::string numbers_;  // of the last record
  double last_ = 0.0;
  double drawn_ = -1.0;
  // What a step takes, and a record beyond its step: where a record scores much data it may take as long as
  // many steps.
  double per_step_ = 0.0;
  double per_record_ = 0.0;
  std::int64_t plain_ = 0;  // steps without a record
  std::int64_t records_ = 0;
  std::size_t shown_ = 0;  // characters on the line that is written over
};

// "0:07", "12:34", "1:02:03".
std::string clock_time(double seconds);

}  // namespace pair::cli
