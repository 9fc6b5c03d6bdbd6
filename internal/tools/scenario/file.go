package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
)

// File is a scenario file. The tags describe its keys: the reader and the JSON Schema are made from them.
type File struct {
	World     WorldSource `json:"world" help:"The world of each scenario: the name of a world file, or a world. Default: the demo world."`
	App       *App        `json:"app" help:"The app that the scenarios test. Without it no app runs."`
	Timeout   Duration    `json:"timeout" help:"How long a step waits for what it expects, in real time. Default: 5s."`
	Limits    bool        `json:"limits" help:"Whether the rate limits of production apply. Default: false."`
	Scenarios []Scenario  `json:"scenarios" required:"true" help:"The scenarios. Each runs in a world of its own."`

	name  string // as given on the command line
	path  string
	data  []byte
	world world.World
}

// App is the app that scenarios test.
type App struct {
	Run         string            `json:"run" help:"The command that starts the app, as for a shell. It runs in the folder of the scenario file."`
	Builtin     string            `json:"builtin" enum:"guesthouse" help:"An app that is part of Bellhop, instead of run."`
	Ready       Ready             `json:"ready" help:"When the app is ready. online: it has a gateway session. endpoint: its endpoint URL is set. Default: either."`
	Start       Duration          `json:"start_timeout" help:"How long the app may take until it is ready. Default: 30s."`
	Application string            `json:"application" help:"Name or id of the application of the world that the app runs as. Default: the first."`
	Env         map[string]string `json:"env" help:"More environment variables for the app."`
}

// Scenario is a conversation.
type Scenario struct {
	Name  string    `json:"name" required:"true" help:"What the scenario shows. It is unique in the file."`
	Steps []rawStep `json:"steps" required:"true" help:"The steps, in order."`

	position world.Position
}

// rawStep is a step before its variables are replaced.
type rawStep struct {
	Step

	value    jsonbody.Value
	position world.Position
}

// Step is one step of a scenario: at most one action, and what is expected of it.
type Step struct {
	As     string `json:"as" help:"The user of this step and the following ones: id or username."`
	In     string `json:"in" help:"The channel of this step and the following ones: id, or names as in Lab/general."`
	DM     string `json:"dm" help:"Instead of in: the direct messages of the user with this app, by its name."`
	Locale string `json:"locale" help:"The locale of the user's client in this step and the following ones, such as de."`

	Use         string            `json:"use" help:"Use a command, as a user types it: /greet name:Bob. The name of a user or message command has no slash."`
	On          string            `json:"on" help:"The target of a user or message command: a username, the id of a message, or last for the last message."`
	Attachments []Attachment      `json:"attachments" help:"Files of the command or the form. An option takes the number of the file, from 0."`
	Complete    string            `json:"complete" help:"Get suggestions for the last option of a command that is being typed: /breakfast dish:pan."`
	Press       string            `json:"press" help:"Press the button with this label or custom id, on the newest message that has it."`
	Select      *Select           `json:"select" help:"Choose values of a select menu."`
	Submit      *Submit           `json:"submit" help:"Fill in and submit the form that the app has opened."`
	Launch      string            `json:"launch" help:"Launch the activity with the entry point command of this name."`
	Say         string            `json:"say" help:"Write a message, with the files of attachments."`
	Reply       string            `json:"reply" help:"The message that say replies to: last, or a name that save gave."`
	React       string            `json:"react" help:"React to a message with an emoji, such as 👍."`
	Edit        string            `json:"edit" help:"Replace the text of a message."`
	Delete      bool              `json:"delete" help:"Delete a message."`
	Vote        *Answers          `json:"vote" help:"Vote for answers of the poll of a message: their numbers, from 1. An empty list takes the vote back."`
	Typing      bool              `json:"typing" help:"Show that the user is typing."`
	Join        string            `json:"join" help:"Join the guild with this name or id."`
	Leave       string            `json:"leave" help:"Leave the guild with this name or id."`
	Presence    Value             `json:"presence" help:"Set the presence of the user: online, idle, dnd, invisible or offline, or an object with status and activities."`
	Voice       *string           `json:"voice" help:"Join a voice channel: id, or names as in Lab/voice. An empty text leaves the voice channel in the guild of the channel."`
	Nick        *string           `json:"nick" help:"Change the nickname of the user in the guild of the channel. An empty text removes it."`
	Interest    string            `json:"interested" help:"Be interested in a scheduled event in the guild of the channel: its name or id."`
	Disinterest string            `json:"uninterested" help:"No longer be interested in a scheduled event in the guild of the channel: its name or id."`
	Message     string            `json:"message" help:"The message of react, edit, delete and vote: a name that save gave, or last for the newest one. For edit and delete, last is the newest one of the user. Default: last."`
	Save        string            `json:"save" help:"A name for the message of say, react, edit or vote, for later steps."`
	Advance     Duration          `json:"advance" help:"Move the clock of the service forward. Everything that falls due happens."`
	Fault       Fault             `json:"fault" help:"Make requests fail, as POST /_dev/faults does. none removes all faults."`
	Restart     bool              `json:"restart" help:"Stop the app and start it again."`
	Lobby       *Lobby            `json:"lobby" help:"Create, change, read or end a lobby, as the app's backend."`
	Permissions *Permissions      `json:"permissions" help:"Replace the permissions of a command in the guild, as the user."`
	Call        *Call             `json:"call" help:"Send any request to the API."`
	Wait        string            `json:"wait" enum:"answer,final" help:"What the step waits for. answer: the first answer. final: also that a deferred answer is completed. Default: final."`
	Expect      *Expect           `json:"expect" help:"What is expected. Without refused and failed, the action must succeed."`
	Capture     map[string]string `json:"capture" help:"Variables for later steps: a name, and the path of the value in the answer. ${name} is replaced."`
	Snapshot    *bool             `json:"snapshot" help:"Whether the answer is part of the snapshot. Default: true."`
}

