// Every word that the console says. A translation is another file of this shape.
export const t = {
  // pages
  pages: 'Pages', play: 'Play', apps: 'Apps', permissions: 'Permissions', lobbies: 'Lobbies', traffic: 'Traffic', world: 'World',
  themes: {'': '◐ System', dark: '● Dark', light: '○ Light'},

  // words used everywhere
  loading: 'Loading…', close: 'Close', cancel: 'Cancel', save: 'Save', add: 'Add', edit: 'Edit', delete: 'Delete', remove: 'Remove', replace: 'Replace', apply: 'Apply', clear: 'Clear',
  send: 'Send', submit: 'Submit', dismiss: 'Dismiss', copy: 'Copy', copied: 'Copied', copyId: 'Copy id', choose: 'Choose…', optional: '(optional)', required: 'This is required.',
  suggestions: 'Suggestions', yes: 'True', no: 'False', name: 'Name', value: 'Value', type: 'Type', kind: 'Kind', description: 'Description', more: 'More',
  editNamed: (name) => `Edit ${name}`, deleteNamed: (name) => `Delete ${name}`, removeNamed: (name) => `Remove ${name}`,
  failed: (status) => `The service answered ${status}.`,

  // signing in
  signIn: 'Sign in', signOut: 'Sign out', signInWith: 'Sign in with your account', signInFirst: 'Sign in first.', operatorToken: 'Operator’s token',
  operatorHint: 'Printed once by “bellhop serve”; “bellhop token admin” makes a new one.',

  // play
  youAre: 'You are', language: 'Language', channels: 'Channels', directs: 'Direct messages', people: 'People', chat: 'Chat', messages: 'Messages', commands: 'Commands', app: 'APP',
  states: {connecting: 'Connecting…', ready: 'Connected', away: 'Reconnecting…', refused: 'Refused', closed: ''},
  noPeople: 'The world has no people yet. Add one on the World page.', nothingYet: 'Nothing here yet. Type / to use a command.',
  typeSlash: 'Type / to use a command', onlySlash: 'Commands begin with a slash.', noCommand: 'No command fits that you may use here.',
  thinking: (name) => `${name} is thinking…`, onlyYou: 'Only you can see this.', edited: '(edited)', used: 'used', answeredTo: 'used a component',
  sending: 'is on its way…', didNotAnswer: 'failed', nothingFits: 'Nothing fits.', noSuggestions: 'The app gave no suggestions in time.',
  valuesOf: (name) => `Values of ${name}`, removeOption: (name) => `Leave out ${name}`,
  messageMenu: (name) => `Apps for this message of ${name}`, personMenu: (name) => `Apps for ${name}`, talkTo: (name) => `Message ${name}`,
  appsFor: (name) => `Apps for ${name}`, noMenu: 'No command of an app can be used here.', launcher: 'Activities', noActivities: 'No app here has an activity.',
  picture: 'Picture', file: 'File', premium: 'Premium', unknownComponent: (type) => `A component of type ${type} cannot be shown.`,
  modalWarning: (name) => `This form goes to ${name || 'the app'}. Do not give it passwords.`,
  reasons: {
    1: 'something went wrong with the app’s answer.', 2: 'the app did not answer in time.', 3: 'the app cannot be launched.', 4: 'the channel is unknown.', 5: 'the guild is unknown.',
    8: 'activities do not work in this kind of channel.', 11: 'you are too young for it.', 13: 'you may not launch activities here.', 14: 'the app has no activity.', 17: 'the launch failed.', 18: 'you have no access.',
  },

  // options
  notANumber: 'Not a number.', notAnInteger: 'Not a whole number.', notAChoice: 'Not one of the choices.', trueOrFalse: 'True or False.', pickOne: 'Pick one from the list.',
  atLeast: (n) => `At least ${n}.`, atMost: (n) => `At most ${n}.`, atLeastLong: (n) => `At least ${n} characters.`, atMostLong: (n) => `At most ${n} characters.`,

  // apps
  application: 'Application', noApps: 'The world has no application yet. Add one on the World page.', installs: 'Installs', secrets: 'Tokens', endpoint: 'Endpoint', scope: 'Scope', global: 'Global',
  newCommand: 'New command', importFile: 'Import a file…', dropHere: 'Or drop a JSON file with a list of commands here: you see the difference before anything changes.',
  noCommands: 'No commands yet.', quota: (used, max) => `${used} of ${max} creates used today`, valid: 'Valid', faults: (n) => (n === 1 ? 'One fault' : `${n} faults`),
  replaceWith: (name) => `Replace all commands with ${name}`, noChanges: 'Nothing would change.', actions: {create: '+ create', change: '~ change', delete: '− delete', keep: 'keep'},
  choice: 'choice', choices: 'Choices', option: 'option', minLength: 'Shortest', maxLength: 'Longest', minValue: 'Least', maxValue: 'Most', requiredField: 'Required', autocomplete: 'Suggestions from the app',
  defaultPermissions: 'Default permissions (bits)', nsfw: 'Age-restricted',
  uninstall: 'Remove', installIn: (name) => `Install in ${name}`, botToken: 'Bot token', clientSecret: 'Client secret', replaceHint: 'Replacing it stops the old one from working.', shownOnce: 'It is shown once. Keep it now.',
  endpointHint: 'Empty: interactions travel by the gateway. A new address is taken once it has answered a PING and refused one with a wrong signature.',
  shaking: 'Asking the endpoint…', handshake: 'The endpoint answered a PING and refused a forged one.', byGateway: 'Interactions travel by the gateway.', publicKey: 'Public key',

  // permissions
  guild: 'Guild', editAs: 'Edit as', allChannels: 'All channels', allowed: 'Allowed', denied: 'Denied', who: 'Who', kinds: {role: 'Role', user: 'User', channel: 'Channel'},
  entries: (n) => (n === 0 ? 'no overwrites' : n === 1 ? 'one overwrite' : `${n} overwrites`), allCommands: (name) => `All commands of ${name}`,
  why: 'Who may use it, and why', person: 'Person', channel: 'Channel', command: 'Command', decide: 'Decide', missing: 'Missing permissions',

  // lobbies
  newLobby: 'New lobby', editLobby: 'Edit the lobby', noLobbies: 'No lobbies.', metadata: 'Metadata', metadataHint: 'One key=value a line.', idleTimeout: 'Seconds until an idle lobby shuts down', members: 'Members',
  connected: 'connected', linked: 'linked with a channel', notDue: 'stays', endsIn: (time) => `ends in ${time}`,

  // traffic
  pause: 'Pause', resume: 'Go on', filter: 'Filter', filterHint: 'Path, application, status or text', kindsOfTraffic: {'': 'Everything', request: 'Requests', delivery: 'Deliveries', frame: 'Gateway frames'},
  noTraffic: 'Nothing has happened yet.', replay: 'Replay', asCurl: 'Copy as curl', request: 'Request', response: 'Answer', headers: 'Headers', body: 'Body', time: 'Time', status: 'Status', what: 'What', took: 'Took',
  signature: 'Signature', signatureSteps: {timestamp: 'The timestamp of the header', body: 'and the body, byte by byte, are joined', key: 'and checked against the public key of the application', good: 'The signature fits.', bad: 'The signature does not fit.', unable: 'This browser cannot check Ed25519 signatures.'},
  limits: 'Rate limits', bucket: 'Bucket', limit: 'Limit', remaining: 'Remaining', resets: 'Resets after', noLimits: 'No answer with rate-limit headers yet.', replayed: (status) => `Answered ${status}.`, details: 'Details',

  // world
  clock: 'Clock', advance: 'Move by', advanceHint: 'Such as 90s, 15m or 24h', move: 'Move', worldFile: 'World file', worldHint: 'YAML. What it does not name stays as it is.', reset: 'Back to the start', applied: 'Applied.',
  faultsTitle: 'Faults', faultKinds: {delay: 'Slow', status: 'Status', rate_limit: 'Rate limit', drop: 'Dropped connection', disconnect: 'Gateway disconnect'}, route: 'Route', routeHint: 'Such as /lobbies/{lobby_id}, or /applications/*; empty: all', count: 'How often',
};
