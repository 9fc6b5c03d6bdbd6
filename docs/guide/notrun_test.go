package guide_test

import "strings"

// unrunBlock is a block of the kind "shell", by its page and its start, with the reason why the tests of this package do not run it.
type unrunBlock struct{ page, start, reason string }

// has reports whether a block is this one.
func (n unrunBlock) has(page string, b block) bool {
	return page == n.page && strings.HasPrefix(b.text, n.start)
}

// notRun are all blocks of the kind "shell".
var notRun = []unrunBlock{
	{"CONTRIBUTING.md", "xcode-select", "needs macOS"},
	{"README.md", "go run ./cmd/bellhop dev", "make fresh runs it in a new system: it takes minutes"},
	{"README.md", "go run ./examples/httpbot", "e2e/readme.test.mjs runs it"},
	{"CONTRIBUTING.md", "make dist", "makes a release from a tag; .ci/dist runs the same targets once a day"},
	{"CONTRIBUTING.md", "openssl genpkey", "makes a key of a release; the tests of the action make their own in the same way"},
	{"CONTRIBUTING.md", "openssl pkeyutl", "needs a release; the tests of the action verify one"},
	{"SECURITY.md", "docker buildx imagetools", "needs a registry"},
	{"bench/README.md", "cd bench", "takes minutes; TestQuick in bench runs all cases"},
	{"docs/ci.md", "python3 -m pip", "needs PyPI"},
	{"docs/commands.md", "bellhop commands pull --base-url https://discord.com", "needs Discord"},
	{"docs/dev.md", "curl -u dev:", "needs another machine"},
	{"docs/operations.md", "bellhop serve --data data --tls-listen 0.0.0.0:443 --tls-acme", "needs a name on the internet; TestACME in internal/server has a certificate authority"},
	{"docs/signin.md", "dex serve", "needs Dex"},
	{"docs/signin.md", "export BELLHOP_OIDC_CLIENT_SECRET", "needs Keycloak"},
	{"docs/from-discord.md", "BELLHOP_BASE_URL=https://discord.com", "needs Discord"},
	{"docs/guide/python.md", "python3 -m pip install -r requirements.txt", "needs PyPI"},
	{"docs/guide/python.md", "python3 -m pip install ../bellhop/kit/python", "needs PyPI"},
	{"docs/index.md", "bellhop dev", "the first page of the guides runs it"},
	{"docs/index.md", "bellhop run", "the tests of cmd/bellhop run bots"},
	{"docs/install.md", "dpkg -i", "changes the system; make dist-test runs it in a new one"},
	{"docs/install.md", "podman load", "needs a container engine"},
	{"docs/install.md", "docker compose", "needs a container engine"},
	{"docs/install.md", "helm install", "needs a cluster"},
	{"docs/kits.md", "python3 -m pip", "needs PyPI"},
	{"docs/world.md", "bellhop world pull --base-url https://discord.com", "needs Discord"},
}
