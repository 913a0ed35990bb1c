import { setNiceness } from '../priority.ts';
import { ROOT } from '../servers.ts';
import type { Found } from './probe.ts';

/** Starts the probe and resolves to a function that stops it and resolves to its results. */
export async function startProbe(url: string, of: number, bystander: readonly string[]): Promise<() => Promise<Found>> {
  const ready = Promise.withResolvers<void>();
  const found = Promise.withResolvers<Found>();
  const probe = Bun.spawn([process.execPath, 'bench/abuse/probe.ts', url, String(of), ...bystander], {
    cwd: ROOT,
    ipc: (message) => (message === 'ready' ? ready.resolve() : found.resolve(message as Found)),
    onExit: (_, code) => ready.reject(new Error(`the probe ended with ${code}`)),
  });
  await ready.promise;
  setNiceness(probe.pid, -10);
  return () => {
    probe.send('stop');
    return found.promise;
  };
}
