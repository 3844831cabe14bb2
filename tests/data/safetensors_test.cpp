#include "pair/data/safetensors.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <limits>

#include "pair/base/process.h"
#include "tests/data/fixtures.h"

namespace pair::data::testing::safetensors_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

Bytes content(const TensorView& tensor) {
  return {tensor.bytes.begin(), tensor.bytes.end()};
}

template <class Number>
Bytes little_endian(const std::vector<Number>& numbers) {
  Bytes bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// A file with this header and this many bytes of data, 0, 1, 2, ...
Bytes file_of(std::string_view header, std::size_t data_size = 0) {
  Bytes file(8);
  for (std::size_t i = 0; i < 8; ++i) {
    file[i] = static_cast<std::uint8_t>((std::uint64_t{header.size()} >> (8 * i)) & 0xffU);
  }
  file.insert(file.end(), header.begin(), header.end());
  for (std::size_t i = 0; i < data_size; ++i) {
    file.push_back(static_cast<std::uint8_t>(i));
  }
  return file;
}

auto refuses_safetensors(const std::string& sentence) {
  return ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("x.safetensors"), HasSubstr(sentence)));
}

void expect_refused(std::string_view header, std::size_t data_size, const std::string& sentence) {
  EXPECT_THAT([&] { (void)parse_safetensors(file_of(header, data_size), "x.safetensors"); },
              refuses_safetensors(sentence))
      << header;
}

Bytes read_back(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Safetensors, WritesTheBytesOfTheOfficialWriter) {
  // The example of the official library's own tests: attn.0 with the numbers 0 to 5.
  const Bytes numbers = little_endian<float>({0, 1, 2, 3, 4, 5});
  const std::vector<TensorView> tensors{{"attn.0", DType::f32, {1, 2, 3}, numbers}};
  const Scratch scratch;
  write_safetensors(scratch / "x.safetensors", tensors);
  const Bytes golden =
      joined(joined({64, 0, 0, 0, 0, 0, 0, 0},
                    bytes_of(R"({"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}})")),
             {0, 0, 0,  0,  0, 0, 128, 63, 0, 0, 0,   64,  //
              0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64});
  EXPECT_EQ(read_back(scratch / "x.safetensors"), golden);
}

TEST(Safetensors, PadsTheHeaderAndPutsLargerTypesFirst) {
  const Bytes byte{7};
  const Bytes half{1, 2};
  const Bytes whole{1, 2, 3, 4, 5, 6, 7, 8};
  const Bytes single{1, 2, 3, 4};
  const std::vector<TensorView> tensors{{"b", DType::u8, {}, byte},
                                        {"a", DType::u8, {1}, byte},
                                        {"c", DType::f16, {1}, half},
                                        {"z", DType::i64, {}, whole},
                                        {"e", DType::f32, {1, 1}, single}};
  const std::string header = safetensors_header(tensors, {{"format", "pt"}, {"a", "\"\n"}});
  EXPECT_EQ(header.size() % 8, 0U);
  EXPECT_EQ(header.substr(8, header.find_last_of('}') - 7),
            R"({"__metadata__":{"a":"\"\n","format":"pt"},)"
            R"("z":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
            R"("e":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]},)"
            R"("c":{"dtype":"F16","shape":[1],"data_offsets":[12,14]},)"
            R"("a":{"dtype":"U8","shape":[1],"data_offsets":[14,15]},)"
            R"("b":{"dtype":"U8","shape":[],"data_offsets":[15,16]}})");
  EXPECT_EQ(header.find_last_not_of(' '), header.find_last_of('}'));
}

