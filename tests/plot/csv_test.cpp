#include "pair/plot/csv.h"

#include <gmock/gmock.h>

#include <cmath>

namespace pair::plot::csv_test {
namespace {

const std::string header = "panel,mark,name,spoke,x,y,x2,y2,value\r\n";

TEST(Csv, HasALineForEveryNumber) {
  const Chart chart{.marks = {Line{.name = "ERM", .x = {0, 1}, .y = {0.1, NAN}},
                              Band{.x = {2}, .low = {3}, .high = {INFINITY}}, Span{"fitting", 0, 150},
                              Label{"f", 1, 2, "IRM"}, rectangle("region", 0, 1, 2, 3),
                              HeatMap{.label = "accuracy", .field = {2, 1, {5, 6}, 0, 4, 0, 2}}}};
  const Radar radar{.spokes = {"a", "b", "c"}, .series = {{"PAIR-o", {1, 2, 3}}}};
  EXPECT_EQ(to_csv({.panels = {chart, radar}}), header +
                                                    "1,line,ERM,,0,0.1,,,\r\n"
                                                    "1,line,ERM,,1,,,,\r\n"
                                                    "1,band,,,2,3,,inf,\r\n"
                                                    "1,span,fitting,,0,,150,,\r\n"
                                                    "1,label,f_IRM,,1,2,,,\r\n"
                                                    "1,region,region,,0,2,,,\r\n"
                                                    "1,region,region,,1,2,,,\r\n"
                                                    "1,region,region,,1,3,,,\r\n"
                                                    "1,region,region,,0,3,,,\r\n"
                                                    "1,heat_map,accuracy,,1,1,,,5\r\n"
                                                    "1,heat_map,accuracy,,3,1,,,6\r\n"
                                                    "2,radar,PAIR-o,a,,,,,1\r\n"
                                                    "2,radar,PAIR-o,b,,,,,2\r\n"
                                                    "2,radar,PAIR-o,c,,,,,3\r\n");
}

TEST(Csv, QuotesNames) {
  const Chart chart{.marks = {Points{.name = "a,\"b\"\nc", .x = {1}, .y = {2}}}};
  EXPECT_EQ(to_csv({.panels = {chart}}), header + "1,points,\"a,\"\"b\"\"\nc\",,1,2,,,\r\n");
}

TEST(Csv, HasACellsCentreAsDrawnOnALogarithmicAxis) {
  const Chart chart{.x = {.scale = Scale::logarithmic},
                    .marks = {HeatMap{.field = {1, 1, {7}, 1, 100, 0, 1}}}};
  EXPECT_THAT(to_csv({.panels = {chart}}), ::testing::EndsWith("heat_map,,,10,0.5,,,7\r\n"));
}

TEST(Csv, OfNothingIsItsHeader) {
  EXPECT_EQ(to_csv({}), header);
}

}  // namespace
}  // namespace pair::plot::csv_test
