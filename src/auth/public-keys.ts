/**
 * The public keys of the token issuer: a JSON Web Key Set in a file or at a URL. jose loads it at the start, again
 * after a while, and for a token whose key is unknown. This file checks the loaded set. If loading fails, the known
 * keys stay valid.
 */
import { pathToFileURL } from 'node:url';
import { createRemoteJWKSet, customFetch, type ExportedJWKSCache, importJWK, type JWK, jwksCache } from 'jose';
import { ApiError } from '../base/errors.ts';
import { fileProblem } from '../base/files/output-file.ts';
import { JWKS_FRESH_MS, JWKS_RETRY_MS, JWKS_TIMEOUT_MS, MAX_JWKS_BYTES, MAX_PUBLIC_KEYS } from '../base/limits/auth.ts';
import { ConfigError } from '../settings/by-command.ts';
import { type Verifier, verifyByPublicKey } from './verifiers.ts';

const TIMES = { cacheMaxAge: JWKS_FRESH_MS, cooldownDuration: JWKS_RETRY_MS, timeoutDuration: JWKS_TIMEOUT_MS };

/** Throws a `ConfigError` if a file has no usable keys. A URL may become available later. */
export async function openPublicKeys(
  source: string,
  notice: (message: string) => void,
  times = TIMES,
): Promise<Verifier> {
  const isUrl = /^https?:\/\//i.test(source);
  let listed = '';
  /** The usable keys, as JSON. */
  let usable: string | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let problem = '';

  async function load(url: string, options: RequestInit): Promise<void> {
    try {
      const keys = publicKeysIn(await textOf(await fetch(url, options)));
      const text = JSON.stringify(keys);
      if (text !== listed) usable = JSON.stringify({ keys: await usableKeys(keys, notice) });
      listed = text;
    } catch (error) {
      failedAt = performance.now();
      problem = String(fileProblem(error));
      // Without usable keys, the error of a file ends the start.
      if (isUrl || usable !== undefined) notice(`the public keys of tokens cannot be read: ${problem}`);
    }
  }

  const cache: Partial<ExportedJWKSCache> = {};
  const keys = createRemoteJWKSet(isUrl ? new URL(source) : pathToFileURL(source), {
    ...times,
    [jwksCache]: cache as ExportedJWKSCache,
    [customFetch]: async (url, options) => {
      if (usable !== undefined || performance.now() - failedAt >= times.cooldownDuration) await load(url, options);
      if (usable === undefined) {
        throw new ApiError('CAT503', 'the public keys that verify tokens are not available', {
          hint: 'Try again in a moment.',
          headers: { 'retry-after': '5' },
        });
      }
      return new Response(usable);
    },
  });
  const loaded = keys.reload().catch(() => {
    if (!isUrl) throw new ConfigError(`--jwks ${source}: ${problem}`);
  });
  if (!isUrl) await loaded;
  // jose sets the time of the cache when it replaces the keys.
  return { verify: (token) => verifyByPublicKey(token, keys), keysVersion: () => (keys.fresh ? cache.uat : undefined) };
}

/** An invalid key does not affect the others. */
async function usableKeys(keys: readonly JWK[], notice: (message: string) => void): Promise<JWK[]> {
  const problems = await Promise.all(keys.map(problemOf));
  const keyNames = keys.flatMap(({ kid }, at) =>
    problems[at] === undefined ? [] : [`${kid === undefined ? `number ${at + 1}` : `"${kid}"`}: ${problems[at]}`],
  );
  if (keyNames.length === keys.length) throw new Error(`none of its keys can be used: ${keyNames.join('; ')}`);
  if (keyNames.length > 0) {
    notice(`${keyNames.length} of ${keys.length} public keys of tokens cannot be used: ${keyNames.join('; ')}`);
  }
  return keys.filter((_, at) => problems[at] === undefined);
}

/** By kind of key. */
const ALGORITHMS: Readonly<Record<string, string>> = { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' };
/** RFC 7518, 3.3. */
const MIN_MODULUS = 2048;

/** Why a key cannot verify tokens; undefined if it can. */
async function problemOf(key: JWK): Promise<string | undefined> {
  const algorithm = ALGORITHMS[key.kty!]!;
  if (key.alg !== undefined && key.alg !== algorithm) return `it is for ${key.alg}, and not for ${algorithm}`;
  try {
    const imported = (await importJWK(key, algorithm)) as CryptoKey;
    const { modulusLength = MIN_MODULUS } = imported.algorithm as { readonly modulusLength?: number };
    return modulusLength < MIN_MODULUS ? `it has ${modulusLength} bits, and needs ${MIN_MODULUS}` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function textOf({ status, body }: Response): Promise<string> {
  if (status !== 200 || body === null) throw new Error(`the answer has the status ${status}`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_JWKS_BYTES) throw new Error(`it is longer than ${MAX_JWKS_BYTES} bytes`);
  }
  return text + decoder.decode();
}

/** Reads a set or a single key. Symmetric secrets and private members of a key are left out. */
function publicKeysIn(text: string): JWK[] {
  const document = JSON.parse(text) as { readonly keys?: unknown } | null;
  const listed = document?.keys ?? [document];
  if (!Array.isArray(listed) || listed.length > MAX_PUBLIC_KEYS) {
    throw new Error(`it is not a JSON Web Key Set of at most ${MAX_PUBLIC_KEYS} keys`);
  }
  const keys = (listed as readonly (JWK | null)[])
    .filter((key): key is JWK => Object.hasOwn(ALGORITHMS, key?.kty ?? '') && key?.use !== 'enc')
    .map(({ kty, n, e, crv, x, y, kid, alg, use }) => ({ kty, n, e, crv, x, y, kid, alg, use }) as JWK);
  if (keys.length === 0) throw new Error('it holds no public key of RSA, EC or OKP');
  return keys;
}
