import { DomainError, type ValidationError } from '../../domain/errors.ts';
import type { WorkspaceReading, WorkspaceSpec } from '../../domain/workspace-spec.ts';
import { decode } from './codecs.ts';
import { workspaceFile } from './schema.ts';
import { type PlacedError, parseSource, type Source } from './source.ts';
import { type Environment, MAX_ERRORS, toJson } from './values.ts';

const placed = (source: Source, errors: readonly ValidationError[]): readonly PlacedError[] =>
  errors
    .slice(0, MAX_ERRORS)
    .map(source.place)
    .sort((a, b) => a.line - b.line || a.column - b.column);

const sentence = ({ line, column, path, message }: PlacedError) =>
  `line ${line}, column ${column}: ${path === '' ? '' : `${path} `}${message}`;

const refuse = (source: Source, errors: readonly ValidationError[]): never => {
  const all = placed(source, errors);
  throw new DomainError('invalid', all.map(sentence).join('; '), { code: 'invalid_workspace_file', errors: all });
};

/** The content of the file, `${NAME}`s replaced and defaults filled in, with every error in its form. Throws a DomainError if it is not YAML. */
export const examineWorkspaceFile = (text: string, env: Environment): WorkspaceReading => {
  const source = parseSource(text);
  if (source.errors.length > 0) return refuse(source, source.errors);
  if (source.root === null)
    return refuse(source, [{ path: '', message: 'the file is empty: it must begin with workspace: and a name' }]);
  const json = toJson(source, env);
  const { value, errors: further, unread } = decode(workspaceFile, json.value);
  // A value that could not be read is not judged a second time.
  const errors = [...json.errors, ...further.filter(({ path }) => !json.errors.some((error) => error.path === path))];
  return {
    spec: value,
    errors: placed(source, errors),
    unread: new Set([...unread, ...json.errors.map(({ path }) => path)]),
  };
};

/** The same, but any error is thrown: a DomainError whose errors have a line and a column. */
export const readWorkspaceFile = (text: string, env: Environment): WorkspaceSpec => {
  const { spec, errors } = examineWorkspaceFile(text, env);
  return errors.length > 0 ? refuse(parseSource(text), errors) : spec;
};

/** Adds line and column to errors that were found after the file was read, by their paths. */
export const placeErrors = (text: string, errors: readonly ValidationError[]): readonly PlacedError[] =>
  placed(parseSource(text), errors);
