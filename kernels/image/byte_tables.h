// What adjustments make of each of the 256 bytes, from how often each occurs.
//
// Sources: torchvision 0.28 (transforms/v2/functional/_color.py) for tensors; Pillow 13
// (ImageOps.py) and torchvision's _functional_pil.py for PIL images.
#pragma once

#include <optional>

#include "kernels/image/tables.h"

namespace kwker::image {

// (x - min) / ((max - min) * (float)(1 / 255)) in float, clamped and cut; x where all are equal.
ByteTable TorchAutocontrastTable(const ByteCounts& counts);

// x * s - min * s with s = 255 / (max - min) in double, cut and clamped; x where all are equal.
ByteTable PillowAutocontrastTable(const ByteCounts& counts);

// For tensors and PIL images alike: with step = (pixels - those of the largest byte) / 255,
// (those below x + step / 2) / step, at most 255, in integers; x where step is 0.
ByteTable EqualizeTable(const ByteCounts& counts);

// (256 - 1e-3) * gain * pow(x / 255, gamma) in double, cut and clamped. Empty where that is no
// finite number.
std::optional<ByteTable> PillowGammaTable(double gamma, double gain);

}  // namespace kwker::image
