/**
 * One JSON-RPC answer in a stream of server-sent events. Notifications that come before it are passed over; with the answer
 * the stream is done, whether the server ends it or not.
 */
import { isJsonObject } from '../../skill/json.ts';
import { tryJson } from './http-failure.ts';

export interface EventsAnswer {
  /** Takes a part of the body; true when the answer is there. */
  push(part: Uint8Array): boolean;
  /** The stream has ended; some servers leave out the empty line after the last event. */
  end(): void;
  /** The JSON-RPC message with the id. */
  readonly message: unknown;
}

export function readEvents(id: number): EventsAnswer {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let message: unknown;

  function takeLine(line: string): void {
    if (line === '') {
      const parsed = data.length === 0 ? undefined : tryJson(data.join('\n'));
      data = [];
      if (isJsonObject(parsed) && parsed['id'] === id && ('result' in parsed || 'error' in parsed)) message = parsed;
    } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
  }

  return {
    get message() {
      return message;
    },
    end() {
      if (message !== undefined) return;
      takeLine(rest.replace(/\r$/, ''));
      takeLine('');
    },
    push(part) {
      const text = decoder.decode(part, { stream: true });
      // Without a line end the part only belongs to a long line; joining each one to all before would take quadratic time.
      if (!/[\r\n]/.test(text)) {
        rest += text;
        return false;
      }
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) if (message === undefined) takeLine(line);
      return message !== undefined;
    },
  };
}
