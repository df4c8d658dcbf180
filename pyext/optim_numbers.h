// Hyperparameters of an optimizer's functional form, as Python computes with them.
#pragma once

#include <cmath>
#include <optional>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"

namespace kwker::pyext {

// A finite float or an int, small enough that Python's products of two ints are
// exact in double too.
inline Number Plain(PyObject* value) {
  const std::optional<Number> x = PlainNumber(value);
  Require(x.has_value() && !x->is_numpy, Reason::kTensorHyperparameter);
  Require(!x->is_int || std::abs(x->value) < 0x1p26, Reason::kHyperparameter);
  return *x;
}

// The same or a numpy.float64, where no power is taken of it or by it. NumPy warns of
// products and quotients that leave the normal range, if it is told to: far inside it
// there are none.
inline Number PlainOrNumpy(PyObject* value) {
  const std::optional<Number> x = PlainNumber(value);
  if (!x.has_value() || !x->is_numpy) return Plain(value);
  const double size = std::abs(x->value);
  Require(size == 0 || (size > 1e-100 && size < 1e100), Reason::kHyperparameter);
  return *x;
}

// -x: minus the int 0 is 0.
inline double Negated(const Number& x) { return x.is_int ? 0.0 - x.value : -x.value; }

// True or False (or absent): what else Python would take for one is left to torch.
inline bool Flag(PyObject* value) {
  Require(IsFlag(value), Reason::kArguments);
  return value == Py_True;
}

// A number that some power is taken of, in [0, 1).
inline double Beta(PyObject* value) {
  const double beta = Plain(value).value;
  Require(beta >= 0 && beta < 1, Reason::kHyperparameter);
  return beta;
}

// base**exponent as Python's floats compute it. Python raises where the result is not
// finite or not real.
inline double Power(double base, double exponent) {
  // Read from memory, so that the compiler cannot make a square root of pow(x, 0.5),
  // which may differ from that.
  volatile double power = exponent;
  const double result = std::pow(base, power);
  Require(std::isfinite(result), Reason::kHyperparameter);
  return result;
}

// 1 - beta**step, which torch divides by.
inline double BiasCorrection(double beta, double step) {
  const double correction = 1 - Power(beta, step);
  Require(correction > 0, Reason::kHyperparameter);
  return correction;
}

}  // namespace kwker::pyext
