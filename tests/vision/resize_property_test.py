"""Any resize that Hypothesis can think of, refused ones included, is as Pillow's."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pictures import MODES, assert_same, noise

_SIDES = st.integers(1, 80)
_SIZES = st.tuples(_SIDES, _SIDES)
_CORNERS = st.one_of(st.integers(-2, 90), st.floats(-2, 90, width=32), st.floats(0, 40))
_NEW_SIZES: st.SearchStrategy[Any] = st.one_of(
    _SIZES,
    _SIZES.map(list),
    st.tuples(st.integers(-1, 90), st.integers(-1, 90)),
    st.tuples(st.floats(1, 9), _SIDES),
    st.tuples(_SIDES),
)
_FILTERS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.integers(-1, 9), st.sampled_from([True, 2.0, "bilinear"])
)
_BOXES: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.none(), st.tuples(_CORNERS, _CORNERS, _CORNERS, _CORNERS)
)
_GAPS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.none(), st.floats(0.5, 4), st.sampled_from([1, 2, float("inf"), float("nan")])
)


@settings(
    max_examples=1500,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    st.sampled_from([*MODES, "P", "1", "PA", "I;16B"]), _SIZES, _NEW_SIZES, _FILTERS, _BOXES, _GAPS
)
def test_any_resize(
    mode: str, size: tuple[int, int], new_size: Any, resample: Any, box: Any, gap: Any
) -> None:
    image = noise(mode, size) if mode in MODES else noise("L", size).convert(mode)
    assert_same(lambda: image.resize(new_size, resample, box, gap), served=None)
