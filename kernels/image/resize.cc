#include "kernels/image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/base/by_isa.h"
#include "kernels/image/lane_program.h"
#include "kernels/image/resize_isa.h"

namespace kwker::image {
namespace {

using internal::kRows;

std::size_t Size(std::int64_t n) { return static_cast<std::size_t>(n); }

internal::VerticalFunction VerticalOf(Isa isa) {
  return ByIsa<internal::VerticalFunction>(isa, internal::VerticalSse2, internal::VerticalAvx2,
                                           internal::VerticalAvx512);
}

bool CanSplit(const Taps& taps) {
  constexpr double kLimit = 16;  // whose fixed point has a high half of 16 bits
  return std::all_of(taps.weights.begin(), taps.weights.end(),
                     [](double weight) { return std::abs(weight) < kLimit; });
}

// Lines of bytes that may be read a while past their ends.
class Lines {
 public:
  Lines(int count, std::int64_t readable) : stride_(readable), bytes_(Size(count * readable)) {}
  std::uint8_t* operator[](int i) { return bytes_.data() + i * stride_; }

 private:
  std::int64_t stride_;
  std::vector<std::uint8_t> bytes_;
};

// The vertical pass for one output row after the other.
class VerticalPass {
 public:
  VerticalPass(const Taps& taps, std::uint32_t channels, Isa isa)
      : taps_(taps), channels_(channels), function_(VerticalOf(isa)) {
    rows_.resize(Size(taps.stride) + 1);
    weights_.resize(rows_.size());
  }

  // `row(i)` is where input row i begins.
  template <typename Row>
  void Run(int y, std::int64_t bytes, std::uint8_t* out, const Row& row) {
    const int first = taps_.first[Size(y)], count = taps_.count[Size(y)];
    const double* weights = taps_.Weights(y);
    const int pairs = (count + 1) / 2;
    for (int i = 0; i < 2 * pairs; ++i) {
      // An odd one's partner is itself, with weight 0.
      const bool real = i < count;
      rows_[Size(i)] = row(first + (real ? i : i - 1));
      const SplitWeight weight = real ? Split(weights[i]) : SplitWeight{0, 0};
      std::uint32_t* pair = &weights_[Size(i / 2 * 2)];
      const int shift = i % 2 * 16;
      if (shift == 0) pair[0] = pair[1] = 0;
      pair[0] |= std::uint32_t{weight.high} << shift;
      pair[1] |= std::uint32_t{weight.low} << shift;
    }
    function_(rows_.data(), weights_.data(), pairs, bytes, channels_, out);
  }

 private:
  const Taps& taps_;
  std::uint32_t channels_;
  internal::VerticalFunction function_;
  std::vector<const std::uint8_t*> rows_;
  std::vector<std::uint32_t> weights_;
};

// The image's rows, copied to where they may be read further where need be.
class InputRows {
 public:
  InputRows(const std::uint8_t* const* rows, int count, std::int64_t bytes, std::int64_t reach)
      : rows_(rows),
        count_(count),
        bytes_(bytes),
        reach_(reach),
        copies_(kRows, std::max(bytes, reach)) {}

  const std::uint8_t* Readable(int y, int slot) {
    if (reach_ <= bytes_) return rows_[y];
    const bool next_follows = y + 1 < count_ && rows_[y + 1] == rows_[y] + bytes_;
    if (next_follows && reach_ <= 2 * bytes_) return rows_[y];
    std::memcpy(copies_[slot], rows_[y], Size(bytes_));
    return copies_[slot];
  }

 private:
  const std::uint8_t* const* rows_;
  int count_;
  std::int64_t bytes_, reach_;
  Lines copies_;
};

// Up to kRows lines; those that are missing repeat the last.
template <typename In, typename Out>
void RunRows(const HorizontalPass& pass, int count, const In& in, const Out& out) {
  const std::uint8_t* from[kRows];
  std::uint8_t* to[kRows];
  for (int r = 0; r < kRows; ++r) {
    const int row = std::min(r, count - 1);
    from[r] = in(row);
    to[r] = out(row);
  }
  pass.Run(from, to);
}

struct Job {
  const ResizeGeometry& g;
  const BytePixels& pixels;
  const std::uint8_t* const* in;
  std::uint8_t* out;
  Isa isa;