TEST(Safetensors, ReadsBackWhatWasWritten) {
  const std::vector<std::pair<DType, std::size_t>> types{
      {DType::f64, 8}, {DType::f32, 4}, {DType::f16, 2}, {DType::bf16, 2}, {DType::i64, 8},
      {DType::i32, 4}, {DType::i16, 2}, {DType::i8, 1},  {DType::u8, 1},   {DType::boolean, 1}};
  std::vector<Bytes> contents;
  for (const auto& [dtype, size] : types) {
    EXPECT_EQ(size_of(dtype), size);
    Bytes bytes(6 * size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(i + contents.size());
    }
    contents.push_back(bytes);
  }
  std::vector<TensorView> tensors{{"empty", DType::f32, {3, 0, 2}, {}},
                                  {"unicode é\x01", DType::u8, {1}, {}}};
  const Bytes one{9};
  tensors[1].bytes = one;
  for (std::size_t i = 0; i < types.size(); ++i) {
    tensors.push_back({"tensor." + std::to_string(i), types[i].first, {2, 3}, contents[i]});
  }
  const Scratch scratch;
  write_safetensors(scratch / "x.safetensors", tensors, {{"format", "pt"}});
  EXPECT_THAT(names_in(scratch.path()), ElementsAre("x.safetensors"));

  const SafetensorsFile file(scratch / "x.safetensors");
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("format", "pt")));
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (const TensorView& tensor : tensors) {
    const TensorView* found = file.find(tensor.name);
    ASSERT_NE(found, nullptr) << tensor.name;
    EXPECT_EQ(found->dtype, tensor.dtype) << tensor.name;
    EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
    EXPECT_EQ(content(*found), content(tensor)) << tensor.name;
  }
  EXPECT_EQ(file.find("tensor"), nullptr);
}

TEST(Safetensors, MayHoldNoTensors) {
  const Scratch scratch;
  write_safetensors(scratch / "x.safetensors", {});
  EXPECT_EQ(read_back(scratch / "x.safetensors"), file_of("{}      "));
  EXPECT_TRUE(SafetensorsFile(scratch / "x.safetensors").tensors().empty());
}

TEST(Safetensors, ReplacesAFileAtOnceOrLeavesItAlone) {
  const Scratch scratch;
  const Bytes one{1};
  const std::vector<TensorView> tensors{{"a", DType::u8, {1}, one}};
  write(scratch / "x.safetensors", bytes_of("old"));
  // A folder blocks the temporary name of the new file.
  std::filesystem::create_directory(scratch / "x.safetensors.part");
  EXPECT_THAT([&] { write_safetensors(scratch / "x.safetensors", tensors); },
              refuses_safetensors("cannot write"));
  EXPECT_EQ(read_back(scratch / "x.safetensors"), bytes_of("old"));
  std::filesystem::remove(scratch / "x.safetensors.part");
  write_safetensors(scratch / "x.safetensors", tensors);
  EXPECT_EQ(SafetensorsFile(scratch / "x.safetensors").tensors().size(), 1U);
  EXPECT_THAT([&] { write_safetensors(scratch / "nowhere/x.safetensors", tensors); },
              refuses_safetensors("No such file"));
}

TEST(Safetensors, RefusesToWriteWhatNobodyCouldRead) {
  const Bytes four(4);
  const auto refused = [&](std::vector<TensorView> tensors, const std::string& sentence) {
    EXPECT_THAT([&] { (void)safetensors_header(tensors); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refused({{"a", DType::f32, {2}, four}}, "tensor 'a': expected 8 bytes for F32 [2], got 4");
  refused({{"a", DType::f32, {-1}, four}}, "got 4");
  refused({{"a", DType::f32, {std::numeric_limits<std::int64_t>::max(), 16}, four}}, "got 4");
  refused({{"a", DType::f32, {}, four}, {"a", DType::i8, {4}, four}}, "tensor 'a': the name is used twice");
  refused({{"__metadata__", DType::f32, {}, four}}, "the name is reserved");
  refused({{"\xff", DType::f32, {}, four}}, "expected UTF-8");
  EXPECT_THROW((void)safetensors_header({}, {{"a", "\xc3"}}), std::invalid_argument);
}

TEST(Safetensors, ReadsHeadersOfOtherWriters) {
  // Unpadded, so that the numbers lie at odd addresses; blanks within; fields and tensors in any order.
  const Bytes file = file_of(
      "{ \"b\" : {\"data_offsets\":[4,8],\"shape\":[1],\"dtype\":\"F32\"},\n"
      "\"\\u0061\":{\"shape\":[],\"dtype\":\"I32\",\"data_offsets\":[0,4]},\"__metadata__\":{}} \t",
      8);
  const Safetensors parts = parse_safetensors(file, "x.safetensors");
  ASSERT_EQ(parts.tensors.size(), 2U);
  EXPECT_EQ(parts.tensors[0].name, "a");
  EXPECT_EQ(content(parts.tensors[0]), (Bytes{0, 1, 2, 3}));
  EXPECT_EQ(parts.tensors[1].name, "b");
  EXPECT_EQ(content(parts.tensors[1]), (Bytes{4, 5, 6, 7}));
}

TEST(Safetensors, EmptyTensorsMayLieAnywhereBetweenOthers) {
  const Bytes file = file_of(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"e":{"dtype":"U8","shape":[0],"data_offsets":[2,2]},)"
      R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]},"f":{"dtype":"F64","shape":[5,0],"data_offsets":[3,3]}})",
      3);
  EXPECT_EQ(parse_safetensors(file, "x.safetensors").tensors.size(), 4U);
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"e":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
      2, "tensor 'e': it overlaps another tensor");
}

