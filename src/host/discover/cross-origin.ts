/**
 * Plain reads for a model, which are never loads (SEP-2640: H-26, H-27). While remote skills act, a read on another
 * origin needs an approval of that call that names both sides (H-51, H-53). A read inside an acting skill goes through
 * its window: listed files only, verified (H-33, H-34).
 */
import { PolicyError, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { resourceKey, tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { PlainResource } from '../../sources/skill-source.ts';
import type { ActingWindow } from '../approve/acting-window.ts';
import { ask, requestFor } from '../approve/ask.ts';
import type { HostCore } from '../host-core.ts';
import type { SkillAddress } from './discovered-skill.ts';
import type { HostOrigin } from './origins.ts';

export async function readPlainResource(
  core: HostCore,
  windows: readonly ActingWindow[],
  target: SkillAddress,
  signal: AbortSignal | undefined,
): Promise<readonly PlainResource[]> {
  const origin = core.origins.require(target.label);
  await core.enablement.requireOrigin(target.label);
  const elsewhere = windows.filter(({ skill }) => skill.remote && skill.label !== target.label);
  if (elsewhere.length > 0) await approveCrossOrigin(core, elsewhere, target, signal);
  const around = windows.filter(({ skill }) => skill.label === target.label && isInside(target.uri, skill.uri));
  const [first] = around;
  if (first !== undefined) {
    const listing = around.find(({ skill }) => skill.files().some(({ uri }) => uri === target.uri)) ?? first;
    const { uri, bytes } = await listing.skill.read(target.uri, { signal });
    return [{ uri, bytes }];
  }
  return readFrom(core, origin, target.uri, signal);
}

async function readFrom(
  { origins }: HostCore,
  origin: HostOrigin,
  uri: string,
  signal: AbortSignal | undefined,
): Promise<readonly PlainResource[]> {
  const { source, label } = origin;
  const call = { action: `read the resource ${quoteText(uri)}`, signal, maxBytes: limits.host.resourceBytes };
  const found = await origins.call(origin, call, async (context): Promise<readonly PlainResource[] | undefined> => {
    if (source.readResource !== undefined) return source.readResource(uri, context);
    const file = await source.open(uri, context);
    return file === undefined ? undefined : [{ uri, bytes: file.bytes }];
  });
  if (found === undefined)
    throw new SkillwireError(
      'FILE_NOT_FOUND',
      `Cannot read ${quoteText(uri)}: ${quoteText(label)} does not serve it.`,
      {
        data: { label, uri },
      },
    );
  const bytes = found.reduce((total, content) => total + content.bytes.byteLength, 0);
  if (bytes > limits.host.resourceBytes)
    throw new SkillwireError(
      'LIMIT_EXCEEDED',
      `Cannot read ${quoteText(uri)} of ${quoteText(label)}: it has ${bytes} bytes; at most ${limits.host.resourceBytes} are allowed.`,
      { data: { label, uri, bytes } },
    );
  return found;
}

async function approveCrossOrigin(
  core: HostCore,
  elsewhere: readonly ActingWindow[],
  target: SkillAddress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { decide } = core.options;
  const acting = elsewhere.map(({ skill: { label, uri } }) => ({ label, uri }));
  for (const { skill, approved } of elsewhere) {
    const names = `${quoteText(skill.uri)} of ${quoteText(skill.label)}`;
    const refuse = async (reason: string): Promise<never> => {
      const data = { target: { ...target } };
      await core.audit({ action: 'refuse', label: skill.label, uri: skill.uri, by: 'person', reason, data });
      throw new PolicyError(
        'NOT_APPROVED',
        `Cannot read ${quoteText(target.uri)} of ${quoteText(target.label)} while ${names} is active: ${reason}.`,
        { data: { acting, target } },
      );
    };
    if (decide === undefined) return refuse('a read on another origin needs approval, and nobody can be asked');
    const origin = core.origins.all().find(({ label }) => label === skill.label);
    if (origin === undefined) return refuse('the origin of the acting skill was removed; release the skill first');
    const question = {
      origin,
      captured: approved.captured,
      kind: 'cross-origin-read',
      why: 'cross-origin',
      acting,
      target,
    } as const;
    const request = await requestFor(core, question, signal ?? new AbortController().signal);
    const decision = await ask(decide, request);
    if (decision.allow !== true) return refuse(decision.reason ?? 'refused when asked');
    await core.audit({
      action: 'cross-origin-read',
      label: skill.label,
      uri: skill.uri,
      by: 'person',
      reason: decision.reason ?? 'allowed when asked',
      data: { target: { ...target } },
    });
  }
}

/** True also for spellings that could mean a file inside; the window decides about those. */
function isInside(uri: string, skillUri: string): boolean {
  const root = skillUri.slice(0, -`/${skillFileName}`.length);
  if (uri === root || uri.startsWith(`${root}/`)) return true;
  const [at, inside] = [keyOf(uri.replace(/\/$/, '')), keyOf(root)];
  if (at === undefined) return schemeOf(uri) === schemeOf(skillUri);
  return inside !== undefined && (at === inside || at.startsWith(`${inside}/`));
}

/**
 * One text for all equivalent spellings; `undefined` if dot segments, encoded slashes or the like make it ambiguous.
 */
function keyOf(uri: string): string | undefined {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? undefined : resourceKey(parsed);
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':')).toLowerCase();
}