// Answers are the numbers of answers of a poll.
type Answers []string

func (Answers) schema() any {
	return object{"type": "array", "items": object{"type": "integer", "minimum": 1, "maximum": 10}}
}

// Select is the use of a select menu.
type Select struct {
	Menu   string   `json:"menu" help:"The placeholder or the custom id of the menu. Default: the first menu of the newest message that has one."`
	Values []string `json:"values" required:"true" help:"Labels or values of options, or names of users, roles and channels."`
}

// Submit is the submission of a form.
type Submit struct {
	Form   string           `json:"form" help:"The title or the custom id of the form."`
	Fields map[string]Value `json:"fields" help:"The values, by label or custom id of the field: a text, a list of values, or true and false."`
}

// Lobby is a request about a lobby.
type Lobby struct {
	Create Value  `json:"create" help:"Create a lobby with this body, as POST /lobbies takes it."`
	ID     string `json:"id" help:"The lobby."`
	Edit   Value  `json:"edit" help:"Change the lobby with this body, as PATCH /lobbies/{lobby.id} takes it."`
	Add    string `json:"add" help:"Add this user."`
	Remove string `json:"remove" help:"Remove this user."`
	End    bool   `json:"end" help:"End the lobby."`
}

// Permissions are the permission entries of a command in a guild.
type Permissions struct {
	Command string   `json:"command" required:"true" help:"Name of the command."`
	Allow   []string `json:"allow" help:"Users, roles and channels, by name: ada, mods, #general, @everyone, #all."`
	Deny    []string `json:"deny" help:"Users, roles and channels, by name."`
}

// Call is a request to the API.
type Call struct {
	By     string `json:"by" help:"Whose token the request has: bot, anonymous (no token), or a username. Default: bot."`
	Method string `json:"method" enum:"GET,POST,PUT,PATCH,DELETE" help:"Default: GET."`
	Path   string `json:"path" required:"true" help:"Path below the base URL, such as /lobbies."`
	Body   Value  `json:"body" help:"The JSON body."`
}

