/**
 * DSSE v1: the envelope whose signature is over the exact bytes of its payload. The payload is never parsed and written again.
 */
import type { KeyObject } from 'node:crypto';
import { signBytesWith, type VerifyingKey, verifyBytesWith } from './keys.ts';

export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
}

const encoder = new TextEncoder();

/** The bytes that are signed: type and payload, each after its length in bytes. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = encoder.encode(payloadType);
  return Buffer.concat([
    encoder.encode(`DSSEv1 ${type.length} `),
    type,
    encoder.encode(` ${payload.length} `),
    payload,
  ]);
}

export function verifyEnvelope({ payloadType, payload, signature }: Envelope, key: VerifyingKey): boolean {
  return verifyBytesWith(key, preAuthEncoding(payloadType, payload), signature);
}

export function signEnvelope(payloadType: string, payload: Uint8Array, key: KeyObject): Envelope {
  return { payloadType, payload, signature: signBytesWith(key, preAuthEncoding(payloadType, payload)) };
}
