#pragma once

#include <string>
#include <vector>

namespace pair::tests {

// For a process that fork() has just made: becomes 'pair ARGUMENTS...', the program PAIR_PROGRAM, with the standard
// streams and the folder that it has, no other open file, and the signals of a shell. Does not return, and ends as
// the program would by an exception that is not caught: the new process must not continue with tests.
//
// Usually it executes the program. Loading LibTorch then takes half a second, for a thousand starts more than half the
// time of all tests. So a test program that is linked with the commands (FORKS in tests/CMakeLists.txt) and that was
// started by 'starting_by_fork' calls them instead, in a process that has LibTorch already. This is left out for
// commands that need no LibTorch and for those that start their own program file again. PAIR_TEST_START=exec executes
// the program in all cases, as the preset tsan does: the thread sanitizer does not support threads after a fork() in a
// process that has had threads, such as OpenBLAS's.
[[noreturn]] void become_pair(const std::vector<std::string>& arguments) noexcept;

}  // namespace pair::tests
