/** How deep JSON is nested, told from its text: code that recurses must not meet more than it was made for. */

const quote = 0x22;
const backslash = 0x5c;

/** True if arrays and objects lie deeper in each other than allowed. Texts are skipped over. */
export function isTooDeep(json: string, maximum: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case quote:
        for (index++; index < json.length && json.charCodeAt(index) !== quote; index++)
          if (json.charCodeAt(index) === backslash) index++;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maximum) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}