// Expect has the expectations of a step. The matchers of one step must all hold.
type Expect struct {
	Outcome   string             `json:"outcome" enum:"answered,deferred,launched,failed" help:"How the interaction ends."`
	Content   *Matcher           `json:"content" help:"The text of the message."`
	Ephemeral *bool              `json:"ephemeral" help:"Whether only the user sees the message."`
	Update    *bool              `json:"update" help:"Whether the app edits the message with the component instead of sending a new one."`
	At        map[string]Matcher `json:"at" help:"Values by their paths in the answer, such as embeds.0.title."`
	Form      *Matcher           `json:"form" help:"The title of the form that the app opens."`
	Choices   *Matcher           `json:"choices" help:"The names of the suggestions, as a list."`
	Refused   *Refusal           `json:"refused" help:"The service refuses the action."`
	Failed    *Matcher           `json:"failed" help:"The app does not answer: the reason."`
	Status    *Matcher           `json:"status" help:"The status of the response to a call, a lobby or a permissions step."`
	Messages  *Matcher           `json:"messages" help:"How many messages the user sees in the channel, since the scenario began."`
	Last      map[string]Matcher `json:"last" help:"Values by their paths in the newest message that the user sees in the channel."`
	In        string             `json:"in" help:"Another channel to look at: the app's first message there since the last action of a person."`
	Reactions []string           `json:"reactions" help:"Emojis with which the app reacts to the message of the last say, react, edit or vote."`
	Edited    *bool              `json:"edited" help:"Whether the app edits a message of the channel."`
	Thread    string             `json:"thread" help:"The name of a thread that the app creates in the channel."`
	Typing    *bool              `json:"typing" help:"Whether the app shows that it is typing in the channel."`
	Deleted   *bool              `json:"deleted" help:"Whether a message of the channel is deleted, other than by the step."`
	Within    Duration           `json:"within" help:"How long the app may take for its first answer."`
	App       *Traffic           `json:"app" help:"What the app has sent since the first step."`
}

// Refusal has the expectations of a refusal.
type Refusal struct {
	Reason  string   `json:"reason" help:"Why: default_member_permissions, a reason of bellhop explain, or an error code of the API."`
	Status  *Matcher `json:"status" help:"The status of the response."`
	Message *Matcher `json:"message" help:"The text of the error."`
}

// Traffic has the expectations of the requests of the app.
type Traffic struct {
	Requests      *Matcher `json:"requests" help:"Number of requests."`
	RateLimited   *Matcher `json:"rate_limited" help:"Number of requests that got 429."`
	WrongAnswers  *Matcher `json:"wrong_answers" help:"Number of answers to interactions that the service refused."`
	DoubleAnswers *Matcher `json:"double_answers" help:"Number of answers to interactions that had an answer already."`
}

const (
	defaultTimeout = 5 * time.Second
	defaultStart   = 30 * time.Second
	maxScenarios   = 100_000
)

// Load reads a scenario file and its world. The problems of a file are a *world.FileError, with lines and columns.
func Load(name string) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// LoadAll reads scenario files. faults are the problems of files. The error says that a file cannot be read.
func LoadAll(names []string) (list []*File, faults []*world.FileError, err error) {
	for _, name := range names {
		f, err := Load(name)
		if fault, ok := errors.AsType[*world.FileError](err); ok {
			faults = append(faults, fault)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, f)
	}
	return list, faults, nil
}

// Parse is like Load for a file that was read. Other files that it names are relative to its folder.
func Parse(name string, data []byte) (*File, error) {
	v, err := world.ParseFile(name, data)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: name, path: path, data: data}
	var t jsonbody.Tree
	readValue(&t, v, f)
	f.check(&t)
	f.locateSteps()
	if err := t.Err(); err != nil {
		return nil, world.Locate(name, data, err)
	}
	if f.world, err = f.World.open(filepath.Dir(path)); err != nil {
		if wrong, ok := errors.AsType[*world.FileError](err); ok {
			return nil, wrong
		}
		return nil, fmt.Errorf("%s: the world: %w", name, err)
	}
	return f, f.checkApplication()
}

// Name returns the name of the file as Load got it.
func (f *File) Name() string { return f.name }

// locateSteps finds the positions of scenarios and steps.
func (f *File) locateSteps() {
	var paths []string
	for i := range f.Scenarios {
		paths = append(paths, scenarioPath(i))
		for j := range f.Scenarios[i].Steps {
			paths = append(paths, stepPath(i, j))
		}
	}
	found := world.Positions(f.data, paths)
	for i := range f.Scenarios {
		s := &f.Scenarios[i]
		s.position = found[scenarioPath(i)]
		for j := range s.Steps {
			s.Steps[j].position = found[stepPath(i, j)]
		}
	}
}

func scenarioPath(i int) string { return "scenarios." + strconv.Itoa(i) }

func stepPath(i, j int) string { return scenarioPath(i) + ".steps." + strconv.Itoa(j) }

// timeout returns how long a step waits.
func (f *File) timeout() time.Duration {
	if f.Timeout == 0 {
		return defaultTimeout
	}
	return time.Duration(f.Timeout)
}
