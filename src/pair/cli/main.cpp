#include "pair/cli/program.h"

int main(int argc, char** argv) {
  return pair::cli::run_standard(argc, argv);
}
