package bots_test

// bot is a public bot or an official example.
type bot struct {
	Name     string
	Language string
	From     source
	// Start is the command that starts it in its folder, after "bellhop run --".
	Start string
	// Ready is a line of output by which the bot is known to be ready; "": it has a gateway session.
	Ready string
	// World is the world that the bot's own files expect, in YAML; "": the demo world.
	World string
	// Steps is the conversation, as the steps of a scenario file.
	Steps string
	// Missing says what is known to be missing, so that the result is a note and no failure; "": nothing.
	Missing string
}

// source says where the files of a bot come from. One of Go, NPM, Crate and Repository is set.
type source struct {
	Go         string // package of a module that go.mod names
	NPM        string // package that the lock file of examples/discordjs names
	Crate      string // NAME@VERSION of crates.io
	Repository string // OWNER/NAME on GitHub
	Commit     string // of Repository
	Folder     string // in the package or the repository, "": its root; of a crate the name of the example
	// Python and Maven list the packages that a bot from a repository imports, of PyPI and of Maven Central. npm packages are those of
	// its own package.json or, without one, of examples/discordjs.
	Python []string
	Maven  []string
}

const (
	discordgo = "github.com/bwmarrin/discordgo/examples/"
	disgo     = "github.com/disgoorg/disgo/_examples/"
	arikawa   = "github.com/diamondburned/arikawa/v3/0-examples/"

	exampleApp    = "0cb592adfe7da664118c236fb1ba2871cdeb61e1" // commits of repositories
	guide         = "a9b4d7e383a0fd0104e30f9728f24d5dc1824256"
	discordPy     = "1add8a0b40577186431cdb5f63f97affadab285b"
	pycord        = "e53d4bd8246086663d55298fa6e75bb199c71d7a"
	nextcord      = "d5c1fedbcf173f44b1068d5f077c3ccec9f9d2fa"
	disnake       = "3bad63c94a1a56ba72b18691d9d364687c48b8a6"
	hikari        = "0ac3385921aabbd21ce691821d41996e9a5a255e"
	jda           = "5410b270777ebc3872a5a6a351895af5e30f8c45"
	pythonFile    = "python3 "
	javaOf        = "java -cp \"$BOT_PACKAGES/*\" "
	goFlags       = " -token $TOKEN -guild $GUILD_ID"
	goFlagsApp    = goFlags + " -app $APPLICATION_ID"
	disgoSettings = "env disgo_token=$TOKEN disgo_guild_id=$GUILD_ID "
)

// noContent says why some examples do not answer.
const noContent = "The example lacks the intent MESSAGE_CONTENT, so it gets no text of messages in guilds. It is the same with Discord"

// guideWorld has the ids of the guide's config.json.
const guideWorld = `
  users: [{id: "1", username: ada, token: demo-ada}]
  applications: [{id: "123456789012345678", name: Guide, owner: "1", bot_token: demo-guide}]
  guilds:
    - id: "876543210987654321"
      name: Lab
      owner: "1"
      everyone: [VIEW_CHANNEL, SEND_MESSAGES, USE_APPLICATION_COMMANDS, READ_MESSAGE_HISTORY]
      channels: [{id: "11", name: general}]
      members: [{user: "1"}]
      installs: [{application: "123456789012345678", scopes: [bot, applications.commands]}]
`

func fromDiscordPy(folder string) source {
	return source{Repository: "Rapptz/discord.py", Commit: discordPy, Folder: folder, Python: []string{"discord.py==2.7.1"}}
}

