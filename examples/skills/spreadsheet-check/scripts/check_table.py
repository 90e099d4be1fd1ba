#!/usr/bin/env python3
"""Finds faults in a CSV or TSV file that spreadsheets and imports pass over. Reads one file, writes nothing."""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ERROR_VALUES = {"#REF!", "#N/A", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!"}
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
COMMA_DECIMAL = re.compile(r"[+-]?\d{1,3}(\.\d{3})*,\d{1,2}|[+-]?\d+,\d{1,2}")
COMMA_GROUPS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
SCIENTIFIC = re.compile(r"[+-]?\d+(\.\d+)?[eE]\+\d+")
DATE_FORMATS = {
    "YYYY-MM-DD": re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?"),
    "d/m/y or m/d/y": re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}"),
    "d.m.y": re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}"),
    "d-m-y or m-d-y": re.compile(r"\d{1,2}-\d{1,2}-\d{2,4}"),
}


class InputError(Exception):
    """The file cannot be read as a table; the message says why."""


class Finding(NamedTuple):
    row: int
    column: str
    kind: str
    message: str

    def __str__(self) -> str:
        place = f"row {self.row}" + (f", {self.column}" if self.column else "")
        return f"{place}: {self.kind}: {self.message}"


class Table(NamedTuple):
    header: list[str]
    rows: list[tuple[int, list[str]]]
    """Rows with the number that a spreadsheet shows for them: the header is row 1."""

    def column(self, index: int) -> Iterator[tuple[int, str]]:
        for number, cells in self.rows:
            if index < len(cells) and cells[index].strip():
                yield number, cells[index].strip()


def read_text(path: Path) -> tuple[str, list[Finding]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f'cannot read "{path}": {error.strerror}') from error
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), [Finding(1, "", "encoding", "the file is UTF-16, not UTF-8")]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"line {line} of the file is not UTF-8 (byte {error.start}); read as Windows-1252 for the rest"
        return data.decode("cp1252", errors="replace"), [Finding(1, "", "encoding", message)]


def detect_delimiter(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    counts = {sign: len(next(csv.reader([first], delimiter=sign))) for sign in DELIMITERS}
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] > 1 else ","


def read_table(text: str, delimiter: str) -> Table:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(f"this is not a table: {error}") from error
    numbered = [(number, cells) for number, cells in enumerate(lines, start=1) if any(cell.strip() for cell in cells)]
    if not numbered:
        raise InputError("the file holds no row")
    return Table([name.strip() for name in numbered[0][1]], numbered[1:])


def check_structure(table: Table) -> Iterator[Finding]:
    for index, name in enumerate(table.header, start=1):
        if not name:
            yield Finding(1, "", "header", f"column {index} has no name")
    for name, count in Counter(name for name in table.header if name).items():
        if count > 1:
            yield Finding(1, name, "header", f"{count} columns have this name")
    for number, cells in table.rows:
        if len(cells) != len(table.header):
            yield Finding(number, "", "ragged-row", f"{len(cells)} cells, but the header has {len(table.header)}")


def check_keys(table: Table, keys: list[str]) -> Iterator[Finding]:
    missing = [key for key in keys if key not in table.header]
    if missing:
        raise InputError(f'there is no column "{missing[0]}"; there are: {", ".join(table.header)}')
    places = [table.header.index(key) for key in keys]
    seen: dict[tuple[str, ...], int] = {}
    for number, cells in table.rows:
        value = tuple(cells[place].strip() if place < len(cells) else "" for place in places)
        shown = " + ".join(f'"{part}"' for part in value)
        if not all(value):
            yield Finding(number, " + ".join(keys), "duplicate-key", f"the key is not complete: {shown}")
        elif value in seen:
            yield Finding(number, " + ".join(keys), "duplicate-key", f"{shown} is already in row {seen[value]}")
        else:
            seen[value] = number


