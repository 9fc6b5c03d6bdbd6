package usage_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/bellhop/bellhop/internal/tools/usage"
)

// program is a small command line.
type program struct {
	Serve struct {
		Listen string `type:"listen" help:"Address. .It has a dot."`
		Token  string `env:"SERVICE_TOKEN" help:"Token."`
		Format string `short:"f" enum:"text,json" default:"text" help:"Format."`
		Quiet  bool   `help:"Print less."`
	} `cmd:"" help:"Run the service."`
	Show struct {
		Shell string `arg:"" enum:"bash,fish" help:"The shell."`
	} `cmd:"" help:"Show a script."`
	List struct {
		Script struct{} `cmd:"" help:"List scripts."`
	} `cmd:"" help:"List things."`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	return parser(t).Model
}

func parser(t *testing.T) *kong.Kong {
	t.Helper()
	k, err := kong.New(&program{}, kong.Name("bellhop"), kong.Description("A service.\n\nIt serves.\n\n  an example"), kong.DefaultEnvars("BELLHOP"), usage.ListenAddress)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"s", "serve show"},
		{"serve --f", "--format"},
		{"serve -f ", "json text"},
		{"serve --format=t", "--format=text"},
		{"serve --quiet --li", "--listen"},
		{"serve --listen ", ""},
		{"show ", "bash fish"},
		{"show b", "bash"},
	} {
		args := strings.Split(tt.args, " ")
		if got := usage.Complete(model(t), args); strings.Join(got, " ") != tt.want {
			t.Errorf("Complete(%q) = %v, want %s", args, got, tt.want)
		}
	}
}

func TestManual(t *testing.T) {
	t.Parallel()
	got := usage.Manual(model(t), "1.2-rc", "2026-01-02T15:04:05Z")
	for _, want := range []string{
		".TH BELLHOP 1 \"2026-01-02\" \"bellhop 1.2\\-rc\"",
		"bellhop \\- A service\n",
		".PP\nIt serves.\n.PP\n.nf\n  an example\n.fi\n",
		".SS bellhop serve",
		"\\fB\\-\\-listen\\fR=\\fI",
		"Environment: BELLHOP_LISTEN.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the manual page has no %q:\n%s", want, got)
		}
	}
}

// TestPrintError checks the suggestions after a mistake in the arguments.
func TestPrintError(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"serv", "bellhop: unexpected argument serv, did you mean \"serve\"?\nTry: bellhop --help\n"},
		{"script", "bellhop: unexpected argument script, did you mean \"list script\"?\nTry: bellhop --help\n"},
		{"serve --lisen x", "bellhop: unknown flag --lisen, did you mean \"--listen\"?\nTry: bellhop serve --help\n"},
		{"serve --listen", "bellhop: --listen: the value is missing\nTry: bellhop serve --help\n"},
		{"xyzzyxyzzy", "bellhop: unexpected argument xyzzyxyzzy\nTry: bellhop --help\n"},
	} {
		k := parser(t)
		_, err := k.Parse(strings.Fields(tt.args))
		var out strings.Builder
		if usage.PrintError(&out, k.Model, err); out.String() != tt.want {
			t.Errorf("%s: printed %q, want %q", tt.args, out.String(), tt.want)
		}
	}
}

// TestAddExamples checks that examples become a part of the help of their subcommand.
func TestAddExamples(t *testing.T) {
	t.Parallel()
	app := model(t)
	usage.AddExamples(app, map[string][]string{"list script": {"bellhop list script", "bellhop list script --all"}})
	for _, node := range app.Leaves(true) {
		want := ""
		if usage.Path(node) == "list script" {
			want = "Examples:\n\n  bellhop list script\n  bellhop list script --all"
		}
		if node.Detail != want {
			t.Errorf("%s has %q, want %q", usage.Path(node), node.Detail, want)
		}
	}
}

// TestListenAddress makes ports addresses of this machine.
func TestListenAddress(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{"8080": "127.0.0.1:8080", "0": "127.0.0.1:0", ":8080": ":8080", "[::1]:80": "[::1]:80", "99999": "99999"} {
		var p program
		k, err := kong.New(&p, usage.ListenAddress)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Parse([]string{"serve", "--listen", give}); err != nil || p.Serve.Listen != want {
			t.Errorf("--listen %s = %s, %v, want %s", give, p.Serve.Listen, err, want)
		}
	}
}

// TestTokenSource finds where a token came from.
func TestTokenSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, variable, want string }{
		{"serve --token x", "", "--token"},
		{"serve --token=x", "y", "--token"},
		{"serve", "y", "SERVICE_TOKEN"},
		{"serve", "", ""},
	} {
		args := strings.Split(tt.args, " ")
		parsed, err := parser(t).Parse(args)
		if err != nil {
			t.Fatal(err)
		}
		lookup := func(string) (string, bool) { return tt.variable, tt.variable != "" }
		if got := usage.TokenSource(parsed.Flags(), args, lookup); got != tt.want {
			t.Errorf("TokenSource(%s) = %q, want %q", tt.args, got, tt.want)
		}
	}
}
