#include "pair/train/routine.h"

namespace pair::train {

std::string Routine::prepare(device::Recorder& recorder) {
  std::string why;
  if (done_ && !recording_) {
    recording_ = recorder.record(parts_, why);
  }
  return why;
}

void Routine::play(std::size_t part, device::Recorder* recorder) {
  if (recording_) {
    recording_->play(part);
  } else if (recorder != nullptr) {
    recorder->perform(parts_[part]);
  } else {
    parts_[part]();
  }
  done_ = done_ || part + 1 == parts_.size();
}

}  // namespace pair::train
