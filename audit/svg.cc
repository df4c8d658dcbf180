#include "audit/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 150, kRight = 24;  // margins
constexpr double kRow = 34;                 // height of a line of a list
constexpr std::size_t kLabelColumns = 22;   // that fit into the left margin

std::string Open(const std::string& name, double height) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">\n"
      "<title>{}</title>\n",
      kWidth, height, EscapeXml(name));
}

std::string Line(std::string_view css, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", css, x1, y1,
      x2, y2);
}

std::string Rect(std::string_view css, double x, double y, double width, double height) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", css, x,
      y, std::max(width, 0.0), std::max(height, 0.0));
}

// `hint` is shown where the pointer rests on it. The first side's, which the other
// may cover, is larger.
std::string Dot(std::string_view css, double x, double y, const std::string& hint) {
  return fmt::format(
      "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>\n", css,
      x, y, css == "a" ? 5.5 : 4, EscapeXml(hint));
}

std::string Text(std::string_view css, double x, double y, std::string_view text) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", css, x, y,
                     EscapeXml(text));
}

std::string Shortened(const std::string& label) {
  if (Columns(label) <= kLabelColumns) return label;
  return std::string(FirstColumns(label, kLabelColumns - 1)) + "…";
}

// Where a value lies between `low` and `high`, on pixels `from` to `to`.
struct Axis {
  double low, high, from, to;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

std::string Times(double ratio) { return fmt::format("{:.4g}x", ratio); }

// Ratios from `low` to `high` on a logarithmic axis; it has room on both sides.
Axis RatioAxis(double low, double high, double from, double to) {
  const double room = std::max(0.08 * (std::log(high) - std::log(low)), 0.01);
  return {std::log(low) - room, std::log(high) + room, from, to};
}

// Those of `Ticks` that lie on the axis.
std::vector<double> RatioTicks(const Axis& axis, int about) {
  std::vector<double> ticks;
  for (const double tick : Ticks(std::exp(axis.low), std::exp(axis.high), about)) {
    if (tick > 0 && std::log(tick) >= axis.low && std::log(tick) <= axis.high) {
      ticks.push_back(tick);
    }
  }
  return ticks;
}

// The pairs' places along a plot: as far from each other as there is room.
Axis PairAxis(const std::vector<PairPoint>& points) {
  const double first = points.front().number, last = points.back().number;
  return {first - 0.5, last + 0.5, kLeft, kWidth - kRight};
}

std::string PairNumbers(const std::vector<PairPoint>& points, const Axis& x, double y) {
  std::string svg;
  const std::size_t step = points.size() / 20 + 1;
  for (std::size_t i = 0; i < points.size(); i += step) {
    svg += Text("tick middle", x(points[i].number), y, std::to_string(points[i].number));
  }
  return svg + Text("tick end", kLeft - 12, y, "pair");
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::vector<double> Ticks(double low, double high, int about) {
  if (!(high > low)) high = low + std::max(std::abs(low), 1.0);
  const double rough = (high - low) / std::max(about, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough) break;
  }
  std::vector<double> ticks;
  for (double i = std::floor(low / step); ticks.size() < 2 || i * step <= high; ++i) {
    ticks.push_back(i * step);
  }
  return ticks;
}

std::string PairPlot(const std::string& name, const std::vector<PairPoint>& points,
                     const SideWords& words, const Format& format) {
  if (points.empty()) return "";
  constexpr double kHeight = 230, kTop = 14, kBottom = 30;
  double most = 0;
  for (const PairPoint& point : points) most = std::max({most, point.without, point.with});
  // From 0: the distance shows the share.
  const std::vector<double> ticks = Ticks(0, most * 1.02, 6);
  const Axis x = PairAxis(points);
  const Axis y = {0, std::max(ticks.back(), most * 1.02), kHeight - kBottom, kTop};
  std::string svg = Open(name, kHeight);
  for (const double tick : ticks) {
    svg += Line(tick == 0 ? "axis" : "grid", kLeft, y(tick), kWidth - kRight, y(tick));
    svg += Text("tick end", kLeft - 12, y(tick) + 4, tick == 0 ? "0" : format(tick));
  }
  for (const PairPoint& point : points) {
    svg += Line("join", x(point.number), y(point.without), x(point.number), y(point.with));
    svg += Dot("a", x(point.number), y(point.without),
               fmt::format("pair {}, {}: {}", point.number, words.a, format(point.without)));
    svg += Dot("b", x(point.number), y(point.with),
               fmt::format("pair {}, {}: {}", point.number, words.b, format(point.with)));
  }
  return svg + PairNumbers(points, x, kHeight - 8) + "</svg>\n";
}

std::string RatioPlot(const std::string& name, const std::vector<RatioRow>& rows) {
  double low = 0.98, high = 1.02;
  std::vector<RatioRow> shown;
  for (const RatioRow& row : rows) {
    if (!row.ratio.estimate) continue;
    shown.push_back(row);
    const Interval interval =
        row.ratio.interval.value_or(Interval{*row.ratio.estimate, *row.ratio.estimate});
    low = std::min(low, interval.low);
    high = std::max(high, interval.high);
  }
  if (shown.empty()) return "";
  const double bottom = 12 + kRow * static_cast<double>(shown.size());
  const Axis x = RatioAxis(low, high, kLeft, kWidth - kRight);
  std::string svg = Open(name, bottom + 28);
  svg += Rect("band", x(std::log(0.99)), 4, x(std::log(1.01)) - x(std::log(0.99)), bottom - 4);
  for (const double tick : RatioTicks(x, 6)) {
    svg += Line(tick == 1 ? "axis" : "grid", x(std::log(tick)), 4, x(std::log(tick)), bottom);
    svg += Text("tick middle", x(std::log(tick)), bottom + 18, Times(tick));
  }
  double y = 12 + kRow / 2;
  for (const RatioRow& row : shown) {
    svg += Text("label end", kLeft - 12, y + 4, Shortened(row.label));
    std::string hint = FormatRatio(row.ratio);
    if (row.ratio.interval) {
      const double from = x(std::log(row.ratio.interval->low));
      const double to = x(std::log(row.ratio.interval->high));
      svg += Line("interval", from, y, to, y);
      svg += Line("interval", from, y - 5, from, y + 5) + Line("interval", to, y - 5, to, y + 5);
      hint += " (95% " + FormatInterval(row.ratio) + ")";
    }
    svg += Dot("b", x(std::log(*row.ratio.estimate)), y, row.label + ": " + hint);
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string PairRatioPlot(const std::string& name, const std::vector<PairPoint>& points,
                          const RatioEstimate& estimate) {
  double low = 0.98, high = 1.02;
  std::vector<PairPoint> shown;
  for (const PairPoint& point : points) {
    if (!(point.without > 0) || !(point.with > 0)) continue;
    shown.push_back(point);
    low = std::min(low, point.without / point.with);
    high = std::max(high, point.without / point.with);
  }
  if (shown.empty()) return "";
  if (estimate.interval) {
    low = std::min(low, estimate.interval->low);
    high = std::max(high, estimate.interval->high);
  }
  constexpr double kHeight = 210, kTop = 10, kBottom = 30;
  const Axis x = PairAxis(shown);
  const Axis y = RatioAxis(low, high, kHeight - kBottom, kTop);
  const double right = kWidth - kRight;
  std::string svg = Open(name, kHeight);
  for (const double tick : RatioTicks(y, 5)) {
    svg += Line(tick == 1 ? "axis" : "grid", kLeft, y(std::log(tick)), right, y(std::log(tick)));
    svg += Text("tick end", kLeft - 12, y(std::log(tick)) + 4, Times(tick));
  }
  if (estimate.interval) {
    const double top = y(std::log(estimate.interval->high));
    svg += Rect("within", kLeft, top, right - kLeft, y(std::log(estimate.interval->low)) - top);
  }
  if (estimate.estimate) {
    const double at = y(std::log(*estimate.estimate));
    svg += Line("interval", kLeft, at, right, at);
  }
  for (const PairPoint& point : shown) {
    const double ratio = point.without / point.with;
    svg += Dot("b", x(point.number), y(std::log(ratio)),
               fmt::format("pair {}: {}", point.number, Times(ratio)));
  }
  return svg + PairNumbers(shown, x, kHeight - 8) + "</svg>\n";
}

std::string SharePlot(const std::string& name, const std::vector<ShareRow>& rows) {
  if (rows.empty()) return "";
  double most = 0;
  for (const ShareRow& row : rows) most = std::max(most, row.ours + row.others);
  if (!(most > 0)) return "";
  const double full = kWidth - kRight - 70 - kLeft;
  std::string svg = Open(name, kRow * static_cast<double>(rows.size()) + 8);
  double y = 4;
  for (const ShareRow& row : rows) {
    const double ours = full * row.ours / most, others = full * row.others / most;
    svg += Text("label end", kLeft - 12, y + kRow / 2 + 4, Shortened(row.label));
    svg += Rect("b", kLeft, y + 8, ours, kRow - 16);
    svg += Rect("a", kLeft + ours, y + 8, others, kRow - 16);
    svg += Text("tick", kLeft + ours + others + 8, y + kRow / 2 + 4,
                fmt::format("{:.0f}", row.ours + row.others));
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace kwker::audit
