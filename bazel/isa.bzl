"""Kernels compiled once for each instruction set."""

# Results must not depend on the compiler's mood: no contraction of a*b+c into a
# fused multiply-add where the source has none, no reassociation.
EXACT_COPTS = [
    "-O3",
    "-ffp-contract=off",
    "-fno-fast-math",
]

_ISA_COPTS = {
    "sse2": [],
    "avx2": [
        "-mavx2",
        "-mfma",
    ],
    "avx512": [
        # GCC 12 warns of its own intrinsics' undefined pass-through operands.
        "-Wno-maybe-uninitialized",
        "-Wno-uninitialized",
        "-mavx2",
        "-mfma",
        "-mavx512f",
        "-mavx512bw",
        "-mavx512dq",
        "-mavx512vl",
    ],
}

def isa_libraries(stem, hdrs, deps = [], testonly = False):
    """One library STEM_isa of the files STEM_sse2.cc, STEM_avx2.cc, STEM_avx512.cc.

    These files must define nothing inline that is shared with other sources
    (//kernels:isa_symbols_test): the linker keeps one copy of an inline
    function, and if that is the AVX-512 one, the program dies elsewhere.

    Also a filegroup STEM_isa_archives, for that test.

    Args:
      stem: the files' common beginning.
      hdrs: headers that they include.
      deps: header-only libraries that they include.
      testonly: whether only tests may use them.
    """
    for isa, copts in _ISA_COPTS.items():
        native.cc_library(
            name = "%s_%s" % (stem, isa),
            srcs = ["%s_%s.cc" % (stem, isa)] + hdrs,
            copts = EXACT_COPTS + copts,
            # Only an archive: no shared library for the tests.
            linkstatic = True,
            testonly = testonly,
            visibility = ["//visibility:private"],
            deps = deps,
        )
    native.cc_library(
        name = stem + "_isa",
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = [":%s_%s" % (stem, isa) for isa in _ISA_COPTS],
    )
    native.filegroup(
        name = stem + "_isa_archives",
        testonly = testonly,
        srcs = [":%s_%s" % (stem, isa) for isa in _ISA_COPTS if isa != "sse2"],
        visibility = ["//kernels:__pkg__"],
    )
