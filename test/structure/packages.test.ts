/** `npm install` is small and prints no warnings: the service has few dependencies, and none is deprecated. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import manifest from '../../package.json' with { type: 'json' };

interface Package {
  readonly version: string;
  readonly dev?: boolean;
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, Package>>;
};
const packages = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, each]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), ...each }));

const MOST_TO_RUN = 60;

test('the service has few runtime dependencies', () => {
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(({ dev }) => dev !== true).length).toBeLessThan(MOST_TO_RUN);
});

test('every package supports the oldest Node version that the service supports', () => {
  const oldest = /\d+/.exec(manifest.engines.node)![0];
  // Checks the last release of the oldest version, which most users have.
  const refusing = packages.filter(({ engines }) => !Bun.semver.satisfies(`${oldest}.99.0`, engines?.node ?? '*'));
  expect(refusing.map(({ name, engines }) => `${name} wants ${engines?.node}`)).toEqual([]);
});

test('no package is deprecated or has an unlisted install script', () => {
  expect(packages.filter(({ deprecated }) => deprecated !== undefined)).toEqual([]);
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name);
  expect(scripted.filter((name) => !Object.hasOwn(manifest.allowScripts, name))).toEqual([]);
});
