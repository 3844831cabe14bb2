#include "pair/cli/program.h"

int main(int argc, char** argv) {
  pair::cli::end_process(pair::cli::run_standard(argc, argv));
}