  std::int64_t InBytes() const { return std::int64_t{g.in_width} * pixels.size; }
  std::int64_t OutBytes() const { return std::int64_t{g.out_width} * pixels.size; }
  std::uint8_t* Out(int y) const { return out + y * OutBytes(); }
};

void HorizontalOnly(const Job& job, const Taps& taps) {
  const HorizontalPass pass(taps, job.pixels.size, job.pixels.channels, job.isa);
  InputRows rows(job.in, job.g.in_height, job.InBytes(), pass.Reach());
  for (int y = 0; y < job.g.out_height; y += kRows) {
    RunRows(
        pass, std::min(kRows, job.g.out_height - y), [&](int r) { return rows.Readable(y + r, r); },
        [&](int r) { return job.Out(y + r); });
  }
}

void VerticalOnly(const Job& job, const Taps& taps) {
  VerticalPass pass(taps, job.pixels.channels, job.isa);
  for (int y = 0; y < job.g.out_height; ++y) {
    pass.Run(y, job.OutBytes(), job.Out(y), [&](int i) { return job.in[i]; });
  }
}

// Rows are made as they are wanted, in a ring of as many as one output row needs:
// they stay in the nearest cache, and no whole image is kept in between.
void HorizontalThenVertical(const Job& job, const Taps& along_row, const Taps& along_column) {
  const HorizontalPass horizontal(along_row, job.pixels.size, job.pixels.channels, job.isa);
  VerticalPass vertical(along_column, job.pixels.channels, job.isa);
  InputRows rows(job.in, job.g.in_height, job.InBytes(), horizontal.Reach());

  const int most = *std::max_element(along_column.count.begin(), along_column.count.end());
  const int size = (most + 2 * kRows - 1) / kRows * kRows;
  Lines ring(size, job.OutBytes());
  int done = along_column.first[0];  // rows before this are in the ring, or were
  const int origin = done;
  const auto made = [&](int y) { return ring[(y - origin) % size]; };
  for (int y = 0; y < job.g.out_height; ++y) {
    const int end = along_column.first[Size(y)] + along_column.count[Size(y)];
    for (; done < end; done += kRows) {
      RunRows(
          horizontal, std::min(kRows, job.g.in_height - done),
          [&](int r) { return rows.Readable(done + r, r); }, [&](int r) { return made(done + r); });
    }
    vertical.Run(y, job.OutBytes(), job.Out(y), made);
  }
}

void VerticalThenHorizontal(const Job& job, const Taps& along_row, const Taps& along_column) {
  const HorizontalPass horizontal(along_row, job.pixels.size, job.pixels.channels, job.isa);
  VerticalPass vertical(along_column, job.pixels.channels, job.isa);
  // Only the part of a row that the second pass reads.
  const int last = job.g.out_width - 1;
  const std::int64_t begin = std::int64_t{along_row.first[0]} * job.pixels.size;
  const std::int64_t end =
      std::int64_t{along_row.first[Size(last)] + along_row.count[Size(last)]} * job.pixels.size;
  Lines lines(kRows, std::max(job.InBytes(), horizontal.Reach()));
  for (int y = 0; y < job.g.out_height; y += kRows) {
    const int count = std::min(kRows, job.g.out_height - y);
    for (int r = 0; r < count; ++r) {
      vertical.Run(y + r, end - begin, lines[r] + begin, [&](int i) { return job.in[i] + begin; });
    }
    RunRows(
        horizontal, count, [&](int r) { return lines[r]; }, [&](int r) { return job.Out(y + r); });
  }
}

}  // namespace

bool ResizeBytes(const ResizeGeometry& g, const BytePixels& pixels, const std::uint8_t* const* in,
                 std::uint8_t* out, Isa isa) {
  const bool horizontal = g.NeedsHorizontal(), vertical = g.NeedsVertical();
  Taps along_row, along_column;
  constexpr auto kPrecision = Precision::kFixedPoint;
  if (horizontal) {
    along_row = MakeTaps(g.filter, g.in_width, g.left, g.right, g.out_width, kPrecision);
  }
  if (vertical) {
    along_column = MakeTaps(g.filter, g.in_height, g.top, g.bottom, g.out_height, kPrecision);
  }
  if (!CanSplit(along_row) || !CanSplit(along_column)) return false;

  const Job job = {g, pixels, in, out, isa};
  if (!vertical) {
    HorizontalOnly(job, along_row);
  } else if (!horizontal) {
    VerticalOnly(job, along_column);
  } else if (g.HorizontalFirst()) {
    HorizontalThenVertical(job, along_row, along_column);
  } else {
    VerticalThenHorizontal(job, along_row, along_column);
  }
  return true;
}

}  // namespace kwker::image
