import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { type Contact, createContact } from './contact.ts';

const servesMs = 10_000;
let lines: string[];
let contact: Contact;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  lines = [];
  contact = createContact({ servesMs, report: (line) => lines.push(line) });
});
afterEach(() => {
  vi.useRealTimers();
});

const away = (reason: string) => async (): Promise<never> => {
  throw new SkillwireError('STORE_AWAY', reason);
};
const nothing = async (): Promise<void> => undefined;

function mayServe(): boolean {
  try {
    contact.requireServing();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORE_AWAY' });
    return false;
  }
}

test('a member that lapsed serves again only after reading that began after its renewal', async () => {
  await contact.renewal(nothing, nothing);
  vi.advanceTimersByTime(servesMs + 1);
  expect(mayServe()).toBe(false);
  // Reading alone extends nothing.
  await contact.during(nothing);
  expect(mayServe()).toBe(false);
  const steps: string[] = [];
  await contact.renewal(
    async () => void steps.push(`renewed, serving: ${mayServe()}`),
    async () => void steps.push(`read, serving: ${mayServe()}`),
  );
  expect(steps).toEqual(['renewed, serving: false', 'read, serving: false']);
  expect(mayServe()).toBe(true);
});

test('a member that lapsed and cannot read again does not serve', async () => {
  await contact.renewal(nothing, nothing);
  vi.advanceTimersByTime(servesMs + 1);
  await expect(contact.renewal(nothing, away('no answer'))).rejects.toThrow('no answer');
  expect(mayServe()).toBe(false);
});

test('a renewal extends the lease from its beginning', async () => {
  await contact.renewal(nothing, nothing);
  vi.advanceTimersByTime(1_000);
  const readAgain = vi.fn(nothing);
  await contact.renewal(async () => void vi.advanceTimersByTime(4_000), readAgain);
  expect(readAgain).not.toHaveBeenCalled();
  vi.advanceTimersByTime(servesMs - 4_000);
  expect(mayServe()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(mayServe()).toBe(false);
});

test('the operator gets one line per cause, and one when the store is back', async () => {
  await contact.renewal(nothing, nothing);
  for (let turn = 0; turn < 3; turn += 1) {
    await contact.during(away('It is gone.')).catch(() => undefined);
    vi.advanceTimersByTime(1_000);
  }
  // It can be read, and not written.
  await contact.during(nothing);
  await contact.renewal(away('It is read-only.'), nothing).catch(() => undefined);
  await contact.during(nothing);
  vi.advanceTimersByTime(1_000);
  expect(contact.health().away).toMatchObject({ reason: 'It is read-only.' });
  await contact.renewal(nothing, nothing);
  expect(contact.health().away).toBeUndefined();
  expect(lines).toEqual([
    expect.stringContaining('It is gone.'),
    expect.stringContaining('It is read-only.'),
    'The shared store is back after 4 s.',
  ]);
});

test('the error of a server that may not serve any more names the cause', async () => {
  await contact.renewal(nothing, nothing);
  await contact.renewal(away('It is read-only.'), nothing).catch(() => undefined);
  vi.advanceTimersByTime(servesMs + 1);
  expect(() => contact.requireServing()).toThrow(/has been away for 10 s.* It is read-only\./);
});

test('a wrong argument says nothing about the engine', async () => {
  const wrong = async (): Promise<never> => {
    throw new SkillwireError('USAGE', 'no digest');
  };
  await contact.during(wrong).catch(() => undefined);
  expect(contact.health().away).toBeUndefined();
});
