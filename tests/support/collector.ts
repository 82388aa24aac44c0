import { setTimeout as sleep } from 'node:timers/promises';
import { receiver } from './receiver.ts';

type Value = {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly Value[] };
};
interface Attribute {
  readonly key: string;
  readonly value: Value;
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number; readonly message?: string };
}
interface WireTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface CollectedSpan extends Omit<WireSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

const plain = ({ stringValue, intValue, boolValue, arrayValue }: Value): unknown =>
  arrayValue ? (arrayValue.values ?? []).map(plain) : (stringValue ?? boolValue ?? Number(intValue));

const recordOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));

/** Takes OTLP over HTTP in JSON, as a collector does (OTLP 1.x, section "OTLP/HTTP"). */
export const collector = async () => {
  const { url, seen, close } = await receiver((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  });
  const spans = (): readonly CollectedSpan[] =>
    seen
      .filter((one) => one.url === '/v1/traces')
      .flatMap(({ body }) => (JSON.parse(body) as WireTraces).resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap((scope) =>
          scope.spans.map((span) => ({
            ...span,
            attributes: recordOf(span.attributes),
            resource: recordOf(resource.attributes),
          })),
        ),
      );
  /** The spans of a trace, once one of this name is among them. */
  const trace = async (traceId: string, name: string): Promise<readonly CollectedSpan[]> => {
    for (let looks = 0; looks < 400; looks++) {
      const found = spans().filter((span) => span.traceId === traceId);
      if (found.some((span) => span.name === name)) return found;
      await sleep(25);
    }
    throw new Error(
      `There is no ${name} in trace ${traceId}: ${JSON.stringify(spans().map((span) => [span.traceId, span.name]))}`,
    );
  };
  return { url, spans, trace, close, said: () => seen.map(({ url: path, body }) => path + body).join('\n') };
};
