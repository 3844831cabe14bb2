#include "pair/runs/export_model.h"

#include <string>

#include "pair/base/files.h"
#include "pair/base/output_file.h"
#include "pair/runs/kept_models.h"
#include "pair/runs/model_files.h"
#include "pair/runs/run_directory.h"

namespace pair::runs {

bool export_model(const std::filesystem::path& run, const std::filesystem::path& file,
                  std::optional<std::int64_t> step) {
  const bool is_done = base::folder_fault(run).empty() && base::is_there(done_file(run));
  const bool makes = is_done && !step && base::is_there(spec_file(run)) && !base::is_there(card_file(run));
  if (makes) {
    make_model_from_checkpoint(run);
  }
  const std::filesystem::path folder = folder_of_step(run, step);
  (void)TrainedModel(folder);  // complete, and of this architecture
  base::RegularFile weights(weights_file(folder), base::largest_checkpoint);
  base::OutputFile copy(file);
  std::string block(std::size_t{1} << 20U, '\0');
  while (const std::size_t got = weights.read(block.data(), block.size())) {
    copy.write({block.data(), got});
  }
  copy.finish();
  return makes;
}

}  // namespace pair::runs
