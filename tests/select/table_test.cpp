#include "pair/select/table.h"

#include <gmock/gmock.h>

#include "pair/select/catalog.h"
#include "pair/select/domainbed.h"
#include "tests/select/fixtures.h"

namespace pair::select::table_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::make_run;

// Two trials in environment 0, one in environment 1.
History small_history() {
  const auto run = [](const char* name, int test_env, int trial, double accuracy) {
    select::Run made = make_run(name, {test_env}, 0, {{0, {accuracy, accuracy, accuracy}, {0.5, 0.5, 0.5}}});
    made.trial_seed = trial;
    return made;
  };
  return {run("a", 0, 0, 0.70), run("b", 0, 1, 0.74), run("c", 1, 0, 0.60)};
}

TEST(Table, HasDomainBedsEnvironmentsAndAnXWhereNothingRan) {
  const History history = small_history();
  const std::vector<Table> tables = tables_of(train_domain(history), history);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_THAT(tables[0].columns, ElementsAre("+90%", "+80%", "-90%"));
  EXPECT_EQ(as_text(tables[0]),
            "-------- Dataset: ColoredMNIST, model selection method: training-domain validation set\n"
            "Algorithm             +90%                  +80%                  -90%                  Avg\n"
            "IRM                   72.0 +/- 1.4          60.0 +/- 0.0          X                     X\n");
}

TEST(Table, ExplainsAnXWhereItHasOne) {
  History history = small_history();
  EXPECT_EQ(explanation_of_x(tables_of(train_domain(history), history)[0]),
            "X: no run was selected; a row with an X has no average.");
  for (select::Run& run : history) {
    run.dataset = "cmnist";
  }
  EXPECT_EQ(explanation_of_x(tables_of(train_domain(history), history)[0]), "");
}

TEST(Table, ShowsLongNamesOfMethodsWhole) {
  History history = small_history();
  const std::vector<std::string> names = {"pair (erm, irmv1, vrex)", "pair (erm, irmv1, vrex, fishr)",
                                          "größte"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    history[i].algorithm = names[i];
  }
  const std::string text = as_text(tables_of(train_domain(history), history)[0]);
  for (const std::string& name : names) {
    EXPECT_THAT(text, ::testing::HasSubstr("\n" + name + " ")) << text;
  }
}

TEST(Table, AveragesWhatEachTrialHas) {
  const History history = small_history();
  const Table averages = tables_of(train_domain(history), history).back();
  // Trial 0: 65; trial 1: 74.
  ASSERT_TRUE(averages.rows.at(0).figures.at(0));
  EXPECT_DOUBLE_EQ(averages.rows[0].figures[0]->mean, 69.5);
  EXPECT_EQ(averages.dataset, "");
}

TEST(Table, NumbersTheEnvironmentsOfOtherDatasets) {
  History history = small_history();
  for (select::Run& run : history) {
    run.dataset = "cmnist";
  }
  EXPECT_THAT(tables_of(train_domain(history), history)[0].columns, ElementsAre("0", "1"));
}

TEST(Table, ListsDomainBedsAlgorithmsInItsOrderAndThenTheOthers) {
  History history;
  for (const char* algorithm : {"zeta", "Fishr", "alpha", "ERM", "IRM"}) {
    history.push_back(make_run(algorithm, {0}, 0, {{0, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}}}));
    history.back().algorithm = algorithm;
  }
  std::vector<std::string> names;
  const std::vector<Table> tables = tables_of(train_domain(history), history);
  for (const TableRow& row : tables[0].rows) {
    names.push_back(row.algorithm);
  }
  EXPECT_THAT(names, ElementsAre("ERM", "IRM", "Fishr", "alpha", "zeta"));
}

TEST(Table, IsLatexThatEscapes) {
  History history = small_history();
  history[0].algorithm = "IB_ERM";
  const std::string latex = as_latex(tables_of(train_domain(history), history)[0]);
  EXPECT_THAT(latex,
              HasSubstr("\\begin{tabular}{lcccc}\n\\toprule\n\\textbf{Algorithm} & \\textbf{+90\\%} & "));
  EXPECT_THAT(latex, HasSubstr("\nIB\\_ERM & 70.0 $\\pm$ 0.0 & X & X & X \\\\\n"));
}

