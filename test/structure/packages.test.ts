/** `npm install` is light and quiet: few packages to run the service, none that npm would warn about. */
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

test('the service itself needs few packages', () => {
  expect(packages.length).toBeGreaterThan(100);
  expect(packages.filter(({ dev }) => dev !== true).length).toBeLessThan(MOST_TO_RUN);
});

test('every package takes the oldest Node that the service takes', () => {
  const oldest = /\d+/.exec(manifest.engines.node)![0];
  // The last release of a version is what people have of it.
  const refusing = packages.filter(({ engines }) => !Bun.semver.satisfies(`${oldest}.99.0`, engines?.node ?? '*'));
  expect(refusing.map(({ name, engines }) => `${name} wants ${engines?.node}`)).toEqual([]);
});

test('no package is deprecated, or has an install script that is not listed', () => {
  expect(packages.filter(({ deprecated }) => deprecated !== undefined)).toEqual([]);
  const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name);
  expect(scripted.filter((name) => !Object.hasOwn(manifest.allowScripts, name))).toEqual([]);
});
