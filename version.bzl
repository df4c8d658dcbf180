"""The version of Kwker: of its wheel and of the program in it."""

VERSION = "0.1.0"
