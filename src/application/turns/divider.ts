import { storable } from '../../domain/text.ts';
import { type DividedFiles, divideFiles } from './division.ts';
import { type DivisionAsked, type DivisionServices, divisionQuestions } from './division-questions.ts';
import type { FileReader } from './file-reader.ts';
import { NO_USAGE, newMessage } from './journal.ts';

interface Dependencies extends DivisionServices {
  readonly files: FileReader;
}

/** Reads files and divides them. Rejects with UnitFailure, or with the signal's reason. */
export const divider =
  (dependencies: Dependencies) =>
  async (task: DivisionAsked, signal: AbortSignal): Promise<DividedFiles> => {
    const { models, files } = dependencies;
    const { agent, history, authorId, journal, keeper, userProvenance: provenance } = task;
    const attachments = task.files.map(({ attachment }) => attachment);
    const traits = models.traits(agent.model);
    const sharer = { userId: authorId, workspaceId: agent.workspaceId };
    const opening = { role: 'user', content: storable(task.userMessage), attachments, authorId, provenance } as const;
    const begin = () => (history.length > 0 ? null : journal.append([newMessage(dependencies, opening)], NO_USAGE));
    const read = await files.read({ sharer, attachments, traits, journal, keeper }, signal).finally(begin);
    files.mustBeReadable(read);
    const all = task.files.flatMap(({ name, fileIndex }, index) => {
      const file = read[index];
      return file === undefined ? [] : [{ name, fileIndex, read: file }];
    });
    const questions = divisionQuestions(dependencies, task, signal);
    return divideFiles(all, { agent, traits, ...questions, signal });
  };

export type Divider = ReturnType<typeof divider>;
