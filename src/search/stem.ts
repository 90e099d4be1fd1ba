/**
 * The stem of an English word by the rules of M. F. Porter (1980), so that "deploying", "deployed" and "deploys" are one term. British
 * spellings become American first. Words of other languages hardly change. Stems are only compared, never shown.
 */

const vowel = '(?:[aeiou]|(?<=[^aeiou])y)';
const consonant = '(?:[^aeiouy]|^y|(?<=[aeiou])y)';
/** Vowels followed by consonants: at least once, exactly once, at least twice. */
const measured = new RegExp(`^${consonant}*(?:${vowel}+${consonant}+)+${vowel}*$`);
const measuredOnce = new RegExp(`^${consonant}*${vowel}+${consonant}+${vowel}*$`);
const measuredTwice = new RegExp(`^${consonant}*(?:${vowel}+${consonant}+){2,}${vowel}*$`);
const hasVowel = new RegExp(vowel);
/** Consonant, vowel, consonant at the end, as in "hop"; not "snow", "box", "tray". */
const shortEnd = new RegExp(`${consonant}${vowel}[^aeiouwxy]$`);

const british = /(?<=[a-z]{4}[iy])s(?=(?:e|es|ed|er|ers|ing|ation|ations)$)/;
const britishColour = /(?<=[a-z]{3})our/;

/** Endings of one step; the longest match decides. */
type Endings = readonly (readonly [ending: string, instead: string])[];

const second: Endings = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
];

const third: Endings = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const fourth: readonly string[] = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ion',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'al',
  'er',
  'ic',
  'ou',
];

function replaced(word: string, endings: Endings): string {
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending)) continue;
    const base = word.slice(0, -ending.length);
    return measured.test(base) ? base + instead : word;
  }
  return word;
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function withoutParticiple(word: string): string {
  if (word.endsWith('eed')) return measured.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const base = word.slice(0, word.length - ending);
  if (ending === 0 || !hasVowel.test(base)) return word;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (/([^aeiouylsz])\1$/.test(base)) return base.slice(0, -1);
  return measuredOnce.test(base) && shortEnd.test(base) ? `${base}e` : base;
}

function withoutEnding(word: string): string {
  const ending = fourth.find((one) => word.endsWith(one));
  if (ending === undefined) return word;
  const base = word.slice(0, -ending.length);
  if (!measuredTwice.test(base) || (ending === 'ion' && !/[st]$/.test(base))) return word;
  return base;
}

function withoutSilent(word: string): string {
  if (word.endsWith('ll')) return measuredTwice.test(word) ? word.slice(0, -1) : word;
  if (!word.endsWith('e')) return word;
  const base = word.slice(0, -1);
  if (measuredTwice.test(base)) return base;
  return measuredOnce.test(base) && !shortEnd.test(base) ? base : word;
}

const english = /^[a-z]{3,}$/;

/** @param word in lower case */
export function stem(word: string): string {
  if (!english.test(word)) return word;
  let now = word.replace(british, 'z').replace(britishColour, 'or');
  now = withoutParticiple(withoutPlural(now));
  if (now.endsWith('y') && hasVowel.test(now.slice(0, -1))) now = `${now.slice(0, -1)}i`;
  return withoutSilent(withoutEnding(replaced(replaced(now, second), third)));
}
