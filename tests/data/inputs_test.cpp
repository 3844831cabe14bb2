#include "pair/data/inputs.h"

#include <gmock/gmock.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "pair/data/environment.h"
#include "pair/data/table_encoding.h"
#include "tests/support/filled_pipe.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using tests::Scratch;

std::string put(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path.string();
}

std::string put(const fs::path& path, const std::string& text) {
  return put(path, Bytes(text.begin(), text.end()));
}

struct Read {
  std::vector<std::string> names;
  std::vector<std::int64_t> batches;  // their sizes
  torch::Tensor inputs;
  std::int64_t skipped = 0;
  std::vector<std::string> notices;
};

Read read_all(const InputForm& form, const std::vector<std::string>& inputs, const ReadingOptions& options,
              const std::string& standard_input = "") {
  std::istringstream in(standard_input);
  const std::unique_ptr<Inputs> opened = open_inputs(form, inputs, in, options);
  Read read;
  std::vector<torch::Tensor> parts;
  while (const std::optional<InputBatch> batch = opened->next()) {
    read.names.insert(read.names.end(), batch->names.begin(), batch->names.end());
    read.batches.push_back(std::ssize(batch->names));
    parts.push_back(as_numbers(batch->inputs));
  }
  read.inputs = parts.empty() ? torch::empty({0}) : torch::cat(parts);
  read.skipped = opened->skipped();
  read.notices = opened->take_notices();
  return read;
}

