/** Reads the CPU time and memory of a process from the system. Linux only; returns NaN on other systems. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the CPU time so far in seconds, for all threads. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await textOf(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces. User and system time are fields 14 and 15, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) / 100;
}

export async function residentMegabytes(pid: number): Promise<number> {
  return megabytes(await textOf(`/proc/${pid}/status`), /VmRSS:\s+(\d+)/);
}

/** Returns the peak memory since the start, or since `forgetPeak`. */
export async function peakMegabytes(pid: number): Promise<number> {
  return megabytes(await textOf(`/proc/${pid}/status`), /VmHWM:\s+(\d+)/);
}

export async function forgetPeak(pid: number): Promise<void> {
  if ((await textOf(`/proc/${pid}/status`)) !== '') await Bun.write(`/proc/${pid}/clear_refs`, '5');
}

function megabytes(status: string, pattern: RegExp): number {
  return Number(pattern.exec(status)?.[1] ?? Number.NaN) / 1024;
}

async function textOf(path: string): Promise<string> {
  return Bun.file(path)
    .text()
    .catch(() => '');
}

/** The milliseconds that the host of a virtual machine withheld so far, by core. */
export function stolenMs(): readonly number[] {
  const cores = existingText('/proc/stat').matchAll(/^cpu\d+ (.+)$/gm);
  return Array.from(cores, ([, times]) => Number(times!.split(' ')[7]) * 10);
}

/** The CPU time of the service and of the children of a PostgreSQL server, ended ones included, in seconds. */
export async function cpuWithChildren(pid: number | undefined, postmaster: number | undefined): Promise<number> {
  const children = postmaster === undefined ? [] : childrenOf(postmaster);
  const times = await Promise.all([...(pid === undefined ? [] : [pid]), ...children].map(cpuSeconds));
  const ended = postmaster === undefined ? 0 : endedChildrenSeconds(postmaster);
  return times.reduce((sum, time) => sum + (Number.isNaN(time) ? 0 : time), ended);
}

function endedChildrenSeconds(parent: number): number {
  const stat = existingText(`/proc/${parent}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / 100;
}

function childrenOf(parent: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => {
    const stat = existingText(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
  });
}

function existingText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
