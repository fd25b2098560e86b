// SPDX-License-Identifier: MIT
#include "problem_file.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

namespace talus::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCoordinate = "%%MatrixMarket matrix coordinate real general";
constexpr const char* kArray = "%%MatrixMarket matrix array real general";

fs::path file_of(const fs::path& place, const std::string& name) {
  if (!place.has_filename() || fs::is_directory(place)) return place / (name + ".mtx");
  fs::path file = place;
  file += '_';
  file += name;
  file += ".mtx";
  return file;
}

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw ProblemFileError(file, 0, "cannot be written (" + std::to_string(text.size()) + " bytes)");
}

std::string text_of(const SparseMatrix& matrix) {
  std::ostringstream text;
  text << kCoordinate << '\n' << matrix.rows() << ' ' << matrix.cols() << ' ' << matrix.nonZeros() << '\n';
  for (Index row = 0; row < Index(matrix.rows()); ++row) {
    for (SparseMatrix::InnerIterator entry(matrix, row); entry; ++entry) {
      text << row + 1 << ' ' << entry.col() + 1 << ' ' << digits(entry.value()) << '\n';
    }
  }
  return text.str();
}

std::string text_of(const Matrix& matrix) {
  std::ostringstream text;
  text << kArray << '\n' << matrix.rows() << ' ' << matrix.cols() << '\n';
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) text << digits(matrix(row, column)) << '\n';
  }
  return text.str();
}

/// The lines of one file that are neither comment nor empty, each taken apart at spaces.
class MatrixReader {
 public:
  MatrixReader(fs::path file, const OpenText& open, const std::string& header)
      : file_(std::move(file)), in_(open(file_)) {
    if (in_ == nullptr || !*in_) throw ProblemFileError(file_, 0, "cannot be opened");
    std::string first;
    std::getline(*in_, first);
    ++line_;
    if (!first.empty() && first.back() == '\r') first.pop_back();
    if (first != header) fail("begins with \"" + first.substr(0, 80) + "\", not \"" + header + "\"");
  }

  [[noreturn]] void fail(const std::string& what) const { throw ProblemFileError(file_, line_, what); }

  [[noreturn]] void fail_at(const std::string& word, const std::string& what) const {
    std::ostringstream text;  // gcc 12 warns of sums of strings here without reason
    text << '"' << std::string_view(word).substr(0, 40) << "\" is " << what;
    fail(text.str());
  }

  /// The next line's words.
  std::vector<std::string> words(std::size_t count) {
    std::vector<std::string> found;
    if (!next(found)) {
      ++line_;
      fail("ends too early");
    }
    if (found.size() != count) {
      fail(std::to_string(found.size()) + " words where " + std::to_string(count) + " are expected");
    }
    return found;
  }

  /// A whole number between low and high.
  Index index(const std::string& word, Index low, Index high) const {
    Index value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < low || value > high) {
      fail_at(word, "no whole number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    return value;
  }

  /// A number; infinite ones where they are allowed, never NaN.
  double number(const std::string& word, bool infinite) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc{} && end == word.data() + word.size();
    if (!whole || std::isnan(value) || (!infinite && std::isinf(value))) {
      fail_at(word, infinite ? "no number" : "no finite number");
    }
    return value;
  }

  void expect_end() {
    std::vector<std::string> found;
    if (next(found)) fail("goes on after its last entry");
  }

 private:
  bool next(std::vector<std::string>& found) {
    std::string line;
    while (std::getline(*in_, line)) {
      ++line_;
      if (!line.empty() && line[0] == '%') continue;
      std::istringstream stream(line);
      for (std::string word; stream >> word;) found.push_back(word);
      if (!found.empty()) return true;
    }
    return false;
  }

  fs::path file_;
  std::unique_ptr<std::istream> in_;
  Index line_ = 0;
};

constexpr Index kMostRows = 10'000'000;  // more than the laboratory can solve; bounds what a wrong number asks for

/// `size`: what both dimensions have to be, -1: any.
SparseMatrix read_sparse(const fs::path& file, const OpenText& open, Index size) {
  MatrixReader reader(file, open, kCoordinate);
  const std::vector<std::string> sizes = reader.words(3);
  const Index rows = reader.index(sizes[0], 0, kMostRows);
  const Index columns = reader.index(sizes[1], 0, kMostRows);
  if (size >= 0 && (rows != size || columns != size)) {
    reader.fail("is " + sizes[0] + " x " + sizes[1] + ", not " + std::to_string(size) + " x " + std::to_string(size));
  }
  const Index count = reader.index(sizes[2], 0, std::numeric_limits<Index>::max());
  std::vector<Eigen::Triplet<double, Index>> entries;  // grows as it is read: the count is not to be trusted
  for (Index i = 0; i < count; ++i) {
    const std::vector<std::string> entry = reader.words(3);
    entries.emplace_back(reader.index(entry[0], 1, rows) - 1, reader.index(entry[1], 1, columns) - 1,
                         reader.number(entry[2], false));
  }
  reader.expect_end();
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (Index(matrix.nonZeros()) != count) reader.fail("names an entry twice");
  return matrix;
}

