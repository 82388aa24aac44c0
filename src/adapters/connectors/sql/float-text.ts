const MOST_DIGITS_OF_SINGLE = 9;

/** All digits that distinguish a double from every other; JavaScript's own text, but for the sign of zero. */
export const float64Text = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** The fewest digits that distinguish a single-precision number from every other: `0.1`, not 0.10000000149011612. */
export const float32Text = (value: number): string => {
  for (let digits = 6; digits < MOST_DIGITS_OF_SINGLE; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return float64Text(shorter);
  }
  return float64Text(Number(value.toPrecision(MOST_DIGITS_OF_SINGLE)));
};
