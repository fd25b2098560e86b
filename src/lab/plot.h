// SPDX-License-Identifier: MIT
// Curves and points as SVG: enough for convergence and spectra, and nothing to install.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace talus::lab {

struct PlotSeries {
  std::string name;  ///< in the legend; empty: not there
  std::vector<double> x, y;
  bool points = false;  ///< marks instead of a line
};

struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;  ///< numbers that are not positive are left out
  bool unit_circle = false;           ///< drawn as a guide, with equal scales
  std::vector<PlotSeries> series;
};

/// The picture as a document of its own. Numbers that are not finite break a line.
std::string to_svg(const Plot& plot);
/// Throws Error if the file cannot be written.
void write_svg(const std::filesystem::path& file, const Plot& plot);

}  // namespace talus::lab
