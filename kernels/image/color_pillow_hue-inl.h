// Pillow's way to HSV and back on vectors of whole numbers from 0 to 255. Include a vec_*.h and
// its pixels_*.h first,
// and color_hue-inl.h.
//
// To HSV (Convert.c, rgb2hsv): H is made in a mix of float and double that the quotient of two
// integers does not equal, so the same roundings are made here; S = floor(255 range / high) is
// such a quotient. From HSV (hsv2rgb): rounded quotients of integers below 2^24, which floats
// hold exactly.
#pragma once

namespace kwker::image {
namespace {

// a / d to the nearest whole number, for whole numbers and odd d, so that there are no ties.
inline F32::V NearestQuotient(F32::V a, float d) {
  using V = F32::V;
  const V one = F32::Set(1), half = F32::Set(0.5f * d);
  V q = Lanes::Floor(F32::Add(F32::Mul(a, F32::Set(1 / d)), F32::Set(0.5f)));
  const V left = F32::Sub(a, F32::Mul(q, F32::Set(d)));
  q = Lanes::Select(Lanes::Less(half, left), F32::Add(q, one), q);
  return Lanes::Select(Lanes::Less(left, F32::Sub(F32::Set(0), half)), F32::Sub(q, one), q);
}

// H of 8 bits, from the hue in sixths of the circle, -1 to 5.
inline F32::V PillowHueByte(F32::V sixths) {
  using V = F32::V;
  using D = F64::V;
  const D six = F64::Set(6), one = F64::Set(1), full = F64::Set(255);
  const D low = F64::Add(F64::Div(Lanes::Low(sixths), six), one);
  const D high = F64::Add(F64::Div(Lanes::High(sixths), six), one);
  const V h = Lanes::Select(Lanes::Less(sixths, F32::Set(0)), Lanes::Join(low, high),
                            Lanes::Join(F64::Sub(low, one), F64::Sub(high, one)));
  // The product is exact in double; as a float it may have become the next whole number.
  const D low255 = F64::Mul(Lanes::Low(h), full), high255 = F64::Mul(Lanes::High(h), full);
  const V whole = Lanes::Floor(Lanes::Join(low255, high255));
  const V left =
      Lanes::Join(F64::Sub(low255, Lanes::Low(whole)), F64::Sub(high255, Lanes::High(whole)));
  return Lanes::Select(Lanes::Less(left, F32::Set(0)), F32::Sub(whole, F32::Set(1)), whole);
}

inline void PillowShiftHue(F32::V shift, F32::V& r, F32::V& g, F32::V& b) {
  using V = F32::V;
  const V zero = F32::Set(0), one = F32::Set(1), full = F32::Set(255);
  const V high = F32::Max(F32::Max(r, g), b);
  const V low = Lanes::Min(Lanes::Min(r, g), b);
  const V range = F32::Sub(high, low);
  const Lanes::Mask gray = Lanes::Equal(high, low);
  // Never rounded up to a whole number: what is not one misses it by 1/255 at least.
  const V s = Lanes::Floor(F32::Div(F32::Mul(range, full), Lanes::Select(gray, one, high)));

  // turn + a - c, rounded once, of the distances from the highest channel; one of a and c is 1
  // or 0, for it belongs to the lowest channel, or to a second highest.
  const Lanes::Mask is_r = Lanes::Equal(high, r), is_g = Lanes::Equal(high, g);
  const V divisor = Lanes::Select(gray, one, range);
  const V from_a = Lanes::Select(is_r, b, Lanes::Select(is_g, r, g));
  const V from_c = Lanes::Select(is_r, g, Lanes::Select(is_g, b, r));
  const V turn = Lanes::Select(is_r, zero, Lanes::Select(is_g, F32::Set(2), F32::Set(4)));
  const V a = F32::Div(F32::Sub(high, from_a), divisor);
  const V c = F32::Div(F32::Sub(high, from_c), divisor);
  const Lanes::Mask c_is_one = Lanes::Equal(c, one);
  const V sixths =
      Lanes::Select(c_is_one, F32::Add(F32::Sub(turn, one), a), F32::Sub(F32::Add(turn, a), c));
  V h = Lanes::Select(gray, zero, PillowHueByte(sixths));

  h = F32::Add(h, shift);
  h = Lanes::Select(Lanes::Less(full, h), F32::Sub(h, F32::Set(256)), h);

  // 6 h = 255 sextant + fraction
  const V h6 = F32::Mul(h, F32::Set(6));
  const V sextant = Lanes::Floor(F32::Mul(F32::Add(h6, F32::Set(0.5f)), F32::Set(1 / 255.0f)));
  const V fraction = F32::Sub(h6, F32::Mul(sextant, full));
  const V v = high;
  constexpr float kSquare = 255.0f * 255.0f;
  const V p = NearestQuotient(F32::Mul(v, F32::Sub(full, s)), 255.0f);
  const V sf = F32::Mul(s, fraction), sg = F32::Mul(s, F32::Sub(full, fraction));
  const V q = NearestQuotient(F32::Mul(v, F32::Sub(F32::Set(kSquare), sf)), kSquare);
  const V t = NearestQuotient(F32::Mul(v, F32::Sub(F32::Set(kSquare), sg)), kSquare);

  SelectSextant(sextant, v, p, q, t, r, g, b);
}

}  // namespace
}  // namespace kwker::image
