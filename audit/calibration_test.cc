// Is the verdict as sure as it says? Thousands of simulated audits go through
// the real schedule, statistics and verdict. Where nothing differs, "faster" and
// "slower" may be said in at most 5% of audits, and the interval must hold the
// true ratio in at least 93% of them, on machines that are noisy in the ways
// that machines are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "audit/schedule.h"
#include "audit/statistics.h"
#include "audit/verdict.h"

namespace kwker::audit {
namespace {

constexpr int kAudits = 4000;
constexpr double kFalseVerdicts = 0.05;
constexpr double kCoverage = 0.93;

// Three standard errors of a share that is estimated from kAudits audits.
double SimulationError(double share) { return 3 * std::sqrt(share * (1 - share) / kAudits); }

// How a machine departs from running everything in the same time.
struct Machine {
  std::string name;
  double noise = 0.03;      // standard deviation of a run's logarithm
  double drift = 0;         // each run takes this share longer than the one before
  double load = 0;          // stationary standard deviation of a load that comes and goes
  double load_memory = 0;   // its correlation from run to run
  double spike_chance = 0;  // of a run that takes up to half as long again
  double slow_first = 0;    // the first run's excess; halved from run to run
};

const std::vector<Machine>& Machines() {
  static const std::vector<Machine> machines = {
      {.name = "noise 3%"},
      {.name = "drift 1% a run", .drift = 0.01},
      {.name = "drift 2% a run, noise 1%", .noise = 0.01, .drift = 0.02},
      {.name = "load that comes and goes", .noise = 0.01, .load = 0.05, .load_memory = 0.7},
      {.name = "load that stays long", .noise = 0.01, .load = 0.10, .load_memory = 0.95},
      {.name = "spikes in 10% of runs", .spike_chance = 0.10},
      {.name = "spikes in 30% of runs", .spike_chance = 0.30},
      {.name = "slow first runs", .noise = 0.02, .slow_first = 0.5},
      {.name = "all of it",
       .drift = 0.01,
       .load = 0.03,
       .load_memory = 0.8,
       .spike_chance = 0.10,
       .slow_first = 0.3},
  };
  return machines;
}

RatioEstimate SimulateAudit(const Machine& machine, int pairs, double ratio,
                            std::mt19937_64* bits) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  double load = machine.load * normal(*bits);
  const double innovation = machine.load * std::sqrt(1 - machine.load_memory * machine.load_memory);
  std::map<int, std::map<Side, double>> logs;
  for (const RunRequest& run : MakeSchedule(1, pairs)) {
    double log_time = run.side == Side::kA ? std::log(ratio) : 0;
    log_time += machine.noise * normal(*bits) + load;
    log_time += machine.drift * run.order;
    log_time += std::log1p(machine.slow_first * std::exp2(-run.order));
    if (uniform(*bits) < machine.spike_chance) log_time += std::log1p(0.5 * uniform(*bits));
    load = machine.load_memory * load + innovation * normal(*bits);
    if (!run.warm_up) logs[run.pair][run.side] = log_time;
  }
  std::vector<double> log_ratios;
  for (auto& [number, sides] : logs) log_ratios.push_back(sides[Side::kA] - sides[Side::kB]);
  return EstimateRatio(log_ratios);
}

struct Shares {
  double false_verdicts = 0;  // nothing differs, yet "faster" or "slower"
  double coverage = 0;        // the interval holds the true ratio
  double width = 0;           // mean width of the interval's logarithm
};

Shares Simulate(const Machine& machine, int pairs, double ratio, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Shares shares;
  for (int i = 0; i < kAudits; ++i) {
    const RatioEstimate estimate = SimulateAudit(machine, pairs, ratio, &bits);
    const Speed speed = JudgeSpeed(estimate);
    const auto [low, high] = *estimate.interval;
    shares.false_verdicts += speed == Speed::kFaster || speed == Speed::kSlower;
    shares.coverage += low <= ratio && ratio <= high;
    shares.width += std::log(high / low);
  }
  shares.false_verdicts /= kAudits;
  shares.coverage /= kAudits;
  shares.width /= kAudits;
  return shares;
}

class Calibration : public testing::TestWithParam<int> {};

TEST_P(Calibration, FalseVerdictsAndCoverage) {
  const int pairs = GetParam();
  fmt::print("{:>2} pairs                    false verdicts   coverage 1x, 1.25x   width\n", pairs);
  for (std::size_t i = 0; i < Machines().size(); ++i) {
    const Machine& machine = Machines()[i];
    const Shares same = Simulate(machine, pairs, 1, 1000 + i);
    const Shares faster = Simulate(machine, pairs, 1.25, 2000 + i);
    fmt::print("   {:25} {:13.1f}% {:12.1f}% {:6.1f}% {:8.1f}%\n", machine.name,
               100 * same.false_verdicts, 100 * same.coverage, 100 * faster.coverage,
               100 * same.width);
    EXPECT_LE(same.false_verdicts, kFalseVerdicts + SimulationError(kFalseVerdicts))
        << machine.name;
    EXPECT_GE(same.coverage, kCoverage) << machine.name;
    EXPECT_GE(faster.coverage, kCoverage) << machine.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, Calibration, testing::Values(2, 3, 4, 5, 6, 7, 8, 12, 20));

}  // namespace
}  // namespace kwker::audit
