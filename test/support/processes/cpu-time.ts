/** CPU time in milliseconds, from /proc. On systems without it, only that of this process is known. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const MS_PER_TICK = 10;

let addedMs = 0;

/** Adds the CPU time of a child that has not ended yet. */
export function addCpuMs(ms: number): void {
  addedMs += ms;
}

/** The CPU time of this process, and of its children and theirs as soon as they have ended. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + (statOf('self')?.endedMs ?? 0) + addedMs;
}

/** The CPU time of a process and of all processes below it. */
export function cpuMsBelow(pid: number): number {
  const processes = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const stats = new Map(processes.map((name) => [Number(name), statOf(name)]));
  const isBelow = (each: number): boolean => each === pid || (each > 1 && isBelow(stats.get(each)?.parent ?? 0));
  const below = [...stats].filter(([each]) => isBelow(each));
  return below.reduce((sum, [, stat]) => sum + (stat?.ownMs ?? 0) + (stat?.endedMs ?? 0), 0);
}

function statOf(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The name of the program may contain anything.
    const fields = text
      .slice(text.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => fields[at]!);
    return { parent, ownMs: (user! + system!) * MS_PER_TICK, endedMs: (endedUser! + endedSystem!) * MS_PER_TICK };
  } catch {
    // It has ended, or the system has no /proc.
    return undefined;
  }
}
