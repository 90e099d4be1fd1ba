/** Holds a runtime to what it declared about a skill that never changes: another answer is none. */
import type { PathDescriptor } from '../dialects/mdp/messages.ts';
import { staticDeclaration } from '../dialects/mdp/static-declaration.ts';
import { sha256Digest } from '../skill/digest.ts';
import { hubFailure } from './pending-calls.ts';
import type { CallOutcome, RuntimeCall } from './runtime-registry.ts';

const encoder = new TextEncoder();

export async function asDeclared(
  descriptor: PathDescriptor,
  { clientId, path }: RuntimeCall,
  outcome: CallOutcome,
): Promise<CallOutcome> {
  const declared = staticDeclaration(descriptor);
  if (declared === undefined || !outcome.ok) return outcome;
  const refused = (fault: string): CallOutcome =>
    hubFailure(
      'mismatch',
      'handler_error',
      `The answer of client "${clientId}" to "${path}" is not what it declared: ${fault}`,
    );
  if (typeof outcome.data !== 'string') return refused('it is not text');
  const bytes = encoder.encode(outcome.data);
  if (bytes.length !== declared.size) return refused(`${bytes.length} bytes instead of ${declared.size}`);
  const digest = await sha256Digest(bytes);
  return digest === declared.digest ? outcome : refused(`${digest} instead of ${declared.digest}`);
}
