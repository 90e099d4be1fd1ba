/**
 * Versioned JSON objects of reading commands, the same for every kind of origin. A version only gains fields.
 */
import type { Approval } from '../../host/approve/approvals.ts';
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import type { Discovery, OriginReport } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import type { SourceStatus } from '../../sources/skill-source.ts';
import { howVerified, type SkillState } from '../decisions/skill-state.ts';
import type { ListedSignature } from '../listed-signatures.ts';
import type { OriginHits } from '../search/search-origins.ts';
import { totalSize } from './skill-table.ts';

export function listJson(
  discovery: Discovery,
  stateOf: (skill: DiscoveredSkill) => SkillState,
  signatures: ReadonlyMap<DiscoveredSkill, ListedSignature>,
): object {
  return {
    version: 1,
    origins: discovery.origins.map(originJson),
    skills: discovery.skills.map((skill) => ({
      ...listedJson(skill, stateOf),
      signature: signatureJson(signatures.get(skill)),
    })),
    collisions: discovery.collisions.map(({ name, skills }) => ({
      name,
      skills: skills.map(({ label, uri }) => ({ origin: label, uri })),
    })),
  };
}

function signatureJson(verdict: ListedSignature | undefined): object | undefined {
  if (verdict === undefined) return undefined;
  return { state: verdict.state, signer: 'signer' in verdict ? verdict.signer.names.join(', ') : undefined };
}

function listedJson(skill: DiscoveredSkill, stateOf: (skill: DiscoveredSkill) => SkillState): object {
  return {
    origin: skill.label,
    uri: skill.uri,
    name: skill.name,
    description: skill.description,
    state: stateOf(skill),
    verifiable: skill.verifiable,
    verified: howVerified(skill),
    ambiguous: skill.ambiguous,
    inAgentFolder: skill.inAgentFolder,
    ...(skill.entry.resources === 'dynamic'
      ? {}
      : { files: skill.entry.resources.length, size: totalSize(skill) ?? 0 }),
  };
}

export function searchJson(
  query: string,
  { hits, total, byServer }: OriginHits,
  { origins }: Discovery,
  stateOf: (skill: DiscoveredSkill) => SkillState,
): object {
  return {
    version: 1,
    query,
    origins: origins.map((origin) => ({
      ...originJson(origin),
      searchedBy: byServer.includes(origin.label) ? 'server' : 'listing',
    })),
    total,
    hits: hits.map(({ skill, copies, twins }) => ({
      ...listedJson(skill, stateOf),
      copies: copies.map(placeJson),
      twins: twins.map(placeJson),
    })),
  };
}

function placeJson({ label, uri }: DiscoveredSkill): object {
  return { origin: label, uri };
}

function originJson({ label, local, state, message, code, status, skills, refused, findings }: OriginReport): object {
  return {
    origin: label,
    local,
    state,
    message,
    skills,
    refused,
    findings,
    code,
    protocolVersion: status?.protocolVersion,
    server: status?.serverInfo,
    ...dialectJson(status),
  };
}

/** The dialect of a site or server, and the address of its index. */
export function dialectJson(status: SourceStatus | undefined): object {
  return {
    dialect: status?.dialect,
    address: status?.address,
  };
}

/** A skill as its origin serves it now. */
export function capturedJson(captured: CapturedEntry): object {
  const { label, entry, status, setDigest, contentDigest, partial } = captured;
  return {
    origin: label,
    uri: entry.uri,
    name: entry.frontmatter.name,
    status,
    verified: howVerified(captured),
    entry,
    setDigest,
    contentDigest,
    partial,
  };
}

export function approvalJson({ label, uri, name, setDigest, grants, by, reason, at }: Approval): object {
  return { origin: label, uri, name, setDigest: setDigest ?? null, grants, by, reason, at };
}
