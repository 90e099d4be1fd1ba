/** Many runtimes at once, and calls to all of them: no answer is lost or crossed, and memory stays within its bound. */
import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { answering, registration, type SocketPeer, skill, socketPeer } from '../mdp-peer.ts';
import { soakFactor } from '../soak-factor.ts';
import { type ServedHub, serveHub } from './served-hub.ts';

const runtimes = Math.min(2_000, 200 * soakFactor);
const callsPerSecond = Math.min(200, 20 * soakFactor);
const seconds = Math.min(60, 6 * soakFactor);
const mostMemory = 300;

async function connectAll({ ws }: ServedHub): Promise<readonly SocketPeer[]> {
  const peers: SocketPeer[] = [];
  const waiting = Array.from({ length: runtimes }, (_, index) => index);
  const work = async (): Promise<void> => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      const id = `runtime-${index}`;
      const peer = await socketPeer(ws);
      answering(peer, ({ query }) => ({ ok: true, data: `${id} ${(query as { nonce: string }).nonce}` }));
      peer.send(registration(id, [skill('/state/skill.md', `The state of ${id}`)]));
      peers.push(peer);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return peers;
}

async function listedSkills({ url }: ServedHub): Promise<number> {
  let count = 0;
  let cursor: string | undefined = '';
  while (cursor !== undefined) {
    const query: string = cursor === '' ? '' : `?cursor=${cursor}`;
    const page = (await (await fetch(`${url}/mdp/skills${query}`)).json()) as {
      skills: unknown[];
      nextCursor?: string;
    };
    count += page.skills.length;
    cursor = page.nextCursor;
  }
  return count;
}

/** The fault of one call, if there was one. */
async function faultOf({ url }: ServedHub, index: number, nonce: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/skills/runtime-${index}/state?nonce=${nonce}`);
  const text = await answer.text();
  return text === `runtime-${index} ${nonce}` ? undefined : `${answer.status} ${text}`;
}

test(`${runtimes} runtimes answer ${callsPerSecond} calls per second for ${seconds} s`, {
  timeout: 600_000,
}, async () => {
  await using hub = await serveHub();
  const peers = await connectAll(hub);
  await eventually(async () => expect(await listedSkills(hub)).toBe(runtimes), 200);
  const calls: Promise<string | undefined>[] = [];
  let most = 0;
  for (let second = 0; second < seconds; second++) {
    for (let part = 0; part < 10; part++) {
      for (let count = 0; count < callsPerSecond / 10; count++) {
        const number = calls.length;
        calls.push(faultOf(hub, (number * 7919) % runtimes, `n${number}`));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    most = Math.max(most, hub.memory());
  }
  const faults = (await Promise.all(calls)).filter((fault) => fault !== undefined);
  expect(faults).toEqual([]);
  expect(calls).toHaveLength(callsPerSecond * seconds);
  expect(most).toBeLessThanOrEqual(mostMemory);
  for (const peer of peers) peer.socket.terminate();
  await eventually(async () => expect(await listedSkills(hub)).toBe(0), 200);
  console.log(`${runtimes} runtimes, ${calls.length} calls, at most ${Math.round(most)} MiB`);
});
