package guide_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// runPage is a page whose blocks are one script. Blocks of the kind "sh" run in order in one shell and an empty folder. A block
// of the kind "service" runs in the background until the next one. A block with the name of a file is that file. A block of the
// kind "output" is in the output of the block before. Blocks of other kinds do not run: TestBlocks checks them.
type runPage struct {
	name     string
	heading  string // run only the blocks below this heading
	setup    string // what the reader of a reference has done before. CHECKOUT is the folder of the checkout
	postgres bool   // has two empty databases, POSTGRES and NEW_POSTGRES
	download bool   // uses the network of this machine. It must not need certain ports
}

var runPages = []runPage{
	{name: "docs/guide/first-command.md"},
	{name: "docs/guide/lobbies.md"},
	{name: "docs/backup.md", postgres: true},
	{name: "docs/troubleshooting.md"},
	{name: "docs/from-discord.md"},
	{name: "docs/monitoring.md"},
	{name: "docs/admin.md"},
	{name: "docs/authorization.md", setup: devSetup},
	{name: "docs/ci.md"},
	{name: "docs/commands.md", setup: devSetup},
	{name: "docs/conformance.md", setup: "export BELLHOP_LIMITS=off\n" + devSetup},
	{name: "docs/dev.md", setup: devSetup + botSetup},
	{name: "docs/kits.md", setup: packSetup},
	{name: "docs/load.md", setup: devSetup + botSetup},
	{name: "docs/lobbies.md", setup: devSetup},
	{name: "docs/permissions.md", setup: devSetup},
	{name: "docs/operations.md", setup: worldSetup + operationsSetup + certificateSetup, postgres: true},
	{name: "docs/scenarios.md", setup: worldSetup + greeterSetup},
	{name: "docs/world.md"},
	{name: "examples/README.md", heading: "Polls with discord.js", setup: javascriptSetup, download: true},
	{name: "examples/README.md", heading: "A public bot with discord.js", setup: javascriptSetup, download: true},
	{name: "examples/README.md", heading: "Reminders with discord.py", setup: `cp -R "$CHECKOUT/examples/discordpy/." .` + "\n"},
	{name: "examples/README.md", heading: "Public bots with discordgo", setup: goSetup, download: true},
}

// worldSetup writes a world file.
const worldSetup = `cat >world.yaml <<'END OF FILE'
users: [{id: "200", username: ada}, {id: "201", username: bob}]
guilds: [{id: "300", name: Lab, owner: "200", channels: [{id: "310", name: general}], members: [{user: "200"}, {user: "201"}]}]
applications: [{id: "100", name: Echo, owner: "200"}]
END OF FILE
`

// operationsSetup fills a data folder and starts Redis.
const operationsSetup = `bellhop world apply --data data world.yaml
redis-server --bind 127.0.0.1 --save '' >redis.log &
until grep -q 'Ready to accept connections' redis.log; do sleep 0.1; done
export REDIS=redis://127.0.0.1:6379
`

// certificateSetup makes a certificate for bellhop.example. curl finds the host, and trusts the certificate.
const certificateSetup = `go run "$(go env GOROOT)/src/crypto/tls/generate_cert.go" --host bellhop.example --ca --ecdsa-curve P256
mv cert.pem bellhop.pem
mv key.pem bellhop.key
printf 'cacert = bellhop.pem\nresolve = "bellhop.example:443:127.0.0.1"\n' >.curlrc
export CURL_HOME=$PWD
`

// greeterSetup installs the app in the guild, and writes the bot that docs/scenarios.md tests.
const greeterSetup = `sed -i 's/members: /installs: [{application: "100", scopes: [bot]}], members: /' world.yaml
cat >bot.py <<'END OF FILE'
import os
import discord
import yarl

base = os.environ["BELLHOP_BASE_URL"]
discord.http.Route.BASE = base
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(base.replace("http", "ws", 1)).with_path("/gateway/")
bot = discord.Client(intents=discord.Intents.default())
tree = discord.app_commands.CommandTree(bot)
bot.setup_hook = tree.sync


class Again(discord.ui.View):
    @discord.ui.button(label="Again")
    async def again(self, interaction, button):
        await interaction.response.edit_message(content="Hello again!")


@tree.command(description="Greet a person")
async def greet(interaction: discord.Interaction, name: str):
    await interaction.response.send_message(f"Hello {name}", view=Again())


@tree.command(description="Ban a user")
@discord.app_commands.default_permissions(ban_members=True)
async def ban(interaction: discord.Interaction, user: discord.User):
    await interaction.response.send_message("Gone.")


bot.run(os.environ["BELLHOP_BOT_TOKEN"])
END OF FILE
`

