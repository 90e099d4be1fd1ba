import { expect, test } from 'vitest';
import { confirmationText } from './confirmation-text.ts';

test.each([
  [{ done: true, confirmed: ['a', 'b', 'c'], missing: [] }, /^Done on 3 of 3 servers\.$/],
  [
    { done: false, confirmed: ['a', 'b'], missing: [{ id: 'pod-c', silentMs: 12_400 }] },
    /^Recorded; 2 of 3 servers confirmed\. Missing: pod-c \(last heard 12 s ago\)\. A server that returns/,
  ],
  [{ done: false, confirmed: [], missing: [], failure: 'It is away.' }, /cannot be asked .* It is away\.$/],
])('%j', (facts, text) => {
  expect(confirmationText(facts)).toMatch(text);
});
