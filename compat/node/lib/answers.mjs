// Counts the responses of the service by method and status. Node and undici publish every response that they receive.
import { subscribe } from 'node:diagnostics_channel';

export const answers = { count: {}, last: '' };

function record(method, status) {
  answers.last = `${method} ${status}`;
  answers.count[answers.last] = (answers.count[answers.last] ?? 0) + 1;
}

subscribe('undici:request:headers', ({ request, response }) => record(request.method, response.statusCode));
subscribe('http.client.response.finish', ({ request, response }) => record(request.method, response.statusCode));
