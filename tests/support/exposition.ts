import { expect } from 'chai';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\["\\\\n])*)"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)\\})? (\\S+)$`);
const NUMBER = /^(?:[+-]?Inf|NaN|[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/;

const numberOf = (text: string): number => {
  expect(text, 'a value').to.match(NUMBER);
  return text.endsWith('Inf') ? Number(text.replace('Inf', 'Infinity')) : Number(text);
};

const sampleOf = (line: string): Sample => {
  const [, name = '', labels = ''] = SAMPLE.exec(line) ?? expect.fail(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(new RegExp(LABEL, 'g'))].map(([, key = '', value = '']) => [key, value] as const);
  expect(new Set(pairs.map(([key]) => key)).size, `labels once each in ${line}`).to.equal(pairs.length);
  return { name, labels: Object.fromEntries(pairs), value: numberOf(line.slice(line.lastIndexOf(' ') + 1)) };
};

const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

const seriesOf = ({ labels }: Sample) => {
  const { le: _, ...others } = labels;
  return JSON.stringify(Object.entries(others).sort());
};

/** Buckets only grow, the last one is +Inf, and it is the count. */
const mustBeAHistogram = (name: string, { samples }: Family) => {
  for (const series of Map.groupBy(samples, seriesOf).values()) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ''));
    expect(bounds, `${name}: the bounds`).to.deep.equal(bounds.toSorted((a, b) => a - b));
    expect(bounds.at(-1), `${name}: the last bound`).to.equal(Number.POSITIVE_INFINITY);
    const counts = buckets.map(({ value }) => value);
    expect(counts, `${name}: cumulative`).to.deep.equal(counts.toSorted((a, b) => a - b));
    expect(series.find((sample) => sample.name === `${name}_count`)?.value, `${name}: its count`).to.equal(
      counts.at(-1),
    );
  }
};

const mustBeWellFormed = (name: string, family: Family) => {
  const names = (suffixes[family.type] ?? ['']).map((suffix) => name + suffix);
  for (const sample of family.samples) expect(sample.name, `a sample of ${name}`).to.be.oneOf(names);
  const series = family.samples.map((sample) => sample.name + JSON.stringify(Object.entries(sample.labels).sort()));
  expect(new Set(series).size, `${name}: each series once`).to.equal(series.length);
  if (family.type === 'counter') expect(name, 'the name of a counter').to.match(/_total$/);
  if (family.type === 'histogram') mustBeAHistogram(name, family);
};

/** Reads the text format of Prometheus 0.0.4, and is strict about it: what it does not know is an error. */
export const readExposition = (text: string): ReadonlyMap<string, Family> => {
  expect(text.endsWith('\n'), 'the last line ends').to.equal(true);
  const families = new Map<string, { type: string; help: string; samples: Sample[] }>();
  let current = '';
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, keyword, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? [];
    if (keyword === 'HELP') {
      expect(families.has(name), `${name} stands once`).to.equal(false);
      families.set(name, { type: '', help: rest, samples: [] });
      current = name;
      continue;
    }
    const family = families.get(current) ?? expect.fail(`a line before every family: ${line}`);
    if (keyword === 'TYPE') {
      expect([name, family.type, family.samples.length], 'one type, before the samples').to.deep.equal([
        current,
        '',
        0,
      ]);
      expect(rest).to.be.oneOf(['counter', 'gauge', 'histogram', 'summary']);
      family.type = rest;
    } else family.samples.push(sampleOf(line));
  }
  for (const [name, family] of families) mustBeWellFormed(name, family);
  return families;
};

/** The value of one series; 0 where there is none. */
export const sampled = (
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number => {
  const family =
    families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, '')) ?? expect.fail(`there is no ${name}`);
  const found = family.samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
};
