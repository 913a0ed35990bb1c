/** `catalogue health`: asks a running service whether it is ready; for containers, which have no curl. */
import { describeSettings, readCommand, SERVE_SETTINGS } from '../config.ts';
import type { Command } from './command.ts';

const { port, host, adminPort } = SERVE_SETTINGS;
const OPTIONS = { port, host, adminPort } as const;
const PATIENCE_MS = 5_000;

export const health: Command = {
  name: 'health',
  summary: 'ask a running service whether it is ready',
  help: () => `Usage: catalogue health [flags]

Asks /ready of the service with these settings, on its admin port where it has one.

Exit codes: 0 ready, 1 not.

${describeSettings(OPTIONS)}`,

  async run(args, env) {
    const { values } = readCommand(OPTIONS, args, env, 0);
    const address = ANY_HOST[values.host] ?? values.host;
    const url = `http://${address.includes(':') ? `[${address}]` : address}:${values.adminPort ?? values.port}/ready`;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
      process.stdout.write(await response.text());
      return response.ok ? 0 : 1;
    } catch {
      console.log(`not ready: nothing answers at ${url}`);
      return 1;
    }
  },
};

/** Who listens everywhere listens here. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
