import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { entrySizes } from './entry-sizes.ts';

const MiB = 1024 * 1024;

/** The number of files and bytes of the target; its first and last file match their digests. */
const measures =
  (files: number, bytes: number | undefined): Check =>
  async ({ got, verified }) => {
    const entry = Object(await got());
    expect(entry.resources).toHaveLength(files);
    const sizes: number[] = entry.resources.map(({ size }: { size: number }) => size);
    if (bytes !== undefined) expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
    await verified({ resources: [entry.resources[0], entry.resources.at(-1)] });
    expect(new Set(entry.resources.map(({ digest }: { digest: string }) => digest)).size).toBe(files);
  };

proves('skills at and above the limits', entrySizes, {
  'limits-exact': measures(512, 16 * MiB),
  'files-513': measures(513, undefined),
  'bytes-17-mib': async ({ got, verified }) => {
    const entry = Object(await got());
    const bytes = entry.resources.reduce((sum: number, { size }: { size: number }) => sum + size, 0);
    expect(entry.resources).toHaveLength(18);
    expect(bytes).toBeGreaterThan(17 * MiB);
    await verified(entry);
  },
  'skill-md-16-mib': measures(1, 16 * MiB),
  'file-8-mib-binary': async ({ read, verified }) => {
    expect(String((await read())['blob']).length).toBeGreaterThan(10 * MiB);
    await verified();
  },
  'many-large-skills': async ({ pages, verified }) => {
    const skills = (await pages(20)).flatMap((page) => page['skills'] as { uri: string; resources: unknown[] }[]);
    const large = skills.filter(({ uri }) => uri.startsWith('skill://archive-'));
    expect(large).toHaveLength(14);
    for (const skill of large) expect(skill).toHaveProperty('resources.1.size', 15 * MiB);
    await verified(large[13]);
  },
  'walk-27-mib': async ({ got, result, text }) => {
    expect(await got()).toHaveProperty('resources', 'dynamic');
    let bytes = 0;
    for (
      let folder: string | undefined = 'skill://refunds/depth', steps = 0;
      folder !== undefined && steps < 40;
      steps++
    ) {
      const { resources } = await result('resources/directory/read', { uri: folder });
      const children = resources as { uri: string; mimeType: string }[];
      folder = children.find(({ mimeType }) => mimeType === 'inode/directory')?.uri;
      for (const { uri, mimeType } of children) if (mimeType === 'text/plain') bytes += (await text(uri)).length;
    }
    expect(bytes).toBe(27 * MiB);
  },
  'file-empty': async ({ text, verified }) => {
    expect(await text()).toBe('');
    expect(Object.keys(await verified())[0]).toBe(refundsUri);
  },
});