// javascriptSetup copies the folder with the bots of discord.js.
const javascriptSetup = `cp -R "$CHECKOUT/examples/discordjs/." . && rm -rf node_modules public/bot
`

// goSetup enters a copy of the folder with the public Go bots.
const goSetup = `cp -R "$CHECKOUT/examples/discordgo" . && cd discordgo/public
go mod edit -replace github.com/bellhop/bellhop="$CHECKOUT"
`

// packSetup enters a new npm package beside a checkout with packed npm packages.
const packSetup = `platform=$(node -p 'process.platform + "-" + process.arch')
node "$CHECKOUT/npm/pack.mjs" 0.0.1 bellhop/dist/npm "$platform=$(command -v bellhop)"
mkdir bot && cd bot && npm init --yes >/dev/null
`

// botSetup starts the bot of the README.
const botSetup = `httpbot 2>bot.log &
until grep -q 'answers at' bot.log; do sleep 0.1; done
`

// devSetup starts the demo world and runs the export lines that it prints.
const devSetup = `bellhop dev >bellhop.log &
until grep -q '^listening on ' bellhop.log; do sleep 0.1; done
eval "$(sed -n '/^  export /,/^$/p' bellhop.log)"
`

// pageScript converts blocks to a shell script, and returns the expected output by number of the block.
func pageScript(t *testing.T, list []block) (script string, outputs map[int]string) {
	t.Helper()
	var b strings.Builder
	outputs = map[int]string{}
	ran := -1
	for i, bl := range list {
		switch {
		case bl.file != "":
			fmt.Fprintf(&b, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", bl.file, bl.text)
		case bl.kind == "output":
			outputs[ran] = strings.TrimSpace(bl.text)
		case bl.kind == "sh":
			fmt.Fprintf(&b, "echo '-- %d --'\n%s\necho\n", i, bl.text)
			ran = i
		case bl.kind == "service":
			b.WriteString(serviceScript(i, bl.text))
			ran = i
		}
	}
	if ran < 0 {
		t.Fatal("the page has no block that runs")
	}
	return b.String(), outputs
}

// serviceScript starts the command of a block in the background, instead of the one of an earlier block. It must be ready within
// 30 s, or run for a second if it does not say when it is ready.
func serviceScript(number int, text string) string {
	log := fmt.Sprintf("service-%d.log", number)
	wait := "sleep 1"
	if regexp.MustCompile(`bellhop (serve|dev)`).MatchString(text) {
		wait = "for i in $(seq 300); do grep -qs '^listening on ' " + log + " && break; kill -0 $service_block || break; sleep 0.1; done; grep '^listening on ' " + log
	}
	return fmt.Sprintf(serviceStart, number, text, log, wait)
}

// serviceStart is the script of a block of the kind "service". "bash -c" becomes the command, so that it can be ended.
const serviceStart = `echo '-- %[1]d --'
if test -n "${service_block-}"; then kill $service_block; wait $service_block || true; fi
bash -c "$(cat <<'END OF FILE'
%[2]sEND OF FILE
)" >%[3]s 2>&1 &
service_block=$!
%[4]s || { cat %[3]s; exit 1; }
kill -0 $service_block || { cat %[3]s; exit 1; }
echo
`

// apiError is an error response. curl prints it and succeeds.
var apiError = regexp.MustCompile(`\{"message": ?"[^"]*", ?"code":|\{"error":`)

// compareOutputs compares the output of a script with the blocks of the kind "output". A block without one must get no error
// response.
func compareOutputs(t *testing.T, out string, outputs map[int]string) {
	t.Helper()
	for _, part := range strings.Split("\n"+out, "\n-- ")[1:] {
		number, printed, _ := strings.Cut(part, " --\n")
		i, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		want, ok := outputs[i]
		if !strings.Contains(printed, want) {
			t.Errorf("block %d puts out no %q:\n%s", i, want, printed)
		}
		if !ok && apiError.MatchString(printed) {
			t.Errorf("block %d gets an error:\n%s", i, printed)
		}
	}
}

// busyConditions replaces conditions of load tests by ones that hold on a busy machine.
var busyConditions = strings.NewReplacer("p99>2s", "p99>60s", "errors>1%", "errors>99%", "errors>50%", "errors>99%")

// TestPages runs the blocks of the pages against the binary, as they are but for the conditions of load tests.
func TestPages(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	bin := buildBellhop(t)
	for _, page := range runPages {
		t.Run(path.Join(strings.TrimPrefix(page.name, "docs/"), page.heading), func(t *testing.T) {
			t.Parallel()
			list := slices.DeleteFunc(blocks(t, page.name), func(b block) bool { return page.heading != "" && b.heading != page.heading })
			script, outputs := pageScript(t, list)
			checkout, err := filepath.Abs(root)
			if err != nil {
				t.Fatal(err)
			}
			variables := []string{"CHECKOUT=" + checkout}
			if page.postgres {
				variables = append(variables, startPostgres(t)...)
			}
			start := runInOwnNetwork
			if page.download {
				start = run
			}
			script = busyConditions.Replace(script)
			compareOutputs(t, start(t, page.setup+script, t.TempDir(), bin, variables...), outputs)
		})
	}
}

// TestReadmeProduction runs the section "Production" of the README.
func TestReadmeProduction(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	list := slices.DeleteFunc(blocks(t, "README.md"), func(b block) bool { return b.heading != "Production" })
	section, _ := pageScript(t, list)
	out := runInOwnNetwork(t, worldSetup+section+"curl -sf http://127.0.0.1:8080/readyz\n", t.TempDir(), buildBellhop(t))
	if !strings.Contains(out, `"status":"ok"`) {
		t.Errorf("the service is not ready:\n%s", out)
	}
}

// TestReadme runs the section "Your own command" of the README, with the settings and the command that "bellhop dev" prints.
func TestReadme(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	list := slices.DeleteFunc(blocks(t, "README.md"), func(b block) bool { return b.heading != "Your own command" })
	section, _ := pageScript(t, list)
	const settings = `"$BELLHOP_BASE_URL $BELLHOP_APPLICATION_ID $BELLHOP_BOT_TOKEN"`
	script := devSetup + "printed=" + settings + "\nunset ${!BELLHOP_*}\n" + section + "test \"$printed\" = " + settings +
		"\necho printed:; eval \"$(sed -n '/^  curl /,/^$/p' bellhop.log)\"\n"
	out, printed, _ := strings.Cut(runInOwnNetwork(t, script, t.TempDir(), buildBellhop(t)), "printed:\n")
	for _, want := range []string{`"name":"roll"`, `"min_value":2`, `"code":50035`, "APPLICATION_COMMAND_INVALID_NAME", "BASE_TYPE_REQUIRED"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not contain %s:\n%s", want, out)
		}
	}
	if !strings.Contains(printed, `"name":"roll"`) {
		t.Errorf("the printed curl command puts out\n%s", printed)
	}
}

// programs are the service and the bot of the README, built as the guides do.
var programs = engines.Programs{Env: buildSettings, Packages: []string{"cmd/bellhop", "examples/httpbot"}}

// buildBellhop returns the folder of the programs. It also has the Python of the system, which is the one with Debian's packages.
func buildBellhop(t *testing.T) string {
	t.Helper()
	folder := programs.Folder(t)
	if err := os.Symlink("/usr/bin/python3", filepath.Join(folder, "python3")); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return folder
}

// TestMain removes the programs.
func TestMain(m *testing.M) {
	code := m.Run()
	programs.Remove()
	os.Exit(code)
}
