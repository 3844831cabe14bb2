#include "pair/data/wilds_generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/data/image_writer.h"
#include "pair/data/npz.h"
#include "pair/data/random.h"
#include "pair/data/wilds.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

std::string two_digits(std::uint64_t number) {
  std::string text(number < 10 ? "0" : "");
  text += std::to_string(number);
  return text;
}

void write_bytes(const fs::path& path, const char* bytes, std::size_t size) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(size));
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

void write_bytes(const fs::path& path, const Bytes& bytes) {
  write_bytes(path, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void write_text(const fs::path& path, const std::string& text) {
  write_bytes(path, text.data(), text.size());
}

// Squares of random brightness. The label sets the brightness of the centre, the environment the tint of all,
// and the cue, which may be the label or another number, a stripe at the top. Few different bytes: files are
// small.
struct MadePicture {
  std::int64_t rows = 96;
  std::int64_t columns = 96;
  std::size_t label = 0;
  std::size_t labels = 2;
  std::size_t environment = 0;
  std::size_t cue = 0;
};

Image made_picture(const MadePicture& what, Random& random) {
  Image image{what.rows, what.columns, Bytes(static_cast<std::size_t>(what.rows * what.columns * 3))};
  constexpr std::int64_t squares = 8;
  std::array<std::array<double, squares>, squares> brightness{};
  for (auto& line : brightness) {
    for (double& square : line) {
      square = random.uniform(80, 140);
    }
  }
  const auto share = [&](std::size_t number) {
    return static_cast<double>(number % what.labels) /
           static_cast<double>(std::max<std::size_t>(what.labels - 1, 1));
  };
  const std::array<double, 3> tint{1.0, 0.7 + 0.1 * static_cast<double>(what.environment % 4),
                                   1.0 - 0.1 * static_cast<double>(what.environment % 5)};
  for (std::int64_t row = 0; row < what.rows; ++row) {
    const std::int64_t across = row * squares / what.rows;
    for (std::int64_t column = 0; column < what.columns; ++column) {
      const std::int64_t down = column * squares / what.columns;
      double value = brightness[static_cast<std::size_t>(across)][static_cast<std::size_t>(down)];
      if (across >= 3 && across <= 4 && down >= 3 && down <= 4) {
        value = 20 + 200 * share(what.label);
      }
      if (across == 0) {
        value = 20 + 200 * share(what.cue);
      }
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.pixels[static_cast<std::size_t>((row * what.columns + column) * 3) + channel] =
            static_cast<std::uint8_t>(value * tint[channel]);
      }
    }
  }
  return image;
}

// A cue that agrees with the label in 9 of 10 cases, and with another one in test environments.
std::size_t made_cue(std::size_t label, std::size_t labels, bool test, Random& random) {
  return random.bernoulli(test ? 0.1 : 0.9) ? label : (label + 1 + random.below(labels - 1)) % labels;
}

void generate_camelyon17(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::size_t hospitals = 5;
  constexpr std::size_t slides = 10;  // per hospital
  std::string table = ",patient,node,x_coord,y_coord,tumor,slide,center,split\n";
  std::size_t row = 0;
  for (std::size_t center = 0; center < hospitals; ++center) {
    for (std::int64_t n = 0; n < 4 * options.samples; ++n) {
      const std::size_t slide = static_cast<std::size_t>(n) % slides;
      const std::string patient = "0" + two_digits(20 * center + slide);
      const std::size_t node = slide % 5;
      const std::uint64_t x = 3328 + 32 * static_cast<std::uint64_t>(n);
      const std::uint64_t y = 21792 + 32 * random.below(100);
      const std::size_t tumor = random.below(2);
      // The file states a split for the validation and test hospitals, too, which is not used.
      const int split = n % 4 == 3 ? 1 : 0;
      const std::string place = "patient_" + patient + "_node_" + std::to_string(node);
      const std::string at = "_x_" + std::to_string(x) + "_y_" + std::to_string(y);
      table += std::to_string(row++) + "," + patient + "," + std::to_string(node) + "," + std::to_string(x) +
               "," + std::to_string(y) + "," + std::to_string(tumor) + "," +
               std::to_string(slides * center + slide) + "," + std::to_string(center) + "," +
               std::to_string(split) + "\n";
      write_bytes(folder / "patches" / place / ("patch_" + place + at + ".png"),
                  png_bytes(made_picture({.label = tumor,
                                          .environment = center,
                                          .cue = made_cue(tumor, 2, center == 1 || center == 2, random)},
                                         random)));
    }
  }
  write_text(folder / "metadata.csv", table);
}

void generate_civilcomments(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::array<const char*, 8> identities{"male",   "female",          "LGBTQ", "christian",
                                                  "muslim", "other_religions", "black", "white"};
  constexpr std::array<const char*, 7> others{
      "severe_toxicity", "obscene", "sexual_explicit", "identity_attack", "insult", "threat", "identity_any"};
  constexpr std::array<const char*, 6> kind_words{"thoughtful", "helpful", "clear",
                                                  "friendly",   "fair",    "calm"};
  constexpr std::array<const char*, 6> rude_words{"stupid", "idiotic", "awful", "dumb", "trash", "garbage"};
  std::string table = ",id,comment_text,split,created_date,toxicity";
  for (const char* const name : others) {
    table += std::string(",") + name;
  }
  for (const char* const name : identities) {
    table += std::string(",") + name;
  }
  table += ",identity_annotator_count,toxicity_annotator_count\n";
  std::size_t row = 0;
  for (const char* const split : {"train", "val", "test"}) {
    // Each split has all 16 groups, comments without an identity, and comments with two.
    const std::int64_t rounds = split[1] == 'r' ? 2 * options.samples : options.samples;
    for (std::int64_t n = 0; n < rounds * 20; ++n) {
      const auto kind = static_cast<std::size_t>(n % 20);
      const bool toxic = kind % 2 == 1;
      const std::size_t first = kind / 2;  // 8 and 9: none
      const std::size_t second = n % 3 == 0 ? random.below(8) : first;
      // 0.5 exactly counts as true.
      const double toxicity = toxic ? (n % 5 == 0 ? 0.5 : random.uniform(0.5, 1)) : random.uniform(0, 0.49);
      std::string comment = "This " + std::string(first < 8 ? identities[first] : "person's") +
                            " opinion is " +
                            std::string(toxic ? rude_words[random.below(6)] : kind_words[random.below(6)]);
      if (n % 4 == 0) {
        comment += ", \"really\".\nA second line, na\xc3\xafve \xe2\x80\x94 number " + std::to_string(n);
      }
      table += std::to_string(row) + "," + std::to_string(5000000 + row) + "," + base::csv_value(comment) +
               "," + split + ",2017-06-0" + std::to_string(1 + n % 9) + " 10:00:00+00:00," +
               std::to_string(toxicity);
      ++row;
      for (std::size_t i = 0; i < others.size(); ++i) {
        const bool any = i == 6 && first < 8;
        table += ',';
        table += std::to_string(any ? 1.0 : toxic && i == 4 ? 0.75 : random.uniform(0, 0.6));
      }
      for (std::size_t i = 0; i < identities.size(); ++i) {
        const bool named = i == first || (first < 8 && i == second);
        table += ',';
        table += std::to_string(named ? (n % 7 == 0 ? 0.5 : 1.0) : random.uniform(0, 0.45));
      }
      table += ",4," + std::to_string(4 + random.below(6)) + "\n";
    }
  }
  write_text(folder / "all_data_with_identities.csv", table);
}

// The tokens of the made-up comments, for a tokenizer of uncased BERT models.
std::string civilcomments_vocabulary() {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (const char* const word :
       {"this",    "male",      "female", "lgbtq",        "christian", "muslim",     "other",
        "_",       "religions", "black",  "white",        "person",    "'",          "s",
        "opinion", "is",        ",",      "\"",           "really",    ".",          "a",
        "second",  "line",      "naive",  "\xe2\x80\x94", "number",    "thoughtful", "helpful",
        "clear",   "friendly",  "fair",   "calm",         "stupid",    "idiotic",    "awful",
        "dumb",    "trash",     "garbage"}) {
    text += std::string(word) + "\n";
  }
  for (int digit = 0; digit < 10; ++digit) {
    text += std::to_string(digit) + "\n##" + std::to_string(digit) + "\n";
  }
  return text;
}

void generate_fmow(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::array<const char*, 4> categories{"airport", "crop_field", "park", "stadium"};
  struct Country {
    const char* code;
    const char* region;
  };
  // XYZ is not in the mapping, so its region is "Other".
  constexpr std::array<Country, 6> countries{Country{"FRA", "Europe"}, {"IND", "Asia"},
                                             {"USA", "Americas"},      {"KEN", "Africa"},
                                             {"AUS", "Oceania"},       {"XYZ", ""}};
  std::string mapping = "name,alpha-2,alpha-3,country-code,region\n";
  for (const Country& country : countries) {
    if (*country.region != '\0') {
      mapping += std::string("Name of ") + country.code + "," + std::string(country.code, 2) + "," +
                 country.code + ",250," + country.region + "\n";
    }
  }
  write_text(folder / "country_code_mapping.csv", mapping);
  std::string table =
      "split,img_filename,img_path,spatial_reference,epsg,category,visible,img_width,img_height,country_code,"
      "cloud_cover,timestamp,lat,lon\n";
  std::size_t row = 0;
  const auto add = [&](const char* split, int year, const Country& country) {
    const std::size_t category = random.below(categories.size());
    const bool test = year >= 2013;
    // The first and the last second of years are where splits change.
    const std::uint64_t day = random.below(3);
    const std::string when = std::to_string(year) + (day == 0   ? "-01-01T00:00:00Z"
                                                     : day == 1 ? "-12-31T23:59:59Z"
                                                                : "-06-15T10:04:30Z");
    const std::string name = std::string(categories[category]) + "_" + std::to_string(row) + "_rgb.jpg";
    table += std::string(split) + "," + name + "," + split + "/" + name + ",GEOGCS,4326," +
             categories[category] + ",True,512,512," + country.code + ",0," + when + ",1.5,2.5\n";
    write_bytes(folder / "images" / ("rgb_img_" + std::to_string(row) + ".png"),
                png_bytes(made_picture({.rows = 224,
                                        .columns = 224,
                                        .label = category,
                                        .labels = categories.size(),
                                        .environment = static_cast<std::size_t>(year),
                                        .cue = made_cue(category, categories.size(), test, random)},
                                       random)));
    ++row;
  };
  for (std::int64_t n = 0; n < options.samples; ++n) {
    for (const Country& country : countries) {
      add("train", 2003 + static_cast<int>(n % 2) * 9, country);
      add("seq", 2010 + static_cast<int>(n % 7), country);
      add("val", n % 2 == 0 ? 2012 : 2014, country);
      add("test", n % 2 == 0 ? 2011 : 2016 + static_cast<int>(n % 4 == 1), country);
    }
    // In no split: training rows of later years, and others between the years of val and test.
    add("train", 2013, countries[0]);
    add("val", 2017, countries[1]);
    add("test", 2014, countries[2]);
  }
  write_text(folder / "rgb_metadata.csv", table);
}

void generate_iwildcam(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::size_t classes = 6;
  constexpr std::size_t train_locations = 6;
  constexpr std::size_t locations = 10;  // then two of val and two of test
  constexpr std::array<const char*, classes> names{"empty",          "tayassu pecari", "dasyprocta punctata",
                                                   "cuniculus paca", "puma concolor",  "tapirus terrestris"};
  std::string categories = "y,category_id,name\n";
  for (std::size_t y = 0; y < classes; ++y) {
    categories += std::to_string(y) + "," + std::to_string(10 * y) + "," + names[y] + "\n";
  }
  write_text(folder / "categories.csv", categories + "99999,571,unknown bat\n");
  std::string table =
      ",split,location_remapped,location,sequence_remapped,seq_id,y,category_id,datetime,filename,image_id\n";
  std::size_t row = 0;
  for (std::size_t location = 0; location < locations; ++location) {
    for (std::int64_t n = 0; n < 2 * options.samples; ++n) {
      const char* const split = location >= train_locations + 2 ? "test"
                                : location >= train_locations   ? "val"
                                : n % 4 == 2                    ? "id_val"
                                : n % 4 == 3                    ? "id_test"
                                                                : "train";
      const std::size_t y = row < classes ? row : random.below(classes);
      char id[64];
      std::snprintf(id, sizeof id, "%08llx-21bc-11ea-a13a-137349068a90",
                    static_cast<unsigned long long>(random.bits() & 0xffffffffU));
      table += std::to_string(row) + "," + split + "," + std::to_string(location) + "," +
               std::to_string(100 + location) + "," + std::to_string(row / 2) + ",seq-" +
               std::to_string(row / 2) + "," + std::to_string(y) + "," + std::to_string(10 * y) + ",2013-" +
               two_digits(1 + random.below(12)) + "-" + two_digits(1 + random.below(28)) + " " +
               two_digits(random.below(24)) + ":" + two_digits(random.below(60)) + ":" +
               two_digits(random.below(60)) + ".000," + id + ".jpg," + id + "\n";
      ++row;
      // Cameras have different resolutions.
      write_bytes(folder / "train" / (std::string(id) + ".jpg"),
                  jpeg_bytes(made_picture({.rows = location % 2 == 0 ? 180 : 150,
                                           .columns = location % 2 == 0 ? 240 : 200,
                                           .label = y,
                                           .labels = classes,
                                           .environment = location,
                                           .cue = made_cue(y, classes, location >= train_locations, random)},
                                          random)));
    }
  }
  write_text(folder / "metadata.csv", table);
}

void generate_poverty(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::array<const char*, 23> countries{
      "angola",   "benin",      "burkina_faso", "cameroon", "cote_d_ivoire", "democratic_republic_of_congo",
      "ethiopia", "ghana",      "guinea",       "kenya",    "lesotho",       "malawi",
      "mali",     "mozambique", "nigeria",      "rwanda",   "senegal",       "sierra_leone",
      "tanzania", "togo",       "uganda",       "zambia",   "zimbabwe"};
  constexpr std::size_t pictures = 24;
  constexpr std::int64_t side = 224;
  constexpr std::int64_t channels = 8;
  // Two thousand samples of 13 or 14 countries are held out.
  const std::size_t rows = countries.size() * static_cast<std::size_t>(164 + options.samples);
  std::vector<double> wealth(pictures);
  std::string table = "lat,lon,wealthpooled,country,year,urban,nl_mean,nl_center,households\n";
  fs::create_directories(folder / "images");
  const auto image = [&](std::size_t row) {
    return folder / "images" / ("landsat_poverty_img_" + std::to_string(row) + ".npz");
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t picture = row < pictures ? row : random.below(pictures);
    const bool urban = picture % 2 == 1;
    if (row < pictures) {
      wealth[picture] = random.uniform(-1.2, 0.8) + (urban ? 0.6 : 0.0);
      NumpyArray array{{channels, side, side}, {}};
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        // The wealth in the night's lights and, less clearly, elsewhere.
        const double level =
            channel == channels - 1 ? wealth[picture] : 0.3 * wealth[picture] + random.normal();
        for (std::int64_t i = 0; i < side * side; ++i) {
          const bool odd = (i / side / 28 + i % side / 28) % 2 == 1;
          array.values.push_back(static_cast<float>(level + (odd ? 0.25 : -0.25)));
        }
      }
      write_bytes(image(row), npz_bytes("x", array));
    } else {
      fs::create_hard_link(image(picture), image(row));
    }
    char line[200];
    std::snprintf(line, sizeof line, "%.6f,%.6f,%.15g,%s,%d,%s,%.4f,%.4f,%d\n", random.uniform(-30, 20),
                  random.uniform(-15, 45), wealth[picture] + 0.1 * random.normal(),
                  countries[row * countries.size() / rows], 2009 + static_cast<int>(random.below(8)),
                  urban ? "True" : "False", random.uniform(0, 30), random.uniform(0, 60),
                  static_cast<int>(random.below(40)) + 5);
    table += line;
  }
  write_text(folder / "dhs_metadata.csv", table);
}

