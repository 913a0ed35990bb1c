/** A real S3 server for tests: s3rver, in this process. */
import { rmSync } from 'node:fs';
import { newFolder } from '../folders.ts';

const BUCKET = 'shop';
/** The only account of the server. */
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface S3Server {
  /** The location of a bucket with its own prefix for each caller. */
  readonly newLocation: () => string;
  readonly options: Bun.S3Options;
  /** The same as environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder with the objects of a location. */
  readonly folderOf: (location: string) => string;
  /** Refuses connections until `start`. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const { default: S3rver } = await import('@20minutes/s3rver');
  const directory = newFolder('catalogue-s3-');
  const open = (port: number) =>
    new S3rver({
      port,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: BUCKET }],
      // It computes another signature for a listing than S3 does.
      allowMismatchedSignatures: true,
    });
  let server = open(0);
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    const closed = server.close();
    // A client that sends one request after another would keep its connection.
    server.httpServer.closeAllConnections();
    await closed;
  };
  let count = 0;
  return {
    newLocation: () => `s3://${BUCKET}/files-${++count}`,
    options: { ...KEYS, endpoint },
    environment: {
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    folderOf: (location) => `${directory}/${location.slice('s3://'.length)}`,
    stop,
    start: async () => {
      server = open(port);
      await server.run();
    },
    close: async () => {
      await stop().catch(() => undefined);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
