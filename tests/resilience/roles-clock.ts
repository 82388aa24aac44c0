/** Imported before a program: its clock is off by so many minutes, wherever it asks for the time of day. */
const off = Number(process.env.TEST_CLOCK_OFF_MINUTES) * 60_000;
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(RealDate.now() + off);
    else super(...(given as [string]));
  }

  static override now() {
    return RealDate.now() + off;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
