#pragma once

namespace pair::cli {

// The pair program, with standard input and output: all commands of this build. Returns the exit status.
int run_standard(int argc, char** argv);

}  // namespace pair::cli
