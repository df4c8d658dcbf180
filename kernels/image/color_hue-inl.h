// torchvision's hue shift on vectors of floats. Include a vec_*.h and its pixels_*.h first.
//
// Where torchvision multiplies all three candidates for the hue by masks and adds them, one is
// selected here: the others are zeros. No operation of torchvision's is fused here, at any
// instruction set; inputs are from 0 to 1 and not minus zero.
#pragma once

namespace kwker::image {
namespace {

inline F32::V ClampedUnit(F32::V x) { return Lanes::Min(F32::Max(x, F32::Set(0)), F32::Set(1)); }

// The channels in the sextant of the hue, from 0 to 6, which is 0 again.
inline void SelectSextant(F32::V sextant, F32::V v, F32::V p, F32::V q, F32::V t, F32::V& r,
                          F32::V& g, F32::V& b) {
  const auto at = [&](float k) { return Lanes::Equal(sextant, F32::Set(k)); };
  const Lanes::Mask at1 = at(1), at2 = at(2), at3 = at(3), at4 = at(4), at5 = at(5);
  using L = Lanes;
  r = L::Select(at1, q, L::Select(at2, p, L::Select(at3, p, L::Select(at4, t, v))));
  g = L::Select(at1, v, L::Select(at2, v, L::Select(at3, q, L::Select(at4, p, t))));
  g = L::Select(at5, p, g);
  b = L::Select(at2, t, L::Select(at3, v, L::Select(at4, v, L::Select(at5, q, p))));
}

// Hue, saturation and value to red, green and blue.
inline void HueToRgb(F32::V h, F32::V s, F32::V v, F32::V& r, F32::V& g, F32::V& b) {
  using V = F32::V;
  const V one = F32::Set(1);
  const V h6 = F32::Mul(h, F32::Set(6));
  const V sextant = Lanes::Floor(h6);
  const V fraction = F32::Sub(h6, sextant);
  const V sf = F32::Mul(s, fraction);
  const V rest = F32::Sub(one, s);
  const V q = ClampedUnit(F32::Mul(F32::Sub(one, sf), v));
  const V t = ClampedUnit(F32::Mul(F32::Add(sf, rest), v));
  const V p = ClampedUnit(F32::Mul(rest, v));
  SelectSextant(sextant, v, p, q, t, r, g, b);
}

inline void ShiftHue(F32::V shift, F32::V& r, F32::V& g, F32::V& b) {
  using V = F32::V;
  const V one = F32::Set(1), zero = F32::Set(0);
  const V high = F32::Max(F32::Max(r, g), b);
  const V low = Lanes::Min(Lanes::Min(r, g), b);
  const V range = F32::Sub(high, low);
  const Lanes::Mask gray = Lanes::Equal(high, low);
  const V s = F32::Div(range, Lanes::Select(gray, one, high));

  // (a + turn) - c, of the distances from the highest channel.
  const Lanes::Mask is_r = Lanes::Equal(high, r), is_g = Lanes::Equal(high, g);
  const V from_a = Lanes::Select(is_r, b, Lanes::Select(is_g, r, g));
  const V from_c = Lanes::Select(is_r, g, Lanes::Select(is_g, b, r));
  const V turn = Lanes::Select(is_r, zero, Lanes::Select(is_g, F32::Set(2), F32::Set(4)));
  const V divisor = Lanes::Select(gray, one, range);
  const V a = F32::Div(F32::Sub(high, from_a), divisor);
  const V c = F32::Div(F32::Sub(high, from_c), divisor);
  V h = F32::Sub(F32::Add(a, turn), c);

  h = F32::Add(F32::Mul(h, F32::Set(static_cast<float>(1.0 / 6.0))), one);
  // fmod(h, 1) for 0 <= h < 2; then remainder(h, 1) for -1 < h < 2.
  h = Lanes::Select(Lanes::Less(h, one), h, F32::Sub(h, one));
  h = F32::Add(h, shift);
  h = Lanes::Select(Lanes::Less(h, one), h, F32::Sub(h, one));
  h = Lanes::Select(Lanes::Less(h, zero), F32::Add(h, one), h);
  HueToRgb(h, s, high, r, g, b);
}

}  // namespace
}  // namespace kwker::image
