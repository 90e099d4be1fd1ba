/**
 * Renders Markdown in a worker thread, one text at a time, each with a time limit (sec:V-5). If a text exceeds the limit, the thread is
 * terminated and the text is shown as plain text. The rest of the server never waits for it. The thread starts with the first text and
 * stops when idle.
 */
import { Worker } from 'node:worker_threads';
import { limits } from '../../limits.ts';
import type { RenderedMarkdown, RenderMarkdown } from '../../surfaces/page/page-ports.ts';
import type { MarkdownDone, MarkdownJob } from './markdown-worker.ts';

export interface MarkdownRenderer {
  readonly render: RenderMarkdown;
  close(): Promise<void>;
}

interface Waiting extends MarkdownJob {
  settle(done: RenderedMarkdown): void;
}

const idleMs = 30_000;
/** Limit for the first text, which also waits for the thread to start. */
const startMs = 10_000;

/** @param script the built thread */
export function markdownRenderer(script: URL, renderMs: number = limits.page.renderMs): MarkdownRenderer {
  const queue: Waiting[] = [];
  let worker: Worker | undefined;
  let ready = false;
  let current: Waiting | undefined;
  let timer: NodeJS.Timeout | undefined;
  let jobs = 0;
  let closed = false;

  function finish(done: RenderedMarkdown): void {
    clearTimeout(timer);
    current?.settle(done);
    current = undefined;
    next();
  }

  /** Terminates the thread; the next text starts a new one. */
  function drop(): void {
    const old = worker;
    worker = undefined;
    ready = false;
    old?.removeAllListeners();
    // It may still be rendering; its errors no longer matter.
    old?.on('error', () => undefined);
    void old?.terminate();
  }

  function start(): Worker {
    const thread = new Worker(script);
    thread.unref();
    thread.on('online', () => {
      ready = true;
      if (current !== undefined) limit(renderMs);
    });
    thread.on('message', ({ id, html, error }: MarkdownDone) => {
      if (id !== current?.id) return;
      finish(html === undefined ? { plain: `it cannot be rendered: ${error}` } : { html });
    });
    thread.on('error', (error) => {
      drop();
      finish({ plain: `it cannot be rendered: ${error.message}` });
    });
    return thread;
  }

  function limit(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      drop();
      finish({ plain: `rendering it took longer than ${ms} ms` });
    }, ms);
  }

  function next(): void {
    current = queue.shift();
    if (current === undefined) {
      timer = setTimeout(drop, idleMs);
      timer.unref();
      return;
    }
    clearTimeout(timer);
    worker ??= start();
    const { id, text, base } = current;
    limit(ready ? renderMs : startMs);
    worker.postMessage({ id, text, base });
  }

  return {
    async render(text, base, signal) {
      if (closed || queue.length >= limits.page.renderings) return { plain: 'too much is being rendered; try again' };
      const rendered = new Promise<RenderedMarkdown>((settle) => {
        queue.push({ id: ++jobs, text, base, settle });
      });
      if (current === undefined) next();
      const done = await rendered;
      signal.throwIfAborted();
      return done;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      for (const { settle } of queue.splice(0)) settle({ plain: 'the server is being closed' });
      current?.settle({ plain: 'the server is being closed' });
      current = undefined;
      await worker?.terminate();
    },
  };
}
