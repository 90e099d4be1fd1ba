/**
 * What a server tells its operator while it runs: lines for people, or one JSON object per line. Never a secret and never text of a
 * skill: events have names, labels, counts and reasons, and reasons come without the values of secrets.
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
      readonly problems: number;
    };

export interface ServeLog extends ServingLog {
  readonly format: LogFormat;
  event(event: ServeEvent): void;
}

type Level = 'info' | 'warning' | 'error';

export function createServeLog(format: LogFormat, write: (text: string) => unknown): ServeLog {
  const json = (level: Level, fields: object): void => {
    write(`${JSON.stringify({ time: new Date().toISOString(), level, ...fields })}\n`);
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
      else json(text.startsWith('error') ? 'error' : 'info', { event: 'message', message: displayText(text) });
    },
  };
}

function levelOf(event: ServeEvent): Level {
  if (event.event === 'origin.state') return ['ok', 'empty', 'pending'].includes(event.to) ? 'info' : 'warning';
  if (event.event === 'origin.mismatch') return 'error';
  return event.event === 'config.refused' || /failed|unusable/.test(event.event) ? 'warning' : 'info';
}

/** For people; undefined for what they are told otherwise, or need not know. */
function eventText(event: ServeEvent): string | undefined {
  switch (event.event) {
    case 'origin.state': {
      const { label, from, to, reason } = event;
      // A start at which all is well is told by the first lines.
      if (from === 'pending' && to === 'ok') return undefined;
      return `origin "${label}" is ${to}${reason === undefined ? '' : `: ${reason}`}`;
    }
    case 'origin.mismatch':
      return `origin "${event.label}" serves something else than it promises: ${event.reason}`;
    case 'origin.close-failed':
      return `origin "${event.label}" could not be closed: ${event.reason}`;
    case 'cache.failed':
      return `files of origin "${event.label}" cannot be kept: ${event.reason}`;
    case 'cache.unusable':
      return `what was kept of origin "${event.label}" is not used: ${event.reason}`;
    case 'config.taken':
      return `configuration "${event.file}" was changed and taken over: ${event.origins} origins`;
    case 'config.refused':
      return `configuration "${event.file}" was changed, but the one before stays in force: ${event.reason}`;
    default:
      return undefined;
  }
}
