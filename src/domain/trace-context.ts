/** Where a trace comes from (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero: the span that the sender is in. */
  readonly parentId: string;
  readonly sampled: boolean;
}

/** As it is sent on. */
export const traceparentOf = ({ traceId, parentId, sampled }: TraceContext): string =>
  `00-${traceId}-${parentId}-0${sampled ? 1 : 0}`;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** The content of a `traceparent`; one that is not valid counts as none (Trace Context section 3.2). */
export const traceContextOf = (traceparent: unknown): TraceContext | null => {
  const [, version, traceId, parentId, flags, rest] =
    (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  if (version === undefined || traceId === undefined || parentId === undefined || flags === undefined) return null;
  const known = version !== 'ff' && (version !== '00' || rest === undefined);
  if (!known || ZEROS.test(traceId) || ZEROS.test(parentId)) return null;
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
};
