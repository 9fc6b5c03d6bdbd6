'use strict';

/**
 * Returns the path of the binary: BELLHOP_BINARY, or the binary in the package of this platform.
 * @returns {string}
 */
function binaryPath() {
  if (process.env.BELLHOP_BINARY) return process.env.BELLHOP_BINARY;
  const platform = `${process.platform}-${process.arch}`;
  const file = process.platform === 'win32' ? 'bellhop.exe' : 'bellhop';
  try {
    return require.resolve(`@bellhop/${platform}/bin/${file}`);
  } catch {
    throw new Error(
      `there is no binary of Bellhop for ${platform}: install @bellhop/${platform}, ` +
        'or set BELLHOP_BINARY to the path of a binary',
    );
  }
}

module.exports = { binaryPath };
