import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type MarkdownRenderer, markdownRenderer } from './markdown-renderer.ts';

const { signal } = new AbortController();

/** A thread that answers, loops forever, crashes or reports an error, depending on the text. */
const thread = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, text, base }) => {
  if (text === 'loop') for (;;);
  if (text === 'exit') throw new Error('out of memory');
  parentPort.postMessage(text === 'fail' ? { id, error: 'odd' } : { id, html: text + ' of ' + base });
});`;

function renderer(renderMs?: number): MarkdownRenderer {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-thread-'));
  const file = join(folder, 'thread.mjs');
  writeFileSync(file, thread);
  const made = markdownRenderer(pathToFileURL(file), renderMs);
  onTestFinished(async () => {
    await made.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return made;
}

describe('markdownRenderer()', () => {
  test('answers each text separately', async () => {
    const { render } = renderer();
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => render(text, 'skill://x', signal)));
    expect(answers).toEqual([{ html: 'a of skill://x' }, { html: 'b of skill://x' }, { html: 'c of skill://x' }]);
  });

  test('stops a text that takes too long, and continues with the next', async () => {
    const { render } = renderer(3_000);
    const [slow, next] = await Promise.all([render('loop', '', signal), render('b', 'x', signal)]);
    expect(slow).toEqual({ plain: expect.stringContaining('took longer than') });
    expect(next).toEqual({ html: 'b of x' });
  });

  test('survives a thread that dies and a text that cannot be rendered', async () => {
    const { render } = renderer();
    expect(await render('exit', '', signal)).toEqual({ plain: expect.stringContaining('out of memory') });
    expect(await render('fail', '', signal)).toEqual({ plain: expect.stringContaining('odd') });
    expect(await render('a', 'x', signal)).toEqual({ html: 'a of x' });
  });

  test('accepts a limited number of texts at once, and none after it is closed', async () => {
    const made = renderer(300);
    const waiting = Array.from({ length: 40 }, () => made.render('loop', '', signal));
    const refused = await Promise.race(waiting.slice(35));
    expect(refused).toEqual({ plain: expect.stringContaining('too much') });
    await made.close();
    expect(await Promise.all(waiting)).toHaveLength(40);
    expect(await made.render('a', '', signal)).toHaveProperty('plain');
  });
});
