#include "pair/data/npz.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/python.h"
#include "tests/support/scratch.h"

namespace pair::data::testing::npz_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const NumpyArray small{{2, 1, 3}, {1.5F, -2.0F, 0.25F, 3.0F, 1e-3F, 7.0F}};

TEST(Npz, ReadsWhatItWrites) {
  const NumpyArray again = read_npz(npz_bytes("x", small), "x", "a.npz");
  EXPECT_EQ(again.shape, small.shape);
  EXPECT_EQ(again.values, small.values);
}

TEST(Npz, KeepsArraysWithOneDimension) {
  const NumpyArray again = read_npz(npz_bytes("x", {{3}, {1, 2, 3}}), "x", "a.npz");
  EXPECT_THAT(again.shape, ElementsAre(3));
}

TEST(Npz, NamesAMissingArray) {
  EXPECT_THAT([] { (void)read_npz(npz_bytes("y", small), "x", "a.npz"); },
              ThrowsMessage<std::runtime_error>("a.npz: expected an array 'x', got none"));
}

TEST(Npz, RefusesATruncatedArchive) {
  Bytes bytes = npz_bytes("x", small);
  bytes.resize(bytes.size() / 2);
  EXPECT_THROW((void)read_npz(bytes, "x", "a.npz"), std::runtime_error);
}

TEST(Npz, RefusesADamagedArray) {
  Bytes bytes = npz_bytes("x", small);
  bytes[45] ^= 0x40U;  // in the deflated data
  EXPECT_THROW((void)read_npz(bytes, "x", "a.npz"), std::runtime_error);
}

// NumPy's own files: deflated and stored, doubles, integers, Fortran order; and NumPy reads ours.
TEST(Npz, AgreesWithNumpy) {
  const std::string python = tests::python_with("numpy");
  if (python.empty()) {
    GTEST_SKIP() << "numpy is not installed";
  }
  const tests::Scratch scratch;
  const Bytes ours = npz_bytes("x", small);
  std::ofstream(scratch / "ours.npz", std::ios::binary)
      .write(reinterpret_cast<const char*>(ours.data()), static_cast<std::streamsize>(ours.size()));
  const auto result = base::run_program(
      {python, "-c",
       "import numpy as np\n"
       "a = np.arange(24).reshape(2, 3, 4) / 8\n"
       "np.savez_compressed('packed.npz', x=a.astype('f4'))\n"
       "np.savez('stored.npz', y=a, x=a)\n"
       "np.savez('whole.npz', x=a.astype('i4'))\n"
       "np.savez('fortran.npz', x=np.asfortranarray(a))\n"
       "ours = np.load('ours.npz')['x']\n"
       "assert ours.shape == (2, 1, 3) and ours.dtype == np.float32 and ours[1, 0, 2] == 7, ours\n"},
      scratch.path());
  ASSERT_EQ(result.status, 0);
  for (const char* const name : {"packed.npz", "stored.npz"}) {
    const NumpyArray array = read_npz(read_bytes(scratch / name), "x", name);
    EXPECT_THAT(array.shape, ElementsAre(2, 3, 4));
    EXPECT_EQ(array.values[23], 23.0F / 8);
  }
  EXPECT_THAT([&] { (void)read_npz(read_bytes(scratch / "whole.npz"), "x", "whole.npz"); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("expected 32-bit or 64-bit floating-point numbers, got '<i4'")));
  EXPECT_THAT(
      [&] { (void)read_npz(read_bytes(scratch / "fortran.npz"), "x", "fortran.npz"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("expected an array in C order, got Fortran order")));
}

}  // namespace
}  // namespace pair::data::testing::npz_test
