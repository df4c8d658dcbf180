// Choosing among a kernel's bodies.
#pragma once

#include "kernels/base/isa.h"

namespace kwker {

// The body for that instruction set.
template <typename Body>
Body ByIsa(Isa isa, Body sse2, Body avx2, Body avx512) {
  switch (isa) {
    case Isa::kAvx512:
      return avx512;
    case Isa::kAvx2:
      return avx2;
    case Isa::kDefault:
      break;
  }
  return sse2;
}

}  // namespace kwker
