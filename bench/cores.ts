/**
 * Servers on one core and the load on another, so that neither takes the other's time and every server, baseline and
 * service alike, has just as much. Where there is one core only, or no taskset, all run wherever the system puts them.
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

/** This process, and the load that it starts, keep to the load's core from here on. */
export function keepToLoadCore(): void {
  if (arePinned) Bun.spawnSync(['taskset', '-acp', String(loadCore), String(process.pid)]);
}

export function onServerCore(command: readonly string[]): string[] {
  return arePinned ? ['taskset', '-c', String(serverCore), ...command] : [...command];
}

/** For what is not held against a baseline: as it would run for users. */
export function onAllCores(command: readonly string[]): string[] {
  return arePinned ? ['taskset', '-c', allCores.join(), ...command] : [...command];
}

/** For a server that was started from here and serves others, and for what it starts from now on. */
export function letUseAllCores(pid: number): void {
  if (arePinned) Bun.spawnSync(['taskset', '-acp', allCores.join(), String(pid)]);
}
