/** The systemd unit, its user and its settings file. systemd checks them if it is installed. */
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, run, temporaryFolder } from '../support/processes/process.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
const unit = readFileSync(pathOf('systemd/catalogue@.service'), 'utf8');
const valuesOf = (directive: string) =>
  [...unit.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(([, value]) => value!);

afterAll(cleanUp);

/** Runs a program of systemd, and returns its lines about the unit. */
function systemd(program: string, ...args: string[]): readonly string[] {
  const { stderr } = Bun.spawnSync([program, ...args], { stderr: 'pipe' });
  return `${stderr}`.split('\n').filter((line) => line.includes('catalogue@'));
}

const withSystemd = test.skipIf(Bun.which('systemd-analyze') === null || Bun.which('systemd-sysusers') === null);

withSystemd('systemd accepts the unit, and creates its user (skipped without systemd)', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'catalogue@.service');
  // systemd checks that the program exists, and this machine may not have it.
  writeFileSync(file, unit.replaceAll('/usr/local/bin/catalogue', process.execPath));
  expect(systemd('systemd-analyze', 'verify', '--man=no', file)).toEqual([]);
  mkdirSync(join(folder, 'etc/sysusers.d'), { recursive: true });
  copyFileSync(pathOf('systemd/catalogue.sysusers'), join(folder, 'etc/sysusers.d/catalogue.conf'));
  systemd('systemd-sysusers', `--root=${folder}`);
  const [name, , , , , home] = readFileSync(join(folder, 'etc/passwd'), 'utf8').split(':');
  expect([name, home]).toEqual([valuesOf('User')[0], `/var/lib/${valuesOf('StateDirectory')[0]}`]);
});

test('the unit runs as its own user, may bind port 443, and writes only to its own folder', () => {
  expect(valuesOf('User')).toEqual(['catalogue']);
  expect([...valuesOf('CapabilityBoundingSet'), ...valuesOf('AmbientCapabilities')]).toEqual([
    'CAP_NET_BIND_SERVICE',
    'CAP_NET_BIND_SERVICE',
  ]);
  expect([...valuesOf('NoNewPrivileges'), ...valuesOf('ProtectSystem'), ...valuesOf('ProtectHome')]).toEqual([
    'yes',
    'strict',
    'yes',
  ]);
  const [start] = valuesOf('ExecStart');
  expect(start).toEndWith('--config /etc/catalogue/catalogue.toml');
});

test('the settings file is valid, also with its optional lines, and keeps all data in the folder of the unit', async () => {
  const text = readFileSync(pathOf('catalogue.toml'), 'utf8');
  const file = join(temporaryFolder(), 'catalogue.toml');
  writeFileSync(file, text.replaceAll(/^# (?=[a-z-]+ = )/gm, ''));
  const { exitCode, stdout, stderr } = await run({ cwd: temporaryFolder(), args: ['config', '--config', file] });
  expect([exitCode, stderr]).toEqual([0, '']);
  const data = ['database', 'backup-folder', 'files'].map(
    (key) => new RegExp(`^${key} .*?(/\\S+)`, 'm').exec(stdout)?.[1],
  );
  for (const place of data) expect(place).toStartWith('/var/lib/catalogue/');
});
