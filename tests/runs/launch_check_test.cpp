#include "pair/runs/launch_check.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "pair/base/files.h"
#include "pair/data/environment.h"
#include "pair/data/sha256.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/models/weights.h"
#include "pair/train/model_input.h"
#include "tests/runs/fixtures.h"
#include "tests/support/without_permissions.h"

namespace pair::runs::testing::launch_check_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

RunSpec on_a_list(const fs::path& folder, const char* broken) {
  std::string list = "path,label,environment\n";
  for (int i = 0; i < 16; ++i) {
    const std::string name = std::to_string(i) + ".png";
    write(folder / name, "not opened");
    list += name + "," + "xy"[i % 2] + "," + "ab"[i / 8] + "\n";
  }
  write(folder / "list.csv", list);
  const base::Assignments options{{"manifest", (folder / "list.csv").string()}, {"broken", broken}};
  return resolve("images", "erm", options);
}

void check(LaunchCheck& launch, const RunSpec& spec) {
  DatasetCache datasets;
  launch.require_trainable(spec, datasets);
}

TEST(LaunchCheck, LooksForListedImagesOnce) {
  for (const char* const broken : {"fail", "skip"}) {
    const Scratch scratch;
    RunSpec spec = on_a_list(scratch.path(), broken);
    LaunchCheck launch;
    EXPECT_NO_THROW(check(launch, spec));
    fs::remove(scratch / "3.png");
    spec.seed = 1;
    EXPECT_NO_THROW(check(launch, spec)) << "another run of the launch";
    LaunchCheck next;
    EXPECT_THAT([&] { check(next, spec); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("list.csv, line 5: expected an image file")))
        << broken;
  }
}

RunSpec with_weights(const fs::path& file) {
  RunSpec spec = small_spec("erm");
  DatasetCache datasets;
  const models::ModelInput input = train::model_input(*datasets.get(spec.dataset, spec.seed));
  data::Random random(7, "weights");
  models::save_weights(*models::make_model(spec.settings.model, spec.settings.model_options, input, random),
                       file);
  spec.weights = file.string();
  spec.weights_sha256 = data::sha256_of_file(file);
  return spec;
}

TEST(LaunchCheck, ReadsWeightsOncePerModel) {
  const Scratch scratch;
  const fs::path file = scratch / "w.safetensors";
  RunSpec spec = with_weights(file);
  LaunchCheck launch;
  EXPECT_NO_THROW(check(launch, spec));
  write(file, "not weights");
  spec.seed = 1;
  EXPECT_NO_THROW(check(launch, spec)) << "another run of the launch";
  set(spec, "width", "5");
  EXPECT_THAT([&] { check(launch, spec); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected a file of weights")));
}

TEST(LaunchCheck, TellsWeightsThatAreNotThereFromThoseThatCannotBeRead) {
  const Scratch scratch;
  const fs::path file = scratch / "w.safetensors";
  const RunSpec spec = with_weights(file);
  LaunchCheck launch;
  fs::permissions(scratch.path(), fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
  ASSERT_EQ(::chmod(file.c_str(), 0), 0);
  {
    const tests::WithoutPermissions somebody;
    EXPECT_THAT([&] { check(launch, spec); },
                ThrowsMessage<base::FileError>(HasSubstr("w.safetensors: Permission denied")));
  }
  fs::remove(file);
  EXPECT_THAT([&] { check(launch, spec); }, ThrowsMessage<std::invalid_argument>(HasSubstr("No such file")));
  fs::create_directory(file);
  EXPECT_THAT([&] { check(launch, spec); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("not a regular file")));
}

}  // namespace
}  // namespace pair::runs::testing::launch_check_test
