import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface FileDropProps {
  readonly multiple?: boolean;
  readonly disabled?: boolean;
  readonly add: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** Where files are chosen, or dropped. */
export const FileDrop = ({ multiple = false, disabled = false, add, children }: FileDropProps) => {
  const isOver = useSignal(false);
  const drag = (isOn: boolean) => (event: DragEvent) => {
    event.preventDefault();
    isOver.value = isOn;
    if (event.type === 'drop' && !disabled) add([...(event.dataTransfer?.files ?? [])]);
  };
  const choose = ({ currentTarget }: Event) => {
    const input = currentTarget as HTMLInputElement;
    add([...(input.files ?? [])]);
    // The same file may be chosen again.
    input.value = '';
  };
  return (
    <label
      class={isOver.value ? 'dropzone over' : 'dropzone'}
      onDrop={drag(false)}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
    >
      <input type="file" multiple={multiple} disabled={disabled} onChange={choose} />
      <span>{children}</span>
    </label>
  );
};
