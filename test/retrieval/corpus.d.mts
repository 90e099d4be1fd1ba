export interface CorpusSkill {
  readonly name: string;
  readonly description: string;
  /** The whole `SKILL.md`. */
  readonly text: string;
}

export function generatedSkills(count: number): CorpusSkill[];
export function targetSkills(): CorpusSkill[];
export function queries(half: 'tuning' | 'held-out'): { query: string; name: string }[];
