package server

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/oauth"
	v10 "github.com/bellhop/bellhop/internal/api/v10"
	"github.com/bellhop/bellhop/permission"
)

var update = flag.Bool("update", false, "rewrite the generated pages of docs/")

const generatedNote = "\n> This page is generated from the code. Do not edit it: run `make docs-generate`.\n\n"

// comparePage compares a generated page with the file in docs/, or rewrites the file.
func comparePage(t *testing.T, name, title, text string) {
	t.Helper()
	text = "# " + title + "\n" + generatedNote + strings.TrimSpace(text) + "\n"
	file := "../../docs/" + name
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != text {
		t.Errorf("%s is not what the code says: run make docs-generate (%v)", file, err)
	}
}

const generatedSection = "> This section is generated from the code. Do not edit it: run `make docs-generate`.\n\n"

// compareSection compares the last section of a page with a generated text, or rewrites the section. The rest of the page is written
// by hand.
func compareSection(t *testing.T, name, heading, text string) {
	t.Helper()
	file := "../../docs/" + name
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start := "\n## " + heading + "\n\n"
	written, _, found := strings.Cut(string(old), start)
	if !found {
		t.Fatalf("%s has no section %q", file, heading)
	}
	page := written + start + generatedSection + strings.TrimSpace(text) + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(old) != page {
		t.Errorf("the section %q of %s is not what the code says: run make docs-generate", heading, file)
	}
}

// described is the part of /openapi.json that the pages show.
type described struct {
	Paths map[string]map[string]jsontext.Value `json:"paths"`
	Parts struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Name    string                               `json:"operationId"`
	Summary string                               `json:"summary"`
	Text    string                               `json:"description"`
	Tags    []string                             `json:"tags"`
	Query   []struct{ Name, Description string } `json:"parameters"`
	Body    struct {
		Content map[string]struct{ Schema schema }
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct{ Schema schema }
	} `json:"responses"`

	method, path string
}

type schema struct {
	Ref         string            `json:"$ref"`
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Nullable    bool              `json:"nullable"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	Enum        []any             `json:"enum"`
	Default     any               `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	MinLength   *int              `json:"minLength"`
	MaxLength   *int              `json:"maxLength"`
	MaxItems    *int              `json:"maxItems"`
	AnyOf       []schema          `json:"anyOf"`
	OneOf       []schema          `json:"oneOf"`
	AllOf       []schema          `json:"allOf"`
}

// describe reads /openapi.json of a service with dev controls.
func describe(t *testing.T) described {
	t.Helper()
	s := runServer(t, Config{Data: t.TempDir(), Dev: true})
	status, text := ask(t, "GET", s.base+"/openapi.json", nil)
	var d described
	if err := json.Unmarshal([]byte(text), &d, json.MatchCaseInsensitiveNames(true)); err != nil || status != 200 {
		t.Fatalf("/openapi.json: %d, %v", status, err)
	}
	return d
}

// operations returns the operations of the description, by group, path and method.
func (d described) operations(t *testing.T) []operation {
	t.Helper()
	var list []operation
	for path, item := range d.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			o := operation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(raw, &o, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.Tags[0], b.Tags[0]), strings.Compare(a.path, b.path), strings.Compare(a.method, b.method))
	})
	return list
}

// kind returns the type of a value in words, with a link to its object.
func (s schema) kind() string {
	text := s.Type
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		text = "[" + name + "](reference-objects.md#" + strings.ToLower(name) + ")"
	case s.Items != nil:
		text = "list of " + s.Items.kind()
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var kinds []string
		for _, option := range slices.Concat(s.AnyOf, s.OneOf) {
			kinds = append(kinds, option.kind())
		}
		text = strings.Join(kinds, " or ")
	case len(s.AllOf) > 0:
		text = s.AllOf[0].kind()
	case text == "":
		text = "any"
	}
	if s.Nullable {
		text += " or null"
	}
	return text
}

