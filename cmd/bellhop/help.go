package main

import (
	"github.com/alecthomas/kong"
)

const description = `A self-hosted service for application commands, interactions and lobbies.

Examples:

  bellhop dev                              run the service with a demo world
  bellhop init my-bot                      write a small bot
  bellhop commands push commands.yaml      register the commands of a bot
  bellhop invoke --as ada --in Lab/general '/roll sides:6'

Every flag can also be set with an environment variable. Exit codes: 0 success, 1 failure, 2 wrong usage.`

// Groups of subcommands, by task.
var groups = kong.Groups{
	"run": "Run the service:", "bot": "Write a bot:", "world": "Set up users, guilds and tokens:",
	"operate": "Operate the service:", "more": "More:",
}

// examples are the examples in the help of each subcommand. A test parses them.
var examples = map[string][]string{
	"dev":                        {"bellhop dev", "bellhop dev --world world.yaml --listen 127.0.0.1:0 --quiet"},
	"serve":                      {"bellhop serve --data data", "bellhop serve --data data --listen 0.0.0.0:8080 --public-url https://bellhop.example"},
	"init":                       {"bellhop init my-bot", "bellhop init --language python --name \"Dice Bot\" my-bot"},
	"test":                       {"bellhop test scenarios.yaml", "bellhop test --run greets --watch scenarios.yaml", "bellhop test --format junit -o results.xml scenarios.yaml"},
	"doctor data":                {"bellhop doctor data --data data"},
	"doctor app":                 {"bellhop doctor app", "bellhop doctor app --as bob --in Lab/general --try '/roll sides:6'"},
	"world check":                {"bellhop world check world.yaml"},
	"world apply":                {"bellhop world apply world.yaml", "bellhop world apply --data data world.yaml"},
	"world pull":                 {"bellhop world pull --guild 1100000000000000300 -o world.yaml", "bellhop world pull --base-url https://discord.com/api/v10 --guild 1100000000000000300 --members 500 --pseudonyms -o world.yaml"},
	"world export":               {"bellhop world export", "bellhop world export --data data"},
	"commands lint":              {"bellhop commands lint commands.yaml"},
	"commands list":              {"bellhop commands list", "bellhop commands list --guild 1100000000000000300 -o json"},
	"commands diff":              {"bellhop commands diff commands.yaml", "bellhop commands diff --prune --exit-code 3 commands.yaml"},
	"commands push":              {"bellhop commands push commands.yaml", "bellhop commands push --yes --guild 1100000000000000300 commands.yaml"},
	"commands pull":              {"bellhop commands pull commands.yaml"},
	"commands schema":            {"bellhop commands schema"},
	"audit":                      {"bellhop audit --admin-token TOKEN --since 24h", "bellhop audit --admin-token TOKEN --follow -o json"},
	"lobbies":                    {"bellhop lobbies --app 1100000000000000100"},
	"apps":                       {"bellhop apps", "bellhop apps -o json"},
	"backup":                     {"bellhop backup --data data -o backup.bellhop"},
	"restore":                    {"bellhop restore --data data backup.bellhop"},
	"run":                        {"bellhop run -- node index.js", "bellhop run --watch -- python bot.py"},
	"mcp":                        {"bellhop mcp", "bellhop mcp --base-url http://127.0.0.1:8080", "bellhop mcp --listen 127.0.0.1:8090"},
	"parity":                     {"bellhop parity", "bellhop parity --json"},
	"conform":                    {"bellhop conform --allow-writes", "bellhop conform --list --run lobby"},
	"token bot":                  {"bellhop token bot --data data --app 1100000000000000100"},
	"token user":                 {"bellhop token user --data data --user 1100000000000000200"},
	"token client":               {"bellhop token client --app 1100000000000000100 --user 1100000000000000200 --scope identify"},
	"token admin":                {"bellhop token admin --data data", "bellhop token admin --data data --list"},
	"invoke":                     {"bellhop invoke --as ada --in Lab/general '/roll sides:6'", "bellhop invoke --as bob --in Lab/general --json 'Report <@1100000000000000200>'"},
	"say":                        {"bellhop say --as ada --in Lab/general --wait 2s 'hello'", "bellhop say --as ada --in Lab/general --message 1100000000000000900 --react 👍"},
	"load":                       {"bellhop load '/roll sides:{2..100}' --rate 200 --for 30s", "bellhop load -f load.yaml --html report.html --fail 'p99>500ms' --fail 'errors>1%'"},
	"explain":                    {"bellhop explain --as bob --in Lab/general /ban"},
	"migrate sqlite-to-postgres": {"bellhop migrate sqlite-to-postgres --data . --postgres postgres://127.0.0.1/bellhop"},
	"docs":                       {"bellhop docs -o site"},
	"completion":                 {"source <(bellhop completion bash)", "bellhop completion fish > ~/.config/fish/completions/bellhop.fish"},
	"healthcheck":                {"bellhop healthcheck", "bellhop healthcheck --url http://127.0.0.1:8081/readyz"},
	"man":                        {"bellhop man > bellhop.1"},
	"version":                    {"bellhop version"},
}
