// The part of preact that the console uses. preact.js is the implementation.

/** A node of the virtual DOM. The console creates nodes and passes them on; it never reads them. */
export interface VNode {
  readonly type: unknown;
}

/** Everything that a component can return and that a template can contain. */
export type Child = VNode | string | number | boolean | null | undefined | Child[];

/** A component: a function from props to nodes. */
export type Component<Props> = (props: Props) => Child;

export function h(type: unknown, props: object | null, ...children: unknown[]): VNode;
export function render(child: Child, parent: Element): void;
