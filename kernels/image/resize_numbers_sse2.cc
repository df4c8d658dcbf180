#include "kernels/image/resize_numbers-inl.h"

namespace kwker::image::internal {

NumberPasses<float> FloatPassesSse2() { return Passes<float>(); }
NumberPasses<std::int32_t> Int32PassesSse2() { return Passes<std::int32_t>(); }
NumberPasses<std::uint16_t> Uint16PassesSse2() { return Passes<std::uint16_t>(); }

}  // namespace kwker::image::internal
