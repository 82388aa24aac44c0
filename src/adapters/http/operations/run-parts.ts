import type { RunDetail } from '../../../application/ports/storage.ts';
import { exampleFile } from '../../../wire/file.ts';
import { about, wire } from '../../../wire/kit/structures.ts';
import { uuid } from '../../../wire/kit/values.ts';
import { newParts } from '../../../wire/part.ts';
import { exampleRouted, exampleRun, runDetail } from '../../../wire/run.ts';
import { etagOf } from '../conditional.ts';
import { ifMatchOf, matching } from '../if-match.ts';
import { operation, represent } from '../operation.ts';
import { requestHeaders } from '../parameters.ts';
import { getRun } from './runs.ts';

const tagOf = (run: RunDetail) => etagOf(represent(getRun, run));

export const changeParts = operation({
  id: 'changeParts',
  method: 'patch',
  path: '/runs/{id}/parts',
  resource: 'run_parts',
  tag: 'Runs',
  access: { scope: 'documents:review' },
  summary: 'Change the parts of a run',
  description:
    'Replaces what the files of a run were divided into. A part with the same name, file and pages as before keeps its document as it is. Every other part is read ' +
    'by its agent, and the documents of parts that are gone go to the trash. The status of the run stays what it is: `parts` say when the new ones are ready. ' +
    'It is 409 while the run is under way, for a run whose agent does not divide files, and (`part_processed`) if a document of a part that would change is processed.',
  params: wire({ id: about('The run.', uuid) }),
  headers: requestHeaders({ ifMatch: ifMatchOf('run') }),
  body: newParts,
  etag: {},
  example: {
    params: { id: exampleRun.id },
    body: { parts: [{ name: 'invoice', fileName: exampleFile.fileName, pages: [1, 2] }] },
  },
  success: { description: 'The run, as it is now.', data: runDetail, example: exampleRouted },
  refuses: ['not_found', 'conflict', 'part_processed', 'precondition_required', 'revision_changed'],
  handle: ({ runParts }, { caller, params, body: { parts }, headers: { ifMatch } }) =>
    runParts(caller, params.id, parts, matching(ifMatch, tagOf)),
});
