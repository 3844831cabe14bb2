#include "pair/data/torch_file.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "pair/data/pickle.h"
#include "pair/data/sha256.h"
#include "pair/data/weights_file.h"
#include "tests/data/fixtures.h"
#include "tests/support/python.h"
#include "tests/support/scratch.h"

namespace pair::data::testing::torch_file_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

namespace fs = std::filesystem;
using namespace std::string_literals;
using namespace std::string_view_literals;

fs::path golden(const char* name) {
  return fs::path(PAIR_TEST_DATA) / "golden" / name;
}

const TensorView& named(const TorchTensors& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors, name, &TensorView::name);
  if (found == file.tensors.end()) {
    throw std::runtime_error("no tensor " + std::string(name));
  }
  return *found;
}

template <class Number = float>
std::vector<Number> numbers_of(const TensorView& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

// The state of make_torch_files.py.
void expect_state(const TorchTensors& file) {
  ASSERT_EQ(file.tensors.size(), 10U);
  EXPECT_THAT(named(file, "weight").shape, ElementsAre(2, 3));
  EXPECT_THAT(numbers_of(named(file, "weight")), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_of(named(file, "row")), ElementsAre(3, 4, 5));
  EXPECT_THAT(named(file, "turned").shape, ElementsAre(3, 2));
  EXPECT_THAT(numbers_of(named(file, "turned")), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(named(file, "half").dtype, DType::f16);
  EXPECT_THAT(numbers_of<std::uint16_t>(named(file, "half")), ElementsAre(0x3800, 0xc000));
  EXPECT_EQ(named(file, "bf16").dtype, DType::bf16);
  EXPECT_THAT(numbers_of<std::uint16_t>(named(file, "bf16")), ElementsAre(0x3fc0));
  EXPECT_THAT(numbers_of<double>(named(file, "double")), ElementsAre(0.1));
  EXPECT_THAT(named(file, "count").shape, IsEmpty());
  EXPECT_THAT(numbers_of<std::int64_t>(named(file, "count")), ElementsAre(7));
  EXPECT_EQ(named(file, "mask").dtype, DType::boolean);
  EXPECT_THAT(numbers_of<std::uint8_t>(named(file, "mask")), ElementsAre(1, 0));
  EXPECT_THAT(named(file, "empty").shape, ElementsAre(0, 3));
  EXPECT_THAT(named(file, "empty").bytes, IsEmpty());
  EXPECT_THAT(numbers_of(named(file, "parameter")), ElementsAre(9));
}

auto refuses(const std::string& sentence) {
  return ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("x.pth: "), HasSubstr(sentence)));
}
auto refuses_pickle(const std::string& sentence) {
  return ThrowsMessage<RefusedPickle>(HasSubstr(sentence));
}

void read(const Bytes& file) {
  (void)parse_torch_file(file, "x.pth");
}

TEST(TorchFile, ReadsAllContainersOfPyTorch) {
  for (const auto& [name, container] :
       {std::pair{"zip.pth", "ZIP"}, {"deflated.pth", "ZIP"}, {"stream.pth", "stream"}}) {
    SCOPED_TRACE(name);
    const Bytes file = read_bytes(golden(name));
    const TorchTensors tensors = parse_torch_file(file, name);
    EXPECT_EQ(tensors.container, container);
    expect_state(tensors);
  }
}

