/**
 * Runs the function of a dynamic skill, with a deadline and a size limit. It returns the body, or a whole `SKILL.md`
 * whose frontmatter must equal the published one: hosts compare the two and refuse to load otherwise.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Frontmatter, type JsonValue, skillFileName } from '../skill/entry.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { sameJson } from '../skill/json.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { SourceContext } from './skill-source.ts';

/** Generates the text or bytes of a file for one request. It sees the caller. */
export type GenerateFile = (context: SourceContext) => string | Uint8Array | Promise<string | Uint8Array>;

const encoder = new TextEncoder();

function failed(what: string, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError('GENERATOR_FAILED', `Cannot generate ${what}: ${fault}.`, { data: { what }, cause });
}

/** Runs a function that generates a file; `what` names the file in errors. */
export async function runGenerator(body: GenerateFile, what: string, context: SourceContext): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(limits.dynamic.ms);
  const signal = context.signal === undefined ? deadline : AbortSignal.any([context.signal, deadline]);
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () =>
      reject(deadline.aborted ? failed(what, `its function took longer than ${limits.dynamic.ms} ms`) : signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  let made: unknown;
  try {
    made = await Promise.race([Promise.resolve(body({ ...context, signal })), aborted]);
  } catch (error) {
    if (error instanceof SkillwireError || error === context.signal?.reason) throw error;
    throw failed(what, 'its function threw an error', error);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
  if (typeof made !== 'string' && !(made instanceof Uint8Array))
    throw failed(what, 'its function returned neither text nor bytes');
  const bytes = typeof made === 'string' ? encoder.encode(made) : made;
  if (bytes.length > limits.dynamic.bytes)
    throw failed(what, `its function returned ${bytes.length} bytes, more than ${limits.dynamic.bytes}`);
  return bytes;
}

export async function generate(
  body: GenerateFile,
  frontmatter: Frontmatter,
  context: SourceContext,
): Promise<Uint8Array> {
  const what = `${skillFileName} of "${frontmatter.name}"`;
  const bytes = await runGenerator(body, what, context);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw failed(what, 'its function returned bytes that are not UTF-8');
  if (!/^\uFEFF?---[ \t]*[\r\n]/.test(text)) return encoder.encode(composeSkillFile(frontmatter, text));
  const reading = readFrontmatter(bytes);
  if (!reading.ok || !sameJson(reading.frontmatter, frontmatter))
    throw failed(what, 'its function returned frontmatter that differs from the published one');
  return bytes;
}

/** Composes a `SKILL.md`. Values are written as JSON, which every YAML reader reads alike. */
export function composeSkillFile(frontmatter: Readonly<Record<string, JsonValue>>, body: string): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${keyText(key)}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${body}${body === '' || body.endsWith('\n') ? '' : '\n'}`;
}

function keyText(key: string): string {
  return /^[A-Za-z][\w-]*$/.test(key) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(key)
    ? key
    : JSON.stringify(key);
}
