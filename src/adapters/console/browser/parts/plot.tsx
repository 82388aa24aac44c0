import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

export interface Series {
  readonly name: string;
  /** One for each day. */
  readonly values: readonly number[];
}

interface PlotProps {
  /** What is shown, for those who hear it: the table beside it has the figures. */
  readonly label: string;
  /** Seconds since 1970. */
  readonly days: readonly number[];
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
  /** Whether it shows counts: then the scale has whole numbers alone. */
  readonly isCount: boolean;
}

const HEIGHT = 260;
const MARK_MARGIN = 20;
const CHARACTER = 7.5;
/** Half of the last day's name stands right of its mark. */
const RIGHT = 28;
const DAY_SECONDS = 86_400;
/** Marks stand at the beginning of days. */
const INCREMENTS = [1, 2, 7, 14, 30, 60, 90].map((days) => days * DAY_SECONDS);
/** 1, 2, 5, 10, 20, 50, … */
const COUNTS = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayText = (seconds: number): string => dayFormat.format(seconds * 1000);
const colours = ['--act', '--good', '--warn', '--info', '--bad', '--soft'];

const lineOf = (of: (name: string) => string) => (series: Series, index: number) => {
  const stroke = of(colours[index % colours.length] ?? '--act');
  return { label: series.name, stroke, width: 2, points: { show: series.values.length < 40, size: 5, fill: stroke } };
};

/** Room for the longest of the marks; there are none before the first look. */
const widthOf = (_: uPlot, marks: readonly string[] | null) =>
  MARK_MARGIN + CHARACTER * Math.max(0, ...(marks ?? []).map((mark) => mark.length));

/** Draws it in the colours that the page has now. */
const draw = (at: HTMLElement, { days, series, text, isCount }: Omit<PlotProps, 'label'>): uPlot => {
  const style = getComputedStyle(at);
  const of = (name: string) => style.getPropertyValue(name);
  const lines = { stroke: of('--line'), width: 1 };
  const axis = { stroke: of('--soft'), grid: lines, ticks: lines };
  const shown = (_: uPlot, value: number | null) => (value === null ? '–' : text(value));
  return new uPlot(
    {
      width: at.clientWidth,
      height: HEIGHT,
      padding: [null, RIGHT, null, null],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.05 : 1] } },
      axes: [
        { ...axis, incrs: INCREMENTS, values: (_, at) => at.map(dayText) },
        { ...axis, size: widthOf, values: (_, values) => values.map(text), ...(isCount && { incrs: COUNTS }) },
      ],
      series: [
        { label: 'Day', value: (_, day) => (day === null ? '–' : dayText(day)) },
        ...series.map(lineOf(of)).map((line) => ({ ...line, value: shown })),
      ],
    },
    [[...days], ...series.map(({ values }) => [...values])],
    at,
  );
};

/** Lines by day. */
export const Plot = ({ label, ...of }: PlotProps) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = place.current;
    if (at === null) return;
    let plot = draw(at, of);
    const watcher = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height: HEIGHT }));
    watcher.observe(at);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      plot.destroy();
      plot = draw(at, of);
    };
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      watcher.disconnect();
      plot.destroy();
    };
  }, [of.days, of.series, of.text, of.isCount]);
  return <div class="plot" ref={place} role="img" aria-label={label}></div>;
};
