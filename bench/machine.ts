/** Describes the machine and the versions of a measurement in one line. */
import { arch, availableParallelism, cpus, totalmem, type } from 'node:os';
import manifest from '../package.json' with { type: 'json' };
import { arePinned } from './cores.ts';
import { ROOT } from './servers.ts';

export async function machine(isPinned = arePinned): Promise<string> {
  return [
    (await processor()) ?? arch(),
    `${availableParallelism()} cores${isPinned ? ' (servers on one, the load on the other)' : ''}`,
    `${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `${await system()}, ${arch()}`,
    `Bun ${Bun.version}`,
    `version ${manifest.version}${commit()}`,
    new Date().toISOString().slice(0, 10),
  ].join('; ');
}

/** Returns the processor name. Arm systems do not list it there, but lscpu knows it by number. */
async function processor(): Promise<string | undefined> {
  const told = cpus()[0]?.model.trim();
  if (told !== undefined && told !== '' && told !== 'unknown') return told;
  if (Bun.which('lscpu') === null) return undefined;
  const named = /^Model name:\s+(.+)$/m.exec(output('lscpu'))?.[1];
  return named === '-' ? undefined : named;
}

async function system(): Promise<string> {
  const release = Bun.file('/etc/os-release');
  const name = (await release.exists()) ? /^PRETTY_NAME="?([^"\n]+)/m.exec(await release.text())?.[1] : undefined;
  return name ?? type();
}

function commit(): string {
  const short = output('git', 'rev-parse', '--short', 'HEAD');
  if (short === '') return '';
  return `, commit ${short}${output('git', 'status', '--porcelain', 'src') === '' ? '' : ' with changes'}`;
}

function output(...command: string[]): string {
  const { success, stdout } = Bun.spawnSync(command, { cwd: ROOT, stderr: 'ignore' });
  return success ? stdout.toString().trim() : '';
}
