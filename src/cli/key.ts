/** `catalogue key`: manages API keys. */
import { addKey, revokeKey, signWithKey } from '../auth/keys.ts';
import { ConfigError, type Values } from '../settings/by-command.ts';
import { option } from '../settings/setting.ts';
import { defineCommand, printResult } from './shared/command.ts';
import {
  accountName,
  CREDENTIAL_OPTIONS,
  checkRole,
  chosenAction,
  printRows,
  withStore,
  withUniqueName,
} from './shared/credentials.ts';

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS, y: 365 * DAY_MS };
const LONGEST_MS = 100 * UNIT_MS.y!;

function lifetime(given: string, name: string): number {
  const [, count, unit] = /^(\d{1,6})([mhdy])$/.exec(given.trim()) ?? [];
  const milliseconds = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  throw new ConfigError(`${name} is a time such as 12h, 90d or 1y, not ${given}`);
}

const OPTIONS = {
  name: option('--name NAME: name of the key in the log and for key revoke', ''),
  expires: option<number | undefined>(
    '--expires TIME: lifetime of the key, such as 12h, 90d or 1y; by default unlimited, and 1y for an address',
    undefined,
    lifetime,
  ),
  ...CREDENTIAL_OPTIONS,
} as const;

type Settings = Values<typeof OPTIONS>;

type KeyAction = (settings: Settings, name: string, address: string) => Promise<void>;

const ACTIONS: Readonly<Record<string, KeyAction>> = { add, list, revoke, sign };

export const command = defineCommand({
  options: OPTIONS,
  operands: 3,
  usage: `Usage: catalogue key add --role ROLE --name NAME [--expires TIME] [flags]
       catalogue key list [flags]
       catalogue key revoke NAME [flags]
       catalogue key sign NAME ADDRESS [--expires TIME] [flags]

A key gives a program a role of the declaration. It is printed once, when it is added, and stored as a hash. Programs send
it in the header Authorization: Bearer KEY, or apikey: KEY. Every process that serves the database rejects a revoked key
within a second.

key sign prints an address such as '/rpc/feed' with a signature. A program that has it can read this one address with the
rights of the key, for a year or --expires, until the key is revoked.`,
  async run({ values, operands: [action = '', ...operands] }) {
    const work = chosenAction(ACTIONS, action, 'key');
    const names = values.name === '' && work !== list ? operands.splice(0, 1) : [values.name];
    const [address = '', unknown] = work === sign ? operands : [undefined, ...operands];
    if (unknown !== undefined) throw new ConfigError(`unknown argument ${unknown}`);
    await work(values, names[0] ?? '', address);
  },
});

async function add(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'key');
  const { role, claims = {}, expires: lifetime, json } = settings;
  const expires = lifetime === undefined ? undefined : new Date(Date.now() + lifetime);
  const text = await withStore(settings, (store, catalogue) => {
    checkRole(catalogue, role);
    return withUniqueName(
      addKey(store, { name, role, claims, expires }),
      `the key ${name} exists already; revoke it first, or choose another name`,
    );
  });
  const expires_at = expires?.toISOString() ?? null;
  const until = expires_at === null ? '' : `, until ${expires_at}`;
  if (!json) console.error(`The key ${name} of the role ${role}${until}. It is shown only now:`);
  printResult(json, { name, role, expires_at, key: text }, text);
}

async function list(settings: Settings): Promise<void> {
  const keys = await withStore(settings, async (store) => {
    const uses = new Map((await store.uses.all()).map(({ name, last_used_at }) => [name, last_used_at]));
    return (await store.keys.all()).map((key) => ({ ...key, last_used_at: uses.get(key.name) ?? null }));
  });
  const rows = keys.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const columns = ['name', 'role', 'claims', 'created_at', 'expires_at', 'last_used_at'] as const;
  printRows(columns, rows, settings.json, 'There are no keys.');
}

async function revoke(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'key');
  const wasThere = await withStore(settings, (store) => revokeKey(store, name));
  if (!wasThere) throw new ConfigError(`unknown key ${name}; catalogue key list shows all keys`);
  printResult(settings.json, { name }, `The key ${name} is revoked.`);
}

async function sign(settings: Settings, given: string, address: string): Promise<void> {
  const name = accountName(given, 'key');
  if (!address.startsWith('/'))
    throw new ConfigError("no address is given. Use its path and query, such as '/rpc/feed'");
  const expires = Math.floor((Date.now() + (settings.expires ?? UNIT_MS.y!)) / 1000);
  // As clients send it.
  const { pathname, search } = new URL(address, 'http://localhost');
  const signed = await withStore(settings, (store) => signWithKey(store, `${pathname}${search}`, name, expires));
  if (signed === undefined) throw new ConfigError(`unknown key ${name}; catalogue key list shows all keys`);
  printResult(settings.json, { name, address: signed, expires_at: new Date(expires * 1000).toISOString() }, signed);
}
