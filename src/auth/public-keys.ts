/**
 * The public keys of the token issuer: a JSON Web Key Set in a file or at a URL. It is loaded when first needed, again after a
 * while, and for a token whose key is unknown. If loading fails, the service keeps the known keys.
 */
import { existsSync } from 'node:fs';
import { type CompactVerifyGetKey, createLocalJWKSet, importJWK, type JWK } from 'jose';
import { ApiError } from '../base/errors.ts';
import { JWKS_FRESH_MS, JWKS_PAUSE_MS, JWKS_TIMEOUT_MS, MAX_JWKS_BYTES, MAX_PUBLIC_KEYS } from '../base/limits/auth.ts';
import { ConfigError } from '../settings/by-command.ts';

export interface PublicKeyTimes {
  readonly freshMs: number;
  /** Pause after looking for an unknown key, or after a failure. */
  readonly pauseMs: number;
  readonly timeoutMs: number;
}

const TIMES: PublicKeyTimes = { freshMs: JWKS_FRESH_MS, pauseMs: JWKS_PAUSE_MS, timeoutMs: JWKS_TIMEOUT_MS };

export class PublicKeys {
  /** Changes whenever the keys change. */
  generation = 0;
  private known: CompactVerifyGetKey | undefined;
  private text = '';
  private readAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;
  private reason = '';

  constructor(
    /** A file, or a URL. */
    private readonly source: string,
    private readonly notice: (message: string) => void,
    private readonly times: PublicKeyTimes = TIMES,
  ) {}

  get freshMs(): number {
    return this.times.freshMs;
  }

  /** Reports a mistake in a file at start; a URL may become available later. */
  async open(): Promise<void> {
    const read = this.read();
    if (isUrl(this.source)) return;
    await read;
    if (this.known === undefined) throw new ConfigError(`--jwks ${this.source}: ${this.reason}`);
  }

  /** Throws a `ApiError` if no keys are known. */
  async current(): Promise<CompactVerifyGetKey> {
    const isFresh = performance.now() - this.readAt < this.times.freshMs;
    if (!isFresh && this.mayTry()) await this.read();
    else if (this.known === undefined) await this.reading;
    if (this.known === undefined) throw unavailable();
    return this.known;
  }

  /** Returns the known keys if there are no newer ones, or if it is too soon to look again. */
  async renewed(known: CompactVerifyGetKey): Promise<CompactVerifyGetKey> {
    if (this.known === known && this.mayTry()) await this.read();
    return this.known ?? known;
  }

  private mayTry(): boolean {
    return this.reading !== undefined || performance.now() - this.triedAt >= this.times.pauseMs;
  }

  /** One load at a time, shared by all waiting requests. */
  private read(): Promise<void> {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** An invalid key does not affect the others. */
  private async usable(listed: readonly JWK[]): Promise<JWK[]> {
    const problems = await Promise.all(listed.map(problemOf));
    const told = listed.flatMap(({ kid }, at) =>
      problems[at] === undefined ? [] : [`${kid === undefined ? `number ${at + 1}` : `"${kid}"`}: ${problems[at]}`],
    );
    const keys = listed.filter((_, at) => problems[at] === undefined);
    if (keys.length === 0) throw new Error(`none of its keys can be used: ${told.join('; ')}`);
    if (told.length > 0) {
      this.notice(`of the public keys of tokens ${told.length} of ${listed.length} cannot be used: ${told.join('; ')}`);
    }
    return keys;
  }

  private async readOnce(): Promise<void> {
    this.triedAt = performance.now();
    try {
      const listed = publicKeysIn(await textOf(this.source, this.times.timeoutMs));
      const text = JSON.stringify(listed);
      if (text !== this.text) {
        this.known = createLocalJWKSet({ keys: await this.usable(listed) });
        this.text = text;
        this.generation++;
      }
      this.readAt = performance.now();
    } catch (error) {
      this.reason = error instanceof Error ? error.message : String(error);
      this.notice(`the public keys of tokens cannot be read: ${this.reason}`);
    }
  }
}

/** Why a key cannot verify tokens; undefined if it can. */
async function problemOf(key: JWK): Promise<string | undefined> {
  const algorithm = ALGORITHMS[key.kty!]!;
  if (key.alg !== undefined && key.alg !== algorithm) return `it is for ${key.alg}, and not for ${algorithm}`;
  try {
    const { algorithm: made } = (await importJWK(key, algorithm)) as CryptoKey;
    const { modulusLength = MIN_MODULUS } = made as { readonly modulusLength?: number };
    return modulusLength < MIN_MODULUS ? `it has ${modulusLength} bits, and needs ${MIN_MODULUS}` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

async function textOf(source: string, timeoutMs: number): Promise<string> {
  if (!isUrl(source)) {
    if (!existsSync(source)) throw new Error('the file does not exist');
    return bounded(Bun.file(source).stream());
  }
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(source, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the answer has the status ${response.status}`);
  return bounded(response.body);
}

async function bounded(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_JWKS_BYTES) throw new Error(`it is longer than ${MAX_JWKS_BYTES} bytes`);
  }
  return text + decoder.decode();
}

/** By kind of key. */
const ALGORITHMS: Readonly<Record<string, string>> = { RSA: 'RS256', EC: 'ES256', OKP: 'EdDSA' };
/** RFC 7518, 3.3. */
const MIN_MODULUS = 2048;
/** The public part of a key, without its declared use: here it only verifies. */
const PUBLIC_MEMBERS = ['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const;

/** A set or a single key. Symmetric secrets are rejected. */
function publicKeysIn(text: string): JWK[] {
  const document = JSON.parse(text) as { readonly keys?: unknown } | null;
  const listed = document?.keys ?? [document];
  if (!Array.isArray(listed) || listed.length > MAX_PUBLIC_KEYS) {
    throw new Error(`it is not a JSON Web Key Set of at most ${MAX_PUBLIC_KEYS} keys`);
  }
  const keys = (listed as readonly (JWK | null)[])
    .filter((key): key is JWK => Object.hasOwn(ALGORITHMS, key?.kty ?? '') && key?.use !== 'enc')
    .map((key) => {
      const members = PUBLIC_MEMBERS.filter((name) => typeof key[name] === 'string');
      return Object.fromEntries(members.map((name) => [name, key[name]])) as unknown as JWK;
    });
  if (keys.length === 0) throw new Error('it holds no public key of RSA, EC or OKP');
  return keys;
}

function unavailable(): ApiError {
  return new ApiError('CAT503', 'the public keys that verify tokens are not available', {
    hint: 'Try again in a moment.',
    headers: { 'retry-after': '5' },
  });
}
