package compat_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const (
	shopApplication = "1200000000000003000"
	shopGuild       = "1200000000000003001"
	shopChannel     = "1200000000000003002"
	shopCoins       = "1200000000000003003"
	shopPremium     = "1200000000000003004"
)

// TestShop runs a bot with discord.js that sells. It grants, consumes and deletes a test entitlement. A person subscribes, and the
// bot gets the events, and the entitlement in the next interaction.
func TestShop(t *testing.T) {
	t.Parallel()
	installPackages(t)
	s := startService(t)
	s.call(t, http.MethodPost, "/_dev/world", "", fmt.Sprintf(`{"applications":[{"id":%[1]q,"name":"Shop","owner":%[2]q,"bot_token":%[7]q,
		"skus":[{"id":%[5]q,"name":"Coins","type":3},{"id":%[6]q,"name":"Premium","type":5}]}],
		"guilds":[{"id":%[3]q,"name":"Mall","owner":%[2]q,"channels":[{"id":%[4]q,"name":"general"}],"members":[{"user":%[2]q}],
		"installs":[{"application":%[1]q,"scopes":["bot","applications.commands"]}]}]}`,
		shopApplication, owner, shopGuild, shopChannel, shopCoins, shopPremium, botToken(shopApplication)), nil)
	s.call(t, http.MethodPost, "/api/v10/applications/"+shopApplication+"/commands", "Bot "+botToken(shopApplication), `{"name":"hello","description":"A"}`, nil)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "run", "--base-url", s.origin, "--", "node", "node/shops/discordjs.mjs")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "BELLHOP_BOT_TOKEN="+botToken(shopApplication), "USER_ID="+owner)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	lines := bufio.NewScanner(out)
	wait := func(wanted ...string) {
		missing := map[string]bool{}
		for _, w := range wanted {
			missing[w] = true
		}
		for len(missing) > 0 && lines.Scan() {
			fmt.Fprintln(&all, lines.Text())
			delete(missing, strings.TrimPrefix(lines.Text(), "bot     | "))
		}
		if len(missing) > 0 {
			t.Errorf("the bot has not printed %v:\n%s", missing, all.String())
		}
	}
	wait(
		"sells Coins,Premium coins", "granted "+shopCoins+" "+owner+" 8", "created "+shopCoins+" "+owner+" true", "updated "+shopCoins+" true",
		"lists true", "deleted "+shopCoins+" true", "records coins 1", "sold 2",
	)
	s.call(t, http.MethodPost, "/_dev/purchases", "", fmt.Sprintf(`{"as":%q,"application":"Shop","sku":"Premium"}`, owner), nil)
	wait("subscribed "+shopPremium+" true", "created "+shopPremium+" "+owner+" true")
	s.call(t, http.MethodPost, "/_dev/invoke", "", fmt.Sprintf(`{"as":%q,"in":%q,"command":"/hello"}`, owner, shopChannel), nil)
	wait("invoked with " + shopPremium)
	cancel()
	_ = cmd.Wait() // it was interrupted
}
