#!/usr/bin/env python3
"""Measures the contrast of colours as WCAG 2.2 defines it. Reads its arguments and one file, writes nothing."""

from __future__ import annotations

import argparse
import colorsys
import json
import re
import sys
from pathlib import Path

NEEDED = {
    ("text", "AA"): 4.5,
    ("text", "AAA"): 7.0,
    ("large-text", "AA"): 3.0,
    ("large-text", "AAA"): 4.5,
    ("graphics", "AA"): 3.0,
    ("graphics", "AAA"): 3.0,
}
USES = ("text", "large-text", "graphics")
LEVELS = ("AA", "AAA")

Colour = tuple[int, int, int]


class InputError(Exception):
    """What the user gave cannot be used; the message says what to change."""


def parse(value: object) -> Colour:
    match = re.fullmatch(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", value.strip()) if isinstance(value, str) else None
    if match is None:
        raise InputError(f'"{value}" is not a colour; write it as #RGB or #RRGGBB')
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))


def hexadecimal(colour: Colour) -> str:
    return "#{:02X}{:02X}{:02X}".format(*colour)


def luminance(colour: Colour) -> float:
    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def shown(ratio: float) -> str:
    """Two digits, cut and not rounded, so that a failing ratio never looks like a passing one."""
    return f"{int(ratio * 100 + 1e-9) / 100:.2f}"


def suggest(text: Colour, background: Colour, needed: float) -> Colour | None:
    """The shade of the same hue and saturation that passes and is nearest in lightness."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in text))
    for step in range(0, 1001):
        for candidate in (lightness - step / 1000, lightness + step / 1000):
            if 0 <= candidate <= 1:
                shade = tuple(round(channel * 255) for channel in colorsys.hls_to_rgb(hue, candidate, saturation))
                if contrast(shade, background) >= needed:
                    return shade
    return None


def check_pair(text: Colour, background: Colour, use: str, level: str, with_suggestion: bool, note: str = "") -> bool:
    ratio, needed = contrast(text, background), NEEDED[use, level]
    passes = ratio >= needed
    line = f"{'pass' if passes else 'FAIL'}  {hexadecimal(text)} on {hexadecimal(background)}  {shown(ratio):>5}"
    line += f"  needs {needed:g} ({use}, {level})" + (f"  {note}" if note else "")
    print(line)
    if with_suggestion and not passes:
        shade = suggest(text, background, needed)
        if shade is None:
            print("      no shade of this colour passes on this background; change the background")
        else:
            print(f"      nearest shade that passes: {hexadecimal(shade)} ({shown(contrast(shade, background))})")
    return passes


def check_palette(path: Path, with_suggestion: bool) -> bool:
    try:
        palette = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f'cannot read "{path}": {error.strerror}') from error
    except ValueError as error:
        raise InputError(f'"{path}" is not JSON: {error}') from error
    try:
        backgrounds, texts, pairs = palette["backgrounds"], palette["text"], palette["pairs"]
        passed = True
        for pair in pairs:
            use, level = pair["use"], pair["level"]
            if (use, level) not in NEEDED:
                raise InputError(f'"{path}": use "{use}" with level "{level}" is unknown; see --help')
            text, background = parse(texts[pair["text"]]), parse(backgrounds[pair["background"]])
            passed &= check_pair(text, background, use, level, with_suggestion, f"{pair['text']} on {pair['background']}")
    except KeyError as error:
        raise InputError(f'"{path}" has no entry {error}') from error
    except (TypeError, AttributeError) as error:
        raise InputError(f'"{path}" is not a palette; compare it with assets/palette.json') from error
    if not pairs:
        raise InputError(f'"{path}" has no pairs to check')
    return passed


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description="Measures the contrast of a text colour on a background, or of all pairs of a palette.",
        epilog="Exit codes: 0 everything passes, 1 something fails, 2 the input was wrong.",
    )
    parser.add_argument("text", nargs="?", help="text colour, #RGB or #RRGGBB")
    parser.add_argument("background", nargs="?", help="background colour, #RGB or #RRGGBB")
    parser.add_argument("--use", choices=USES, default="text", help="what the pair is used for (default: text)")
    parser.add_argument("--level", choices=LEVELS, default="AA", help="level of WCAG 2.2 (default: AA)")
    parser.add_argument("--palette", type=Path, metavar="FILE", help="check the pairs of a palette file instead")
    parser.add_argument("--suggest", action="store_true", help="print the nearest shade that passes")
    options = parser.parse_args(arguments)
    try:
        if options.palette is not None:
            if options.text is not None:
                raise InputError("give either two colours or --palette, not both")
            return 0 if check_palette(options.palette, options.suggest) else 1
        if options.background is None:
            raise InputError("two colours are needed: text and background; see --help")
        text, background = parse(options.text), parse(options.background)
        return 0 if check_pair(text, background, options.use, options.level, options.suggest) else 1
    except InputError as error:
        print(f"contrast.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
