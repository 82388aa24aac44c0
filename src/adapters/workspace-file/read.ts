import type { WorkspaceSpec } from '../../application/workspace-spec.ts';
import { DomainError, type Fault } from '../../domain/errors.ts';
import { decode } from './codecs.ts';
import { toSpec, workspaceFile } from './schema.ts';
import { type PlacedFault, parseSource, type Source } from './source.ts';
import { MAX_FAULTS, toJson } from './values.ts';
import type { Environment } from './variables.ts';

const placed = (source: Source, faults: readonly Fault[]): readonly PlacedFault[] =>
  faults
    .slice(0, MAX_FAULTS)
    .map(source.place)
    .sort((a, b) => a.line - b.line || a.column - b.column);

const sentence = ({ line, column, path, message }: PlacedFault) =>
  `line ${line}, column ${column}: ${path === '' ? '' : `${path} `}${message}`;

const refuse = (source: Source, faults: readonly Fault[]): never => {
  const all = placed(source, faults);
  throw new DomainError('invalid', all.map(sentence).join('; '), { code: 'invalid_workspace_file', faults: all });
};

/** What the file says, `${NAME}`s replaced and defaults filled in; throws a DomainError whose faults know their line and column. */
export const readWorkspaceFile = (text: string, env: Environment): WorkspaceSpec => {
  const source = parseSource(text);
  if (source.faults.length > 0) return refuse(source, source.faults);
  if (source.root === null) return refuse(source, [{ path: '', message: 'the file is empty: it must begin with workspace: and a name' }]);
  const json = toJson(source, env);
  const decoded = decode(workspaceFile, json.value);
  const spec = 'value' in decoded ? toSpec(decoded.value) : null;
  const further = 'faults' in decoded ? decoded.faults : [];
  // What is already at fault has no value to judge.
  const faults = [...json.faults, ...further.filter(({ path }) => !json.faults.some((fault) => fault.path === path))];
  return spec === null || faults.length > 0 ? refuse(source, faults) : spec;
};

/** Adds line and column to faults that were found after the file was read, by their paths. */
export const placeFaults = (text: string, faults: readonly Fault[]): readonly PlacedFault[] => placed(parseSource(text), faults);
