// starting_by_fork PROGRAM ARGUMENT...: executes a test program that will start pair by fork (become_pair.h).
// The test program then loads LibTorch with the variables that 'pair' sets before it executes its training half, so
// that both compute with the same kernels.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "pair/cli/blas.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("starting_by_fork: expected a program\n", stderr);
    return 2;
  }
  pair::cli::choose_blas_kernels();
  pair::cli::choose_onednn_kernels();
  ::setenv("PAIR_TEST_START", "fork", 0);
  ::execv(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}
