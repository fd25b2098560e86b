// SPDX-License-Identifier: MIT
// A problem as Matrix Market files, which every tool for matrices reads. Numbers have 17 digits: what is read is what
// was written, bit for bit.
//
//   J.mtx          rows x velocities       coordinate real general
//   M_inverse.mtx  velocities x velocities coordinate real general
//   b.mtx          rows x 1                array real general; [m/s, rad/s]
//   u_free.mtx     velocities x 1          array; [m/s, rad/s]
//   bounds.mtx     rows x 2                array; lower and upper [N s, N m s], "inf" and "-inf" where there is none
//   friction.mtx   rows x 2                array; coefficient, and the normal row from 1, or 0: not friction
//   softness.mtx   rows x 1                array; what is on the diagonal beside J M^-1 J^T [1/kg, 1/(kg m^2)]
//   impulses.mtx   rows x 1                array; [N s, N m s]
#pragma once
#include <talus/status.h>

#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "problem.h"

namespace talus::lab {

/// A file that cannot be read or written, or does not hold what it should; the message begins with "<file>:<line>: ".
class ProblemFileError : public Error {
 public:
  ProblemFileError(std::filesystem::path file, Index line, const std::string& what);
  const std::filesystem::path& file() const { return file_; }
  Index line() const { return line_; }  ///< from 1; 0: the file as a whole

 private:
  std::filesystem::path file_;
  Index line_;
};

/// `place` is a folder, existing or written with a final slash (then made): <place>/J.mtx; else the beginning of names:
/// <place>_J.mtx.
void write_problem(const std::filesystem::path& place, const Problem& problem);
/// Makes the folder, if `place` is one that has to be made.
void make_place(const std::filesystem::path& place);
/// The names of all files of a problem.
std::vector<std::filesystem::path> problem_files(const std::filesystem::path& place);
Problem read_problem(const std::filesystem::path& place);

/// The same with files that are somewhere else. An empty pointer, or a stream that is not good: no such file.
using WriteText = std::function<void(const std::filesystem::path& file, const std::string& text)>;
using OpenText = std::function<std::unique_ptr<std::istream>(const std::filesystem::path& file)>;
void write_problem(const std::filesystem::path& place, const Problem& problem, const WriteText& write);
Problem read_problem(const std::filesystem::path& place, const OpenText& open);

}  // namespace talus::lab
