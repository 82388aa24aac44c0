import { isDay } from '../domain/text.ts';
import { type UsageGroup, type UsageReport, usageGroups } from '../domain/usage.ts';
import { exampleId } from './example.ts';
import { about, component, list, nullable, optional, wire } from './kit/structures.ts';
import { integer, scalar, text, uuid } from './kit/values.ts';
import { decimal } from './run.ts';

const count = integer({ min: 0 });
const pattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** A day of UTC, such as `2026-11-27`. */
export const day = scalar<string>({
  expected: 'a day such as 2026-11-27',
  read: (value) => (typeof value === 'string' && pattern.test(value) && isDay(value) ? value : undefined),
  schema: { type: 'string', format: 'date', pattern: pattern.source },
});

const MOST_GROUPS = 3;

/** Words that are separated by commas, each once. */
export const groupBy = scalar<readonly UsageGroup[]>({
  expected: `at most ${MOST_GROUPS} of ${usageGroups.join(', ')}, separated by commas`,
  read: (value) => {
    const words = typeof value === 'string' ? value.split(',') : [];
    const groups = words.flatMap((word) => usageGroups.filter((group) => group === word));
    const isSound = groups.length === words.length && new Set(groups).size === words.length;
    return words.length > 0 && words.length <= MOST_GROUPS && isSound ? groups : undefined;
  },
  write: (groups) => groups.join(','),
  schema: {
    type: 'string',
    pattern: `^(?:${usageGroups.join('|')})(?:,(?:${usageGroups.join('|')})){0,${MOST_GROUPS - 1}}$`,
  },
});

export const named = wire({ id: uuid, name: text({ max: 1000 }) });

const figures = {
  runs: about('Runs that were begun.', count),
  documents: about('Documents that were read.', count),
  pages: about('Pages that these have and that were read; texts without pages have none.', count),
  pagesOcr: about('Of these, what OCR has read.', count),
  inputTokens: count,
  outputTokens: count,
  cost: about('By the prices of the time, with every digit; null where nothing had a price.', nullable(decimal)),
};

const usageRow = component('UsageRow', {
  day: optional(day),
  agent: optional(named),
  agentVersion: optional(integer({ min: 1 })),
  model: optional(text({ max: 200 })),
  user: optional(named),
  ...figures,
});

export const currency = about('null where the workspace file has no `prices`.', nullable(text({ min: 3, max: 3 })));

export const usageReport = wire({
  rows: about('One for each group that has any use, ordered by what it is grouped by.', list(usageRow)),
  total: about('All rows together.', component('UsageFigures', figures)),
  currency,
});

const exampleFigures = {
  runs: 12,
  documents: 14,
  pages: 31,
  pagesOcr: 6,
  inputTokens: 30_118,
  outputTokens: 2_640,
  cost: '0.1077475',
};

export const exampleUsage: UsageReport = {
  rows: [{ day: '2026-11-27', agent: { id: exampleId(2), name: 'Invoice reader' }, ...exampleFigures }],
  total: exampleFigures,
  currency: 'EUR',
};
