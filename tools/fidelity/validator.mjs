import { Ajv } from 'ajv';
import { createGenerator } from 'ts-json-schema-generator';
import { required } from './required.mjs';

const interfaces = ['Answers', 'Failures', 'Events', 'Frames', 'Deliveries'];

/** Validates values against the interfaces of a TypeScript file. */
export class Validator {
  /** @type {WeakMap<object, import("ajv").ValidateFunction>} */
  #compiled = new WeakMap();
  #ajv = new Ajv({ allErrors: true, verbose: true, strict: false });
  #definitions;

  /** @param {string} file a TypeScript file that exports the interfaces */
  constructor(file) {
    const generator = createGenerator({
      path: file,
      skipTypeCheck: true,
      additionalProperties: false,
      expose: 'all',
      jsDoc: 'none',
    });
    const definitions = {};
    for (const name of interfaces) {
      Object.assign(definitions, generator.createSchema(name).definitions);
    }
    // Parts of the schema are compiled on their own: their references name the whole.
    const text = JSON.stringify({ definitions }).replaceAll('"#/definitions/', '"types#/definitions/');
    const schema = JSON.parse(text);
    this.#definitions = schema.definitions;
    for (const name of Object.keys(this.#definitions)) {
      if (name.endsWith('Flags')) {
        this.#definitions[name] = { type: 'integer' }; // the typings list single bits
      }
    }
    this.#require();
    this.#ajv.addSchema(schema, 'types');
  }

  /** Makes the members of required.mjs required. Type arguments are no part of the names there. */
  #require() {
    for (const [name, schema] of Object.entries(this.#definitions)) {
      for (const member of required[name.replace(/<.*/, '')] ?? []) {
        if (schema.properties) {
          schema.properties[member] ??= {};
          schema.required = [...(schema.required ?? []), member];
        }
      }
    }
  }

  /** Reports whether a type requires a member. @param {string} type @param {string} member */
  requires(type, member) {
    return Boolean(this.#definitions[type]?.required?.includes(member));
  }

  /**
   * Returns the deviations of a value from the type of a member, each as "path: what is wrong". Returns undefined if
   * the interface has no such member.
   */
  validate(name, member, value) {
    const schema = this.#definitions[name].properties[member];
    return schema && [...new Set(this.#errors(schema, value).map((e) => `${e.path || '/'}: ${e.text}`))];
  }

  /** Returns the errors of a value. Of a union it reports those of the alternative that fits best. */
  #errors(schema, value) {
    let validate = this.#compiled.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(schema);
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) {
      return [];
    }
    const all = validate.errors ?? [];
    const unions = all.filter((e) => e.keyword === 'anyOf');
    // Ajv reports a union after its alternatives.
    const outermost = unions.filter((e, i) => !unions.some((o, j) => i < j && within(e, o)));
    const direct = all.filter((e) => e.keyword !== 'anyOf' && !outermost.some((o) => within(e, o)));
    return [
      ...direct.map((e) => ({ path: shown(e.instancePath), text: text(e), weight: weight(e) })),
      ...outermost.flatMap((o) =>
        this.#best(o.schema, o.data).map((e) => ({ ...e, path: shown(o.instancePath) + e.path })),
      ),
    ];
  }

  /** Returns the errors of the alternative with the smallest weight. */
  #best(alternatives, value) {
    const sum = (list) => list.reduce((n, e) => n + e.weight, 0);
    const results = alternatives.map((schema) => this.#errors(schema, value));
    return results.reduce((a, b) => (sum(b) < sum(a) ? b : a));
  }
}

/** Reports whether an error is about a part of the value that a union is about. */
function within(error, union) {
  return error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
}

/** Returns a path with * for list indexes and ids. */
function shown(path) {
  return path.replace(/\/\d+/g, '/*');
}

/** A wrong constant or enumerated value tells that the alternative of a union is not the right one. */
function weight(error) {
  return error.keyword === 'const' || error.keyword === 'enum' || error.keyword === 'not' ? 100 : 1;
}

function text(error) {
  switch (error.keyword) {
    case 'required':
      return `lacks ${error.params.missingProperty}`;
    case 'additionalProperties':
      return `has ${error.params.additionalProperty}, which the typings lack`;
    case 'type':
      return `is ${error.data === null ? 'null' : typeof error.data}, want ${error.params.type}`;
    case 'const':
      return `is ${JSON.stringify(error.data)}, want ${JSON.stringify(error.params.allowedValue)}`;
    case 'enum':
      return `is ${JSON.stringify(error.data)}, which the typings do not list`;
    default:
      return error.message;
  }
}
