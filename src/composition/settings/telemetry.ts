import { address, type Read, setting, text } from './setting.ts';

/** As OpenTelemetry reads it: whatever is not true is false. */
const isTrue: Read<boolean> = (raw): boolean => raw.trim().toLowerCase() === 'true';

/** Where traces go; every other OTEL_ variable is read by the OpenTelemetry SDK itself. */
export const telemetry = {
  otlpEndpoint: setting<string | null>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    address,
    null,
    'The OpenTelemetry collector that traces are sent to; the other `OTEL_` variables hold as well. Unset: no traces are made.',
  ),
  otlpTracesEndpoint: setting<string | null>(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    address,
    null,
    'The whole address that traces are sent to, where it is not `/v1/traces` of the collector.',
  ),
  tracesExporter: setting<string | null>(
    'OTEL_TRACES_EXPORTER',
    text,
    null,
    'How traces are sent: `otlp`, `console`, `zipkin`, or `none`. Unset: `otlp`, where a collector is set.',
  ),
  otelDisabled: setting<boolean>('OTEL_SDK_DISABLED', isTrue, false, 'Whether no traces are made, whatever else is set.'),
} as const;
