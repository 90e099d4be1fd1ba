#!/usr/bin/env python3
"""Draws a palette as a PNG: one row per background, one column per text colour, the contrast ratio in each cell."""

from __future__ import annotations

import argparse
import json
import struct
import sys
import zlib
from pathlib import Path

sys.dont_write_bytecode = True  # the folder of a skill stays as it was published
from contrast import Colour, InputError, contrast, parse, shown  # noqa: E402

SCALE = 4
CELL_WIDTH, CELL_HEIGHT, GAP = 104, 56, 4
TEXT_MINIMUM = 4.5

# 3 x 5 pixels per sign, one row after the other.
GLYPHS = {
    "0": "111101101101111",
    "1": "010110010010111",
    "2": "111001111100111",
    "3": "111001011001111",
    "4": "101101111001001",
    "5": "111100111001111",
    "6": "111100111101111",
    "7": "111001010010010",
    "8": "111101111101111",
    "9": "111101111001111",
    ".": "000000000000010",
}


class Canvas:
    def __init__(self, width: int, height: int, colour: Colour) -> None:
        self.width, self.height = width, height
        self.rows = [bytearray(bytes(colour) * width) for _ in range(height)]

    def fill(self, left: int, top: int, width: int, height: int, colour: Colour) -> None:
        for row in self.rows[top : top + height]:
            row[left * 3 : (left + width) * 3] = bytes(colour) * width

    def write(self, left: int, top: int, text: str, colour: Colour) -> None:
        for position, sign in enumerate(text):
            for index, bit in enumerate(GLYPHS[sign]):
                if bit == "1":
                    x = left + (position * 4 + index % 3) * SCALE
                    self.fill(x, top + index // 3 * SCALE, SCALE, SCALE, colour)

    def png(self) -> bytes:
        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in self.rows), 9)
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def draw(backgrounds: list[Colour], texts: list[Colour]) -> bytes:
    step_x, step_y = CELL_WIDTH + GAP, CELL_HEIGHT + GAP
    canvas = Canvas(len(texts) * step_x + GAP, len(backgrounds) * step_y + GAP, (200, 206, 212))
    for row, background in enumerate(backgrounds):
        for column, text in enumerate(texts):
            left, top = GAP + column * step_x, GAP + row * step_y
            canvas.fill(left, top, CELL_WIDTH, CELL_HEIGHT, background)
            ratio = contrast(text, background)
            label = shown(ratio)
            width = (len(label) * 4 - 1) * SCALE
            x, y = left + (CELL_WIDTH - width) // 2, top + (CELL_HEIGHT - 5 * SCALE) // 2
            canvas.write(x, y, label, text)
            if ratio < TEXT_MINIMUM:
                canvas.fill(x - 2 * SCALE, y + 2 * SCALE, width + 4 * SCALE, SCALE, text)
    return canvas.png()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description="Draws every text colour of a palette on every background, with the contrast ratio.",
        epilog="Exit codes: 0 drawn, 2 the palette cannot be read or the picture cannot be written.",
    )
    parser.add_argument("palette", type=Path, help="palette file (JSON)")
    parser.add_argument("picture", type=Path, help="PNG file to write; an existing one is replaced")
    options = parser.parse_args(arguments)
    try:
        palette = json.loads(options.palette.read_text(encoding="utf-8"))
        colours = [[parse(value) for value in palette[part].values()] for part in ("backgrounds", "text")]
        if not all(colours):
            raise InputError(f'"{options.palette}" needs at least one background and one text colour')
        options.picture.write_bytes(draw(*colours))
    except (InputError, OSError) as error:
        print(f"draw_palette.py: {error}", file=sys.stderr)
        return 2
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print(f'draw_palette.py: "{options.palette}" is not a palette: {error}', file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
