// Shows that the files of deploy are what their readers take: kubectl renders the overlays, the schemas of Kubernetes and of KEDA take each document, and promtool takes the alert rules and tries them.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

const here = import.meta.dirname;
const root = path.resolve(here, '../..');
/** Has kubectl and promtool, where the machine has none: `docker build -t local/deployment-checks .ci/deployment`. */
const image = 'local/deployment-checks';
let failed = false;

const run = (command, ...parameters) =>
  spawnSync(command, parameters, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
const has = (command, ...parameters) => run(command, ...parameters).status === 0;
const fail = (what, why) => {
  console.error(`${what}: ${why}`);
  failed = true;
};

/** Runs a program of the machine, or that of the image, over the files of the checkout. */
const program = (name, ...trial) => {
  if (has(name, ...trial)) return (...parameters) => run(name, ...parameters);
  if (!has('docker', 'image', 'inspect', image)) return null;
  const mounted = ['run', '--rm', '--network=none', '-v', `${root}:/checkout:ro`, '-w', '/checkout', image];
  return (...parameters) => run('docker', ...mounted, name, ...parameters);
};

const ci = run('npm', 'ci', '--prefix', here, '--ignore-scripts', '--no-audit', '--no-fund');
if (ci.status !== 0) {
  console.error(ci.stderr);
  process.exit(1);
}

const modelsOf = ({ apiVersion, kind }) =>
  `${apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models'}/${apiVersion}/${kind}`;

/** What the schema of a document says against it; null if nothing. */
const against = async (document) => {
  try {
    const { [document.kind]: Model } = await import(modelsOf(document));
    new Model(document).validate();
    return null;
  } catch (error) {
    return error.message;
  }
};

/** What the types of the documents say against them: unlike the schemas, they know no other names than those that there are. */
const againstTypes = async (documents) => {
  const literals = documents.map(({ apiVersion, kind, ...document }, index) => {
    const imported = `import { ${kind} as Model${index} } from '${modelsOf({ apiVersion, kind })}';`;
    return `${imported}\nexport const document${index} = new Model${index}(${JSON.stringify(document, null, 2)});\n`;
  });
  const file = path.join(here, 'generated/documents.ts');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, literals.join('\n'));
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    '',
  ];
  const { status, stdout } = run('npx', 'tsc', ...options, file);
  return status === 0 ? null : stdout;
};

const kubectl = program('kubectl', 'version', '--client');
if (!kubectl) fail('kubectl', `neither on PATH nor in the image ${image}`);
for (const overlay of kubectl ? readdirSync(path.join(root, 'deploy/kubernetes/overlays')) : []) {
  const rendered = kubectl('kustomize', `deploy/kubernetes/overlays/${overlay}`);
  if (rendered.status !== 0) fail(overlay, rendered.stderr);
  const documents = parseAllDocuments(rendered.stdout).map((document) => document.toJS());
  for (const document of documents) {
    const wrong = await against(document);
    if (wrong) fail(`${overlay}: ${document.kind} ${document.metadata?.name}`, wrong);
  }
  const wrong = documents.length === 0 ? 'nothing was rendered' : await againstTypes(documents);
  if (wrong) fail(overlay, wrong);
  console.log(`${overlay}: ${documents.length} documents`);
}

const promtool = program('promtool', '--version');
if (!promtool) fail('promtool', `neither on PATH nor in the image ${image}`);
for (const parameters of [
  ['check', 'rules', 'deploy/monitoring/alerts.yaml'],
  ['test', 'rules', 'tools/deployment/alerts.test.yaml'],
]) {
  const checked = promtool?.(...parameters);
  if (checked && checked.status !== 0) fail(parameters.join(' '), `${checked.stdout}${checked.stderr}`);
  else if (checked) console.log(`promtool ${parameters.join(' ')}: fine`);
}
process.exitCode = failed ? 1 : 0;
