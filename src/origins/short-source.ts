/**
 * Short forms of Git repositories, as people type and paste them: `owner/repo`, `owner/repo@skill`, `owner/repo/path`, `owner/repo#ref`, pages
 * of GitHub and GitLab, and addresses of ssh. Pure. Addresses are parsed with `URL`, so a host counts only where a host belongs. Nothing is
 * guessed: `@` names a skill and `#` a branch, tag or commit. A form that names something else on GitHub is refused with the reason.
 */
import { definedFields } from '../defined-fields.ts';
import { isSkillName } from '../skill/name.ts';
import { cannotRead, withoutUser } from './http-address.ts';
import { gitOrigin, type OriginGit } from './kinds/git.ts';

/** The ends of a short form. */
interface Ends {
  readonly ref?: string;
  readonly skill?: string;
}

/**
 * An address or a form with a prefix. It comes before labels and paths.
 *
 * @returns `undefined` if the text is something else
 * @throws SkillwireError USAGE
 */
export function parseRepositoryAddress(text: string, insecureHttp: boolean): OriginGit | undefined {
  if (/^git@[\w.-]+:|^ssh:\/\//i.test(text)) return withFragment(text, insecureHttp);
  if (/^github:/i.test(text)) return ownerAndRepository(text, text.slice('github:'.length));
  if (/^gitlab:/i.test(text)) return gitlabProject(text, text.slice('gitlab:'.length));
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return pageOf(text, new URL(text), insecureHttp);
}

/**
 * `owner/repo` and its forms, or a page without `https://`. It comes after labels and paths.
 *
 * @throws SkillwireError USAGE
 */
export function parseShortSource(text: string, insecureHttp: boolean): OriginGit | undefined {
  const [first = ''] = text.split('/', 1);
  if (first === text || !/^[\w.-]+$/.test(first)) return undefined;
  if (!first.includes('.')) return ownerAndRepository(text, text);
  const page = URL.canParse(`https://${text}`) ? new URL(`https://${text}`) : undefined;
  const source = page === undefined ? undefined : pageOf(text, page, insecureHttp);
  if (source !== undefined) return source;
  throw cannotRead(
    withoutUser(text),
    `"${first}" is not an owner on GitHub`,
    `Write https://${text} for a site, or ./${text} for a folder.`,
  );
}

const owner = /^[A-Za-z0-9][\w-]{0,38}$/;
const repositoryName = /^(?!\.\.?$)[\w.-]{1,100}$/;

function ownerAndRepository(text: string, written: string): OriginGit | undefined {
  const { path, ends } = withoutEnds(written);
  const [first = '', second = '', ...rest] = path.split('/');
  if (rest.length > 0) return inRepository(text, first, withoutGit(second), { ...ends, path: rest.join('/') });
  const at = second.indexOf('@');
  if (at === -1) return inRepository(text, first, withoutGit(second), ends);
  const skill = second.slice(at + 1);
  if (ends.skill !== undefined || skill === '')
    throw cannotRead(text, 'it names no skill, or two', 'Write OWNER/REPO@SKILL or OWNER/REPO@SKILL#REF.');
  return inRepository(text, first, withoutGit(second.slice(0, at)), { ...ends, skill });
}

/** Everything before the fragment is the project: GitLab has groups in groups. */
function gitlabProject(text: string, written: string): OriginGit {
  const { path, ends } = withoutEnds(written);
  const at = path.lastIndexOf('@');
  const project = at === -1 ? path : path.slice(0, at);
  const skill = at === -1 ? ends.skill : path.slice(at + 1);
  return onGitLab(text, 'https://gitlab.com', project.split('/'), { ...ends, ...definedFields({ skill }) });
}

function inRepository(
  text: string,
  ownerName: string,
  repository: string,
  { ref, skill, path, tree }: Ends & Pick<OriginGit, 'path' | 'tree'>,
): OriginGit | undefined {
  if (!owner.test(ownerName) || !repositoryName.test(repository)) return undefined;
  return checked(text, `https://github.com/${ownerName}/${repository}.git`, { ref, skill, path, tree });
}

function onGitLab(
  text: string,
  host: string,
  project: readonly string[],
  { ref, skill, path, tree }: Ends & Pick<OriginGit, 'path' | 'tree'>,
  insecureHttp = false,
): OriginGit {
  const names = project.map((name, index) => (index === project.length - 1 ? withoutGit(name) : name));
  if (names.length < 2 || !names.every((name) => repositoryName.test(name)))
    throw cannotRead(text, 'it names no project', 'Write gitlab:GROUP/PROJECT, or the address of its page.');
  return checked(text, `${host}/${names.join('/')}.git`, { ref, skill, path, tree }, insecureHttp);
}

/** The rules of `git:` decide about repository, ref and path. */
function checked(
  text: string,
  repository: string,
  { ref, path, skill, tree }: Ends & Pick<OriginGit, 'path' | 'tree'>,
  insecureHttp = false,
): OriginGit {
  // The rules for a path hold for both halves of a tree.
  if (tree !== undefined) gitOrigin(repository, { path: tree }, insecureHttp);
  if (skill !== undefined) requireSkill(text, skill, 'OWNER/REPO@SKILL');
  return {
    ...gitOrigin(repository, definedFields({ ref, path }), insecureHttp),
    ...definedFields({ tree, skill }),
    short: text,
  };
}

/** The skill behind an `@`. @throws SkillwireError USAGE */
export function requireSkill(text: string, skill: string, form: string): void {
  if (/^[^\s/@#:]{1,128}$/.test(skill)) return;
  throw cannotRead(withoutUser(text), `"${skill}" is not the name of a skill`, `Write ${form}.`);
}

/** `git@…` and `ssh://…`; a fragment is the ref. */
function withFragment(text: string, insecureHttp: boolean): OriginGit {
  const hash = text.indexOf('#');
  if (hash === -1) return checked(text, text, {}, insecureHttp);
  return checked(text, text.slice(0, hash), endsOf(text.slice(hash + 1)), insecureHttp);
}

/** A page of GitHub or GitLab, or the address of a repository; `undefined` for other addresses. */
function pageOf(text: string, url: URL, insecureHttp: boolean): OriginGit | undefined {
  const { hostname, pathname } = url;
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const dash = segments.indexOf('-');
  const isGitHub = /^(?:www\.)?github\.com$/.test(hostname);
  const isGitLab = hostname === 'gitlab.com' || (dash > 1 && /^(?:tree|blob|raw)$/.test(segments[dash + 1] ?? ''));
  if (!isGitHub && !isGitLab) return pathname.endsWith('.git') ? repositoryAt(text, url, insecureHttp) : undefined;
  if (segments.length < 2) return undefined;
  refuseUser(text, url);
  const names = segments.map((segment) => decoded(text, segment));
  const ends = endsOf(url.hash.slice(1));
  if (isGitHub) {
    const [first = '', second = '', ...page] = names;
    const source = inRepository(text, first, withoutGit(second), { ...ends, ...placeOf(text, page) });
    if (source !== undefined) return source;
    throw cannotRead(text, 'it is not a repository of GitHub', 'Write OWNER/REPO.');
  }
  const project = dash === -1 ? names : names.slice(0, dash);
  const place = { ...ends, ...placeOf(text, dash === -1 ? [] : names.slice(dash + 1)) };
  const host = hostname === 'gitlab.com' ? 'https://gitlab.com' : url.origin;
  return onGitLab(text, host, project, place, insecureHttp);
}

/** The rest of a page's address: `tree/REF/PATH`, or `blob/REF/PATH/SKILL.md`. */
function placeOf(text: string, page: readonly string[]): Pick<OriginGit, 'ref' | 'tree' | 'path'> {
  const [kind, ...rest] = page;
  if (kind === undefined) return {};
  const places = kind === 'blob' && rest.at(-1)?.toLowerCase() === 'skill.md' ? rest.slice(0, -1) : rest;
  if ((kind !== 'tree' && places === rest) || places.length === 0)
    throw cannotRead(
      withoutUser(text),
      `"${kind}" is not a folder of a repository`,
      'Use the address of the repository or of a folder in it. Download an archive, and name the file.',
    );
  // One word is the whole ref.
  return places.length === 1 ? definedFields({ ref: places[0] }) : { tree: places.join('/') };
}

function repositoryAt(text: string, url: URL, insecureHttp: boolean): OriginGit {
  const ends = endsOf(url.hash.slice(1));
  const plain = new URL(url);
  plain.hash = '';
  if (plain.search !== '')
    throw cannotRead(withoutUser(text.split('?')[0] ?? ''), 'it has a query ("?")', 'Remove it.');
  return checked(text, plain.href, ends, insecureHttp);
}

function refuseUser(text: string, { username, password }: URL): void {
  if (username === '' && password === '') return;
  throw cannotRead(
    withoutUser(text),
    'an address must not contain a password',
    "Let Git's credential helper provide it.",
  );
}

function decoded(text: string, segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw cannotRead(withoutUser(text), 'it contains a "%" that encodes nothing', 'Copy the address again.');
  }
}

function withoutEnds(written: string): { readonly path: string; readonly ends: Ends } {
  const hash = written.indexOf('#');
  if (hash === -1) return { path: written, ends: {} };
  return { path: written.slice(0, hash), ends: endsOf(written.slice(hash + 1), true) };
}

/** `REF` or `REF@SKILL`. A tag such as `tools@1.0.0` stays whole: that is not the name of a skill. */
function endsOf(fragment: string, isTyped = false): Ends {
  // Pages and package descriptions link to the text below the files.
  if (!isTyped && (fragment === '' || fragment === 'readme')) return {};
  const at = fragment.lastIndexOf('@');
  const skill = fragment.slice(at + 1);
  return at > 0 && isSkillName(skill) ? { ref: fragment.slice(0, at), skill } : { ref: fragment };
}

function withoutGit(name: string): string {
  return name.replace(/\.git$/, '');
}
