import { expect, test } from 'vitest';
import { textDescription } from './exposures.ts';

test.each([
  ['# Title\n\nFirst\nparagraph.\n\nSecond.', 'First paragraph.'],
  ['# Title\nSame block.', 'Same block.'],
  ['# Title\r\n\r\nWith carriage\r\nreturns.\r\n', 'With carriage returns.'],
  ['---\nname: x\ndescription: Plain words # remark\n---\n# T\n\nBody', 'Plain words'],
  ['---\ndescription: "With \\"quotes\\""\n---\nBody', 'With "quotes"'],
  ["---\ndescription: 'It''s'\n---\nBody", "It's"],
  ['---\ndescription: |\n  A block\n---\nBody', 'Body'],
  ['---\nname: x\n---\n\nBody', 'Body'],
  ['---\ndescription: "broken\\q"\n---\nBody', 'Body'],
  ['# Only a title', undefined],
  ['', undefined],
])('textDescription(%j) is %j', (text, description) => {
  expect(textDescription(text)).toBe(description);
});

test('textDescription() cuts text to the limit of skills', () => {
  const cut = textDescription('ä'.repeat(2_000));
  expect([...(cut ?? '')]).toHaveLength(1_024);
  expect(cut?.endsWith('…')).toBe(true);
});