TEST(Safetensors, RefusesAHeaderOfAnotherForm) {
  expect_refused("", 0, "begins with '{'");
  expect_refused(" {}", 0, "begins with '{'");
  expect_refused("\xef\xbb\xbf{}", 0, "begins with '{'");
  expect_refused("[]", 0, "begins with '{'");
  expect_refused("null", 0, "begins with '{'");
  expect_refused("{", 0, "not valid JSON at its byte");
  expect_refused("{}x", 0, "not valid JSON at its byte 3");
  expect_refused("{}{}", 0, "not valid JSON");
  expect_refused("{\"\xff\":{}}", 0, "not valid JSON");
  expect_refused(std::string("{}\0", 3), 0, "not valid JSON");
  expect_refused(R"({"a":1})", 0, "tensor 'a': expected an object, got a number");
  expect_refused(R"({"a":[]})", 0, "tensor 'a': expected an object, got an array");
  expect_refused(R"({"a":null})", 0, "tensor 'a': expected an object, got null");
  expect_refused(R"({"a":"b"})", 0, "tensor 'a': expected an object, got a string");
  expect_refused(R"({"a":{}})", 0,
                 "tensor 'a': expected the fields dtype, shape and data_offsets; dtype is missing");
  expect_refused(R"({"a":{"dtype":"U8","shape":[0]}})", 0, "data_offsets is missing");
  expect_refused(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})", 0, "shape is missing");
  expect_refused(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0, "got 'x'");
  expect_refused(R"({"a":{"dtype":"U8","dtype":"U8"}})", 0, "tensor 'a': the field dtype is given twice");
  expect_refused(R"({"a":{"shape":[],"shape":[]}})", 0, "the field shape is given twice");
  expect_refused(R"({"a":{"data_offsets":[0,0],"data_offsets":[0,0]}})", 0, "data_offsets is given twice");
  expect_refused(R"({"a":{"dtype":1}})", 0, "tensor 'a': dtype: expected a string, got a number");
  expect_refused(R"({"a":{"dtype":[]}})", 0, "dtype: expected a string, got an array");
  expect_refused(R"({"a":{"dtype":"F8_E4M3"}})", 0, "expected one of the dtypes I64, F64, F32");
  expect_refused(R"({"a":{"dtype":"f32"}})", 0, "got 'f32'");
  expect_refused(R"({"a":{"shape":2}})", 0,
                 "shape: expected an array of integers that are not negative, got a number");
  expect_refused(R"({"a":{"shape":{}}})", 0, "got an object");
  expect_refused(R"({"a":{"shape":"2"}})", 0, "got a string");
  expect_refused(R"({"a":{"shape":[-1]}})", 0, "got -1");
  expect_refused(R"({"a":{"shape":[1.0]}})", 0, "got '1.0'");
  expect_refused(R"({"a":{"shape":[1e2]}})", 0, "got '1e2'");
  expect_refused(R"({"a":{"shape":[true]}})", 0, "got true");
  expect_refused(R"({"a":{"shape":[null]}})", 0, "got null");
  expect_refused(R"({"a":{"shape":["1"]}})", 0, "got a string");
  expect_refused(R"({"a":{"shape":[[1]]}})", 0, "got an array");
  expect_refused(R"({"a":{"shape":[{}]}})", 0, "got an object");
  expect_refused(R"({"a":{"shape":[18446744073709551616]}})", 0, "shape: expected");
  expect_refused(R"({"a":{"shape":[9223372036854775808]}})", 0, "expected sizes below 2^63");
  expect_refused(R"({"a":{"data_offsets":[]}})", 0, "data_offsets: expected 2 numbers, got 0");
  expect_refused(R"({"a":{"data_offsets":[0]}})", 0, "got 1");
  expect_refused(R"({"a":{"data_offsets":[0,1,2]}})", 0, "got 3");
  expect_refused(R"({"a":{"data_offsets":[-1,0]}})", 0, "got -1");
  expect_refused(R"({"__metadata__":[]})", 0, "__metadata__: expected an object, got an array");
  expect_refused(R"({"__metadata__":{"a":1}})", 0, "__metadata__: expected a string under 'a', got a number");
  expect_refused(R"({"__metadata__":{"a":{}}})", 0, "got an object");
  expect_refused(R"({"__metadata__":{"a":"","a":""}})", 0, "the key 'a' is used twice");
  expect_refused(R"({"__metadata__":{},"__metadata__":{}})", 0, "__metadata__: the name is used twice");
  // Deep nesting ends at the first level that the format does not have.
  expect_refused("{\"a\":" + std::string(1'000'000, '['), 0, "expected an object, got an array");
}

