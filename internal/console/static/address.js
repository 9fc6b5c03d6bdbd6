// The part of the address after the name of the page: what a page shows, so that an address can be shared and a reload
// keeps it. An example: #/traffic?kind=interaction&text=roll

import { useCallback, useEffect, useState } from './vendor/hooks.js';

/** @typedef {Record<string, string>} Parameters */

/** pageInAddress returns the name of the page in the address. */
export const pageInAddress = () => location.hash.replace(/^#\/?/, '').split('?')[0];

/** @returns {Parameters} */
const readParameters = () => Object.fromEntries(new URLSearchParams(location.hash.split('?')[1] ?? ''));

/**
 * useParameters returns the parameters in the address, and a function that changes some of them. An empty value removes
 * a parameter. With push, the Back button of the browser returns to the address before.
 * @returns {[Parameters, (changes: Parameters, push?: boolean) => void]}
 */
export function useParameters() {
  const [parameters, setParameters] = useState(readParameters);
  useEffect(() => {
    const onChange = () => setParameters(readParameters());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  const change = useCallback((/** @type {Parameters} */ changes, push = false) => {
    const entries = Object.entries({ ...readParameters(), ...changes }).filter(([, value]) => value !== '');
    const query = new URLSearchParams(entries).toString();
    const address = `#/${pageInAddress()}${query && `?${query}`}`;
    if (push) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    setParameters(Object.fromEntries(entries));
  }, []);
  return [parameters, change];
}