// rules returns the bounds of a value and its description.
func (s schema) rules() string {
	var list []string
	if s.Description != "" {
		list = append(list, s.Description)
	}
	if len(s.Enum) > 0 {
		list = append(list, "One of "+strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Enum), " ", ", "), "[]")+".")
	}
	if s.Minimum != nil {
		list = append(list, "At least "+strconv.FormatFloat(*s.Minimum, 'f', -1, 64)+".")
	}
	if s.Maximum != nil {
		list = append(list, "At most "+strconv.FormatFloat(*s.Maximum, 'f', -1, 64)+".")
	}
	if s.MaxLength != nil {
		list = append(list, fmt.Sprintf("At most %d characters.", *s.MaxLength))
	}
	if s.MaxItems != nil {
		list = append(list, fmt.Sprintf("At most %d items.", *s.MaxItems))
	}
	if s.Default != nil {
		list = append(list, fmt.Sprintf("Default: %v.", s.Default))
	}
	return cell(strings.Join(list, " "))
}

// cell makes a text fit into a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "\\<", "*", "\\*").Replace(text)
}

// groupTitles are the titles of the groups of routes.
var groupTitles = map[string]string{
	"admin": "Admin API", "dev": "Dev controls", "oauth2": "OAuth2 and OpenID", "service": "The service itself", "commands": "Commands and command permissions",
}

func TestDocsReferenceRoutes(t *testing.T) {
	t.Parallel()
	d := describe(t)
	var b strings.Builder
	b.WriteString("The service describes itself at `/openapi.json`, with a schema and an example for each body. The paths below `/api/v10` are also\n" +
		"served below `/api/v9`, `/api`, `/v10` and `/v9`. Routes below `/_dev` exist only with dev controls.\n\n" +
		"Errors that routes share: 400 with code 50035 (wrong body), 401 (no valid token), 403 (the token may not do this), 404 (unknown\n" +
		"object) and 429 (rate limit). See [all errors](reference-errors.md).\n")
	group := ""
	for _, o := range d.operations(t) {
		if tag := o.Tags[0]; tag != group {
			group = tag
			title := cmp.Or(groupTitles[tag], strings.ToUpper(tag[:1])+strings.ReplaceAll(tag[1:], "-", " "))
			b.WriteString("\n## " + title + "\n\n| request | what it does | body | answer |\n|---|---|---|---|\n")
		}
		text := []string{o.Summary, o.Text}
		for _, q := range o.Query {
			text = append(text, "`?"+q.Name+"`: "+q.Description)
		}
		b.WriteString("| `" + o.method + " " + o.path + "` | " + cell(strings.Join(text, " ")) + " | " + bodyKinds(o.Body.Content) + " | " + o.answers() + " |\n")
	}
	comparePage(t, "reference-routes.md", "Routes", b.String())
}

func bodyKinds(content map[string]struct{ Schema schema }) string {
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if content[name].Schema.Ref != "" {
			return content[name].Schema.kind()
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(content)), ", ")
}

// answers returns the successful answers of an operation.
func (o operation) answers() string {
	var list []string
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		if status < "400" {
			list = append(list, strings.TrimSpace(status+" "+bodyKinds(o.Responses[status].Content)))
		}
	}
	return strings.Join(list, ", ")
}

func TestDocsReferenceObjects(t *testing.T) {
	t.Parallel()
	d := describe(t)
	var b strings.Builder
	b.WriteString("The bodies of requests and responses. [Routes](reference-routes.md) says which route uses which. A member that is not required can be\n" +
		"absent.\n")
	for _, name := range slices.Sorted(maps.Keys(d.Parts.Schemas)) {
		s := d.Parts.Schemas[name]
		b.WriteString("\n## " + name + "\n\n")
		if len(s.Properties) == 0 {
			b.WriteString(strings.TrimSpace("Type: "+s.kind()+". "+s.rules()) + "\n")
			continue
		}
		if s.Description != "" {
			b.WriteString(cell(s.Description) + "\n\n")
		}
		b.WriteString("| member | type | required | notes |\n|---|---|---|---|\n")
		for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
			required := ""
			if slices.Contains(s.Required, member) {
				required = "yes"
			}
			p := s.Properties[member]
			b.WriteString("| `" + member + "` | " + p.kind() + " | " + required + " | " + p.rules() + " |\n")
		}
	}
	comparePage(t, "reference-objects.md", "Objects", b.String())
}

