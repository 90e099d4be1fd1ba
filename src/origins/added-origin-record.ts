/** The stored record of an added origin. A file of its own, so that zod is loaded only if there is one. */
import { z } from 'zod';
import { dialectIds } from '../dialects/dialect-skill.ts';

export const addedOriginRecord = z.strictObject({
  place: z.record(z.string(), z.unknown()).optional(),
  /** Instead of `place`: a text as on the command line, in records of older versions. */
  origin: z.string().min(1).optional(),
  tokenEnv: z.string().optional(),
  headers: z.array(z.strictObject({ name: z.string(), variable: z.string() })),
  passEnv: z.array(z.string()),
  insecureHttp: z.boolean(),
  assumeSkills: z.boolean(),
  era: z.enum(['auto', 'modern', 'legacy']).optional(),
  siteFetch: z.enum(['session', 'lazy']).optional(),
  dialect: z.enum(dialectIds).optional(),
  forbidDialects: z.array(z.enum(dialectIds)).optional(),
  addedAt: z.string(),
});

export type AddedOriginRecord = z.output<typeof addedOriginRecord>;
export type AddedOriginReading = z.ZodSafeParseResult<AddedOriginRecord>;