TEST(Safetensors, RefusesTensorsThatDoNotFitTheirBytes) {
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  expect_refused(tensor("F32", "[1]", "[0,3]"), 3, "tensor 'a': expected 4 bytes for F32 [1], got 3");
  expect_refused(tensor("F32", "[]", "[0,0]"), 0, "expected 4 bytes for F32 [], got 0");
  expect_refused(tensor("U8", "[0]", "[0,1]"), 1, "expected 0 bytes");
  expect_refused(tensor("U8", "[1]", "[1,0]"), 1, "expected offsets in order and up to 1");
  expect_refused(tensor("U8", "[2]", "[0,2]"), 1, "got data_offsets [0, 2]");
  expect_refused(tensor("U8", "[1]", "[18446744073709551615,18446744073709551615]"), 1,
                 "expected offsets in order");
  // Products that are 0 and 4 when they overflow.
  expect_refused(tensor("F32", "[4611686018427387904]", "[0,0]"), 0, "cannot be counted in 64 bits");
  expect_refused(tensor("U8", "[4294967296,4294967296]", "[0,0]"), 0, "cannot be counted in 64 bits");
  expect_refused(tensor("F32", "[4611686018427387905]", "[0,4]"), 4, "cannot be counted in 64 bits");
  expect_refused(tensor("U8", "[0,4294967296,4294967296]", "[0,0]"), 0, "cannot be counted in 64 bits");
  expect_refused(tensor("U8", "[1]", "[1,2]"), 2, "tensor 'a': the bytes before it belong to no tensor");
  expect_refused(tensor("U8", "[1]", "[0,1]"), 2, "the last 1 bytes belong to no tensor");
  expect_refused("{}", 1, "the last 1 bytes belong to no tensor");
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + first +
           R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}";
  };
  expect_refused(two("[0,2]", "[1,3]"), 3, "tensor 'b': it overlaps another tensor");
  expect_refused(two("[0,2]", "[0,2]"), 2, "tensor 'b': it overlaps another tensor");
  expect_refused(two("[0,2]", "[3,5]"), 5, "tensor 'b': the bytes before it belong to no tensor");
  expect_refused(
      R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      2, "tensor 'a': the name is used twice");
}

TEST(Safetensors, NamesInMessagesStayShortAndOnOneLine) {
  const std::string name = "a\\n" + std::string(100'000, 'x');
  try {
    (void)parse_safetensors(file_of("{\"" + name + "\":1}"), "x.safetensors");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 300U);
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
  }
}

TEST(Safetensors, RefusesAFileCutOffAnywhere) {
  const Bytes numbers = little_endian<float>({0, 1, 2, 3, 4, 5});
  const Scratch scratch;
  const std::vector<TensorView> tensors{{"a", DType::f32, {2, 3}, numbers},
                                        {"b", DType::u8, {2}, BytesView(numbers).first(2)}};
  write_safetensors(scratch / "whole", tensors, {{"format", "pt"}});
  const Bytes whole = read_back(scratch / "whole");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THAT([&] { (void)parse_safetensors(cut, "x.safetensors"); }, refuses_safetensors("")) << length;
    write(scratch / "x.safetensors", cut);
    EXPECT_THAT([&] { SafetensorsFile file(scratch / "x.safetensors"); }, refuses_safetensors("")) << length;
  }
  EXPECT_NO_THROW((void)parse_safetensors(whole, "x.safetensors"));
  EXPECT_THAT([&] { (void)parse_safetensors(joined(whole, {0}), "x.safetensors"); },
              refuses_safetensors("the last 1 bytes belong to no tensor"));
}

