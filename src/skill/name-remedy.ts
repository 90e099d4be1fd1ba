/** Which name to write where one is missing or invalid: that of the folder, so that hosts that compare the two accept the skill. */
import { scalarAmbiguity } from './ambiguous-scalars.ts';
import { quoteText } from './display-text.ts';
import type { Finding } from './finding.ts';
import { isSkillName, suggestName } from './name.ts';

/** A name as YAML that every reader takes for text. */
export function nameYaml(name: string): string {
  return scalarAmbiguity(name) === undefined ? name : `'${name}'`;
}

/** The finding with a remedy that fits the folder of the skill. Findings about anything else are returned as they are. */
export function withFolderName(found: Finding, folder: string): Finding {
  if (found.rule !== 'name-invalid' && found.rule !== 'name-missing') return found;
  const [verb, name] = [found.rule === 'name-missing' ? 'add the line' : 'write', suggestName(folder)];
  if (name === undefined) return found;
  const written = `${verb} "name: ${nameYaml(name)}"`;
  const remedy = isSkillName(folder) ? written : `${written} and rename the folder to ${quoteText(name)}`;
  return { ...found, remedy };
}
