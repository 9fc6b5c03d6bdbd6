// The part of htm that the console uses. htm.js is the implementation.
import type { Child, h } from './preact.js';

/** A template tag. TypeScript does not check the values against the props of the components in the template. */
export type Html = (strings: TemplateStringsArray, ...values: unknown[]) => Child;

declare const htm: { bind(createElement: typeof h): Html };
export default htm;
