// The part of preact's hooks that the console uses. hooks.js is the implementation.

export interface Ref<T> {
  current: T;
}

export type SetState<S> = (next: S | ((previous: S) => S)) => void;

// biome-ignore lint/suspicious/noConfusingVoidType: an effect without a cleanup function returns nothing.
type EffectResult = (() => unknown) | undefined | void;
type Inputs = readonly unknown[];

export function useState<S>(initial: S | (() => S)): [S, SetState<S>];
export function useEffect(effect: () => EffectResult, inputs?: Inputs): void;
export function useLayoutEffect(effect: () => EffectResult, inputs?: Inputs): void;
export function useRef<T>(initial: T): Ref<T>;
export function useMemo<T>(compute: () => T, inputs: Inputs): T;
export function useCallback<F>(callback: F, inputs: Inputs): F;
export function useId(): string;
