#include <pybind11/pybind11.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pyext/vision_entries.h"

namespace kwker::pyext {
namespace {

constexpr std::array<std::pair<std::string_view, FastPath>, 30> kEntries = {{
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
    {"adjust_gamma", &GammaEntry},
    {"adjust_sharpness", &SharpnessEntry},
    {"rgb_to_grayscale", &GrayscaleEntry},
    {"pillow_solarize", &PillowSolarizeEntry},
    {"pillow_posterize", &PillowPosterizeEntry},
    {"pillow_invert", &PillowInvertEntry},
    {"pillow_autocontrast", &PillowAutocontrastEntry},
    {"pillow_equalize", &PillowEqualizeEntry},
    {"pillow_adjust_gamma", &PillowGammaEntry},
    {"pillow_adjust_sharpness", &PillowSharpnessEntry},
    {"pillow_rgb_to_grayscale", &PillowGrayscaleEntry},
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