auto refuses_input(const InputForm& form, const std::vector<std::string>& inputs,
                   const ReadingOptions& options, const std::string& sentence,
                   const std::string& standard_input = "") {
  EXPECT_THAT([&] { (void)read_all(form, inputs, options, standard_input); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
}

const InputForm point_form = form_of(NumbersInput{{"x1", "x2"}});
const ReadingOptions two{.shape = {2}, .batch = 2};

TEST(NumberInputs, AreLinesOfNumbersInBatches) {
  const Scratch scratch;
  const std::string a = put(scratch / "a.csv", "1,2\n\n 3 , -4e-1\r\n");
  const std::string b = put(scratch / "b.csv", "5,6");
  const Read read = read_all(point_form, {a, b, "-"}, two, "7,8\n9,10\n");
  EXPECT_THAT(read.names, ElementsAre(a + ":1", a + ":3", b + ":1", "standard input:1", "standard input:2"));
  EXPECT_THAT(read.batches, ElementsAre(2, 2, 1));
  EXPECT_TRUE(torch::equal(
      read.inputs, torch::tensor({{1.0F, 2.0F}, {3.0F, -0.4F}, {5.0F, 6.0F}, {7.0F, 8.0F}, {9.0F, 10.0F}})));
}

TEST(NumberInputs, AreTakenByNameWhereThereIsAHeader) {
  const Read read = read_all(point_form, {"-"}, two, "\xEF\xBB\xBFx2,id,\"x1\"\n1,first,2\n3,second,4\n");
  EXPECT_TRUE(torch::equal(read.inputs, torch::tensor({{2.0F, 1.0F}, {4.0F, 3.0F}})));
  EXPECT_THAT(read.names, ElementsAre("standard input:2", "standard input:3"));
  EXPECT_THAT(read.notices, ElementsAre(HasSubstr("ignored columns that the model does not use: 1")));
  const Read nameless = read_all(form_of(NumbersInput{}), {"-"}, two, "a,b\n1,2\n");
  EXPECT_TRUE(torch::equal(nameless.inputs, torch::tensor({{1.0F, 2.0F}})));
}

TEST(NumberInputs, NameTheLineThatCannotBeUsed) {
  const Scratch scratch;
  refuses_input(point_form, {"-"}, two, "standard input, line 2: expected 2 numbers, got 3", "1,2\n1,2,3\n");
  refuses_input(point_form, {"-"}, two, "standard input, line 1: expected 2 numbers, got 1", "1\n");
  refuses_input(point_form, {"-"}, two, "line 2: expected a number, got 'two'", "1,2\n1,two\n");
  refuses_input(point_form, {"-"}, two, "line 2: expected a number, got ''", "1,2\n1,\n");
  refuses_input(point_form, {"-"}, two, "line 1: expected a number, got 'inf'", "1,inf\n");
  refuses_input(point_form, {"-"}, two, "line 1: expected a number, got '1e300'", "1,1e300\n");
  refuses_input(point_form, {"-"}, two, "line 1: expected the columns x1, x2, each once, got x1, y",
                "x1,y\n1,2\n");
  refuses_input(point_form, {"-"}, two, "line 3: expected 3 values, as the header has, got 2",
                "x1,x2,z\n1,2,3\n1,2\n");
  refuses_input(point_form, {"-"}, two, "line 2: expected a number, got 'a'", "x1,x2\na,b\n");
  refuses_input(point_form, {(scratch / "none.csv").string()}, two,
                "expected a CSV file, got a path that does not exist");
  refuses_input(point_form, {scratch.path().string()}, two,
                "expected a CSV file, got a path that is a folder");
  refuses_input(point_form, {}, two, "expected CSV files or -, got none");
  refuses_input(point_form, {"-"}, {.shape = {2}, .batch = 0}, "batch: expected an integer from 1");
}

TEST(NumberInputs, MayBePipes) {
  const tests::FilledPipe pipe("x2,x1\n1,2\n");
  EXPECT_TRUE(torch::equal(read_all(point_form, {pipe.path()}, two).inputs, torch::tensor({{2.0F, 1.0F}})));
}

TEST(TableInputs, MayBePipes) {
  TableEncoding encoding;
  encoding.columns = {{.name = "age", .mean = 50, .deviation = 10}, {.name = "dose"}};
  encoding.label = {.name = "y", .classes = {"no", "yes"}};
  const ReadingOptions options{.table = std::make_shared<const TableEncoding>(encoding), .shape = {2}};
  const InputForm form{.kind = std::string(table_input)};
  const tests::FilledPipe pipe("dose,age\n3,60\n4,40\n");
  const Read read = read_all(form, {pipe.path()}, options);
  EXPECT_TRUE(torch::equal(read.inputs, torch::tensor({{1.0F, 3.0F}, {-1.0F, 4.0F}})));
  EXPECT_THAT(read.names, ElementsAre(pipe.path() + ":2", pipe.path() + ":3"));
  refuses_input(form, {"/none.csv"}, options, "expected a CSV file, got a path that does not exist");
}

const InputForm tiny_form = form_of(ImageInput{.rows = 4, .columns = 5});
const ReadingOptions pictures{.shape = {3, 4, 5}, .batch = 2};

TEST(ImageInputs, AreFilesFoldersAndPathsOnStandardInputInOrder) {
  const Scratch scratch;
  for (const char* name : {"b/2.png", "b/c/1.PNG", "b/10.png", "a.png"}) {
    put(scratch / name, tests::png(tests::picture(4, 5, static_cast<unsigned>(name[2]))));
  }
  put(scratch / "b/notes.txt", std::string("no image"));
  const std::string a = (scratch / "a.png").string();
  const std::string b = (scratch / "b").string();
  const Read read = read_all(tiny_form, {b, "-", a}, pictures, a + "\n\n" + b + "/2.png\n");
  EXPECT_THAT(read.names, ElementsAre(b + "/10.png", b + "/2.png", b + "/c/1.PNG", a, b + "/2.png", a));
  EXPECT_THAT(read.inputs.sizes(), ElementsAre(6, 3, 4, 5));
  const Image expected = tests::picture(4, 5, '2');
  EXPECT_EQ(read.inputs[1][2][3][4].item<float>(), static_cast<float>(expected.at(3, 4, 2)) / 255.0F);
  EXPECT_TRUE(torch::equal(read.inputs[1], read.inputs[4]));
}

TEST(ImageInputs, AreTheSameWithAnyNumberOfWorkers) {
  const Scratch scratch;
  for (int i = 0; i < 9; ++i) {
    put(scratch / (std::to_string(i) + ".png"), tests::png(tests::picture(7, 6, static_cast<unsigned>(i))));
  }
  ReadingOptions alone = pictures;
  alone.workers = 0;
  const std::vector<std::string> folder = {scratch.path().string()};
  const Read one = read_all(tiny_form, folder, alone);
  alone.workers = 3;
  const Read three = read_all(tiny_form, folder, alone);
  EXPECT_EQ(one.names, three.names);
  EXPECT_TRUE(torch::equal(one.inputs, three.inputs));
}

TEST(ImageInputs, AreNormalisedAsTheFormSays) {
  const Scratch scratch;
  const std::string file = put(scratch / "a.png", tests::png(tests::picture(4, 5)));
  const Read plain = read_all(tiny_form, {file}, pictures);
  const Read read =
      read_all(form_of(ImageInput{.rows = 4, .columns = 5, .mean = {0.5, 0.25, 0}, .deviation = {2, 1, 0.5}}),
               {file}, pictures);
  EXPECT_TRUE(torch::allclose(read.inputs[0][0], (plain.inputs[0][0] - 0.5) / 2.0));
  EXPECT_TRUE(torch::allclose(read.inputs[0][1], plain.inputs[0][1] - 0.25));
  EXPECT_TRUE(torch::allclose(read.inputs[0][2], plain.inputs[0][2] * 2.0));
  refuses_input(form_of(ImageInput{.rows = 4, .columns = 5, .mean = {0}}), {file}, pictures,
                "expected 3 numbers each");
}

TEST(ImageInputs, NameABrokenFileOrSkipAndCountIt) {
  const Scratch scratch;
  Bytes cut = tests::png(tests::picture(4, 5));
  cut.resize(cut.size() / 2);
  put(scratch / "b.png", cut);
  put(scratch / "c.png", Bytes());
  put(scratch / "a.png", tests::png(tests::picture(4, 5)));
  const std::vector<std::string> folder = {scratch.path().string()};
  refuses_input(tiny_form, folder, pictures, (scratch / "b.png").string() + ": ");
  refuses_input(tiny_form, folder, pictures, "; '--broken skip' leaves out such files");
  ReadingOptions skipping = pictures;
  skipping.broken = BrokenFiles::skip;
  const Read read = read_all(tiny_form, folder, skipping);
  EXPECT_THAT(read.names, ElementsAre((scratch / "a.png").string()));
  EXPECT_EQ(read.skipped, 2);
  EXPECT_THAT(read.notices,
              ElementsAre(HasSubstr("skipped a broken file (1 so far)"), HasSubstr("the file is empty")));
}

TEST(ImageInputs, MayBeListed) {
  const Scratch scratch;
  put(scratch / "b.png", tests::png(tests::picture(4, 5)));
  put(scratch / "a.png", tests::png(tests::picture(4, 5)));
  const auto list = [&scratch](const std::string& text) {
    std::ofstream(scratch / "list.csv") << text;
    return (scratch / "list.csv").string();
  };
  EXPECT_THAT(read_all(tiny_form, {list("year,path\n2019,b.png\n2020,a.png\n")}, pictures).names,
              ElementsAre((scratch / "b.png").string(), (scratch / "a.png").string()));
  refuses_input(tiny_form, {list("path\nb.png\nc.png\n")}, pictures,
                "list.csv, line 3: expected an image file, got 'c.png', which does not exist");
  refuses_input(tiny_form, {list("path,label,environment\n")}, pictures,
                "expected image files below 'path', got none");
}

TEST(ImageInputs, RefuseWhatIsNotThere) {
  const Scratch scratch;
  refuses_input(tiny_form, {(scratch / "none.png").string()}, pictures,
                "expected a file or a folder, got a path that does");
  refuses_input(tiny_form, {"-"}, pictures, "no-such-file: expected a file or a folder", "no-such-file\n");
  refuses_input(tiny_form, {scratch.path().string()}, pictures,
                "expected image files (.jpg, .png, ...), got none");
  refuses_input(tiny_form, {"/dev/null"}, pictures, "expected a file or a folder, got neither");
  refuses_input(tiny_form, {}, pictures, "expected files, folders or -, got none");
  ReadingOptions with_channel = pictures;
  with_channel.channel = 0;
  refuses_input(tiny_form, {"-"}, with_channel, "channel: expected a model of coloured digits");
}

// An IDX file of images whose pixel (r, c) of image i is 10 i + columns r + c.
Bytes idx_bytes(std::uint8_t count, std::uint8_t rows, std::uint8_t columns) {
  Bytes bytes = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, rows, 0, 0, 0, columns};
  for (int i = 0; i < count; ++i) {
    for (int at = 0; at < rows * columns; ++at) {
      bytes.push_back(static_cast<std::uint8_t>(10 * i + at));
    }
  }
  return bytes;
}

const InputForm coloured_form = form_of(DigitInput{.rows = 2, .columns = 3, .channels = 2, .stride = 2});
ReadingOptions digit_options(std::optional<std::int64_t> channel = {}) {
  return {.shape = {12}, .batch = 3, .channel = channel};
}

TEST(DigitInputs, OfIdxFilesGoToTheChannelThatIsAskedFor) {
  const Scratch scratch;
  const std::string file = put(scratch / "digits-idx3-ubyte", idx_bytes(4, 2, 3));
  for (const std::int64_t channel : {0, 1}) {
    const Read read = read_all(coloured_form, {file}, digit_options(channel));
    EXPECT_THAT(read.names, ElementsAre(file + "[0]", file + "[1]", file + "[2]", file + "[3]"));
    EXPECT_THAT(read.batches, ElementsAre(3, 1));
    const torch::Tensor bytes = (read.inputs * 255.0).round().to(torch::kLong).view({4, 2, 6});
    EXPECT_TRUE(torch::equal(bytes[3][channel], torch::tensor({30, 31, 32, 33, 34, 35}, torch::kLong)));
    EXPECT_EQ(bytes[3][1 - channel].sum().item<std::int64_t>(), 0);
  }
}

TEST(DigitInputs, OfLargerPicturesAreEverySecondRowAndColumn) {
  const Scratch scratch;
  const std::string file = put(scratch / "large", idx_bytes(1, 4, 6));
  const Read read = read_all(coloured_form, {file}, digit_options(0));
  const torch::Tensor bytes = (read.inputs * 255.0).round().to(torch::kLong).view({12}).slice(0, 0, 6);
  EXPECT_TRUE(torch::equal(bytes, torch::tensor({0, 2, 4, 12, 14, 16}, torch::kLong)));
}

TEST(DigitInputs, OfPicturesTakeRedAndGreen) {
  const Scratch scratch;
  Image image{2, 3, Bytes(18, 0)};
  for (std::size_t pixel = 0; pixel < 6; ++pixel) {
    image.pixels[pixel * 3 + 1] = static_cast<std::uint8_t>(40 * pixel);
  }
  const std::string green = put(scratch / "green.png", tests::png(image));
  const Read read = read_all(coloured_form, {green}, digit_options());
  const torch::Tensor bytes = (read.inputs * 255.0).round().to(torch::kLong).view({12});
  EXPECT_TRUE(torch::equal(bytes, torch::tensor({0, 0, 0, 0, 0, 0, 0, 40, 80, 120, 160, 200}, torch::kLong)));
  // And as grey for a model without colours, as Pillow does.
  const Read grey =
      read_all(form_of(DigitInput{.rows = 2, .columns = 3}), {green}, {.shape = {1, 2, 3}, .batch = 3});
  EXPECT_EQ(std::lround(grey.inputs[0][0][1][2].item<float>() * 255.0F), 117);
}

TEST(DigitInputs, RefuseGreyOnesWithoutAChannelAndOtherSizes) {
  const Scratch scratch;
  const std::string file = put(scratch / "digits", idx_bytes(4, 2, 3));
  refuses_input(coloured_form, {file}, digit_options(),
                "expected a digit in red or green, got grey ones; --channel 0");
  refuses_input(coloured_form, {put(scratch / "grey.png", tests::png(Image{2, 3, Bytes(18, 9)}))},
                digit_options(), "grey.png: expected a digit in red or green");
  refuses_input(coloured_form, {put(scratch / "odd", idx_bytes(1, 3, 3))}, digit_options(0),
                "odd: expected images of 2 x 3 or 4 x 6 pixels, got 3 x 3");
  refuses_input(coloured_form, {file}, digit_options(2), "channel: expected 0 or 1, got 2");
  Bytes cut = idx_bytes(4, 2, 3);
  cut.pop_back();
  refuses_input(coloured_form, {put(scratch / "cut", cut)}, digit_options(0), "cut is cut off");
  refuses_input(coloured_form, {put(scratch / "text", std::string("hello"))}, digit_options(0),
                "expected a JPEG, PNG, ");
  refuses_input(form_of(DigitInput{.rows = 2, .columns = 3}), {file}, {.shape = {6}, .channel = 1},
                "expected a model of coloured digits, got one of grey ones");
}

TEST(Inputs, RefuseAFormThatIsNotKnown) {
  refuses_input({}, {"-"}, two, "expected a model whose dataset defines how files become inputs");
  refuses_input({"sound", {}}, {"-"}, two, "unknown kind of inputs 'sound'");
}

}  // namespace
}  // namespace pair::data