TEST(TorchFile, ReadsTheTarFilesOfTheFirstVersions) {
  const Bytes file = read_bytes(golden("tar.pth"));
  const TorchTensors tensors = parse_torch_file(file, "tar.pth");
  EXPECT_EQ(tensors.container, "tar");
  ASSERT_EQ(tensors.tensors.size(), 3U);
  EXPECT_THAT(numbers_of(named(tensors, "weight")), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_of(named(tensors, "turned")), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(numbers_of<std::int64_t>(named(tensors, "count")), ElementsAre(7));
}

TEST(TorchFile, FindsTheStateDictOfACheckpoint) {
  const Bytes file = read_bytes(golden("checkpoint.pth"));
  expect_state(parse_torch_file(file, "checkpoint.pth"));
}

// The golden files were written by one version of PyTorch; this is the installed one.
TEST(TorchFile, ReadsWhatTheInstalledPyTorchWrites) {
  const std::string python = tests::python_with("torch");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with torch (Debian's python3-torch)";
  }
  const tests::Scratch scratch;
  const base::Finished finished = base::run_program(
      {python, golden("make_torch_files.py").string(), scratch.path().string()}, scratch.path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  for (const char* const name : {"zip.pth", "deflated.pth", "stream.pth", "checkpoint.pth"}) {
    SCOPED_TRACE(name);
    const Bytes file = read_bytes(scratch / name);
    expect_state(parse_torch_file(file, name));
  }
}

TEST(TorchFile, RefusesAWholeModuleAndSaysWhatToSave) {
  EXPECT_THAT(
      [] { read(read_bytes(golden("whole_module.pth"))); },
      refuses("got a reference to 'torch.nn.modules.linear.Linear', which is not read because a pickle "
              "may run code; in Python, torch.save(model.state_dict(), FILE)"));
}

TEST(TorchFile, RunsNoCode) {
  EXPECT_THAT([] { read(read_bytes(golden("code.pth"))); }, refuses("'posix.system'"));
}

TEST(TorchFile, RefusesFilesThatAreCutOff) {
  for (const char* const name : {"zip.pth", "deflated.pth", "stream.pth", "tar.pth"}) {
    SCOPED_TRACE(name);
    const Bytes file = read_bytes(golden(name));
    // A tar archive ends with zeros, which may be missing in part.
    const std::size_t end = std::string_view(name) == "tar.pth" ? file.size() / 3 : file.size();
    for (std::size_t size = 0; size < end; size += 7) {
      const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(read(part), std::runtime_error) << size;
    }
  }
}

TEST(TorchFile, RefusesDamagedNumbersOfAnArchive) {
  Bytes file = read_bytes(golden("zip.pth"));
  const Bytes five = {0, 0, 0xa0, 0x40};  // 5.0
  const auto found = std::search(file.begin(), file.end(), five.begin(), five.end());
  ASSERT_NE(found, file.end());
  *found = 1;
  EXPECT_THAT([&] { read(file); }, refuses("does not match its checksum"));
}

TEST(TorchFile, RefusesOtherFiles) {
  EXPECT_THAT([] { read(bytes_of("hello")); }, refuses("expected a file that torch.save wrote"));
  EXPECT_THAT([] { read({}); }, refuses("expected a file that torch.save wrote"));
}

// A stream file around this pickle, without storages.
Bytes stream_of(std::string_view pickle) {
  const std::string start("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 21);
  return bytes_of(start + "\x80\x02}." + std::string(pickle) + "\x80\x02].");
}

TEST(TorchFile, RefusesValuesWithoutTensors) {
  EXPECT_THAT([] { read(stream_of("\x80\x02].")); },
              refuses("expected a dictionary of tensors, got another"));
  EXPECT_THAT([] { read(stream_of("\x80\x02}.")); }, refuses("got one without any"));
}

// A storage of `count` floats and a tensor on it with the sizes and strides, as pickle code.
std::string tensor_code(const std::string& count, const std::string& sizes, const std::string& strides) {
  return "\x80\x02}X\x01" + std::string(3, '\0') + "w" + "ctorch._utils\n_rebuild_tensor_v2\n((X\x07" +
         std::string(3, '\0') + "storagectorch\nFloatStorage\nX\x01" + std::string(3, '\0') + "0X\x03" +
         std::string(3, '\0') + "cpu" + count + "NtQK" + std::string(1, '\0') + sizes + strides + "\x89}tRs.";
}

// The same in a stream file with one storage of 4 floats.
Bytes file_with(const std::string& sizes, const std::string& strides) {
  const std::string start("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 21);
  const std::string keys = "\x80\x02]X\x01" + std::string(3, '\0') + "0a.";
  return bytes_of(start + "\x80\x02}." + tensor_code("K\x04", sizes, strides) + keys + "\x04" +
                  std::string(7, '\0') + std::string(16, '\0'));
}

TEST(TorchFile, ChecksEveryTensorAgainstItsStorage) {
  EXPECT_NO_THROW(read(file_with("K\x04\x85", "K\x01\x85")));
  EXPECT_NO_THROW(read(file_with("K\x02K\x02\x86", "K\x01K\x02\x86")));
  EXPECT_THAT([] { read(file_with("K\x05\x85", "K\x01\x85")); },
              refuses("tensor 'w': expected numbers within"));
  EXPECT_THAT([] { read(file_with("K\x04\x85", "K\x02\x85")); },
              refuses("tensor 'w': expected numbers within"));
  EXPECT_THAT([] { read(file_with("J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86", "J\xff\xff\xff\x7fK\x01\x86")); },
              refuses("tensor 'w': expected numbers within"));
  EXPECT_THAT([] { read(file_with("J\xff\xff\xff\xff\x85", "K\x01\x85")); }, refuses("not negative"));
  EXPECT_THAT([] { read(file_with("K\x04\x85", ")")); },
              refuses("expected a stride per dimension, got 0 for 1"));
}

// A stride of 0 repeats one number.
TEST(TorchFile, RefusesTensorsThatUnpackToFarMoreThanTheFile) {
  EXPECT_NO_THROW(read(file_with("J\x01\x00\x01\x00\x85"s, "K\0\x85"s)));
  EXPECT_THAT([] { read(file_with("J\xff\xff\xff\x7f\x85", "K\0\x85"s)); },
              refuses("expected a file that unpacks to at most"));
}

TEST(TorchFile, RefusesAZipBomb) {
  const std::string python = tests::python_with("zipfile");
  if (python.empty()) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const tests::Scratch scratch;
  // 1 GB of zeros as the storage of a tensor.
  const base::Finished finished = base::run_program({python, "-c", R"(
import struct, zipfile
code = (b"\x80\x02}X\x01\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\n"
        b"X\x01\0\0\0" + b"0X\x03\0\0\0cpuJ" + struct.pack("<i", 250000000) + b"NtQK\0K\x01\x85K\x01\x85\x89}tRs.")
with zipfile.ZipFile("bomb.pth", "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("bomb/data.pkl", code)
    with file.open("bomb/data/0", "w") as zeros:
        for _ in range(1000):
            zeros.write(bytes(1000000))
)"},
                                                    scratch.path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  const Bytes file = read_bytes(scratch / "bomb.pth");
  ASSERT_LT(file.size(), 2'000'000U);
  EXPECT_THAT([&] { read(file); }, refuses("expected a file that unpacks to at most"));
}

TEST(Pickle, BuildsPlainValues) {
  const std::string_view code =
      "\x80\x02(K\x01J\xfe\xff\xff\xffG\x3f\xe0\0\0\0\0\0\0\x88NX\x02\0\0\0ab]K\x07"
      "a)t."sv;
  const Bytes bytes = bytes_of(std::string(code) + "rest");
  const Pickle pickle = read_pickle(bytes);
  EXPECT_EQ(pickle.length, code.size());
  ASSERT_EQ(pickle.value.kind, PickleValue::Kind::tuple);
  const std::vector<PickleValue>& items = pickle.items(pickle.value);
  ASSERT_EQ(items.size(), 8U);
  EXPECT_EQ(items[0].number, 1);
  EXPECT_EQ(items[1].number, -2);
  EXPECT_EQ(items[2].real, 0.5);
  EXPECT_EQ(items[3].kind, PickleValue::Kind::boolean);
  EXPECT_EQ(items[4].kind, PickleValue::Kind::none);
  EXPECT_EQ(items[5].text, "ab");
  EXPECT_EQ(pickle.items(items[6]).front().number, 7);
  EXPECT_THAT(pickle.items(items[7]), IsEmpty());
}

TEST(Pickle, RefusesEveryNameThatIsNotATensors) {
  for (const char* const code :
       {"cos\nsystem\n.", "cbuiltins\neval\n.", "c__builtin__\ngetattr\n.", "ctorch\nload\n.",
        "ctorch.hub\nload_state_dict_from_url\n.", "cnumpy.core.multiarray\n_reconstruct\n.",
        "\x8c\x02os\x8c\x06system\x93."}) {
    EXPECT_THAT([&] { (void)read_pickle(bytes_of(code)); },
                refuses_pickle("expected only tensors and plain values, got a reference to"))
        << code;
  }
}

TEST(Pickle, RefusesOpcodesThatMakeObjects) {
  // INST, OBJ, NEWOBJ, NEWOBJ_EX, EXT1, and a call of something that is not a function of ours.
  EXPECT_THAT([] { (void)read_pickle(bytes_of("(ios\nsystem\n.")); }, refuses_pickle("opcode 0x69"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("(o.")); }, refuses_pickle("opcode 0x6f"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of(")\x81.")); }, refuses_pickle("opcode 0x81"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("\x82\x01.")); }, refuses_pickle("opcode 0x82"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("ctorch\nFloatStorage\n)R.")); },
              refuses_pickle("expected only calls that build tensors"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("K\x01)R.")); },
              refuses_pickle("expected only calls that build tensors"));
}

TEST(Pickle, RefusesDamage) {
  EXPECT_THAT([] { (void)read_pickle({}); }, refuses_pickle("ends after 0 bytes"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of(".")); }, refuses_pickle("empty stack"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("t.")); }, refuses_pickle("no mark"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("h\x05.")); }, refuses_pickle("did not store"));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("](K\x01\x85.")); }, Not(::testing::Throws<std::bad_alloc>()));
  EXPECT_THAT([] { (void)read_pickle(bytes_of("}(K\x01u.")); }, refuses_pickle("key without a value"));
  EXPECT_THAT(
      [] {
        (void)read_pickle(
            bytes_of("K\x01K\x02"
                     "a."));
      },
      refuses_pickle("not a list"));
  EXPECT_THAT(
      [] {
        (void)read_pickle(
            bytes_of("\x8a\x09"
                     "123456789."));
      },
      refuses_pickle("at most 8 bytes"));
}

