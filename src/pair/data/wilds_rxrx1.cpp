#include <array>
#include <string>

#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"
#include "pair/data/wilds_metrics.h"
#include "pair/data/wilds_table.h"

// RxRx1 (Taylor et al. 2019): the genetic treatment of cells in a fluorescence image, by experiment. A training
// experiment's site 1 is for training, its site 2 is id_test.

namespace pair::data {
namespace {

WildsSet read_rxrx1(const std::filesystem::path& folder, const WildsOptions& /*options*/) {
  enum Columns : std::size_t { dataset, site, experiment, plate, well, cell_type, sirna };
  const std::filesystem::path file = folder / "metadata.csv";
  WildsTable table(file, {"dataset", "site", "experiment", "plate", "well", "cell_type", "sirna_id"});
  WildsSet set{.splits = {Split::train, Split::val, Split::test, Split::id_test},
               .fields = {"cell_type", "experiment", "plate", "well", "site", "y", "from_source_domain"},
               .rows = 256,
               .columns = 256};
  FirstSeen cell_types;
  FirstSeen experiments;
  FirstSeen wells;
  std::vector<double> labels;
  while (table.next()) {
    const std::string_view stated = table.text(dataset);
    if (stated != "train" && stated != "val" && stated != "test") {
      table.refuse(dataset, "train, val or test");
    }
    const std::int64_t site_number = table.whole(site, 1, 2);
    const Split of = stated == "train" ? (site_number == 2 ? Split::id_test : Split::train)
                     : stated == "val" ? Split::val
                                       : Split::test;
    const std::int64_t plate_number = table.whole(plate, 0, 1000);
    labels.push_back(static_cast<double>(table.whole(sirna, 0, 1'000'000)));
    set.split.emplace_back(of);
    set.inputs.push_back("images/" + std::string(table.text(experiment)) + "/Plate" +
                         std::to_string(plate_number) + "/" + std::string(table.text(well)) + "_s" +
                         std::to_string(site_number) + ".png");
    set.metadata.insert(set.metadata.end(),
                        {static_cast<double>(cell_types.of(table.text(cell_type))),
                         static_cast<double>(experiments.of(table.text(experiment))),
                         static_cast<double>(plate_number), static_cast<double>(wells.of(table.text(well))),
                         static_cast<double>(site_number), labels.back(), of == Split::train ? 1.0 : 0.0});
  }
  set.classes = numbers_as_names(check_all_occur(labels, file, "sirna_id"));
  set.meanings = {
      {"cell_type", cell_types.names()}, {"experiment", experiments.names()}, {"well", wells.names()}};
  return set;
}

WildsGroups rxrx1_environments(const WildsSet& set, WildsEnvironments /*which*/) {
  WildsGroups groups = WildsGrouper(set, std::array<std::string_view, 1>{"experiment"}).groups();
  groups.names = set.meanings.at("experiment");
  return groups;
}

WildsScores evaluate_rxrx1(const WildsSet& set, std::span<const std::size_t> samples,
                           std::span<const double> predictions) {
  return accuracy_scores(set, "cell_type", samples, predictions);
}

void generate_rxrx1(const std::filesystem::path& folder, const WildsGeneration& options, Random& random) {
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
          write_made(folder / "images" / experiment / ("Plate" + std::to_string(plate)) /
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
  write_made(folder / "metadata.csv", table);
}

}  // namespace

WildsKind wilds_rxrx1() {
  return {"rxrx1",
          "1.0",
          "WILDS' RxRx1: genetic treatments of cells, by experiment",
          {"acc_avg"},
          {"seed:0", "seed:1", "seed:2"},
          read_rxrx1,
          rxrx1_environments,
          evaluate_rxrx1,
          generate_rxrx1,
          {.image_size = 256,
           .standardised = true,
           .settings = {{"model", "resnet50"},
                        {"batch", "72"},
                        {"environments", "10"},
                        {"pretrain", "15000"},
                        {"steps", "20300"},
                        {"lr", "1e-3"},
                        {"amsgrad", "true"},
                        {"l2", "5e-6"},  // half of torch's weight_decay
                        {"warmup", "5415"},
                        {"schedule", "cosine"},
                        {"balance_optimizer", "adam"},
                        {"balance_lr", "1e-3"},
                        {"freeze_featurizer", "true"},
                        {"preference", "1,1e8,1e12"},
                        {"irmv1_constant", "1"},
                        {"eval_every", "2000"},
                        {"checkpoint_every", "500"}}}};
}

}  // namespace pair::data
