/** Settings of authentication, for declarations with roles. */
import { DEFAULT_SESSION_HOURS, MIN_SECRET_BYTES } from '../base/limits/auth.ts';
import { ConfigError, onOrOff, setting, text, wholeNumber } from './setting.ts';

/** An error message never repeats a secret. */
function secret(given: string, name: string): string {
  if (Buffer.byteLength(given) >= MIN_SECRET_BYTES) return given;
  throw new ConfigError(
    `${name} has ${Buffer.byteLength(given)} bytes, and needs at least ${MIN_SECRET_BYTES}. Create one with openssl rand -base64 48`,
  );
}

/** Each step is a name, or a position in a list. */
export type ClaimPath = readonly (string | number)[];

const STEP = /\.([A-Za-z_][\w-]*)|\."((?:[^"\\]|\\.)*)"|\[(\d+)\]/y;

/** As PostgREST's jwt-role-claim-key: `.role`, `.app_metadata.role`, `."https://example.com/role"`, `.roles[0]`. */
export function claimPath(given: string): ClaimPath | undefined {
  const path: (string | number)[] = [];
  for (STEP.lastIndex = 0; STEP.lastIndex < given.length; ) {
    const [step, name, quoted, place] = STEP.exec(given) ?? [];
    if (step === undefined) return undefined;
    path.push(name ?? (quoted === undefined ? Number(place) : quoted.replaceAll(/\\(.)/g, '$1')));
  }
  return path.length === 0 ? undefined : path;
}

function rolePath(given: string, name: string): string {
  if (claimPath(given.trim()) !== undefined) return given.trim();
  throw new ConfigError(`${name} is a path into a token's claims, such as .role or .app_metadata.role, not ${given}`);
}

export const ACCESS_SETTINGS = {
  jwtSecret: setting({
    flag: '--jwt-secret',
    env: 'CATALOGUE_JWT_SECRET',
    argument: 'SECRET',
    description: `secret of HS256 tokens, at least ${MIN_SECRET_BYTES} bytes; use the environment, because other users can see flags`,
    byDefault: '',
    read: secret,
    secret: 'whole',
  }),
  jwks: setting({
    flag: '--jwks',
    env: 'CATALOGUE_JWKS',
    argument: 'FILE|URL',
    description: 'JSON Web Key Set with the public keys of tokens (RS256, ES256, EdDSA)',
    byDefault: '',
    read: text,
    secret: 'url',
  }),
  jwtAudience: setting({
    flag: '--jwt-audience',
    env: 'CATALOGUE_JWT_AUDIENCE',
    argument: 'TEXT',
    description: 'required audience (aud) of tokens',
    byDefault: '',
    read: text,
  }),
  jwtIssuer: setting({
    flag: '--jwt-issuer',
    env: 'CATALOGUE_JWT_ISSUER',
    argument: 'TEXT',
    description: 'required issuer (iss) of tokens',
    byDefault: '',
    read: text,
  }),
  jwtRoleClaim: setting({
    flag: '--jwt-role-claim',
    env: 'CATALOGUE_JWT_ROLE_CLAIM',
    argument: 'PATH',
    description: 'path of the role in the claims of a token',
    byDefault: '.role',
    read: rolePath,
  }),
  isPublic: setting({
    flag: '--public',
    env: 'CATALOGUE_PUBLIC',
    description: 'serve without roles although the database holds keys or users: anyone may read and change everything',
    byDefault: false,
    read: onOrOff,
  }),
  sessionHours: setting({
    flag: '--session-hours',
    env: 'CATALOGUE_SESSION_HOURS',
    argument: 'NUMBER',
    description: 'lifetime of a login session in hours',
    byDefault: DEFAULT_SESSION_HOURS,
    read: wholeNumber(1, 8_760),
  }),
} as const;
