import { expect } from 'vitest';
import { type Check, proves, type Wire } from '../../../../test/misbehavior-proof.ts';
import { letterUri } from '../served-skill.ts';
import { slowAnswers } from './slow-answers.ts';

const ms = 250;

type Ask = (wire: Wire) => [method: string, params?: Readonly<Record<string, unknown>>];

const list: Ask = () => ['skills/list'];
const read: Ask = ({ row }) => ['resources/read', { uri: row.at ?? row.target }];

const hangs =
  (ask: Ask): Check =>
  async (wire) => {
    const answer = await wire.call(...withDefaults(ask(wire)), { ms });
    expect(answer).toMatchObject({ status: 0, end: 'late', body: { length: 0 } });
  };

/** Some bytes arrive one at a time, and the others do not arrive in time. */
const drips =
  (ask: Ask): Check =>
  async (wire) => {
    const { status, end, headers, body } = await wire.call(...withDefaults(ask(wire)), { bytes: 3 });
    expect([status, end, body.toString()]).toEqual([200, 'enough', '{"j']);
    expect(Number(headers['content-length'])).toBeGreaterThan(150);
  };

const cuts =
  (ask: Ask, bytes: number): Check =>
  async (wire) => {
    const { end, status, headers, body } = await wire.call(...withDefaults(ask(wire)));
    expect([end, status, body.length]).toEqual(['cut', bytes === 0 ? 0 : 200, bytes]);
    if (bytes > 0) expect(Number(headers['content-length'])).toBeGreaterThan(bytes);
  };

/** The base server answers all other calls. */
const otherwiseFine: Check = async ({ result }) => {
  await result('server/discover');
  await result('resources/list');
};

function withDefaults([method, params = {}]: ReturnType<Ask>): [string, Readonly<Record<string, unknown>>] {
  return [method, params];
}

const only =
  (check: Check): Check =>
  async (wire) => {
    await check(wire);
    await otherwiseFine(wire);
  };

proves('answers that are slow or broken off', slowAnswers, {
  'hang-connect': async (wire) => {
    await hangs(() => ['server/discover'])(wire);
    expect(await wire.call('initialize', {}, { era: 'legacy', ms })).toMatchObject({ end: 'late' });
  },
  'hang-list': only(hangs(list)),
  'hang-second-page': only(async (wire) => {
    const { nextCursor } = await wire.result('skills/list');
    await hangs(() => ['skills/list', { cursor: nextCursor }])(wire);
  }),
  'hang-get': only(hangs(({ row }) => ['skills/get', { uri: row.target }])),
  'hang-read': only(async (wire) => {
    await hangs(read)(wire);
    expect(await wire.text(letterUri)).toContain('Dear customer');
  }),
  'hang-file': only(async (wire) => {
    await hangs(read)(wire);
    expect(await wire.text(wire.row.target)).toContain('name: refunds');
  }),
  'drip-list': only(drips(list)),
  'drip-read': only(drips(read)),
  'cut-connect': cuts(() => ['server/discover'], 0),
  'cut-list': only(cuts(list, 120)),
  'cut-read-at-0': only(cuts(read, 0)),
  'cut-read-at-1': only(cuts(read, 1)),
  'cut-read': only(cuts(read, 180)),
  'cut-read-once': only(async (wire) => {
    await cuts(read, 180)(wire);
    await wire.verified();
  }),
  'cut-file': only(cuts(read, 120)),
});
