/** Returns the path of the binary: BELLHOP_BINARY, or that in the package of this platform. Throws if there is none. */
export function binaryPath(): string;