def check_cells(table: Table) -> Iterator[Finding]:
    for number, cells in table.rows:
        for name, cell in zip(table.header, cells):
            value = cell.strip()
            if value != cell:
                yield Finding(number, name, "spaces", f'"{cell}" has blanks at its edge')
            if value.upper() in ERROR_VALUES:
                yield Finding(number, name, "error-value", f'"{value}" is the result of a broken formula')
            elif SCIENTIFIC.fullmatch(value):
                yield Finding(number, name, "scientific", f'"{value}" may have lost digits')
            elif value[:1] in ("=", "@") or (value[:1] in ("+", "-") and not is_number(value) and len(value) > 1):
                yield Finding(number, name, "formula", f'"{value[:40]}" may run as a formula when it is opened')


def is_number(value: str) -> bool:
    return any(form.fullmatch(value) for form in (PLAIN_NUMBER, COMMA_DECIMAL, COMMA_GROUPS, SCIENTIFIC))


def check_columns(table: Table) -> Iterator[Finding]:
    for index, name in enumerate(table.header):
        values = list(table.column(index))
        yield from mixed(name, values, "date-format", date_format)
        yield from mixed(name, values, "number-format", number_format)
        digits = [(number, value) for number, value in values if value.isascii() and value.isdigit()]
        zeros = [(number, value) for number, value in digits if len(value) > 1 and value[0] == "0"]
        if zeros and len(digits) > len(zeros):
            number, value = zeros[0]
            others = len(digits) - len(zeros)
            yield Finding(number, name, "leading-zero", f'"{value}" beside {others} without; the column must stay text')


def mixed(
    name: str, values: list[tuple[int, str]], kind: str, form_of: Callable[[str], str | None]
) -> Iterator[Finding]:
    """Reports the first value of each form other than the most frequent one."""
    forms = [(number, value, form_of(value)) for number, value in values]
    counts = Counter(form for _, _, form in forms if form)
    if len(counts) < 2:
        return
    usual = counts.most_common(1)[0][0]
    for form in counts:
        if form != usual:
            number, value = next((number, value) for number, value, other in forms if other == form)
            yield Finding(number, name, kind, f'"{value}" is {form}; {counts[usual]} others are {usual}')


def date_format(value: str) -> str | None:
    return next((name for name, form in DATE_FORMATS.items() if form.fullmatch(value)), None)


def number_format(value: str) -> str | None:
    if COMMA_DECIMAL.fullmatch(value):
        return "decimal comma"
    if COMMA_GROUPS.fullmatch(value) or ("." in value and PLAIN_NUMBER.fullmatch(value)):
        return "decimal point"
    return None


def check(path: Path, delimiter: str | None, keys: list[str]) -> tuple[Table, list[Finding]]:
    text, findings = read_text(path)
    if "\0" in text:
        raise InputError(f'"{path}" is not text; export the sheet as CSV first')
    table = read_table(text, delimiter or detect_delimiter(text))
    findings += check_structure(table)
    if keys:
        findings += check_keys(table, keys)
    findings += check_cells(table)
    findings += check_columns(table)
    return table, sorted(findings)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description="Finds faults in a CSV or TSV file. The first row is the header; rows are counted as a spreadsheet does.",
        epilog="Exit codes: 0 nothing found, 1 findings, 2 the file cannot be read as a table.",
    )
    parser.add_argument("file", type=Path, help="the table, as UTF-8 text")
    parser.add_argument(
        "--key", action="append", default=[], metavar="COLUMN", help="unique column; repeat it for a compound key"
    )
    parser.add_argument("--delimiter", choices=list(DELIMITERS.values()), help="default: detected from the first row")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    options = parser.parse_args(arguments)
    delimiter = next((sign for sign, name in DELIMITERS.items() if name == options.delimiter), None)
    try:
        table, findings = check(options.file, delimiter, options.key)
    except InputError as error:
        print(f"check_table.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        report = {"rows": len(table.rows), "columns": table.header, "findings": [found._asdict() for found in findings]}
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for found in findings:
            print(found)
        print(f"{len(table.rows)} rows, {len(table.header)} columns, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
