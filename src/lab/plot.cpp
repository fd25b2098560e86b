// SPDX-License-Identifier: MIT
#include "plot.h"

#include <talus/status.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

namespace talus::lab {
namespace {

constexpr double kWidth = 860.0, kHeight = 480.0;
constexpr double kLeft = 78.0, kRight = 200.0, kTop = 44.0, kBottom = 58.0;  // margins; the legend stands at the right
constexpr double kMark = 5.0;                                                // a mark on the border is seen whole
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kPlotHeight = kHeight - kTop - kBottom;

// Okabe and Ito's colors, which differ for all kinds of color blindness; yellow is left out on white.
constexpr std::array kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
constexpr std::array kDashes{"", "6 3", "2 3", "8 3 2 3"};  // for more series than colors

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string number(double value, const char* format = "%.2f") {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

struct Tick {
  double place;  // on the axis, as it is drawn: a logarithm where it is logarithmic
  std::string label;
};

/// One axis: from numbers to parts of its length, and where its ticks are.
class Axis {
 public:
  explicit Axis(bool log) : log_(log) {}

  bool shows(double value) const { return std::isfinite(value) && (!log_ || value > 0.0); }
  double drawn(double value) const { return log_ ? std::log10(value) : value; }
  double part(double value) const { return part_of_drawn(drawn(value)); }
  double part_of_drawn(double place) const { return (place - low_) / (high_ - low_); }

  void include(double value) {
    if (!shows(value)) return;
    low_ = std::min(low_, drawn(value));
    high_ = std::max(high_, drawn(value));
  }
  /// After the last include: to whole steps of the ticks.
  void settle() {
    if (low_ > high_) low_ = 0.0, high_ = 1.0;
    if (high_ - low_ < 1e-12 * std::max(1.0, std::abs(high_))) low_ -= 0.5, high_ += 0.5;
    step_ = nice_step((high_ - low_) / 6.0);
    if (log_) step_ = std::max(1.0, std::round(step_));
    low_ = step_ * std::floor(low_ / step_ + 1e-9);
    high_ = step_ * std::ceil(high_ / step_ - 1e-9);
  }
  void widen_to(double span) {
    const double middle = 0.5 * (low_ + high_);
    low_ = middle - 0.5 * span;
    high_ = middle + 0.5 * span;
  }
  double span() const { return high_ - low_; }

  std::vector<Tick> ticks() const {
    std::vector<Tick> ticks;
    for (double i = std::ceil(low_ / step_ - 1e-9); i * step_ <= high_ + 1e-9 * step_; i += 1.0) {
      const double place = i * step_;
      ticks.push_back({place, log_ ? power(place) : number(place == 0.0 ? 0.0 : place, "%g")});
    }
    return ticks;
  }

 private:
  static double nice_step(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double digit = rough / power;
    if (digit <= 1.0) return power;
    if (digit <= 2.0) return 2.0 * power;
    return digit <= 5.0 ? 5.0 * power : 10.0 * power;
  }
  static std::string power(double exponent) {
    return "10<tspan dy=\"-6\" font-size=\"9\">" + number(exponent + 0.0, "%.0f") + "</tspan>";  // no "-0"
  }

  bool log_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  double step_ = 1.0;
};

class SvgWriter {
 public:
  explicit SvgWriter(const Plot& plot) : plot_(plot), x_(plot.log_x), y_(plot.log_y) {
    for (const PlotSeries& series : plot.series) {
      for (std::size_t i = 0; i < size(series); ++i) {
        if (!shows(series, i)) continue;
        x_.include(series.x[i]);
        y_.include(series.y[i]);
      }
    }
    for (double end : {-1.0, 1.0}) {
      if (!plot.unit_circle) continue;
      x_.include(end);
      y_.include(end);
    }
    x_.settle();
    y_.settle();
    if (plot.unit_circle) {
      const double scale = std::max(x_.span() / kPlotWidth, y_.span() / kPlotHeight);
      x_.widen_to(scale * kPlotWidth);
      y_.widen_to(scale * kPlotHeight);
    }
  }

  std::string write() {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << ' ' << kHeight << "\" width=\""
         << kWidth << "\" height=\"" << kHeight << "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
         << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    draw_axes();
    draw_labels();
    if (plot_.unit_circle) draw_circle();
    out_ << "<clipPath id=\"frame\"><rect x=\"" << kLeft - kMark << "\" y=\"" << kTop - kMark << "\" width=\""
         << kPlotWidth + 2.0 * kMark << "\" height=\"" << kPlotHeight + 2.0 * kMark
         << "\"/></clipPath>\n<g clip-path=\"url(#frame)\">\n";
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_series(i);
    out_ << "</g>\n";
    draw_legend();
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  static std::size_t size(const PlotSeries& series) { return std::min(series.x.size(), series.y.size()); }
  bool shows(const PlotSeries& series, std::size_t i) const { return x_.shows(series.x[i]) && y_.shows(series.y[i]); }
  static const char* color(std::size_t series) { return kColors[series % kColors.size()]; }
  static const char* dash(std::size_t series) { return kDashes[series / kColors.size() % kDashes.size()]; }

  double pixel_x(double value) const { return kLeft + x_.part(value) * kPlotWidth; }
  double pixel_y(double value) const { return kTop + (1.0 - y_.part(value)) * kPlotHeight; }
  static std::string at_x(double part) { return number(kLeft + part * kPlotWidth); }
  static std::string at_y(double part) { return number(kTop + (1.0 - part) * kPlotHeight); }

  void line(const std::string& x1, const std::string& y1, const std::string& x2, const std::string& y2,
            const std::string& style) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" " << style << "/>\n";
  }
  /// `content` may hold markup.
  void text(double x, double y, const std::string& style, const std::string& content) {
    out_ << "<text x=\"" << number(x) << "\" y=\"" << number(y) << "\" " << style << '>' << content << "</text>\n";
  }

  void draw_axes() {
    const std::string grid = "stroke=\"#e4e4e4\" stroke-width=\"1\"";
    for (const Tick& tick : x_.ticks()) {
      const double part = x_.part_of_drawn(tick.place);
      line(at_x(part), at_y(0), at_x(part), at_y(1), grid);
      text(kLeft + part * kPlotWidth, kHeight - kBottom + 20.0, "text-anchor=\"middle\" fill=\"#333333\"", tick.label);
    }
    for (const Tick& tick : y_.ticks()) {
      const double part = y_.part_of_drawn(tick.place);
      line(at_x(0), at_y(part), at_x(1), at_y(part), grid);
      text(kLeft - 8.0, kTop + (1.0 - part) * kPlotHeight + 4.0, "text-anchor=\"end\" fill=\"#333333\"", tick.label);
    }
    const std::string frame = "stroke=\"#333333\" stroke-width=\"1.2\"";
    line(at_x(0), at_y(0), at_x(1), at_y(0), frame);
    line(at_x(0), at_y(0), at_x(0), at_y(1), frame);
  }

  void draw_labels() {
    const double middle_x = kLeft + 0.5 * kPlotWidth;
    const double middle_y = kTop + 0.5 * kPlotHeight;
    text(middle_x, 26.0, "text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\"", escaped(plot_.title));
    text(middle_x, kHeight - 14.0, "text-anchor=\"middle\"", escaped(plot_.x_label));
    text(20.0, middle_y, "text-anchor=\"middle\" transform=\"rotate(-90 20 " + number(middle_y) + ")\"",
         escaped(plot_.y_label));
  }

  void draw_circle() {
    const double radius = kPlotWidth / x_.span();
    out_ << "<circle cx=\"" << number(pixel_x(0.0)) << "\" cy=\"" << number(pixel_y(0.0)) << "\" r=\"" << number(radius)
         << "\" fill=\"none\" stroke=\"#999999\" stroke-dasharray=\"4 4\"/>\n";
  }

  void draw_series(std::size_t index) {
    const PlotSeries& series = plot_.series[index];
    if (series.points) {
      for (std::size_t i = 0; i < size(series); ++i) {
        if (shows(series, i)) draw_mark(pixel_x(series.x[i]), pixel_y(series.y[i]), index);
      }
      return;
    }
    std::string path;
    bool pen_down = false;
    std::string last;
    for (std::size_t i = 0; i < size(series); ++i) {
      const bool shown = shows(series, i);
      if (shown) {
        // Long histories: points that fall on a pixel's tenth already drawn say nothing.
        const std::string x = number(pixel_x(series.x[i]), "%.1f");
        const std::string y = number(pixel_y(series.y[i]), "%.1f");
        std::string place = x + ' ' + y;
        if (!pen_down || place != last) path.append(pen_down ? " L" : " M").append(place);
        last = std::move(place);
      }
      pen_down = shown;
    }
    if (path.empty()) return;
    out_ << "<path d=\"" << path.substr(1) << "\" fill=\"none\" stroke=\"" << color(index)
         << "\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke-dasharray=\"" << dash_or_none(index) << "\"/>\n";
  }

  static std::string dash_or_none(std::size_t index) { return *dash(index) == '\0' ? "none" : dash(index); }

  /// Series of one color have marks of different shape: a circle, a square, a diamond.
  void draw_mark(double x, double y, std::size_t index) {
    const std::string style =
        std::string(" fill=\"") + color(index) + "\" fill-opacity=\"0.75\" stroke=\"#ffffff\" stroke-width=\"0.6\"/>\n";
    const std::size_t shape = index / kColors.size() % 3;
    if (shape == 0) {
      out_ << "<circle cx=\"" << number(x) << "\" cy=\"" << number(y) << "\" r=\"3.4\"" << style;
      return;
    }
    out_ << "<rect x=\"" << number(x - 3.1) << "\" y=\"" << number(y - 3.1) << "\" width=\"6.2\" height=\"6.2\"";
    if (shape == 2) out_ << " transform=\"rotate(45 " << number(x) << ' ' << number(y) << ")\"";
    out_ << style;
  }

  void draw_legend() {
    const double x = kWidth - kRight + 18.0;
    double y = kTop + 10.0;
    const double pitch =
        std::min(20.0, (kHeight - kTop - 20.0) / double(std::max<std::size_t>(1, plot_.series.size())));
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const PlotSeries& series = plot_.series[i];
      if (series.name.empty()) continue;
      if (series.points) {
        draw_mark(x + 13.0, y - 4.0, i);
      } else {
        line(number(x), number(y - 4.0), number(x + 26.0), number(y - 4.0),
             std::string("stroke=\"") + color(i) + "\" stroke-width=\"2.2\" stroke-dasharray=\"" + dash_or_none(i) +
                 "\"");
      }
      text(x + 34.0, y, "fill=\"#111111\"", escaped(series.name));
      y += pitch;
    }
  }

  const Plot& plot_;
  Axis x_, y_;
  std::ostringstream out_;
};

}  // namespace

std::string to_svg(const Plot& plot) {
  return SvgWriter(plot).write();
}

void write_svg(const std::filesystem::path& file, const Plot& plot) {
  std::ofstream out(file, std::ios::binary);
  out << to_svg(plot);
  out.close();
  if (!out) throw Error("lab plot: " + file.string() + " cannot be written");
}

}  // namespace talus::lab
