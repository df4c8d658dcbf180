// Is the verdict as sure as it says? Thousands of simulated audits go through
// the real schedule, statistics and verdict. Where nothing differs, "faster" and
// "slower" may be said in at most 5% of audits, and the interval must hold the
// true ratio in at least 93% of them, on machines that are noisy in the ways
// that machines are: with a number of pairs that is fixed, and with one that the
// interval's width decides.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audit/pair_plan.h"
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

// The logarithms of that many pairs' ratios.
std::vector<double> SimulatePairs(const Machine& machine, int pairs, double ratio,
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
  return log_ratios;
}

// An audit that stops as the options say.
RatioEstimate SimulateAudit(const Machine& machine, const Options& options, double ratio,
                            std::mt19937_64* bits) {
  const PairsBy by = options.max_pairs ? PairsBy::kWidth : PairsBy::kNumber;
  const int most = options.max_pairs.value_or(options.pairs);
  const std::vector<double> logs = SimulatePairs(machine, most, ratio, bits);
  SoFar so_far;
  so_far.pair_seconds = 1;
  for (PairPlan plan; plan = PlanPairs(options, so_far), !plan.stop;) {
    so_far.next_look = plan.next_look;
    so_far.elapsed_s = ++so_far.pairs;
    so_far.speedup = EstimateRatio(std::span(logs).first(so_far.pairs), by);
  }
  return so_far.speedup;
}

struct Shares {
  double false_verdicts = 0;  // nothing differs, yet "faster" or "slower"
  double coverage = 0;        // the interval holds the true ratio
  double width = 0;           // mean width of the interval's logarithm
  double pairs = 0;           // mean number
};

Shares Simulate(const Machine& machine, const Options& options, double ratio, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Shares shares;
  for (int i = 0; i < kAudits; ++i) {
    const RatioEstimate estimate = SimulateAudit(machine, options, ratio, &bits);
    const Speed speed = JudgeSpeed(estimate);
    const auto [low, high] = *estimate.interval;
    shares.false_verdicts += speed == Speed::kFaster || speed == Speed::kSlower;
    shares.coverage += low <= ratio && ratio <= high;
    shares.width += std::log(high / low);
    shares.pairs += estimate.pairs;
  }
  shares.false_verdicts /= kAudits;
  shares.coverage /= kAudits;
  shares.width /= kAudits;
  shares.pairs /= kAudits;
  return shares;
}

void Print(const Machine& machine, const Shares& same, const Shares& faster) {
  fmt::print("   {:25} {:6.1f} {:13.1f}% {:12.1f}% {:6.1f}% {:8.1f}%\n", machine.name, same.pairs,
             100 * same.false_verdicts, 100 * same.coverage, 100 * faster.coverage,
             100 * same.width);
}

constexpr char kHead[] = "{:28}  pairs   false verdicts   coverage 1x, 1.25x   width\n";

void Check(const Machine& machine, const Shares& same, const Shares& faster) {
  EXPECT_LE(same.false_verdicts, kFalseVerdicts + SimulationError(kFalseVerdicts)) << machine.name;
  EXPECT_GE(same.coverage, kCoverage) << machine.name;
  EXPECT_GE(faster.coverage, kCoverage) << machine.name;
}

class FixedNumber : public testing::TestWithParam<int> {};

TEST_P(FixedNumber, FalseVerdictsAndCoverage) {
  Options options;
  options.pairs = GetParam();
  fmt::print(kHead, fmt::format("{} pairs", options.pairs));
  for (std::size_t i = 0; i < Machines().size(); ++i) {
    const Shares same = Simulate(Machines()[i], options, 1, 1000 + i);
    const Shares faster = Simulate(Machines()[i], options, 1.25, 2000 + i);
    Print(Machines()[i], same, faster);
    Check(Machines()[i], same, faster);
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, FixedNumber, testing::Values(2, 3, 4, 5, 6, 7, 8, 12, 20));

// A width that each machine reaches at this share of its own mean width of 8
// pairs: the temptation to stop too early is greatest in the middle.
class ByWidth : public testing::TestWithParam<std::pair<int, double>> {};

TEST_P(ByWidth, FalseVerdictsAndCoverage) {
  const auto [most, share] = GetParam();
  fmt::print(kHead, fmt::format("at most {}, width x {}", most, share));
  for (std::size_t i = 0; i < Machines().size(); ++i) {
    Options options;
    options.pairs = 8;
    options.width = std::expm1(share * Simulate(Machines()[i], options, 1, 3000 + i).width);
    options.pairs = 5;
    options.max_pairs = most;
    const Shares same = Simulate(Machines()[i], options, 1, 4000 + i);
    const Shares faster = Simulate(Machines()[i], options, 1.25, 5000 + i);
    Print(Machines()[i], same, faster);
    Check(Machines()[i], same, faster);
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ByWidth,
                         testing::Values(std::pair(20, 0.5), std::pair(20, 0.7), std::pair(20, 0.9),
                                         std::pair(20, 1.1), std::pair(20, 1.4), std::pair(40, 0.6),
                                         std::pair(40, 0.8)));

// The time that is left ends it instead: on a clock that knows nothing of ratios.
TEST(ByTime, FalseVerdictsAndCoverage) {
  fmt::print(kHead, "time for 7 pairs");
  for (std::size_t i = 0; i < Machines().size(); ++i) {
    Options options;
    options.max_pairs = 20;
    options.width = 0.02;
    options.max_time_s = 7;
    const Shares same = Simulate(Machines()[i], options, 1, 6000 + i);
    const Shares faster = Simulate(Machines()[i], options, 1.25, 7000 + i);
    Print(Machines()[i], same, faster);
    Check(Machines()[i], same, faster);
    EXPECT_LE(same.pairs, 7);
  }
}

}  // namespace
}  // namespace kwker::audit
