// The instruction sets that kernels are compiled for.
#pragma once

#include <string_view>

namespace kwker {

// kDefault is what every x86-64 processor has (SSE2, no fused multiply-add).
// kAvx2 includes FMA3; kAvx512 is F, BW, DQ and VL. They mean what torch's
// "cpu capability" of the same name means, including its use of fused
// multiply-adds, on which results depend.
enum class Isa { kDefault, kAvx2, kAvx512 };

// "default", "avx2", "avx512".
std::string_view IsaName(Isa isa);

// Whether this processor can run it.
bool IsaIsSupported(Isa isa);

}  // namespace kwker
