import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const textOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const jsonOf = (file: string): unknown => JSON.parse(textOf(file));

const packagesOf = (file: string) => {
  const { packages } = jsonOf(file) as { packages: Record<string, Locked> };
  return Object.entries(packages).filter(([place]) => place !== '');
};

const ROOT = 'package-lock.json';
/** Fetched on a machine whose Node is too old. */
const RUNTIME = 'tools/runtime/package-lock.json';
/** Fetched for a server that has no PostgreSQL of its own, which no production has. */
const POSTGRES = 'tools/postgresql/package-lock.json';
/** Fetched to generate clients from the description of the API. */
const CLIENTS = 'tools/openapi-clients/package-lock.json';
/** Fetched to check the files of deploy. */
const DEPLOYMENT = 'tools/deployment/package-lock.json';

describe('the dependencies', () => {
  for (const file of [ROOT, RUNTIME, POSTGRES, CLIENTS, DEPLOYMENT]) {
    it(`are known by their content: every package of ${file} has a checksum`, () => {
      const without = packagesOf(file).filter(
        ([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
      );
      expect(without.map(([place, { version }]) => `${place} ${version}`)).to.deep.equal([]);
    });
  }

  it('of the server have no install script, and neither has Portico itself', () => {
    const withScript = [ROOT, RUNTIME]
      .flatMap(packagesOf)
      .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev);
    expect(withScript.map(([place]) => place)).to.deep.equal([]);
    const { scripts } = jsonOf('package.json') as { scripts: object };
    expect(scripts).to.not.have.any.keys('preinstall', 'install', 'postinstall');
  });

  it('have nothing in the place of packages that report who installs them or are not needed', () => {
    const replaced = packagesOf(ROOT).filter(
      ([place, { dev }]) => !dev && /@scarf\/scarf$|@grpc\/proto-loader$/.test(place),
    );
    expect(replaced.map(([, { version, integrity }]) => `${version} ${integrity?.slice(0, 12)}`)).to.deep.equal(
      replaced.map(() => '0.0.1 sha512-IV3Ou'),
    );
  });

  it('that the README names are installed by their own names, and listed with their licences', () => {
    const { dependencies, devDependencies } = jsonOf('package.json') as Record<
      string,
      Readonly<Record<string, string>>
    >;
    const [, ofServer = '', ofTests = ''] =
      /^It is built on (.*); its tests on (.*?)\. /m.exec(textOf('README.md')) ?? [];
    const named = (sentence: string) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(named(ofServer)).to.have.length.above(10).and.include('redis');
    expect(dependencies).to.include.keys(named(ofServer));
    expect(devDependencies).to.include.keys(named(ofTests));
    const licences = textOf('docs/licenses.md');
    for (const name of named(ofServer)) expect(licences).to.contain(`\n| ${name} | ${dependencies?.[name]} | `);
  });

  it('of the server are named in its code, or what a package that is named there needs beside it', () => {
    const { dependencies = {} } = jsonOf('package.json') as Record<string, Readonly<Record<string, string>>>;
    const code = globSync('src/**/*.{ts,tsx}', { cwd: new URL('..', import.meta.url) })
      .map((file) => textOf(file))
      .join('\n');
    const isNamed = (name: string) =>
      [`'${name}'`, `'${name}/`, `\`${name}/`].some((specifier) => code.includes(specifier));
    const peers = Object.keys(dependencies)
      .filter(isNamed)
      .flatMap((name) =>
        Object.keys(
          (jsonOf(`node_modules/${name}/package.json`) as { peerDependencies?: object }).peerDependencies ?? {},
        ),
      );
    const data = Object.keys(dependencies).filter((name) => name.startsWith('@tesseract.js-data/'));
    expect(data).to.have.length(4);
    expect(Object.keys(dependencies).filter((name) => !isNamed(name) && !peers.includes(name))).to.deep.equal(data);
  });

  it('include one version of Node for every platform', () => {
    const fetched = packagesOf(RUNTIME).map(
      ([place, { version }]) => `${place.replace('node_modules/node-', '')} ${version}`,
    );
    const platforms = ['bin-darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'];
    expect(fetched).to.deep.equal(platforms.map((each) => `${each} 26.10.0`));
  });
});
