/**
 * Refusals as errors of the SDK 2.x. It rewrites the code of a missing resource, -32002, to -32602 on every revision, the
 * ones that have it included; there it is put back where the message leaves.
 */
import { ProtocolError, type Transport } from '@modelcontextprotocol/server';
import { legacyNotFoundCode, type WireError } from './method-errors.ts';

type Message = Parameters<Transport['send']>[0];

/** Data of errors that must leave with the old code: the SDK passes it on as it is, so it tells them from others. */
const notFoundData = new WeakSet<object>();
const restoring = new WeakSet<Transport>();

function restored(message: Message): Message {
  if (!('error' in message)) return message;
  const { data } = message.error;
  if (typeof data !== 'object' || data === null || !notFoundData.has(data)) return message;
  return { ...message, error: { ...message.error, code: legacyNotFoundCode } };
}

function restoreNotFoundCode(transport: Transport): void {
  if (restoring.has(transport)) return;
  restoring.add(transport);
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(restored(message), options);
}

/** `transport` is the one that the error will leave through. */
export function toProtocolError({ code, message, data }: WireError, transport: Transport | undefined): ProtocolError {
  if (code === legacyNotFoundCode && data !== undefined && transport !== undefined) {
    notFoundData.add(data);
    restoreNotFoundCode(transport);
  }
  return new ProtocolError(code, message, data);
}