void generate_rxrx1(const fs::path& folder, const WildsGeneration& options, Random& random) {
  constexpr std::array<const char*, 4> cell_types{"HEPG2", "HUVEC", "RPE", "U2OS"};
  constexpr std::size_t classes = 8;
  std::string table =
      "site_id,well_id,cell_type,dataset,experiment,plate,well,site,well_type,sirna,sirna_id\n";
  for (std::size_t type = 0; type < cell_types.size(); ++type) {
    for (std::size_t number = 1; number <= 3; ++number) {
      const char* const split = number < 3 ? "train" : type == 0 ? "val" : "test";
      const std::string experiment = std::string(cell_types[type]) + "-" + two_digits(number);
      for (std::int64_t n = 0; n < options.samples + 2; ++n) {
        const std::size_t sirna = static_cast<std::size_t>(n) < classes
                                      ? static_cast<std::size_t>(n) % classes
                                      : random.below(classes);
        const std::size_t plate = 1 + static_cast<std::size_t>(n) % 4;
        const std::string well =
            std::string(1, static_cast<char>('B' + n % 14)) + two_digits(2 + random.below(22));
        for (int site = 1; site <= 2; ++site) {
          const std::string well_id = experiment + "_" + std::to_string(plate) + "_" + well;
          table += well_id + "_" + std::to_string(site) + "," + well_id + "," + cell_types[type] + "," +
                   split + "," + experiment + "," + std::to_string(plate) + "," + well + "," +
                   std::to_string(site) + ",treatment,s" + std::to_string(15000 + sirna) + "," +
                   std::to_string(sirna) + "\n";
          write_bytes(folder / "images" / experiment / ("Plate" + std::to_string(plate)) /
                          (well + "_s" + std::to_string(site) + ".png"),
                      png_bytes(made_picture({.rows = 256,
                                              .columns = 256,
                                              .label = sirna,
                                              .labels = classes,
                                              .environment = 3 * type + number,
                                              .cue = made_cue(sirna, classes, number == 3, random)},
                                             random)));
        }
      }
    }
  }
  write_text(folder / "metadata.csv", table);
}

}  // namespace

void generate_wilds(std::string_view name, const fs::path& root, const WildsGeneration& options) {
  const WildsKind& kind = wilds_named(name);
  base::require_integer("samples", options.samples, 1, 1000);
  const fs::path folder = root / (std::string(kind.name) + "_v" + std::string(kind.version));
  if (fs::exists(folder)) {
    throw std::invalid_argument(folder.string() +
                                ": expected a folder that does not exist yet, got one that does");
  }
  Random random(options.seed, "generated " + std::string(name));
  const auto generate = name == "camelyon17"      ? generate_camelyon17
                        : name == "civilcomments" ? generate_civilcomments
                        : name == "fmow"          ? generate_fmow
                        : name == "iwildcam"      ? generate_iwildcam
                        : name == "poverty"       ? generate_poverty
                                                  : generate_rxrx1;
  generate(folder, options, random);
  if (name == "civilcomments") {
    write_text(root / "civilcomments_vocab.txt", civilcomments_vocabulary());
  }
  write_text(folder / ("RELEASE_v" + std::string(kind.version) + ".txt"),
             "Synthetic data in the layout of WILDS' release; not the real dataset.\n");
}

}  // namespace pair::data
