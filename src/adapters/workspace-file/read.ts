import type { WorkspaceReading, WorkspaceSpec } from '../../application/workspace/spec.ts';
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

/** What the file says, `${NAME}`s replaced and defaults filled in, with all that is wrong with its form. Throws a DomainError where it is no YAML. */
export const examineWorkspaceFile = (text: string, env: Environment): WorkspaceReading => {
  const source = parseSource(text);
  if (source.faults.length > 0) return refuse(source, source.faults);
  if (source.root === null) return refuse(source, [{ path: '', message: 'the file is empty: it must begin with workspace: and a name' }]);
  const json = toJson(source, env);
  const { value, faults: further, unread } = decode(workspaceFile, json.value);
  // What is already at fault has no value to judge.
  const faults = [...json.faults, ...further.filter(({ path }) => !json.faults.some((fault) => fault.path === path))];
  return { spec: toSpec(value), faults: placed(source, faults), unread: new Set([...unread, ...json.faults.map(({ path }) => path)]) };
};

/** The same of a file whose form must be right: throws a DomainError whose faults know their line and column. */
export const readWorkspaceFile = (text: string, env: Environment): WorkspaceSpec => {
  const { spec, faults } = examineWorkspaceFile(text, env);
  return faults.length > 0 ? refuse(parseSource(text), faults) : spec;
};

/** Adds line and column to faults that were found after the file was read, by their paths. */
export const placeFaults = (text: string, faults: readonly Fault[]): readonly PlacedFault[] => placed(parseSource(text), faults);
