/** The worker thread that renders Markdown. The renderer terminates it if a text takes too long. */

import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../../errors.ts';
import { renderMarkdown } from '../../surfaces/page/render-markdown.ts';

export interface MarkdownJob {
  readonly id: number;
  readonly text: string;
  readonly base: string;
}

export interface MarkdownDone {
  readonly id: number;
  readonly html?: string;
  readonly error?: string;
}

parentPort?.on('message', ({ id, text, base }: MarkdownJob) => {
  let done: MarkdownDone;
  try {
    done = { id, html: renderMarkdown(text, base) };
  } catch (error) {
    done = { id, error: reasonOf(error) };
  }
  parentPort?.postMessage(done);
});