var list = []bot{
	{
		Name: "discordgo pingpong", Language: "Go", From: source{Go: discordgo + "pingpong"}, Start: "./pingpong -t $TOKEN",
		Steps: `
- {as: bob, in: Lab/general, say: ping, expect: {content: Pong!}}
- {say: pong, expect: {content: Ping!}}`,
		Missing: noContent,
	},
	{
		Name: "discordgo echo", Language: "Go", From: source{Go: discordgo + "echo"}, Start: "./echo" + goFlagsApp,
		Steps: `
- {as: bob, in: Lab/general, use: "/echo message:hello author:true", expect: {content: {contains: "says: hello"}}}`,
	},
	{
		Name: "discordgo components", Language: "Go", From: source{Go: discordgo + "components"}, Start: "./components" + goFlagsApp,
		Steps: `
- {as: bob, in: Lab/general, use: /buttons, expect: {content: {contains: comfortable with buttons}, ephemeral: true}}
- {press: "Yes", expect: {content: {contains: select menus}}}
- {use: /selects single, expect: {outcome: answered}}`,
	},
	{
		Name: "discordgo autocomplete", Language: "Go", From: source{Go: discordgo + "autocomplete"}, Start: "./autocomplete" + goFlags,
		Steps: `
- {as: bob, in: Lab/general, complete: "/single-autocomplete autocomplete-option:x", expect: {choices: [Autocomplete, Autocomplete is best!, Choice 3, Choice 4, Choice 5, x]}}
- {use: "/single-autocomplete autocomplete-option:choice3", expect: {content: 'You picked "choice3" autocompletion'}}`,
	},
	{
		Name: "discordgo context_menus", Language: "Go", From: source{Go: discordgo + "context_menus"}, Start: "./context_menus" + goFlagsApp,
		Steps: `
- {as: bob, in: Lab/general, say: go maps}
- {use: google-it, on: last, expect: {content: "https://google.com/search?q=go+maps", ephemeral: true}}
- {use: rickroll-em, on: ada, expect: {content: Operation rickroll has begun}}`,
	},
	{
		Name: "discordgo modals", Language: "Go", From: source{Go: discordgo + "modals"}, Start: "./modals" + goFlagsApp + " -results 1100000000000000311",
		Steps: `
- {as: bob, in: Lab/general, use: /modals-survey, expect: {form: Modals survey}}
- {submit: {fields: {opinion: They are quite useful}}, expect: {content: {contains: Thank you}}}
- {expect: {last: {content: {contains: They are quite useful}}}}`,
	},
	{
		Name: "discordgo slash_commands", Language: "Go", From: source{Go: discordgo + "slash_commands"}, Start: "./slash_commands" + goFlags,
		Steps: `
- {as: ada, in: Lab/general, use: /basic-command, expect: {content: {contains: your first slash command}}}
- {use: /basic-command-with-files, expect: {at: {attachments.0.filename: test.txt}}}
- {use: "/options string-option:a integer-option:2 number-option:1.5 bool-option:true", expect: {content: {contains: "integer-option: 2"}}}
- {use: /subcommands subcommand-group nested-subcommand, expect: {outcome: answered}}`,
	},
	{
		Name: "discordgo threads", Language: "Go", From: source{Go: discordgo + "threads"}, Start: "./threads -token $TOKEN",
		Steps: `
- {as: bob, in: Lab/general, say: "<@1100000000000000100> ping", expect: {thread: Pong game with bob}}
- {in: Lab/Pong game with bob, expect: {last: {content: pong}}}`,
	},
	{
		Name: "discordgo auto_moderation", Language: "Go", From: source{Go: discordgo + "auto_moderation"}, Start: "./auto_moderation" + goFlags,
		Missing: "Bellhop has no rules of auto moderation", Steps: `
- {as: bob, in: Lab/general, say: a cat, expect: {content: {contains: Congratulations}}}`,
	},
	{
		Name: "discordgo stage_instance", Language: "Go", From: source{Go: discordgo + "stage_instance"},
		Start: "./stage_instance" + goFlags + " -stage 1100000000000000314", Ready: "successfully created",
		Missing: "Bellhop has no stage instances", Steps: `
- {as: bob, in: Lab/general, say: hello}`,
	},
	{
		Name: "disgo ping_pong", Language: "Go", From: source{Go: disgo + "ping_pong"}, Start: disgoSettings + "./ping_pong",
		Steps: `
- {as: bob, in: Lab/general, say: ping, expect: {content: pong}}`,
	},
	{
		Name: "disgo components", Language: "Go", From: source{Go: disgo + "components"}, Start: disgoSettings + "./components",
		Steps: `
- {as: bob, in: Lab/general, say: test}
- {press: danger, expect: {content: Ey that was danger, ephemeral: true}}`,
		Missing: noContent,
	},
	{
		Name: "disgo handler", Language: "Go", From: source{Go: disgo + "handler"}, Start: disgoSettings + "./handler",
		Steps: `
- {as: bob, in: Lab/general, use: /ping, expect: {content: pong}}
- {press: button1, expect: {content: "component: testData"}}
- {use: /test idk sub, expect: {content: "group: idk"}}`,
	},
	{
		Name: "disgo modals", Language: "Go", From: source{Go: disgo + "modals"}, Start: disgoSettings + "./modals",
		Steps: `
- {as: bob, in: Lab/general, use: /modal, expect: {form: Modal Title}}
- {submit: {fields: {short-text-input: one, paragraph-text-input: two}}, expect: {content: {contains: "short-text-input: one"}}}`,
	},
	{
		Name: "disgo message_collector", Language: "Go", From: source{Go: disgo + "message_collector"}, Start: disgoSettings + "./message_collector",
		Steps: `
- {as: bob, in: Lab/general, say: start}
- {say: one}
- {say: two}
- {say: three, expect: {content: {contains: "3. three"}}}`,
		Missing: "The example begins to collect after the event, so it can miss a quick message. It is the same with Discord",
	},
	{
		Name: "disgo componentsv2", Language: "Go", From: source{Go: disgo + "componentsv2"}, Start: disgoSettings + "./componentsv2",
		Steps: `
- {as: bob, in: Lab/general, use: "/test ephemeral:false", expect: {at: {components.0.type: 17, components.0.components.0.type: 9}}}`,
	},
	{
		Name: "arikawa commands", Language: "Go", From: source{Go: arikawa + "commands"}, Start: "./commands",
		Steps: `
- {as: bob, in: Lab/general, use: /ping, expect: {content: Pong!}}
- {use: "/echo argument:hello", expect: {content: hello}}`,
	},
	{
		Name: "arikawa buttons", Language: "Go", From: source{Go: arikawa + "buttons"}, Start: "./buttons",
		Steps: `
- {as: bob, in: Lab/general, use: /buttons, expect: {content: This is a message with a button!}}
- {press: Danger, expect: {update: true, content: "Custom ID: danger_button"}}`,
	},
	{
		Name: "arikawa autocomplete", Language: "Go", From: source{Go: arikawa + "autocomplete"}, Start: "./autocomplete",
		Steps: `
- {as: bob, in: Lab/general, complete: "/ping text:ch", expect: {choices: [Choice A, Choice B, Choice C]}}
- {use: "/ping text:hi", expect: {content: "Pong: hi!"}}`,
	},
	{
		Name: "create-discord-bot template", Language: "JavaScript", From: source{NPM: "create-discord-bot", Folder: "template/JavaScript"},
		Start: "node src/util/deploy.js && node src/index.js",
		Steps: `
- {as: bob, in: Lab/general, use: /ping, expect: {content: Pong!}}`,
	},
	{
		Name: "discord-example-app", Language: "JavaScript", From: source{Repository: "discord/discord-example-app", Commit: exampleApp},
		Start: "npm run register && PORT=38741 npm start", Ready: "Listening on port",
		Steps: `
- {call: {by: bot, method: PATCH, path: /applications/@me, body: {interactions_endpoint_url: "http://127.0.0.1:38741/interactions"}}}
- {as: bob, in: Lab/general, use: /test, expect: {at: {components.0.content: {contains: hello world}}}}`,
	},
	{
		Name: "discord.js guide, command deployment", Language: "JavaScript",
		From:  source{Repository: "discordjs/guide", Commit: guide, Folder: "code-samples/creating-your-bot/command-deployment"},
		Start: "node deploy-commands.js && node index.js", World: guideWorld,
		Steps: `
- {as: ada, in: Lab/general, use: /ping, expect: {content: Pong!}}
- {use: /server, expect: {content: {contains: This server is Lab and has}}}
- {use: /user, expect: {content: {contains: This command was run by ada}}}`,
	},
	{
		Name: "discord.py basic_bot", Language: "Python", From: fromDiscordPy("examples"), Start: pythonFile + "basic_bot.py",
		Steps: `
- {as: bob, in: Lab/general, say: "?add 2 3", expect: {content: "5"}}
- {say: "?joined ada", expect: {content: {contains: ada joined}}}
- {say: "?cool bot", expect: {content: "Yes, the bot is cool."}}`,
	},
	{
		Name: "discord.py reply", Language: "Python", From: fromDiscordPy("examples"), Start: pythonFile + "reply.py",
		Steps: `
- {as: bob, in: Lab/general, say: "!hello", expect: {content: Hello!, at: {type: 19}}}`,
	},
	{
		Name: "discord.py edits", Language: "Python", From: fromDiscordPy("examples"), Start: pythonFile + "edits.py",
		Steps: `
- {as: bob, in: Lab/general, say: before}
- {edit: after, expect: {content: {contains: "before -> after"}}}`,
	},
	{
		Name: "discord.py guessing_game", Language: "Python", From: fromDiscordPy("examples"), Start: pythonFile + "guessing_game.py",
		Steps: `
- {as: bob, in: Lab/general, say: "$guess", expect: {content: Guess a number between 1 and 10.}}
- {say: "11", expect: {content: {contains: It is actually}}}`,
	},
	{
		Name: "discord.py views/counter", Language: "Python", From: fromDiscordPy("examples/views"), Start: pythonFile + "counter.py",
		Steps: `
- {as: bob, in: Lab/general, say: "$counter", expect: {content: Press!}}
- {press: "0", expect: {update: true, at: {components.0.components.0.label: "1"}}}`,
	},
	{
		Name: "discord.py reaction_roles", Language: "Python", From: fromDiscordPy("examples"), Start: pythonFile + "reaction_roles.py",
		Steps: `
- {as: bob, in: Lab/general, say: hello}
- {react: 🔴}`,
	},
	{
		Name: "Pycord basic_bot", Language: "Python", Start: pythonFile + "basic_bot.py",
		From: source{Repository: "Pycord-Development/pycord", Commit: pycord, Folder: "examples", Python: []string{"py-cord==2.8.1"}},
		Steps: `
- {as: bob, in: Lab/general, say: "!add 2 3", expect: {content: "5"}}`,
	},
	{
		Name: "nextcord reply", Language: "Python", Start: pythonFile + "reply.py",
		From: source{Repository: "nextcord/nextcord", Commit: nextcord, Folder: "examples", Python: []string{"nextcord==2.6.0"}},
		Steps: `
- {as: bob, in: Lab/general, say: "$hello", expect: {content: Hello!}}`,
	},
	{
		Name: "disnake modal", Language: "Python", Start: pythonFile + "modal.py",
		From: source{Repository: "DisnakeDev/disnake", Commit: disnake, Folder: "examples/interactions", Python: []string{"disnake==2.12.2"}},
		Steps: `
- {as: bob, in: Lab/general, use: /create_tag, expect: {form: Create Tag}}
- {submit: {fields: {name: first tag, content: text}}, expect: {at: {embeds.0.title: "Tag created: ` + "`first tag`" + `"}}}`,
	},
	{
		Name: "hikari hello_world", Language: "Python", Start: pythonFile + "hello_world.py",
		From: source{Repository: "hikari-py/hikari", Commit: hikari, Folder: "examples", Python: []string{"hikari==2.7.0"}},
		Steps: `
- {as: bob, in: Lab/general, say: "!ping", expect: {content: {contains: Pong!}}}`,
		Missing: noContent,
	},
	{
		Name: "JDA SlashBotExample", Language: "Java", Start: javaOf + "SlashBotExample.java",
		From: source{Repository: "discord-jda/JDA", Commit: jda, Folder: "src/examples/java", Maven: []string{"net.dv8tion:JDA:6.5.0"}},
		Steps: `
- {as: ada, in: Lab/general, use: "/say content:hello", expect: {content: hello}}
- {use: "/prune amount:2", expect: {content: {contains: This will delete 2 messages}}}`,
	},
	{
		Name: "poise basic_structure", Language: "Rust", From: source{Crate: "poise@0.6.2", Folder: "basic_structure"}, Start: "./basic_structure",
		Steps: `
- {as: bob, in: Lab/general, say: "~vote pizza", expect: {content: {contains: Successfully voted for pizza}}}`,
		Missing: "Its TLS library has its own list of certificates and does not read SSL_CERT_FILE",
	},
}