TEST(Safetensors, RefusesAHeaderLargerThanTheLimitOrTheFile) {
  const Bytes limit{0x01, 0xe1, 0xf5, 0x05, 0, 0, 0, 0, '{', '}'};  // 100,000,001
  EXPECT_THAT([&] { (void)parse_safetensors(limit, "x.safetensors"); },
              refuses_safetensors("expected a header of at most 100000000 bytes, got 100000001"));
  const Bytes most(8, 0xff);
  EXPECT_THAT([&] { (void)parse_safetensors(most, "x.safetensors"); },
              refuses_safetensors("got 18446744073709551615"));
  const Bytes longer{3, 0, 0, 0, 0, 0, 0, 0, '{', '}'};
  EXPECT_THAT([&] { (void)parse_safetensors(longer, "x.safetensors"); },
              refuses_safetensors("the file ends before its header: expected 11 bytes, got 10"));
}

TEST(SafetensorsFile, IsARegularFile) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "x.safetensors");
  EXPECT_THAT([&] { SafetensorsFile file(scratch / "x.safetensors"); },
              refuses_safetensors("it is not a regular file"));
  // Opening a pipe that nobody writes to must not wait.
  ASSERT_EQ(::mkfifo((scratch / "pipe_x.safetensors").c_str(), 0600), 0);
  EXPECT_THAT([&] { SafetensorsFile file(scratch / "pipe_x.safetensors"); },
              refuses_safetensors("it is not a regular file"));
  EXPECT_THAT([&] { SafetensorsFile file(scratch / "no_x.safetensors"); },
              refuses_safetensors("No such file"));
}

TEST(SafetensorsFile, HasAtMost16GiB) {
  const Scratch scratch;
  const std::filesystem::path path = scratch / "large_x.safetensors";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, largest_weights + 1);  // sparse: it takes no room
  EXPECT_THAT([&] { SafetensorsFile file(path); },
              refuses_safetensors("expected at most 17179869184 bytes, got 17179869185"));
}

TEST(SafetensorsFile, IsReadTheSameByAnIndependentReader) {
  if (!base::is_installed("python3")) {
    GTEST_SKIP() << "python3 is not installed";
  }
  const Bytes numbers = little_endian<float>({0.5F, -1, 2, 3, 4, 5});
  const Bytes counts = little_endian<std::int64_t>({-7});
  const Bytes flags{1, 0, 1};
  const Scratch scratch;
  const std::vector<TensorView> tensors{{"flags", DType::boolean, {3}, flags},
                                        {"layer.weight \"ü\"", DType::f32, {2, 3}, numbers},
                                        {"count", DType::i64, {}, counts}};
  write_safetensors(scratch / "x.safetensors", tensors, {{"format", "pt"}});
  const base::Finished python = base::run_program({"python3", "-c", R"(
import json, struct
raw = open("x.safetensors", "rb").read()
(n,) = struct.unpack("<Q", raw[:8])
header, data = json.loads(raw[8:8 + n]), raw[8 + n:]
assert n % 8 == 0
print(json.dumps(header.pop("__metadata__")))
codes = {"F32": "f", "I64": "q", "BOOL": "?"}
for name, info in sorted(header.items()):
    count = 1
    for size in info["shape"]:
        count *= size
    begin, end = info["data_offsets"]
    print(ascii(name), info["shape"], struct.unpack("<%d%s" % (count, codes[info["dtype"]]), data[begin:end]))
assert max(info["data_offsets"][1] for info in header.values()) == len(data)
)"},
                                                  scratch.path());
  EXPECT_EQ(python.output,
            "{\"format\": \"pt\"}\n"
            "'count' [] (-7,)\n"
            "'flags' [3] (True, False, True)\n"
            "'layer.weight \"\\xfc\"' [2, 3] (0.5, -1.0, 2.0, 3.0, 4.0, 5.0)\n");
  EXPECT_EQ(python.status, 0);
}

}  // namespace
}  // namespace pair::data::testing::safetensors_test
