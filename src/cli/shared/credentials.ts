/** Shared by `catalogue key` and `catalogue user`: names, roles, claims and the store. */
import { CLAIMS_FORM, isClaims, nameProblem, roleProblem } from '../../auth/account-rules.ts';
import { CredentialStore } from '../../auth/store.ts';
import { ApiError, onError, unlessThrown } from '../../base/errors.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import { NoDatabase } from '../../engine/open.ts';
import { ConfigError, DATA_SETTINGS, type Values } from '../../settings/by-command.ts';
import { option } from '../../settings/setting.ts';
import { JSON_OPTION } from './command.ts';
import { withDatabase } from './database.ts';
import { renderTable } from './table.ts';

export const CREDENTIAL_OPTIONS = {
  role: option('--role NAME: role in the declaration, which grants the permissions', ''),
  claims: option<Readonly<Record<string, unknown>> | undefined>(
    '--claims JSON: claims for the rules: \'{"region":"north"}\' for {claims.region}',
    undefined,
    claims,
  ),
  ...JSON_OPTION,
  ...DATA_SETTINGS,
} as const;

function claims(given: string, name: string): Readonly<Record<string, unknown>> {
  const value: unknown = unlessThrown(() => JSON.parse(given));
  if (isClaims(value)) return value;
  throw new ConfigError(`${name} is ${CLAIMS_FORM}, not ${given}`);
}

type CredentialSettings = Values<typeof DATA_SETTINGS>;

export function withStore<T>(
  settings: CredentialSettings,
  work: (store: CredentialStore, catalogue: Catalogue) => Promise<T>,
): Promise<T> {
  const run = () =>
    withDatabase(settings, 'never', (engine, catalogue) => work(new CredentialStore(engine), catalogue));
  return onError(NoDatabase, run, ({ message }) => {
    throw new ConfigError(`${message}. Create it with catalogue migrate, or choose another with --database`);
  });
}

export function accountName(name: string, what: 'key' | 'user'): string {
  if (name === '') throw new ConfigError(`no name is given. Name the ${what}`);
  const problem = nameProblem(name, what);
  if (problem !== undefined) throw new ConfigError(problem);
  return name;
}

export function checkRole({ roles }: Catalogue, role: string): void {
  if (role === '') throw new ConfigError('no role is given. Use --role NAME');
  if (roles === undefined) {
    console.error(
      'The declaration has no roles: serve rejects a database with keys or users, unless --public is given.',
    );
    return;
  }
  const problem = roleProblem(roles, role);
  if (problem !== undefined) throw new ConfigError(problem);
}

/** Turns the error for a name that exists into `taken`. */
export function withUniqueName<T>(work: Promise<T>, taken: string): Promise<T> {
  return work.catch((error) => {
    throw error instanceof ApiError && error.code === '23505' ? new ConfigError(taken) : error;
  });
}

/** Finds the action that the first operand of a command names. */
export function chosenAction<Action>(actions: Readonly<Record<string, Action>>, name: string, what: string): Action {
  if (Object.hasOwn(actions, name)) return actions[name]!;
  const names = Object.keys(actions)
    .join(', ')
    .replace(/, (\w+)$/, ' or $1');
  throw new ConfigError(
    `${name === '' ? 'no action is given' : `unknown action ${name}`}. Use: catalogue ${what} ${names}`,
  );
}

export function printRows<T>(columns: readonly (keyof T & string)[], all: readonly T[], isJson: boolean, none: string) {
  const rows = all.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  if (isJson) console.log(JSON.stringify(rows));
  else if (rows.length === 0) console.log(none);
  else process.stdout.write(renderTable(columns, rows, process.stdout.columns));
}
