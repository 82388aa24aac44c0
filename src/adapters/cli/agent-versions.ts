import { structuredPatch } from 'diff';
import { stringify } from 'yaml';
import type { Portico, Schemas } from '../../client/portico.ts';
import { type JsonValue, resolvePointer } from '../../domain/json.ts';
import { differences } from '../../domain/json-difference.ts';
import { ExactNumber } from '../../domain/json-number.ts';
import { type Agent, read } from './answers.ts';
import { printable, printableLines, type Style, shownTime } from './printable.ts';
import type { Terminal } from './terminal.ts';

type VersionSummary = Schemas['AgentVersion'];
type VersionDetail = Schemas['AgentVersionDetail'];

export const pageOfVersions = (
  client: Portico,
  agentId: string,
  query: { limit: number; after?: string | undefined },
) =>
  read(
    'versions',
    client.get('/api/v1/agents/{agent_id}/versions', { params: { path: { agent_id: agentId }, query } }),
  );

/** Without a number: the live one, which is the newest. */
export const readVersion = async (client: Portico, agentId: string, wanted: number | undefined) => {
  const version = wanted ?? (await pageOfVersions(client, agentId, { limit: 1 })).versions[0]?.version ?? 1;
  const path = '/api/v1/agents/{agent_id}/versions/{version}';
  return read('version', client.get(path, { params: { path: { agent_id: agentId, version } } }));
};

const originOf = ({ created_by: author }: VersionSummary) =>
  author === null ? 'workspace file' : `published by ${author.name}`;

export const versionRows = (versions: readonly VersionSummary[]) =>
  versions.map((each) => [
    String(each.version),
    each.live ? 'live' : '',
    shownTime(each.created_at),
    originOf(each),
    each.changes.join(', '),
  ]);

/** Numbers keep their digits. */
const exact = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  resolve: String,
  identify: (value: unknown) => value instanceof ExactNumber,
  stringify: ({ value }: { value: unknown }) => String(value),
};

const yamlOf = (value: unknown) =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false, customTags: [exact] });

export const showVersion = (terminal: Terminal, { name }: Agent, version: VersionDetail) => {
  const { out, note, paint } = terminal;
  const { version: number, live, created_at, definition } = version;
  const title = `${name}, version ${number}${live ? ', the live one' : ''}`;
  out(paint('dim', printable(`# ${title}: ${shownTime(created_at)} UTC, ${originOf(version)}`)));
  // As it is, `${` would stand for a variable in a workspace file.
  for (const line of yamlOf(definition).trimEnd().replaceAll('${', '$$${').split('\n')) out(printable(line));
  if (hasSecrets(definition)) note('What may be a secret is shown as [secret].');
};

const hasSecrets = (value: unknown) => JSON.stringify(value)?.includes('"[secret]"') ?? false;

const at = ({ definition }: VersionDetail, pointer: string) => resolvePointer(definition as JsonValue, pointer);

export const differencesOf = (before: VersionDetail, after: VersionDetail) => ({
  differences: differences(before.definition, after.definition).map((path) => ({
    path,
    from: at(before, path),
    to: at(after, path),
  })),
});

/** Pointers to secrets that were changed after the older and up to the newer of two versions: their values are not shown, so none differ. */
export const changedSecrets = async (
  client: Portico,
  agentId: string,
  ...two: readonly [VersionDetail, VersionDetail]
) => {
  const [older, newer] = two.map(({ version }) => version).sort((a, b) => a - b) as [number, number];
  if (older === newer || !two.every(({ definition }) => hasSecrets(definition))) return [];
  const changed = new Set<string>();
  let after: string | undefined;
  let reached = newer;
  do {
    const page: Awaited<ReturnType<typeof pageOfVersions>> = await pageOfVersions(client, agentId, {
      limit: 100,
      after,
    });
    for (const { version, changes } of page.versions) {
      if (version > older && version <= newer) for (const pointer of changes) changed.add(pointer);
      reached = version;
    }
    after = page.next ?? undefined;
  } while (after !== undefined && reached > older + 1);
  const isHidden = (pointer: string) => {
    const [one, other] = two.map((version) => at(version, pointer));
    return hasSecrets(one) && JSON.stringify(one) === JSON.stringify(other);
  };
  return [...changed].filter(isHidden).sort();
};

const styles: Readonly<Record<string, Style>> = { '+': 'green', '-': 'red' };
const ended = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** A unified diff. The end of the last line is shown only where it is what differs. */
const diffLines = ({ paint }: Terminal, from: string, to: string): readonly string[] => {
  const texts = [from, to].map(from.endsWith('\n') === to.endsWith('\n') ? ended : (text) => text) as [string, string];
  const { hunks } = structuredPatch('', '', ...texts, '', '', { context: 3 });
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    paint('cyan', `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => {
      const [shown = ''] = printableLines(line.replaceAll('\r', '\\r'));
      const style = styles[line[0] ?? ''];
      return style === undefined ? shown : paint(style, shown);
    }),
  ]);
};

const textOf = (value: unknown) => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : yamlOf(value);
};

interface Difference {
  readonly before: VersionDetail;
  readonly after: VersionDetail;
  /** What else was changed, without its values. */
  readonly secrets: readonly string[];
}

const titleOf = ({ version, live }: VersionDetail) => `version ${version}${live ? ' (live)' : ''}`;

export const showDifference = (terminal: Terminal, { name }: Agent, { before, after, secrets }: Difference) => {
  const { out, paint } = terminal;
  const from: Readonly<Record<string, unknown>> = before.definition;
  const to: Readonly<Record<string, unknown>> = after.definition;
  const fields = Object.keys({ ...from, ...to }).filter((field) => differences(from[field], to[field]).length > 0);
  if (fields.length + secrets.length === 0) {
    return out(`Nothing differs between version ${before.version} and version ${after.version} of ${printable(name)}.`);
  }
  out(paint('bold', `${printable(name)}: ${titleOf(before)} → ${titleOf(after)}`));
  for (const field of fields) {
    out();
    out(paint('bold', printable(field)));
    for (const line of diffLines(terminal, textOf(from[field]), textOf(to[field]))) out(`  ${line}`);
  }
  if (secrets.length === 0) return;
  out();
  out(paint('bold', 'secrets, which are not shown'));
  for (const pointer of secrets) out(`  ${printable(pointer)}`);
};
