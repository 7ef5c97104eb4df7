// Whether a shell command shows a file as it is: cat, sed -n, head, tail, nl and their like, alone,
// after others (cd src && cat a.py), through one another (nl a.py | sed -n 1,80p), in a loop or run
// by another program (timeout, xargs, find -exec, docker exec, ssh); git show REVISION:FILE; a line
// of Python and the like that opens a file.
//
// Not a shell: words, quotes and the operators between commands, as much as such commands use. A
// command that is not understood shows no file.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tare::wire {

bool shows_file(std::string_view command_line);

// One command as a list of words; a shell that is given a command line (bash -lc "...") counts as
// that line.
bool shows_file(std::span<const std::string> words);

}  // namespace tare::wire
