import { ModelError, type Models, type ModelTraits } from '../../application/ports/models.ts';
import type { Log } from '../../application/ports/runtime.ts';
import { aiSdkStep, prepareProvider } from './ai-sdk.ts';
import { keySettings, type Provider, traitsOf } from './families.ts';
import { offlineStep, offlineTraits } from './offline/offline.ts';
import type { ProviderSettings } from './provider-errors.ts';
import { type Backoff, defaultBackoff } from './retry.ts';

export interface ModelSettings {
  readonly openai: ProviderSettings | null;
  readonly anthropic: ProviderSettings | null;
  /** For each attempt of a step. */
  readonly stepTimeoutSeconds: number;
  readonly maxAttempts: number;
  readonly backoff?: Backoff;
  readonly log: Log;
}

/** `openai/gpt-5` is the model gpt-5 of openai; null if it is no provider's. */
const parse = (model: string): { readonly provider: Provider; readonly name: string } | null => {
  const [, provider, name] = /^(openai|anthropic)\/(\S+)$/.exec(model) ?? [];
  return provider === undefined || name === undefined ? null : { provider: provider as Provider, name };
};

/** Every model that an agent may name, routed by what stands before the slash. */
export const modelProviders = (settings: ModelSettings): Models & { prepare(): Promise<void> } => {
  const limits = { ...settings, backoff: settings.backoff ?? defaultBackoff };
  const defect = (model: string): string | null => {
    if (model === 'offline') return null;
    const parsed = parse(model);
    if (parsed === null) return `There is no model "${model}": it is offline, openai/<model> or anthropic/<model>.`;
    return settings[parsed.provider] === null ? `${model} needs ${keySettings[parsed.provider]}.` : null;
  };
  return {
    defect,
    /** Loads what the configured providers need, so that no first request waits for it. */
    async prepare() {
      const providers: readonly Provider[] = ['openai', 'anthropic'];
      await Promise.all(providers.filter((provider) => settings[provider] !== null).map(prepareProvider));
    },
    traits(model): ModelTraits {
      const parsed = parse(model);
      if (model === 'offline') return offlineTraits;
      return traitsOf(parsed?.provider ?? 'openai', parsed?.name ?? '');
    },
    async step(request, signal, draft, onRetry) {
      signal?.throwIfAborted();
      if (request.model === 'offline') return offlineStep(request, signal, draft);
      const parsed = parse(request.model);
      const provider = parsed && settings[parsed.provider];
      if (!parsed || !provider)
        throw new ModelError('model_not_configured', defect(request.model) ?? `${request.model} cannot be used here.`);
      return aiSdkStep(
        { provider: parsed.provider, model: parsed.name, ...provider },
        limits,
        request,
        signal,
        draft,
        onRetry,
      );
    },
  };
};