TEST(Table, IsLatexThatEscapesNamesOfFilesAndColumns) {
  EXPECT_EQ(latex_escaped(R"(a\b{c}^~$ 1.5)"),
            R"(a\textbackslash{}b\{c\}\textasciicircum{}\textasciitilde{}\$ 1.5)");
  History history = small_history();
  for (select::Run& run : history) {
    run.dataset = "table (my_data\n.csv)";
  }
  EXPECT_THAT(as_latex(tables_of(train_domain(history), history)[0]),
              HasSubstr("\\subsubsection{table (my\\_data?.csv)}\n"));
}

TEST(Table, IsMarkdown) {
  const History history = small_history();
  EXPECT_EQ(as_markdown(tables_of(train_domain(history), history)[0]),
            "| Algorithm | +90% | +80% | -90% | Avg |\n"
            "|---|---:|---:|---:|---:|\n"
            "| IRM | 72.0 ± 1.4 | 60.0 ± 0.0 | X | X |\n");
}

// As join_algorithms leaves them: draw 0 of DomainBed's search and draw 0 of ours are two runs.
TEST(MixedSweeps, AreOneRowByDomainBedsName) {
  History history{testing::make_run("a", {0}, 0, {{0, {0.5, 0.6, 0.6}, {0.5, 0.6, 0.6}}}),
                  testing::make_run("b", {0}, 0, {{0, {0.7, 0.8, 0.8}, {0.7, 0.8, 0.8}}}),
                  testing::make_run("c", {0}, 0, {{0, {0.1, 0.8, 0.8}, {0.1, 0.8, 0.8}}})};
  history[1].algorithm = "irmv1";
  history[2].algorithm = "irmx";
  join_algorithms(history);
  EXPECT_EQ(history[1].algorithm, "IRM");
  EXPECT_EQ(history[1].logged_as, "irmv1");
  EXPECT_EQ(history[2].algorithm, "irmx");
  for (const Selection& selection : {train_domain(history), oracle(history)}) {
    ASSERT_EQ(selection.decisions.size(), 2U);
    EXPECT_EQ(selection.decisions[0].algorithm, "IRM");
    EXPECT_EQ(selection.decisions[0].candidates.size(), 2U);
    EXPECT_EQ(selection.decisions[0].chosen().run->name, "b");
    const Table table = tables_of(selection, history).front();
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(table.rows[0].algorithm, "IRM");
    EXPECT_EQ(table.rows[1].algorithm, "irmx");
  }
}

TEST(MixedSweeps, KeepNamesThatOneProgramAloneHas) {
  History history{testing::make_run("a", {0}, 0, {}), testing::make_run("b", {0}, 0, {})};
  history[0].algorithm = "irmv1";
  history[1].algorithm = "ERM";
  join_algorithms(history);
  EXPECT_EQ(history[0].algorithm, "irmv1");
  EXPECT_EQ(history[1].algorithm, "ERM");
}

Run pair_run(std::string name, std::string objectives, std::string solver = "\"epo\"") {
  Run run = testing::make_run(std::move(name), {0}, 0, {{0, {0.5, 0.6, 0.6}, {0.5, 0.6, 0.6}}});
  run.algorithm = "pair";
  run.hparams = {
      {"objectives", std::move(objectives)}, {"scheme", "\"pair\""}, {"solver", std::move(solver)}};
  return run;
}

