import { describe, expect, test } from 'vitest';
import { sep2640Server } from '../../test/requirements/sep-2640-server.ts';
import { wellKnownV01, wellKnownV02 } from '../../test/requirements/well-known.ts';
import { requirementRow, requirements } from './requirements.ts';

const all = [...sep2640Server, ...wellKnownV02, ...wellKnownV01];

describe('requirements', () => {
  test('match the requirement data, and advice there is not mandatory', () => {
    for (const [id, { level }] of Object.entries(requirements)) {
      if (id.startsWith('base:')) continue;
      const known = all.find((requirement) => requirement.id === id);
      expect(known, id).toBeDefined();
      if (known?.strength.startsWith('SHOULD') || known?.strength === 'MAY') expect(level, id).toBe('should');
    }
  });

  test('are mandatory if they are not in the table', () => {
    expect(requirementRow('S-999')).toMatchObject({ level: 'must' });
  });
});
