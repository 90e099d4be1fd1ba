/** Sigstore's certificate authority and transparency log on loopback, made of its own mock services, and the trusted root that names them. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fulcioHandler, initializeCA, initializeCTLog, initializeTLog, rekorHandler } from '@sigstore/mock';
import type { SigstoreServices } from '../../src/signing/sign-keyless.ts';
import type { JsonObject } from '../../src/skill/json.ts';

export interface MockSigstore extends SigstoreServices {
  readonly trustedRoot: JsonObject;
  close(): void;
}

export async function mockSigstore(): Promise<MockSigstore> {
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ctlog = await initializeCTLog(pair());
  const authority = await initializeCA(pair(), ctlog);
  const log = await initializeTLog(url, pair());
  const handlers = [fulcioHandler(authority), rekorHandler(log)];
  server.on('request', (request, answer) => {
    const handler = handlers.find(({ path }) => path === request.url);
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (handler === undefined) return void answer.writeHead(404).end();
      handler.fn(Buffer.concat(parts).toString()).then(
        ({ statusCode, response, contentType = 'application/json' }) =>
          answer.writeHead(statusCode, { 'content-type': contentType }).end(response),
        (error: unknown) => answer.writeHead(500).end(String(error)),
      );
    });
  });
  const validFor = { start: '2020-01-01T00:00:00Z' };
  const logOf = async (publicKey: Buffer) => {
    const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(publicKey))).toString('base64');
    return {
      baseUrl: url,
      hashAlgorithm: 'SHA2_256',
      publicKey: { rawBytes: publicKey.toString('base64'), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
      logId: { keyId },
    };
  };
  const root = Buffer.from(authority.rootCertificate as Uint8Array).toString('base64');
  return {
    fulcioUrl: url,
    rekorUrl: url,
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [await logOf(log.publicKey)],
      ctlogs: [await logOf(ctlog.publicKey)],
      certificateAuthorities: [
        {
          subject: { organization: 'mock', commonName: 'mock' },
          uri: url,
          certChain: { certificates: [{ rawBytes: root }] },
          validFor,
        },
      ],
      timestampAuthorities: [],
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A token as a CI system makes it, which the mock does not verify. */
export function identityToken(claims: Readonly<Record<string, string>>): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.${part({})}`;
}