// A dictionary that contains itself is a value like any other; nothing walks down into it.
TEST(Pickle, AcceptsAContainerThatContainsItself) {
  const Bytes code = bytes_of(
      "]q\x01h\x01"
      "a.");
  EXPECT_EQ(read_pickle(code).value.kind, PickleValue::Kind::list);
}

TEST(WeightsFile, KnowsTheKindByItsFirstBytes) {
  const tests::Scratch scratch;
  const std::vector<float> numbers = {1, 2};
  const TensorView view{"w", DType::f32, {2}, {reinterpret_cast<const std::uint8_t*>(numbers.data()), 8}};
  write_safetensors(scratch / "a.bin", std::vector<TensorView>{view});
  const WeightsFile plain(scratch / "a.bin");
  ASSERT_EQ(plain.tensors().size(), 1U);
  EXPECT_EQ(plain.tensors()[0].name, "w");
  EXPECT_EQ(plain.sha256(), sha256_of_file(scratch / "a.bin"));
  EXPECT_EQ(WeightsFile(golden("stream.pth")).tensors().size(), 10U);
  std::ofstream(scratch / "text") << "some other text file";
  EXPECT_THAT(
      [&] { (void)WeightsFile(scratch / "text"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("text: expected a file of weights, safetensors or")));
  EXPECT_THAT([&] { (void)WeightsFile(scratch / "none"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("No such file")));
}

}  // namespace
}  // namespace pair::data::testing::torch_file_test
