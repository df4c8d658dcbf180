"""Written by the build: what this copy of Kwker was built for."""

TORCH_RELEASE: str  # "2.13"
