#include "pair/data/idx.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"

namespace pair::data::testing::idx_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Digits parse(const Bytes& images, const Bytes& labels) {
  return parse_idx(images, "IMAGES", labels, "LABELS");
}

auto refused(const std::string& sentence) {
  return ThrowsMessage<std::runtime_error>(HasSubstr(sentence));
}

TEST(Idx, GivesDigits) {
  const Digits digits = parse(tiny_images(), tiny_labels());
  EXPECT_EQ(digits.count, 2);
  EXPECT_EQ(digits.rows, 2);
  EXPECT_EQ(digits.columns, 3);
  EXPECT_THAT(digits.pixels, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(digits.labels, ::testing::ElementsAre(7, 2));
}

TEST(Idx, ReadsPlainAndGzippedFiles) {
  const Scratch scratch;
  write(scratch / "images", tiny_images());
  write(scratch / "labels.gz", gzip(tiny_labels()));
  EXPECT_EQ(read_idx(scratch / "images", scratch / "labels.gz"), parse(tiny_images(), tiny_labels()));
}

TEST(Idx, NamesTheFileThatIsDamagedOnDisk) {
  const Scratch scratch;
  write(scratch / "images.gz", without_last(gzip(tiny_images()), 3));
  write(scratch / "labels", tiny_labels());
  EXPECT_THAT([&] { read_idx(scratch / "images.gz", scratch / "labels"); }, refused("images.gz is cut off"));
  EXPECT_THAT([&] { read_idx(scratch / "absent", scratch / "labels"); }, refused("absent"));
}

TEST(Idx, RefusesAnotherMagic) {
  EXPECT_THAT(
      [] { parse(tiny_labels(), tiny_labels()); },
      refused("IMAGES starts with 0x00000801; expected an idx file of images, which starts with 0x00000803"));
  EXPECT_THAT(
      [] { parse(tiny_images(), tiny_images()); },
      refused("LABELS starts with 0x00000803; expected an idx file of labels, which starts with 0x00000801"));
  EXPECT_THAT(
      [] {
        parse(idx(0xd03, {1, 1, 1}, Bytes(4)), tiny_labels());
      },
      refused("IMAGES starts with 0x00000d03"));
  EXPECT_THAT([] { parse({}, tiny_labels()); }, refused("IMAGES is 0 bytes long"));
}

TEST(Idx, RefusesAFileCutOffAnywhere) {
  for (std::size_t missing = 1; missing <= tiny_images().size(); ++missing) {
    EXPECT_THAT([&] { parse(without_last(tiny_images(), missing), tiny_labels()); }, refused("IMAGES is "));
  }
  for (std::size_t missing = 1; missing <= tiny_labels().size(); ++missing) {
    EXPECT_THAT([&] { parse(tiny_images(), without_last(tiny_labels(), missing)); }, refused("LABELS is "));
  }
  EXPECT_THAT([] { parse(without_last(tiny_images(), 1), tiny_labels()); },
              refused("IMAGES is cut off: 2 images of 2 x 3 take 28 bytes, the file has 27"));
  EXPECT_THAT([] { parse(without_last(tiny_images(), 13), tiny_labels()); },
              refused("IMAGES is cut off: its header takes 16 bytes, the file has 15"));
}

TEST(Idx, RefusesBytesToSpare) {
  EXPECT_THAT([] { parse(joined(tiny_images(), {0}), tiny_labels()); },
              refused("IMAGES is too long: 2 images of 2 x 3 take 28 bytes, the file has 29"));
  EXPECT_THAT([] { parse(tiny_images(), joined(tiny_labels(), {0})); },
              refused("LABELS is too long: 2 labels take 10 bytes, the file has 11"));
}

TEST(Idx, RefusesSizesThatCannotBe) {
  EXPECT_THAT([] { parse(idx(0x803, {0, 2, 3}, {}), tiny_labels()); }, refused("IMAGES has 0 images"));
  EXPECT_THAT(
      [] {
        parse(idx(0x803, {2, 0, 3}, {}), tiny_labels());
      },
      refused("has images of 0 x 3; expected 1 x 1 to 4096 x 4096"));
  EXPECT_THAT([] { parse(idx(0x803, {2, 2, 4097}, {}), tiny_labels()); }, refused("images of 2 x 4097"));
  // Dimensions whose product does not fit 64 bits come to a sentence too, not to an allocation.
  EXPECT_THAT(
      [] {
        parse(idx(0x803, {~0U, ~0U, ~0U}, {}), tiny_labels());
      },
      refused("4294967295 x 4294967295"));
  EXPECT_THAT([] { parse(idx(0x803, {~0U, 4096, 4096}, {}), tiny_labels()); }, refused("IMAGES is cut off"));
  EXPECT_THAT([] { parse(tiny_images(), idx(0x801, {0}, {})); }, refused("LABELS has 0 labels"));
}

TEST(Idx, RefusesLabelsThatAreNotDigitsOrTooFew) {
  EXPECT_THAT(
      [] {
        parse(tiny_images(), idx(0x801, {2}, {9, 10}));
      },
      refused("LABELS has the label 10 at position 1; expected 0 to 9"));
  EXPECT_THAT([] { parse(tiny_images(), idx(0x801, {1}, {9})); },
              refused("LABELS holds 1 labels, but IMAGES holds 2 images"));
}

}  // namespace
}  // namespace pair::data::testing::idx_test
