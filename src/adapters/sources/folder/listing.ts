import type { JsonValue } from '../../../domain/json.ts';
import { type FoundFile, filesIn } from './files.ts';
import { add, cursorOf, GROUPS, groupOf, noSums, sumsIn } from './groups.ts';
import type { HeldFolder } from './held.ts';

/** So many files are held in memory at a time; more, if a single group has more. */
const MOST_FILES = 10_000;

/** Files that may be new. */
interface ChangedFiles {
  readonly files: readonly FoundFile[];
  /** The cursor once these of them are recorded: the others, and what comes back as it was, are looked at again. */
  cursorWith(recorded: readonly FoundFile[]): JsonValue;
}

const sumUp = async (folder: HeldFolder) => {
  const sums = noSums();
  const counts = new Uint32Array(GROUPS);
  for await (const { name, ref } of filesIn(folder, () => true)) {
    const group = groupOf(name);
    add(sums, group, ref);
    counts[group] = (counts[group] ?? 0) + 1;
  }
  return { sums, counts };
};

/** Groups whose files fit into memory together. They begin anywhere, so that files that cannot be read hide none for long. */
function* together(groups: readonly number[], counts: Uint32Array): Iterable<readonly number[]> {
  const first = Math.floor(Math.random() * groups.length);
  let some: number[] = [];
  let files = 0;
  for (const group of [...groups.slice(first), ...groups.slice(0, first)]) {
    const count = counts[group] ?? 0;
    if (some.length > 0 && files + count > MOST_FILES) {
      yield some;
      some = [];
      files = 0;
    }
    some.push(group);
    files += count;
  }
  if (some.length > 0) yield some;
}

const filesOf = async (folder: HeldFolder, groups: readonly number[]) => {
  const byGroup = new Map<number, FoundFile[]>(groups.map((group) => [group, []]));
  const isWanted = (name: Buffer) => byGroup.has(groupOf(name));
  for await (const file of filesIn(folder, isWanted)) byGroup.get(groupOf(file.name))?.push(file);
  return byGroup;
};

/**
 * What may be new since the cursor, which is a sum of each group of files: a group whose sum is the same is left out, so that files that stay
 * cost no more than their listing, and no memory.
 */
export async function* changedFiles(
  folder: HeldFolder,
  cursor: JsonValue | null,
): AsyncIterable<readonly ChangedFiles[]> {
  const seen = sumsIn(cursor);
  const { sums, counts } = await sumUp(folder);
  const changed = Array.from(sums.keys()).filter((group) => sums[group] !== seen[group]);
  for (const groups of together(changed, counts)) {
    const byGroup = await filesOf(folder, groups);
    yield Array.from(byGroup, ([group, files]) => ({
      files,
      cursorWith(recorded) {
        seen[group] = 0n;
        for (const { ref } of recorded) add(seen, group, ref);
        return cursorOf(seen);
      },
    }));
  }
}