func TestDocsReferenceErrors(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(api.OwnErrors(), v10.Errors, oauth.Errors)
	slices.SortStableFunc(rows, func(a, b api.ErrorReply) int {
		return cmp.Or(a.Code-b.Code, a.Status-b.Status, strings.Compare(a.Message, b.Message))
	})
	var b strings.Builder
	b.WriteString("An error has this body. `code` says what is wrong; 0 means that the status says it all.\n\n" +
		"```json\n{\"message\": \"Unknown application command\", \"code\": 10063}\n```\n\n" +
		"A wrong body has status 400 and code 50035. `errors` then has each error at the path of its value. The OAuth2 endpoints answer\n" +
		"in the format of RFC 6749 instead: `{\"error\": \"invalid_grant\"}`.\n\n" +
		"| code | status | message | cause |\n|---|---|---|---|\n" +
		"| 50035 | 400 | Invalid Form Body | the body breaks a rule; see `errors` |\n" +
		"| 0 | 429 | You are being rate limited. | too many requests; see `retry_after` and [limits](reference-limits.md) |\n")
	seen := map[string]bool{}
	for _, row := range rows {
		line := fmt.Sprintf("| %d | %d | %s | %s |\n", row.Code, row.Status, cell(row.Message), cell(row.Err.Error()))
		if !seen[line] {
			b.WriteString(line)
		}
		seen[line] = true
	}
	comparePage(t, "reference-errors.md", "Errors", b.String())
}

func TestDocsReferencePermissions(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("Permissions are bits of a decimal number. World files and the admin API also accept the names.\n\n| name | bit | value |\n|---|---|---|\n")
	for bit := range 64 {
		p := permission.Bits(1) << bit
		if name := p.Names()[0]; !strings.HasPrefix(name, "bit ") {
			fmt.Fprintf(&b, "| `%s` | %d | %s |\n", name, bit, p)
		}
	}
	compareSection(t, "permissions.md", "All permissions", b.String())
}

func TestDocsReferenceLimits(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../ratelimit/limits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	compareSection(t, "reference-limits.md", "The limits file", "These are the default limits.\n\n```yaml limits.yaml\n"+string(text)+"```\n")
}

var helpLine = regexp.MustCompile(`(?m)^# HELP (bellhop_\w+) (.*)$`)

func TestDocsReferenceMetrics(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	for _, file := range goFiles(t, "..") {
		for _, m := range metricNames.FindAllStringSubmatch(file, -1) {
			found[m[1]] = m[2]
		}
		for _, m := range postgresCounts.FindAllStringSubmatch(file, -1) {
			found["bellhop_postgres_"+m[1]] = m[2]
		}
	}
	s := runServer(t, Config{Data: t.TempDir(), Dev: true})
	_, text := ask(t, "GET", s.base+"/metrics", nil)
	for _, m := range helpLine.FindAllStringSubmatch(text, -1) {
		if found[m[1]] != m[2] {
			t.Errorf("the sources say %q about %s, /metrics says %q", found[m[1]], m[1], m[2])
		}
	}
	var b strings.Builder
	b.WriteString("`/metrics` has these metrics, and those of Go and of the process (`go_…`, `process_…`). Some exist only with several nodes, or after the\n" +
		"first event of their kind.\n\n| metric | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(found[name]))
	}
	compareSection(t, "monitoring.md", "All metrics", b.String())
}

var (
	metricNames    = regexp.MustCompile(`(?:Name:\s*|gauge\()"(bellhop_\w+)",\s*(?:Help:\s*)?"([^"]*)"`)
	postgresCounts = regexp.MustCompile(`counter\("(\w+)", "([^"]*)"`)
)

