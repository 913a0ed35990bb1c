/**
 * Pins servers to one core and the load generator to another, so that all servers have the same CPU time. With a single
 * core or without taskset, the system schedules all processes.
 */
import { existsSync, readFileSync } from 'node:fs';

const allCores = allowedCores();
const [serverCore, loadCore] = allCores;
export const arePinned = loadCore !== undefined && Bun.which('taskset') !== null;

function allowedCores(): number[] {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const ranges = /Cpus_allowed_list:\s+(\S+)/.exec(status)?.[1]?.split(',') ?? [];
  return ranges.flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** Pins this process and the load generators it starts to the load core. */
export function keepToLoadCore(): void {
  if (arePinned) Bun.spawnSync(['taskset', '-acp', String(loadCore), String(process.pid)]);
}

export function onServerCore(command: readonly string[]): string[] {
  return arePinned ? ['taskset', '-c', String(serverCore), ...command] : [...command];
}

/** Runs a command on all cores, for measurements without a baseline. */
export function onAllCores(command: readonly string[]): string[] {
  return arePinned ? ['taskset', '-c', allCores.join(), ...command] : [...command];
}

/** Lets a server that was started from here use all cores, including its later child processes. */
export function letUseAllCores(pid: number): void {
  if (arePinned) Bun.spawnSync(['taskset', '-acp', allCores.join(), String(pid)]);
}