Matrix read_dense(const fs::path& file, const OpenText& open, Index rows, Index columns, bool infinite) {
  MatrixReader reader(file, open, kArray);
  const std::vector<std::string> sizes = reader.words(2);
  if (reader.index(sizes[0], 0, kMostRows) != rows || reader.index(sizes[1], 0, kMostRows) != columns) {
    reader.fail("is " + sizes[0] + " x " + sizes[1] + ", not " + std::to_string(rows) + " x " +
                std::to_string(columns));
  }
  std::vector<double> numbers;  // grows as it is read
  for (std::int64_t i = 0; i < std::int64_t(rows) * columns; ++i) {
    numbers.push_back(reader.number(reader.words(1)[0], infinite));
  }
  reader.expect_end();
  return Eigen::Map<const Matrix>(numbers.data(), rows, columns);
}

std::vector<Index> normals_of(const fs::path& file, const Vector& numbers) {
  constexpr Index kHeaderLines = 2;
  std::vector<Index> normals;
  for (Eigen::Index row = 0; row < numbers.size(); ++row) {
    const double number = numbers[row];
    if (!(number >= 0.0 && number <= double(numbers.size()) && number == std::floor(number))) {
      throw ProblemFileError(file, kHeaderLines + Index(numbers.size() + row) + 1,
                             digits(number) + " is no normal row from 1, nor 0");
    }
    normals.push_back(Index(number) - 1);
  }
  return normals;
}

}  // namespace

ProblemFileError::ProblemFileError(fs::path file, Index line, const std::string& what)
    : Error(file.string() + ":" + std::to_string(line) + ": " + what), file_(std::move(file)), line_(line) {}

void make_place(const fs::path& place) {
  std::error_code ignored;  // a folder that is not there shows when its first file is written
  if (!place.has_filename()) fs::create_directories(place, ignored);
}

std::vector<fs::path> problem_files(const fs::path& place) {
  std::vector<fs::path> files;
  for (const char* name : {"J", "M_inverse", "b", "u_free", "bounds", "friction", "softness", "impulses"}) {
    files.push_back(file_of(place, name));
  }
  return files;
}

void write_problem(const fs::path& place, const Problem& problem) {
  make_place(place);
  write_problem(place, problem, write_text);
}

void write_problem(const fs::path& place, const Problem& problem, const WriteText& write) {
  Matrix bounds(problem.row_count(), 2);
  bounds << problem.lower, problem.upper;
  Matrix friction(problem.row_count(), 2);
  friction.col(0) = problem.friction;
  for (Index row = 0; row < problem.row_count(); ++row) friction(row, 1) = problem.normal[std::size_t(row)] + 1;
  write(file_of(place, "J"), text_of(problem.jacobian));
  write(file_of(place, "M_inverse"), text_of(problem.inv_mass));
  write(file_of(place, "b"), text_of(Matrix(problem.b)));
  write(file_of(place, "u_free"), text_of(Matrix(problem.free_velocity)));
  write(file_of(place, "bounds"), text_of(bounds));
  write(file_of(place, "friction"), text_of(friction));
  write(file_of(place, "softness"), text_of(Matrix(problem.softness)));
  write(file_of(place, "impulses"), text_of(Matrix(problem.impulse)));
}

Problem read_problem(const fs::path& place) {
  return read_problem(place,
                      [](const fs::path& file) { return std::make_unique<std::ifstream>(file, std::ios::binary); });
}

Problem read_problem(const fs::path& place, const OpenText& open) {
  Problem p;
  p.jacobian = read_sparse(file_of(place, "J"), open, -1);
  p.inv_mass = read_sparse(file_of(place, "M_inverse"), open, p.dof_count());
  p.b = read_dense(file_of(place, "b"), open, p.row_count(), 1, false);
  p.free_velocity = read_dense(file_of(place, "u_free"), open, p.dof_count(), 1, false);
  const Matrix bounds = read_dense(file_of(place, "bounds"), open, p.row_count(), 2, true);
  p.lower = bounds.col(0);
  p.upper = bounds.col(1);
  const Matrix friction = read_dense(file_of(place, "friction"), open, p.row_count(), 2, false);
  p.friction = friction.col(0);
  p.normal = normals_of(file_of(place, "friction"), friction.col(1));
  p.softness = read_dense(file_of(place, "softness"), open, p.row_count(), 1, false);
  p.impulse = read_dense(file_of(place, "impulses"), open, p.row_count(), 1, false);
  try {
    return make_problem(std::move(p));
  } catch (const ProblemFileError&) {
    throw;
  } catch (const Error& error) {  // values that only disagree with each other
    throw ProblemFileError(place, 0, error.what());
  }
}

}  // namespace talus::lab
