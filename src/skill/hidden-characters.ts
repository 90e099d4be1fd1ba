/**
 * Characters that a model reads but a person does not see, or that change how text looks. They are counted, never
 * removed: cleaned text would have another digest.
 */

export type HiddenKind = 'tag' | 'variation-selector' | 'bidi' | 'invisible' | 'control';

const kindNames: Readonly<Record<HiddenKind, readonly [name: string, remark: string]>> = {
  tag: ['tag character', ' (U+E0000 to U+E007F), which can carry hidden text'],
  'variation-selector': ['variation selector', ' without a character to vary, which can carry hidden text'],
  bidi: ['bidirectional control', ', which can change the order of text'],
  invisible: ['invisible character', ''],
  control: ['control character', ''],
};

/** The count and the kind, for messages. */
export function describeHidden(kind: HiddenKind, count: number): string {
  const [name, remark] = kindNames[kind];
  return `${count} ${name}${count === 1 ? '' : 's'}${remark}`;
}

export interface HiddenCount {
  readonly kind: HiddenKind;
  readonly count: number;
  /** Offset of the first one in the text. */
  readonly first: number;
}

const suspicious = /(?![\t\n\r\u200e\u200f\u061c])[\p{Cc}\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

/** Printable ASCII and ordinary white space contain no hidden characters. */
const unsuspicious = /^[\t\n\r\x20-\x7e]*$/;

/** Counts hidden characters by kind, in order of first occurrence. */
export function hiddenCharacters(text: string): readonly HiddenCount[] {
  if (unsuspicious.test(text)) return [];
  const found = new Map<HiddenKind, { kind: HiddenKind; count: number; first: number }>();
  for (const match of text.matchAll(suspicious)) {
    if (isVisibleInContext(text, match.index)) continue;
    const kind = kindOf(match[0].codePointAt(0) ?? 0);
    const entry = found.get(kind);
    if (entry === undefined) found.set(kind, { kind, count: 1, first: match.index });
    else entry.count++;
  }
  return [...found.values()];
}

function kindOf(code: number): HiddenKind {
  if (code < 0xa0) return 'control';
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag';
  if ((code >= 0xe0100 && code <= 0xe01ef) || (code >= 0xfe00 && code <= 0xfe0f)) return 'variation-selector';
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return 'bidi';
  return 'invisible';
}

const pictographBefore = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u;
const pictographAfter = /^\p{Extended_Pictographic}/u;
/** Scripts that need the joiner and the non-joiner inside words. */
const joiningBefore =
  /[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u;
const variationBase = /[\p{L}\p{N}\p{P}\p{S}]$/u;

/**
 * True if an otherwise invisible character belongs to the visible one before it. That is a joiner inside an emoji or a word of a script
 * that needs it. Or one variation selector (U+FE00 to U+FE0F) after a character that it can vary.
 */
export function isVisibleInContext(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  const before = text.slice(Math.max(0, index - 4), index);
  if (code >= 0xfe00 && code <= 0xfe0f) return variationBase.test(before);
  if (code !== 0x200c && code !== 0x200d) return false;
  if (joiningBefore.test(before)) return true;
  return code === 0x200d && pictographBefore.test(before) && pictographAfter.test(text.slice(index + 1, index + 3));
}

const shownAsCode =
  /(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/**
 * Splits a text for display: plain pieces, and the code (for example `U+202E`) of each character that is invisible or
 * moves others. Tabs and line breaks are plain; CRLF is one line break.
 */
export function splitHidden(text: string): readonly { readonly text: string; readonly hidden: boolean }[] {
  const whole = text.replaceAll('\r\n', '\n');
  if (unsuspicious.test(whole) && !whole.includes('\r')) return [{ text: whole, hidden: false }];
  const pieces: { text: string; hidden: boolean }[] = [];
  let from = 0;
  for (const { 0: found, index } of whole.matchAll(shownAsCode)) {
    if (isVisibleInContext(whole, index)) continue;
    if (index > from) pieces.push({ text: whole.slice(from, index), hidden: false });
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    pieces.push({ text: `U+${code}`, hidden: true });
    from = index + found.length;
  }
  if (from < whole.length) pieces.push({ text: whole.slice(from), hidden: false });
  return pieces;
}
