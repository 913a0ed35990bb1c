/** A shop with webhooks, and receivers in the process of the test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, run, type Service, startService, temporaryFolder } from './process.ts';

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface Change {
  readonly seq: number;
  readonly collection: string;
  readonly key: string;
  readonly kind: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

const receivers: { stop(): unknown }[] = [];

/** Stops it with the receivers. */
export function alsoStop(receiver: { stop(): unknown }): void {
  receivers.push(receiver);
}

export async function stopReceivers(): Promise<void> {
  for (const each of receivers.splice(0)) await each.stop();
}

/** A receiver in this process: `answer` decides by the change. */
export function receive(answer: (change: Change) => Response, port = 0) {
  const changes: Change[] = [];
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const change = (await request.json()) as Change;
      const response = answer(change);
      if (response.ok) changes.push(change);
      return response;
    },
  });
  receivers.push({ stop: () => server.stop(true) });
  return { changes, url: `http://127.0.0.1:${server.port}/hook`, stop: () => server.stop(true), port: server.port! };
}

export const accept = () => new Response(null, { status: 204 });

export const hook = (name: string, url: string, more = '') =>
  `  ${name}: { url: '${url}', secret: '{env.HOOK_SECRET}', collections: [items]${more} }\n`;

export interface WebhookShop {
  readonly folder: string;
  /** Replaces the webhooks of the declaration. */
  readonly declare: (webhooks: string) => void;
  readonly start: (...args: string[]) => Promise<Service>;
  /** Runs `catalogue webhooks`, and checks that it succeeds. */
  readonly command: (...args: string[]) => Promise<Record<string, unknown>[]>;
}

export function webhookShop(webhooks: string, environment: Environment): WebhookShop {
  const cwd = temporaryFolder();
  const env = { HOOK_SECRET: SECRET, CATALOGUE_COLLECTIONS: 'collections.yaml', ...environment };
  const declare = (changed: string) =>
    writeFileSync(
      join(cwd, 'collections.yaml'),
      `collections:
  items: { fields: { id: int4, price: int4, shown: boolean } }
  notes: { fields: { id: int4 } }
${changed === '' ? '' : 'webhooks:\n'}${changed}`,
    );
  declare(webhooks);
  return {
    folder: cwd,
    declare,
    start: (...args) => startService({ cwd, env, args }),
    command: async (...args) => {
      const { exitCode, stdout, stderr } = await run({ cwd, env, args: ['webhooks', ...args, '--json'] });
      if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${stderr}`);
      return JSON.parse(stdout) as Record<string, unknown>[];
    },
  };
}
