#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/device/recorder.h"

namespace pair::train::testing {

// A recorder that does all work immediately and notes the calls. With a refusal, it cannot record.
class NotingRecorder : public device::Recorder {
 public:
  explicit NotingRecorder(std::vector<std::string>& notes, std::string refusal = "")
      : notes_(notes), refusal_(std::move(refusal)) {}

  std::unique_ptr<Scope> enter() override { return std::make_unique<Scope>(); }
  void wait() override { notes_.emplace_back("wait"); }
  void perform(const Work& work) override {
    notes_.emplace_back("perform");
    work();
  }
  std::unique_ptr<device::Recording> record(std::span<const Work> parts, std::string& why) override {
    notes_.push_back("record " + std::to_string(parts.size()));
    why = refusal_;
    return refusal_.empty() ? std::make_unique<Noting>(notes_) : nullptr;
  }

 private:
  class Noting : public device::Recording {
   public:
    explicit Noting(std::vector<std::string>& notes) : notes_(notes) {}
    void play(std::size_t part) override { notes_.push_back("play " + std::to_string(part)); }

   private:
    std::vector<std::string>& notes_;
  };

  std::vector<std::string>& notes_;
  std::string refusal_;
};

}  // namespace pair::train::testing
