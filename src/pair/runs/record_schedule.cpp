#include "pair/runs/record_schedule.h"

namespace pair::runs {
namespace {

std::int64_t first_record(const RunSpec& spec) {
  return spec.eval_first > 0 ? spec.eval_first : spec.eval_every;
}

}  // namespace

bool is_recorded(const RunSpec& spec, std::int64_t step) {
  const std::int64_t first = first_record(spec);
  return step == spec.settings.steps || (step >= first && (step - first) % spec.eval_every == 0);
}

std::int64_t records_left(const RunSpec& spec, std::int64_t step) {
  const std::int64_t steps = spec.settings.steps;
  if (step >= steps) {
    return 0;
  }
  const auto until = [&](std::int64_t end) {  // without the one at the last step
    const std::int64_t first = first_record(spec);
    return end < first ? 0 : (end - first) / spec.eval_every + 1;
  };
  return until(steps - 1) - until(step) + 1;
}

}  // namespace pair::runs
