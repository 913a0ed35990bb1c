/** `catalogue health`: asks a running service whether it is ready, for containers without curl. */
import { SERVE_SETTINGS } from '../settings/by-command.ts';
import { duration, option } from '../settings/setting.ts';
import { defineCommand, JSON_OPTION } from './shared/command.ts';

const { port, host, adminPort, tlsCert } = SERVE_SETTINGS;
const OPTIONS = {
  waitSeconds: option('--wait TIME: how long to wait for a service that is not ready yet, such as 30s', 0, duration),
  ...JSON_OPTION,
  port,
  host,
  adminPort,
  tlsCert,
} as const;
const TIMEOUT_MS = 5_000;
const POLL_MS = 200;

export const command = defineCommand({
  options: OPTIONS,
  usage: `Usage: catalogue health [flags]

Requests /ready of the service with these settings, on its admin port if it has one, which speaks plain HTTP. With
--tls-cert, or if nothing answers over HTTP, it uses HTTPS and accepts any certificate, since that names the public host
and not this machine.

Exit codes: 0 ready, 1 not.`,
  async run({ values }) {
    const address = ANY_HOST[values.host] ?? values.host;
    const isPlain = values.adminPort !== undefined || values.tlsCert === '';
    const place = `${address.includes(':') ? `[${address}]` : address}:${values.adminPort ?? values.port}/ready`;
    const until = performance.now() + values.waitSeconds * 1000;
    for (;;) {
      const { isReady, url, text } = await (isPlain ? askEither(place) : ask(`https://${place}`));
      if (isReady || performance.now() >= until) {
        console.log(values.json ? JSON.stringify({ ok: isReady, url, answer: text }) : text);
        return isReady ? 0 : 1;
      }
      await Bun.sleep(POLL_MS);
    }
  },
});

interface Health {
  readonly isReady: boolean;
  readonly url: string;
  readonly text: string;
  readonly isAnswered: boolean;
}

/** Tries HTTP, then HTTPS: the caller need not know whether the service has a certificate. */
async function askEither(place: string): Promise<Health> {
  const plain = await ask(`http://${place}`);
  if (plain.isAnswered) return plain;
  const secure = await ask(`https://${place}`);
  return secure.isAnswered ? secure : plain;
}

async function ask(url: string): Promise<Health> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), tls: { rejectUnauthorized: false } });
    return { isReady: response.ok, url, text: (await response.text()).trimEnd(), isAnswered: true };
  } catch {
    return { isReady: false, url, text: `not ready: nothing answers at ${url}`, isAnswered: false };
  }
}

/** A service on all addresses also listens on loopback. */
const ANY_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
