/** `catalogue user`: manages users, who log in to the console. */
import { addUser, changeUser, findUser, removeUser } from '../auth/users.ts';
import { ConfigError, type Values } from '../settings/by-command.ts';
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
import { newPassword } from './shared/new-password.ts';

type Settings = Values<typeof CREDENTIAL_OPTIONS>;

const ACTIONS: Readonly<Record<string, (settings: Settings, name: string) => Promise<void>>> = {
  add,
  list,
  role: changeRole,
  password: changePassword,
  disable: (settings, name) => setDisabled(settings, name, true),
  enable: (settings, name) => setDisabled(settings, name, false),
  remove,
};

export const command = defineCommand({
  options: CREDENTIAL_OPTIONS,
  operands: 2,
  usage: `Usage: catalogue user add NAME --role ROLE [flags]
       catalogue user list [flags]
       catalogue user role NAME --role ROLE [flags]
       catalogue user password NAME [flags]
       catalogue user disable NAME [flags]
       catalogue user enable NAME [flags]
       catalogue user remove NAME [flags]

Users log in to the console with a name and a password, and have a role of the declaration. The password is typed without
echo, or is the first line of standard input. It is stored as an argon2id hash. Every change of a user ends all sessions of
that user within a second, on every process that serves the database.`,
  async run({ values, operands: [action = '', name = ''] }) {
    await chosenAction(ACTIONS, action, 'user')(values, name);
  },
});

async function add(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'user');
  const { role, claims = {} } = settings;
  await withStore(settings, async (store, catalogue) => {
    checkRole(catalogue, role);
    const conflictMessage = `the user ${name} exists already`;
    if ((await store.users.named(name)).length > 0) throw new ConfigError(conflictMessage);
    await withUniqueName(addUser(store, { name, role, claims, password: await newPassword(name) }), conflictMessage);
  });
  tell(settings, name, `The user ${name} of the role ${role} can log in.`);
}

async function list(settings: Settings): Promise<void> {
  const users = await withStore(settings, (store) => store.users.all());
  const rows = users.map(({ name, role, claims, created_at }) => ({ name, role, claims, created_at }));
  printRows(['name', 'role', 'claims', 'created_at'], rows, settings.json, 'There are no users.');
}

async function changeRole(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'user');
  const { role, claims } = settings;
  const isThere = await withStore(settings, (store, catalogue) => {
    checkRole(catalogue, role);
    return changeUser(store, name, { role, ...(claims === undefined ? {} : { claims }) });
  });
  if (!isThere) throw noSuchUser(name);
  tell(settings, name, `The user ${name} has the role ${role} now, and has to log in again.`);
}

async function changePassword(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'user');
  await withStore(settings, async (store) => {
    if ((await findUser(store, name)) === undefined) throw noSuchUser(name);
    if (!(await changeUser(store, name, { password: await newPassword(name) }))) throw noSuchUser(name);
  });
  tell(settings, name, `The user ${name} has a new password, and has to log in again.`);
}

async function setDisabled(settings: Settings, given: string, disabled: boolean): Promise<void> {
  const name = accountName(given, 'user');
  if (!(await withStore(settings, (store) => changeUser(store, name, { disabled })))) throw noSuchUser(name);
  const words = disabled ? 'is disabled, and logged out everywhere' : 'can log in again';
  tell(settings, name, `The user ${name} ${words}.`);
}

async function remove(settings: Settings, given: string): Promise<void> {
  const name = accountName(given, 'user');
  if (!(await withStore(settings, (store) => removeUser(store, name)))) throw noSuchUser(name);
  tell(settings, name, `The user ${name} is removed, and logged out everywhere.`);
}

function noSuchUser(name: string): ConfigError {
  return new ConfigError(`unknown user ${name}; catalogue user list shows all users`);
}

function tell({ json, role }: Settings, name: string, words: string): void {
  printResult(json, { name, ...(role === '' ? {} : { role }) }, words);
}
