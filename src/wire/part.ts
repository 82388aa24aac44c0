import * as t from 'io-ts';
import { type RunStatus, runMachine } from '../domain/run.ts';
import { box, fraction } from './box.ts';
import { about, component, list, nullable, wire, written } from './kit/structures.ts';
import { integer, oneOf, text, uuid } from './kit/values.ts';

const page = integer({ min: 1 });
const fileName = about('The way to the file, such as `mail.eml › file.pdf` for one that is attached.', t.string);
const pages = about('From 1; empty if the file has no pages.', list(page));
/** Pages of one file. */
export const filePages = { fileName, pages };

const partStatuses = ['reading', 'ready', 'error', 'ignored'] as const;

/** What became of the unit that reads a part; null: nobody reads it. */
const statusOf = (unit: RunStatus | null): (typeof partStatuses)[number] => {
  if (unit === null) return 'ignored';
  if (!runMachine.isTerminal(unit)) return 'reading';
  return unit === 'completed' ? 'ready' : 'error';
};

const part = component('RunPart', {
  index: integer({ min: 0 }),
  name: about('What it is, by the `parts` of the agent.', t.string),
  ...filePages,
  evidence: about(
    'Where it stands that it is this: the words are verbatim from the page. Empty for a part that a person made.',
    list(wire({ page: nullable(page), quote: t.string, boxes: list(box) })),
  ),
  confidence: about('How sure the model was, from 0 to 1; null for a part that a person made.', nullable(fraction)),
  documentId: about(
    'What was read of it; null while it is not begun, for a part that is ignored, for a document in the trash, and for one of an agent that you do not see.',
    nullable(uuid),
  ),
  status: about('`ready`: it was read, whatever became of its document later.', oneOf(...partStatuses)),
});

export interface ShownPart extends Omit<t.TypeOf<typeof part>, 'index' | 'status'> {
  readonly unitStatus: RunStatus | null;
}

export const parts = about(
  'What the files were divided into, if the agent divides files: every page is in exactly one part or in `unassigned`.',
  written(list(part), (all: readonly ShownPart[]) =>
    all.map((each, index) => ({ ...each, index, status: statusOf(each.unitStatus) })),
  ),
);

export const unassigned = about(
  'Pages that are in no part. Unless they are blank, or separator sheets, they are a reason for review of the run’s documents.',
  list(component('UnassignedPages', filePages)),
);

const MOST_PARTS = 10_000;

/** All parts of a run, as a person wants them. */
export const newParts = wire({
  parts: about(
    'All parts that the run has from now on. Pages that are in none of them are unassigned.',
    list(
      wire({
        name: about('One of the `parts` of the agent.', text({ min: 1, max: 100 })),
        fileName: about('As the parts of the run have it.', text({ min: 1, max: 4000 })),
        pages: about('In any order; empty for a file without pages.', list(page, { max: 100_000 })),
      }),
      { max: MOST_PARTS },
    ),
  ),
});