TEST(Methods, ThatDifferInObjectivesOrSolverAreNotOneRow) {
  History history{pair_run("a", R"(["erm","irmv1"])"), pair_run("b", R"(["erm","irmv1","vrex"])"),
                  pair_run("c", R"(["erm","irmv1"])"), pair_run("d", R"(["erm","irmv1"])", "\"mgda\"")};
  name_methods(history);
  EXPECT_EQ(history[0].algorithm, "pair (erm, irmv1; epo)");
  EXPECT_EQ(history[1].algorithm, "pair (erm, irmv1, vrex; epo)");
  EXPECT_EQ(history[2].algorithm, history[0].algorithm);
  EXPECT_EQ(history[3].algorithm, "pair (erm, irmv1; mgda)");
  EXPECT_EQ(history[3].trained_as(), "pair");
  EXPECT_EQ(tables_of(train_domain(history), history).front().rows.size(), 3U);
}

TEST(Methods, KeepTheAlgorithmsNameWhereAllAreAlike) {
  History history{pair_run("a", R"(["erm","vrex"])"), pair_run("b", R"(["erm","vrex"])"),
                  testing::make_run("c", {0}, 0, {})};
  name_methods(history);
  EXPECT_EQ(history[0].algorithm, "pair");
  EXPECT_EQ(history[1].algorithm, "pair");
  EXPECT_EQ(history[2].algorithm, "IRM");
}

TEST(Methods, ThatOnlyRecordAnObjectiveAreTheSame) {
  History history{pair_run("a", R"(["erm"])"), pair_run("b", R"(["erm","irmv1"])")};
  for (select::Run& run : history) {
    run.algorithm = "erm";
    run.hparams[1].second = "\"linear\"";
    run.hparams.emplace_back("penalties", "[0.0]");
  }
  name_methods(history);
  EXPECT_EQ(history[1].algorithm, "erm");
  history[1].hparams.back().second = "[10.0]";
  name_methods(history);
  EXPECT_EQ(history[1].algorithm, "erm (erm, irmv1)");
}

TEST(Methods, GoByTheUsersName) {
  History history{pair_run("a", R"(["erm","irmv1"])"), pair_run("b", R"(["erm","vrex"])")};
  history[0].label = "my method";
  name_methods(history);
  EXPECT_EQ(history[0].algorithm, "my method");
  EXPECT_EQ(history[0].trained_as(), "pair");
  EXPECT_EQ(history[1].algorithm, "pair");
}

TEST(Columns, AreTheNamesThatRecordsGiveTheEnvironments) {
  History history{pair_run("a", R"(["erm","irmv1"])")};
  history[0].dataset = "cmnist";
  history[0].environments = {"beta 0.9", "beta 0.1", "beta 0.2"};
  EXPECT_THAT(tables_of(train_domain(history), history).front().columns, ::testing::ElementsAre("beta 0.9"));
  history.push_back(history[0]);
  history[1].environments = {"beta 0.5"};
  EXPECT_THAT(tables_of(train_domain(history), history).front().columns, ::testing::ElementsAre("0"));
}

TEST(Catalog, HasOurNamesInDomainBedsPlaces) {
  History history;
  for (const char* name : {"pair", "vrex", "irmv1", "Fish", "irmx", "erm", "vrex", "our-arm"}) {
    history.push_back(testing::make_run(name, {0}, 0, {}));
    history.back().algorithm = name;
  }
  history.back().declared.domainbed = "ARM";
  EXPECT_THAT(algorithms_in_order(history),
              ::testing::ElementsAre("erm", "Fish", "irmv1", "our-arm", "vrex", "irmx", "pair"));
}

TEST(MixedSweeps, GoByTheNameThatRecordsDeclare) {
  History history{testing::make_run("a", {0}, 0, {}), testing::make_run("b", {0}, 0, {})};
  history[0].algorithm = "our-arm";
  history[0].declared.domainbed = "ARM";
  history[1].algorithm = "ARM";
  EXPECT_TRUE(is_algorithm("arm", history[0]));
  EXPECT_FALSE(is_algorithm("irm", history[0]));
  join_algorithms(history);
  EXPECT_EQ(history[0].algorithm, "ARM");
  EXPECT_EQ(history[0].logged_as, "our-arm");
  EXPECT_TRUE(is_algorithm("our-arm", history[0]));
}

}  // namespace
}  // namespace pair::select::table_test
