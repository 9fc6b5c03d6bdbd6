package devservice

import (
	"fmt"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"github.com/bellhop/bellhop/internal/world"
)

// Banner prints how to use a service that "bellhop dev" started. No line is wider than terminal.Columns, except for a name or a
// token that is wider by itself.
type Banner struct {
	terminal.Printer
	terminal.Style

	Base string // URL of the service
}

// maxShown is the number of applications and users that the banner lists.
const maxShown = 10

// Start prints URLs, tokens and a first request. It knows the tokens of the world file and those that this start created,
// but not those of an earlier start.
func (b *Banner) Start(w world.World, applied provision.Applied, admin auth.Secret) {
	b.Line("")
	for _, l := range [][2]string{{"Console", "/"}, {"API base", "/api/v10"}, {"OpenAPI", "/openapi.json"}} {
		b.Line("  %s %s", b.Bold(fmt.Sprintf("%-12s", l[0])), b.Cyan(b.Base+l[1]))
	}
	b.Line("")
	for i, a := range w.Applications[:min(len(w.Applications), maxShown)] {
		if created, ok := applied.BotTokens[a.ID]; ok {
			a.BotToken = created.Reveal()
		}
		b.application(a, i == 0)
	}
	b.rest(len(w.Applications), "application")
	for _, u := range w.Users[:min(len(w.Users), maxShown)] {
		if created, ok := applied.UserTokens[u.ID]; ok {
			u.Token = created.Reveal()
		}
		if u.Token != "" {
			b.note(fmt.Sprintf("user token of %s (%s):", terminal.Printable(u.Username), u.ID), u.Token)
		}
	}
	b.rest(len(w.Users), "user")
	b.Line("")
	if admin != "" {
		b.note("admin token for "+b.Base+"/admin/v1:", admin.Reveal())
		b.Line("")
	}
}

// Exposed warns that other machines can reach the service, and prints the token that they need.
func (b *Banner) Exposed(token auth.Secret) {
	b.Line("  %s", b.Bold("WARNING: other machines can reach this service and its dev controls."))
	b.Line("  Use a network that you trust. Tokens of the demo world are public.")
	b.Line("  From other machines the console and /_dev/ ask for a user name and a password.")
	b.Line("  The user name can be anything, the password is the dev token:")
	b.note("dev token:", token.Reveal())
	b.Line("")
}

// application prints the settings of a bot, as commands of a shell.
func (b *Banner) application(a world.Application, withRequest bool) {
	status := "offline until your bot connects"
	if a.InteractionsEndpointURL != "" {
		status = "receives interactions at its endpoint"
	}
	b.Line("  %s %s", b.Bold("# "+terminal.Printable(a.Name)), b.Dim("("+status+")"))
	b.export("BELLHOP_BASE_URL", b.Base+"/api/v10")
	b.export("BELLHOP_APPLICATION_ID", a.ID.String())
	if a.BotToken == "" {
		b.Line("  %s", b.Dim("# its bot token was shown when it was created"))
		b.Line("")
		return
	}
	b.export("BELLHOP_BOT_TOKEN", a.BotToken)
	b.Line("")
	if withRequest {
		b.Line(`  curl -s -H "Authorization: Bot $BELLHOP_BOT_TOKEN" \`)
		b.Line(`    -H 'Content-Type: application/json' \`)
		b.Line(`    -d '{"name":"roll","description":"Roll dice"}' \`)
		b.Line(`    $BELLHOP_BASE_URL/applications/$BELLHOP_APPLICATION_ID/commands`)
		b.Line("")
	}
}

// export prints a command that sets a variable. A shell joins the two lines of a long one.
func (b *Banner) export(name, value string) {
	separator := ""
	if len("  export =")+len(name)+utf8.RuneCountInString(value) > terminal.Columns {
		separator = "\\\n"
	}
	b.Line("  export %s=%s%s", name, separator, b.Green(value))
}

// note prints a comment and a value, on two lines if they do not fit on one.
func (b *Banner) note(text, value string) {
	separator := " "
	if len("  #  ")+utf8.RuneCountInString(text)+utf8.RuneCountInString(value) > terminal.Columns {
		separator = "\n  # "
	}
	b.Line("  %s%s%s", b.Dim("# "+text), b.Dim(separator), value)
}

// rest says how many items of a list are not shown.
func (b *Banner) rest(total int, noun string) {
	if total > maxShown {
		b.Line("  %s", b.Dim("# and "+terminal.Plural(total-maxShown, "more "+noun)))
	}
}
