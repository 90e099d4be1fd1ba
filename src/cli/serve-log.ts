/**
 * The log of a running server: lines for people, or one JSON object per line. It never contains a secret or text of a skill: events have
 * names, labels, counts and reasons, and reasons are redacted.
 */
import type { ServingEvent, ServingLog } from '../gateway/server-reports.ts';
import { displayText } from '../skill/display-text.ts';

export type LogFormat = 'text' | 'json';

export type ServeEvent =
  | ServingEvent
  | {
      readonly event: 'skills.changed';
      readonly added: number;
      readonly changed: number;
      readonly removed: number;
      readonly skills: number;
    }
  | {
      readonly event: 'listening';
      readonly url?: string;
      readonly mcp?: string;
      readonly skills: number;
      /** Skills that wait for approval; absent without a policy. */
      readonly waiting?: number;
      readonly problems: number;
    };

export interface ServeLog extends ServingLog {
  readonly format: LogFormat;
  event(event: ServeEvent): void;
}

type Level = 'info' | 'warning' | 'error';

/** @param replica the name of this server, in each JSON line */
export function createServeLog(format: LogFormat, write: (text: string) => unknown, replica: string): ServeLog {
  const json = (level: Level, fields: object): void => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, replica, ...fields })}\n`);
  };
  return {
    format,
    event(event) {
      if (format === 'json') {
        json(levelOf(event), event);
        return;
      }
      const text = eventText(event);
      if (text !== undefined) write(`${displayText(text)}\n`);
    },
    line(text) {
      if (format === 'text') write(`${displayText(text)}\n`);
      else json(levelOfLine(text), { event: 'message', message: displayText(text) });
    },
  };
}

function levelOfLine(text: string): Level {
  return (['error', 'warning'] as const).find((level) => text.startsWith(level)) ?? 'info';
}

function levelOf(event: ServeEvent): Level {
  if (event.event === 'origin.state') return ['ok', 'empty', 'pending'].includes(event.to) ? 'info' : 'warning';
  if (event.event === 'origin.mismatch') return 'error';
  return event.event === 'config.refused' || /failed|unusable/.test(event.event) ? 'warning' : 'info';
}

/** The line for people; `undefined` if another line reports the event, or if they need not know it. */
function eventText(event: ServeEvent): string | undefined {
  switch (event.event) {
    case 'origin.state': {
      const { label, from, to, reason } = event;
      // The first lines report a successful start.
      if (from === 'pending' && to === 'ok') return undefined;
      return `Origin "${label}" is ${to}${reason === undefined ? '' : `: ${reason}`}`;
    }
    case 'origin.mismatch':
      return `Origin "${event.label}" failed verification: ${event.reason}`;
    case 'origin.close-failed':
      return `Origin "${event.label}" could not be closed: ${event.reason}`;
    case 'cache.failed':
      return `Cannot cache files of origin "${event.label}": ${event.reason}`;
    case 'cache.unusable':
      return `The cache of origin "${event.label}" is not used: ${event.reason}`;
    case 'config.applied':
      return `Configuration reloaded: ${event.origins} origins ("${event.file}")`;
    case 'config.refused':
      return `Configuration "${event.file}" not reloaded, the previous one stays active: ${event.reason}`;
    default:
      return undefined;
  }
}
