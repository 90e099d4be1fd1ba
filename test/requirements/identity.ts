/** Authorization of MCP, revision 2026-07-28, and the RFCs that it cites. */
import type { Requirement } from './requirement.ts';

export const identityRules: readonly Requirement[] = [
  { id: 'ID-1', strength: 'MUST', text: 'A client finds the authorization server by protected resource metadata.' },
  {
    id: 'ID-2',
    strength: 'MUST',
    text: 'A client takes the metadata that a 401 names, else the well-known address with the path, then without.',
  },
  {
    id: 'ID-3',
    strength: 'MUST',
    text: 'Metadata of an issuer are looked for at the well-known addresses in the order of the specification.',
  },
  { id: 'ID-4', strength: 'MUST', text: 'Metadata that name another issuer are not used.' },
  { id: 'ID-5', strength: 'MUST', text: 'A client refuses a server that does not advertise PKCE with S256.' },
  {
    id: 'ID-6',
    strength: 'MUST',
    text: 'A client compares the issuer of an answer as text, and shows no error of another one.',
  },
  { id: 'ID-7', strength: 'SHOULD', text: 'A client sends a state and drops answers with another one.' },
  { id: 'ID-8', strength: 'MUST', text: 'A client names the resource in authorization and token requests.' },
  {
    id: 'ID-9',
    strength: 'SHOULD',
    text: 'A client uses its known id, then a metadata document, then registration, and asks the person last.',
  },
  {
    id: 'ID-10',
    strength: 'MUST',
    text: 'A client with a metadata document has its https address, with a path, as client id.',
  },
  {
    id: 'ID-11',
    strength: 'MUST',
    text: 'A client registers with its application type, and handles a refused redirect address.',
  },
  { id: 'ID-12', strength: 'MUST', text: 'Client ids, secrets and tokens are bound to their issuer.' },
  {
    id: 'ID-13',
    strength: 'SHOULD',
    text: 'A client asks for the scopes of the challenge first, else for those listed.',
  },
  { id: 'ID-14', strength: 'MUST', text: 'A client takes challenged scopes as authoritative.' },
  {
    id: 'ID-15',
    strength: 'SHOULD',
    text: 'After a missing scope, a client asks for the old and the new ones together.',
  },
  {
    id: 'ID-16',
    strength: 'MUST',
    text: 'A client sends tokens in the header of every request, never in an address.',
  },
  { id: 'ID-17', strength: 'MUST NOT', text: 'A client sends no token that the issuer of the server did not issue.' },
  { id: 'ID-18', strength: 'MUST', text: 'A client keeps refresh tokens secret and does not count on getting one.' },
  { id: 'ID-19', strength: 'MUST', text: 'Endpoints of an authorization server use https.' },
  {
    id: 'ID-20',
    strength: 'SHOULD NOT',
    text: 'Programs over stdio get no login: their credentials come from the environment.',
  },
  {
    id: 'ID-21',
    strength: 'MUST',
    text: 'A client exchanges an ID token of the company for a grant, names the issuer and the resource, and uses it there.',
  },
  { id: 'ID-22', strength: 'MUST', text: 'A server publishes metadata with at least one authorization server.' },
  { id: 'ID-23', strength: 'MUST', text: 'A 401 names the metadata, if there are any.' },
  {
    id: 'ID-24',
    strength: 'MUST',
    text: '401 for missing, invalid and expired tokens, 403 for missing rights, 400 for malformed requests.',
  },
  { id: 'ID-25', strength: 'SHOULD NOT', text: 'No error code if the request had no credentials.' },
  { id: 'ID-26', strength: 'SHOULD', text: 'A 401 names scopes; a 403 names all scopes that the operation needs.' },
  { id: 'ID-27', strength: 'MUST', text: 'Only tokens that were issued for this server are accepted.' },
  { id: 'ID-28', strength: 'MUST', text: 'A broader scope includes its narrower ones.' },
  { id: 'ID-29', strength: 'SHOULD NOT', text: 'offline_access is neither challenged nor listed.' },
  {
    id: 'ID-30',
    strength: 'MUST',
    text: 'JWTs: signature, exact issuer, audience and expiry are checked; no algorithm none.',
  },
  { id: 'ID-31', strength: 'MUST', text: 'The resource of the metadata is the identifier that clients used.' },
  { id: 'ID-32', strength: 'MUST NOT', text: 'A gateway hands no token of a caller to an upstream.' },
  { id: 'ID-33', strength: 'MUST', text: 'A gateway uses its own credentials, bound to the issuer of the upstream.' },
  {
    id: 'ID-34',
    strength: 'MUST',
    text: 'A proxy with an authorization server of its own asks for consent for each registered client.',
    advice: 'applies to programs that are authorization servers; Skillwire is none',
  },
  { id: 'ID-35', strength: 'MUST NOT', text: 'A gateway relays no challenge of an upstream to callers.' },
  {
    id: 'ID-36',
    strength: 'MUST',
    text: 'A client that authenticates itself declares the extension for client credentials.',
  },
];
