#include "kernels/image/resize_numbers-inl.h"

namespace kwker::image::internal {

NumberPasses<float> FloatPassesAvx512() { return Passes<float>(); }
NumberPasses<std::int32_t> Int32PassesAvx512() { return Passes<std::int32_t>(); }
NumberPasses<std::uint16_t> Uint16PassesAvx512() { return Passes<std::uint16_t>(); }

}  // namespace kwker::image::internal
