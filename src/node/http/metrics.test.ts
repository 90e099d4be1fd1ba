import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

const facts = {
  version: '1.2.3',
  replica: 'one',
  origins: [],
  requests: [],
  skills: 2,
  listed: 1,
  findings: { problem: 0, warning: 0, note: 0 },
  reloads: { applied: 0, refused: 0 },
};

/** Samples of the event loop's delays by name, without the delay at the moment of the scrape. */
function lag(text: string): ReadonlyMap<string, number> {
  const lines = text.matchAll(/^nodejs_eventloop_lag_(\w+)_seconds (\S+)$/gm);
  return new Map([...lines].map(([, name = '', value]) => [name, Number(value)]));
}

test('event loop delays are numbers or absent, also in the first and in simultaneous scrapes', async () => {
  const metrics = createMetrics();
  for (const text of [await metrics.text(facts), await metrics.text(facts)]) {
    expect(text).toContain('skillwire_info{version="1.2.3",replica="one"} 1');
    for (const [name, value] of lag(text)) expect(value, name).toBeLessThan(60);
  }
  // Each scrape starts a new record, so quick scrapes have no samples.
  let mean: number | undefined;
  for (let tries = 0; mean === undefined && tries < 50; tries++) {
    await sleep(200);
    mean = lag(await metrics.text(facts)).get('mean');
  }
  expect(mean).toBeGreaterThan(0);
});
