#include <pybind11/pybind11.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pyext/vision_entries.h"

namespace kwker::pyext {
namespace {

constexpr std::array<std::pair<std::string_view, FastPath>, 19> kEntries = {{
    {"to_dtype", &ToDtypeEntry},
    {"normalize", &NormalizeEntry},
    {"compose", &ComposeEntry},
    {"fused", &FusedEntry},
    {"to_tensor", &ToTensorEntry},
    {"normalize_v1", &NormalizeV1Entry},
    {"adjust_brightness", &BrightnessEntry},
    {"adjust_contrast", &ContrastEntry},
    {"adjust_saturation", &SaturationEntry},
    {"adjust_hue", &HueEntry},
    {"solarize", &SolarizeEntry},
    {"autocontrast", &AutocontrastEntry},
    {"equalize", &EqualizeEntry},
    {"pillow_adjust_brightness", &PillowBrightnessEntry},
    {"pillow_adjust_contrast", &PillowContrastEntry},
    {"pillow_adjust_saturation", &PillowSaturationEntry},
    {"pillow_adjust_hue", &PillowHueEntry},
    {"color_jitter", &ColorJitterEntry},
    {"photometric_distort", &PhotometricDistortEntry},
}};

}  // namespace

pybind11::object VisionHook(const std::string& name, const pybind11::object& original) {
  for (const auto& [known, entry] : kEntries) {
    if (known == name) return MakeHook(original, entry);
  }
  throw std::invalid_argument("no vision entry " + name);
}

}  // namespace kwker::pyext
