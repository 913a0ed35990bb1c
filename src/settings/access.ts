/** Settings of authentication, for declarations with roles. */
import { MIN_SECRET_BYTES } from '../base/limits/auth.ts';
import { ConfigError, envSetting, names, text, timeZone, wholeNumber } from './setting.ts';

/** An error message never repeats a secret. */
function secret(given: string, name: string): string {
  if (Buffer.byteLength(given) >= MIN_SECRET_BYTES) return given;
  throw new ConfigError(
    `${name} has ${Buffer.byteLength(given)} bytes, and needs at least ${MIN_SECRET_BYTES}. Create one with openssl rand -base64 48`,
  );
}

function assignments(given: string, name: string): Readonly<Record<string, string>> {
  const pairs = names(given).map((pair): [string, string] => {
    const [, key, value] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined) throw new ConfigError(`${name} is a list such as tenant=7,mode=test`);
    return [key, value!];
  });
  return Object.fromEntries(pairs);
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
  jwtSecret: envSetting(
    `--jwt-secret SECRET: secret of HS256 tokens, at least ${MIN_SECRET_BYTES} bytes; use the environment, because other users can see flags`,
    '',
    secret,
    { secret: 'whole' },
  ),
  jwks: envSetting('--jwks FILE|URL: JSON Web Key Set with the public keys of tokens (RS256, ES256, EdDSA)', '', text, {
    secret: 'url',
  }),
  jwtAudience: envSetting('--jwt-audience TEXT: required audience (aud) of tokens', ''),
  jwtIssuer: envSetting('--jwt-issuer TEXT: required issuer (iss) of tokens', ''),
  jwtRoleClaim: envSetting('--jwt-role-claim PATH: path of the role in the claims of a token', '.role', rolePath),
  timeZone: envSetting(
    '--time-zone NAME: zone in which days begin, such as Europe/Berlin, for {today} in rules and queries, and today in filters',
    'UTC',
    timeZone,
  ),
  editDeclaration: envSetting(
    '--edit-declaration: let callers with every right change the declaration file by the console or HTTP; applies safe changes (Linux)',
  ),
  isPublic: envSetting(
    '--public: serve without roles although the database holds keys or users: anyone may read and change everything',
  ),
  databaseRoles: envSetting(
    '--database-roles: run each request as the PostgreSQL role of its token: grants and row level security decide; needs no declaration',
  ),
  anonymousRole: envSetting(
    '--anonymous-role NAME: role of requests without a token, with --database-roles; without it they get 401',
    '',
  ),
  schemas: envSetting<readonly string[]>(
    '--schemas NAMES: schemas to serve with --database-roles, the default first, separated by commas; by default that of --schema',
    [],
    names,
  ),
  preRequest: envSetting(
    '--pre-request FUNCTION: function of the database to call at the start of each transaction, with --database-roles',
    '',
  ),
  appSettings: envSetting<Readonly<Record<string, string>>>(
    '--app-settings LIST: settings app.settings.NAME of each transaction, as NAME=VALUE separated by commas, with --database-roles',
    {},
    assignments,
    { secret: 'whole' },
  ),
  sessionHours: envSetting('--session-hours NUMBER: lifetime of a login session in hours', 12, wholeNumber(1, 8_760)),
} as const;
