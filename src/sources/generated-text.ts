/**
 * Runs the function behind a dynamic skill, with a deadline and a size limit. What it returns is the body, or a whole
 * `SKILL.md` whose frontmatter must then equal the published one: hosts compare the two and refuse to load otherwise.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type Frontmatter, skillFileName } from '../skill/entry.ts';
import { readFrontmatter } from '../skill/frontmatter.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import { composeSkillFile } from './skill-file-text.ts';
import type { SourceContext } from './skill-source.ts';

type Generate = (context: SourceContext) => string | Uint8Array | Promise<string | Uint8Array>;

const encoder = new TextEncoder();

function failed(frontmatter: Frontmatter, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError('GENERATOR_FAILED', `cannot generate ${skillFileName} of "${frontmatter.name}": ${fault}`, {
    data: { name: frontmatter.name },
    cause,
  });
}

async function run(body: Generate, frontmatter: Frontmatter, context: SourceContext): Promise<string | Uint8Array> {
  const deadline = AbortSignal.timeout(limits.dynamic.ms);
  const signal = context.signal === undefined ? deadline : AbortSignal.any([context.signal, deadline]);
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () =>
      reject(
        deadline.aborted ? failed(frontmatter, `its function took longer than ${limits.dynamic.ms} ms`) : signal.reason,
      );
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([Promise.resolve(body({ ...context, signal })), aborted]);
  } catch (error) {
    if (error instanceof SkillwireError || error === context.signal?.reason) throw error;
    throw failed(frontmatter, 'its function threw an error', error);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

export async function generate(body: Generate, frontmatter: Frontmatter, context: SourceContext): Promise<Uint8Array> {
  const made = await run(body, frontmatter, context);
  if (typeof made !== 'string' && !(made instanceof Uint8Array))
    throw failed(frontmatter, 'its function returned neither text nor bytes');
  const bytes = typeof made === 'string' ? encoder.encode(made) : made;
  if (bytes.length > limits.dynamic.bytes)
    throw failed(frontmatter, `its function returned ${bytes.length} bytes, the limit is ${limits.dynamic.bytes}`);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw failed(frontmatter, 'its function returned bytes that are not UTF-8');
  if (!/^\uFEFF?---[ \t]*[\r\n]/.test(text)) return encoder.encode(composeSkillFile(frontmatter, text));
  const reading = readFrontmatter(bytes);
  if (!reading.ok || JSON.stringify(reading.frontmatter) !== JSON.stringify(frontmatter))
    throw failed(frontmatter, 'its function returned frontmatter that differs from the published one');
  return bytes;
}
