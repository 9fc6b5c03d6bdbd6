// What the service answered, seen from below the libraries: Node and undici publish every answer they receive.
import { subscribe } from 'node:diagnostics_channel';

export const answers = { count: {}, last: '' };

function note(method, status) {
  answers.last = `${method} ${status}`;
  answers.count[answers.last] = (answers.count[answers.last] ?? 0) + 1;
}

subscribe('undici:request:headers', ({ request, response }) => note(request.method, response.statusCode));
subscribe('http.client.response.finish', ({ request, response }) => note(request.method, response.statusCode));
