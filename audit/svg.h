// Plots as SVG, to stand in an HTML page. Colours are the page's: every shape has
// a class ("a", "b" for the sides, "axis", "grid", "band", "note"), none a colour.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/side_words.h"
#include "audit/statistics.h"

namespace kwker::audit {

// Text for HTML and XML: & < > " and ' are escaped; control characters must be
// gone already.
std::string EscapeXml(std::string_view text);

// Round values from about `low` to about `high`, at least two: 0, 0.5, 1, ...
std::vector<double> Ticks(double low, double high, int about);

using Format = std::function<std::string(double)>;

// One value of either side for each pair.
struct PairPoint {
  int number = 0;  // from 1
  double without = 0;
  double with = 0;
};

// Both values of each pair above its number, joined by a line. `name` is what it
// shows, for those who cannot see it. Empty without points.
std::string PairPlot(const std::string& name, const std::vector<PairPoint>& points,
                     const SideWords& words, const Format& format);

struct RatioRow {
  std::string label;
  RatioEstimate ratio;
};

// A line a row: the ratio and its interval on a logarithmic axis with 1x and the
// band in which there is "no difference". Rows without a ratio are left out.
std::string RatioPlot(const std::string& name, const std::vector<RatioRow>& rows);

// The ratio of each pair, and behind them the estimate with its interval.
std::string PairRatioPlot(const std::string& name, const std::vector<PairPoint>& points,
                          const RatioEstimate& estimate);

struct ShareRow {
  std::string label;
  double ours = 0;
  double others = 0;
};

// A bar a row, divided in two.
std::string SharePlot(const std::string& name, const std::vector<ShareRow>& rows);

}  // namespace kwker::audit
