/** A source whose skills are listed or not by rules on their paths. A skill that is not listed is still answered by URI. */
import ignore from 'ignore';
import { parseSkillUri } from '../skill/skill-uri.ts';
import { deriveSource, type SkillSource, type SourceSkill } from '../sources/skill-source.ts';

/** Shows or hides the skills below a path in listings. */
export interface ListingRule {
  /** Pattern on the skill path, in the syntax of .gitignore: "drafts/", "*-internal", "team-a/**". */
  readonly match: string;
  readonly listed: boolean;
}

/** Later rules win over earlier ones; a skill that none matches stays as its source has it. */
export function withRules(source: SkillSource, rules: readonly ListingRule[]): SkillSource {
  if (rules.length === 0) return source;
  const matchers = rules.map((rule) => ({ matcher: ignore().add(rule.match), listed: rule.listed }));

  function applied(skill: SourceSkill): SourceSkill {
    const path = parseSkillUri(skill.entry.uri).segments.slice(0, -1).join('/');
    let { listed } = skill;
    // A skill is a folder, so patterns that end with a slash mean it too.
    for (const rule of matchers) if (rule.matcher.ignores(`${path}/`)) listed = rule.listed;
    return listed === skill.listed ? skill : { ...skill, listed };
  }

  return deriveSource(source, {
    name: 'pass',
    async *list(context) {
      for await (const page of source.list(context)) yield { ...page, skills: page.skills.map(applied) };
    },
    async get(uri, context) {
      const skill = await source.get(uri, context);
      return skill === undefined ? undefined : applied(skill);
    },
    open: 'pass',
    readDirectory: 'pass',
    templates: 'pass',
    readResource: 'pass',
    status: 'pass',
    isCurrent: 'pass',
    freshUntil: 'pass',
    watched: 'pass',
    watch: {
      map: (watch) => (listener) => watch((change) => listener({ ...change, upserted: change.upserted.map(applied) })),
    },
    close: 'pass',
  });
}