// goFiles returns the contents of the Go files of a folder, without tests.
func goFiles(t *testing.T, folder string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		list = append(list, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// reactionReaders get the events about reactions.
const reactionReaders = "bots with the intent GUILD_MESSAGE_REACTIONS or DIRECT_MESSAGE_REACTIONS, users who see the message"

// pollReaders get the events about votes.
const pollReaders = "bots with the intent GUILD_MESSAGE_POLLS or DIRECT_MESSAGE_POLLS, users who see the message"

// gatewayEvents describes the events of the gateway: who gets them, and when.
var gatewayEvents = map[string][2]string{
	"READY":                             {"every session", "First event of a session, after Identify."},
	"RESUMED":                           {"every session", "After a resume, when all missed events have been sent."},
	"MESSAGE_DELETE_BULK":               {"bots with the intent GUILD_MESSAGES, users who see the channel", "Many messages of a guild channel are deleted at once."},
	"SOUNDBOARD_SOUNDS":                 {"the session that asked", "The answer to Request Soundboard Sounds (op 31), for each guild. The list is empty."},
	"CHANNEL_INFO":                      {"the session that asked", "The answer to Request Channel Info (op 43). The list is empty."},
	"VOICE_STATE_UPDATE":                {"bots with the intent GUILD_VOICE_STATES, users, and the sessions of the member", "A member joins, leaves or changes voice channels, or is muted or deafened."},
	"VOICE_SERVER_UPDATE":               {"the session that joins a voice channel", "After VOICE_STATE_UPDATE. The endpoint is null: there is no voice server."},
	"PRESENCE_UPDATE":                   {"bots with the intent GUILD_PRESENCES", "The status or the activities of a member change. Members connect and disconnect."},
	"GUILD_CREATE":                      {"bots with the intent GUILDS, users", "A guild of a new session, or a guild that the bot or user joins. It contains channels, roles and members."},
	"GUILD_UPDATE":                      {"bots with the intent GUILDS, users", "A guild changes."},
	"GUILD_DELETE":                      {"bots with the intent GUILDS, users", "The bot or user leaves the guild, or the guild is deleted."},
	"GUILD_EMOJIS_UPDATE":               {"bots with the intent GUILD_EXPRESSIONS, users", "An emoji of a guild is new, changed or deleted. It has all emojis of the guild."},
	"GUILD_SCHEDULED_EVENT_CREATE":      {"bots with the intent GUILD_SCHEDULED_EVENTS, users; both must see the channel of the event", "A scheduled event is new."},
	"GUILD_SCHEDULED_EVENT_UPDATE":      {"bots with the intent GUILD_SCHEDULED_EVENTS, users; both must see the channel of the event", "A scheduled event changes, starts, ends or is canceled, by a request or by the clock."},
	"GUILD_SCHEDULED_EVENT_DELETE":      {"bots with the intent GUILD_SCHEDULED_EVENTS, users; both must see the channel of the event", "A scheduled event is deleted."},
	"GUILD_SCHEDULED_EVENT_USER_ADD":    {"bots with the intent GUILD_SCHEDULED_EVENTS, users; both must see the channel of the event", "A user is interested in a scheduled event."},
	"GUILD_SCHEDULED_EVENT_USER_REMOVE": {"bots with the intent GUILD_SCHEDULED_EVENTS, users; both must see the channel of the event", "A user is no longer interested in a scheduled event."},
	"ENTITLEMENT_CREATE":                {"the bot of the app, on its first shard", "A user or a guild gets an entitlement."},
	"ENTITLEMENT_UPDATE":                {"the bot of the app, on its first shard", "An entitlement is consumed, or ends with its subscription."},
	"ENTITLEMENT_DELETE":                {"the bot of the app, on its first shard", "An entitlement is deleted."},
	"SUBSCRIPTION_CREATE":               {"the bot of the app, on its first shard", "A user subscribes to a SKU."},
	"SUBSCRIPTION_UPDATE":               {"the bot of the app, on its first shard", "A subscription is renewed, canceled or resumed, or ends."},
	"GUILD_ROLE_CREATE":                 {"bots with the intent GUILDS, users", "A role is new."},
	"GUILD_ROLE_UPDATE":                 {"bots with the intent GUILDS, users", "A role changes."},
	"GUILD_ROLE_DELETE":                 {"bots with the intent GUILDS, users", "A role is deleted."},
	"CHANNEL_CREATE":                    {"bots with the intent GUILDS, users who see it", "A channel is new."},
	"CHANNEL_UPDATE":                    {"bots with the intent GUILDS, users who see it", "A channel changes."},
	"CHANNEL_DELETE":                    {"bots with the intent GUILDS, users who saw it", "A channel is deleted."},
	"THREAD_CREATE":                     {"bots with the intent GUILDS, users who see it", "A thread is new, or the receiver is added to it."},
	"THREAD_UPDATE":                     {"bots with the intent GUILDS, users who see it", "A thread changes."},
	"THREAD_DELETE":                     {"bots with the intent GUILDS, users who see its channel", "A thread is deleted."},
	"THREAD_LIST_SYNC":                  {"the member; bots need the intent GUILDS", "The member gains access to channels. It contains their active threads."},
	"THREAD_MEMBERS_UPDATE": {
		"bots with the intent GUILD_MEMBERS, users who see the thread, those whom it concerns", "Users are added to a thread or removed, also because they leave the guild.",
	},
	"THREAD_MEMBER_UPDATE": {"the member", "A thread of the member is unarchived."},
	"GUILD_MEMBER_ADD":     {"bots with the intent GUILD_MEMBERS, users", "A member joins."},
	"GUILD_MEMBER_UPDATE":  {"bots with the intent GUILD_MEMBERS, users, the member", "A member changes."},
	"GUILD_MEMBER_REMOVE":  {"bots with the intent GUILD_MEMBERS, users", "A member leaves."},
	"GUILD_BAN_ADD":        {"bots with the intent GUILD_MODERATION, users; both need the permission BAN_MEMBERS or VIEW_AUDIT_LOG", "A user is banned."},
	"GUILD_BAN_REMOVE":     {"bots with the intent GUILD_MODERATION, users; both need the permission BAN_MEMBERS or VIEW_AUDIT_LOG", "A ban is lifted."},
	"INVITE_CREATE":        {"bots with the intent GUILD_INVITES, users; both need the permission MANAGE_CHANNELS in the channel", "An invite to a channel is new."},
	"INVITE_DELETE":        {"bots with the intent GUILD_INVITES, users; both need the permission MANAGE_CHANNELS in the channel", "An invite is deleted, has expired, or was used for the last time."},
	"GUILD_AUDIT_LOG_ENTRY_CREATE": {
		"bots with the intent GUILD_MODERATION, users; both need the permission VIEW_AUDIT_LOG", "The audit log of a guild has a new entry.",
	},
	"GUILD_MEMBERS_CHUNK": {"the session that asked", "The answer to Request Guild Members (op 8)."},
	"RATE_LIMITED":        {"the session that asked", "All members of a guild were requested too often."},

	"GUILD_INTEGRATIONS_UPDATE": {"bots with the intent GUILD_INTEGRATIONS, users", "The apps of a guild change."},
	"INTEGRATION_CREATE":        {"bots with the intent GUILD_INTEGRATIONS, users", "An app is installed in the guild."},
	"INTEGRATION_UPDATE":        {"bots with the intent GUILD_INTEGRATIONS, users", "An installed app changes."},
	"INTEGRATION_DELETE":        {"bots with the intent GUILD_INTEGRATIONS, users", "An app is removed from the guild."},

	"APPLICATION_COMMAND_PERMISSIONS_UPDATE":    {"bots of the guild", "The permissions of a command in the guild change."},
	"GUILD_APPLICATION_COMMAND_INDEX_UPDATE":    {"users of the guild", "The commands that a guild offers change: clients load the index again."},
	"APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE": {"the invoking client", "The suggestions of an app for an option."},

	"INTERACTION_CREATE":          {"the app's bot; the invoking client with id and nonce", "A command, a component or a modal was used."},
	"INTERACTION_SUCCESS":         {"the invoking client", "The app answered."},
	"INTERACTION_FAILURE":         {"the invoking client", "The app did not answer, or answered wrongly. It has a reason."},
	"INTERACTION_MODAL_CREATE":    {"the invoking client", "The app answered with a modal."},
	"EMBEDDED_ACTIVITY_UPDATE_V2": {"the invoking client", "The app answered by launching its activity."},

	"MESSAGE_CREATE":                {"bots with the intent GUILD_MESSAGES or DIRECT_MESSAGES, users who see it", "A message is new. An ephemeral message goes only to the user and the app."},
	"MESSAGE_UPDATE":                {"bots with the intent GUILD_MESSAGES or DIRECT_MESSAGES, users who see it", "A message changes."},
	"MESSAGE_DELETE":                {"bots with the intent GUILD_MESSAGES or DIRECT_MESSAGES, users who saw it", "A message is deleted."},
	"MESSAGE_REACTION_ADD":          {reactionReaders, "A user or a bot reacts to a message."},
	"MESSAGE_REACTION_REMOVE":       {reactionReaders, "A reaction is removed."},
	"MESSAGE_REACTION_REMOVE_EMOJI": {reactionReaders, "All reactions to a message with one emoji are removed."},
	"MESSAGE_REACTION_REMOVE_ALL":   {reactionReaders, "All reactions to a message are removed."},
	"MESSAGE_POLL_VOTE_ADD":         {pollReaders, "A user votes for an answer of a poll."},
	"MESSAGE_POLL_VOTE_REMOVE":      {pollReaders, "A user takes back the vote for an answer of a poll."},

	"CHANNEL_PINS_UPDATE": {"bots with the intent GUILDS, or DIRECT_MESSAGES outside of guilds, users who see the channel", "A message is pinned or unpinned. The event is not sent when a pinned message is deleted."},
	"TYPING_START":        {"bots with the intent GUILD_MESSAGE_TYPING or DIRECT_MESSAGE_TYPING, users who see the channel", "A user or a bot is typing."},

	"WEBHOOKS_UPDATE": {"bots with the intent GUILD_WEBHOOKS, users who see the channel", "The webhooks of a channel change."},
	"USER_UPDATE":     {"the user's or bot's own sessions", "The user changes."},

	"LOBBY_CREATE":            {"a client of the member who is added", "A user is added to a lobby."},
	"LOBBY_UPDATE":            {"clients of members", "Metadata, flags or the linked channel change."},
	"LOBBY_DELETE":            {"clients of members", "The lobby is deleted or idle, or the member is removed. It has a reason."},
	"LOBBY_MEMBER_ADD":        {"clients of the other members", "A member is added."},
	"LOBBY_MEMBER_UPDATE":     {"clients of members", "A member changes."},
	"LOBBY_MEMBER_REMOVE":     {"clients of the other members", "A member is removed."},
	"LOBBY_MEMBER_CONNECT":    {"clients of members", "The first client of a member connects."},
	"LOBBY_MEMBER_DISCONNECT": {"clients of members", "The last client of a member disconnects."},
	"LOBBY_MESSAGE_CREATE":    {"clients of members", "A message is sent in the lobby or its linked channel."},
	"LOBBY_MESSAGE_UPDATE":    {"clients of members", "The moderation metadata is set, or a message in the linked channel changes."},
	"LOBBY_MESSAGE_DELETE":    {"clients of members", "A message in the linked channel is deleted."},
}

// eventName finds names of events in the sources. codeNames are names of the same form that are error codes.
var (
	eventName = regexp.MustCompile(`"((?:GUILD|CHANNEL|THREAD|INVITE|INTEGRATION|INTERACTION|MESSAGE|LOBBY|TYPING|USER|PRESENCE|VOICE|APPLICATION_COMMAND|EMBEDDED|RATE|WEBHOOKS|SOUNDBOARD|ENTITLEMENT|SUBSCRIPTION|READY|RESUMED)[A-Z_0-9]*)"`)
	codeNames = regexp.MustCompile(`_(INVALID|LINKED|RESTRICTED|REQUIRED|TAKEN|VERSION|OPTION)|^USERNAME|^LOBBY_$|^INTERACTION_[A-Z]+_[A-Z]+_`)
)

func TestDocsReferenceEvents(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, folder := range []string{"lobbies", "dispatch", "registry", "directory", "permissions", "messages", "threads", "polls", "channelhook", "guilds", "invites", "premium", "audit", "gateway"} {
		for _, text := range goFiles(t, "../"+folder) {
			for _, m := range eventName.FindAllStringSubmatch(text, -1) {
				if name := m[1]; !codeNames.MatchString(name) {
					used[name] = true
				}
			}
		}
	}
	for name := range used {
		if gatewayEvents[name][0] == "" {
			t.Errorf("the code sends %s: add it to gatewayEvents", name)
		}
	}
	var b strings.Builder
	b.WriteString("\"Users\" are sessions with a user token; \"clients\" are sessions with an access token of an\n" +
		"application. A session gets an event of a channel only if it can see the channel.\n\n| event | who gets it | when |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(gatewayEvents)) {
		if !used[name] {
			t.Errorf("the code does not send %s: remove it from gatewayEvents", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, gatewayEvents[name][0], gatewayEvents[name][1])
	}
	compareSection(t, "gateway.md", "Events", b.String())
}
